package keys

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Key is an API key. Its value is kept as an HMAC only.
type Key struct {
	ID          string
	Name        string
	MAC         string // hex of the HMAC of the value; unique
	Masked      string // first 6 characters and "...", for display
	Permissions policy.Permission
	Role        string // GUEST, GENERAL or ADMIN; stored, changes nothing (contract §2.3)
	BasicPath   string
	IsGuest     bool
	IsActive    bool
	ExpiresAt   time.Time // Never for keys without end
	CreatedAt   time.Time
	UpdatedAt   time.Time
	LastUsed    *time.Time
	// Former is the value before this one, as long as it works; empty else.
	Former Former
}

// Former is a value of a key that was rotated with an overlap.
type Former struct {
	MAC    string // as that of the key; unique among them
	Masked string
	Until  time.Time // when it ends; at exactly this time it has ended
}

// At is the former value at a time: empty when it has ended.
func (f Former) At(now time.Time) Former {
	if now.Before(f.Until) {
		return f
	}
	return Former{}
}

// Never is the expiry of a key without end (contract §1.5).
var Never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// KeyFilter chooses keys for a list. The zero value means all, newest first.
type KeyFilter struct {
	ports.Paging
	KeySort
	Search string // part of the name, the basic path or the masked value, in any case
}

// KeyRepository stores API keys. Insert and Update return Conflict when the
// name, the MAC or the former MAC exists.
type KeyRepository interface {
	ports.Repository[Key, KeyFilter]
	// ByMAC returns the key that has or had a value of this MAC.
	ByMAC(ctx context.Context, mac string) (*Key, error)
	// AddUse counts uses, in the order of their days, and stores when keys were
	// last used. Those of missing keys are left out.
	AddUse(ctx context.Context, uses []Use) error
	// Uses returns the days from a day on on which a key was used, in order.
	Uses(ctx context.Context, id, from string) ([]Use, error)
	// DeleteUses removes the days that ended before.
	DeleteUses(ctx context.Context, before time.Time) (int, error)
}

// Admin is the administrator's account.
type Admin struct {
	ID           string
	Username     string
	PasswordHash string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// AdminFilter chooses admin accounts; there is one today.
type AdminFilter struct{ ports.Paging }

// AdminRepository stores admin accounts. Names are unique.
type AdminRepository interface {
	ports.Repository[Admin, AdminFilter]
	ByName(ctx context.Context, username string) (*Admin, error)
}

// Session is a signed-in administrator.
type Session struct {
	ID        string // hex of the token's SHA-256; the token itself is not kept
	AdminID   string
	CreatedAt time.Time
	ExpiresAt time.Time
	ClientIP  string
	UserAgent string
	// ConfirmedAt is when the password was shown last.
	ConfirmedAt time.Time
}

// SessionRepository stores sessions.
type SessionRepository interface {
	// Insert adds s and removes the oldest sessions of its admin until at most
	// max remain.
	Insert(ctx context.Context, s *Session, max int) error
	Get(ctx context.Context, id string) (*Session, error)
	// List returns the sessions of an admin, newest first.
	List(ctx context.Context, adminID string) ([]Session, error)
	// Confirm sets ConfirmedAt. Returns NotFound for an unknown session.
	Confirm(ctx context.Context, id string, at time.Time) error
	Delete(ctx context.Context, id string) error
	DeleteByAdmin(ctx context.Context, adminID string) error
	DeleteExpired(ctx context.Context, now time.Time) (int, error)
}
