// Package gate is what stands between a link and what it leads to, for every kind
// of share alike: password, end and count of views, the limits that they keep,
// tickets of visits, and the bounds on guesses.
package gate

import (
	"time"

	"pasteport/ports"
)

// Gate is what stands between a link and its content.
type Gate struct {
	PasswordHash string     // empty means no password
	ExpiresAt    *time.Time // nil means never; UTC
	Latch
	MaxViews int64 // 0 means unlimited
	Views    int64 // views taken so far
	// UsedUpAt is when the last view was taken; nil while views are left.
	UsedUpAt *time.Time
	// ErasedAt is when the content was removed. The record stays for 30 days
	// more, so that its link answers "gone" and not "unknown".
	ErasedAt *time.Time
}

// Protected reports whether a password is needed.
func (g *Gate) Protected() bool { return g.PasswordHash != "" }

// Gated reports whether anything stands between the link and the content: a
// password, an end, a view limit, or that strangers may not come. Links of such a share lead through the gate
// (decision 68).
func (g *Gate) Gated() bool {
	return g.Protected() || g.ExpiresAt != nil || g.MaxViews > 0 || g.KeyOnly
}

// Expired reports whether the share's time has run out; at exactly ExpiresAt
// it has.
func (g *Gate) Expired(now time.Time) bool { return g.ExpiresAt != nil && !now.Before(*g.ExpiresAt) }

// UsedUp reports whether all views have been taken.
func (g *Gate) UsedUp() bool { return g.UsedUpAt != nil || (g.MaxViews > 0 && g.Views >= g.MaxViews) }

// Due reports whether the content of a share may go: it was used up longer ago than
// visits last, or has expired longer ago than grace. A grace of 0 keeps expired shares
// for ever.
func (g *Gate) Due(now time.Time, grace time.Duration) bool {
	return g.UsedUpAt != nil && g.UsedUpAt.Before(now.Add(-VisitLength)) ||
		grace > 0 && g.ExpiresAt != nil && g.ExpiresAt.Before(now.Add(-grace))
}

// Ends is how a kind of share says that one of it cannot be opened.
type Ends struct {
	Unknown, Expired, UsedUp *ports.Error
}

// Closed returns the error of a share that cannot be opened now. admitted means
// that the visitor was let in before: a visit outlasts the last view, not the
// expiry.
func (g *Gate) Closed(now time.Time, admitted bool, ends Ends) error {
	switch {
	case g.Expired(now):
		return ends.Expired
	case g.ErasedAt != nil, g.UsedUp() && !admitted:
		return ends.UsedUp
	}
	return nil
}

// Refused gives the refusal of a view its reason: the repository only says that
// there was none to take.
func (g *Gate) Refused(err error, now time.Time, ends Ends) error {
	switch ports.CodeOf(err) {
	case ports.Gone:
		if g.Expired(now) {
			return ends.Expired.With(err)
		}
		return ends.UsedUp.With(err)
	case ports.NotFound:
		return ends.Unknown.With(err)
	}
	return err
}

// UTC returns t in UTC, to the millisecond the API shows.
func UTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC().Truncate(time.Millisecond)
	return &u
}

func sameTime(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// Stays is what of a gate stands when the content behind it is replaced. An end
// that has come does not, or nobody could open what comes: views begin anew, and
// the time ends no more.
func (g Gate) Stays(now time.Time) Gate {
	stays := Gate{PasswordHash: g.PasswordHash, MaxViews: g.MaxViews, Latch: Latch{KeyOnly: g.KeyOnly}}
	if !g.UsedUp() {
		stays.Views = g.Views
	}
	if !g.Expired(now) {
		stays.ExpiresAt = g.ExpiresAt
		if g.SlideUntil == nil || g.SlideUntil.After(now) {
			stays.SlideBy, stays.SlideUntil = g.SlideBy, g.SlideUntil
		}
	}
	return stays
}

// Over is the gate of what takes the place of something: what it leaves open is as
// it was, so that nobody new gets at the share.
func (g Gate) Over(was Gate) Gate {
	if g.PasswordHash == "" {
		g.PasswordHash = was.PasswordHash
	}
	g.KeyOnly = g.KeyOnly || was.KeyOnly
	if g.ExpiresAt == nil && g.SlideBy == 0 {
		g.ExpiresAt, g.SlideBy, g.SlideUntil = was.ExpiresAt, was.SlideBy, was.SlideUntil
	}
	if g.MaxViews == 0 {
		g.MaxViews, g.Views = was.MaxViews, was.Views
	}
	return g
}
