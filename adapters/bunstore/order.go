package bunstore

import (
	"strings"
	"time"

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

// sharesOf completes a listing of shares that has an order.
func sharesOf(s shares.Sort, l listing) listing {
	l.state, l.others, l.ownerOrder = s.State, map[string]string{shares.StateActive: shares.StateExpired}, s.By == "" || s.By == shares.SortCreated
	l.order = func(back bool) string {
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
		return q.Where("(expires_at IS NULL OR expires_at > ?)", ms(now))
	case shares.StateExpired:
		return q.Where("(expires_at IS NULL) = FALSE AND expires_at <= ?", ms(now)) // as the index has it
	case shares.StateProtected:
		return q.Where("password_hash <> ''")
	case shares.StateLimited:
		return q.Where("max_views > 0")
	}
	return q
}

// directed is an ORDER BY of columns that all go one way.
func directed(up bool, columns ...string) string {
	way := " DESC"
	if up {
		way = " ASC"
	}
	return strings.Join(columns, way+", ") + way
}

// byBytes sorts a text column by its bytes, whatever the database's own order.
func (s *Store) byBytes(column string) string {
	if s.SQLite() {
		return column
	}
	return column + ` COLLATE "C"`
}

// inAnyCase sorts a text column as if it were in lower case; SQLite knows that
// of ASCII only.
func (s *Store) inAnyCase(column string) string {
	if s.SQLite() {
		return column + " COLLATE NOCASE"
	}
	return "lower(" + column + `) COLLATE "C"`
}
