package listen

import (
	"context"
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"pasteport/adapters/httpapi/content"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Probe is one part of the server that readiness depends on.
type Probe struct {
	Name string
	// Check returns an error while the part cannot work. It is given 2 s.
	Check func(ctx context.Context) error
	// Optional parts are reported but do not fail readiness.
	Optional bool
}

// ProbeOptions are what the internal listener tells.
type ProbeOptions struct {
	Metrics  *prometheus.Registry // required
	Probes   []Probe
	Draining func() bool // nil: never
	// Startup tells how far the start is, 0 to 100; nil: always 100.
	Startup func() int
	// Doctor answers /doctor; nil for none. It admits its callers itself.
	Doctor http.Handler
	// StorageChecks answers /storage-checks; nil for none. It admits its callers
	// itself.
	StorageChecks http.Handler
}

// probeTime is how long one check may take.
const probeTime = 2 * time.Second

// NewInternal makes the handler of the internal listener: /livez, /readyz,
// /startupz, /metrics, /doctor and the profiles of the Go runtime. It must not be
// reachable from outside.
func NewInternal(o ProbeOptions) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	m.HandleFunc("GET /readyz", o.ready)
	m.HandleFunc("GET /startupz", o.started)
	if o.Doctor != nil {
		m.Handle("GET /doctor", o.Doctor)
	}
	if o.StorageChecks != nil {
		m.Handle("/storage-checks", o.StorageChecks)
	}
	m.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	m.HandleFunc("GET /debug/pprof/", pprof.Index)
	m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return m
}

// ready answers 200 when every part that must work does.
func (o *ProbeOptions) ready(w http.ResponseWriter, r *http.Request) {
	var report strings.Builder
	ok := true
	if o.Draining != nil && o.Draining() {
		ok = false
		report.WriteString("draining\n")
	}
	for _, p := range o.Probes {
		took, err := p.run(r.Context())
		word := "ok"
		if err != nil {
			word = "failed"
			if p.Optional {
				word = "degraded"
			} else {
				ok = false
			}
		}
		fmt.Fprintf(&report, "%s %s %s\n", p.Name, word, took.Round(time.Microsecond))
	}
	w.Header()["Content-Type"] = content.PlainText
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	if _, verbose := r.URL.Query()["verbose"]; verbose {
		fmt.Fprint(w, report.String())
		return
	}
	if ok {
		fmt.Fprintln(w, "ok")
	} else {
		fmt.Fprintln(w, "not ready")
	}
}

func (p Probe) run(ctx context.Context) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	start := time.Now()
	err = p.Check(ctx)
	return time.Since(start), err
}

// started answers 200 when migrations are done, else how far they are.
func (o *ProbeOptions) started(w http.ResponseWriter, _ *http.Request) {
	done := 100
	if o.Startup != nil {
		done = o.Startup()
	}
	w.Header()["Content-Type"] = content.PlainText
	if done < 100 {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprintf(w, "%d%%\n", done)
}
