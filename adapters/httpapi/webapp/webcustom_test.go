package webapp

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
)

func TestCustomCodeCannotSwallowThePage(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"scripts and styles get the nonce":    {`<script src="/a.js" async></script><style>a{}</style>`, `<script src="/a.js" async="" nonce="N"></script><style nonce="N">a{}</style>`},
		"another nonce gives way":             {`<script nonce="old">1</script>`, `<script nonce="N">1</script>`},
		"style sheets get the nonce":          {`<link rel="stylesheet" href="/a.css">`, `<link rel="stylesheet" href="/a.css" nonce="N">`},
		"other elements stay as they are":     {`<meta name=x content='y'><div onclick="z()">&lt;</div>`, `<meta name=x content='y'><div onclick="z()">&lt;</div>`},
		"an open script is closed":            {`<script>let a = "<b>"`, `<script nonce="N">let a = "<b>"</script>`},
		"an open template is closed":          {`<template><p>x`, `<template><p>x</template>`},
		"open elements are closed inside out": {`<svg><style>a{}`, `<svg><style nonce="N">a{}</style></svg>`},
		"a comment without an end is nothing": {`<b>x</b><!-- never closed <script>1</script>`, `<b>x</b>`},
		"a tag without an end is nothing":     {`<b>x</b><img src="`, `<b>x</b>`},
		"the page's own elements are dropped": {`<html><head><base href="//x"></head><body class="a">y</body></html>`, `y`},
		"an end without a beginning":          {`x</script></textarea></p>`, `x</p>`},
		"text in a script stays":              {`<script>if (a < b && c) d("</p>")</script>`, `<script nonce="N">if (a < b && c) d("</p>")</script>`},
	} {
		code := readyCode(c.source, "")
		if got := strings.ReplaceAll(code.head, codeNonce, "N"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCustomCodeTellsWhereItsScriptsComeFrom(t *testing.T) {
	code := readyCode(`<script src="https://stats.example/a.js"></script><script src="//cdn.example:8443/b.js"></script><script src="/own.js"></script>`,
		`<script src="https://stats.example/c.js"></script><script src="javascript:1"></script><img src="https://img.example/x"><script src="https://evil.example;x/"></script>`)
	if want := []string{"https://stats.example", "https://cdn.example:8443"}; !slices.Equal(code.origins, want) {
		t.Errorf("%v, want %v", code.origins, want)
	}
}

func TestCustomCodeIsOnPublicPagesOnly(t *testing.T) {
	head, body := `<script src="https://stats.example/a.js"></script>`, `<p id="own">hello</p><img src="./x">`
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Code = func() (string, string) { return head, body }
	})
	for target, want := range map[string]bool{
		"/": true, "/paste/abc": true, "/file/abc": true, "/upload": true, "/nothing": true, "/?safe=0": true,
		"/admin": false, "/admin/settings/site": false, "/?safe=1": false, "/paste/abc?x=1&safe=1": false, "/admin?safe=1": false,
	} {
		a := f.Call("GET", target, "")
		page, csp := a.Body.String(), a.Header().Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`'nonce-([A-Za-z0-9_-]{22})'`).FindStringSubmatch(csp)[1]
		script := strings.Contains(page, `<script src="https://stats.example/a.js" nonce="`+nonce+`"></script>`+"\n</head>")
		text := strings.Contains(page, `<p id="own">hello</p><img src="./x">`+"\n</body>")
		talk := strings.Contains(csp, "connect-src 'self' https://stats.example;")
		if script != want || text != want || talk != want || strings.Contains(page, codeNonce) {
			t.Errorf("%s: head %t, body %t, connect %t; want %t: %s", target, script, text, talk, want, page)
		}
		// The panel, too, knows of the code, so that it is entered by a load of its own.
		if known := strings.Contains(page, `"customCode":true`); known != (want || strings.HasPrefix(target, "/admin") && !strings.Contains(target, "safe=1")) {
			t.Errorf("%s: the page says of the code: %t", target, known)
		}
	}
	head, body = "", " \n"
	if page := f.Call("GET", "/", "").Body.String(); strings.Contains(page, "stats.example") || strings.Contains(page, "customCode") {
		t.Errorf("the code stays after it was removed: %s", page)
	}
}

func TestFramesOfForeignViewersAreNamed(t *testing.T) {
	f := newWebFrame(t, func(_ *httpapi.Options, w *Options) {
		w.Frames = func() []string { return []string{"https://docs.google.com", "https://evil; script-src *"} }
	})
	if csp := f.Call("GET", "/file/a", "").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src 'self' blob: https://docs.google.com;") {
		t.Error(csp)
	}
	if csp := newWebFrame(t, nil).Call("GET", "/file/a", "").Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src 'self' blob:;") {
		t.Error(csp)
	}
}

func TestSharesCanBeHadWithoutScripts(t *testing.T) {
	f := newWebFrame(t, func(o *httpapi.Options, w *Options) {
		o.PublicURL = "https://example.com/pp"
		shell := strings.Replace(testShell, "<body>", "<body><noscript>This page needs JavaScript.</noscript>", 1)
		files := webFiles()
		files["index.html"].Data = []byte(shell)
		w.Files = files
		w.Peek = peekOf(map[string]string{"open": "a <b>.pdf"})
	})
	for target, want := range map[string]string{
		"/pp/file/open":              `<h1>a &lt;b&gt;.pdf</h1><p>about</p><p><a href="/pp/api/file-download/open">Download`,
		"/pp/file/closed":            `<form method="post" action="/pp/api/file-download/closed"><p><label>`,
		"/pp/paste/closed":           `<form method="post" action="/pp/api/raw/closed"><p><label>`,
		"/pp/paste/closed?refused=1": `<p role="alert">Wrong password`,
		"/pp/upload":                 `<noscript>This page needs JavaScript.</noscript>`,
	} {
		if page := f.Call("GET", target, "").Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s lacks %s: %s", target, want, page)
		}
	}
}

// peekOf tells of the shares with these names.
func peekOf(names map[string]string) func(context.Context, string, string) (SharePreview, bool, error) {
	return func(_ context.Context, _, slug string) (SharePreview, bool, error) {
		return SharePreview{Title: names[slug], Description: "about"}, names[slug] != "", nil
	}
}
