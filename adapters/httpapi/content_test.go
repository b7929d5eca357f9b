package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/content"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// served is content in memory, behind an operation.
type served struct {
	content.Content
	data   []byte
	opened []objstore.Range
	fail   error
}

func (s *served) open(_ context.Context, r objstore.Range) (*objstore.Body, error) {
	s.opened = append(s.opened, r)
	if s.fail != nil {
		return nil, s.fail
	}
	data := s.data
	if r.Length > 0 {
		data = data[r.Offset : r.Offset+r.Length]
	}
	return &objstore.Body{ReadCloser: io.NopCloser(bytes.NewReader(data)), Offset: r.Offset, Length: int64(len(data))}, nil
}

var modified = time.Date(2026, 11, 20, 12, 0, 0, 500, time.UTC)

func serving(t *testing.T, s *served) *frame {
	t.Helper()
	f := newFrame(t, nil)
	if s.Open == nil {
		s.Open = s.open
	}
	if s.Size == 0 {
		s.Size = int64(len(s.data))
	}
	if s.ModTime.IsZero() {
		s.ModTime = modified
	}
	Stream(f.API, Op{Name: "file.view", Method: "GET", Path: "/api/file-view/{slug}", Public: true, Actions: []policy.Action{policy.ShareView}, Class: Streaming, Fail: FailText, Summary: "View."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error {
			return content.Serve(w, r, s.Content)
		})
	return f
}

func TestContract7_14_Ranges(t *testing.T) {
	data := []byte("0123456789")
	for _, c := range []struct {
		name, header string
		status       int
		body, cr     string
	}{
		{"none", "", 200, "0123456789", ""},
		{"the first bytes", "bytes=0-3", 206, "0123", "bytes 0-3/10"},
		{"one byte", "bytes=9-9", 206, "9", "bytes 9-9/10"},
		{"from the middle", "bytes=4-", 206, "456789", "bytes 4-9/10"},
		{"past the end", "bytes=8-99", 206, "89", "bytes 8-9/10"},
		{"a huge end", "bytes=0-99999999999999999999999", 206, "0123456789", "bytes 0-9/10"},
		{"the last bytes", "bytes=-3", 206, "789", "bytes 7-9/10"},
		{"more than all", "bytes=-99", 206, "0123456789", "bytes 0-9/10"},
		{"with blanks", "bytes= 1 - 2 ", 206, "12", "bytes 1-2/10"},
		{"starting at the end", "bytes=10-", 416, "", "bytes */10"},
		{"the last zero", "bytes=-0", 416, "", "bytes */10"},
		{"two", "bytes=0-1,3-4", 200, "0123456789", ""},
		{"two of which one fits", "bytes=0-1,99-", 206, "01", "bytes 0-1/10"},
		{"nine", "bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6,7-7,8-8", 416, "", "bytes */10"},
		{"another unit", "lines=0-1", 200, "0123456789", ""},
		{"backwards", "bytes=5-2", 200, "0123456789", ""},
		{"a sign", "bytes=+1-2", 200, "0123456789", ""},
		{"nonsense", "bytes=x-y", 200, "0123456789", ""},
		{"empty", "bytes=", 200, "0123456789", ""},
	} {
		s := &served{data: data, Content: content.Content{Type: "text/plain", ETag: "e1"}}
		f := serving(t, s)
		a := f.Call("GET", "/api/file-view/x", "", "Range", c.header)
		if a.Result().StatusCode != c.status || a.Header().Get("Content-Range") != c.cr {
			t.Errorf("%s: %d %q", c.name, a.Result().StatusCode, a.Header().Get("Content-Range"))
		}
		if c.status < 300 && (a.Body.String() != c.body || a.Header().Get("Content-Length") != fmt.Sprint(len(c.body)) || a.Header().Get("Accept-Ranges") != "bytes") {
			t.Errorf("%s: body %q %v", c.name, a.Body, a.Header())
		}
		if c.status == 416 && len(s.opened) != 0 {
			t.Errorf("%s: the content was opened", c.name)
		}
		if c.status < 300 && (len(s.opened) != 1 || s.opened[0].IfMatch != "e1") {
			t.Errorf("%s: opened %v", c.name, s.opened)
		}
	}
}

func TestContract7_14_EmptyFilesIgnoreRanges(t *testing.T) {
	f := serving(t, &served{Content: content.Content{Type: "text/plain"}})
	if a := f.Call("GET", "/api/file-view/x", "", "Range", "bytes=0-"); a.Result().StatusCode != 200 || a.Header().Get("Content-Length") != "0" {
		t.Errorf("%d %v", a.Result().StatusCode, a.Header())
	}
}

func TestContract7_14_ConditionalRequests(t *testing.T) {
	const date, later, earlier = "Fri, 20 Nov 2026 12:00:00 GMT", "Fri, 20 Nov 2026 12:00:01 GMT", "Fri, 20 Nov 2026 11:59:59 GMT"
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"the same tag", []string{"If-None-Match", `"e1"`}, 304},
		{"weak", []string{"If-None-Match", `W/"e1"`}, 304},
		{"in a list", []string{"If-None-Match", `"x", "e1"`}, 304},
		{"any", []string{"If-None-Match", `*`}, 304},
		{"another tag", []string{"If-None-Match", `"e2"`}, 200},
		{"another tag wins over the date", []string{"If-None-Match", `"e2"`, "If-Modified-Since", later}, 200},
		{"not modified", []string{"If-Modified-Since", date}, 304},
		{"modified", []string{"If-Modified-Since", earlier}, 200},
		{"a bad date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"must match and does", []string{"If-Match", `"e1"`}, 200},
		{"must match and does not", []string{"If-Match", `"e2"`}, 412},
		{"a weak match is none", []string{"If-Match", `W/"e1"`}, 412},
		{"if-range fits", []string{"If-Range", `"e1"`, "Range", "bytes=1-1"}, 206},
		{"if-range by date", []string{"If-Range", date, "Range", "bytes=1-1"}, 206},
		{"if-range is over", []string{"If-Range", `"e2"`, "Range", "bytes=1-1"}, 200},
		{"if-range by another date", []string{"If-Range", earlier, "Range", "bytes=1-1"}, 200},
		{"if-range weak", []string{"If-Range", `W/"e1"`, "Range", "bytes=1-1"}, 200},
	} {
		s := &served{data: []byte("0123456789"), Content: content.Content{Type: "text/plain", ETag: "e1"}}
		f := serving(t, s)
		a := f.Call("GET", "/api/file-view/x", "", c.headers...)
		if a.Result().StatusCode != c.status {
			t.Errorf("%s: %d", c.name, a.Result().StatusCode)
		}
		if c.status == 304 && (a.Body.Len() != 0 || a.Header().Get("Etag") != `"e1"` || a.Header().Get("Content-Length") != "" || len(s.opened) != 0) {
			t.Errorf("%s: %v, opened %v", c.name, a.Header(), s.opened)
		}
	}
}

