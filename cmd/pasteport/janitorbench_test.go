package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/uploads"
	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// oneStorage leads every config to one bucket.
type oneStorage struct {
	shares.Storages
	bucket objstore.Bucket
}

func (s oneStorage) Bucket(context.Context, string) (objstore.Bucket, error) { return s.bucket, nil }

// graceOnly are settings of which only the grace time is asked.
type graceOnly struct{ ports.Settings }

func (graceOnly) ExpiredGrace() time.Duration { return time.Second }

// BenchmarkErase100000 erases 50,000 texts and 50,000 files on disk that are due
// at once, while somebody stores texts. It reports how long that takes, and how
// long the writer waits for most of his texts, with the sweep and without.
// The requirement is 5 minutes.
func BenchmarkErase100000(b *testing.B) {
	const each = 50_000
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		store, err := bunstore.Open(b.Context(), bunstore.Options{URL: filepath.Join(dir, "bench.db")})
		if err != nil {
			b.Fatal(err)
		}
		bucket, err := local.Driver{Base: dir}.Open(b.Context(), objstore.Config{Options: map[string]string{local.OptionDirectory: "objects"}})
		if err != nil {
			b.Fatal(err)
		}
		const batch = 1000
		for from := 0; from < each; from += batch {
			if err := store.Do(b.Context(), func(ctx context.Context) error { return seedDue(ctx, store, dir, from, from+batch) }); err != nil {
				b.Fatal(err)
			}
		}
		written := 0
		write := func() time.Duration {
			written++
			id := fmt.Sprintf("w%08d", written)
			at := time.Now()
			if err := store.Pastes().Insert(b.Context(), benchPaste(id, at, shares.Gate{})); err != nil {
				b.Error(err)
			}
			return time.Since(at)
		}
		quiet := make([]time.Duration, 0, 500)
		for range 500 {
			quiet = append(quiet, write())
		}
		janitor := cleanup.New(shares.Deps{Uploads: uploads.New(uploads.Deps{Sessions: store.Uploads(), Buckets: oneStorage{bucket: bucket}, Clock: ports.SystemClock}), Pastes: store.Pastes(), Files: store.Files(), FileObjects: store.Files(), Storages: oneStorage{bucket: bucket}, Clock: ports.SystemClock, Settings: graceOnly{}}, cleanup.Records{Pastes: store.Pastes(), Files: store.Files(), Collections: store.Collections(), Sweeps: store.Sweeps(), Revisions: []cleanup.Revisions{store.Revisions()}})
		done := make(chan int)
		b.StartTimer()
		began := time.Now()
		go func() {
			erased := 0
			for erased < 2*each {
				s, err := janitor.Sweep(b.Context())
				if err != nil {
					b.Error(err)
					break
				}
				erased += s.PastesErased + s.FilesErased
			}
			done <- erased
		}()
		var busy []time.Duration
		for erased := 0; erased == 0; {
			select {
			case erased = <-done:
			default:
				busy = append(busy, write())
			}
		}
		b.StopTimer()
		b.ReportMetric(time.Since(began).Seconds(), "s/100000")
		b.ReportMetric(float64(len(busy))/time.Since(began).Seconds(), "writes/s")
		b.ReportMetric(float64(p99(quiet).Microseconds())/1000, "quiet-p99-ms")
		b.ReportMetric(float64(p99(busy).Microseconds())/1000, "busy-p99-ms")
		if err := store.Close(); err != nil {
			b.Error(err)
		}
		if err := bucket.Close(); err != nil {
			b.Error(err)
		}
		b.StartTimer()
	}
}

// seedDue stores the texts and files numbered from..to that are due since an
// hour; the objects of the files lie below dir/objects.
func seedDue(ctx context.Context, store *bunstore.Store, dir string, from, to int) error {
	past := time.Now().Add(-time.Hour)
	for i := from; i < to; i++ {
		gate, id := shares.Gate{ExpiresAt: &past}, fmt.Sprintf("%08d", i)
		key := fmt.Sprintf("%03d/%s.txt", i%500, id)
		path := filepath.Join(dir, "objects", key)
		file := &shares.File{ID: "f" + id, Slug: "f" + id, Gate: gate, StorageConfigID: "c", StoragePath: key, Filename: id,
			Size: 3, CreatedBy: "admin", CreatedAt: past, UpdatedAt: past, Version: 1}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("due"), 0o600),
			store.Pastes().Insert(ctx, benchPaste("n"+id, past, gate)), store.Files().Insert(ctx, file)); err != nil {
			return err
		}
	}
	return nil
}

func benchPaste(id string, at time.Time, gate shares.Gate) *shares.Paste {
	return &shares.Paste{ID: id, Slug: id, Gate: gate, Content: []byte("text"), Size: 4, CreatedBy: "admin", CreatedAt: at, UpdatedAt: at, Version: 1}
}

func p99(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*99/100]
}
