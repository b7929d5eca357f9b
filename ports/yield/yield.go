// Package yield lets requests go first before work that nobody waits for, or few:
// while they wait for a processor, all such work together takes a twentieth of the
// processors.
package yield

import (
	"context"
	"runtime"
	"sync"
	"time"
)

const (
	part = 20          // of the time of all processors
	most = time.Second // of a rest
	// wanted is how long one waits for a processor that others want, too. A
	// goroutine that nobody waits behind has it again in a microsecond.
	wanted = 50 * time.Microsecond
	// length of a turn. Go would leave a processor to it for 10 ms, in which a
	// hundred requests can be answered.
	length = 100 * time.Microsecond
)

// After lets others have the processor after so long a work. While they wait for
// it, it rests too, until ctx ends.
func After(ctx context.Context, worked time.Duration) {
	began := time.Now()
	runtime.Gosched()
	if time.Since(began) >= wanted {
		Rest(ctx, worked)
	}
}

// Rest rests after so long a work in any case, until ctx ends: others are known to
// wait for what it needs.
func Rest(ctx context.Context, worked time.Duration) {
	Wait(ctx, all.join(worked, runtime.GOMAXPROCS(0)))
}

// Wait waits for a time, until ctx ends.
func Wait(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// line is of those who rest: one after the other, so that together they take no
// more than one of them would.
type line struct {
	mu    sync.Mutex
	until time.Time
}

var all line

// join tells how long to rest after a work, beside so many processors.
func (l *line) join(worked time.Duration, processors int) time.Duration {
	rest := max(0, part*worked/time.Duration(processors)-worked)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.until.Before(now) {
		l.until = now
	}
	l.until = l.until.Add(min(rest, most))
	return l.until.Sub(now)
}

// Turn is since when work has a processor. It belongs to one goroutine.
type Turn struct{ began time.Time }

// Begin begins a turn.
func Begin() Turn { return Turn{time.Now()} }

// Pass is to be called often in the middle of work: when the turn is over, others
// go first.
func (t *Turn) Pass(ctx context.Context) {
	if worked := time.Since(t.began); worked >= length {
		After(ctx, worked)
		t.began = time.Now()
	}
}