func TestContract7_14_HeadOpensNothing(t *testing.T) {
	s := &served{data: []byte("0123456789"), Content: content.Content{Name: "a.txt", Type: "text/plain", ETag: "e1"}}
	f := serving(t, s)
	a := f.Call("HEAD", "/api/file-view/x", "")
	if a.Result().StatusCode != 200 || a.Header().Get("Content-Length") != "10" || a.Body.Len() != 0 || len(s.opened) != 0 {
		t.Errorf("%d %v, opened %v", a.Result().StatusCode, a.Header(), s.opened)
	}
	if a := f.Call("HEAD", "/api/file-view/x", "", "Range", "bytes=2-3"); a.Result().StatusCode != 206 || a.Header().Get("Content-Length") != "2" {
		t.Errorf("with a range: %d %v", a.Result().StatusCode, a.Header())
	}
}

// The matrix of security rules C1 to C3: what a browser may show, and that
// whatever it gets stays inert.
func TestUserContentStaysInert(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n0000"
	for _, c := range []struct {
		name, typ, data string
		wantType        string
		inline          bool
	}{
		{"a.png", "image/png", png, "image/png", true},
		{"a.png", "IMAGE/PNG; charset=x", png, "image/png", true},
		{"a.pdf", "application/pdf", "%PDF-1.7", "application/pdf", true},
		{"a.mp4", "video/mp4", "\x00\x00\x00\x18ftypmp42", "video/mp4", true},
		{"a.mp3", "audio/mpeg", "\xff\xfb\x90\x00\x00\x00", "audio/mpeg", true},
		{"a.ogg", "audio/ogg", "OggS\x00", "audio/ogg", true},
		{"a.txt", "text/plain", "<script>alert(1)</script>", "text/plain; charset=utf-8", true},
		{"a.md", "text/markdown", "# x", "text/plain; charset=utf-8", true},
		{"a.csv", "text/csv", "a,b", "text/plain; charset=utf-8", true},
		{"a.json", "application/json", "{}", "text/plain; charset=utf-8", true},
		{"a.html", "text/html", "<script>", "text/html; charset=utf-8", false},
		{"a.svg", "image/svg+xml", "<svg onload=alert(1)>", "image/svg+xml", false},
		{"a.xml", "text/xml", "<x/>", "text/xml; charset=utf-8", false},
		{"a.xhtml", "application/xhtml+xml", "<x/>", "application/xhtml+xml", false},
		{"a.js", "text/javascript", "alert(1)", "text/plain; charset=utf-8", false},
		{"a.zip", "application/zip", "PK", "application/zip", false},
		{"a", "", "x", content.Octets, false},
		{"a", "nonsense", "x", content.Octets, false},
		{"a", "text/html\r\nSet-Cookie: x", "x", content.Octets, false},
		{"page as picture", "image/png", "<!DOCTYPE html><script>alert(1)</script>", content.Octets, false},
		{"page as film", "video/mp4", "<html><body>", content.Octets, false},
		{"page as PDF", "application/pdf", "<html>%PDF-1.7", content.Octets, false},
		{"PDF as picture", "image/jpeg", "%PDF-1.7", content.Octets, false},
		{"archive as picture", "image/gif", "PK\x03\x04", content.Octets, false},
		{"picture of another kind", "image/jpeg", png, "image/jpeg", true},
	} {
		s := &served{data: []byte(c.data), Content: content.Content{Name: c.name, Type: c.typ}}
		a := serving(t, s).Call("GET", "/api/file-view/x", "")
		h := a.Header()
		if h.Get("Content-Type") != c.wantType || strings.HasPrefix(h.Get("Content-Disposition"), "inline") != c.inline {
			t.Errorf("%s (%q): %q %q", c.name, c.typ, h.Get("Content-Type"), h.Get("Content-Disposition"))
		}
		if a.Body.String() != c.data {
			t.Errorf("%s: the bytes changed: %q", c.name, a.Body)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %v", c.name, h)
		}
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "; sandbox;") || strings.Contains(csp, "allow-") {
			t.Errorf("%s: CSP %q", c.name, csp)
		}
		if h.Get("Set-Cookie") != "" {
			t.Errorf("%s: a header came in with the type", c.name)
		}
	}
}

