package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"time"
)

// SharedDB is a database/sql pool over the same records, for libraries that
// bring tables and statements of their own, such as a queue. On PostgreSQL it
// is the store's pool. On SQLite its statements and transactions take their
// turn at the only writer, in the same commits as everything else, so that two
// writers never wait for each other's locks. The store closes it.
func (d *DB) SharedDB() *sql.DB {
	if d.turns != nil {
		return d.turns
	}
	return d.reads.DB
}

// maxPause is how long a transaction of SharedDB may keep the writer waiting
// for its next statement.
const maxPause = 5 * time.Second

var (
	errRolledBack = errors.New("transaction rolled back")
	errPaused     = errors.New("transaction was undone: it kept the only writer waiting")
	errPrepare    = errors.New("statements cannot be prepared here")
)

// turns opens connections that hold nothing: each statement goes to the writer.
type turns struct {
	s     *DB
	pause time.Duration
}

func (t turns) Connect(context.Context) (driver.Conn, error) { return &turnConn{turns: t}, nil }
func (t turns) Driver() driver.Driver                        { return t }
func (t turns) Open(string) (driver.Conn, error)             { return &turnConn{turns: t}, nil }

// turnConn is one connection of SharedDB on SQLite.
type turnConn struct {
	turns
	tx *turnTx // nil outside a transaction
}

var (
	_ driver.QueryerContext    = (*turnConn)(nil)
	_ driver.ExecerContext     = (*turnConn)(nil)
	_ driver.ConnBeginTx       = (*turnConn)(nil)
	_ driver.NamedValueChecker = (*turnConn)(nil)
)

// CheckNamedValue leaves values alone: the writer's own connection reads them.
func (c *turnConn) CheckNamedValue(*driver.NamedValue) error { return nil }

func (c *turnConn) Prepare(string) (driver.Stmt, error) { return nil, errPrepare }

func (c *turnConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// Close undoes a transaction that was left open.
func (c *turnConn) Close() error {
	if c.tx != nil {
		return c.tx.Rollback()
	}
	return nil
}

// do runs fn in the transaction under way, or in one of its own.
func (c *turnConn) do(ctx context.Context, fn func(ctx context.Context, w *Conn) error) error {
	if c.tx != nil {
		return c.tx.do(fn)
	}
	return c.s.transact(ctx, Work{Do: fn})
}

func (c *turnConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	var result sql.Result
	err := c.do(ctx, func(ctx context.Context, w *Conn) (err error) {
		result, err = w.raw.ExecContext(ctx, query, plain(args)...)
		return err
	})
	return result, err
}

func (c *turnConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	var rows *turnRows
	err := c.do(ctx, func(ctx context.Context, w *Conn) error {
		found, err := w.raw.QueryContext(ctx, query, plain(args)...)
		if err != nil {
			return err
		}
		defer func() { _ = found.Close() }()
		rows, err = readAll(found)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func plain(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = arg.Value
		if arg.Name != "" {
			out[i] = sql.Named(arg.Name, arg.Value)
		}
	}
	return out
}

// turnRows is a whole answer. Others wait for the writer, so it is read at once.
type turnRows struct {
	columns []string
	rows    [][]driver.Value
}

func readAll(found *sql.Rows) (*turnRows, error) {
	columns, err := found.Columns()
	if err != nil {
		return nil, err
	}
	r := &turnRows{columns: columns}
	for found.Next() {
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := found.Scan(dest...); err != nil {
			return nil, err
		}
		row := make([]driver.Value, len(values))
		for i, v := range values {
			row[i] = v
		}
		r.rows = append(r.rows, row)
	}
	return r, found.Err()
}

func (r *turnRows) Columns() []string { return r.columns }
func (r *turnRows) Close() error      { return nil }

func (r *turnRows) Next(dest []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(dest, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

// turnTx is a transaction that has its turn: the writer runs its statements as
// they come, until it is committed, rolled back, or paused for too long.
type turnTx struct {
	conn   *turnConn
	orders chan order
	over   chan struct{} // closed with result
	result error
}

type order struct {
	fn   func(ctx context.Context, w *Conn) error // nil ends the transaction
	end  error                                    // nil commits
	done chan error
}

// BeginTx waits for a turn at the writer.
func (c *turnConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	tx := &turnTx{conn: c, orders: make(chan order), over: make(chan struct{})}
	begun := make(chan struct{})
	first := true
	go func() {
		defer close(tx.over)
		tx.result = c.s.transact(ctx, Work{Do: func(ctx context.Context, w *Conn) error {
			if !first { // its statements are gone with the batch that was given up
				return errLost
			}
			first = false
			close(begun)
			return tx.serve(ctx, w)
		}})
	}()
	select {
	case <-begun:
		c.tx = tx
		return tx, nil
	case <-tx.over:
		return nil, tx.result
	}
}

// serve runs on the writer's goroutine.
func (tx *turnTx) serve(ctx context.Context, w *Conn) error {
	pause := time.NewTimer(tx.conn.pause)
	defer pause.Stop()
	for {
		select {
		case o := <-tx.orders:
			if o.fn == nil {
				return o.end
			}
			err := o.fn(ctx, w)
			o.done <- err
			if err != nil && fatal(err) {
				return err
			}
			pause.Reset(tx.conn.pause)
		case <-pause.C:
			return errPaused
		}
	}
}

func (tx *turnTx) do(fn func(ctx context.Context, w *Conn) error) error {
	o := order{fn: fn, done: make(chan error, 1)}
	select {
	case tx.orders <- o:
		select {
		case err := <-o.done:
			return err
		case <-tx.over: // fn has panicked
			return errors.Join(sql.ErrTxDone, tx.result)
		}
	case <-tx.over:
		return errors.Join(sql.ErrTxDone, tx.result)
	}
}

// end hands over the last order and waits for the commit.
func (tx *turnTx) end(why error) error {
	tx.conn.tx = nil
	select {
	case tx.orders <- order{end: why}:
	case <-tx.over:
	}
	<-tx.over
	return tx.result
}

// Commit returns when the transaction is on disk.
func (tx *turnTx) Commit() error { return tx.end(nil) }

// Rollback undoes the transaction.
func (tx *turnTx) Rollback() error {
	if err := tx.end(errRolledBack); !errors.Is(err, errRolledBack) && !errors.Is(err, errPaused) {
		return err
	}
	return nil
}
