package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/archive"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// fixture is the common one with what these tests do to it.
type fixture struct{ *mountstest.WriteFixture }

func newFixture(t *testing.T) *fixture { return &fixture{mountstest.NewWriteFixture(t)} }

// packed makes an archive and reads it: the contents by name, folders as "".
func (y *fixture) packed(c mounts.Caller, paths ...string) map[string]string {
	y.T.Helper()
	archives := y.archives()
	link, err := archives.Create(y.T.Context(), c, archive.Request{Paths: paths})
	if err != nil {
		y.T.Fatal(err)
	}
	archive, err := archives.Open(y.T.Context(), link.Ticket)
	if err != nil {
		y.T.Fatal(err)
	}
	var file bytes.Buffer
	if err := archive.WriteZip(y.T.Context(), &file, error.Error); err != nil {
		y.T.Fatal(err)
	}
	y.unzip(file.Bytes())
	return contents(y.T, file.Bytes())
}

func (y *fixture) archives() *archive.Archives {
	return archive.New(y.Tree, domaintest.NewArchives())
}

// unzip lets the system's program, where there is one, test the archive.
func (y *fixture) unzip(data []byte) {
	y.T.Helper()
	program, err := exec.LookPath("unzip")
	if err != nil {
		return
	}
	path := filepath.Join(y.T.TempDir(), "a.zip")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		y.T.Fatal(err)
	}
	if out, err := exec.Command(program, "-t", path).CombinedOutput(); err != nil {
		y.T.Errorf("unzip -t: %v\n%s", err, out)
	}
}

func contents(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range r.File {
		if _, twice := files[f.Name]; twice {
			t.Errorf("%q is there twice", f.Name)
		}
		if f.NonUTF8 {
			t.Errorf("%q is not marked as UTF-8", f.Name)
		}
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		if err != nil {
			t.Errorf("read %q: %v", f.Name, err)
		}
		files[f.Name] = string(content)
	}
	return files
}

