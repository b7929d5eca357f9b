package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/listen"
	"pasteport/domain/keys"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

const (
	asJSON     = "Content-Type: application/json"
	withAdmin  = "Authorization: " + edgetest.AsAdmin
	announced  = "Content-Length: 100000"
	inChunks   = "Transfer-Encoding: chunked"
	fewPatient = 8 // of the places below
)

// countingAuth tells how many requests have come so far.
type countingAuth struct{ n atomic.Int64 }

func (*countingAuth) Confirmed(context.Context, policy.Principal, string) error { return nil }

func (c *countingAuth) Authenticate(ctx context.Context, credential keys.Credential) (policy.Principal, error) {
	defer c.n.Add(1)
	if who, ok := edgetest.Tokens[credential.Token]; ok {
		return who, nil
	}
	return policy.Principal{}, ErrCredentials
}

func (c *countingAuth) wait(t testing.TB, n int64) {
	t.Helper()
	portstest.Eventually(t, func() bool { return c.n.Load() >= n }, n, " requests come")
}

func TestSlowBodiesKeepNobodyWaiting(t *testing.T) {
	for name, headers := range map[string][]string{
		"small":             {"Content-Length: 40"},
		"long":              {announced},
		"of unknown length": {inChunks},
	} {
		t.Run(name, func(t *testing.T) {
			auth := &countingAuth{}
			f := newFrame(t, func(o *Options) { o.Auth, o.Concurrency.Interactive = auth, fewPatient })
			s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1, PerAddress: -1}, nil)
			const slow = 300
			for range slow {
				s.Open(edgetest.Head("POST /api/note/s", append(headers, asJSON, withAdmin)...))
			}
			auth.wait(t, slow)
			for range fewPatient + 1 {
				if a := s.Open(edgetest.Head("GET /api/paste/x")).Answer(); a.StatusCode != http.StatusOK {
					t.Fatalf("a read: %s", a.Status)
				}
			}
			if a := s.Open(edgetest.Head("POST /api/note/s", asJSON, withAdmin, "Content-Length: 2") + "{}").Answer(); a.StatusCode != http.StatusOK {
				t.Errorf("a write: %s", a.Status)
			}
		})
	}
}

func TestASlowBodyThatComesWholeIsAnswered(t *testing.T) {
	f := newFrame(t, nil)
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	c := s.Open(edgetest.Head("POST /api/note/s", asJSON, withAdmin, "Content-Length: 12") + `{"nam`)
	io.WriteString(c, `e":"a"}`)
	if a := c.Answer(); a.StatusCode != http.StatusOK || a.Close {
		t.Errorf("%s, closed: %t", a.Status, a.Close)
	}
}

func TestLongBodiesAreBoundedBySender(t *testing.T) {
	f := newFrame(t, nil)
	Handle(f.API, Op{Name: "note.open", Method: "POST", Path: "/api/open", Public: true, Actions: []policy.Action{policy.ShareVerify}, Body: JSON, Summary: "Open."},
		func(context.Context, policy.Principal, None) (None, error) { return None{}, nil })
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	sent := func(size int) string { return `{"name":"` + strings.Repeat("x", size-9) }
	long := func(line string, headers ...string) edgetest.Opened {
		return s.Open(edgetest.Head(line, append(headers, asJSON, announced)...) + sent(SmallBody+1))
	}
	full := func(p *places, want int) {
		t.Helper()
		portstest.Eventually(t, func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.taken == want
		}, want, " places are taken")
	}
	visitors := f.bodies.visitors
	for range visitors.each {
		long("POST /api/open")
	}
	full(visitors, visitors.each)
	if a := long("POST /api/open").Answer(); a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || !a.Close {
		t.Errorf("one more of the address: %s %v", a.Status, a.Header)
	}
	whole := func(size int) string {
		return edgetest.Head("POST /api/note/s", asJSON, withAdmin, fmt.Sprint("Content-Length: ", size)) + sent(size-2) + `"}`
	}
	if a := s.Open(whole(100_000)).Answer(); a.StatusCode != http.StatusOK {
		t.Errorf("a caller with a credential: %s", a.Status)
	}
	if a := s.Open(edgetest.Head("POST /api/open", asJSON, "Content-Length: 2") + "{}").Answer(); a.StatusCode != http.StatusOK {
		t.Errorf("a small body of the address: %s", a.Status)
	}
	full(f.bodies.callers, 0)
	f.bodies.callers.all = 1
	held := long("POST /api/note/s", "Authorization: ApiKey key-a")
	full(f.bodies.callers, 1)
	if a := s.Open(whole(100_000)).Answer(); a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
		t.Errorf("all places taken: %s", a.Status)
	}
	held.Close()
	full(f.bodies.callers, 0)
	if a := s.Open(whole(100_000)).Answer(); a.StatusCode != http.StatusOK {
		t.Errorf("after one left: %s", a.Status)
	}
	full(f.bodies.callers, 0)
}

func TestUploadsLeaveRoomForReaders(t *testing.T) {
	f := newFrame(t, nil)
	f.bodies.uploads.each = 1
	entered, leave := make(chan struct{}), make(chan struct{})
	Stream(f.API, Op{Name: "note.upload", Method: "PUT", Path: "/api/slow", Actions: []policy.Action{policy.PasteCreate}, Body: RawBody, Class: Streaming, Summary: "Slow."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			close(entered)
			<-leave
			return Send(w, r, None{})
		})
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	first := s.Open(edgetest.Head("PUT /api/slow", withAdmin, "Content-Length: 1"))
	<-entered
	if a := s.Open(edgetest.Head("PUT /api/upload-direct/x", withAdmin, "Content-Length: 1") + "x").Answer(); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second upload: %s", a.Status)
	}
	if a := s.Open(edgetest.Head("PUT /api/upload-direct/x", "Authorization: ApiKey key-a", "Content-Length: 1") + "x").Answer(); a.StatusCode != http.StatusOK {
		t.Errorf("an upload of another caller: %s", a.Status)
	}
	close(leave)
	if a := first.Answer(); a.StatusCode != http.StatusOK {
		t.Errorf("the first: %s", a.Status)
	}
}

