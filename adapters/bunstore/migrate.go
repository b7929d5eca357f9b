package bunstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
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
func (s *Store) migratePostgres(ctx context.Context, config *pgx.ConnConfig) error {
	patient := config.Copy()
	patient.RuntimeParams["statement_timeout"] = "10min"
	db := stdlib.OpenDB(*patient)
	defer func() { _ = db.Close() }()
	lock, err := db.Conn(ctx)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := lock.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return failure(err)
	}
	defer func() {
		_, _ = lock.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	}()
	return s.migrate(ctx, bun.NewDB(db, pgdialect.New()), "migrations/postgres")
}

// migrate applies the missing migrations.
func (s *Store) migrate(ctx context.Context, db *bun.DB, folder string) error {
	files, err := fs.Sub(migrationFiles, folder)
	if err != nil {
		return err
	}
	applied, err := applyMigrations(ctx, db, files)
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	if len(applied) > 0 {
		s.log.Info("database migrated", "migrations", strings.Join(applied, ", "))
	}
	return nil
}

// migrationMark notes that a migration was applied. The table is that of bun's
// own migrator, whose templates would make the linker keep every exported
// method of the program.
type migrationMark struct {
	bun.BaseModel `bun:"table:bun_migrations"`

	ID         int64 `bun:",pk,autoincrement"`
	Name       string
	GroupID    int64
	MigratedAt time.Time `bun:",notnull,nullzero,default:current_timestamp"`
}

// applyMigrations applies the migrations of a folder that are not yet noted and
// returns their file names. It fails when the database knows others: then a
// newer program changed it.
func applyMigrations(ctx context.Context, db bun.IDB, files fs.FS) (applied []string, err error) {
	marks, err := migrationMarks(ctx, db)
	if err != nil {
		return nil, err
	}
	missing, err := missingMigrations(files, marks)
	if err != nil {
		return nil, err
	}
	group := int64(1)
	for _, m := range marks {
		group = max(group, m.GroupID+1)
	}
	for _, file := range missing {
		if err := applyMigration(ctx, db, files, file, group); err != nil {
			return applied, fmt.Errorf("%s: %w", file, err)
		}
		applied = append(applied, strings.TrimSuffix(file, migrationEnd))
	}
	return applied, nil
}

// migrationMarks are the migrations that were applied.
func migrationMarks(ctx context.Context, db bun.IDB) (marks []migrationMark, err error) {
	if _, err := db.NewCreateTable().Model((*migrationMark)(nil)).IfNotExists().Exec(ctx); err != nil {
		return nil, err
	}
	return marks, db.NewSelect().Model(&marks).Scan(ctx)
}

// copyEnd is the end of the name of the copy that is made of a SQLite file
// before it is migrated.
const copyEnd = ".before-migration"

// copyBefore copies a SQLite file that is about to be migrated, with all that its
// log holds, in the place of an earlier copy. A new database needs none.
func (s *Store) copyBefore(ctx context.Context, db *bun.DB, path string) (err error) {
	files, err := fs.Sub(migrationFiles, "migrations/sqlite")
	if err != nil {
		return err
	}
	marks, err := migrationMarks(ctx, db)
	if err != nil {
		return err
	}
	missing, err := missingMigrations(files, marks)
	if err != nil || len(missing) == 0 || len(marks) == 0 {
		return err
	}
	part := path + copyEnd + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := private(part); err != nil {
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
	s.log.Info("database copied before its migration", "copy", path+copyEnd, "migrations", len(missing))
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// TryMigrations tries the migrations that the database lacks and returns their
// names, the one that failed last. It changes nothing: of a SQLite file it takes
// a copy in the folder dir, on PostgreSQL it undoes what it did. Servers may run
// meanwhile; on PostgreSQL they wait for it where it changes tables.
func TryMigrations(ctx context.Context, url, dir string) (names []string, err error) {
	folder, db := "migrations/postgres", (*bun.DB)(nil)
	if IsSQLite(url) {
		folder = "migrations/sqlite"
		if err := registerLower(); err != nil {
			return nil, err
		}
		whole := filepath.Join(dir, "migrate.db")
		if err := Snapshot(ctx, url, whole); err != nil {
			return nil, fmt.Errorf("copy the database: %w", err)
		}
		p, err := openPool(ctx, whole, 1, "_txlock=immediate")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		db = p.bun
	} else {
		p, err := trialPool(url)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		db = p.bun
	}
	files, err := fs.Sub(migrationFiles, folder)
	if err != nil {
		return nil, err
	}
	tried := errors.New("tried")
	err = db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if names, err = applyMigrations(ctx, tx, files); err != nil {
			return err
		}
		return tried
	})
	if errors.Is(err, tried) {
		err = nil
	}
	return names, err
}

// trialPool is one connection to a PostgreSQL database.
func trialPool(address string) (*pool, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("database address: %w", withoutPassword(err))
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams["standard_conforming_strings"] = "on" // bun's quoting relies on it
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1)
	return &pool{db: db, bun: bun.NewDB(db, pgdialect.New())}, nil
}

// migrationEnd is how the names of migrations end; they begin with digits and
// an underscore, and apply in their order.
const migrationEnd = ".tx.up.sql"

// missingMigrations are the files whose migrations are not noted.
func missingMigrations(files fs.FS, marks []migrationMark) (missing []string, err error) {
	names, err := fs.Glob(files, "*"+migrationEnd)
	if err != nil {
		return nil, err
	}
	unknown := map[string]bool{}
	for _, m := range marks {
		unknown[m.Name] = true
	}
	slices.Sort(names)
	for _, file := range names {
		if name := migrationName(file); unknown[name] {
			delete(unknown, name)
		} else {
			missing = append(missing, file)
		}
	}
	for name := range unknown {
		return nil, fmt.Errorf("database was changed by a newer version of pasteport (migration %s): start that version, or restore an older backup", name)
	}
	return missing, nil
}

// migrationName is under what a migration is noted: its digits.
func migrationName(file string) string {
	name, _, _ := strings.Cut(file, "_")
	return name
}

// applyMigration applies a migration and its mark in one transaction, so that a
// crash leaves the old or the new state. Lines "--bun:split" part statements.
func applyMigration(ctx context.Context, db bun.IDB, files fs.FS, file string, group int64) error {
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return err
	}
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		for statement := range strings.SplitSeq(string(text), "--bun:split\n") {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id) VALUES (?, ?)", migrationName(file), group)
		return err
	})
}
