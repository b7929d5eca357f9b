package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// snipper passes requests on, and lets only so many bytes of downloads through.
type snipper struct {
	target string
	left   atomic.Int64  // bytes that pass; negative: all
	hang   atomic.Bool   // at the end of them, in place of a cut
	sent   atomic.Int64  // bytes of downloads
	dry    chan struct{} // one for each end
}

func newSnipper(t *testing.T, target string) (*snipper, string) {
	s := &snipper{target: target, dry: make(chan struct{}, 100)}
	s.left.Store(-1)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return s, server.URL
}

func (s *snipper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := relay(w, r, s.target)
	if answer == nil {
		return
	}
	defer func() { _ = answer.Body.Close() }()
	left := s.left.Load()
	if !strings.Contains(r.URL.Path, "download") || left < 0 {
		n, _ := io.Copy(w, answer.Body)
		if strings.Contains(r.URL.Path, "download") {
			s.sent.Add(n)
		}
		return
	}
	n, _ := io.CopyN(w, answer.Body, left)
	s.sent.Add(n)
	_ = http.NewResponseController(w).Flush()
	s.left.CompareAndSwap(left, 0) // unless all pass since
	s.dry <- struct{}{}
	if s.hang.Load() {
		<-r.Context().Done() // until the client is killed
	}
	panic(http.ErrAbortHandler)
}

// killed runs a command until so many bytes have come, and kills it.
func (s *shell) killed(between *snipper, size int64, args ...string) {
	s.t.Helper()
	between.left.Store(size)
	between.hang.Store(true)
	cmd := s.command(args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-between.dry:
	case <-time.After(patience):
		s.t.Fatal("nothing came")
	}
	part := filepath.Join(s.home, "large.bin.part")
	written := portstest.Happens(patience, func() bool {
		info, err := os.Stat(part)
		return err == nil && info.Size() == size
	})
	if !written {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s.t.Fatalf("the bytes are not written: %s", said.String())
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		s.t.Fatal("the download was not cut")
	}
	between.left.Store(-1)
	between.hang.Store(false)
	between.sent.Store(0)
}