func TestRefusalsDoNotWaitForTheBody(t *testing.T) {
	f := newFrame(t, nil)
	f.ServeDAV(DAV{Ops: []Op{{Name: "dav.put", Method: "PUT", Body: RawBody, Class: Streaming, Actions: []policy.Action{policy.WebDAVWrite}}}})
	Stream(f.API, Op{Name: "note.denied", Method: "POST", Path: "/api/denied", Actions: []policy.Action{policy.PasteCreate}, Body: FormBody, Class: Streaming, Summary: "No."},
		func(http.ResponseWriter, *http.Request, policy.Principal) error { return ErrCredentials })
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	form := "Content-Type: multipart/form-data; boundary=b"
	for name, c := range map[string]struct {
		line    string
		headers []string
		want    int
	}{
		"no credential, JSON":     {"POST /api/note/s", []string{asJSON}, 401},
		"no credential, raw":      {"PUT /api/upload-direct/x", nil, 401},
		"a wrong credential":      {"PUT /api/upload-direct/x", []string{"Authorization: Bearer nobody"}, 401},
		"no credential, form":     {"POST /api/denied", []string{form}, 401},
		"refused in the use case": {"POST /api/denied", []string{form, withAdmin}, 401},
		"an encoded body":         {"PUT /api/upload-direct/x", []string{withAdmin, "Content-Encoding: gzip"}, 415},
		"no JSON":                 {"POST /api/undecided", []string{"Content-Type: text/plain"}, 401},
		"an unknown call":         {"PUT /api/nothing", nil, 404},
		"a wrong method":          {"DELETE /api/note/s", nil, 404},
		"an unclean path":         {"PUT /api//x", nil, 400},
		"a read":                  {"GET /api/paste/none", nil, 404},
		"a page":                  {"POST /nothing", nil, 404},
		"WebDAV":                  {"PUT /dav/x", nil, 401},
	} {
		for _, length := range []string{announced, inChunks} {
			t.Run(name+", "+length, func(t *testing.T) {
				t.Parallel()
				o := s.Open(edgetest.Head(c.line, append(c.headers, length)...))
				o.T = t
				if a := o.Answer(); a.StatusCode != c.want || !a.Close {
					t.Errorf("%s, closed: %t", a.Status, a.Close)
				}
			})
		}
	}
	t.Run("too large", func(t *testing.T) {
		o := s.Open(edgetest.Head("POST /api/note/s", asJSON, withAdmin, "Content-Length: 2000000"))
		if a := o.Answer(); a.StatusCode != http.StatusRequestEntityTooLarge || !a.Close {
			t.Errorf("%s, closed: %t", a.Status, a.Close)
		}
	})
}

func TestAnswersWaitShortlyForABodyThatNobodyReads(t *testing.T) {
	f := newFrame(t, nil)
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	for _, line := range []string{"GET /api/paste/x", "OPTIONS /api/note/s"} {
		if a := s.Open(edgetest.Head(line, announced)).Answer(); a.StatusCode >= 300 || !a.Close {
			t.Errorf("%s: %s, closed: %t", line, a.Status, a.Close)
		}
		o := s.Open(edgetest.Head(line, "Content-Length: 3") + "abc")
		if a := o.Answer(); a.StatusCode >= 300 || a.Close {
			t.Errorf("%s with its body: %s, closed: %t", line, a.Status, a.Close)
		}
	}
}

func TestARefusalIsHeardByWhoSendsFirst(t *testing.T) {
	f := newFrame(t, nil)
	s := edgetest.StartServer(t, listen.ServerOptions{Handler: f, Drain: -1}, nil)
	const size = 8 << 20
	byClient := func() error {
		r, _ := http.NewRequest("PUT", "http://"+s.Addr+"/api/upload-direct/x", io.LimitReader(edgetest.Zeros{}, size))
		r.ContentLength = size
		answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s", answer.Status)
		}
		return nil
	}
	byHand := func() error {
		c := s.Open(edgetest.Head("PUT /api/upload-direct/x", fmt.Sprint("Content-Length: ", size)))
		if n, err := io.CopyN(c, edgetest.Zeros{}, size); err != nil {
			return fmt.Errorf("cut after %d bytes: %w", n, err)
		}
		_ = c.SetReadDeadline(time.Now().Add(edgetest.Soon))
		a, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return fmt.Errorf("no answer: %w", err)
		}
		if a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s", a.Status)
		}
		return nil
	}
	for name, send := range map[string]func() error{"a client": byClient, "by hand": byHand} {
		var err error
		for range 3 { // the rest of a body has two seconds, which a machine that stands still can lose
			if err = send(); err == nil {
				break
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFullLaneIsACrowd(t *testing.T) {
	f := newFrame(t, nil)
	f.bodies.uploads.all = 1
	if f.bodies.uploads.crowded() {
		t.Error("an empty lane is a crowd")
	}
	if err := f.bodies.uploads.try("a"); err != nil || !f.bodies.uploads.crowded() {
		t.Errorf("a full lane is none: %v", err)
	}
}
