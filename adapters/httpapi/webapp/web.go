package webapp

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/ports"
)

// Options are the built web UI and what its pages must know.
type Options struct {
	Files   fs.FS  // the built files; index.html at the top; required
	Version string // of the program
	// SourceURL is where the program's source lies, for the link in the
	// header; empty means no link.
	SourceURL string
	// Tracing says that the server records traces, so that pages name theirs.
	Tracing bool
	// Storages lists the schemes by which pages reach storages on other hosts,
	// "https:" and "http:"; nil means that there are none. Hosts are not named:
	// anybody can read the header of a page.
	Storages func() []string
	// Site gives the site's title and the address of its icon; nil or empty
	// texts mean the built-in ones.
	Site func() (title, icon string)
	// Brand gives the logo and the colour of the site; nil means that it has
	// none of its own.
	Brand func() Brand
	// Rules gives what the administrator has decided for the pages; nil means
	// nothing.
	Rules func() PageRules
	// Code gives the administrator's own HTML for the head and the body of
	// public pages; nil means none.
	Code func() (head, body string)
	// Frames lists the origins of viewers that pages may show in frames; nil
	// means none.
	Frames func() []string
	// Peek describes a share for previews of its link in chats. kind is the name
	// of a page of shares. It takes no view and says ok only for shares that are
	// open to everybody without a password, and not before their last view. Pages
	// of shares that it does not find, or whose end it reports, say so by their
	// status. nil: nothing is told of shares.
	Peek func(ctx context.Context, kind, slug string) (preview SharePreview, ok bool, err error)
}

// SharePreview is what chats and pages are told of a share that is open to
// everybody.
type SharePreview struct {
	Title       string
	Description string
	// Markdown says that the share will probably be shown as Markdown, so that
	// pages fetch at once what that needs.
	Markdown bool
	// Counted says that the share has a view limit.
	Counted bool
	// Picture says that the share is a picture that chats may show.
	Picture bool
}

// Brand is what the operator dresses the pages in. Its parts may be missing.
type Brand struct {
	// Logo is a picture that runs nothing, of the media type LogoType.
	Logo     []byte
	LogoType string
	// Accent are the site's colours; nil means the built-in ones.
	Accent *Accent
}

// Accent is a colour for either theme with the colour of text on it, each
// "#RRGGBB".
type Accent struct {
	Light   string `json:"light"`
	OnLight string `json:"onLight"`
	Dark    string `json:"dark"`
	OnDark  string `json:"onDark"`
}

// PageRules are decisions of the administrator that pages know from the start.
type PageRules struct {
	// EditorMode is what the editor of the home page starts with.
	EditorMode string `json:"editorMode,omitempty"`
	// Privacy keeps pictures of other sites away until they are asked for.
	Privacy bool `json:"privacy,omitempty"`
	// DefaultHours and MaxHours are what a share form starts with and the most
	// it may ask for; 0 means for ever and no limit.
	DefaultHours int64 `json:"defaultHours,omitempty"`
	MaxHours     int64 `json:"maxHours,omitempty"`
	// MaxViews is the most a share form may ask for; 0 means no limit.
	MaxViews int64 `json:"maxViews,omitempty"`
	// Password says that every share needs one.
	Password bool `json:"password,omitempty"`
}

// Web serves the built web UI.
type Web struct {
	opts   Options
	shell  string            // index.html
	pages  []page            // the first that fits an address is the one
	assets map[string]*asset // by name; the shell is none
	code   atomic.Pointer[customCode]
}

// New reads the shell and the build's list of pages. Without them, as before the
// web UI was built, every page says how to build it.
func New(opts Options) (*Web, error) {
	web := &Web{opts: opts, shell: unbuilt}
	var err error
	if web.assets, err = findAssets(opts.Files); err != nil {
		return nil, fmt.Errorf("list the files of the web UI: %w", err)
	}
	shell, err := fs.ReadFile(opts.Files, "index.html")
	list := web.assets[".vite/pages.json"]
	if err != nil || list == nil {
		web.assets = nil
		return web, nil
	}
	web.shell = string(shell)
	data, err := list.plain()
	if err == nil {
		err = json.Unmarshal(data, &web.pages)
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of pages of the web UI: %w", err)
	}
	return web, nil
}

