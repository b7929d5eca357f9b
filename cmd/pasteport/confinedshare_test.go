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
	id := func(path string) string {
		rel, below := strings.CutPrefix(path, confinedBase+"/")
		if !below {
			rel = "../" + strings.TrimPrefix(path, "/local/team/")
		}
		return "p" + base64.RawURLEncoding.EncodeToString([]byte(rel))
	}
	calls := map[string]func(path string) answer{
		"list":     func(path string) answer { return visitor.get("/api/public/collections/lent?folder=" + id(path)) },
		"zip":      func(path string) answer { return visitor.get("/api/collection-zip/lent?folder=" + id(path)) },
		"view":     func(path string) answer { return visitor.get("/api/collection-view/lent/" + id(path+"/f.txt")) },
		"download": func(path string) answer { return visitor.get("/api/collection-download/lent/" + id(path+"/f.txt")) },
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
