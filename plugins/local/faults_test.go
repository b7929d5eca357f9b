package local

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

func TestErrorsOfTheFileSystemHaveCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want ports.Code
	}{
		{fs.ErrNotExist, ports.NotFound},
		{syscall.ENOTDIR, ports.NotFound},
		{syscall.ELOOP, ports.NotFound},
		{errLink, ports.NotFound},
		{syscall.ENAMETOOLONG, ports.Invalid},
		{syscall.EISDIR, ports.Conflict},
		{syscall.EEXIST, ports.Conflict},
		{syscall.ENOSPC, ports.Quota},
		{syscall.EDQUOT, ports.Quota},
		{syscall.EACCES, ports.BadGateway},
		{syscall.EROFS, ports.Unavailable},
		{syscall.EIO, ports.Unavailable},
		{errors.New("other"), ports.Unavailable},
		{objstore.ErrLength, ports.Invalid},
	} {
		if got := fsError(fmt.Errorf("wrapped: %w", c.err)); !ports.Is(got, c.want) {
			t.Errorf("%v became %v, want code %d", c.err, got, c.want)
		}
	}
	if err := fsError(nil); err != nil {
		t.Errorf("nil became %v", err)
	}
}

func testBucket(t *testing.T) *bucket {
	t.Helper()
	b, err := openBucket(t.TempDir(), 0, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestADiskThatFillsUpInTheMiddleTellsTheNumbers(t *testing.T) {
	b := testBucket(t)
	tmp, err := b.newTemp(5)
	if err != nil {
		t.Fatal(err)
	}
	defer tmp.discard()
	var e *ports.Error
	if err := tmp.full(syscall.ENOSPC, 5); !errors.As(err, &e) || e.Code != ports.Quota || e.Params["size"] != int64(5) || e.Params["total"].(int64) <= 0 {
		t.Errorf("full = %v", err)
	}
}

func TestReliability2_2_AFailedSyncStopsWritesButNotReads(t *testing.T) {
	b := testBucket(t)
	if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
		t.Fatal(err)
	}
	closed, err := b.newTemp(1)
	if err != nil {
		t.Fatal(err)
	}
	closed.discard()
	if err := b.sync(closed.f); !ports.Is(err, ports.Unavailable) {
		t.Fatalf("sync of a closed file = %v", err)
	}
	if _, err := b.Write(t.Context(), "k", strings.NewReader("y"), objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Write = %v", err)
	}
	if _, err := b.Copy(t.Context(), "l", "k"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Copy = %v", err)
	}
	if _, err := b.Multipart().Create(t.Context(), "l", objstore.WriteOptions{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Create = %v", err)
	}
	if o, err := b.Stat(t.Context(), "k"); err != nil || o.Size != 1 {
		t.Errorf("Stat = %+v, %v", o, err)
	}
}
