package shareapi

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/forms"
	"pasteport/ports"
)

// put sends content to a signed address of the memory bucket, which answers
// for this server too.
func (s *site) put(address, content string) {
	s.T.Helper()
	rec := httptest.NewRecorder()
	s.bucket.ServeHTTP(rec, httptest.NewRequest("PUT", address, strings.NewReader(content)))
	if rec.Code != 200 {
		s.T.Fatalf("PUT %s: %d %s", address, rec.Code, rec.Body)
	}
}

// upload shares a file in one step.
func (s *site) upload(name, query, content string, headers ...string) edgetest.Object {
	s.T.Helper()
	if len(headers) == 0 {
		headers = []string{"Authorization", asKeyA}
	}
	a := s.send("PUT", "/api/upload-direct/"+name+"?"+query, strings.NewReader(content), int64(len(content)), headers...)
	return s.data(a)
}

// send sends a body that is not JSON.
func (s *site) send(method, target string, body io.Reader, size int64, headers ...string) edgetest.Answer {
	s.T.Helper()
	r := httptest.NewRequest(method, target, body)
	r.ContentLength = size
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.Do(r)
}

func TestContract7_2_Presign(t *testing.T) {
	s := newSite(t)
	a := s.Call("POST", "/api/s3/presign", `{"s3_config_id":"public","filename":"报告.txt","mimetype":"text/html","size":"5","path":"/docs//a","slug":"f1",
		"remark":"r","password":"pw","expires_in":"24","max_views":"2","use_proxy":"1","unknown":1}`, "Authorization", asKeyA)
	got := s.data(a)
	want := edgetest.Object{"file_id": got["file_id"], "upload_url": got["upload_url"], "storage_path": "up/docs/a/报告.txt",
		"s3_url": "https://s3.example.com/bkt/up/docs/a/%E6%8A%A5%E5%91%8A.txt", "slug": "f1", "provider_type": "Other", "contentType": "text/plain",
		"hasPassword": true, "expiresAt": "2026-11-22T08:00:00.000Z", "maxViews": 2.0, "url": "http://example.com/file/f1", "raw_url": "http://example.com/api/file-view/f1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	if link := got["upload_url"].(string); !strings.HasPrefix(link, "http://example.com/") {
		t.Errorf("the link of this server is not absolute: %s", link)
	}
}

func TestContract7_2_PresignRefusesBadInput(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=taken", "x")
	small := s.storages.configs["public"]
	small.ID, small.Capacity = "small", 100
	s.storages.configs["small"], s.storages.Opener["small"] = small, s.bucket
	for name, c := range map[string]struct {
		body, who      string
		status         int
		key, substring string
	}{
		"nothing":               {`{}`, asKeyA, 400, "invalid_argument", ""},
		"no name":               {`{"s3_config_id":"public"}`, asKeyA, 400, "invalid_argument", ""},
		"no config":             {`{"filename":"a"}`, asKeyA, 400, "invalid_argument", ""},
		"a size that is a word": {`{"s3_config_id":"public","filename":"a","size":"big"}`, asKeyA, 400, "invalid_argument", ""},
		"a negative size":       {`{"s3_config_id":"public","filename":"a","size":-5}`, asKeyA, 400, "invalid_argument", ""},
		"over the limit":        {`{"s3_config_id":"public","filename":"a","size":1048579}`, asKeyA, 413, "too_large", " 1 MB"},
		"over the capacity":     {`{"s3_config_id":"small","filename":"a","size":2048}`, asKeyA, 400, "quota_exceeded", "存储空间不足"},
		"a path that climbs":    {`{"s3_config_id":"public","filename":"a","path":"../x"}`, asKeyA, 400, "invalid_argument", ""},
		"a name that climbs":    {`{"s3_config_id":"public","filename":"../../x"}`, asKeyA, 400, "invalid_argument", ""},
		"negative hours":        {`{"s3_config_id":"public","filename":"a","expires_in":-1}`, asKeyA, 400, "invalid_argument", ""},
		"a bad slug":            {`{"s3_config_id":"public","filename":"a","slug":"a b"}`, asKeyA, 400, "slug_invalid", ""},
		"a reserved slug":       {`{"s3_config_id":"public","filename":"a","slug":"s3"}`, asKeyA, 400, "slug_reserved", "系统保留"},
		"a taken slug":          {`{"s3_config_id":"public","filename":"a","slug":"taken"}`, asKeyA, 409, "slug_taken", "链接后缀已被占用"},
		"a private config":      {`{"s3_config_id":"private","filename":"a"}`, asKeyA, 403, "storage_forbidden", "没有权限使用此存储配置"},
		"an unknown config":     {`{"s3_config_id":"none","filename":"a"}`, asKeyA, 404, "not_found", "不存在"},
		"nobody":                {`{"s3_config_id":"public","filename":"a"}`, "", 401, "unauthenticated", ""},
		"D12, no permission":    {`{"s3_config_id":"public","filename":"a"}`, asNoBit, 403, "permission_denied", "权限"},
	} {
		for _, lang := range []string{"zh", "en"} {
			t.Run(name+" in "+lang, func(t *testing.T) {
				s.T = t
				s.wantError(s.Call("POST", "/api/s3/presign", c.body, "Authorization", c.who, "Accept-Language", lang), c.status, c.key, c.substring)
			})
		}
	}
	s.T = t
	a := s.Call("POST", "/api/s3/presign", `{"s3_config_id":"small","filename":"a","size":2048}`, "Authorization", asKeyA, "Accept-Language", "en")
	for _, part := range []string{"file size(2.00 KB)", "remaining space(99.00 B)", "capacity limit is 100.00 B."} {
		if !strings.Contains(a.Message, part) {
			t.Errorf("the quota message %q lacks %q", a.Message, part)
		}
	}
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 1 || usage["small"].Files != 0 {
		t.Errorf("a refused upload left a record: %+v", usage)
	}
}

