package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/listen"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestRawTargetsOverTheWire(t *testing.T) {
	f := newFrame(t, nil)
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	for target, want := range map[string]string{
		"/api/paste/x":                     "200",
		"/api/../x":                        "400",
		"/api//paste/x":                    "400",
		"//evil.example/":                  "400",
		"/api/paste/%2e%2e":                "400",
		"/api/paste/..%2fx":                "400",
		"/api/paste/a%5cb":                 "400",
		`/api/paste/a\b`:                   "400",
		"/api/paste/%zz":                   "400",
		"/api/paste/\x01":                  "400",
		"/api/paste/\xff":                  "400",
		"http://other.example/api/paste/x": "200",
		"/api/paste/x?a=" + strings.Repeat("b", 9000): "414",
	} {
		status, rest := s.Raw("GET " + target + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
		if !strings.Contains(status, " "+want+" ") || strings.Contains(rest, "Location:") {
			t.Errorf("%.40q: %s", target, status)
		}
	}
	status, _ := s.Raw("GET /api/paste/x HTTP/1.1\r\nHost: h\r\nX-Big: " + strings.Repeat("a", 40<<10) + "\r\n\r\n")
	if !strings.Contains(status, " 431 ") {
		t.Errorf("40 KiB of headers: %s", status)
	}
	status, rest := s.Raw("GET /api/paste/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	if strings.Contains(rest, "\r\nServer:") || strings.Contains(rest, "X-Powered-By") {
		t.Errorf("%s: a banner: %s", status, rest)
	}
}

// recordingListener notes what a connection's ReadFrom is given.
type recordingListener struct {
	net.Listener
	mu    sync.Mutex
	files int
	other int
}

func (l *recordingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &recordingConn{TCPConn: c.(*net.TCPConn), l: l}, nil
}

type recordingConn struct {
	*net.TCPConn
	l *recordingListener
}

func (c *recordingConn) ReadFrom(src io.Reader) (int64, error) {
	c.l.mu.Lock()
	inner := src
	if limited, ok := src.(*io.LimitedReader); ok {
		inner = limited.R
	}
	if _, ok := inner.(*os.File); ok {
		c.l.files++
	} else {
		c.l.other++
	}
	c.l.mu.Unlock()
	return c.TCPConn.ReadFrom(src)
}

// serveFile serves a sparse file of the given size at /api/file-view/x.
func serveFile(t testing.TB, size int64) *frame {
	t.Helper()
	name := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	f := newFrame(t, func(o *Options) { o.Limits.Off = true })
	Stream(f.API, Op{Name: "file.view", Method: "GET", Path: "/api/file-view/{slug}", Public: true, Actions: []policy.Action{policy.ShareView}, Class: Streaming, Summary: "View."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			return content.Serve(w, r, content.Content{Type: "application/zip", Size: size, Open: func(_ context.Context, part objstore.Range) (*objstore.Body, error) {
				file, err := os.Open(name)
				if err != nil {
					return nil, err
				}
				length := size
				if part.Length > 0 {
					length = part.Length
				}
				return objstore.NewFileBody(r.Context(), file, objstore.Object{}, part.Offset, length)
			}})
		})
	return f
}

func TestLocalFilesGoOutBySendfileWithoutMemory(t *testing.T) {
	const size = 256 << 20
	f := serveFile(t, size)
	var l *recordingListener
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, func(inner net.Listener) net.Listener {
		l = &recordingListener{Listener: inner}
		return l
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer, err := http.Get("http://" + s.Addr + "/api/file-view/x")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || n != size {
		t.Fatalf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if l.files == 0 || l.other != 0 {
		t.Errorf("the connection was given a file %d times and something else %d times", l.files, l.other)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("a download of 256 MiB allocated %d bytes", grown)
	}
}

func TestABodyThatStopsIsTimedOut(t *testing.T) {
	f := newFrame(t, nil)
	a := f.Do(func() *http.Request {
		r := edgetest.NewRequest("PUT", "/api/upload-direct/x", "")
		r.Body, r.ContentLength = &stalledBody{}, 100
		return r
	}())
	if a.Result().StatusCode != 408 || a.Error != "body_timeout" {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
}

type stalledBody struct{}

func (*stalledBody) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }
func (*stalledBody) Close() error             { return nil }

func TestShutdownLetsRequestsEnd(t *testing.T) {
	f := newFrame(t, nil)
	entered, leave := make(chan struct{}), make(chan struct{})
	Handle(f.API, Op{Name: "note.slow", Method: "POST", Path: "/api/slow", Actions: []policy.Action{policy.PasteCreate}, Body: JSON, Public: true, Summary: "Slow."},
		func(context.Context, policy.Principal, None) (None, error) {
			close(entered)
			<-leave
			return None{}, nil
		})
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f.API, Internal: http.NewServeMux(), Drain: time.Millisecond}, nil)
	status := make(chan int, 1)
	go func() {
		answer, err := http.Post("http://"+s.Addr+"/api/slow", "application/json", strings.NewReader("{}"))
		if err != nil {
			status <- 0
			return
		}
		answer.Body.Close()
		status <- answer.StatusCode
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	portstest.Eventually(t, s.Draining)
	select {
	case err := <-ended:
		t.Fatalf("the stop did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(leave)
	if got := <-status; got != 200 {
		t.Errorf("the request under way: %d", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("stop: %v", err)
	}
	if err := <-s.Served; err != nil {
		t.Errorf("serve: %v", err)
	}
	if _, err := net.Dial("tcp", s.Addr); err == nil {
		t.Error("the listener is still open")
	}
}

func TestShutdownCutsWhatNeverEnds(t *testing.T) {
	f := newFrame(t, nil)
	entered := make(chan struct{})
	Handle(f.API, Op{Name: "note.endless", Method: "POST", Path: "/api/endless", Actions: []policy.Action{policy.PasteCreate}, Body: JSON, Public: true, Summary: "Endless."},
		func(ctx context.Context, _ policy.Principal, _ None) (None, error) {
			close(entered)
			<-ctx.Done()
			return None{}, ctx.Err()
		})
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f.API, Drain: -1, Stop: 20 * time.Millisecond}, nil)
	go func() {
		if answer, err := http.Post("http://"+s.Addr+"/api/endless", "application/json", strings.NewReader("{}")); err == nil {
			answer.Body.Close()
		}
	}()
	<-entered
	if err := s.Shutdown(context.Background()); err == nil {
		t.Error("a cut request was not told of")
	}
}

// Who is refused and goes on sending is not among those whom a stop waits for.
func TestShutdownDoesNotWaitForARefusedBody(t *testing.T) {
	f := newFrame(t, nil)
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f.API, Drain: -1, Stop: 10 * time.Second}, nil)
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /api/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || answer.StatusCode != http.StatusNotFound {
		t.Fatalf("%v %v", answer, err)
	}
	sending := make(chan struct{})
	go func() {
		defer close(sending)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := c.Write(make([]byte, 1024)); err != nil {
				return
			}
		}
	}()
	if err := s.Shutdown(context.Background()); err != nil {
		t.Errorf("the stop waited: %v", err)
	}
	<-sending
}

