package events

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/ports/portstest"
)

// slow takes every message, in its time.
type slow time.Duration

func (s slow) Send(context.Context, Target, Message) Outcome {
	time.Sleep(time.Duration(s))
	return Outcome{Status: 204}
}

// Two nodes would else tell a slow receiver the same again and again.
func TestABatchEndsBeforeItsLeaseHoweverSlowTheReceiver(t *testing.T) {
	for name, subjects := range map[string][]string{"one subject": {"a"}, "many subjects": {"a", "b", "c", "d", "e", "f", "g", "h"}} {
		synctest.Test(t, func(t *testing.T) {
			e := New(Deps{Sender: slow(14 * time.Second), Clock: portstest.NewClock()})
			due := make([]Delivery, batch)
			for i := range due {
				due[i] = Delivery{N: int64(i), Event: Noted{Subject: subjects[i%len(subjects)]}, Status: Waiting}
			}
			for _, left := range []time.Duration{roundLength, -time.Second} {
				began := time.Now()
				tried, _ := e.attempt(t.Context(), Target{Type: Webhook}, due, began.Add(left))
				if took := time.Since(began); took >= leaseLength || len(tried) == 0 {
					t.Errorf("%s: %d were tried in %s", name, len(tried), took)
				}
			}
		})
	}
}
