package db_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// calls are calls of each kind: point reads, lists, counts, transactions, plain
// statements, large ones, and those of the shared pool.
func databaseCalls(s *bunstore.Store) map[string]func(ctx context.Context) error {
	large := bunstoretest.Paste("never")
	large.Content = bytes.Repeat([]byte("x"), 10<<20)
	return map[string]func(ctx context.Context) error{
		"a read": func(ctx context.Context) error { _, err := s.Pastes().Get(ctx, "id-a"); return err },
		"a list": func(ctx context.Context) error { _, err := s.Keys().List(ctx, keys.KeyFilter{}); return err },
		"a count": func(ctx context.Context) error {
			_, _, err := s.Pastes().CountByDay(ctx, time.Now(), 3)
			return err
		},
		"a view": func(ctx context.Context) error {
			_, err := s.Pastes().TakeView(ctx, "id-a", time.Now())
			return err
		},
		"a large text": func(ctx context.Context) error { return s.Pastes().Insert(ctx, large) },
		"a unit of work": func(ctx context.Context) error {
			return s.Do(ctx, func(ctx context.Context) error {
				_, err := s.Pastes().Get(ctx, "id-a")
				return err
			})
		},
		"a sweep":       func(ctx context.Context) error { _, err := s.Sessions().DeleteExpired(ctx, time.Now()); return err },
		"an event":      func(ctx context.Context) error { return s.Invalidation().Publish(ctx, "test", "x") },
		"a ping":        func(ctx context.Context) error { return s.Ping(ctx) },
		"a shared pool": func(ctx context.Context) error { return db.Failure(s.SharedDB().PingContext(ctx)) },
	}
}

// A PostgreSQL that stands still keeps nobody waiting, and is used again when it
// goes on.
func TestAFrozenPostgresIsGivenUpAndUsedAgain(t *testing.T) {
	server := portstest.NewPostgresServer(t)
	s := bunstoretest.Open(t, server.URL, portstest.NewClock())
	if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")); err != nil {
		t.Fatal(err)
	}
	calls := databaseCalls(s)
	// Connections that wait in the pool, and more callers than it has.
	var warm sync.WaitGroup
	for range db.PoolSize {
		warm.Go(func() { _, _ = s.Pastes().Get(t.Context(), "id-a") })
	}
	warm.Wait()
	server.Freeze()
	var waiting sync.WaitGroup
	for name, call := range calls {
		for range 2 * db.PoolSize / len(calls) {
			waiting.Go(func() {
				begun := time.Now()
				err := call(context.WithoutCancel(t.Context()))
				if took := time.Since(begun); !ports.Is(err, ports.Unavailable) || took > 60*time.Second {
					t.Errorf("%s: %v after %s", name, err, took)
				}
			})
		}
	}
	waiting.Wait()
	server.Thaw()
	for name, call := range calls {
		var err error
		if !portstest.Happens(portstest.Patience, func() bool {
			err = call(t.Context())
			return err == nil || strings.Contains(err.Error(), "slug_taken")
		}) {
			t.Errorf("%s, when it goes on: %v", name, err)
		}
	}
}

// Whatever a dying PostgreSQL makes drivers say, it means "not at the moment".
func TestAKilledPostgresIsUnavailableNotAFault(t *testing.T) {
	server := portstest.NewPostgresServer(t)
	s := bunstoretest.Open(t, server.URL, portstest.NewClock())
	if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste("a")); err != nil {
		t.Fatal(err)
	}
	// The tests' PostgreSQL commits without waiting for its log: what is read has to
	// outlive a kill.
	if _, err := s.SharedDB().ExecContext(t.Context(), "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	calls := databaseCalls(s)
	delete(calls, "a large text")
	ctx, stop := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	var good, bad atomic.Int64
	for name, call := range calls {
		for range 4 {
			workers.Go(func() {
				for ctx.Err() == nil {
					err := call(context.WithoutCancel(ctx))
					switch {
					case err == nil:
						good.Add(1)
					case ports.Is(err, ports.Unavailable):
						bad.Add(1)
					default:
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			})
		}
	}
	for range 5 {
		before := good.Load()
		portstest.Happens(portstest.Patience, func() bool { return good.Load() >= before+200 })
		server.KillBackends()
		failed := bad.Load()
		portstest.Happens(portstest.Patience, func() bool { return bad.Load() != failed })
	}
	stop()
	workers.Wait()
	if good.Load() < 1000 || bad.Load() == 0 {
		t.Errorf("%d calls went well and %d did not: the load was none", good.Load(), bad.Load())
	}
}

// The deadlines of pgx, which end a call when its context ends, and our own hold
// both, whichever comes first.
func TestDeadlinesOfAConnectionHoldTogether(t *testing.T) {
	for name, c := range map[string]struct {
		within time.Duration
		others func() time.Time
	}{
		"our own":               {time.Millisecond, func() time.Time { return time.Time{} }},
		"that of pgx":           {time.Hour, func() time.Time { return time.Now() }},
		"our own, before pgx's": {time.Millisecond, func() time.Time { return time.Now().Add(time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			conn := db.NewTimedConn(near, c.within)
			defer conn.Close()
			if err := conn.SetDeadline(c.others()); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 1)); !os.IsTimeout(err) {
				t.Errorf("read: %v", err)
			}
			if _, err := conn.Write([]byte("x")); !os.IsTimeout(err) {
				t.Errorf("write: %v", err)
			}
		})
	}
	if !bunstore.Away(fmt.Errorf("x: %w", os.ErrDeadlineExceeded)) || bunstore.Away(ports.ErrConflict) {
		t.Error("Away tells something else")
	}
}
