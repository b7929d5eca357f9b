package shareapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/domain/domaintest"
	"pasteport/domain/storage"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// drivers is a driver of memory buckets that name local files, so that the
// server signs for them.
type drivers struct{ bucket *portstest.Bucket }

func (d drivers) Driver(string) (objstore.Driver, error) {
	about := objstore.Info{Name: "local", Features: objstore.Features{LocalLinks: true, Multipart: true, Range: true}}
	return portstest.Driver{About: about, New: func(objstore.Config) (objstore.Bucket, error) { return d.bucket, nil }}, nil
}

// blobPrefix is where signed links lie.
const blobPrefix = "/api/blob/"

// blobSite is the edge over signed links to a bucket in memory.
type blobSite struct {
	*enginetest.Frame
	bucket *portstest.Bucket
	signer objstore.Bucket
}

func newBlobSite(t *testing.T) *blobSite {
	t.Helper()
	f := enginetest.New(t, nil)
	db := domaintest.NewMemory(f.Clock)
	if err := db.StorageConfigs().Insert(t.Context(), &storage.Config{ID: "c1", Name: "Local disk", Driver: "local", StorageType: "LOCAL"}); err != nil {
		t.Fatal(err)
	}
	s := &blobSite{Frame: f, bucket: portstest.NewBucket()}
	opener := storage.NewOpener(db.StorageConfigs(), drivers{s.bucket}, portstest.Sealer{}, portstest.MAC{}, f.Clock)
	blobOps(f.API, storage.NewBlobs(opener, func() int64 { return 1 << 20 }, nil, nil))
	signer, err := opener.Bucket(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	s.signer = signer
	return s
}

func (s *blobSite) sign(r objstore.SignRequest) string {
	s.T.Helper()
	r.TTL = time.Hour
	signed, err := s.signer.Sign(context.Background(), r)
	if err != nil {
		s.T.Fatal(err)
	}
	if !strings.HasPrefix(signed.URL, blobPrefix) {
		s.T.Fatalf("the link is %q", signed.URL)
	}
	return signed.URL
}

func (s *blobSite) send(method, target, body string, headers ...string) edgetest.Answer {
	s.T.Helper()
	u, err := url.ParseRequestURI(target)
	if err != nil {
		s.T.Fatal(err)
	}
	r := &http.Request{Method: method, URL: u, RequestURI: target, Header: http.Header{}, Host: "h", RemoteAddr: "203.0.113.7:1",
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.Do(r)
}

func TestSignedLinksStoreAndGiveObjects(t *testing.T) {
	s := newBlobSite(t)
	put := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "up/报告 1.txt", ContentType: "text/plain"})
	a := s.send("PUT", put, "hello", "Content-Type", "text/html", "Origin", "https://o.example")
	if a.Result().StatusCode != 200 || a.Header().Get("Etag") == "" || a.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.Header().Get("Access-Control-Expose-Headers"), "ETag") {
		t.Fatalf("PUT: %d %s %v", a.Result().StatusCode, a.Body, a.Header())
	}
	if got := string(s.bucket.Bytes("up/报告 1.txt")); got != "hello" {
		t.Errorf("stored %q", got)
	}
	get := s.sign(objstore.SignRequest{Verb: objstore.VerbGet, Key: "up/报告 1.txt", Disposition: content.Disposition(true, "Bericht ü.txt"), ContentType: "text/plain"})
	b := s.send("GET", get, "")
	if b.Result().StatusCode != 200 || b.Body.String() != "hello" || b.Header().Get("Etag") != a.Header().Get("Etag") {
		t.Errorf("GET: %d %q %v", b.Result().StatusCode, b.Body, b.Header())
	}
	if got := b.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "inline; ") || !strings.Contains(got, "filename*=UTF-8''Bericht%20%C3%BC.txt") {
		t.Errorf("name: %q", got)
	}
	if b := s.send("GET", get, "", "Range", "bytes=1-2"); b.Result().StatusCode != 206 || b.Body.String() != "el" {
		t.Errorf("range: %d %q", b.Result().StatusCode, b.Body)
	}
	if b := s.send("HEAD", get, ""); b.Result().StatusCode != 200 || b.Header().Get("Content-Length") != "5" || b.Body.Len() != 0 {
		t.Errorf("HEAD: %d %v", b.Result().StatusCode, b.Header())
	}
	if b := s.send("GET", get, "", "If-None-Match", a.Header().Get("Etag")); b.Result().StatusCode != 304 {
		t.Errorf("known: %d", b.Result().StatusCode)
	}
	save := s.sign(objstore.SignRequest{Verb: objstore.VerbGet, Key: "up/报告 1.txt", Disposition: content.Disposition(false, "x.txt")})
	if b := s.send("GET", save, ""); !strings.HasPrefix(b.Header().Get("Content-Disposition"), "attachment; ") {
		t.Errorf("download: %q", b.Header().Get("Content-Disposition"))
	}
}