func TestTerminalGoesOnWithADownloadThatWasCut(t *testing.T) {
	p := start(t, t.TempDir())
	_, key := keyFor(p, "terminal")
	between, address := newSnipper(t, p.url)
	s := newShell(t, "PASTEPORT_SERVER="+address, "PASTEPORT_API_KEY="+key)
	content := make([]byte, 8<<20)
	_, _ = rand.Read(content)
	if err := os.Mkdir(filepath.Join(s.home, "there"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := s.file("there/large.bin", content)
	secret := s.file("secret", []byte("open sesame\n"))
	link, _ := s.run(0, "", "push", "--views", "2", "--password-file", secret, path)
	link = strings.TrimSpace(link)
	arrived := filepath.Join(s.home, "large.bin")
	isThere := func(after string) {
		t.Helper()
		got, err := os.ReadFile(arrived)
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("after %s there are %d bytes, %v", after, len(got), err)
		}
		if _, err := os.Stat(arrived + ".part"); err == nil {
			t.Errorf("after %s the part is still there", after)
		}
		if err := os.Remove(arrived); err != nil {
			t.Fatal(err)
		}
	}

	// Killed, and the command given again: it takes one view, and only what is
	// missing comes.
	get := []string{"get", "--password-file", secret, link}
	s.killed(between, 5<<20, get...)
	s.run(0, "", get...)
	isThere("a restart")
	if sent := between.sent.Load(); sent < 3<<20 || sent > 3<<20+128<<10 {
		t.Errorf("%d bytes came, 3 MiB are missing", sent)
	}
	if list, _ := s.run(0, "", "ls"); !strings.Contains(list, "1/2") {
		t.Errorf("a resumed download takes another view:\n%s", list)
	}

	// Cut in the middle of the command: it goes on by itself. The last view is
	// asked for once.
	between.left.Store(3 << 20)
	cmd := s.command(append(get, "--yes")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-between.dry
	between.left.Store(-1)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	isThere("a cut")
	s.run(4, "", append(get, "--yes")...)

	// A file that changes meanwhile is another one, and comes whole.
	link, _ = s.run(0, "", "push", "--link", "second", path)
	get = []string{"get", strings.TrimSpace(link)}
	s.killed(between, 1<<20, get...)
	s.run(0, "", "rm", "second")
	content = bytes.Repeat([]byte("another "), 200_000)
	path = s.file("there/large.bin", content)
	s.run(0, "", "push", "--link", "second", path)
	s.run(0, "", get...)
	isThere("a change")

	// What somebody else calls .part is not touched.
	s.file("large.bin.part", []byte("mine"))
	if _, errs := s.run(1, "", get...); !strings.Contains(errs, "not of this download") {
		t.Error(errs)
	}
	kept, err := os.ReadFile(filepath.Join(s.home, "config/pasteport/downloads.json"))
	if err != nil || strings.TrimSpace(string(kept)) != "{}" {
		t.Errorf("the journal holds %s, %v", kept, err)
	}
}

func TestTerminalGoesOnWithCopiesOfMounts(t *testing.T) {
	p := start(t, t.TempDir())
	owner, _ := p.admin().key("mounts", 256|512|1024|2048|4096, "/local")
	down, address := newSnipper(t, p.url)
	up := &cutter{target: address, passed: make(chan struct{}, 100)}
	up.left.Store(4)
	proxy := httptest.NewServer(up)
	t.Cleanup(proxy.Close)
	s := newShell(t, "PASTEPORT_SERVER="+proxy.URL, "PASTEPORT_API_KEY="+strings.TrimPrefix(owner.auth, "ApiKey "))
	content := make([]byte, 48<<20)
	_, _ = rand.Read(content)
	path := s.file("here.bin", content)
	cmd := s.command("mount", "cp", path, ":/local/team/large.bin")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		select {
		case <-up.passed:
		case <-time.After(patience):
			t.Fatal("no part came")
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	proxy.CloseClientConnections()
	up.left.Store(-1)
	s.run(0, "", "mount", "cp", path, ":/local/team/large.bin")
	if all := up.parts.Load(); all != 10 {
		t.Errorf("%d parts were sent, 10 are enough", all)
	}
	if _, errs := s.run(5, "", "mount", "cp", path, ":/local/team/large.bin"); !strings.Contains(errs, "already") {
		t.Error(errs)
	}
	s.run(0, "", "mount", "cp", "--force", path, ":/local/team/large.bin")

	get := []string{"mount", "cp", ":/local/team/large.bin", "."}
	s.killed(down, 40<<20, get...)
	s.run(0, "", get...)
	if sent := down.sent.Load(); sent > 8<<20+128<<10 {
		t.Errorf("%d bytes came, 8 MiB are missing", sent)
	}
	if got, err := os.ReadFile(filepath.Join(s.home, "large.bin")); err != nil || hash(got) != hash(content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// maxClient is the most memory that the client takes for files of any size, in
// bytes.
const maxClient = 128 << 20

func TestLongTerminalPushesTwoGiBThatAreCutInFlatMemory(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("2 GiB: PASTEPORT_TEST_LONG=1")
	}
	const size = 2 << 30
	p := start(t, t.TempDir())
	admin := p.admin()
	if got := admin.put("/api/admin/settings/group/1", map[string]any{"max_upload_size": 4096}); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	_, key := keyFor(p, "terminal")
	between := &cutter{target: p.url, passed: make(chan struct{}, 1000)}
	between.left.Store(100)
	proxy := httptest.NewServer(between)
	t.Cleanup(proxy.Close)
	s := newShell(t, "PASTEPORT_SERVER="+proxy.URL, "PASTEPORT_API_KEY="+key)
	path := filepath.Join(s.home, "large.bin")
	file, err := os.Create(path)
	if err == nil {
		_, err = io.CopyN(file, rand.Reader, size)
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	cmd := s.command("push", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		select {
		case <-between.passed:
		case <-time.After(patience):
			t.Fatal("no part came")
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	proxy.CloseClientConnections()
	between.left.Store(-1)
	cmd = s.command("push", path)
	link, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	flat := func(cmd *exec.Cmd) {
		t.Helper()
		if took := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024; took > maxClient {
			t.Errorf("%s took %d MiB", cmd.Args[1], took>>20)
		} else {
			t.Logf("%s took %d MiB", cmd.Args[1], took>>20)
		}
	}
	flat(cmd)
	if sent := between.parts.Load(); int(sent) > 2<<30/(5<<20)+1 {
		t.Errorf("%d parts were sent", sent)
	}
	cmd = s.command("get", "-o", "back.bin", strings.TrimSpace(string(link)))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	flat(cmd)
	if out, err := exec.CommandContext(t.Context(), "cmp", path, filepath.Join(s.home, "back.bin")).CombinedOutput(); err != nil {
		t.Errorf("what came back is another file: %v %s", err, out)
	}
}

// Nobody finds a secret in the arguments of a process, which are those of the
// history, or in the log of the server.
func TestTerminalSecretsStandInNoArgumentAndNoLog(t *testing.T) {
	p := start(t, t.TempDir())
	_, key := keyFor(p, "terminal")
	s := newShell(t)
	password := "open sesame 4711"
	secret := s.file("secret", []byte(password+"\n"))
	s.at(0, map[string]string{"API key:": key}, "login", p.url)
	s.run(0, "", "push", "--link", "locked", "--password-file", secret, s.file("a.txt", []byte("hello")))
	text := s.at(0, map[string]string{"Password of the share:": password}, "paste", "--link", "text", "--password", s.file("b.txt", []byte("hello")))
	if strings.Contains(text, password) {
		t.Error("the password is shown")
	}
	s.at(0, map[string]string{"Password of the share:": password}, "get", "-o", "c.txt", p.url+"/file/locked")
	s.at(0, map[string]string{"Password of the share:": password}, "get", p.url+"/paste/text")
	for _, args := range [][]string{{"login", "--key", key, p.url}, {"login", "--password", key, p.url}, {"push", "--password=" + password, secret}} {
		s.run(80, "", args...) // there is no option that takes one
	}
	for _, secret := range []string{key, password, url.QueryEscape(password)} {
		if strings.Contains(p.log.String(), secret) {
			t.Errorf("the log of the server tells %s", secret)
		}
	}
}
