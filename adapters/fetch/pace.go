package fetch

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// errSlow ends a body that comes too slowly.
var errSlow = errors.New("the site is too slow")

// pacedBody is an answer's body that must keep a rate. Only the time spent
// waiting for the site counts, not that of a reader who takes its time.
type pacedBody struct {
	body   io.ReadCloser
	pace   pace
	cancel context.CancelFunc
	slow   atomic.Bool
	read   int64
	waited time.Duration
}

func newPacedBody(body io.ReadCloser, p pace, cancel context.CancelFunc) *pacedBody {
	return &pacedBody{body: body, pace: p, cancel: cancel}
}

// Read waits no longer than what is left of the body's time: the grace and
// what the bytes so far may have taken.
func (b *pacedBody) Read(p []byte) (int, error) {
	left := b.pace.grace + time.Duration(float64(b.read)/float64(b.pace.rate)*float64(time.Second)) - b.waited
	if left <= 0 {
		b.cancel()
		return 0, errUnreachable.With(errSlow)
	}
	watch := time.AfterFunc(left, func() {
		b.slow.Store(true)
		b.cancel()
	})
	start := time.Now()
	n, err := b.body.Read(p)
	b.waited += time.Since(start)
	watch.Stop()
	b.read += int64(n)
	if err == nil || err == io.EOF {
		return n, err
	}
	if b.slow.Load() {
		err = errSlow
	}
	return n, errUnreachable.With(err)
}

// Close ends the connection.
func (b *pacedBody) Close() error {
	err := b.body.Close()
	b.cancel()
	return err
}
