//go:build bench

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"pasteport/plugins/local"
	"pasteport/ports/objstore"
)

// listRows list a folder of 10,000 files: cold against the driver's own ten
// pages, and warm.
func (b *bench) listRows() {
	const files = 10_000
	dir := filepath.Join(b.p.dir, localFolder)
	if err := os.MkdirAll(filepath.Join(dir, "big"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, "big", fmt.Sprintf("file-%d.txt", i)), []byte("x"), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	bucket, err := local.Driver{}.Open(b.t.Context(), objstore.Config{ID: "bench", Options: map[string]string{"directory": dir}})
	if err != nil {
		b.t.Fatal(err)
	}
	defer bucket.Close()
	var pages, cold, warm []float64
	list := func(target string) float64 {
		begin := time.Now()
		if a := b.admin.get(target); a.status != http.StatusOK || len(a.body) < 100*files {
			b.t.Fatalf("list: %d, %d bytes", a.status, len(a.body))
		}
		return time.Since(begin).Seconds()
	}
	for range 7 {
		begin := time.Now()
		for q := (objstore.ListQuery{Prefix: "big/", Delimiter: "/"}); ; {
			page, err := bucket.List(b.t.Context(), q)
			if err != nil {
				b.t.Fatal(err)
			}
			if q.Token = page.Next; q.Token == "" {
				break
			}
		}
		pages = append(pages, time.Since(begin).Seconds())
		b.admin.post("/api/admin/cache/clear", map[string]any{})
		cold = append(cold, list("/api/fs/list?path=/local/big"))
		warm = append(warm, list("/api/fs/list?path=/local/big"))
	}
	b.add("20 list 10,000 cold, against the store's own ten pages", median(cold)/median(pages), "", fmt.Sprintf("%.2f (%.0f ms / %.0f ms)", median(cold)/median(pages), median(cold)*1000, median(pages)*1000), "<= 1.5")
	b.add("21 list 10,000 warm", median(warm)*1000, "ms", "", "")
}
