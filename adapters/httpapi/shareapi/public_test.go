package shareapi

import (
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/objstore"

	"pasteport/adapters/httpapi/content"

	"pasteport/adapters/httpapi/edgetest"

	"github.com/google/go-cmp/cmp"
)

var listAll = objstore.ListQuery{}

func local(address any) string {
	s, _ := address.(string)
	return strings.TrimPrefix(s, "http://example.com")
}

func TestContract7_11_PublicInfo(t *testing.T) {
	s := newSite(t)
	s.upload("x.pdf", "slug=direct&use_proxy=0&max_views=5", "12345")
	s.upload("x.pdf", "slug=proxied", "12345")
	got := s.data(s.Call("GET", "/api/public/files/direct", ""))
	ticket, _ := got["ticket"].(string)
	want := edgetest.Object{"id": got["id"], "slug": "direct", "filename": "x.pdf", "mimetype": "application/pdf", "size": 5.0, "remark": nil,
		"created_at": "2026-11-21T08:00:00.000Z", "requires_password": false, "views": 1.0, "max_views": 5.0, "expires_at": nil,
		"previewUrl": got["proxy_preview_url"], "downloadUrl": got["proxy_download_url"], "s3_direct_preview_url": nil, "s3_direct_download_url": nil,
		"proxy_preview_url":  "http://example.com/api/file-view/direct?ticket=" + ticket,
		"proxy_download_url": "http://example.com/api/file-download/direct?ticket=" + ticket,
		"use_proxy":          0.0, "created_by": "apikey:aaaa", "type": 7.0, "typeName": "document", "ticket": ticket, "isLastView": false,
		"checksum": map[string]any{"algorithm": "etag", "value": "5994471abb01112afcc18159f6cc74b4"}, "url": "http://example.com/file/direct", "raw_url": "http://example.com/api/file-view/direct"}
	if diff := cmp.Diff(got, want); diff != "" || ticket == "" || got["previewUrl"] == nil {
		t.Error(diff)
	}
	if a := s.Call("GET", local(got["proxy_preview_url"]), ""); a.Body.String() != "12345" {
		t.Errorf("the link with its ticket: %d", a.ResponseRecorder.Code)
	}
	if again := s.data(s.Call("GET", "/api/public/files/direct?ticket="+ticket, "")); again["views"] != 1.0 {
		t.Errorf("the ticket's requests were counted: %v", again["views"])
	}
	got = s.data(s.Call("GET", "/api/public/files/proxied", ""))
	if got["s3_direct_preview_url"] != nil || got["s3_direct_download_url"] != nil || got["previewUrl"] != got["proxy_preview_url"] || got["use_proxy"] != 1.0 {
		t.Errorf("a proxied file shows its origin: %v", got)
	}
}

func TestContract7_11_GoneAndUnknown(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=old&expires_in=1", "x")
	s.upload("a.docx", "slug=used&max_views=1", "x")
	s.Call("GET", "/api/public/files/used", "")
	s.clock.Add(time.Hour)
	for _, lang := range []string{"zh", "en"} {
		for _, c := range []struct {
			path, key, substring string
			status               int
		}{
			{"/api/public/files/none", "not_found", "不存在", 404}, {"/api/public/files/none?peek=1", "not_found", "不存在", 404},
			{"/api/public/files/old", "expired", "已过期", 410}, {"/api/public/files/used", "used_up", "已过期", 410},
			{"/api/public/files/used?peek=1", "used_up", "已过期", 410},
		} {
			s.wantError(s.Call("GET", c.path, "", "Accept-Language", lang), c.status, c.key, c.substring)
		}
		s.wantNamedError(s.Call("GET", "/api/office-preview/used", "", "Accept-Language", lang), 410, "已过期")
		s.wantNamedError(s.Call("GET", "/api/office-preview/none", "", "Accept-Language", lang), 404, "不存在")
		for path, status := range map[string]int{"/api/file-view/none": 404, "/api/file-download/none": 404, "/api/file-view/old": 410,
			"/api/file-download/used": 410, "/api/file-view/used": 410} {
			a := s.Call("GET", path, "", "Accept-Language", lang)
			if a.ResponseRecorder.Code != status || !strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") || strings.HasPrefix(a.Body.String(), "{") {
				t.Errorf("%s: %d %q", path, a.ResponseRecorder.Code, a.Body)
			}
		}
	}
}

