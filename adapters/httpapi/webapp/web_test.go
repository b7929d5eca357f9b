package webapp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

const testShell = `<!doctype html>
<html><head><title>Pasteport</title>
<link rel="icon" href="./icon.svg" />
<!--pp-head-->
<script type="application/json" id="pp-config" nonce="__CSP_NONCE__">
  {}
</script>
<script type="module" crossorigin src="./assets/index-1.js" nonce="__CSP_NONCE__"></script>
</head><body></body></html>`

const testPages = `[
{"name":"home","path":"/","files":{"en":["assets/index-1.js","assets/en-1.js"],"zh":["assets/index-1.js","assets/zh-1.js"]}},
{"name":"upload","path":"/upload","files":{}},
{"name":"paste","path":"/paste/:slug",
 "files":{"en":["assets/index-1.js","assets/shared-1.js","assets/en-1.js","assets/paste-1.js","assets/paste-1.css","assets/en-paste-1.js"]},
 "markdown":{"en":["assets/index-1.js","assets/markdown-1.js","assets/late-1.js"]},
 "first":{"en":["assets/first-1.js","assets/markdown-1.js","assets/first-1.css"]}},
{"name":"file","path":"/file/:slug","files":{}},
{"name":"explorer","path":"/mount-explorer/*?","files":{}},
{"name":"admin","path":"/admin/*?","files":{}},
{"name":"missing","path":"/*?","files":{}}]`

func webFiles() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{
		"index.html": file(testShell), ".vite/pages.json": file(testPages), "icon.svg": file("<svg/>"), "sw.js": file("worker"),
		"assets/index-1.js.br": file(brotlied("plain")), "assets/broken-1.js.br": file("no brotli"),
		"assets/font-1.woff2": file("font"), ".gitkeep": file(""),
	}
}

// brotlied packs a file as the build does.
func brotlied(text string) string {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.String()
}

// gunzip unpacks a body.
func gunzip(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// webFrame is the edge with pages and no operations.
type webFrame struct {
	*httpapi.API
	edgetest.Client
}

func newWebFrame(t *testing.T, change func(*httpapi.Options, *Options)) *webFrame {
	t.Helper()
	o, w := httpapi.Options{Auth: &edgetest.Auth{}, Language: edgetest.InChinese}, Options{Files: webFiles(), Version: "0.1.0"}
	if change != nil {
		change(&o, &w)
	}
	web, err := New(w)
	if err != nil {
		t.Fatal(err)
	}
	o.Pages = web
	a := httpapi.New(o)
	return &webFrame{a, edgetest.Client{Handler: a, T: t, Own: true}}
}

func TestPagesAndTheirStatuses(t *testing.T) {
	f := newWebFrame(t, nil)
	for target, want := range map[string]int{
		"/": 200, "/index.html": 200, "/upload": 200, "/paste/abc": 200, "/paste/abc/": 200, "/file/abc": 200, "/admin": 200, "/admin/settings/site": 200,
		"/mount-explorer": 200, "/mount-explorer/a/b": 200, "/admin/": 200,
		"/nothing": 404, "/paste": 404, "/paste/a/b": 404, "/upload/x": 404, "/administrator": 404,
	} {
		a := f.Call("GET", target, "")
		if a.Result().StatusCode != want || !strings.Contains(a.Body.String(), "pp-config") {
			t.Errorf("%s: %d", target, a.Result().StatusCode)
		}
	}
	if a := f.Call("POST", "/paste/abc", "x"); a.Result().StatusCode != 404 || a.Error != "not_found" {
		t.Errorf("POST to a page: %d %s", a.Result().StatusCode, a.Body)
	}
	if a := f.Call("HEAD", "/", ""); a.Result().StatusCode != 200 || a.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", a.Result().StatusCode, a.Body.Len())
	}
}

