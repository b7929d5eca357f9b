package settings

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"pasteport/domain/settings/internal/brand"
	"pasteport/ports"
)

// Type is the kind of a setting's value.
type Type string

// The types (contract §3.6).
const (
	TextType     Type = "text"
	NumberType   Type = "number"
	BoolType     Type = "bool"
	SelectType   Type = "select"
	TextareaType Type = "textarea"
)

// Flag says how a setting may be used.
type Flag int

// The flags (contract §3.6).
const (
	Public     Flag = 0
	Private    Flag = 1 // shown to the administrator only
	ReadOnly   Flag = 2
	Deprecated Flag = 3
)

// The groups (contract §4.1). Every group but SystemGroup can be read by
// everybody, without its private settings.
const (
	GlobalGroup  = 1
	PreviewGroup = 2
	WebDAVGroup  = 3
	SiteGroup    = 4
	BackupGroup  = 5
	SystemGroup  = 99
)

// Words is a text for people in both languages of the product.
type Words struct{ ZH, EN string }

// In returns the text in a language tag such as "zh-CN"; Chinese for tags that
// start with zh, else English.
func (w Words) In(tag string) string {
	if strings.HasPrefix(strings.ToLower(tag), "zh") {
		return w.ZH
	}
	return w.EN
}

// Option is a choice of a select setting.
type Option struct {
	Value string
	Label Words
}

// Definition says what a setting means.
type Definition struct {
	Key     string
	Group   int
	Type    Type
	Sort    int
	Default string
	// Older is what a site gets that was set up before the setting, or its
	// present default, was there; empty means the default.
	Older       string
	Flag        Flag
	Description Words
	Options     []Option // of a select setting
	// Closed is what counts in place of a stored value that cannot be read: the
	// safe side of a setting that protects something. Empty means Default.
	Closed string
	// rule refuses values that convert but make no sense; nil allows all.
	rule func(value string) *ports.Error
	// always makes the rule hold for unchecked changes, too: addresses end in
	// pages, and a list of origins opens the API.
	always bool
}

// Group is a page of settings.
type Group struct {
	ID   int
	Name Words
}

// ProductName is the title of a site that has none of its own.
const ProductName = "Pasteport"

// Keys that other modules read through Values.
const (
	maxUploadSize     = "max_upload_size"
	proxySignAll      = "proxy_sign_all"
	proxySignExpires  = "proxy_sign_expires"
	proxySignEpoch    = "proxy_sign_epoch"
	shareDefaultAge   = "share_default_expiry_hours"
	shareMaxAge       = "share_max_expiry_hours"
	revisionsKept     = "text_revisions_kept"
	revisionDays      = "text_revisions_days"
	shareLogDays      = "share_log_days"
	shareLogAddress   = "share_log_address"
	expiryNotice      = "share_expiry_notice_hours"
	shareMaxViews     = "share_max_views"
	sharePassword     = "share_password_required"
	namingStrategy    = "file_naming_strategy"
	defaultUseProxy   = "default_use_proxy"
	expiredGraceDays  = "share_expired_grace_days"
	corsOrigins       = "cors_allowed_origins"
	webdavUploadMode  = "webdav_upload_mode"
	basicOverHTTP     = "basic_over_public_http"
	webdavParents     = "webdav_create_parents"
	webdavSystemFiles = "webdav_ignore_system_files"
	webdavNoRedirect  = "webdav_no_redirect_agents"
	siteTitle         = "site_title"
	officeViewers     = "preview_office_viewers"
	officeViewerURL   = "preview_office_viewer_url"
	privacyMode       = "preview_privacy_mode"
	editorMode        = "site_editor_mode"
	defaultLanguage   = "site_default_language"
	siteLogo          = "site_logo"
	siteAccent        = "site_accent"
	customHead        = "site_custom_head"
	customBody        = "site_custom_body"
	schemaVersion     = "schema_version"
	databaseReady     = "db_initialized"
	backupEvery       = "backup_every_hours"
	backupStorage     = "backup_storage"
	backupKeep        = "backup_keep"
	backupKeepDays    = "backup_keep_days"
	backupFiles       = "backup_local_files"
	previewTypePrefix = "preview_"
	previewTypeSuffix = "_types"
)

// PreviewKinds are the kinds of files that have a preview list of their own.
var PreviewKinds = []string{"text", "audio", "video", "image", "office", "document"}

// maxCustomCode bounds the custom head and body, in characters (contract §4.2).
const maxCustomCode = 100_000

