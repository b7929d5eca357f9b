package core_test

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pasteport/ports/objstore"
)

// TestLongALargeObjectNeedsLittleMemory writes and copies an object in parts: 96
// MiB, or 5 GiB and a bit when PASTEPORT_TEST_LONG is set.
func TestLongALargeObjectNeedsLittleMemory(t *testing.T) {
	total, part := int64(96<<20+77), int64(16<<20)
	if os.Getenv("PASTEPORT_TEST_LONG") != "" {
		total, part = 5<<30+77, 256<<20
	}
	d := drivers["r2"]
	d.Profile.Info.Limits.MaxCopy = min(d.Profile.Info.Limits.MaxCopy, total-1)
	b := open(t, d)
	m := b.Multipart()
	id, err := m.Create(t.Context(), "large", objstore.WriteOptions{Size: -1, ContentType: "application/x-large"})
	if err != nil {
		t.Fatal(err)
	}
	most, stop := watchHeap(t)
	source, sum := &pattern{}, sha256.New()
	var parts []objstore.Part
	for at := int64(0); at < total; at += part {
		size := min(part, total-at)
		p, err := m.WritePart(t.Context(), "large", id, len(parts)+1, io.TeeReader(io.LimitReader(source, size), sum), size)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if o, err := m.Complete(t.Context(), "large", id, parts); err != nil || o.Size != total {
		t.Fatalf("Complete = %+v, %v", o, err)
	}
	if o, err := b.Copy(t.Context(), "copy", "large"); err != nil || o.Size != total {
		t.Fatalf("Copy = %+v, %v", o, err)
	}
	body, err := b.Read(t.Context(), "copy", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	read := sha256.New()
	if n, err := io.Copy(read, body); err != nil || n != total {
		t.Fatalf("Read gave %d bytes, %v", n, err)
	}
	if !bytes.Equal(read.Sum(nil), sum.Sum(nil)) {
		t.Error("the copy of the object differs from what was sent")
	}
	stop()
	if limit := uint64(48 << 20); *most > limit {
		t.Errorf("the heap grew by %d MiB, want at most %d", *most>>20, limit>>20)
	}
}

// watchHeap measures how far the heap grows above what it is now until stop is
// called.
func watchHeap(t *testing.T) (most *uint64, stop func()) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, done, ended := m.HeapInuse, make(chan struct{}), make(chan struct{})
	most = new(uint64)
	go func() {
		defer close(ended)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if now.HeapInuse > before {
				*most = max(*most, now.HeapInuse-before)
			}
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	return most, func() { close(done); <-ended }
}

// pattern is an endless body whose pieces differ.
type pattern struct{ at int64 }

func (p *pattern) Read(buf []byte) (int, error) {
	n := copy(buf, strconv.FormatInt(p.at, 36))
	for n < len(buf) {
		n += copy(buf[n:], buf[:n])
	}
	p.at += int64(n)
	return n, nil
}
