package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports/portstest"
)

// davStand is a program with an empty mount to write to over WebDAV.
type davStand struct {
	*program
	admin client
	key   string // of both WebDAV bits
	root  string // address of the mount, with "/" at the end
	// keys are those of the objects, for the storage "s3".
	keys func() []string
}

// davChoice says what a davStand is made of.
type davChoice struct {
	storage  string // "local", "s3" or one of fileServers
	database string // "sqlite" or "postgres"
	mode     string // of uploads
	nodes    int
}

func (c davChoice) String() string {
	return fmt.Sprintf("%s, %s, %s, %d nodes", c.storage, c.database, c.mode, c.nodes)
}

// startDAV starts the program, or two of them behind one address, and makes the
// mount /dav-test.
func startDAV(t *testing.T, c davChoice) *davStand {
	t.Helper()
	env := []string{"PASTEPORT_SECRET_KEY_FILE=" + filepath.Join(t.TempDir(), "secret.key")}
	if c.database == "postgres" {
		env = append(env, "PASTEPORT_DATABASE_URL="+portstest.Postgres(t))
	}
	config := map[string]any{"name": "dav", "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}}
	var keys func() []string
	if c.storage == "s3" {
		config, keys = s3Config(t)
		env = append(env, "HTTP_PROXY="+os.Getenv("HTTP_PROXY"))
	}
	if serve := fileServers[c.storage]; serve != nil {
		config = map[string]any{"name": "dav", "driver": c.storage, "is_public": true, "options": serve(t)}
	}
	s := &davStand{program: start(t, t.TempDir(), env...), keys: keys}
	s.admin = s.program.admin()
	made := s.admin.post("/api/admin/mounts", map[string]any{"name": "dav", "mount_path": "/dav-test", "storage_type": strings.ToUpper(c.storage),
		"storage_config_id": s.admin.configID(config), "webdav_policy": "native_proxy"})
	if made.status/100 != 2 {
		t.Fatalf("make a mount: %d %s", made.status, made.body)
	}
	if a := s.admin.put("/api/admin/settings/group/3", map[string]any{"webdav_upload_mode": c.mode}); a.status != http.StatusOK {
		t.Fatalf("set the mode: %d %s", a.status, a.body)
	}
	key, _ := s.admin.key("webdav", 65536|131072, "/")
	s.key = strings.TrimPrefix(key.auth, "ApiKey ")
	address := s.url
	if c.nodes == 2 {
		address = inTurn(t, s.url, start(t, t.TempDir(), env...).url)
	}
	s.root = address + "/dav/dav-test/"
	return s
}

// s3Config is a storage config on an S3 server of this machine, and what lists
// the keys there.
func s3Config(t *testing.T) (config map[string]any, keys func() []string) {
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
	config = map[string]any{"name": "dav", "provider_type": "Other", "path_style": true, "is_public": true}
	bucket := cloud.NewBucket(t, "s3")
	for key, value := range cloud.Config("s3", bucket).Options {
		config[key] = value
	}
	return config, func() []string { return cloud.Provider("s3").Keys(t, bucket) }
}

// inTurn gives each request to the next of two servers.
func inTurn(t *testing.T, addresses ...string) string {
	var proxies []*httputil.ReverseProxy
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		proxies = append(proxies, httputil.NewSingleHostReverseProxy(u))
	}
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxies[int(n.Add(1))%len(proxies)].ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// tool returns a command that runs in an empty folder.
func tool(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("please install %s (on Debian: apt-get install %s)", name, name)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "LANG=C.UTF-8"}
	return cmd
}

// litmus runs the whole suite and wants every test of it to pass.
func (s *davStand) litmus(t *testing.T, user, password string) {
	t.Helper()
	out, err := tool(t, "litmus", "-k", s.root, user, password).CombinedOutput()
	text := string(out)
	suites := regexp.MustCompile("summary for `([a-z]+)': of ([0-9]+) tests run: ([0-9]+) passed, 0 failed").FindAllStringSubmatch(text, -1)
	var passed []string
	for _, m := range suites {
		if m[2] == m[3] {
			passed = append(passed, m[1]+" "+m[2])
		}
	}
	want := []string{"basic 16", "copymove 13", "props 30", "locks 41", "http 4"}
	if !slices.Equal(passed, want) || err != nil || regexp.MustCompile(`FAIL|SKIPPED|skipped`).MatchString(text) {
		t.Errorf("passed %v, want %v; %v\n%s", passed, want, err, tail(text, 6000))
	}
}

