package bunstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

//go:embed migrations
var migrationFiles embed.FS

// migrationLock is the key of the PostgreSQL advisory lock: "pasteprt".
const migrationLock = 0x7061737465707274

func (s *Store) migrateSQLite(ctx context.Context, db *bun.DB) error {
	return s.migrate(ctx, db, "migrations/sqlite") // the file lock keeps others out
}

// migratePostgres waits until no other node migrates. The lock is the
// connection's, so a crash gives it back.
func (s *Store) migratePostgres(ctx context.Context) error {
	lock, err := s.reads.db.Conn(ctx)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := lock.ExecContext(ctx, "SET statement_timeout = '10min'"); err != nil {
		return failure(err)
	}
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return failure(err)
	}
	defer func() {
		_, _ = lock.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
		_, _ = lock.ExecContext(context.WithoutCancel(ctx), "RESET statement_timeout")
	}()
	return s.migrate(ctx, s.reads.bun, "migrations/postgres")
}

// migrate applies the missing migrations, each with its mark in one
// transaction, so that a crash leaves the old or the new state.
func (s *Store) migrate(ctx context.Context, db *bun.DB, folder string) error {
	files, err := fs.Sub(migrationFiles, folder)
	if err != nil {
		return err
	}
	known := migrate.NewMigrations()
	if err := known.Discover(files); err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	m := migrate.NewMigrator(db, known, migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true), migrate.AfterMigration(mark))
	if err := m.Init(ctx); err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	if err := refuseNewer(ctx, m, known); err != nil {
		return err
	}
	group, err := m.Migrate(ctx)
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	if !group.IsZero() {
		s.log.Info("database migrated", "migrations", group.Migrations.String())
	}
	return nil
}

// mark notes a migration inside its own transaction. bun notes it once more
// afterwards, which changes nothing.
func mark(ctx context.Context, tx bun.IConn, m *migrate.Migration) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id, migrated_at) VALUES (?, ?, CURRENT_TIMESTAMP)", m.Name, m.GroupID)
	return err
}

// refuseNewer fails when the database has migrations that this program does not
// know.
func refuseNewer(ctx context.Context, m *migrate.Migrator, known *migrate.Migrations) error {
	applied, err := m.AppliedMigrations(ctx)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, k := range known.Sorted() {
		names[k.Name] = true
	}
	for _, a := range applied {
		if !names[a.Name] {
			return fmt.Errorf("database was changed by a newer version of pasteport (migration %s): start that version, or restore an older backup", a.Name)
		}
	}
	return nil
}
