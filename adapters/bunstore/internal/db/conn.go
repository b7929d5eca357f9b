package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Pool is a database/sql pool with bun on top and the statements prepared on it.
type Pool struct {
	DB       *sql.DB
	bun      *bun.DB
	prepared sync.Map // query text to *sql.Stmt
}

// Close closes the statements and the pool.
func (p *Pool) Close() error {
	p.prepared.Range(func(_, stmt any) bool {
		_ = stmt.(*sql.Stmt).Close()
		return true
	})
	return p.DB.Close()
}

// Conn is where the SQL of one call runs: a pool, or the transaction of a unit
// of work. Through bun it builds queries; Exec and Rows run fixed texts, on
// SQLite as statements that are prepared once.
type Conn struct {
	bun.IDB
	tx       *sql.Tx // nil outside a transaction
	SQLite   bool
	prepare  func(ctx context.Context, query string) (*sql.Stmt, error)
	prepared *sync.Map
	raw      rawConn
}

type rawConn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (p *Pool) conn() *Conn {
	c := &Conn{
		IDB: p.bun, raw: p.DB, prepare: p.DB.PrepareContext, prepared: &p.prepared,
		SQLite: p.bun.Dialect().Name() == dialect.SQLite,
	}
	if !c.SQLite {
		c.raw = bounded{p.DB}
	}
	return c
}

// Brief is the context for a point read. On SQLite it does not end with ctx:
// watching for that costs more than the read it would interrupt.
func (c *Conn) Brief(ctx context.Context) context.Context {
	if c.SQLite {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// Exec runs a constant query and returns the number of rows it changed.
func (c *Conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	var result sql.Result
	var err error
	if c.SQLite {
		stmt, prepareErr := c.statement(ctx, query)
		if prepareErr != nil {
			return 0, prepareErr
		}
		result, err = stmt.ExecContext(ctx, args...)
	} else {
		result, err = c.raw.ExecContext(ctx, numbered(query), args...)
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Alone waits until no other transaction is alone with the thing of a key, and is
// so until its own ends: what it then reads of the thing stays as it is. Those on
// SQLite always are. It does nothing outside of a transaction.
func (c *Conn) Alone(ctx context.Context, key int64) error {
	if c.SQLite || c.tx == nil {
		return nil
	}
	_, err := c.Exec(ctx, "SELECT pg_advisory_xact_lock(?)", key)
	return err
}

// Named is the key, for Alone, of a thing that has a name.
func Named(thing string) int64 {
	sum := sha256.Sum256([]byte(thing))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// ForUpdate is a query whose rows nobody else changes until the transaction ends,
// as is so of all rows on SQLite.
func (c *Conn) ForUpdate(query string) string {
	if c.SQLite {
		return query
	}
	return query + " FOR UPDATE"
}

// Insert runs a constant INSERT and returns the new row's n. On SQLite that is
// the rowid, which comes without the cost of a RETURNING.
func (c *Conn) Insert(ctx context.Context, query string, args ...any) (n int64, err error) {
	if !c.SQLite {
		err = c.Row(ctx, query+" RETURNING n", args, &n)
		return n, err
	}
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Row runs a constant query and scans its only row into dest. Returns
// sql.ErrNoRows without one.
func (c *Conn) Row(ctx context.Context, query string, args []any, dest ...any) error {
	if !c.SQLite {
		return c.raw.QueryRowContext(ctx, numbered(query), args...).Scan(dest...)
	}
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// Rows runs a constant query and calls each for every row of it.
func (c *Conn) Rows(ctx context.Context, query string, args []any, each func(scan func(dest ...any) error) error) error {
	var rows *sql.Rows
	var err error
	if c.SQLite {
		stmt, prepareErr := c.statement(ctx, query)
		if prepareErr != nil {
			return prepareErr
		}
		rows, err = stmt.QueryContext(ctx, args...)
	} else {
		rows, err = c.raw.QueryContext(ctx, numbered(query), args...)
	}
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (c *Conn) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := c.prepared.Load(query); ok {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := c.prepare(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	if first, loaded := c.prepared.LoadOrStore(query, stmt); loaded {
		_ = stmt.Close()
		return first.(*sql.Stmt), nil
	}
	return stmt, nil
}

var numberedTexts sync.Map // query text to its PostgreSQL form

// numbered turns the question marks of a constant query into $1, $2, ...
func numbered(query string) string {
	if text, ok := numberedTexts.Load(query); ok {
		return text.(string)
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	numberedTexts.Store(query, b.String())
	return b.String()
}
