package bunstore

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
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

func openSQLiteTest(t testing.TB) *Store {
	return openStore(t, filepath.Join(t.TempDir(), "test.db"), portstest.NewClock())
}

func openPostgresTest(t testing.TB) *Store {
	return openStore(t, portstest.Postgres(t), portstest.NewClock())
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