func TestSignedLinksAllowNothingElse(t *testing.T) {
	s := newBlobSite(t)
	s.bucket.Put("a.txt", "hello")
	get := s.sign(objstore.SignRequest{Verb: objstore.VerbGet, Key: "a.txt"})
	put := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "b.txt", Size: 5})
	open := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "c.txt"})
	token, _, _ := strings.Cut(strings.TrimPrefix(get, blobPrefix), "/")
	forged := blobPrefix + strings.Repeat("A", 20) + token[20:] + "/a.txt"
	missing := s.sign(objstore.SignRequest{Verb: objstore.VerbGet, Key: "missing.txt"})
	for _, c := range []struct {
		name, method, target, body string
		status                     int
	}{
		{"a PUT by a GET link", "PUT", get, "evil!", 403},
		{"a GET by a PUT link", "GET", put, "", 403},
		{"another length", "PUT", put, "hello world", 403},
		{"a forged token", "GET", forged, "", 403},
		{"no token", "GET", blobPrefix + "x/a.txt", "", 403},
		{"over the upload limit", "PUT", open, strings.Repeat("x", 1<<20+1), 413},
		{"a missing object", "GET", missing, "", 404},
		{"DELETE", "DELETE", get, "", 404},
		{"a bad part number", "PUT", open + "?partNumber=x", "a", 400},
	} {
		a := s.send(c.method, c.target, c.body)
		if a.Result().StatusCode != c.status || a.Error == "" {
			t.Errorf("%s: %d %s", c.name, a.Result().StatusCode, a.Body)
		}
	}
	if keys := s.bucket.Keys(); len(keys) != 1 {
		t.Errorf("stored: %v", keys)
	}
	s.Clock.Add(time.Hour)
	if a := s.send("GET", get, ""); a.Result().StatusCode != 403 {
		t.Errorf("after its end: %d", a.Result().StatusCode)
	}
}

func TestSignedLinksTakeParts(t *testing.T) {
	s := newBlobSite(t)
	id, err := s.signer.Multipart().Create(t.Context(), "big.bin", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	link := s.sign(objstore.SignRequest{Verb: objstore.VerbPart, Key: "big.bin", UploadID: id, PartNumber: 1})
	front, _, _ := strings.Cut(link, "?")
	for part, want := range map[string]int{"1": 200, "2": 403, "0": 400, "10001": 400} {
		a := s.send("PUT", fmt.Sprintf("%s?partNumber=%s", front, part), strings.Repeat(part, 10))
		if a.Result().StatusCode != want || (want == 200) != (a.Header().Get("Etag") != "") {
			t.Errorf("part %s: %d %s", part, a.Result().StatusCode, a.Body)
		}
	}
}

func TestSignedLinksDoNotOverwriteWhenAskedNotTo(t *testing.T) {
	s := newBlobSite(t)
	put := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "a.txt"})
	s.bucket.Put("a.txt", "first")
	if a := s.send("PUT", put, "second", "If-None-Match", "*"); a.Result().StatusCode != 412 || string(s.bucket.Bytes("a.txt")) != "first" {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
}

func TestAPartOfAFileDoesNotReplaceIt(t *testing.T) {
	s := newBlobSite(t)
	put := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "a.txt"})
	s.bucket.Put("a.txt", "first")
	if a := s.send("PUT", put, "st", "Content-Range", "bytes 3-4/5"); a.Result().StatusCode != 400 || string(s.bucket.Bytes("a.txt")) != "first" {
		t.Errorf("%d %s", a.Result().StatusCode, a.Body)
	}
}

func TestACutUploadByLinkStoresNothing(t *testing.T) {
	s := newBlobSite(t)
	put := s.sign(objstore.SignRequest{Verb: objstore.VerbPut, Key: "a.txt", Size: 10})
	u, _ := url.ParseRequestURI(put)
	a := s.Do(&http.Request{Method: "PUT", URL: u, RequestURI: put, Header: http.Header{}, Host: "h", RemoteAddr: "203.0.113.7:1",
		Body: &edgetest.CutBody{Data: "abc"}, ContentLength: 10})
	if a.Result().StatusCode != 400 || len(s.bucket.Keys()) != 0 {
		t.Errorf("%d %s, stored %v", a.Result().StatusCode, a.Body, s.bucket.Keys())
	}
}
