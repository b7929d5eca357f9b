package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/adapters/bunstore/migrations"
	"pasteport/domain/uploads"
	"pasteport/ports/portstest"
	"pasteport/ports/upload"
)

func TestBothDialectsHaveTheSameMigrations(t *testing.T) {
	names := map[string][]string{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		files, err := fs.Glob(migrations.Files, dialect+"/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, ".tx.up.sql") {
				t.Errorf("%s does not run in a transaction", file)
			}
			names[dialect] = append(names[dialect], path.Base(file))
		}
	}
	if d := cmp.Diff(names["sqlite"], names["postgres"]); d != "" {
		t.Error("sqlite -, postgres +\n" + d)
	}
}

func TestBothDialectsHaveTheSameTables(t *testing.T) {
	// Indexes of texts are each dialect's own.
	const own = " AND NOT (%[1]s LIKE 'index_names%%' OR %[1]s LIKE 'index_pastes%%' OR %[1]s LIKE 'index_files%%' OR %[1]s LIKE 'index_audit%%') "
	lite := bunstoretest.SQLite(t)
	columns := bunstoretest.Query(t, lite, "SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "+
		"WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'bun_%'"+fmt.Sprintf(own, "m.name")+"ORDER BY 1")
	indexes := bunstoretest.Query(t, lite, "SELECT tbl_name || '.' || name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE 'bun_%' ORDER BY 1")
	pg := bunstoretest.Postgres(t)
	pgColumns := bunstoretest.Query(t, pg, "SELECT table_name || '.' || column_name FROM information_schema.columns "+
		"WHERE table_schema = 'public' AND table_name NOT LIKE 'bun_%'"+fmt.Sprintf(own, "table_name")+"ORDER BY (table_name || '.' || column_name) COLLATE \"C\"")
	pgIndexes := bunstoretest.Query(t, pg, "SELECT tablename || '.' || indexname FROM pg_indexes "+
		"WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_trigrams' AND indexname NOT LIKE '%_grams' AND tablename NOT LIKE 'bun_%' ORDER BY (tablename || '.' || indexname) COLLATE \"C\"")
	if len(columns) < 80 {
		t.Errorf("only %d columns found", len(columns))
	}
	if d := cmp.Diff(columns, pgColumns); d != "" {
		t.Error("columns: sqlite -, postgres +\n" + d)
	}
	if d := cmp.Diff(indexes, pgIndexes); d != "" {
		t.Error("indexes: sqlite -, postgres +\n" + d)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	for name, url := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": portstest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			s := bunstoretest.Open(t, url, portstest.NewClock())
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				_, err := s.Tx(ctx).ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id) VALUES ('29990101000000', 9)")
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_, err := bunstore.Open(t.Context(), bunstore.Options{URL: url, Logger: bunstoretest.Quiet()})
			if err == nil || !strings.Contains(err.Error(), "newer version") || !strings.Contains(err.Error(), "29990101000000") {
				t.Errorf("error = %v, want one that names the newer migration", err)
			}
		})
	}
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	for name, url := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": portstest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			files, err := migrations.Files.ReadDir(name)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s := bunstoretest.Open(t, url, portstest.NewClock())
				if got := bunstoretest.Query(t, s, "SELECT name FROM bun_migrations ORDER BY name"); len(got) != len(files) {
					t.Errorf("migrations = %v, want each once", got)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestNodesMayStartTogether(t *testing.T) {
	url := portstest.Postgres(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url, Logger: bunstoretest.Quiet()})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A migration and its note are one transaction, so that no crash can leave one
// without the other.
func TestMigrationIsNotedInItsOwnTransaction(t *testing.T) {
	s := bunstoretest.SQLite(t)
	p, err := db.OpenPool(t.Context(), bunstoretest.Query(t, s, "SELECT file FROM pragma_database_list WHERE name = 'main'")[0], 1, "_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	// The last statement of a migration that fails leaves nothing of the others.
	folder := func(last string) fstest.MapFS {
		files := fstest.MapFS{"29990101000000_later.tx.up.sql": {Data: []byte("CREATE TABLE later (x TEXT);\n--bun:split\n" + last)}}
		for _, name := range bunstoretest.Query(t, s, "SELECT name FROM bun_migrations WHERE name NOT LIKE '2999%'") {
			files[name+"_earlier.tx.up.sql"] = &fstest.MapFile{Data: []byte("SELECT fails")}
		}
		return files
	}
	state := func() []string {
		return bunstoretest.Query(t, s, "SELECT name FROM sqlite_master WHERE name = 'later' UNION ALL SELECT name FROM bun_migrations WHERE name LIKE '2999%'")
	}
	for name, last := range map[string]string{
		"the migration": "INSERT INTO nowhere VALUES (1);",
		"its note":      "CREATE TRIGGER no_note BEFORE INSERT ON bun_migrations BEGIN SELECT RAISE(ABORT, 'crash'); END;",
	} {
		if _, err := db.ApplyMigrations(t.Context(), p.Bun(), folder(last)); err == nil {
			t.Errorf("%s does not fail", name)
		}
		if got := state(); got != nil {
			t.Errorf("after %s failed: %v, want nothing", name, got)
		}
	}
	if _, err := db.ApplyMigrations(t.Context(), p.Bun(), folder("INSERT INTO later VALUES ('x');")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(state(), []string{"later", "29990101000000"}); d != "" {
		t.Error("got -, want +\n" + d)
	}
}

// A database of the time when the migrator was our own has its table without
// an index over the names, and no table of locks. It goes on: nothing runs twice.
func TestNotesOfTheEarlierMigratorAreTakenOver(t *testing.T) {
	for name, url := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": portstest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			s := bunstoretest.Open(t, url, portstest.NewClock())
			const notes = "SELECT name || ' ' || group_id || ' ' || migrated_at FROM bun_migrations ORDER BY name"
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				for _, text := range []string{"DROP INDEX bun_migrations_name_unique", "DROP TABLE bun_migration_locks",
					"UPDATE bun_migrations SET migrated_at = '2026-11-21 10:00:00'"} {
					if _, err := s.Tx(ctx).ExecContext(ctx, text); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			before := bunstoretest.Query(t, s, notes)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if due, err := bunstore.TryMigrations(t.Context(), url, t.TempDir()); err != nil || due != nil {
				t.Errorf("due are %v, %v", due, err)
			}
			again := bunstoretest.Open(t, url, portstest.NewClock())
			defer func() { _ = again.Close() }()
			if d := cmp.Diff(bunstoretest.Query(t, again, notes), before); d != "" {
				t.Error("after -, before +\n" + d)
			}
		})
	}
}

func TestATrialOfMigrationsLeavesNothing(t *testing.T) {
	for name, url := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": portstest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			files, err := migrations.Files.ReadDir(name)
			if err != nil {
				t.Fatal(err)
			}
			if name == "sqlite" {
				if err := os.WriteFile(url, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				due, err := bunstore.TryMigrations(t.Context(), url, t.TempDir())
				if err != nil || len(due) != len(files) || due[0] != strings.TrimSuffix(files[0].Name(), ".tx.up.sql") {
					t.Errorf("due are %v, %v; want %d", due, err, len(files))
				}
			}
		})
	}
}