func TestContract7_4_Commit(t *testing.T) {
	s := newSite(t)
	p := s.data(s.Call("POST", "/api/s3/presign", `{"s3_config_id":"public","filename":"a.txt","slug":"f1","size":3}`, "Authorization", asKeyA))
	id := p["file_id"].(string)
	commit := func(who string) edgetest.Answer {
		return s.Call("POST", "/api/s3/commit", `{"file_id":"`+id+`","size":"999","etag":null,"slug":"other","storage_path":"elsewhere","s3_config_id":"private"}`, "Authorization", who)
	}
	s.wantError(commit(asKeyA), 400, "invalid_argument", "")
	s.wantError(s.Call("GET", "/api/public/files/f1", ""), 404, "not_found", "不存在")
	s.put(p["upload_url"].(string), "hello")
	s.wantError(commit(asKeyB), 403, "not_owner", "权限")
	s.wantError(commit(""), 401, "unauthenticated", "")
	for range 2 {
		got := s.data(commit(asKeyA))
		want := edgetest.Object{"id": id, "filename": "a.txt", "slug": "f1", "storage_path": "up/a.txt", "storage_config_id": "public", "storage_type": "S3",
			"file_path": nil, "mimetype": "text/plain", "size": 5.0, "remark": nil, "created_at": "2026-11-21T08:00:00.000Z", "updated_at": "2026-11-21T08:00:00.000Z",
			"views": 0.0, "max_views": nil, "expires_at": nil, "etag": got["etag"], "created_by": "apikey:aaaa", "use_proxy": 0.0, "has_password": false,
			"type": 4.0, "typeName": "text", "url": "http://example.com/file/f1", "raw_url": "http://example.com/api/file-view/f1"}
		if diff := cmp.Diff(got, want); diff != "" || got["etag"] == nil {
			t.Error(diff)
		}
	}
	s.wantError(s.Call("POST", "/api/s3/commit", `{}`, "Authorization", asKeyA), 400, "invalid_argument", "")
	s.wantError(s.Call("POST", "/api/s3/commit", `{"file_id":"nosuch"}`, "Authorization", asKeyA), 404, "not_found", "不存在")
}

