package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// The tests of this file do what an attacker would: each one names the
// promise that it tries to break.

// soon is less than the half minute that the server waits for a slow body: an
// answer within it did not wait for one.
const soon = 25 * time.Second

// raw sends bytes as they are and returns the status line of the answer, or
// what came of it within the time. The server may answer and close before all
// is sent.
func (p *program) raw(request string, wait time.Duration) string {
	p.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(wait))
	go func() { _, _ = io.WriteString(c, request) }() // ends with the connection
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

// dial opens a connection that lasts as long as the test.
func (p *program) dial() net.Conn {
	p.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

func TestSecurity4_14_BodiesOfStrangersAreNotRead(t *testing.T) {
	p := start(t, t.TempDir())
	for _, call := range []string{
		"POST /api/paste", "PUT /api/pastes/x", "POST /api/upload", "PUT /api/upload-direct/x.bin", "POST /api/s3/presign", "PUT /api/admin/settings/group/1",
	} {
		// The body is announced and never comes: who waits for it does not answer.
		got := p.raw(fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", call, 60<<20), patience) // who waits for the body answers 408
		if !strings.HasPrefix(got, "HTTP/1.1 401 ") {
			t.Errorf("%s: %q, want 401 before the body", call, got)
		}
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": "wrong"}); a.status != http.StatusUnauthorized {
		t.Errorf("a call for everybody still reads its body: %d", a.status)
	}
}

func TestSecurity4_14_LongBodiesOfOneCallerDoNotFillTheMemory(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	greedy, _ := admin.key("greedy", 0, "/")
	modest, _ := admin.key("modest", 1, "/")
	head := fmt.Sprintf("POST /api/paste HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", greedy.auth, 60<<20)
	head += strings.Repeat(" ", 2<<20) // who sends less holds no room
	answers := make(chan string, 3)
	for range 3 {
		c := p.dial()
		go func() {
			_, _ = io.WriteString(c, head)
			line, _ := bufio.NewReader(c).ReadString('\n')
			answers <- line
		}()
	}
	// Two are read on and get no answer; which one is too many is open.
	if first := <-answers; !strings.HasPrefix(first, "HTTP/1.1 429 ") {
		t.Errorf("a third long body of one caller: %q", first)
	}
	if a := modest.post("/api/paste", map[string]any{"content": strings.Repeat("x", 2<<20)}); a.status != http.StatusOK {
		t.Errorf("a long paste of another caller: %d %s", a.status, a.body)
	}
}

func TestSecurity4_14_SlowBodiesOfStrangersKeepNobodyWaiting(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/paste", map[string]any{"content": "x", "slug": "known"})
	for i := range 300 {
		length := "Content-Length: 90"
		if i%3 == 0 {
			length = "Transfer-Encoding: chunked"
		}
		if _, err := io.WriteString(p.dial(), "POST /api/admin/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+length+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		for _, path := range []string{"/api/health", "/api/paste/known", "/api/admin/settings?group=4"} {
			if a := p.visitor().get(path); a.status != http.StatusOK {
				t.Fatalf("%s: %d %s", path, a.status, a.body)
			}
		}
	}
	if a := admin.post("/api/paste", map[string]any{"content": "x"}); a.status != http.StatusOK {
		t.Errorf("a new paste: %d %s", a.status, a.body)
	}
}

func TestSecurity4_14_NoCallWaitsForABodyThatNobodyReads(t *testing.T) {
	p := start(t, t.TempDir())
	var calls sync.WaitGroup
	atOnce := make(chan struct{}, 64) // few enough to be let in
	lines := []string{"PUT /api/blob/x/y", "POST /api/nothing", "POST /", "OPTIONS /api/paste"}
	for path, methods := range readDescription(t) {
		for method := range methods {
			lines = append(lines, strings.ToUpper(method)+" "+regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "1"))
		}
	}
	for _, line := range lines {
		for _, kind := range []string{"text/plain", "multipart/form-data; boundary=b"} {
			calls.Go(func() {
				atOnce <- struct{}{}
				defer func() { <-atOnce }()
				got := p.raw(line+" HTTP/1.1\r\nHost: x\r\nContent-Type: "+kind+"\r\nContent-Length: 100000\r\n\r\n", soon)
				if !strings.HasPrefix(got, "HTTP/1.1 ") || strings.HasPrefix(got, "HTTP/1.1 5") {
					t.Errorf("%s with %s: %q", line, kind, got)
				}
			})
		}
	}
	calls.Wait()
}

func TestSecurity4_6_NoStorageReachesTheServersOwnFiles(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "files", "self")); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "./", dir, filepath.Dir(dir), "/", "plugins", "tmp", "files/self", "files/.."} {
		a := admin.post("/api/s3-configs", map[string]any{"name": "stolen", "driver": "local", "options": map[string]any{"directory": folder}})
		if a.status != http.StatusBadRequest {
			t.Errorf("a storage at %q: %d %s", folder, a.status, a.body)
		}
	}
	admin.configID(map[string]any{"name": "fine", "driver": "local", "options": map[string]any{"directory": "more files"}})
}

