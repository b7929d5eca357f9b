// Package conformance is the meaning of "is a driver": one suite that every
// objstore.Bucket passes, whatever stands behind it. It needs no "go test":
// objstoretest runs it there, and "pasteport plugin test" on an installed driver.
package conformance

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Want says what the bucket under test states of itself. The suite checks that
// the statements are true, so a feature that is claimed and missing fails, and
// so does one that is denied and present.
type Want struct {
	Features objstore.Features
	Limits   objstore.Limits
	// Signs is true when Sign gives requests that HTTP can send.
	Signs bool
	// URL makes a signed URL absolute; nil when they are absolute.
	URL func(signed string) string
	// Types is true when the content type given to Write comes back.
	Types bool
	// Names is true when a file and a folder cannot share one name.
	Names bool
	// Segment is the longest segment of a key and MaxKey the longest key, in
	// bytes; 0 means no bound of a segment, and the longest key there can be.
	Segment, MaxKey int
	// Markers is true when folders that exist only through their files appear
	// as folder markers too.
	Markers bool
}

// Suite tests the buckets that Open gives: each call opens an empty one, which
// is closed with t.Cleanup.
type Suite struct {
	Open func(t T) objstore.Bucket
	Want Want
}

// Case is a promise of the contract.
type Case struct {
	Name string
	Test func(t T)
}

// Cases are all promises, in the order in which they are tested.
func (s *Suite) Cases() []Case {
	return []Case{
		{"keys of every alphabet come back", s.keys},
		{"bad keys are refused everywhere", s.badKeys},
		{"an empty object is an object", s.emptyObject},
		{"folder markers", s.markers},
		{"a missing object is not found", s.missing},
		{"writing replaces", s.replaces},
		{"a cut body leaves the old object", s.cutBody},
		{"a body of another length is refused", s.wrongLength},
		{"if-none-match", s.ifNoneMatch},
		{"ranges", s.ranges},
		{"if-match", s.ifMatch},
		{"a body keeps its version while another is written", s.stableBody},
		{"listing", s.listing},
		{"deleting", s.deleting},
		{"a thousand keys are deleted at once", s.deleteThousand},
		{"copying", s.copying},
		{"names", s.names},
		{"usage", s.usage},
		{"multipart", s.multipart},
		{"multipart can be resumed", s.multipartResume},
		{"multipart refusals", s.multipartRefusals},
		{"multipart can be aborted", s.multipartAbort},
		{"signed requests", s.signed},
		{"signed parts", s.signedParts},
		{"cancelled calls end", s.cancel},
		{"deadlines hold", s.deadline},
	}
}

// diff is what differs between two lists of names; "" when nothing does.
func diff(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("got %q, want %q", got, want)
}

// WithoutMarkers drops folder markers that want does not name.
func WithoutMarkers(got, want []string) []string {
	return slices.DeleteFunc(got, func(name string) bool {
		return strings.HasSuffix(name, "/") && !slices.Contains(want, name)
	})
}

// named lists what has the names of want, and all else that is no marker of a
// folder which exists only through its files.
func (s *Suite) named(t T, b objstore.Bucket, q objstore.ListQuery, want []string) []string {
	t.Helper()
	got := s.List(t, b, q)
	if s.Want.Markers {
		got = WithoutMarkers(got, want)
	}
	return got
}

func (s *Suite) keys(t T) {
	b := s.Open(t)
	keys := []string{
		"a", "a b", "a+b", "a%20b", "100%", "a#b", "a?b=c&d", "a;b", "a:b", `a"b'c`, "a<b>", "a*b", "a|b", "~a", "-a",
		"中文/文件.txt", "e\u0301.txt", "\u00e9.txt", "\U0001F600", "\u202etxt.exe",
		".hidden", "dir/.hidden", "..a", "a..", "...", "d/e/f/g/h.txt", " lead", "trail ", "A", "tab\tin", "line\nin", `back\slash`,
		longKey(s.Want.Segment, cmp.Or(s.Want.MaxKey, objstore.MaxKey)),
	}
	for _, key := range keys {
		o := s.write(t, b, key, "content of "+key)
		if o.Key != key || o.Size != int64(len("content of "+key)) || o.ETag == "" || strings.Contains(o.ETag, `"`) {
			t.Errorf("Write(%q) = %+v", key, o)
		}
	}
	for _, key := range keys {
		if got := s.read(t, b, key); got != "content of "+key {
			t.Errorf("Read(%q) = %q", key, got)
		}
		o, err := b.Stat(t.Context(), key)
		if err != nil || o.Key != key || o.ModTime.IsZero() || o.ModTime.Location() != time.UTC {
			t.Errorf("Stat(%q) = %+v, %v", key, o, err)
		}
	}
	sorted := append([]string(nil), keys...)
	slices.Sort(sorted)
	if d := diff(sorted, s.named(t, b, objstore.ListQuery{}, sorted)); d != "" {
		t.Errorf("List: %s", d)
	}
}

