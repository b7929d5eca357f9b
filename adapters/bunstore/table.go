package bunstore

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

// table gives the common methods of a repository: E is the entity, R its row,
// which has a column id.
type table[E, R any] struct {
	s      *Store
	name   string
	row    func(*E) *R
	entity func(*R) *E
}

// Insert stores a new entity.
func (t table[E, R]) Insert(ctx context.Context, e *E) error {
	return t.s.write(ctx, work{whole: true, fn: func(ctx context.Context, c *conn) error {
		return t.insert(ctx, c, e)
	}})
}

func (t table[E, R]) insert(ctx context.Context, c *conn, e *E) error {
	_, err := c.NewInsert().Model(t.row(e)).Exec(ctx)
	return err
}

// Get returns the entity with this id.
func (t table[E, R]) Get(ctx context.Context, id string) (*E, error) {
	return t.find(ctx, "id = ?", id)
}

// find returns the only entity that fits a constant condition.
func (t table[E, R]) find(ctx context.Context, where string, args ...any) (*E, error) {
	if err := ctx.Err(); err != nil {
		return nil, failure(err)
	}
	row := new(R)
	c := t.s.read(ctx)
	if err := c.NewSelect().Model(row).Where(where, args...).Limit(1).Scan(c.brief(ctx)); err != nil {
		return nil, failure(err)
	}
	return t.entity(row), nil
}

// load returns the entity inside a transaction, kept from concurrent changes.
func (t table[E, R]) load(ctx context.Context, c *conn, id string) (*E, error) {
	row := new(R)
	q := c.NewSelect().Model(row).Where("id = ?", id)
	if !c.sqlite {
		q = q.For("UPDATE")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	return t.entity(row), nil
}

// Update loads, changes and saves the entity in one transaction.
func (t table[E, R]) Update(ctx context.Context, id string, change func(*E) error) (*E, error) {
	var e *E
	err := t.s.write(ctx, work{fn: func(ctx context.Context, c *conn) (err error) {
		if e, err = t.load(ctx, c, id); err != nil {
			return err
		}
		if err := change(e); err != nil {
			return err
		}
		return t.save(ctx, c, id, e)
	}})
	if err != nil {
		return nil, err
	}
	return t.entity(t.row(e)), nil
}

func (t table[E, R]) save(ctx context.Context, c *conn, id string, e *E) error {
	_, err := c.NewUpdate().Model(t.row(e)).Where("id = ?", id).Exec(ctx)
	return err
}

// Delete reports how many of the ids existed.
func (t table[E, R]) Delete(ctx context.Context, ids ...string) (int, error) {
	n := 0
	err := t.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		n = 0
		for some := range slices.Chunk(ids, chunk) {
			result, err := c.NewDelete().Table(t.name).Where("id IN (?)", bun.List(some)).Exec(ctx)
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

// list returns one page. order is constant; narrow adds conditions.
func (t table[E, R]) list(ctx context.Context, p ports.Paging, order string, narrow func(*bun.SelectQuery) *bun.SelectQuery) (ports.Page[E], error) {
	c := t.s.read(ctx)
	items, err := t.page(ctx, c, p, order, narrow)
	if err != nil {
		return ports.Page[E]{}, err
	}
	total, err := totalOf(ctx, p, len(items), func() *bun.SelectQuery { return narrow(c.NewSelect().Table(t.name)) })
	if err != nil {
		return ports.Page[E]{}, err
	}
	return ports.Page[E]{Items: items, Total: total}, nil
}

// page returns the rows of one page.
func (t table[E, R]) page(ctx context.Context, c *conn, p ports.Paging, order string, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]E, error) {
	var rows []R
	q := narrow(c.NewSelect().Model(&rows)).OrderExpr(order).Limit(pageSize(p.Limit)).Offset(max(int64(p.Offset), 0))
	if err := q.Scan(ctx); err != nil {
		return nil, failure(err)
	}
	return t.entities(rows), nil
}

// listed returns one page of a listing of the table.
func (t table[E, R]) listed(ctx context.Context, p ports.Paging, l listing) (ports.Page[E], error) {
	found, total, err := l.page(ctx, p)
	page := ports.Page[E]{Items: []E{}, Total: total}
	if err != nil || len(found) == 0 {
		return page, err
	}
	var rows []R
	if err := l.read(l.c.NewSelect().Model(&rows), found).Scan(ctx); err != nil {
		return page, failure(err)
	}
	page.Items = t.entities(rows)
	return page, nil
}

// totalOf is how many rows a list has. A page that is not full is the last one
// and says it by itself; only the others are counted.
func totalOf(ctx context.Context, p ports.Paging, rows int, narrowed func() *bun.SelectQuery) (int, error) {
	if lastPage(p, rows) {
		return max(p.Offset, 0) + rows, nil
	}
	total, err := narrowed().Count(ctx)
	return int(total), failure(err)
}

func (t table[E, R]) entities(rows []R) []E {
	items := make([]E, len(rows))
	for i := range rows {
		items[i] = *t.entity(&rows[i])
	}
	return items
}

// lastPage reports whether a page of so many rows is surely the last one.
func lastPage(p ports.Paging, rows int) bool {
	return int64(rows) < pageSize(p.Limit) && (rows > 0 || p.Offset <= 0)
}

// chunk is how many ids one statement names.
const chunk = 500

// pageSize clamps a limit to 1..1000; zero and less mean 1000.
func pageSize(limit int) int64 {
	if limit <= 0 || limit > 1000 {
		return 1000
	}
	return int64(limit)
}

// noted runs a constant statement in a transaction and returns how many rows it
// changed.
func (s *Store) noted(ctx context.Context, query string, args ...any) (n int, err error) {
	err = s.write(ctx, work{whole: true, fn: func(ctx context.Context, c *conn) error {
		changed, err := c.exec(ctx, query, args...)
		n = int(changed)
		return err
	}})
	return n, err
}

// Times are stored as milliseconds.

func ms(t time.Time) int64 { return t.UnixMilli() }

func msPtr(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	m := t.UnixMilli()
	return &m
}

func at(m int64) time.Time { return time.UnixMilli(m).UTC() }

func atPtr(m *int64) *time.Time {
	if m == nil {
		return nil
	}
	t := at(*m)
	return &t
}
