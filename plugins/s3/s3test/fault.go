package s3test

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Fault is what a Faulty does to one request. The zero Fault does nothing.
type Fault struct {
	// Refusal answers in place of the server.
	Refusal *Refusal
	// Reset ends the connection before an answer.
	Reset bool
	// Lose ends the connection in place of the answer, when the server has done
	// what it was asked.
	Lose bool
	// Short tells a length of so many bytes less than the object's; 0 means not.
	Short int64
	// Hang answers nothing until the client leaves.
	Hang bool
	// Cut ends the connection after so many bytes of the answer's body; 0 means
	// not.
	Cut int64
	// Pause stops the answer's body after so many bytes until the client leaves;
	// 0 means not.
	Pause int64
	// ETag is told in place of the object's own.
	ETag string
	// PastConditions hides If-Match from the server.
	PastConditions bool
}

// Faulty stands in front of a server and fails as a test says.
type Faulty struct {
	*httptest.Server
	mu    sync.Mutex
	fault func(*http.Request) Fault
	count atomic.Int64
	over  chan struct{} // closed at the end of the test
}

// NewFaulty starts a Faulty in front of the server at addr (host:port).
func NewFaulty(t testing.TB, addr string) *Faulty {
	f := &Faulty{over: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out.Host = r.In.Host // it is signed
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
	}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.count.Add(1)
		fault := f.next(r)
		switch {
		case fault.Refusal != nil:
			_, _ = io.Copy(io.Discard, r.Body)
			fault.Refusal.write(w)
			return
		case fault.Reset:
			reset(w)
			return
		case fault.Hang:
			select {
			case <-r.Context().Done():
			case <-f.over:
			}
			panic(http.ErrAbortHandler)
		}
		hold(r)
		if fault.PastConditions {
			r.Header.Del("If-Match")
		}
		p := *proxy
		p.ModifyResponse = fault.spoil
		p.ServeHTTP(w, r)
	}))
	f.Start()
	t.Cleanup(func() {
		close(f.over)
		f.CloseClientConnections()
		f.Close()
		proxy.Transport.(*http.Transport).CloseIdleConnections()
	})
	return f
}

// Fail makes requests fail as fault says, until it is called again; nil means
// that none does.
func (f *Faulty) Fail(fault func(*http.Request) Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// Requests is how many came so far.
func (f *Faulty) Requests() int64 { return f.count.Load() }

func (f *Faulty) next(r *http.Request) Fault {
	f.mu.Lock()
	fault := f.fault
	f.mu.Unlock()
	if fault == nil {
		return Fault{}
	}
	return fault(r)
}

// heldBody is how long a body may be, in bytes, that is read whole before the
// server is asked.
const heldBody = 2 << 20

// hold reads a small body to its end. A server that answers before it has read
// one closes the connection under a client that already sends the next request
// on it, which would be a fault that no test has asked for.
func hold(r *http.Request) {
	if r.ContentLength <= 0 || r.ContentLength > heldBody {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
}

// reset ends a connection so that the other side sees it as reset.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// spoil changes the answer of the server.
func (f Fault) spoil(resp *http.Response) error {
	if f.Lose {
		return errors.New("the answer is lost")
	}
	if f.Short > 0 {
		resp.ContentLength -= f.Short
		resp.Header.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	if f.ETag != "" {
		resp.Header.Set("ETag", `"`+f.ETag+`"`)
	}
	if f.Cut > 0 || f.Pause > 0 {
		resp.Body = &spoiledBody{ReadCloser: resp.Body, left: max(f.Cut, f.Pause), pause: f.Pause > 0, gone: resp.Request.Context().Done()}
	}
	return nil
}

// spoiledBody ends or stops after so many bytes.
type spoiledBody struct {
	io.ReadCloser
	left  int64
	pause bool
	gone  <-chan struct{}
}

func (b *spoiledBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		if b.pause {
			<-b.gone
		}
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Times gives a fault to the first n requests that match.
func Times(n int, match func(*http.Request) bool, fault Fault) func(*http.Request) Fault {
	var left atomic.Int64
	left.Store(int64(n))
	return func(r *http.Request) Fault {
		if match(r) && left.Add(-1) >= 0 {
			return fault
		}
		return Fault{}
	}
}

// Method matches requests by their method.
func Method(name string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == name }
}

// Skewed is what a storage says to a clock that is off by so much.
func Skewed(by time.Duration) *Refusal {
	return &Refusal{Status: 403, Code: "RequestTimeTooSkewed", Message: "The difference between the request time and the current time is too large.",
		Header: http.Header{"Date": {time.Now().Add(by).UTC().Format(http.TimeFormat)}}}
}