// longKey is a key of length bytes, in segments of at most segment bytes.
func longKey(segment, length int) string {
	if segment == 0 || length <= segment {
		return strings.Repeat("k", length)
	}
	var key strings.Builder
	for left := length; left > 0; left = length - key.Len() {
		n := min(left, segment)
		if left > segment && left-segment < 2 { // a "/" and one byte must follow
			n--
		}
		key.WriteString(strings.Repeat("k", n))
		if left > n {
			key.WriteByte('/')
		}
	}
	return key.String()
}

func (s *Suite) badKeys(t T) {
	b := s.Open(t)
	ctx := t.Context()
	s.write(t, b, "good", "x")
	for _, key := range []string{
		"", "/", "/a", "a//b", "a//", "..", ".", "../a", "a/..", "a/../b", "a/./b", "./a", "a\x00b", "a\xffb", strings.Repeat("a", objstore.MaxKey+1),
	} {
		calls := map[string]func() error{
			"Stat": func() error { _, err := b.Stat(ctx, key); return err },
			"Read": func() error { _, err := b.Read(ctx, key, objstore.Range{}); return err },
			"Write": func() error {
				_, err := b.Write(ctx, key, strings.NewReader("x"), objstore.WriteOptions{Size: 1})
				return err
			},
			"Copy to":   func() error { _, err := b.Copy(ctx, key, "good"); return err },
			"Copy from": func() error { _, err := b.Copy(ctx, "other", key); return err },
			"Delete": func() error {
				failed, err := b.Delete(ctx, key)
				return errors.Join(err, failed[key])
			},
		}
		if s.Want.Signs {
			calls["Sign"] = func() error {
				_, err := b.Sign(ctx, objstore.SignRequest{Verb: objstore.VerbGet, Key: key, TTL: time.Minute})
				return err
			}
		}
		if m := b.Multipart(); m != nil {
			calls["Create"] = func() error { _, err := m.Create(ctx, key, objstore.WriteOptions{Size: -1}); return err }
		}
		for name, call := range calls {
			if err := call(); !ports.Is(err, ports.Invalid) {
				t.Errorf("%s(%q) gave %v, want Invalid", name, key, err)
			}
		}
	}
}

func (s *Suite) emptyObject(t T) {
	b := s.Open(t)
	s.write(t, b, "empty", "")
	if got := s.read(t, b, "empty"); got != "" {
		t.Errorf("Read = %q", got)
	}
	if o, err := b.Stat(t.Context(), "empty"); err != nil || o.Size != 0 {
		t.Errorf("Stat = %+v, %v", o, err)
	}
	_, err := b.Read(t.Context(), "empty", objstore.Range{Offset: 1})
	wantCode(t, "Read past the end", err, ports.Range)
}

func (s *Suite) markers(t T) {
	b := s.Open(t)
	s.write(t, b, "folder/", "")
	if o, err := b.Stat(t.Context(), "folder/"); err != nil || o.Size != 0 || o.Key != "folder/" {
		t.Errorf("Stat(folder/) = %+v, %v", o, err)
	}
	s.write(t, b, "folder/file", "x")
	_, err := b.Stat(t.Context(), "folder")
	wantCode(t, "Stat of the folder without its slash", err, ports.NotFound)
	_, err = b.Stat(t.Context(), "folder/file/")
	wantCode(t, "Stat of a file as a folder", err, ports.NotFound)
	want := []string{"folder/", "folder/file"}
	if d := diff(want, s.List(t, b, objstore.ListQuery{Prefix: "folder/"})); d != "" {
		t.Errorf("List: %s", d)
	}
	s.delete(t, b, "folder/file")
	if d := diff([]string{"folder/"}, s.List(t, b, objstore.ListQuery{})); d != "" {
		t.Errorf("the marker outlives its file: %s", d)
	}
	s.delete(t, b, "folder/")
	if got := s.List(t, b, objstore.ListQuery{}); len(got) != 0 {
		t.Errorf("List after all = %q", got)
	}
}

