package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/domain/shares"
	"pasteport/ports"
)

// listing reads a page of a table of shares in two steps: first which rows are
// on it, by as little of each row as an index holds, then those rows.
type listing struct {
	c     *conn
	table string
	// narrow adds the conditions of the list.
	narrow func(*bun.SelectQuery, shares.Sort) *bun.SelectQuery
	sort   shares.Sort
	// searched lists look for text, for which rows have to be read.
	searched bool
	// whole lists are not narrowed to a part that an index knows.
	whole bool
}

// few is the most matches of a search that are collected before they are
// sorted. More are found soon enough in the order of the list.
const few = 1000

// deep is the offset from which a page is looked for from the nearer end.
const deep = 1000

// page returns the rows of a page by their n, in no order, and how many rows the
// list has.
func (l listing) page(ctx context.Context, p ports.Paging) (rows []int64, total int, err error) {
	if l.searched {
		found, err := l.numbers(ctx, l.narrow(l.c.NewSelect().TableExpr(l.scanned()).Column("n"), l.sort).Limit(few+1))
		if err != nil {
			return nil, 0, err
		}
		if len(found) <= few {
			rows, err = l.numbers(ctx, ordered(l.c.NewSelect().Table(l.table).Column("n").Where("n IN (?)", bun.List(found)), l.sort, p))
			return rows, len(found), err
		}
	}
	if p.Offset < deep {
		if rows, err = l.numbers(ctx, ordered(l.rows(), l.sort, p)); err != nil || lastPage(p, len(rows)) {
			return rows, max(p.Offset, 0) + len(rows), err
		}
		total, err = l.count(ctx)
		return rows, total, err
	}
	if total, err = l.count(ctx); err != nil || p.Offset >= total {
		return nil, total, err
	}
	if p.Offset <= total/2 {
		rows, err = l.numbers(ctx, ordered(l.rows(), l.sort, p))
		return rows, total, err
	}
	last := min(p.Offset+int(pageSize(p.Limit)), total)
	back := l.sort
	back.Ascending = !back.Ascending
	rows, err = l.numbers(ctx, ordered(l.rows(), back, ports.Paging{Offset: total - last, Limit: last - p.Offset}))
	return rows, total, err
}

// rows are the rows of the list, in no order.
func (l listing) rows() *bun.SelectQuery {
	return l.narrow(l.c.NewSelect().Table(l.table).Column("n"), l.sort)
}

// scanned is the table for what has to read every row. SQLite would follow an
// index, and read them in its order.
func (l listing) scanned() string { return scanned(l.c, l.table, l.searched && l.whole) }

func scanned(c *conn, table string, every bool) string {
	if c.sqlite && every {
		return table + " NOT INDEXED"
	}
	return table
}

func ordered(q *bun.SelectQuery, s shares.Sort, p ports.Paging) *bun.SelectQuery {
	return q.OrderExpr(orderOf(s)).Limit(pageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
}

func (l listing) numbers(ctx context.Context, q *bun.SelectQuery) ([]int64, error) {
	numbers := []int64{}
	return numbers, failure(q.Scan(ctx, &numbers))
}

// count counts the list. Those that have not ended are too many to look at one
// by one: they are all but the ended ones.
func (l listing) count(ctx context.Context) (int, error) {
	of := func(state string) (int, error) {
		sort := l.sort
		sort.State = state
		n, err := l.narrow(l.c.NewSelect().TableExpr(l.scanned()), sort).Count(ctx)
		return int(n), failure(err)
	}
	if l.sort.State != shares.StateActive {
		return of(l.sort.State)
	}
	all, err := of("")
	if err != nil {
		return 0, err
	}
	ended, err := of(shares.StateExpired)
	return all - ended, err
}

// read narrows a query to the rows of a page and orders them.
func (l listing) read(q *bun.SelectQuery, rows []int64) *bun.SelectQuery {
	return q.Where("n IN (?)", bun.List(rows)).OrderExpr(orderOf(l.sort))
}
