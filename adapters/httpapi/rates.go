package httpapi

import (
	"net/netip"
	"sync"
	"time"

	"pasteport/ports"
)

// subject is what a bucket counts: an address or the id of a key.
type subject struct {
	addr netip.Addr
	id   string
}

// ruleRates counts callers against the rates that rules demand, one table for
// each rate.
type ruleRates struct {
	off   bool
	clock ports.Clock

	mu sync.Mutex
	of map[int64]*bucketTable
}

// newRuleRates makes tables by this clock; off ones count nothing.
func newRuleRates(off bool, clock ports.Clock) *ruleRates { return &ruleRates{off: off, clock: clock} }

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
