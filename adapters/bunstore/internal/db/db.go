package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/uptrace/bun"
	"go.opentelemetry.io/otel/trace"

	"pasteport/ports"
)

// Options say where the records are.
type Options struct {
	// URL is "postgres://..." for PostgreSQL, else the path of the SQLite file,
	// with or without "sqlite:" in front. The file's folder must exist; it also
	// holds the lock that keeps a second process out.
	URL string
	// Clock is used for the windows of failed guesses. Nil means the system's.
	Clock ports.Clock
	// Logger gets migrations, lost connections and retries. Nil means the default.
	Logger *slog.Logger
	// FullDisk is asked to make room when a write to a SQLite file meets a full
	// disk, and reports whether it did. Writes whose context is of
	// ports.WithNewContent never ask it. Nil makes none.
	FullDisk func() bool
	// Traces records the statements of traced requests. Nil records none.
	Traces trace.TracerProvider
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	Clock    ports.Clock
	log      *slog.Logger
	full     func() bool // never nil
	reads    *Pool       // every call outside a unit of work; on PostgreSQL its writes too
	writer   *writer
	keeper   *keeper
	lock     *os.File
	notifier *notifier            // nil on SQLite
	turns    *sql.DB              // nil on PostgreSQL
	traces   trace.TracerProvider // nil: none
	unused   sync.Map             // table to *Unused

	closing sync.Once
}

// Open connects to the database and brings its tables up to date. Only one
// process may have a SQLite file open; the error names the other's pid. A
// database that a newer version has changed is refused. The caller closes the
// database.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Clock == nil {
		o.Clock = ports.SystemClock
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.FullDisk == nil {
		o.FullDisk = func() bool { return false }
	}
	d := &DB{Clock: o.Clock, log: o.Logger, full: o.FullDisk, traces: o.Traces}
	var err error
	if IsSQLite(o.URL) {
		err = d.openSQLite(ctx, strings.TrimPrefix(o.URL, "sqlite:"))
	} else {
		err = d.openPostgres(ctx, o.URL)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close finishes the writes that were handed over, and closes the database.
// Repeating it is harmless.
func (d *DB) Close() error {
	var err error
	d.closing.Do(func() {
		if d.notifier != nil {
			d.notifier.close()
		}
		if d.turns != nil {
			err = errors.Join(err, d.turns.Close())
		}
		if d.writer != nil {
			err = errors.Join(err, d.writer.close())
		}
		if d.keeper != nil {
			err = errors.Join(err, d.keeper.close())
		}
		if d.reads != nil {
			err = errors.Join(err, d.reads.Close())
		}
		if d.lock != nil {
			err = errors.Join(err, d.lock.Close())
		}
	})
	return err
}

// Ping asks the database for a sign of life. Returns Unavailable without one.
func (d *DB) Ping(ctx context.Context) error {
	var one int
	if err := d.reads.conn().raw.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return Failure(err)
	}
	if d.writer != nil {
		return d.writer.broken()
	}
	return nil
}

// Tidy asks for the log of a SQLite file to be moved into the file, so that
// little of it waits for room when the disk fills up.
func (d *DB) Tidy() {
	if d.writer == nil {
		return
	}
	select {
	case d.writer.grown <- struct{}{}:
	default: // it is about to happen
	}
}

// Reusable is how much room deleted records have left inside a SQLite file, in
// bytes; new records take it before the file grows.
func (d *DB) Reusable(ctx context.Context) (int64, error) {
	var pages, size int64
	err := d.reads.conn().raw.QueryRowContext(ctx, "SELECT f.freelist_count, p.page_size FROM pragma_freelist_count f, pragma_page_size p").Scan(&pages, &size)
	return pages * size, Failure(err)
}

// IsSQLite reports whether a URL of Options names a file.
func IsSQLite(url string) bool {
	return !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://")
}

// SQLite reports whether the records are in a SQLite file, where one process
// is all there is.
func (d *DB) SQLite() bool { return d.writer != nil }

// ReadDB is the pool of connections for reading; on PostgreSQL it also writes.
func (d *DB) ReadDB() *bun.DB { return d.reads.bun }

// Tx returns the transaction of the unit of work in ctx, for adapters that
// insert rows of their own into it; nil when ctx has none.
func (d *DB) Tx(ctx context.Context) *sql.Tx {
	if c, ok := ctx.Value(unitKey{}).(*Conn); ok {
		return c.tx
	}
	return nil
}

var _ ports.UnitOfWork = (*DB)(nil)

// errClosed is the answer after Close.
var errClosed = fmt.Errorf("database is closed: %w", sql.ErrConnDone)
