package policy

// Action is what a principal asks to do, noun.verb. The list is closed: an
// action that stands nowhere in the policies is refused to everybody.
type Action string

// Actions on pastes and file shares.
const (
	PasteCreate       Action = "paste.create"
	PasteList         Action = "paste.list"
	PasteReadOwn      Action = "paste.read_own"
	PasteUpdate       Action = "paste.update"
	PasteDelete       Action = "paste.delete"
	PasteClearExpired Action = "paste.clear_expired"
	FileList          Action = "file.list"
	FileUpload        Action = "file.upload"
	FileReadOwn       Action = "file.read_own"
	FileUpdate        Action = "file.update"
	FileDelete        Action = "file.delete"
	URLFetch          Action = "url.fetch"
	StorageList       Action = "storage.list"
)

// ShareLog is asked by who owns a share and wants to know who opened it.
const ShareLog Action = "share.log"

// Actions on requests for files. RequestView and RequestUpload are open to
// everybody; the rules of a request decide the rest.
const (
	RequestCreate  Action = "request.create"
	RequestList    Action = "request.list"
	RequestReadOwn Action = "request.read_own"
	RequestUpdate  Action = "request.update"
	RequestDelete  Action = "request.delete"
	RequestView    Action = "request.view"
	RequestUpload  Action = "request.upload"

	NotificationsRead  Action = "notification.read"
	NotificationsWrite Action = "notification.write"
)

// Actions that are open to everybody; share gates decide the rest.
const (
	ShareView     Action = "share.view"
	ShareList     Action = "share.list" // what a share of several files holds
	ShareDownload Action = "share.download"
	SharePreview  Action = "share.preview"
	ShareVerify   Action = "share.verify"
	SiteRead      Action = "site.read"
	SessionOpen   Action = "session.open"
	SessionClose  Action = "session.close"
	MountProxy    Action = "mount.proxy"
	URLProxy      Action = "url.proxy"
)

// Actions on mounts and over WebDAV.
const (
	MountsRead   Action = "mounts.read"
	MountList    Action = "mount.list"
	MountRead    Action = "mount.read"
	MountSearch  Action = "mount.search"
	MountShare   Action = "mount.share"
	MountArchive Action = "mount.archive"
	MountUpload  Action = "mount.upload"
	MountMkdir   Action = "mount.mkdir"
	MountEdit    Action = "mount.edit"
	MountCopy    Action = "mount.copy"
	MountMove    Action = "mount.move"
	MountRename  Action = "mount.rename"
	MountDelete  Action = "mount.delete"
	TaskRead     Action = "task.read"
	WebDAVList   Action = "webdav.list"
	WebDAVGet    Action = "webdav.read"
	WebDAVWrite  Action = "webdav.write"
)

// KeySelf is what a valid key may always ask about itself.
const KeySelf Action = "key.self"

// Actions of the administrator.
const (
	KeysRead         Action = "admin.keys.read"
	KeysWrite        Action = "admin.keys.write"
	MountsAdmin      Action = "admin.mounts.read"
	MountsWrite      Action = "admin.mounts.write"
	StorageRead      Action = "admin.storage.read"
	StorageWrite     Action = "admin.storage.write"
	StorageReconcile Action = "admin.storage.reconcile"
	SettingsRead     Action = "admin.settings.read"
	SettingsWrite    Action = "admin.settings.write"
	AccountWrite     Action = "admin.account.write"
	StatsRead        Action = "admin.stats.read"
	CacheWrite       Action = "admin.cache.write"
	PolicyRead       Action = "admin.policy.read"
	PolicyWrite      Action = "admin.policy.write"
	AuditRead        Action = "admin.audit.read"
	TasksRead        Action = "admin.tasks.read"
	SharesRead       Action = "admin.shares.read"
	SharesWrite      Action = "admin.shares.write"
	SessionsWrite    Action = "admin.sessions.write"
	BackupWrite      Action = "admin.backup.write"
	DoctorRead       Action = "admin.doctor.read"
	EventsRead       Action = "admin.events.read"
	EventsWrite      Action = "admin.events.write"
)
