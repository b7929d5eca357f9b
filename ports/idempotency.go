package ports

import (
	"context"
	"time"
)

// IdempotentCall identifies one call that carries an Idempotency-Key.
type IdempotentCall struct {
	Key    string // the client's key, 1 to 255 visible ASCII characters
	Caller string // principal kind and id; other callers are independent
	Method string
	Path   string
	Body   [32]byte // SHA-256 of the request body
}

// IdempotentAnswer is the stored answer of a finished call.
type IdempotentAnswer struct {
	Status int
	Type   string // content type
	Body   []byte
}

// Idempotency stores the answers of writes for 7 days.
type Idempotency interface {
	// Begin claims the call. It returns the stored answer when the same call
	// has finished; Conflict with RetryAfter when it is still running; and
	// Unprocessable when the key was used with another body. A nil answer and
	// nil error mean that the caller now owns the call.
	Begin(ctx context.Context, call IdempotentCall, now time.Time) (*IdempotentAnswer, error)
	// Finish stores the answer; inside a unit of work it commits with the write.
	Finish(ctx context.Context, call IdempotentCall, answer IdempotentAnswer) error
	// Abandon gives the claim back after a failure, so that a retry may run.
	Abandon(ctx context.Context, call IdempotentCall) error
}
