package gate

import (
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Field is a value of an update that may be absent.
type Field[T any] struct {
	Set   bool
	Value T
}

// To makes a Field that is set.
func To[T any](v T) Field[T] { return Field[T]{Set: true, Value: v} }

// Change is an update of a gate. What is not set stays.
type Change struct {
	ExpiresAt Field[*time.Time] // nil means never
	MaxViews  Field[int64]      // setting it starts the count anew
	Password  Field[string]     // empty removes it
}

// Fit checks a change of a gate and returns it within the limits of the site:
// an end or a limit that it takes away becomes the largest one allowed.
//
// Returns Invalid for what no share may have, Forbidden past the limits of the
// site and the obligations of the decision.
func (c Change) Fit(l ports.ShareLimits, o policy.Obligations, old Gate, now time.Time) (Change, error) {
	terms := Terms{Password: c.Password.Value, MaxViews: c.MaxViews.Value}
	if !sameTime(c.ExpiresAt.Value, old.ExpiresAt) {
		terms.ExpiresAt = c.ExpiresAt.Value
	}
	if err := terms.Check(now); err != nil {
		return c, err
	}
	if err := limited(l, &c.ExpiresAt, &c.MaxViews, old, now); err != nil {
		return c, err
	}
	if l.Password && c.Password.Set && c.Password.Value == "" && old.Protected() {
		return c, policy.Over("share_password", 1)
	}
	after := old
	c.Apply(&after, "")
	return c, keep(o, shareTerms(after.Protected() || c.Password.Value != "", after.Last(), after.MaxViews, now), 0)
}

// Apply makes the change; hash is that of the new password.
func (c Change) Apply(g *Gate, hash string) {
	if c.ExpiresAt.Set {
		g.ExpiresAt = UTC(c.ExpiresAt.Value)
	}
	if c.MaxViews.Set {
		g.MaxViews, g.Views, g.UsedUpAt = c.MaxViews.Value, 0, nil
	}
	if c.Password.Set {
		g.PasswordHash = hash
	}
}
