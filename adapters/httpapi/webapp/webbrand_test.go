package webapp

import (
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
)

func TestPagesWearTheSitesOwnLogoAndColour(t *testing.T) {
	var brand Brand
	f := newWebFrame(t, func(o *httpapi.Options, w *Options) {
		o.PublicURL = "https://example.com/pp"
		w.Brand = func() Brand { return brand }
	})
	if a := f.Call("GET", "/pp/logo", ""); a.Result().StatusCode != 404 {
		t.Errorf("a logo that is not there: %d", a.Result().StatusCode)
	}
	if body := f.Call("GET", "/pp/", "").Body.String(); strings.Contains(body, "<style") || strings.Contains(body, "logoUrl") || strings.Contains(body, `"accent"`) {
		t.Errorf("a page without a brand: %s", body)
	}

	brand = Brand{Logo: []byte("<svg/>"), LogoType: "image/svg+xml", Accent: &Accent{Light: "#806A00", OnLight: "#FFFFFF", Dark: "#FFD400", OnDark: "#0C1214"}}
	a := f.Call("GET", "/pp/", "")
	body, csp := a.Body.String(), a.Header().Get("Content-Security-Policy")
	nonce := csp[strings.Index(csp, "'nonce-")+7:]
	nonce = nonce[:strings.Index(nonce, "'")]
	for _, want := range []string{
		`"logoUrl":"` + logoURL("/pp", brand) + `"`, `"accent":{"light":"#806A00","onLight":"#FFFFFF","dark":"#FFD400","onDark":"#0C1214"}`,
		`<style nonce="` + nonce + `">html:root{--accent:#806A00;--on-accent:#FFFFFF}`, `html:root[data-theme='dark']{--accent:#FFD400;--on-accent:#0C1214}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s: %s", want, body)
		}
	}

	named, bare := f.Call("GET", logoURL("/pp", brand), ""), f.Call("GET", "/pp/logo?v=older", "")
	for name, want := range map[string]string{"Content-Type": "image/svg+xml", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox", "Cache-Control": "public, max-age=31536000, immutable"} {
		if got := named.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if named.Body.String() != "<svg/>" || bare.Body.String() != "<svg/>" || bare.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("the logo is %q and %q", named.Body, bare.Body)
	}
	if a := f.Call("GET", "/pp/logo", "", "If-None-Match", named.Header().Get("ETag")); a.Result().StatusCode != 304 || a.Body.Len() != 0 {
		t.Errorf("a logo that is known: %d", a.Result().StatusCode)
	}
}
