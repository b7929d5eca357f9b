package domaintest

import (
	"context"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
)

// viewed are the paths of visitors that repositories of shares have in common.
type viewed interface {
	TakeView(ctx context.Context, id string, now time.Time) (int64, error)
	AddViews(ctx context.Context, views map[string]int64) error
}

// RunLatches checks how the end of shares moves when they are opened.
func RunLatches(t *testing.T, open OpenStores) {
	for name, c := range map[string]struct {
		views  int64
		latch  shares.Latch
		ends   int // minutes
		opened int
		want   int
	}{
		"it moves":                     {9, shares.Latch{SlideBy: 50 * time.Minute}, 60, 30, 80},
		"without a limit":              {0, shares.Latch{SlideBy: 50 * time.Minute}, 60, 30, 80},
		"never back":                   {9, shares.Latch{SlideBy: 50 * time.Minute}, 60, 5, 60},
		"never past its last":          {9, shares.Latch{SlideBy: 50 * time.Minute, SlideUntil: ptr(minute(70))}, 60, 30, 70},
		"without a limit, to its last": {0, shares.Latch{SlideBy: 50 * time.Minute, SlideUntil: ptr(minute(70))}, 60, 30, 70},
		"a last that is over":          {9, shares.Latch{SlideBy: 50 * time.Minute, SlideUntil: ptr(minute(10))}, 60, 30, 60},
		"an end that stays":            {0, shares.Latch{KeyOnly: true}, 60, 30, 60},
		"an end that is over":          {0, shares.Latch{SlideBy: 50 * time.Minute}, 20, 30, 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			gate := shares.Gate{MaxViews: c.views, ExpiresAt: ptr(minute(c.ends)), Latch: c.latch}
			must(t, s.Pastes.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.Gate = gate })))
			must(t, s.Files.Insert(t.Context(), openFile(2, func(f *shares.File) { f.Gate = gate })))
			must(t, s.Collections.Insert(t.Context(), &collections.Collection{ID: testID(3), Slug: "three", Gate: gate, CreatedBy: "a", CreatedAt: minute(0), UpdatedAt: minute(0), Version: 1}))
			s.Clock.Add(minute(c.opened).Sub(s.Clock.Now()))
			for n, repo := range []viewed{s.Pastes, s.Files, s.Collections} {
				id := testID(n + 1)
				if c.views > 0 {
					must(t, second(repo.TakeView(t.Context(), id, s.Clock.Now())))
				} else {
					must(t, repo.AddViews(t.Context(), map[string]int64{id: 2}))
				}
			}
			p, err := s.Pastes.Get(t.Context(), testID(1))
			must(t, err)
			f, err := s.Files.Get(t.Context(), testID(2))
			must(t, err)
			k, err := s.Collections.Get(t.Context(), testID(3))
			must(t, err)
			for _, g := range []shares.Gate{p.Gate, f.Gate, k.Gate} {
				equal(t, g.ExpiresAt, ptr(minute(c.want)))
				equal(t, g.Latch, c.latch)
			}
		})
	}
}
