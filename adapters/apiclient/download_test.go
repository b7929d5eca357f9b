package apiclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// memory is a file in memory.
type memory struct{ data []byte }

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.data).ReadAt(p, at)
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	m.data = append(m.data[:at:at], p...)
	return len(p), nil
}

func (m *memory) Truncate(size int64) error {
	m.data = m.data[:size]
	return nil
}

func noise(size int) []byte {
	data := make([]byte, size)
	random := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// shelf serves one content and cuts each answer after so many bytes.
type shelf struct {
	content []byte
	etag    string
	cut     int // bytes of an answer; 0: all
	sent    int // bytes of all answers
	opened  int
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.opened++
	w.Header().Set("ETag", s.etag)
	w.Header().Set("Content-Type", "application/octet-stream")
	counted := &counting{ResponseWriter: w, shelf: s}
	http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(s.content))
}

type counting struct {
	http.ResponseWriter
	shelf *shelf
	sent  int
}

func (c *counting) Write(p []byte) (int, error) {
	if limit := c.shelf.cut; limit > 0 && c.sent+len(p) > limit {
		n, _ := c.ResponseWriter.Write(p[:limit-c.sent])
		c.shelf.sent += n
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(p)
	c.sent, c.shelf.sent = c.sent+n, c.shelf.sent+n
	return n, err
}

func (s *shelf) source(t *testing.T) Source {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(server.URL, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	return c.OpenShared("a", "t")
}

func nothing(string) error { return nil }

func TestADownloadGoesOnWhereItWasCut(t *testing.T) {
	s := &shelf{content: noise(1 << 20), etag: `"1"`, cut: 400 << 10}
	for name, to := range map[string]Kept{"a file": &memory{}, "a pipe": Pipe(new(bytes.Buffer))} {
		s.sent, s.opened = 0, 0
		last := int64(0)
		run := Fetch{Source: s.source(t), To: to, Began: nothing, Moved: func(have, size int64) {
			if have < last || size != 1<<20 {
				t.Errorf("%s: %d of %d bytes, after %d", name, have, size, last)
			}
			last = have
		}}
		if err := run.Run(t.Context()); err != nil || last != 1<<20 {
			t.Fatalf("%s: %d bytes, %v", name, last, err)
		}
		var got []byte
		switch to := to.(type) {
		case *memory:
			got = to.data
		case *pipe:
			got = to.to.(*bytes.Buffer).Bytes()
		}
		if !bytes.Equal(got, s.content) {
			t.Errorf("%s: %d bytes that are others", name, len(got))
		}
		if again := s.sent - len(s.content); s.opened < 3 || again > (s.opened-1)*fetchOverlap {
			t.Errorf("%s: opened %d times, %d bytes came twice", name, s.opened, again)
		}
	}
}

func TestADownloadBeginsAnewUnlessItIsTheSame(t *testing.T) {
	content := noise(300 << 10)
	half := int64(150 << 10)
	torn := append(bytes.Clone(content[:half-10]), make([]byte, 10)...)
	for name, c := range map[string]struct {
		kept []byte
		etag string
		anew bool
	}{
		"the same":            {content[:half], `"1"`, false},
		"all but the end":     {content, `"1"`, false},
		"another version":     {content[:half], `"0"`, true},
		"bytes that are torn": {torn, `"1"`, true},
		"no version":          {content[:half], "", true},
	} {
		s, to, anew := &shelf{content: content, etag: `"1"`}, &memory{bytes.Clone(c.kept)}, false
		run := Fetch{Source: s.source(t), To: to, ETag: c.etag, Have: int64(len(c.kept)), Moved: func(int64, int64) {}, Began: func(etag string) error {
			anew = true
			if etag != `"1"` {
				t.Errorf("%s: told of %s", name, etag)
			}
			return nil
		}}
		if err := run.Run(t.Context()); err != nil || !bytes.Equal(to.data, content) || anew != c.anew {
			t.Errorf("%s: %d bytes, anew %v, %v", name, len(to.data), anew, err)
		}
	}
}

func TestADownloadEndsWhereTryingAgainWouldNotHelp(t *testing.T) {
	weak := &shelf{content: noise(300 << 10), etag: `W/"1"`, cut: 100 << 10}
	run := Fetch{Source: weak.source(t), To: &memory{}, Began: nothing, Moved: func(int64, int64) {}}
	if err := run.Run(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) || weak.opened != 1 {
		t.Errorf("without a strong ETag: %v, opened %d times", err, weak.opened)
	}
	changing := &shelf{content: noise(300 << 10), etag: `"1"`, cut: 100 << 10}
	source := changing.source(t)
	into := new(bytes.Buffer)
	run = Fetch{Source: func(ctx context.Context, from int64, etag string) (Content, error) {
		defer func() { changing.etag = `"2"` }()
		return source(ctx, from, etag)
	}, To: Pipe(into), Began: nothing, Moved: func(int64, int64) {}}
	if err := run.Run(t.Context()); !errors.Is(err, errOther) || into.Len() != 100<<10 {
		t.Errorf("a pipe whose content changes: %v, %d bytes", err, into.Len())
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	}))
	t.Cleanup(refusing.Close)
	c, err := New(refusing.URL, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	run = Fetch{Source: c.OpenFile("/a"), To: &memory{}, ETag: `"1"`, Have: 5, Began: nothing, Moved: func(int64, int64) {}}
	if err := run.Run(t.Context()); StatusOf(err) != 416 {
		t.Errorf("a visit that has ended: %v", err)
	}
}

// The server may send a download on to the storage, which must learn neither the
// credential nor the password of the share.
func TestAStorageIsNotToldThePasswordOfAShare(t *testing.T) {
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if text := strings.Join(values, " "); strings.Contains(text, "secret") {
				t.Errorf("the storage is told %s: %s", name, text)
			}
		}
		_, _ = io.WriteString(w, "hello")
	}))
	t.Cleanup(storage.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(passwordHeader) != "secret" {
			t.Error("the server is not told the password")
		}
		http.Redirect(w, r, storage.URL, http.StatusFound)
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "ApiKey secret", "test")
	if err != nil {
		t.Fatal(err)
	}
	content, err := c.OpenText("a", "secret")(t.Context(), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	if got, err := io.ReadAll(content); err != nil || string(got) != "hello" {
		t.Errorf("%q %v", got, err)
	}
}

func TestAChecksumProvesWhatHasCome(t *testing.T) {
	sum := &Checksum{"sha256-128", "2cf24dba5fb0a30e26e83b2ac5b9e29e"}
	if err := sum.Prove(strings.NewReader("hello")); err != nil {
		t.Error(err)
	}
	if err := sum.Prove(strings.NewReader("hallo")); !errors.Is(err, ErrSpoilt) {
		t.Error(err)
	}
	for _, mute := range []*Checksum{nil, {"md5", "0"}} {
		if err := mute.Prove(strings.NewReader("hello")); err != nil {
			t.Error(err)
		}
	}
}
