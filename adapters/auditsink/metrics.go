package auditsink

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/domain/audit"
)

var (
	unsent = prometheus.NewDesc("pasteport_audit_stream_unsent",
		"Entries of this node's audit log that have not arrived at a place elsewhere.", []string{"sink"}, nil)
	failing = prometheus.NewDesc("pasteport_audit_stream_failing_seconds",
		"For how long nothing has got there; 0 while it does.", []string{"sink"}, nil)
	lost = prometheus.NewDesc("pasteport_audit_stream_lost",
		"Entries that were removed before they were sent.", []string{"sink"}, nil)
)

// scrapeTime bounds what a scrape may wait for the database.
const scrapeTime = 2 * time.Second

// metrics shows how the streams of the audit log do.
type metrics struct{ audit *audit.Audit }

// NewMetrics returns the metrics of an audit log's streams.
func NewMetrics(a *audit.Audit) prometheus.Collector { return metrics{a} }

// Describe implements prometheus.Collector.
func (metrics) Describe(to chan<- *prometheus.Desc) {
	to <- unsent
	to <- failing
	to <- lost
}

// Collect implements prometheus.Collector.
func (m metrics) Collect(to chan<- prometheus.Metric) {
	states := m.audit.Streams()
	if len(states) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	left, err := m.audit.Unsent(ctx)
	for _, s := range states {
		if err == nil {
			to <- prometheus.MustNewConstMetric(unsent, prometheus.GaugeValue, float64(left[s.Sink]), s.Sink)
		}
		seconds := 0.0
		if !s.Failing.IsZero() {
			seconds = time.Since(s.Failing).Seconds()
		}
		to <- prometheus.MustNewConstMetric(failing, prometheus.GaugeValue, seconds, s.Sink)
		to <- prometheus.MustNewConstMetric(lost, prometheus.GaugeValue, float64(s.Lost), s.Sink)
	}
}
