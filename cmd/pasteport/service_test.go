package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

// notices collects what a process tells its service manager.
func notices(t *testing.T) (address string, heard func(string) bool) {
	t.Helper()
	address = filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	all := &lockedBuffer{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		text := make([]byte, 4096)
		for {
			n, err := c.Read(text)
			if err != nil {
				return
			}
			all.Write(append(text[:n:n], '\n'))
		}
	}()
	t.Cleanup(func() { c.Close(); <-ended })
	return address, func(state string) bool { return strings.Contains("\n"+all.String(), "\n"+state+"\n") }
}

func TestTheServiceManagerIsToldOfStartLifeAndStop(t *testing.T) {
	address, heard := notices(t)
	p := start(t, t.TempDir(), "NOTIFY_SOCKET="+address, "WATCHDOG_USEC=200000")
	portstest.Eventually(t, func() bool { return heard("READY=1") && heard("WATCHDOG=1") }, "the server says that it is ready and alive")
	if heard("STOPPING=1") {
		t.Error("the stop is told too early")
	}
	if code := p.stop(); code != 0 || !heard("STOPPING=1") {
		t.Errorf("exit %d; the stop was told: %v", code, heard("STOPPING=1"))
	}
}

// over is a client of the server behind a unix socket.
func over(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
}

func TestAUnixSocketIsAListenerForAProxyOnThisMachine(t *testing.T) {
	folder, err := os.MkdirTemp("", "pp") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "s")
	for _, round := range []string{"first", "after a kill that left the file"} {
		p := launch(t, t.TempDir(), "PASTEPORT_LISTEN=unix:"+path, "PASTEPORT_RATE_LIMITS=on", "PASTEPORT_LIMIT_UNKNOWN_LINKS=2")
		client := over(path)
		portstest.Eventually(t, func() bool { return healthy(client) }, round, ": the server answers at the socket")
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o660 {
			t.Errorf("%s: mode %v, %v", round, info.Mode(), err)
		}
		asked := func(from string) int {
			r, _ := http.NewRequest("GET", "http://localhost/api/paste/unknown", nil)
			r.Header.Set("X-Forwarded-For", from)
			a, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			return a.StatusCode
		}
		for range 2 {
			asked("192.0.2.1")
		}
		if one, other := asked("192.0.2.1"), asked("192.0.2.2"); one != 429 || other != 404 {
			t.Errorf("%s: the limit counts by the proxy's word: %d, another %d", round, one, other)
		}
		client.CloseIdleConnections()
		second := launch(t, t.TempDir(), "PASTEPORT_LISTEN=unix:"+path)
		if code := second.ended(); code != 1 || !strings.Contains(second.log.String(), "another process listens at") {
			t.Errorf("%s: a second server: exit %d\n%s", round, code, second.log)
		}
		p.kill()
	}
	p := launch(t, t.TempDir(), "PASTEPORT_LISTEN=unix:"+path)
	portstest.Eventually(t, func() bool { return healthy(over(path)) }, "the server answers again")
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a stop leaves the socket's file")
	}
}

// healthy reports whether a server is well, asked by client.
func healthy(client *http.Client) bool {
	a, err := client.Get("http://localhost/api/health")
	if err == nil {
		a.Body.Close()
	}
	return err == nil && a.StatusCode == http.StatusOK
}

// handed is a listener as the service manager opens it, and the file by which a server
// gets it.
func handed(t *testing.T) (net.Listener, *os.File) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	file, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return l, file
}

func TestSocketsOfTheServiceManagerAreTakenOver(t *testing.T) {
	l, file := handed(t)
	dir, log := t.TempDir(), &lockedBuffer{}
	// The manager names the process, which only the shell in its place knows.
	c := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, binary(t))
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PASTEPORT_DATA_DIR=" + dir, "PASTEPORT_LISTEN=127.0.0.1:1",
		"PASTEPORT_INTERNAL_LISTEN=off", "LISTEN_FDS=1", "LISTEN_FDNAMES=pasteport.socket"}, database(t, dir)...)
	c.ExtraFiles, c.Stdout, c.Stderr = []*os.File{file}, log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { c.Process.Kill(); c.Wait() }()
	portstest.Eventually(t, func() bool { return answers("http://" + l.Addr().String() + "/api/health") }, "the server answers at the socket that it was given\n", log)
}

// A server whose listener the service manager has opened does not start again in its
// own place: it ends as one that fails, and the manager starts it with the listener,
// at which those who come meanwhile wait.
func TestTheServiceManagerStartsAServerAgainWhoseListenerItHasOpened(t *testing.T) {
	l, file := handed(t)
	dir := t.TempDir()
	begin := func() *program {
		cmd, _, internal := serving(t, dir, onFile, "LISTEN_FDS=1", "LISTEN_FDNAMES=pasteport.socket")
		managed := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, cmd.Path)
		managed.Env, managed.ExtraFiles = cmd.Env, []*os.File{file}
		p := run(t, managed, l.Addr().String(), internal, dir)
		p.waitReady()
		return p
	}
	p := begin()
	admin := p.admin()
	backup := admin.post("/api/admin/backup", map[string]any{}).body
	if a := admin.post("/api/paste", map[string]any{"content": "later", "slug": "made-after"}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPost, "/api/admin/backup/restore", bytes.NewReader(backup)); a.status != 200 {
		t.Fatalf("stage: %d %s", a.status, a.body)
	}
	if a := admin.post("/api/admin/backup/restore/now", map[string]any{}); a.status != 200 {
		t.Fatalf("restart: %d %s", a.status, a.body)
	}
	if code := p.ended(); code != 1 || !strings.Contains(p.log.String(), "a restart by the service manager") {
		t.Fatalf("exit %d\n%s", code, p.log)
	}
	waits, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("nobody waits for the new process: %v", err)
	}
	defer waits.Close()
	if _, err := io.WriteString(waits, "GET /api/raw/made-after HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	begin()
	answer, err := http.ReadResponse(bufio.NewReader(waits), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNotFound {
		t.Errorf("a text that is younger than the backup: %d", answer.StatusCode)
	}
}

func TestHealthAsksTheRunningServer(t *testing.T) {
	p := start(t, t.TempDir())
	health := func(env ...string) (string, int) {
		c := exec.Command(binary(t), "health")
		c.Env = append(p.cmd.Env[:len(p.cmd.Env):len(p.cmd.Env)], env...)
		out, _ := c.CombinedOutput()
		return string(out), c.ProcessState.ExitCode()
	}
	if out, code := health(); code != 0 || !strings.Contains(out, "database ok") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := health("PASTEPORT_INTERNAL_LISTEN=off"); code != 0 || !strings.Contains(out, `"status":"ok"`) {
		t.Errorf("without the internal listener: exit %d: %s", code, out)
	}
	p.stop()
	if out, code := health(); code != 1 || !strings.Contains(out, "no server answers at") {
		t.Errorf("after the stop: exit %d: %s", code, out)
	}
}