func TestAnUploadLinkEndsWithItsUpload(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	storage := admin.get("/api/s3-configs").object(t)["data"].([]any)[0].(map[string]any)["id"].(string)
	announce := func(name string) (link, id string) {
		t.Helper()
		var made struct {
			UploadURL string `json:"upload_url"`
			FileID    string `json:"file_id"`
		}
		admin.post("/api/s3/presign", map[string]any{"s3_config_id": storage, "filename": name, "slug": name[:1]}).into(t, &made)
		return strings.TrimPrefix(made.UploadURL, p.url), made.FileID
	}
	put := func(link, content string) int {
		return p.visitor().send(http.MethodPut, link, strings.NewReader(content)).status
	}
	committed, id := announce("a.txt")
	if got := put(committed, "first"); got != http.StatusOK {
		t.Fatalf("PUT: %d", got)
	}
	if a := admin.post("/api/s3/commit", map[string]any{"file_id": id}); a.status != http.StatusOK {
		t.Fatalf("commit: %d %s", a.status, a.body)
	}
	deleted, id := announce("b.txt")
	admin.delete("/api/files/batch-delete", map[string]any{"ids": []string{id}})
	for name, link := range map[string]string{"committed": committed, "deleted": deleted} {
		if got := put(link, "changed"); got != http.StatusForbidden {
			t.Errorf("after it was %s: %d", name, got)
		}
	}
	if a := p.visitor().get("/api/file-download/a"); string(a.body) != "first" {
		t.Errorf("the committed file holds %q", a.body)
	}
	left, err := filepath.Glob(filepath.Join(dir, "files", "b*"))
	if err != nil || len(left) != 0 {
		t.Errorf("objects without a record: %v, %v", left, err)
	}
}

