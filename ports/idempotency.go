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

// How long and how much of calls is kept.
const (
	IdempotencyKept    = 7 * 24 * time.Hour
	IdempotencyLease   = 2 * time.Minute // a claim without answer is given up after it
	IdempotencyMaxBody = 256 << 10       // bytes; a longer answer is kept without its body
)

// Errors of Begin, compared with errors.Is.
var (
	ErrIdempotencyRunning = &Error{Code: Conflict, Key: "idempotency_running", RetryAfter: time.Second}
	ErrIdempotencyReused  = &Error{Code: Unprocessable, Key: "idempotency_reused"}
)

// Idempotency stores the answers of writes for 7 days.
type Idempotency interface {
	// Begin claims the call. It returns the stored answer when the same call
	// has finished; ErrIdempotencyRunning when it is still running; and
	// ErrIdempotencyReused when its caller used the key with another method,
	// path or body. A nil answer and nil error mean that the caller now owns
	// the call. Begin must not run inside a unit of work, where others could
	// not see the claim.
	Begin(ctx context.Context, call IdempotentCall, now time.Time) (*IdempotentAnswer, error)
	// Finish stores the answer; inside a unit of work it commits with the write.
	Finish(ctx context.Context, call IdempotentCall, answer IdempotentAnswer) error
	// Abandon gives the claim back after a failure, so that a retry may run.
	Abandon(ctx context.Context, call IdempotentCall) error
}
