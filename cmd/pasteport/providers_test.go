package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"pasteport/plugins/s3/s3test"
)

// TestSharesLiveOnEveryProvider takes each S3 driver from the form of its
// storage config to the last delete, against a server that refuses what the
// provider refuses.
func TestSharesLiveOnEveryProvider(t *testing.T) {
	cloud, err := s3test.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	source := pattern(11, 10<<20+321)
	address, allowed := elsewhere(t, source)
	p := start(t, t.TempDir(), "HTTP_PROXY="+os.Getenv("HTTP_PROXY"), "NO_PROXY=127.0.0.1", "PASTEPORT_FETCH_ALLOW="+allowed)
	admin := p.admin()
	for provider, text := range map[string]string{"aws": "AWS S3", "r2": "Cloudflare R2", "b2": "Backblaze B2", "s3": "Aliyun OSS"} {
		t.Run(provider, func(t *testing.T) {
			s := &shop{t: t, cloud: cloud, provider: cloud.Provider(provider), p: p, admin: admin, bucket: cloud.NewBucket(t, provider)}
			fields := map[string]any{"name": provider, "provider_type": text, "default_folder": "/in/", "is_public": true}
			for key, value := range cloud.Config(provider, s.bucket).Options {
				fields[key] = value
			}
			s.id = admin.configID(fields)
			s.key, _ = admin.key("on "+provider, 2, "/")
			s.passesTheTest()
			s.takesABrowsersUpload()
			s.refusesAWrongCommit()
			s.takesStreams()
			s.replaces()
			s.keepsToItsCapacity()
			s.deletes()
			s.takesAnAddress(address, source)
			s.takesAFileInParts(source)
			for _, v := range s.provider.Violations() {
				t.Errorf("sent what the provider refuses: %s", v)
			}
		})
	}
}

// shop is one storage config with a bucket of its own and a key that may use it.
type shop struct {
	t          *testing.T
	cloud      *s3test.Cloud
	provider   *s3test.Provider
	p          *program
	admin, key client
	bucket, id string
}

