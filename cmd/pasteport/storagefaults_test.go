package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports/portstest"
)

// troubled is a program with the storage "s3", which fails as a test says, and
// its own disk. On both lies the file content, as the shares "far" and "near".
type troubled struct {
	*program
	admin   client
	faults  *s3test.Faulty
	id      string // of the config
	content []byte
}

func startTroubled(t *testing.T, env ...string) *troubled {
	t.Helper()
	cloud, err := s3test.Start("s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &troubled{faults: s3test.NewFaulty(t, cloud.Provider("s3").Addr()), content: pattern(7, 4<<20)}
	p.program = start(t, t.TempDir(), env...)
	p.admin = p.program.admin()
	fields := map[string]any{"name": "far away", "provider_type": "Other", "path_style": true}
	for key, value := range cloud.Config("s3", cloud.NewBucket(t, "s3")).Options {
		fields[key] = value
	}
	fields["endpoint_url"] = p.faults.URL
	p.id = p.admin.configID(fields)
	for slug, query := range map[string]string{"far": "&s3_config_id=" + p.id, "near": ""} {
		a := p.admin.send(http.MethodPut, "/api/upload-direct/"+slug+".bin?slug="+slug+query, bytes.NewReader(p.content))
		if a.status/100 != 2 {
			t.Fatalf("upload: %d %s", a.status, a.body)
		}
	}
	p.admin.post("/api/paste", map[string]any{"content": "a text", "slug": "text"})
	return p
}

// always gives every request the fault.
func always(f s3test.Fault) func(*http.Request) s3test.Fault {
	return func(*http.Request) s3test.Fault { return f }
}

// others fails the test when texts, the local disk or the panel suffer.
func (p *troubled) others() {
	p.t.Helper()
	if a := p.visitor().get("/api/raw/text"); a.status != 200 || string(a.body) != "a text" {
		p.t.Errorf("a text: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-download/near"); a.status != 200 || !bytes.Equal(a.body, p.content) {
		p.t.Errorf("a file on the disk: %d, %d bytes", a.status, len(a.body))
	}
	if a := p.admin.get("/api/admin/dashboard/stats"); a.status != 200 {
		p.t.Errorf("the dashboard: %d %s", a.status, a.body)
	}
}

type healthAnswer struct{ State, Since, Message string }

// health is what the panel shows of the config.
func (p *troubled) health() healthAnswer {
	p.t.Helper()
	var configs []struct {
		ID     string
		Health healthAnswer
	}
	p.admin.get("/api/s3-configs", "Accept-Language", "en").into(p.t, &configs)
	for _, c := range configs {
		if c.ID == p.id {
			return c.Health
		}
	}
	p.t.Fatalf("no config %s among %v", p.id, configs)
	return healthAnswer{}
}

func (p *troubled) download() (answer, error) {
	return p.visitor().try(http.MethodGet, "/api/file-download/far", nil)
}

func TestReliability2_3_AFailingStorageAnswersAsPromisedAndTroublesNobodyElse(t *testing.T) {
	p := startTroubled(t)
	if h := p.health(); h.State != "ok" || h.Message != "" || h.Since == "" {
		t.Errorf("at first: %+v", h)
	}
	for name, c := range map[string]struct {
		refusal *s3test.Refusal
		message string
	}{
		"wrong keys": {&s3test.Refusal{Status: 403, Code: "AccessDenied"}, "refused"},
		"no session": {&s3test.Refusal{Status: 401, Code: "Unauthorized"}, "refused"},
		"clock":      {s3test.Skewed(time.Hour), "seconds apart"},
	} {
		p.faults.Fail(always(s3test.Fault{Refusal: c.refusal}))
		a, err := p.download()
		if err != nil || a.status != http.StatusBadGateway || !strings.Contains(string(a.body), "存储服务拒绝了请求") {
			t.Errorf("%s: %d %s, %v", name, a.status, a.body, err)
		}
		if h := p.health(); h.State != "refused" || !strings.Contains(h.Message, c.message) {
			t.Errorf("%s: the config is shown as %+v", name, h)
		}
		p.others()
	}

	p.faults.Fail(nil)
	if a, err := p.download(); err != nil || a.status != 200 || !bytes.Equal(a.body, p.content) || p.health().State != "ok" {
		t.Fatalf("back again: %d, %d bytes, %v, %+v", a.status, len(a.body), err, p.health())
	}

	p.faults.Fail(s3test.Times(2, s3test.Method(http.MethodGet), s3test.Fault{Refusal: &s3test.Refusal{Status: 503, Code: "SlowDown"}}))
	if a, err := p.download(); err != nil || a.status != 200 {
		t.Errorf("two failures were not outlasted: %d %s, %v", a.status, a.body, err)
	}

	p.faults.Fail(always(s3test.Fault{Refusal: &s3test.Refusal{Status: 500, Code: "InternalError"}}))
	for range 10 {
		var callers sync.WaitGroup
		for range 12 { // together, so that enough failures are near each other on a slow machine too
			callers.Go(func() {
				a, err := p.download()
				if err != nil || a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
					t.Errorf("a storage that fails: %d %s, %v", a.status, a.body, err)
				}
			})
		}
		callers.Wait()
		if p.health().State == "down" {
			break
		}
	}
	if h := p.health(); h.State != "down" || h.Message == "" {
		t.Errorf("after many failures: %+v", h)
	}
	before := p.faults.Requests()
	for range 20 {
		if a, err := p.download(); err != nil || a.status != http.StatusServiceUnavailable {
			t.Fatalf("a storage that is down: %d %s, %v", a.status, a.body, err)
		}
	}
	if asked := p.faults.Requests() - before; asked >= 20 {
		t.Errorf("it was asked %d times while it is down", asked)
	}
	p.others()
	if m := p.visitor().get(p.internal + "/metrics"); !strings.Contains(string(m.body), `pasteport_storage_down{config="`+p.id+`"} 1`) {
		t.Error("the metrics do not tell that the storage is down")
	}
	if !strings.Contains(p.log.String(), "storage is down") {
		t.Error("the log does not tell that the storage is down")
	}
	p.faults.Fail(nil)
	portstest.Eventually(t, func() bool {
		a, err := p.download()
		return err == nil && a.status == 200 && bytes.Equal(a.body, p.content)
	})
	if h := p.health(); h.State != "ok" {
		t.Errorf("at the end: %+v", h)
	}
}

func TestReliability2_3_AHangingStorageIsGivenUpWhileOthersAreServed(t *testing.T) {
	t.Parallel()
	p := startTroubled(t)
	p.faults.Fail(always(s3test.Fault{Hang: true}))
	const callers = 100
	answers := make(chan answer, callers)
	var wg sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), patience) // the storage would hang for ever
	defer cancel()
	for range callers {
		wg.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/file-download/far", nil)
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Errorf("no answer: %v", err)
				return
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			answers <- answer{resp.StatusCode, resp.Header, body}
		})
	}
	portstest.Eventually(t, func() bool { // more than the storage may have are turned away while it hangs
		return strings.Contains(string(p.visitor().get(p.internal+"/metrics").body), `pasteport_storage_calls_in_flight{config="`+p.id+`"} 64`)
	})
	for range 3 {
		p.others()
	}
	wg.Wait()
	close(answers)
	for a := range answers {
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	}
	p.faults.Fail(nil)
	portstest.Eventually(t, func() bool { a, err := p.download(); return err == nil && a.status == 200 })
}

