package boundary

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pasteport/plugins/s3"
	"pasteport/ports/objstore"
)

// pair is a bucket opened in this process and again in a driver process.
func pair(b *testing.B) map[string]objstore.Bucket {
	b.Helper()
	config := cloud.Config("s3", cloud.NewBucket(b, "s3"))
	config.Options["endpoint_url"] = "http://" + cloud.Provider("s3").Addr() // past the proxy
	inside, err := s3.Driver().Open(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	d, err := host.Driver("s3")
	if err != nil {
		b.Fatal(err)
	}
	outside, err := d.Open(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { inside.Close(); outside.Close() })
	return map[string]objstore.Bucket{"in process": inside, "behind the boundary": outside}
}

func BenchmarkList1000(b *testing.B) {
	buckets := pair(b)
	for i := range objstore.MaxList {
		if _, err := buckets["in process"].Write(b.Context(), fmt.Sprintf("many/%04d", i), strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
			b.Fatal(err)
		}
	}
	for name, bucket := range buckets {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				page, err := bucket.List(b.Context(), objstore.ListQuery{Prefix: "many/"})
				if err != nil || len(page.Objects) != objstore.MaxList {
					b.Fatalf("%d objects, %v", len(page.Objects), err)
				}
			}
		})
	}
}

func BenchmarkRead256MiB(b *testing.B) {
	buckets := pair(b)
	const size = 256 << 20
	if _, err := buckets["in process"].Write(b.Context(), "big", io.LimitReader(zeros{}, size), objstore.WriteOptions{Size: size}); err != nil {
		b.Fatal(err)
	}
	for name, bucket := range buckets {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				body, err := bucket.Read(b.Context(), "big", objstore.Range{})
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, body)
				body.Close()
				if err != nil || n != size {
					b.Fatalf("%d bytes, %v", n, err)
				}
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
