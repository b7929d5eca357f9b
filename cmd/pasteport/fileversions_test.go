package main

import (
	"net/http"
	"strings"
	"testing"
)

// putShare makes a file share, or replaces the file of one, and returns its id.
func (c client) putShare(slug, content string) string {
	c.p.t.Helper()
	a := c.send(http.MethodPut, "/api/upload-direct/"+slug+".txt?override=true&slug="+slug, strings.NewReader(content))
	var made struct{ ID string }
	if a.into(c.p.t, &made); made.ID == "" {
		c.p.t.Fatalf("upload: %d %s", a.status, a.body)
	}
	return made.ID
}

func TestTheFilesThatAShareHadCanBeDownloadedAndComeBack(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	owner, _ := admin.key("owner", 2, "/")
	stranger, _ := admin.key("stranger", 2, "/")
	owner.putShare("report", "first")
	owner.putShare("report", "the second")
	id := owner.putShare("report", "third")
	at := "/api/files/" + id + "/revisions"

	var kept struct {
		Keep    bool
		Current struct {
			Version  int64
			Filename string
		}
		Revisions []struct {
			Version, Size int64
			Filename      string
			KeyName       string `json:"key_name"`
			EditedAt      string `json:"edited_at"`
		}
	}
	if owner.get(at).into(t, &kept); !kept.Keep || kept.Current.Version != 3 || len(kept.Revisions) != 2 {
		t.Fatalf("got %+v", kept)
	}
	if r := kept.Revisions[0]; r.Version != 2 || r.Size != 10 || r.KeyName != "owner" || r.EditedAt == "" || !strings.HasPrefix(r.Filename, "report") {
		t.Errorf("got %+v", r)
	}
	if a := owner.get(at + "/2"); string(a.body) != "the second" {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if a := owner.get(at+"/2", "Range", "bytes=4-"); a.status != http.StatusPartialContent || string(a.body) != "second" {
		t.Errorf("a part: %d %s", a.status, a.body)
	}
	for _, c := range []struct {
		who    client
		method string
		path   string
		want   int
	}{
		{stranger, "GET", at, 403}, {stranger, "GET", at + "/2", 403}, {stranger, "PUT", at, 404}, {stranger, "POST", at + "/2/restore", 404},
		{owner, "GET", at + "/9", 404}, {owner, "POST", at + "/9/restore", 404}, {owner, "GET", at + "/x", 400},
		{p.visitor(), "GET", at, 401}, {p.visitor(), "GET", at + "/2", 401},
	} {
		if a := c.who.json(c.method, c.path, map[string]any{"keep": false}); a.status != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, a.status, c.want)
		}
	}

	if a := owner.post(at+"/1/restore", map[string]any{}); a.status != http.StatusOK {
		t.Fatalf("restore: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-download/report"); string(a.body) != "first" {
		t.Errorf("visitors get %d %s", a.status, a.body)
	}
	if a := admin.get(at + "/3"); string(a.body) != "third" {
		t.Errorf("what it replaced: %d %s", a.status, a.body)
	}
	if n := admin.sharedBytes(); n != int64(len("first"+"the second"+"third")) {
		t.Errorf("%d bytes are counted", n)
	}
	owner.put(at, map[string]any{"keep": false})
	if owner.get(at).into(t, &kept); kept.Keep || len(kept.Revisions) != 0 {
		t.Errorf("got %+v", kept)
	}
	if a := owner.delete("/api/files/batch-delete", map[string]any{"ids": []string{id}}); a.status != http.StatusOK {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
}

// sharedBytes is what the dashboard says that all shares hold.
func (c client) sharedBytes() int64 {
	c.p.t.Helper()
	var stats struct {
		TotalStorageUsed int64 `json:"totalStorageUsed"`
	}
	c.get("/api/admin/dashboard/stats").into(c.p.t, &stats)
	return stats.TotalStorageUsed
}
