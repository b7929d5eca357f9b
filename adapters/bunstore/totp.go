package bunstore

import (
	"context"

	"pasteport/domain/keys"
)

// TOTP stores the second steps of administrators.
type TOTP struct{ s *Store }

var _ keys.TOTPRepository = (*TOTP)(nil)

// TOTP returns the repository of second steps.
func (s *Store) TOTP() *TOTP { return &TOTP{s} }

// Get returns the second step of an administrator.
func (r *TOTP) Get(ctx context.Context, adminID string) (*keys.TOTP, error) {
	t := &keys.TOTP{AdminID: adminID}
	var created int64
	c := r.s.read(ctx)
	if err := c.row(ctx, "SELECT sealed, enabled, last_step, created_at FROM admin_totp WHERE admin_id = ?", []any{adminID}, &t.Sealed, &t.Enabled, &t.LastStep, &created); err != nil {
		return nil, failure(err)
	}
	t.CreatedAt = at(created)
	err := c.rows(ctx, "SELECT hash FROM admin_recovery WHERE admin_id = ? ORDER BY hash", []any{adminID}, func(scan func(...any) error) error {
		t.Recovery = append(t.Recovery, "")
		return scan(&t.Recovery[len(t.Recovery)-1])
	})
	return t, failure(err)
}

// Put stores a second step, replacing an older one.
func (r *TOTP) Put(ctx context.Context, t *keys.TOTP) error {
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		if _, err := c.exec(ctx, "INSERT INTO admin_totp (admin_id, sealed, enabled, last_step, created_at) VALUES (?, ?, ?, ?, ?) "+
			"ON CONFLICT (admin_id) DO UPDATE SET sealed = excluded.sealed, enabled = excluded.enabled, last_step = excluded.last_step, created_at = excluded.created_at",
			t.AdminID, t.Sealed, t.Enabled, t.LastStep, ms(t.CreatedAt)); err != nil {
			return err
		}
		if _, err := c.exec(ctx, "DELETE FROM admin_recovery WHERE admin_id = ?", t.AdminID); err != nil {
			return err
		}
		for _, hash := range t.Recovery {
			if _, err := c.exec(ctx, "INSERT INTO admin_recovery (admin_id, hash) VALUES (?, ?)", t.AdminID, hash); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Delete removes the second step of an administrator.
func (r *TOTP) Delete(ctx context.Context, adminID string) error {
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		if _, err := c.exec(ctx, "DELETE FROM admin_totp WHERE admin_id = ?", adminID); err != nil {
			return err
		}
		_, err := c.exec(ctx, "DELETE FROM admin_recovery WHERE admin_id = ?", adminID)
		return err
	}})
}

// UseStep notes that a code of step was used.
func (r *TOTP) UseStep(ctx context.Context, adminID string, step int64) (bool, error) {
	n, err := r.s.noted(ctx, "UPDATE admin_totp SET last_step = ? WHERE admin_id = ? AND last_step < ?", step, adminID, step)
	return n > 0, err
}

// UseRecovery takes a recovery code out.
func (r *TOTP) UseRecovery(ctx context.Context, adminID, hash string) (bool, error) {
	n, err := r.s.noted(ctx, "DELETE FROM admin_recovery WHERE admin_id = ? AND hash = ?", adminID, hash)
	return n > 0, err
}
