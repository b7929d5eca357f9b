package main

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"pasteport/ports/portstest"
)

// firstRelease is what version 0.1.0 left on both databases: data folders,
// a dump of PostgreSQL, and a key of each, which was given an end in the year 2100.
const firstRelease = "testdata/release-0.1.0.zip"

// unzipped reads the fixture: the data folder of a database under dir, and the
// file beside it that name tells.
func unzipped(t *testing.T, database, dir, name string) (text string) {
	t.Helper()
	archive, err := zip.OpenReader(firstRelease)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err = errors.Join(err, in.Close()); err != nil {
			t.Fatal(err)
		}
		if f.Name == name {
			text = string(content)
		}
		below, ok := strings.CutPrefix(f.Name, database+"/")
		if !ok {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(below))
		// An archive loses the attributes by which a file is known to be the one that was
		// shared. It is taken for one put there by hand when no link for uploads can have
		// replaced it.
		put := time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600), os.Chtimes(path, put, put)); err != nil {
			t.Fatal(err)
		}
	}
	if text == "" {
		t.Fatalf("%s holds no %s", firstRelease, name)
	}
	return text
}

// What the first release left is there after the upgrade, on both databases, and
// after the next start.
func TestTheFirstReleaseIsUpgraded(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		checkUpgrade(t, dir, unzipped(t, "sqlite", dir, "sqlite.key"), onFile)
		if !exists(filepath.Join(dir, "pasteport.db.before-migration")) {
			t.Error("the database before the upgrade is not kept")
		}
		if out, code := once(t, dir, []string{"migrate", "--dry-run"}, onFile); code != 0 || !strings.Contains(out, "no migration is due") {
			t.Errorf("after the upgrade: %d %s", code, out)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		dir, url := t.TempDir(), portstest.Postgres(t)
		key := unzipped(t, "postgres", dir, "postgres.key")
		db, err := pgx.Connect(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.PgConn().Exec(context.Background(), unzipped(t, "none", dir, "postgres.sql")).ReadAll(); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		checkUpgrade(t, dir, key, "PASTEPORT_DATABASE_URL="+url)
	})
}

func checkUpgrade(t *testing.T, dir, key, database string) {
	t.Helper()
	for range 2 {
		p := start(t, dir, database)
		visitor, holder := p.visitor(), client{p: p, auth: "ApiKey " + key}
		var session struct{ Token string }
		visitor.post("/api/admin/login", map[string]any{"username": "admin", "password": "a quiet river"}).into(t, &session)
		admin := client{p: p, auth: "Bearer " + session.Token}
		for path, want := range map[string]string{
			"/api/raw/plain": "plain words, 文字", "/api/raw/protected?password=open+sesame": "sealed words", "/api/file-view/report": "the bytes of the report",
		} {
			if a := visitor.get(path); a.status != http.StatusOK || string(a.body) != want {
				t.Errorf("%s: %d %q, want %q", path, a.status, a.body, want)
			}
		}
		if a := visitor.get("/api/raw/protected"); a.status != http.StatusUnauthorized {
			t.Errorf("a protected text without its password: %d", a.status)
		}
		if a := holder.post("/api/paste", map[string]any{"content": "with a key from before"}); a.status != http.StatusOK {
			t.Errorf("a key from before: %d %s", a.status, a.body)
		}
		for _, name := range []string{"a.txt", "b.txt"} {
			if a := holder.get("/api/fs/download?path=/local/notes/" + name); a.status != http.StatusOK || string(a.body) != "a note" {
				t.Errorf("%s of a mount: %d %s", name, a.status, a.body)
			}
		}
		for path, part := range map[string]string{
			"/api/pastes": `"remark":"first"`, "/api/files": `"slug":"report"`, "/api/s3-configs": `"name":"Local disk"`, "/api/admin/mounts": `"mount_path":"/local"`,
			"/api/admin/settings?group=4": "Old Harbour", "/api/fs/tasks": `"type":"index"`, "/api/admin/audit?action=setting.update": `"target":"4"`,
			"/api/admin/api-keys": `"name":"files"`,
		} {
			a := admin.get(path)
			if a.status != http.StatusOK || !strings.Contains(string(a.body), part) {
				t.Errorf("%s: %d %s, want %s in it", path, a.status, a.body, part)
			}
		}
		if chain := string(admin.get("/api/admin/audit/verify").body); !strings.Contains(chain, `"ok":true`) || strings.Contains(chain, `"ok":false`) {
			t.Errorf("the audit log: %s", chain)
		}
		if code := p.stop(); code != 0 {
			t.Errorf("stopped with %d", code)
		}
	}
	if out, code := once(t, dir, []string{"audit", "verify"}, database); code != 0 {
		t.Errorf("the audit log: %d %s", code, out)
	}
	left, err := fs.Glob(os.DirFS(dir), "migrate-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
