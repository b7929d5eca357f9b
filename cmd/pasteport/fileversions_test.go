package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pasteport/ports/portstest"
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

// announced is what the answer of an announcement says.
type announced struct {
	FileID    string `json:"file_id"`
	UploadURL string `json:"upload_url"`
	Slug      string
}

// announce announces a file that replaces that of a share, and sends it if it has any
// content.
func (c client) announce(config, slug, content string) announced {
	c.p.t.Helper()
	a := c.post("/api/s3/presign", map[string]any{"s3_config_id": config, "filename": "next.txt", "size": len(content), "slug": slug, "override": "true"})
	var p announced
	if a.into(c.p.t, &p); a.status != http.StatusOK || p.Slug != slug || p.FileID == "" {
		c.p.t.Fatalf("announce: %d %s", a.status, a.body)
	}
	if content != "" {
		if a := c.p.visitor().send(http.MethodPut, strings.TrimPrefix(p.UploadURL, c.p.url), strings.NewReader(content)); a.status != http.StatusOK {
			c.p.t.Fatalf("send: %d %s", a.status, a.body)
		}
	}
	return p
}

// A share has its file until another one is committed, whatever becomes of the server
// and of other uploads, and stays the same share.
func TestAShareIsReplacedAtTheCommit(t *testing.T) {
	for name, kept := range map[string]int{"versions are kept": 20, "none are": 0} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, dir)
			if a := p.admin().put("/api/admin/settings/group/1", map[string]any{"text_revisions_kept": kept}); a.status != http.StatusOK {
				t.Fatalf("settings: %d %s", a.status, a.body)
			}
			owner, _ := p.admin().key("owner", 2, "/")
			id, config := owner.putShare("report", "first"), p.admin().anyConfig()
			reads := func(want string) {
				t.Helper()
				if a := p.visitor().get("/api/file-download/report"); string(a.body) != want {
					t.Errorf("visitors get %d %q, want %q", a.status, a.body, want)
				}
			}
			owner.announce(config, "report", "")
			reads("first")
			next := owner.announce(config, "report", "second")
			reads("first")

			p.kill()
			p = start(t, dir)
			owner.p = p
			reads("first")

			var wg sync.WaitGroup
			many := make([]announced, 16)
			for i := range many {
				wg.Go(func() { many[i] = owner.announce(config, "report", fmt.Sprint("one of many ", i)) })
			}
			wg.Wait()
			for i, one := range many {
				for range 2 {
					wg.Go(func() {
						if i%2 == 1 {
							owner.post("/api/url/cancel", map[string]any{"file_id": one.FileID})
							return
						}
						if a := owner.post("/api/s3/commit", map[string]any{"file_id": one.FileID}); a.status != http.StatusOK {
							t.Errorf("commit: %d %s", a.status, a.body)
						}
					})
				}
			}
			wg.Wait()
			var done struct{ ID, Slug string }
			if owner.post("/api/s3/commit", map[string]any{"file_id": next.FileID}).into(t, &done); done.ID != id || done.Slug != "report" {
				t.Fatalf("got %+v, want id %s", done, id)
			}
			reads("second")
			if owner.post("/api/s3/commit", map[string]any{"file_id": next.FileID}).into(t, &done); done.ID != id {
				t.Errorf("committed again: %+v, want id %s", done, id)
			}
			portstest.Eventually(t, func() bool {
				_, times, _ := owner.openings("file", id)
				return times >= 2
			}, "the log knows the openings before and after")
			var h struct{ Revisions []struct{ Version int64 } }
			if owner.get("/api/files/"+id+"/revisions").into(t, &h); kept > 0 && len(h.Revisions) != 9 || kept == 0 && len(h.Revisions) != 0 {
				t.Errorf("%d versions are kept", len(h.Revisions))
			}
			if n := p.admin().sharedBytes(); kept == 0 && n != int64(len("second")) {
				t.Errorf("%d bytes are counted", n)
			}
		})
	}
}
