package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// elsewhere is another site with one file, on the loopback.
func elsewhere(t *testing.T, content []byte) (address, hostPort string) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "chart.bin", time.Date(2026, 11, 21, 0, 8, 12, 0, time.UTC), bytes.NewReader(content))
	}))
	t.Cleanup(site.Close)
	return site.URL + "/%E6%B5%B7%E5%9B%BE.bin", strings.TrimPrefix(site.URL, "http://")
}

// localConfig is the id of the storage config that a first start makes.
func localConfig(t *testing.T, c client) any {
	t.Helper()
	var configs []map[string]any
	c.get("/api/s3-configs").into(t, &configs)
	if len(configs) == 0 {
		t.Fatal("there is no storage config")
	}
	return configs[0]["id"]
}

func TestAFileOfAnotherSiteComesInPartsThroughTheProxy(t *testing.T) {
	content := pattern(7, 12<<20+345)
	address, allowed := elsewhere(t, content)
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW="+allowed)
	key, _ := p.admin().key("fetcher", 2, "/")

	proxy := "/api/url/proxy?url=" + url.QueryEscape(address)
	if a := p.visitor().get(proxy); a.status != http.StatusForbidden {
		t.Fatalf("the proxy before info: %d %s", a.status, a.body)
	}
	var info map[string]any
	key.post("/api/url/info", map[string]any{"url": address}).into(t, &info)
	if info["filename"] != "海图.bin" || info["size"] != float64(len(content)) || info["method"] != "HEAD" {
		t.Fatalf("info: %v", info)
	}
	fetched := p.visitor().get(proxy)
	if fetched.status != 200 || hash(fetched.body) != hash(content) || fetched.header.Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("proxy: %d, %d bytes, %v", fetched.status, len(fetched.body), fetched.header)
	}

	begin := func(slug string) map[string]any {
		var data map[string]any
		a := key.post("/api/url/multipart/init", map[string]any{"url": address, "s3_config_id": localConfig(t, key), "slug": slug, "filename": "海图.bin",
			"part_size": 5 << 20, "total_size": len(content), "part_count": 3})
		if a.status != 200 {
			t.Fatalf("init: %d %s", a.status, a.body)
		}
		a.into(t, &data)
		return data
	}
	up := begin("chart")
	var parts []map[string]any
	for i, link := range up["presigned_urls"].([]any) {
		from := i * (5 << 20)
		put := p.visitor().send(http.MethodPut, link.(map[string]any)["url"].(string), bytes.NewReader(fetched.body[from:min(from+5<<20, len(content))]),
			"Content-Type", "application/octet-stream")
		if put.status != 200 || put.header.Get("ETag") == "" {
			t.Fatalf("part %d: %d %s", i+1, put.status, put.body)
		}
		parts = append([]map[string]any{{"PartNumber": i + 1, "ETag": put.header.Get("ETag")}}, parts...)
	}
	var done map[string]any
	key.post("/api/url/multipart/complete", map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"], "parts": parts}).into(t, &done)
	if done["size"] != float64(len(content)) || done["url"] != p.url+"/file/chart" {
		t.Fatalf("complete: %v", done)
	}
	if a := p.visitor().get("/api/file-download/chart"); a.status != 200 || hash(a.body) != hash(content) {
		t.Fatalf("download: %d, %d bytes", a.status, len(a.body))
	}

	given := begin("given-up")
	if a := key.post("/api/url/multipart/abort", map[string]any{"file_id": given["file_id"], "upload_id": given["upload_id"]}); a.status != 200 {
		t.Fatalf("abort: %d %s", a.status, a.body)
	}
	link := given["presigned_urls"].([]any)[0].(map[string]any)["url"].(string)
	if a := p.visitor().send(http.MethodPut, link, strings.NewReader("late")); a.status != http.StatusForbidden {
		t.Errorf("a part after the abort: %d %s", a.status, a.body)
	}
}