func wantPacked(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestContract9_11_AnArchiveHoldsFoldersAndFilesOfAllMounts(t *testing.T) {
	for _, c := range []struct {
		name      string
		near, far []string
		caller    mounts.Caller
		paths     []string
		want      map[string]string
	}{
		{"a folder with folders, empty ones too", []string{"a/", "a/x.txt=1", "a/b/c.txt=2", "a/empty/", "ab/no.txt"}, nil, mountstest.Admin, []string{"/m/a/"},
			map[string]string{"a/": "", "a/x.txt": "1", "a/b/": "", "a/b/c.txt": "2", "a/empty/": ""}},
		{"a file", []string{"a/报告 1.txt=文"}, nil, mountstest.Admin, []string{"/m/a/报告 1.txt"}, map[string]string{"报告 1.txt": "文"}},
		{"the same name in two mounts", []string{"x.txt=near", "d/1=1"}, []string{"x.txt=far", "D/2=2"}, mountstest.Admin, []string{"/m/x.txt", "/far/x.txt", "/m/d", "/far/D", "/m/d"},
			map[string]string{"x.txt": "near", "x(1).txt": "far", "d/": "", "d/1": "1", "D(1)/": "", "D(1)/2": "2"}},
		{"a mount", []string{"a=1", "b/"}, nil, mountstest.Admin, []string{"/m"}, map[string]string{"m/": "", "m/a": "1", "m/b/": ""}},
		{"a virtual folder", nil, []string{"f=1"}, mountstest.Admin, []string{"/v"}, map[string]string{"v/": "", "v/deep/": "", "v/deep/f": "1"}},
		{"everything", []string{"a=1"}, []string{"f=2"}, mountstest.Admin, []string{"/"},
			map[string]string{"files/": "", "files/m/": "", "files/m/a": "1", "files/twin/": "", "files/twin/a": "1", "files/far/": "", "files/far/f": "2",
				"files/v/": "", "files/v/deep/": "", "files/v/deep/f": "2"}},
		{"a file beside a folder of its name", []string{"d/a=file", "d/a!=other", "d/a/b=below", "d/a/e/"}, nil, mountstest.Admin, []string{"/m/d"},
			map[string]string{"d/": "", "d/a": "file", "d/a!": "other", "d/a(1)/": "", "d/a(1)/b": "below", "d/a(1)/e/": ""}},
		{"a file beside a folder of its name, where the next name is taken", []string{"d/a=file", "d/a(1)/b=other", "d/a(2)=more", "d/a/b=below"}, nil, mountstest.Admin, []string{"/m/d"},
			map[string]string{"d/": "", "d/a": "file", "d/a(1)/": "", "d/a(1)/b": "other", "d/a(2)": "more", "d/a(3)/": "", "d/a(3)/b": "below"}},
		{"a file beside a folder of its name, which has a number", []string{"d/a(1)=file", "d/a(1)/b=below", "d/a(2)=more"}, nil, mountstest.Admin, []string{"/m/d"},
			map[string]string{"d/": "", "d/a(1)": "file", "d/a(1)(1)/": "", "d/a(1)(1)/b": "below", "d/a(2)": "more"}},
		{"what a key may see", []string{"a/1=1", "ab/2=2", "b/3=3"}, nil, mountstest.TeamA, []string{"/m/a"}, map[string]string{"a/": "", "a/1": "1"}},
		{"names of drives", []string{"C:/x=1"}, nil, mountstest.Admin, []string{"/m/C:"}, map[string]string{"C_/": "", "C_/x": "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newFixture(t)
			y.Put(y.Near, c.near...)
			y.Put(y.Far, c.far...)
			wantPacked(t, y.packed(c.caller, c.paths...), c.want)
		})
	}
}

func TestContract3_3_AMountInAMountHidesWhatIsBelowIt(t *testing.T) {
	y := newFixture(t)
	for _, m := range []mounts.Mount{{ID: "in", Name: "in", Path: "/m/a/x/in", StorageConfigID: "far", Active: true},
		{ID: "secret", Name: "secret", Path: "/m/a/secret", StorageConfigID: "hidden", Active: true}} {
		if err := y.Deps.Mounts.Insert(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	stores := y.Deps.Storages.(mountstest.Stores)
	stores.Opener["hidden"], stores.About["hidden"] = portstest.NewBucket(), objstore.Storage{ID: "hidden", Type: "S3"}
	stores.Opener["hidden"].(*portstest.Bucket).Put("key.txt", "of nobody")
	y.Put(y.Near, "a/1=1", "a/secret/old=covered", "a/x/in/old=covered", "a/x/2=2", "a/y/")
	y.Put(y.Far, "f=3")
	want := map[string]string{"a/": "", "a/1": "1", "a/x/": "", "a/x/2": "2", "a/x/in/": "", "a/x/in/f": "3", "a/y/": ""}
	wantPacked(t, y.packed(mountstest.TeamA, "/m/a"), want)
	if _, err := y.archives().Create(t.Context(), mountstest.TeamA, archive.Request{Paths: []string{"/m/a/secret"}}); !errors.Is(err, mounts.ErrForeign) {
		t.Errorf("a mount of others: %v", err)
	}
	want["a/secret/"], want["a/secret/key.txt"] = "", "of nobody"
	wantPacked(t, y.packed(mountstest.Admin, "/m/a"), want)
}

func TestContract9_11_ThePolicyIsAskedOnceWithAllPaths(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1=1", "b/2=2")
	y.packed(mountstest.Admin, "/m/a/", "/m/b", "/v")
	if !slices.Equal(y.Rules.Asked, []policy.Action{policy.MountArchive}) || !slices.Equal(y.Rules.Paths[0], []string{"/m/a", "/m/b", "/v"}) {
		t.Errorf("asked %v with %q", y.Rules.Asked, y.Rules.Paths)
	}
	_, err := y.archives().Create(t.Context(), mountstest.TeamA, archive.Request{Paths: []string{"/m/a", "/m/ab"}})
	mountstest.WantCode(t, err, ports.Forbidden)
}

func TestContract9_11_WhatCannotBePackedIsRefused(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1=1")
	for _, c := range []struct {
		name  string
		paths []string
		want  ports.Code
	}{
		{"nothing", nil, ports.Invalid},
		{"too many", make([]string, archive.MaxPaths+1), ports.Invalid},
		{"an unclean path", []string{"/m/../m"}, ports.Invalid},
		{"nothing there", []string{"/m/none", "/m/none/"}, ports.NotFound},
		{"no mount", []string{"/nowhere"}, ports.NotFound},
	} {
		_, err := y.archives().Create(t.Context(), mountstest.Admin, archive.Request{Paths: c.paths})
		if !ports.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestArchivesAreNamedAfterWhatIsInThem(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1=1", "a/2=2", "b/3=3")
	for _, c := range []struct {
		asked string
		paths []string
		want  string
	}{
		{"", []string{"/m/a"}, "a.zip"},
		{"", []string{"/m/a/1", "/m/a/2"}, "a.zip"},
		{"", []string{"/m/a/1", "/m/b/3"}, "files.zip"},
		{"", []string{"/"}, "files.zip"},
		{"文.zip", []string{"/"}, "文.zip"},
		{"x", []string{"/"}, "x.zip"},
	} {
		link, err := y.archives().Create(t.Context(), mountstest.Admin, archive.Request{Paths: c.paths, Name: c.asked})
		if err != nil || link.Name != c.want {
			t.Errorf("%q, %q: got %q, %v, want %q", c.asked, c.paths, link.Name, err, c.want)
		}
	}
	_, err := y.archives().Create(t.Context(), mountstest.Admin, archive.Request{Paths: []string{"/m"}, Name: "../x"})
	mountstest.WantCode(t, err, ports.Invalid)
}

func TestContract9_11_TicketsAreGoodOnceAndForAMinute(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1=1")
	archives := y.archives()
	create := func() string {
		link, err := archives.Create(t.Context(), mountstest.Admin, archive.Request{Paths: []string{"/m/a"}})
		if err != nil {
			t.Fatal(err)
		}
		return link.Ticket
	}
	ticket := create()
	for range 2 {
		if name, err := archives.Look(t.Context(), ticket); err != nil || name != "a.zip" {
			t.Errorf("look: %q, %v", name, err)
		}
	}
	if _, err := archives.Open(t.Context(), ticket); err != nil {
		t.Error(err)
	}
	for _, ask := range []func() error{
		func() error { _, err := archives.Open(t.Context(), ticket); return err },
		func() error { _, err := archives.Look(t.Context(), ticket); return err },
		func() error { _, err := archives.Open(t.Context(), "made up"); return err },
	} {
		mountstest.WantCode(t, ask(), ports.NotFound)
	}
	ticket = create()
	y.Clock.Add(archive.LinkLife)
	_, err := archives.Open(t.Context(), ticket)
	mountstest.WantCode(t, err, ports.NotFound)
}

func TestContract9_11_FailuresAreNamedInATextAndTheRestIsThere(t *testing.T) {
	y := newFixture(t)
	y.Deps.Storages.(mountstest.Stores).Opener["near"] = foreign{y.Near}
	y.Put(y.Near, "a/1=1", "a/UP/up=x", "a/broken=x", "a/cBACKd=x", "a/e/EMPTY/f=x", "a/ok=ok", "pasteport-errors.txt=mine")
	y.Put(y.Far, "f=1")
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Read" && strings.HasSuffix(key, "broken") })
	mountstest.Fail(y.Far, func(method, _ string) bool { return method == "List" })
	got := y.packed(mountstest.Admin, "/m/pasteport-errors.txt", "/m/a", "/far/", "/m/none")
	lines := strings.Split(strings.TrimSpace(got["pasteport-errors(1).txt"]), "\r\n")
	delete(got, "pasteport-errors(1).txt")
	wantPacked(t, got, map[string]string{"pasteport-errors.txt": "mine", "a/": "", "a/1": "1", "a/ok": "ok", "far/": ""})
	var named []string
	for _, line := range lines {
		path, _, _ := strings.Cut(line, ": ")
		named = append(named, path)
	}
	if want := []string{"/m/a/../up", "/m/a/broken", `/m/a/c\d`, "/m/a/e//f", "/far", "/m/none"}; !slices.Equal(named, want) {
		t.Errorf("named %q, want %q", named, want)
	}
}

// foreign is a bucket in which others have stored names that no path can have.
type foreign struct{ *portstest.Bucket }

func (f foreign) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	page, err := f.Bucket.List(ctx, q)
	for i := range page.Objects {
		page.Objects[i].Key = strings.NewReplacer("UP", "..", "BACK", `\`, "EMPTY", "").Replace(page.Objects[i].Key)
	}
	return page, err
}

// breaking is a bucket whose reads break after a few bytes, as often as told.
type breaking struct {
	*portstest.Bucket
	times int
	reads []objstore.Range
}

func (b *breaking) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	b.reads = append(b.reads, r)
	body, err := b.Bucket.Read(ctx, key, r)
	if err == nil && b.times > 0 {
		b.times--
		body.ReadCloser = io.NopCloser(io.MultiReader(io.LimitReader(body.ReadCloser, 2), brokenPipe{}))
	}
	return body, err
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestReliability_ABrokenReadIsTakenUpAgainBehindTheLastByte(t *testing.T) {
	for _, c := range []struct {
		times int
		whole bool
	}{{1, true}, {3, true}, {4, false}} {
		y := newFixture(t)
		b := &breaking{Bucket: y.Far, times: c.times}
		y.Deps.Storages.(mountstest.Stores).Opener["far"] = b
		y.Put(y.Far, "a.bin=0123456789", "b.bin=after")
		got := y.packed(mountstest.Admin, "/far/a.bin", "/far/b.bin")
		report := got["pasteport-errors.txt"]
		switch {
		case got["b.bin"] != "after":
			t.Errorf("broken %d times: the next file is %q", c.times, got["b.bin"])
		case c.whole && (got["a.bin"] != "0123456789" || report != ""):
			t.Errorf("broken %d times: got %q and %q", c.times, got["a.bin"], report)
		case !c.whole && (got["a.bin"] != "01234567" || !strings.HasPrefix(report, "/far/a.bin: ")):
			t.Errorf("broken %d times: got %q and %q", c.times, got["a.bin"], report)
		}
		if b.reads[1].Offset != 2 || b.reads[1].IfMatch == "" {
			t.Errorf("it went on with %+v", b.reads[1])
		}
	}
}

// leaving is a client that goes away after some bytes.
type leaving struct {
	after int
	leave func()
}

func (l *leaving) Write(b []byte) (int, error) {
	if l.after -= len(b); l.after >= 0 {
		return len(b), nil
	}
	if l.leave == nil {
		return 0, io.ErrClosedPipe
	}
	l.leave()
	return len(b), nil
}

func TestContract9_11_WhoLeavesStopsTheReads(t *testing.T) {
	for _, cancelled := range []bool{true, false} {
		t.Run(fmt.Sprintf("cancelled %t", cancelled), func(t *testing.T) {
			y := newFixture(t)
			for i := range 50 {
				y.Near.Put(fmt.Sprintf("root/a/%02d.bin", i), strings.Repeat("x", 10_000))
			}
			reads := 0
			y.Near.Fail = func(method, _ string) error {
				if method == "Read" {
					reads++
				}
				return nil
			}
			archives := y.archives()
			link, err := archives.Create(t.Context(), mountstest.Admin, archive.Request{Paths: []string{"/m/a"}})
			if err != nil {
				t.Fatal(err)
			}
			archive, err := archives.Open(t.Context(), link.Ticket)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			client := &leaving{after: 45_000}
			if cancelled {
				client.leave = cancel
			}
			if err := archive.WriteZip(ctx, client, error.Error); err == nil {
				t.Error("no error")
			}
			if reads == 0 || reads > 7 {
				t.Errorf("%d files were read", reads)
			}
		})
	}
}

// vast is a bucket with one object of zeros.
type vast struct {
	*portstest.Bucket
	size int64
}

func (v vast) Stat(context.Context, string) (objstore.Object, error) {
	return objstore.Object{Key: "vast.bin", Size: v.size, ETag: "v"}, nil
}

func (v vast) Read(context.Context, string, objstore.Range) (*objstore.Body, error) {
	return &objstore.Body{ReadCloser: io.NopCloser(io.LimitReader(zeros{}, v.size)), Object: objstore.Object{Size: v.size}, Length: v.size}, nil
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// ending keeps the last bytes of what is written.
type ending struct {
	n    int64
	last []byte
}

func (e *ending) Write(b []byte) (int, error) {
	e.n += int64(len(b))
	e.last = append(e.last, b...)
	if cut := len(e.last) - 1<<16; cut > 1<<16 {
		e.last = append(e.last[:0], e.last[cut:]...)
	}
	return len(b), nil
}

func (e *ending) ReadAt(b []byte, at int64) (int, error) {
	from := at - (e.n - int64(len(e.last)))
	if from < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(b, e.last[from:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func TestContract9_11_FilesBeyondFourGigabytesNeedNoMemory(t *testing.T) {
	const size = 1<<32 + 5
	y := newFixture(t)
	y.Deps.Storages.(mountstest.Stores).Opener["far"] = vast{y.Far, size}
	archives := y.archives()
	link, err := archives.Create(t.Context(), mountstest.Admin, archive.Request{Paths: []string{"/far/vast.bin"}})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := archives.Open(t.Context(), link.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	out := &ending{last: make([]byte, 0, 1<<18)}
	runtime.ReadMemStats(&before)
	if err := archive.WriteZip(t.Context(), out, error.Error); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 8<<20 {
		t.Errorf("%d bytes of memory were taken for a file of %d", taken, int64(size))
	}
	r, err := zip.NewReader(out, out.n)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.File[0]; len(r.File) != 1 || f.UncompressedSize64 != size || f.Method != zip.Store {
		t.Errorf("got %+v", f.FileHeader)
	}
}

func TestTextIsCompressedAndPicturesAreNot(t *testing.T) {
	y := newFixture(t)
	modified := y.Clock.Now().Truncate(time.Second)
	y.Put(y.Near, "a/t.md="+strings.Repeat("text ", 1000), "a/p.jpg="+strings.Repeat("text ", 1000), "a/empty.txt=")
	archives := y.archives()
	link, err := archives.Create(t.Context(), mountstest.Admin, archive.Request{Paths: []string{"/m/a"}})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := archives.Open(t.Context(), link.Ticket)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := archive.WriteZip(t.Context(), &file, error.Error); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		want := zip.Store
		if f.Name == "a/t.md" {
			want = zip.Deflate
		}
		if f.Method != want {
			t.Errorf("%s: method %d, want %d", f.Name, f.Method, want)
		}
		if f.Name != "a/" && !f.Modified.Equal(modified) {
			t.Errorf("%s is of %v, want %v", f.Name, f.Modified, modified)
		}
	}
}
