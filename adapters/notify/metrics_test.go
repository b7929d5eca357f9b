package notify

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pasteport/domain/events"
)

type standings struct {
	all    []events.Health
	outbox time.Time
	err    error
}

func (s standings) Standing(context.Context) ([]events.Health, time.Time, error) {
	return s.all, s.outbox, s.err
}

func (standings) Attempts() map[events.Type]events.Tally {
	return map[events.Type]events.Tally{events.Ntfy: {Sent: 3, Failed: 1}}
}

func TestTheMetricsOfDeliveriesKeepTheSitesAndThoseOfAccountsApart(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	of := func(s standings) string {
		registry, w := prometheus.NewPedanticRegistry(), httptest.NewRecorder()
		registry.MustRegister(NewMetrics(s, func() time.Time { return now }))
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	text := of(standings{outbox: now.Add(-time.Minute), all: []events.Health{
		{Active: true, Waiting: 2, Dead: 1, Oldest: now.Add(-time.Hour)},
		{Waiting: 5, Oldest: now.Add(-48 * time.Hour)}, // switched off: nothing of it is late
		{Own: true, Active: true, Dead: 4},
	}})
	for _, want := range []string{
		`pasteport_event_attempts_total{result="failed",type="ntfy"} 1`, `pasteport_event_attempts_total{result="sent",type="ntfy"} 3`,
		`pasteport_event_deliveries{owner="site",status="waiting"} 7`, `pasteport_event_deliveries{owner="site",status="dead"} 1`,
		`pasteport_event_deliveries{owner="account",status="waiting"} 0`, `pasteport_event_deliveries{owner="account",status="dead"} 4`,
		`pasteport_event_oldest_waiting_seconds{owner="site"} 3600`, `pasteport_event_oldest_waiting_seconds{owner="account"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if text := of(standings{outbox: now.Add(-time.Minute)}); !strings.Contains(text, `pasteport_event_oldest_waiting_seconds{owner="site"} 60`) {
		t.Errorf("what lies in the outbox does not count: %s", text)
	}
	if text := of(standings{err: errors.New("away")}); strings.Contains(text, "deliveries") || !strings.Contains(text, "attempts") {
		t.Errorf("without a database: %s", text)
	}
}
