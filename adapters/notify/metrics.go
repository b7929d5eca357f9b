package notify

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/domain/events"
)

var (
	attempts = prometheus.NewDesc("pasteport_event_attempts_total",
		"Attempts of this node to deliver notifications, by the type of channel and how they ended.", []string{"type", "result"}, nil)
	deliveries = prometheus.NewDesc("pasteport_event_deliveries",
		"Notifications on all nodes that wait or were given up, by whose the channels are.", []string{"owner", "status"}, nil)
	oldest = prometheus.NewDesc("pasteport_event_oldest_waiting_seconds",
		"How long ago the oldest event happened that a channel has not got, 0 for none.", []string{"owner"}, nil)
)

// scrapeTime bounds what a scrape may wait for the database.
const scrapeTime = 2 * time.Second

// Standings are what is told of the deliveries, as events.Events tells it.
type Standings interface {
	Standing(ctx context.Context) (all []events.Health, outbox time.Time, err error)
	Attempts() map[events.Type]events.Tally
}

// metrics shows how deliveries do.
type metrics struct {
	of  Standings
	now func() time.Time
}

// NewMetrics returns the metrics of deliveries.
func NewMetrics(of Standings, now func() time.Time) prometheus.Collector { return metrics{of, now} }

// Describe implements prometheus.Collector.
func (metrics) Describe(to chan<- *prometheus.Desc) {
	to <- attempts
	to <- deliveries
	to <- oldest
}

// Collect implements prometheus.Collector. What the database does not tell in time
// is left out.
func (m metrics) Collect(to chan<- prometheus.Metric) {
	for kind, n := range m.of.Attempts() {
		for result, count := range map[string]int64{"sent": n.Sent, "failed": n.Failed} {
			to <- prometheus.MustNewConstMetric(attempts, prometheus.CounterValue, float64(count), string(kind), result)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	all, outbox, err := m.of.Standing(ctx)
	if err != nil {
		return
	}
	sums := map[string]*sum{"site": {oldest: outbox}, "account": {}}
	for _, h := range all {
		owner := "site"
		if h.Own {
			owner = "account"
		}
		sums[owner].add(h)
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for owner, s := range sums {
		gauge(deliveries, float64(s.waiting), owner, string(events.Waiting))
		gauge(deliveries, float64(s.dead), owner, string(events.Dead))
		age := 0.0
		if !s.oldest.IsZero() {
			age = max(m.now().Sub(s.oldest).Seconds(), 0)
		}
		gauge(oldest, age, owner)
	}
}

// sum is how several channels do.
type sum struct {
	waiting, dead int
	oldest        time.Time
}

// add adds a channel. Of one that is switched off nothing is late.
func (s *sum) add(h events.Health) {
	s.waiting += h.Waiting
	s.dead += h.Dead
	if h.Active && !h.Oldest.IsZero() && (s.oldest.IsZero() || h.Oldest.Before(s.oldest)) {
		s.oldest = h.Oldest
	}
}
