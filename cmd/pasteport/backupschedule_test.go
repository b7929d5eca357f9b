package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// scheduleState is what the panel is told of scheduled backups.
type scheduleState struct {
	Waits bool
	Next  *string
	Last  *struct {
		Name, Problem string
		Ended         *string
	}
	Good *struct{ Name string }
}

// backUp asks for a backup and waits for its end.
func backUp(t *testing.T, admin client) (s scheduleState) {
	t.Helper()
	if a := admin.post("/api/admin/backup/kept", map[string]any{}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if !portstest.Happens(2*time.Minute, func() bool {
		var in struct {
			Data struct{ Schedule scheduleState }
		}
		if err := json.Unmarshal(admin.get("/api/admin/backup").body, &in); err != nil {
			t.Fatal(err)
		}
		s = in.Data.Schedule
		return !s.Waits && s.Last != nil && s.Last.Ended != nil
	}) {
		t.Fatalf("no backup was made: %+v", s)
	}
	return s
}

// A scheduled backup is proved, told by the panel, the metrics and the audit log,
// and brings database and files back by one command.
func TestReliability3_3_AScheduledBackupBringsDatabaseAndFilesBack(t *testing.T) {
	dir, shelf := t.TempDir(), t.TempDir()
	p := start(t, dir, "PASTEPORT_BACKUP_DIR="+shelf)
	admin := p.admin()
	if a := admin.post("/api/paste", map[string]any{"content": "words", "slug": "kept"}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/a.txt?slug=kept-file", strings.NewReader("the bytes")); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.put("/api/admin/settings/group/5", map[string]any{"backup_every_hours": 24, "backup_keep": 2, "backup_local_files": true}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s := backUp(t, admin)
	if s.Last.Problem != "" || s.Good == nil || s.Next == nil {
		t.Fatalf("%+v\n%s", s.Last, p.log)
	}
	if body := string(admin.get("/api/admin/audit?action=backup.scheduled").body); !strings.Contains(body, s.Good.Name) {
		t.Errorf("it is not noted: %s", body)
	}
	if text := string(p.visitor().get(p.internal + "/metrics").body); !strings.Contains(text, "pasteport_backup_failed 0") || !strings.Contains(text, "pasteport_backup_interval_seconds 86400") || strings.Contains(text, "pasteport_backup_last_success_timestamp_seconds 0\n") {
		t.Error("the metrics do not tell of it")
	}
	if body := string(admin.get("/api/admin/dashboard/stats").body); !strings.Contains(body, `"backup":null`) {
		t.Errorf("a good backup needs attention: %s", body)
	}
	name := s.Good.Name
	if a := admin.post("/api/admin/backup/kept/"+name+"/download", map[string]any{}); a.status != http.StatusOK || len(a.body) == 0 {
		t.Errorf("download: %d", a.status)
	}
	if a := admin.post("/api/admin/backup/kept/..%2fpasteport.db/download", map[string]any{}); a.status/100 != 4 {
		t.Errorf("another file: %d", a.status)
	}
	if a := p.visitor().get("/api/admin/backup/kept"); a.status != http.StatusUnauthorized {
		t.Errorf("a visitor: %d", a.status)
	}
	key, err := os.ReadFile(filepath.Join(dir, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	p.stop()

	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "secret.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shelf, name)
	files := strings.TrimSuffix(file, "backup") + "files"
	whole, err := os.ReadFile(files)
	if err != nil {
		t.Fatal(err)
	}
	for what, now := range map[string][]byte{"spoilt": append([]byte("x"), whole[1:]...), "cut": whole[:len(whole)-1]} {
		if err := os.WriteFile(files, now, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := once(t, empty, []string{"backup", "restore", file}); code == 0 || exists(filepath.Join(empty, "pasteport.db")) {
			t.Errorf("%s files were taken: %s", what, out)
		}
	}
	if err := os.WriteFile(files, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := once(t, empty, []string{"backup", "restore", file}); code != 0 || !strings.Contains(out, "files of local disks restored: 1") {
		t.Fatalf("%d %s", code, out)
	}
	p = start(t, empty)
	if a := p.visitor().get("/api/raw/kept"); string(a.body) != "words" {
		t.Errorf("the text: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/kept-file"); string(a.body) != "the bytes" {
		t.Errorf("the file: %d %s", a.status, a.body)
	}
}

// A backup that cannot be made is told, and one storage that others may read
// takes none.
func TestReliability3_3_AFailedBackupNeedsAttention(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	id := admin.configID(map[string]any{"name": "open", "driver": "local", "is_public": true, "options": map[string]any{"directory": "open"}})
	if a := admin.put("/api/admin/settings/group/5", map[string]any{"backup_storage": id}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if s := backUp(t, admin); s.Last.Problem == "" || s.Good != nil {
		t.Errorf("a storage that others read took a backup: %+v", s.Last)
	}
	if body := string(admin.get("/api/admin/dashboard/stats").body); strings.Contains(body, `"backup":null`) {
		t.Errorf("it needs no attention: %s", body)
	}
	if text := string(p.visitor().get(p.internal + "/metrics").body); !strings.Contains(text, "pasteport_backup_failed 1") {
		t.Error("the metrics do not tell of it")
	}
	if !strings.Contains(p.log.String(), "make a backup") {
		t.Error("the log does not tell of it")
	}
	if a := admin.get("/api/admin/backup/kept"); a.status != http.StatusConflict {
		t.Errorf("the list: %d %s", a.status, a.body)
	}
}
