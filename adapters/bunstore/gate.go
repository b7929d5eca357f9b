package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"pasteport/domain/shares"
)

// gateRow holds the columns that pastes and files have in common.
type gateRow struct {
	PasswordHash string
	ExpiresAt    *int64
	MaxViews     int64
	Views        int64
	UsedUpAt     *int64
	ErasedAt     *int64
}

func newGateRow(g *shares.Gate) gateRow {
	return gateRow{
		PasswordHash: g.PasswordHash, ExpiresAt: msPtr(g.ExpiresAt), MaxViews: g.MaxViews, Views: g.Views,
		UsedUpAt: msPtr(g.UsedUpAt), ErasedAt: msPtr(g.ErasedAt),
	}
}

func (r *gateRow) gate() shares.Gate {
	return shares.Gate{
		PasswordHash: r.PasswordHash, ExpiresAt: atPtr(r.ExpiresAt), MaxViews: r.MaxViews, Views: r.Views,
		UsedUpAt: atPtr(r.UsedUpAt), ErasedAt: atPtr(r.ErasedAt),
	}
}

// listed is the condition of shares that stand in lists.
const listed = "used_up_at IS NULL AND erased_at IS NULL"

// takeView counts a view with the one statement in query.
func (s *Store) takeView(ctx context.Context, query, id string, now time.Time) (views int64, err error) {
	err = s.write(ctx, work{whole: true, fn: func(ctx context.Context, c *conn) error {
		err := c.row(ctx, query, []any{ms(now), id, ms(now)}, &views)
		if errors.Is(err, sql.ErrNoRows) {
			return errGone
		}
		return err
	}})
	return views, err
}

// addViews runs query for each id, in order, so that two nodes that do the same
// never wait for each other in a circle.
func (s *Store) addViews(ctx context.Context, query string, views map[string]int64) error {
	if len(views) == 0 {
		return nil
	}
	return s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		for _, id := range slices.Sorted(maps.Keys(views)) {
			if _, err := c.exec(ctx, query, views[id], id); err != nil {
				return err
			}
		}
		return nil
	}})
}

// countByDay runs query, which gives day and number from a first moment on.
func (s *Store) countByDay(ctx context.Context, totalQuery, dayQuery string, now time.Time, days int) (total int, perDay []int, err error) {
	const day = int64(24 * time.Hour / time.Millisecond)
	first := ms(now)/day - int64(days) + 1
	perDay = make([]int, days)
	c := s.read(ctx)
	if err := c.row(ctx, totalQuery, nil, &total); err != nil {
		return 0, nil, failure(err)
	}
	err = c.rows(ctx, dayQuery, []any{first * day}, func(scan func(...any) error) error {
		var on int64
		var n int
		if err := scan(&on, &n); err != nil {
			return err
		}
		if i := on - first; i >= 0 && i < int64(days) {
			perDay[i] = n
		}
		return nil
	})
	return total, perDay, failure(err)
}
