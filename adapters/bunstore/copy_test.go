package bunstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/adapters/bunstore"
)

func TestACopyTakesTheLogAlongAndChangesNothing(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "x.db")
	if err := bunstore.Copy(path, filepath.Join(to, "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a database that is not there: %v", err)
	}
	for name, content := range map[string]string{path: "pages", path + "-wal": "log"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := bunstore.Copy("sqlite:"+path, filepath.Join(to, "y.db")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"y.db": "pages", "y.db-wal": "log"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 2 {
		t.Errorf("beside the database: %v, %v", found, err)
	}
}

func TestADatabaseInUseIsNotCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	store, err := bunstore.Open(t.Context(), bunstore.Options{URL: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := bunstore.Copy(path, path+".copy"); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("while it is open: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := bunstore.Copy(path, path+".copy"); err != nil {
		t.Errorf("once it is closed: %v", err)
	}
}
