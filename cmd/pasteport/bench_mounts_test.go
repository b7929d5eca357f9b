//go:build bench

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBenchMounts measures mounts alone, without a peer:
// go test -tags bench -run BenchMounts.
func TestBenchMounts(t *testing.T) {
	b := &bench{t: t, dir: t.TempDir()}
	b.p = start(t, filepath.Join(b.dir, "data"), "PASTEPORT_LOG_LEVEL=warn")
	b.admin = b.p.admin()
	b.listRows() // makes the folder of 10,000 files
	b.propfindRow()
	b.print()
}

// propfindRow lists the folder of listRows over WebDAV from a warm cache.
func (b *bench) propfindRow() {
	ask := func() {
		r, err := http.NewRequestWithContext(b.t.Context(), "PROPFIND", b.p.url+"/dav/local/big/", strings.NewReader(""))
		if err != nil {
			b.t.Fatal(err)
		}
		r.SetBasicAuth("admin", adminPassword)
		r.Header.Set("Depth", "1")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.t.Fatal(err)
		}
		defer resp.Body.Close()
		var body bytes.Buffer
		if _, err := body.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusMultiStatus || bytes.Count(body.Bytes(), []byte("<D:response>"))+bytes.Count(body.Bytes(), []byte("<d:response>")) < 10_000 {
			b.t.Fatalf("PROPFIND: %d, %d bytes, %v", resp.StatusCode, body.Len(), err)
		}
	}
	ask()
	var took []float64
	const times = 21
	used := cpuTime(b.pid())
	for range times {
		begin := time.Now()
		ask()
		took = append(took, time.Since(begin).Seconds())
	}
	cpu := (cpuTime(b.pid()) - used) / times
	b.add("22 PROPFIND of 10,000 warm", fmt.Sprintf("%.1f ms (cpu %v)", median(took)*1000, cpu), "reported")
}