// earlierDatabase makes a database as it was before a migration and fills it.
func earlierDatabase(t *testing.T, dialect, url, before string, statements ...string) {
	t.Helper()
	var earlier *bun.DB
	if dialect == "sqlite" {
		if err := db.RegisterLower(); err != nil {
			t.Fatal(err)
		}
		p, err := db.OpenPool(t.Context(), url, 1, "_txlock=immediate")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		earlier = p.Bun()
	} else {
		own, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		earlier = bun.NewDB(own, pgdialect.New())
	}
	files := fstest.MapFS{}
	entries, err := migrations.Files.ReadDir(dialect)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() < before {
			text, err := migrations.Files.ReadFile(dialect + "/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = &fstest.MapFile{Data: text}
		}
	}
	if _, err := db.ApplyMigrations(t.Context(), earlier, files); err != nil {
		t.Fatal(err)
	}
	for _, do := range statements {
		if _, err := earlier.ExecContext(t.Context(), do); err != nil {
			t.Fatalf("%s: %v", do, err)
		}
	}
}

// Uploads that were begun before there was one kind of session go on after it.
func TestUnfinishedUploadsOfBothKindsBecomeSessions(t *testing.T) {
	const large = 10000*(5<<20) + 1 // needs parts of 10 MiB
	file := func(id, upload string, size int64, pending string) string {
		return "INSERT INTO files (id, slug, filename, storage_config_id, storage_type, storage_path, file_path, mime_type, size, etag, remark, " +
			"password_hash, expires_at, max_views, views, used_up_at, erased_at, use_proxy, created_by, created_at, updated_at, pending, upload_id, version) VALUES (" +
			fmt.Sprintf("'%s', '%s', 'a.bin', 'c1', 'S3', 'up/%s', '', 'a/b', %d, '', '', '', NULL, 0, 0, NULL, NULL, FALSE, 'apikey:k1', 1000, 1000, %s, '%s', 1)", id, id, id, size, pending, upload)
	}
	mount := func(id, completed string) string {
		return "INSERT INTO mount_uploads (id, storage_config_id, upload_id, path, object_key, owner, size, part_size, part_count, created_at, completed_at, etag, stored_size) VALUES (" +
			fmt.Sprintf("'%s', 'c2', 'up-%s', '/m/a.bin', 'a.bin', 'apikey:k2', 7, 5242880, 1, 2000, %s, 'e', 7)", id, id, completed)
	}
	for dialect, url := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "test.db"), "postgres": portstest.Postgres(t)} {
		t.Run(dialect, func(t *testing.T) {
			earlierDatabase(t, dialect, url, "20261122000100", file("parts", "u1", 2*(5<<20)+1, "TRUE"), file("large", "u2", large, "TRUE"), file("unknown", "u3", 0, "TRUE"),
				file("whole", "", 9, "TRUE"), file("done", "u4", 9, "FALSE"), mount("open", "NULL"), mount("joined", "3000"))
			s := bunstoretest.Open(t, url, portstest.NewClock())
			page, err := s.Uploads().List(t.Context(), uploads.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]upload.Session{}
			for _, u := range page.Items {
				got[u.ID] = u
			}
			begun, joined := time.UnixMilli(1000).UTC(), time.UnixMilli(3000).UTC()
			share := func(id, uploadID string, cut upload.Cut) upload.Session {
				return upload.Session{ID: id, For: upload.ForShares, StorageConfigID: "c1", UploadID: uploadID, Key: "up/" + id, Owner: "apikey:k1", Cut: cut, CreatedAt: begun}
			}
			tree := func(id string, completed *time.Time) upload.Session {
				return upload.Session{ID: id, For: upload.ForTree, StorageConfigID: "c2", UploadID: "up-" + id, Path: "/m/a.bin", Key: "a.bin", Owner: "apikey:k2",
					Cut: upload.Cut{Size: 7, PartSize: 5 << 20, PartCount: 1}, CreatedAt: time.UnixMilli(2000).UTC(), CompletedAt: completed, ETag: "e", StoredSize: 7}
			}
			want := map[string]upload.Session{
				"parts":   share("parts", "u1", upload.Cut{Size: 2*(5<<20) + 1, PartSize: 5 << 20, PartCount: 3}),
				"large":   share("large", "u2", upload.Cut{Size: large, PartSize: 10 << 20, PartCount: 5001}),
				"unknown": share("unknown", "u3", upload.Cut{PartSize: 5 << 20, PartCount: 1}),
				"open":    tree("open", nil),
				"joined":  tree("joined", &joined),
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Error("got -, want +\n" + d)
			}
			for _, u := range want { // the database cuts as the rule does
				if cut, err := upload.CutOf(u.Size, upload.PartSizeOf(u.Size), 0); u.For == upload.ForShares && (err != nil || cut != u.Cut) {
					t.Errorf("%s: the rule cuts %+v, %v", u.ID, cut, err)
				}
			}
			for _, id := range []string{"parts", "whole", "done"} {
				if f, err := s.Files().Get(t.Context(), id); err != nil || f.Pending != (id != "done") || f.StoragePath != "up/"+id {
					t.Errorf("file %s: %+v, %v", id, f, err)
				}
			}
		})
	}
}
