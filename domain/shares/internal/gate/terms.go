package gate

import (
	"cmp"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of what a share may carry.
const (
	MaxPassword = 1024    // bytes
	MaxViews    = 1 << 40 // views a limit may allow
	maxLifetime = 100 * 365 * 24 * time.Hour
)

// Terms are the conditions a new share is opened under.
type Terms struct {
	Password  string     // empty means none, or that of Hash
	Hash      string     // of the password of the share that this one replaces
	ExpiresAt *time.Time // nil means never
	MaxViews  int64      // 0 means unlimited
	Latch
}

// Protected reports whether the share will need a password.
func (t Terms) Protected() bool { return t.Password != "" || t.Hash != "" }

// Gate is the gate of a new share; hash is that of Password, empty without one.
func (t Terms) Gate(hash string) Gate {
	if t.SlideUntil = UTC(t.SlideUntil); t.SlideBy == 0 {
		t.SlideUntil = nil
	}
	return Gate{PasswordHash: cmp.Or(hash, t.Hash), ExpiresAt: UTC(t.ExpiresAt), MaxViews: t.MaxViews, Latch: t.Latch}
}

// Begun gives a share whose end moves, and that has none, the end that it comes to
// if nobody opens it.
func (t Terms) Begun(now time.Time) Terms {
	if t.SlideBy > 0 && t.ExpiresAt == nil {
		t.ExpiresAt = t.Gate("").begun(now)
	}
	return t
}

// In returns the time hours from now, nil for 0. Callers check that hours is
// not negative; an absurd number becomes a time that Check refuses.
func In(now time.Time, hours int64) *time.Time {
	if hours == 0 {
		return nil
	}
	t := now.Add(time.Duration(min(hours, int64(maxLifetime/time.Hour)+1)) * time.Hour)
	return &t
}

// Check returns Invalid for terms that no share may have.
func (t Terms) Check(now time.Time) error {
	if len(t.Password) > MaxPassword {
		return ports.InvalidInput("too_long", "password")
	}
	return cmp.Or(CheckMaxViews(t.MaxViews), t.Latch.check(now), checkExpiry(t.ExpiresAt, now))
}

// CheckMaxViews returns Invalid for a limit that is negative or absurd.
func CheckMaxViews(n int64) error {
	if n < 0 || n > MaxViews {
		return ports.InvalidInput("max_views_invalid", "max_views")
	}
	return nil
}

// checkExpiry refuses times that are past or more than a hundred years ahead.
func checkExpiry(t *time.Time, now time.Time) error {
	if t != nil && (!t.After(now) || t.Sub(now) > maxLifetime) {
		return ports.InvalidInput("expiry_invalid", "expires_at")
	}
	return nil
}

// Resource gives the policy the terms that a share will have.
func (t Terms) Resource(now time.Time) policy.ShareTerms {
	g := t.Gate("")
	terms := shareTerms(t.Protected(), g.Last(), t.MaxViews, now)
	terms.KeyOnly = t.KeyOnly
	return terms
}

// Seen gives the policy the terms under which a share stands. One that has
// expired has a second left: zero would mean for ever.
func (g *Gate) Seen(now time.Time) policy.ShareTerms {
	terms := shareTerms(g.Protected(), g.Last(), g.MaxViews, now)
	terms.KeyOnly = g.KeyOnly
	if g.Last() != nil {
		terms.ExpiresIn = max(terms.ExpiresIn, 1)
	}
	return terms
}

func shareTerms(protected bool, expires *time.Time, maxViews int64, now time.Time) policy.ShareTerms {
	r := policy.ShareTerms{HasPassword: protected, MaxViews: maxViews}
	if expires != nil {
		r.ExpiresIn = int64(expires.Sub(now) / time.Second)
	}
	return r
}

// keep refuses terms that go past the obligations of the decision.
func keep(o policy.Obligations, terms policy.ShareTerms, size int64) error {
	switch {
	case o.ShareMaxAge > 0 && (terms.ExpiresIn == 0 || terms.ExpiresIn > o.ShareMaxAge):
		return policy.Over("share_max_age", o.ShareMaxAge)
	case o.ShareMaxViews > 0 && (terms.MaxViews == 0 || terms.MaxViews > o.ShareMaxViews):
		return policy.Over("share_max_views", o.ShareMaxViews)
	case o.MaxSize > 0 && size > o.MaxSize:
		return policy.Over("max_size", o.MaxSize)
	}
	return nil
}

// Page makes paging safe: the limit is 1 to 1000, with a default and the
// policy's own bound, the offset is not negative.
func Page(p ports.Paging, normal int, o policy.Obligations) ports.Paging {
	if p.Limit <= 0 {
		p.Limit = normal
	}
	p.Limit = min(p.Limit, 1000)
	if o.ListLimit > 0 {
		p.Limit = min(p.Limit, int(min(o.ListLimit, 1000)))
	}
	p.Offset = max(p.Offset, 0)
	return p
}
