package main

import (
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

// raw sends bytes as they are and returns what comes back until the server
// closes or the time is over.
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
	out, _ := io.ReadAll(c)
	return string(out)
}

func TestSecurity4_14_BodiesOfStrangersAreNotRead(t *testing.T) {
	p := start(t, t.TempDir())
	for _, call := range []string{
		"POST /api/paste", "PUT /api/pastes/x", "POST /api/upload", "PUT /api/upload-direct/x.bin", "POST /api/s3/presign", "PUT /api/admin/settings/group/1",
	} {
		// The body is announced and never comes: who waits for it does not answer.
		got := p.raw(fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", call, 60<<20), 3*time.Second)
		if !strings.HasPrefix(got, "HTTP/1.1 401 ") {
			t.Errorf("%s: %q, want 401 before the body", call, tail(got, 200))
		}
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": "wrong"}); a.status != http.StatusUnauthorized {
		t.Errorf("a call for everybody still reads its body: %d", a.status)
	}
}
