package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pasteport/ports/portstest"
)

// halfSent announces a file, sends half of it, and waits until the server is at it.
func (s *sender) halfSent(name string, size int) (id string) {
	s.p.t.Helper()
	var begun struct{ ID, State string }
	s.announce(name, size).into(s.p.t, &begun)
	conn := s.p.dial()
	s.p.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "PUT %s/files/%s/content HTTP/1.1\r\nHost: x\r\nX-Request-Visit: %s\r\nContent-Length: %d\r\n\r\nhalf", s.link, begun.ID, s.visit, size)
	portstest.Eventually(s.p.t, func() bool {
		s.call(http.MethodGet, "/files/"+begun.ID, nil).into(s.p.t, &begun)
		return begun.State == "joining"
	}, "the server takes the content")
	return begun.ID
}

// again sends the content of a file that was announced before.
func (s *sender) again(id, content string) answer {
	s.p.t.Helper()
	return s.send(http.MethodPut, s.link+"/files/"+id+"/content", strings.NewReader(content), "X-Request-Visit", s.visit)
}

// What is being sent to a request when the server is killed can be sent again at once
// when it is back, and comes once: with SQLite nobody else can be at it.
func TestAFileForARequestGoesOnWhenTheServerIsBack(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, onFile)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	requests := map[string]map[string]any{"a folder": admin.request(map[string]any{"folder": "/local/inbox", "max_files": 1}), "shares": admin.request(map[string]any{"max_files": 1})}
	senders, files := map[string]*sender{}, map[string]string{}
	for name, r := range requests {
		senders[name] = p.comes(r, "")
		files[name] = senders[name].halfSent("a.txt", len("half and half"))
	}
	p.kill()
	p = start(t, dir, onFile)
	for name, s := range senders {
		s.client = p.visitor()
		for range 2 { // the answer may be lost
			if a := s.again(files[name], "half and half"); a.status != http.StatusOK {
				t.Fatalf("%s: sent again: %d %s", name, a.status, a.body)
			}
		}
		var received struct{ Files []struct{ Place string } }
		p.admin().get("/api/requests/"+requests[name]["id"].(string)+"/files").into(t, &received)
		if len(received.Files) != 1 {
			t.Errorf("%s: %d files have come", name, len(received.Files))
		}
	}
	found := 0
	err := filepath.WalkDir(filepath.Join(dir, localFolder), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			found++
			if content, err := os.ReadFile(path); err != nil || string(content) != "half and half" {
				t.Errorf("%s holds %q, %v", path, content, err)
			}
		}
		return err
	})
	if err != nil || found != 2 {
		t.Errorf("%d files are stored, %v", found, err)
	}
}

// Another node goes on with it when the one that was at it has said nothing for a
// minute and a half, and not before.
func TestAFileForARequestGoesOnAtAnotherNode(t *testing.T) {
	one, two, env := twoNodes(t)
	admin := one.admin()
	r := admin.request(map[string]any{"max_files": 1})
	admin.sharedMount(t, "/box")
	s := one.comes(r, "")
	id := s.halfSent("a.txt", len("half and half"))
	one.kill()
	s.client = two.visitor()
	if a := s.again(id, "half and half"); a.status != http.StatusConflict || a.header.Get("Retry-After") == "" {
		t.Fatalf("at once: %d %s", a.status, a.body)
	}
	db, err := pgx.Connect(t.Context(), strings.TrimPrefix(env[0], "PASTEPORT_DATABASE_URL="))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), "UPDATE request_files SET taken_until = taken_until - 90000"); err != nil { // 90 s later
		t.Fatal(err)
	}
	if a := s.again(id, "half and half"); a.status != http.StatusOK {
		t.Fatalf("later: %d %s", a.status, a.body)
	}
	var files struct{ Files []struct{ Filename string } }
	if (client{p: two, auth: admin.auth}).get("/api/files").into(t, &files); len(files.Files) != 1 {
		t.Errorf("%+v are shared", files.Files)
	}
}
