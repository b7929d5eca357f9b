//go:build bench

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
	"pasteport/ports/portstest/figures"
)

// storageBench compares what goes through the program to an S3 server with what
// goes straight there, in one run.
type storageBench struct {
	bench
	cloud   *s3test.Cloud
	addr    string // of the S3 server itself
	options map[string]string
	id      string // of the storage config
	mib     int64  // size of the large file
}

// TestBenchStorage measures with files of 256 MiB, or of PASTEPORT_BENCH_MIB.
func TestBenchStorage(t *testing.T) {
	b := &storageBench{bench: bench{t: t, dir: t.TempDir(), sheet: figures.New(t, "storage")}, mib: 256}
	if text := os.Getenv("PASTEPORT_BENCH_MIB"); text != "" {
		var err error
		if b.mib, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if b.cloud, err = s3test.Start("s3"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.cloud.Close() })
	os.Unsetenv("HTTP_PROXY") // the server itself is asked, without its strict proxy
	b.addr = b.cloud.Provider("s3").Addr()
	b.options = b.cloud.Config("s3", b.cloud.NewBucket(t, "s3")).Options
	b.options["endpoint_url"] = "http://" + b.addr
	b.p = start(t, filepath.Join(b.dir, "data"))
	b.admin = b.p.measuring()
	b.admin.put("/api/admin/settings/group/1", map[string]any{"max_upload_size": 8 * b.mib})
	fields := map[string]any{"name": "versity", "provider_type": "Other", "total_storage_bytes": int64(1) << 40}
	for key, value := range b.options {
		fields[key] = value
	}
	b.id = b.admin.configID(fields)
	b.mount()
	b.part("flow", b.flowRow)
	b.part("driver", b.driverRow)
	b.part("small", b.smallRow)
	b.part("uploads", b.uploadRows)
	b.part("large", b.largeRows)
	b.part("floor", b.floorRows)
	b.part("boundary", b.boundaryRows)
	b.part("search", b.searchRow)
	b.sheet.End()
}

// driverRow is the memory of the host and one driver after the share flows.
func (b *storageBench) driverRow() {
	letRest()
	host, driver := resident(b.pid(), "VmRSS"), 0.0
	for _, pid := range children(b.pid()) {
		driver += resident(pid, "VmRSS")
	}
	b.add("26 memory of the host and one driver after use", host+driver, "MiB", fmt.Sprintf("%.1f MiB (%.1f + %.1f)", host+driver, host, driver), "<= 71")
}

// here opens the bucket in this process.
func (b *storageBench) here() objstore.Bucket {
	bucket, err := s3.Driver().Open(b.t.Context(), objstore.Config{ID: "here", Options: b.options})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { bucket.Close() })
	return bucket
}

func (b *storageBench) flowRow() {
	bucket, content := b.here(), pattern(3, 64<<10)
	var ours, theirs []float64
	for i := range 100 {
		begin := time.Now()
		var data map[string]any
		b.admin.post("/api/s3/presign", map[string]any{"s3_config_id": b.id, "filename": fmt.Sprintf("flow%d.bin", i), "size": len(content)}).into(b.t, &data)
		b.p.visitor().send(http.MethodPut, data["upload_url"].(string), bytes.NewReader(content))
		if a := b.admin.post("/api/s3/commit", map[string]any{"file_id": data["file_id"]}); a.status != 200 {
			b.t.Fatalf("commit: %d %s", a.status, a.body)
		}
		ours = append(ours, float64(time.Since(begin)))
		begin = time.Now()
		key := fmt.Sprintf("own%d.bin", i)
		if _, err := bucket.Write(b.t.Context(), key, bytes.NewReader(content), objstore.WriteOptions{Size: int64(len(content))}); err != nil {
			b.t.Fatal(err)
		}
		if _, err := bucket.Stat(b.t.Context(), key); err != nil {
			b.t.Fatal(err)
		}
		theirs = append(theirs, float64(time.Since(begin)))
	}
	b.add("12 share flow presign + PUT + commit, p50, of the store's PUT + HEAD", median(ours)/median(theirs), "", fmt.Sprintf("%.2f (%v)", median(ours)/median(theirs),
		time.Duration(median(ours)).Round(10*time.Microsecond)), "<= 3")
}