// In the fast lane litmus runs on two of the combinations, with
// PASTEPORT_TEST_LONG on all of them and once over two nodes.
func TestLongLitmusPassesWhole(t *testing.T) {
	t.Parallel()
	choices := []davChoice{{"local", "sqlite", "direct", 1}, {"s3", "postgres", "multipart", 1}}
	if os.Getenv("PASTEPORT_TEST_LONG") != "" {
		choices = []davChoice{{"s3", "postgres", "direct", 2}}
		for _, storage := range []string{"local", "s3"} {
			for _, database := range []string{"sqlite", "postgres"} {
				for _, mode := range []string{"direct", "multipart"} {
					choices = append(choices, davChoice{storage, database, mode, 1})
				}
			}
		}
	}
	for _, c := range choices {
		t.Run(c.String(), func(t *testing.T) {
			s := startDAV(t, c)
			t.Run("as the administrator", func(t *testing.T) { s.litmus(t, "admin", adminPassword) })
			t.Run("as a key with both bits", func(t *testing.T) { s.litmus(t, s.key, s.key) })
		})
	}
}

// rclone runs the program against the mount, as the remote "dav:".
func (s *davStand) rclone(t *testing.T, args ...string) string {
	t.Helper()
	obscured, err := tool(t, "rclone", "obscure", s.key).Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := tool(t, "rclone", append([]string{"-v", "--retries", "1", "--config", "/dev/null"}, args...)...)
	cmd.Env = append(cmd.Env, "RCLONE_CONFIG_DAV_TYPE=webdav", "RCLONE_CONFIG_DAV_VENDOR=other", "RCLONE_CONFIG_DAV_URL="+s.root,
		"RCLONE_CONFIG_DAV_USER="+s.key, "RCLONE_CONFIG_DAV_PASS="+strings.TrimSpace(string(obscured)))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("rclone %v: %v\n%s", args, err, tail(string(out), 4000))
	}
	return string(out)
}

func TestRcloneKeepsATreeOverWebDAV(t *testing.T) {
	t.Parallel()
	for _, c := range []davChoice{{"local", "sqlite", "multipart", 1}, {"s3", "postgres", "direct", 1}} {
		t.Run(c.String(), func(t *testing.T) {
			s := startDAV(t, c)
			tree := t.TempDir()
			large := make([]byte, 11<<20)
			if _, err := rand.Read(large); err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string][]byte{
				"a.txt": []byte("one"), "empty": nil, "sub/deep/b.bin": large, "sub/ünï 文件 #1 100%.md": []byte("two"),
				"sub/a+b & c;d=e,f@g.txt": []byte("three"), "sub/'quoted' (copy) [1]~.txt": []byte("four"), "other/c": []byte("five"),
			} {
				path := filepath.Join(tree, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.rclone(t, "copy", tree, "dav:kept")
			if again := s.rclone(t, "sync", tree, "dav:kept"); !strings.Contains(again, "There was nothing to transfer") {
				t.Errorf("the second sync: %s", again)
			}
			s.rclone(t, "check", "--download", tree, "dav:kept")
			s.rclone(t, "moveto", "dav:kept/a.txt", "dav:kept/renamed.txt")
			s.rclone(t, "moveto", "dav:kept/sub", "dav:kept/moved")
			if err := os.Rename(filepath.Join(tree, "a.txt"), filepath.Join(tree, "renamed.txt")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(tree, "sub"), filepath.Join(tree, "moved")); err != nil {
				t.Fatal(err)
			}
			s.rclone(t, "check", "--download", tree, "dav:kept")
			s.rclone(t, "purge", "dav:kept")
			var left string
			if s.keys == nil {
				left = s.rclone(t, "lsf", "-R", "dav:")
			} else { // this server sometimes lists the empty directory of a folder that has gone
				left = strings.Join(s.keys(), " ")
			}
			if strings.Contains(left, "kept") {
				t.Errorf("after the purge: %s", left)
			}
		})
	}
}

func TestCadaverWorksThroughAScript(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	cmd := tool(t, "cadaver", s.root)
	if err := os.WriteFile(filepath.Join(cmd.Dir, "up.txt"), []byte("from cadaver"), 0o600); err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	netrc := fmt.Sprintf("machine %s login %s password %s\n", host.Hostname(), s.key, s.key)
	if err := os.WriteFile(filepath.Join(cmd.Dir, ".netrc"), []byte(netrc), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		"mkcol folder", "cd folder", "put up.txt", "copy up.txt twin.txt", "move twin.txt third.txt", "lock up.txt", "put up.txt", "discover up.txt", "unlock up.txt",
		"propset up.txt colour blue", "propget up.txt colour", "ls", "get third.txt down.txt", "delete third.txt", "cd ..", "rmcol folder", "ls", "quit",
	}, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err != nil || strings.Contains(strings.ToLower(text), "failed") || strings.Contains(text, "Could not") {
		t.Fatalf("cadaver: %v\n%s", err, tail(text, 4000))
	}
	if !strings.Contains(text, "blue") || !strings.Contains(text, "urn:uuid:") {
		t.Errorf("the property and the lock are not shown:\n%s", text)
	}
	down, err := os.ReadFile(filepath.Join(cmd.Dir, "down.txt"))
	if err != nil || string(down) != "from cadaver" {
		t.Errorf("downloaded %q, %v", down, err)
	}
}

// dav sends one request as the key; header holds pairs of name and value.
func (s *davStand) dav(method, path, body string, header ...string) answer {
	s.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(s.key+":"+s.key))
	return s.visitor().send(method, s.root+path, reader, append([]string{"Authorization", basic}, header...)...)
}

