package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

func TestAKeyIsDeletedWithAllThatItShared(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	key, id := admin.key("lost", 3, "/")
	other, _ := admin.key("other", 3, "/")
	disk := t.TempDir()
	config := admin.configID(map[string]any{"name": "d", "driver": "local", "is_public": true, "options": map[string]any{"directory": disk}})
	for who, slug := range map[client]string{key: "lost", other: "kept", admin: "own"} {
		if a := who.post("/api/paste", map[string]any{"content": slug, "slug": slug + "-text"}); a.status != 200 {
			t.Fatalf("paste: %d %s", a.status, a.body)
		}
		a := who.send(http.MethodPut, "/api/upload-direct/"+slug+".txt?original_filename=true&slug="+slug+"-file&s3_config_id="+config, strings.NewReader(slug))
		if a.status != 200 {
			t.Fatalf("upload: %d %s", a.status, a.body)
		}
	}

	var can struct{ Abilities map[string]bool }
	key.get("/api/policy/abilities").into(t, &can)
	for action, want := range map[string]bool{"paste.create": true, "file.delete": true, "mount.upload": false, "admin.keys.write": false} {
		if can.Abilities[action] != want {
			t.Errorf("%s is foreseen as %t", action, can.Abilities[action])
		}
	}
	if strings.Contains(p.log.String(), "policy denied") {
		t.Error("a hint was logged as a refusal")
	}

	var abilities struct {
		Path      string
		Abilities []struct {
			Action  string
			Allow   bool
			Reasons []struct{ Code string }
		}
	}
	admin.get("/api/admin/api-keys/"+id+"/abilities").into(t, &abilities)
	found := 0
	for _, a := range abilities.Abilities {
		want, known := map[string]bool{"paste.create": true, "file.delete": true, "mount.upload": false, "webdav.write": false, "admin.keys.write": false}[a.Action]
		if known {
			found++
			if a.Allow != want || len(a.Reasons) > 0 == want {
				t.Errorf("of the key: %+v", a)
			}
		}
	}
	if found != 5 || abilities.Path != "/" {
		t.Errorf("abilities of the key: %+v", abilities)
	}
	wantAnswer(t, "abilities of an unknown key", admin.get("/api/admin/api-keys/none/abilities"), 404, "not_found")
	wantAnswer(t, "by the key itself", key.get("/api/admin/api-keys/"+id+"/abilities"), 403, "permission_denied")

	portstest.Eventually(t, func() bool { // it is written each second
		var use struct {
			Days  []struct{ Calls int64 }
			Total int64
		}
		admin.get("/api/admin/api-keys/"+id+"/usage").into(t, &use)
		return len(use.Days) == 30 && use.Total == 4 && use.Days[29].Calls+use.Days[28].Calls == 4
	})

	var counted struct{ Pastes, Files, Total int }
	admin.get("/api/admin/api-keys/"+id+"/shares").into(t, &counted)
	if counted.Pastes != 1 || counted.Files != 1 || counted.Total != 2 {
		t.Errorf("the key has shared %+v", counted)
	}
	a := admin.delete("/api/admin/api-keys/"+id+"?revoke_shares=1", nil)
	if a.into(t, &counted); a.status != 200 || counted.Total != 2 {
		t.Fatalf("delete: %d %s", a.status, a.body)
	}
	for path, status := range map[string]int{
		"/api/raw/lost-text": 404, "/api/file-view/lost-file": 404, "/api/raw/kept-text": 200, "/api/file-view/kept-file": 200, "/api/raw/own-text": 200, "/api/file-view/own-file": 200,
	} {
		if a := p.visitor().get(path); a.status != status {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for name, want := range map[string]int{"lost.txt": 0, "kept.txt": 1, "own.txt": 1} {
		if found, err := filepath.Glob(filepath.Join(disk, name)); err != nil || len(found) != want {
			t.Errorf("%s on the disk: %v, %v", name, found, err)
		}
	}
	if a := key.get("/api/test/api-key"); a.status != http.StatusUnauthorized {
		t.Errorf("the key: %d", a.status)
	}
}
