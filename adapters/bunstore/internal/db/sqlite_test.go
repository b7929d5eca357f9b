package db_test

import (
	"os"
	"path/filepath"
	"testing"

	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/ports/portstest"
)

func TestDatabaseIsItsOwnersOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := bunstoretest.Open(t, path, portstest.NewClock())
	if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want 0600", name, info.Mode(), err)
		}
	}
}
