package bunstore

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

	"pasteport/domain/keys"
	"pasteport/domain/settings"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/upload"
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
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	clock  ports.Clock
	log    *slog.Logger
	full   func() bool // never nil
	reads  *pool       // every call outside a unit of work; on PostgreSQL its writes too
	writer *writer
	keeper *keeper
	lock   *os.File
	// suspects is nil on PostgreSQL, where other nodes count too.
	suspects *suspects
	bell     *bell   // nil on SQLite
	turns    *sql.DB // nil on PostgreSQL

	pastes   table[shares.Paste, pasteRow]
	files    table[shares.File, fileRow]
	keys     table[keys.Key, keyRow]
	admins   table[keys.Admin, adminRow]
	sessions table[keys.Session, sessionRow]
	configs  table[storage.Config, configRow]
	uploads  table[upload.Session, uploadRow]
	tasks    table[tasks.Task, taskRow]

	closing sync.Once
}

// Open connects to the database and brings its tables up to date. Only one
// process may have a SQLite file open; the error names the other's pid. A
// database that a newer version has changed is refused. The caller closes the
// store.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Clock == nil {
		o.Clock = ports.SystemClock
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.FullDisk == nil {
		o.FullDisk = func() bool { return false }
	}
	s := &Store{clock: o.Clock, log: o.Logger, full: o.FullDisk}
	s.tables()
	var err error
	if IsSQLite(o.URL) {
		err = s.openSQLite(ctx, strings.TrimPrefix(o.URL, "sqlite:"))
	} else {
		err = s.openPostgres(ctx, o.URL)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) tables() {
	s.pastes = table[shares.Paste, pasteRow]{s, "pastes", newPasteRow, (*pasteRow).paste}
	s.files = table[shares.File, fileRow]{s, "files", newFileRow, (*fileRow).file}
	s.keys = table[keys.Key, keyRow]{s, "api_keys", newKeyRow, (*keyRow).key}
	s.admins = table[keys.Admin, adminRow]{s, "admins", newAdminRow, (*adminRow).admin}
	s.sessions = table[keys.Session, sessionRow]{s, "sessions", newSessionRow, (*sessionRow).session}
	s.configs = table[storage.Config, configRow]{s, "storage_configs", newConfigRow, (*configRow).config}
	s.uploads = table[upload.Session, uploadRow]{s, "uploads", newUploadRow, (*uploadRow).session}
	s.tasks = table[tasks.Task, taskRow]{s, "tasks", newTaskRow, (*taskRow).task}
}

// Close finishes the writes that were handed over, and closes the database.
// Repeating it is harmless.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		if s.bell != nil {
			s.bell.close()
		}
		if s.turns != nil {
			err = errors.Join(err, s.turns.Close())
		}
		if s.writer != nil {
			err = errors.Join(err, s.writer.close())
		}
		if s.keeper != nil {
			err = errors.Join(err, s.keeper.close())
		}
		if s.reads != nil {
			err = errors.Join(err, s.reads.close())
		}
		if s.lock != nil {
			err = errors.Join(err, s.lock.Close())
		}
	})
	return err
}

// Ping asks the database for a sign of life. Returns Unavailable without one.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.reads.conn().raw.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return failure(err)
	}
	if s.writer != nil {
		return s.writer.broken()
	}
	return nil
}

// Tidy asks for the log of a SQLite file to be moved into the file, so that
// little of it waits for room when the disk fills up.
func (s *Store) Tidy() {
	if s.writer == nil {
		return
	}
	select {
	case s.writer.grown <- struct{}{}:
	default: // it is about to happen
	}
}

// Reusable is how much room deleted records have left inside a SQLite file, in
// bytes; new records take it before the file grows.
func (s *Store) Reusable(ctx context.Context) (int64, error) {
	var pages, size int64
	err := s.reads.conn().raw.QueryRowContext(ctx, "SELECT f.freelist_count, p.page_size FROM pragma_freelist_count f, pragma_page_size p").Scan(&pages, &size)
	return pages * size, failure(err)
}

// SQLite reports whether the records are in a SQLite file, where one process
// is all there is.
func (s *Store) SQLite() bool { return s.writer != nil }

// ReadDB is the pool of connections for reading; on PostgreSQL it also writes.
func (s *Store) ReadDB() *bun.DB { return s.reads.bun }

// Tx returns the transaction of the unit of work in ctx, for adapters that
// insert rows of their own into it; nil when ctx has none.
func Tx(ctx context.Context) *sql.Tx {
	if c, ok := ctx.Value(unitKey{}).(*conn); ok {
		return c.tx
	}
	return nil
}

// Pastes returns the repository of pastes.
func (s *Store) Pastes() *Pastes { return &Pastes{s} }

// Files returns the repository of file shares.
func (s *Store) Files() *Files { return &Files{s} }

// Ledger returns the ledger of capacity.
func (s *Store) Ledger() *Ledger { return &Ledger{s} }

// Keys returns the repository of API keys.
func (s *Store) Keys() *Keys { return &Keys{s.keys} }

// Admins returns the repository of admin accounts.
func (s *Store) Admins() *Admins { return &Admins{s.admins} }

// Sessions returns the repository of sessions.
func (s *Store) Sessions() *Sessions { return &Sessions{s.sessions} }

// Settings returns the repository of setting values.
func (s *Store) Settings() *Settings { return &Settings{s} }

// StorageConfigs returns the repository of storage configs.
func (s *Store) StorageConfigs() *StorageConfigs { return &StorageConfigs{s.configs} }

// Uploads returns the repository of uploads in parts.
func (s *Store) Uploads() *Uploads { return &Uploads{s.uploads} }

// Tasks returns the repository of tasks.
func (s *Store) Tasks() *Tasks { return &Tasks{s.tasks} }

// Guesses returns the counters of failed guesses.
func (s *Store) Guesses() *Guesses { return &Guesses{s} }

// Idempotency returns the store of answers.
func (s *Store) Idempotency() *Idempotency { return &Idempotency{s} }

// Invalidation returns the events between nodes.
func (s *Store) Invalidation() *Invalidation { return &Invalidation{s} }

// Sweeps returns the memory of when the janitor swept.
func (s *Store) Sweeps() *Sweeps { return &Sweeps{s} }

// Secrets returns the small values that the server keeps for itself.
func (s *Store) Secrets() *Secrets { return &Secrets{s} }

var (
	_ ports.UnitOfWork             = (*Store)(nil)
	_ shares.PasteRepository       = (*Pastes)(nil)
	_ cleanup.Remains[string]      = (*Pastes)(nil)
	_ shares.FileRepository        = (*Files)(nil)
	_ shares.FileObjects           = (*Files)(nil)
	_ cleanup.Remains[shares.File] = (*Files)(nil)
	_ cleanup.SweepTimes           = (*Sweeps)(nil)
	_ keys.KeyRepository           = (*Keys)(nil)
	_ keys.AdminRepository         = (*Admins)(nil)
	_ keys.SessionRepository       = (*Sessions)(nil)
	_ settings.Repository          = (*Settings)(nil)
	_ storage.ConfigRepository     = (*StorageConfigs)(nil)
	_ tasks.Repository             = (*Tasks)(nil)
	_ tasks.Runs                   = (*Tasks)(nil)
	_ ports.Guesses                = (*Guesses)(nil)
	_ ports.Idempotency            = (*Idempotency)(nil)
	_ ports.Invalidation           = (*Invalidation)(nil)
)

// errClosed is the answer after Close.
var errClosed = fmt.Errorf("database is closed: %w", sql.ErrConnDone)
