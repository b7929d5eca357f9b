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

// Publish sends kind and id to the other nodes, with the unit of work in ctx.
func (i *Invalidation) Publish(ctx context.Context, kind, id string) error {
	if i.s.bell == nil {
		return nil
	}
	_, err := i.s.Exec(ctx, "SELECT pg_notify(?, ?)", channel, i.s.bell.node+" "+kind+" "+id)
	return err
}

// Subscribe calls fn for each event of kind from another node until ctx ends.
func (i *Invalidation) Subscribe(ctx context.Context, kind string, fn func(id string)) {
	if i.s.bell != nil {
		i.s.bell.subscribe(ctx, kind, fn)
	}
}

// bell listens on a connection of its own and calls the subscribers.
type bell struct {
	node   string // tells our own events from those of others
	config *pgx.ConnConfig
	log    *slog.Logger
	stop   context.CancelFunc
	ended  chan struct{}

	mu   sync.Mutex
	next int
	subs map[int]subscriber
}

type subscriber struct {
	kind string
	fn   func(id string)
}

func newBell(config *pgx.ConnConfig, log *slog.Logger) *bell {
	id := make([]byte, 8)
	_, _ = rand.Read(id)
	ctx, stop := context.WithCancel(context.Background())
	b := &bell{
		node: hex.EncodeToString(id), config: config.Copy(), log: log, stop: stop,
		ended: make(chan struct{}), subs: map[int]subscriber{},
	}
	go b.run(ctx)
	return b
}

func (b *bell) subscribe(ctx context.Context, kind string, fn func(id string)) {
	b.mu.Lock()
	id := b.next
	b.next++
	b.subs[id] = subscriber{kind, fn}
	b.mu.Unlock()
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, id)
	})
}

func (b *bell) close() {
	b.stop()
	<-b.ended
}

// run listens until the store closes. After each lost connection everything
// that subscribers remember may be stale, so they drop it.
func (b *bell) run(ctx context.Context) {
	defer close(b.ended)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		heard, err := b.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		b.log.Warn("connection for events lost", "cause", err)
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

func (b *bell) listen(ctx context.Context) (heard bool, err error) {
	connection, err := pgx.ConnectConfig(ctx, b.config)
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
	b.ring("", "")
	for {
		event, err := connection.WaitForNotification(ctx)
		if err != nil {
			return true, err
		}
		parts := strings.SplitN(event.Payload, " ", 3)
		if len(parts) == 3 && parts[0] != b.node {
			b.ring(parts[1], parts[2])
		}
	}
}

// ring calls the subscribers of kind; of every kind when that is empty.
func (b *bell) ring(kind, id string) {
	b.mu.Lock()
	var heard []subscriber
	for _, s := range b.subs {
		if kind == "" || s.kind == kind {
			heard = append(heard, s)
		}
	}
	b.mu.Unlock()
	for _, s := range heard {
		s.fn(id)
	}
}
