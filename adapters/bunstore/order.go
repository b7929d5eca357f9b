package bunstore

import (
	"github.com/uptrace/bun"

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
