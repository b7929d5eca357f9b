package db

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

// Listing reads a page of a table in two steps: first which rows are on it, by
// as little of each row as an index holds, then those rows.
type Listing struct {
	Conn  *Conn
	Table string
	// Narrow adds the conditions of the list, of which state is one, but not the
	// owner's.
	Narrow func(q *bun.SelectQuery, state string) *bun.SelectQuery
	State  string
	// Order is the ORDER BY of the list, or the same backwards.
	Order func(back bool) string
	// Others names, of a state that is too large to be looked at row by row, the
	// state that all other rows have.
	Others map[string]string
	// Owner is who made the rows of the list; empty means anybody. The index of
	// owners has their rows in the order of the list when OwnerOrder is set.
	Owner      string
	OwnerOrder bool
	// Searched lists look for text, for which rows have to be read.
	Searched bool
	// found are the first matches of a search that has more.
	found []int64
	// Whole lists are not narrowed to a part that an index knows.
	Whole bool
	// Kept counts the rows of the owner, or of everybody, that are in the list
	// whatever their state, by numbers that writers keep; nil when there are none.
	Kept func(ctx context.Context, owner string) (int, error)
}

// FewMatches is the most matches of a search that are collected before they are
// sorted. More are found soon enough in the order of the list.
const FewMatches = 2000

// deep is the offset from which a page is looked for from the nearer end.
const deep = 1000

// Page returns the rows of a page by their n, in no order, and how many rows the
// list has.
func (l Listing) Page(ctx context.Context, p ports.Paging) (rows []int64, total int, err error) {
	if l.Searched {
		found, err := l.numbers(ctx, l.matches(l.Conn.NewSelect().TableExpr(l.scanned()).Column("n"), l.State).Limit(FewMatches+1))
		if err != nil {
			return nil, 0, err
		}
		if len(found) <= FewMatches {
			rows, err = l.numbers(ctx, l.cut(l.Conn.NewSelect().Table(l.Table).Column("n").Where("n IN (?)", bun.List(found)), false, p))
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
	last := min(from+int(PageSize(p.Limit)), total)
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
func (l Listing) ownerFirst() bool {
	return l.Owner != "" && l.Conn.SQLite && !l.OwnerOrder
}

// owned are the rows of an owner's list of so many rows, of which the first ones
// up to last are wanted. They come by the index of owners, or by that of the
// order where this looks at fewer rows.
func (l Listing) owned(ctx context.Context, last, total int) (*bun.SelectQuery, error) {
	var all int // about
	if err := l.Conn.Row(ctx, "SELECT coalesce(max(n), 0) FROM "+l.Table, nil, &all); err != nil {
		return nil, Failure(err)
	}
	if last*all > total*total {
		return l.rows(), nil
	}
	q := l.Narrow(l.Conn.NewSelect().Table(l.Table).Column("n"), l.State)
	return q.Where("+created_by = ?", l.Owner), nil // the sign keeps the owners' index out
}

// matches narrows a query to the rows of the list, in a state.
func (l Listing) matches(q *bun.SelectQuery, state string) *bun.SelectQuery {
	if q = l.Narrow(q, state); l.Owner != "" {
		q = q.Where("created_by = ?", l.Owner)
	}
	return q
}

// rows are the rows of the list, in no order.
func (l Listing) rows() *bun.SelectQuery {
	return l.matches(l.Conn.NewSelect().Table(l.Table).Column("n"), l.State)
}

// scanned is the table for what has to read every row. SQLite would follow an
// index, and read them in its order.
func (l Listing) scanned() string { return Scanned(l.Conn, l.Table, l.Searched && l.Whole) }

// Scanned is a table for a query that has to read every row of it.
func Scanned(c *Conn, table string, every bool) string {
	if c.SQLite && every {
		return table + " NOT INDEXED"
	}
	return table
}

// CountOf counts the rows of a query on a scanned table, of which the first ones
// were found already. SQLite has read those in the order of n.
func CountOf(ctx context.Context, c *Conn, q *bun.SelectQuery, every bool, found []int64) (int, error) {
	known := 0
	if c.SQLite && every && len(found) > 0 {
		known, q = len(found), q.Where("n > ?", found[len(found)-1])
	}
	rest, err := q.Count(ctx)
	return known + int(rest), Failure(err)
}

// cut is a page of a query, in the order of the list or backwards.
func (l Listing) cut(q *bun.SelectQuery, back bool, p ports.Paging) *bun.SelectQuery {
	return q.OrderExpr(l.Order(back)).Limit(PageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
}

func (l Listing) numbers(ctx context.Context, q *bun.SelectQuery) ([]int64, error) {
	numbers := []int64{}
	return numbers, Failure(q.Scan(ctx, &numbers))
}

// count counts the list. Those that have not ended are too many to look at one
// by one: they are all but the ended ones, unless a search reads each row anyway.
func (l Listing) count(ctx context.Context) (int, error) {
	of := func(state string) (int, error) {
		if state == "" && !l.Searched && l.Kept != nil {
			return l.Kept(ctx, l.Owner)
		}
		return CountOf(ctx, l.Conn, l.matches(l.Conn.NewSelect().TableExpr(l.scanned()), state), l.Whole, l.found)
	}
	others := l.Others[l.State]
	if others == "" || l.Searched {
		return of(l.State)
	}
	all, err := of("")
	if err != nil {
		return 0, err
	}
	n, err := of(others)
	return all - n, err
}

// Read narrows a query to the rows of a page and orders them.
func (l Listing) Read(q *bun.SelectQuery, rows []int64) *bun.SelectQuery {
	return q.Where("n IN (?)", bun.List(rows)).OrderExpr(l.Order(false))
}
