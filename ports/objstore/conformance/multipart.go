package conformance

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// parts opens an upload with three parts, sent out of order and of unequal
// size unless the limits forbid it. It returns the parts in order and the
// whole content.
func (s *Suite) parts(t T, b objstore.Bucket, key string, send func(id string, number int, data []byte) objstore.Part) (string, []objstore.Part, []byte) {
	t.Helper()
	size := max(int(s.Want.Limits.MinPart), 1000)
	sizes := []int{size, size + 500, 77}
	if s.Want.Limits.EqualParts {
		sizes[1] = size
	}
	id, err := b.Multipart().Create(t.Context(), key, objstore.WriteOptions{Size: -1, ContentType: "text/plain"})
	if err != nil || id == "" {
		t.Fatalf("Create = %q, %v", id, err)
	}
	numbers := []int{1, 2, 7}
	parts := make([]objstore.Part, len(sizes))
	contents := make([][]byte, len(sizes))
	for _, i := range []int{2, 0, 1} {
		contents[i] = randomBytes(sizes[i])
		parts[i] = send(id, numbers[i], contents[i])
		if parts[i].Number != numbers[i] || parts[i].Size != int64(sizes[i]) || parts[i].ETag == "" {
			t.Fatalf("part %d = %+v", numbers[i], parts[i])
		}
	}
	return id, parts, slices.Concat(contents...)
}

func (s *Suite) direct(t T, b objstore.Bucket, key string) func(string, int, []byte) objstore.Part {
	return func(id string, number int, data []byte) objstore.Part {
		t.Helper()
		p, err := b.Multipart().WritePart(t.Context(), key, id, number, bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("WritePart(%d): %v", number, err)
		}
		return p
	}
}

// multiparts reports whether the bucket has uploads in parts, and checks that
// this is what its features say.
func (s *Suite) Multiparts(t T, b objstore.Bucket) bool {
	t.Helper()
	if got := b.Multipart() != nil; got != s.Want.Features.Multipart {
		t.Fatalf("Multipart() != nil is %t, the features say %t", got, s.Want.Features.Multipart)
	}
	return s.Want.Features.Multipart
}

func (s *Suite) multipart(t T) {
	b := s.Open(t)
	if !s.Multiparts(t, b) {
		return
	}
	key := "folder/big +file.bin"
	id, parts, content := s.parts(t, b, key, s.direct(t, b, key))
	if got := s.List(t, b, objstore.ListQuery{}); len(got) != 0 {
		t.Errorf("before Complete the listing has %q", got)
	}
	o, err := b.Multipart().Complete(t.Context(), key, id, parts)
	if err != nil || o.Key != key || o.Size != int64(len(content)) || o.ETag == "" {
		t.Fatalf("Complete = %+v, %v", o, err)
	}
	if got := s.read(t, b, key); got != string(content) {
		t.Errorf("Read = %d bytes, want the %d of the parts", len(got), len(content))
	}
	st, err := b.Stat(t.Context(), key)
	if err != nil || st.ETag != o.ETag || s.Want.Types && st.ContentType != "text/plain" {
		t.Errorf("Stat = %+v, %v; Complete gave %+v", st, err, o)
	}
	if uploads, err := b.Multipart().ListUploads(t.Context(), ""); err != nil || len(uploads) != 0 {
		t.Errorf("ListUploads after Complete = %+v, %v", uploads, err)
	}
	if again, err := b.Multipart().Complete(t.Context(), key, id, parts); err == nil && again.ETag != o.ETag {
		t.Errorf("Complete again = %+v", again)
	} else if err != nil && !ports.Is(err, ports.NotFound) {
		t.Errorf("Complete again: %v", err)
	}
}