func (s *shop) ok(a answer) map[string]any {
	s.t.Helper()
	if a.status != http.StatusOK {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	var data map[string]any
	a.into(s.t, &data)
	return data
}

func (s *shop) passesTheTest() {
	s.t.Helper()
	const page = "https://page.example"
	set := s.admin.post("/api/s3-configs/"+s.id+"/cors", map[string]any{}, "Origin", page)
	if s.provider.Name == "b2" { // its rules are set by Backblaze's own tool
		if set.status/100 == 2 {
			s.t.Errorf("set the rule of browsers: %d %s", set.status, set.body)
		}
		s.t.Cleanup(s.provider.Switch(s3test.Switches{NativeCORS: true}))
		s.provider.AllowBrowsers(s.t, s.bucket, page)
	} else if set.status != http.StatusOK {
		s.t.Errorf("set the rule of browsers: %d %s", set.status, set.body)
	}
	var r storageTest
	s.admin.post("/api/s3-configs/"+s.id+"/test", nil, "Origin", page, "Accept-Language", "en").into(s.t, &r)
	if failures := r.failures(); !r.Success || len(failures) != 0 {
		s.t.Errorf("the test of the storage: %v", failures)
	}
	if left := s.provider.Keys(s.t, s.bucket); len(left) != 0 {
		s.t.Errorf("the test left %q", left)
	}
}

// presign announces a file; fields may say more of it.
func (s *shop) presign(name string, size int, fields map[string]any) map[string]any {
	s.t.Helper()
	in := map[string]any{"s3_config_id": s.id, "filename": name, "size": size}
	for k, v := range fields {
		in[k] = v
	}
	return s.ok(s.key.post("/api/s3/presign", in))
}

// browser sends content to a signed address, as a page would: with a type that
// nobody announced.
func (s *shop) browser(link string, content []byte) answer {
	s.t.Helper()
	a := s.p.visitor().send(http.MethodPut, s.cloud.URL(link), bytes.NewReader(content), "Content-Type", `text/x-odd; charset="utf-8"`, "Origin", "https://page.example")
	if a.header.Get("Access-Control-Allow-Origin") == "" {
		s.t.Errorf("a page may not read the answer: %v", a.header)
	}
	return a
}

func (s *shop) takesABrowsersUpload() {
	s.t.Helper()
	content := pattern(1, 700_001)
	up := s.presign("海图 +1.bin", len(content), map[string]any{"slug": s.provider.Name + "-sent", "path": "深/b", "use_proxy": 0})
	if a := s.browser(up["upload_url"].(string), content); a.status != http.StatusOK || a.header.Get("ETag") == "" {
		s.t.Fatalf("PUT: %d %s", a.status, a.body)
	}
	file := s.ok(s.key.post("/api/s3/commit", map[string]any{"file_id": up["file_id"], "size": 3, "etag": "made-up"}))
	if file["size"] != float64(len(content)) || file["etag"] == "made-up" {
		s.t.Errorf("commit believed the client: %v", file)
	}
	if !slices.Contains(s.provider.Keys(s.t, s.bucket), up["storage_path"].(string)) || !strings.HasPrefix(up["storage_path"].(string), "in/深/b/") {
		s.t.Errorf("it lies at %q, the bucket holds %q", up["storage_path"], s.provider.Keys(s.t, s.bucket))
	}
	s.read(s.provider.Name+"-sent", content)
	info := s.ok(s.p.visitor().get("/api/public/files/" + s.provider.Name + "-sent"))
	direct := s.p.visitor().get(s.cloud.URL(info["s3_direct_download_url"].(string)), "Range", "bytes=10-19")
	if direct.status != http.StatusPartialContent || !bytes.Equal(direct.body, content[10:20]) {
		s.t.Errorf("past the server: %d %s", direct.status, direct.body)
	}
	if cd := direct.header.Get("Content-Disposition"); !strings.HasPrefix(cd, "attachment") || !strings.Contains(cd, url.PathEscape("海图")) {
		s.t.Errorf("past the server it is called %q", cd)
	}
}

// read reads a file through the server: whole, in ranges, and unchanged.
func (s *shop) read(slug string, content []byte) {
	s.t.Helper()
	whole := s.p.visitor().get("/api/file-download/" + slug)
	if whole.status != http.StatusOK || hash(whole.body) != hash(content) {
		s.t.Fatalf("download: %d, %d of %d bytes", whole.status, len(whole.body), len(content))
	}
	n := len(content)
	for asked, want := range map[string][]byte{
		"bytes=0-0": content[:1], "bytes=-7": content[n-7:], fmt.Sprintf("bytes=%d-", n-1): content[n-1:], "bytes=1000-1999": content[1000:2000],
		fmt.Sprintf("bytes=%d-%d", n-10, n+10): content[n-10:],
	} {
		if a := s.p.visitor().get("/api/file-view/"+slug, "Range", asked); a.status != http.StatusPartialContent || !bytes.Equal(a.body, want) {
			s.t.Errorf("%s: %d, %d bytes", asked, a.status, len(a.body))
		}
	}
	past := s.p.visitor().get("/api/file-view/"+slug, "Range", fmt.Sprintf("bytes=%d-", n))
	if past.status != http.StatusRequestedRangeNotSatisfiable || past.header.Get("Content-Range") != fmt.Sprintf("bytes */%d", n) {
		s.t.Errorf("past the end: %d %v", past.status, past.header)
	}
	if a := s.p.visitor().get("/api/file-view/"+slug, "If-None-Match", whole.header.Get("ETag")); a.status != http.StatusNotModified {
		s.t.Errorf("unchanged: %d", a.status)
	}
}

func (s *shop) refusesAWrongCommit() {
	s.t.Helper()
	slug := s.provider.Name + "-never"
	up := s.presign("never.txt", 9, map[string]any{"slug": slug})
	if a := s.key.post("/api/s3/commit", map[string]any{"file_id": up["file_id"], "size": 9, "etag": "x"}); a.status != http.StatusBadRequest {
		s.t.Errorf("commit of what never came: %d %s", a.status, a.body)
	}
	if a := s.p.visitor().get("/api/public/files/" + slug); a.status != http.StatusNotFound {
		s.t.Errorf("what never came is shown: %d %s", a.status, a.body)
	}
	other, _ := s.admin.key("not the uploader on "+s.provider.Name, 2, "/")
	if a := other.post("/api/s3/commit", map[string]any{"file_id": up["file_id"]}); a.status != http.StatusForbidden {
		s.t.Errorf("commit by another key: %d %s", a.status, a.body)
	}
	content := pattern(2, 4242)
	if a := s.browser(up["upload_url"].(string), content); a.status != http.StatusOK {
		s.t.Fatalf("PUT of another size: %d %s", a.status, a.body)
	}
	if file := s.ok(s.key.post("/api/s3/commit", map[string]any{"file_id": up["file_id"], "size": 9})); file["size"] != 4242.0 {
		s.t.Errorf("the file is said to have %v bytes", file["size"])
	}
	s.read(slug, content)
}

// stream hides how long a body is.
type stream struct{ io.Reader }

func (s *shop) takesStreams() {
	s.t.Helper()
	size := 11<<20 + 5 // more than two parts
	if s.provider.Name == "r2" {
		size = 96 << 20
	}
	content := pattern(3, size)
	direct := "/api/upload-direct/stream.bin?slug=" + s.provider.Name + "-direct&s3_config_id=" + s.id
	s.p.flat(func() { s.ok(s.key.send(http.MethodPut, direct, stream{bytes.NewReader(content)})) })
	s.p.flat(func() { s.read(s.provider.Name+"-direct", content) })

	var front bytes.Buffer
	form := multipart.NewWriter(&front)
	for name, value := range map[string]string{"slug": s.provider.Name + "-form", "s3_config_id": s.id, "path": "forms"} {
		form.WriteField(name, value)
	}
	if _, err := form.CreateFormFile("file", "文 件.md"); err != nil {
		s.t.Fatal(err)
	}
	body := stream{io.MultiReader(&front, bytes.NewReader(content), strings.NewReader("\r\n--"+form.Boundary()+"--\r\n"))}
	s.p.flat(func() {
		data := s.ok(s.key.send(http.MethodPost, "/api/upload", body, "Content-Type", form.FormDataContentType()))
		if data["size"] != float64(len(content)) || data["mimetype"] != "text/markdown" {
			s.t.Errorf("the form made %v", data)
		}
	})
	s.read(s.provider.Name+"-form", content)
}

// flat fails the test when the server needs much more memory for the work than
// it has before it.
func (p *program) flat(work func()) {
	p.t.Helper()
	const most = 48 << 10 // KiB
	pid := p.cmd.Process.Pid
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil { // the peak starts anew
		p.t.Fatal(err)
	}
	before := memory(p.t, pid, "VmRSS")
	work()
	if grown := memory(p.t, pid, "VmHWM") - before; grown > most {
		p.t.Errorf("the server grew by %d MiB, want at most %d", grown>>10, most>>10)
	}
}

// memory is a line of /proc/pid/status in KiB.
func memory(t testing.TB, pid int, field string) (kib int64) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), field+":")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatalf("%s: %v", field, err)
	}
	return kib
}