// share stores size bytes and returns the address through the server and the
// one past it.
func (b *storageBench) share(slug string, size int64) (proxied, direct string) {
	if a := b.admin.send(http.MethodPut, "/api/upload-direct/"+slug+".bin?use_proxy=0&slug="+slug+"&s3_config_id="+b.id, filler(size)); a.status != 200 {
		b.t.Fatalf("upload: %d %s", a.status, a.body)
	}
	var info map[string]any
	b.p.visitor().get("/api/public/files/"+slug).into(b.t, &info)
	return b.p.url + "/api/file-download/" + slug, info["s3_direct_download_url"].(string)
}

// filler is a body of size bytes and unknown length.
func filler(size int64) io.Reader {
	piece := pattern(5, 1<<20)
	var pieces []io.Reader
	for at := int64(0); at < size; at += int64(len(piece)) {
		pieces = append(pieces, bytes.NewReader(piece[:min(int64(len(piece)), size-at)]))
	}
	return io.MultiReader(pieces...)
}

func (b *storageBench) smallRow() {
	proxied, direct := b.share("small", 1024)
	our, their, cpu, _, bad := b.pair(
		func() load { return b.wrk(b.pid(), 32, proxied, "") },
		func() load { return b.wrk(os.Getpid(), 32, direct, "") })
	b.add("13 proxied 1 KiB object, 32 connections, of direct", our/their, "", fmt.Sprintf("%.2f (%.0f/s; cpu %v)%s", our/their, our, cpu, badMark(bad)), ">= 0.40")
}

// uploadRows send forms and a WebDAV PUT through the server, and the same bytes
// straight. Browsers and curl say how long their forms are; one without a
// length has to go in parts.
func (b *storageBench) uploadRows() {
	b.uploadRow("18 form upload", ">= 0.8", "<= 32", func(name string) *http.Request { return b.formRequest(name, true) })
	b.uploadRow("18 form upload without a length", "", "<= 32", func(name string) *http.Request { return b.formRequest(name, false) })
	b.uploadRow("19 WebDAV PUT", ">= 0.8", "<= 8", func(name string) *http.Request {
		r := b.request(http.MethodPut, "/dav/s3/"+name, filler(b.mib<<20), b.mib<<20)
		r.SetBasicAuth("admin", adminPassword)
		return r
	})
}

func (b *storageBench) uploadRow(what, must, mustGrow string, request func(name string) *http.Request) {
	bucket, size := b.here(), b.mib<<20
	var ratios, speeds, cpu, grown []float64
	for i := range benchRounds {
		r := request(fmt.Sprintf("up%d.bin", i))
		os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", b.pid()), []byte("5"), 0)
		before, used, begin := resident(b.pid(), "VmRSS"), cpuTime(b.pid()), time.Now()
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			b.t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		our := time.Since(begin)
		if response.StatusCode > 299 {
			b.t.Fatalf("%s: %d %s", what, response.StatusCode, text)
		}
		cpu = append(cpu, (cpuTime(b.pid())-used).Seconds()/(float64(b.mib)/1024))
		grown = append(grown, resident(b.pid(), "VmHWM")-before)
		begin = time.Now()
		if _, err := bucket.Write(b.t.Context(), "straight", filler(size), objstore.WriteOptions{Size: size}); err != nil {
			b.t.Fatal(err)
		}
		ratios = append(ratios, float64(time.Since(begin))/float64(our))
		speeds = append(speeds, float64(b.mib)/our.Seconds())
	}
	b.add(fmt.Sprintf("%s of %d MiB to S3, of a direct PUT", what, b.mib), median(ratios), "", fmt.Sprintf("%.2f (%.0f MiB/s; cpu %.3f s/GiB)", median(ratios), median(speeds), median(cpu)), must)
	b.add(what+", memory growth", median(grown), "MiB", "", mustGrow)
}

// formRequest uploads a file by a form, whose length it may tell.
func (b *storageBench) formRequest(name string, known bool) *http.Request {
	var front bytes.Buffer
	form := multipart.NewWriter(&front)
	form.WriteField("s3_config_id", b.id)
	form.CreateFormFile("file", name)
	end := "\r\n--" + form.Boundary() + "--\r\n"
	length := int64(-1)
	if known {
		length = int64(front.Len()) + b.mib<<20 + int64(len(end))
	}
	r := b.request(http.MethodPost, "/api/upload", io.MultiReader(&front, filler(b.mib<<20), strings.NewReader(end)), length)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Authorization", b.admin.auth)
	return r
}

func (b *storageBench) request(method, path string, body io.Reader, length int64) *http.Request {
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.p.url+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.ContentLength = length
	return r
}

// mount makes the bucket a folder of the tree, /s3.
func (b *storageBench) mount() {
	a := b.admin.post("/api/admin/mounts", map[string]any{"name": "s3", "mount_path": "/s3", "storage_type": "S3", "storage_config_id": b.id})
	if a.status != http.StatusOK {
		b.t.Fatalf("mount: %d %s", a.status, a.body)
	}
}