func (s *Suite) missing(t T) {
	b := s.Open(t)
	s.write(t, b, "file", "x")
	for _, key := range []string{"nothing", "nothing/below", "file/below"} {
		_, err := b.Stat(t.Context(), key)
		wantCode(t, "Stat "+key, err, ports.NotFound)
		_, err = b.Read(t.Context(), key, objstore.Range{})
		wantCode(t, "Read "+key, err, ports.NotFound)
		_, err = b.Copy(t.Context(), "copy", key)
		wantCode(t, "Copy "+key, err, ports.NotFound)
	}
}

func (s *Suite) replaces(t T) {
	b := s.Open(t)
	first := s.write(t, b, "k", "one")
	second := s.write(t, b, "k", "three")
	if first.ETag == second.ETag {
		t.Errorf("both versions have ETag %q", first.ETag)
	}
	if got := s.read(t, b, "k"); got != "three" {
		t.Errorf("Read = %q", got)
	}
	o, err := b.Stat(t.Context(), "k")
	if err != nil || o.ETag != second.ETag || o.Size != 5 {
		t.Errorf("Stat = %+v, %v; Write gave %+v", o, err, second)
	}
	if s.Want.Types && o.ContentType != "text/plain" {
		t.Errorf("ContentType = %q", o.ContentType)
	}
	page, err := b.List(t.Context(), objstore.ListQuery{})
	if err != nil || len(page.Objects) != 1 {
		t.Fatalf("List = %+v, %v", page, err)
	}
	if l := page.Objects[0]; l.ETag != o.ETag || l.Size != o.Size || !l.ModTime.Truncate(time.Second).Equal(o.ModTime.Truncate(time.Second)) {
		t.Errorf("List gives %+v, Stat %+v", l, o)
	}
}

func (s *Suite) cutBody(t T) {
	b := s.Open(t)
	s.write(t, b, "k", "old")
	for _, size := range []int64{1 << 20, -1} {
		broken := io.MultiReader(bytes.NewReader(make([]byte, 600<<10)), &failingReader{errors.New("connection reset")})
		if _, err := b.Write(t.Context(), "k", broken, objstore.WriteOptions{Size: size}); err == nil {
			t.Errorf("Write of a cut body (size %d) succeeded", size)
		}
		if got := s.read(t, b, "k"); got != "old" {
			t.Errorf("after a cut body (size %d) Read = %d bytes", size, len(got))
		}
		broken = io.MultiReader(bytes.NewReader(make([]byte, 600<<10)), &failingReader{errors.New("connection reset")})
		if _, err := b.Write(t.Context(), "new", broken, objstore.WriteOptions{Size: size}); err == nil {
			t.Errorf("Write of a cut new body (size %d) succeeded", size)
		}
	}
	if d := diff([]string{"k"}, s.List(t, b, objstore.ListQuery{})); d != "" {
		t.Errorf("List: %s", d)
	}
}

func (s *Suite) wrongLength(t T) {
	b := s.Open(t)
	for _, size := range []int64{2, 4, 0, 1 << 20} {
		if _, err := b.Write(t.Context(), "k", strings.NewReader("abc"), objstore.WriteOptions{Size: size}); err == nil {
			t.Errorf("Write of 3 bytes announced as %d succeeded", size)
		}
	}
	_, err := b.Stat(t.Context(), "k")
	wantCode(t, "Stat", err, ports.NotFound)
}

func (s *Suite) ifNoneMatch(t T) {
	if !s.Want.Features.ConditionalWrite {
		return
	}
	b := s.Open(t)
	put := func(content string) error {
		_, err := b.Write(t.Context(), "d/k", strings.NewReader(content), objstore.WriteOptions{Size: -1, IfNoneMatch: true})
		return err
	}
	if err := put("one"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "second Write", put("two"), ports.Conflict)
	if got := s.read(t, b, "d/k"); got != "one" {
		t.Errorf("Read = %q", got)
	}
}

