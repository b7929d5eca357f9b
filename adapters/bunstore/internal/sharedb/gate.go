package sharedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

// gateRow holds the columns that pastes and files have in common.
type gateRow struct {
	PasswordHash string
	ExpiresAt    *int64
	MaxViews     int64
	Views        int64
	UsedUpAt     *int64
	ErasedAt     *int64
	KeyOnly      bool
	SlideMs      int64
	SlideUntil   *int64
}

func newGateRow(g *shares.Gate) gateRow {
	return gateRow{
		PasswordHash: g.PasswordHash, ExpiresAt: db.MillisPtr(g.ExpiresAt), MaxViews: g.MaxViews, Views: g.Views,
		UsedUpAt: db.MillisPtr(g.UsedUpAt), ErasedAt: db.MillisPtr(g.ErasedAt),
		KeyOnly: g.KeyOnly, SlideMs: g.SlideBy.Milliseconds(), SlideUntil: db.MillisPtr(g.SlideUntil),
	}
}

func (r *gateRow) gate() shares.Gate {
	return shares.Gate{
		PasswordHash: r.PasswordHash, ExpiresAt: db.TimePtr(r.ExpiresAt), MaxViews: r.MaxViews, Views: r.Views,
		UsedUpAt: db.TimePtr(r.UsedUpAt), ErasedAt: db.TimePtr(r.ErasedAt),
		Latch: shares.Latch{KeyOnly: r.KeyOnly, SlideBy: time.Duration(r.SlideMs) * time.Millisecond, SlideUntil: db.TimePtr(r.SlideUntil)},
	}
}

// listed is the condition of shares that stand in lists.
const listed = "used_up_at IS NULL AND erased_at IS NULL"

var errGone = &ports.Error{Code: ports.Gone, Key: "gone"}

// slid moves the end of a share that is opened, as Gate.Slid does; its arguments are
// the moment, four times.
const slid = "expires_at = CASE WHEN slide_ms > 0 AND expires_at > CAST(? AS BIGINT) THEN " +
	"CASE WHEN slide_until < CAST(? AS BIGINT) + slide_ms THEN CASE WHEN slide_until > expires_at THEN slide_until ELSE expires_at END " +
	"WHEN CAST(? AS BIGINT) + slide_ms > expires_at THEN CAST(? AS BIGINT) + slide_ms ELSE expires_at END ELSE expires_at END"

// takeView counts a view of a share of a table; Gone when none is left.
func takeView(ctx context.Context, d *db.DB, table, id string, now time.Time) (views int64, err error) {
	query := "UPDATE " + table + " SET views = views + 1, used_up_at = CASE WHEN max_views > 0 AND views + 1 >= max_views THEN CAST(? AS BIGINT) END, " + slid +
		" WHERE id = ? AND (max_views = 0 OR views < max_views) AND (expires_at IS NULL OR expires_at > ?) AND " + listed + " RETURNING views"
	at := db.Millis(now)
	err = d.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		err := c.Row(ctx, query, []any{at, at, at, at, at, id, at}, &views)
		if errors.Is(err, sql.ErrNoRows) {
			return errGone
		}
		return err
	}})
	return views, err
}

// addViews adds counted views to the unlimited shares of a table, in the order of
// their ids, so that two nodes that do the same never wait for each other in a
// circle.
func addViews(ctx context.Context, d *db.DB, table string, views map[string]int64) error {
	if len(views) == 0 {
		return nil
	}
	query := "UPDATE " + table + " SET views = views + ?, " + slid + " WHERE id = ? AND max_views = 0"
	now := db.Millis(d.Clock.Now())
	return d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, id := range slices.Sorted(maps.Keys(views)) {
			if _, err := c.Exec(ctx, query, views[id], now, now, now, now, id); err != nil {
				return err
			}
		}
		return nil
	}})
}

// walk is where a walk over the shares that may go stands: those used up come
// first, then the expired ones, and of files those of erased collections; each
// by that time and then by n, as the indexes have them.
type walk struct {
	stage, at, n int64
}

func (w walk) String() string { return fmt.Sprint(w.stage, " ", w.at, " ", w.n) }

// walkFrom reads what String has written; anything else begins at the beginning.
func walkFrom(text string) (w walk) {
	if n, _ := fmt.Sscan(text, &w.stage, &w.at, &w.n); n < 3 {
		return walk{at: math.MinInt64}
	}
	return w
}

