package shares

import (
	"context"
	"sync"
)

// counter sums the views of unlimited shares in memory. They are statistics: a
// process that is killed loses those of the last second.
type counter struct {
	add func(ctx context.Context, views map[string]int64) error

	mu      sync.Mutex
	waiting map[string]int64
	writing map[string]int64 // handed to add, which has not returned yet
	flush   sync.Mutex       // held by the one Flush under way
}

func (c *counter) count(id string) {
	c.mu.Lock()
	if c.waiting == nil {
		c.waiting = map[string]int64{}
	}
	c.waiting[id]++
	c.mu.Unlock()
}

// pending returns the views of id that are not stored yet.
func (c *counter) pending(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting[id] + c.writing[id]
}

// take hands over the waiting views of id, which the caller stores with a
// change of its own. It never waits for a Flush: that one may be waiting for
// the transaction the caller is in.
func (c *counter) take(id string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.waiting[id]
	delete(c.waiting, id)
	return n
}

// giveBack undoes take.
func (c *counter) giveBack(id string, n int64) {
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
func (c *counter) Flush(ctx context.Context) error {
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
			c.giveBack(id, n)
		}
	}
	return err
}
