package db

import (
	"context"
	"math/bits"
	"slices"
	"strconv"

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
	// Owner is who made the rows of the list; empty means anybody. The index of
	// owners has their rows in the order of the list when OwnerOrder is set.
	Owner      string
	OwnerOrder bool
	// Searched lists look for text, for which rows have to be read. Most is how many
	// matches are collected before they are sorted; 0 means FewMatches, and that a
	// list of far more is not collected. Index tells what an index knows of the text;
	// nil when there is none.
	Searched bool
	Most     int
	Index    func(ctx context.Context) (Narrowing, error)
	// Light is the condition of rows that are soon looked through; empty where all are.
	Light string
	// Whole lists are not narrowed to a part that an index knows.
	Whole bool
	// Few is a state in other words, by which an index finds the rows in another
	// order: when they are few, they are collected so before they are sorted.
	Few string
	// Kept counts the rows of the list by numbers that writers keep; nil when there
	// are none.
	Kept func(ctx context.Context) (int, error)
	// Fresh are rows that the index of the order does not have yet; nil when it has
	// all.
	Fresh *Fresh
	// Days are the rows of the list by the time at which they were made, which is
	// its order, going up or down; nil where nobody has counted them.
	Days      func(ctx context.Context) ([]Day, error)
	Ascending bool
}

// Narrowing is what an index of texts knows of a search.
type Narrowing struct {
	// Most is how many matches are collected before they are sorted.
	Most int
	// To narrows a query to the rows in which the text may be; nil when any may.
	To func(q *bun.SelectQuery) *bun.SelectQuery
}

// Known is a narrowing to the rows whose numbers one of two queries finds: that of
// what an index knows, and that of what it does not know yet. While the second finds
// very many, it is none.
func Known(ctx context.Context, c *Conn, query string, args []any, behind string) (Narrowing, error) {
	var waiting int
	if err := c.Row(ctx, "SELECT count(*) FROM ("+behind+" LIMIT "+strconv.Itoa(farBehind)+") AS waiting", nil, &waiting); err != nil || waiting == farBehind {
		return Narrowing{Most: FewMatches}, Failure(err)
	}
	query += " UNION ALL " + behind
	var rows []int64
	err := c.Rows(ctx, query+" LIMIT "+strconv.Itoa(common), args, func(scan func(...any) error) error {
		rows = append(rows, 0)
		return scan(&rows[len(rows)-1])
	})
	if err != nil || len(rows) == common {
		in := "n IN (" + query + ")"
		if !c.SQLite { // asked once, and then row by row: PostgreSQL takes them for few
			in = "n IN (SELECT unnest(ARRAY(" + query + ")))"
		}
		return Narrowing{FewMatches, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(in, args...) }}, Failure(err)
	}
	return Narrowing{common, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("n IN (?)", bun.List(rows)) }}, nil
}

// Fresh are the newest rows of a table, of which a sort index takes many at once.
type Fresh struct {
	Table   string // as it stands behind FROM
	Where   string
	Others  string // the condition of the rows that the index has
	Columns string // what the list is sorted by, besides n
}

// Day is a span of time with how many rows were made in it.
type Day struct {
	From, To int64 // milliseconds; To is the beginning of the next
	Rows     int
}

const (
	// FewMatches is the most matches of a search that are collected before they are
	// sorted. More are found soon enough in the order of the list, and not counted.
	FewMatches = 2000
	// common is up to how many rows that an index knows are all looked at.
	common = 4000
	// farBehind is how many rows an index does not know that is no help yet.
	farBehind = 20_000
	// MostCounted is up to how many rows are counted of which no writer keeps count.
	MostCounted = 10_000
	// deep is the offset from which a page is looked for from the nearer end.
	deep = 1000
)