func (s *Suite) ranges(t T) {
	if !s.Want.Features.Range {
		return
	}
	b := s.Open(t)
	s.write(t, b, "k", "0123456789")
	for _, c := range []struct {
		name   string
		r      objstore.Range
		want   string
		offset int64
	}{
		{"all", objstore.Range{}, "0123456789", 0},
		{"from the middle", objstore.Range{Offset: 4}, "456789", 4},
		{"a part", objstore.Range{Offset: 2, Length: 3}, "234", 2},
		{"the first byte", objstore.Range{Length: 1}, "0", 0},
		{"the last byte", objstore.Range{Offset: 9}, "9", 9},
		{"longer than the rest", objstore.Range{Offset: 8, Length: 100}, "89", 8},
		{"the last three", objstore.Range{Offset: -3}, "789", 7},
		{"more last bytes than there are", objstore.Range{Offset: -100}, "0123456789", 0},
	} {
		body, err := b.Read(t.Context(), "k", c.r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := io.ReadAll(body)
		if err := errors.Join(err, body.Close()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if string(got) != c.want || body.Offset != c.offset || body.Length != int64(len(c.want)) || body.Object.Size != 10 {
			t.Errorf("%s: %q at %d, length %d of %d", c.name, got, body.Offset, body.Length, body.Object.Size)
		}
	}
	for _, r := range []objstore.Range{{Offset: 10}, {Offset: 11, Length: 1}, {Offset: 1 << 40}} {
		_, err := b.Read(t.Context(), "k", r)
		wantCode(t, fmt.Sprintf("Read %+v", r), err, ports.Range)
	}
}

func (s *Suite) ifMatch(t T) {
	b := s.Open(t)
	old := s.write(t, b, "k", "one")
	body, err := b.Read(t.Context(), "k", objstore.Range{IfMatch: old.ETag})
	if err != nil {
		t.Fatal(err)
	}
	body.Close()
	if body.Object.ETag != old.ETag {
		t.Errorf("body has ETag %q, Write gave %q", body.Object.ETag, old.ETag)
	}
	s.write(t, b, "k", "other")
	_, err = b.Read(t.Context(), "k", objstore.Range{IfMatch: old.ETag})
	wantCode(t, "Read of the version before", err, ports.Precondition)
}

func (s *Suite) stableBody(t T) {
	b := s.Open(t)
	old := strings.Repeat("old ", 1<<18)
	s.write(t, b, "k", old)
	body, err := b.Read(t.Context(), "k", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	head := make([]byte, 16)
	if _, err := io.ReadFull(body, head); err != nil {
		t.Fatal(err)
	}
	s.write(t, b, "k", strings.Repeat("NEW ", 1<<18))
	var rest bytes.Buffer
	if _, err := io.Copy(&rest, body); err == nil && string(head)+rest.String() != old {
		t.Error("a body mixed two versions")
	}
}

func (s *Suite) listing(t T) {
	b := s.Open(t)
	for _, k := range []string{"a/1", "a/2", "a-b", "a.b/x/y", "a0", "b", "中/文"} {
		s.write(t, b, k, k)
	}
	for _, c := range []struct {
		name string
		q    objstore.ListQuery
		want []string
	}{
		{"all", objstore.ListQuery{}, []string{"a-b", "a.b/x/y", "a/1", "a/2", "a0", "b", "中/文"}},
		{"folded", objstore.ListQuery{Delimiter: "/"}, []string{"a-b", "a.b/", "a/", "a0", "b", "中/"}},
		{"in a folder", objstore.ListQuery{Prefix: "a/", Delimiter: "/"}, []string{"a/1", "a/2"}},
		{"half a name", objstore.ListQuery{Prefix: "a", Delimiter: "/"}, []string{"a-b", "a.b/", "a/", "a0"}},
		{"half a folder's name, all", objstore.ListQuery{Prefix: "a.b/x"}, []string{"a.b/x/y"}},
		{"nothing there", objstore.ListQuery{Prefix: "zzz/", Delimiter: "/"}, nil},
		{"below a file", objstore.ListQuery{Prefix: "b/"}, nil},
	} {
		for _, limit := range []int{0, 1, 2, 3} {
			c.q.Limit = limit
			got := s.named(t, b, c.q, c.want)
			if d := diff(c.want, got); d != "" {
				t.Errorf("%s by %d: %s", c.name, limit, d)
			}
		}
	}
	for _, q := range []objstore.ListQuery{{Limit: -1}, {Limit: objstore.MaxList + 1}} {
		_, err := b.List(t.Context(), q)
		wantCode(t, fmt.Sprintf("List %+v", q), err, ports.Invalid)
	}
}

func (s *Suite) deleting(t T) {
	b := s.Open(t)
	s.write(t, b, "d/a", "x")
	s.write(t, b, "d/b", "x")
	failed, err := b.Delete(t.Context(), "d/a", "missing", "d/missing", "d/a/below")
	if err != nil || len(failed) != 0 {
		t.Errorf("Delete = %v, %v", failed, err)
	}
	if failed, err := b.Delete(t.Context()); err != nil || len(failed) != 0 {
		t.Errorf("Delete of nothing = %v, %v", failed, err)
	}
	failed, err = b.Delete(t.Context(), "../x", "d/b")
	if err != nil || !ports.Is(failed["../x"], ports.Invalid) || len(failed) != 1 {
		t.Errorf("Delete of a bad key = %v, %v", failed, err)
	}
	if got := s.named(t, b, objstore.ListQuery{}, nil); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

func (s *Suite) deleteThousand(t T) {
	b := s.Open(t)
	keys := make([]string, objstore.MaxList)
	for i := range keys {
		keys[i] = fmt.Sprintf("many/%04d", i)
		s.write(t, b, keys[i], "")
	}
	page, err := b.List(t.Context(), objstore.ListQuery{Prefix: "many/"})
	if err != nil || len(page.Objects) < objstore.MaxList {
		t.Fatalf("List = %d objects, %v", len(page.Objects), err)
	}
	failed, err := b.Delete(t.Context(), keys...)
	if err != nil || len(failed) != 0 {
		t.Fatalf("Delete = %d failures, %v", len(failed), err)
	}
	if got := s.List(t, b, objstore.ListQuery{Prefix: "many/0"}); len(got) != 0 {
		t.Errorf("%d left", len(got))
	}
}

func (s *Suite) copying(t T) {
	if !s.Want.Features.ServerCopy {
		return
	}
	b := s.Open(t)
	s.write(t, b, "from +%/a", "content")
	s.write(t, b, "to", "old")
	for _, dst := range []string{"to", "new/place/b"} {
		o, err := b.Copy(t.Context(), dst, "from +%/a")
		if err != nil || o.Key != dst || o.Size != 7 || o.ETag == "" {
			t.Errorf("Copy = %+v, %v", o, err)
		}
		if got := s.read(t, b, dst); got != "content" {
			t.Errorf("Read(%q) = %q", dst, got)
		}
		if st, err := b.Stat(t.Context(), dst); err != nil || st.ETag != o.ETag || s.Want.Types && st.ContentType != "text/plain" {
			t.Errorf("Stat = %+v, %v; Copy gave %+v", st, err, o)
		}
	}
	if got := s.read(t, b, "from +%/a"); got != "content" {
		t.Errorf("the source is now %q", got)
	}
}

func (s *Suite) names(t T) {
	b := s.Open(t)
	s.write(t, b, "file", "x")
	s.write(t, b, "folder/file", "x")
	tries := map[string]string{"below a file": "file/below", "over a folder": "folder", "a marker over a file": "file/"}
	for name, key := range tries {
		_, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{Size: 0})
		if s.Want.Names {
			wantCode(t, name, err, ports.Conflict)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.read(t, b, "file"); got != "x" {
		t.Errorf("the file is now %q", got)
	}
}

func (s *Suite) usage(t T) {
	b := s.Open(t)
	u, err := b.Usage(t.Context())
	if !s.Want.Features.Usage {
		wantCode(t, "Usage", err, ports.NotImplemented)
		return
	}
	if err != nil || u.Used < -1 || u.Free < -1 || u.Used == -1 && u.Free == -1 {
		t.Errorf("Usage = %+v, %v", u, err)
	}
}

func (s *Suite) cancel(t T) {
	b := s.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.write(t, b, "k", "old")
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := b.Write(ctx, "k", &endlessReader{started: started}, objstore.WriteOptions{Size: -1})
		done <- err
	}()
	<-started
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a cancelled Write succeeded")
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("a cancelled Write goes on")
	}
	if got := s.read(t, b, "k"); got != "old" {
		t.Errorf("Read = %d bytes", len(got))
	}
}

func (s *Suite) deadline(t T) {
	b := s.Open(t)
	s.write(t, b, "k", "x")
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := b.Stat(ctx, "k"); err == nil {
		t.Error("Stat after the deadline succeeded")
	}
	if _, err := b.List(ctx, objstore.ListQuery{}); err == nil {
		t.Error("List after the deadline succeeded")
	}
	if body, err := b.Read(ctx, "k", objstore.Range{}); err == nil {
		_, err = io.ReadAll(body)
		body.Close()
		if err == nil {
			t.Error("Read after the deadline succeeded")
		}
	}
	if _, err := b.Write(ctx, "k", strings.NewReader("y"), objstore.WriteOptions{Size: 1}); err == nil {
		t.Error("Write after the deadline succeeded")
	}
	if got := s.read(t, b, "k"); got != "x" {
		t.Errorf("Read = %q", got)
	}
}

func (s *Suite) write(t T, b objstore.Bucket, key, content string) objstore.Object {
	t.Helper()
	o, err := b.Write(t.Context(), key, strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content)), ContentType: "text/plain"})
	if err != nil {
		t.Fatalf("Write(%q): %v", key, err)
	}
	return o
}

