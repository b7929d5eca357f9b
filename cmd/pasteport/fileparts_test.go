package main

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// partLinks are the addresses in an answer, by their part.
func partLinks(p *program, links any) map[int]string {
	out := map[int]string{}
	for _, l := range links.([]any) {
		link := l.(map[string]any)
		out[int(link["partNumber"].(float64))] = strings.TrimPrefix(link["url"].(string), p.url)
	}
	return out
}

// A page begins a large file, the server is killed while a part comes, and the
// page goes on with what has arrived.
func TestReliability2_4_AFileInPartsGoesOnAfterTheServerWasKilled(t *testing.T) {
	const partSize = 5 << 20
	content := pattern(13, 3*partSize+17)
	part := func(n int) []byte { return content[(n-1)*partSize : min(n*partSize, len(content))] }
	dir := t.TempDir()
	p := start(t, dir)
	key, _ := p.admin().key("sender", 2, "/")
	var up map[string]any
	key.post("/api/s3/multipart/init", map[string]any{"s3_config_id": localConfig(t, key), "filename": "海图.bin", "size": len(content), "slug": "chart",
		"part_size": partSize, "part_count": 4, "password": "harbour"}).into(t, &up)
	ids := map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"]}
	links := partLinks(p, up["presigned_urls"])
	for _, n := range []int{1, 4} {
		if a := p.visitor().send(http.MethodPut, links[n], bytes.NewReader(part(n))); a.status != http.StatusOK || a.header.Get("ETag") == "" {
			t.Fatalf("part %d: %d %s", n, a.status, a.body)
		}
	}
	conn := p.dial()
	defer conn.Close()
	fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", links[2], partSize)
	if _, err := conn.Write(part(2)[:partSize/2]); err != nil {
		t.Fatal(err)
	}
	p.kill()

	p = start(t, dir)
	key.p = p
	if a := p.visitor().get("/api/file-download/chart?password=harbour"); a.status == http.StatusOK {
		t.Fatalf("a half file is shared: %d bytes", len(a.body))
	}
	arrived := key.post("/api/s3/multipart/list-parts", ids).object(t)["data"].(map[string]any)
	if parts := arrived["parts"].([]any); len(parts) != 2 || parts[0].(map[string]any)["partNumber"] != 1.0 || parts[1].(map[string]any)["partNumber"] != 4.0 {
		t.Fatalf("arrived: %v", arrived)
	}
	if a := key.post("/api/s3/multipart/complete", ids); a.status != http.StatusBadRequest {
		t.Fatalf("complete too early: %d %s", a.status, a.body)
	}
	var fresh map[string]any
	key.post("/api/s3/multipart/refresh-urls", map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"], "part_numbers": []int{2, 3}}).into(t, &fresh)
	for n, link := range partLinks(p, fresh["presigned_urls"]) {
		if a := p.visitor().send(http.MethodPut, link, bytes.NewReader(slices.Concat(part(n), []byte("x")))); a.status != http.StatusForbidden {
			t.Errorf("part %d with a byte more: %d %s", n, a.status, a.body)
		}
		if a := p.visitor().send(http.MethodPut, link, bytes.NewReader(part(n))); a.status != http.StatusOK {
			t.Fatalf("part %d: %d %s", n, a.status, a.body)
		}
	}
	for range 2 {
		var done map[string]any
		key.post("/api/s3/multipart/complete", ids).into(t, &done)
		if done["slug"] != "chart" || done["size"] != float64(len(content)) || done["has_password"] != true {
			t.Fatalf("complete: %v", done)
		}
	}
	if a := p.visitor().get("/api/file-download/chart?password=harbour"); a.status != http.StatusOK || hash(a.body) != hash(content) {
		t.Errorf("download: %d, %d bytes", a.status, len(a.body))
	}
	if a := p.visitor().send(http.MethodPut, partLinks(p, fresh["presigned_urls"])[2], bytes.NewReader(part(2))); a.status != http.StatusForbidden && a.status != http.StatusNotFound {
		t.Errorf("a part after the end: %d %s", a.status, a.body)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "files", "*海图*")); err != nil || len(left) != 1 {
		t.Errorf("objects: %v, %v", left, err)
	}
}
