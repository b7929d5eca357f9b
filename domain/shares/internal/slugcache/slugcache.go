// Package slugcache keeps shares that are read often.
package slugcache

import (
	"sync"
	"time"

	"pasteport/domain/internal/cache"
	"pasteport/ports"
)

// Lifetimes in the cache.
const (
	// cacheFor bounds how old a share may be when another node changed it and
	// its message was lost.
	cacheFor = 30 * time.Second
	// cacheAfter keeps a share that was just changed out of the cache until
	// every read that began before the change is over.
	cacheAfter = 5 * time.Second
)

// Cache keeps shares by slug, bounded by bytes; the least used goes first.
type Cache[E any] struct {
	clock ports.Clock
	kept  *cache.Cache[string, cached[E]]

	mu      sync.Mutex
	slugs   map[string]string // by id
	changed map[string]time.Time
	emptied time.Time
}

type cached[E any] struct {
	id    string
	value *E
	until time.Time
}

// New returns an empty cache of at most max bytes.
func New[E any](max int64, clock ports.Clock) *Cache[E] {
	c := &Cache[E]{clock: clock, kept: cache.New[string, cached[E]](max, max/8), slugs: map[string]string{}, changed: map[string]time.Time{}}
	c.kept.Gone = func(_ string, gone cached[E]) { delete(c.slugs, gone.id) }
	return c
}

// Use tells how it was used since the start.
func (c *Cache[E]) Use() cache.Use { return c.kept.Use() }

// Get returns the share of slug, nil when it is not here.
func (c *Cache[E]) Get(slug string, now time.Time) *E {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.kept.Get(slug, func(e cached[E]) bool { return now.Before(e.until) }); ok {
		return found.value
	}
	return nil
}

// Put keeps a share that takes cost bytes, unless it is too big or has just
// been changed. A share that is here already stays, and is returned.
func (c *Cache[E]) Put(slug, id string, value *E, cost int64) *E {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.kept.Peek(slug, nil); ok {
		return found.value
	}
	if now.Before(c.changed[id]) || now.Before(c.emptied) {
		return value
	}
	if c.kept.Put(slug, cached[E]{id, value, now.Add(cacheFor)}, cost) {
		c.slugs[id] = slug
	}
	return value
}

// Drop forgets the share with this id and keeps it out for a moment.
func (c *Cache[E]) Drop(id string) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changed) >= 4096 {
		for id, until := range c.changed {
			if !now.Before(until) {
				delete(c.changed, id)
			}
		}
	}
	c.changed[id] = now.Add(cacheAfter)
	c.kept.Drop(c.slugs[id])
}

// Empty forgets everything and tells how many shares there were.
func (c *Cache[E]) Empty() (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emptied = c.clock.Now().Add(cacheAfter)
	return c.kept.Empty()
}
