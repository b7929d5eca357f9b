package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBadInputGetsTheContractsAnswer sends what a hostile or broken client
// sends: each call gets its status and an envelope, never a 500.
func TestBadInputGetsTheContractsAnswer(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/paste", map[string]any{"content": "taken", "slug": "taken"})
	admin.post("/api/paste", map[string]any{"content": "old", "slug": "old", "expiresAt": "2020-01-01T00:00:00Z"})
	long := strings.Repeat("x", 51)
	type call struct {
		name, method, path, body string
		want                     int
		code                     string // machine code, "" for any
	}
	calls := []call{
		{"wrong JSON", "POST", "/api/paste", `{"content":`, 400, "invalid_argument"},
		{"trailing JSON", "POST", "/api/paste", `{"content":"x"} {}`, 400, "invalid_argument"},
		{"content of a wrong type", "POST", "/api/paste", `{"content":{"a":1}}`, 400, "invalid_argument"},
		{"an array for an object", "POST", "/api/paste", `[]`, 400, "invalid_argument"},
		{"no content", "POST", "/api/paste", `{}`, 400, "invalid_argument"},
		{"empty content", "POST", "/api/paste", `{"content":""}`, 400, "invalid_argument"},
		{"negative views", "POST", "/api/paste", `{"content":"x","maxViews":-1}`, 400, "invalid_argument"},
		{"views beyond numbers", "POST", "/api/paste", `{"content":"x","maxViews":1e30}`, 400, "invalid_argument"},
		{"a date that is none", "POST", "/api/paste", `{"content":"x","expiresAt":"tomorrow"}`, 400, "invalid_argument"},
		{"a long slug", "POST", "/api/paste", `{"content":"x","slug":"` + long + `"}`, 400, "slug_invalid"},
		{"a slug with a slash", "POST", "/api/paste", `{"content":"x","slug":"a/b"}`, 400, "slug_invalid"},
		{"a slug with a blank", "POST", "/api/paste", `{"content":"x","slug":"a b"}`, 400, "slug_invalid"},
		{"a reserved slug", "POST", "/api/paste", `{"content":"x","slug":"Admin"}`, 400, "slug_reserved"},
		{"a taken slug", "POST", "/api/paste", `{"content":"x","slug":"taken"}`, 409, "slug_taken"},
		{"an unknown paste", "GET", "/api/paste/nothing", ``, 404, "not_found"},
		{"verify without a password", "POST", "/api/paste/taken", `{}`, 400, ""},
		{"a page number that is none", "GET", "/api/pastes?limit=abc&offset=-5", ``, 200, ""},
		{"an unknown path", "GET", "/api/nothing/here", ``, 404, "not_found"},
		{"a wrong method", "PATCH", "/api/paste", `{}`, 404, "not_found"},
		{"delete of nothing", "DELETE", "/api/pastes/batch-delete", `{"ids":[]}`, 400, "invalid_argument"},
		{"ids of a wrong type", "DELETE", "/api/pastes/batch-delete", `{"ids":"all"}`, 400, "invalid_argument"},
		{"presign without anything", "POST", "/api/s3/presign", `{}`, 400, "invalid_argument"},
		{"presign for no config", "POST", "/api/s3/presign", `{"s3_config_id":"nope","filename":"a"}`, 404, "not_found"},
		{"commit of nothing", "POST", "/api/s3/commit", `{}`, 400, "invalid_argument"},
		{"commit of an unknown file", "POST", "/api/s3/commit", `{"file_id":"nope"}`, 404, "not_found"},
		{"a bad delete mode", "DELETE", "/api/files/batch-delete", `{"ids":["x"],"delete_mode":"maybe"}`, 400, "invalid_argument"},
		{"an unknown file", "GET", "/api/public/files/nothing", ``, 404, "not_found"},
		{"a forged blob link", "GET", "/api/blob/AAAA/x.txt", ``, 403, ""},
		{"settings of no group", "GET", "/api/admin/settings?group=abc", ``, 400, "invalid_argument"},
		{"a key without a name", "POST", "/api/admin/api-keys", `{}`, 400, "invalid_argument"},
		{"a key with bad bits", "POST", "/api/admin/api-keys", `{"name":"x","permissions":-4}`, 400, "invalid_argument"},
		{"a key above its folder", "POST", "/api/admin/api-keys", `{"name":"x","basic_path":"/a/../b"}`, 400, "invalid_argument"},
		{"a new password that is the old one", "POST", "/api/admin/change-password", fmt.Sprintf(`{"currentPassword":%q,"newPassword":%q}`, adminPassword, adminPassword), 400, "invalid_argument"},
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			a := admin.send(c.method, c.path, strings.NewReader(c.body), "Content-Type", "application/json")
			if a.status != c.want {
				t.Fatalf("%s %s: %d, want %d: %s", c.method, c.path, a.status, c.want, a.body)
			}
			if a.status < 400 {
				return
			}
			e := a.envelope(t)
			if e.Code != c.want || e.Success || e.Message == "" || e.RequestID == "" || (c.code != "" && e.Error != c.code) {
				t.Errorf("envelope: %s, want code %q", a.body, c.code)
			}
			for _, leak := range []string{"goroutine", ".go:", "SQL", "sqlite", "panic"} {
				if bytes.Contains(a.body, []byte(leak)) {
					t.Errorf("the answer tells %q: %s", leak, a.body)
				}
			}
		})
	}
	t.Run("an expired paste", func(t *testing.T) {
		a := p.visitor().get("/api/paste/old")
		if a.status != 404 && a.status != 410 { // a date in the past may be refused at creation
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("a body over the limit", func(t *testing.T) {
		a := admin.post("/api/paste", map[string]any{"content": strings.Repeat("x", 10<<20+1)})
		if e := a.envelope(t); a.status != 400 || !strings.Contains(e.Message, "内容过大") {
			t.Errorf("%d %.300s", a.status, a.body)
		}
		a, err := admin.try("POST", "/api/admin/api-keys", io.LimitReader(spaces{}, 3<<20), "Content-Type", "application/json")
		if err == nil && a.status != 413 {
			t.Errorf("3 MiB of JSON: %d %s", a.status, a.body)
		}
	})
	if a := admin.get("/api/pastes"); bytes.Count(a.body, []byte(`"slug"`)) > 2 {
		t.Errorf("a refused call left a record: %s", a.body)
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// rawStatus sends a request line as it stands and returns the status.
func rawStatus(t *testing.T, p *program, target string) int {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(p.url, "http://"), patience)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%q: %v", target, err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestSecurityP6_UncleanPathsAreRefusedAndNeverRepaired(t *testing.T) {
	p := start(t, t.TempDir())
	for _, target := range []string{
		"/api/../etc/passwd", "/api/paste/../pastes", "/api//paste/x", "//evil.example/x", "/api/paste/%2e%2e/x", "/api/paste/..%2f..%2fx",
		"/api/paste/a%5cb", "/api/paste/a%00b", "/api/paste/%ff%fe", "/api/./health", "/assets/../index.html", "/assets/%2e%2e/index.html",
		"/api/blob/x/..%2f..%2fsecret.key", "/\\evil.example",
	} {
		if got := rawStatus(t, p, target); got != http.StatusBadRequest {
			t.Errorf("GET %s: %d, want 400", target, got)
		}
	}
}

func TestReliability2_8_ACutUploadLeavesNothingBehind(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	data := presign(t, admin, map[string]any{"filename": "cut.bin", "size": 1 << 20, "slug": "cut"})
	upload, err := http.NewRequest(http.MethodPut, absolute(p, data["upload_url"].(string)), io.MultiReader(bytes.NewReader(make([]byte, 1000)), failing{}))
	if err != nil {
		t.Fatal(err)
	}
	upload.ContentLength = 1 << 20
	if response, err := http.DefaultClient.Do(upload); err == nil {
		response.Body.Close()
		t.Fatalf("a cut body was answered with %d", response.StatusCode)
	}
	if a := admin.post("/api/s3/commit", map[string]any{"file_id": data["file_id"]}); a.status != http.StatusBadRequest {
		t.Errorf("commit without an object: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-download/cut"); a.status != http.StatusNotFound {
		t.Errorf("download: %d", a.status)
	}
	var files struct{ Files []any }
	admin.get("/api/files").into(t, &files)
	if len(files.Files) != 0 {
		t.Errorf("the pending upload is listed: %v", files.Files)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// absolute makes a path of the server an address.
func absolute(p *program, address string) string {
	if strings.HasPrefix(address, "/") {
		return p.url + address
	}
	return address
}