func (s *shop) replaces() {
	s.t.Helper()
	slug := s.provider.Name + "-again"
	put := func(content, query string) map[string]any {
		return s.ok(s.key.send(http.MethodPut, "/api/upload-direct/again.txt?slug="+slug+"&s3_config_id="+s.id+query, strings.NewReader(content)))
	}
	put("first", "")
	before := s.provider.Keys(s.t, s.bucket)
	if a := s.key.send(http.MethodPut, "/api/upload-direct/again.txt?slug="+slug+"&s3_config_id="+s.id, strings.NewReader("x")); a.status != http.StatusConflict {
		s.t.Errorf("the slug twice: %d %s", a.status, a.body)
	}
	stranger, _ := s.admin.key("stranger on "+s.provider.Name, 2, "/")
	if a := stranger.send(http.MethodPut, "/api/upload-direct/again.txt?override=true&slug="+slug+"&s3_config_id="+s.id, strings.NewReader("x")); a.status != http.StatusForbidden {
		s.t.Errorf("over the file of another: %d %s", a.status, a.body)
	}
	second := put("the second, longer", "&override=true")
	if a := s.p.visitor().get("/api/file-download/" + slug); string(a.body) != "the second, longer" {
		s.t.Errorf("after replacing: %d %s", a.status, a.body)
	}
	if after := s.provider.Keys(s.t, s.bucket); len(after) != len(before)+1 {
		s.t.Errorf("the first file is not kept as a version: %q", after)
	}
	s.delete(second["id"].(string), "both")
	if after := s.provider.Keys(s.t, s.bucket); len(after) != len(before)-1 {
		s.t.Errorf("the versions stay: %q", after)
	}

	// Files of one's own with the same name never lie over each other; each goes
	// with its own object.
	same := func(content string) string {
		return s.ok(s.key.send(http.MethodPut, "/api/upload-direct/same.txt?original_filename=true&override=true&s3_config_id="+s.id, strings.NewReader(content)))["id"].(string)
	}
	one, two := same("one"), same("two")
	if n := s.holding("in/same.txt"); n != 1 {
		s.t.Fatalf("%d objects in/same.txt", n)
	}
	for left, id := range []string{two, one} {
		s.delete(id, "both")
		if n := s.holding("in/same.txt"); n != 1-left {
			s.t.Errorf("%d objects with %d files left", n, 1-left)
		}
	}
}

