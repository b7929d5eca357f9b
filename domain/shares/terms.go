package shares

import (
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Bounds of what a share may carry.
const (
	MaxPassword = 1024    // bytes
	MaxRemark   = 4096    // bytes
	MaxViews    = 1 << 40 // views a limit may allow
	maxLifetime = 100 * 365 * 24 * time.Hour
)

// Terms are the conditions a new share is opened under.
type Terms struct {
	Password  string     // empty means none
	ExpiresAt *time.Time // nil means never
	MaxViews  int64      // 0 means unlimited
}

// In returns the time hours from now, nil for 0. Callers check that hours is
// not negative; an absurd number becomes a time that check refuses.
func In(now time.Time, hours int64) *time.Time {
	if hours == 0 {
		return nil
	}
	t := now.Add(time.Duration(min(hours, int64(maxLifetime/time.Hour)+1)) * time.Hour)
	return &t
}

func (t Terms) check(now time.Time) error {
	if len(t.Password) > MaxPassword {
		return ports.InvalidInput("too_long", "password")
	}
	if err := checkMaxViews(t.MaxViews); err != nil {
		return err
	}
	return checkExpiry(t.ExpiresAt, now)
}

func checkMaxViews(n int64) error {
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

func checkRemark(remark string) error {
	if len(remark) > MaxRemark {
		return ports.InvalidInput("too_long", "remark")
	}
	return nil
}

// checkSyntax allows language names such as "c++", "objective-c" and "f#".
func checkSyntax(syntax string) error {
	if len(syntax) > 40 || strings.ContainsFunc(syntax, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+#._-", r))
	}) {
		return ports.InvalidInput("syntax_invalid", "syntax")
	}
	return nil
}

// resource gives the policy the terms that a share will have.
func (t Terms) resource(now time.Time) policy.ShareTerms {
	return shareTerms(t.Password != "", t.ExpiresAt, t.MaxViews, now)
}

// seen gives the policy the terms under which a share stands. One that has
// expired has a second left: zero would mean for ever.
func (g *Gate) seen(now time.Time) policy.ShareTerms {
	terms := shareTerms(g.Protected(), g.ExpiresAt, g.MaxViews, now)
	if g.ExpiresAt != nil {
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
		return overPolicy("share_max_age", o.ShareMaxAge)
	case o.ShareMaxViews > 0 && (terms.MaxViews == 0 || terms.MaxViews > o.ShareMaxViews):
		return overPolicy("share_max_views", o.ShareMaxViews)
	case o.MaxSize > 0 && size > o.MaxSize:
		return overPolicy("max_size", o.MaxSize)
	}
	return nil
}

func overPolicy(limit string, value int64) error { return policy.Over(limit, value) }

// Field is a value of an update that may be absent.
type Field[T any] struct {
	Set   bool
	Value T
}

// To makes a Field that is set.
func To[T any](v T) Field[T] { return Field[T]{Set: true, Value: v} }

// page makes paging safe: the limit is 1 to 1000, with a default and the
// policy's own bound, the offset is not negative.
func page(p ports.Paging, normal int, o policy.Obligations) ports.Paging {
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
