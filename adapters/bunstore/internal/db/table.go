package db

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

// Table gives the common methods of a repository: E is the entity, R its row,
// which has a column id.
type Table[E, R any] struct {
	DB     *DB
	Name   string
	row    func(*E) *R
	entity func(*R) *E
}

// NewTable returns the table of a name, whose rows are made from entities by row
// and become entities by entity. Without row it can only be read.
func NewTable[E, R any](d *DB, name string, row func(*E) *R, entity func(*R) *E) Table[E, R] {
	return Table[E, R]{d, name, row, entity}
}

// Insert stores a new entity.
func (t Table[E, R]) Insert(ctx context.Context, e *E) error {
	return t.DB.Write(ctx, Work{Whole: true, Do: func(ctx context.Context, c *Conn) error {
		return t.InsertIn(ctx, c, e)
	}})
}

// InsertIn stores a new entity inside a transaction.
func (t Table[E, R]) InsertIn(ctx context.Context, c *Conn, e *E) error {
	_, err := c.NewInsert().Model(t.row(e)).Exec(ctx)
	return err
}

// Get returns the entity with this id.
func (t Table[E, R]) Get(ctx context.Context, id string) (*E, error) {
	return t.Find(ctx, "id = ?", id)
}

// Find returns the only entity that fits a constant condition.
func (t Table[E, R]) Find(ctx context.Context, where string, args ...any) (*E, error) {
	if err := ctx.Err(); err != nil {
		return nil, Failure(err)
	}
	row := new(R)
	c := t.DB.Read(ctx)
	if err := c.NewSelect().Model(row).Where(where, args...).Limit(1).Scan(c.Brief(ctx)); err != nil {
		return nil, Failure(err)
	}
	return t.entity(row), nil
}

// Load returns the entity inside a transaction, kept from concurrent changes.
func (t Table[E, R]) Load(ctx context.Context, c *Conn, id string) (*E, error) {
	row := new(R)
	q := c.NewSelect().Model(row).Where("id = ?", id)
	if !c.SQLite {
		q = q.For("UPDATE")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	return t.entity(row), nil
}

// Update loads, changes and saves the entity in one transaction.
func (t Table[E, R]) Update(ctx context.Context, id string, change func(*E) error) (*E, error) {
	var e *E
	err := t.DB.Write(ctx, Work{Do: func(ctx context.Context, c *Conn) (err error) {
		if e, err = t.Load(ctx, c, id); err != nil {
			return err
		}
		if err := change(e); err != nil {
			return err
		}
		return t.Save(ctx, c, id, e)
	}})
	if err != nil {
		return nil, err
	}
	return t.entity(t.row(e)), nil
}

// Save stores an entity inside a transaction that has loaded it.
func (t Table[E, R]) Save(ctx context.Context, c *Conn, id string, e *E) error {
	_, err := c.NewUpdate().Model(t.row(e)).Where("id = ?", id).Exec(ctx)
	return err
}

// Delete reports how many of the ids existed.
func (t Table[E, R]) Delete(ctx context.Context, ids ...string) (int, error) {
	n := 0
	err := t.DB.Write(ctx, Work{Do: func(ctx context.Context, c *Conn) error {
		n = 0
		for some := range slices.Chunk(ids, Chunk) {
			result, err := c.NewDelete().Table(t.Name).Where("id IN (?)", bun.List(some)).Exec(ctx)
			if err != nil {
				return err
			}
			changed, err := result.RowsAffected()
			if err != nil {
				return err
			}
			n += int(changed)
		}
		return nil
	}})
	return n, err
}

// Page returns one page. order is constant; narrow adds conditions.
func (t Table[E, R]) Page(ctx context.Context, p ports.Paging, order string, narrow func(*bun.SelectQuery) *bun.SelectQuery) (ports.Page[E], error) {
	c := t.DB.Read(ctx)
	items, err := t.pageRows(ctx, c, p, order, narrow)
	if err != nil {
		return ports.Page[E]{}, err
	}
	total, err := totalOf(ctx, p, len(items), func() *bun.SelectQuery { return narrow(c.NewSelect().Table(t.Name)) })
	if err != nil {
		return ports.Page[E]{}, err
	}
	return ports.Page[E]{Items: items, Total: total}, nil
}

// pageRows returns the rows of one page.
func (t Table[E, R]) pageRows(ctx context.Context, c *Conn, p ports.Paging, order string, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]E, error) {
	var rows []R
	q := narrow(c.NewSelect().Model(&rows)).OrderExpr(order).Limit(PageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
	if err := q.Scan(ctx); err != nil {
		return nil, Failure(err)
	}
	return t.Entities(rows), nil
}

// PageOf returns one page of a listing of the table.
func (t Table[E, R]) PageOf(ctx context.Context, p ports.Paging, l Listing) (ports.Page[E], error) {
	found, total, err := l.Page(ctx, p)
	page := ports.Page[E]{Items: []E{}, Total: total}
	if err != nil || len(found) == 0 {
		return page, err
	}
	var rows []R
	if err := l.Read(l.Conn.NewSelect().Model(&rows), found).Scan(ctx); err != nil {
		return page, Failure(err)
	}
	page.Items = t.Entities(rows)
	return page, nil
}

// totalOf is how many rows a list has. A page that is not full is the last one
// and says it by itself; only the others are counted. What was deleted between page and
// count does not make them fewer than the page shows.
func totalOf(ctx context.Context, p ports.Paging, rows int, narrowed func() *bun.SelectQuery) (int, error) {
	if lastPage(p, rows) {
		return max(p.Offset, 0) + rows, nil
	}
	total, err := narrowed().Count(ctx)
	return max(int(total), reached(p, rows)), Failure(err)
}

// reached is how far into its list a page of so many rows goes; an empty one may lie
// past the end and says nothing.
func reached(p ports.Paging, rows int) int {
	if rows == 0 {
		return 0
	}
	return max(p.Offset, 0) + rows
}

// Entities are the entities of rows.
func (t Table[E, R]) Entities(rows []R) []E {
	items := make([]E, len(rows))
	for i := range rows {
		items[i] = *t.entity(&rows[i])
	}
	return items
}

// lastPage reports whether a page of so many rows is surely the last one.
func lastPage(p ports.Paging, rows int) bool {
	return int64(rows) < PageSize(p.Limit) && (rows > 0 || p.Offset <= 0)
}

// Chunk is how many ids one statement names.
const Chunk = 500

// PageSize clamps a limit to 1..1000; zero and less mean 1000.
func PageSize(limit int) int64 {
	if limit <= 0 || limit > 1000 {
		return 1000
	}
	return int64(limit)
}

// Exec runs a constant statement in a transaction and returns how many rows it
// changed.
func (d *DB) Exec(ctx context.Context, query string, args ...any) (n int, err error) {
	err = d.Write(ctx, Work{Whole: true, Do: func(ctx context.Context, c *Conn) error {
		changed, err := c.Exec(ctx, query, args...)
		n = int(changed)
		return err
	}})
	return n, err
}

// Millis is a time as it is stored, in milliseconds since 1970.
func Millis(t time.Time) int64 { return t.UnixMilli() }

// MillisPtr is a time that may be missing, as Millis has it.
func MillisPtr(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	m := t.UnixMilli()
	return &m
}

// Time is a stored time, in UTC.
func Time(m int64) time.Time { return time.UnixMilli(m).UTC() }

// TimePtr is a stored time that may be missing.
func TimePtr(m *int64) *time.Time {
	if m == nil {
		return nil
	}
	t := Time(*m)
	return &t
}
