package events

import (
	"context"
	"sync/atomic"
	"time"

	"pasteport/ports"
)

// Health is how a channel does.
type Health struct {
	Name     string
	Own      bool   // an account's, not the site's
	Active   bool   // switched on
	Stopped  string // why the server switched it off itself; empty: it did not
	Failures int    // deliveries in a row that found nobody
	// Waiting and Dead count its deliveries; Oldest is when the event of the first
	// that waits happened, zero for none.
	Waiting, Dead int
	Oldest        time.Time
}

// Standing tells how all channels do, and when the oldest event happened that no
// channel has been given yet; zero for none. It asks no policy: it is for metrics
// and for the doctor, who has asked.
func (e *Events) Standing(ctx context.Context) (all []Health, outbox time.Time, err error) {
	all, outbox, err = e.d.Deliveries.Standing(ctx)
	return all, outbox, ports.Wrap("look how channels do", err)
}

// Tally counts attempts of this process.
type Tally struct{ Sent, Failed int64 }

type tally struct{ sent, failed atomic.Int64 }

func newTallies() map[Type]*tally {
	all := map[Type]*tally{}
	for _, t := range Types {
		all[t] = &tally{}
	}
	return all
}

// Attempts counts the attempts of this process to deliver, by the type of channel;
// tests of channels are none.
func (e *Events) Attempts() map[Type]Tally {
	all := map[Type]Tally{}
	for t, n := range e.attempts {
		all[t] = Tally{Sent: n.sent.Load(), Failed: n.failed.Load()}
	}
	return all
}

// count counts an attempt.
func (e *Events) count(t Type, out Outcome) {
	switch n := e.attempts[t]; {
	case n == nil:
	case out.Problem == "":
		n.sent.Add(1)
	default:
		n.failed.Add(1)
	}
}