func TestContract7_5_UploadDirect(t *testing.T) {
	s := newSite(t)
	got := s.upload("My%20Photo.JPG", "slug=f1&remark=r&password=p%26w&max_views=3&expires_in=1&path=pics", "bytes", "X-Custom-Auth-Key", "share-a")
	links := map[string]string{}
	for _, name := range []string{"previewUrl", "downloadUrl", "s3_direct_preview_url", "s3_direct_download_url", "proxy_preview_url", "proxy_download_url"} {
		links[name], _ = got[name].(string)
		delete(got, name)
	}
	want := edgetest.Object{"id": got["id"], "slug": "f1", "filename": "My Photo.JPG", "mimetype": "image/jpeg", "size": 5.0, "remark": "r",
		"created_at": "2026-11-21T08:00:00.000Z", "requires_password": true, "views": 0.0, "max_views": 3.0, "expires_at": "2026-11-21T09:00:00.000Z",
		"use_proxy": 1.0, "created_by": "apikey:aaaa", "used_original_filename": false, "url": "http://example.com/file/f1", "raw_url": "http://example.com/api/file-view/f1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	if want := "http://example.com/api/file-view/f1?password=p%26w"; links["previewUrl"] != want || links["proxy_preview_url"] != want {
		t.Errorf("got %v", links)
	}
	if links["s3_direct_download_url"] != "" || links["downloadUrl"] != "http://example.com/api/file-download/f1?password=p%26w" {
		t.Errorf("got %v", links)
	}
	if a := s.Call("GET", strings.TrimPrefix(links["previewUrl"], "http://example.com"), ""); a.Body.String() != "bytes" {
		t.Errorf("the preview link gives %d", a.ResponseRecorder.Code)
	}
	f, err := s.db.Files().BySlug(t.Context(), "f1")
	if err != nil || !strings.HasPrefix(f.StoragePath, "up/pics/My Photo-") {
		t.Errorf("got %+v, %v", f, err)
	}

	got = s.upload("kept.bin", "original_filename=true&use_proxy=0", "x", "Authorization", asKeyA, "Content-Type", "Application/X-Thing; a=b")
	if got["used_original_filename"] != true || got["use_proxy"] != 0.0 || got["previewUrl"] != got["s3_direct_preview_url"] || got["mimetype"] != "application/x-thing" {
		t.Errorf("got %v", got)
	}
	if got = s.upload("empty.txt", "", ""); got["size"] != 0.0 {
		t.Errorf("an empty file: %v", got)
	}
}

func TestContract7_5_UploadDirectRefuses(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=mine", "x")
	for name, c := range map[string]struct {
		target, who string
		body        io.Reader
		size        int64
		status      int
		key         string
	}{
		"a foreign override":     {"/api/upload-direct/a.txt?slug=mine&override=true", asKeyB, strings.NewReader("x"), 1, 403, "not_owner"},
		"a taken slug":           {"/api/upload-direct/a.txt?slug=mine", asKeyA, strings.NewReader("x"), 1, 409, "slug_taken"},
		"too large by its word":  {"/api/upload-direct/a.txt", asKeyA, io.LimitReader(edgetest.Zeros{}, 2<<20), 2 << 20, 413, "too_large"},
		"too large by its bytes": {"/api/upload-direct/a.txt", asKeyA, io.LimitReader(edgetest.Zeros{}, 2<<20), -1, 413, "too_large"},
		"over the transport":     {"/api/upload-direct/a.txt", asKeyA, strings.NewReader("x"), 6 << 30, 413, "too_large"},
		"a body cut short":       {"/api/upload-direct/a.txt", asKeyA, strings.NewReader("x"), 10, 400, "invalid_argument"},
		"an unknown config":      {"/api/upload-direct/a.txt?s3_config_id=none", asKeyA, strings.NewReader("x"), 1, 404, "not_found"},
		"a private config":       {"/api/upload-direct/a.txt?s3_config_id=private", asKeyA, strings.NewReader("x"), 1, 403, "storage_forbidden"},
		"a path that climbs":     {"/api/upload-direct/a.txt?path=../up", asKeyA, strings.NewReader("x"), 1, 400, "invalid_argument"},
		"a name that climbs":     {"/api/upload-direct/%2e%2e", asKeyA, strings.NewReader("x"), 1, 400, "invalid_argument"},
		"a number that is none":  {"/api/upload-direct/a.txt?max_views=x", asKeyA, strings.NewReader("x"), 1, 400, "invalid_argument"},
		"nobody":                 {"/api/upload-direct/a.txt", "", strings.NewReader("x"), 1, 401, "unauthenticated"},
		"no permission":          {"/api/upload-direct/a.txt", asNoBit, strings.NewReader("x"), 1, 403, "permission_denied"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.wantError(s.send("PUT", c.target, c.body, c.size, "Authorization", c.who), c.status, c.key, "")
			if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 1 {
				t.Errorf("a refused upload left a record: %+v", usage)
			}
		})
	}
	s.T = t
	s.upload("b.txt", "slug=mine&override=true", "new")
	if a := s.Call("GET", "/api/file-view/mine", ""); a.Body.String() != "new" {
		t.Errorf("after the override: %q", a.Body)
	}
	delete(s.storages.configs, "public")
	s.wantError(s.send("PUT", "/api/upload-direct/a.txt", strings.NewReader("x"), 1, "Authorization", asKeyA), 400, "invalid_argument", "")
}

