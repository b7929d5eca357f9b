package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"pasteport/plugins/local"
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

func TestLocalKeepsTheContract(t *testing.T) {
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return open(t, t.TempDir()) }, want(t))
}
