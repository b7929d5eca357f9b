package pluginhost

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"pasteport/ports/bulk"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// large is content of a few pieces.
var large = bytes.Repeat([]byte("0123456789abcdef"), 3*bulk.Large/16)

// cutting serves large, of which each answer but that to the last part ends early.
func cutting(t *testing.T, cut int) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if rest, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
			first, _, _ := strings.Cut(rest, "-")
			from, _ = strconv.Atoi(first)
			w.Header().Set("Content-Range", "bytes "+strconv.Itoa(from)+"-"+strconv.Itoa(len(large)-1)+"/"+strconv.Itoa(len(large)))
		}
		w.Header().Set("Etag", `"large"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(large)-from))
		if from > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(large[from:min(len(large), from+cut)])
	}))
	t.Cleanup(server.Close)
	return server
}

// readFrom is a bucket whose only link is known.
func readFrom(t *testing.T, address string) *remoteBucket {
	t.Helper()
	links, err := lru.New[objstore.SignRequest, cachedLink](1)
	if err != nil {
		t.Fatal(err)
	}
	b := &remoteBucket{p: &process{timing: Timing{Idle: time.Minute, LinkLifetime: time.Hour}}, links: links, http: newHTTPClient(outbound.Anywhere, time.Minute)}
	t.Cleanup(b.http.CloseIdleConnections)
	links.Add(b.toRead("large"), cachedLink{objstore.SignedRequest{Method: http.MethodGet, URL: address}, time.Now().Add(time.Hour)})
	return b
}

// TestABodyThatComesOverAPlainConnectionGoesThroughThePipe reads bodies as a
// connection to a reader does, also some that the storage cuts.
func TestABodyThatComesOverAPlainConnectionGoesThroughThePipe(t *testing.T) {
	for name, cut := range map[string]int{"whole": len(large), "cut": bulk.Large + 4711} {
		server := cutting(t, cut)
		b := readFrom(t, server.URL)
		for range 2 { // the second one over a connection that is there
			body, err := b.readHTTP(t.Context(), "large", objstore.Range{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, piped := throughPipe(t, body.ReadCloser.(bulk.Source))
			if !bytes.Equal(got, large) || piped < len(large)/2 {
				t.Errorf("%s: %d bytes, %d of them by the pipe, of %d", name, len(got), piped, len(large))
			}
			if err := body.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// throughPipe reads a body to its end and tells how much of it came by the pipe.
func throughPipe(t *testing.T, s bulk.Source) (got []byte, piped int) {
	t.Helper()
	near, far := tcp(t)
	raw, err := near.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pipe := bulk.NewPipe()
	defer pipe.Close()
	buffer := make([]byte, bulk.Large)
	for {
		n, err := s.ReadInto(pipe, buffer)
		if pipe.Held() == 0 {
			got = append(got, buffer[:n]...)
		} else {
			piped += n
			drained := make(chan error, 1)
			go func() {
				_, err := pipe.Drain(raw)
				drained <- err
			}()
			if _, err := io.ReadFull(far, buffer[:n]); err != nil {
				t.Fatal(err)
			}
			if err := <-drained; err != nil {
				t.Fatal(err)
			}
			got = append(got, buffer[:n]...)
		}
		if err == io.EOF {
			return got, piped
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tcp are both ends of a connection.
func tcp(t *testing.T) (near, far *net.TCPConn) {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if near, err = net.DialTCP("tcp", nil, l.Addr().(*net.TCPAddr)); err != nil {
		t.Fatal(err)
	}
	if far, err = l.AcceptTCP(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far
}