func (s *Suite) read(t T, b objstore.Bucket, key string) string {
	t.Helper()
	body, err := b.Read(t.Context(), key, objstore.Range{})
	if err != nil {
		t.Fatalf("Read(%q): %v", key, err)
	}
	defer body.Close()
	var got strings.Builder
	n, err := io.Copy(&got, body)
	if err != nil || n != body.Length || n != body.Object.Size {
		t.Fatalf("Read(%q) gave %d bytes of %d, %v", key, n, body.Length, err)
	}
	return got.String()
}

func (s *Suite) delete(t T, b objstore.Bucket, keys ...string) {
	t.Helper()
	failed, err := b.Delete(t.Context(), keys...)
	if err != nil || len(failed) != 0 {
		t.Fatalf("Delete = %v, %v", failed, err)
	}
}

// list lists all pages of q as one sorted sequence of keys and prefixes, and
// checks what every page promises.
func (s *Suite) List(t failer, b objstore.Bucket, q objstore.ListQuery) []string {
	t.Helper()
	var names []string
	limit := q.Limit
	if limit == 0 {
		limit = objstore.MaxList
	}
	for pages := 0; ; pages++ {
		page, err := b.List(context.Background(), q)
		if err != nil {
			t.Fatalf("List(%+v): %v", q, err)
		}
		var keys []string
		for _, o := range page.Objects {
			keys = append(keys, o.Key)
		}
		if !slices.IsSorted(keys) || !slices.IsSorted(page.Prefixes) || len(keys)+len(page.Prefixes) > limit {
			t.Fatalf("List(%+v) gave %q and %q", q, keys, page.Prefixes)
		}
		both := append(keys, page.Prefixes...)
		slices.Sort(both)
		names = append(names, both...)
		if page.Next == "" {
			break
		}
		if pages > 5000 {
			t.Fatalf("List(%+v) never ends", q)
		}
		q.Token = page.Next
	}
	if !slices.IsSorted(names) {
		t.Fatalf("pages of %+v are out of order: %q", q, names)
	}
	return names
}

