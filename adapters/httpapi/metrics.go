package httpapi

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the Prometheus series of the edge. Labels hold operation names,
// never slugs or paths.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytesOut *prometheus.CounterVec
	inFlight atomic.Int64
	limited  prometheus.Counter
	replays  prometheus.Counter
	panics   prometheus.Counter
}

func newMetrics(registry *prometheus.Registry) *metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pasteport_http_requests_total",
			Help: "Answered requests by operation, status class and kind of caller."}, []string{"op", "class", "auth"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "pasteport_http_request_duration_seconds",
			Help: "Time from the request's header to the end of the answer.", Buckets: prometheus.ExponentialBuckets(0.00025, 4, 10)}, []string{"op"}),
		bytesOut: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pasteport_http_response_bytes_total",
			Help: "Bytes of answer bodies."}, []string{"op"}),
		limited: counter("pasteport_http_limited_total", "Requests refused by a rate or concurrency limit."),
		replays: counter("pasteport_idempotency_replays_total", "Answers repeated for an idempotency key."),
		panics:  counter("pasteport_http_panics_total", "Handlers that panicked."),
	}
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pasteport_http_requests_in_flight", Help: "Requests under way."},
		func() float64 { return float64(m.inFlight.Load()) })
	registry.MustRegister(m.requests, m.seconds, m.bytesOut, inFlight, m.limited, m.replays, m.panics)
	return m
}

// authKinds are the values of the label auth.
var authKinds = [...]string{"anonymous", "apikey", "admin"}

// opMetrics are the series of one operation: by status class (index 0 is 1xx)
// and kind of caller. Each is looked up once, when it is first counted, so that
// what never happens takes no room.
type opMetrics struct {
	op       string
	all      *metrics
	requests [5][len(authKinds)]atomic.Pointer[prometheus.Counter]
	once     sync.Once
	seconds  prometheus.Observer
	bytesOut prometheus.Counter
}

func (m *metrics) of(op string) *opMetrics {
	return &opMetrics{op: op, all: m}
}

func (o *opMetrics) observe(x *exchange, seconds float64) {
	kind := 0
	for i, name := range authKinds {
		if string(x.who.Kind) == name {
			kind = i
		}
	}
	o.counter(min(max(x.status/100-1, 0), 4), kind).Inc()
	o.once.Do(func() {
		o.seconds, o.bytesOut = o.all.seconds.WithLabelValues(o.op), o.all.bytesOut.WithLabelValues(o.op)
	})
	if x.span != nil && x.span.IsRecording() { // the trace of a slow request is found from the histogram
		o.seconds.(prometheus.ExemplarObserver).ObserveWithExemplar(seconds, prometheus.Labels{"trace_id": x.span.SpanContext().TraceID().String()})
	} else {
		o.seconds.Observe(seconds)
	}
	o.bytesOut.Add(float64(x.bytes))
}

func (o *opMetrics) counter(class, kind int) prometheus.Counter {
	slot := &o.requests[class][kind]
	if c := slot.Load(); c != nil {
		return *c
	}
	c := o.all.requests.WithLabelValues(o.op, strconv.Itoa(class+1)+"xx", authKinds[kind])
	slot.Store(&c)
	return c
}
