package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
)

// shell is a user at a terminal, with a home of their own.
type shell struct {
	t    *testing.T
	home string
	env  []string
}

func newShell(t *testing.T, env ...string) *shell {
	home := t.TempDir()
	return &shell{t, home, append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "NO_PROXY=*"}, env...)}
}

func (s *shell) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), binary(s.t), args...)
	cmd.Dir, cmd.Env = s.home, s.env
	return cmd
}

// run runs a command that must end with the status, and returns what it printed.
func (s *shell) run(status int, stdin string, args ...string) (stdout, stderr string) {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("pasteport %s: status %d (%v), want %d\n%s%s", strings.Join(args, " "), got, err, status, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// at runs a command at a pseudo-terminal, answers each question once and returns
// what the screen shows.
func (s *shell) at(status int, answers map[string]string, args ...string) string {
	s.t.Helper()
	cmd := s.command(args...)
	screen, err := pty.Start(cmd)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = screen.Close() }()
	var seen bytes.Buffer
	piece := make([]byte, 1024)
	for {
		n, err := screen.Read(piece)
		seen.Write(piece[:n])
		for question, answer := range answers {
			if strings.Contains(seen.String(), question) {
				delete(answers, question)
				_, _ = io.WriteString(screen, answer+"\n")
			}
		}
		if err != nil { // the other side is closed
			break
		}
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("pasteport %s: status %d, want %d\n%s", strings.Join(args, " "), got, status, seen.String())
	}
	if len(answers) > 0 {
		s.t.Errorf("never asked: %v\n%s", answers, seen.String())
	}
	return seen.String()
}

func (s *shell) file(name string, content []byte) string {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// keyFor makes a key for texts and files, and returns it besides its client.
func keyFor(p *program, name string) (owner client, key string) {
	p.t.Helper()
	owner, _ = p.admin().key(name, 1|2, "/")
	return owner, strings.TrimPrefix(owner.auth, "ApiKey ")
}

func TestTerminalSharesReadsListsAndDeletes(t *testing.T) {
	p := start(t, t.TempDir())
	_, key := keyFor(p, "terminal")
	s := newShell(t)
	if _, errs := s.run(3, "", "ls"); !strings.Contains(errs, "pasteport login") {
		t.Errorf("nobody is told how to sign in: %s", errs)
	}
	s.run(3, "wrong\n", "login", p.url)
	screen := s.at(0, map[string]string{"API key:": key}, "login", p.url)
	if strings.Contains(screen, key) {
		t.Error("the key is shown")
	}
	for _, kept := range []string{"config", "config/pasteport", "config/pasteport/servers.json"} {
		info, err := os.Stat(filepath.Join(s.home, kept))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", kept, info, err)
		}
	}

	link, _ := s.run(0, "hello\nworld\n", "paste", "--expires", "7d", "--views", "5", "--link", "greeting")
	if link != p.url+"/paste/greeting\n" {
		t.Errorf("the link is %q", link)
	}
	if out, _ := s.run(0, "", "get", strings.TrimSpace(link)); out != "hello\nworld\n" {
		t.Errorf("the text is %q", out)
	}
	content := make([]byte, 3<<20)
	_, _ = rand.Read(content)
	pushed, _ := s.run(0, "", "push", s.file("数据.bin", content))
	if screen := s.at(0, nil, "push", "--qr", s.file("shown.bin", content)); !strings.Contains(screen, "shown.bin") || !strings.Contains(screen, "█") || !strings.Contains(screen, "3 of 3 MiB") {
		t.Errorf("no progress, or no code to scan:\n%s", screen)
	}
	other := t.TempDir()
	cmd := s.command("get", strings.TrimSpace(pushed))
	cmd.Dir = other
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, err := os.ReadFile(filepath.Join(other, "数据.bin")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file has %d bytes, %v", len(got), err)
	}
	cmd = s.command("get", strings.TrimSpace(pushed))
	cmd.Dir = other
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a file that is there was replaced: %s", out)
	}
	piped, _ := s.run(0, "from a pipe", "push", "--name", "log.txt", "-")
	folder := filepath.Join(s.home, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.file("folder/sub/a.txt", []byte("a"))
	zipped, _ := s.run(0, "", "push", folder, "--json")
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(zipped), &made); err != nil || !strings.HasPrefix(made.URL, p.url+"/file/") {
		t.Errorf("--json: %s %v", zipped, err)
	}
	s.run(0, "\n  how it begins\nand goes on", "paste")
	s.run(0, " ", "paste", "--link", "blank")
	list, _ := s.run(0, "", "ls")
	if strings.Contains(list, "goes on") {
		t.Errorf("the list has more than the first line:\n%s", list)
	}
	for _, want := range []string{p.url + "/paste/greeting", "  how it begins\n", "  blank\n", "数据.bin", "log.txt", "folder.zip", "/5"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %s:\n%s", want, list)
		}
	}
	saved, _ := s.run(0, "", "get", "--json", "-o", "greeting.txt", p.url+"/paste/greeting")
	s.run(1, "", "get", "--json", p.url+"/paste/greeting")
	gone, _ := s.run(0, "", "rm", "--json", "greeting", strings.TrimSpace(piped))
	if !strings.Contains(saved, `"file": "greeting.txt"`) || !strings.Contains(gone, `"slug": "greeting"`) || strings.Count(gone, `"kind"`) != 2 {
		t.Errorf("--json: %s %s", saved, gone)
	}
	s.run(4, "", "get", p.url+"/paste/greeting")
	s.run(4, "", "rm", "greeting")
	s.run(0, "mine", "paste", "--link", "taken")
	s.run(5, "again", "paste", "--link", "taken")
	s.run(0, "", "logout")
	s.run(3, "", "ls")
}

