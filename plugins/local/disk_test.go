package local_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func put(t *testing.T, b objstore.Bucket, key, content string) objstore.Object {
	t.Helper()
	o, err := b.Write(t.Context(), key, strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content))})
	if err != nil {
		t.Fatalf("Write(%q): %v", key, err)
	}
	return o
}

func keys(t *testing.T, b objstore.Bucket, q objstore.ListQuery) []string {
	t.Helper()
	page, err := b.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	names := page.Prefixes
	for _, o := range page.Objects {
		names = append(names, o.Key)
	}
	slices.Sort(names)
	return names
}

func plant(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestFilesPutThereByHandAreObjects(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	plant(t, dir, "by/hand.txt", "hello")
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"by/", "empty/"}, keys(t, b, objstore.ListQuery{Delimiter: "/"})); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	o, err := b.Stat(t.Context(), "by/hand.txt")
	if err != nil || o.ETag == "" || o.Size != 5 {
		t.Fatalf("Stat = %+v, %v", o, err)
	}
	again, err := b.Stat(t.Context(), "by/hand.txt")
	if err != nil || again.ETag != o.ETag {
		t.Errorf("the ETag went from %q to %q by itself", o.ETag, again.ETag)
	}
	if failed, err := b.Delete(t.Context(), "by/hand.txt"); err != nil || len(failed) > 0 {
		t.Fatal(failed, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "by")); err != nil {
		t.Errorf("a folder made by hand went with its last file: %v", err)
	}
}

func TestEditingByHandChangesTheETag(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	o := put(t, b, "k", "one")
	later := o.ModTime.Add(time.Second)
	plant(t, dir, "k", "two")
	if err := os.Chtimes(filepath.Join(dir, "k"), later, later); err != nil {
		t.Fatal(err)
	}
	if now, err := b.Stat(t.Context(), "k"); err != nil || now.ETag == o.ETag {
		t.Errorf("Stat = %+v, %v; the ETag was %q before", now, err, o.ETag)
	}
}

// TestSecurityP11_LinksAreNotFollowed covers links out of the folder, inside
// it, on the way and at the end.
func TestSecurityP11_LinksAreNotFollowed(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	b := open(t, dir)
	plant(t, outside, "secret", "outside")
	plant(t, dir, "real/file", "inside")
	for link, target := range map[string]string{
		"out": outside, "out-file": filepath.Join(outside, "secret"), "in": "real", "in-file": "real/file", "real/up": "..", "loop": "loop", "gone": "nothing",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"real/", "real/file"}, keys(t, b, objstore.ListQuery{Prefix: "real/", Delimiter: "/"})); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	for _, key := range []string{"out/secret", "out-file", "in/file", "in-file", "real/up/real/file", "loop", "gone", "in/", "out/"} {
		if _, err := b.Stat(t.Context(), key); !ports.Is(err, ports.NotFound) {
			t.Errorf("Stat(%q) = %v", key, err)
		}
		if _, err := b.Read(t.Context(), key, objstore.Range{}); !ports.Is(err, ports.NotFound) {
			t.Errorf("Read(%q) = %v", key, err)
		}
		if failed, err := b.Delete(t.Context(), key); err != nil || len(failed) > 0 {
			t.Errorf("Delete(%q) = %v, %v", key, failed, err)
		}
	}
	for _, key := range []string{"out/new", "in/new", "loop/new", "in/"} {
		if _, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{}); !ports.Is(err, ports.Conflict) {
			t.Errorf("Write(%q) = %v, want Conflict", key, err)
		}
	}
	for _, prefix := range []string{"out/", "in/", "in/f", "out/s"} {
		if got := keys(t, b, objstore.ListQuery{Prefix: prefix}); len(got) != 0 {
			t.Errorf("List(%q) = %q", prefix, got)
		}
	}
	for name, want := range map[string]string{filepath.Join(outside, "secret"): "outside", filepath.Join(dir, "real/file"): "inside"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("something was written outside: %v", entries)
	}
}

