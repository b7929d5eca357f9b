package sharedb

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
)

// orderOf is the ORDER BY of a list of shares. Rows that are equal come by
// their age, so that pages neither repeat nor miss one.
func orderOf(s shares.Sort) string {
	way := " DESC"
	if s.Ascending {
		way = " ASC"
	}
	switch s.By {
	case shares.SortSlug, shares.SortSize, shares.SortViews, shares.SortName:
		return s.By + way + ", n" + way
	case shares.SortExpiry:
		// The databases disagree on where NULL belongs.
		return "(expires_at IS NULL)" + way + ", expires_at" + way + ", n" + way
	}
	return "created_at" + way + ", n" + way
}

// The kinds of shares that are counted by their writers.
const (
	pasteKind = "paste"
	fileKind  = "file"
)

// keptCount returns how many listed shares of a kind their writers have counted.
func keptCount(c *db.Conn, kind string) func(ctx context.Context, owner string) (int, error) {
	return func(ctx context.Context, owner string) (n int, err error) {
		const all = "SELECT CAST(coalesce(sum(listed), 0) AS BIGINT) FROM share_counts WHERE kind = ?"
		if owner == "" {
			err = c.Row(ctx, all, []any{kind}, &n)
		} else {
			err = c.Row(ctx, all+" AND created_by = ?", []any{kind, owner}, &n)
		}
		return n, db.Failure(err)
	}
}

// sharesOf completes a listing of shares that has an order.
func sharesOf(s shares.Sort, l db.Listing) db.Listing {
	l.State, l.Others, l.OwnerOrder = s.State, map[string]string{shares.StateActive: shares.StateExpired}, s.By == "" || s.By == shares.SortCreated
	l.Order = func(back bool) string {
		s := s
		s.Ascending = s.Ascending != back
		return orderOf(s)
	}
	return l
}

// inState narrows a list of shares to a state.
func inState(q *bun.SelectQuery, state string, now time.Time) *bun.SelectQuery {
	switch state {
	case shares.StateActive:
		return q.Where("(expires_at IS NULL OR expires_at > ?)", db.Millis(now))
	case shares.StateExpired:
		return q.Where("(expires_at IS NULL) = FALSE AND expires_at <= ?", db.Millis(now)) // as the index has it
	case shares.StateProtected:
		return q.Where("password_hash <> ''")
	case shares.StateLimited:
		return q.Where("max_views > 0")
	}
	return q
}