func TestPagesCarryAFreshNonceAndTheirConfiguration(t *testing.T) {
	rules := PageRules{EditorMode: "plain", Privacy: true, DefaultHours: 24, MaxHours: 48, MaxViews: 9, Password: true}
	f := newWebFrame(t, func(o *httpapi.Options, w *Options) {
		o.PublicURL = "https://example.com/pp"
		w.Storages = func() []string { return []string{"https:"} }
		w.Rules = func() PageRules { return rules }
		w.Site = func() (string, string) { return `Our </script><b>"site"`, "data:image/png;base64,AA" }
	})
	nonces := map[string]bool{}
	for range 3 {
		a := f.Call("GET", "/pp/upload", "")
		csp := a.Header().Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`script-src 'self' 'nonce-([A-Za-z0-9_-]{22})'`).FindStringSubmatch(csp)
		if nonce == nil || nonces[nonce[1]] {
			t.Fatalf("CSP %q", csp)
		}
		nonces[nonce[1]] = true
		body := a.Body.String()
		if strings.Contains(body, "__CSP_NONCE__") || strings.Count(body, `nonce="`+nonce[1]+`"`) < 2 {
			t.Errorf("the nonce is not in the page: %s", body)
		}
		for _, want := range []string{"connect-src 'self' https:;", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("the CSP lacks %q: %s", want, csp)
			}
		}
		if strings.Contains(csp, "unsafe-inline' '") || strings.Contains(csp, "javascript") {
			t.Errorf("CSP %q", csp)
		}
		for _, want := range []string{`href="/pp/icon.svg"`, `src="/pp/assets/index-1.js"`, `<title>Our &lt;/script&gt;&lt;b&gt;&#34;site&#34;</title>`} {
			if !strings.Contains(body, want) {
				t.Errorf("the page lacks %s: %s", want, body)
			}
		}
		m := regexp.MustCompile(`(?s)id="pp-config"[^>]*>(.*?)</script>`).FindStringSubmatch(body)
		var config pageConfig
		if err := json.Unmarshal([]byte(m[1]), &config); err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		if want := (pageConfig{BasePath: "/pp", APIBase: "/pp/api", Version: "0.1.0", SiteTitle: `Our </script><b>"site"`, FaviconURL: "data:image/png;base64,AA", Rules: rules}); config != want {
			t.Errorf("configuration %+v", config)
		}
	}
	h := f.Call("GET", "/pp/", "").Header()
	for name, want := range map[string]string{"Strict-Transport-Security": "max-age=31536000", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "same-origin", "Cache-Control": "no-cache", "X-Robots-Tag": ""} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if a := f.Call("GET", "/pp", ""); a.Result().StatusCode != 308 || a.Header().Get("Location") != "/pp/" {
		t.Errorf("/pp: %d %q", a.Result().StatusCode, a.Header().Get("Location"))
	}
	if a := f.Call("GET", "/", ""); a.Result().StatusCode != 404 {
		t.Errorf("outside the base path: %d", a.Result().StatusCode)
	}
}

func TestSharePagesAreNotIndexed(t *testing.T) {
	f := newWebFrame(t, nil)
	for _, target := range []string{"/paste/abc", "/file/abc"} {
		h := f.Call("GET", target, "").Header()
		if h.Get("X-Robots-Tag") != "noindex" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", target, h)
		}
	}
}

func TestPreviewsTellOnlyWhatThePeekTells(t *testing.T) {
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Peek = func(_ context.Context, kind, slug string) (SharePreview, bool, error) {
			if slug == "locked" {
				return SharePreview{}, false, nil
			}
			return SharePreview{Title: `"><script>` + kind, Description: "about " + slug, Markdown: true, Counted: slug == "counted"}, true, nil
		}
	})
	body := f.Call("GET", "/paste/open", "").Body.String()
	if !strings.Contains(body, `content="about open"`) || !strings.Contains(body, "&lt;script&gt;paste - Pasteport</title>") || strings.Contains(body, "<script>paste") ||
		!strings.Contains(body, `"openShare":"paste/open"`) {
		t.Errorf("%s", body)
	}
	if body := f.Call("GET", "/paste/counted", "").Body.String(); !strings.Contains(body, `content="about counted"`) || strings.Contains(body, "openShare") {
		t.Errorf("%s", body)
	}
	if body := f.Call("GET", "/paste/locked", "").Body.String(); strings.Contains(body, "about") || strings.Contains(body, "openShare") || !strings.Contains(body, "<title>Pasteport</title>") {
		t.Errorf("%s", body)
	}
}