func TestProbes(t *testing.T) {
	broken, optional, draining, started := errors.New("down"), error(nil), false, 100
	var failure error
	h := listen.NewInternal(listen.ProbeOptions{
		Metrics:  prometheus.NewRegistry(),
		Draining: func() bool { return draining },
		Startup:  func() int { return started },
		Probes: []listen.Probe{
			{Name: "database", Check: func(context.Context) error { return failure }},
			{Name: "storage", Optional: true, Check: func(context.Context) error { return optional }},
		},
	})
	get := func(target string) (int, string) {
		w := &bodyWriter{nullWriter: nullWriter{header: http.Header{}}, status: 200}
		r, _ := http.NewRequest("GET", target, nil)
		h.ServeHTTP(w, r)
		return w.status, w.String()
	}
	check := func(name, target string, want int, holds string) {
		t.Helper()
		if status, body := get(target); status != want || !strings.Contains(body, holds) {
			t.Errorf("%s: %d %q", name, status, body)
		}
	}
	check("live", "/livez", 200, "ok")
	check("ready", "/readyz", 200, "ok")
	check("verbose", "/readyz?verbose", 200, "database ok")
	check("started", "/startupz", 200, "100%")
	check("metrics", "/metrics", 200, "")
	optional = broken
	check("a storage is down", "/readyz?verbose", 200, "storage degraded")
	failure = broken
	check("the database is down", "/readyz?verbose", 503, "database failed")
	check("live all the same", "/livez", 200, "ok")
	failure, draining = nil, true
	check("draining", "/readyz", 503, "not ready")
	started = 40
	check("migrating", "/startupz", 503, "40%")
}

type bodyWriter struct {
	nullWriter
	bytes.Buffer
	status int
}

func (w *bodyWriter) Write(p []byte) (int, error) { return w.Buffer.Write(p) }
func (w *bodyWriter) WriteHeader(status int)      { w.status = status }

func TestLogWriterLosesNothing(t *testing.T) {
	var out bytes.Buffer
	var mu sync.Mutex
	l := listen.NewLogWriter(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(p)
	}))
	var lines sync.WaitGroup
	for i := range 8 {
		lines.Go(func() {
			for j := range 2000 {
				fmt.Fprintf(l, "%d-%d\n", i, j)
			}
		})
	}
	lines.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 16000 {
		t.Errorf("%d of 16000 lines", got)
	}
}

func TestLinesComeTogetherWhileOthersAreWrittenOut(t *testing.T) {
	begun, goOn := make(chan struct{}, 16), make(chan struct{})
	var out bytes.Buffer
	l := listen.NewLogWriter(writerFunc(func(p []byte) (int, error) {
		begun <- struct{}{}
		<-goOn
		return out.Write(p)
	}))
	line := strings.Repeat("x", 1<<10-1) + "\n"
	for range 40 {
		fmt.Fprint(l, line)
	}
	<-begun
	for range 20 { // with those before, less than a buffer
		fmt.Fprint(l, line)
	}
	close(goOn)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 60 {
		t.Errorf("%d of 60 lines", got)
	}
}

func TestLogWriterFlushesByItself(t *testing.T) {
	wrote := make(chan string, 1)
	l := listen.NewLogWriter(writerFunc(func(p []byte) (int, error) {
		wrote <- string(p)
		return len(p), nil
	}))
	fmt.Fprint(l, "line\n")
	select {
	case got := <-wrote:
		if got != "line\n" {
			t.Errorf("%q", got)
		}
	case <-time.After(edgetest.Patience):
		t.Error("nothing came")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// BenchmarkLocalDownload sends a 256 MiB file over loopback.
func BenchmarkLocalDownload(b *testing.B) {
	const size = 256 << 20
	f := serveFile(b, size)
	s := edgetest.StartServer(b, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		answer, err := http.Get("http://" + s.Addr + "/api/file-view/x")
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, answer.Body); n != size || err != nil {
			b.Fatal(n, err)
		}
		answer.Body.Close()
	}
}
