package shareapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"pasteport/ports"

	"pasteport/adapters/httpapi/edgetest"

	"pasteport/adapters/httpapi/content"

	"pasteport/adapters/httpapi"

	"github.com/google/go-cmp/cmp"
)

// fakeWeb is the web of these tests: what it does not hold cannot be reached.
type fakeWeb struct {
	pages  map[string]page
	looked int
	opened int
	during func() // runs while a site answers
}

type page struct {
	ports.Remote
	content string
	err     error
}

func (f *fakeWeb) find(address string) (page, error) {
	if f.during != nil {
		f.during()
	}
	p, ok := f.pages[address]
	if !ok {
		return p, ports.InvalidInput("url_unreachable", "url")
	}
	return p, p.err
}

func (f *fakeWeb) Look(_ context.Context, address string) (ports.Remote, error) {
	f.looked++
	p, err := f.find(address)
	return p.Remote, err
}

func (f *fakeWeb) Open(_ context.Context, address string) (*ports.RemoteBody, error) {
	f.opened++
	p, err := f.find(address)
	if err != nil {
		return nil, err
	}
	return &ports.RemoteBody{ReadCloser: io.NopCloser(strings.NewReader(p.content)), Remote: p.Remote}, nil
}

// onSite is a page of content that the site describes in full.
func onSite(media, content string) page {
	return page{content: content, Remote: ports.Remote{Method: "HEAD", ContentType: media, Size: int64(len(content)),
		LastModified: "Sat, 21 Nov 2026 00:08:12 GMT", CORS: true}}
}

func (s *site) post(path, who, body string) edgetest.Answer {
	s.T.Helper()
	return s.Call("POST", path, body, "Authorization", who)
}

func TestContract11_1_Info(t *testing.T) {
	s := newSite(t)
	s.web.pages["https://a.example/x/a%20b.zip?q=1"] = onSite("application/zip", "12345")
	s.web.pages["https://a.example/get"] = page{Remote: ports.Remote{Method: "GET", Name: "报告.txt", Size: -1}}
	got := s.data(s.post("/api/url/info", asKeyA, `{"url":"https://a.example/x/a%20b.zip?q=1"}`))
	want := edgetest.Object{"url": "https://a.example/x/a%20b.zip?q=1", "filename": "a b.zip", "contentType": "application/zip", "size": 5.0,
		"lastModified": "Sat, 21 Nov 2026 00:08:12 GMT", "method": "HEAD", "corsSupported": true, "type": got["type"], "typeName": got["typeName"]}
	if diff := cmp.Diff(got, want); diff != "" || got["typeName"] == nil {
		t.Error(diff)
	}
	got = s.data(s.post("/api/url/info", asKeyA, `{"url":"https://a.example/get"}`))
	want = edgetest.Object{"url": "https://a.example/get", "filename": "报告.txt", "contentType": "application/octet-stream", "size": nil, "lastModified": nil,
		"method": "GET", "corsSupported": false, "type": 4.0, "typeName": "text"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
}

func TestContract11_1_InfoMakesNamesSafe(t *testing.T) {
	s := newSite(t)
	for path, want := range map[string]string{
		"/a.zip": "a.zip", "/": "download", "": "download", "/plain": "download", "/.hidden": "download", "/dot.": "download", "/x/y/c.tar.gz": "c.tar.gz",
		"/%E6%8A%A5.md": "报.md", "/a%2Fb.txt": "a_b.txt", "/..%2F..%2Fetc.conf": ".._.._etc.conf", "/a%5Cb.txt": "a_b.txt", "/a%0Ab.txt": "a_b.txt",
		"/%FF.txt": "_.txt", "/..": "download", "/" + strings.Repeat("x", 300) + ".txt": strings.Repeat("x", 251) + ".txt",
	} {
		address := "http://a.example" + path
		s.web.pages[address] = onSite("text/plain", "x")
		if got := s.data(s.post("/api/url/info", asKeyA, `{"url":"`+address+`"}`)); got["filename"] != want {
			t.Errorf("%s: got %q", path, got["filename"])
		}
	}
	s.web.pages["http://a.example/named"] = page{Remote: ports.Remote{Name: "../evil\x00.sh", Size: -1}}
	if got := s.data(s.post("/api/url/info", asKeyA, `{"url":"http://a.example/named"}`)); got["filename"] != ".._evil_.sh" {
		t.Errorf("got %q", got["filename"])
	}
}

func TestContract11_1_InfoRefuses(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/404"] = page{err: &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "url_status", Params: map[string]any{"status": 404}}}
	for name, c := range map[string]struct {
		body, who string
		status    int
		key, text string
	}{
		"no url":            {`{}`, asKeyA, 400, "invalid_argument", ""},
		"no address":        {`{"url":"nonsense"}`, asKeyA, 400, "invalid_argument", "URL"},
		"not reachable":     {`{"url":"http://b.example/"}`, asKeyA, 400, "invalid_argument", "URL"},
		"an error status":   {`{"url":"http://a.example/404"}`, asKeyA, 400, "invalid_argument", "404"},
		"a url of no text":  {`{"url":5}`, asKeyA, 400, "invalid_argument", ""},
		"nobody":            {`{"url":"http://a.example/404"}`, "", 401, "unauthenticated", ""},
		"W13 no permission": {`{"url":"http://a.example/404"}`, asNoBit, 403, "permission_denied", "权限"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.wantError(s.post("/api/url/info", c.who, c.body), c.status, c.key, c.text)
		})
	}
	before := s.web.looked
	s.post("/api/url/info", asNoBit, `{"url":"http://a.example/404"}`)
	s.post("/api/url/presign", asNoBit, `{"url":"http://a.example/404","s3_config_id":"public"}`)
	s.post("/api/url/multipart/init", "", `{"url":"http://a.example/404","s3_config_id":"public"}`)
	if s.web.looked != before {
		t.Error("the web was asked for a caller without permission")
	}
}

