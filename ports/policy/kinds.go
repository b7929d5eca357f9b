package policy

// Kinds of resources: what Resource.Kind may be. It is empty where an action is
// about nothing in particular.
const (
	KindAccount    = "account"
	KindAudit      = "audit"
	KindBackup     = "backup"
	KindChannel    = "channel"
	KindCollection = "collection"
	KindFile       = "file"
	KindKey        = "key"
	KindMount      = "mount"
	KindPaste      = "paste"
	KindPolicy     = "policy"
	KindRequest    = "request"
	KindSession    = "session"
	KindSettings   = "settings"
	KindShare      = "share"
	KindSite       = "site"
	KindStorage    = "storage"
	KindSystem     = "system"
	KindTask       = "task"
	KindURL        = "url"
)

// ResourceKinds are all kinds of resources.
var ResourceKinds = []string{KindAccount, KindAudit, KindBackup, KindChannel, KindCollection, KindFile, KindKey, KindMount, KindPaste, KindPolicy, KindRequest, KindSession, KindSettings,
	KindShare, KindSite, KindStorage, KindSystem, KindTask, KindURL}

// How a request comes: Call.Protocol, which is empty for work in the background.
const (
	HTTP   = "http"
	WebDAV = "webdav"
)

// Protocols are all ways a request comes.
var Protocols = []string{HTTP, WebDAV}