func TestDownloadsAreAlwaysSaved(t *testing.T) {
	s := &served{data: []byte("\x89PNG\r\n\x1a\n"), Content: content.Content{Name: "a.png", Type: "image/png", Attachment: true, SignedIn: true, CacheControl: "private, max-age=60"}}
	h := serving(t, s).Call("GET", "/api/file-view/x", "").Header()
	if !strings.HasPrefix(h.Get("Content-Disposition"), "attachment;") || h.Get("Cross-Origin-Resource-Policy") != "same-origin" || h.Get("Cache-Control") != "private, max-age=60" {
		t.Errorf("%v", h)
	}
}

// What is saved keeps its type: nothing renders it.
func TestContract7_14_DownloadsKeepTheirType(t *testing.T) {
	for stored, want := range map[string]string{
		"text/markdown": "text/markdown; charset=utf-8", "Text/CSV; charset=gbk": "text/csv; charset=utf-8", "application/json": "application/json",
		"text/html": "text/html; charset=utf-8", "image/png": "image/png", "": content.Octets, "nonsense": content.Octets, "text/x\r\nX: y": content.Octets,
	} {
		for _, c := range []content.Content{{Attachment: true}, {AsNamed: true}} {
			c.Name, c.Type = "a", stored
			s := &served{data: []byte("\x89PNG\r\n\x1a\n"), Content: c}
			if got := serving(t, s).Call("GET", "/api/file-view/x", "").Header().Get("Content-Type"); got != want {
				t.Errorf("%q, attachment %t: got %q, want %q", stored, c.Attachment, got, want)
			}
		}
	}
}

func TestContract7_14_NamesInHeaders(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt":      `attachment; filename="a.txt"; filename*=UTF-8''a.txt`,
		"报告 1.pdf":   `attachment; filename="%E6%8A%A5%E5%91%8A%201.pdf"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%201.pdf`,
		`a"b;c.txt`:  `attachment; filename="a%22b%3Bc.txt"; filename*=UTF-8''a%22b%3Bc.txt`,
		"a\r\nX: y":  `attachment; filename="a__X%3A%20y"; filename*=UTF-8''a__X%3A%20y`,
		"../../etc":  `attachment; filename=".._.._etc"; filename*=UTF-8''.._.._etc`,
		`c:\x`:       `attachment; filename="c%3A_x"; filename*=UTF-8''c%3A_x`,
		"a%20b":      `attachment; filename="a%2520b"; filename*=UTF-8''a%2520b`,
		"\xff\xfe.x": `attachment; filename="%EF%BF%BD.x"; filename*=UTF-8''%EF%BF%BD.x`,
		"":           `attachment`,
	} {
		if got := content.Disposition(false, name); got != want {
			t.Errorf("%q:\n got %s\nwant %s", name, got, want)
		}
	}
}

