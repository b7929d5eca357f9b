package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// Two configs may lead to one folder, or one into the other's. What is moved
// between their mounts is then moved onto itself, and must stay.
func TestMovesBetweenConfigsOfOneFolderLoseNothing(t *testing.T) {
	dir := t.TempDir()
	disk, link := filepath.Join(dir, "disk"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(disk, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(disk, link); err != nil {
		t.Fatal(err)
	}
	c := changes{t, start(t, filepath.Join(dir, "data")).admin()}
	for name, folder := range map[string]string{"a": disk, "b": disk, "link": link, "sub": filepath.Join(disk, "sub")} {
		id := c.configID(map[string]any{"name": name, "driver": "local", "is_public": true, "options": map[string]any{"directory": folder}})
		c.ok("/api/admin/mounts", map[string]any{"name": name, "mount_path": "/" + name, "storage_type": "LOCAL", "storage_config_id": id}, nil)
	}
	for _, to := range []string{"/b/sub/f.txt", "/link/sub/f.txt", "/sub/f.txt"} {
		c.store("/a/sub/f.txt", "precious")
		c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/a/sub/f.txt", "targetPath": to}}, "skipExisting": false}, nil)
		c.want("/a/sub/f.txt", "precious")
		for _, method := range []string{"MOVE", "COPY"} {
			if a := c.send(method, "/dav/a/sub/f.txt", nil, "Destination", "/dav"+to); a.status != http.StatusForbidden {
				t.Errorf("%s to %s: got %d, want 403", method, to, a.status)
			}
		}
		c.want("/a/sub/f.txt", "precious")
	}
	c.store("/a/sub/d/f.txt", "precious")
	for _, to := range []string{"/b/sub/d/in", "/link/sub/d/in", "/sub/d/in"} {
		var moved struct {
			FailedItems []struct{ Code string }
		}
		c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/a/sub/d/", "targetPath": to}}, "conflict": "overwrite"}, &moved)
		if len(moved.FailedItems) != 1 || moved.FailedItems[0].Code != "into_self" {
			t.Errorf("move a folder to %s, below itself: got %v, want into_self", to, moved.FailedItems)
		}
	}
	c.want("/a/sub/d/f.txt", "precious")
}