func TestOurOwnFolderIsNoKey(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	put(t, b, "deep/.pasteport/x", "fine below the top")
	for _, key := range []string{".pasteport", ".pasteport/", ".pasteport/tmp/x", ".pasteport/multipart/x", ".Pasteport/tmp/x"} {
		if _, err := b.Stat(t.Context(), key); !ports.Is(err, ports.Invalid) {
			t.Errorf("Stat(%q) = %v", key, err)
		}
		if _, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{}); !ports.Is(err, ports.Invalid) {
			t.Errorf("Write(%q) = %v", key, err)
		}
		if got := keys(t, b, objstore.ListQuery{Prefix: key}); len(got) != 0 {
			t.Errorf("List(%q) = %q", key, got)
		}
	}
	if diff := cmp.Diff([]string{"deep/.pasteport/x"}, keys(t, b, objstore.ListQuery{})); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
}

func TestACutUploadLeavesNoTempFile(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	broken := io.MultiReader(strings.NewReader("half"), iotestError{})
	if _, err := b.Write(t.Context(), "k", broken, objstore.WriteOptions{Size: -1}); err == nil {
		t.Fatal("a cut body was stored")
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".pasteport/tmp")); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

type iotestError struct{}

func (iotestError) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhatNobodyWritesIsSweptAtOpening(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	id, err := b.Multipart().Create(t.Context(), "k", objstore.WriteOptions{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	plant(t, dir, ".pasteport/tmp/left", "x")
	body, sender := io.Pipe()
	written := make(chan error, 1)
	go func() {
		_, err := b.Write(t.Context(), "slow", body, objstore.WriteOptions{Size: 2})
		written <- err
	}()
	_, _ = sender.Write([]byte("a")) // read, so its file is there
	age := func(name string, d time.Duration) {
		when := time.Now().Add(-d)
		if err := os.Chtimes(filepath.Join(dir, ".pasteport", name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range entriesOf(t, dir, ".pasteport/tmp") {
		age("tmp/"+e.Name(), 25*time.Hour) // a slow upload may wait for long
	}
	age("multipart/"+id, 6*24*time.Hour)
	b = open(t, dir)
	if entries := entriesOf(t, dir, ".pasteport/tmp"); len(entries) != 1 || entries[0].Name() == "left" {
		t.Errorf("temp files: %v", entries)
	}
	_, _ = sender.Write([]byte("b"))
	_ = sender.Close()
	if err := <-written; err != nil {
		t.Errorf("an upload during the sweep: %v", err)
	}
	if _, err := b.Multipart().ListParts(t.Context(), "k", id); err != nil {
		t.Errorf("an upload of six days: %v", err)
	}
	age("multipart/"+id, 8*24*time.Hour)
	b = open(t, dir)
	if _, err := b.Multipart().ListParts(t.Context(), "k", id); !ports.Is(err, ports.NotFound) {
		t.Errorf("an upload of eight days: %v", err)
	}
}

func entriesOf(t *testing.T, dir, folder string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestAFullDiskIsAQuotaErrorWithNumbers(t *testing.T) {
	dir := t.TempDir()
	b, err := local.Driver{}.Open(t.Context(), objstore.Config{Options: map[string]string{
		local.OptionDirectory: dir, local.OptionMinFree: strconv.FormatInt(1<<62, 10),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_, err = b.Write(t.Context(), "k", strings.NewReader("abc"), objstore.WriteOptions{Size: 3})
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Quota || e.Params["size"] != int64(3) || e.Params["rest"] != int64(0) || e.Params["total"].(int64) <= 0 {
		t.Errorf("Write = %v", err)
	}
	if _, err := b.Multipart().Create(t.Context(), "k", objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.Quota) {
		t.Errorf("Create = %v", err)
	}
	if u, err := b.Usage(t.Context()); err != nil || u.Free != 0 || u.Used <= 0 {
		t.Errorf("Usage = %+v, %v", u, err)
	}
}

func TestBadConfigsAreInvalid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	plant(t, filepath.Dir(file), "file", "")
	for name, c := range map[string]struct {
		base    string
		options map[string]string
		code    ports.Code
	}{
		"no folder":                 {"", map[string]string{}, ports.Invalid},
		"relative without a base":   {"", map[string]string{local.OptionDirectory: "files"}, ports.Invalid},
		"out of the base":           {t.TempDir(), map[string]string{local.OptionDirectory: "../x"}, ports.Invalid},
		"a bad number":              {"", map[string]string{local.OptionDirectory: t.TempDir(), local.OptionMinFree: "many"}, ports.Invalid},
		"a file in place of folder": {"", map[string]string{local.OptionDirectory: file}, ports.Unavailable},
	} {
		if _, err := (local.Driver{Base: c.base}).Open(t.Context(), objstore.Config{Options: c.options}); !ports.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	base := t.TempDir()
	b, err := local.Driver{Base: base}.Open(t.Context(), objstore.Config{Options: map[string]string{local.OptionDirectory: "files"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := os.Stat(filepath.Join(base, "files")); err != nil {
		t.Error(err)
	}
}

func TestEverythingIsThereAfterReopening(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	o := put(t, b, "a/b", "content")
	id, err := b.Multipart().Create(t.Context(), "big", objstore.WriteOptions{Size: -1, ContentType: "image/png"})
	if err != nil {
		t.Fatal(err)
	}
	part, err := b.Multipart().WritePart(t.Context(), "big", id, 3, strings.NewReader("part"), 4)
	if err != nil {
		t.Fatal(err)
	}
	b = open(t, dir)
	if again, err := b.Stat(t.Context(), "a/b"); err != nil || again != o {
		t.Errorf("Stat = %+v, %v, want %+v", again, err, o)
	}
	done, err := b.Multipart().Complete(t.Context(), "big", id, []objstore.Part{part})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Multipart().Complete(t.Context(), "big", id, []objstore.Part{part}); err != nil || again.ETag != done.ETag {
		t.Errorf("Complete again = %+v, %v", again, err)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, ".pasteport/multipart", id)); len(entries) != 1 {
		t.Errorf("the parts are still there: %v", entries)
	}
}

func TestABodyIsCopiedToTheNetworkWhole(t *testing.T) {
	b := open(t, t.TempDir())
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<21) // 32 MiB, more than one step
	put(t, b, "k", string(content))
	body, err := b.Read(t.Context(), "k", objstore.Range{Offset: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	sent := make(chan error, 1)
	go func() {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			_, err = io.Copy(conn, body)
			err = errors.Join(err, conn.Close())
		}
		sent <- err
	}()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, conn); err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if want := sha256.Sum256(content[5:]); !bytes.Equal(hash.Sum(nil), want[:]) {
		t.Error("the bytes differ")
	}
}

func TestACopyToTheNetworkEndsWithItsContext(t *testing.T) {
	b := open(t, t.TempDir())
	put(t, b, "k", "content")
	ctx, cancel := context.WithCancel(t.Context())
	body, err := b.Read(ctx, "k", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	cancel()
	if n, err := io.Copy(io.Discard, body); err == nil || n != 0 {
		t.Errorf("copied %d bytes, %v", n, err)
	}
}

func TestAConflictNamesWhatIsInTheWay(t *testing.T) {
	b := open(t, t.TempDir())
	put(t, b, "file", "x")
	put(t, b, "folder/file", "x")
	for key, want := range map[string]error{"folder": objstore.ErrFolderInTheWay, "file/": objstore.ErrFileInTheWay, "file/x/y": objstore.ErrFileInTheWay} {
		_, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{})
		if !errors.Is(err, want) {
			t.Errorf("Write(%q) = %v, want %v", key, err, want)
		}
	}
}

func TestFilesAreForTheServerOnly(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	put(t, b, "d/k", "x")
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		fi, err := d.Info()
		if err == nil && fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, fi.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnOverlongContentTypeIsDropped(t *testing.T) {
	b := open(t, t.TempDir())
	for _, length := range []int{255, 256, 600, 5000} {
		o, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1, ContentType: strings.Repeat("t", length)})
		if err != nil {
			t.Fatal(err)
		}
		if stat, err := b.Stat(t.Context(), "k"); err != nil || stat != o || length > 255 && stat.ContentType != "application/octet-stream" {
			t.Errorf("a type of %d bytes: Stat = %+v, Write gave %+v, %v", length, stat, o, err)
		}
	}
}

func TestItGoesOnAfterSomebodyTidiedUp(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, ".pasteport")); err != nil {
		t.Fatal(err)
	}
	put(t, b, "k", "x")
	if err := os.RemoveAll(filepath.Join(dir, ".pasteport")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Multipart().ListUploads(t.Context(), ""); err != nil {
		t.Errorf("ListUploads = %v", err)
	}
	if _, err := b.Multipart().Create(t.Context(), "k", objstore.WriteOptions{Size: -1}); err != nil {
		t.Errorf("Create = %v", err)
	}
}

// TestWritersAndDeletersDoNotDisturbEachOther lets folders come and go under
// writers: every write must succeed, and every body must be whole.
func TestWritersAndDeletersDoNotDisturbEachOther(t *testing.T) {
	b := open(t, t.TempDir())
	var wait sync.WaitGroup
	for w := range 4 {
		wait.Go(func() {
			content := strings.Repeat(strconv.Itoa(w), 70_000)
			for range 40 {
				if _, err := b.Write(t.Context(), "a/b/shared", strings.NewReader(content), objstore.WriteOptions{Size: int64(len(content))}); err != nil {
					t.Errorf("Write: %v", err)
				}
				own := "a/b/" + strconv.Itoa(w) + "/own"
				if _, err := b.Copy(t.Context(), own, "a/b/shared"); err != nil && !ports.Is(err, ports.NotFound) {
					t.Errorf("Copy: %v", err)
				}
				readWhole(t, b, "a/b/shared", len(content))
				if failed, err := b.Delete(t.Context(), "a/b/shared", own); err != nil || len(failed) > 0 {
					t.Errorf("Delete: %v, %v", failed, err)
				}
			}
		})
	}
	wait.Wait()
	if got := keys(t, b, objstore.ListQuery{}); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// readWhole checks that a body is one writer's, when there is one.
func readWhole(t *testing.T, b objstore.Bucket, key string, size int) {
	t.Helper()
	body, err := b.Read(t.Context(), key, objstore.Range{})
	if ports.Is(err, ports.NotFound) {
		return
	}
	if err != nil {
		t.Errorf("Read: %v", err)
		return
	}
	defer body.Close()
	got, err := io.ReadAll(body)
	if err != nil || len(got) != size || strings.Trim(string(got), string(got[:1])) != "" {
		t.Errorf("a torn body of %d bytes, %v", len(got), err)
	}
}

func BenchmarkLocalRead(b *testing.B) {
	bucket, err := local.Driver{}.Open(b.Context(), objstore.Config{Options: map[string]string{local.OptionDirectory: b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	defer bucket.Close()
	content := strings.Repeat("x", 1024)
	if _, err := bucket.Write(b.Context(), "d/k", strings.NewReader(content), objstore.WriteOptions{Size: 1024}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		body, err := bucket.Read(b.Context(), "d/k", objstore.Range{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			b.Fatal(err)
		}
		body.Close()
	}
}

func BenchmarkLocalWrite(b *testing.B) {
	bucket, err := local.Driver{}.Open(b.Context(), objstore.Config{Options: map[string]string{local.OptionDirectory: b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	defer bucket.Close()
	content := make([]byte, 16<<20)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := bucket.Write(b.Context(), "d/k", bytes.NewReader(content), objstore.WriteOptions{Size: int64(len(content))}); err != nil {
			b.Fatal(err)
		}
	}
}
