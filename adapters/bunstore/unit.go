package bunstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"pasteport/ports"
)

type unitKey struct{}

// Do runs fn in one transaction that every repository called with fn's context
// joins. On SQLite it waits for its turn at the only writer and returns when
// the work is on disk; more than 200 waiting calls are answered Unavailable. fn
// may run on a goroutine of the store there, so a test must not end in it.
func (s *Store) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	if s.unit(ctx) != nil {
		return fn(ctx)
	}
	return failure(s.transact(ctx, work{fn: func(ctx context.Context, c *conn) error {
		return fn(context.WithValue(ctx, unitKey{}, c))
	}}))
}

// unit returns the transaction that ctx carries, or nil.
func (s *Store) unit(ctx context.Context) *conn {
	c, _ := ctx.Value(unitKey{}).(*conn)
	return c
}

// read returns where a query of ctx runs: in its unit of work, or in the pool.
func (s *Store) read(ctx context.Context) *conn {
	if c := s.unit(ctx); c != nil {
		return c
	}
	return s.reads.conn()
}

// work is what a transaction does.
type work struct {
	fn func(ctx context.Context, c *conn) error
	// whole is true when fn leaves nothing behind after a broken rule (a taken
	// name, no such row): its first statement is the only one that can find one.
	whole bool
}

// write runs w in the unit of work of ctx, or in a transaction of its own.
// Errors of drivers come back as ports.Error.
func (s *Store) write(ctx context.Context, w work) error {
	if c := s.unit(ctx); c != nil {
		return failure(s.join(ctx, c, w))
	}
	return failure(s.transact(ctx, w))
}

// join runs w inside a transaction under way, so that a failure of w leaves the
// transaction usable and as it was before.
func (s *Store) join(ctx context.Context, c *conn, w work) error {
	if w.whole && c.sqlite {
		return w.fn(ctx, c)
	}
	return inSavepoint(ctx, c, "joined", w.fn)
}

func inSavepoint(ctx context.Context, c *conn, name string, fn func(context.Context, *conn) error) error {
	if _, err := c.exec(ctx, "SAVEPOINT "+name); err != nil {
		return err
	}
	if err := fn(ctx, c); err != nil {
		if _, undo := c.exec(ctx, "ROLLBACK TO "+name); undo != nil {
			return errors.Join(err, errLost, undo)
		}
		_, undo := c.exec(ctx, "RELEASE "+name)
		return errors.Join(err, undo)
	}
	if _, err := c.exec(ctx, "RELEASE "+name); err != nil {
		return errors.Join(err, errLost)
	}
	return nil
}

// errLost marks that the database has ended a transaction by itself.
var errLost = errors.New("transaction was ended by the database")

func (s *Store) transact(ctx context.Context, w work) error {
	if s.writer != nil {
		return s.writer.do(ctx, w)
	}
	return s.transactPostgres(ctx, w)
}

// transactPostgres repeats a transaction that lost against a concurrent one.
func (s *Store) transactPostgres(ctx context.Context, w work) error {
	const tries = 5
	for try := 1; ; try++ {
		err := s.oncePostgres(ctx, w)
		if try == tries || !lostRace(err) {
			return err
		}
		s.log.Debug("transaction repeated", "try", try, "cause", err)
		select {
		case <-time.After(rand.N(time.Duration(try) * 20 * time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Store) oncePostgres(ctx context.Context, w work) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	connection, err := s.connection(ctx)
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
	if err := protected(ctx, &conn{IDB: tx, tx: tx.Tx, raw: tx.Tx}, w.fn); err != nil {
		return err
	}
	done = true
	return tx.Commit()
}

// connection waits at most 5 s for a free connection of the pool.
func (s *Store) connection(ctx context.Context) (bun.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.reads.bun.Conn(ctx)
}

// protected turns a panic of fn into an error, so that it fails nobody else.
func protected(ctx context.Context, c *conn, fn func(context.Context, *conn) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return fn(ctx, c)
}

var errBusy = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", Text: "database_busy", RetryAfter: time.Second}
