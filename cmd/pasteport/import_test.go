package main

import (
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/predecessor/predecessortest"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports/portstest"
)

// moving is an installation of the predecessor that moves here: its database,
// and the bucket of its storage config.
type moving struct {
	t      *testing.T
	dir    string // the new data folder
	file   string
	secret string // file of the encryption secret
	env    []string
	bucket string // folder of the bucket's objects
}

func newMoving(t *testing.T) moving {
	t.Helper()
	cloud, err := s3test.Start("s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	bucket := cloud.NewBucket(t, "s3")
	o := cloud.Config("s3", bucket).Options
	file := predecessortest.Make(t, "v17", predecessortest.Storage{
		Endpoint: o["endpoint_url"], Bucket: o["bucket_name"], Region: o["region"], Access: o["access_key_id"], Secret: o["secret_access_key"],
	})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(predecessortest.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return moving{t, filepath.Join(t.TempDir(), "data"), file, secret, []string{onFile, "HTTP_PROXY=" + os.Getenv("HTTP_PROXY"), "PASTEPORT_ENCRYPTION_SECRET=" + predecessortest.Secret},
		cloud.Provider("s3").Folder(bucket)}
}

// lies puts an object into the bucket, as the predecessor left it.
func (m moving) lies(key, content string) {
	m.t.Helper()
	path := filepath.Join(m.bucket, key)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

// run runs the import to its end.
func (m moving) run(args ...string) (string, int) {
	m.t.Helper()
	return once(m.t, m.dir, append([]string{"import", "predecessor", m.file, "--encryption-secret-file", m.secret}, args...), m.env...)
}

// folder lists what lies in the data folder.
func (m moving) folder() []string {
	m.t.Helper()
	var found []string
	err := filepath.WalkDir(m.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found = append(found, path+" "+info.ModTime().Format(time.RFC3339Nano))
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	return found
}

func TestAnInstallationOfThePredecessorMovesHere(t *testing.T) {
	m := newMoving(t)

	out, code := m.run("--dry-run")
	if code != 0 || !strings.Contains(out, "nothing was written") || !strings.Contains(out, "texts                11 taken over, 0 already here") {
		t.Fatalf("dry run: %d\n%s", code, out)
	}
	if found := m.folder(); len(found) != 0 {
		t.Fatalf("the dry run left %v", found)
	}
	out, code = m.run()
	if code != 0 || !strings.Contains(out, "texts                11 taken over, 0 already here, 0 in conflict, 9 left") || strings.Contains(out, "password:") {
		t.Fatalf("import: %d\n%s", code, out)
	}
	for _, secret := range []string{"Ab3dEf6hIj9k", "open sesame", "hush", s3test.SecretKey, predecessortest.Secret} {
		if strings.Contains(out, secret) {
			t.Errorf("the report tells %q", secret)
		}
	}

	p := start(t, m.dir, m.env...)
	for path, content := range map[string]string{"in/report.txt": "what was reported\n", "in/secret.pdf": "%PDF-1.7 hush", "in/once.txt": "once\n"} {
		m.lies(path, content)
	}
	visitsToTheOldLinks{t, p}.all()

	out, code = m.run()
	if code == 0 || !strings.Contains(out, "in use by process") {
		t.Errorf("beside a server: %d\n%s", code, out)
	}
	if out, code = m.run("--dry-run"); code == 0 || !strings.Contains(out, "in use by process") {
		t.Errorf("dry run beside a server: %d\n%s", code, out)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("stop: %d", code)
	}
	m.checkHashes()

	before := m.folder()
	if out, code = m.run("--dry-run"); code != 0 || !strings.Contains(out, "texts                 0 taken over, 11 already here") {
		t.Errorf("second dry run: %d\n%s", code, out)
	}
	if after := m.folder(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("the dry run changed the data folder: %v, was %v", after, before)
	}
	if out, code = m.run(); code != 0 || !strings.Contains(out, "texts                 0 taken over, 11 already here") || !strings.Contains(out, "files                 0 taken over, 5 already here") {
		t.Errorf("second import: %d\n%s", code, out)
	}
}

// visitsToTheOldLinks use what people had of the predecessor: its links, keys,
// passwords and signatures.
type visitsToTheOldLinks struct {
	t *testing.T
	p *program
}

func (v visitsToTheOldLinks) all() {
	v.t.Helper()
	v.admin()
	v.texts()
	v.files()
	v.key()
	v.proxyLinks()
}

func (v visitsToTheOldLinks) admin() client {
	v.t.Helper()
	if a := v.p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}); a.status != http.StatusUnauthorized {
		v.t.Errorf("a first administrator was made beside the old one: %d", a.status)
	}
	a := v.p.visitor().post("/api/admin/login", map[string]any{"username": "boss", "password": "an old administrator"})
	if a.status != http.StatusOK {
		v.t.Fatalf("login with the old password: %d %s", a.status, a.body)
	}
	var data struct{ Token string }
	a.into(v.t, &data)
	admin := client{p: v.p, auth: "Bearer " + data.Token}
	var rows []struct{ Key, Value string }
	admin.get("/api/admin/settings?group=4").into(v.t, &rows)
	titled := false
	for _, row := range rows {
		titled = titled || row.Key == "site_title" && row.Value == "My old site"
	}
	if !titled {
		v.t.Errorf("the title of the site: %v", rows)
	}
	return admin
}

// put stores an object in the old bucket, through its mount.
func (v visitsToTheOldLinks) texts() {
	v.t.Helper()
	visitor := v.p.visitor()
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/api/raw/plain":                        {200, "# Hello\nfrom before"},
		"/api/raw/Case":                         {200, "upper"},
		"/api/raw/case":                         {200, "lower"},
		"/api/raw/admin":                        {200, "a reserved word keeps its link"},
		"/api/raw/locked":                       {401, ""},
		"/api/raw/locked?password=open+sesame":  {200, "for friends"},
		"/api/raw/locked?password=open+sesame!": {401, ""},
		"/api/raw/clear?password=open+as+day":   {200, "its password lies open"},
		"/api/raw/over":                         {410, ""},
		"/api/raw/usedup":                       {410, ""},
		"/api/raw/never":                        {404, ""},
	} {
		if a := visitor.get(path); a.status != want.status || want.body != "" && string(a.body) != want.body {
			v.t.Errorf("%s: %d %s, want %d %q", path, a.status, a.body, want.status, want.body)
		}
	}
	if a := visitor.post("/api/paste/locked", map[string]any{"password": "open sesame"}); a.status != 200 || a.object(v.t)["content"] != "for friends" {
		v.t.Errorf("the old password again: %d %s", a.status, a.body)
	}
}

func (v visitsToTheOldLinks) files() {
	v.t.Helper()
	visitor := v.p.visitor()
	if a := visitor.get("/api/file-download/report"); a.status != 200 || string(a.body) != "what was reported\n" || !strings.Contains(a.header.Get("Content-Disposition"), "report.txt") {
		v.t.Errorf("download: %d %s", a.status, a.body)
	}
	if a := visitor.get("/api/file-download/secret"); a.status != http.StatusUnauthorized {
		v.t.Errorf("without the password: %d %s", a.status, a.body)
	}
	for _, slug := range []string{"late", "drained"} {
		if a := visitor.get("/api/file-download/" + slug); a.status != http.StatusGone {
			v.t.Errorf("%s: %d %s", slug, a.status, a.body)
		}
	}
	if a := visitor.post("/api/public/files/secret/verify", map[string]any{"password": "hush"}); a.status != 200 {
		v.t.Errorf("with the password: %d %s", a.status, a.body)
	}
}

func (v visitsToTheOldLinks) key() {
	v.t.Helper()
	key := client{p: v.p, auth: "ApiKey Ab3dEf6hIj9k"}
	if a := key.get("/api/test/api-key"); a.status != 200 || !strings.Contains(string(a.body), `"/docs"`) {
		v.t.Errorf("the old key: %d %s", a.status, a.body)
	}
	if a := key.get(fsURL("list", "/docs/in/")); a.status != 200 || !strings.Contains(string(a.body), "report.txt") {
		v.t.Errorf("list with the old key: %d %s", a.status, a.body)
	}
	if a := key.get(fsURL("list", "/odd/")); a.status/100 == 2 {
		v.t.Errorf("the old key outside of its path: %d %s", a.status, a.body)
	}
	var own []struct{ Slug string }
	key.get("/api/pastes").into(v.t, &own)
	if len(own) != 1 || own[0].Slug != "locked" {
		v.t.Errorf("the texts of the old key: %v", own)
	}
	for _, value := range []string{"abc", "Xb3dEf6hIj9k"} {
		if a := (client{p: v.p, auth: "ApiKey " + value}).get("/api/test/api-key"); a.status != http.StatusUnauthorized {
			v.t.Errorf("key %s: %d", value, a.status)
		}
	}
}

func (v visitsToTheOldLinks) proxyLinks() {
	v.t.Helper()
	visitor := v.p.visitor()
	later := time.Now().Add(time.Hour).Unix()
	for sign, want := range map[string]int{
		predecessortest.Sign("/docs/in/report.txt", 0):     200,
		predecessortest.Sign("/docs/in/report.txt", later): 200,
		predecessortest.Sign("/docs/in/report.txt", 1):     401,
		predecessortest.Sign("/docs/in/secret.pdf", 0):     401,
		"": 401,
	} {
		a := visitor.get("/api/p/docs/in/report.txt?sign=" + url.QueryEscape(sign))
		if a.status != want || want == 200 && string(a.body) != "what was reported\n" {
			v.t.Errorf("signature %q: %d %s, want %d", sign, a.status, a.body, want)
		}
	}
}

// checkHashes looks for the passwords that were used: they are argon2id now.
// Those that were not are still what the predecessor had.
func (m moving) checkHashes() {
	m.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(m.dir, "pasteport.db"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	for query, prefix := range map[string]string{
		"SELECT password_hash FROM admins":                                            "$argon2id$",
		"SELECT password_hash FROM pastes WHERE slug = 'locked'":                      "$argon2id$",
		"SELECT password_hash FROM pastes WHERE slug = 'clear'":                       "$argon2id$",
		"SELECT password_hash FROM files WHERE slug = 'secret'":                       "$argon2id$",
		"SELECT CAST(count(*) AS TEXT) FROM api_keys WHERE mac LIKE '%Ab3d%'":         "0",
		"SELECT CAST(count(*) AS TEXT) FROM storage_configs WHERE length(sealed) > 0": "2",
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil || !strings.HasPrefix(got, prefix) {
			m.t.Errorf("%s: %q, %v, want %s…", query, got, err, prefix)
		}
	}
}

func TestAnImportThatCannotWorkSaysWhyAndWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	text, empty := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "empty")
	for path, content := range map[string]string{text: strings.Repeat("no database ", 200), empty: "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no such file":         {[]string{file + ".none"}, "no such file"},
		"no database":          {[]string{text}, "not a database"},
		"no such secret":       {[]string{file, "--encryption-secret-file", file + ".none"}, "--encryption-secret-file: open "},
		"an empty secret file": {[]string{file, "--encryption-secret-file", empty}, "is empty"},
	} {
		out, code := once(t, dir, append([]string{"import", "predecessor"}, c.args...))
		if code != 1 || !strings.Contains(out, c.want) {
			t.Errorf("%s: %d %s", name, code, out)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the data folder was made: %v", err)
	}
	out, code := once(t, dir, []string{"import", "predecessor", file, "--encryption-secret-file", text})
	if code != 1 || !strings.Contains(out, "not that of this database") {
		t.Errorf("another secret: %d %s", code, out)
	}
}

func TestAnInstallationMovesToPostgreSQLBesideAServer(t *testing.T) {
	database := "PASTEPORT_DATABASE_URL=" + portstest.Postgres(t)
	dir := t.TempDir()
	p := start(t, dir, database)
	admin := p.admin()
	if a := (client{p: p, auth: "ApiKey Ab3dEf6hIj9k"}).get("/api/test/api-key"); a.status != http.StatusUnauthorized {
		t.Fatalf("the key before the import: %d", a.status)
	}
	file := predecessortest.Make(t, "v17", predecessortest.Away)
	if out, code := once(t, dir, []string{"import", "predecessor", file, "--dry-run"}, database); code != 0 || !strings.Contains(out, "texts                11 taken over") {
		t.Fatalf("dry run: %d\n%s", code, out)
	}
	if a := p.visitor().get("/api/raw/plain"); a.status != http.StatusNotFound {
		t.Errorf("after the dry run: %d %s", a.status, a.body)
	}
	out, code := once(t, dir, []string{"import", "predecessor", file}, database)
	if code != 0 || !strings.Contains(out, "texts                11 taken over") {
		t.Fatalf("import: %d\n%s", code, out)
	}
	if a := p.visitor().get("/api/raw/plain"); a.status != 200 {
		t.Errorf("a text: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool {
		key := (client{p: p, auth: "ApiKey Ab3dEf6hIj9k"}).get("/api/test/api-key")
		mounts := admin.get("/api/user/mounts")
		title := p.visitor().get("/api/admin/settings?group=4")
		return key.status == 200 && strings.Contains(string(mounts.body), `"/docs"`) && strings.Contains(string(title.body), "My old site")
	}, "the server sees the import")
	if out, code = once(t, dir, []string{"import", "predecessor", file}, database); code != 0 || !strings.Contains(out, "texts                 0 taken over, 11 already here") {
		t.Errorf("again: %d\n%s", code, out)
	}
}
