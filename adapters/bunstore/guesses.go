package bunstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"pasteport/ports"
)

// Guesses counts failed guesses. Every read of a protected share asks it, and
// hardly any subject has failures; so on SQLite, where no other process can add
// one, subjects that are not among the known ones cost no query.
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
		if r.s.suspects.unknown(l.Subject) {
			continue
		}
		var failures int
		var last int64
		err := c.row(c.brief(ctx), "SELECT failures, last_at FROM guesses WHERE subject = ? AND ends_at > ?",
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
	r.s.suspects.add(limits)
	defer r.s.suspects.add(limits) // once more: they may have been forgotten in between
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
		if r.s.suspects.unknown(l.Subject) {
			continue
		}
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
func (r *Guesses) DeleteExpired(ctx context.Context, now time.Time) (n int, err error) {
	forgotten := r.s.suspects.renew()
	err = r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		changed, err := c.exec(ctx, "DELETE FROM guesses WHERE ends_at <= ?", ms(now))
		if err != nil {
			return err
		}
		n = int(changed)
		return r.s.suspects.load(ctx, c)
	}})
	if err == nil {
		forgotten()
	}
	return n, err
}

// suspects knows every subject that may have a count, as a hash. A nil one
// knows nothing and so rules nobody out.
type suspects struct {
	seed maphash.Seed

	mu       sync.RWMutex
	now, old map[uint64]struct{}
}

func newSuspects() *suspects {
	return &suspects{seed: maphash.MakeSeed(), now: map[uint64]struct{}{}}
}

// unknown reports that subject has no count for certain.
func (k *suspects) unknown(subject string) bool {
	if k == nil {
		return false
	}
	hash := maphash.String(k.seed, subject)
	k.mu.RLock()
	defer k.mu.RUnlock()
	_, now := k.now[hash]
	_, old := k.old[hash]
	return !now && !old
}

func (k *suspects) add(limits []ports.GuessLimit) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range limits {
		k.now[maphash.String(k.seed, l.Subject)] = struct{}{}
	}
}

// renew begins a new collection; the old one counts until done is called.
func (k *suspects) renew() (done func()) {
	if k == nil {
		return func() {}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.old == nil {
		k.old, k.now = k.now, map[uint64]struct{}{}
	} else { // the renewal before has failed
		maps.Copy(k.old, k.now)
	}
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.old = nil
	}
}

// load adds the subjects that have a count.
func (k *suspects) load(ctx context.Context, c *conn) error {
	if k == nil {
		return nil
	}
	return c.rows(ctx, "SELECT subject FROM guesses", nil, func(scan func(...any) error) error {
		var l ports.GuessLimit
		err := scan(&l.Subject)
		k.add([]ports.GuessLimit{l})
		return err
	})
}
