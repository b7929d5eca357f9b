package sharedb

import (
	"context"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/requests"
)

// Refusals stores of which refused uploads owners of requests were told.
type Refusals struct{ db *db.DB }

var _ requests.Refusals = (*Refusals)(nil)

// NewRefusals returns the refusals that were told.
func NewRefusals(d *db.DB) *Refusals { return &Refusals{d} }

// Mark notes that a refusal is told.
func (r *Refusals) Mark(ctx context.Context, requestID, reason string, now time.Time, again time.Duration) (bool, error) {
	n, err := r.db.Exec(ctx, `INSERT INTO request_refusals (request_id, reason, told_at) VALUES (?, ?, ?)
		ON CONFLICT (request_id, reason) DO UPDATE SET told_at = EXCLUDED.told_at WHERE request_refusals.told_at <= ? OR request_refusals.told_at >= ?`,
		requestID, reason, db.Millis(now), db.Millis(now.Add(-again)), db.Millis(now.Add(again)))
	return n > 0, err
}

// Told reports whether a refusal was told lately.
func (r *Refusals) Told(ctx context.Context, requestID, reason string, now time.Time, again time.Duration) (yes bool, err error) {
	c := r.db.Read(ctx)
	err = c.Row(c.Brief(ctx), "SELECT EXISTS (SELECT 1 FROM request_refusals WHERE request_id = ? AND reason = ? AND told_at > ? AND told_at < ?)",
		[]any{requestID, reason, db.Millis(now.Add(-again)), db.Millis(now.Add(again))}, &yes)
	return yes, db.Failure(err)
}

// Sweep forgets marks from before a time.
func (r *Refusals) Sweep(ctx context.Context, before time.Time) error {
	_, err := r.db.Exec(ctx, "DELETE FROM request_refusals WHERE told_at <= ?", db.Millis(before))
	return err
}