func TestTextThatADatabaseCannotKeepIsRefused(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/paste", map[string]any{"content": "x", "slug": "base"})
	for _, call := range []struct{ method, path, body string }{
		{"POST", "/api/admin/login", `{"username":"a\u0000","password":"x"}`},
		{"POST", "/api/admin/api-keys", `{"name":"a\u0000"}`},
		{"PUT", "/api/pastes/base", `{"content":"x","remark":"a\u0000"}`},
		{"POST", "/api/s3/presign", `{"s3_config_id":"a\u0000","filename":"x"}`},
		{"GET", "/api/pastes?search=a%00", ""},
		{"GET", "/api/files?search=%ff", ""},
		{"GET", "/api/pastes?created_by=%00", ""},
		{"PUT", "/api/upload-direct/x.txt?remark=%00", "x"},
	} {
		a := admin.send(call.method, call.path, strings.NewReader(call.body), "Content-Type", "application/json")
		if a.status != http.StatusBadRequest {
			t.Errorf("%s %s %s: %d %s", call.method, call.path, call.body, a.status, a.body)
		}
	}
	// Content is bytes, and an escaped backslash is no NUL.
	for _, body := range []string{`{"content":"a\u0000b"}`, `{"content":"x","remark":"a\\u0000"}`} {
		if a := admin.send("POST", "/api/paste", strings.NewReader(body), "Content-Type", "application/json"); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}

func TestSecurityF1_AKeyReachesNoObjectOfAnother(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	owner, _ := admin.key("owner", 3, "/")
	thief, _ := admin.key("thief", 3, "/")
	var configs []struct{ ID string }
	admin.get("/api/s3-configs").into(t, &configs)
	presign := func(c client, password string) (up struct {
		FileID     string `json:"file_id"`
		UploadURL  string `json:"upload_url"`
		Slug, Path string
	}) {
		c.post("/api/s3/presign", map[string]any{"s3_config_id": configs[0].ID, "filename": "plan.txt", "path": "team", "password": password}).into(t, &up)
		return up
	}
	mine := presign(owner, "only for friends")
	if a := p.visitor().send("PUT", mine.UploadURL, strings.NewReader("secret plan")); a.status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	if a := owner.post("/api/s3/commit", map[string]any{"file_id": mine.FileID}); a.status != http.StatusOK {
		t.Fatalf("commit: %d %s", a.status, a.body)
	}

	theirs := presign(thief, "")
	if a := thief.post("/api/s3/commit", map[string]any{"file_id": theirs.FileID}); a.status != http.StatusBadRequest {
		t.Errorf("a commit without an upload: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/" + theirs.Slug); a.status != http.StatusNotFound {
		t.Errorf("a share of another's object: %d %s", a.status, a.body)
	}
	if a := p.visitor().send("PUT", theirs.UploadURL, strings.NewReader("forged plan")); a.status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/" + mine.Slug + "?password=only+for+friends"); string(a.body) != "secret plan" {
		t.Errorf("the owner's file reads %q", a.body)
	}
}

// needs are the permission bits of the actions that keys may do, written from
// spec §6 apart from the policies. Actions that stand neither here nor among
// the open ones are for the administrator.
var needs = map[string]int{
	"paste.create": 1, "paste.list": 1, "paste.read_own": 1, "paste.update": 1, "paste.delete": 1,
	"file.list": 2, "file.upload": 2, "file.read_own": 2, "file.update": 2, "file.delete": 2, "storage.list": 2, "url.fetch": 2,
	"mount.list": 256, "mount.read": 256, "mount.search": 256, "mount.share": 256, "mount.archive": 256, "mount.upload": 512, "mount.mkdir": 512, "mount.edit": 512,
	"mount.copy": 1024, "mount.move": 2048, "mount.rename": 2048, "mount.delete": 4096, "request.create": 2 | 512, "request.list": 2 | 512, "request.read_own": 2 | 512, "request.update": 2 | 512, "request.delete": 2 | 512, "share.log": 1 | 2,
	"notification.read": 1 | 2 | 256 | 512, "notification.write": 1 | 2 | 256 | 512,
	"task.read": 2 | 1024 | 2048 | 4096, "mounts.read": 256 | 512 | 1024 | 2048 | 4096,
}

var openActions = []string{"share.view", "share.list", "share.verify", "share.download", "share.preview", "site.read", "session.open", "session.close", "url.proxy", "mount.proxy", "request.view", "request.upload"}

// described are the operations of the API description, by path and method.
type described map[string]map[string]struct {
	OperationID string   `json:"operationId"`
	Actions     []string `json:"x-actions"`
}

func readDescription(t *testing.T) described {
	t.Helper()
	raw, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Paths described }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Paths
}

// bodyOfAll is one body for every operation: each takes the fields it knows. Its
// paths lead nowhere.
const bodyOfAll = `{"ids":["x"],"path":"/nowhere/f","paths":["/nowhere/f"],"oldPath":"/nowhere/f","newPath":"/nowhere/g","targetPath":"/nowhere/f",` +
	`"items":[{"sourcePath":"/nowhere/f","targetPath":"/nowhere/g"}],"files":[{"s3Path":"f","targetPath":"/nowhere/f"}],"targetMountId":"x","mountId":"x",` +
	`"fileName":"f","fileSize":1,"uploadId":"x","parts":[{"partNumber":1,"etag":"x"}],"partNumbers":[1],"content":"x","keep":true}`

