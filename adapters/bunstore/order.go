package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/domain/shares"
	"pasteport/ports"
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

// totalInState is totalOf for a list of shares in a state. Those that have not
// ended are too many to look at one by one: they are all but the ended ones.
func totalInState(ctx context.Context, p ports.Paging, rows int, sort shares.Sort, narrowed func(shares.Sort) *bun.SelectQuery) (int, error) {
	if !lastPage(p, rows) && sort.State == shares.StateActive {
		all, ended := sort, sort
		all.State, ended.State = "", shares.StateExpired
		n, err := narrowed(all).Count(ctx)
		if err != nil {
			return 0, failure(err)
		}
		gone, err := narrowed(ended).Count(ctx)
		return int(n - gone), failure(err)
	}
	return totalOf(ctx, p, rows, func() *bun.SelectQuery { return narrowed(sort) })
}

// inState narrows a list of shares to a state.
func inState(q *bun.SelectQuery, s shares.Sort) *bun.SelectQuery {
	switch s.State {
	case shares.StateActive:
		return q.Where("(expires_at IS NULL OR expires_at > ?)", ms(s.Now))
	case shares.StateExpired:
		return q.Where("(expires_at IS NULL) = FALSE AND expires_at <= ?", ms(s.Now)) // as the index has it
	case shares.StateProtected:
		return q.Where("password_hash <> ''")
	case shares.StateLimited:
		return q.Where("max_views > 0")
	}
	return q
}