func FuzzDisposition(f *testing.F) {
	for _, seed := range []string{"a.txt", "报告.pdf", "a\"b\r\nX: y", "\\", "%", "\x00\x7f", "'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := content.Disposition(true, name)
		for _, b := range []byte(got) {
			if b < ' ' || b >= 0x7f {
				t.Fatalf("%q holds the byte %#x", got, b)
			}
		}
		kind, params, err := mime.ParseMediaType(got)
		if err != nil || kind != "inline" {
			t.Fatalf("%q: %v", got, err)
		}
		if strings.ContainsAny(params["filename"], "/\\\r\n\x00") {
			t.Fatalf("%q reads as %q", got, params["filename"])
		}
	})
}

func TestStorageErrorsBeforeTheBodyAreAnswers(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{&ports.Error{Code: ports.NotFound, Key: "not_found"}, 404},
		{&ports.Error{Code: ports.Gone, Key: "used_up"}, 410},
		{&ports.Error{Code: ports.Unavailable}, 503},
		{&ports.Error{Code: ports.BadGateway}, 502},
	} {
		s := &served{data: []byte("0123456789"), fail: c.err, Content: content.Content{Name: "a.png", Type: "image/png", ETag: "e"}}
		a := serving(t, s).Call("GET", "/api/file-view/x", "", "Range", "bytes=1-2")
		h := a.Header()
		if a.Result().StatusCode != c.status || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Content-Range") != "" || h.Get("Content-Disposition") != "" || h.Get("Etag") != "" {
			t.Errorf("%v: %d %v", c.err, a.Result().StatusCode, h)
		}
	}
}

func TestAShortBodyEndsTheConnection(t *testing.T) {
	s := &served{data: bytes.Repeat([]byte("x"), 100_000), Content: content.Content{Type: "application/zip"}}
	s.Content.Open = func(context.Context, objstore.Range) (*objstore.Body, error) {
		return &objstore.Body{ReadCloser: io.NopCloser(bytes.NewReader(s.data[:50_000])), Length: 100_000}, nil
	}
	server := httptest.NewServer(serving(t, s))
	defer server.Close()
	answer, err := http.Get(server.URL + "/api/file-view/x")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got, err := io.ReadAll(answer.Body); err == nil {
		t.Errorf("%d bytes were taken for the whole", len(got))
	}
}

func TestAStorageThatChangedItsMindIs502(t *testing.T) {
	s := &served{data: []byte("0123456789"), Content: content.Content{Type: "text/plain", Size: 12}}
	if a := serving(t, s).Call("GET", "/api/file-view/x", ""); a.Result().StatusCode != 502 {
		t.Errorf("%d", a.Result().StatusCode)
	}
}

// A page of this server may load scripts, styles and workers from its own
// origin: nothing that was uploaded may have a type that a browser takes for one.
func TestUploadedCodeIsServedAsPlainText(t *testing.T) {
	types := []string{"application/wasm", "text/css", "Text/CSS; charset=utf-8", "text/xsl", "application/xslt+xml", "text/typescript", "text/vbscript"}
	for _, front := range []string{"application/", "text/"} {
		for _, name := range []string{"javascript", "ecmascript", "x-javascript", "x-ecmascript"} {
			types = append(types, front+name, strings.ToUpper(front+name)+";charset=utf-8")
		}
	}
	for _, version := range []string{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5"} {
		types = append(types, "text/javascript"+version)
	}
	types = append(types, "text/jscript", "text/livescript")
	for _, extension := range []string{"js", "mjs", "cjs", "css", "jsx", "wasm"} {
		types = append(types, filetype.ContentType("a."+extension))
	}
	for _, typ := range types {
		for name, c := range map[string]content.Content{"shown": {}, "saved": {Attachment: true}, "as named": {AsNamed: true}, "active": {Active: true}, "active and saved": {Active: true, Attachment: true}} {
			c.Name, c.Type, c.Size = "a", typ, 8
			c.Open = func(context.Context, objstore.Range) (*objstore.Body, error) {
				return &objstore.Body{ReadCloser: io.NopCloser(strings.NewReader("alert(1)")), Length: 8}, nil
			}
			w := httptest.NewRecorder()
			if err := content.Serve(w, httptest.NewRequest("GET", "/", nil), c); err != nil {
				t.Fatal(err)
			}
			got := w.Header().Get("Content-Type")
			if got != content.PlainText[0] && got != content.Octets || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Body.String() != "alert(1)" {
				t.Errorf("%s, %s: served as %q: %q", typ, name, got, w.Body)
			}
		}
	}
}
