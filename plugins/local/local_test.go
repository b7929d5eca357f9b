package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

// want is what the driver keeps on the file system of dir: without extended
// attributes it cannot remember types and which folders it made by itself.
func want(t *testing.T) objstoretest.Want {
	t.Helper()
	probe := filepath.Join(t.TempDir(), "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	attributes := unix.Setxattr(probe, "user.pasteport.probe", []byte("1"), 0) == nil
	return objstoretest.Want{
		Features: local.Features, Limits: local.Limits, Types: attributes, Names: true, Segment: 255, Markers: !attributes,
	}
}

func open(t *testing.T, dir string) objstore.Bucket {
	t.Helper()
	b, err := local.Driver{}.Open(t.Context(), objstore.Config{ID: "c1", Options: map[string]string{local.OptionDirectory: dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestNoFolderHoldsWhatTheServerKeepsToItself(t *testing.T) {
	outside := t.TempDir()
	data, keys := filepath.Join(outside, "data"), filepath.Join(outside, "keys")
	for _, dir := range []string{filepath.Join(data, "plugins"), keys} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"to-data": ".", "to-plugins": "plugins", "to-nothing": filepath.Join(outside, "missing"), "to-keys": keys} {
		if err := os.Symlink(to, filepath.Join(data, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := local.Driver{Base: data, Closed: []string{filepath.Join(keys, "secret.key"), filepath.Join(data, "plugins"), filepath.Join(data, "tmp"), ""}}
	for dir, want := range map[string]bool{
		"files": true, "files/deep": true, "data": true, "tmp-2": true, filepath.Join(outside, "other"): true, filepath.Join(data, "files"): true,
		"": false, ".": false, "./": false, "files/..": false, data: false, data + "/": false, outside: false, "/": false,
		"plugins": false, "plugins/x": false, "tmp": false, "tmp/x": false, keys: false, filepath.Join(keys, "secret.key"): false,
		"to-data": false, "to-data/plugins": false, "to-plugins": false, "to-keys": false, "to-nothing": false, "to-nothing/x": false, "to-data/files": true, "../data": false,
	} {
		b, err := d.Open(t.Context(), objstore.Config{ID: "c1", Options: map[string]string{local.OptionDirectory: dir}})
		if err == nil {
			b.Close()
		}
		if want != (err == nil) || err != nil && !ports.Is(err, ports.Invalid) {
			t.Errorf("%q: %v", dir, err)
		}
	}
	left, err := os.ReadDir(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if entry.Name() == ".pasteport" {
			t.Error("a refused folder was written to")
		}
	}
}

func TestNewDirectoriesLieBelowTheDataFolderOrARootOfTheOperator(t *testing.T) {
	outside := t.TempDir()
	data, root := filepath.Join(outside, "data"), filepath.Join(outside, "srv")
	for _, dir := range []string{filepath.Join(data, "files"), filepath.Join(root, "a"), filepath.Join(outside, "srv-2")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{filepath.Join(data, "out"): "/etc", filepath.Join(root, "out"): "/etc", filepath.Join(data, "to-root"): root} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	closed := local.Driver{Base: data, Closed: []string{filepath.Join(data, "secret.key")}, Own: []string{"tmp", "backup-*"}}
	open := closed
	open.Roots = []string{root, filepath.Join(outside, "missing")}
	for dir, want := range map[string]struct{ closed, open bool }{
		"files": {true, true}, "files/x": {true, true}, "new/deep": {true, true}, filepath.Join(data, "files"): {true, true}, "templates": {true, true},
		root: {false, true}, filepath.Join(root, "a/b"): {false, true}, filepath.Join(outside, "missing/x"): {false, true}, "to-root": {false, true},
		"/etc": {}, "/": {}, filepath.Join(outside, "srv-2"): {}, filepath.Join(root, ".."): {}, filepath.Join(root, "out"): {}, "out": {}, "out/ssh": {}, "../srv": {}, "../x": {},
		"tmp": {}, "TMP/x": {}, "backup-1": {}, "Backup-1/x": {}, "": {}, ".": {}, data: {}, "secret.key": {}, "secret.key/x": {},
	} {
		for name, allowed := range map[string]bool{"without roots": closed.Allowed(dir) == nil, "with roots": open.Allowed(dir) == nil} {
			if name == "without roots" && allowed != want.closed || name == "with roots" && allowed != want.open {
				t.Errorf("%s %q: %t", name, dir, allowed)
			}
		}
	}
}

func TestLocalKeepsTheContract(t *testing.T) {
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, t.TempDir()) }, want(t))
}

func TestAFolderMadeWhileItsContentArrivesIsThere(t *testing.T) {
	b := open(t, t.TempDir())
	for i := range 500 {
		folder := fmt.Sprintf("%d/", i)
		var writers sync.WaitGroup
		for _, key := range []string{folder + "a", folder, folder + "b"} {
			writers.Go(func() {
				if _, err := b.Write(t.Context(), key, strings.NewReader(""), objstore.WriteOptions{}); err != nil {
					t.Errorf("%s: %v", key, err)
				}
			})
		}
		writers.Wait()
		if _, err := b.Stat(t.Context(), folder); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
