package bunstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"pasteport/ports"
)

// Guesses counts failed guesses.
type Guesses struct{ s *Store }

// Check returns how long the caller must wait before another guess.
func (r *Guesses) Check(ctx context.Context, limits ...ports.GuessLimit) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, failure(err)
	}
	now := at(ms(r.s.clock.Now()))
	c := r.s.read(ctx)
	var wait time.Duration
	for _, l := range limits {
		var failures int
		var last int64
		err := c.row(context.WithoutCancel(ctx), "SELECT failures, last_at FROM guesses WHERE subject = ? AND ends_at > ?",
			[]any{l.Subject, ms(now)}, &failures, &last)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return 0, failure(err)
		}
		wait = max(wait, l.Wait(failures, at(last), now))
	}
	return wait, nil
}

// fail counts one failure in one statement. Arguments: subject, now, end of a
// window that begins now, now, now, max and 1 when failures past max begin the
// window anew.
const fail = "INSERT INTO guesses (subject, failures, last_at, ends_at) VALUES (?, 1, ?, ?) ON CONFLICT (subject) DO UPDATE SET " +
	"failures = CASE WHEN guesses.ends_at <= excluded.last_at THEN 1 ELSE guesses.failures + 1 END, last_at = excluded.last_at, " +
	"ends_at = CASE WHEN guesses.ends_at <= excluded.last_at OR CAST(? AS BIGINT) = 1 AND guesses.failures + 1 >= CAST(? AS BIGINT) " +
	"THEN excluded.ends_at ELSE guesses.ends_at END"

// Fail counts one failed guess against each of the subjects.
func (r *Guesses) Fail(ctx context.Context, limits ...ports.GuessLimit) error {
	now := r.s.clock.Now()
	limits = slices.SortedFunc(slices.Values(limits), func(a, b ports.GuessLimit) int { return cmp.Compare(a.Subject, b.Subject) })
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		for _, l := range limits {
			renewing := 0
			if l.Slow == 0 {
				renewing = 1
			}
			if _, err := c.exec(ctx, fail, l.Subject, ms(now), ms(now.Add(l.Window)), renewing, l.Max); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Forget drops the count of the subjects. Without a count it writes nothing,
// because every right password comes by here.
func (r *Guesses) Forget(ctx context.Context, limits ...ports.GuessLimit) error {
	for _, l := range limits {
		var one int
		err := r.s.read(ctx).row(ctx, "SELECT 1 FROM guesses WHERE subject = ?", []any{l.Subject}, &one)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return failure(err)
		}
		if _, err := r.s.noted(ctx, "DELETE FROM guesses WHERE subject = ?", l.Subject); err != nil {
			return err
		}
	}
	return nil
}

// DeleteExpired removes the counts whose windows have ended by now.
func (r *Guesses) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return r.s.noted(ctx, "DELETE FROM guesses WHERE ends_at <= ?", ms(now))
}
