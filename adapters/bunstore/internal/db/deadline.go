package db

import (
	"context"
	"database/sql"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// answerWithin is how long PostgreSQL may take to say anything at all, be it the
// first row, the next bytes of a result or the end of a commit. It is our own
// clock: the server's statement_timeout is no help while the server stands still.
const answerWithin = 5 * time.Second

// sendRate is how many bytes a second a statement must leave at, beyond
// answerWithin.
const sendRate = 1 << 20

// timed makes connections on which PostgreSQL must answer within that time. One
// that does not is closed by pgx, so that the pool opens another.
func timed(dial pgconn.DialFunc, within time.Duration) pgconn.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &timedConn{Conn: c, within: within}, nil
	}
}

// timedConn bounds each read and each write by itself. The deadlines of others
// (pgx sets one when a context ends) hold as well, whichever comes first.
type timedConn struct {
	net.Conn
	within time.Duration

	mu     sync.Mutex
	others time.Time // the deadline that somebody else has set; zero means none
}

func (c *timedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	err := c.Conn.SetReadDeadline(c.earliest(c.within))
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *timedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	err := c.Conn.SetWriteDeadline(c.earliest(c.within + time.Duration(len(p))*time.Second/sendRate))
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// earliest is the deadline of what begins now.
func (c *timedConn) earliest(within time.Duration) time.Time {
	own := time.Now().Add(within)
	if !c.others.IsZero() && c.others.Before(own) {
		return c.others
	}
	return own
}

// SetDeadline implements net.Conn.
func (c *timedConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = t
	return c.Conn.SetDeadline(c.earliest(c.within))
}

// bounded is a pool on which a call waits answerWithin for a free connection and
// the first row together. It serves what runs outside of transactions; those wait
// in connection.
type bounded struct{ *sql.DB }

func (b bounded) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, done := untilFirstRow(ctx)
	defer done()
	return b.DB.ExecContext(ctx, query, args...)
}

func (b bounded) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx, done := untilFirstRow(ctx)
	defer done()
	return b.DB.QueryContext(ctx, query, args...)
}

func (b bounded) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, done := untilFirstRow(ctx)
	defer done()
	return b.DB.QueryRowContext(ctx, query, args...)
}

// ResolveConn makes bun's queries go this way.
func (b bounded) ResolveConn(context.Context, bun.Query) bun.IConn { return b }

// Close leaves the pool open: its owner closes it.
func (b bounded) Close() error { return nil }

// untilFirstRow returns a context that ends with ctx, or after answerWithin,
// unless done is called before: the rows that follow are read without it, each
// within the time of their connection.
func untilFirstRow(ctx context.Context) (bound context.Context, done func()) {
	bound, end := context.WithCancelCause(context.WithoutCancel(ctx))
	leave := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	timer := time.AfterFunc(answerWithin, func() { end(context.DeadlineExceeded) })
	return bound, func() { leave(); timer.Stop() }
}

var (
	_ bun.IConn        = bounded{}
	_ bun.ConnResolver = bounded{}
)
