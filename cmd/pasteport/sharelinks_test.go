package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// A link to the object of an open share was a key to it for an hour, whatever
// became of the share.
func TestLinksToAnOpenShareEndWhenItIsProtectedOrDeleted(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	storage := admin.configID(map[string]any{"name": "both", "driver": "local", "is_public": true, "options": map[string]any{"directory": filepath.Join(one.dir, "both")}})
	for name, end := range map[string]func(id string) answer{
		"a password":   func(id string) answer { return admin.put("/api/files/"+id, map[string]any{"password": "pw"}) },
		"a view limit": func(id string) answer { return admin.put("/api/files/"+id, map[string]any{"max_views": 1}) },
		"its record is gone": func(id string) answer {
			return admin.delete("/api/files/batch-delete", map[string]any{"ids": []string{id}, "delete_mode": "record_only"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var f map[string]any
			up := admin.send(http.MethodPut, "/api/upload-direct/a.txt?use_proxy=0&s3_config_id="+storage, strings.NewReader("hello"))
			up.into(t, &f)
			link := strings.TrimPrefix(f["downloadUrl"].(string), one.url)
			if !strings.HasPrefix(link, "/api/blob/") {
				t.Fatalf("no link to the object: %v", f)
			}
			for _, node := range []*program{one, two} {
				if a := node.visitor().get(link); a.status != http.StatusOK || string(a.body) != "hello" {
					t.Fatalf("while it is open: %d %s", a.status, a.body)
				}
			}
			if a := end(f["id"].(string)); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			for _, node := range []*program{one, two} {
				if a := node.visitor().get(link); a.status != http.StatusForbidden {
					t.Errorf("afterwards: %d %s", a.status, a.body)
				}
			}
		})
	}
}

// Every door that gives out what was uploaded, for every kind of file that a page
// could load as code: the same bytes, and never as code.
func TestUploadedScriptsAndStylesAreTextAtEveryDoor(t *testing.T) {
	p := start(t, t.TempDir())
	c := changes{t, p.admin()}
	const code = "alert(document.domain)"
	for _, name := range []string{"a.js", "a.mjs", "a.cjs", "a.css", "A.JS"} {
		slug := strings.ToLower(strings.ReplaceAll(name, ".", "-")) + map[bool]string{true: "-big"}[name == strings.ToUpper(name)]
		var f map[string]any
		c.send(http.MethodPut, "/api/upload-direct/"+name+"?use_proxy=0&slug="+slug, strings.NewReader(code), "Content-Type", "text/javascript").into(t, &f)
		c.store("/local/code/"+name, code)
		var link struct{ PresignedURL string }
		c.get(fsURL("file-link", "/local/code/"+name)).into(t, &link)
		var about struct {
			PreviewURL  string `json:"preview_url"`
			DownloadURL string `json:"download_url"`
		}
		c.get(fsURL("get", "/local/code/"+name)).into(t, &about)
		addresses := []string{"/api/file-view/" + slug, "/api/file-download/" + slug, f["downloadUrl"].(string), f["previewUrl"].(string),
			fsURL("download", "/local/code/"+name), fsURL("download", "/local/code/"+name) + "&inline=true", link.PresignedURL, about.PreviewURL, about.DownloadURL, "/dav/local/code/" + name}
		for _, address := range addresses {
			a := c.get(address)
			if a.status != http.StatusOK || string(a.body) != code {
				t.Errorf("%q: %d %q", address, a.status, a.body)
			}
			if typ := a.header.Get("Content-Type"); typ != "text/plain; charset=utf-8" || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%q: served as %q", address, typ)
			}
		}
	}
}