// searchRow searches a mount of many objects before there is an index of it.
func (b *storageBench) searchRow() {
	const folders, files = 100, 1000
	bucket := b.cloud.NewBucket(b.t, "s3")
	root := b.cloud.Provider("s3").Folder(bucket)
	for i := range folders {
		dir := filepath.Join(root, fmt.Sprintf("folder-%02d", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.t.Fatal(err)
		}
		for k := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%02d-%03d.txt", i, k)), nil, 0o600); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	options := b.cloud.Config("s3", bucket).Options
	fields := map[string]any{"name": "many", "provider_type": "Other", "total_storage_bytes": int64(1) << 40}
	for key, value := range options {
		fields[key] = value
	}
	fields["endpoint_url"] = "http://" + b.addr
	id := b.admin.configID(fields)
	if a := b.admin.post("/api/admin/mounts", map[string]any{"name": "many", "mount_path": "/many", "storage_type": "S3", "storage_config_id": id}); a.status != http.StatusOK {
		b.t.Fatalf("mount: %d %s", a.status, a.body)
	}
	begin := time.Now()
	var found searched
	a := b.admin.get("/api/fs/search?q=file-99&limit=1&scope=directory&path=/many/")
	if a.into(b.t, &found); a.status != http.StatusOK {
		b.t.Fatalf("search: %d %s", a.status, a.body)
	}
	took := time.Since(begin)
	b.add("24 search of 100,000 objects in S3 without an index", float64(took.Milliseconds()), "ms", fmt.Sprintf("%d ms (%d found, partial %t, from the index %t)",
		took.Milliseconds(), found.Total, found.Partial, found.IndexedAt != nil), "")
}

func (b *storageBench) largeRows() {
	size := b.mib << 20
	proxied, direct := b.share("large", size)
	between, nginxPID := b.nginxBefore(direct)
	relayed, relayPID := b.relayBefore("copy", direct)
	spliced, splicePID := b.relayBefore("splice", direct)
	for _, streams := range []int{1, 4} {
		var ratios, speeds, cpu, nginxCPU, relays, relayCPU, splices, spliceCPU []float64
		for range transferRounds {
			our, ourCPU, _ := b.read(proxied, size, streams, b.pid())
			their, _, _ := b.read(direct, size, streams, os.Getpid())
			_, nginx, _ := b.read(between, size, streams, nginxPID)
			least, leastCPU, _ := b.read(relayed, size, streams, relayPID)
			splice, by, _ := b.read(spliced, size, streams, splicePID)
			ratios, speeds, relays, splices = append(ratios, our/their), append(speeds, our), append(relays, least/their), append(splices, splice/their)
			cpu, nginxCPU, relayCPU, spliceCPU = append(cpu, ourCPU), append(nginxCPU, nginx), append(relayCPU, leastCPU), append(spliceCPU, by)
		}
		row := map[int]string{1: "14", 4: "15"}[streams]
		b.add(fmt.Sprintf("%s proxied %d MiB, %d streams, of direct", row, b.mib, streams), median(ratios), "", fmt.Sprintf("%.2f (%.0f MiB/s)", median(ratios), median(speeds)),
			map[int]string{1: ">= 0.80", 4: ">= 0.55"}[streams])
		b.add(fmt.Sprintf("%s a relay that copies, %d streams, of direct", row, streams), median(relays), "", fmt.Sprintf("%.2f (%.3f s)", median(relays), median(relayCPU)), "")
		b.add(fmt.Sprintf("%s a relay that splices, %d streams, of direct", row, streams), median(splices), "", fmt.Sprintf("%.2f (%.3f s)", median(splices), median(spliceCPU)), "")
		b.add(fmt.Sprintf("16 CPU per GiB proxied, %d streams, of nginx proxying", streams), median(cpu)/median(nginxCPU), "", fmt.Sprintf("%.2f (%.3f s)", median(cpu)/median(nginxCPU), median(cpu)), "<= 2.5")
	}
	larger, _ := b.share("larger", 4*size)
	for address, size := range map[string]int64{proxied: size, larger: 4 * size} {
		_, _, grown := b.read(address, size, 4, b.pid())
		b.add(fmt.Sprintf("17 memory growth during 4 downloads of %d MiB", size>>20), grown, "MiB", "", "<= 16")
	}
}

// read reads an address of size bytes by streams at once: MiB/s, CPU seconds of
// the process per GiB, and how many MiB it grew.
func (b *storageBench) read(address string, size int64, streams, pid int) (speed, cpu, grown float64) {
	os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	before, used, begin := resident(pid, "VmRSS"), cpuTime(pid), time.Now()
	var readers sync.WaitGroup
	for range streams {
		readers.Go(func() {
			response, err := http.Get(address)
			if err != nil {
				b.t.Error(err)
				return
			}
			defer response.Body.Close()
			if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, response.Body, make([]byte, 256<<10)); err != nil || n != size {
				b.t.Errorf("%s: %d, %d bytes, %v", address, response.StatusCode, n, err)
			}
		})
	}
	readers.Wait()
	mib := float64(size>>20) * float64(streams)
	return mib / time.Since(begin).Seconds(), (cpuTime(pid) - used).Seconds() / (mib / 1024), resident(pid, "VmHWM") - before
}

// relayBefore starts a relay in front of the S3 server and returns the address
// there and its process.
func (b *storageBench) relayBefore(way, direct string) (address string, pid int) {
	at, pid := startRelay(b.t, way, b.addr)
	return "http://" + at + direct[len("http://"+b.addr):], pid
}

// nginxBefore starts nginx as a proxy in front of the S3 server and returns the
// address there and its process.
func (b *storageBench) nginxBefore(direct string) (address string, pid int) {
	root := filepath.Join(b.dir, "nginx")
	if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	at := portstest.FreeAddress(b.t)
	conf := fmt.Sprintf(`daemon off; worker_processes 2; user root; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path %[1]s/tmp; proxy_temp_path %[1]s/tmp; fastcgi_temp_path %[1]s/tmp; uwsgi_temp_path %[1]s/tmp; scgi_temp_path %[1]s/tmp;
 server { listen %[2]s; location / { proxy_pass http://%[3]s; proxy_set_header Host %[3]s; proxy_http_version 1.1; proxy_max_temp_file_size 0; } } }`, root, at, b.addr)
	path := filepath.Join(root, "nginx.conf")
	os.WriteFile(path, []byte(conf), 0o644)
	cmd := exec.Command("nginx", "-c", path, "-p", root)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	address = "http://" + at + direct[len("http://"+b.addr):]
	portstest.Eventually(b.t, func() bool { return answers("http://" + at + "/healthy") }, "nginx starts")
	return address, cmd.Process.Pid
}

// boundaryRows use one bucket in this process and through a driver's.
func (b *storageBench) boundaryRows() {
	command := pluginhost.Self(s3.Name)
	command.Path = binary(b.t)
	host := pluginhost.New(pluginhost.Options{Processes: map[string]pluginhost.Command{s3.Name: command}, Logger: slog.New(slog.DiscardHandler)})
	b.t.Cleanup(func() { host.Close() })
	driver, err := host.Driver(s3.Name)
	if err != nil {
		b.t.Fatal(err)
	}
	there, err := driver.Open(b.t.Context(), objstore.Config{ID: "there", Options: b.options})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { there.Close() })
	here := b.here()
	for i := range 1000 {
		if _, err := here.Write(b.t.Context(), fmt.Sprintf("list/%04d", i), bytes.NewReader(nil), objstore.WriteOptions{}); err != nil {
			b.t.Fatal(err)
		}
	}
	list := func(bucket objstore.Bucket) float64 {
		begin := time.Now()
		page, err := bucket.List(b.t.Context(), objstore.ListQuery{Prefix: "list/", Limit: 1000})
		if err != nil || len(page.Objects) != 1000 {
			b.t.Fatalf("%d objects, %v", len(page.Objects), err)
		}
		return float64(time.Since(begin))
	}
	read := func(bucket objstore.Bucket) float64 {
		begin := time.Now()
		body, err := bucket.Read(context.Background(), "straight", objstore.Range{})
		if err != nil {
			b.t.Fatal(err)
		}
		defer body.Close()
		if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, body, make([]byte, 256<<10)); err != nil || n != b.mib<<20 {
			b.t.Fatalf("%d bytes, %v", n, err)
		}
		return float64(time.Since(begin))
	}
	var lists, reads []float64
	for range 25 { // short calls, which one disturbance spoils
		lists = append(lists, list(there)/list(here))
		reads = append(reads, read(here)/read(there))
	}
	b.add("28 list of 1,000 through the plugin boundary, time of in process", median(lists), "", "", "<= 1.10")
	b.add(fmt.Sprintf("28 read of %d MiB through the plugin boundary, speed of in process", b.mib), median(reads), "", "", ">= 0.95")
}
