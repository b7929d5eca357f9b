package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// forward passes connections to address on to the database at target.
func forward(t *testing.T, address, target string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", target)
			if err != nil {
				in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); out.Close() }()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
}

func TestAStartWaitsForItsDatabase(t *testing.T) {
	database, err := url.Parse(portstest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	target := database.Host
	database.Host = portstest.FreeAddress(t)
	const told = "does not answer; waiting for it"
	t.Run("that comes later", func(t *testing.T) {
		p := launch(t, t.TempDir(), "PASTEPORT_DATABASE_URL="+database.String(), "PASTEPORT_DATABASE_WAIT=2m")
		portstest.Eventually(t, func() bool { return strings.Count(p.log.String(), told) >= 2 }, "a line for each try")
		forward(t, database.Host, target)
		p.waitReady()
		if a := p.visitor().get("/api/health"); a.status != http.StatusOK {
			t.Errorf("got %d", a.status)
		}
	})
	t.Run("but not for ever", func(t *testing.T) {
		database.Host = portstest.FreeAddress(t)
		p := launch(t, t.TempDir(), "PASTEPORT_DATABASE_URL="+database.String(), "PASTEPORT_DATABASE_WAIT=1s")
		if code := p.ended(); code == 0 || !strings.Contains(p.log.String(), told) {
			t.Errorf("ended with %d", code)
		}
	})
	t.Run("nor for one that refuses it", func(t *testing.T) {
		database.Host, database.Path = target, "/nothing"
		p := launch(t, t.TempDir(), "PASTEPORT_DATABASE_URL="+database.String())
		if code := p.ended(); code == 0 || strings.Contains(p.log.String(), told) {
			t.Errorf("ended with %d", code)
		}
	})
}

// A database that stands still, and one that dies, mean 503 with Retry-After for
// everybody, in bounded time, and nothing is lost when it is back.
func TestEveryCallSurvivesADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	server := portstest.NewPostgresServer(t)
	p := start(t, t.TempDir(), "PASTEPORT_DATABASE_URL="+server.URL)
	admin := p.admin()
	key, _ := admin.key("caller", 1, "/")
	var made struct{ Slug string }
	created := key.post("/api/paste", map[string]any{"content": "one", "maxViews": 1000})
	if err := json.Unmarshal(created.body, &made); err != nil || made.Slug == "" {
		t.Fatalf("no paste: %d %s", created.status, created.body)
	}
	calls := map[string]func() (answer, error){
		"a read":     func() (answer, error) { return p.visitor().try("GET", "/api/raw/"+made.Slug, nil) },
		"an unknown": func() (answer, error) { return p.visitor().try("GET", "/api/raw/unknown", nil) },
		"a list":     func() (answer, error) { return admin.try("GET", "/api/pastes", nil) },
		"a write": func() (answer, error) {
			return key.try("POST", "/api/paste", strings.NewReader(`{"content":"x"}`), "Content-Type", "application/json")
		},
		"health": func() (answer, error) { return p.visitor().try("GET", "/api/health", nil) },
		"a sign-in": func() (answer, error) {
			return p.visitor().try("POST", "/api/admin/login", strings.NewReader(`{"username":"admin","password":"`+adminPassword+`"}`), "Content-Type", "application/json")
		},
		"the dashboard": func() (answer, error) { return admin.try("GET", "/api/admin/dashboard/stats", nil) },
	}
	for name, call := range calls {
		if a, err := call(); err != nil || a.status >= 500 {
			t.Fatalf("%s, before: %d %v", name, a.status, err)
		}
	}
	refused := func(name string, a answer, err error) {
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case a.status < 500: // answered from memory, or by a process that still lives
		case a.status != http.StatusServiceUnavailable:
			t.Errorf("%s: %d %s", name, a.status, a.body)
		case name != "health" && a.header.Get("Retry-After") == "":
			t.Errorf("%s: no Retry-After", name)
		}
	}
	back := func() {
		t.Helper()
		for name, call := range calls {
			portstest.Eventually(t, func() bool { a, err := call(); return err == nil && a.status < 500 }, name)
		}
	}
	t.Run("it stands still", func(t *testing.T) {
		server.Freeze()
		var crowd sync.WaitGroup
		for name, call := range calls {
			for range 6 {
				crowd.Go(func() {
					begun := time.Now()
					a, err := call()
					refused(name, a, err)
					if took := time.Since(begun); err == nil && a.status < 500 && name != "health" || took > 50*time.Second {
						t.Errorf("%s: %d after %s", name, a.status, took)
					}
				})
			}
		}
		crowd.Wait()
		server.Thaw()
		back()
	})
	t.Run("it dies under load", func(t *testing.T) {
		done := make(chan struct{})
		var crowd sync.WaitGroup
		for name, call := range calls {
			for range 3 {
				crowd.Go(func() {
					for {
						select {
						case <-done:
							return
						default:
							a, err := call()
							refused(name, a, err)
						}
					}
				})
			}
		}
		for range 3 {
			server.KillBackends()
			portstest.Eventually(t, func() bool { a, err := calls["a write"](); return err == nil && a.status < 500 }, "an answer")
		}
		close(done)
		crowd.Wait()
		back()
	})
}