func (s *Suite) multipartResume(t T) {
	b := s.Open(t)
	if !s.Multiparts(t, b) {
		return
	}
	key := "folder/resumed"
	id, parts, content := s.parts(t, b, key, s.direct(t, b, key))
	other, err := b.Multipart().Create(t.Context(), "elsewhere", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	uploads, err := b.Multipart().ListUploads(t.Context(), "folder/")
	if err != nil || len(uploads) != 1 || uploads[0].ID != id || uploads[0].Key != key || uploads[0].Initiated.IsZero() {
		t.Fatalf("ListUploads = %+v, %v", uploads, err)
	}
	got, err := b.Multipart().ListParts(t.Context(), key, id)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if at := got[i].ModTime; !at.IsZero() && at.Before(uploads[0].Initiated.Add(-time.Minute)) {
			t.Errorf("part %d was stored at %s, before its upload began", got[i].Number, at)
		}
		got[i].ModTime = time.Time{} // not all storages tell
	}
	if !slices.Equal(parts, got) {
		t.Errorf("ListParts gave %+v of %+v", got, parts)
	}
	// A part that is sent again replaces the first.
	replacement := append([]byte("again"), content[len(content)-77+5:]...)
	got[2] = s.direct(t, b, key)(id, 7, replacement)
	if _, err := b.Multipart().Complete(t.Context(), key, id, parts); !ports.Is(err, ports.Invalid) {
		t.Errorf("Complete with the old ETag gave %v, want Invalid", err)
	}
	if _, err := b.Multipart().Complete(t.Context(), key, id, got); err != nil {
		t.Fatal(err)
	}
	if want := string(content[:len(content)-77]) + string(replacement); s.read(t, b, key) != want {
		t.Error("the replaced part is not in the object")
	}
	if err := b.Multipart().Abort(t.Context(), "elsewhere", other); err != nil {
		t.Error(err)
	}
}

func (s *Suite) multipartRefusals(t T) {
	b := s.Open(t)
	if !s.Multiparts(t, b) {
		return
	}
	m := b.Multipart()
	s.write(t, b, "k", "old")
	id, parts, _ := s.parts(t, b, "k", s.direct(t, b, "k"))
	for _, number := range []int{0, -1, objstore.MaxPart + 1} {
		_, err := m.WritePart(t.Context(), "k", id, number, strings.NewReader("x"), 1)
		wantCode(t, "part "+strconv.Itoa(number), err, ports.Invalid)
	}
	if _, err := m.WritePart(t.Context(), "k", id, 9, strings.NewReader("abc"), 5); err == nil {
		t.Error("a short part was taken")
	}
	for _, unknown := range []string{"nosuch", "../../etc", "", strings.Repeat("0", 32)} {
		_, err := m.WritePart(t.Context(), "k", unknown, 1, strings.NewReader("x"), 1)
		wantCode(t, "a part of an unknown upload", err, ports.NotFound)
		_, err = m.ListParts(t.Context(), "k", unknown)
		wantCode(t, "the parts of an unknown upload", err, ports.NotFound)
		_, err = m.Complete(t.Context(), "k", unknown, parts)
		wantCode(t, "completing an unknown upload", err, ports.NotFound)
	}
	_, err := m.ListParts(t.Context(), "another", id)
	wantCode(t, "an upload under another key", err, ports.NotFound)
	for name, wrong := range map[string][]objstore.Part{
		"no parts":       {},
		"a missing part": {parts[0], {Number: 5, ETag: parts[0].ETag}},
		"wrong order":    {parts[1], parts[0]},
		"a part twice":   {parts[0], parts[0]},
		"a wrong ETag":   {{Number: 1, ETag: parts[1].ETag}},
	} {
		_, err := m.Complete(t.Context(), "k", id, wrong)
		wantCode(t, name, err, ports.Invalid)
	}
	if got := s.read(t, b, "k"); got != "old" {
		t.Errorf("Read = %d bytes", len(got))
	}
}

func (s *Suite) multipartAbort(t T) {
	b := s.Open(t)
	if !s.Multiparts(t, b) {
		return
	}
	m := b.Multipart()
	id, parts, _ := s.parts(t, b, "k", s.direct(t, b, "k"))
	for range 2 {
		if err := m.Abort(t.Context(), "k", id); err != nil {
			t.Fatalf("Abort: %v", err)
		}
	}
	_, err := m.Complete(t.Context(), "k", id, parts)
	wantCode(t, "Complete after Abort", err, ports.NotFound)
	_, err = b.Stat(t.Context(), "k")
	wantCode(t, "Stat after Abort", err, ports.NotFound)
}

func (s *Suite) sign(t T, b objstore.Bucket, r objstore.SignRequest) objstore.SignedRequest {
	t.Helper()
	if r.TTL == 0 {
		r.TTL = time.Minute
	}
	r.Audience = objstore.Browser
	signed, err := b.Sign(t.Context(), r)
	if err != nil {
		t.Fatalf("Sign(%+v): %v", r, err)
	}
	if signed.URL == "" || signed.Method == "" || signed.Expires.IsZero() {
		t.Fatalf("Sign(%+v) = %+v", r, signed)
	}
	return signed
}