// want is dav that wants a status.
func (s *davStand) want(status int, method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.dav(method, path, body, header...)
	if a.status != status {
		s.t.Errorf("%s %s: %d %s, want %d", method, path, a.status, tail(string(a.body), 300), status)
	}
	return a
}

const exclusiveLock = `<?xml version="1.0" encoding="utf-8" ?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>` +
	`<D:locktype><D:write/></D:locktype><D:owner><D:href>PC\user</D:href></D:owner></D:lockinfo>`

// The order of requests in which the Windows Explorer saves a file (contract
// §8.14).
func TestContract8_14_TheWindowsExplorerSavesAFile(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	agent := []string{"User-Agent", "Microsoft-WebDAV-MiniRedir/10.0.19045", "Translate", "f"}
	with := func(more ...string) []string { return append(slices.Clone(agent), more...) }
	for _, path := range []string{"/", "/dav", "/dav/", "/dav/dav-test"} {
		a := s.visitor().send(http.MethodOptions, s.url+path, nil, agent...)
		if a.status != http.StatusOK || a.header.Get("MS-Author-Via") != "DAV" || a.header.Get("DAV") != "1, 2, 3" {
			t.Errorf("OPTIONS %s: %d %v", path, a.status, a.header)
		}
	}
	if a := s.visitor().send("PROPFIND", s.url+"/", nil, agent...); a.status != http.StatusMethodNotAllowed {
		t.Errorf("PROPFIND /: %d", a.status)
	}
	s.want(207, "PROPFIND", "", "", with("Depth", "0")...)
	for _, probe := range []string{"desktop.ini", "Thumbs.db", "folder.jpg", "new.txt"} {
		s.want(404, "PROPFIND", probe, "", with("Depth", "0")...)
	}
	s.want(201, "PUT", "new.txt", "", with()...)
	locked := s.want(200, "LOCK", "new.txt", exclusiveLock, with("Timeout", "Second-3600", "Content-Type", "text/xml; charset=utf-8")...)
	token := locked.header.Get("Lock-Token")
	if !strings.HasPrefix(token, "<urn:uuid:") || !strings.Contains(string(locked.body), "<D:timeout>Second-3600</D:timeout>") {
		t.Errorf("the lock: %q %s", token, locked.body)
	}
	times := `<?xml version="1.0" encoding="utf-8" ?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:schemas-microsoft-com:"><D:set><D:prop>` +
		`<Z:Win32CreationTime>Sat, 21 Nov 2026 06:00:00 GMT</Z:Win32CreationTime><Z:Win32LastAccessTime>Sat, 21 Nov 2026 06:00:00 GMT</Z:Win32LastAccessTime>` +
		`<Z:Win32LastModifiedTime>Sat, 21 Nov 2026 06:00:00 GMT</Z:Win32LastModifiedTime><Z:Win32FileAttributes>00000020</Z:Win32FileAttributes></D:prop></D:set></D:propertyupdate>`
	held := []string{"If", "(" + token + ")"}
	patched := s.want(207, "PROPPATCH", "new.txt", times, with(held...)...)
	if !strings.Contains(string(patched.body), "HTTP/1.1 200 OK") || strings.Contains(string(patched.body), "403") {
		t.Errorf("the times: %s", patched.body)
	}
	s.want(423, "PUT", "new.txt", "somebody else", with()...)
	s.want(204, "PUT", "new.txt", "content", with(held...)...)
	s.want(207, "PROPPATCH", "new.txt", times, with(held...)...)
	s.want(204, "UNLOCK", "new.txt", "", with("Lock-Token", token)...)
	shown := string(s.want(207, "PROPFIND", "new.txt", "", with("Depth", "0")...).body)
	for _, part := range []string{"<D:getcontentlength>7<", "<D:getlastmodified>", "Win32FileAttributes", "00000020"} {
		if !strings.Contains(shown, part) {
			t.Errorf("PROPFIND lacks %s: %s", part, shown)
		}
	}
	if got := s.want(200, "GET", "new.txt", "", agent...); string(got.body) != "content" {
		t.Errorf("read back %q", got.body)
	}
}

