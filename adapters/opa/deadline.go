package opa

import (
	"context"
	"time"

	"github.com/open-policy-agent/opa/v1/topdown"
)

// deadline stops an evaluation when its time is over or its caller has gone.
// It costs a timer, where the engine's own watch on a context costs a
// goroutine per query.
type deadline struct {
	cancel topdown.Cancel
	timer  *time.Timer
	forget func() bool
}

func newDeadline(ctx context.Context, limit time.Duration) *deadline {
	l := &deadline{cancel: topdown.NewCancel()}
	l.timer = time.AfterFunc(limit, l.cancel.Cancel)
	if ctx.Done() != nil {
		l.forget = context.AfterFunc(ctx, l.cancel.Cancel)
	}
	return l
}

func (l *deadline) release() {
	l.timer.Stop()
	if l.forget != nil {
		l.forget()
	}
}