const unbuilt = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pasteport</title><!--pp-head--></head>` +
	`<body><p>The web UI has not been built. Run "make build", then start the server again.</p></body></html>`

// page is a kind of page, as the build lists them (webui/scripts/pages.mjs, from
// webui/src/pages.json).
type page struct {
	Name string // the server knows "paste", "file", "collection", "request" and "admin"; "missing" is any other address
	Path string // "/upload", "/paste/:slug", "/admin/*?"
	// Files are what it loads first, by language; Markdown is that of a text
	// shown so. First is what draws such a text before the app is there; its own
	// script leads.
	Files, Markdown, First map[string][]string
}

// missing is the page of unknown addresses.
const missing = "missing"

// sharePages are the pages whose address is a secret and leads to a share.
var sharePages = map[string]bool{"paste": true, "file": true, "collection": true, "request": true}

// slugIn returns the slug of an address of this page, if the page has one.
func (p page) slugIn(address string) (slug string, ok bool) {
	if address != "/" {
		address = strings.TrimSuffix(address, "/")
	}
	want, got := strings.Split(p.Path, "/"), strings.Split(address, "/")
	for i, part := range want {
		switch {
		case part == "*?":
			return slug, true
		case i == len(got):
			return "", false
		case strings.HasPrefix(part, ":") && got[i] != "":
			slug = got[i]
		case part != got[i]:
			return "", false
		}
	}
	return slug, len(got) == len(want)
}

// pageOf says which page lies at an address, and of which share.
func (web *Web) pageOf(address string) (at page, slug string) {
	if address == "/index.html" {
		address = "/"
	}
	for _, p := range web.pages {
		if slug, ok := p.slugIn(address); ok {
			return p, slug
		}
	}
	return page{}, ""
}

// ServePage answers everything outside the API: files of the build, a few
// generated ones, and the shell for every page.
func (web *Web) ServePage(w http.ResponseWriter, r *http.Request, p string) error {
	scope := httpapi.ScopeOf(r.Context())
	h := w.Header()
	if r.Method == http.MethodPost && p == shareTargetPath {
		h["Location"] = []string{scope.Base() + "/"}
		scope.Answer(http.StatusSeeOther, nil)
		return nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return httpapi.ErrNoRoute
	}
	h["X-Content-Type-Options"] = content.Nosniff
	if scope.PublicTLS() {
		h["Strict-Transport-Security"] = []string{"max-age=31536000"}
	}
	switch {
	case p == "":
		// From the base path without a slash to the one with it.
		h["Location"] = []string{scope.Base() + "/"}
		scope.Answer(http.StatusPermanentRedirect, nil)
	case p == "/config.js":
		return configScript(scope)
	case p == "/manifest.webmanifest":
		return web.serveManifest(scope)
	case web.assets[p[1:]] != nil && !strings.HasPrefix(p, "/."):
		return web.serveAsset(w, scope, p[1:])
	case p == logoPath:
		return web.serveLogo(scope)
	case p == "/favicon.ico":
		// Browsers ask for it unasked; the pages name their icon themselves.
		h["Location"] = []string{scope.Base() + "/icon.svg"}
		h["Cache-Control"] = content.NoCache
		scope.Answer(http.StatusFound, nil)
	case p == "/robots.txt":
		h["Content-Type"] = content.PlainText
		h["Cache-Control"] = content.NoCache
		// Bots that show links keep to this file: the picture that og:image names is there for them.
		scope.Answer(http.StatusOK, []byte("User-agent: *\nAllow: "+scope.Base()+"/api/file-view/\nDisallow: "+scope.Base()+"/api/\nDisallow: "+scope.Base()+"/admin\n"))
	case strings.HasPrefix(p, "/assets/"):
		return httpapi.ErrNoRoute
	default:
		return web.serveShell(scope, p)
	}
	return nil
}

// configScript tells old web clients where the API is (contract §1.1).
func configScript(scope httpapi.Scope) error {
	config, err := json.Marshal(map[string]string{"backendUrl": scope.Origin()})
	if err != nil {
		return err
	}
	h := scope.Header()
	h["Content-Type"] = []string{"text/javascript; charset=utf-8"}
	h["Cache-Control"] = content.NoStore
	scope.Answer(http.StatusOK, []byte("window.appConfig = "+string(config)+";\n"))
	return nil
}

// site is the site's title, never empty, and the address of its icon.
func (web *Web) site() (title, icon string) {
	if web.opts.Site != nil {
		title, icon = web.opts.Site()
	}
	if title == "" {
		title = "Pasteport"
	}
	return title, icon
}

// configElement is the place of the page's configuration in the shell.
var configElement = regexp.MustCompile(`(<script type="application/json" id="pp-config"[^>]*>)\s*\{\}\s*(</script>)`)

// serveShell answers with the page of the app: 200 for pages it knows, 404
// with the same page else (decision 7). The page of a share that is not there or has
// ended has the status of the call that opens it, and shows that.
func (web *Web) serveShell(scope httpapi.Scope, p string) error {
	here, slug := web.pageOf(p)
	kind := here.Name
	nonce := newNonce()
	// A slip in the code must lock nobody out: the panel is without it, and so
	// is any page that is asked for so.
	code := web.customCode()
	if scope.Request().URL.Query().Get("safe") == "1" {
		code = nil
	}
	own := code
	if kind == "admin" {
		own = nil
	}
	web.pageHeaders(scope, kind, nonce, own)
	status := http.StatusOK
	if kind == missing {
		status = http.StatusNotFound
	}
	title, icon := web.site()
	var preview SharePreview
	open, files, openShare, err := false, here.Files, "", error(nil)
	var ahead []string
	isShare := kind == "paste" || kind == "file"
	if sharePages[kind] && slug != "" && web.opts.Peek != nil {
		if preview, open, err = web.opts.Peek(scope.Request().Context(), kind, slug); open && kind == "paste" && !preview.Counted {
			openShare = kind + "/" + slug
		}
		switch ports.CodeOf(err) {
		case ports.NotFound:
			status = http.StatusNotFound
		case ports.Gone:
			status = http.StatusGone
		}
		if preview.Markdown && here.Markdown != nil {
			files = here.Markdown
			if openShare != "" {
				ahead = here.First[scope.Language()]
			}
		}
	}
	brand := web.brand()
	rules := PageRules{}
	if web.opts.Rules != nil {
		rules = web.opts.Rules()
	}
	config, err := json.Marshal(pageConfig{Rules: rules, OpenShare: openShare, BasePath: scope.Base(), APIBase: scope.Base() + "/api", Version: web.opts.Version, SiteTitle: title, FaviconURL: icon, SourceURL: web.opts.SourceURL, Tracing: web.opts.Tracing, CustomCode: code != nil, LogoURL: logoURL(scope.Base(), brand), Accent: brand.Accent})
	if err != nil {
		return err
	}
	page, head := title, ""
	if open && preview.Title != title {
		page = preview.Title + " - " + title
	}
	if open {
		head = description(preview.Title, preview.Description)
		if preview.Picture {
			head += `<meta property="og:image" content="` + html.EscapeString(scope.Origin()+"/api/file-view/"+slug) + `"><meta name="twitter:card" content="summary_large_image">` + "\n"
		}
	}
	shell := configElement.ReplaceAllStringFunc(web.shell, func(element string) string {
		parts := configElement.FindStringSubmatch(element)
		return parts[1] + string(config) + parts[2]
	})
	if len(ahead) > 0 {
		shell = later(shell, ahead)
	}
	shell = strings.NewReplacer(
		"__CSP_NONCE__", nonce,
		`="./`, `="`+scope.Base()+`/`,
		"<!--pp-head-->", head+web.aheadLines(scope.Base(), ahead, nonce),
		// After the shell's own scripts, of which one is the largest of all.
		"</head>", colours(brand.Accent, nonce)+web.preloadLines(scope.Base(), files[scope.Language()], ahead, nonce)+"</head>",
		"<title>Pasteport</title>", "<title>"+html.EscapeString(page)+"</title>",
	).Replace(shell)
	if isShare && slug != "" {
		shell = noScript.ReplaceAllLiteralString(shell, withoutScript(scope.Base(), kind, slug, preview.Title, preview.Description, scope.Request().URL.Query().Has("refused")))
	}
	if own != nil {
		shell = own.into(shell, nonce)
	}
	scope.Header()["Content-Type"] = []string{"text/html; charset=utf-8"}
	scope.Answer(status, []byte(shell))
	return nil
}

// pageConfig is what the page reads from its element pp-config. encoding/json
// escapes "<", ">" and "&", which makes it safe inside the element.
type pageConfig struct {
	BasePath   string `json:"basePath"`
	APIBase    string `json:"apiBase"`
	Version    string `json:"version"`
	SiteTitle  string `json:"siteTitle"`
	FaviconURL string `json:"faviconUrl,omitempty"`
	SourceURL  string `json:"sourceUrl,omitempty"`
	Tracing    bool   `json:"tracing,omitempty"`
	// LogoURL and Accent are the site's own.
	LogoURL string  `json:"logoUrl,omitempty"`
	Accent  *Accent `json:"accent,omitempty"`
	// CustomCode says that public pages carry the administrator's code.
	CustomCode bool      `json:"customCode,omitempty"`
	Rules      PageRules `json:"rules"`
	// OpenShare is the page's paste, "paste/" and its slug, when anybody may
	// open it as often as they like; pages need not ask then. A browser may
	// show an older page again, when a counted paste is before its last view.
	OpenShare string `json:"openShare,omitempty"`
}

// noScript is what the shell says to browsers without scripts.
var noScript = regexp.MustCompile(`(?s)<noscript>.*?</noscript>`)

// withoutScript is a share for browsers without scripts: its name where that
// is no secret, and the way to its bytes. A password goes in the body of a form, since
// addresses stand in logs and histories; refused says that one was wrong.
func withoutScript(base, kind, slug, name, about string, refused bool) string {
	at, verb := base+"/api/raw/", "Open · 打开"
	if kind == "file" {
		at, verb = base+"/api/file-download/", "Download · 下载"
	}
	at = html.EscapeString(at + url.PathEscape(slug))
	if name != "" {
		return `<noscript><main><h1>` + html.EscapeString(name) + `</h1><p>` + html.EscapeString(about) + `</p><p><a href="` + at + `">` + verb + `</a></p></main></noscript>`
	}
	wrong := ""
	if refused {
		wrong = `<p role="alert">Wrong password · 密码错误</p>`
	}
	return `<noscript><main><form method="post" action="` + at + `">` + wrong + `<p><label>Password, if there is one · 密码（如有）<br><input type="password" name="password" autocomplete="off"></label></p><p><button>` +
		verb + `</button></p></form></main></noscript>`
}

// pageHeaders are the security headers of pages (security rules 4.16, decision
// 27). Share links are secrets: nobody is told where a visitor came from, and
// nobody indexes them (decision 62).
func (web *Web) pageHeaders(scope httpapi.Scope, kind, nonce string, code *customCode) {
	h, storages, talk, frames := scope.Header(), "", "", ""
	if web.opts.Storages != nil {
		for _, scheme := range web.opts.Storages() {
			storages += " " + scheme
		}
	}
	if code != nil && len(code.origins) > 0 {
		talk = " " + strings.Join(code.origins, " ")
	}
	if web.opts.Frames != nil {
		for _, origin := range web.opts.Frames() {
			if originForm.MatchString(origin) {
				frames += " " + origin
			}
		}
	}
	h["Content-Security-Policy"] = []string{"default-src 'self'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self' 'nonce-" + nonce +
		"'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob: https:" + strings.ReplaceAll(storages, " https:", "") + "; media-src 'self' blob:" + storages +
		"; connect-src 'self'" + storages + talk + "; font-src 'self' data:; worker-src 'self' blob:; " +
		"frame-src 'self' blob:" + frames + "; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"}
	h["Cache-Control"] = content.NoCache
	h["Referrer-Policy"] = content.SameOrigin
	if trustworthy(scope.Origin()) {
		h["Cross-Origin-Opener-Policy"] = content.SameOrigin
	}
	h["Permissions-Policy"] = permissions
	if sharePages[kind] {
		h["Referrer-Policy"] = content.NoReferrer
		h["X-Robots-Tag"] = content.NoIndex
	}
}

// trustworthy reports whether browsers heed an opener policy of the origin:
// over https and on the machine itself. Elsewhere they only complain of it.
func trustworthy(origin string) bool {
	host, plain := strings.CutPrefix(origin, "http://")
	if !plain {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || (err == nil && address.IsLoopback())
}

// originForm keeps anything but an origin out of the policy header.
var originForm = regexp.MustCompile(`^https?://[A-Za-z0-9.*_-]+(\[[0-9A-Fa-f:]+\])?(:[0-9]{1,5})?$`)

