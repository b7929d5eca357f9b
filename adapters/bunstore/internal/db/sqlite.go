package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// openSQLite opens the file for one writing connection and several that only
// read. Every commit is on disk before it is answered (synchronous=FULL).
func (d *DB) openSQLite(ctx context.Context, path string) (err error) {
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	if d.lock, err = LockFile(path + ".lock"); err != nil {
		return err
	}
	if err := registerLower(); err != nil {
		return err
	}
	if err := PrivateFile(path); err != nil {
		return err
	}
	writes, err := d.openPool(ctx, path, 1, "_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return fmt.Errorf("open database %q: %w", path, err)
	}
	if err := d.copyBefore(ctx, writes.bun, path); err != nil {
		_ = writes.Close()
		return fmt.Errorf("copy the database before its migration: %w", err)
	}
	if err := d.migrateSQLite(ctx, writes.bun); err != nil {
		_ = writes.Close()
		return err
	}
	if d.writer, err = newWriter(writes, d.full); err != nil {
		_ = writes.Close()
		return err
	}
	if d.keeper, err = startKeeper(ctx, path, d.writer); err != nil {
		return err
	}
	d.reads, err = d.openPool(ctx, path, max(4, runtime.GOMAXPROCS(0)), "_pragma=query_only(1)")
	if err != nil {
		return err
	}
	d.turns = sql.OpenDB(turns{d, maxPause})
	return nil
}

// PrivateFile makes the file, if there is none, for its owner only. SQLite gives its
// log files the same rights.
func PrivateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return f.Close()
}

// OpenPool opens a SQLite file for so many connections; more are parameters of
// its address. The caller closes the pool.
func OpenPool(ctx context.Context, path string, size int, more string) (*Pool, error) {
	return (&DB{}).openPool(ctx, path, size, more)
}

// openPool is OpenPool with the statements traced as Options say.
func (d *DB) openPool(ctx context.Context, path string, size int, more string) (*Pool, error) {
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + more + "&_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)" +
		"&_pragma=cache_size(-8000)&_pragma=wal_autocheckpoint(16000)&_pragma=mmap_size(268435456)&_pragma=temp_store(MEMORY)"
	db, err := d.open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p := &Pool{DB: db, bun: bun.NewDB(db, sqlitedialect.New())}
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return p, nil
}