func TestSpec6_EveryOperationAsksForItsPermission(t *testing.T) {
	paths := readDescription(t)
	p := start(t, t.TempDir())
	admin := p.admin()
	callers := map[int]client{-1: p.visitor()}
	for _, bit := range []int{0, 1, 2, 256, 512, 1024, 2048, 4096, 65536, 131072} {
		callers[bit], _ = admin.key(fmt.Sprint("bit ", bit), bit, "/")
	}
	fill := strings.NewReplacer("{id}", "01a1fc55-0000-7000-8000-000000000000", "{slug}", "nothing", "{group}", "1", "{filename}", "x.txt", "{version}", "1", "{kind}", "paste")
	for path, methods := range paths {
		for method, op := range methods {
			action := op.Actions[0]
			if slices.Contains(openActions, action) || strings.HasPrefix(op.OperationID, "blob.") || strings.HasPrefix(op.OperationID, "deletion.") || op.OperationID == "fs.archive_read" || action == "key.self" {
				continue
			}
			for bit, c := range callers {
				header := []string{"Content-Type", "application/json"}
				body := bodyOfAll
				if op.OperationID == "file.form" || op.OperationID == "fs.upload" {
					header[1], body = "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/nowhere/f\r\n"+
						"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nx\r\n--b--\r\n"
				}
				if strings.HasPrefix(op.OperationID, "policy.") { // their files are texts by name
					body = `{"files":{"a.rego":"package pasteport.site"}}`
				}
				if op.OperationID == "collection.create" { // of paths it asks mount.share, of files what it names first
					body = `{"file_ids":["x"]}`
				}
				target := fill.Replace(path)
				if strings.HasPrefix(path, "/api/fs/") {
					target += "?path=/nowhere/f&q=nowhere"
				}
				got := c.send(strings.ToUpper(method), target, strings.NewReader(body), header...).status
				allowed := bit > 0 && needs[action]&bit != 0
				switch {
				case bit < 0 && got != http.StatusUnauthorized:
					t.Errorf("%s by a visitor: %d, want 401", op.OperationID, got)
				case bit >= 0 && !allowed && got != http.StatusForbidden:
					t.Errorf("%s by a key with bits %d: %d, want 403", op.OperationID, bit, got)
				case allowed && (got == http.StatusUnauthorized || got == http.StatusForbidden || got >= 500):
					t.Errorf("%s by a key with bits %d: %d, want it let in", op.OperationID, bit, got)
				}
			}
		}
	}
}

