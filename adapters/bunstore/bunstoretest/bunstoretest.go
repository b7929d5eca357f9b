//go:build !windows

// Package bunstoretest opens databases for tests.
package bunstoretest

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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

// database is one that tests use, one after another. Connections are what costs
// most in PostgreSQL, so the one that empties it stays open until the process ends.
type database struct {
	url    string
	own    *pgx.Conn
	tables []string // once it is migrated
}

// usedDatabases are those that may be used again.
var usedDatabases = make(chan *database, 16)

// Postgres opens an empty PostgreSQL database until the test ends.
func Postgres(t testing.TB) *bunstore.Store {
	t.Helper()
	var d *database
	select {
	case d = <-usedDatabases:
	default:
		d = &database{url: portstest.Postgres(t)}
		var err error
		if d.own, err = pgx.Connect(context.Background(), d.url); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // after the store is closed
		if t.Failed() || d.own.Ping(context.Background()) != nil || !slices.Equal(d.tablesNow(t), d.tables) { // or the test has cut all connections
			_ = d.own.Close(context.Background())
			return
		}
		d.empty(t)
		select {
		case usedDatabases <- d:
		default:
			_ = d.own.Close(context.Background())
		}
	})
	s := Open(t, d.url, portstest.NewClock())
	if d.tables == nil {
		d.tables = d.tablesNow(t)
	}
	return s
}

func (d *database) tablesNow(t testing.TB) []string {
	t.Helper()
	rows, err := d.own.Query(context.Background(), "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// empty deletes all rows but the notes of the migrations, in whatever order.
func (d *database) empty(t testing.TB) {
	t.Helper()
	if _, err := d.own.Exec(context.Background(), `DO $$ DECLARE name text; BEGIN
			PERFORM set_config('session_replication_role', 'replica', true);
			FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'bun_%' LOOP
				EXECUTE format('DELETE FROM %I', name);
			END LOOP;
		END $$`); err != nil {
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
