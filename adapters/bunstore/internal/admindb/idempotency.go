package admindb

import (
	"bytes"
	"context"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports"
)

var _ ports.Idempotency = (*Idempotency)(nil)

// Idempotency stores the answers of writes. A row without status is a claim.
type Idempotency struct{ db *db.DB }

// NewIdempotency returns the store of answers.
func NewIdempotency(d *db.DB) *Idempotency { return &Idempotency{d} }

// claim takes a free key, or one whose answer or lease has run out. Its last
// two arguments are the moments before which an answer and a claim are void.
const claim = "INSERT INTO idempotency (caller, name, method, path, body, claimed_at, status, type, answer) VALUES (?, ?, ?, ?, ?, ?, 0, '', NULL) " +
	"ON CONFLICT (caller, name) DO UPDATE SET method = excluded.method, path = excluded.path, body = excluded.body, " +
	"claimed_at = excluded.claimed_at, status = 0, type = '', answer = NULL " +
	"WHERE idempotency.claimed_at <= CAST(? AS BIGINT) OR idempotency.status = 0 AND idempotency.claimed_at <= CAST(? AS BIGINT)"

// Begin claims the call, or returns the answer it had.
func (r *Idempotency) Begin(ctx context.Context, call ports.IdempotentCall, now time.Time) (*ports.IdempotentAnswer, error) {
	n, err := r.db.Exec(ctx, claim, call.Caller, call.Key, call.Method, call.Path, call.Body[:], db.Millis(now),
		db.Millis(now.Add(-ports.IdempotencyKept)), db.Millis(now.Add(-ports.IdempotencyLease)))
	if err != nil || n > 0 {
		return nil, err
	}
	var method, path string
	var body []byte
	var answer ports.IdempotentAnswer
	err = r.db.Read(ctx).Row(ctx, "SELECT method, path, body, status, type, answer FROM idempotency WHERE caller = ? AND name = ?",
		[]any{call.Caller, call.Key}, &method, &path, &body, &answer.Status, &answer.Type, &answer.Body)
	switch {
	case ports.Is(db.Failure(err), ports.NotFound): // given back just now
		return nil, ports.ErrIdempotencyRunning
	case err != nil:
		return nil, db.Failure(err)
	case method != call.Method || path != call.Path || !bytes.Equal(body, call.Body[:]):
		return nil, ports.ErrIdempotencyReused
	case answer.Status == 0:
		return nil, ports.ErrIdempotencyRunning
	}
	return &answer, nil
}

// Finish stores the answer; without its body when that is too long.
func (r *Idempotency) Finish(ctx context.Context, call ports.IdempotentCall, answer ports.IdempotentAnswer) error {
	if len(answer.Body) > ports.IdempotencyMaxBody {
		answer.Body = nil
	}
	_, err := r.db.Exec(ctx, "UPDATE idempotency SET status = ?, type = ?, answer = ? "+
		"WHERE caller = ? AND name = ? AND method = ? AND path = ? AND body = ?",
		answer.Status, answer.Type, answer.Body, call.Caller, call.Key, call.Method, call.Path, call.Body[:])
	return err
}

// Abandon gives the claim back.
func (r *Idempotency) Abandon(ctx context.Context, call ports.IdempotentCall) error {
	_, err := r.db.Exec(ctx, "DELETE FROM idempotency WHERE caller = ? AND name = ? AND method = ? AND path = ? AND body = ? AND status = 0",
		call.Caller, call.Key, call.Method, call.Path, call.Body[:])
	return err
}

// DeleteExpired removes the answers that are no longer kept.
func (r *Idempotency) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM idempotency WHERE claimed_at <= ?", db.Millis(now.Add(-ports.IdempotencyKept)))
}
