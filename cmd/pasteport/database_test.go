package main

import (
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

// tablesMade gives a server that has yet to start for the first time the tables it
// would make then, which takes most of that start. It leaves alone those that tell
// a new password, as the first start of an operator does, and those that keep what
// they have elsewhere.
func tablesMade(t testing.TB, dir string, env []string) {
	t.Helper()
	for _, setting := range env {
		name, value, _ := strings.Cut(setting, "=")
		if name == "PASTEPORT_DATABASE_URL" && value != "" || name == "PASTEPORT_ADMIN_PASSWORD" {
			return
		}
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) == 0 {
		bunstoretest.WriteMigrated(t, filepath.Join(dir, "pasteport.db"))
	}
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