func TestContract7_12_Verify(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=locked&password=pw&max_views=1&remark=hidden", "hello")
	s.upload("a.txt", "slug=open", "hello")
	got := s.data(s.Call("GET", "/api/public/files/locked", ""))
	want := edgetest.Object{"id": got["id"], "slug": "locked", "filename": "a.txt", "mimetype": "text/plain", "size": 5.0, "remark": nil,
		"created_at": "2026-11-21T08:00:00.000Z", "requires_password": true, "views": 0.0, "max_views": 1.0, "expires_at": nil,
		"created_by": "apikey:aaaa", "type": 4.0, "typeName": "text", "use_proxy": 1.0, "isLastView": false,
		"url": "http://example.com/file/locked", "raw_url": "http://example.com/api/file-view/locked"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	peek := s.data(s.Call("GET", "/api/public/files/locked?peek=1", ""))
	if diff := cmp.Diff(peek, edgetest.Object{"slug": "locked", "peek": true, "requires_password": true, "isLastView": true, "expires_at": nil, "url": "http://example.com/file/locked", "raw_url": "http://example.com/api/file-view/locked"}); diff != "" {
		t.Error(diff)
	}
	for _, lang := range []string{"zh", "en"} {
		s.wantError(s.Call("POST", "/api/public/files/locked/verify", `{}`, "Accept-Language", lang), 400, "password_required", "")
		s.wantError(s.Call("POST", "/api/public/files/open/verify", `{"password":"x"}`, "Accept-Language", lang), 400, "invalid_argument", "")
		s.wantError(s.Call("POST", "/api/public/files/locked/verify", `{"password":"no"}`, "Accept-Language", lang), 401, "password_wrong", "密码不正确")
		s.wantError(s.Call("POST", "/api/public/files/none/verify", `{"password":"x"}`, "Accept-Language", lang), 404, "not_found", "不存在")
	}
	got = s.data(s.Call("POST", "/api/public/files/locked/verify", `{"password":"pw"}`))
	if got["requires_password"] != false || got["views"] != 1.0 || got["isLastView"] != true || strings.Contains(got["proxy_preview_url"].(string), "password") {
		t.Errorf("got %v", got)
	}
	for _, link := range []string{local(got["proxy_download_url"]), local(got["proxy_download_url"]) + "?password=pw", local(got["proxy_preview_url"]) + "&password=pw"} {
		if a := s.Call("GET", link, ""); a.Body.String() != "hello" {
			t.Errorf("%s: %d", link, a.ResponseRecorder.Code)
		}
	}
	s.wantError(s.Call("POST", "/api/public/files/locked/verify", `{"password":"pw"}`), 410, "used_up", "已过期")
	s.clock.Add(10 * time.Minute)
	if a := s.Call("GET", local(got["proxy_download_url"]), ""); a.ResponseRecorder.Code != 410 {
		t.Errorf("after the visit: %d", a.ResponseRecorder.Code)
	}
}

func TestContract7_13_ViewsOfFilesAreExact(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1&max_views=6", "hello")
	var content, gone atomic.Int64
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", []string{"/api/file-view/f1", "/api/file-download/f1", "/api/public/files/f1"}[i%3], nil))
			switch w.Code {
			case 200:
				content.Add(1)
			case 410:
				gone.Add(1)
			default:
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	if content.Load() != 6 || gone.Load() != 54 {
		t.Errorf("got %d and %d", content.Load(), gone.Load())
	}
}

func TestContract7_14_HeadersByType(t *testing.T) {
	s := newSite(t)
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for name, c := range map[string]struct {
		content, typ string
		inline       bool
	}{
		"a.txt":   {"text", "text/plain; charset=utf-8", true},
		"a.md":    {"# x", "text/plain; charset=utf-8", true},
		"a.html":  {"<script>alert(1)</script>", "text/html; charset=utf-8", false},
		"a.svg":   {"<svg onload=alert(1)>", "image/svg+xml", false},
		"a.xml":   {"<a/>", "application/xml", false},
		"a.js":    {"alert(1)", "text/plain; charset=utf-8", false},
		"a.json":  {"{}", "text/plain; charset=utf-8", true},
		"a.png":   {png, "image/png", true},
		"b.png":   {"<html><script>alert(1)</script>", "application/octet-stream", false},
		"a.pdf":   {"%PDF-1.7", "application/pdf", true},
		"a.mp4":   {"\x00\x00\x00\x18ftypmp42", "video/mp4", true},
		"a.exe":   {"MZ", "application/vnd.microsoft.portable-executable", false},
		"a.what":  {"<html>", "application/octet-stream", false},
		"a.zip":   {"PK\x03\x04", "application/zip", false},
		"a.docx":  {"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", false},
		"空 格.txt": {"x", "text/plain; charset=utf-8", true},
	} {
		slug := "n" + strconv.Itoa(len(name)) + strings.NewReplacer(".", "-", "空", "k", " ", "-", "格", "g").Replace(name)
		s.upload(url.PathEscape(name), "slug="+slug, c.content)
		for _, route := range []string{"view", "download"} {
			a := s.Call("GET", "/api/file-"+route+"/"+slug, "", "Origin", "https://other.example")
			h := a.Header()
			kind := "attachment"
			if route == "view" && c.inline {
				kind = "inline"
			}
			if a.ResponseRecorder.Code != 200 || a.Body.String() != c.content {
				t.Errorf("%s %s: %d %q", route, name, a.ResponseRecorder.Code, a.Body)
			}
			if route == "view" && h.Get("Content-Type") != c.typ {
				t.Errorf("%s %s: type %q, want %q", route, name, h.Get("Content-Type"), c.typ)
			}
			escaped := strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
			if got := h.Get("Content-Disposition"); !strings.HasPrefix(got, kind+";") || !strings.Contains(got, "filename*=UTF-8''"+escaped) {
				t.Errorf("%s %s: disposition %q", route, name, got)
			}
			for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": content.SandboxPolicy, "Referrer-Policy": "no-referrer",
				"Cross-Origin-Resource-Policy": "cross-origin", "Accept-Ranges": "bytes", "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
				"Access-Control-Allow-Headers": "Range, Content-Type", "X-Robots-Tag": "noindex", "Last-Modified": "Sat, 21 Nov 2026 08:00:00 GMT"} {
				if h.Get(header) != want {
					t.Errorf("%s %s: %s is %q, want %q", route, name, header, h.Get(header), want)
				}
			}
			if h.Get("Access-Control-Allow-Origin") == "" || h.Get("ETag") == "" || h.Get("Content-Length") != strconv.Itoa(len(c.content)) {
				t.Errorf("%s %s: %v", route, name, h)
			}
		}
	}
}

func TestContract7_14_RangesAndConditions(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1&max_views=3", "0123456789")
	s.upload("a.txt", "slug=empty", "")
	views := func() int64 {
		f, err := s.db.Files().BySlug(t.Context(), "f1")
		if err != nil {
			t.Fatal(err)
		}
		return f.Views
	}
	head := s.Call("HEAD", "/api/file-view/f1", "")
	etag := head.Header().Get("ETag")
	if head.ResponseRecorder.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != "10" || etag == "" {
		t.Errorf("HEAD: %d %v", head.ResponseRecorder.Code, head.Header())
	}
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		body    string
		content string // Content-Range
		views   int64
	}{
		{"past the end", []string{"Range", "bytes=10-"}, 416, "*", "bytes */10", 0},
		{"a known version", []string{"If-None-Match", etag}, 304, "", "", 0},
		{"not changed since", []string{"If-Modified-Since", "Sat, 21 Nov 2026 08:00:00 GMT"}, 304, "", "", 0},
		{"another version wanted", []string{"If-Match", `"other"`}, 412, "*", "", 0},
		{"all but one byte, before any visit", []string{"Range", "bytes=1-"}, 416, "*", "", 0},
		{"the end, before any visit", []string{"Range", "bytes=-9"}, 416, "*", "", 0},
		{"from the start", []string{"Range", "bytes=0-1"}, 206, "01", "bytes 0-1/10", 1},
		{"the middle", []string{"Range", "bytes=2-4"}, 206, "234", "bytes 2-4/10", 1},
		{"the end", []string{"Range", "bytes=-3"}, 206, "789", "bytes 7-9/10", 1},
		{"a changed version", []string{"Range", "bytes=2-4", "If-Range", `"other"`}, 200, "0123456789", "", 2},
		{"the whole", nil, 200, "0123456789", "", 3},
		{"one too many", nil, 410, "*", "", 3},
		{"the middle, now", []string{"Range", "bytes=2-4"}, 410, "*", "", 3},
	} {
		a := s.Call("GET", "/api/file-view/f1", "", c.headers...)
		if a.ResponseRecorder.Code != c.status || c.body != "*" && a.Body.String() != c.body || a.Header().Get("Content-Range") != c.content {
			t.Errorf("%s: %d %q %q", c.name, a.ResponseRecorder.Code, a.Body, a.Header().Get("Content-Range"))
		}
		if got := views(); got != c.views {
			t.Errorf("%s: %d views, want %d", c.name, got, c.views)
		}
	}
	if a := s.Call("GET", "/api/file-view/empty", "", "Range", "bytes=0-"); a.Body.Len() != 0 || a.ResponseRecorder.Code >= 500 {
		t.Errorf("an empty file: %d", a.ResponseRecorder.Code)
	}
}

