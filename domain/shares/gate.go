package shares

import "time"

// Gate is what stands between a link and its content.
type Gate struct {
	PasswordHash string     // empty means no password
	ExpiresAt    *time.Time // nil means never; UTC
	MaxViews     int64      // 0 means unlimited
	Views        int64      // views taken so far
	// UsedUpAt is when the last view was taken; nil while views are left.
	UsedUpAt *time.Time
	// ErasedAt is when the content was removed. The record stays for 30 days
	// more, so that its link answers "gone" and not "unknown".
	ErasedAt *time.Time
}

// Protected reports whether a password is needed.
func (g *Gate) Protected() bool { return g.PasswordHash != "" }

// Expired reports whether the share's time has run out; at exactly ExpiresAt
// it has.
func (g *Gate) Expired(now time.Time) bool { return g.ExpiresAt != nil && !now.Before(*g.ExpiresAt) }

// UsedUp reports whether all views have been taken.
func (g *Gate) UsedUp() bool { return g.UsedUpAt != nil || (g.MaxViews > 0 && g.Views >= g.MaxViews) }
