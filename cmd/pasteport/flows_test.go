package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// pattern returns n bytes that differ from place to place and from seed to seed.
func pattern(seed uint64, n int) []byte {
	source := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := 0; i+8 <= n; i += 8 {
		v := source.Uint64()
		for j := range 8 {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return b
}

func TestANewcomerSharesAProtectedTextThatOpensTwice(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()

	made := admin.post("/api/paste", map[string]any{"content": "# 你好\n\nsecret text", "slug": "hello", "password": "open-sesame", "maxViews": 2, "remark": "first"})
	if made.status != http.StatusOK {
		t.Fatalf("create: %d %s", made.status, made.body)
	}
	visitor := p.visitor()
	closed := visitor.get("/api/paste/hello")
	if body := closed.object(t); closed.status != 200 || body["requiresPassword"] != true || body["content"] != nil {
		t.Fatalf("without a password: %d %s", closed.status, closed.body)
	}
	if bytes.Contains(closed.body, []byte("secret")) {
		t.Fatal("the content left without the password")
	}
	wrong := visitor.post("/api/paste/hello", map[string]any{"password": "no"})
	if e := wrong.envelope(t); wrong.status != 401 || !strings.Contains(e.Message, "密码错误") || e.Error != "password_wrong" {
		t.Fatalf("wrong password: %d %s", wrong.status, wrong.body)
	}
	first := visitor.post("/api/paste/hello", map[string]any{"password": "open-sesame"}).object(t)
	if first["content"] != "# 你好\n\nsecret text" || first["isLastView"] != false || first["views"] != 1.0 {
		t.Fatalf("first view: %v", first)
	}
	last := visitor.get("/api/raw/hello?password=open-sesame")
	if last.status != 200 || string(last.body) != "# 你好\n\nsecret text" || last.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatalf("raw: %d %v %s", last.status, last.header, last.body)
	}
	for _, path := range []string{"/api/paste/hello", "/api/raw/hello?password=open-sesame"} {
		if a := visitor.get(path); a.status != http.StatusGone {
			t.Errorf("%s after the last view: %d %s", path, a.status, a.body)
		}
	}
	if a := visitor.post("/api/paste/hello", map[string]any{"password": "open-sesame"}); a.status != http.StatusGone {
		t.Errorf("verify after the last view: %d", a.status)
	}
}

func TestAHundredReadersShareExactlyTheViewsOfAPaste(t *testing.T) {
	p := start(t, t.TempDir())
	const limit = 37
	if a := p.admin().post("/api/paste", map[string]any{"content": "few", "slug": "few", "maxViews": limit}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var got, last, gone atomic.Int64
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			a, err := p.visitor().try(http.MethodGet, "/api/paste/few", nil)
			switch {
			case err != nil:
				t.Error(err)
			case a.status == http.StatusOK:
				got.Add(1)
				if bytes.Contains(a.body, []byte(`"isLastView":true`)) {
					last.Add(1)
				}
			case a.status == http.StatusGone:
				gone.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	readers.Wait()
	if got.Load() != limit || last.Load() != 1 || gone.Load() != 100-limit {
		t.Fatalf("got %d contents (%d last), %d gone; want %d (1), %d", got.Load(), last.Load(), gone.Load(), limit, 100-limit)
	}
}

// presign asks for an upload and returns the data of the answer.
func presign(t *testing.T, c client, fields map[string]any) map[string]any {
	t.Helper()
	var configs []map[string]any
	c.get("/api/s3-configs").into(t, &configs)
	if len(configs) == 0 {
		t.Fatal("there is no storage config")
	}
	fields["s3_config_id"] = configs[0]["id"]
	a := c.post("/api/s3/presign", fields)
	if a.status != http.StatusOK {
		t.Fatalf("presign: %d %s", a.status, a.body)
	}
	var data map[string]any
	a.into(t, &data)
	return data
}

func TestAFileGoesUpByPresignedPutAndComesBackWhole(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	content := pattern(1, 20<<20)
	data := presign(t, admin, map[string]any{"filename": "海图 1.bin", "size": strconv.Itoa(len(content)), "slug": "chart", "path": "docs", "password": "pw", "max_views": "3"})
	if data["contentType"] != "application/octet-stream" || data["slug"] != "chart" {
		t.Fatalf("presign: %v", data)
	}
	early := p.visitor().get("/api/public/files/chart")
	if early.status != http.StatusNotFound {
		t.Errorf("before the upload: %d %s", early.status, early.body)
	}
	put := p.visitor().send(http.MethodPut, data["upload_url"].(string), bytes.NewReader(content), "Content-Type", "text/anything")
	if put.status/100 != 2 || put.header.Get("ETag") == "" {
		t.Fatalf("PUT: %d %v %s", put.status, put.header, put.body)
	}
	commit := admin.post("/api/s3/commit", map[string]any{"file_id": data["file_id"], "size": "1", "etag": "made-up"})
	var file map[string]any
	commit.into(t, &file)
	if file["size"] != float64(len(content)) {
		t.Fatalf("commit took the client's size: %s", commit.body)
	}

	visitor := p.visitor()
	if a := visitor.get("/api/file-download/chart"); a.status != 401 {
		t.Fatalf("download without password: %d", a.status)
	}
	info := visitor.get("/api/public/files/chart")
	for _, hidden := range []string{"docs/", "file-download", "/api/blob/", "ticket"} {
		if bytes.Contains(info.body, []byte(hidden)) {
			t.Errorf("the protected info tells %q: %s", hidden, info.body)
		}
	}
	peek := visitor.get("/api/public/files/chart?peek=1")
	for _, hidden := range []string{"海图", "docs/", strconv.Itoa(len(content))} {
		if bytes.Contains(peek.body, []byte(hidden)) {
			t.Errorf("the peek at a protected file tells %q: %s", hidden, peek.body)
		}
	}
	if a := visitor.post("/api/public/files/chart/verify", map[string]any{"password": "no"}); a.status != 401 || !strings.Contains(a.envelope(t).Message, "密码不正确") {
		t.Fatalf("wrong password: %d %s", a.status, a.body)
	}
	var opened map[string]any
	visitor.post("/api/public/files/chart/verify", map[string]any{"password": "pw"}).into(t, &opened)
	download := visitor.get(opened["proxy_download_url"].(string))
	if download.status != 200 || hash(download.body) != hash(content) {
		t.Fatalf("download: %d, %d bytes", download.status, len(download.body))
	}
	if cd := download.header.Get("Content-Disposition"); !strings.HasPrefix(cd, "attachment;") || !strings.Contains(cd, "filename*=UTF-8''%E6%B5%B7%E5%9B%BE%201.bin") {
		t.Errorf("Content-Disposition %q", cd)
	}
	part := visitor.get(opened["proxy_preview_url"].(string), "Range", "bytes=1000-1999")
	if part.status != 206 || !bytes.Equal(part.body, content[1000:2000]) || part.header.Get("Content-Range") != "bytes 1000-1999/20971520" {
		t.Fatalf("range: %d %v", part.status, part.header)
	}
	if a := visitor.get(opened["proxy_preview_url"].(string), "Range", "bytes=99999999-"); a.status != 416 {
		t.Errorf("range past the end: %d", a.status)
	}
	if a := visitor.get(opened["proxy_download_url"].(string), "If-None-Match", download.header.Get("ETag")); a.status != 304 {
		t.Errorf("conditional: %d", a.status)
	}

	gone := admin.delete("/api/files/batch-delete", map[string]any{"ids": []any{data["file_id"]}, "delete_mode": "both"})
	if gone.status != 200 {
		t.Fatalf("delete: %d %s", gone.status, gone.body)
	}
	if a := visitor.get("/api/file-download/chart?password=pw"); a.status != 404 {
		t.Errorf("after delete: %d", a.status)
	}
}

func TestScriptsUploadInOneStepAndByForm(t *testing.T) {
	p := start(t, t.TempDir())
	key, _ := p.admin().key("script", 2, "/")
	content := pattern(2, 3<<20)

	direct := client{p: p}.send(http.MethodPut, "/api/upload-direct/photo%201.jpg?slug=photo&remark=r", bytes.NewReader(content),
		"X-Custom-Auth-Key", strings.TrimPrefix(key.auth, "ApiKey "))
	var data map[string]any
	direct.into(t, &data)
	if direct.status != 200 || data["slug"] != "photo" || data["mimetype"] != "image/jpeg" || data["size"] != float64(len(content)) {
		t.Fatalf("upload-direct: %d %s", direct.status, direct.body)
	}
	if got := p.visitor().get(data["proxy_download_url"].(string)); hash(got.body) != hash(content) {
		t.Error("the direct upload came back changed")
	}

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{"slug": "by-form", "password": "pw", "max_views": "5"} {
		w.WriteField(name, value)
	}
	part, _ := w.CreateFormFile("file", "notes.md")
	io.WriteString(part, "# notes")
	w.Close()
	posted := key.send(http.MethodPost, "/api/upload", &form, "Content-Type", w.FormDataContentType())
	posted.into(t, &data)
	if posted.status != 200 || data["slug"] != "by-form" {
		t.Fatalf("form: %d %s", posted.status, posted.body)
	}
	if got := p.visitor().get("/api/file-download/by-form?password=pw"); string(got.body) != "# notes" {
		t.Errorf("form upload: %d %q", got.status, got.body)
	}
}

func TestReliability2_9_AReplayedWriteIsAppliedOnce(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	body := map[string]any{"content": "once", "slug": "once"}
	first := admin.post("/api/paste", body, "Idempotency-Key", "0190-key")
	again := admin.post("/api/paste", body, "Idempotency-Key", "0190-key")
	if first.status != 200 || again.status != 200 || !bytes.Equal(first.body, again.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Fatalf("%d %s\n%d %v %s", first.status, first.body, again.status, again.header, again.body)
	}
	if a := admin.post("/api/paste", map[string]any{"content": "other", "slug": "other"}, "Idempotency-Key", "0190-key"); a.status != 422 {
		t.Errorf("another body: %d %s", a.status, a.body)
	}
	var list struct{ Data []any }
	json.Unmarshal(admin.get("/api/pastes").body, &list)
	if len(list.Data) != 1 {
		t.Errorf("%d pastes", len(list.Data))
	}
}

func TestAKeySeesOnlyItsOwnShares(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	one, _ := admin.key("one", 3, "/")
	two, _ := admin.key("two", 3, "/")
	made := one.post("/api/paste", map[string]any{"content": "mine", "slug": "mine"}).object(t)
	id := made["id"].(string)
	for name, a := range map[string]answer{
		"read":   two.get("/api/pastes/" + id),
		"update": two.put("/api/pastes/mine", map[string]any{"content": "stolen"}),
	} {
		if a.status != http.StatusNotFound {
			t.Errorf("%s by another key: %d %s", name, a.status, a.body)
		}
	}
	two.delete("/api/pastes/batch-delete", map[string]any{"ids": []string{id}})
	if a := one.get("/api/pastes/" + id); a.status != 200 {
		t.Errorf("another key's delete removed it: %d", a.status)
	}
	nobit, _ := admin.key("no bits", 0, "/")
	for _, path := range []string{"/api/pastes", "/api/files", "/api/s3-configs", "/api/admin/api-keys", "/api/admin/dashboard/stats"} {
		if a := nobit.get(path); a.status != http.StatusForbidden {
			t.Errorf("%s without a bit: %d %s", path, a.status, a.body)
		}
		if a := p.visitor().get(path); a.status != http.StatusUnauthorized {
			t.Errorf("%s signed out: %d", path, a.status)
		}
	}
}
