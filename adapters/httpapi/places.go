package httpapi

import (
	"context"
	"sync"
	"time"

	"pasteport/adapters/httpapi/listen"
	"pasteport/ports"
)

// What callers are told who must come back later.
var (
	errTraffic  = &ports.Error{Code: ports.RateLimited, Key: "rate_limited"}
	errOverload = &ports.Error{Code: ports.Unavailable, Key: "overloaded"}
)

// places are counted by who takes them.
type places struct {
	all, each int // bounds

	mu      sync.Mutex
	taken   int
	of      map[string]int
	refused time.Time // when the last one was refused because all were taken
}

// newPlaces makes as many places as all, of which one may take each.
func newPlaces(all, each int) *places { return &places{all: all, each: each} }

// enter takes a place, waiting for one up to admissionWait. Returns RateLimited
// when the caller has too many, Unavailable when all are taken.
func (p *places) enter(ctx context.Context, who string) error {
	var full error
	for tries := 0; ; tries++ {
		if full = p.try(who); full == nil || tries == 50 {
			return full
		}
		select {
		case <-time.After(admissionWait / 50):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *places) try(who string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	refusal := errOverload
	switch {
	case p.of[who] >= p.each:
		refusal = errTraffic
	case p.taken < p.all:
		if p.of == nil {
			p.of = map[string]int{}
		}
		p.taken++
		p.of[who]++
		return nil
	default:
		p.refused = time.Now()
	}
	e := *refusal
	e.RetryAfter = admissionWait
	return &e
}

func (p *places) leave(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.of[who]--; p.of[who] <= 0 {
		delete(p.of, who)
	}
}

// crowded reports whether somebody was lately refused because all were taken.
func (p *places) crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken >= p.all || time.Since(p.refused) < listen.PacedGrace
}

// busy reports whether a place is taken.
func (p *places) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken > 0
}

// admissionWait is how long a call waits for room before it is refused.
const admissionWait = 2 * time.Second

// gate lets in as many calls at once as it has places.
type gate struct {
	places chan struct{}
	leave  func() // gives a place back
}

func newGate(n int) gate {
	places := make(chan struct{}, n)
	return gate{places, func() { <-places }}
}

// enter waits a little for a place; full is the answer when there is none.
func (g gate) enter(ctx context.Context, full *ports.Error) (leave func(), err error) {
	select {
	case g.places <- struct{}{}:
		return g.leave, nil
	default:
	}
	timer := time.NewTimer(admissionWait)
	defer timer.Stop()
	select {
	case g.places <- struct{}{}:
		return g.leave, nil
	case <-timer.C:
		e := *full
		e.RetryAfter = admissionWait
		return nil, &e
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ownGates are the gates of single callers, as long as somebody stands at them.
type ownGates struct {
	each int
	mu   sync.Mutex
	at   map[subject]*ownGate
}

type ownGate struct {
	gate
	users int
}

// newOwnGates makes gates that let in each calls of a caller at once.
func newOwnGates(each int) *ownGates { return &ownGates{each: each, at: map[subject]*ownGate{}} }

// of returns the gate of a caller, and what to call when it is not needed any
// more.
func (g *ownGates) of(who subject) (own gate, forget func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at[who]
	if at == nil {
		at = &ownGate{gate: newGate(g.each)}
		g.at[who] = at
	}
	at.users++
	return at.gate, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if at.users--; at.users == 0 {
			delete(g.at, who)
		}
	}
}
