package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pasteport/adapters/httpapi/adminapi"
)

// front is a proxy before the program, whose faults are chosen.
type front struct {
	forward http.Handler
	spoil   atomic.Pointer[func(w http.ResponseWriter, r *http.Request, forward http.Handler)]
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*f.spoil.Load())(w, r, f.forward)
}

func (f *front) set(spoil func(http.ResponseWriter, *http.Request, http.Handler)) {
	f.spoil.Store(&spoil)
}

func through(w http.ResponseWriter, r *http.Request, forward http.Handler) { forward.ServeHTTP(w, r) }

// examined is what the doctor says to the administrator.
func examined(t *testing.T, admin client) (r adminapi.DoctorReport, levels map[string]string) {
	t.Helper()
	a := admin.get("/api/admin/doctor", "Accept-Language", "en")
	var in struct{ Data json.RawMessage }
	if err := json.Unmarshal(a.body, &in); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return report(t, in.Data)
}

func report(t *testing.T, text []byte) (r adminapi.DoctorReport, levels map[string]string) {
	t.Helper()
	var plain struct {
		Level    string
		Findings []adminapi.DoctorFinding
	}
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	levels = map[string]string{}
	for _, f := range plain.Findings {
		levels[f.ID] = f.Level
		if f.Cause == "" || strings.HasPrefix(f.Cause, "doctor.") || f.Level != "ok" && (f.Remedy == "" || strings.HasPrefix(f.Remedy, "doctor.")) {
			t.Errorf("a finding without words: %+v", f)
		}
	}
	return adminapi.DoctorReport{Level: plain.Level, Findings: plain.Findings}, levels
}

// finding asks the command line of a running program, and expects a finding of this
// level with these words in cause and remedy, in the JSON and in the exit status.
func finding(t *testing.T, p *program, id, level, cause, remedy string, env ...string) {
	t.Helper()
	out, code := once(t, p.dir, []string{"doctor", "--json"}, append(env, "PASTEPORT_INTERNAL_LISTEN="+strings.TrimPrefix(p.internal, "http://"))...)
	r, _ := report(t, []byte(out))
	i := slices.IndexFunc(r.Findings, func(f adminapi.DoctorFinding) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no %s: %s", id, out)
	}
	if f := r.Findings[i]; f.Level != level || !strings.Contains(f.Cause, cause) || !strings.Contains(f.Remedy, remedy) {
		t.Errorf("%s: %+v, want %s with %q and %q", id, f, level, cause, remedy)
	}
	if worst := map[string]int{"warning": doctorWarns, "problem": doctorProblems}; code < worst[level] || code != worst[r.Level] {
		t.Errorf("%s: exit status %d: %s", id, code, out)
	}
}

func TestTheDoctorNamesWhatAProxyDoesToRequests(t *testing.T) {
	f := &front{}
	f.set(through)
	proxy := httptest.NewServer(f)
	defer proxy.Close()
	dir := t.TempDir()
	p := start(t, dir, "PASTEPORT_PUBLIC_URL="+proxy.URL)
	to, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	f.forward = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	admin := p.admin()
	blocked := []string{"PROPFIND", "LOCK", "MOVE"}
	for _, c := range []struct {
		id, level string
		spoil     func(http.ResponseWriter, *http.Request, http.Handler)
	}{
		{"address.fine", "ok", through},
		{"proxy.body", "problem", func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
			if r.ContentLength > 1<<20 {
				http.Error(w, "too large", http.StatusRequestEntityTooLarge)
				return
			}
			forward.ServeHTTP(w, r)
		}},
		{"proxy.buffers", "warning", func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
			all, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(all)))
			forward.ServeHTTP(w, r)
		}},
		{"proxy.headers", "problem", func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
			r.Header.Del("Destination")
			forward.ServeHTTP(w, r)
		}},
		{"proxy.methods", "warning", func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
			if slices.Contains(blocked, r.Method) {
				http.Error(w, "no such method", http.StatusMethodNotAllowed)
				return
			}
			forward.ServeHTTP(w, r)
		}},
		{"address.other", "problem", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			_, _ = io.WriteString(w, "welcome")
		}},
	} {
		f.set(c.spoil)
		r, levels := examined(t, admin)
		if levels[c.id] != c.level {
			t.Errorf("%s: %q, want %q: %+v", c.id, levels[c.id], c.level, r.Findings)
		}
		if fine := levels["address.fine"] != ""; fine != (c.id == "address.fine") {
			t.Errorf("%s: the address is fine: %t", c.id, fine)
		}
	}
	f.set(through)
	proxy.Close()
	if _, levels := examined(t, admin); levels["address.unreachable"] != "problem" {
		t.Errorf("a dead proxy: %v", levels)
	}
	if a := p.visitor().post("/api/doctor/echo", map[string]any{}); a.status != http.StatusNotFound {
		t.Errorf("an echo for anybody: %d", a.status)
	}
	if a := p.visitor().get("/api/admin/doctor"); a.status != http.StatusUnauthorized {
		t.Errorf("a visitor: %d", a.status)
	}
}

func TestTheDoctorIsAskedFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil { // as the program makes it
		t.Fatal(err)
	}
	p := start(t, dir)
	admin := p.admin()
	internal := "PASTEPORT_INTERNAL_LISTEN=" + strings.TrimPrefix(p.internal, "http://")
	out, code := once(t, dir, []string{"doctor", "--json"}, internal)
	r, levels := report(t, []byte(out))
	if code != doctorWarns || r.Level != "warning" || levels["database.fine"] != "ok" || levels["storage.fine"] != "ok" || levels["backup.off"] != "warning" || levels["address.none"] != "warning" {
		t.Errorf("%d %s", code, out)
	}
	if a := p.visitor().get(p.internal + "/doctor?token=x"); a.status != http.StatusForbidden {
		t.Errorf("without a token: %d", a.status)
	}
	// A disk that takes nothing, by the means that every account has: the size of
	// files that the program may write.
	writable := func(most uint64) {
		t.Helper()
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	writable(0)
	finding(t, p, "disk.unwritable", "problem", "can’t be written", "Check disk space")
	writable(unix.RLIM_INFINITY)
	out, code = once(t, dir, []string{"doctor", "--json"}, internal)
	if _, levels := report(t, []byte(out)); code != doctorWarns || levels["disk.fine"] != "ok" {
		t.Errorf("a disk that takes things again: %d %s", code, out)
	}
	// A storage that refuses everything, and whose clock is an hour ahead: or ours is
	// an hour behind.
	dead := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer dead.Close()
	admin.configID(map[string]any{"name": "dead", "provider_type": "Other", "endpoint_url": dead.URL, "bucket_name": "b", "access_key_id": "a", "secret_access_key": "s"})
	out, code = once(t, dir, []string{"doctor", "--json", "--language=zh"}, internal)
	if _, levels := report(t, []byte(out)); code != doctorProblems || levels["storage.failed"] != "problem" {
		t.Errorf("a dead storage: %d %s", code, out)
	}
	finding(t, p, "clock.storage", "problem", "seconds off the storage “dead”", "15 minutes")
	p.stop()
	out, code = once(t, dir, []string{"doctor"}, internal)
	if code != doctorProblems || !strings.Contains(out, "storage.failed") {
		t.Errorf("a stopped server: %d %s", code, out)
	}
}