func TestContract11_2_ProxyD2(t *testing.T) {
	s := newSite(t)
	address := "http://a.example/page.html?a=1&b=2"
	s.web.pages[address] = onSite("text/html", "<script>alert(1)</script>")
	target := "/api/url/proxy?url=" + url.QueryEscape(address)
	s.wantError(s.Call("GET", target, ""), 403, "permission_denied", "权限")
	s.data(s.post("/api/url/info", asKeyA, string(must(json.Marshal(map[string]string{"url": address})))))
	a := s.Call("GET", target, "", "Origin", "https://ui.example")
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "<script>alert(1)</script>" {
		t.Fatalf("got %d %s", a.ResponseRecorder.Code, a.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "Content-Disposition": `attachment; filename="page.html"; filename*=UTF-8''page.html`,
		"Content-Length": "25", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": content.SandboxPolicy,
		"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*",
	} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if a := s.Call("HEAD", target, ""); a.ResponseRecorder.Code != 200 || a.Body.Len() != 0 || a.Header().Get("Content-Length") != "25" {
		t.Errorf("HEAD: %d, %d bytes", a.ResponseRecorder.Code, a.Body.Len())
	}
	for _, other := range []string{strings.ToUpper(address), address + "#x", address + "&", "http://a.example/page.html?b=2&a=1"} {
		s.wantError(s.Call("GET", "/api/url/proxy?url="+url.QueryEscape(other), ""), 403, "permission_denied", "权限")
	}
	s.wantError(s.Call("GET", "/api/url/proxy", ""), 400, "invalid_argument", "url")
	s.wantError(s.Call("GET", "/api/url/proxy?url=nonsense", ""), 400, "invalid_argument", "URL")
	s.clock.Add(time.Hour)
	s.wantError(s.Call("GET", target, ""), 403, "permission_denied", "权限")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestContract11_2_ProxyKeepsTheSizeLimit(t *testing.T) {
	s := newSite(t)
	big := strings.Repeat("x", 1<<20+1)
	s.web.pages["http://a.example/told"] = onSite("a/b", big)
	s.web.pages["http://a.example/untold"] = page{content: big, Remote: ports.Remote{Size: -1}}
	for _, name := range []string{"told", "untold"} {
		s.data(s.post("/api/url/info", asKeyA, `{"url":"http://a.example/`+name+`"}`))
	}
	s.wantError(s.Call("GET", "/api/url/proxy?url=http://a.example/told", ""), 413, "too_large", " 1 MB")
	cut := func() (length int) {
		defer func() { _ = recover() }() // the connection is ended
		r := httptest.NewRequest("GET", "/api/url/proxy?url=http://a.example/untold", nil)
		w := httptest.NewRecorder()
		defer func() { length = w.Body.Len() }()
		s.ServeHTTP(w, r)
		t.Error("the answer ended as if it were whole")
		return
	}()
	if cut > 1<<20 {
		t.Errorf("%d bytes left", cut)
	}
}

func TestACallerHasTwoFetchesUnderWay(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/x.txt"] = onSite("text/plain", "x")
	depth := 0
	s.web.during = func() {
		if depth++; depth < 3 {
			a := s.post("/api/url/info", asKeyA, `{"url":"http://a.example/x.txt"}`)
			if depth == 3 || depth == 2 && a.ResponseRecorder.Code == 429 {
				s.wantError(a, 429, "rate_limited", "")
				if a.Header().Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
				depth = 100
				s.data(s.post("/api/url/info", asKeyB, `{"url":"http://a.example/x.txt"}`)) // others are not held up
			}
		}
	}
	s.data(s.post("/api/url/info", asKeyA, `{"url":"http://a.example/x.txt"}`))
	if depth < 100 {
		t.Errorf("the third fetch was not refused (depth %d)", depth)
	}
	s.data(s.post("/api/url/info", asKeyA, `{"url":"http://a.example/x.txt"}`))
}

func TestAKeyFetchesTwentyTimesAMinute(t *testing.T) {
	s := newSite(t)
	limited := httpapi.New(httpapi.Options{Auth: shareAuth{}, Language: edgetest.InChinese, Clock: s.clock})
	urlOps(limited, UseCases{Files: s.files, Uploads: s.uploads, URLs: nil})
	f := edgetest.Client{Handler: limited, T: t}
	for i := range 21 {
		a := f.Call("POST", "/api/url/info", `{"url":`, "Authorization", asKeyA)
		if got := a.ResponseRecorder.Code; i < 20 && got != 400 || i == 20 && got != 429 {
			t.Errorf("call %d: %d", i, got)
		}
	}
}

func TestContract11_3_PresignAndCommitD17(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/报.txt"] = onSite("text/plain", "hello")
	got := s.data(s.post("/api/url/presign", asKeyA, `{"url":"http://a.example/报.txt","s3_config_id":"public","metadata":{"source_url":"http://a.example/"},"slug":"u1",
		"remark":"r","path":"docs","password":"pw","expires_in":"24","max_views":"2","use_proxy":true}`))
	want := edgetest.Object{"file_id": got["file_id"], "upload_url": got["upload_url"], "storage_path": "up/docs/报.txt",
		"s3_url": "https://s3.example.com/bkt/up/docs/%E6%8A%A5.txt", "slug": "u1", "provider_type": "Other", "contentType": "text/plain",
		"hasPassword": true, "expiresAt": "2026-11-22T08:00:00.000Z", "maxViews": 2.0, "url": "http://example.com/file/u1", "raw_url": "http://example.com/api/file-view/u1", "sourceUrl": "http://a.example/报.txt", "corsSupported": true}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	id := got["file_id"].(string)
	if f, err := s.db.Files().Get(t.Context(), id); err != nil || !f.UseProxy || f.Size != 5 || !f.Pending {
		t.Errorf("got %+v, %v", f, err)
	}
	s.wantError(s.post("/api/url/commit", asKeyA, `{"file_id":"`+id+`"}`), 400, "invalid_argument", "")
	s.put(got["upload_url"].(string), "hello")
	s.wantError(s.post("/api/url/commit", asKeyB, `{"file_id":"`+id+`"}`), 403, "not_owner", "权限")
	done := s.data(s.post("/api/url/commit", asKeyA, `{"file_id":"`+id+`","etag":"made-up","size":99}`))
	if done["size"] != 5.0 || done["url"] != "http://example.com/file/u1" || done["use_proxy"] != 1.0 {
		t.Errorf("got %v", done)
	}

	looked := s.web.looked
	got = s.data(s.post("/api/url/presign", asKeyA, `{"url":"http://far.example/x","s3_config_id":"public","filename":"own name",
		"metadata":{"filename":"x.unknown","contentType":"Application/X-Thing; q=1","size":"7"}}`))
	if s.web.looked != looked {
		t.Error("the site was asked for what the caller had told")
	}
	if _, told := got["corsSupported"]; told || got["storage_path"] != "up/own name" || got["contentType"] != "application/x-thing" {
		t.Errorf("got %v", got)
	}
}

func TestContract11_3_PresignRefuses(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=taken", "x")
	s.web.pages["http://a.example/a.txt"] = onSite("text/plain", "x")
	s.web.pages["http://a.example/big"] = onSite("text/plain", strings.Repeat("x", 1<<20+1))
	source := `"url":"http://a.example/a.txt","s3_config_id":"public"`
	for name, c := range map[string]struct {
		path, body, who string
		status          int
		key, text       string
	}{
		"no url":                {"presign", `{"s3_config_id":"public"}`, asKeyA, 400, "invalid_argument", ""},
		"another scheme":        {"presign", `{"url":"ftp://a.example/a.txt","s3_config_id":"public","metadata":{"filename":"a","contentType":"b/c"}}`, asKeyA, 400, "invalid_argument", "URL"},
		"no config":             {"presign", `{"url":"http://a.example/a.txt"}`, asKeyA, 400, "invalid_argument", ""},
		"a site that is away":   {"presign", `{"url":"http://b.example/a.txt","s3_config_id":"public"}`, asKeyA, 400, "invalid_argument", "URL"},
		"over the limit":        {"presign", `{"url":"http://a.example/big","s3_config_id":"public"}`, asKeyA, 413, "too_large", ""},
		"a private config":      {"presign", `{"url":"http://a.example/a.txt","s3_config_id":"private"}`, asKeyA, 403, "storage_forbidden", "没有权限使用此存储配置"},
		"an unknown config":     {"presign", `{"url":"http://a.example/a.txt","s3_config_id":"none"}`, asKeyA, 404, "not_found", "不存在"},
		"a taken slug":          {"presign", `{` + source + `,"slug":"taken"}`, asKeyA, 409, "slug_taken", "链接后缀已被占用"},
		"a bad slug":            {"presign", `{` + source + `,"slug":"a b"}`, asKeyA, 400, "slug_invalid", ""},
		"a name that climbs":    {"presign", `{` + source + `,"filename":"../x"}`, asKeyA, 400, "invalid_argument", ""},
		"a path that climbs":    {"presign", `{` + source + `,"path":"../x"}`, asKeyA, 400, "invalid_argument", ""},
		"a foreign override":    {"presign", `{` + source + `,"slug":"taken","override":"true"}`, asKeyB, 403, "not_owner", "权限"},
		"nobody":                {"presign", `{` + source + `}`, "", 401, "unauthenticated", ""},
		"no permission":         {"presign", `{` + source + `}`, asNoBit, 403, "permission_denied", "权限"},
		"parts, private config": {"multipart/init", `{"url":"http://a.example/a.txt","s3_config_id":"private","total_size":1}`, asKeyA, 404, "not_found", "不存在"},
		"parts, taken slug":     {"multipart/init", `{` + source + `,"slug":"taken"}`, asKeyA, 409, "slug_taken", "链接后缀已被占用"},
		"parts over the limit":  {"multipart/init", `{` + source + `,"total_size":1048577}`, asKeyA, 413, "too_large", ""},
		"parts, tiny":           {"multipart/init", `{` + source + `,"part_size":1000}`, asKeyA, 400, "invalid_argument", ""},
		"parts, too many":       {"multipart/init", `{` + source + `,"part_count":10001}`, asKeyA, 400, "invalid_argument", ""},
		"parts, too few":        {"multipart/init", `{` + source + `,"total_size":10485761,"part_count":2}`, asKeyA, 400, "invalid_argument", ""},
		"parts, negative":       {"multipart/init", `{` + source + `,"total_size":-1}`, asKeyA, 400, "invalid_argument", ""},
		"parts, no permission":  {"multipart/init", `{` + source + `}`, asNoBit, 403, "permission_denied", "权限"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.wantError(s.post("/api/url/"+c.path, c.who, c.body), c.status, c.key, c.text)
		})
	}
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 1 {
		t.Errorf("a refused upload left a record: %+v", usage)
	}
	if uploads, _ := s.bucket.ListUploads(t.Context(), ""); len(uploads) != 0 {
		t.Errorf("a refused upload left an upload: %+v", uploads)
	}
}

// begun starts an upload of two parts and sends them; it returns the answer and
// the ETags.
func (s *site) begun(slug string) (answer edgetest.Object, etags []string) {
	s.T.Helper()
	s.settings.max = 1 << 30
	answer = s.data(s.post("/api/url/multipart/init", asKeyA, `{"url":"http://a.example/y.bin","s3_config_id":"public","slug":"`+slug+`","part_size":5242880,"total_size":5242885,"part_count":2}`))
	for i, content := range []string{strings.Repeat("a", 5<<20), "tail!"} {
		link := answer["presigned_urls"].([]any)[i].(map[string]any)
		if link["partNumber"] != float64(i+1) || !strings.HasPrefix(link["url"].(string), "http://example.com/") {
			s.T.Fatalf("part %d: %v", i+1, link)
		}
		w := httptest.NewRecorder()
		s.bucket.ServeHTTP(w, httptest.NewRequest("PUT", link["url"].(string), strings.NewReader(content)))
		if w.Code != 200 {
			s.T.Fatalf("part %d: %d", i+1, w.Code)
		}
		etags = append(etags, w.Header().Get("ETag"))
	}
	return answer, etags
}

func (s *site) complete(who string, up edgetest.Object, parts string) edgetest.Answer {
	s.T.Helper()
	return s.post("/api/url/multipart/complete", who, fmt.Sprintf(`{"file_id":%q,"upload_id":%q,"parts":%s}`, up["file_id"], up["upload_id"], parts))
}

func TestContract11_5_And_6_MultipartD20(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/y.bin"] = page{Remote: ports.Remote{Size: 3}}
	up, etags := s.begun("u1")
	want := edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"], "slug": "u1", "storagePath": "up/y.bin", "presigned_urls": up["presigned_urls"],
		"partSize": 5242880.0, "totalSize": 5242885.0, "partCount": 2.0, "filename": "y.bin", "contentType": "application/octet-stream", "corsSupported": false,
		"hasPassword": false, "expiresAt": nil, "maxViews": nil, "url": "http://example.com/file/u1", "rawUrl": "http://example.com/api/file-view/u1", "sourceUrl": "http://a.example/y.bin"}
	if diff := cmp.Diff(up, want); diff != "" {
		t.Error(diff)
	}
	bare := strings.Trim(etags[0], `"`)
	list := fmt.Sprintf(`[{"PartNumber":"2","ETag":%q},{"PartNumber":1,"ETag":%q}]`, etags[1], bare)
	s.wantError(s.complete(asKeyB, up, list), 403, "not_owner", "权限")
	s.wantError(s.complete("", up, list), 401, "unauthenticated", "")
	for name, parts := range map[string]string{
		"no parts": `[]`, "no ETag": `[{"PartNumber":1}]`, "number 0": `[{"PartNumber":0,"ETag":"x"}]`, "a wrong ETag": `[{"PartNumber":1,"ETag":"x"}]`,
		"a part twice": fmt.Sprintf(`[{"PartNumber":1,"ETag":%q},{"PartNumber":1,"ETag":%q}]`, bare, bare), "no list": `5`,
	} {
		if a := s.complete(asKeyA, up, parts); a.ResponseRecorder.Code != 400 {
			t.Errorf("%s: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
	}
	s.wantError(s.post("/api/url/multipart/complete", asKeyA, `{"upload_id":"x","parts":[]}`), 400, "invalid_argument", "file_id")
	s.wantError(s.post("/api/url/multipart/complete", asKeyA, fmt.Sprintf(`{"file_id":%q,"parts":[{"PartNumber":1,"ETag":"x"}]}`, up["file_id"])), 400, "invalid_argument", "upload_id")
	s.wantError(s.complete(asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": "other"}, list), 404, "upload_not_found", "不存在")
	s.wantError(s.complete(asKeyA, edgetest.Object{"file_id": "nosuch", "upload_id": "x"}, list), 404, "not_found", "不存在")

	s.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	s.wantError(s.complete(asKeyA, up, list), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	for range 2 { // and it may be repeated
		got := s.data(s.complete(asKeyA, up, list))
		want := edgetest.Object{"success": true, "fileId": up["file_id"], "slug": "u1", "filename": "y.bin", "size": 5242885.0, "etag": got["etag"], "url": "http://example.com/file/u1", "rawUrl": "http://example.com/api/file-view/u1",
			"s3Url": "https://s3.example.com/bkt/up/y.bin", "type": 0.0, "typeName": "unknown"}
		if diff := cmp.Diff(got, want); diff != "" || got["etag"] == nil {
			t.Error(diff)
		}
	}
	if a := s.Call("GET", "/api/file-view/u1", ""); a.Body.Len() != 5242885 {
		t.Errorf("the file has %d bytes", a.Body.Len())
	}
}

func TestContract11_6_ALostAnswerOfStorageIsNoLoss(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/y.bin"] = page{Remote: ports.Remote{Size: 3}}
	up, etags := s.begun("u1")
	list := fmt.Sprintf(`[{"PartNumber":1,"ETag":%q},{"PartNumber":2,"ETag":%q}]`, etags[0], etags[1])
	s.bucket.Fail = func(method, _ string) error {
		if method == "Stat" {
			return ports.ErrUnavailable
		}
		return nil
	}
	s.wantError(s.complete(asKeyA, up, list), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	if got := s.data(s.complete(asKeyA, up, list)); got["size"] != 5242885.0 {
		t.Errorf("got %v", got)
	}
}

func TestContract11_6_AFileOverTheLimitIsRemoved(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/y.bin"] = page{Remote: ports.Remote{Size: 3}}
	up, etags := s.begun("u1")
	s.settings.max = 5 << 20
	s.wantError(s.complete(asKeyA, up, fmt.Sprintf(`[{"PartNumber":1,"ETag":%q},{"PartNumber":2,"ETag":%q}]`, etags[0], etags[1])), 413, "too_large", "")
	if page, _ := s.bucket.List(t.Context(), listAll); len(page.Objects) != 0 {
		t.Errorf("left behind: %v", page.Objects)
	}
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 0 {
		t.Errorf("left a record: %+v", usage)
	}
}

func TestContract11_7_AbortD3(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/y.bin"] = page{Remote: ports.Remote{Size: 3}}
	up, _ := s.begun("u1")
	abort := func(who string, up edgetest.Object) edgetest.Answer {
		return s.post("/api/url/multipart/abort", who, fmt.Sprintf(`{"file_id":%q,"upload_id":%q}`, up["file_id"], up["upload_id"]))
	}
	s.wantError(abort(asKeyB, up), 403, "not_owner", "权限")
	s.wantError(abort(asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": "other"}), 404, "upload_not_found", "不存在")
	s.wantError(abort(asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": ""}), 400, "invalid_argument", "upload_id")
	s.wantError(abort(asKeyA, edgetest.Object{"file_id": "", "upload_id": "x"}), 400, "invalid_argument", "file_id")
	s.wantError(abort(asKeyA, edgetest.Object{"file_id": "nosuch", "upload_id": "x"}), 404, "not_found", "不存在")
	s.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	s.wantError(abort(asKeyA, up), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	got := s.data(abort(asKeyA, up))
	if got["success"] != true || got["fileId"] != up["file_id"] || got["message"] != "分片上传已中止" {
		t.Errorf("got %v", got)
	}
	if uploads, _ := s.bucket.ListUploads(t.Context(), ""); len(uploads) != 0 {
		t.Errorf("left parts: %+v", uploads)
	}
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 0 {
		t.Errorf("left a record: %+v", usage)
	}

	up, _ = s.begun("u2")
	if err := s.bucket.Abort(t.Context(), "up/y.bin", up["upload_id"].(string)); err != nil {
		t.Fatal(err)
	}
	s.data(abort(asKeyA, up)) // already gone in storage

	up, etags := s.begun("u3")
	s.data(s.complete(asKeyA, up, fmt.Sprintf(`[{"PartNumber":1,"ETag":%q},{"PartNumber":2,"ETag":%q}]`, etags[0], etags[1])))
	s.wantError(abort(asKeyA, up), 404, "upload_not_found", "不存在")
	if a := s.Call("GET", "/api/file-view/u3", ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("aborting a complete upload took the file away: %d", a.ResponseRecorder.Code)
	}
}

func TestContract11_8_Cancel(t *testing.T) {
	s := newSite(t)
	s.web.pages["http://a.example/y.bin"] = page{Remote: ports.Remote{Size: 5}}
	cancel := func(who string, id any) edgetest.Answer {
		return s.post("/api/url/cancel", who, fmt.Sprintf(`{"file_id":%q}`, id))
	}
	s.wantError(cancel(asKeyA, ""), 400, "invalid_argument", "file_id")
	s.wantError(cancel(asKeyA, "nosuch"), 404, "not_found", "不存在")
	one := s.data(s.post("/api/url/presign", asKeyA, `{"url":"http://a.example/y.bin","s3_config_id":"public","slug":"u1","password":"pw"}`))
	s.put(one["upload_url"].(string), "hello")
	two, _ := s.begun("u2")
	for _, id := range []any{one["file_id"], two["file_id"]} {
		s.wantError(cancel(asKeyB, id), 403, "not_owner", "权限")
		got := s.data(cancel(asKeyA, id))
		if diff := cmp.Diff(got, edgetest.Object{"file_id": id, "status": "cancelled", "message": "上传已取消"}); diff != "" {
			t.Error(diff)
		}
		s.wantError(cancel(asKeyA, id), 404, "not_found", "不存在")
	}
	if uploads, _ := s.bucket.ListUploads(t.Context(), ""); len(uploads) != 0 {
		t.Errorf("left parts: %+v", uploads)
	}
	if page, _ := s.bucket.List(t.Context(), listAll); len(page.Objects) != 0 {
		t.Errorf("left objects: %v", page.Objects)
	}
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 0 {
		t.Errorf("left a record: %+v", usage)
	}
}

func TestAnAnnouncedFileIsNotTheFileOfSomebodyElse(t *testing.T) {
	s := newSite(t)
	s.upload("secret.txt", "slug=theirs&password=pw&original_filename=true", "for A only")
	s.clock.Add(time.Minute)
	s.web.pages["http://a.example/secret.txt"] = onSite("text/plain", "x")
	whole := s.data(s.post("/api/s3/presign", asKeyB, `{"s3_config_id":"public","filename":"secret.txt","slug":"mine1"}`))
	parts := s.data(s.post("/api/url/multipart/init", asKeyB, `{"url":"http://a.example/secret.txt","s3_config_id":"public","slug":"mine2"}`))
	for _, path := range []string{"/api/s3/commit", "/api/url/commit"} {
		for _, id := range []any{whole["file_id"], parts["file_id"]} {
			s.wantError(s.post(path, asKeyB, fmt.Sprintf(`{"file_id":%q}`, id)), 400, "invalid_argument", "")
		}
	}
	for _, slug := range []string{"mine1", "mine2"} {
		if a := s.Call("GET", "/api/file-view/"+slug, ""); a.ResponseRecorder.Code != 404 || strings.Contains(a.Body.String(), "for A only") {
			t.Errorf("%s: %d %s", slug, a.ResponseRecorder.Code, a.Body)
		}
	}
	s.wantError(s.complete(asKeyB, parts, `[{"PartNumber":1,"ETag":"x"}]`), 400, "invalid_argument", "")
	s.data(s.post("/api/url/cancel", asKeyB, fmt.Sprintf(`{"file_id":%q}`, whole["file_id"])))
	s.data(s.post("/api/url/multipart/abort", asKeyB, fmt.Sprintf(`{"file_id":%q,"upload_id":%q}`, parts["file_id"], parts["upload_id"])))
	if a := s.Call("GET", "/api/file-view/theirs?password=pw", ""); a.Body.String() != "for A only" {
		t.Errorf("cancelling took the other's file away: %d %s", a.ResponseRecorder.Code, a.Body)
	}
}