// maxAgents bounds the list of clients that cannot follow redirects, in
// characters.
const maxAgents = 2000

// maxShareHours is the longest life of a share that can be set: ten years.
const maxShareHours = 10 * 365 * 24

// maxNoticeHours is the longest time before its end when a share is told of: 30 days.
const maxNoticeHours = 30 * 24

// maxRevisions is how many earlier versions of a text can be kept.
const maxRevisions = 1000

// maxShareViews is the greatest limit of views that can be set.
const maxShareViews = 1_000_000_000

// maxBackupHours is the longest time between two scheduled backups: a year.
const maxBackupHours = 365 * 24

// maxBackups is the most scheduled backups that are kept.
const maxBackups = 1000

// maxUploadBound keeps max_upload_size from overflowing as bytes: 8 TiB in MB.
const maxUploadBound = 8 << 20

var groups = []Group{
	{GlobalGroup, Words{"全局设置", "Global"}},
	{PreviewGroup, Words{"预览设置", "Preview"}},
	{WebDAVGroup, Words{"WebDAV 设置", "WebDAV"}},
	{SiteGroup, Words{"站点设置", "Site"}},
	{BackupGroup, Words{"备份设置", "Backups"}},
	{SystemGroup, Words{"系统内部设置", "System"}},
}

// registry is the whole list, by group and place (contract §4.2).
var registry = []Definition{
	{Key: maxUploadSize, Group: GlobalGroup, Type: NumberType, Sort: 1, Default: "100", rule: between(1, maxUploadBound),
		Description: Words{"单个文件的最大上传大小（MB）", "Largest upload of a single file, in MB"}},
	{Key: proxySignAll, Group: GlobalGroup, Type: BoolType, Sort: 2, Default: "true", Closed: "true",
		Description: Words{"所有代理链接都需要签名", "Every proxy link needs a signature"}},
	{Key: proxySignExpires, Group: GlobalGroup, Type: NumberType, Sort: 3, Default: "0", Closed: "3600", rule: atLeast(0),
		Description: Words{"代理签名的有效期（秒），0 表示永不过期", "Lifetime of proxy signatures in seconds; 0 means for ever"}},
	{Key: namingStrategy, Group: GlobalGroup, Type: SelectType, Sort: 4, Default: "random_suffix", Older: "overwrite",
		Description: Words{"同名文件的处理方式；分享的文件始终不会被覆盖", "What happens to files of the same name; the file of a share is never overwritten"},
		Options: []Option{
			{"overwrite", Words{"覆盖同名文件", "Overwrite"}},
			{"random_suffix", Words{"添加随机后缀", "Add a random suffix"}},
		}},
	{Key: defaultUseProxy, Group: GlobalGroup, Type: BoolType, Sort: 5, Default: "false",
		Description: Words{"新的文件分享默认经由本服务器传输", "New file shares pass through this server by default"}},
	{Key: expiredGraceDays, Group: GlobalGroup, Type: NumberType, Sort: 6, Default: "7", rule: between(0, 3650),
		Description: Words{"分享过期后，所有者仍可恢复的天数", "Days in which the owner can still prolong an expired share"}},
	{Key: corsOrigins, Group: GlobalGroup, Type: TextareaType, Sort: 7, Default: "", Flag: Private, rule: originList, always: true,
		Description: Words{"允许跨域访问的来源，以逗号分隔；留空表示不限制", "Origins that may call the API from a browser, separated by commas; empty means any"}},
	{Key: proxySignEpoch, Group: GlobalGroup, Type: NumberType, Sort: 8, Default: "0", Closed: "9007199254740992", Flag: Private, rule: atLeast(0),
		Description: Words{"代理签名的代次；增大后，之前签名的代理链接全部失效", "Generation of proxy signatures; a greater number makes all older proxy links worthless"}},
	{Key: shareDefaultAge, Group: GlobalGroup, Type: NumberType, Sort: 9, Default: "0", rule: between(0, maxShareHours),
		Description: Words{"分享表单默认的有效期（小时），0 表示永不过期", "Hours until a share expires when nothing else is chosen in the form; 0 means never"}},
	{Key: shareMaxAge, Group: GlobalGroup, Type: NumberType, Sort: 10, Default: "0", Closed: "1", rule: between(0, maxShareHours),
		Description: Words{"分享的最长有效期（小时），所有分享都必须在此时间内过期；0 表示不限制", "Longest life of a share in hours, by which every share must end; 0 means no limit"}},
	{Key: shareMaxViews, Group: GlobalGroup, Type: NumberType, Sort: 11, Default: "0", Closed: "1", rule: between(0, maxShareViews),
		Description: Words{"分享的最大查看次数，0 表示不限制", "Most views a share may have; 0 means no limit"}},
	{Key: sharePassword, Group: GlobalGroup, Type: BoolType, Sort: 12, Default: "false", Closed: "true",
		Description: Words{"所有分享都必须设置密码", "Every share needs a password"}},
	{Key: revisionsKept, Group: GlobalGroup, Type: NumberType, Sort: 13, Default: "20", Flag: Private, rule: between(0, maxRevisions),
		Description: Words{"编辑文本或挂载中的文件后保留多少个旧版本，0 表示不保留", "Earlier versions of a text, or of a file in a mount, that are kept when it is edited; 0 keeps none"}},
	{Key: revisionDays, Group: GlobalGroup, Type: NumberType, Sort: 14, Default: "90", Flag: Private, rule: between(0, 3650),
		Description: Words{"旧版本的保留天数，0 表示与文本或文件保留同样久", "Days for which earlier versions are kept; 0 means as long as the text or the file"}},
	{Key: shareLogDays, Group: GlobalGroup, Type: NumberType, Sort: 15, Default: "30", Closed: "0", Flag: Private, rule: between(0, 3650),
		Description: Words{"分享访问记录的保留天数，0 表示不记录", "Days for which the access log of shares is kept; 0 keeps none"}},
	{Key: shareLogAddress, Group: GlobalGroup, Type: SelectType, Sort: 16, Default: "network", Closed: "none", Flag: Private,
		Description: Words{"访问记录中保留的访客地址", "What the access log of shares keeps of visitors’ addresses"},
		Options: []Option{
			{"none", Words{"不保留", "Nothing"}},
			{"network", Words{"仅网络部分", "The network only"}},
			{"whole", Words{"完整地址", "All of it"}},
		}},
	{Key: expiryNotice, Group: GlobalGroup, Type: NumberType, Sort: 17, Default: "24", Flag: Private, rule: between(0, maxNoticeHours),
		Description: Words{"分享过期前多少小时发送通知，最早在有效期过半时发送；0 表示不发送", "Hours before it expires when notifications tell of a share, at most half of its life; 0 sends none"}},

	{Key: "preview_text_types", Group: PreviewGroup, Type: TextareaType, Sort: 1, rule: extensionList,
		Default:     "txt,htm,html,xml,java,properties,sql,js,md,json,conf,ini,vue,php,py,bat,yml,go,sh,c,cpp,h,hpp,tsx,vtt,srt,ass,rs,lrc,dockerfile,makefile,gitignore,license,readme",
		Description: Words{"以文本预览的扩展名，以逗号分隔", "Extensions previewed as text, separated by commas"}},
	{Key: "preview_audio_types", Group: PreviewGroup, Type: TextareaType, Sort: 2, rule: extensionList,
		Default:     "mp3,flac,ogg,m4a,wav,opus,wma",
		Description: Words{"以音频预览的扩展名，以逗号分隔", "Extensions previewed as audio, separated by commas"}},
	{Key: "preview_video_types", Group: PreviewGroup, Type: TextareaType, Sort: 3, rule: extensionList,
		Default:     "mp4,mkv,avi,mov,rmvb,webm,flv,m3u8,ts,m2ts",
		Description: Words{"以视频预览的扩展名，以逗号分隔", "Extensions previewed as video, separated by commas"}},
	{Key: "preview_image_types", Group: PreviewGroup, Type: TextareaType, Sort: 4, rule: extensionList,
		Default:     "jpg,tiff,jpeg,png,gif,bmp,svg,ico,swf,webp,avif",
		Description: Words{"以图片预览的扩展名，以逗号分隔", "Extensions previewed as images, separated by commas"}},
	{Key: "preview_office_types", Group: PreviewGroup, Type: TextareaType, Sort: 5, rule: extensionList,
		Default:     "doc,docx,xls,xlsx,ppt,pptx,rtf",
		Description: Words{"以 Office 预览的扩展名，以逗号分隔", "Extensions previewed as office documents, separated by commas"}},
	{Key: "preview_document_types", Group: PreviewGroup, Type: TextareaType, Sort: 6, rule: extensionList,
		Default:     "pdf",
		Description: Words{"以文档预览的扩展名，以逗号分隔", "Extensions previewed as documents, separated by commas"}},
	{Key: officeViewers, Group: PreviewGroup, Type: SelectType, Sort: 7, Default: "microsoft,google",
		Description: Words{"可显示 Office 文档的外部预览服务；访客同意后，文件链接会发送给它们", "Companies whose viewers may show office documents; with the visitor's consent they get a link to the file"},
		Options: []Option{
			{"microsoft,google", Words{"微软和谷歌", "Microsoft and Google"}},
			{"microsoft", Words{"仅微软", "Microsoft only"}},
			{"google", Words{"仅谷歌", "Google only"}},
			{"none", Words{"不使用", "None"}},
		}},
	{Key: officeViewerURL, Group: PreviewGroup, Type: TextType, Sort: 8, Default: "", rule: viewerTemplate, always: true,
		Description: Words{"自建 Office 预览器的地址，{url} 处填入文件链接，例如 https://office.example.com/view?src={url}", "Address of an own viewer of office documents, with {url} in the place of the file's link, such as https://office.example.com/view?src={url}"}},
	{Key: privacyMode, Group: PreviewGroup, Type: BoolType, Sort: 9, Default: "false", Closed: "true",
		Description: Words{"隐私模式：文本中来自其他网站的图片在点击后才加载", "Privacy mode: pictures from other sites in a text are loaded only after a click"}},

	{Key: webdavUploadMode, Group: WebDAVGroup, Type: SelectType, Sort: 1, Default: "direct",
		Description: Words{"WebDAV 上传方式", "How WebDAV uploads are stored"},
		Options: []Option{
			{"direct", Words{"直接上传", "Direct"}},
			{"multipart", Words{"分片上传", "In parts"}},
		}},
	{Key: basicOverHTTP, Group: WebDAVGroup, Type: BoolType, Sort: 2, Default: "false", Flag: Private,
		Description: Words{"允许公网地址通过未加密的 HTTP 使用用户名和密码登录", "Public addresses may send a name and password over plain HTTP"}},
	{Key: webdavParents, Group: WebDAVGroup, Type: BoolType, Sort: 3, Default: "false", Flag: Private,
		Description: Words{"通过 WebDAV 上传文件或新建目录时，自动创建缺失的上级目录", "Uploads and new folders over WebDAV make missing folders above them"}},
	{Key: webdavSystemFiles, Group: WebDAVGroup, Type: BoolType, Sort: 4, Default: "false", Flag: Private,
		Description: Words{"不保存文件管理器产生的系统文件（如 .DS_Store、Thumbs.db）", "System files of file managers (.DS_Store, Thumbs.db) are not stored"}},
	{Key: webdavNoRedirect, Group: WebDAVGroup, Type: TextareaType, Sort: 5, Flag: Private, rule: atMostCharacters(maxAgents),
		Default:     "Microsoft-WebDAV-MiniRedir,WebDAVFS,WebDAVLib,gvfs,Microsoft Office,neon/",
		Description: Words{"无法跟随重定向的 WebDAV 客户端（User-Agent 片段，以逗号分隔）", "WebDAV clients that cannot follow redirects (parts of User-Agent, separated by commas)"}},

	{Key: siteTitle, Group: SiteGroup, Type: TextType, Sort: 1, Default: ProductName,
		Description: Words{"站点标题", "Title of the site"}},
	{Key: "site_favicon_url", Group: SiteGroup, Type: TextType, Sort: 2, rule: iconURL, always: true,
		Description: Words{"站点图标的地址（http、https 或 data URL）", "Address of the site's icon (http, https or data URL)"}},
	{Key: "site_announcement_enabled", Group: SiteGroup, Type: BoolType, Sort: 3, Default: "false",
		Description: Words{"显示公告", "Show the announcement"}},
	{Key: "site_announcement_content", Group: SiteGroup, Type: TextareaType, Sort: 4,
		Description: Words{"公告内容（Markdown）", "Announcement (Markdown)"}},
	{Key: "site_footer_markdown", Group: SiteGroup, Type: TextareaType, Sort: 5, Default: "© " + ProductName,
		Description: Words{"页脚内容（Markdown），留空则隐藏", "Footer (Markdown); empty hides it"}},
	{Key: customHead, Group: SiteGroup, Type: TextareaType, Sort: 6, rule: atMostCharacters(maxCustomCode),
		Description: Words{"插入公开页面 head 的自定义代码，会在每位访客的浏览器中运行", "Code for the head of public pages; it runs in every visitor's browser"}},
	{Key: customBody, Group: SiteGroup, Type: TextareaType, Sort: 7, rule: atMostCharacters(maxCustomCode),
		Description: Words{"插入公开页面 body 的自定义代码，会在每位访客的浏览器中运行", "Code for the body of public pages; it runs in every visitor's browser"}},
	{Key: editorMode, Group: SiteGroup, Type: SelectType, Sort: 8, Default: "markdown",
		Description: Words{"首页编辑器的初始模式，访客仍可自行切换", "What the editor on the home page starts with; people may switch"},
		Options: []Option{
			{"markdown", Words{"Markdown", "Markdown"}},
			{"plain", Words{"纯文本", "Plain text"}},
		}},

	{Key: defaultLanguage, Group: SiteGroup, Type: SelectType, Sort: 9, Default: "en", Flag: Private,
		Description: Words{"未指明语言的客户端（如脚本）收到的应答所用的语言；浏览器使用自己的语言", "Language of answers to clients that name none, such as scripts; browsers get their own"},
		Options: []Option{
			{"en", Words{"English", "English"}},
			{"zh", Words{"中文", "中文"}},
		}},
	{Key: siteLogo, Group: SiteGroup, Type: TextareaType, Sort: 10, Flag: Private, rule: logo, always: true,
		Description: Words{"站点标志（PNG、WebP 或 SVG 的 data URL，最大 64 KB），显示在页眉与登录页", "Logo of the site for header and sign-in: a data URL of a PNG, WebP or SVG of at most 64 KB"}},
	{Key: siteAccent, Group: SiteGroup, Type: TextType, Sort: 11, Flag: Private, rule: accent, always: true,
		Description: Words{"强调色（#RRGGBB）；对比度不足时，会自动调深或调浅", "Accent colour (#RRGGBB); where its contrast is too low, a darker or lighter shade is used"}},

	{Key: backupEvery, Group: BackupGroup, Type: NumberType, Sort: 1, Default: "0", Flag: Private, rule: between(0, maxBackupHours),
		Description: Words{"自动备份的间隔（小时），0 表示不自动备份", "Hours between scheduled backups; 0 means none are made"}},
	{Key: backupStorage, Group: BackupGroup, Type: TextType, Sort: 2, Default: "", Flag: Private, rule: atMostCharacters(100),
		Description: Words{"保存备份的存储配置 ID，留空表示服务器上的备份文件夹", "Storage config that keeps the backups, by its id; empty means the backup folder of the server"}},
	{Key: backupKeep, Group: BackupGroup, Type: NumberType, Sort: 3, Default: "7", Flag: Private, rule: between(1, maxBackups),
		Description: Words{"保留的备份数量", "How many scheduled backups are kept"}},
	{Key: backupKeepDays, Group: BackupGroup, Type: NumberType, Sort: 4, Default: "0", Flag: Private, rule: between(0, 3650),
		Description: Words{"备份的保留天数，0 表示不限；最新的备份始终保留", "Days after which scheduled backups are removed; 0 means never. The newest always stays"}},
	{Key: backupFiles, Group: BackupGroup, Type: BoolType, Sort: 5, Default: "false", Flag: Private,
		Description: Words{"同时备份“本地磁盘”中的文件", "Scheduled backups include the files of “Local disk”"}},

	{Key: schemaVersion, Group: SystemGroup, Type: NumberType, Sort: 1, Default: "1", Flag: ReadOnly,
		Description: Words{"数据库结构版本", "Version of the database schema"}},
	{Key: databaseReady, Group: SystemGroup, Type: BoolType, Sort: 2, Default: "true", Flag: ReadOnly,
		Description: Words{"数据库已初始化", "The database has been set up"}},
}