func TestTerminalAsksForPasswordsAndBeforeTheLastView(t *testing.T) {
	p := start(t, t.TempDir())
	_, key := keyFor(p, "terminal")
	s := newShell(t, "PASTEPORT_SERVER="+p.url, "PASTEPORT_API_KEY="+key)
	secret := s.file("secret", []byte("open sesame\n"))
	link, _ := s.run(0, "hidden", "paste", "--password-file", secret, "--views", "2")
	link = strings.TrimSpace(link)
	s.at(3, map[string]string{"Password of the share:": "wrong"}, "get", link)
	if screen := s.at(0, map[string]string{"Password of the share:": "open sesame"}, "get", link); !strings.Contains(screen, "hidden") || strings.Contains(screen, "sesame") {
		t.Errorf("the screen shows %q", screen)
	}
	_, errs := s.run(1, "", "get", "--password-file", secret, link)
	if !strings.Contains(errs, "last view") {
		t.Errorf("nobody is told of the last view: %s", errs)
	}
	s.at(0, map[string]string{"[y/N]": "y"}, "get", "--password-file", secret, link)
	s.run(4, "", "get", "--password-file", secret, link)
}

func TestTerminalSignsInAnAdministrator(t *testing.T) {
	p := start(t, t.TempDir())
	p.admin()
	s := newShell(t)
	s.run(3, "wrong\n", "login", "--user", "admin", p.url)
	s.at(0, map[string]string{"Password of admin:": adminPassword}, "login", "--user", "admin", p.url)
	link, _ := s.run(0, "x", "paste")
	s.run(0, "", "rm", strings.TrimSpace(link))
	s.run(0, "", "logout")
	raw, err := os.ReadFile(filepath.Join(s.home, "config/pasteport/servers.json"))
	if err != nil || strings.Contains(string(raw), "Bearer") {
		t.Errorf("the session is kept: %s %v", raw, err)
	}
}

func TestTerminalSignsInWithTheSecondStep(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	var offer struct{ Secret string }
	admin.post("/api/admin/totp/begin", map[string]string{"currentPassword": adminPassword}).into(t, &offer)
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(offer.Secret)
	if err != nil || len(secret) == 0 {
		t.Fatal(offer, err)
	}
	var made struct {
		Codes []string `json:"recovery_codes"`
	}
	admin.post("/api/admin/totp/enable", map[string]string{"code": codeNow(secret)}).into(t, &made)
	s := newShell(t)
	s.at(3, map[string]string{"Password of admin:": adminPassword, "Code of the second step:": "000000"}, "login", "--user", "admin", p.url)
	s.at(0, map[string]string{"Password of admin:": adminPassword, "Code of the second step:": made.Codes[0]}, "login", "--user", "admin", p.url)
	s.run(0, "", "ls")
}

// codeNow is what an app shows for a secret (RFC 6238).
func codeNow(secret []byte) string {
	mac := hmac.New(sha1.New, secret)
	step := time.Now().Unix() / 30
	for shift := 56; shift >= 0; shift -= 8 {
		mac.Write([]byte{byte(step >> shift)})
	}
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	number := int(sum[at]&0x7f)<<24 | int(sum[at+1])<<16 | int(sum[at+2])<<8 | int(sum[at+3])
	return fmt.Sprintf("%06d", number%1_000_000)
}

