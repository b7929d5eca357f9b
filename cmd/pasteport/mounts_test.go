package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestDecision3_TheFirstStartShowsTheLocalDisk(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	var list []struct {
		ID       string
		Path     string `json:"mount_path"`
		Type     string `json:"storage_type"`
		ConfigID string `json:"storage_config_id"`
	}
	admin.get("/api/admin/mounts").into(t, &list)
	if len(list) != 1 || list[0].Path != "/local" || list[0].Type != "LOCAL" {
		t.Fatalf("got %+v", list)
	}
	var seen []map[string]any
	browser, _ := admin.key("browser", mountView, "/")
	browser.get("/api/user/mounts").into(t, &seen)
	if len(seen) != 1 || seen[0]["is_public"] != 1.0 {
		t.Errorf("a key sees %v", seen)
	}
	items := func() string {
		t.Helper()
		a := browser.get("/api/fs/list?path=/local")
		if a.status != http.StatusOK {
			t.Fatalf("list: %d %s", a.status, a.body)
		}
		return string(a.body)
	}
	if body := items(); !strings.Contains(body, `"items":[]`) {
		t.Errorf("a new mount lists %s", body)
	}
	// What is shared by a link is seen at once, and gone at once.
	a := admin.send(http.MethodPut, "/api/upload-direct/shared.txt", strings.NewReader("shared"), "Content-Type", "text/plain")
	if a.status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	if body := items(); !strings.Contains(body, "shared") {
		t.Errorf("after an upload the mount lists %s", body)
	}
	var files struct{ Files []struct{ ID string } }
	admin.get("/api/files").into(t, &files)
	if len(files.Files) != 1 {
		t.Fatalf("got %+v", files)
	}
	admin.delete("/api/files/batch-delete", map[string]any{"ids": []string{files.Files[0].ID}})
	if body := items(); strings.Contains(body, "shared") {
		t.Errorf("after the deletion the mount lists %s", body)
	}
	// The storage cannot go while it is mounted.
	if a := admin.delete("/api/s3-configs/"+list[0].ConfigID, nil); a.status != http.StatusConflict || a.envelope(t).Error != "in_use" {
		t.Errorf("deleting the config: %d %s", a.status, a.body)
	}
	if a := admin.delete("/api/admin/mounts/"+list[0].ID, nil); a.status != http.StatusOK {
		t.Errorf("deleting the mount: %d %s", a.status, a.body)
	}
	if a := browser.get("/api/fs/list?path=/local"); a.status != http.StatusNotFound {
		t.Errorf("the deleted mount answers %d %s", a.status, a.body)
	}
	// It does not come back with the next start.
	p.stop()
	p = start(t, dir)
	if a := p.admin().get("/api/admin/mounts"); !strings.Contains(string(a.body), `"data":[]`) {
		t.Errorf("after a restart: %s", a.body)
	}
}

func TestConfigsThatBecomePrivateAreGoneForKeysAtOnce(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	var configs []struct{ ID string }
	admin.get("/api/s3-configs").into(t, &configs)
	browser, _ := admin.key("browser", mountView, "/")
	if a := browser.get("/api/fs/list?path=/local"); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.put("/api/s3-configs/"+configs[0].ID, map[string]any{"is_public": false}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := browser.get("/api/fs/list?path=/local"); a.status != http.StatusNotFound {
		t.Errorf("list: %d %s", a.status, a.body)
	}
	if a := browser.get("/api/fs/get?path=/local/x"); a.status != http.StatusForbidden || a.envelope(t).Error != "mount_forbidden" {
		t.Errorf("get: %d %s", a.status, a.body)
	}
}