// stage is a part of such a walk: rows by a column, in its order.
type stage struct {
	column, where string
	args          []any
}

// remains are the shares of a table that may go: some columns of them.
type remains struct {
	db             *db.DB
	table, columns string
	stages         []stage
}

// erasable are the stages of every table of shares.
func erasable(usedBefore, expiredBefore time.Time) []stage {
	used := db.Millis(usedBefore)
	return []stage{
		{"used_up_at", "used_up_at IS NOT NULL AND used_up_at < ?", []any{used}},
		{"expires_at", "expires_at IS NOT NULL AND expires_at < ? AND (used_up_at IS NULL OR used_up_at >= ?)", []any{db.Millis(expiredBefore), used}},
	}
}

// page reads one page of a walk; each takes where a row stands, and its columns.
func (r remains) page(ctx context.Context, after string, limit int, each func(scan func(...any) error, at, n *int64) error) (next string, err error) {
	w, c := walkFrom(after), r.db.Read(ctx)
	for rows := 0; w.stage >= 0 && w.stage < int64(len(r.stages)); w = (walk{stage: w.stage + 1, at: math.MinInt64}) {
		s := r.stages[w.stage]
		args := append(slices.Clone(s.args), w.at, w.at, w.n, limit)
		err := c.Rows(ctx, "SELECT "+s.column+", n, "+r.columns+" FROM "+r.table+" WHERE erased_at IS NULL AND "+s.where+
			" AND "+s.column+" >= ? AND ("+s.column+" > ? OR n > ?) ORDER BY "+s.column+", n LIMIT ?", args,
			func(scan func(...any) error) error {
				rows++
				return each(scan, &w.at, &w.n)
			})
		if err != nil {
			return "", db.Failure(err)
		}
		if rows == limit {
			return w.String(), nil
		}
		if rows > 0 {
			return walk{stage: w.stage + 1, at: math.MinInt64}.String(), nil
		}
	}
	return "", nil
}

// seenColumns are what remains are that are read as what was seen of them.
const seenColumns = "id, version, expires_at, used_up_at"

// seen is such a page, of remains with these columns.
func (r remains) seen(ctx context.Context, after string, limit int) (found []cleanup.Seen, next string, err error) {
	found = []cleanup.Seen{}
	next, err = r.page(ctx, after, limit, func(scan func(...any) error, at, n *int64) error {
		var s cleanup.Seen
		var expires, used *int64
		err := scan(at, n, &s.ID, &s.Version, &expires, &used)
		s.ExpiresAt, s.UsedUpAt = db.TimePtr(expires), db.TimePtr(used)
		found = append(found, s)
		return err
	})
	return found, next, err
}

// asSeen narrows a statement to the shares that are still as they were seen. The ids
// alone are there for the index of them.
func asSeen[Q interface{ Where(string, ...any) Q }](q Q, seen []cleanup.Seen) Q {
	at := func(t *time.Time) int64 {
		if t == nil {
			return -1 // no share has a time before 1970
		}
		return db.Millis(*t)
	}
	rows, ids := make([]any, 0, 4*len(seen)), make([]string, len(seen))
	for i, s := range seen {
		ids[i] = s.ID
		rows = append(rows, s.ID, s.Version, at(s.ExpiresAt), at(s.UsedUpAt))
	}
	values := strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?), ", len(seen)), ", ")
	return q.Where("erased_at IS NULL AND id IN (?)", bun.List(ids)).
		Where("(id, version, coalesce(expires_at, -1), coalesce(used_up_at, -1)) IN (VALUES "+values+")", rows...)
}

// countByDay counts the listed shares of a kind, and those made on each of the
// last days.
func countByDay(ctx context.Context, d *db.DB, kind string, now time.Time, days int) (total int, perDay []int, err error) {
	first := db.Millis(now)/day - int64(days) + 1
	perDay = make([]int, days)
	c := d.Read(ctx)
	all, err := (kept{c: c, kind: kind}).days(ctx, "")
	for _, on := range all {
		total += on.Rows
		if i := on.From/day - first; i >= 0 && i < int64(days) {
			perDay[i] = on.Rows
		}
	}
	return total, perDay, err
}