var permissions = []string{"accelerometer=(), autoplay=(self), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), clipboard-write=(self), fullscreen=(self)"}

// moduleElement is a script of the shell or its preload.
var moduleElement = regexp.MustCompile(`<(?:script type="module"|link rel="modulepreload") crossorigin (?:src|href)="\./([^"]+)"`)

const lowPriority = ` fetchpriority="low"`

// later lets the shell's own scripts come after those that are ahead.
func later(shell string, ahead []string) string {
	return moduleElement.ReplaceAllStringFunc(shell, func(element string) string {
		if slices.Contains(ahead, moduleElement.FindStringSubmatch(element)[1]) {
			return element
		}
		return element + lowPriority
	})
}

// aheadLines are the elements of what draws a text before the app is there, in
// the order in which it is fetched: styles, what the script imports, the script.
func (web *Web) aheadLines(base string, files []string, nonce string) string {
	if len(files) == 0 {
		return ""
	}
	var styles, scripts strings.Builder
	for _, file := range files[1:] {
		at := base + "/" + html.EscapeString(file)
		switch {
		case !strings.HasSuffix(file, ".css"):
			fmt.Fprintf(&scripts, `<link rel="modulepreload" crossorigin href="%s" nonce="%s">`+"\n", at, nonce)
		case strings.Contains(web.shell, file):
			// The shell names it further down.
			fmt.Fprintf(&styles, `<link rel="preload" as="style" crossorigin href="%s">`+"\n", at)
		default:
			fmt.Fprintf(&styles, `<link rel="stylesheet" crossorigin href="%s" nonce="%s">`+"\n", at, nonce)
		}
	}
	fmt.Fprintf(&scripts, `<script type="module" async crossorigin src="%s/%s" nonce="%s"></script>`+"\n", base, html.EscapeString(files[0]), nonce)
	return styles.String() + scripts.String()
}

