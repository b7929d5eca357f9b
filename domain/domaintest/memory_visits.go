package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/visitlog"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// memVisits keeps who opened shares. Lines whose share is gone are as good as
// removed: nobody finds them.
type memVisits struct{ m *Memory }

// share returns the facts of a line's share; NotFound when it is gone.
func (r *memVisits) share(ctx context.Context, kind, id string) (s visitlog.Shown, err error) {
	switch kind {
	case policy.KindPaste:
		p, err := r.m.pastes.Get(ctx, id)
		if err != nil {
			return s, err
		}
		return visitlog.Shown{Slug: p.Slug, Name: p.Remark, Owner: p.CreatedBy}, nil
	case policy.KindFile:
		f, err := r.m.files.Get(ctx, id)
		if err != nil {
			return s, err
		}
		return visitlog.Shown{Slug: f.Slug, Name: f.Filename, Owner: f.CreatedBy}, nil
	case policy.KindCollection:
		c, err := r.m.sets.Get(ctx, id)
		if err != nil {
			return s, err
		}
		return visitlog.Shown{Slug: c.Slug, Name: c.Title, Owner: c.CreatedBy}, nil
	}
	return s, ports.ErrNotFound
}

func (r *memVisits) Add(ctx context.Context, lines []visitlog.Line) error {
	for _, l := range lines {
		if _, err := r.share(ctx, l.Kind, l.ShareID); ports.Is(err, ports.NotFound) {
			continue
		} else if err != nil {
			return err
		}
		all, err := r.m.visits.all(ctx, func(*visitlog.Line) bool { return true })
		if err != nil {
			return err
		}
		for _, other := range all {
			l.N = max(l.N, other.N)
		}
		l.N++
		l.At = milli(l.At)
		if err := r.m.visits.Insert(ctx, &l); err != nil {
			return err
		}
	}
	return nil
}

func refusedLine(l *visitlog.Line) bool { return l.Verdict != openings.WasOpened }

func (r *memVisits) Trim(ctx context.Context, shareID string, refused bool, keep int) error {
	lines, err := r.m.visits.all(ctx, func(l *visitlog.Line) bool { return l.ShareID == shareID && refusedLine(l) == refused })
	if err != nil || len(lines) <= keep {
		return err
	}
	slices.SortFunc(lines, func(a, b visitlog.Line) int { return cmp.Compare(b.N, a.N) })
	last := lines[keep-1].N
	_, err = r.m.visits.remove(ctx, func(l *visitlog.Line) bool {
		return l.ShareID == shareID && refusedLine(l) == refused && l.N < last
	})
	return err
}

func (r *memVisits) chosen(ctx context.Context, f visitlog.Filter) ([]visitlog.Shown, error) {
	lines, err := r.m.visits.all(ctx, func(l *visitlog.Line) bool {
		return (f.ShareID == "" || l.ShareID == f.ShareID) && (f.Kind == "" || l.Kind == f.Kind) && (f.Verdict == "" || l.Verdict == f.Verdict) &&
			(!f.Refused || refusedLine(l)) && !l.At.Before(f.From) && (f.To.IsZero() || l.At.Before(f.To))
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(lines, func(a, b visitlog.Line) int { return cmp.Compare(b.N, a.N) })
	out := []visitlog.Shown{}
	for _, l := range lines {
		s, err := r.share(ctx, l.Kind, l.ShareID)
		if ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.Line = l
		text := strings.ToLower(strings.Join([]string{l.Address, l.Agent, l.Item, l.ShareID, s.Slug, s.Name}, "\n"))
		if (f.Owner == "" || s.Owner == f.Owner) && strings.Contains(text, strings.ToLower(f.Search)) {
			out = append(out, s)
		}
	}
	return out, nil
}

func (r *memVisits) List(ctx context.Context, f visitlog.Filter) ([]visitlog.Shown, error) {
	all, err := r.chosen(ctx, f)
	all = slices.DeleteFunc(all, func(s visitlog.Shown) bool { return f.Before > 0 && s.N >= f.Before })
	all = all[min(max(f.Offset, 0), len(all)):]
	if f.Limit > 0 {
		all = all[:min(f.Limit, len(all))]
	}
	return all, err
}

func (r *memVisits) Count(ctx context.Context, f visitlog.Filter) (int, error) {
	all, err := r.chosen(ctx, f)
	return min(len(all), visitlog.MaxTotal), err
}

func (r *memVisits) Owner(ctx context.Context, kind, id string) (string, error) {
	s, err := r.share(ctx, kind, id)
	return s.Owner, err
}

func (r *memVisits) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	return r.m.visits.remove(ctx, upTo(limit, func(l *visitlog.Line) bool { return l.At.Before(before) }))
}