// The page of a share tells crawlers what the call that opens the share tells.
func TestPagesOfSharesThatAreGoneSaySo(t *testing.T) {
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Peek = func(_ context.Context, kind, slug string) (SharePreview, bool, error) {
			switch slug {
			case "nosuch":
				return SharePreview{}, false, &ports.Error{Code: ports.NotFound, Key: "not_found"}
			case "ended":
				return SharePreview{}, false, &ports.Error{Code: ports.Gone, Key: "expired"}
			case "busy":
				return SharePreview{}, false, &ports.Error{Code: ports.RateLimited, Key: "rate_limited"}
			}
			return SharePreview{}, false, nil
		}
	})
	for _, page := range []string{"/paste/", "/file/"} {
		for slug, want := range map[string]int{"nosuch": 404, "ended": 410, "busy": 200, "locked": 200} {
			a := f.Call("GET", page+slug, "")
			if a.Result().StatusCode != want || !strings.Contains(a.Body.String(), `id="pp-config"`) || a.Header().Get("Cache-Control") != "no-cache" {
				t.Errorf("%s%s: %d %s", page, slug, a.Result().StatusCode, a.Body)
			}
			if h := f.Call("HEAD", page+slug, ""); h.Result().StatusCode != want || h.Body.Len() > 0 {
				t.Errorf("HEAD %s%s: %d, %d bytes", page, slug, h.Result().StatusCode, h.Body.Len())
			}
		}
	}
}

// Who guesses links by their pages counts as who guesses them by calls.
func TestPagesOfSharesTellWhoAsks(t *testing.T) {
	var asked policy.Call
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Peek = func(ctx context.Context, _, _ string) (SharePreview, bool, error) {
			asked = *policy.CallFrom(ctx)
			return SharePreview{}, false, nil
		}
	})
	if f.Call("GET", "/paste/nosuch", ""); asked.ClientIP == "" || asked.Method != "GET" || asked.RequestID == "" {
		t.Errorf("got %+v", asked)
	}
}

// shareStub answers Peek with itself.
type shareStub shares.Peek

func (s shareStub) Peek(context.Context, policy.Principal, string) (shares.Peek, error) {
	return shares.Peek(s), nil
}

func TestChatsAreToldOfOpenSharesOnly(t *testing.T) {
	const start = "# Harbour *log*\n\n- see [the pier](https://example.org/x)\n\n```go\nmain()\n```\n"
	for name, c := range map[string]struct {
		kind string
		is   shares.Peek
		want SharePreview
		told bool
	}{
		"an open text":             {"paste", shares.Peek{Remark: "Log", Start: start}, SharePreview{Title: "Log", Description: "Harbour log see the pier main()", Markdown: true}, true},
		"an open text of code":     {"paste", shares.Peek{Start: "a = *b\n", Syntax: "c"}, SharePreview{Title: "Site", Description: "a = *b"}, true},
		"a text with a view limit": {"paste", shares.Peek{Counted: true}, SharePreview{Title: "Site", Markdown: true, Counted: true}, true},
		"a protected text":         {"paste", shares.Peek{Protected: true, Remark: "Log", Start: start}, SharePreview{}, false},
		"an open picture":          {"file", shares.Peek{Filename: "a.png", MimeType: "image/png", Size: 9}, SharePreview{Title: "a.png", Description: "image/png", Picture: true}, true},
		"a counted picture":        {"file", shares.Peek{Filename: "a.png", MimeType: "image/png", Counted: true}, SharePreview{Title: "a.png", Description: "image/png", Counted: true}, true},
		"a picture with scripts":   {"file", shares.Peek{Filename: "a.svg", MimeType: "image/svg+xml"}, SharePreview{Title: "a.svg", Description: "image/svg+xml"}, true},
		"a protected picture":      {"file", shares.Peek{Protected: true}, SharePreview{}, false},
		"the last view":            {"file", shares.Peek{Counted: true, Last: true, Filename: "a.png", MimeType: "image/png"}, SharePreview{}, false},
	} {
		stub := shareStub(c.is)
		got, told, _ := PreviewsOf(stub, stub, stub, nil, func() string { return "Site" })(t.Context(), c.kind, "s")
		if got != c.want || told != c.told {
			t.Errorf("%s: %+v %t", name, got, told)
		}
	}
}

