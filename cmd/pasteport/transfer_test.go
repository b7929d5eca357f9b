package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"

	"pasteport/plugins/s3/s3test"
)

// The transfers of mounts, as clients do them: over local disk, whose links come
// to this server, and over S3, whose links go past it.
func TestFilesOfMountsAreTransferred(t *testing.T) {
	cloud, err := s3test.Start("s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	bucket := cloud.NewBucket(t, "s3")
	p := start(t, t.TempDir(), "HTTP_PROXY="+os.Getenv("HTTP_PROXY"), "PASTEPORT_ENCRYPTION_SECRET=contract-secret", "PASTEPORT_ALLOW_PRIVATE_STORAGE=on")
	admin := p.admin()
	fields := map[string]any{"name": "versity", "provider_type": "Other", "path_style": true, "is_public": true}
	for key, value := range cloud.Config("s3", bucket).Options {
		fields[key] = value
	}
	disk := map[string]any{"name": "disk", "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}}
	for name, c := range map[string]struct {
		config  map[string]any
		storage string
		reach   func(string) string
	}{
		"disk": {disk, "LOCAL", func(link string) string { return link }},
		"s3":   {fields, "S3", cloud.URL},
	} {
		t.Run(name, func(t *testing.T) {
			id := admin.configID(c.config)
			mount := map[string]any{"name": name, "mount_path": "/" + name, "storage_type": c.storage, "storage_config_id": id, "web_proxy": true}
			if a := admin.post("/api/admin/mounts", mount); a.status != 200 {
				t.Fatalf("make a mount: %d %s", a.status, a.body)
			}
			mount["name"], mount["mount_path"], mount["web_proxy"] = name+" direct", "/"+name+"-direct", false
			if a := admin.post("/api/admin/mounts", mount); a.status != 200 {
				t.Fatalf("make a mount: %d %s", a.status, a.body)
			}
			key, _ := admin.key(name, 256|512, "/"+name)
			transfers{t, admin, key, "/" + name, "/" + name + "-direct", c.reach}.run()
		})
	}
}

type transfers struct {
	t         *testing.T
	admin     client
	key       client // may use what lies below proxied
	proxied   string // a mount whose links come to this server
	direct    string // another of the same storage
	reachable func(link string) string
}

func (s transfers) run() {
	s.t.Run("raw and ranges", func(t *testing.T) { s.t = t; s.raw() })
	s.t.Run("form", func(t *testing.T) { s.t = t; s.form() })
	s.t.Run("cut", func(t *testing.T) { s.t = t; s.cut() })
	s.t.Run("update", func(t *testing.T) { s.t = t; s.update() })
	s.t.Run("links", func(t *testing.T) { s.t = t; s.links() })
	s.t.Run("presign", func(t *testing.T) { s.t = t; s.presign() })
	s.t.Run("parts", func(t *testing.T) { s.t = t; s.parts() })
}

func fsURL(call, path string) string { return "/api/fs/" + call + "?path=" + url.QueryEscape(path) }

func (s transfers) object(a answer) map[string]any {
	s.t.Helper()
	if a.status != http.StatusOK {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	var data map[string]any
	a.into(s.t, &data)
	return data
}

func (s transfers) download(path string, header ...string) answer {
	s.t.Helper()
	return s.key.get(fsURL("download", path), header...)
}

func (s transfers) raw() {
	content := pattern(3, 6<<20)
	at := s.proxied + "/深/a b#?%+&'.bin"
	stored := s.object(s.key.send(http.MethodPut, fsURL("upload", at), bytes.NewReader(content)))
	if a := s.download(at); a.status != 200 || hash(a.body) != hash(content) || a.header.Get("ETag") != `"`+stored["etag"].(string)+`"` {
		s.t.Fatalf("download: %d, %d bytes, tag %s", a.status, len(a.body), a.header.Get("ETag"))
	}
	if a := s.download(at, "Range", "bytes=5242879-5242882"); a.status != 206 || !bytes.Equal(a.body, content[5242879:5242883]) {
		s.t.Errorf("range: %d, %d bytes", a.status, len(a.body))
	}
	if a := s.download(at, "Range", "bytes=9999999-"); a.status != 416 || a.header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(content)) {
		s.t.Errorf("past the end: %d %s", a.status, a.header.Get("Content-Range"))
	}
	if a := s.download(at, "If-None-Match", `"`+stored["etag"].(string)+`"`); a.status != 304 {
		s.t.Errorf("unchanged: %d", a.status)
	}
	head, err := s.key.try(http.MethodHead, fsURL("download", at), nil)
	if err != nil || head.status != 200 || head.header.Get("Content-Length") != fmt.Sprint(len(content)) {
		s.t.Errorf("head: %d %v %v", head.status, head.header, err)
	}
	again := s.key.send(http.MethodPut, fsURL("upload", at), strings.NewReader("x"), "If-None-Match", "*")
	if again.status != http.StatusPreconditionFailed {
		s.t.Errorf("if-none-match: %d %s", again.status, again.body)
	}
	if a := s.admin.get(fsURL("list", s.proxied+"/深")); !strings.Contains(string(a.body), `"size":6291456`) {
		s.t.Errorf("the listing does not show it: %s", a.body)
	}
}

func (s transfers) form() {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	content := pattern(5, 1<<20)
	_ = w.WriteField("path", s.proxied+"/form/")
	file, err := w.CreateFormFile("file", "图.txt")
	if err == nil {
		_, err = file.Write(content)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	stored := s.object(s.key.send(http.MethodPost, "/api/fs/upload", &body, "Content-Type", w.FormDataContentType()))
	if stored["s3Path"] != "form/图.txt" || stored["size"] != float64(len(content)) {
		s.t.Errorf("got %v", stored)
	}
	if a := s.download(s.proxied + "/form/图.txt"); hash(a.body) != hash(content) {
		s.t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
}

// cut sends half a body and then hangs up.
func (s transfers) cut() {
	at := s.proxied + "/cut.bin"
	s.object(s.key.send(http.MethodPut, fsURL("upload", at), strings.NewReader("before")))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.key.p.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 2000000\r\n\r\n%s", fsURL("upload", at), s.key.auth, pattern(1, 1<<20))
	if err != nil {
		s.t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn) // the server is done with it
	_ = conn.Close()
	if a := s.download(at); string(a.body) != "before" {
		s.t.Errorf("after a cut: %d, %d bytes", a.status, len(a.body))
	}
}

func (s transfers) update() {
	at := s.proxied + "/n.md"
	first := s.object(s.key.post("/api/fs/update", map[string]any{"path": at, "content": "one"}))
	second := s.object(s.key.post("/api/fs/update", map[string]any{"path": at, "content": "two"}, "If-Match", `"`+first["etag"].(string)+`"`))
	if first["isNewFile"] != true || second["isNewFile"] != false {
		s.t.Errorf("%v %v", first, second)
	}
	late := s.key.post("/api/fs/update", map[string]any{"path": at, "content": "three", "etag": first["etag"]})
	var data map[string]any
	late.into(s.t, &data)
	if late.status != http.StatusPreconditionFailed || data["etag"] != second["etag"] {
		s.t.Errorf("a late save: %d %s", late.status, late.body)
	}
	if a := s.download(at); string(a.body) != "two" {
		s.t.Errorf("stored %q", a.body)
	}
}

func (s transfers) links() {
	visitor := s.key.p.visitor()
	s.object(s.key.send(http.MethodPut, fsURL("upload", s.proxied+"/l/报告 1.txt"), strings.NewReader("linked")))
	proxied := s.object(s.key.get(fsURL("file-link", s.proxied+"/l/报告 1.txt")))
	direct := s.object(s.admin.get(fsURL("file-link", s.direct+"/l/报告 1.txt") + "&force_download=true&expires_in=120"))
	if direct["expiresIn"] != 120.0 || !strings.Contains(proxied["presignedUrl"].(string), "/api/p"+s.proxied+"/l/") {
		s.t.Errorf("%v\n%v", proxied, direct)
	}
	if a := visitor.get(proxied["presignedUrl"].(string)); string(a.body) != "linked" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "inline") {
		s.t.Errorf("proxied: %d %s", a.status, a.body)
	}
	a := visitor.get(s.reachable(direct["presignedUrl"].(string)))
	if string(a.body) != "linked" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		s.t.Errorf("direct: %d %v %s", a.status, a.header, a.body)
	}
	if a := visitor.get("/api/p" + s.proxied + "/l/" + url.PathEscape("报告 1.txt")); a.status != http.StatusUnauthorized {
		s.t.Errorf("unsigned: %d %s", a.status, a.body)
	}
	if a := visitor.get("/api/p" + s.direct + "/l/x"); a.status != http.StatusNotFound {
		s.t.Errorf("a mount without a proxy: %d %s", a.status, a.body)
	}
	details := s.object(s.admin.get(fsURL("get", s.direct+"/l/报告 1.txt")))
	for _, field := range []string{"preview_url", "download_url"} {
		if a := visitor.get(s.reachable(details[field].(string))); string(a.body) != "linked" {
			s.t.Errorf("%s: %d %s", field, a.status, a.body)
		}
	}
}

// send uploads to a link without a credential and returns the ETag.
func (s transfers) send(link string, content []byte) string {
	s.t.Helper()
	a := s.key.p.visitor().send(http.MethodPut, s.reachable(link), bytes.NewReader(content), "Content-Type", "application/octet-stream")
	if a.status != http.StatusOK || a.header.Get("ETag") == "" {
		s.t.Fatalf("PUT %s: %d %s", link, a.status, a.body)
	}
	return a.header.Get("ETag")
}

func (s transfers) presign() {
	content := pattern(9, 300_000)
	announced := s.object(s.key.post("/api/fs/presign", map[string]any{"path": s.proxied + "/pre/", "fileName": "a.bin", "fileSize": len(content)}))
	early := s.key.post("/api/fs/presign/commit", announced)
	if early.status != http.StatusNotFound {
		s.t.Errorf("a commit before the upload: %d %s", early.status, early.body)
	}
	announced["etag"], announced["fileSize"] = s.send(announced["presignedUrl"].(string), content), len(content)
	done := s.object(s.key.post("/api/fs/presign/commit", announced))
	if done["fileName"] != "a.bin" || done["fileSize"] != float64(len(content)) {
		s.t.Errorf("commit: %v", done)
	}
	if a := s.download(s.proxied + "/pre/a.bin"); hash(a.body) != hash(content) {
		s.t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
}

// parts uploads in parts, loses one link, and goes on as the old client does.
func (s transfers) parts() {
	content := pattern(11, 11<<20)
	const size = 5 << 20
	begun := s.object(s.key.post("/api/fs/multipart/init", map[string]any{"path": s.proxied + "/mp/", "fileName": "big.bin", "fileSize": len(content), "partSize": size, "partCount": 3}))
	id, links := begun["uploadId"], begun["presignedUrls"].([]any)
	link := func(l any) string {
		u, err := url.Parse(l.(map[string]any)["url"].(string))
		if err != nil || u.Query().Get("partNumber") != fmt.Sprint(l.(map[string]any)["partNumber"]) || path.Base(u.Path) != "big.bin" {
			s.t.Errorf("part link %v: %v", l, err)
		}
		return l.(map[string]any)["url"].(string)
	}
	s.send(link(links[0]), content[:size])
	listed := s.object(s.key.post("/api/fs/multipart/list-uploads", map[string]any{"path": s.proxied + "/mp"}))
	if uploads := listed["uploads"].([]any); len(uploads) != 1 || uploads[0].(map[string]any)["uploadId"] != id {
		s.t.Fatalf("uploads: %v", listed)
	}
	whole := map[string]any{"path": s.proxied + "/mp/big.bin", "fileName": "big.bin", "uploadId": id}
	arrived := s.object(s.key.post("/api/fs/multipart/list-parts", whole))["parts"].([]any)
	if len(arrived) != 1 || arrived[0].(map[string]any)["size"] != float64(size) {
		s.t.Fatalf("parts: %v", arrived)
	}
	sent := []map[string]any{{"PartNumber": 1, "ETag": arrived[0].(map[string]any)["etag"]}}
	fresh := s.object(s.key.post("/api/fs/multipart/refresh-urls", map[string]any{"path": s.proxied + "/mp/big.bin", "uploadId": id, "partNumbers": []int{2, 3}}))
	for i, l := range fresh["presignedUrls"].([]any) {
		from := (i + 1) * size
		sent = append(sent, map[string]any{"PartNumber": i + 2, "ETag": s.send(link(l), content[from:min(from+size, len(content))])})
	}
	complete := map[string]any{"path": s.proxied + "/mp/", "fileName": "big.bin", "uploadId": id, "parts": sent, "fileSize": len(content)}
	first := s.object(s.key.post("/api/fs/multipart/complete", complete))
	second := s.object(s.key.post("/api/fs/multipart/complete", complete))
	if first["etag"] != second["etag"] || second["size"] != float64(len(content)) {
		s.t.Errorf("complete twice: %v\n%v", first, second)
	}
	if a := s.download(s.proxied + "/mp/big.bin"); hash(a.body) != hash(content) {
		s.t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
	begun = s.object(s.key.post("/api/fs/multipart/init", map[string]any{"path": s.proxied + "/mp", "fileName": "other.bin", "fileSize": 1}))
	for range 2 {
		s.object(s.key.post("/api/fs/multipart/abort", map[string]any{"path": s.proxied + "/mp", "fileName": "other.bin", "uploadId": begun["uploadId"]}))
	}
	if listed := s.object(s.key.post("/api/fs/multipart/list-uploads", map[string]any{"path": s.proxied})); len(listed["uploads"].([]any)) != 0 {
		s.t.Errorf("after an abort: %v", listed)
	}
}

// A server that is started again takes the same links.
func TestProxyLinksOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	var list []struct{ ID string }
	admin.get("/api/admin/mounts").into(t, &list)
	if a := admin.put("/api/admin/mounts/"+list[0].ID, map[string]any{"web_proxy": true}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPut, fsURL("upload", "/local/a.txt"), strings.NewReader("kept")); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var details struct {
		Preview string `json:"preview_url"`
	}
	admin.get(fsURL("get", "/local/a.txt")).into(t, &details)
	link, err := url.Parse(details.Preview)
	if err != nil {
		t.Fatal(err)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("it ended with %d", code)
	}
	p = start(t, dir)
	if a := p.visitor().get(link.RequestURI()); string(a.body) != "kept" {
		t.Errorf("%d %s", a.status, a.body)
	}
}