func TestContract7_14_PasswordsInHeaderAndQuery(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1&password=p%20w", "hello")
	for _, c := range []struct {
		query, header string
		status        int
	}{
		{"", "", 401}, {"?password=no", "", 401}, {"?password=p%20w", "", 200}, {"", "p w", 200}, {"?password=no", "p w", 200}, {"", "no", 401}, {"?ticket=x.y", "", 401},
	} {
		for _, path := range []string{"/api/file-view/f1", "/api/file-download/f1"} {
			a := s.Call("GET", path+c.query, "", "X-Share-Password", c.header)
			if a.ResponseRecorder.Code != c.status || a.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s%s with header %q: %d %v", path, c.query, c.header, a.ResponseRecorder.Code, a.Header())
			}
		}
	}
	a := s.Call("GET", "/api/file-view/f1?password=no", "")
	if !strings.Contains(a.Body.String(), "密码不正确") {
		t.Errorf("got %q", a.Body)
	}
}

func TestContract7_14_StorageFailures(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1&max_views=2", "hello")
	f, _ := s.db.Files().BySlug(t.Context(), "f1")
	s.bucket.Fail = func(string, string) error { return &ports.Error{Code: ports.BadGateway, Key: "storage_denied"} }
	if a := s.Call("GET", "/api/file-view/f1", ""); a.ResponseRecorder.Code != 502 {
		t.Errorf("storage that refuses: %d", a.ResponseRecorder.Code)
	}
	s.bucket.Fail = nil
	if _, err := s.bucket.Delete(t.Context(), f.StoragePath); err != nil {
		t.Fatal(err)
	}
	if a := s.Call("GET", "/api/file-view/f1", ""); a.ResponseRecorder.Code != 404 {
		t.Errorf("an object that is missing: %d", a.ResponseRecorder.Code)
	}
	replace := func() {
		t.Helper()
		if _, err := s.bucket.Write(t.Context(), f.StoragePath, strings.NewReader("another content"), objstore.WriteOptions{Size: 15}); err != nil {
			t.Fatal(err)
		}
	}
	replace()
	if a := s.Call("GET", "/api/file-view/f1", ""); a.ResponseRecorder.Code != 404 {
		t.Errorf("an object that a link for uploads may have replaced: %d %q", a.ResponseRecorder.Code, a.Body)
	}
	s.clock.Add(2 * shares.UploadLinkLife)
	replace()
	if a := s.Call("GET", "/api/file-view/f1", ""); a.Body.String() != "another content" || a.Header().Get("Content-Length") != "15" {
		t.Errorf("an object that was replaced: %d %q %v", a.ResponseRecorder.Code, a.Body, a.Header())
	}
	if f, _ := s.db.Files().BySlug(t.Context(), "f1"); f.Views != 1 || f.Size != 15 {
		t.Errorf("got %+v", f)
	}
	s.settings.max = 20
	if _, err := s.bucket.Write(t.Context(), f.StoragePath, strings.NewReader(strings.Repeat("x", 21)), objstore.WriteOptions{Size: 21}); err != nil {
		t.Fatal(err)
	}
	if a := s.Call("GET", "/api/file-view/f1", ""); a.ResponseRecorder.Code != 404 {
		t.Errorf("an object that was replaced by one over the limit: %d", a.ResponseRecorder.Code)
	}
}

