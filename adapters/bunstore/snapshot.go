package bunstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/audit"
)

// Snapshot writes a consistent copy of the SQLite database that url names to
// the file to, which does not exist before. Servers may have the database open
// and write to it meanwhile. Returns Quota when the disk of the file is full.
func Snapshot(ctx context.Context, url, to string) (err error) {
	path := strings.TrimPrefix(url, "sqlite:")
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if err := db.PrivateFile(to); err != nil {
		return err
	}
	p, err := db.OpenPool(ctx, path, 1, "")
	if err != nil {
		return fmt.Errorf("open database %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	_, err = p.DB.ExecContext(ctx, "VACUUM INTO ?", to) // into an empty file
	return db.Failure(err)
}

// TryMigrations tries the migrations that the database lacks and returns their
// names, the one that failed last. It changes nothing: of a SQLite file it takes
// a copy in the folder dir, on PostgreSQL it undoes what it did. Servers may run
// meanwhile; on PostgreSQL they wait for it where it changes tables.
func TryMigrations(ctx context.Context, url, dir string) (names []string, err error) {
	if db.IsSQLite(url) {
		whole := filepath.Join(dir, "migrate.db")
		if err := Snapshot(ctx, url, whole); err != nil {
			return nil, fmt.Errorf("copy the database: %w", err)
		}
		url = whole
	}
	return db.TryMigrations(ctx, url)
}

// Inspect checks a SQLite file that no process has open, and counts the rows of
// its tables.
func Inspect(ctx context.Context, path string) (counts map[string]int64, err error) {
	p, err := db.OpenPool(ctx, path, 1, "_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var verdict string
	if err := p.DB.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return nil, err
	}
	if verdict != "ok" {
		return nil, fmt.Errorf("the database is damaged: %s", verdict)
	}
	counts = map[string]int64{}
	for _, table := range []string{"pastes", "files", "api_keys", "admins", "storage_configs", "mounts", "settings", "policy_revisions", "audit_entries"} {
		var n int64
		if err := p.DB.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			if strings.Contains(err.Error(), "no such table") { // of an older version
				continue
			}
			return nil, err
		}
		counts[table] = n
	}
	return counts, nil
}

// AuditHeads returns the ends of the audit log in a SQLite file that no process
// has open, as audit.Head writes them.
func AuditHeads(ctx context.Context, path string) (heads []string, err error) {
	p, err := db.OpenPool(ctx, path, 1, "_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	rows, err := p.DB.QueryContext(ctx, "SELECT chain, seq, hash FROM audit_heads ORDER BY chain")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var h audit.Head
		if err := rows.Scan(&h.Chain, &h.Seq, &h.Hash); err != nil {
			return nil, err
		}
		heads = append(heads, h.String())
	}
	return heads, rows.Err()
}

// Install puts a database file in the place of the one that url names, which is
// kept beside it under the name aside. No process may have either open.
func Install(url, from, aside string) (err error) {
	path := strings.TrimPrefix(url, "sqlite:")
	lock, err := db.LockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	for _, end := range []string{"-wal", "-shm", ""} { // the database last: without it nothing has happened yet
		if err := os.Rename(path+end, aside+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(from, path)
}
