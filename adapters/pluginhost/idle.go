package pluginhost

import (
	"context"
	"io"
	"time"

	"pasteport/ports"
	"pasteport/ports/bulk"
)

// idler ends a transfer whose storage stands still for too long. The time that
// the other side takes does not count.
type idler struct {
	limit time.Duration
	timer *time.Timer
	end   context.CancelCauseFunc
}

// newIdler returns a context that ends with the idler. The time does not run yet.
func newIdler(ctx context.Context, limit time.Duration) (context.Context, *idler) {
	ctx, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { end(ports.ErrUnavailable.With(context.DeadlineExceeded)) })
	timer.Stop()
	return ctx, &idler{limit, timer, end}
}

func (i *idler) storageTurn() { i.timer.Reset(i.limit) }
func (i *idler) otherTurn()   { i.timer.Stop() }

func (i *idler) cancel() {
	i.timer.Stop()
	i.end(context.Canceled)
}

// sentBody is read by the storage: between reads it is the storage's turn.
type sentBody struct {
	io.Reader
	idle *idler
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.idle.otherTurn()
	n, err := b.Reader.Read(p)
	b.idle.storageTurn()
	return n, err
}

// receivedBody is read from the storage: during a read it is the storage's turn.
type receivedBody struct {
	io.ReadCloser
	idle *idler
}

func (b *receivedBody) Read(p []byte) (int, error) { return b.ReadInto(nil, p) }

// ReadInto implements bulk.Source.
func (b *receivedBody) ReadInto(p *bulk.Pipe, buffer []byte) (int, error) {
	b.idle.storageTurn()
	n, err := bulk.ReadInto(b.ReadCloser, p, buffer)
	b.idle.otherTurn()
	return n, err
}

func (b *receivedBody) Close() error {
	b.idle.cancel()
	return b.ReadCloser.Close()
}
