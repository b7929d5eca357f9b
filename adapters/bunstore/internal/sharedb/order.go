package sharedb

import (
	"context"
	"strings"
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

// day is a day of share_counts, in milliseconds.
const day = int64(24 * time.Hour / time.Millisecond)

// kept reads what the writers of a kind of shares have counted.
type kept struct {
	c     *db.Conn
	kind  string
	table string
}

// of sums a column of a table of counts, of an owner or of everybody.
func (k kept) of(ctx context.Context, column, table, owner string, and string, args ...any) (n int, err error) {
	query, all := "SELECT CAST(coalesce(sum("+column+"), 0) AS BIGINT) FROM "+table+" WHERE kind = ?", []any{k.kind}
	if owner != "" {
		query, all = query+" AND created_by = ?", append(all, owner)
	}
	err = k.c.Row(ctx, query+and, append(all, args...), &n)
	return n, db.Failure(err)
}

// inState counts the listed shares in a state at a time.
func (k kept) inState(ctx context.Context, owner, state string, now time.Time) (int, error) {
	switch state {
	case shares.StateProtected:
		return k.of(ctx, "protected", "share_counts", owner, "")
	case shares.StateLimited:
		return k.of(ctx, "limited", "share_counts", owner, "")
	case shares.StateExpired:
		return k.ended(ctx, owner, db.Millis(now))
	}
	all, err := k.of(ctx, "listed", "share_counts", owner, "")
	if err != nil || state == "" {
		return all, err
	}
	gone, err := k.ended(ctx, owner, db.Millis(now))
	return max(all-gone, 0), err
}

// ended counts the shares whose end has come: whole days by their counts, and that
// of the time by its rows.
func (k kept) ended(ctx context.Context, owner string, at int64) (int, error) {
	before, err := k.of(ctx, "listed", "share_ends", owner, " AND day < ?", at/day)
	if err != nil {
		return 0, err
	}
	// As the index of ends has it.
	query, args := "SELECT count(*) FROM "+k.table+" WHERE (expires_at IS NULL) = FALSE AND expires_at >= ? AND expires_at <= ? AND "+listed, []any{at / day * day, at}
	if k.kind == fileKind {
		query += " AND NOT pending"
	}
	if owner != "" {
		query, args = query+" AND +created_by = ?", append(args, owner) // the sign keeps the owners' index out
		if !k.c.SQLite {
			query = strings.Replace(query, "+created_by", "created_by", 1)
		}
	}
	var today int
	err = k.c.Row(ctx, query, args, &today)
	return before + today, db.Failure(err)
}

// without counts the shares that never end.
func (k kept) without(ctx context.Context, owner string) (int, error) {
	all, err := k.of(ctx, "listed", "share_counts", owner, "")
	if err != nil {
		return 0, err
	}
	end, err := k.of(ctx, "listed", "share_ends", owner, "")
	return max(all-end, 0), err
}

// days are how many shares were made on each day, the oldest first.
func (k kept) days(ctx context.Context, owner string) (days []db.Day, err error) {
	query, args := "SELECT day, CAST(sum(listed) AS BIGINT) FROM share_counts WHERE kind = ?", []any{k.kind}
	if owner != "" {
		query, args = query+" AND created_by = ?", append(args, owner)
	}
	err = k.c.Rows(ctx, query+" GROUP BY day ORDER BY day", args, func(scan func(...any) error) error {
		var on db.Day
		err := scan(&on.From, &on.Rows)
		on.From *= day
		on.To = on.From + day
		days = append(days, on)
		return err
	})
	return days, db.Failure(err)
}

// sharesOf completes a listing of shares that has an order. Its writers have
// counted it when it is narrowed by nothing but its owner and a state.
func sharesOf(s shares.Sort, l db.Listing, counted bool, k kept) db.Listing {
	l.State, l.OwnerOrder = s.State, s.By == "" || s.By == shares.SortCreated
	l.Order = func(back bool) string {
		s := s
		s.Ascending = s.Ascending != back
		return orderOf(s)
	}
	if !counted || l.Searched {
		return l
	}
	l.Kept = func(ctx context.Context) (int, error) { return k.inState(ctx, l.Owner, s.State, s.Now) }
	if s.State == shares.StateExpired {
		l.Few = expiredByIndex
	}
	if l.OwnerOrder && s.State == "" {
		l.Ascending, l.Days = s.Ascending, func(ctx context.Context) ([]db.Day, error) { return k.days(ctx, l.Owner) }
	}
	return l
}

// expiredByIndex is shares.StateExpired, found by the index of ends.
const expiredByIndex = "expired by index"

// inState narrows a list of shares to a state.
func inState(q *bun.SelectQuery, state string, now time.Time) *bun.SelectQuery {
	switch state {
	case shares.StateActive:
		return q.Where("(expires_at IS NULL OR expires_at > ?)", db.Millis(now))
	case shares.StateExpired:
		return q.Where("+expires_at <= ?", db.Millis(now)) // the sign keeps the index of ends out, whose order is another
	case expiredByIndex:
		return q.Where("(expires_at IS NULL) = FALSE AND expires_at <= ?", db.Millis(now)) // as the index has it
	case shares.StateProtected:
		return q.Where("password_hash <> ''")
	case shares.StateLimited:
		return q.Where("max_views > 0")
	}
	return q
}