func (s *Suite) signed(t T) {
	b := s.Open(t)
	if !s.Want.Signs {
		_, err := b.Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: time.Minute})
		wantCode(t, "Sign", err, ports.NotImplemented)
		return
	}
	key := "folder/中 文+%.txt"
	put := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbPut, Key: key, Size: 5})
	status, _, header := s.request(t, put.Method, put.URL, strings.NewReader("12345"), 5, put.Header)
	if status/100 != 2 || header.Get("ETag") == "" {
		t.Fatalf("PUT gave %d, ETag %q", status, header.Get("ETag"))
	}
	if got := s.read(t, b, key); got != "12345" {
		t.Errorf("Read = %q", got)
	}
	refused := func(what string, status int) {
		t.Helper()
		if status/100 != 4 {
			t.Errorf("%s gave %d", what, status)
		}
	}
	status, _, _ = s.request(t, http.MethodPut, put.URL, strings.NewReader("123456"), 6, put.Header)
	refused("a longer body than signed", status)
	status, _, _ = s.request(t, http.MethodPut, put.URL, strings.NewReader("123"), 3, put.Header)
	refused("a shorter body than signed", status)
	status, _, _ = s.request(t, http.MethodDelete, put.URL, nil, 0, nil)
	refused("DELETE on a link for PUT", status)
	status, _, _ = s.request(t, http.MethodGet, put.URL, nil, 0, nil)
	refused("GET on a link for PUT", status)

	get := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbGet, Key: key, ContentType: "text/plain; charset=utf-8", Disposition: `attachment; filename="x.txt"`})
	status, body, header := s.request(t, get.Method, get.URL, nil, 0, get.Header)
	if status != 200 || body != "12345" || header.Get("Content-Disposition") != `attachment; filename="x.txt"` ||
		header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("GET gave %d %q %v", status, body, header)
	}
	status, body, _ = s.request(t, get.Method, get.URL, nil, 0, http.Header{"Range": {"bytes=1-2"}})
	if status != 206 || body != "23" {
		t.Errorf("GET of a range gave %d %q", status, body)
	}
	status, _, _ = s.request(t, http.MethodPut, get.URL, strings.NewReader("x"), 1, nil)
	refused("PUT on a link for GET", status)
	if got := s.read(t, b, key); got != "12345" {
		t.Errorf("after the refusals Read = %q", got)
	}

	head := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbHead, Key: key})
	if status, _, header := s.request(t, http.MethodHead, head.URL, nil, 0, head.Header); status != 200 || header.Get("Content-Length") != "5" {
		t.Errorf("HEAD gave %d %v", status, header)
	}
	missing := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbGet, Key: "nothing"})
	if status, _, _ := s.request(t, http.MethodGet, missing.URL, nil, 0, missing.Header); status != 404 {
		t.Errorf("GET of a missing object gave %d", status)
	}

	short := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbGet, Key: key, TTL: time.Second})
	deadline := time.Now().Add(time.Minute)
	for status = 200; status == 200 && time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		status, _, _ = s.request(t, http.MethodGet, short.URL, nil, 0, short.Header)
	}
	if status != 403 {
		t.Errorf("an expired link gave %d, want 403", status)
	}
}

func (s *Suite) signedParts(t T) {
	if !s.Want.Signs || !s.Want.Features.Multipart {
		return
	}
	b := s.Open(t)
	key := "folder/parts.bin"
	id, parts, content := s.parts(t, b, key, func(id string, number int, data []byte) objstore.Part {
		put := s.sign(t, b, objstore.SignRequest{Verb: objstore.VerbPart, Key: key, UploadID: id, PartNumber: number})
		if !strings.Contains(put.URL, "partNumber="+strconv.Itoa(number)) {
			t.Errorf("the link of part %d does not name it", number)
		}
		status, _, header := s.request(t, put.Method, put.URL, io.Reader(bytes.NewReader(data)), int64(len(data)), put.Header)
		etag, err := strconv.Unquote(header.Get("ETag"))
		if status/100 != 2 || err != nil {
			t.Fatalf("PUT of part %d gave %d, ETag %q", number, status, header.Get("ETag"))
		}
		return objstore.Part{Number: number, ETag: etag, Size: int64(len(data))}
	})
	if _, err := b.Multipart().Complete(t.Context(), key, id, parts); err != nil {
		t.Fatal(err)
	}
	if got := s.read(t, b, key); got != string(content) {
		t.Errorf("Read = %d bytes, want %d", len(got), len(content))
	}
}
