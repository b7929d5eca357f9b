package shares

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

// shareCache keeps shares by slug, bounded by bytes; the least used goes first.
type shareCache[E any] struct {
	clock ports.Clock
	kept  *cache.Cache[string, cached[E]]

	mu      sync.Mutex
	slugs   map[string]string // by id
	changed map[string]time.Time
	emptied time.Time
}

// CacheUse tells how a cache was used since the start.
type CacheUse = cache.Use

type cached[E any] struct {
	id    string
	value *E
	until time.Time
}

func newCache[E any](max int64, clock ports.Clock) *shareCache[E] {
	c := &shareCache[E]{clock: clock, kept: cache.New[string, cached[E]](max, max/8), slugs: map[string]string{}, changed: map[string]time.Time{}}
	c.kept.Gone = func(_ string, gone cached[E]) { delete(c.slugs, gone.id) }
	return c
}

// get returns the share of slug, nil when it is not here.
func (c *shareCache[E]) get(slug string, now time.Time) *E {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.kept.Get(slug, func(e cached[E]) bool { return now.Before(e.until) }); ok {
		return found.value
	}
	return nil
}

// put keeps a share that takes cost bytes, unless it is too big or has just
// been changed. A share that is here already stays, and is returned.
func (c *shareCache[E]) put(slug, id string, value *E, cost int64) *E {
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

// drop forgets the share with this id and keeps it out for a moment.
func (c *shareCache[E]) drop(id string) {
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

// empty forgets everything and tells how many shares there were.
func (c *shareCache[E]) empty() (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emptied = c.clock.Now().Add(cacheAfter)
	return c.kept.Empty()
}
