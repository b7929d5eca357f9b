//go:build !windows

// Package bunstoretest opens databases for tests.
package bunstoretest

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/domain/shares"
	"pasteport/ports/portstest"
)

// Quiet is a log that nobody reads.
func Quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// Open opens a database until the test ends.
func Open(t testing.TB, url string, clock *portstest.Clock) *bunstore.Store {
	t.Helper()
	s, err := bunstore.Open(context.Background(), bunstore.Options{URL: url, Clock: clock, Logger: Quiet()})
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

// SQLite opens a new SQLite file until the test ends.
func SQLite(t testing.TB) *bunstore.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	WriteMigrated(t, path)
	return Open(t, path, portstest.NewClock())
}

// WriteMigrated writes a SQLite file with all tables and nothing in them.
func WriteMigrated(t testing.TB, path string) {
	t.Helper()
	file, err := migratedFile()
	if err == nil {
		err = os.WriteFile(path, file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// migratedFile is the content of a new SQLite file.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pasteport-migrated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test.db")
	s, err := bunstore.Open(context.Background(), bunstore.Options{URL: path, Logger: Quiet()})
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

// Postgres opens an empty PostgreSQL database until the test ends.
func Postgres(t testing.TB) *bunstore.Store {
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
	s := Open(t, url, portstest.NewClock())
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

// OnBoth runs a test on SQLite and on PostgreSQL.
func OnBoth(t *testing.T, test func(t *testing.T, s *bunstore.Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// Query returns the values of a query with one column.
func Query(t *testing.T, s *bunstore.Store, text string) []string {
	t.Helper()
	var values []string
	if err := s.Read(t.Context()).Rows(t.Context(), text, nil, func(scan func(...any) error) error {
		values = append(values, "")
		return scan(&values[len(values)-1])
	}); err != nil {
		t.Fatal(err)
	}
	return values
}

// Paste is a small paste with the id "id-" and its slug.
func Paste(slug string) *shares.Paste {
	return &shares.Paste{
		ID: "id-" + slug, Slug: slug, Content: []byte("text"), Size: 4, CreatedBy: "a", CreatedAt: portstest.Start, UpdatedAt: portstest.Start,
	}
}

// CPU is the processor time of this process so far: steadier than the clock on
// a machine that others use.
func CPU(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
