package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/migrate"

	"pasteport/adapters/bunstore/migrations"
)

// migrationLock is the key of the PostgreSQL advisory lock: "pasteprt".
const migrationLock = 0x7061737465707274

func (d *DB) migrateSQLite(ctx context.Context, db *bun.DB) error {
	return d.migrate(ctx, db, "sqlite") // the file lock keeps others out
}

// migratePostgres waits until no other node migrates. The lock is the
// connection's, so a crash gives it back.
func (d *DB) migratePostgres(ctx context.Context, config *pgx.ConnConfig) error {
	patient := config.Copy()
	patient.RuntimeParams["statement_timeout"] = "10min"
	db := stdlib.OpenDB(*patient)
	defer func() { _ = db.Close() }()
	lock, err := db.Conn(ctx)
	if err != nil {
		return Failure(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return Failure(err)
	}
	defer func() {
		_, _ = lock.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	}()
	return d.migrate(ctx, bun.NewDB(db, pgdialect.New()), "postgres")
}

// migrate applies the missing migrations.
func (d *DB) migrate(ctx context.Context, db *bun.DB, folder string) error {
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		return err
	}
	applied, err := applyMigrations(ctx, db, files)
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	if len(applied) > 0 {
		d.log.Info("database migrated", "migrations", len(applied), "last", applied[len(applied)-1])
	}
	return nil
}

// applyMigrations applies the migrations of a folder that are not yet noted and
// returns their names, the one that failed last.
func applyMigrations(ctx context.Context, db *bun.DB, files fs.FS) (applied []string, err error) {
	m, err := newMigrator(ctx, db, files)
	if err != nil {
		return nil, err
	}
	group, err := m.Migrate(ctx)
	for _, each := range group.Migrations {
		applied = append(applied, each.String())
	}
	return applied, err
}

// newMigrator knows the migrations of a folder. It fails when the database knows
// others: then a newer program changed it.
func newMigrator(ctx context.Context, db *bun.DB, files fs.FS) (*migrate.Migrator, error) {
	known := migrate.NewMigrations()
	if err := known.Discover(files); err != nil {
		return nil, err
	}
	m := migrate.NewMigrator(db, known, migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true), migrate.AfterMigration(mark))
	if err := m.Init(ctx); err != nil {
		return nil, err
	}
	unknown, err := m.MissingMigrations(ctx)
	if err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("database was changed by a newer version of pasteport (migration %s): start that version, or restore an older backup", unknown[0].Name)
	}
	return m, nil
}

// CheckSchema returns an error when the database lacks migrations of this program,
// or has those of a newer one.
func (d *DB) CheckSchema(ctx context.Context) error {
	folder := "postgres"
	if d.SQLite() {
		folder = "sqlite"
	}
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		return err
	}
	known := migrate.NewMigrations()
	if err := known.Discover(files); err != nil {
		return err
	}
	var applied []string
	if err := d.ReadDB().NewRaw("SELECT name FROM bun_migrations").Scan(ctx, &applied); err != nil {
		return Failure(err)
	}
	for _, m := range known.Sorted() {
		at := slices.Index(applied, m.Name)
		if at < 0 {
			return fmt.Errorf("migration %s is missing", m.String())
		}
		applied = slices.Delete(applied, at, at+1)
	}
	if len(applied) > 0 {
		return fmt.Errorf("migration %s is of a newer version", applied[0])
	}
	return nil
}

// mark notes a migration in its own transaction, so that a crash leaves the old
// or the new state. The migrator notes it once more afterwards, which changes
// only the time.
func mark(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id) VALUES (?, ?)", m.Name, m.GroupID)
	return err
}

// copyEnd is the end of the name of the copy that is made of a SQLite file
// before it is migrated, dueEnd that of the list of migrations it was made for.
const (
	copyEnd = ".before-migration"
	dueEnd  = copyEnd + ".due"
)

// copyBefore copies a SQLite file that is about to be migrated, with all that its
// log holds, in the place of an earlier copy. A new database needs none. While
// some of the migrations that the copy was made for are done and others are not,
// it stays: a start that fails is repeated, and would copy what the first changed.
func (d *DB) copyBefore(ctx context.Context, db *bun.DB, path string) (err error) {
	files, err := fs.Sub(migrations.Files, "sqlite")
	if err != nil {
		return err
	}
	m, err := newMigrator(ctx, db, files)
	if err != nil {
		return err
	}
	all, err := m.MigrationsWithStatus(ctx)
	missing := all.Unapplied()
	if err != nil || len(missing) == 0 || len(all.Applied()) == 0 {
		return err
	}
	due := make([]string, len(missing))
	for i, each := range missing {
		due[i] = each.String()
	}
	if begun, err := begun(path, due); begun || err != nil {
		return err
	}
	part := path + copyEnd + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := PrivateFile(part); err != nil {
		return err
	}
	defer func() { _ = os.Remove(part) }() // once it has its name, there is none
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return err
	}
	if err := os.Rename(part, path+copyEnd); err != nil {
		return err
	}
	if err := os.WriteFile(path+dueEnd, []byte(strings.Join(due, "\n")), 0o600); err != nil {
		return err
	}
	d.log.Info("database copied before its migration", "copy", path+copyEnd, "migrations", len(missing))
	return nil
}

// begun reports whether the last copy was made for migrations of which some are
// done and others are still due.
func begun(path string, due []string) (bool, error) {
	text, err := os.ReadFile(path + dueEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	of := strings.Fields(string(text))
	left := 0
	for _, name := range of {
		if slices.Contains(due, name) {
			left++
		}
	}
	if _, gone := os.Stat(path + copyEnd); gone != nil {
		return false, err
	}
	return left > 0 && left < len(of), err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// TryMigrations applies the migrations that a database lacks and returns their
// names, the one that failed last. On PostgreSQL it undoes what it did; a SQLite
// file is changed. Servers may run meanwhile; on PostgreSQL they wait for it where
// it changes tables.
func TryMigrations(ctx context.Context, url string) (names []string, err error) {
	folder, p := "postgres", (*Pool)(nil)
	if IsSQLite(url) {
		folder = "sqlite"
		if err := registerLower(); err != nil {
			return nil, err
		}
		p, err = OpenPool(ctx, url, 1, "_txlock=immediate")
	} else {
		p, err = trialPool(url)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		return nil, err
	}
	return applyMigrations(ctx, p.bun, files)
}
