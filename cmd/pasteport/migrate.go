package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/datadir"
)

// migrateCommand brings the tables of the database up to date, as a start of the
// server does.
type migrateCommand struct {
	DryRun bool `env:"-" help:"List the migrations that are due and try them, on a copy (SQLite) or in a transaction that is undone (PostgreSQL)."`
}

// Run migrates, or tries it and changes nothing.
func (c *migrateCommand) Run(ctx context.Context, s *settings) (err error) {
	if !c.DryRun {
		a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelInfo))}
		if err := errors.Join(a.openStore(ctx, s), a.close()); err != nil {
			return err
		}
		_, err = fmt.Println("the database is up to date")
		return err
	}
	dir, done, err := datadir.WorkFolder(s.DataDir, "migrate")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	names, err := bunstore.TryMigrations(ctx, s.databaseURL(), dir)
	for _, name := range names {
		fmt.Println("due:", name)
	}
	switch {
	case err != nil && len(names) == 0:
		return fmt.Errorf("nothing was tried: %w", err)
	case err != nil:
		return fmt.Errorf("the migration would fail; nothing was changed: %w", err)
	}
	if len(names) == 0 {
		_, err = fmt.Println("no migration is due")
		return err
	}
	_, err = fmt.Printf("%d migrations are due and would succeed; nothing was changed\n", len(names))
	return err
}