func TestReliability2_3_ACutDownloadIsWholeOrSeenToBeCut(t *testing.T) {
	p := startTroubled(t)
	p.faults.Fail(s3test.Times(2, s3test.Method(http.MethodGet), s3test.Fault{Cut: 1 << 20}))
	if a, err := p.download(); err != nil || !bytes.Equal(a.body, p.content) {
		t.Errorf("cut twice: %d bytes, %v", len(a.body), err)
	}
	for name, after := range map[string]s3test.Fault{
		"always cut":      {Cut: 1 << 20, ETag: "first"},
		"another version": {ETag: "second", PastConditions: true},
		"gone":            {Refusal: &s3test.Refusal{Status: 404, Code: "NoSuchKey"}},
		"refused":         {Refusal: &s3test.Refusal{Status: 403, Code: "AccessDenied"}},
	} {
		first := s3test.Times(1, s3test.Method(http.MethodGet), s3test.Fault{Cut: 1 << 20})
		p.faults.Fail(func(r *http.Request) s3test.Fault {
			if f := first(r); f.Cut > 0 {
				return f
			}
			return after
		})
		a, err := p.download()
		if err == nil || a.status != 200 || a.header.Get("Content-Length") != strconv.Itoa(len(p.content)) {
			t.Errorf("%s: %d, length %s, %v", name, a.status, a.header.Get("Content-Length"), err)
		}
		if len(a.body) >= len(p.content) || !bytes.HasPrefix(p.content, a.body) {
			t.Errorf("%s: %d bytes that are not the front of the file", name, len(a.body))
		}
		p.others()
	}
}

func TestReliability2_4_AKilledDriverCostsNeitherUploadNorDownload(t *testing.T) {
	p := startTroubled(t)
	kill := func() {
		t.Helper()
		var pid int
		portstest.Eventually(t, func() bool { pid = p.driverPID("/proc/self/exe\x00driver\x00s3"); return pid > 0 })
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	body, sink := io.Pipe()
	result := make(chan answer, 1)
	go func() {
		a, err := p.admin.try(http.MethodPut, "/api/upload-direct/new.bin?slug=new&s3_config_id="+p.id, body)
		if err != nil {
			t.Error(err)
		}
		result <- a
	}()
	sent := pattern(9, 20<<20)
	for part := range 4 { // parts are signed by the driver as they come
		if part == 2 {
			kill()
		}
		if _, err := sink.Write(sent[part*5<<20 : (part+1)*5<<20]); err != nil {
			t.Fatal(err)
		}
		p.others()
	}
	sink.Close()
	if a := <-result; a.status/100 != 2 {
		t.Errorf("the upload ended with %d %s", a.status, a.body)
	}

	resp, err := http.Get(p.url + "/api/file-download/new")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make([]byte, 1<<20)
	if _, err := io.ReadFull(resp.Body, got); err != nil {
		t.Fatal(err)
	}
	kill()
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(append(got, rest...), sent) {
		t.Errorf("the download: %d of %d bytes, %v", len(got)+len(rest), len(sent), err)
	}
	if a, err := p.download(); err != nil || a.status != 200 {
		t.Errorf("afterwards: %d %s, %v", a.status, a.body, err)
	}
	p.others()
}
