package treeapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/mounts"
	"pasteport/ports/portstest"
)

// signature is the formula of contract core §12.3, written down once more.
func signature(secret, data, end string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(data))
	return base64.StdEncoding.EncodeToString(h.Sum(nil)) + ":" + end
}

func proxyURL(path, sign string) string {
	segments := strings.Split(path, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	link := "/api/p" + strings.Join(segments, "/")
	if sign != "" {
		link += "?sign=" + url.QueryEscape(sign)
	}
	return link
}

func TestContract12_3_SignaturesOfThePredecessorAreGood(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("report.pdf", "%PDF-1")
	f.bucket.Put("报告 1.pdf", "%PDF-2")
	for _, c := range []struct{ path, end, vector string }{
		{"/docs/report.pdf", "0", "EGDDSnEhv8GhhYEjOi/mJHY+tDp/oY2iDHh/fbu9ltc=:0"},
		{"/docs/report.pdf", "1900000000", "fFxo6LYKd1/wEaF1luvigFD1SbRwV/XeuKRVKFXnh8U=:1900000000"},
		{"/docs/报告 1.pdf", "0", "766gf1I9Ak3QH13b+FDr7jsMwyMTDKmIdAmMgPrqLII=:0"},
	} {
		if got := signature(proxySecret, c.path+":"+c.end, c.end); got != c.vector {
			t.Errorf("the formula gives %s for %s, want %s", got, c.path, c.vector)
		}
		if a := f.Call("GET", proxyURL(c.path, c.vector), ""); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s: %d %s", c.path, a.ResponseRecorder.Code, a.Body)
		}
		spaced := "/api/p" + strings.ReplaceAll(c.path, " ", "%20") + "?sign=" + c.vector // a "+" arrives as a space
		if a := f.Call("GET", spaced, ""); a.ResponseRecorder.Code != 200 {
			t.Errorf("with spaces, %s: %d %s", c.path, a.ResponseRecorder.Code, a.Body)
		}
	}
}

func TestContract12_3_OurOwnSignaturesFollowTheFormula(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "x")
	sign := func() string {
		return must1(url.Parse(f.object(f.as("GET", fsPath("get", "/docs/a.txt"), ""))["preview_url"].(string))).Query().Get("sign")
	}
	mount := func(change func(*mounts.Mount)) {
		if _, err := f.db.Mounts().Update(t.Context(), "id-docs", func(m *mounts.Mount) error { change(m); return nil }); err != nil {
			t.Fatal(err)
		}
		f.tree.ForgetStorage("")
	}
	seconds := func(n int64) *int64 { return &n }
	at := func(d time.Duration) string { return fmt.Sprint(f.clock.Now().Add(d).Unix()) }
	if got, want := sign(), signature(proxySecret, "/docs/a.txt:0", "0"); got != want {
		t.Errorf("for ever: %s, want %s", got, want)
	}
	f.settings.signFor = time.Minute
	if got, want := sign(), signature(proxySecret, "/docs/a.txt:"+at(time.Minute), at(time.Minute)); got != want {
		t.Errorf("by the site: %s, want %s", got, want)
	}
	mount(func(m *mounts.Mount) { m.SignExpires = seconds(600) })
	if got, want := sign(), signature(proxySecret, "/docs/a.txt:"+at(10*time.Minute), at(10*time.Minute)); got != want {
		t.Errorf("by the mount: %s, want %s", got, want)
	}
	mount(func(m *mounts.Mount) { m.SignExpires = seconds(0) })
	old := sign()
	if want := signature(proxySecret, "/docs/a.txt:0", "0"); old != want {
		t.Errorf("for ever by the mount: %s, want %s", old, want)
	}
	f.settings.epoch = 2
	if got, want := sign(), signature(proxySecret, "/docs/a.txt:0:2", "0"); got != want {
		t.Errorf("in another epoch: %s, want %s", got, want)
	}
	f.refused("a link of the epoch before", f.Call("GET", proxyURL("/docs/a.txt", old), ""), 401, "unauthenticated")
	f.settings.epoch, f.settings.signAll = 0, false
	if got := sign(); got != "" {
		t.Errorf("signed without need: %s", got)
	}
	mount(func(m *mounts.Mount) { m.EnableSign = true })
	if got := sign(); got != old {
		t.Errorf("by the mount's own flag: %s", got)
	}
	f = newForestSigning(t, "")
	f.settings.signAll = false
	f.bucket.Put("a.txt", "x")
	mount(func(m *mounts.Mount) { m.EnableSign = true })
	sum := portstest.MAC{}.Sum("proxy-link", []byte("/docs/a.txt:0"))
	if got, want := sign(), base64.StdEncoding.EncodeToString(sum[:])+":0"; got != want {
		t.Errorf("by the master key: %s, want %s", got, want)
	}
}