func TestPicturesHaveAnAddressForChats(t *testing.T) {
	f := newWebFrame(t, func(o *httpapi.Options, w *Options) {
		o.PublicURL = "https://a.example/pp"
		w.Peek = func(_ context.Context, kind, slug string) (SharePreview, bool, error) {
			return SharePreview{Title: "pier.png", Picture: slug == "pier"}, true, nil
		}
	})
	const image = `<meta property="og:image" content="https://a.example/pp/api/file-view/pier">`
	if body := f.Call("GET", "/pp/file/pier", "").Body.String(); !strings.Contains(body, image) {
		t.Errorf("%s", body)
	}
	if body := f.Call("GET", "/pp/file/other", "").Body.String(); strings.Contains(body, "og:image") {
		t.Errorf("%s", body)
	}
}

func TestPagesPreloadTheirRoute(t *testing.T) {
	f := newWebFrame(t, nil)
	body := f.Call("GET", "/paste/abc", "", "Accept-Language", "en").Body.String()
	for file, want := range map[string]int{
		"/assets/paste-1.js": 1, "/assets/paste-1.css": 1, "/assets/shared-1.js": 1, "/assets/en-1.js": 1, "/assets/en-paste-1.js": 1,
		"/assets/index-1.js": 1, "/assets/zh-1.js": 0,
	} {
		if got := strings.Count(body, `"`+file+`"`); got != want {
			t.Errorf("%s stands %d times", file, got)
		}
	}
	if strings.Contains(body, "markdown-1") {
		t.Errorf("a text of unknown kind: %s", body)
	}
	inMarkdown := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Peek = func(context.Context, string, string) (SharePreview, bool, error) {
			return SharePreview{Markdown: true}, true, nil
		}
	})
	if body := inMarkdown.Call("GET", "/paste/abc", "", "Accept-Language", "en").Body.String(); !strings.Contains(body, "/assets/markdown-1.js") {
		t.Errorf("a text in Markdown: %s", body)
	}
	if body := f.Call("GET", "/", "", "Accept-Language", "zh").Body.String(); strings.Contains(body, "paste-1") || !strings.Contains(body, "zh-1.js") {
		t.Errorf("home: %s", body)
	}
}

func TestTheTextComesBeforeTheApp(t *testing.T) {
	preview := SharePreview{Markdown: true}
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Peek = func(_ context.Context, _, slug string) (SharePreview, bool, error) {
			preview.Counted = slug == "counted"
			return preview, slug != "locked", nil
		}
	})
	body := f.Call("GET", "/paste/open", "", "Accept-Language", "en").Body.String()
	after := 0
	for _, want := range []string{
		`<link rel="stylesheet" crossorigin href="/assets/first-1.css" nonce=`,
		`<link rel="modulepreload" crossorigin href="/assets/markdown-1.js" nonce=`,
		`<script type="module" async crossorigin src="/assets/first-1.js" nonce=`,
		`<script type="module" crossorigin src="/assets/index-1.js" fetchpriority="low"`,
		`<link rel="modulepreload" crossorigin href="/assets/late-1.js" nonce="`,
	} {
		at := strings.Index(body, want)
		if at < after {
			t.Errorf("%s stands at %d, after %d", want, at, after)
		}
		after = at
	}
	if strings.Count(body, "markdown-1.js") != 1 || strings.Count(body, `fetchpriority="low"`) != 2 {
		t.Error(body)
	}
	for _, slug := range []string{"counted", "locked"} {
		if body := f.Call("GET", "/paste/"+slug, "", "Accept-Language", "en").Body.String(); strings.Contains(body, "first-1") || strings.Contains(body, "fetchpriority") {
			t.Errorf("%s: %s", slug, body)
		}
	}
}

