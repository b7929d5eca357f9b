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
