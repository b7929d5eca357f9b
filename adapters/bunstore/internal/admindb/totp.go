package admindb

import (
	"context"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/keys"
)

// TOTP stores the second steps of administrators.
type TOTP struct{ db *db.DB }

var _ keys.TOTPRepository = (*TOTP)(nil)

// NewTOTP returns the repository of second steps.
func NewTOTP(d *db.DB) *TOTP { return &TOTP{d} }

// Get returns the second step of an administrator.
func (r *TOTP) Get(ctx context.Context, adminID string) (*keys.TOTP, error) {
	t := &keys.TOTP{AdminID: adminID}
	var created int64
	c := r.db.Read(ctx)
	if err := c.Row(ctx, "SELECT sealed, enabled, last_step, created_at FROM admin_totp WHERE admin_id = ?", []any{adminID}, &t.Sealed, &t.Enabled, &t.LastStep, &created); err != nil {
		return nil, db.Failure(err)
	}
	t.CreatedAt = db.Time(created)
	err := c.Rows(ctx, "SELECT hash FROM admin_recovery WHERE admin_id = ? ORDER BY hash", []any{adminID}, func(scan func(...any) error) error {
		t.Recovery = append(t.Recovery, "")
		return scan(&t.Recovery[len(t.Recovery)-1])
	})
	return t, db.Failure(err)
}

// Put stores a second step, replacing an older one.
func (r *TOTP) Put(ctx context.Context, t *keys.TOTP) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO admin_totp (admin_id, sealed, enabled, last_step, created_at) VALUES (?, ?, ?, ?, ?) "+
			"ON CONFLICT (admin_id) DO UPDATE SET sealed = excluded.sealed, enabled = excluded.enabled, last_step = excluded.last_step, created_at = excluded.created_at",
			t.AdminID, t.Sealed, t.Enabled, t.LastStep, db.Millis(t.CreatedAt)); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "DELETE FROM admin_recovery WHERE admin_id = ?", t.AdminID); err != nil {
			return err
		}
		for _, hash := range t.Recovery {
			if _, err := c.Exec(ctx, "INSERT INTO admin_recovery (admin_id, hash) VALUES (?, ?)", t.AdminID, hash); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Delete removes the second step of an administrator.
func (r *TOTP) Delete(ctx context.Context, adminID string) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "DELETE FROM admin_totp WHERE admin_id = ?", adminID); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "DELETE FROM admin_recovery WHERE admin_id = ?", adminID)
		return err
	}})
}

// UseStep notes that a code of step was used.
func (r *TOTP) UseStep(ctx context.Context, adminID string, step int64) (bool, error) {
	n, err := r.db.Exec(ctx, "UPDATE admin_totp SET last_step = ? WHERE admin_id = ? AND last_step < ?", step, adminID, step)
	return n > 0, err
}

// UseRecovery takes a recovery code out.
func (r *TOTP) UseRecovery(ctx context.Context, adminID, hash string) (bool, error) {
	n, err := r.db.Exec(ctx, "DELETE FROM admin_recovery WHERE admin_id = ? AND hash = ?", adminID, hash)
	return n > 0, err
}
