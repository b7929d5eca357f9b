package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pasteport/adapters/secrets"
	"pasteport/ports/portstest"
)

// once runs the program to its end and returns what it wrote and its status.
func once(t *testing.T, dir string, args []string, env ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PASTEPORT_DATA_DIR=" + dir, "PASTEPORT_LISTEN=127.0.0.1:0", "PASTEPORT_INTERNAL_LISTEN=off", "PASTEPORT_DRAIN_DELAY=0"},
		append(database(t, dir), env...)...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestDecision3_FirstStartTellsARandomPasswordOnce(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "PASTEPORT_ADMIN_PASSWORD=")
	told := regexp.MustCompile(`administrator "admin" created, password: (\S{20})\n`).FindStringSubmatch(p.log.String())
	if told == nil {
		t.Fatalf("the log tells no password:\n%s", p.log)
	}
	a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": told[1]})
	var session struct{ Token string }
	a.into(t, &session)
	configs := client{p: p, auth: "Bearer " + session.Token}.get("/api/s3-configs")
	if body := string(configs.body); !strings.Contains(body, `"name":"Local disk"`) || !strings.Contains(body, `"is_default":1`) || !strings.Contains(body, `"is_public":1`) {
		t.Errorf("storage configs are %s", body)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p = start(t, dir, "PASTEPORT_ADMIN_PASSWORD=")
	if strings.Contains(p.log.String(), "created") {
		t.Errorf("the second start tells again:\n%s", p.log)
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": told[1]}); a.status != http.StatusOK {
		t.Errorf("login after a restart: %d %s", a.status, a.body)
	}
	files := []string{"secret.key"}
	if !onPostgres() {
		files = append(files, "pasteport.db")
	}
	for _, name := range files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 && name == "secret.key" {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestA1_NoKnownPasswordOpensAFreshServer(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_ADMIN_PASSWORD=", "PASTEPORT_RATE_LIMITS=on", "PASTEPORT_LIMIT_LOGINS=100", "PASTEPORT_LIMIT_LOGINS_BY_ADDRESS=100")
	for _, pair := range []string{"admin admin123", "admin admin", "admin password", "admin pasteport", "root root"} {
		name, password, _ := strings.Cut(pair, " ")
		if a := p.visitor().post("/api/admin/login", map[string]any{"username": name, "password": password}); a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", pair, a.status)
		}
	}
}

func TestWeakFirstPasswordIsRefusedInWords(t *testing.T) {
	out, code := once(t, t.TempDir(), []string{"serve"}, "PASTEPORT_ADMIN_PASSWORD=admin123")
	if code != 1 || !strings.Contains(out, "well known") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// A start that ends before it serves leaves the password of the first one to be told.
func TestAPasswordIsToldByTheStartThatServes(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	out, code := once(t, dir, []string{"serve", "--listen", taken.Addr().String()}, "PASTEPORT_ADMIN_PASSWORD=")
	if code != 1 || !strings.Contains(out, "--listen") || strings.Contains(out, "password") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	p := start(t, dir, "PASTEPORT_ADMIN_PASSWORD=")
	if !strings.Contains(p.log.String(), "created, password: ") {
		t.Errorf("the next start tells none:\n%s", p.log)
	}
}

func TestA6_AdminResetGivesAPasswordAndEndsSessions(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	if out, code := once(t, dir, []string{"admin", "reset"}); code != 1 && !onPostgres() {
		t.Errorf("reset beside a running server on SQLite: exit code %d:\n%s", code, out)
	}
	p.stop()
	out, code := once(t, dir, []string{"admin", "reset", "--username", "boss"})
	told := regexp.MustCompile(`administrator "boss": password reset, all sessions ended, password: (\S{20})\n`).FindStringSubmatch(out)
	if code != 0 || told == nil {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	p = start(t, dir)
	if a := (client{p: p, auth: admin.auth}).get("/api/test/admin-token"); a.status != http.StatusUnauthorized {
		t.Errorf("a session from before: %d", a.status)
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}); a.status != http.StatusUnauthorized {
		t.Errorf("the old account: %d", a.status)
	}
	if a := p.visitor().post("/api/admin/login", map[string]any{"username": "boss", "password": told[1]}); a.status != http.StatusOK {
		t.Errorf("the new account: %d %s", a.status, a.body)
	}
}

func TestE3_KeyRotationKeepsEverythingReadable(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	key, _ := admin.key("kept", 1, "/")
	if !onPostgres() { // nobody can tell there; docs/operations.md asks for it
		if out, code := once(t, dir, []string{"key", "rotate"}); code != 1 {
			t.Errorf("rotation beside a running server: exit code %d:\n%s", code, out)
		}
	}
	p.stop()
	keys := func() int {
		text, err := os.ReadFile(filepath.Join(dir, "secret.key"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\nv1 ")
	}
	for want := 2; want <= 3; want++ {
		if out, code := once(t, dir, []string{"key", "rotate"}); code != 0 || !strings.Contains(out, "master key rotated") || keys() != want {
			t.Fatalf("exit code %d, %d keys, want %d:\n%s", code, keys(), want, out)
		}
	}
	if _, err := secrets.Add(filepath.Join(dir, "secret.key")); err != nil { // as if a run had been cut short
		t.Fatal(err)
	}
	if out, code := once(t, dir, []string{"key", "rotate"}); code != 0 || keys() != 4 {
		t.Errorf("finishing a rotation: exit code %d, %d keys:\n%s", code, keys(), out)
	}
	p = start(t, dir)
	for _, c := range []client{admin, key} {
		if a := (client{p: p, auth: c.auth}).get("/api/test/api-key"); a.status != http.StatusOK {
			t.Errorf("a credential from before: %d %s", a.status, a.body)
		}
	}
}

func TestL2_LoginGuessesAreCountedAcrossARestart(t *testing.T) {
	dir := t.TempDir()
	guess := func(p *program, password string) answer {
		return p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": password}, "X-Forwarded-For", "203.0.113."+strconv.Itoa(len(password)))
	}
	p := start(t, dir, "PASTEPORT_RATE_LIMITS=on")
	for i := range 10 {
		if a := guess(p, strings.Repeat("x", i+1)); a.status != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d %s", i+1, a.status, a.body)
		}
	}
	p.kill()
	p = start(t, dir, "PASTEPORT_RATE_LIMITS=on")
	a := guess(p, adminPassword)
	if wait, err := strconv.Atoi(a.header.Get("Retry-After")); a.status != http.StatusTooManyRequests || err != nil || wait < 1 || wait > 900 {
		t.Errorf("the right password after ten wrong ones and a restart: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
}

func TestReliability3_2_ASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_DRAIN_DELAY=1h") // the first signal alone would take that long
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return strings.Contains(p.log.String(), "stopping") })
	if code := p.stop(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}

func TestHangupReadsThePoliciesAgain(t *testing.T) {
	rules := t.TempDir()
	p := start(t, t.TempDir(), "PASTEPORT_POLICY_DIR="+rules)
	admin := p.admin()
	if a := admin.post("/api/paste", map[string]any{"content": "x"}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	rule := "package pasteport.site\n\ndeny contains {\"code\": \"closed\", \"message\": \"closed today\"} if input.action == \"paste.create\"\n"
	if err := os.WriteFile(filepath.Join(rules, "closed.rego"), []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool {
		return admin.post("/api/paste", map[string]any{"content": "x"}).status == http.StatusForbidden
	})
	if err := os.WriteFile(filepath.Join(rules, "broken.rego"), []byte("package pasteport.site\n\ndeny contains nonsense if {"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return strings.Contains(p.log.String(), "the old ones stay") })
	if a := admin.post("/api/paste", map[string]any{"content": "x"}); a.status != http.StatusForbidden {
		t.Errorf("after a broken rule: %d %s", a.status, a.body)
	}
}
