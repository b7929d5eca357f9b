package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestALinkOfAFolderStaysInsideIt: the share is a principal of its own in the table
// of contract §2.1. Whoever has its link reaches what lies in the folder by every
// call, and nothing beside or above it, in whatever form the path is written.
func TestALinkOfAFolderStaysInsideIt(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin, visitor := p.admin(), p.visitor()
	write := func(path, content string) {
		t.Helper()
		at := filepath.Join(dir, localFolder, strings.TrimPrefix(path, "/local/"))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"/local/team", confinedBase, confinedBase + "/deep", "/local/team/b", "/local/team/ab", "/local/team/A"} {
		write(folder+"/f.txt", "content of "+folder)
	}
	at := filepath.Join(dir, localFolder, "team")
	for _, link := range []string{"out", "deep/out"} {
		if err := os.Symlink(filepath.Join(at, "b"), filepath.Join(at, "a", link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(at, "b", "f.txt"), filepath.Join(at, "a", "link.txt")); err != nil {
		t.Fatal(err)
	}
	made := admin.post("/api/collections", map[string]string{"folder": confinedBase, "slug": "lent"})
	if made.status != http.StatusOK {
		t.Fatalf("share the folder: %d %s", made.status, made.body)
	}
	for slug, body := range map[string]map[string]any{
		"stood": {"folder": confinedBase, "as_it_stood": true}, "some": {"paths": []string{confinedBase + "/deep", confinedBase + "/f.txt"}},
	} {
		body["slug"] = slug
		if made := admin.post("/api/collections", body); made.status != http.StatusOK {
			t.Fatalf("share it as %s: %d %s", slug, made.status, made.body)
		}
	}
	id := func(path string) string {
		rel, below := strings.CutPrefix(path, confinedBase+"/")
		if !below {
			rel = "../" + strings.TrimPrefix(path, "/local/team/")
		}
		return "p" + base64.RawURLEncoding.EncodeToString([]byte(rel))
	}
	calls := map[string]func(path string) answer{}
	for _, slug := range []string{"lent", "stood", "some"} {
		calls["list "+slug] = func(path string) answer {
			return visitor.get("/api/public/collections/" + slug + "?folder=" + id(path))
		}
		calls["zip "+slug] = func(path string) answer { return visitor.get("/api/collection-zip/" + slug + "?folder=" + id(path)) }
		calls["view "+slug] = func(path string) answer { return visitor.get("/api/collection-view/" + slug + "/" + id(path+"/f.txt")) }
		calls["download "+slug] = func(path string) answer {
			return visitor.get("/api/collection-download/" + slug + "/" + id(path+"/f.txt"))
		}
		calls["thumbnail "+slug] = func(path string) answer {
			a := visitor.get("/api/collection-thumbnail/" + slug + "/" + id(path+"/f.txt"))
			if a.status == http.StatusUnsupportedMediaType { // it was let in; a text has no small picture
				a.status = http.StatusOK
			}
			return a
		}
	}
	for name, call := range calls {
		ways := slices.Clone(confinedPaths)
		for _, link := range []string{"/out", "/deep/out"} {
			to := ways[0]
			to.name, to.folder, to.inside = "the link "+link, confinedBase+link, false
			ways = append(ways, to)
		}
		for _, to := range ways {
			got := call(to.folder)
			if to.inside && !to.unclean {
				continue
			}
			if strings.Contains(string(got.body), "content of /local/team") || got.status == http.StatusOK {
				t.Errorf("%s, %s: got %d %s", name, to.name, got.status, got.body)
			}
		}
		if got := call(confinedBase + "/deep"); got.status != http.StatusOK {
			t.Errorf("%s inside: got %d %s", name, got.status, got.body)
		}
	}
	var page struct {
		Data struct {
			Items   []struct{ Filename, DownloadURL string }
			Folders []struct{ Name string }
		}
	}
	if got := visitor.get("/api/public/collections/lent"); json.Unmarshal(got.body, &page) != nil || len(page.Data.Items) != 1 || len(page.Data.Folders) != 1 || page.Data.Folders[0].Name != "deep" {
		t.Errorf("the page shows %s", got.body)
	}
	for _, path := range []string{"link.txt", "out/f.txt"} {
		if got := visitor.get("/api/collection-download/lent/" + id(confinedBase+"/"+path)); got.status == http.StatusOK {
			t.Errorf("%s leads to %s", path, got.body)
		}
	}
	write(confinedBase+"/later.txt", "came later")
	if got := visitor.get("/api/collection-download/lent/" + id(confinedBase+"/later.txt")); got.status != http.StatusOK || string(got.body) != "came later" {
		t.Errorf("what came later: %d %s", got.status, got.body)
	}
	for slug, want := range map[string]int{"stood": http.StatusNotFound, "some": http.StatusNotFound} {
		if got := visitor.get("/api/collection-download/" + slug + "/" + id(confinedBase+"/later.txt")); got.status != want {
			t.Errorf("what came later, by %s: %d %s", slug, got.status, got.body)
		}
	}
	write(confinedBase+"/deep/f.txt", "another content")
	for slug, want := range map[string]int{"stood": http.StatusGone, "some": http.StatusOK} {
		if got := visitor.get("/api/collection-download/" + slug + "/" + id(confinedBase+"/deep/f.txt")); got.status != want {
			t.Errorf("what was changed, by %s: %d %s", slug, got.status, got.body)
		}
	}
	with, _ := admin.key("sharer", everyBit, confinedBase)
	if got := with.post("/api/collections", map[string]string{"folder": "/local/team/b"}); got.status != http.StatusForbidden {
		t.Errorf("a key shares what lies outside its base: %d %s", got.status, got.body)
	}
	if got := admin.delete("/api/collections/lent", nil); got.status != http.StatusOK {
		t.Errorf("end it: %d %s", got.status, got.body)
	}
	if got := visitor.get("/api/collection-download/lent/" + id(confinedBase+"/f.txt")); got.status != http.StatusNotFound {
		t.Errorf("after its end: %d %s", got.status, got.body)
	}
	if data, err := os.ReadFile(filepath.Join(at, "a", "f.txt")); err != nil || string(data) != "content of "+confinedBase {
		t.Errorf("ending the link changed the folder: %q, %v", data, err)
	}
}

// TestTheTicketsOfLinksOpenNoCallOfTheTree: who visits a link for a folder, or a
// request into one, is nobody at the calls of the explorer and of WebDAV, whatever
// of the visit they show there, even inside the folder itself.
func TestTheTicketsOfLinksOpenNoCallOfTheTree(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	at := filepath.Join(dir, localFolder, "team", "a")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "f.txt"), []byte("content of the folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	if made := admin.post("/api/collections", map[string]string{"folder": confinedBase, "slug": "lent"}); made.status != http.StatusOK {
		t.Fatalf("share the folder: %d %s", made.status, made.body)
	}
	var page struct{ Ticket string }
	p.visitor().get("/api/public/collections/lent").into(t, &page)
	sent := p.comes(admin.request(map[string]any{"folder": confinedBase}), "").visit
	if page.Ticket == "" || sent == "" {
		t.Fatal("a visit has no ticket")
	}
	before, err := os.ReadDir(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range confinedCalls {
		for _, shown := range []string{"Bearer " + page.Ticket, "ApiKey " + page.Ticket, "Bearer " + sent, "ApiKey " + sent} {
			for _, path := range []string{confinedBase, confinedBase + "/f.txt", "/local/team", "/"} {
				got := row.call(client{p: p, auth: shown}, path)
				if got.status < http.StatusBadRequest || strings.Contains(string(got.body), "content of") {
					t.Errorf("%s of %s as %.10s…: %d %s", row.name, path, shown, got.status, got.body)
				}
			}
		}
	}
	if after, err := os.ReadDir(at); err != nil || len(after) != len(before) {
		t.Errorf("the folder holds %d entries, %v, before %d", len(after), err, len(before))
	}
}
