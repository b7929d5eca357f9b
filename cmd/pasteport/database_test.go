package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/ports/portstest"
)

// testDatabase chooses the database of the programs that these tests start:
// "postgres", or SQLite when it is unset. Tests that are about one of the two
// name it themselves.
const testDatabase = "PASTEPORT_TEST_DATABASE"

// onFile is the setting of tests about the SQLite file.
const onFile = "PASTEPORT_DATABASE_URL="

// databases are the PostgreSQL databases by data folder: a program that is
// started again finds what it left.
var databases = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

// onPostgres reports whether programs run on PostgreSQL unless a test says else.
func onPostgres() bool { return os.Getenv(testDatabase) == "postgres" }

// firstStarted is what stands in a database after the first start and a sign-in: most
// of what a test would do before it begins, twice a slow hash among it.
var firstStarted struct {
	sync.Once
	file  []byte // nil when it could not be made
	token string // of the administrator's session
}

// sessions are the sessions of administrators that databases begin with, by data
// folder.
var sessions sync.Map

// emptied are the tables that a start fills itself, some under its own master key.
const emptied = "secrets settings audit_entries audit_heads tasks index_storages river_job river_queue"

// begun gives a server that has yet to start for the first time what the first start
// makes, and a session of its administrator. It leaves alone those that tell a new
// password, as the first start of an operator does, and those that keep what they
// have elsewhere.
func begun(t testing.TB, dir string, env []string) {
	t.Helper()
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		if name == "PASTEPORT_DATABASE_URL" && value != "" || strings.HasPrefix(name, "PASTEPORT_ADMIN_") {
			return
		}
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) != 0 {
		return
	}
	firstStarted.Do(func() {
		made := t.TempDir()
		path := filepath.Join(made, "pasteport.db")
		bunstoretest.WriteMigrated(t, path)
		cmd, listen, internal := onFree(t, made, onFile)
		p := run(t, cmd, listen, internal, made)
		p.waitReady()
		firstStarted.token = p.signIn()
		p.stop()
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range strings.Fields(emptied) {
			if _, err := db.Exec("DELETE FROM " + table); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if firstStarted.file, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	})
	if firstStarted.file == nil {
		t.Fatal("the first start failed in another test")
	}
	if err := os.WriteFile(filepath.Join(dir, "pasteport.db"), firstStarted.file, 0o600); err != nil {
		t.Fatal(err)
	}
	sessions.Store(dir, firstStarted.token)
}

// database is the setting, if any, for a program over a data folder.
func database(t testing.TB, dir string) []string {
	t.Helper()
	switch chosen := os.Getenv(testDatabase); chosen {
	case "", "sqlite":
		return nil
	case "postgres":
	default:
		t.Fatalf("%s is %q, want sqlite or postgres", testDatabase, chosen)
	}
	databases.Lock()
	defer databases.Unlock()
	if databases.of[dir] == "" {
		databases.of[dir] = portstest.Postgres(t)
	}
	return []string{"PASTEPORT_DATABASE_URL=" + databases.of[dir]}
}
