package ports

import (
	"context"
	"time"
)

// Guesses counts failed guesses of secrets in rows, so that the count holds
// after a restart and on every node (security rule 8).
type Guesses interface {
	// Check returns how long the caller must wait before another guess at any
	// of the subjects; zero means now. It counts nothing.
	Check(ctx context.Context, limits ...GuessLimit) (wait time.Duration, err error)
	// Fail counts one failed guess against each of the subjects.
	Fail(ctx context.Context, limits ...GuessLimit) error
	// Forget drops the count of the subjects after a success.
	Forget(ctx context.Context, limits ...GuessLimit) error
}

// GuessLimit is a bound on failures of one subject.
type GuessLimit struct {
	Subject string        // what is counted, such as "login|203.0.113.7|admin"
	Max     int           // failures inside Window before guesses are refused
	Window  time.Duration // length of the counting window
	// Slow is the wait between tries once Max is passed. Zero means refused
	// until the window ends, with a wait that grows from 1 to 15 minutes; the
	// window then begins anew with each further failure.
	Slow time.Duration
}

// Wait tells how long after now the next guess may be made, given the number of
// failures inside the window and when the last of them was; zero means now.
func (l GuessLimit) Wait(failures int, last, now time.Time) time.Duration {
	if failures < l.Max {
		return 0
	}
	wait := l.Slow
	if wait == 0 {
		wait = time.Minute << min(failures-l.Max, 4)
		wait = min(wait, 15*time.Minute)
	}
	return max(last.Add(wait).Sub(now), 0)
}

// Invalidation tells other nodes that something they may have cached changed.
type Invalidation interface {
	// Publish sends kind and id to the other nodes; inside a unit of work it is
	// sent when that commits. On one node it does nothing.
	Publish(ctx context.Context, kind, id string) error
	// Subscribe calls fn for each event of kind from another node until ctx
	// ends; an empty id means "drop everything" (after a lost connection). It
	// returns at once; fn runs on a goroutine of the implementation and must
	// not wait.
	Subscribe(ctx context.Context, kind string, fn func(id string))
}