func TestTerminalKnowsSeveralServers(t *testing.T) {
	one, two := start(t, t.TempDir()), start(t, t.TempDir())
	s := newShell(t)
	for _, p := range []*program{one, two} {
		_, key := keyFor(p, "terminal")
		s.at(0, map[string]string{"API key:": key}, "login", p.url)
	}
	if link, _ := s.run(0, "x", "paste"); !strings.HasPrefix(link, two.url) {
		t.Errorf("not the last one: %s", link)
	}
	if link, _ := s.run(0, "x", "paste", "--server", one.url); !strings.HasPrefix(link, one.url) {
		t.Errorf("not the one that was named: %s", link)
	}
	s.run(0, "", "logout")
	if link, _ := s.run(0, "x", "paste"); !strings.HasPrefix(link, one.url) {
		t.Errorf("not the one that is left: %s", link)
	}
	s.run(3, "", "ls", "--server", two.url)
}

func TestTerminalEditsATextAndKeepsWhatConflicts(t *testing.T) {
	p := start(t, t.TempDir())
	owner, key := keyFor(p, "terminal")
	s := newShell(t, "PASTEPORT_SERVER="+p.url, "PASTEPORT_API_KEY="+key, "EDITOR=sed -i s/one/two/")
	link, _ := s.run(0, "one\n", "paste", "--link", "shared")
	s.run(0, "", "edit", strings.TrimSpace(link))
	if out, _ := s.run(0, "", "get", strings.TrimSpace(link)); out != "two\n" {
		t.Errorf("the text is %q", out)
	}
	if out, errs := s.run(0, "", "edit", "--json", "shared"); !strings.Contains(errs, "Nothing changed") || !strings.Contains(out, `"changed": false`) {
		t.Errorf("an edit without a change: %s %s", out, errs)
	}
	// Somebody else is faster: the editor itself changes the text on the server.
	script := s.file("editor", []byte("#!/bin/sh\ncurl -sf -X PUT -H 'Authorization: ApiKey "+key+"' -H 'Content-Type: application/json' -d '{\"content\":\"theirs\"}' "+p.url+"/api/pastes/shared >/dev/null && echo mine > \"$1\"\n"))
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "EDITOR="+script)
	_, errs := s.run(5, "", "edit", "shared")
	kept := regexp.MustCompile(`yours is in (\S+)`).FindStringSubmatch(errs)
	if kept == nil {
		t.Fatalf("the text is lost: %s", errs)
	}
	if mine, err := os.ReadFile(kept[1]); err != nil || string(mine) != "mine\n" {
		t.Errorf("kept: %q, %v", mine, err)
	}
	if got := owner.get("/api/raw/shared"); string(got.body) != "theirs" {
		t.Errorf("the server has %q", got.body)
	}
}

// cutter passes requests on, and lets only some parts of uploads through.
type cutter struct {
	target string
	left   atomic.Int32  // parts that pass; negative: all
	parts  atomic.Int32  // that have passed
	passed chan struct{} // one for each of them
}

// relay asks the target the same and begins to answer; nil means that it could
// not be asked. The caller sends the body and closes it.
func relay(w http.ResponseWriter, r *http.Request, target string) *http.Response {
	out, _ := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.RequestURI(), r.Body)
	out.Header, out.ContentLength, out.Host = r.Header.Clone(), r.ContentLength, r.Host
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return nil
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	return answer
}

