package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pasteport/adapters/datadir"
	"pasteport/domain/backup"
	"pasteport/ports/portstest"
)

// A backup that is made while texts are written holds every text whose answer
// came before it began, and a restore brings all of them back.
func TestReliability3_3_ABackupUnderLoadComesBack(t *testing.T) {
	if onPostgres() {
		checkPostgresBackup(t)
		return
	}
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	secret := admin.post("/api/paste", map[string]any{"content": "sealed words", "slug": "protected", "password": "open sesame"})
	if secret.status != http.StatusOK {
		t.Fatalf("%d %s", secret.status, secret.body)
	}
	file := presign(t, admin, map[string]any{"filename": "a.txt", "slug": "file-a"})
	if file["slug"] != "file-a" {
		t.Fatal(file)
	}
	var mu sync.Mutex
	written := 0
	stop, writers := make(chan struct{}), sync.WaitGroup{}
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if a := admin.post("/api/paste", map[string]any{"content": "text", "slug": fmt.Sprintf("w%d-%d", w, i)}); a.status == http.StatusOK {
					mu.Lock()
					written++
					mu.Unlock()
				}
			}
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return written }
	portstest.Eventually(t, func() bool { return count() > 50 })
	before := count()
	target := filepath.Join(dir, "one.backup")
	if out, code := once(t, dir, []string{"backup", "create", target}); code != 0 {
		t.Fatalf("create: %d\n%s", code, out)
	}
	var online bytes.Buffer
	online.Write(admin.post("/api/admin/backup", map[string]any{}).body)
	close(stop)
	writers.Wait()

	out, code := once(t, dir, []string{"backup", "verify", target})
	var pastes int
	if _, err := fmt.Sscanf(out[max(strings.Index(out, "pastes: "), 0):], "pastes: %d", &pastes); err != nil || code != 0 || pastes < before+1 {
		t.Fatalf("verify: %d, %d texts, at least %d were written before\n%s", code, pastes, before, out)
	}
	if out, code := once(t, dir, []string{"backup", "restore", target}); code != 1 || !strings.Contains(out, "in use") {
		t.Errorf("a restore under a running server: %d\n%s", code, out)
	}
	key, err := os.ReadFile(filepath.Join(dir, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(target)
	if err != nil || bytes.Contains(whole, bytes.TrimSpace(key)) {
		t.Error("the master key stands in the backup", err)
	}
	spoilt := filepath.Join(dir, "spoilt.backup")
	whole[len(whole)/2] ^= 1
	if err := os.WriteFile(spoilt, whole, 0o600); err != nil {
		t.Fatal(err)
	}

	// On an empty node, with the master key from its copy.
	empty := t.TempDir()
	if out, code := once(t, empty, []string{"backup", "restore", target}); code != 1 || !strings.Contains(out, "master key") {
		t.Errorf("a restore without the master key: %d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(empty, "secret.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := once(t, empty, []string{"backup", "restore", spoilt}); code != 1 {
		t.Errorf("a spoilt backup: %d\n%s", code, out)
	}
	if out, code := once(t, empty, []string{"backup", "restore", target}); code != 0 {
		t.Fatalf("restore: %d\n%s", code, out)
	}
	p.kill()
	p = start(t, empty)
	visitor := p.visitor()
	if a := visitor.get("/api/raw/w0-0"); a.status != 200 || string(a.body) != "text" {
		t.Errorf("a text after the restore: %d %s", a.status, a.body)
	}
	if a := visitor.get("/api/raw/protected?password=open+sesame"); a.status != 200 || string(a.body) != "sealed words" {
		t.Errorf("a protected text: %d %s", a.status, a.body)
	}
	if a := visitor.get("/api/raw/protected"); a.status != 401 {
		t.Errorf("it without its password: %d", a.status)
	}
	admin = p.admin()
	if body := string(admin.get("/api/admin/audit?action=backup.restore").body); !strings.Contains(body, `"name":"command line"`) {
		t.Errorf("the restore is not noted: %s", body)
	}

	// Through the server: kept for the next start.
	made := admin.post("/api/paste", map[string]any{"content": "later", "slug": "made-later"})
	if made.status != 200 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader([]byte("hello"))); a.status != 400 {
		t.Errorf("no backup at all: %d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(online.Bytes())); a.status != 200 || !strings.Contains(string(a.body), `"pastes":`) {
		t.Fatalf("stage: %d %s", a.status, a.body)
	}
	if body := string(admin.get("/api/admin/backup").body); !strings.Contains(body, `"database":"sqlite"`) || strings.Contains(body, `"staged":null`) {
		t.Errorf("state: %s", body)
	}
	if p.stop() != 0 {
		t.Fatal(p.log)
	}
	p = start(t, empty)
	if a := p.visitor().get("/api/raw/made-later"); a.status != 404 {
		t.Errorf("a text that is younger than the backup: %d", a.status)
	}
	if a := p.visitor().get("/api/raw/w0-0"); a.status != 200 {
		t.Errorf("a text of the backup: %d", a.status)
	}
	kept, err := filepath.Glob(filepath.Join(empty, "pasteport.db.before-*"))
	if err != nil || len(kept) == 0 {
		t.Errorf("the database before the restore is not kept: %v, %v", kept, err)
	}
	if left, _ := filepath.Glob(filepath.Join(empty, "restore*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}

	// The same without a hand on the server: the process starts again in its own place.
	admin = p.admin()
	if a := admin.post("/api/admin/backup/restore/now", map[string]any{}); a.status != 404 {
		t.Errorf("a restart for no backup: %d %s", a.status, a.body)
	}
	admin.post("/api/paste", map[string]any{"content": "later", "slug": "made-after"})
	if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(online.Bytes())); a.status != 200 {
		t.Fatalf("stage: %d %s", a.status, a.body)
	}
	if a := admin.post("/api/admin/backup/restore/now", map[string]any{}); a.status != 200 {
		t.Fatalf("restart: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool {
		a, err := http.Get(p.url + "/api/raw/made-after")
		if err != nil {
			return false
		}
		a.Body.Close()
		return a.StatusCode == 404
	}, "the backup is in force")
	p.waitReady()
	if a := p.visitor().get("/api/raw/w0-0"); a.status != 200 {
		t.Errorf("a text of the backup after the restart: %d", a.status)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the new process has not the id of the old one: %d", code)
	}
}

// A backup that waits for the start and does not open then is no secret of the log.
func TestABackupThatWasNotRestoredAtTheStartIsTold(t *testing.T) {
	p := start(t, t.TempDir(), onFile)
	admin := p.admin()
	backup := admin.post("/api/admin/backup", map[string]any{}).body
	stage := func() {
		t.Helper()
		if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(backup)); a.status != 200 {
			t.Fatalf("stage: %d %s", a.status, a.body)
		}
	}
	wantState := func(told bool) {
		t.Helper()
		if body := string(admin.get("/api/admin/backup").body); strings.Contains(body, `"refused":null`) == told {
			t.Errorf("told is %t, want %t: %s", !told, told, body)
		}
		if body := string(admin.get("/api/admin/doctor").body); strings.Contains(body, `"backup.refused"`) != told {
			t.Errorf("the doctor tells: %t, want %t: %s", !told, told, body)
		}
	}
	stage()
	wantState(false)
	if p.stop() != 0 {
		t.Fatal(p.log)
	}
	if err := os.Truncate(filepath.Join(p.dir, "restore.backup"), int64(len(backup)/2)); err != nil {
		t.Fatal(err)
	}
	p = start(t, p.dir, onFile)
	admin = p.admin()
	wantState(true)
	if a := admin.send(http.MethodDelete, "/api/admin/backup/restore", nil); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	wantState(false)
}

// Who stops a server that is about to start again for a backup means it.
func TestAStopStandsWhileTheServerStartsAgainForABackup(t *testing.T) {
	p := start(t, t.TempDir(), onFile)
	admin := p.admin()
	if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(admin.post("/api/admin/backup", map[string]any{}).body)); a.status != 200 {
		t.Fatalf("stage: %d %s", a.status, a.body)
	}
	body, sink := io.Pipe()
	upload, err := http.NewRequest(http.MethodPut, p.url+"/api/upload-direct/slow.bin", body)
	if err != nil {
		t.Fatal(err)
	}
	upload.Header.Set("Authorization", admin.auth)
	// With it the body is sent when the server reads it, so the upload is under way once something of it could be written.
	upload.Header.Set("Expect", "100-continue")
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		transport := &http.Transport{ExpectContinueTimeout: patience}
		defer transport.CloseIdleConnections()
		a, err := transport.RoundTrip(upload)
		if err == nil {
			a.Body.Close()
		}
	}()
	sink.Write([]byte("the first half")) // and the other never
	if a := admin.post("/api/admin/backup/restore/now", map[string]any{}); a.status != 200 {
		t.Fatalf("restart: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool {
		ready, err := http.Get(p.internal + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		ready.Body.Close()
		return ready.StatusCode != http.StatusOK
	}, "the server stops once the upload has ended")
	if code := p.stop(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	sink.Close()
	<-cut
}

// checkPostgresBackup checks that a running server does not replace a
// PostgreSQL database.
func checkPostgresBackup(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	a := p.admin().post("/api/admin/backup", map[string]any{})
	if a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := p.admin().send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(a.body)); a.status != 501 {
		t.Errorf("restore: %d %s", a.status, a.body)
	}
}

// A backup of either database is restored into either: PostgreSQL first, then
// SQLite from it, then another PostgreSQL from that.
func TestReliability3_3_ABackupGoesFromOneDatabaseToTheOther(t *testing.T) {
	postgres := func() string { return "PASTEPORT_DATABASE_URL=" + portstest.Postgres(t) }
	first, second := postgres(), postgres()
	dir := t.TempDir()
	p := start(t, dir, first)
	admin := p.admin()
	content := "some words, 文字, \x01 and a ' quote"
	for _, c := range []map[string]any{{"content": content, "slug": "plain"}, {"content": "sealed words", "slug": "protected", "password": "open sesame", "max_views": 3}} {
		if a := admin.post("/api/paste", c); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	key, _ := admin.key("kept", 1, "/")
	admin.configID(map[string]any{"name": "mine", "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}})
	made := filepath.Join(dir, "first.backup")
	if out, code := once(t, dir, []string{"backup", "create", made}, first); code != 0 {
		t.Fatalf("create: %d\n%s", code, out)
	}
	if out, code := once(t, dir, []string{"backup", "verify", made}, first); code != 0 || !strings.Contains(out, "(postgres)") || !strings.Contains(out, "pastes: 2") {
		t.Errorf("verify: %d\n%s", code, out)
	}
	if out, code := once(t, dir, []string{"backup", "restore", made}, first); code != 1 || !strings.Contains(out, "not empty") {
		t.Errorf("over somebody's records: %d\n%s", code, out)
	}
	p.stop()
	master, err := os.ReadFile(filepath.Join(dir, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, database := range []string{"PASTEPORT_DATABASE_URL=", second} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "secret.key"), master, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := once(t, dir, []string{"backup", "restore", made}, database); code != 0 || !strings.Contains(out, "no database before") {
			t.Fatalf("restore to %s: %d\n%s", database, code, out)
		}
		p := start(t, dir, database)
		if a := p.visitor().get("/api/raw/plain"); a.status != 200 || string(a.body) != content {
			t.Errorf("%s: a text: %d %q", database, a.status, a.body)
		}
		if a := p.visitor().get("/api/raw/protected?password=open+sesame"); a.status != 200 || string(a.body) != "sealed words" {
			t.Errorf("%s: a protected text: %d %s", database, a.status, a.body)
		}
		if a := (client{p: p, auth: key.auth}).post("/api/paste", map[string]any{"content": "new"}); a.status != 200 {
			t.Errorf("%s: a key from before makes a text: %d %s", database, a.status, a.body)
		}
		boss := p.admin()
		if configs := string(boss.get("/api/s3-configs").body); !strings.Contains(configs, `"name":"mine"`) {
			t.Errorf("%s: storages: %s", database, configs)
		}
		if proofs := string(boss.get("/api/admin/audit/verify").body); !strings.Contains(proofs, `"ok":true`) || strings.Contains(proofs, `"ok":false`) {
			t.Errorf("%s: the audit log: %s", database, proofs)
		}
		made = filepath.Join(dir, "next.backup")
		if out, code := once(t, dir, []string{"backup", "create", made}, database); code != 0 {
			t.Fatalf("create: %d\n%s", code, out)
		}
		p.stop()
	}
}

// repack rewrites a backup whose files somebody has changed, with checksums that
// fit, as anybody can who has no master key.
func repack(t *testing.T, from, to string, change func(m *backup.Manifest, dir string)) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	dir := t.TempDir()
	m, err := backup.Read(in, dir)
	if err != nil {
		t.Fatal(err)
	}
	change(&m, dir)
	var sources []backup.Source
	for _, f := range m.Files {
		sources = append(sources, backup.Source{Name: f.Name, Path: filepath.Join(dir, f.Name)})
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(backup.Write(out, m, nil, sources), out.Close()); err != nil {
		t.Fatal(err)
	}
}

// A backup that the master key does not prove is taken only by who says so.
func TestABackupThatNobodySignedNeedsTheOperatorsWord(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, onFile)
	p.signIn() // so that the audit log says something
	if a := p.admin().post("/api/paste", map[string]any{"content": "kept", "slug": "kept"}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	signed := filepath.Join(dir, "signed.backup")
	if out, code := once(t, dir, []string{"backup", "create", signed}, onFile); code != 0 {
		t.Fatalf("create: %d\n%s", code, out)
	}
	m, err := backup.PeekFile(signed)
	if err != nil || m.MAC == "" || len(m.AuditHeads) != 1 || !slices.ContainsFunc(m.Files, func(f backup.File) bool { return f.Name == datadir.NodeFile }) {
		t.Fatalf("manifest %+v, %v", m, err)
	}
	edited, old := filepath.Join(dir, "edited.backup"), filepath.Join(dir, "old.backup")
	repack(t, signed, edited, func(m *backup.Manifest, dir string) { // the signature stays, and fits no more
		if err := os.WriteFile(filepath.Join(dir, datadir.NodeFile), []byte("another\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	repack(t, signed, old, func(m *backup.Manifest, _ string) { m.MAC, m.AuditHeads = "", nil })
	for _, file := range []string{edited, old} {
		for _, command := range []string{"verify", "restore"} {
			if out, code := once(t, dir, []string{"backup", command, file}, onFile); code != 1 || !strings.Contains(out, "--accept-unsigned") {
				t.Errorf("%s %s: %d\n%s", command, file, code, out)
			}
		}
		if out, code := once(t, dir, []string{"backup", "verify", "--accept-unsigned", file}, onFile); code != 0 {
			t.Errorf("verify %s: %d\n%s", file, code, out)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if a := p.admin().send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(raw)); a.status != 400 || a.envelope(t).Error != "backup_unsigned" {
			t.Errorf("restore %s: %d %s", file, a.status, a.body)
		}
		if a := p.admin().send(http.MethodPost, "/api/admin/backup/restore?accept_unsigned=true", bytes.NewReader(raw)); a.status != 200 {
			t.Errorf("restore %s as it is: %d %s", file, a.status, a.body)
		}
	}
	if a := p.admin().post("/api/paste", map[string]any{"content": "later", "slug": "later"}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	p.stop()
	p = start(t, dir, onFile) // restores the old one
	if a := p.visitor().get("/api/raw/later"); a.status != 404 {
		t.Errorf("the staged backup was not restored: %d", a.status)
	}
	whole := func() string { t.Helper(); return string(p.admin().get("/api/admin/audit/verify").body) }
	if got := whole(); !strings.Contains(got, `"ok":true`) || strings.Contains(got, `"ok":false`) {
		t.Errorf("the audit log after it: %s", got)
	}
	p.stop()
	if out, code := once(t, dir, []string{"audit", "verify", "--backup", signed}, onFile); code != 0 || !strings.Contains(out, "whole") {
		t.Errorf("audit verify: %d\n%s", code, out)
	}
	database, err := sql.Open("sqlite", filepath.Join(dir, "pasteport.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []string{"DELETE FROM audit_entries WHERE seq > 1", "UPDATE audit_heads SET seq = 1, hash = (SELECT hash FROM audit_entries WHERE seq = 1)"} {
		if _, err := database.Exec(do); err != nil {
			t.Fatal(err)
		}
	}
	database.Close()
	for _, args := range [][]string{{"audit", "verify"}, {"audit", "verify", "--backup", signed}, {"audit", "verify", "--head", m.AuditHeads[0]}} {
		if out, code := once(t, dir, args, onFile); code != 1 || !strings.Contains(out, "newest entries are missing") {
			t.Errorf("%v after a cut: %d\n%s", args, code, out)
		}
	}
	p = start(t, dir, onFile)
	if got := whole(); !strings.Contains(got, `"missing":"newest"`) {
		t.Errorf("the audit log after a cut: %s", got)
	}
	p.stop()
	if !strings.Contains(p.log.String(), "audit log ends here") {
		t.Errorf("the log does not tell the ends of the audit log")
	}
}
