package edgetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/listen"
	"pasteport/adapters/httpapi/wire"
	"pasteport/ports/portstest"
)

// RowsPage is a page of a list that once had none.
type RowsPage struct {
	Data []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	Pagination *wire.Pagination `json:"pagination"`
}

// Names are those of the rows, with a blank between them.
func (p RowsPage) Names() string {
	names := make([]string, len(p.Data))
	for i, row := range p.Data {
		names[i] = row.Name
	}
	return strings.Join(names, " ")
}

// PageIn is the page in an answer that must be a success.
func PageIn(t *testing.T, a Answer) (p RowsPage) {
	t.Helper()
	if err := json.Unmarshal(a.Body.Bytes(), &p); err != nil || a.ResponseRecorder.Code != 200 {
		t.Fatalf("%v, %d %s", err, a.ResponseRecorder.Code, a.Body)
	}
	return p
}

// ErrDown is the failure of a dependency.
var ErrDown = errors.New("down")

// CutBody is a body whose sender goes away.
type CutBody struct{ Data string }

// Object is a JSON object as a test looks at it.
type Object map[string]any

// Zeros are bytes without an end.
type Zeros struct{}

func (Zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Started is a running server on loopback.
type Started struct {
	*listen.Server
	T        testing.TB
	Addr     string
	internal string
	Served   chan error
}

// StartServer starts a server on free ports of loopback, which ends with the test.
// wrap may put something around its public listener; nil: nothing.
func StartServer(t testing.TB, opts listen.ServerOptions, wrap func(net.Listener) net.Listener) *Started {
	t.Helper()
	open := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	public, internal := open(), open()
	s := &Started{Server: listen.NewServer(opts), T: t, Addr: public.Addr().String(), internal: internal.Addr().String(), Served: make(chan error, 1)}
	if wrap != nil {
		public = wrap(public)
	}
	go func() { s.Served <- s.Serve(public, internal) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

// Raw sends bytes and returns the status line and the rest.
func (s *Started) Raw(request string) (status, rest string) {
	s.T.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		s.T.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(Patience))
	if _, err := io.WriteString(c, request); err != nil {
		s.T.Fatal(err)
	}
	r := bufio.NewReader(c)
	status, err = r.ReadString('\n')
	if err != nil {
		s.T.Fatalf("%.80q: %v", request, err)
	}
	data, _ := io.ReadAll(r)
	return strings.TrimSpace(status), string(data)
}

// Patience is how long tests wait for what should come at once.
const Patience = portstest.Patience

// Soon is how long they wait for an answer that waits for no slow body: the
// server would give one half a minute.
const Soon = 25 * time.Second

// Opened is a request whose body has not come whole.
type Opened struct {
	net.Conn
	T testing.TB
}

// Open sends the front of a request and leaves the connection as it is.
func (s *Started) Open(request string) Opened {
	s.T.Helper()
	c, err := net.Dial("tcp", s.Addr)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		s.T.Fatal(err)
	}
	return Opened{c, s.T}
}

// Answer reads status line and headers; it fails when none comes.
func (o Opened) Answer() *http.Response {
	o.T.Helper()
	_ = o.SetReadDeadline(time.Now().Add(Soon))
	answer, err := http.ReadResponse(bufio.NewReader(o), nil)
	if err != nil {
		o.T.Fatalf("no answer: %v", err)
	}
	return answer
}

// Head is the front of a request: the method and target, then headers.
func Head(line string, headers ...string) string {
	return line + " HTTP/1.1\r\nHost: h\r\n" + strings.Join(append(headers, "", ""), "\r\n")
}

// SlowReader asks for a path from a loopback address of its own choice, reads the
// head of the answer and then nothing more. Closing the answer's body ends the
// connection.
func (s *Started) SlowReader(from, path string) *http.Response {
	s.T.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := d.Dial("tcp", s.Addr)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := io.WriteString(c, Head("GET "+path)); err != nil {
		s.T.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(Patience))
	answer, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
	if err != nil {
		s.T.Fatalf("no answer for %s: %v", path, err)
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{answer.Body, c}
	return answer
}

func (b *CutBody) Read(p []byte) (int, error) {
	if b.Data == "" {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, b.Data)
	b.Data = b.Data[n:]
	return n, nil
}

func (b *CutBody) Close() error { return nil }