// lets takes one of the parts that pass. It changes nothing once all do: a late
// request of a client that was killed must not stop the next one's.
func (c *cutter) lets() bool {
	for {
		left := c.left.Load()
		if left <= 0 {
			return left < 0
		}
		if c.left.CompareAndSwap(left, left-1) {
			return true
		}
	}
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isPart := r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/api/blob/")
	if isPart && !c.lets() {
		_, _ = io.Copy(io.Discard, r.Body) // a server hears of an end only behind the body
		<-r.Context().Done()               // until the client is killed
		return
	}
	answer := relay(w, r, c.target)
	if answer == nil {
		return
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(w, answer.Body)
	if isPart && answer.StatusCode < 300 {
		c.parts.Add(1)
		c.passed <- struct{}{}
	}
}

func TestTerminalGoesOnWithAnUploadThatWasKilled(t *testing.T) {
	p := start(t, t.TempDir())
	_, key := keyFor(p, "terminal")
	between := &cutter{target: p.url, passed: make(chan struct{}, 100)}
	between.left.Store(4)
	proxy := httptest.NewServer(between)
	t.Cleanup(proxy.Close)
	s := newShell(t, "PASTEPORT_SERVER="+proxy.URL, "PASTEPORT_API_KEY="+key)
	content := make([]byte, 48<<20)
	_, _ = rand.Read(content)
	path := s.file("large.bin", content)
	cmd := s.command("push", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		select {
		case <-between.passed:
		case <-time.After(patience):
			t.Fatal("no part came")
		}
	}
	_ = cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Fatal("the upload was not cut")
	}
	proxy.CloseClientConnections()
	between.left.Store(-1)
	link, _ := s.run(0, "", "push", path)
	if all := between.parts.Load(); all != 10 {
		t.Errorf("%d parts were sent, 10 are enough", all)
	}
	out, _ := s.run(0, "", "get", "-o", "-", strings.TrimSpace(link))
	if hash([]byte(out)) != hash(content) {
		t.Errorf("what came back has %d bytes and is another file", len(out))
	}
	raw, err := os.ReadFile(filepath.Join(s.home, "config/pasteport/uploads.json"))
	if err != nil || strings.TrimSpace(string(raw)) != "{}" {
		t.Errorf("the journal holds %s, %v", raw, err)
	}
}

func TestTerminalSaysWhenVersionsAreFarApart(t *testing.T) {
	for version, warned := range map[string]bool{"0.1.9": false, "0.2.0": false, "0.0.9": false, "0.3.0": true, "1.1.0": true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/api/version" {
				_, _ = io.WriteString(w, `{"code":200,"success":true,"message":"","data":{"version":"`+version+`"}}`)
				return
			}
			w.WriteHeader(404)
			_, _ = io.WriteString(w, `{"code":404,"success":false,"message":"no such call","error":"not_found","data":null}`)
		}))
		s := newShell(t, "PASTEPORT_SERVER="+server.URL, "PASTEPORT_API_KEY=k")
		for _, args := range [][]string{{"ls"}, {"rm", "a"}, {"edit", "a"}, {"get", "a"}, {"paste"}, {"push", "-"}, {"request", "Send"},
			{"mount", "ls"}, {"mount", "cp", ":/a", "x"}, {"mount", "cp", ":/a", ":/b"}, {"mount", "mv", ":/a", ":/b"}, {"login", server.URL}} {
			_, errs := s.run(4, "x", args...)
			if strings.Contains(errs, "has version "+version) != warned {
				t.Errorf("%s at version %s: %s", args[0], version, errs)
			}
		}
		server.Close()
	}
	s := newShell(t, "PASTEPORT_API_KEY=k")
	s.run(7, "", "ls", "--server", "http://127.0.0.1:1")
}

// The client functions that transfer.sh and 0x0.st tell their users to copy, with
// the address changed.
func TestScriptsOfOtherServicesRunUnchanged(t *testing.T) {
	p := start(t, t.TempDir())
	owner, key := keyFor(p, "scripts")
	s := newShell(t)
	s.file("a.txt", []byte("hello"))
	host := strings.Replace(p.url, "://", "://"+key+"@", 1)
	for name, script := range map[string]string{
		"transfer.sh": `transfer(){ if [ $# -eq 0 ];then echo "No arguments specified.">&2;return 1;fi;if tty -s;then file="$1";file_name=$(basename "$file");if [ ! -e "$file" ];then echo "$file: No such file or directory">&2;return 1;fi;cat "$file"|curl --progress-bar --upload-file "-" "` + host + `/$file_name"|tee /dev/null;else file_name=$1;curl --progress-bar --upload-file "-" "` + host + `/$file_name"|tee /dev/null;fi;};transfer a.txt < a.txt`,
		"0x0.st":      `curl -sS -F'file=@a.txt' -Fexpires=24 -Fsecret= ` + host,
	} {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
		cmd.Dir, cmd.Env = s.home, s.env
		out, err := cmd.Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("%s: %v %s", name, err, failed.Stderr)
		}
		link := strings.TrimSpace(string(out))
		if !strings.HasPrefix(link, p.url+"/file/") {
			t.Errorf("%s: %q", name, out)
			continue
		}
		info := owner.get("/api/public/files/" + link[strings.LastIndexByte(link, '/')+1:])
		if info.status != 200 || !strings.Contains(string(info.body), `"filename":"a.txt"`) || !strings.Contains(string(info.body), `"size":5`) {
			t.Errorf("%s: %d %s", name, info.status, info.body)
		}
	}
}

