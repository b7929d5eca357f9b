package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const noRoots = "PASTEPORT_LOCAL_ROOT="

func TestNoStorageLeadsOutOfTheDataFolderUnlessTheOperatorSaysSo(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, noRoots)
	admin := p.admin()
	home := t.TempDir()
	if err := os.Symlink(home, filepath.Join(dir, "to-home")); err != nil {
		t.Fatal(err)
	}
	folders := []string{"/etc", home, filepath.Join(home, ".ssh"), "to-home", "to-home/.ssh", "../" + filepath.Base(home), "/proc/self/root/etc"}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left { // nothing that the server has made itself
		if entry.Name() != localFolder {
			folders = append(folders, entry.Name(), entry.Name()+"/below", filepath.Join(dir, entry.Name()))
		}
	}
	folders = append(folders, "backup-1", "restore-1/x", "pasteport.db.before-1")
	good := admin.configID(map[string]any{"name": "good", "driver": "local", "options": map[string]any{"directory": "more"}})
	for _, folder := range folders {
		options := map[string]any{"directory": folder}
		fields := map[string]any{"name": "stolen", "driver": "local", "options": options}
		for what, a := range map[string]answer{
			"create": admin.post("/api/s3-configs", fields), "change": admin.put("/api/s3-configs/"+good, map[string]any{"options": options}),
			"try": admin.post("/api/s3-configs/test", fields), "try a change": admin.post("/api/s3-configs/test", map[string]any{"id": good, "options": options}),
		} {
			if a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "directory") && !strings.Contains(string(a.body), "folder") {
				t.Errorf("%s a storage at %q: %d %s", what, folder, a.status, a.body)
			}
		}
	}
	a := admin.post("/api/s3-configs", map[string]any{"name": "etc", "driver": "local", "options": map[string]any{"directory": "/etc"}}, "Accept-Language", "en")
	if !strings.Contains(string(a.body), "--local-root") {
		t.Errorf("the refusal does not name the flag: %s", a.body)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("a refused folder was written to: %v, %v", entries, err)
	}
}

func TestAStorageThatLiesElsewhereTodayGoesOnButIsNotChanged(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	p := start(t, dir, "PASTEPORT_LOCAL_ROOT="+filepath.Dir(elsewhere))
	config := p.admin().configID(map[string]any{"name": "old place", "driver": "local", "is_public": true, "options": map[string]any{"directory": elsewhere}})
	mount := map[string]any{"name": "old", "storage_type": "LOCAL", "storage_config_id": config, "mount_path": "/old"}
	var made struct{ ID string }
	p.admin().post("/api/admin/mounts", mount).into(t, &made)
	p.stop()

	p = start(t, dir, noRoots)
	admin := p.admin()
	if log := p.log.String(); !strings.Contains(log, "--local-root="+elsewhere) || !strings.Contains(log, "old place") {
		t.Errorf("the log does not name the storage and the flag:\n%s", log)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/a.txt?slug=there&s3_config_id="+config, strings.NewReader("hello")); a.status/100 != 2 {
		t.Errorf("upload: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-download/there"); string(a.body) != "hello" {
		t.Errorf("download: %d %s", a.status, a.body)
	}
	at := "/api/s3-configs/" + config
	mount["mount_path"] = "/second"
	for what, a := range map[string]answer{
		"rename": admin.put(at, map[string]any{"name": "new name"}), "deeper": admin.put(at, map[string]any{"options": map[string]any{"directory": elsewhere + "/x"}}),
		"a second one": admin.post("/api/s3-configs", map[string]any{"name": "b", "driver": "local", "options": map[string]any{"directory": elsewhere}}),
		"a new mount":  admin.post("/api/admin/mounts", mount), "a mount moved onto it": admin.put("/api/admin/mounts/"+admin.localMount(), map[string]any{"storage_config_id": config}),
	} {
		if a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	if a := admin.put("/api/admin/mounts/"+made.ID, map[string]any{"name": "renamed", "storage_config_id": config}); a.status != http.StatusOK {
		t.Errorf("the mount that is there: %d %s", a.status, a.body)
	}
	if a := admin.get("/api/fs/list?path=/old"); a.status != http.StatusOK {
		t.Errorf("a listing of it: %d %s", a.status, a.body)
	}
	var test struct {
		Result struct {
			Steps []struct{ Name, State, Message, Remedy string }
		}
	}
	admin.post(at+"/test", nil, "Accept-Language", "en").into(t, &test)
	if len(test.Result.Steps) == 0 || test.Result.Steps[0].State != "warning" || !strings.Contains(test.Result.Steps[0].Remedy, "--local-root") {
		t.Errorf("the test of the storage says: %+v", test)
	}
	p.stop()

	p = start(t, dir, "PASTEPORT_LOCAL_ROOT="+elsewhere)
	admin = p.admin()
	if log := p.log.String(); strings.Contains(log, "--local-root=") {
		t.Errorf("the log names a storage that may be there:\n%s", log)
	}
	if a := admin.put(at, map[string]any{"name": "new name"}); a.status != http.StatusOK {
		t.Errorf("rename: %d %s", a.status, a.body)
	}
	if a := admin.post("/api/admin/mounts", mount); a.status/100 != 2 {
		t.Errorf("a new mount: %d %s", a.status, a.body)
	}
}
