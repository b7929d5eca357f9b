package db_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/bunstore/bunstoretest"
	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// events collects what a subscriber hears.
type events chan string

func (e events) want(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-e:
		if got != want {
			t.Errorf("event = %q, want %q", got, want)
		}
	case <-time.After(time.Minute):
		t.Errorf("no event, want %q", want)
	}
}

// until takes what comes before last, and last: a subscriber first hears that
// everything may be stale, at some time after its connection listens.
func (e events) until(t *testing.T, last string) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case got := <-e:
			if got == last {
				return
			}
		case <-deadline:
			t.Fatalf("no event, want %q", last)
		}
	}
}

func twoNodes(t *testing.T) (a, b *bunstore.Store) {
	url := portstest.Postgres(t)
	return bunstoretest.Open(t, url, portstest.NewClock()), bunstoretest.Open(t, url, portstest.NewClock())
}

func TestOtherNodeHearsWhatWasPublished(t *testing.T) {
	a, b := twoNodes(t)
	heard, own := make(events, 9), make(events, 9)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.Invalidation().Subscribe(ctx, "paste", func(id string) { heard <- id })
	a.Invalidation().Subscribe(ctx, "paste", func(id string) { own <- id })
	listening(t, a, 2)
	publish := func(kind, id string) {
		t.Helper()
		if err := a.Invalidation().Publish(t.Context(), kind, id); err != nil {
			t.Fatal(err)
		}
	}
	publish("paste", "ready")
	heard.until(t, "ready")
	if err := b.Invalidation().Publish(t.Context(), "paste", "ready"); err != nil {
		t.Fatal(err)
	}
	own.until(t, "ready")
	publish("setting", "not for this subscriber")
	publish("paste", "id with spaces, 和")
	heard.want(t, "id with spaces, 和")

	// What is told has happened, whether its caller is still there or not.
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := a.Invalidation().Publish(gone, "paste", "changed by who has gone"); err != nil {
		t.Error(err)
	}
	publish("paste", "next")
	heard.want(t, "changed by who has gone")
	heard.want(t, "next")

	refused := fmt.Errorf("refused")
	_ = a.Do(t.Context(), func(ctx context.Context) error {
		if err := a.Invalidation().Publish(ctx, "paste", "undone"); err != nil {
			t.Error(err)
		}
		return refused
	})
	publish("paste", "done")
	heard.want(t, "done")
	if len(own) > 0 {
		t.Errorf("own event came back: %q", <-own)
	}

	cancel()
	portstest.Eventually(t, func() bool {
		return b.Subscriptions() == 0
	}, "the subscription ends with its context")
	publish("paste", "late")
	if len(heard) > 0 {
		t.Errorf("heard %q after the end", <-heard)
	}
}

// listening waits until so many nodes listen: those that have a subscriber.
func listening(t *testing.T, s *bunstore.Store, nodes int) {
	t.Helper()
	portstest.Eventually(t, func() bool {
		return len(bunstoretest.Query(t, s, "SELECT 'x' FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN pasteport' AND state = 'idle'")) == nodes
	}, nodes, " nodes listen")
}

func TestEverythingIsDroppedAndTheStoreComesBackAfterALostConnection(t *testing.T) {
	a, b := twoNodes(t)
	heard := make(events, 9)
	b.Invalidation().Subscribe(t.Context(), "paste", func(id string) { heard <- id })
	listening(t, a, 1)
	heard.want(t, "") // the first connection drops everything too
	if _, err := a.ReadDB().DB.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	heard.want(t, "")
	portstest.Eventually(t, func() bool {
		err := b.Pastes().Insert(t.Context(), bunstoretest.Paste("a"))
		if err != nil && !ports.Is(err, ports.Unavailable) {
			t.Fatalf("in the gap: %v, want Unavailable", err)
		}
		return err == nil
	}, "the store comes back")
	listening(t, b, 1)
	if err := a.Invalidation().Publish(t.Context(), "paste", "again"); err != nil {
		t.Fatal(err)
	}
	heard.until(t, "again")
}

func TestDeadlockIsRepeated(t *testing.T) {
	s := bunstoretest.Postgres(t)
	for _, slug := range []string{"a", "b"} {
		if err := s.Pastes().Insert(t.Context(), bunstoretest.Paste(slug)); err != nil {
			t.Fatal(err)
		}
	}
	var wg, both sync.WaitGroup
	both.Add(2)
	for _, order := range [][]string{{"id-a", "id-b"}, {"id-b", "id-a"}} {
		wg.Go(func() {
			first := true
			if err := s.Do(t.Context(), func(ctx context.Context) error {
				for i, id := range order {
					if _, err := s.Pastes().Update(ctx, id, func(p *shares.Paste) error { p.Views++; return nil }); err != nil {
						return err
					}
					if i == 0 && first { // both hold their first row now
						first = false
						both.Done()
						both.Wait()
					}
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range []string{"id-a", "id-b"} {
		if p, err := s.Pastes().Get(t.Context(), id); err != nil || p.Views != 2 {
			t.Errorf("%s: %+v, %v, want 2 views", id, p, err)
		}
	}
}

func TestAbsentPostgresIsAnErrorWithoutThePassword(t *testing.T) {
	for _, url := range []string{"postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@[bad/x"} {
		_, err := bunstore.Open(t.Context(), bunstore.Options{URL: url, Logger: bunstoretest.Quiet()})
		if err == nil {
			t.Fatalf("%s opened", url)
		}
		if text := fmt.Sprint(err); strings.Contains(text, "hunter2") {
			t.Errorf("error tells the password: %s", text)
		}
	}
}

func TestTwoNodesShareViewsExactly(t *testing.T) {
	a, b := twoNodes(t)
	const limit = 30
	p := bunstoretest.Paste("a")
	p.MaxViews = limit
	if err := a.Pastes().Insert(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	taken := 0
	var wg sync.WaitGroup
	for n := range 100 {
		node := []*bunstore.Store{a, b}[n%2]
		wg.Go(func() {
			_, err := node.Pastes().TakeView(t.Context(), p.ID, portstest.Start)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				taken++
			} else if !ports.Is(err, ports.Gone) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if taken != limit {
		t.Errorf("taken = %d, want %d", taken, limit)
	}
}

func TestAStartWithNothingToMigrateWaitsForNoOtherNode(t *testing.T) {
	url := portstest.Postgres(t)
	s := bunstoretest.Open(t, url, portstest.NewClock())
	migrating, err := s.ReadDB().DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer migrating.Close()
	if _, err := migrating.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", int64(db.MigrationLock)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it would wait for ever
	defer cancel()
	other, err := bunstore.Open(ctx, bunstore.Options{URL: url, Logger: bunstoretest.Quiet()})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
}