func TestDecision12_TicketsOpenOneShareInOneVersion(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	visitor := p.visitor()
	id := map[string]string{}
	for _, slug := range []string{"one", "two"} {
		var made struct{ ID string }
		admin.send("PUT", "/api/upload-direct/"+slug+".txt?password=friends-only&slug="+slug, strings.NewReader(slug)).into(t, &made)
		id[slug] = made.ID
	}
	open := func() string {
		t.Helper()
		var shown struct {
			Preview string `json:"proxy_preview_url"`
		}
		visitor.post("/api/public/files/one/verify", map[string]any{"password": "friends-only"}).into(t, &shown)
		_, ticket, found := strings.Cut(shown.Preview, "ticket=")
		if !found {
			t.Fatalf("no ticket in %q", shown.Preview)
		}
		return ticket
	}
	status := func(slug, ticket string) int {
		return visitor.get("/api/file-view/" + slug + "?ticket=" + ticket).status
	}
	ticket := open()
	end, sum, _ := strings.Cut(ticket, ".")
	for _, tc := range []struct {
		name, slug, ticket string
		want               int
	}{
		{"its own share", "one", ticket, 200},
		{"another share", "two", ticket, 401},
		{"a later end", "one", "z" + end + "." + sum, 401},
		{"no end", "one", "." + sum, 401},
		{"another signature", "one", end + "." + strings.ToUpper(sum), 401},
		{"no signature", "one", end + ".", 401},
	} {
		if got := status(tc.slug, tc.ticket); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
	admin.put("/api/files/"+id["one"], map[string]any{"password": "new-friends"})
	if got := status("one", ticket); got != http.StatusUnauthorized {
		t.Errorf("after the password changed: %d", got)
	}
	admin.put("/api/files/"+id["one"], map[string]any{"password": "friends-only"})
	ticket = open()
	admin.delete("/api/files/batch-delete", map[string]any{"ids": []string{id["one"]}})
	if got := status("one", ticket); got != http.StatusNotFound {
		t.Errorf("after the share was deleted: %d", got)
	}
	admin.send("PUT", "/api/upload-direct/one.txt?password=others-only&slug=one", strings.NewReader("new"))
	if got := status("one", ticket); got != http.StatusUnauthorized {
		t.Errorf("at a new share of the same name: %d", got)
	}
}

func TestSecurityC1_NoUploadRunsInTheBrowser(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	html := `<html><script>alert(1)</script></html>`
	for name, content := range map[string]string{
		"a.html": html, "a.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, "a.xml": `<?xml version="1.0"?><x/>`, "a.xhtml": html,
		"a.png": html, "a.txt": html, "a.pdf": "%PDF-1.4", "a.js": "alert(1)", "a.HTML.": html, "none": html, "a.gif": "GIF89a/*<script>*/=1",
	} {
		var made struct {
			Slug   string
			Direct string `json:"s3_direct_preview_url"`
		}
		admin.send("PUT", "/api/upload-direct/"+name+"?use_proxy=0", strings.NewReader(content), "Content-Type", "text/html").into(t, &made)
		direct := made.Direct[:strings.LastIndex(made.Direct, "/")] + "/evil.html?response-content-type=text/html&response-content-disposition=inline"
		for _, url := range []string{"/api/file-view/" + made.Slug + "?inline=1&type=text/html", "/api/file-download/" + made.Slug, made.Direct, direct} {
			a := p.visitor().get(url, "Accept", "text/html")
			kind, shown := a.header.Get("Content-Type"), a.header.Get("Content-Disposition")
			switch active := strings.Contains(kind, "html") || strings.Contains(kind, "xml") || strings.Contains(kind, "svg") || strings.Contains(kind, "script"); {
			case a.status != http.StatusOK:
				t.Errorf("%s at %s: %d", name, url, a.status)
			case active && !strings.HasPrefix(shown, "attachment"):
				t.Errorf("%s at %s is shown as %q (%s)", name, url, kind, shown)
			case a.header.Get("X-Content-Type-Options") != "nosniff", !strings.Contains(a.header.Get("Content-Security-Policy"), "sandbox"),
				strings.Contains(a.header.Get("Content-Security-Policy"), "allow-scripts"):
				t.Errorf("%s at %s lacks its headers: %v", name, url, a.header)
			}
		}
	}
}

func TestSecurity4_19_RulesThatFailLetNobodyIn(t *testing.T) {
	dir, rules := t.TempDir(), t.TempDir()
	first := start(t, dir)
	admin := first.admin()
	admin.post("/api/paste", map[string]any{"content": "hidden text", "slug": "known"})
	admin.send("PUT", "/api/upload-direct/x.txt?slug=known", strings.NewReader("hidden text"))
	first.stop()
	rule := `package pasteport.site

deny contains {"code": "x", "message": "x"} if {
	input.context.client_ip == "198.51.100.7"
	net.cidr_contains("no block", input.context.client_ip)
}
`
	if err := os.WriteFile(filepath.Join(rules, "site.rego"), []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	// Who has not asked before: what is tried at the start knows no such caller.
	from := []string{"X-Forwarded-For", "198.51.100.7"}
	p := launch(t, dir, "PASTEPORT_POLICY_DIR="+rules, "PASTEPORT_TRUSTED_PROXIES=127.0.0.1")
	portstest.Eventually(t, func() bool {
		a, err := (client{p: p}).try("GET", "/robots.txt", nil)
		return err == nil && a.status == http.StatusOK
	}, "the program serves")
	for _, c := range []client{p.visitor(), {p: p, auth: admin.auth}} {
		for _, path := range []string{"/api/paste/known", "/api/raw/known", "/api/public/files/known", "/api/file-view/known", "/api/file-download/known", "/api/admin/settings?group=1"} {
			if a := c.get(path, from...); a.status != http.StatusServiceUnavailable || strings.Contains(string(a.body), "hidden") {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}, from...); a.status != http.StatusServiceUnavailable {
		t.Errorf("login: %d %s", a.status, a.body)
	}
}

func TestSecurityL1_ForgedAddressesDoNotResetTheLimit(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_RATE_LIMITS=on")
	p.admin().post("/api/paste", map[string]any{"content": "x", "slug": "locked", "password": "friends-only"})
	statuses := map[int]int{}
	for i := range 14 {
		forged := fmt.Sprintf("203.0.113.%d", i)
		a := p.visitor().post("/api/paste/locked", map[string]any{"password": fmt.Sprint("guess ", i)},
			"X-Forwarded-For", forged, "X-Real-IP", forged, "Forwarded", "for="+forged)
		statuses[a.status]++
	}
	if statuses[http.StatusUnauthorized] != 10 || statuses[http.StatusTooManyRequests] != 4 {
		t.Errorf("14 guesses answered %v, want 10 times 401 and 4 times 429", statuses)
	}
}
