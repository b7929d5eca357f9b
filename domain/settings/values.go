package settings

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"pasteport/domain/settings/internal/brand"
	"pasteport/ports"
)

// Values answers from memory what the operator has set. It never blocks and is
// safe for concurrent use. A truth value or number that cannot be read counts as
// its definition's Closed, else as its default.
type Values struct{ current atomic.Pointer[snapshot] }

var _ ports.Settings = (*Values)(nil)

// snapshot is one state of all settings; it is never changed.
type snapshot struct {
	rows    map[string]Setting
	numbers map[string]int64 // of every number setting
	preview map[string][]string
	origins []string
	agents  []string
	logo    brand.Logo
	shades  *brand.Shades // nil without a colour
	log     ports.ShareLog
}

// newValues returns the defaults.
func newValues() *Values {
	v := &Values{}
	v.replace(nil)
	return v
}

// replace takes over what the repository holds.
func (v *Values) replace(stored []Setting) {
	s := &snapshot{rows: make(map[string]Setting, len(registry)), numbers: map[string]int64{}, preview: map[string][]string{}}
	for _, row := range stored {
		if d := definitions[row.Key]; d != nil {
			row.Value = d.readable(row.Value)
			s.rows[row.Key] = row
		}
	}
	for key, d := range definitions {
		if d.Type == NumberType {
			s.numbers[key] = s.read(d)
		}
	}
	for _, kind := range PreviewKinds {
		s.preview[kind] = splitList(s.text(previewTypePrefix + kind + previewTypeSuffix))
	}
	s.origins = splitList(s.text(corsOrigins))
	s.agents = splitList(s.text(webdavNoRedirect))
	// One that was put into the database by other ways and cannot be read is none.
	s.logo, _ = brand.ReadLogo(s.text(siteLogo))
	if shades, ok := brand.ShadesOf(s.text(siteAccent)); ok {
		s.shades = &shades
	}
	s.log = ports.ShareLog{Age: time.Duration(s.number(shareLogDays)) * 24 * time.Hour, Address: ports.AddressPart(s.text(shareLogAddress))}
	v.current.Store(s)
}

// text returns the stored value of key, its default when there is none.
func (s *snapshot) text(key string) string {
	if row, ok := s.rows[key]; ok {
		return row.Value
	}
	return definitions[key].Default
}

// read returns the value of a number, its fallback when there is none that makes
// sense.
func (s *snapshot) read(d *Definition) int64 {
	text := s.text(d.Key)
	if d.check(text) != nil {
		text = d.fallback()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("settings: " + d.Key + " is no number") // replace lets none through
	}
	return n
}

func (s *snapshot) number(key string) int64 {
	n, known := s.numbers[key]
	if !known {
		panic("settings: " + key + " is no number")
	}
	return n
}

// Text returns the value of any setting as text, "" for an unknown key.
func (v *Values) Text(key string) string {
	if definitions[key] == nil {
		return ""
	}
	return v.current.Load().text(key)
}

func (v *Values) number(key string) int64 { return v.current.Load().number(key) }
func (v *Values) on(key string) bool      { return v.Text(key) == "true" }

// OfficeFrames are the origins of the viewers of office documents that pages
// may show, such as "https://docs.google.com".
func (v *Values) OfficeFrames() []string {
	var origins []string
	for viewer := range strings.SplitSeq(v.Text(officeViewers), ",") {
		if origin, ok := officeOrigins[viewer]; ok {
			origins = append(origins, origin)
		}
	}
	if u, err := url.Parse(strings.ReplaceAll(v.Text(officeViewerURL), "{url}", "x")); err == nil && u.Host != "" {
		origins = append(origins, u.Scheme+"://"+u.Host)
	}
	return origins
}

// officeOrigins are where the viewers of companies live.
var officeOrigins = map[string]string{"microsoft": "https://view.officeapps.live.com", "google": "https://docs.google.com"}

// MaxUploadSize is the largest upload, in bytes.
func (v *Values) MaxUploadSize() int64 { return v.number(maxUploadSize) << 20 }

// DefaultUseProxy says whether new file shares go through this server.
func (v *Values) DefaultUseProxy() bool { return v.on(defaultUseProxy) }

// RandomSuffix says whether stored names get a suffix instead of overwriting.
func (v *Values) RandomSuffix() bool { return v.Text(namingStrategy) == "random_suffix" }

// PreviewTypes returns a copy of the extensions of one kind.
func (v *Values) PreviewTypes(kind string) []string {
	return slices.Clone(v.current.Load().preview[kind])
}