// request sends a signed request and returns status, body and ETag.
func (s *Suite) request(t T, method, url string, body io.Reader, size int64, header http.Header) (int, string, http.Header) {
	t.Helper()
	if s.Want.URL != nil {
		url = s.Want.URL(url)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		req.ContentLength = size
	}
	for k, v := range header {
		req.Header[k] = v
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(got), resp.Header
}

// T is what the cases need of *testing.T.
type T interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(do func())
	Context() context.Context
	Name() string
}

// failer is what T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func wantCode(t T, what string, err error, code ports.Code) {
	t.Helper()
	if !ports.Is(err, code) {
		t.Errorf("%s gave %v, want code %d", what, err, code)
	}
}

func randomBytes(n int) []byte {
	p := make([]byte, n)
	_, _ = rand.Read(p)
	return p
}

type failingReader struct{ err error }

func (r *failingReader) Read([]byte) (int, error) { return 0, r.err }

// endlessReader gives zeros and closes started after the first read.
type endlessReader struct {
	started chan struct{}
	once    bool
}

func (r *endlessReader) Read(p []byte) (int, error) {
	if !r.once {
		r.once = true
		close(r.started)
	}
	time.Sleep(time.Millisecond) // as slow as a network, so that memory stays small
	return min(len(p), 4096), nil
}