// definitions finds a definition by its key.
var definitions = func() map[string]*Definition {
	byKey := make(map[string]*Definition, len(registry))
	for i := range registry {
		byKey[registry[i].Key] = &registry[i]
	}
	return byKey
}()

// Reasons for which a value is refused.
var (
	errUnknown  = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "settings.unknown"}
	errGroup    = ports.InvalidInput("settings.other_group", "key")
	errReadOnly = ports.InvalidInput("settings.read_only", "key")
	errNotANum  = ports.InvalidInput("settings.not_a_number", "value")
	errNotText  = ports.InvalidInput("settings.not_text", "value")
	errChoice   = ports.InvalidInput("settings.not_a_choice", "value")
	errIcon     = ports.InvalidInput("settings.bad_icon", "value")
	errOrigin   = ports.InvalidInput("settings.bad_origin", "value")
	errViewer   = ports.InvalidInput("settings.bad_viewer", "value")
	errLogo     = ports.InvalidInput("settings.bad_logo", "value")
	errAccent   = ports.InvalidInput("settings.bad_accent", "value")
)

// convert turns a decoded JSON value into the stored text of d.
func (d *Definition) convert(value any) (string, *ports.Error) {
	switch d.Type {
	case BoolType:
		on, ok := ports.ParseFlag(fmt.Sprint(value))
		if !ok {
			return "", ports.InvalidInput("field_type", d.Key)
		}
		return strconv.FormatBool(on), nil
	case NumberType:
		return wholeNumber(value)
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	case nil:
		return "", nil
	}
	return "", errNotText
}