// Page returns the rows of a page by their n, in no order, and how many rows the
// list has. Where that would take long it is a number that is less: FewMatches
// or MostCounted, and always one more than the pages so far have.
func (l Listing) Page(ctx context.Context, p ports.Paging) (rows []int64, total int, err error) {
	if l.Searched {
		return l.searched(ctx, p)
	}
	if p.Offset < deep && !l.ownerFirst() && l.Few == "" {
		if rows, err = l.sorted(ctx, l.rows(), false, p); err != nil || lastPage(p, len(rows)) {
			return rows, max(p.Offset, 0) + len(rows), err
		}
		if total, err = l.count(ctx); l.Kept == nil && total == MostCounted {
			total = beyond(p, len(rows), total)
		}
		return rows, max(total, reached(p, len(rows))), err
	}
	if total, err = l.count(ctx); err != nil || total == 0 {
		return nil, total, err
	}
	counted := l.Kept != nil || total < MostCounted
	if counted && p.Offset >= total {
		return nil, total, nil
	}
	if l.Few != "" && total <= FewMatches {
		rows, _, err = l.collected(ctx, p, FewMatches)
		return rows, total, err
	}
	from, back := max(p.Offset, 0), false
	last := from + int(PageSize(p.Limit))
	if counted {
		if last = min(last, total); from > total/2 {
			from, last, back = total-last, total-from, true
		}
	}
	q := l.rows()
	if l.ownerFirst() {
		if q, err = l.owned(ctx, last, total); err != nil {
			return nil, total, err
		}
	}
	limit := last - from
	if q, from, err = l.skip(ctx, q, from, back); err != nil {
		return nil, total, err
	}
	rows, err = l.sorted(ctx, q, back, ports.Paging{Offset: from, Limit: limit})
	if !counted {
		total = beyond(p, len(rows), total)
	}
	return rows, total, err
}

// searched is a page of a list that looks for text.
func (l Listing) searched(ctx context.Context, p ports.Paging) (rows []int64, total int, err error) {
	most, many := l.Most, false
	if most == 0 {
		most = FewMatches
		if many, err = Many(ctx, l.Conn, l.Table, FewMatches, l.light); err != nil {
			return nil, 0, err
		}
	}
	if !many {
		few := l
		if l.Index != nil {
			known, err := l.Index(ctx)
			if err != nil {
				return nil, 0, err
			}
			if most = known.Most; known.To != nil {
				few.Whole = false
				few.Narrow = func(q *bun.SelectQuery, state string) *bun.SelectQuery { return known.To(l.Narrow(q, state)) }
			}
		}
		if rows, total, err = few.collected(ctx, p, most); err != nil || total <= most {
			return rows, total, err
		}
	}
	rows, err = l.sorted(ctx, l.rows(), false, p)
	if lastPage(p, len(rows)) {
		return rows, max(p.Offset, 0) + len(rows), err
	}
	return rows, beyond(p, len(rows), most), err
}

// collected finds all rows and sorts those, unless there are more than most.
func (l Listing) collected(ctx context.Context, p ports.Paging, most int) (rows []int64, total int, err error) {
	state := l.State
	if l.Few != "" {
		state = l.Few
	}
	q := l.Narrow(l.Conn.NewSelect().TableExpr(l.scanned()).Column("n"), state)
	switch {
	case l.Owner == "":
	case l.Few != "" && l.Conn.SQLite:
		q = q.Where("+created_by = ?", l.Owner) // the sign keeps the owners' index out
	default:
		q = q.Where("created_by = ?", l.Owner)
	}
	found, err := l.numbers(ctx, q.Limit(int64(most)+1))
	if err != nil || len(found) > most {
		return nil, len(found), err
	}
	rows, err = l.numbers(ctx, l.cut(l.Conn.NewSelect().Table(l.Table).Column("n").Where("n IN (?)", bun.List(found)), false, p))
	return rows, len(found), err
}

// beyond is the total of a list that was counted so far only: a full page has
// another one behind it.
func beyond(p ports.Paging, rows, total int) int {
	shown := max(p.Offset, 0) + rows
	if int64(rows) == PageSize(p.Limit) {
		shown++
	}
	return max(total, shown)
}