func (s *shop) holding(key string) (n int) {
	s.t.Helper()
	for _, k := range s.provider.Keys(s.t, s.bucket) {
		if k == key {
			n++
		}
	}
	return n
}

func (s *shop) delete(id, mode string) {
	s.t.Helper()
	done := s.ok(s.key.delete("/api/files/batch-delete", map[string]any{"ids": []string{id}, "delete_mode": mode}))
	if done["success"] != 1.0 {
		s.t.Fatalf("delete %s: %v", mode, done)
	}
}

func (s *shop) keepsToItsCapacity() {
	s.t.Helper()
	const room = 2000 // bytes left
	used := int64(0)
	var files struct{ Files []struct{ Size int64 } }
	s.key.get("/api/files?limit=100").into(s.t, &files)
	for _, f := range files.Files {
		used += f.Size
	}
	capacity := func(n int64) {
		if a := s.admin.put("/api/s3-configs/"+s.id, map[string]any{"total_storage_bytes": n}); a.status != 200 {
			s.t.Fatalf("capacity: %d %s", a.status, a.body)
		}
	}
	capacity(used + room)
	defer capacity(1 << 40)
	before := s.provider.Keys(s.t, s.bucket)
	full := func(what string, a answer) {
		if e := a.envelope(s.t); a.status != http.StatusBadRequest || e.Error != "quota_exceeded" || !strings.Contains(e.Message, "存储空间不足") {
			s.t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	full("announce too much", s.key.post("/api/s3/presign", map[string]any{"s3_config_id": s.id, "filename": "q.bin", "size": room + 1}))
	full("send too much", s.key.send(http.MethodPut, "/api/upload-direct/q.bin?s3_config_id="+s.id, bytes.NewReader(make([]byte, room+1))))
	full("stream too much", s.key.send(http.MethodPut, "/api/upload-direct/q.bin?s3_config_id="+s.id, stream{bytes.NewReader(make([]byte, room+1))}))
	up := s.presign("q.bin", room, nil)
	full("announce beside what is announced", s.key.post("/api/s3/presign", map[string]any{"s3_config_id": s.id, "filename": "q.bin", "size": 1}))
	if a := s.browser(up["upload_url"].(string), make([]byte, room+1)); a.status != http.StatusOK {
		s.t.Fatalf("PUT: %d %s", a.status, a.body)
	}
	full("commit more than was announced", s.key.post("/api/s3/commit", map[string]any{"file_id": up["file_id"]}))
	if after := s.provider.Keys(s.t, s.bucket); !slices.Equal(before, after) {
		s.t.Errorf("a full storage held %q, now %q", before, after)
	}
	up = s.presign("fits.bin", room, nil)
	if a := s.browser(up["upload_url"].(string), make([]byte, room)); a.status != http.StatusOK {
		s.t.Fatalf("PUT: %d %s", a.status, a.body)
	}
	s.ok(s.key.post("/api/s3/commit", map[string]any{"file_id": up["file_id"]}))
	s.delete(up["file_id"].(string), "both")
}

func (s *shop) deletes() {
	s.t.Helper()
	for mode, left := range map[string]int{"both": 0, "record_only": 1} {
		slug := s.provider.Name + "-" + strings.ReplaceAll(mode, "_", "-")
		file := s.ok(s.key.send(http.MethodPut, "/api/upload-direct/"+mode+".txt?original_filename=true&slug="+slug+"&s3_config_id="+s.id, strings.NewReader(mode)))
		s.delete(file["id"].(string), mode)
		if a := s.p.visitor().get("/api/file-download/" + slug); a.status != http.StatusNotFound {
			s.t.Errorf("%s: the link answers %d", mode, a.status)
		}
		key := "in/" + mode + ".txt"
		if n := s.holding(key); n != left {
			s.t.Errorf("%s: %d objects are left, want %d", mode, n, left)
		}
		if s.provider.Name == "b2" {
			if n := s.provider.Versions(s.t, s.bucket, key); n != left {
				s.t.Errorf("%s: %d versions are left, want %d", mode, n, left)
			}
		}
	}
}

// takesAnAddress uploads the content of another site in parts.
func (s *shop) takesAnAddress(address string, content []byte) {
	s.t.Helper()
	const partSize = 5 << 20
	begin := func(slug string) (up map[string]any, links []string) {
		up = s.ok(s.key.post("/api/url/multipart/init", map[string]any{"url": address, "s3_config_id": s.id, "slug": slug, "filename": "海图.bin",
			"part_size": partSize, "total_size": len(content), "part_count": 3}))
		for _, l := range up["presigned_urls"].([]any) {
			links = append(links, s.cloud.URL(l.(map[string]any)["url"].(string)))
		}
		return up, links
	}
	slug := s.provider.Name + "-fetched"
	up, links := begin(slug)
	var parts []map[string]any
	for i, link := range links {
		part := content[i*partSize : min((i+1)*partSize, len(content))]
		put := s.p.visitor().send(http.MethodPut, link, bytes.NewReader(part), "Content-Type", "application/octet-stream")
		if put.status != http.StatusOK {
			s.t.Fatalf("part %d: %d %s", i+1, put.status, put.body)
		}
		parts = append([]map[string]any{{"PartNumber": i + 1, "ETag": put.header.Get("ETag")}}, parts...)
	}
	whole := map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"], "parts": parts}
	wrong := map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"], "parts": []map[string]any{{"PartNumber": 1, "ETag": "0123456789abcdef0123456789abcdef"}}}
	if a := s.key.post("/api/url/multipart/complete", wrong); a.status != http.StatusBadRequest {
		s.t.Errorf("complete with a wrong tag: %d %s", a.status, a.body)
	}
	if done := s.ok(s.key.post("/api/url/multipart/complete", whole)); done["size"] != float64(len(content)) || done["url"] != s.p.url+"/file/"+slug {
		s.t.Errorf("complete: %v", done)
	}
	s.read(slug, content)

	given, links := begin(s.provider.Name + "-given-up")
	ids := map[string]any{"file_id": given["file_id"], "upload_id": given["upload_id"]}
	s.ok(s.key.post("/api/url/multipart/abort", ids))
	if a := s.p.visitor().send(http.MethodPut, links[2], strings.NewReader("late")); a.status != http.StatusNotFound {
		s.t.Errorf("a part after the abort: %d %s", a.status, a.body)
	}
}

// takesAFileInParts uploads a file in parts, loses the page in between, and goes on.
func (s *shop) takesAFileInParts(content []byte) {
	s.t.Helper()
	const partSize = 5 << 20
	send := func(links any, numbers ...int) {
		s.t.Helper()
		for _, l := range links.([]any) {
			link := l.(map[string]any)
			if n := int(link["partNumber"].(float64)); slices.Contains(numbers, n) {
				if a := s.browser(link["url"].(string), content[(n-1)*partSize:min(n*partSize, len(content))]); a.status != http.StatusOK {
					s.t.Fatalf("part %d: %d %s", n, a.status, a.body)
				}
			}
		}
	}
	slug := s.provider.Name + "-parts"
	up := s.ok(s.key.post("/api/s3/multipart/init", map[string]any{"s3_config_id": s.id, "filename": "海图.bin", "slug": slug, "size": len(content)}))
	send(up["presigned_urls"], 3, 1)
	ids := map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"]}
	if arrived := s.ok(s.key.post("/api/s3/multipart/list-parts", ids)); len(arrived["parts"].([]any)) != 2 {
		s.t.Fatalf("arrived: %v", arrived)
	}
	if a := s.key.post("/api/s3/multipart/complete", ids); a.status != http.StatusBadRequest {
		s.t.Errorf("complete without a part: %d %s", a.status, a.body)
	}
	again := map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"], "part_numbers": []int{2}}
	send(s.ok(s.key.post("/api/s3/multipart/refresh-urls", again))["presigned_urls"], 2)
	for range 2 {
		if done := s.ok(s.key.post("/api/s3/multipart/complete", ids)); done["size"] != float64(len(content)) || done["slug"] != slug {
			s.t.Errorf("complete: %v", done)
		}
	}
	s.read(slug, content)
}