// fallback is what counts in place of a stored value that cannot be used.
func (d *Definition) fallback() string { return cmp.Or(d.Closed, d.Default) }

// readable returns a stored value of d in its one form, its fallback when it has
// none.
func (d *Definition) readable(stored string) string {
	if d.Type != BoolType && d.Type != NumberType {
		return stored
	}
	text, problem := d.convert(stored)
	if problem != nil {
		return d.fallback()
	}
	return text
}

// check applies the rule of d to a converted value.
func (d *Definition) check(value string) *ports.Error {
	if d.Type == SelectType {
		for _, o := range d.Options {
			if o.Value == value {
				return nil
			}
		}
		return errChoice
	}
	if d.rule == nil {
		return nil
	}
	return d.rule(value)
}

func wholeNumber(value any) (string, *ports.Error) {
	switch v := value.(type) {
	case float64:
		if n := int64(v); float64(n) == v {
			return strconv.FormatInt(n, 10), nil
		}
	case string:
		if n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64); err == nil {
			return strconv.FormatInt(n, 10), nil
		}
	}
	return "", errNotANum
}

func between(low, high int64) func(string) *ports.Error {
	err := ports.InvalidInput("settings.out_of_range", "value").WithParams(map[string]any{"min": low, "max": high})
	return func(value string) *ports.Error {
		if n, _ := strconv.ParseInt(value, 10, 64); n < low || n > high {
			return err
		}
		return nil
	}
}

