package admindb

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

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports"
)

var _ ports.Guesses = (*Guesses)(nil)

// Guesses counts failed guesses. Every read of a protected share asks it, and
// hardly any subject has failures; so on SQLite, where no other process can add
// one, subjects that are not among the known ones cost no query.
type Guesses struct {
	db *db.DB
	// suspects is nil on PostgreSQL, where other nodes count too.
	suspects *suspects
}

// OpenGuesses returns the counters of a database, of which there is one for all
// callers.
func OpenGuesses(ctx context.Context, d *db.DB) (*Guesses, error) {
	r := &Guesses{db: d}
	if !d.SQLite() {
		return r, nil
	}
	r.suspects = newSuspects()
	return r, db.Failure(r.suspects.load(ctx, d.Read(ctx)))
}

// Check returns how long the caller must wait before another guess.
func (r *Guesses) Check(ctx context.Context, limits ...ports.GuessLimit) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, db.Failure(err)
	}
	now := db.Time(db.Millis(r.db.Clock.Now()))
	c := r.db.Read(ctx)
	var wait time.Duration
	for _, l := range limits {
		if r.suspects.unknown(l.Subject) {
			continue
		}
		var failures int
		var last int64
		err := c.Row(c.Brief(ctx), "SELECT failures, last_at FROM guesses WHERE subject = ? AND ends_at > ?",
			[]any{l.Subject, db.Millis(now)}, &failures, &last)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return 0, db.Failure(err)
		}
		wait = max(wait, l.Wait(failures, db.Time(last), now))
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
	now := r.db.Clock.Now()
	limits = slices.SortedFunc(slices.Values(limits), func(a, b ports.GuessLimit) int { return cmp.Compare(a.Subject, b.Subject) })
	r.suspects.add(limits)
	defer r.suspects.add(limits) // once more: they may have been forgotten in between
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, l := range limits {
			renewing := 0
			if l.Slow == 0 {
				renewing = 1
			}
			if _, err := c.Exec(ctx, fail, l.Subject, db.Millis(now), db.Millis(now.Add(l.Window)), renewing, l.Max); err != nil {
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
		if r.suspects.unknown(l.Subject) {
			continue
		}
		var one int
		err := r.db.Read(ctx).Row(ctx, "SELECT 1 FROM guesses WHERE subject = ?", []any{l.Subject}, &one)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return db.Failure(err)
		}
		if _, err := r.db.Exec(ctx, "DELETE FROM guesses WHERE subject = ?", l.Subject); err != nil {
			return err
		}
	}
	return nil
}

// DeleteExpired removes the counts whose windows have ended by now.
func (r *Guesses) DeleteExpired(ctx context.Context, now time.Time) (n int, err error) {
	forgotten := r.suspects.renew()
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		changed, err := c.Exec(ctx, "DELETE FROM guesses WHERE ends_at <= ?", db.Millis(now))
		if err != nil {
			return err
		}
		n = int(changed)
		return r.suspects.load(ctx, c)
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
func (k *suspects) load(ctx context.Context, c *db.Conn) error {
	if k == nil {
		return nil
	}
	return c.Rows(ctx, "SELECT subject FROM guesses", nil, func(scan func(...any) error) error {
		var l ports.GuessLimit
		err := scan(&l.Subject)
		k.add([]ports.GuessLimit{l})
		return err
	})
}
