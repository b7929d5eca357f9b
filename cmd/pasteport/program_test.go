package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pasteport/adapters/httpapi/openapitest"
	"pasteport/cmd/pasteport/rules"
	"pasteport/ports/portstest"
)

// The tests of this package use the program as its users do: they build it,
// start it on a free port of the loopback with a data folder of its own, and
// speak HTTP to it.

const adminPassword = "correct horse battery staple"

var (
	buildOnce  sync.Once
	builtPath  string
	buildError error
)

// binary builds the program once for all tests and returns its path.
func binary(t testing.TB) string {
	t.Helper()
	buildOnce.Do(func() {
		dir, err := os.MkdirTemp("", "pasteport-test-")
		if err != nil {
			buildError = err
			return
		}
		builtPath = filepath.Join(dir, "pasteport")
		linked := builtPath + ".linked"
		if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", linked, ".").CombinedOutput(); err != nil {
			buildError = fmt.Errorf("go build: %w\n%s", err, out)
			return
		}
		// Copied, as it gets to its users: of a file just linked the kernel counts
		// more as a process's memory, since the linker wrote it in larger pieces.
		if out, err := exec.Command("cp", linked, builtPath).CombinedOutput(); err != nil {
			buildError = fmt.Errorf("cp: %w\n%s", err, out)
		}
	})
	if buildError != nil {
		t.Fatal(buildError)
	}
	return builtPath
}

func TestMain(m *testing.M) {
	if isTrial, err := rules.ServeTrial(os.Args); isTrial {
		exit(err)
	}
	if dir := os.Getenv(taskChild); dir != "" {
		runTaskChild(dir)
	}
	code := m.Run()
	if builtPath != "" {
		os.RemoveAll(filepath.Dir(builtPath))
	}
	os.Exit(code)
}

// program is a running server.
type program struct {
	t        testing.TB
	cmd      *exec.Cmd
	url      string // http://127.0.0.1:port
	internal string
	dir      string
	log      *lockedBuffer
	done     chan struct{} // closed when the process has ended
	session  atomic.Value  // token of the administrator, for the first who asks
}

// lockedBuffer collects what the process writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// patience is how long tests wait for what should come soon. A busy machine may
// need a hundred times as long as an idle one.
const patience = portstest.Patience

// launch starts the program over the data folder and does not wait for it.
// env holds further NAME=value settings.
func launch(t testing.TB, dir string, env ...string) *program {
	t.Helper()
	cmd, listen, internal := serving(t, dir, env...)
	return run(t, cmd, listen, internal, dir)
}

// serving is the program over the data folder, before it is launched, and where it
// will listen.
func serving(t testing.TB, dir string, env ...string) (cmd *exec.Cmd, listen, internal string) {
	t.Helper()
	env = append(database(t, dir), env...)
	begun(t, dir, env)
	return onFree(t, dir, env...)
}

// onFree is the program as serving has it, over what is in the data folder.
func onFree(t testing.TB, dir string, env ...string) (cmd *exec.Cmd, listen, internal string) {
	t.Helper()
	listen, internal = portstest.FreeAddress(t), portstest.FreeAddress(t)
	cmd = exec.Command(binary(t), "serve")
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
		"PASTEPORT_LISTEN=" + listen, "PASTEPORT_INTERNAL_LISTEN=" + internal,
		"PASTEPORT_DATA_DIR=" + dir, "PASTEPORT_ADMIN_PASSWORD=" + adminPassword,
		"PASTEPORT_LOCAL_ROOT=" + os.TempDir(),                 // for storages beside the data folder
		"PASTEPORT_RATE_LIMITS=off", "PASTEPORT_DRAIN_DELAY=0", // no balancer has to notice a stop
	}, env...)
	return cmd, listen, internal
}

// run starts a program that listens on two addresses, and does not wait for it. What
// it says is kept, unless the command says where it goes.
func run(t testing.TB, cmd *exec.Cmd, listen, internal, dir string) *program {
	t.Helper()
	p := &program{t: t, cmd: cmd, url: "http://" + listen, internal: "http://" + internal, dir: dir, log: &lockedBuffer{}, done: make(chan struct{})}
	if token, ok := sessions.Load(dir); ok {
		p.session.Store(token)
	}
	if cmd.Stderr == nil {
		p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("log of the program:\n%s", tail(p.log.String(), 6000))
		}
	})
	return p
}

// start launches the program and waits until it answers.
func start(t testing.TB, dir string, env ...string) *program {
	t.Helper()
	p := launch(t, dir, env...)
	p.waitReady()
	return p
}

func (p *program) waitReady() {
	p.t.Helper()
	portstest.Eventually(p.t, func() bool {
		select {
		case <-p.done:
			p.t.Fatalf("the program ended at start:\n%s", tail(p.log.String(), 4000))
		default:
		}
		answer, err := http.Get(p.url + "/api/health")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, "the program is ready")
}

// answers reports whether something at an address answers.
func answers(address string) bool {
	a, err := http.Get(address)
	if err == nil {
		a.Body.Close()
	}
	return err == nil
}

// kill ends the process at once (SIGKILL) and waits for its end.
func (p *program) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// stop asks the process to end (SIGTERM) and returns its exit code.
func (p *program) stop() int {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("the program did not stop in %s", patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// ended waits for the end of a program that ends by itself and returns its exit
// code.
func (p *program) ended() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatal("the program goes on")
	}
	return p.cmd.ProcessState.ExitCode()
}

// answer is a response read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// envelope is the form of most JSON answers (contract §1.2).
type envelope struct {
	Code      int             `json:"code"`
	Message   string          `json:"message"`
	Success   bool            `json:"success"`
	Error     string          `json:"error"`
	RequestID string          `json:"request_id"`
	Data      json.RawMessage `json:"data"`
}

func (a answer) envelope(t testing.TB) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(a.body, &e); err != nil {
		t.Fatalf("status %d, not an envelope: %v\n%s", a.status, err, tail(string(a.body), 500))
	}
	return e
}

