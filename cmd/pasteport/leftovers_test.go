package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/adapters/datadir"
	"pasteport/ports/portstest"
)

// A command that is killed leaves whole copies of the database.
func TestWhatKilledCommandsLeftIsSweptAtTheStart(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"backup-123", "restore-456", "migrate-789"} {
		if err := os.MkdirAll(filepath.Join(dir, folder, "files"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "files", "pasteport.db"), []byte("all of it"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "x.backup.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "backup-mine"), []byte("a file of the operator's"), 0o600); err != nil {
		t.Fatal(err)
	}
	running, done, err := datadir.WorkFolder(dir, "backup") // of a process that works
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, onFile)
	for _, name := range []string{"backup-123", "restore-456", "migrate-789", "x.backup.part"} {
		if exists(filepath.Join(dir, name)) || !strings.Contains(p.log.String(), name) {
			t.Errorf("%s is still there, or the log says nothing", name)
		}
	}
	if !exists(running) || !exists(filepath.Join(dir, "backup-mine")) {
		t.Error("what is in use, or nobody's leftover, is gone")
	}
	if err := done(); err != nil || exists(running) {
		t.Errorf("the folder stays after the work: %v", err)
	}
}

// A database of an earlier version is copied before it is migrated, and the
// migration can be tried before.
func TestAMigrationIsTriedOnRequestAndCopiesTheDatabaseFirst(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		p := start(t, dir, onFile)
		if a := p.admin().post("/api/paste", map[string]any{"content": "kept", "slug": "kept"}); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		p.stop()
		path := filepath.Join(dir, "pasteport.db")
		if exists(path + ".before-migration") {
			t.Error("a new database was copied")
		}
		older(t, "sqlite", path)
		tryMigration(t, dir, onFile)
		p = start(t, dir, onFile)
		if a := p.visitor().get("/api/raw/kept"); a.status != 200 {
			t.Errorf("a text after the migration: %d", a.status)
		}
		p.stop()
		var pastes, marks int
		before, err := sql.Open("sqlite", path+".before-migration")
		if err != nil {
			t.Fatal(err)
		}
		defer before.Close()
		if err := before.QueryRow("SELECT (SELECT count(*) FROM pastes), (SELECT count(*) FROM bun_migrations WHERE name = '20261122000085')").Scan(&pastes, &marks); err != nil || pastes != 1 || marks != 0 {
			t.Errorf("the copy holds %d texts and %d marks of the migration, %v", pastes, marks, err)
		}
		if out, code := once(t, dir, []string{"migrate", "--dry-run"}, onFile); code != 0 || !strings.Contains(out, "no migration is due") {
			t.Errorf("after it: %d\n%s", code, out)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		dir, url := t.TempDir(), portstest.Postgres(t)
		database := "PASTEPORT_DATABASE_URL=" + url
		if out, code := once(t, dir, []string{"migrate"}, database); code != 0 {
			t.Fatalf("migrate: %d\n%s", code, out)
		}
		older(t, "pgx", url)
		tryMigration(t, dir, database)
		tryMigration(t, dir, database) // the first has changed nothing
		if out, code := once(t, dir, []string{"migrate"}, database); code != 0 {
			t.Errorf("migrate: %d\n%s", code, out)
		}
	})
}

// A start whose second migration fails is repeated by whoever restarts it.
func TestE9_TheCopyBeforeAMigrationOutlivesAStartThatFailsHalfWay(t *testing.T) {
	dir := t.TempDir()
	if out, code := once(t, dir, []string{"migrate", "--dry-run"}, onFile); code == 0 || !strings.Contains(out, "nothing was tried") || strings.Contains(out, "would fail") {
		t.Errorf("a dry run without a database: %d\n%s", code, out)
	}
	p := start(t, dir, onFile)
	p.stop()
	path := filepath.Join(dir, "pasteport.db")
	older(t, "sqlite", path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("DELETE FROM bun_migrations WHERE name = '20261122000110'"); err != nil { // what it makes is there
		t.Fatal(err)
	}
	db.Close()
	for range 2 {
		if out, code := once(t, dir, []string{"migrate"}, onFile); code == 0 || !strings.Contains(out, "20261122000110") {
			t.Fatalf("migrate: %d\n%s", code, out)
		}
	}
	before, err := sql.Open("sqlite", path+".before-migration")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	var marks int
	if err := before.QueryRow("SELECT count(*) FROM bun_migrations WHERE name = '20261122000085'").Scan(&marks); err != nil || marks != 0 {
		t.Errorf("the copy holds %d marks of the migration that was done, %v", marks, err)
	}
}

// older takes a database back to before the signed heads of the audit log.
func older(t *testing.T, driver, address string) {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, do := range []string{"ALTER TABLE audit_heads DROP COLUMN mac", "ALTER TABLE audit_heads DROP COLUMN base_mac", "ALTER TABLE audit_heads DROP COLUMN doubt",
		"DELETE FROM bun_migrations WHERE name = '20261122000085'"} {
		if _, err := db.Exec(do); err != nil {
			t.Fatal(err)
		}
	}
}

func tryMigration(t *testing.T, dir, database string) {
	t.Helper()
	out, code := once(t, dir, []string{"migrate", "--dry-run"}, database)
	if code != 0 || !strings.Contains(out, "due: 20261122000085_auditheads") || !strings.Contains(out, "would succeed") {
		t.Errorf("dry run: %d\n%s", code, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "migrate-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
