package bunstore

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(portstest.RunWithoutLeaks(m))
}

// waitABit lets other goroutines and processes run while a test waits for a
// condition.
func waitABit() { time.Sleep(time.Millisecond) }

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func openStore(t testing.TB, url string, clock *portstest.Clock) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{URL: url, Clock: clock, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// Most tests begin with a copy of a database that is migrated already, because
// migrating takes longer than they do. Those of migrate_test.go migrate.

func openSQLiteTest(t testing.TB) *Store {
	t.Helper()
	file, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return openStore(t, path, portstest.NewClock())
}

func openPostgresTest(t testing.TB) *Store {
	return openStore(t, migratedPostgres(t), portstest.NewClock())
}

// migratedFile is the content of a new SQLite file.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pasteport-migrated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test.db")
	if err := migrateNew(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

var migratedPostgres = portstest.PostgresCopies(migrateNew)

func migrateNew(url string) error {
	s, err := Open(context.Background(), Options{URL: url, Logger: quiet()})
	if err != nil {
		return err
	}
	return s.Close()
}

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, openSQLiteTest(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, openPostgresTest(t)) })
}

func stores(s *Store) portstest.Stores {
	return portstest.Stores{
		Pastes: s.Pastes(), Files: s.Files(), Keys: s.Keys(), Admins: s.Admins(), Sessions: s.Sessions(), Settings: s.Settings(),
		StorageConfigs: s.StorageConfigs(), Tasks: s.Tasks(), Mounts: s.Mounts(), Locks: s.Locks(), Properties: s.Properties(), Uploads: s.Uploads(), Journal: s.Journal(), Index: s.Index(), Guesses: s.Guesses(), Idempotency: s.Idempotency(), Unit: s, Clock: s.clock.(*portstest.Clock),
	}
}

func TestSQLitePassesTheSuites(t *testing.T) {
	portstest.RunAll(t, func(t *testing.T) portstest.Stores { return stores(openSQLiteTest(t)) })
}

func TestPostgresPassesTheSuites(t *testing.T) {
	portstest.RunAll(t, func(t *testing.T) portstest.Stores { return stores(openPostgresTest(t)) })
}

func TestSecretsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		if _, err := s.Secrets().Get(t.Context(), "check"); err == nil {
			t.Fatal("a missing secret was found")
		}
		for _, want := range [][]byte{{0, 255, 1}, []byte("new")} {
			if err := s.Secrets().Put(t.Context(), "check", want); err != nil {
				t.Fatal(err)
			}
			got, err := s.Secrets().Get(t.Context(), "check")
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		}
	})
}
