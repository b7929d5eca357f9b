package db_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports"
)

func TestErrorsOfDriversAreTranslated(t *testing.T) {
	own := errors.New("own")
	for name, c := range map[string]struct {
		err  error
		code ports.Code
		key  string
	}{
		"no rows":             {sql.ErrNoRows, ports.NotFound, "not_found"},
		"wrapped no rows":     {fmt.Errorf("x: %w", sql.ErrNoRows), ports.NotFound, "not_found"},
		"a ports error stays": {ports.ErrConflict, ports.Conflict, "already_exists"},
		"canceled":            {context.Canceled, ports.Unavailable, "storage_unavailable"},
		"deadline":            {context.DeadlineExceeded, ports.Unavailable, "storage_unavailable"},
		"bad connection":      {driver.ErrBadConn, ports.Unavailable, "storage_unavailable"},
		"cut connection":      {io.ErrUnexpectedEOF, ports.Unavailable, "storage_unavailable"},
		"closed":              {db.ErrClosed, ports.Unavailable, "storage_unavailable"},
		"lost transaction":    {db.ErrLost, ports.Unavailable, "storage_unavailable"},
		"slug":                {&pgconn.PgError{Code: "23505", ConstraintName: "pastes_slug"}, ports.Conflict, "slug_taken"},
		"other name":          {&pgconn.PgError{Code: "23505", ConstraintName: "api_keys_name"}, ports.Conflict, "already_exists"},
		"disk full":           {&pgconn.PgError{Code: "53100"}, ports.Quota, "quota_exceeded"},
		"no connections left": {&pgconn.PgError{Code: "53300"}, ports.Unavailable, "storage_unavailable"},
		"shutting down":       {&pgconn.PgError{Code: "57P01"}, ports.Unavailable, "storage_unavailable"},
		"statement timeout":   {&pgconn.PgError{Code: "57014"}, ports.Unavailable, "storage_unavailable"},
		"killed by an admin":  {&pgconn.PgError{Code: "57P02"}, ports.Unavailable, "storage_unavailable"},
		"starting up":         {&pgconn.PgError{Code: "57P03"}, ports.Unavailable, "storage_unavailable"},
		"idle too long":       {&pgconn.PgError{Code: "25P03"}, ports.Unavailable, "storage_unavailable"},
		"disk of the server":  {&pgconn.PgError{Code: "58030"}, ports.Unavailable, "storage_unavailable"},
		"protocol violation":  {&pgconn.PgError{Code: "08P01"}, ports.Unavailable, "storage_unavailable"},
		"no code":             {&pgconn.PgError{}, ports.Internal, ""},
		"closed by pgx":       {fmt.Errorf("exec: %w", pgconn.ErrConnClosed), ports.Unavailable, "storage_unavailable"},
		"end of file":         {fmt.Errorf("receive: %w", io.EOF), ports.Unavailable, "storage_unavailable"},
		"reset":               {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, ports.Unavailable, "storage_unavailable"},
		"a bare reset":        {fmt.Errorf("read: %w", syscall.ECONNRESET), ports.Unavailable, "storage_unavailable"},
		"broken pipe":         {fmt.Errorf("write: %w", syscall.EPIPE), ports.Unavailable, "storage_unavailable"},
		"refused":             {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, ports.Unavailable, "storage_unavailable"},
		"closed socket":       {fmt.Errorf("read: %w", net.ErrClosed), ports.Unavailable, "storage_unavailable"},
		"no such host":        {&net.DNSError{Name: "db"}, ports.Unavailable, "storage_unavailable"},
		"ended by sql":        {sql.ErrConnDone, ports.Unavailable, "storage_unavailable"},
		"our own deadline":    {os.ErrDeadlineExceeded, ports.Unavailable, "storage_unavailable"},
		"wrong password":      {&pgconn.PgError{Code: "28P01"}, ports.Internal, ""},
		"no such database":    {&pgconn.PgError{Code: "3D000"}, ports.Internal, ""},
		"deadlock":            {&pgconn.PgError{Code: "40P01"}, ports.Unavailable, "storage_unavailable"},
		"read-only standby":   {&pgconn.PgError{Code: "25006"}, ports.Unavailable, "storage_unavailable"},
		"nul byte":            {&pgconn.PgError{Code: "22021"}, ports.Invalid, "invalid_argument"},
		"a fault of ours":     {&pgconn.PgError{Code: "42601"}, ports.Internal, ""},
		"an own error":        {own, ports.Internal, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := db.Failure(c.err)
			var e *ports.Error
			if errors.As(got, &e) && e.Key != c.key || ports.CodeOf(got) != c.code {
				t.Errorf("got %v, want code %d, key %q", got, c.code, c.key)
			}
		})
	}
	if got := db.Failure(own); got != own {
		t.Errorf("got %v, want the same error", got)
	}
	if db.Failure(nil) != nil {
		t.Error("no error became one")
	}
}

func TestUnavailableSaysWhenToRetry(t *testing.T) {
	var e *ports.Error
	if !errors.As(db.Failure(driver.ErrBadConn), &e) || e.RetryAfter.Seconds() != 2 {
		t.Errorf("error = %+v, want Retry-After 2 s", e)
	}
}

func TestLongIDsAreBounded(t *testing.T) {
	bunstoretest.OnBoth(t, func(t *testing.T, s *bunstore.Store) {
		ids := make([]string, 3*db.Chunk+1)
		for i := range ids {
			ids[i] = fmt.Sprintf("missing %d ' %s", i, strings.Repeat("x", 50))
		}
		if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")); err != nil {
			t.Fatal(err)
		}
		ids[2*db.Chunk] = "id-a"
		if n, err := s.Pastes().Delete(t.Context(), ids...); n != 1 || err != nil {
			t.Errorf("deleted %d, %v, want 1", n, err)
		}
		if n, err := s.Files().Delete(t.Context(), ids...); n != 0 || err != nil {
			t.Errorf("deleted %d files, %v, want 0", n, err)
		}
	})
}