func TestTerminalCopiesAndMovesInMounts(t *testing.T) {
	p := start(t, t.TempDir())
	owner, _ := p.admin().key("mounts", 256|512|1024|2048|4096, "/local/team")
	s := newShell(t, "PASTEPORT_SERVER="+p.url, "PASTEPORT_API_KEY="+strings.TrimPrefix(owner.auth, "ApiKey "))
	content := make([]byte, 2<<20)
	_, _ = rand.Read(content)
	s.file("数据.bin", content)
	s.run(0, "", "mount", "cp", "数据.bin", ":/local/team/in/")
	s.run(5, "", "mount", "cp", "数据.bin", ":/local/team/in/")
	s.run(0, "", "mount", "cp", "--force", "数据.bin", ":/local/team/in/数据.bin")
	s.run(0, "from a pipe", "mount", "cp", "-", ":/local/team/in/log.txt")
	if out, _ := s.run(0, "", "mount", "cp", ":/local/team/in/log.txt", "-"); out != "from a pipe" {
		t.Errorf("read back: %q", out)
	}
	s.run(0, "", "mount", "cp", ":/local/team/in/数据.bin", "back.bin")
	if got, err := os.ReadFile(filepath.Join(s.home, "back.bin")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("copied back: %d bytes, %v", len(got), err)
	}
	s.run(1, "", "mount", "cp", ":/local/team/in/数据.bin", "back.bin")
	s.run(0, "", "mount", "cp", ":/local/team/in", ":/local/team/copy")
	moved, _ := s.run(0, "", "mount", "mv", "--json", ":/local/team/copy/log.txt", ":/local/team/moved.txt")
	sent, _ := s.run(0, "again", "mount", "cp", "--json", "-f", "-", ":/local/team/moved.txt")
	if moved != "{\n  \"from\": \":/local/team/copy/log.txt\",\n  \"to\": \":/local/team/moved.txt\"\n}\n" || !strings.Contains(sent, `"from": "-"`) {
		t.Errorf("--json: %s %s", moved, sent)
	}
	s.run(5, "", "mount", "mv", ":/local/team/in/log.txt", ":/local/team/moved.txt")
	s.run(0, "", "mount", "mv", "-f", ":/local/team/in/log.txt", ":/local/team/moved.txt")
	list, _ := s.run(0, "", "mount", "ls", "/local/team")
	for _, want := range []string{"copy/", "in/", "moved.txt", "11"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %s:\n%s", want, list)
		}
	}
	lines, _ := s.run(0, "", "mount", "ls", "--json", "/local/team/in")
	var entry struct {
		Name string
		Size int64
	}
	if err := json.Unmarshal([]byte(lines), &entry); err != nil || entry.Name != "数据.bin" || entry.Size != 2<<20 {
		t.Errorf("%s %v", lines, err)
	}
	s.run(4, "", "mount", "cp", ":/local/team/none", "x")
	s.run(3, "", "mount", "ls", "/local/other")
	s.run(1, "", "mount", "cp", "a", "b")
}

func TestTerminalRequestsFiles(t *testing.T) {
	p := start(t, t.TempDir())
	owner, _ := p.admin().key("asks", 256|512, "/local/team")
	s := newShell(t, "PASTEPORT_SERVER="+p.url, "PASTEPORT_API_KEY="+strings.TrimPrefix(owner.auth, "ApiKey "))
	s.run(0, "", "mount", "cp", s.file("first.txt", []byte("x")), ":/local/team/inbox/first.txt")
	link, _ := s.run(0, "", "request", "--folder", ":/local/team/inbox", "--files", "2", "--file-size", "1MB", "--type", "text/plain", "--expires", "7d", "Send me your notes")
	if !strings.HasPrefix(link, p.url+"/r/") {
		t.Fatalf("the link is %q", link)
	}
	form := p.visitor().get("/api/public/requests/" + strings.TrimSpace(strings.TrimPrefix(link, p.url+"/r/")))
	if form.status != http.StatusOK || !strings.Contains(string(form.body), "Send me your notes") {
		t.Errorf("%d %s", form.status, form.body)
	}
	s.run(3, "", "request", "--folder", ":/local/other", "Not there")
	s.run(80, "", "request", "--file-size", "much", "Too much")
}