func TestFilesOfTheBuild(t *testing.T) {
	f := newWebFrame(t, nil)
	for _, c := range []struct {
		target, accept  string
		status          int
		body, coding    string
		typ, cacheHolds string
	}{
		{"/assets/index-1.js", "gzip, deflate, br", 200, brotlied("plain"), "br", "text/javascript", "immutable"},
		{"/assets/index-1.js", "gzip, deflate", 200, "plain", "gzip", "text/javascript", "immutable"},
		{"/assets/index-1.js", "br;q=0, gzip;q=0.5", 200, "plain", "gzip", "text/javascript", "immutable"},
		{"/assets/font-1.woff2", "gzip, deflate, br", 200, "font", "", "font/woff2", "immutable"},
		{"/assets/index-1.js", "", 200, "plain", "", "text/javascript", "immutable"},
		{"/sw.js", "br", 200, "worker", "", "text/javascript", "no-cache"},
		{"/icon.svg", "", 200, "<svg/>", "", "image/svg+xml", "no-cache"},
		{"/manifest.webmanifest", "", 200, "", "", "application/manifest+json", "no-cache"},
		{"/robots.txt", "", 200, "User-agent: *\nAllow: /api/file-view/\nDisallow: /api/\nDisallow: /admin\n", "", "text/plain", "no-cache"},
	} {
		a := f.Call("GET", c.target, "", "Accept-Encoding", c.accept)
		h, body := a.Header(), a.Body.String()
		if c.coding == "gzip" {
			body = gunzip(t, body)
		}
		if a.Result().StatusCode != c.status || (c.body != "" && body != c.body) || h.Get("Content-Encoding") != c.coding ||
			!strings.HasPrefix(h.Get("Content-Type"), c.typ) || !strings.Contains(h.Get("Cache-Control"), c.cacheHolds) {
			t.Errorf("%s with %q: %d %q %v", c.target, c.accept, a.Result().StatusCode, a.Body, h)
		}
	}
	for _, target := range []string{"/assets/unknown.js", "/assets/index-1.js.br", "/assets/", "/assets"} {
		if a := f.Call("GET", target, ""); a.Result().StatusCode != 404 || (strings.HasPrefix(target, "/assets/") && strings.Contains(a.Body.String(), "pp-config")) {
			t.Errorf("%s: %d %.60s", target, a.Result().StatusCode, a.Body)
		}
	}
	for _, target := range []string{"/.vite/pages.json", "/.gitkeep"} {
		if a := f.Call("GET", target, ""); a.Result().StatusCode != 404 {
			t.Errorf("%s: %d", target, a.Result().StatusCode)
		}
	}
	if a := f.Call("GET", "/favicon.ico", ""); a.Result().StatusCode != 302 || a.Header().Get("Location") != "/icon.svg" {
		t.Errorf("favicon: %d %v", a.Result().StatusCode, a.Header())
	}
	a := f.Call("GET", "/sw.js", "")
	if again := f.Call("GET", "/sw.js", "", "If-None-Match", a.Header().Get("Etag")); again.Result().StatusCode != 304 || again.Body.Len() != 0 {
		t.Errorf("with its tag: %d", again.Result().StatusCode)
	}
	tags := map[string]string{}
	for _, coding := range []string{"br", "gzip", ""} {
		a := f.Call("GET", "/assets/index-1.js", "", "Accept-Encoding", coding)
		tag := a.Header().Get("Etag")
		if other, ok := tags[tag]; ok || tag == "" || a.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q and %q share the tag %s; Vary %q", coding, other, tag, a.Header().Get("Vary"))
		}
		tags[tag] = coding
		head := f.Call("HEAD", "/assets/index-1.js", "", "Accept-Encoding", coding)
		if length := head.Header().Get("Content-Length"); head.Body.Len() != 0 || length != strconv.Itoa(a.Body.Len()) || head.Header().Get("Etag") != tag {
			t.Errorf("HEAD with %q: %d bytes, Content-Length %s instead of %d", coding, head.Body.Len(), length, a.Body.Len())
		}
		if again := f.Call("GET", "/assets/index-1.js", "", "Accept-Encoding", coding, "If-None-Match", tag); again.Result().StatusCode != 304 || again.Body.Len() != 0 {
			t.Errorf("%q with its tag: %d", coding, again.Result().StatusCode)
		}
	}
	if a := f.Call("GET", "/assets/broken-1.js", ""); a.Result().StatusCode != 500 || a.Header().Get("Cache-Control") != "no-store" || a.Header().Get("Etag") != "" {
		t.Errorf("a broken file: %d %v", a.Result().StatusCode, a.Header())
	}
	if a.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("pages answer to other origins")
	}
}

