package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports/portstest"
)

// comparison is what the API tells of a comparison.
type comparison struct {
	ID, Status, Skipped, Prefix string
	Orphans                     struct {
		Count, Bytes int64
		First        []struct{ Key string }
	}
	Missing struct{ Count int64 }
	Deleted int64
}

// compared starts a comparison and waits for its end.
func (c client) compared(t *testing.T, plan map[string]any) (out comparison) {
	t.Helper()
	a := c.post("/api/admin/reconciliations", plan)
	if a.status/100 != 2 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a.into(t, &out)
	c.completes(t, &out)
	return out
}

// completes waits for the end of a comparison or of what follows one.
func (c client) completes(t *testing.T, doing *comparison) {
	t.Helper()
	portstest.Eventually(t, func() bool {
		c.get("/api/admin/reconciliations/"+doing.ID).into(t, doing)
		return doing.Status == "completed"
	}, "the comparison is completed")
}

// TestALocalDiskIsComparedWithItsShares kills the server in the middle of a deletion,
// too: the next start finishes it.
func TestALocalDiskIsComparedWithItsShares(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	own := filepath.Join(dir, "own")
	id := admin.configID(map[string]any{"name": "own", "driver": "local", "default_folder": "shares", "options": map[string]any{"directory": "own"}})
	put := func(name string, age time.Duration) {
		t.Helper()
		at := filepath.Join(own, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	const old, orphans = 30 * 24 * time.Hour, 3000
	put("elsewhere/mine.txt", old)
	put("shares/young.txt", time.Hour)
	for n := range orphans {
		put(fmt.Sprintf("shares/%04d.txt", n), old)
	}

	check := admin.compared(t, map[string]any{"storage_id": id})
	if check.Orphans.Count != orphans || check.Orphans.Bytes != 5*orphans || len(check.Orphans.First) != 50 || check.Orphans.First[0].Key != "shares/0000.txt" || check.Prefix != "shares/" {
		t.Fatalf("the check found %+v", check)
	}
	a := admin.post("/api/admin/reconciliations", map[string]any{"storage_id": id, "report": check.ID, "objects": "delete"})
	if a.status/100 != 2 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var doing comparison
	a.into(t, &doing)
	if log := string(admin.get("/api/admin/audit?action=reconcile.start").body); strings.Count(log, `"reconcile.start"`) != 2 {
		t.Errorf("the audit log has %s", log)
	}
	p.kill()
	p = start(t, dir)
	admin = p.admin()
	admin.completes(t, &doing)
	left, err := os.ReadDir(filepath.Join(own, "shares"))
	if err != nil || len(left) != 1 || left[0].Name() != "young.txt" {
		t.Errorf("%d files are left: %v", len(left), err)
	}
	if _, err := os.Stat(filepath.Join(own, "elsewhere", "mine.txt")); err != nil {
		t.Error(err)
	}
	if again := admin.compared(t, map[string]any{"storage_id": id}); again.Orphans.Count != 0 {
		t.Errorf("still astray: %+v", again.Orphans)
	}

	// "Local disk" is mounted whole: nothing in it is anybody's but the mount's.
	mine := filepath.Join(dir, localFolder, "mine.txt")
	if err := os.WriteFile(mine, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(mine, time.Now().Add(-old), time.Now().Add(-old)); err != nil {
		t.Fatal(err)
	}
	if got := admin.compared(t, map[string]any{"storage_id": admin.anyConfig()}); got.Skipped != "mounted" || got.Orphans.Count != 0 {
		t.Errorf("a mounted storage: %+v", got)
	}
}

// checkLine is what the command tells of a storage as JSON.
type checkLine struct {
	Status  string
	Prefix  string
	Orphans struct{ Count int64 }
	Deleted int64
	Adopted int64
}

// storagesCheck runs the command on the data folder of p.
func (p *program) storagesCheck(args ...string) (lines []checkLine, text string, status int) {
	p.t.Helper()
	cmd := exec.Command(binary(p.t), append([]string{"storages", "check", "--data-dir", p.dir, "--internal-listen", strings.TrimPrefix(p.internal, "http://")}, args...)...)
	cmd.Env = append(database(p.t, p.dir), "PATH="+os.Getenv("PATH"), "HOME="+p.dir)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status, out = exit.ExitCode(), append(out, exit.Stderr...)
	} else if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var one checkLine
		if json.Unmarshal([]byte(line), &one) == nil {
			lines = append(lines, one)
		}
	}
	return lines, string(out), status
}

// TestTheCommandAndTheScheduleCheckStorages does so in a real S3 server, with the
// server running and without.
func TestTheCommandAndTheScheduleCheckStorages(t *testing.T) {
	service, err := s3test.StartGateway("us-east-1", "s3.localhost")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := service.MakeBucket(t.Context(), "astray"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	fields := map[string]any{"name": "bucket", "provider_type": "Other", "path_style": true, "default_folder": "shares", "endpoint_url": "http://" + service.Addr,
		"bucket_name": "astray", "region": service.Region, "access_key_id": s3test.AccessKey, "secret_access_key": s3test.SecretKey}
	id := admin.configID(fields)
	const n = 3
	for i := range n {
		a := admin.send("PUT", fmt.Sprintf("/api/upload-direct/stray%d.txt?s3_config_id=%s", i, id), strings.NewReader("12345"))
		var file struct{ ID, Slug string }
		a.into(t, &file)
		var info struct {
			Path string `json:"storage_path"`
		}
		admin.get("/api/files/"+file.ID).into(t, &info)
		if err := service.Age("astray", info.Path, 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		// The record goes, the object stays.
		if a := admin.delete("/api/files/batch-delete", map[string]any{"ids": []string{file.ID}, "delete_mode": "record_only"}); a.status/100 != 2 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}

	lines, text, status := p.storagesCheck("--json", "bucket")
	if len(lines) != 1 || lines[0].Status != "completed" || lines[0].Prefix != "shares/" || lines[0].Orphans.Count != n || status != 1 {
		t.Fatalf("with the server running: status %d\n%s", status, text)
	}
	if _, text, status := p.storagesCheck(); status != 1 || !strings.Contains(text, "files without a share  3 (15 bytes)") || !strings.Contains(text, `"shares/stray`) || !strings.Contains(text, "bucket ("+id+"): completed") {
		t.Errorf("all storages, for people: status %d\n%s", status, text)
	}
	if _, text, status := p.storagesCheck("nowhere"); status != 2 || !strings.Contains(text, "nowhere") {
		t.Errorf("an unknown storage: status %d\n%s", status, text)
	}
	if _, text, status := p.storagesCheck("bucket", "--objects", "delete"); status != 1 || strings.Contains(text, "deleted") {
		t.Errorf("a choice without --no-dry-run: status %d\n%s", status, text)
	}
	if log := string(admin.get("/api/admin/audit?action=storage.checked").body); !strings.Contains(log, "command line") {
		t.Errorf("the audit log has %s", log)
	}
	if p.stop() != 0 {
		t.Fatal("the stop failed")
	}
	if lines, text, status := p.storagesCheck("bucket", "--json"); len(lines) != 1 || lines[0].Orphans.Count != n || status != 1 {
		t.Errorf("without a server: status %d\n%s", status, text)
	}

	p = start(t, dir, "PASTEPORT_STORAGE_CHECK=24h")
	admin = p.admin()
	found := fmt.Sprintf(`pasteport_storage_check_astray{config="%s",kind="files"} 3`, id)
	portstest.Eventually(t, func() bool {
		a, err := http.Get(p.internal + "/metrics")
		if err != nil {
			return false
		}
		defer a.Body.Close()
		text, _ := io.ReadAll(a.Body)
		return strings.Contains(string(text), found)
	}, "the schedule has checked the bucket")
	if report := string(admin.get("/api/admin/doctor").body); !strings.Contains(report, `"strays.found"`) {
		t.Errorf("the doctor says %s", report)
	}
	if log := string(admin.get("/api/admin/audit?action=storage.checked").body); !strings.Contains(log, "bucket") || !strings.Contains(log, `"server"`) {
		t.Errorf("the audit log has %s", log)
	}

	lines, text, status = p.storagesCheck("bucket", "--objects", "delete", "--no-dry-run", "--json")
	if len(lines) != 2 || lines[1].Deleted != n || status != 0 {
		t.Errorf("deleted: status %d\n%s", status, text)
	}
	if lines, text, status := p.storagesCheck("bucket", "--json"); len(lines) != 1 || lines[0].Orphans.Count != 0 || status != 0 {
		t.Errorf("afterwards: status %d\n%s", status, text)
	}
}