func TestContract7_15_OfficePreview(t *testing.T) {
	s := newSite(t)
	s.upload("a.docx", "slug=f1&password=pw", "x")
	s.upload("a.xlsx", "slug=near&s3_config_id=local", "x")
	s.upload("a.txt", "slug=txt", "x")
	got := s.decode(s.Call("GET", "/api/office-preview/f1?password=pw", ""))
	want := edgetest.Object{"url": got["url"], "filename": "a.docx", "mimetype": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"expires_in": 600.0, "is_temporary": true}
	if diff := cmp.Diff(got, want); diff != "" || got["url"] == "" {
		t.Error(diff)
	}
	got = s.decode(s.Call("GET", "/api/office-preview/near", ""))
	if link := got["url"].(string); !strings.HasPrefix(link, "http://example.com/api/file-view/near?ticket=") {
		t.Errorf("storage that cannot be reached from outside: %s", link)
	} else if a := s.Call("GET", local(link), ""); a.Body.String() != "x" {
		t.Errorf("the link: %d", a.ResponseRecorder.Code)
	}
	s.wantNamedError(s.Call("GET", "/api/office-preview/txt", ""), 400, "Office")
	s.wantNamedError(s.Call("GET", "/api/office-preview/f1", ""), 401, "密码")
	s.wantNamedError(s.Call("GET", "/api/office-preview/f1?password=no", ""), 401, "密码不正确")
}

// BenchmarkFileView is a small proxied file above net/http and storage.
func BenchmarkFileView(b *testing.B) {
	s := newSite(b)
	s.upload("a.txt", "slug=f1", strings.Repeat("x", 1<<10))
	r := httptest.NewRequest("GET", "/api/file-view/f1", nil)
	w := &quiet{header: map[string][]string{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		w.status = 0
		s.ServeHTTP(w, r)
	}
	if w.status != 200 {
		b.Fatalf("status %d", w.status)
	}
}
