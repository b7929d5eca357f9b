package main

import (
	"net/http"
	"strings"
	"testing"
)

// A link to the object of an open share names the object's key. Where the object
// was moved away, and its share with it, another file may come to lie under that
// key, which the link must not show.
func TestLinksToAnOpenShareDoNotShowWhatLiesInItsOldPlace(t *testing.T) {
	p := start(t, t.TempDir())
	c := changes{t, p.admin()}
	for name, away := range map[string]func(from string) answer{
		"renamed": func(from string) answer {
			return c.post("/api/fs/rename", map[string]any{"oldPath": "/local/" + from, "newPath": "/local/moved-" + from})
		},
		"moved": func(from string) answer {
			return c.post("/api/fs/move", map[string]any{"items": []any{map[string]any{"sourcePath": "/local/" + from, "targetPath": "/local/elsewhere/" + from}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := changes{t, p.admin()}
			var f map[string]any
			c.send(http.MethodPut, "/api/upload-direct/"+name+".txt?use_proxy=0&slug="+name, strings.NewReader("of the share")).into(t, &f)
			link := f["downloadUrl"].(string)
			key := link[strings.LastIndexByte(link, '/')+1:]
			if a := p.visitor().get(strings.TrimPrefix(link, p.url)); a.status != http.StatusOK || string(a.body) != "of the share" {
				t.Fatalf("while it lies there: %d %s", a.status, a.body)
			}
			if a := away(key); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			c.store("/local/"+key, "of somebody else")
			if a := p.visitor().get(strings.TrimPrefix(link, p.url)); a.status != http.StatusForbidden {
				t.Errorf("the link afterwards: %d %s", a.status, a.body)
			}
			if a := p.visitor().get("/api/file-download/" + name); string(a.body) != "of the share" {
				t.Errorf("the share afterwards: %d %s", a.status, a.body)
			}
		})
	}
}