func TestContractFS5_WhoMayNot(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a.txt", "x")
	f.bucket.Put("d/x", "x")
	f.bucket.Put("a..b.txt", "dots")
	good := signature(proxySecret, "/docs/a.txt:0", "0")
	past := fmt.Sprint(f.clock.Now().Add(-time.Second).Unix())
	signed := func(path string) string { return proxyURL(path, signature(proxySecret, path+":0", "0")) }
	for name, c := range map[string]struct {
		target, key string
		status      int
	}{
		"without a signature":        {"/api/p/docs/a.txt", "unauthenticated", 401},
		"with that of another path":  {proxyURL("/docs/d/x", good), "unauthenticated", 401},
		"with a cut one":             {proxyURL("/docs/a.txt", good[1:]), "unauthenticated", 401},
		"with no end":                {proxyURL("/docs/a.txt", strings.TrimSuffix(good, ":0")), "unauthenticated", 401},
		"with another end":           {proxyURL("/docs/a.txt", good+"1"), "unauthenticated", 401},
		"with a written sign":        {proxyURL("/docs/a.txt", strings.TrimSuffix(good, "0")+"+0"), "unauthenticated", 401},
		"with one that is over":      {proxyURL("/docs/a.txt", signature(proxySecret, "/docs/a.txt:"+past, past)), "unauthenticated", 401},
		"with one before 1970":       {proxyURL("/docs/a.txt", signature(proxySecret, "/docs/a.txt:-1", "-1")), "unauthenticated", 401},
		"by another secret":          {proxyURL("/docs/a.txt", signature("other", "/docs/a.txt:0", "0")), "unauthenticated", 401},
		"a login is no signature":    {"/api/p/docs/a.txt", "unauthenticated", 401},
		"the root":                   {"/api/p/", "root_forbidden", 403},
		"the root without a slash":   {"/api/p", "root_forbidden", 403},
		"a mount without a proxy":    {signed("/m/a.txt"), "mount_not_found", 404},
		"an inactive mount":          {signed("/off/a.txt"), "mount_not_found", 404},
		"no mount":                   {signed("/none/a.txt"), "mount_not_found", 404},
		"a folder":                   {signed("/docs/d"), "not_found", 404},
		"the mount":                  {signed("/docs"), "not_found", 404},
		"nothing":                    {signed("/docs/none"), "not_found", 404},
		"a file written as a folder": {strings.Replace(signed("/docs/a.txt"), "a.txt", "a.txt/", 1), "not_found", 404},
		"dots":                       {signed("/docs/../docs/a.txt"), "invalid_argument", 400},
		"encoded dots":               {"/api/p/docs/%2e%2e/docs/a.txt", "invalid_argument", 400},
		"a backslash":                {signed(`/docs\a.txt`), "invalid_argument", 400},
		"a NUL":                      {"/api/p/docs/a%00.txt", "invalid_argument", 400},
		"a path over 2048":           {"/api/p/docs/" + strings.Repeat("a/", 1024), "invalid_argument", 400},
	} {
		f.refused(name, f.Call("GET", c.target, "", "Authorization", edgetest.AsAdmin), c.status, c.key)
	}
	for _, path := range []string{"/docs/a.txt", "/docs/a..b.txt"} {
		if a := f.Call("GET", signed(path), ""); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s: %d %s", path, a.ResponseRecorder.Code, a.Body)
		}
	}
	end := fmt.Sprint(f.clock.Now().Unix())
	if a := f.Call("GET", proxyURL("/docs/a.txt", signature(proxySecret, "/docs/a.txt:"+end, end)), ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("at its very end: %d", a.ResponseRecorder.Code)
	}
	if _, err := f.db.Mounts().Update(t.Context(), "id-docs", func(m *mounts.Mount) error { m.Active = false; return nil }); err != nil {
		t.Fatal(err)
	}
	f.tree.ForgetStorage("")
	f.refused("a mount that was just disabled", f.Call("GET", signed("/docs/a.txt"), ""), 404, "mount_not_found")
}

