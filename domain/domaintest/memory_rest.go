package domaintest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"pasteport/domain/settings"
	"pasteport/domain/storage"
	"pasteport/ports"
)

type memSettings struct{ *memTable[settings.Setting] }

func cloneSetting(s settings.Setting) settings.Setting {
	s.CreatedAt, s.UpdatedAt = milli(s.CreatedAt), milli(s.UpdatedAt)
	return s
}

func (r *memSettings) All(ctx context.Context) ([]settings.Setting, error) {
	rows, err := r.all(ctx, func(*settings.Setting) bool { return true })
	slices.SortFunc(rows, func(a, b settings.Setting) int { return cmp.Compare(a.Key, b.Key) })
	return rows, err
}

func (r *memSettings) Put(ctx context.Context, values ...settings.Setting) error {
	return r.store(ctx, values, true, func([]settings.Setting) error { return nil })
}

func (r *memSettings) PutAfter(ctx context.Context, check func([]settings.Setting) error, values ...settings.Setting) error {
	return r.store(ctx, values, true, check)
}

func (r *memSettings) Seed(ctx context.Context, values ...settings.Setting) error {
	return r.store(ctx, values, false, func([]settings.Setting) error { return nil })
}

func (r *memSettings) store(ctx context.Context, values []settings.Setting, replace bool, check func([]settings.Setting) error) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	stored := slices.SortedFunc(maps.Values(r.rows), func(a, b settings.Setting) int { return cmp.Compare(a.Key, b.Key) })
	if err := check(stored); err != nil {
		return err
	}
	for _, v := range values {
		old, exists := r.rows[v.Key]
		if exists && !replace {
			continue
		}
		if exists {
			v.CreatedAt = old.CreatedAt
		}
		r.rows[v.Key] = cloneSetting(v)
	}
	return nil
}

type memConfigs struct{ *memTable[storage.Config] }

func cloneConfig(c storage.Config) storage.Config {
	c.Sealed = bytes.Clone(c.Sealed)
	c.CreatedAt, c.UpdatedAt, c.LastUsed = milli(c.CreatedAt), milli(c.UpdatedAt), milliPtr(c.LastUsed)
	return c
}

func (r *memConfigs) List(ctx context.Context, f storage.ConfigFilter) (ports.Page[storage.Config], error) {
	return r.list(ctx, f.Paging, func(c *storage.Config) bool { return c.IsPublic || !f.PublicOnly },
		func(a, b storage.Config) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
}

func (r *memConfigs) Insert(ctx context.Context, c *storage.Config) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err = r.insert(c); err == nil {
		delete(r.m.retired, c.ID)
	}
	return err
}

func (r *memConfigs) Hold(ctx context.Context, id string) (*storage.Config, error) {
	return r.Get(ctx, id)
}

func (r *memConfigs) SetDefault(ctx context.Context, id string) error {
	return r.m.Do(ctx, func(ctx context.Context) error {
		if _, err := r.Get(ctx, id); err != nil {
			return err
		}
		_, err := r.change(ctx, func(*storage.Config) bool { return true },
			func(c *storage.Config) { c.IsDefault = c.ID == id })
		return err
	})
}

func (r *memConfigs) Touch(ctx context.Context, at time.Time, ids ...string) error {
	_, err := r.change(ctx, func(c *storage.Config) bool { return slices.Contains(ids, c.ID) },
		func(c *storage.Config) { c.LastUsed = later(c.LastUsed, at) })
	return err
}

// later is the last use of what was used at a time as well.
func later(last *time.Time, at time.Time) *time.Time {
	if last != nil && last.After(at) {
		return last
	}
	return milliPtr(&at)
}

type guessRow struct {
	subject  string
	failures int
	last     time.Time
	ends     time.Time // when the row counts no more
}

type memGuesses struct{ *memTable[guessRow] }

func (r *memGuesses) Check(ctx context.Context, limits ...ports.GuessLimit) (time.Duration, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	now := milli(r.m.clock.Now())
	var wait time.Duration
	for _, l := range limits {
		if row, ok := r.rows[l.Subject]; ok && now.Before(row.ends) {
			wait = max(wait, l.Wait(row.failures, row.last, now))
		}
	}
	return wait, nil
}

func (r *memGuesses) Fail(ctx context.Context, limits ...ports.GuessLimit) error {
	end, err := r.m.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	now := milli(r.m.clock.Now())
	for _, l := range limits {
		row, ok := r.rows[l.Subject]
		if !ok || !now.Before(row.ends) {
			row = guessRow{subject: l.Subject, ends: now.Add(l.Window)}
		}
		row.failures++
		row.last = now
		if row.failures >= l.Max && l.Slow == 0 {
			row.ends = now.Add(l.Window)
		}
		r.rows[l.Subject] = row
	}
	return nil
}

func (r *memGuesses) Forget(ctx context.Context, limits ...ports.GuessLimit) error {
	_, err := r.remove(ctx, func(g *guessRow) bool {
		return slices.ContainsFunc(limits, func(l ports.GuessLimit) bool { return l.Subject == g.subject })
	})
	return err
}

type callRow struct {
	call    ports.IdempotentCall
	claimed time.Time
	answer  *ports.IdempotentAnswer
}

type memIdempotency struct{ *memTable[callRow] }

func (r *memIdempotency) Begin(ctx context.Context, call ports.IdempotentCall, now time.Time) (*ports.IdempotentAnswer, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	row := callRow{call: call, claimed: milli(now)}
	id := r.id(&row)
	if old, ok := r.rows[id]; ok {
		age := now.Sub(old.claimed)
		switch {
		case age >= ports.IdempotencyKept || old.answer == nil && age >= ports.IdempotencyLease:
		case old.call != call:
			return nil, ports.ErrIdempotencyReused
		case old.answer == nil:
			return nil, ports.ErrIdempotencyRunning
		default:
			answer := *old.answer
			answer.Body = bytes.Clone(answer.Body)
			return &answer, nil
		}
	}
	r.rows[id] = row
	return nil, nil
}

func (r *memIdempotency) Finish(ctx context.Context, call ports.IdempotentCall, answer ports.IdempotentAnswer) error {
	answer.Body = bytes.Clone(answer.Body)
	if len(answer.Body) > ports.IdempotencyMaxBody {
		answer.Body = nil
	}
	_, err := r.change(ctx, func(c *callRow) bool { return c.call == call }, func(c *callRow) { c.answer = &answer })
	return err
}

func (r *memIdempotency) Abandon(ctx context.Context, call ports.IdempotentCall) error {
	_, err := r.remove(ctx, func(c *callRow) bool { return c.call == call && c.answer == nil })
	return err
}
