package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the name under which nodes of one database hear each other.
const channel = "pasteport"

// Invalidation tells other nodes what has changed, by NOTIFY of PostgreSQL. On
// SQLite there are no other nodes and it does nothing.
type Invalidation struct{ s *DB }

// Invalidation returns the events between nodes.
func (d *DB) Invalidation() *Invalidation { return &Invalidation{d} }

// Publish sends kind and id to the other nodes, with the unit of work in ctx, and also
// when its caller has gone: what it tells has happened.
func (i *Invalidation) Publish(ctx context.Context, kind, id string) error {
	if i.s.notifier == nil {
		return nil
	}
	_, err := i.s.Exec(context.WithoutCancel(ctx), "SELECT pg_notify(?, ?)", channel, i.s.notifier.node+" "+kind+" "+id)
	return err
}

// Subscribe calls fn for each event of kind from another node until ctx ends.
func (i *Invalidation) Subscribe(ctx context.Context, kind string, fn func(id string)) {
	if i.s.notifier != nil {
		i.s.notifier.subscribe(ctx, kind, fn)
	}
}

// notifier listens on a connection of its own, once somebody subscribes, and calls
// the subscribers.
type notifier struct {
	node   string // tells our own events from those of others
	config *pgx.ConnConfig
	log    *slog.Logger
	stop   context.CancelFunc
	begin  func()         // begins to listen, once
	runs   sync.WaitGroup // while it listens

	mu   sync.Mutex
	next int
	subs map[int]subscriber
}

type subscriber struct {
	kind string
	fn   func(id string)
}

func newNotifier(config *pgx.ConnConfig, log *slog.Logger) *notifier {
	id := make([]byte, 8)
	_, _ = rand.Read(id)
	ctx, stop := context.WithCancel(context.Background())
	n := &notifier{
		node: hex.EncodeToString(id), config: config.Copy(), log: log, stop: stop, subs: map[int]subscriber{},
	}
	n.begin = sync.OnceFunc(func() { n.runs.Go(func() { n.run(ctx) }) })
	return n
}

func (n *notifier) subscribe(ctx context.Context, kind string, fn func(id string)) {
	n.mu.Lock()
	id := n.next
	n.next++
	n.subs[id] = subscriber{kind, fn}
	n.mu.Unlock()
	n.begin()
	context.AfterFunc(ctx, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.subs, id)
	})
}

func (n *notifier) close() {
	n.stop()
	n.begin() // so that nobody who subscribes from now on does
	n.runs.Wait()
}

// run listens until the store closes. After each lost connection everything
// that subscribers remember may be stale, so they drop it.
func (n *notifier) run(ctx context.Context) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		heard, err := n.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		n.log.Warn("connection for events lost", "cause", err)
		if heard {
			wait = 100 * time.Millisecond
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (n *notifier) listen(ctx context.Context) (heard bool, err error) {
	connection, err := pgx.ConnectConfig(ctx, n.config)
	if err != nil {
		return false, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = connection.Close(closing)
	}()
	if _, err := connection.Exec(ctx, "LISTEN "+channel); err != nil {
		return false, err
	}
	n.notify("", "")
	for {
		event, err := connection.WaitForNotification(ctx)
		if err != nil {
			return true, err
		}
		parts := strings.SplitN(event.Payload, " ", 3)
		if len(parts) == 3 && parts[0] != n.node {
			n.notify(parts[1], parts[2])
		}
	}
}

// notify calls the subscribers of kind; of every kind when that is empty.
func (n *notifier) notify(kind, id string) {
	n.mu.Lock()
	var heard []subscriber
	for _, s := range n.subs {
		if kind == "" || s.kind == kind {
			heard = append(heard, s)
		}
	}
	n.mu.Unlock()
	for _, s := range heard {
		s.fn(id)
	}
}
