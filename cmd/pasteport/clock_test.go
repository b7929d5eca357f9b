package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pasteport/adapters/bunstore"
	"pasteport/ports/portstest"
)

// A server whose last sweep lies days back tells so, and erases nothing before
// its time is confirmed: by the API, or on the command line.
func TestAJumpOfTheClockIsToldAndConfirmed(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, onFile)
	jump := func(by time.Duration) {
		t.Helper()
		p.stop()
		store, err := bunstore.Open(t.Context(), bunstore.Options{URL: filepath.Join(dir, "pasteport.db")})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Sweeps().SetLast(t.Context(), time.Now().Add(-by)); err != nil {
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
	jump(48 * time.Hour)
	p = start(t, dir, onFile)
	if !held() {
		t.Error("the jump is not told")
	}
	finding(t, p, "clock.jumped", "warning", "48 hours", "clock confirm", onFile)
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
	jump(-2 * time.Hour)
	finding(t, p, "clock.behind", "problem", "minutes behind", "NTP", onFile)
	jump(48 * time.Hour)
	out, err := exec.Command(binary(t), "clock", "confirm", "--data-dir", dir).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "confirmed") {
		t.Fatalf("clock confirm: %v %s", err, out)
	}
	p = start(t, dir, onFile)
	if held() {
		t.Error("still held back after the command")
	}
}

// A database whose clock is an hour ahead of ours, as one with a wrong clock of its
// own would be: the function that tells its time is another one.
func TestTheDoctorComparesTheClockWithThatOfPostgreSQL(t *testing.T) {
	url := portstest.Postgres(t)
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	wrong := "CREATE SCHEMA wrong; CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$"
	if _, err := db.PgConn().Exec(t.Context(), wrong).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := &program{dir: t.TempDir(), internal: "off"}
	finding(t, p, "clock.database", "problem", "seconds off the database", "NTP", "PASTEPORT_DATABASE_URL="+url+"&search_path=wrong,pg_catalog")
}
