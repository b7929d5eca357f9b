package shares

import (
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
)

// Bounds of what a share may carry.
const (
	MaxPassword = gate.MaxPassword // bytes
	MaxViews    = gate.MaxViews    // views a limit may allow
	MaxRemark   = 4096             // bytes
)

// VisitLength is how long a visitor who was let in once may come back with the
// ticket of that visit, without password and without taking another view.
const VisitLength = gate.VisitLength

// Gate is what stands between a link and its content, as shares of every kind
// have it.
type Gate = gate.Gate

// Latch is what else a link obeys, and LatchChange an update of one.
type (
	Latch       = gate.Latch
	LatchChange = gate.LatchChange
)

// Terms are the conditions a new share is opened under.
type Terms = gate.Terms

// Field is a value of an update that may be absent.
type Field[T any] = gate.Field[T]

// To makes a Field that is set.
func To[T any](v T) Field[T] { return gate.To(v) }

// In returns the time hours from now, nil for 0. Callers check that hours is
// not negative; an absurd number becomes a time that is refused.
func In(now time.Time, hours int64) *time.Time { return gate.In(now, hours) }

// Guard returns the guard of one kind of share.
func (d Deps) Guard() *gate.Guard {
	return gate.NewGuard(gate.Deps{Hasher: d.Hasher, Guesses: d.Guesses, MAC: d.MAC, Clock: d.Clock, UnknownSlugsPerMinute: d.UnknownSlugsPerMinute})
}

func checkRemark(remark string) error {
	if len(remark) > MaxRemark {
		return ports.InvalidInput("too_long", "remark")
	}
	return nil
}
