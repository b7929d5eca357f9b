// Package views counts what is looked at, ahead of its database.
package views

import (
	"context"
	"sync"
	"time"
)

// Counter sums the views of unlimited shares in memory. They are statistics: a
// process that is killed loses those of the last second.
type Counter struct {
	add func(ctx context.Context, views map[string]int64) error

	mu      sync.Mutex
	waiting map[string]int64
	writing map[string]int64 // handed to add, which has not returned yet
	flush   sync.Mutex       // held by the one Flush under way
}

// New returns a counter whose sums add stores.
func New(add func(ctx context.Context, views map[string]int64) error) *Counter {
	return &Counter{add: add}
}

// Count adds a view of id.
func (c *Counter) Count(id string) {
	c.mu.Lock()
	if c.waiting == nil {
		c.waiting = map[string]int64{}
	}
	c.waiting[id]++
	c.mu.Unlock()
}

// Pending returns the views of id that are not stored yet.
func (c *Counter) Pending(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[id] + c.writing[id]
}

// Take hands over the waiting views of id, which the caller stores with a
// change of its own. It never waits for a Flush: that one may be waiting for
// the transaction the caller is in.
func (c *Counter) Take(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.waiting[id]
	delete(c.waiting, id)
	return n
}

// GiveBack undoes Take.
func (c *Counter) GiveBack(id string, n int64) {
	if n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[string]int64{}
	}
	c.waiting[id] += n
}

// Flush stores what has been counted. After an error the views wait for the
// next try.
func (c *Counter) Flush(ctx context.Context) error {
	c.flush.Lock()
	defer c.flush.Unlock()
	c.mu.Lock()
	c.waiting, c.writing = nil, c.waiting
	views := c.writing
	c.mu.Unlock()
	if len(views) == 0 {
		return nil
	}
	err := c.add(ctx, views)
	c.mu.Lock()
	c.writing = nil
	c.mu.Unlock()
	if err != nil {
		for id, n := range views {
			c.GiveBack(id, n)
		}
	}
	return err
}

// Run stores what has been counted each second until ctx ends, and a last time
// then. report hears of what could not be stored.
func (c *Counter) Run(ctx context.Context, report func(doing string, err error)) {
	const doing = "store counted views"
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			report(doing, c.Flush(last))
			return
		case <-tick.C:
			report(doing, c.Flush(ctx))
		}
	}
}
