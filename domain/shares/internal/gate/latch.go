package gate

import (
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// ErrKeyRequired is a share that no stranger may open.
var ErrKeyRequired = &ports.Error{Code: ports.Unauthenticated, Key: "key_required"}

// Latch is what else a link obeys: who may come at all, and how its end moves. The
// zero value lets everybody come and keeps the end.
type Latch struct {
	// KeyOnly keeps strangers out: only keys and administrators may open, as far as
	// the rules let them.
	KeyOnly bool
	// SlideBy is how long the share lives after it was last opened; 0 means that its
	// end stays.
	SlideBy time.Duration
	// SlideUntil is the end that no opening moves past; nil means none.
	SlideUntil *time.Time
}

// Stranger refuses who may not come at all. admitted means that the visitor was let
// in before. A guest is a stranger: anybody may be one.
func (l *Latch) Stranger(who policy.Principal, admitted bool) error {
	if l.KeyOnly && !admitted && (who.Kind == policy.Anonymous || who.Guest) {
		return ErrKeyRequired
	}
	return nil
}

// Shut returns the error of a share that this visitor cannot open now: that of
// Stranger, or of Closed.
func (g *Gate) Shut(who policy.Principal, now time.Time, admitted bool, ends Ends) error {
	if err := g.Stranger(who, admitted); err != nil {
		return err
	}
	return g.Closed(now, admitted, ends)
}

// Exact reports whether the state of a share is what the database says now: its
// views are limited, or its end moves.
func (g *Gate) Exact() bool { return g.MaxViews > 0 || g.SlideBy > 0 }

// Slid is the end of a share that is opened now.
func (g *Gate) Slid(now time.Time) *time.Time {
	if g.SlideBy <= 0 || g.ExpiresAt == nil {
		return g.ExpiresAt
	}
	end := now.Add(g.SlideBy)
	if g.SlideUntil != nil && g.SlideUntil.Before(end) {
		end = *g.SlideUntil
	}
	if end.Before(*g.ExpiresAt) {
		return g.ExpiresAt
	}
	return UTC(&end)
}

// begun is the first end of a share that has none, and whose end moves from now.
func (g Gate) begun(now time.Time) *time.Time {
	g.ExpiresAt = UTC(&now)
	return g.Slid(now)
}

// Last is the end that a share may come to: for limits and rules, how long it lives.
func (g *Gate) Last() *time.Time {
	if g.SlideBy <= 0 || g.ExpiresAt == nil {
		return g.ExpiresAt
	}
	if g.SlideUntil != nil && g.SlideUntil.Before(*g.ExpiresAt) {
		return g.ExpiresAt
	}
	return g.SlideUntil
}

// LatchChange is an update of a Latch. What is not set stays.
type LatchChange struct {
	KeyOnly    Field[bool]
	SlideBy    Field[time.Duration] // 0 means that the end stays where it is
	SlideUntil Field[*time.Time]
}

// Bounds of how long a share lives after it was opened.
const (
	minSlide = 24 * time.Hour
	maxSlide = 3650 * 24 * time.Hour
)

// check returns Invalid for a latch that no share may have.
func (l Latch) check(now time.Time) error {
	if l.SlideBy != 0 && (l.SlideBy < minSlide || l.SlideBy > maxSlide) {
		return ports.InvalidInput("sliding_days_invalid", "sliding_days")
	}
	if checkExpiry(l.SlideUntil, now) != nil {
		return ports.InvalidInput("expiry_invalid", "sliding_until")
	}
	return nil
}

// Bounded gives an end that moves, and has no last one, the last that the site
// allows.
func (l Latch) Bounded(limits ports.ShareLimits, now time.Time) Latch {
	if l.SlideBy != 0 && l.SlideUntil == nil {
		l.SlideUntil = UTC(latest(limits, now))
	}
	return l
}

// Fit makes the change to a gate and returns it, within the limits of the site: the
// last end becomes the largest one allowed.
//
// Returns Invalid for what no share may have, Forbidden past the limits of the site
// and the obligations of the decision.
func (c LatchChange) Fit(l ports.ShareLimits, o policy.Obligations, g Gate, now time.Time) (Gate, error) {
	if c.KeyOnly.Set {
		g.KeyOnly = c.KeyOnly.Value
	}
	if c.SlideBy.Set {
		g.SlideBy = c.SlideBy.Value
	}
	if err := (Latch{SlideBy: g.SlideBy, SlideUntil: c.SlideUntil.Value}).check(now); err != nil {
		return g, err
	}
	if c.SlideUntil.Set {
		g.SlideUntil = UTC(c.SlideUntil.Value)
	}
	if !c.SlideBy.Set && !c.SlideUntil.Set {
		return g, nil
	}
	if g.SlideBy == 0 {
		g.SlideUntil = nil
		return g, nil
	}
	g.Latch = g.Latch.Bounded(l, now)
	if err := overLimit(l, g.SlideUntil, 0, now); err != nil {
		return g, err
	}
	if g.ExpiresAt == nil {
		g.ExpiresAt = g.begun(now)
	}
	return g, keep(o, shareTerms(g.Protected(), g.Last(), g.MaxViews, now), 0)
}