// skip passes over whole days of a list that its writers have counted by days,
// and returns what is left of an offset.
func (l Listing) skip(ctx context.Context, q *bun.SelectQuery, from int, back bool) (*bun.SelectQuery, int, error) {
	if l.Days == nil || from < deep {
		return q, from, nil
	}
	days, err := l.Days(ctx)
	if err != nil {
		return q, from, err
	}
	up := l.Ascending != back
	if !up {
		slices.Reverse(days)
	}
	for _, d := range days {
		if from < d.Rows {
			if up {
				return q.Where("created_at >= ?", d.From), from, nil
			}
			return q.Where("created_at < ?", d.To), from, nil
		}
		from -= d.Rows
	}
	return q.Where("1 = 0"), 0, nil // rows went meanwhile
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

// light narrows a query to those rows of the list that are soon looked through.
func (l Listing) light(q *bun.SelectQuery) *bun.SelectQuery {
	if l.Light != "" {
		q = q.Where(l.Light)
	}
	return l.matches(q, l.State)
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

const (
	// sampled is how many rows Many looks at, and sampledHits how many of them say
	// that there are many.
	sampled, sampledHits = 200, 10
	// farMore is how many times as many rows, by a guess, are far more.
	farMore = 4
)

// Many reports whether a query over a table chooses far more than so many rows, by
// a look at a few that are spread over the table; of small tables it says no.
// Such rows are soon met in any order.
func Many(ctx context.Context, c *Conn, table string, rows int, narrow func(*bun.SelectQuery) *bun.SelectQuery) (bool, error) {
	var last uint64
	if err := c.Row(ctx, "SELECT coalesce(max(n), 0) FROM "+table, nil, &last); err != nil || last < uint64(2*farMore*rows) {
		return false, Failure(err)
	}
	numbers := make([]uint64, sampled)
	for i := range numbers {
		// Multiples of the golden ratio lie evenly, and in step with nothing.
		high, _ := bits.Mul64(uint64(i+1)*0x9E3779B97F4A7C15, last)
		numbers[i] = high + 1
	}
	hits, err := narrow(c.NewSelect().Table(table)).Where("n IN (?)", bun.List(numbers)).Count(ctx)
	return hits >= sampledHits && uint64(hits)*last >= uint64(sampled*farMore*rows), Failure(err)
}

// CountOf counts the rows of a query, up to a number.
func CountOf(ctx context.Context, c *Conn, q *bun.SelectQuery, most int) (int, error) {
	n, err := c.NewSelect().TableExpr("(?) AS counted", q.ColumnExpr("1 AS one").Limit(int64(most))).Count(ctx)
	return int(n), Failure(err)
}

// cut is a page of a query, in the order of the list or backwards.
func (l Listing) cut(q *bun.SelectQuery, back bool, p ports.Paging) *bun.SelectQuery {
	return q.OrderExpr(l.Order(back)).Limit(PageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
}

// sorted is a page of a query over rows of the list, in its order or backwards.
// What is fresh is merged with what the index of the order has.
func (l Listing) sorted(ctx context.Context, q *bun.SelectQuery, back bool, p ports.Paging) ([]int64, error) {
	if l.Fresh == nil {
		return l.numbers(ctx, l.cut(q, back, p))
	}
	fresh := l.matches(l.Conn.NewSelect().TableExpr(l.Fresh.Table).Column("n"), l.State).Where(l.Fresh.Where).ColumnExpr(l.Fresh.Columns)
	numbers := []int64{}
	err := l.Conn.NewRaw("SELECT n FROM (? UNION ALL ? ORDER BY "+l.Order(back)+" LIMIT ? OFFSET ?) AS page",
		q.Where(l.Fresh.Others).ColumnExpr(l.Fresh.Columns), fresh, PageSize(p.Limit), max(p.Offset, 0)).Scan(ctx, &numbers)
	return numbers, Failure(err)
}

func (l Listing) numbers(ctx context.Context, q *bun.SelectQuery) ([]int64, error) {
	numbers := []int64{}
	return numbers, Failure(q.Scan(ctx, &numbers))
}

// count counts the list, by what its writers have kept or up to MostCounted.
func (l Listing) count(ctx context.Context) (int, error) {
	if l.Kept != nil {
		return l.Kept(ctx)
	}
	return CountOf(ctx, l.Conn, l.matches(l.Conn.NewSelect().Table(l.Table), l.State), MostCounted)
}

// Read narrows a query to the rows of a page and orders them.
func (l Listing) Read(q *bun.SelectQuery, rows []int64) *bun.SelectQuery {
	return q.Where("n IN (?)", bun.List(rows)).OrderExpr(l.Order(false))
}
