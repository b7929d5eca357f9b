package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

// listing reads a page of a table in two steps: first which rows are on it, by
// as little of each row as an index holds, then those rows.
type listing struct {
	c     *conn
	table string
	// narrow adds the conditions of the list, of which state is one, but not the
	// owner's.
	narrow func(q *bun.SelectQuery, state string) *bun.SelectQuery
	state  string
	// order is the ORDER BY of the list, or the same backwards.
	order func(back bool) string
	// others names, of a state that is too large to be looked at row by row, the
	// state that all other rows have.
	others map[string]string
	// owner is who made the rows of the list; empty means anybody. The index of
	// owners has their rows in the order of the list when ownerOrder is set.
	owner      string
	ownerOrder bool
	// searched lists look for text, for which rows have to be read.
	searched bool
	// found are the first matches of a search that has more.
	found []int64
	// whole lists are not narrowed to a part that an index knows.
	whole bool
}

// few is the most matches of a search that are collected before they are
// sorted. More are found soon enough in the order of the list.
const few = 2000

// deep is the offset from which a page is looked for from the nearer end.
const deep = 1000

// page returns the rows of a page by their n, in no order, and how many rows the
// list has.
func (l listing) page(ctx context.Context, p ports.Paging) (rows []int64, total int, err error) {
	if l.searched {
		found, err := l.numbers(ctx, l.matches(l.c.NewSelect().TableExpr(l.scanned()).Column("n"), l.state).Limit(few+1))
		if err != nil {
			return nil, 0, err
		}
		if len(found) <= few {
			rows, err = l.numbers(ctx, l.cut(l.c.NewSelect().Table(l.table).Column("n").Where("n IN (?)", bun.List(found)), false, p))
			return rows, len(found), err
		}
		l.found = found
	}
	if p.Offset < deep && !l.ownerFirst() {
		if rows, err = l.numbers(ctx, l.cut(l.rows(), false, p)); err != nil || lastPage(p, len(rows)) {
			return rows, max(p.Offset, 0) + len(rows), err
		}
		total, err = l.count(ctx)
		return rows, total, err
	}
	if total, err = l.count(ctx); err != nil || p.Offset >= total {
		return nil, total, err
	}
	from, back := max(p.Offset, 0), false
	last := min(from+int(pageSize(p.Limit)), total)
	if from > total/2 {
		from, last, back = total-last, total-from, true
	}
	q := l.rows()
	if l.ownerFirst() {
		if q, err = l.owned(ctx, last, total); err != nil {
			return nil, total, err
		}
	}
	rows, err = l.numbers(ctx, l.cut(q, back, ports.Paging{Offset: from, Limit: last - from}))
	return rows, total, err
}

// ownerFirst reports whether the database would find all rows of an owner and
// then sort them: SQLite does not know that somebody may own nearly everything.
func (l listing) ownerFirst() bool {
	return l.owner != "" && l.c.sqlite && !l.ownerOrder
}

// owned are the rows of an owner's list of so many rows, of which the first ones
// up to last are wanted. They come by the index of owners, or by that of the
// order where this looks at fewer rows.
func (l listing) owned(ctx context.Context, last, total int) (*bun.SelectQuery, error) {
	var all int // about
	if err := l.c.row(ctx, "SELECT coalesce(max(n), 0) FROM "+l.table, nil, &all); err != nil {
		return nil, failure(err)
	}
	if last*all > total*total {
		return l.rows(), nil
	}
	q := l.narrow(l.c.NewSelect().Table(l.table).Column("n"), l.state)
	return q.Where("+created_by = ?", l.owner), nil // the sign keeps the owners' index out
}

// matches narrows a query to the rows of the list, in a state.
func (l listing) matches(q *bun.SelectQuery, state string) *bun.SelectQuery {
	if q = l.narrow(q, state); l.owner != "" {
		q = q.Where("created_by = ?", l.owner)
	}
	return q
}

// rows are the rows of the list, in no order.
func (l listing) rows() *bun.SelectQuery {
	return l.matches(l.c.NewSelect().Table(l.table).Column("n"), l.state)
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

// countOf counts the rows of a query on a scanned table, of which the first ones
// were found already. SQLite has read those in the order of n.
func countOf(ctx context.Context, c *conn, q *bun.SelectQuery, every bool, found []int64) (int, error) {
	known := 0
	if c.sqlite && every && len(found) > 0 {
		known, q = len(found), q.Where("n > ?", found[len(found)-1])
	}
	rest, err := q.Count(ctx)
	return known + int(rest), failure(err)
}

// cut is a page of a query, in the order of the list or backwards.
func (l listing) cut(q *bun.SelectQuery, back bool, p ports.Paging) *bun.SelectQuery {
	return q.OrderExpr(l.order(back)).Limit(pageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
}

func (l listing) numbers(ctx context.Context, q *bun.SelectQuery) ([]int64, error) {
	numbers := []int64{}
	return numbers, failure(q.Scan(ctx, &numbers))
}

// count counts the list. Those that have not ended are too many to look at one
// by one: they are all but the ended ones, unless a search reads each row anyway.
func (l listing) count(ctx context.Context) (int, error) {
	of := func(state string) (int, error) {
		return countOf(ctx, l.c, l.matches(l.c.NewSelect().TableExpr(l.scanned()), state), l.whole, l.found)
	}
	others := l.others[l.state]
	if others == "" || l.searched {
		return of(l.state)
	}
	all, err := of("")
	if err != nil {
		return 0, err
	}
	n, err := of(others)
	return all - n, err
}

// read narrows a query to the rows of a page and orders them.
func (l listing) read(q *bun.SelectQuery, rows []int64) *bun.SelectQuery {
	return q.Where("n IN (?)", bun.List(rows)).OrderExpr(l.order(false))
}
