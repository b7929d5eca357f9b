package bunstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(portstest.RunWithoutLeaks(m))
}

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

// Making a database takes longer than most tests do. So they begin with a copy of
// a SQLite file that is migrated already, and with a PostgreSQL database that an
// earlier test has used and that was emptied since.

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

// migratedFile is the content of a new SQLite file.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pasteport-migrated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test.db")
	s, err := Open(context.Background(), Options{URL: path, Logger: quiet()})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// usedDatabases are the addresses of databases that may be used again.
var usedDatabases = make(chan string, 16)

func openPostgresTest(t testing.TB) *Store {
	t.Helper()
	var url string
	select {
	case url = <-usedDatabases:
	default:
		url = portstest.Postgres(t)
	}
	var before []string
	t.Cleanup(func() { // after the store is closed
		if t.Failed() || !slices.Equal(tablesOf(t, url), before) {
			return
		}
		empty(t, url)
		select {
		case usedDatabases <- url:
		default:
		}
	})
	s := openStore(t, url, portstest.NewClock())
	before = tablesOf(t, url)
	return s
}

func tablesOf(t testing.TB, url string) (names []string) {
	t.Helper()
	onPostgres(t, url, func(db *sql.DB) error {
		rows, err := db.Query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			names = append(names, name)
		}
		return rows.Err()
	})
	return names
}

// empty deletes all rows but the notes of the migrations, in whatever order.
func empty(t testing.TB, url string) {
	t.Helper()
	onPostgres(t, url, func(db *sql.DB) error {
		_, err := db.Exec(`DO $$ DECLARE name text; BEGIN
			PERFORM set_config('session_replication_role', 'replica', true);
			FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'bun_%' LOOP
				EXECUTE format('DELETE FROM %I', name);
			END LOOP;
		END $$`)
		return err
	})
}

func onPostgres(t testing.TB, url string, do func(*sql.DB) error) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err == nil {
		err = errors.Join(do(db), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, openSQLiteTest(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, openPostgresTest(t)) })
}

func stores(s *Store) domaintest.Stores {
	return domaintest.Stores{
		Pastes: s.Pastes(), PasteRemains: s.Pastes(), Files: s.Files(), FileObjects: s.Files(), FileRemains: s.Files(), Keys: s.Keys(), Admins: s.Admins(), Sessions: s.Sessions(), Settings: s.Settings(),
		StorageConfigs: s.StorageConfigs(), Tasks: s.Tasks(), TaskRuns: s.Tasks(), Mounts: s.Mounts(), Locks: s.Locks(), Properties: s.Properties(), Uploads: s.Uploads(), Journal: s.Journal(), Index: s.Index(), Ledger: s.Ledger(), Guesses: s.Guesses(), Idempotency: s.Idempotency(), Unit: s, Clock: s.clock.(*portstest.Clock),
	}
}

func TestSQLitePassesTheSuites(t *testing.T) {
	domaintest.RunAll(t, func(t *testing.T) domaintest.Stores { return stores(openSQLiteTest(t)) })
}

func TestPostgresPassesTheSuites(t *testing.T) {
	domaintest.RunAll(t, func(t *testing.T) domaintest.Stores { return stores(openPostgresTest(t)) })
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
