package opa

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/topdown"
)

// The time of a decision is cut into timeSlices parts. It ends after so many
// parts in which the evaluation moved, and at the latest after maxSlices.
const (
	timeSlices = 10
	maxSlices  = 20 * timeSlices
)

// deadline stops an evaluation when its time is over or its caller has gone.
//
// It counts the time in which the evaluation moved, which it learns from the
// engine's asking whether to go on. When a busy machine leaves the evaluation
// without a processor, that time does not count: a decision of microseconds is
// not refused because other programs were at work. Nothing is lost by it, since
// the engine stops nowhere but where it asks.
type deadline struct {
	slice         time.Duration
	timer         *time.Timer
	asked, over   atomic.Bool
	moved, passed atomic.Int32 // slices
	released      atomic.Bool
	forget        func() bool
}

var _ topdown.Cancel = (*deadline)(nil)

func newDeadline(ctx context.Context, limit time.Duration) *deadline {
	l := &deadline{slice: limit / timeSlices}
	l.timer = time.AfterFunc(time.Hour, l.tick)
	l.timer.Reset(l.slice)
	if ctx.Done() != nil {
		l.forget = context.AfterFunc(ctx, l.Cancel)
	}
	return l
}

// Cancel stops the evaluation where it asks next.
func (l *deadline) Cancel() { l.over.Store(true) }

// Cancelled is asked by the engine at each step.
func (l *deadline) Cancelled() bool {
	if !l.asked.Load() {
		l.asked.Store(true)
	}
	return l.over.Load()
}

func (l *deadline) tick() {
	if l.released.Load() {
		return
	}
	if l.asked.Swap(false) {
		l.moved.Add(1)
	}
	if l.moved.Load() >= timeSlices || l.passed.Add(1) >= maxSlices {
		l.Cancel()
		return
	}
	l.timer.Reset(l.slice)
}

// release ends the watch. An evaluation that is over need not be stopped.
func (l *deadline) release() {
	l.released.Store(true)
	l.timer.Stop()
	if l.forget != nil {
		l.forget()
	}
}
