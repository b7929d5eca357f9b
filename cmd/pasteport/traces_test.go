package main

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"pasteport/ports/portstest"
)

// spanSink is a collector that keeps the spans it is sent.
type spanSink struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*otlp.Span
	raw   strings.Builder // everything, as JSON
}

func newSpanSink(t *testing.T) *spanSink {
	s := &spanSink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent collector.ExportTraceServiceRequest
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &sent) != nil {
			t.Errorf("no export: %s %v", r.URL.Path, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		text, _ := protojson.Marshal(&sent)
		s.raw.Write(text)
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				s.spans = append(s.spans, scope.Spans...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return s
}

// of are the spans of a trace by name.
func (s *spanSink) of(trace string) map[string]*otlp.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]*otlp.Span{}
	for _, span := range s.spans {
		if hex.EncodeToString(span.TraceId) == trace {
			found[span.Name] = span
		}
	}
	return found
}

// TestTracesGoFromABrowsersUploadToItsCommit also looks that nothing private is in
// any span.
func TestTracesGoFromABrowsersUploadToItsCommit(t *testing.T) {
	sink := newSpanSink(t)
	p := start(t, t.TempDir(), "PASTEPORT_TRACE_ENDPOINT="+sink.URL, "PASTEPORT_LOG_FORMAT=json")
	admin := p.admin()
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	traced := []string{"Traceparent", "00-" + trace + "-00f067aa0ba902b7-00"} // the flag says no, the server decides

	if page := p.visitor().get("/"); !strings.Contains(string(page.body), `"tracing":true`) {
		t.Error("pages do not know that traces are recorded")
	}
	var configs []struct{ ID string }
	admin.get("/api/s3-configs").into(t, &configs)
	var place struct {
		UploadURL string `json:"upload_url"`
		FileID    string `json:"file_id"`
	}
	admin.post("/api/s3/presign", map[string]any{"s3_config_id": configs[0].ID, "filename": "private-name.txt", "size": 5, "password": "private-password", "slug": "private-slug"}, traced...).into(t, &place)
	if a := admin.send(http.MethodPut, place.UploadURL, strings.NewReader("hello"), traced...); a.status != http.StatusOK {
		t.Fatalf("put: %d %s", a.status, a.body)
	}
	if a := admin.post("/api/s3/commit", map[string]any{"file_id": place.FileID, "size": 5}, traced...); a.status != http.StatusOK {
		t.Fatalf("commit: %d %s", a.status, a.body)
	}
	p.visitor().get("/api/public/files/private-slug?password=private-query", traced...)
	p.visitor().send("private-METHOD", "/private-path?private-query=1", nil, traced...)
	// A task is part of the trace that started it.
	if a := admin.post("/api/admin/reconciliations", map[string]any{"storage_id": configs[0].ID}, traced...); a.status != http.StatusOK {
		t.Fatalf("check the storage: %d %s", a.status, a.body)
	}

	t.Cleanup(func() {
		if t.Failed() {
			t.Log(slices.Sorted(maps.Keys(sink.of(trace))))
		}
	})
	want := []string{"POST /api/s3/presign", "PUT /api/blob/{token}/{name}", "POST /api/s3/commit", "policy.decide", "storage.stat", "db INSERT", "db.transaction", "task reconcile"}
	var spans map[string]*otlp.Span
	portstest.Eventually(t, func() bool {
		spans = sink.of(trace)
		return !slices.ContainsFunc(want, func(name string) bool { return spans[name] == nil })
	}, "spans "+strings.Join(want, ", "))
	if spans["POST /api/s3/commit"].Kind != otlp.Span_SPAN_KIND_SERVER || hex.EncodeToString(spans["POST /api/s3/commit"].ParentSpanId) != "00f067aa0ba902b7" {
		t.Errorf("the commit is no child of the browser's span: %v", spans["POST /api/s3/commit"])
	}

	r, _ := http.NewRequest(http.MethodGet, p.internal+"/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if text, _ := io.ReadAll(a.Body); !strings.Contains(string(text), `# {trace_id="`+trace+`"}`) {
		t.Error("the histogram has no exemplar of the trace")
	}
	if p.stop() != 0 {
		t.Error("the stop failed")
	}
	named := false
	for line := range strings.Lines(p.log.String()) {
		var attrs map[string]any
		if json.Unmarshal([]byte(line), &attrs) == nil && attrs["op"] == "file.commit" {
			named = attrs["trace_id"] == trace
		}
	}
	if !named {
		t.Error("the log line of the commit does not name its trace")
	}
	for _, secret := range []string{"private", adminPassword, strings.TrimPrefix(admin.auth, "Bearer "), strings.Split(place.UploadURL, "/api/blob/")[1]} {
		if strings.Contains(sink.raw.String(), secret) {
			t.Errorf("a span holds %q", secret)
		}
	}
}

func TestWithoutACollectorPagesTellNothingOfTraces(t *testing.T) {
	p := start(t, t.TempDir())
	if page := p.visitor().get("/"); strings.Contains(string(page.body), "tracing") {
		t.Errorf("%s", page.body)
	}
}
