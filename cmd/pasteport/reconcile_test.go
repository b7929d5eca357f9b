package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c.get("/api/admin/reconciliations/"+out.ID).into(t, &out)
		if out.Status == "completed" {
			return out
		}
		if time.Now().After(end) {
			t.Fatalf("still %s", out.Status)
		}
	}
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
	for end := time.Now().Add(30 * time.Second); doing.Status != "completed"; time.Sleep(20 * time.Millisecond) {
		admin.get("/api/admin/reconciliations/"+doing.ID).into(t, &doing)
		if time.Now().After(end) {
			t.Fatalf("still %s", doing.Status)
		}
	}
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