func atLeast(low int64) func(string) *ports.Error { return between(low, 1<<53) }

func atMostCharacters(n int) func(string) *ports.Error {
	err := ports.InvalidInput("settings.too_long", "value").WithParams(map[string]any{"max": n})
	return func(value string) *ports.Error {
		if len([]rune(value)) > n {
			return err
		}
		return nil
	}
}

var extension = regexp.MustCompile(`^[a-z0-9]+$`)

// extensionList wants at least one extension; empty items are passed over.
func extensionList(value string) *ports.Error {
	items := splitList(value)
	for _, item := range items {
		if !extension.MatchString(item) {
			return ports.InvalidInput("settings.bad_extension", "value").WithParams(map[string]any{"value": item})
		}
	}
	if len(items) == 0 {
		return ports.InvalidInput("settings.empty_list", "value")
	}
	return nil
}

// splitList cuts a list at commas and lines and returns its items in lower case.
func splitList(value string) []string {
	var items []string
	for _, item := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if item = strings.ToLower(strings.TrimSpace(item)); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// iconURL allows nothing, a web address, or an image inside the value.
func iconURL(value string) *ports.Error {
	if value == "" || strings.HasPrefix(value, "data:image/") {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return errIcon
	}
	return nil
}

// logo wants a picture that may be sent to strangers, or nothing.
func logo(value string) *ports.Error {
	if _, err := brand.ReadLogo(value); err != nil {
		return errLogo
	}
	return nil
}

// accent wants a colour, or nothing.
func accent(value string) *ports.Error {
	if _, ok := brand.ShadesOf(value); !ok && value != "" {
		return errAccent
	}
	return nil
}

// viewerTemplate wants an address with a place for another one, or nothing.
func viewerTemplate(value string) *ports.Error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(value, "{url}", "x"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || !strings.Contains(value, "{url}") {
		return errViewer
	}
	return nil
}

// originList wants whole origins: a scheme, a host and perhaps a port.
func originList(value string) *ports.Error {
	for _, item := range splitList(value) {
		u, err := url.Parse(item)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Scheme+"://"+u.Host != item {
			return errOrigin
		}
	}
	return nil
}
