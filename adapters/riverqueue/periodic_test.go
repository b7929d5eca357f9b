package riverqueue

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

func TestOneNodeDoesARoundAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		var often, daily, underWay atomic.Int64
		work := []Periodic{
			{Name: "often", Every: time.Second, Do: func(context.Context) {
				if underWay.Add(1) > 1 {
					t.Error("two rounds at once")
				}
				<-time.After(1500 * time.Millisecond) // longer than the interval
				underWay.Add(-1)
				often.Add(1)
			}},
			{Name: "daily", Every: 24 * time.Hour, AtStart: true, Do: func(context.Context) { daily.Add(1) }},
			{Name: "later", Every: time.Hour, Do: func(context.Context) { t.Error("done at the start") }},
		}
		start(t, b.queue(t, 2, work...), &runner{})
		if !b.sqlite {
			start(t, base{b.open(t), false, b.open}.queue(t, 2, work...), &runner{})
		}
		portstest.Eventually(t, func() bool { return often.Load() >= 2 && daily.Load() > 0 }, "two rounds")
		if n := daily.Load(); n != 1 {
			t.Errorf("what is done daily was done %d times", n)
		}
	})
}

// A round that is under way when the server stops ends with it, and the next
// server goes on with the next.
func TestARoundEndsWithItsServer(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		began, ended := make(chan struct{}), make(chan struct{})
		q := b.queue(t, 2, Periodic{Name: "long", Every: time.Hour, AtStart: true, Do: func(ctx context.Context) {
			close(began)
			<-ctx.Done()
			close(ended)
		}})
		must(t, q.Start(t.Context(), &runner{}))
		<-began
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		must(t, q.Stop(ctx))
		<-ended
		again := make(chan struct{})
		start(t, b.queue(t, 2, Periodic{Name: "long", Every: time.Hour, AtStart: true, Do: func(context.Context) { close(again) }}), &runner{})
		<-again
	})
}
