package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"pasteport/ports"
)

var (
	errSlugTaken = &ports.Error{Code: ports.Conflict, Key: "slug_taken"}
	errDiskFull  = &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "disk_full"}
	errAway      = &ports.Error{Code: ports.Unavailable, Key: "storage_unavailable", RetryAfter: 2 * time.Second}
)

// Failure translates an error of a driver at the border. Errors that are
// already a ports.Error, or nothing a database says, stay as they are.
func Failure(err error) error {
	var known *ports.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ports.ErrNotFound
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return liteFailure(err, lite)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pgFailure(err, pg)
	}
	if away(err) {
		return errAway.With(err)
	}
	return err
}

// away reports whether err says that the database could not be asked.
func away(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone) ||
		errors.Is(err, errLost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.As(err, &network) || errors.As(err, &connect) || strings.HasSuffix(err.Error(), "database is closed")
}

func liteFailure(err error, lite *sqlite.Error) error {
	switch code := lite.Code(); code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return taken(strings.Contains(lite.Error(), ".slug"), err)
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE:
		return errDiskFull.With(err)
	default:
		switch code & 0xff {
		case sqlite3.SQLITE_FULL:
			return errDiskFull.With(err)
		case sqlite3.SQLITE_TOOBIG:
			return (&ports.Error{Code: ports.TooLarge, Key: "content_too_large"}).With(err)
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR,
			sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
			return errAway.With(err)
		}
	}
	return err
}

func pgFailure(err error, pg *pgconn.PgError) error {
	class := pg.Code[:min(2, len(pg.Code))]
	switch {
	case pg.Code == "23505":
		return taken(strings.HasSuffix(pg.ConstraintName, "_slug"), err)
	case pg.Code == "53100": // disk_full
		return errDiskFull.With(err)
	case pg.Code == "22021" || pg.Code == "22P05": // a character that text cannot hold
		return (&ports.Error{Code: ports.Invalid, Key: "invalid_argument"}).With(err)
	case slices.Contains([]string{"08", "40", "53", "57", "58"}, class), pg.Code == "25006", pg.Code == "25P03", pg.Code == "55P03":
		return errAway.With(err)
	}
	return err
}

func taken(slug bool, err error) error {
	if slug {
		return errSlugTaken.With(err)
	}
	return ports.ErrConflict.With(err)
}

// lostRace reports whether a PostgreSQL transaction may be repeated.
func lostRace(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// fatal reports whether SQLite may have ended the transaction because of err,
// so that nothing of it can be trusted.
func fatal(err error) bool {
	if errors.Is(err, errLost) {
		return true
	}
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	}
	switch lite.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT:
		return true
	}
	return false
}

// unsynced reports whether the disk refused to keep what was written.
func unsynced(err error) bool {
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return false
	}
	return lite.Code() == sqlite3.SQLITE_IOERR_FSYNC || lite.Code() == sqlite3.SQLITE_IOERR_DIR_FSYNC
}

// diskFull reports whether err says that the disk has no room left.
func diskFull(err error) bool {
	var e *ports.Error
	return errors.As(Failure(err), &e) && e.Text == errDiskFull.Text
}

func panicked(p any) error {
	return &ports.Error{Code: ports.Internal, Key: "internal", Cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
}
