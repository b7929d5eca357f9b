package httpapi

import (
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
	RequestFiles   int // files announced, sent and completed for requests a minute and address: 240
	HeavyCalls     int // copies, searches and archives of one caller at once: 4
}

// limits counts traffic by address and by key.
type limits struct {
	reads, shares, fetches, sends *bucketTable
	rules                         *ruleRates
	heavy                         *ownGates // nil: no limit
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
	var heavy *ownGates
	switch {
	case l.Off || l.HeavyCalls < 0:
	case l.HeavyCalls == 0:
		heavy = newOwnGates(4)
	default:
		heavy = newOwnGates(l.HeavyCalls)
	}
	return &limits{heavy: heavy, reads: table(l.AnonymousReads, 600), shares: table(l.NewShares, 120), fetches: table(l.URLFetches, 20), sends: table(l.RequestFiles, 240),
		rules: newRuleRates(l.Off, clock)}
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
	case rate == RequestSend:
		wait = l.sends.take(subject{addr: x.client.key()})
	}
	if wait > 0 {
		e := *errTraffic
		e.RetryAfter = wait
		return &e
	}
	return nil
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
