//go:build bench

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/ports/portstest"
	"pasteport/ports/portstest/figures"
)

// TestBenchMounts measures mounts alone:
// go test -tags bench -run BenchMounts.
func TestBenchMounts(t *testing.T) {
	b := &bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "mounts")}
	b.p = start(t, filepath.Join(b.dir, "data"), "PASTEPORT_LOG_LEVEL=warn")
	b.admin = b.p.measuring()
	b.listRows() // makes the folder of 10,000 files
	b.propfindRow()
	b.floorLists()
	b.sheet.End()
}

// propfindRow lists the folder of listRows over WebDAV from a warm cache, in turn
// with nginx, which reads the same folder from the disk and packs nothing.
func (b *bench) propfindRow() {
	nginx, nginxPID := b.nginxDAV(filepath.Join(b.p.dir, localFolder))
	for _, c := range []struct{ what, coding, must string }{
		{"22 PROPFIND of 10,000 warm, time of nginx on local files", "identity", "<= 1.0"},
		{"22 the same packed, for distant clients", "gzip", ""},
	} {
		b.propfind(b.p.url+"/dav/local/big/", c.coding)
		var ratios, took []float64
		var cpu, nginxCPU time.Duration
		const times = 21
		for range times {
			our, used := b.timed(b.pid(), b.p.url+"/dav/local/big/", c.coding)
			their, theirs := b.timed(nginxPID, nginx+"/big/", c.coding)
			ratios, took = append(ratios, our/their), append(took, our)
			cpu, nginxCPU = cpu+used, nginxCPU+theirs
		}
		b.add(c.what, median(ratios), "", fmt.Sprintf("%.2f (%.1f ms; cpu %v against %v)", median(ratios), median(took)*1000, cpu/times, nginxCPU/times), c.must)
	}
}

// timed takes the time of a PROPFIND and the CPU of the process that answers.
func (b *bench) timed(pid int, address, coding string) (seconds float64, cpu time.Duration) {
	used, begin := cpuTime(pid), time.Now()
	b.propfind(address, coding)
	return time.Since(begin).Seconds(), cpuTime(pid) - used
}

// propfind asks for an answer in a content coding and reads it.
func (b *bench) propfind(address, coding string) {
	r, err := http.NewRequestWithContext(b.t.Context(), "PROPFIND", address, strings.NewReader(""))
	if err != nil {
		b.t.Fatal(err)
	}
	r.SetBasicAuth("admin", adminPassword)
	r.Header.Set("Depth", "1")
	r.Header.Set("Accept-Encoding", coding)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	var content io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if content, err = gzip.NewReader(resp.Body); err != nil {
			b.t.Fatal(err)
		}
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(content); err != nil || resp.StatusCode != http.StatusMultiStatus || bytes.Count(bytes.ToLower(body.Bytes()), []byte("<d:response>")) < 10_000 {
		b.t.Fatalf("PROPFIND %s: %d, %d bytes, %v", address, resp.StatusCode, body.Len(), err)
	}
}

// nginxDAV starts nginx as a WebDAV server over a folder and returns its
// address and its process.
func (b *bench) nginxDAV(folder string) (address string, pid int) {
	root := filepath.Join(b.dir, "nginx-dav")
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	at := portstest.FreeAddress(b.t)
	conf := fmt.Sprintf(`load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
daemon off; worker_processes 2; user root; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path %[1]s/tmp; proxy_temp_path %[1]s/tmp; fastcgi_temp_path %[1]s/tmp; uwsgi_temp_path %[1]s/tmp; scgi_temp_path %[1]s/tmp;
 server { listen %[2]s; root %[3]s; location / { dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS; } } }`, root, at, folder)
	path := filepath.Join(root, "nginx.conf")
	os.WriteFile(path, []byte(conf), 0o644)
	cmd := exec.Command("nginx", "-c", path, "-p", root)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	portstest.Eventually(b.t, func() bool { return answers("http://" + at + "/") }, "nginx starts")
	return "http://" + at, cmd.Process.Pid
}
