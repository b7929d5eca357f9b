package apiclient

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLinksAreReadInAllTheirForms(t *testing.T) {
	for link, want := range map[string]struct {
		ref    Ref
		server string
	}{
		"https://paste.example/paste/abc":              {Ref{Text, "abc"}, "https://paste.example"},
		"https://paste.example/base/file/a-b?x=1":      {Ref{File, "a-b"}, "https://paste.example/base"},
		"http://127.0.0.1:8787/api/raw/abc":            {Ref{Text, "abc"}, "http://127.0.0.1:8787"},
		"https://paste.example/api/file-download/abc/": {Ref{File, "abc"}, "https://paste.example"},
		"abc":  {Ref{"", "abc"}, ""},
		"/abc": {Ref{"", "abc"}, ""},
	} {
		if ref, server := Parse(link); ref != want.ref || server != want.server {
			t.Errorf("%s: %v at %q", link, ref, server)
		}
	}
}

// What only looks is asked again when a connection ends before its answer has come.
// What takes a view or makes something is asked once.
func TestOnlyWhatLooksIsAskedAgainAfterACut(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if asked == 1 {
			panic(http.ErrAbortHandler) // no answer
		}
		answer := `{"success":true,"data":{"name":"a","parts":[]}}`
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		if asked == 2 {
			answer = answer[:9]
		}
		_, _ = io.WriteString(w, answer)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	c, err := New(server.URL, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]struct {
		call func() error
		want int
	}{
		"what is there":  {func() error { _, err := c.Stat(t.Context(), "/a"); return err }, 3},
		"parts":          {func() error { _, err := c.arrived(t.Context(), Begun{Path: "/a"}); return err }, 3},
		"a view":         {func() error { _, err := c.Visit(t.Context(), "a", "secret"); return err }, 1},
		"something made": {func() error { _, err := c.ShareText(t.Context(), "a", Options{}, time.Time{}); return err }, 1},
	} {
		asked = 0
		err := try.call()
		if (err == nil) != (try.want > 1) || asked != try.want {
			t.Errorf("%s: asked %d times, want %d; %v", name, asked, try.want, err)
		}
		if errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, which is the end of what is read", name, err)
		}
	}
}

func TestAnAddressThatCannotBeOneIsRefused(t *testing.T) {
	for _, address := range []string{"", "paste.example", "ftp://paste.example", "https://", "https://user@paste.example", "https://paste.example/?a=b", "https://paste.example/#a"} {
		if _, err := New(address, "", ""); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}

// Parts go to the storage itself, which must not learn the key.
func TestAStorageIsNotToldTheCredential(t *testing.T) {
	var got []byte
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if name == "Authorization" || name == "X-Custom-Auth-Key" {
				t.Errorf("the storage is told %s", name)
			}
		}
		got, _ = io.ReadAll(r.Body)
	}))
	t.Cleanup(storage.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "ApiKey k" {
			t.Errorf("%s comes without the key", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		answers := map[string]string{"list-parts": `{"parts":[]}`, "refresh-urls": `{"presigned_urls":[{"partNumber":1,"url":"` + storage.URL + `/part"}]}`, "complete": `{"slug":"a","url":"u"}`}
		_, _ = io.WriteString(w, `{"success":true,"message":"","data":`+answers[r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]+`}`)
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "ApiKey k", "test")
	if err != nil {
		t.Fatal(err)
	}
	moved := int64(0)
	made, err := c.Send(t.Context(), Begun{FileID: "f", UploadID: "u", PartSize: 8, Size: 5}, bytes.NewReader([]byte("hello")), func(n int64) { moved += n })
	if err != nil || made.Slug != "a" || moved != 5 || string(got) != "hello" {
		t.Errorf("%+v, %v; %d bytes moved, the storage has %q", made, err, moved, got)
	}
}

func TestRefusalsKeepCodeMessageAndVersion(t *testing.T) {
	for name, c := range map[string]struct {
		media, body string
		want        Error
	}{
		"an envelope": {"application/json", `{"code":412,"message":"changed","error":"precondition_failed","data":{"etag":"\"2\""}}`, Error{412, "precondition_failed", "changed", `"2"`}},
		"a text":      {"text/plain; charset=utf-8", "not here\n", Error{412, "", "not here", ""}},
		"a page":      {"text/html", "<h1>nginx</h1>", Error{412, "", "the server answers 412 Precondition Failed", ""}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.media)
			w.WriteHeader(412)
			_, _ = io.WriteString(w, c.body)
		}))
		client, err := New(server.URL, "", "test")
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Version(t.Context())
		var got *Error
		if !errors.As(err, &got) || *got != c.want {
			t.Errorf("%s: %+v", name, err)
		}
		server.Close()
	}
	for message, want := range map[string]string{
		"不存在 (no such text)":                   "no such text",
		"已过期，最大查看次数 (all views are used up)":   "all views are used up",
		"内容过大 (too large): file size(3.00 MB)": "too large: file size(3.00 MB)",
		"不存在":            "不存在",
		"a (b) is there": "a (b) is there",
	} {
		if got := (&Error{Message: message}).Error(); got != want {
			t.Errorf("%s is told as %s", message, got)
		}
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<h1>hello</h1>") }))
	defer foreign.Close()
	client, err := New(foreign.URL, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Version(t.Context()); !errors.Is(err, ErrForeign) {
		t.Errorf("a foreign page: %v", err)
	}
}