func TestAFileOfAnotherSiteComesInOnePieceAndMayBeCancelled(t *testing.T) {
	content := pattern(8, 300_000)
	address, allowed := elsewhere(t, content)
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW="+allowed)
	admin := p.admin()
	presign := func(slug string) map[string]any {
		var data map[string]any
		a := admin.post("/api/url/presign", map[string]any{"url": address, "s3_config_id": localConfig(t, admin), "slug": slug, "metadata": map[string]any{"source_url": address}})
		if a.status != 200 {
			t.Fatalf("presign: %d %s", a.status, a.body)
		}
		a.into(t, &data)
		put := p.visitor().send(http.MethodPut, data["upload_url"].(string), bytes.NewReader(content))
		if put.status != 200 {
			t.Fatalf("PUT: %d %s", put.status, put.body)
		}
		return data
	}
	up := presign("one")
	if a := admin.post("/api/url/commit", map[string]any{"file_id": up["file_id"]}); a.status != 200 {
		t.Fatalf("commit: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/one"); a.status != 200 || hash(a.body) != hash(content) {
		t.Fatalf("view: %d, %d bytes", a.status, len(a.body))
	}
	up = presign("two")
	if a := admin.post("/api/url/cancel", map[string]any{"file_id": up["file_id"]}); a.status != 200 {
		t.Fatalf("cancel: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/two"); a.status != http.StatusNotFound {
		t.Errorf("after cancel: %d", a.status)
	}
}

func TestAnAddressAnnouncedOnOneNodeIsReadThroughTheOther(t *testing.T) {
	content := pattern(9, 10_000)
	address, allowed := elsewhere(t, content)
	one, two, _ := twoNodes(t, "PASTEPORT_FETCH_ALLOW="+allowed)
	proxy := "/api/url/proxy?url=" + url.QueryEscape(address)
	if a := two.visitor().get(proxy); a.status != http.StatusForbidden {
		t.Fatalf("before info: %d %s", a.status, a.body)
	}
	if a := one.admin().post("/api/url/info", map[string]any{"url": address}); a.status != http.StatusOK {
		t.Fatalf("info: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool { return hash(two.visitor().get(proxy).body) == hash(content) })
}

func TestURLUploadsReachNothingOfOurNetwork(t *testing.T) {
	trap, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer trap.Close()
	var seen atomic.Int64
	go func() {
		for {
			conn, err := trap.Accept()
			if err != nil {
				return
			}
			seen.Add(1)
			conn.Close()
		}
	}()
	port := trap.Addr().(*net.TCPAddr).Port
	p := start(t, t.TempDir())
	admin := p.admin()
	message := ""
	for _, address := range []string{
		p.url + "/api/health", p.internal + "/metrics", fmt.Sprintf("http://127.0.0.1:%d/", port), fmt.Sprintf("http://localhost:%d/", port),
		fmt.Sprintf("http://[::1]:%d/", port), fmt.Sprintf("http://[::ffff:127.0.0.1]:%d/", port), fmt.Sprintf("http://0.0.0.0:%d/", port),
		"http://127.0.0.1:1/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1:80/", "http://127.0.0.1/", "http://[::1]:443/",
	} {
		a := admin.post("/api/url/info", map[string]any{"url": address})
		e := a.envelope(t)
		if message == "" {
			message = e.Message
		}
		if a.status != http.StatusBadRequest || e.Error != "invalid_argument" || e.Message != message {
			t.Errorf("%s: %d %s", address, a.status, a.body)
		}
		if a := admin.post("/api/url/presign", map[string]any{"url": address, "s3_config_id": localConfig(t, admin)}); a.status != http.StatusBadRequest {
			t.Errorf("presign %s: %d %s", address, a.status, a.body)
		}
		if a := p.visitor().get("/api/url/proxy?url=" + url.QueryEscape(address)); a.status != http.StatusForbidden {
			t.Errorf("proxy %s: %d %s", address, a.status, a.body)
		}
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("the canary saw %d connections", n)
	}
	bare := p.visitor().post("/api/url/info", map[string]any{"url": "http://example.com/"})
	if bare.status != http.StatusUnauthorized {
		t.Errorf("nobody asks for info: %d", bare.status)
	}
}

// fetched waits for a task and returns it.
func (c client) fetched(t *testing.T, id any) map[string]any {
	t.Helper()
	var task map[string]any
	portstest.Eventually(t, func() bool {
		a := c.get("/api/fs/tasks/" + id.(string))
		if a.status != http.StatusOK {
			t.Fatalf("task: %d %s", a.status, a.body)
		}
		task = a.object(t)["data"].(map[string]any)
		s := task["status"]
		return s != "pending" && s != "running" && s != "interrupted"
	}, "the task ends")
	return task
}

func TestTheServerFetchesAFileByItself(t *testing.T) {
	content := pattern(9, 12<<20+345)
	address, allowed := elsewhere(t, content)
	stuck := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		if r.Method == http.MethodGet {
			fmt.Fprint(w, "begin")
			w.(http.Flusher).Flush()
			select {
			case <-stuck:
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(func() { close(stuck); slow.Close() })
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW="+allowed+","+strings.TrimPrefix(slow.URL, "http://"))
	key, _ := p.admin().key("fetcher", 2, "/")
	other, _ := p.admin().key("other", 2, "/")
	begin := func(address, slug string) (answer, map[string]any) {
		a := key.post("/api/url/fetch", map[string]any{"url": address, "s3_config_id": localConfig(t, key), "slug": slug, "password": "harbour"})
		var data map[string]any
		if a.status == http.StatusOK {
			a.into(t, &data)
		}
		return a, data
	}
	_, up := begin(address, "chart")
	if up["slug"] != "chart" || up["filename"] != "海图.bin" || up["url"] != p.url+"/file/chart" {
		t.Fatalf("got %v", up)
	}
	if a, _ := begin(address, "chart"); a.status != http.StatusConflict {
		t.Errorf("the link is taken: %d %s", a.status, a.body)
	}
	task := key.fetched(t, up["task_id"])
	if task["status"] != "completed" || task["type"] != "fetch" || task["title"] != "海图.bin" || task["bytes"].(map[string]any)["done"] != float64(len(content)) {
		t.Errorf("got %v", task)
	}
	if a := p.visitor().get("/api/file-download/chart?password=harbour"); a.status != http.StatusOK || hash(a.body) != hash(content) {
		t.Errorf("download: %d, %d bytes", a.status, len(a.body))
	}
	if a := other.get("/api/fs/tasks/" + up["task_id"].(string)); a.status != http.StatusNotFound {
		t.Errorf("another key: %d %s", a.status, a.body)
	}

	_, lost := begin(strings.TrimSuffix(address, "/%E6%B5%B7%E5%9B%BE.bin")+"/x.bin", "lost") // any path is the same file
	if task := key.fetched(t, lost["task_id"]); task["status"] != "completed" {
		t.Errorf("got %v", task)
	}
	for _, refused := range []string{"http://127.0.0.1:1/x.bin", "http://169.254.169.254/latest", "file:///etc/passwd"} {
		if a, _ := begin(refused, ""); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", refused, a.status, a.body)
		}
	}

	// Two run and the third waits: each gives its link back at once.
	var given []map[string]any
	for _, slug := range []string{"given-1", "given-2", "given-up"} {
		_, data := begin(slow.URL+"/y.bin", slug)
		given = append(given, data)
	}
	for _, data := range slices.Backward(given) {
		if a := key.post("/api/fs/tasks/"+data["task_id"].(string)+"/cancel", map[string]any{}); a.status != http.StatusOK {
			t.Fatalf("cancel: %d %s", a.status, a.body)
		}
		if task := key.fetched(t, data["task_id"]); task["status"] != "cancelled" {
			t.Errorf("got %v", task)
		}
	}
	if a, _ := begin(address, "given-up"); a.status != http.StatusOK {
		t.Errorf("the link is not free again: %d %s", a.status, a.body)
	}
}

func TestAFetchThatFailedIsRepeatedWithItsShare(t *testing.T) {
	var up atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !up.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, "ship ahoy")
	}))
	t.Cleanup(site.Close)
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW="+strings.TrimPrefix(site.URL, "http://"))
	key, _ := p.admin().key("fetcher", 2, "/")
	tasks := map[string]string{}
	for slug, password := range map[string]string{"open": "", "closed": "harbour"} {
		var data map[string]any
		key.post("/api/url/fetch", map[string]any{"url": site.URL + "/a.txt", "s3_config_id": localConfig(t, key), "slug": slug, "password": password}).into(t, &data)
		tasks[slug] = data["task_id"].(string)
		if task := key.fetched(t, tasks[slug]); task["status"] != "failed" {
			t.Fatalf("%s: got %v", slug, task)
		}
	}
	up.Store(true)
	if a := key.post("/api/fs/tasks/"+tasks["closed"]+"/retry", map[string]any{}); a.status != http.StatusConflict {
		t.Errorf("its password is kept nowhere: %d %s", a.status, a.body)
	}
	if a := key.post("/api/fs/tasks/"+tasks["open"]+"/retry", map[string]any{}); a.status != http.StatusOK {
		t.Fatalf("retry: %d %s", a.status, a.body)
	}
	if task := key.fetched(t, tasks["open"]); task["status"] != "completed" {
		t.Errorf("got %v", task)
	}
	if a := p.visitor().get("/api/file-download/open"); a.status != http.StatusOK || string(a.body) != "ship ahoy" {
		t.Errorf("download: %d %s", a.status, a.body)
	}
}