// ExpiredGrace is how long an expired share stays recoverable for its owner.
func (v *Values) ExpiredGrace() time.Duration {
	return time.Duration(v.number(expiredGraceDays)) * 24 * time.Hour
}

// ShareLimits are what every new or changed share must keep.
func (v *Values) ShareLimits() ports.ShareLimits {
	return ports.ShareLimits{MaxAge: time.Duration(v.number(shareMaxAge)) * time.Hour, MaxViews: v.number(shareMaxViews), Password: v.on(sharePassword)}
}

// Revisions says which earlier contents of texts are kept.
func (v *Values) Revisions() ports.Revisions {
	return ports.Revisions{Kept: int(v.number(revisionsKept)), Age: time.Duration(v.number(revisionDays)) * 24 * time.Hour}
}

// ExpiryNotice is how long before its end a share is told of; 0 means never.
func (v *Values) ExpiryNotice() time.Duration {
	return time.Duration(v.number(expiryNotice)) * time.Hour
}

// ShareLog says what is kept of those who open shares.
func (v *Values) ShareLog() ports.ShareLog { return v.current.Load().log }

// ShareDefaultAge is what the share form starts with as the life of a share;
// zero means for ever. It is never longer than a share may live.
func (v *Values) ShareDefaultAge() time.Duration {
	age, most := time.Duration(v.number(shareDefaultAge))*time.Hour, v.ShareLimits().MaxAge
	if most > 0 && (age == 0 || age > most) {
		return most
	}
	return age
}

// PrivacyMode says that pages load pictures of other sites only on request.
func (v *Values) PrivacyMode() bool { return v.on(privacyMode) }

// EditorMode is what the editor of the home page starts with: "markdown" or
// "plain".
func (v *Values) EditorMode() string { return v.Text(editorMode) }

// DefaultLanguage is the language of answers to who names none: "en" or "zh".
func (v *Values) DefaultLanguage() string { return v.Text(defaultLanguage) }

// SiteTitle is the title of the site, never empty.
func (v *Values) SiteTitle() string {
	if title := v.Text(siteTitle); title != "" {
		return title
	}
	return ProductName
}

// Logo is the site's logo with its media type, safe to be sent to strangers;
// empty when there is none. The caller must not change the slice.
func (v *Values) Logo() (mediaType string, data []byte) {
	logo := v.current.Load().logo
	return logo.Type, logo.Data
}

// Accent is the site's colour as the two themes show it, and the colours of text
// on it; nil when it has none of its own.
func (v *Values) Accent() *brand.Shades { return v.current.Load().shades }

// CORSOrigins are the origins that may call the API from a browser. Empty
// means any. The caller must not change the slice.
func (v *Values) CORSOrigins() []string { return v.current.Load().origins }

// BasicOverPublicHTTP says whether public addresses may send Basic
// credentials over plain HTTP (decision 11).
func (v *Values) BasicOverPublicHTTP() bool { return v.on(basicOverHTTP) }

// ProxySignAll says whether every proxy link needs a signature.
func (v *Values) ProxySignAll() bool { return v.on(proxySignAll) }

// ProxySignExpires is the lifetime of proxy signatures; zero means for ever.
func (v *Values) ProxySignExpires() time.Duration {
	return time.Duration(min(v.number(proxySignExpires), 1<<32)) * time.Second
}

// ProxySignEpoch is the generation of proxy signatures; older ones are
// worthless, and 0 is that of the predecessor.
func (v *Values) ProxySignEpoch() int64 { return v.number(proxySignEpoch) }

// WebDAVCreateParents says that PUT and MKCOL make missing folders.
func (v *Values) WebDAVCreateParents() bool { return v.on(webdavParents) }

// WebDAVIgnoreSystemFiles says that files which file managers scatter are not
// stored.
func (v *Values) WebDAVIgnoreSystemFiles() bool { return v.on(webdavSystemFiles) }

// WebDAVNoRedirectAgents are parts of the User-Agent of clients that cannot
// follow redirects. The caller must not change the slice.
func (v *Values) WebDAVNoRedirectAgents() []string { return v.current.Load().agents }

// WebDAVUploadMode is "direct" or "multipart".
func (v *Values) WebDAVUploadMode() string { return v.Text(webdavUploadMode) }

// BackupPlan is when and where backups are made by themselves.
func (v *Values) BackupPlan() ports.BackupPlan {
	return ports.BackupPlan{
		Every: time.Duration(v.number(backupEvery)) * time.Hour, Storage: v.Text(backupStorage), Keep: int(v.number(backupKeep)),
		MaxAge: time.Duration(v.number(backupKeepDays)) * 24 * time.Hour, Files: v.on(backupFiles),
	}
}
