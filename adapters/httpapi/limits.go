package httpapi

import (
	"net/netip"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// TrafficLimits are the rates kept in memory on this node (decision 49). Zero
// means the default in the comment, negative means no limit. Limits on failed
// guesses and unknown links belong to the use cases.
type TrafficLimits struct {
	Off bool // none of them, for load tests

	AnonymousReads int // anonymous reads of shares a minute and address: 600
	NewShares      int // new shares a minute and key: 120
	URLFetches     int // calls to foreign hosts a minute and key: 20
	HeavyCalls     int // copies, searches and archives of one caller at once: 4
}

// limits counts traffic by address and by key.
type limits struct {
	reads, shares, fetches *bucketTable
	rules                  ruleRates
	heavy                  *ownGates // nil: no limit
}

func newLimits(l TrafficLimits, clock ports.Clock) *limits {
	table := func(n, fallback int) *bucketTable {
		if n == 0 {
			n = fallback
		}
		if l.Off || n < 0 {
			return nil
		}
		return newBucketTable(n, clock)
	}
	heavy := &ownGates{each: l.HeavyCalls, at: map[subject]*ownGate{}}
	switch {
	case l.Off || l.HeavyCalls < 0:
		heavy = nil
	case l.HeavyCalls == 0:
		heavy.each = 4
	}
	return &limits{heavy: heavy, reads: table(l.AnonymousReads, 600), shares: table(l.NewShares, 120), fetches: table(l.URLFetches, 20),
		rules: ruleRates{off: l.Off, clock: clock}}
}

// subject is what a bucket counts: an address or the id of a key.
type subject struct {
	addr netip.Addr
	id   string
}

// admit counts the call against its limit.
func (l *limits) admit(x *exchange) error {
	var wait time.Duration
	switch rate := x.route.op.Rate; {
	case rate == ShareRead && !x.authenticated():
		wait = l.reads.take(subject{addr: x.client.key()})
	case rate == ShareWrite && x.who.Kind == policy.APIKey:
		wait = l.shares.take(subject{id: x.who.ID})
	case rate == URLFetch && x.who.Kind == policy.APIKey:
		wait = l.fetches.take(subject{id: x.who.ID})
	}
	if wait > 0 {
		e := *errTraffic
		e.RetryAfter = wait
		return &e
	}
	return nil
}

// ruleRates counts callers against the rates that rules demand, one table for
// each rate.
type ruleRates struct {
	off   bool
	clock ports.Clock

	mu sync.Mutex
	of map[int64]*bucketTable
}

// maxRates bounds the tables; past it all counts begin anew.
const maxRates = 64

// take counts a request of the caller, or returns how long to wait.
func (r *ruleRates) take(perMinute int64, s subject) time.Duration {
	if r.off {
		return 0
	}
	perMinute = min(perMinute, 1<<30)
	r.mu.Lock()
	table, known := r.of[perMinute]
	if !known {
		if r.of == nil || len(r.of) >= maxRates {
			r.of = map[int64]*bucketTable{}
		}
		table = newBucketTable(int(perMinute), r.clock)
		r.of[perMinute] = table
	}
	r.mu.Unlock()
	return table.take(s)
}

// rate counts the request once against the rate of a rule.
func (x *exchange) rate(perMinute int64) error {
	x.mu.Lock()
	counted := x.rated
	x.rated = true
	x.mu.Unlock()
	if counted {
		return nil
	}
	who := x.caller()
	if !x.authenticated() {
		who = subject{addr: x.client.key()}
	}
	if wait := x.api.limits.rules.take(perMinute, who); wait > 0 {
		e := *errTraffic
		e.RetryAfter = wait
		return &e
	}
	return nil
}

// bucketTable holds a token bucket for each subject: a minute's worth, filled
// at the same rate. A nil table limits nothing.
type bucketTable struct {
	perMinute float64
	clock     ports.Clock

	mu      sync.Mutex
	buckets map[subject]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets bounds the memory of a table. Full buckets are dropped first;
// they say nothing.
const maxBuckets = 1 << 16

func newBucketTable(perMinute int, clock ports.Clock) *bucketTable {
	return &bucketTable{perMinute: float64(perMinute), clock: clock, buckets: map[subject]bucket{}}
}

// take uses one token, or returns how long to wait for the next.
func (t *bucketTable) take(s subject) time.Duration {
	if t == nil {
		return 0
	}
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	b, known := t.buckets[s]
	if !known {
		if len(t.buckets) >= maxBuckets {
			t.drop(now)
		}
		b = bucket{tokens: t.perMinute, at: now}
	}
	if b = t.filled(b, now); b.tokens < 1 {
		return time.Duration((1 - b.tokens) / t.perMinute * float64(time.Minute))
	}
	b.tokens--
	t.buckets[s] = b
	return 0
}

func (t *bucketTable) filled(b bucket, now time.Time) bucket {
	if passed := now.Sub(b.at); passed > 0 {
		b.tokens = min(t.perMinute, b.tokens+passed.Minutes()*t.perMinute)
		b.at = now
	}
	return b
}

// drop forgets the buckets that are full again, else all of them: too many
// subjects at once is no reason to use more memory.
func (t *bucketTable) drop(now time.Time) {
	for s, b := range t.buckets {
		if t.filled(b, now).tokens >= t.perMinute {
			delete(t.buckets, s)
		}
	}
	if len(t.buckets) >= maxBuckets {
		clear(t.buckets)
	}
}