// The order of requests in which the Finder saves a file (contract §8.14).
func TestContract8_14_TheFinderSavesAFile(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	agent := []string{"User-Agent", "WebDAVFS/3.0.0 (03008000) Darwin/22.6.0 (x86_64)"}
	with := func(more ...string) []string { return append(slices.Clone(agent), more...) }
	quota := `<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop><D:quota-available-bytes/><D:quota-used-bytes/></D:prop></D:propfind>`
	s.want(207, "PROPFIND", "", quota, with("Depth", "0")...)
	for _, probe := range []string{"._.", ".DS_Store", ".localized", ".metadata_never_index", "cafe\u0301.txt"} {
		s.want(404, "PROPFIND", url.PathEscape(probe), "", with("Depth", "0")...)
	}
	name := url.PathEscape("cafe\u0301.txt") // as the Finder sends it, decomposed
	locked := s.want(201, "LOCK", name, exclusiveLock, with("Depth", "0", "Timeout", "Second-600")...)
	token := locked.header.Get("Lock-Token")
	content := strings.Repeat("macOS ", 1000)
	chunked := func(body string, expected int) answer {
		r := io.MultiReader(strings.NewReader(body)) // of unknown length
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(s.key+":"+s.key))
		return s.visitor().send("PUT", s.root+name, r, with("Authorization", basic, "If", "("+token+")", "X-Expected-Entity-Length", fmt.Sprint(expected))...)
	}
	if a := chunked(content, len(content)); a.status != 204 {
		t.Errorf("PUT in chunks: %d %s", a.status, a.body)
	}
	if a := chunked("cut off", 100); a.status != 400 {
		t.Errorf("a body shorter than announced: %d %s", a.status, a.body)
	}
	s.want(204, "UNLOCK", name, "", with("Lock-Token", token)...)
	if got := s.want(200, "GET", name, "", agent...); !bytes.Equal(got.body, []byte(content)) {
		t.Errorf("read back %d bytes", len(got.body))
	}
	s.want(201, "PUT", "._"+name, "resource fork", agent...)
	if a := s.admin.put("/api/admin/settings/group/3", map[string]any{"webdav_ignore_system_files": true}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.want(403, "PUT", ".DS_Store", "x", agent...)
	s.want(403, "PUT", "._other", "x", agent...)
	s.want(404, "GET", ".DS_Store", "", agent...)
}

func TestWebDAVLiesBelowTheBasePath(t *testing.T) {
	p := launch(t, t.TempDir(), "PASTEPORT_PUBLIC_URL=https://files.example/box")
	portstest.Eventually(t, func() bool {
		a, err := p.visitor().try(http.MethodGet, "/box/api/health", nil)
		return err == nil && a.status == http.StatusOK
	})
	c := client{p: p, auth: basicAuth("admin", adminPassword)}
	a := c.send("PROPFIND", "/box/dav/", nil, "Depth", "1")
	if a.status != http.StatusMultiStatus || !strings.Contains(string(a.body), "<D:href>/box/dav/local/</D:href>") {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, path := range []string{"/box/dav/local/f", "/box/dav/local/g"} {
		if a := c.send(http.MethodPut, path, strings.NewReader("x")); a.status != http.StatusCreated {
			t.Errorf("PUT %s: %d %s", path, a.status, a.body)
		}
	}
	for destination, want := range map[string]int{"https://files.example/box/dav/local/moved": 201, "/dav/local/elsewhere": 502} {
		source := map[int]string{201: "f", 502: "g"}[want]
		if a := c.send("MOVE", "/box/dav/local/"+source, nil, "Destination", destination); a.status != want {
			t.Errorf("MOVE to %s: %d %s", destination, a.status, a.body)
		}
	}
	for path, want := range map[string]int{"/": 200, "/box": 200, "/box/": 200, "/box/dav": 200} {
		if a := p.visitor().send(http.MethodOptions, path, nil); a.status != want || a.header.Get("DAV") == "" {
			t.Errorf("OPTIONS %s: %d", path, a.status)
		}
	}
	if a := c.send("PROPFIND", "/dav/", nil); a.status != http.StatusNotFound {
		t.Errorf("outside the base path: %d", a.status)
	}
}
