package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

type unitKey struct{}

// Do runs fn in one transaction that every repository called with fn's context
// joins. On SQLite it waits for its turn at the only writer and returns when
// the work is on disk; more than 200 waiting calls are answered Unavailable. fn
// may run on a goroutine of the store there, so a test must not end in it.
func (d *DB) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	if d.unit(ctx) != nil {
		return fn(ctx)
	}
	return Failure(d.transact(ctx, Work{Do: func(ctx context.Context, c *Conn) error {
		return fn(context.WithValue(ctx, unitKey{}, c))
	}}))
}

// unit returns the transaction that ctx carries, or nil.
func (d *DB) unit(ctx context.Context) *Conn {
	c, _ := ctx.Value(unitKey{}).(*Conn)
	return c
}

// Read returns where a query of ctx runs: in its unit of work, or in the pool.
func (d *DB) Read(ctx context.Context) *Conn {
	if c := d.unit(ctx); c != nil {
		return c
	}
	return d.reads.conn()
}

// ReadOnly begins a transaction that only reads, whose queries all see the same
// moment, and returns what ends it.
func (d *DB) ReadOnly(ctx context.Context) (c *Conn, end func(), err error) {
	options := &sql.TxOptions{ReadOnly: true}
	if !d.SQLite() {
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := d.reads.bun.BeginTx(ctx, options)
	if err != nil {
		return nil, nil, Failure(err)
	}
	end = func() { _ = tx.Rollback() } // nothing was written
	return &Conn{IDB: tx, tx: tx.Tx, raw: tx.Tx, SQLite: d.SQLite(), prepare: tx.PrepareContext, prepared: &sync.Map{}}, end, nil
}

// Work is what a transaction does.
type Work struct {
	Do func(ctx context.Context, c *Conn) error
	// Whole is true when Do leaves nothing behind after a broken rule (a taken
	// name, no such row, no room): what can find one comes before anything is changed.
	Whole bool
}

// Write runs w in the unit of work of ctx, or in a transaction of its own.
// Errors of drivers come back as ports.Error.
func (d *DB) Write(ctx context.Context, w Work) error {
	if c := d.unit(ctx); c != nil {
		return Failure(d.join(ctx, c, w))
	}
	return Failure(d.transact(ctx, w))
}

// join runs w inside a transaction under way, so that a failure of w leaves the
// transaction usable and as it was before.
func (d *DB) join(ctx context.Context, c *Conn, w Work) error {
	if w.Whole && c.SQLite {
		return w.Do(ctx, c)
	}
	return inSavepoint(ctx, c, "joined", w.Do)
}

func inSavepoint(ctx context.Context, c *Conn, name string, fn func(context.Context, *Conn) error) error {
	if _, err := c.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	if err := fn(ctx, c); err != nil {
		if _, undo := c.Exec(ctx, "ROLLBACK TO "+name); undo != nil {
			return errors.Join(err, errLost, undo)
		}
		_, undo := c.Exec(ctx, "RELEASE "+name)
		return errors.Join(err, undo)
	}
	if _, err := c.Exec(ctx, "RELEASE "+name); err != nil {
		return errors.Join(err, errLost)
	}
	return nil
}

// errLost marks that the database has ended a transaction by itself.
var errLost = errors.New("transaction was ended by the database")

func (d *DB) transact(ctx context.Context, w Work) (err error) {
	ctx, end := d.underTrace(ctx, "db.transaction")
	defer func() { end(err) }()
	if d.writer != nil {
		return d.writer.do(ctx, w)
	}
	return d.transactPostgres(ctx, w)
}

// transactPostgres repeats a transaction that lost against a concurrent one.
func (d *DB) transactPostgres(ctx context.Context, w Work) error {
	const tries = 5
	for try := 1; ; try++ {
		err := d.oncePostgres(ctx, w)
		if try == tries || !lostRace(err) {
			return err
		}
		d.log.Debug("transaction repeated", "try", try, "cause", err)
		select {
		case <-time.After(rand.N(time.Duration(try) * 20 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *DB) oncePostgres(ctx context.Context, w Work) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	connection, err := d.connection(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }() // gives it back to the pool
	ctx = context.WithoutCancel(ctx)
	tx, err := connection.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			_ = tx.Rollback()
		}
	}()
	if err := protected(ctx, &Conn{IDB: tx, tx: tx.Tx, raw: tx.Tx}, w.Do); err != nil {
		return err
	}
	done = true
	return tx.Commit()
}

// connection waits at most 5 s for a free connection of the pool.
func (d *DB) connection(ctx context.Context) (bun.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return d.reads.bun.Conn(ctx)
}

// protected turns a panic of fn into an error, so that it fails nobody else.
func protected(ctx context.Context, c *Conn, fn func(context.Context, *Conn) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return fn(ctx, c)
}

var errBusy = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: "database_busy", RetryAfter: time.Second}