// form builds a form; the entry "file" is the file, named name.
func form(name string, entries ...string) (*bytes.Buffer, string) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for i := 0; i+1 < len(entries); i += 2 {
		if entries[i] == "file" {
			h := textproto.MIMEHeader{}
			h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, name))
			h.Set("Content-Type", "text/html")
			part, _ := w.CreatePart(h)
			io.WriteString(part, entries[i+1])
		} else {
			w.WriteField(entries[i], entries[i+1])
		}
	}
	w.Close()
	return &buf, w.FormDataContentType()
}

func (s *site) form(name string, entries ...string) edgetest.Answer {
	s.T.Helper()
	body, typ := form(name, entries...)
	return s.send("POST", "/api/upload", body, int64(body.Len()), "Authorization", asKeyA, "Content-Type", typ)
}

func TestContract7_6_FormUpload(t *testing.T) {
	fields := []string{"mimetype", "text/html", "s3_config_id", "local", "slug", "f1", "path", "docs", "remark", "r", "password", "pw", "expires_in", "2", "max_views", "3"}
	for name, entries := range map[string][]string{
		"fields first": append(append([]string{}, fields...), "file", "hello"),
		"file first":   append([]string{"file", "hello"}, fields...),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			got := s.data(s.form("报告.md", entries...))
			if got["slug"] != "f1" || got["filename"] != "报告.md" || got["mimetype"] != "text/markdown" || got["size"] != 5.0 || got["max_views"] != 3.0 ||
				got["remark"] != "r" || got["expires_at"] != "2026-11-21T10:00:00.000Z" || got["use_proxy"] != 0.0 {
				t.Errorf("got %v", got)
			}
			f, err := s.db.Files().BySlug(t.Context(), "f1")
			if err != nil || f.StorageConfigID != "local" || f.StoragePath != "docs/报告.md" || !f.Protected() || f.Pending {
				t.Errorf("got %+v, %v", f, err)
			}
			if a := s.Call("GET", "/api/file-view/f1?password=pw", ""); a.Body.String() != "hello" {
				t.Errorf("got %d %q", a.ResponseRecorder.Code, a.Body)
			}
		})
	}
}

func TestContract7_6_FormUploadRefuses(t *testing.T) {
	s := newSite(t)
	for name, c := range map[string]struct {
		answer edgetest.Answer
		status int
		key    string
	}{
		"no file":                         {s.form("a.txt", "slug", "f1"), 400, "invalid_argument"},
		"two files":                       {s.form("a.txt", "file", "x", "file", "y"), 400, "invalid_argument"},
		"a field behind a streamed file":  {s.form("a.txt", "slug", "f1", "file", "x", "remark", "late"), 400, "invalid_argument"},
		"a file over the limit":           {s.form("a.txt", "slug", "f1", "file", strings.Repeat("x", 1<<20+1)), 413, "too_large"},
		"a first file over the limit":     {s.form("a.txt", "file", strings.Repeat("x", 1<<20+1), "slug", "f1"), 413, "too_large"},
		"a name that climbs":              {s.form("../../etc/passwd", "slug", "f1", "file", "x"), 400, "invalid_argument"},
		"a first file's name that climbs": {s.form(`..`, "file", "x"), 400, "invalid_argument"},
		"a number that is none":           {s.form("a.txt", "max_views", "x", "file", "x"), 400, "invalid_argument"},
		"a field over its limit":          {s.form("a.txt", "remark", strings.Repeat("x", 70<<10), "file", "x"), 400, "invalid_argument"},
		"a bad slug":                      {s.form("a.txt", "slug", "a b", "file", "x"), 400, "slug_invalid"},
		"no form at all":                  {s.Call("POST", "/api/upload", `{"file":"x"}`, "Authorization", asKeyA), 400, "invalid_argument"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.wantError(c.answer, c.status, c.key, "")
		})
	}
	s.T = t
	if over := s.form("a.txt", "file", strings.Repeat("x", 2<<20)); strings.Contains(over.Body.String(), "file size(") || !strings.Contains(over.Body.String(), " 1 MB") {
		t.Errorf("a file that was not read to its end is told a size: %s", over.Body)
	}
	body, typ := form("a.txt", "file", "hello")
	s.wantError(s.send("POST", "/api/upload", bytes.NewReader(body.Bytes()), int64(body.Len()), "Content-Type", typ), 401, "unauthenticated", "")
	for _, entries := range [][]string{{"slug", "f1", "file", strings.Repeat("x", 1000)}, {"file", strings.Repeat("x", 1000)}} {
		body, typ = form("a.txt", entries...)
		cut := body.Bytes()[:body.Len()-500]
		s.wantError(s.send("POST", "/api/upload", bytes.NewReader(cut), int64(len(cut)), "Content-Type", typ, "Authorization", asKeyA), 400, "invalid_argument", "")
	}
	if usage, _ := s.files.Usage(t.Context()); len(usage) != 0 {
		t.Errorf("a refused upload left a record: %+v", usage)
	}
	if page, _ := s.bucket.List(t.Context(), listAll); len(page.Objects) != 0 {
		t.Errorf("a refused upload left an object: %v", page.Objects)
	}
}

