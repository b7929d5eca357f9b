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

// counted is a number of shares that is kept in a table, and its condition for
// rows of which it is not kept yet.
type counted struct {
	column, table, and string
	fresh              string
	args               []any // of and, and of fresh
}

// of sums a column of a table of counts, of an owner or of everybody, and counts
// what is fresh.
func (k kept) of(ctx context.Context, owner string, n counted) (sum int, err error) {
	query, args := "SELECT CAST(coalesce(sum("+n.column+"), 0) AS BIGINT) FROM "+n.table+" WHERE kind = ?"+n.and, append([]any{k.kind}, n.args...)
	if owner != "" {
		query, args = query+" AND created_by = ?", append(args, owner)
	}
	if fresh := k.fresh("count(*)", owner, n.fresh); fresh != "" {
		query, args = "SELECT ("+query+") + ("+fresh+")", append(args, n.args...)
		if owner != "" {
			args = append(args, owner)
		}
	}
	err = k.c.Row(ctx, query, args, &sum)
	return sum, db.Failure(err)
}

// fresh selects from the rows of which nothing is kept yet; empty when of all is.
func (k kept) fresh(columns, owner, and string) string {
	if !k.c.SQLite || k.kind != pasteKind {
		return ""
	}
	query := "SELECT " + columns + " FROM " + freshPastes + " WHERE " + freshRows + " AND " + listed + and
	if owner != "" {
		query += " AND created_by = ?"
	}
	return query
}

// inState counts the listed shares in a state at a time.
func (k kept) inState(ctx context.Context, owner, state string, now time.Time) (int, error) {
	switch state {
	case shares.StateProtected:
		return k.of(ctx, owner, counted{column: "protected", table: "share_counts", fresh: " AND password_hash <> ''"})
	case shares.StateLimited:
		return k.of(ctx, owner, counted{column: "limited", table: "share_counts", fresh: " AND max_views > 0"})
	case shares.StateExpired:
		return k.ended(ctx, owner, db.Millis(now))
	}
	all, err := k.of(ctx, owner, counted{column: "listed", table: "share_counts"})
	if err != nil || state == "" {
		return all, err
	}
	gone, err := k.ended(ctx, owner, db.Millis(now))
	return max(all-gone, 0), err
}

// ended counts the shares whose end has come: whole days by their counts, and that
// of the time by its rows.
func (k kept) ended(ctx context.Context, owner string, at int64) (int, error) {
	before, err := k.of(ctx, owner, counted{column: "listed", table: "share_ends", and: " AND day < ?", fresh: " AND expires_at / 86400000 < ?", args: []any{at / day}})
	if err != nil {
		return 0, err
	}
	query, args := "SELECT count(*) FROM "+k.table+" WHERE expires_at IS NOT NULL AND expires_at >= ? AND expires_at <= ? AND "+listed, []any{at / day * day, at}
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
	all, err := k.of(ctx, owner, counted{column: "listed", table: "share_counts"})
	if err != nil {
		return 0, err
	}
	end, err := k.of(ctx, owner, counted{column: "listed", table: "share_ends", fresh: " AND expires_at IS NOT NULL"})
	return max(all-end, 0), err
}

// days are how many shares were made on each day, the oldest first.
func (k kept) days(ctx context.Context, owner string) (days []db.Day, err error) {
	query, args := "SELECT day, listed FROM share_counts WHERE kind = ?", []any{k.kind}
	if owner != "" {
		query, args = query+" AND created_by = ?", append(args, owner)
	}
	if fresh := k.fresh("created_at / 86400000, 1", owner, ""); fresh != "" {
		query += " UNION ALL " + fresh
		if owner != "" {
			args = append(args, owner)
		}
	}
	err = k.c.Rows(ctx, "SELECT day, CAST(sum(listed) AS BIGINT) FROM ("+query+") AS days GROUP BY day ORDER BY day", args, func(scan func(...any) error) error {
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
	if k.c.SQLite && k.kind == pasteKind {
		l.Fresh = freshOf(s.By)
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

// freshOf are the fresh rows of a list of texts, when the index of its order does
// not have them.
func freshOf(by string) *db.Fresh {
	f := &db.Fresh{Table: freshPastes, Others: settledRows, Where: freshRows}
	switch by {
	case shares.SortSize, shares.SortViews:
		f.Columns = by
	case shares.SortExpiry:
		f.Columns = "(expires_at IS NULL), expires_at"
	default:
		return nil
	}
	return f
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
		return q.Where("expires_at IS NOT NULL AND expires_at <= ?", db.Millis(now)) // as the index has it
	case shares.StateProtected:
		return q.Where("password_hash <> ''")
	case shares.StateLimited:
		return q.Where("max_views > 0")
	}
	return q
}