func TestAFormOfAFileIsMadeOnce(t *testing.T) {
	text := strings.Repeat("a line of script;\n", 20_000)
	assets, err := findAssets(fstest.MapFS{"assets/a.js.br": {Data: []byte(brotlied(text))}})
	if err != nil {
		t.Fatal(err)
	}
	file := assets["assets/a.js"]
	for name, form := range map[string]func() ([]byte, error){"plain": file.plain, "gzip": file.gzip} {
		forms := make([][]byte, 8)
		var callers sync.WaitGroup
		for i := range forms {
			callers.Go(func() { forms[i], _ = form() })
		}
		callers.Wait()
		for i, data := range forms {
			if len(data) == 0 || &data[0] != &forms[0][0] {
				t.Fatalf("%s: caller %d got bytes of its own", name, i)
			}
		}
		got := string(forms[0])
		if name == "gzip" {
			got = gunzip(t, got)
		}
		if got != text {
			t.Errorf("%s gives other %d bytes", name, len(got))
		}
	}
}

func TestContract1_1_OldClientsFindTheAPI(t *testing.T) {
	f := newWebFrame(t, nil)
	a := f.Call("GET", "/config.js", "")
	if want := "window.appConfig = {\"backendUrl\":\"http://example.com\"};\n"; a.Body.String() != want || !strings.HasPrefix(a.Header().Get("Content-Type"), "text/javascript") {
		t.Errorf("%q", a.Body)
	}
}

func TestBeforeTheWebUIIsBuiltThePageSaysSo(t *testing.T) {
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) { w.Files = fstest.MapFS{".gitkeep": {}} })
	if a := f.Call("GET", "/", ""); a.Result().StatusCode != 200 || !strings.Contains(a.Body.String(), "has not been built") {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
}

func TestPagesNameAnOpenerPolicyOnlyWhereBrowsersHeedIt(t *testing.T) {
	for origin, want := range map[string]bool{
		"https://paste.example.org": true, "http://localhost:8787": true, "http://127.0.0.1:8787": true, "http://[::1]:8787": true, "http://127.0.0.1": true,
		"http://192.168.1.4:8787": false, "http://pasteport.test:8787": false, "http://[2001:db8::1]": false,
	} {
		if got := trustworthy(origin); got != want {
			t.Errorf("trustworthy(%q) = %t, want %t", origin, got, want)
		}
	}
}

func TestManifestHoldsBasePathAndSiteTitle(t *testing.T) {
	f := newWebFrame(t, func(o *httpapi.Options, w *Options) {
		o.PublicURL = "https://example.com/pp"
		w.Site = func() (string, string) { return "Our <clips>", "" }
	})
	a := f.Call("GET", "/pp/manifest.webmanifest", "")
	if a.Result().StatusCode != 200 || a.Header().Get("Content-Type") != "application/manifest+json" {
		t.Fatalf("%d %s", a.Result().StatusCode, a.Header().Get("Content-Type"))
	}
	var m appManifest
	if err := json.Unmarshal(a.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	if m.Name != "Our <clips>" || m.StartURL != "/pp/" || m.Scope != "/pp/" || m.Display != "standalone" || len(m.Icons) == 0 {
		t.Errorf("%+v", m)
	}
	for _, icon := range m.Icons {
		if !strings.HasPrefix(icon.Src, "/pp/icons/") {
			t.Errorf("icon %q", icon.Src)
		}
	}
	if m.Share.Action != "/pp/share-target" || m.Share.Method != "POST" || m.Share.Enctype != "multipart/form-data" {
		t.Errorf("%+v", m.Share)
	}
	if len(m.Files) != 1 || m.Files[0].Action != "/pp/?open" || len(m.Files[0].Accept["text/markdown"]) == 0 || len(m.Files[0].Accept["text/plain"]) == 0 {
		t.Errorf("%+v", m.Files)
	}
}

// The service worker takes what other apps share; a browser that has lost it
// still arrives somewhere.
func TestWhatIsSharedWithoutAWorkerLeadsHome(t *testing.T) {
	f := newWebFrame(t, func(o *httpapi.Options, _ *Options) { o.PublicURL = "https://example.com/pp" })
	a := f.Call("POST", "/pp/share-target", "text=hello")
	if a.Result().StatusCode != 303 || a.Header().Get("Location") != "/pp/" {
		t.Errorf("%d %q", a.Result().StatusCode, a.Header().Get("Location"))
	}
}