// preloadLines are the link elements of what the page will load first, behind
// what is ahead.
func (web *Web) preloadLines(base string, files, ahead []string, nonce string) string {
	var b strings.Builder
	priority := ""
	if len(ahead) > 0 {
		priority = lowPriority
	}
	for _, file := range files {
		// What the shell names itself needs no second line.
		if strings.Contains(web.shell, file) || slices.Contains(ahead, file) {
			continue
		}
		if strings.HasSuffix(file, ".css") {
			fmt.Fprintf(&b, `<link rel="preload" as="style" crossorigin href="%s/%s"%s>`, base, html.EscapeString(file), priority)
		} else {
			fmt.Fprintf(&b, `<link rel="modulepreload" crossorigin href="%s/%s" nonce="%s"%s>`, base, html.EscapeString(file), nonce, priority)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// description are the elements that chats read for a preview of the link.
func description(title, about string) string {
	const most = 200 // characters
	if r := []rune(about); len(r) > most {
		about = string(r[:most]) + "…"
	}
	t, d := html.EscapeString(title), html.EscapeString(about)
	return `<meta name="description" content="` + d + `"><meta property="og:title" content="` + t +
		`"><meta property="og:description" content="` + d + `"><meta property="og:type" content="website">` + "\n"
}

// newNonce is fresh for each page.
func newNonce() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(raw[:])
}