func TestContractFS5_HeadersRangesAndCaches(t *testing.T) {
	f := newForest(t)
	o := f.bucket.Put("a b#?%.html", "<script>")
	link := func(end string) string {
		return proxyURL("/docs/a b#?%.html", signature(proxySecret, "/docs/a b#?%.html:"+end, end))
	}
	at := func(d time.Duration) string { return fmt.Sprint(f.clock.Now().Add(d).Unix()) }
	for name, c := range map[string]struct {
		target string
		cache  string
	}{
		"for ever":  {link("0"), "no-cache"},
		"a day":     {link(at(24 * time.Hour)), "private, max-age=3600"},
		"a minute":  {link(at(time.Minute)), "private, max-age=60"},
		"unsigned":  {strings.Split(link("0"), "?")[0], "no-cache"},
		"with time": {link("0") + "&ts=1", "no-cache"},
	} {
		f.settings.signAll = name != "unsigned"
		a := f.Call("GET", c.target, "")
		h := a.Header()
		if a.ResponseRecorder.Code != 200 || a.Body.String() != "<script>" || h.Get("Cache-Control") != c.cache || h.Get("Etag") != `"`+o.ETag+`"` ||
			h.Get("Content-Length") != "8" || h.Get("Accept-Ranges") != "bytes" || h.Get("Last-Modified") == "" {
			t.Errorf("%s: %d %v", name, a.ResponseRecorder.Code, h)
		}
		if !strings.HasPrefix(h.Get("Content-Disposition"), "inline;") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			strings.Contains(h.Get("Content-Security-Policy"), "allow-") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is not inert: %v", name, h)
		}
	}
	f.settings.signAll = true
	if a := f.Call("GET", link("0")+"&download=true", ""); !strings.HasPrefix(a.Header().Get("Content-Disposition"), "attachment;") {
		t.Errorf("download: %v", a.Header())
	}
	if a := f.Call("HEAD", link("0"), ""); a.ResponseRecorder.Code != 200 || a.Body.Len() != 0 || a.Header().Get("Content-Length") != "8" {
		t.Errorf("HEAD: %d %v", a.ResponseRecorder.Code, a.Header())
	}
	if a := f.Call("GET", link("0"), "", "Range", "bytes=1-3"); a.ResponseRecorder.Code != 206 || a.Body.String() != "scr" || a.Header().Get("Content-Range") != "bytes 1-3/8" {
		t.Errorf("range: %d %q", a.ResponseRecorder.Code, a.Body)
	}
	if a := f.Call("GET", link("0"), "", "Range", "bytes=8-"); a.ResponseRecorder.Code != 416 || a.Header().Get("Content-Range") != "bytes */8" {
		t.Errorf("past the end: %d %v", a.ResponseRecorder.Code, a.Header())
	}
	if a := f.Call("GET", link("0"), "", "If-None-Match", `"`+o.ETag+`"`); a.ResponseRecorder.Code != 304 || a.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("not modified: %d %v", a.ResponseRecorder.Code, a.Header())
	}
}
