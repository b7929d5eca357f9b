package s3test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Line is a network path to a server which can be disturbed.
type Line struct {
	Addr  string // host:port to use in place of the server's
	proxy *toxiproxy.Proxy
	t     testing.TB
}

// NewLine starts a path to the server at addr (host:port).
func NewLine(t testing.TB, addr string) *Line {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", addr)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return &Line{p.Listen, p, t}
}

// Disturb adds a toxic until cure is called: its kind and attributes are those
// of toxiproxy. upstream disturbs what clients send, else what they receive.
func (l *Line) Disturb(kind string, upstream bool, attributes map[string]int) (cure func()) {
	l.t.Helper()
	direction := "downstream"
	if upstream {
		direction = "upstream"
	}
	toxic, err := json.Marshal(map[string]any{"name": kind, "type": kind, "stream": direction, "attributes": attributes})
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(string(toxic))); err != nil {
		l.t.Fatal(err)
	}
	return func() {
		if err := l.proxy.Toxics.RemoveToxic(context.Background(), kind); err != nil {
			l.t.Error(err)
		}
	}
}

// Cut ends all connections and refuses new ones until restore is called.
func (l *Line) Cut() (restore func()) {
	l.proxy.Stop()
	return func() {
		if err := l.proxy.Start(); err != nil {
			l.t.Error(err)
		}
	}
}
