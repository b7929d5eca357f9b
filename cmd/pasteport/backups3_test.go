package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

// A scheduled backup goes to an S3 storage, from both databases; what is downloaded
// of it, with the files of the local disk, brings everything back by one command.
func TestReliability3_3_AScheduledBackupInS3IsRestored(t *testing.T) {
	for name, database := range map[string]string{"sqlite": onFile, "postgres": ""} {
		t.Run(name, func(t *testing.T) {
			if database == "" {
				database = "PASTEPORT_DATABASE_URL=" + portstest.Postgres(t)
			}
			dir := t.TempDir()
			config, keys := s3Config(t)
			config["is_public"] = false
			p := start(t, dir, database, "HTTP_PROXY="+os.Getenv("HTTP_PROXY"))
			admin := p.admin()
			if a := admin.post("/api/paste", map[string]any{"content": "words", "slug": "kept"}); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if a := admin.send(http.MethodPut, "/api/upload-direct/a.txt?slug=kept-file", strings.NewReader("the bytes")); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			id := admin.configID(config)
			if a := admin.put("/api/admin/settings/group/5", map[string]any{"backup_every_hours": 24, "backup_keep": 2, "backup_storage": id, "backup_local_files": true}); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			s := backUp(t, admin)
			if s.Last.Problem != "" || s.Good == nil || !slices.ContainsFunc(keys(), func(key string) bool { return strings.HasSuffix(key, s.Good.Name) }) {
				t.Fatalf("%+v; the storage holds %v", s.Last, keys())
			}
			got := admin.post("/api/admin/backup/kept/"+s.Good.Name+"/download", map[string]any{})
			files := admin.post("/api/admin/backup/kept/"+s.Good.Name+"/download?files=true", map[string]any{})
			if got.status != http.StatusOK || files.status != http.StatusOK {
				t.Fatalf("download: %d %s, its files %d %s", got.status, tail(string(got.body), 300), files.status, tail(string(files.body), 300))
			}
			p.stop()
			key, err := os.ReadFile(filepath.Join(dir, "secret.key"))
			if err != nil {
				t.Fatal(err)
			}
			empty, into := t.TempDir(), onFile
			if name == "postgres" {
				into = "PASTEPORT_DATABASE_URL=" + portstest.Postgres(t)
			}
			file := filepath.Join(empty, "got.backup")
			for path, content := range map[string][]byte{filepath.Join(empty, "secret.key"): key, file: got.body, filepath.Join(empty, strings.TrimSuffix(s.Good.Name, "backup")+"files"): files.body} {
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out, code := once(t, empty, []string{"backup", "restore", file}, into); code != 0 {
				t.Fatalf("restore: %d\n%s", code, out)
			}
			p = start(t, empty, into)
			if a := p.visitor().get("/api/raw/kept"); a.status != http.StatusOK || string(a.body) != "words" {
				t.Errorf("the text: %d %s", a.status, a.body)
			}
			if a := p.visitor().get("/api/file-view/kept-file"); string(a.body) != "the bytes" {
				t.Errorf("the file: %d %s", a.status, a.body)
			}
		})
	}
}
