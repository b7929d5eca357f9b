package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// What WebDAV refuses before it reads or changes anything, as it comes over the
// wire.
func TestSecurity4_7_WebDAVRefusesWhatIsMalformed(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	s.want(201, "MKCOL", "d", "")
	s.want(201, "PUT", "d/f", "content")
	s.want(201, "PUT", "other", "other")
	const at = "/dav/dav-test/"
	for _, c := range []struct {
		line   string
		header []string
		want   int
	}{
		{"GET " + at + "d/..%2fother", nil, 400},
		{"GET " + at + "d/%2e%2e/other", nil, 400},
		{"GET " + at + "d/%2e%2e%2fother", nil, 400},
		{"GET " + at + "d/..;/other", nil, 404}, // a name
		{"GET " + at + "d/%252e%252e/other", nil, 404},
		{"GET " + at + "d%5c..%5cother", nil, 400},
		{"GET " + at + "d%00/f", nil, 400},
		{"GET " + at + "d//f", nil, 400},
		{"GET " + at + "d/f%0d%0aX:%20y", nil, 400},
		{"GET " + at + "d/%c0%ae%c0%ae/other", nil, 400},
		{"GET /dav/../dav/dav-test/other", nil, 400},
		{"GET /davx/dav-test/other", nil, 404},
		{"GET http://elsewhere.example" + at + "other", nil, 200}, // the host is not the tree's business
		{"DELETE " + at + "d/%2e", nil, 400},
		{"DELETE " + at + "d", []string{"Depth: 1"}, 400},
		{"DELETE /dav/", nil, 403},
		{"DELETE " + at, nil, 403},
		{"MOVE " + at + "other", nil, 400},
		{"MOVE " + at + "other", []string{"Destination: ftp://x/dav/dav-test/y"}, 400},
		{"MOVE " + at + "other", []string{"Destination: //x/dav/dav-test/y"}, 400},
		{"MOVE " + at + "other", []string{"Destination: dav-test/y"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/d/../y"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/d%2fy"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/%00"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/y?x"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/y#x"}, 400},
		{"MOVE " + at + "other", []string{"Destination: /elsewhere/y"}, 502},
		{"MOVE " + at + "other", []string{"Destination: /davx/dav-test/y"}, 502},
		{"MOVE " + at + "other", []string{"Destination: http://x/api/fs/upload"}, 502},
		{"MOVE " + at + "other", []string{"Destination: /dav/"}, 403},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test"}, 403},
		{"MOVE " + at + "other", []string{"Destination: /dav/dav-test/y", "Overwrite: maybe"}, 400},
		{"MOVE " + at + "d", []string{"Destination: /dav/dav-test/d/y"}, 403},
		{"COPY " + at + "d", []string{"Destination: /dav/dav-test/d"}, 403},
		{"COPY " + at + "d/f", []string{"Destination: /dav/dav-test/d"}, 403},
		{"COPY " + at + "d", []string{"Destination: /dav/dav-test/y", "Depth: 1"}, 400},
		{"PROPFIND " + at, []string{"Depth: infinity"}, 403},
		{"PROPFIND " + at, []string{"Depth: 2"}, 400},
		{"PUT " + at + "new", []string{"Content-Length: 1", "Content-Encoding: gzip"}, 415},
		{"PUT " + at + "new", []string{"Content-Length: 1", "Content-Range: bytes 0-0/2"}, 400},
		{"PUT " + at + "new", []string{"Content-Length: -1"}, 400},
		{"PUT " + at + "new", []string{"Content-Length: 9223372036854775807"}, 413},
		{"PUT " + at + "new", []string{"If: ()", "Content-Length: 0"}, 400},
		{"PUT " + at + "new", []string{"If: (<urn:x>", "Content-Length: 0"}, 400},
		{"PUT " + at + "new", []string{"If: " + strings.Repeat("(<urn:x>) ", 200), "Content-Length: 0"}, 400},
		{"PUT " + at + "new", []string{"If: (<urn:uuid:00000000-0000-0000-0000-000000000000>)", "Content-Length: 0"}, 412},
		{"PATCH " + at + "d/f", []string{"Content-Length: 1"}, 405},
		{"POST " + at + "d/f", []string{"Content-Length: 1"}, 405},
		{"UNLOCK " + at + "d/f", nil, 400},
		{"UNLOCK " + at + "d/f", []string{"Lock-Token: <urn:uuid:x"}, 400},
		{"GET " + at + "d/f", []string{"X-Long: " + strings.Repeat("x", 64<<10)}, 431},
		{"GET " + at + strings.Repeat("x/", 2100), nil, 414},
	} {
		if got := s.raw(c.line, c.header...); got != c.want {
			t.Errorf("%.80s %.80q: got %d, want %d", c.line, c.header, got, c.want)
		}
	}
	if a := s.want(200, "GET", "d/f", ""); string(a.body) != "content" {
		t.Errorf("the file holds %q", a.body)
	}
	if a := s.want(200, "GET", "other", ""); string(a.body) != "other" {
		t.Errorf("the other holds %q", a.body)
	}
	s.want(404, "GET", "new", "")
}

func TestContract8_7_FullStoragesAndLongBodies(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	config := s.admin.configID(map[string]any{"name": "small", "driver": "local", "is_public": true, "total_storage_bytes": 100, "options": map[string]any{"directory": t.TempDir()}})
	if a := s.admin.post("/api/admin/mounts", map[string]any{"name": "small", "mount_path": "/small", "storage_type": "LOCAL", "storage_config_id": config}); a.status/100 != 2 {
		t.Fatalf("make a mount: %d %s", a.status, a.body)
	}
	put := func(path string, body io.Reader) int {
		return client{p: s.program, auth: basicAuth(s.key, s.key)}.send("PUT", path, body).status
	}
	if got := put("/dav/small/a", strings.NewReader(strings.Repeat("x", 60))); got != 201 {
		t.Errorf("what fits: %d", got)
	}
	if got := put("/dav/small/b", strings.NewReader(strings.Repeat("x", 60))); got != 507 {
		t.Errorf("over the capacity: %d, want 507", got)
	}
	if got := put("/dav/small/c", io.MultiReader(strings.NewReader(strings.Repeat("x", 60)))); got != 507 {
		t.Errorf("over the capacity, of unknown length: %d, want 507", got)
	}
	if got := put("/dav/small/a", strings.NewReader(strings.Repeat("y", 90))); got != 204 {
		t.Errorf("in place of what is there: %d", got)
	}
	if a := s.admin.send("COPY", "/dav/small/a", nil, "Destination", "/dav/small/copy"); a.status != 507 {
		t.Errorf("a copy over the capacity: %d, want 507", a.status)
	}
	for path, want := range map[string]int{"/dav/small/a": 200, "/dav/small/b": 404, "/dav/small/c": 404, "/dav/small/copy": 404} {
		if a := s.admin.send(http.MethodGet, path, nil); a.status != want {
			t.Errorf("%s: %d, want %d", path, a.status, want)
		}
	}
	if got := s.raw("PUT /dav/dav-test/big", fmt.Sprintf("Content-Length: %d", int64(1)<<50)); got != 413 {
		t.Errorf("more than anybody may send: %d, want 413", got)
	}
}