// into decodes the data of an envelope.
func (a answer) into(t testing.TB, v any) {
	t.Helper()
	e := a.envelope(t)
	if err := json.Unmarshal(e.Data, v); err != nil {
		t.Fatalf("data: %v\n%s", err, a.body)
	}
}

// object decodes a bare body.
func (a answer) object(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("status %d: %v\n%s", a.status, err, tail(string(a.body), 500))
	}
	return v
}

// client sends requests with one credential.
type client struct {
	p    *program
	auth string // value of the Authorization header, "" for none
	// comesBack makes it ask again when it is told to, as clients of a busy server
	// do.
	comesBack bool
	// unchecked leaves its answers uncompared with the API description, for
	// measurements.
	unchecked bool
}

func (p *program) visitor() client { return client{p: p} }

// admin is the administrator, in another session each time.
func (p *program) admin() client {
	p.t.Helper()
	token, _ := p.session.Swap("").(string)
	if token == "" {
		token = p.signIn()
	}
	return client{p: p, auth: "Bearer " + token}
}

// signIn opens a session of the administrator and returns its token.
func (p *program) signIn() string {
	p.t.Helper()
	a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword})
	if a.status != http.StatusOK {
		p.t.Fatalf("login: %d %s", a.status, a.body)
	}
	var data struct{ Token string }
	a.into(p.t, &data)
	return data.Token
}

// key makes an API key with the permission bits and basic path and returns a
// client that uses it, and the key's id.
func (c client) key(name string, permissions int, basicPath string) (client, string) {
	c.p.t.Helper()
	a := c.post("/api/admin/api-keys", map[string]any{"name": name, "permissions": permissions, "basic_path": basicPath, "expires_at": "never"})
	if a.status != http.StatusOK {
		c.p.t.Fatalf("make key: %d %s", a.status, a.body)
	}
	var data struct{ ID, Key string }
	a.into(c.p.t, &data)
	return client{p: c.p, auth: "ApiKey " + data.Key}, data.ID
}

func (c client) get(path string, header ...string) answer {
	return c.send(http.MethodGet, path, nil, header...)
}

func (c client) post(path string, body any, header ...string) answer {
	return c.json(http.MethodPost, path, body, header...)
}

func (c client) put(path string, body any, header ...string) answer {
	return c.json(http.MethodPut, path, body, header...)
}

func (c client) delete(path string, body any, header ...string) answer {
	return c.json(http.MethodDelete, path, body, header...)
}

func (c client) json(method, path string, body any, header ...string) answer {
	c.p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		c.p.t.Fatal(err)
	}
	return c.send(method, path, bytes.NewReader(raw), append([]string{"Content-Type", "application/json"}, header...)...)
}

// send makes one request. header holds pairs of name and value. A path that
// starts with "http" is a whole address.
func (c client) send(method, path string, body io.Reader, header ...string) answer {
	c.p.t.Helper()
	if c.comesBack {
		return c.sendUntilTaken(method, path, body, header...)
	}
	a, err := c.try(method, path, body, header...)
	if err != nil {
		c.p.t.Fatal(err)
	}
	return a
}

func (c client) sendUntilTaken(method, path string, body io.Reader, header ...string) answer {
	c.p.t.Helper()
	_, endless := body.(stream)
	var content []byte
	if body != nil {
		var err error
		if content, err = io.ReadAll(body); err != nil {
			c.p.t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); ; {
		var again io.Reader
		switch {
		case endless:
			again = stream{bytes.NewReader(content)}
		case body != nil:
			again = bytes.NewReader(content)
		}
		a, err := c.try(method, path, again, header...)
		if err != nil {
			c.p.t.Fatal(err)
		}
		wait, later := strconv.Atoi(a.header.Get("Retry-After"))
		if later != nil || time.Now().After(deadline) {
			return a
		}
		<-time.After(time.Duration(wait) * time.Second)
	}
}

// try is send with the transport error returned.
func (c client) try(method, path string, body io.Reader, header ...string) (answer, error) {
	if !strings.HasPrefix(path, "http") {
		path = c.p.url + path
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Accept-Language", "zh-CN") // in which the contract quotes messages
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	if c.auth != "" {
		request.Header.Set("Authorization", c.auth)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if asked := response.Request; err == nil && !c.unchecked && "http://"+asked.URL.Host == c.p.url {
		if wrong := published(c.p.t).Check(asked.Method, asked.URL.RequestURI(), response.StatusCode, response.Header, raw); wrong != nil {
			c.p.t.Errorf("docs/openapi.json: %v", wrong)
		}
	}
	return answer{status: response.StatusCode, header: response.Header, body: raw}, err
}

// published is the API description; every answer that client sees is compared
// with it.
func published(t testing.TB) *openapitest.Document {
	t.Helper()
	d, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var readPublished = sync.OnceValues(func() (*openapitest.Document, error) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "openapi.json"))
	if err != nil {
		return nil, err
	}
	return openapitest.New(raw)
})

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return "…" + s[len(s)-n:]
}
