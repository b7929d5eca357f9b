package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
)

// A server whose last sweep lies days back tells so, and erases nothing before
// its time is confirmed: by the API, or on the command line.
func TestAJumpOfTheClockIsToldAndConfirmed(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, onFile)
	jump := func() {
		t.Helper()
		p.stop()
		store, err := bunstore.Open(t.Context(), bunstore.Options{URL: filepath.Join(dir, "pasteport.db")})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Sweeps().SetLast(t.Context(), time.Now().Add(-48*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	held := func() bool {
		t.Helper()
		var clock struct{ Held bool }
		p.admin().get("/api/admin/clock").into(t, &clock)
		var stats struct{ Clock *struct{ Held bool } }
		p.admin().get("/api/admin/dashboard/stats").into(t, &stats)
		if clock.Held != (stats.Clock != nil) {
			t.Errorf("held is %t, the dashboard says %+v", clock.Held, stats.Clock)
		}
		return clock.Held
	}
	if held() {
		t.Error("held back from the start")
	}
	jump()
	p = start(t, dir, onFile)
	if !held() {
		t.Error("the jump is not told")
	}
	key, _ := p.admin().key("all", 1+2+256+512+1024+2048+4096+65536+131072, "/")
	if a := key.post("/api/admin/clock/confirm", nil); a.status != 403 {
		t.Errorf("a key confirms: %d %s", a.status, a.body)
	}
	if a := p.admin().post("/api/admin/clock/confirm", nil); a.status != 200 {
		t.Fatalf("confirm: %d %s", a.status, a.body)
	}
	if held() {
		t.Error("still held back")
	}
	jump()
	out, err := exec.Command(binary(t), "clock", "confirm", "--data-dir", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "confirmed") {
		t.Fatalf("clock confirm: %v %s", err, out)
	}
	p = start(t, dir, onFile)
	if held() {
		t.Error("still held back after the command")
	}
}
