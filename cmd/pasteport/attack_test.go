package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The tests of this file do what an attacker would: each one names the
// promise that it tries to break.

// raw sends bytes as they are and returns the status line of the answer, or
// what came of it within the time.
func (p *program) raw(request string, wait time.Duration) string {
	p.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(wait))
	if _, err := io.WriteString(c, request); err != nil {
		p.t.Fatal(err)
	}
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

func TestSecurity4_14_BodiesOfStrangersAreNotRead(t *testing.T) {
	p := start(t, t.TempDir())
	for _, call := range []string{
		"POST /api/paste", "PUT /api/pastes/x", "POST /api/upload", "PUT /api/upload-direct/x.bin", "POST /api/s3/presign", "PUT /api/admin/settings/group/1",
	} {
		// The body is announced and never comes: who waits for it does not answer.
		got := p.raw(fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", call, 60<<20), 3*time.Second)
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
	for range 2 {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, head); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond) // until both have been read so far
	if got := p.raw(head, 10*time.Second); !strings.HasPrefix(got, "HTTP/1.1 503 ") {
		t.Errorf("a third long body of one caller: %q", got)
	}
	if a := modest.post("/api/paste", map[string]any{"content": strings.Repeat("x", 2<<20)}); a.status != http.StatusOK {
		t.Errorf("a long paste of another caller: %d %s", a.status, a.body)
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