func TestAFormsFileEndsOnceAndForAll(t *testing.T) {
	for end, want := range map[string]error{"": io.EOF, "late": forms.ErrOrder} {
		entries := []string{"file", "hello"}
		if end != "" {
			entries = append(entries, "remark", end)
		}
		body, typ := form("a.txt", entries...)
		_, params, err := mime.ParseMediaType(typ)
		if err != nil {
			t.Fatal(err)
		}
		f := &forms.Reader{Parts: multipart.NewReader(body, params["boundary"]), Fields: map[string]string{}}
		file, err := f.UntilFile()
		if err != nil {
			t.Fatal(err)
		}
		l := &forms.LastPart{Form: f, Part: file}
		if n, err := io.ReadFull(l, make([]byte, 5)); n != 5 || err != nil {
			t.Fatalf("read %d, %v", n, err)
		}
		for range 3 { // who fills parts of a fixed size reads past the end
			if n, err := l.Read(make([]byte, 5)); n != 0 || err != want {
				t.Errorf("behind the end: %d, %v, want %v", n, err, want)
			}
		}
	}
}

func TestAFormIsNotKeptForWhoMayUploadNothing(t *testing.T) {
	s := newSite(t)
	const size = 8 << 20
	for who, want := range map[string]int{asNoBit: 403, asKeyA: 413} {
		w := httptest.NewRecorder()
		bytes := &unanswered{r: io.LimitReader(edgetest.Zeros{}, size), w: w}
		r := httptest.NewRequest("POST", "/api/upload", io.MultiReader(
			strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"), bytes))
		r.ContentLength = -1
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		r.Header.Set("Authorization", who)
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d %s", who, w.Code, w.Body)
		}
		if who == asNoBit && bytes.n > 64<<10 {
			t.Errorf("%d bytes were read before the refusal", bytes.n)
		}
	}
}

// unanswered counts the bytes that are read before the answer.
type unanswered struct {
	r io.Reader
	w *httptest.ResponseRecorder
	n int
}

func (u *unanswered) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if u.w.Body.Len() == 0 {
		u.n += n
	}
	return n, err
}

func TestAFormsWaitingFileIsRemoved(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	c := fileCalls{UseCases{Files: s.files, Uploads: s.uploads, SpoolDir: dir}}
	s.API = httpapi.New(httpapi.Options{Auth: shareAuth{}, Language: edgetest.InChinese, Clock: s.clock})
	s.Handler = s.API
	httpapi.Stream(s.API, httpapi.Op{Name: "file.form", Method: "POST", Path: "/api/upload", Body: httpapi.FormBody, Answer: httpapi.Envelope}, c.uploadForm)
	s.data(s.form("a.txt", "file", "hello", "slug", "f1"))
	s.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	s.wantError(s.form("a.txt", "file", "hello", "slug", "f2"), 503, "storage_unavailable", "")
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFormOfKnownLengthIsStoredInOneRequest(t *testing.T) {
	s := newSite(t)
	content := strings.Repeat("tide", 50_000)
	a := s.form("a.bin", "slug", "f1", "file", content)
	if a.Result().StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.Result().StatusCode, a.Body)
	}
	if got := s.Call("GET", "/api/file-view/f1", ""); got.Body.String() != content {
		t.Errorf("%d bytes came back", got.Body.Len())
	}
	// A sender of another kind, whose form may end in any way.
	for slug, end := range map[string]string{"f2": "", "f3": "\r\n", "f4": "\r\nmore"} {
		body := "--mine\r\nContent-Disposition: form-data; name=\"slug\"\r\n\r\n" + slug +
			"\r\n--mine\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--mine--" + end
		a := s.send("POST", "/api/upload", strings.NewReader(body), int64(len(body)), "Authorization", asKeyA, "Content-Type", "multipart/form-data; boundary=mine")
		if got := s.Call("GET", "/api/file-view/"+slug, ""); a.Result().StatusCode != http.StatusOK || got.Body.String() != content {
			t.Errorf("%s: %d %s, %d bytes came back", slug, a.Result().StatusCode, a.Body, got.Body.Len())
		}
	}
}
