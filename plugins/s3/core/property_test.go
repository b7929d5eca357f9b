package core_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// TestUploadsInPartsAgreeWithAModel writes, replaces, joins and aborts parts at
// random; a map is the model.
func TestUploadsInPartsAgreeWithAModel(t *testing.T) {
	b := open(t, drivers["s3"])
	m := b.Multipart()
	ctx := context.Background()
	big := make([]byte, 5<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(big)
	objects := map[string][]byte{}
	uploads := 0
	rapid.Check(t, func(t *rapid.T) {
		uploads++
		key := rapid.SampledFrom([]string{"a", "d/b +", "中/文%"}).Draw(t, "key")
		id, err := m.Create(ctx, key, objstore.WriteOptions{Size: -1})
		if err != nil {
			t.Fatal(err)
		}
		contents := map[int][]byte{}
		etags := map[int]string{}
		send := func(number int, data []byte) {
			p, err := m.WritePart(ctx, key, id, number, bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatal(err)
			}
			contents[number], etags[number] = data, p.ETag
		}
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, objstore.MaxPart), 1, 3, rapid.ID).Draw(t, "numbers")
		joinBig := len(numbers) > 1 && uploads%10 == 0
		last := 0
		for _, n := range numbers {
			last = max(last, n)
		}
		for _, n := range numbers {
			switch data := rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "data"); {
			case n != last && joinBig:
				send(n, big)
			default:
				send(n, data)
			}
		}
		if rapid.Bool().Draw(t, "replace the last") {
			send(last, rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "again"))
		}
		parts, err := m.ListParts(ctx, key, id)
		if err != nil || len(parts) != len(numbers) {
			t.Fatalf("ListParts = %v, %v", parts, err)
		}
		var whole []byte
		for i, p := range parts {
			if i > 0 && parts[i-1].Number >= p.Number || p.Size != int64(len(contents[p.Number])) || p.ETag != etags[p.Number] {
				t.Fatalf("ListParts = %v", parts)
			}
			whole = append(whole, contents[p.Number]...)
		}
		small := len(parts) > 1 && !joinBig
		if rapid.Bool().Draw(t, "abort") {
			if err := m.Abort(ctx, key, id); err != nil {
				t.Fatal(err)
			}
		} else if _, err := m.Complete(ctx, key, id, parts); small {
			if !ports.Is(err, ports.Invalid) {
				t.Fatalf("Complete of small parts gave %v", err)
			}
			_ = m.Abort(ctx, key, id)
		} else if err != nil {
			t.Fatal(err)
		} else {
			objects[key] = whole
		}
		for key, want := range objects {
			body, err := b.Read(ctx, key, objstore.Range{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			body.Close()
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q holds %d bytes, want %d, %v", key, len(got), len(want), err)
			}
		}
		if left, err := m.ListUploads(ctx, ""); err != nil || len(left) != 0 {
			t.Fatalf("ListUploads = %v, %v", left, err)
		}
	})
}

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
