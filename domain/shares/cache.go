package shares

import (
	"container/list"
	"sync"
	"time"

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

// cache keeps shares by slug, bounded by bytes; the least used goes first.
type cache[E any] struct {
	max   int64
	clock ports.Clock

	mu      sync.Mutex
	bytes   int64
	bySlug  map[string]*list.Element
	slugs   map[string]string // by id
	order   list.List         // of *cached[E], the latest used in front
	changed map[string]time.Time
	emptied time.Time
	use     CacheUse // Size is counted when it is asked for
}

// CacheUse tells how a cache was used since the start.
type CacheUse struct {
	Hits, Misses  int64
	Expired       int64 // found, but too old
	Invalidations int64 // dropped because the share changed
	Pruned        int64 // dropped to make room
	Size          int   // shares in it now
}

type cached[E any] struct {
	slug, id string
	value    *E
	cost     int64
	until    time.Time
}

func newCache[E any](max int64, clock ports.Clock) *cache[E] {
	return &cache[E]{max: max, clock: clock, bySlug: map[string]*list.Element{}, slugs: map[string]string{}, changed: map[string]time.Time{}}
}

// get returns the share of slug, nil when it is not here.
func (c *cache[E]) get(slug string) *E {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.bySlug[slug]
	if !ok {
		c.use.Misses++
		return nil
	}
	entry := e.Value.(*cached[E])
	if !now.Before(entry.until) {
		c.use.Misses++
		c.use.Expired++
		c.remove(e)
		return nil
	}
	c.use.Hits++
	c.order.MoveToFront(e)
	return entry.value
}

// put keeps a share that takes cost bytes, unless it is too big or has just
// been changed. A share that is here already stays, and is returned.
func (c *cache[E]) put(slug, id string, value *E, cost int64) *E {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.bySlug[slug]; ok {
		return e.Value.(*cached[E]).value
	}
	if cost > c.max/8 || now.Before(c.changed[id]) || now.Before(c.emptied) {
		return value
	}
	c.bySlug[slug] = c.order.PushFront(&cached[E]{slug: slug, id: id, value: value, cost: cost, until: now.Add(cacheFor)})
	c.slugs[id] = slug
	for c.bytes += cost; c.bytes > c.max; {
		c.use.Pruned++
		c.remove(c.order.Back())
	}
	return value
}

// drop forgets the share with this id and keeps it out for a moment.
func (c *cache[E]) drop(id string) {
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
	if e, ok := c.bySlug[c.slugs[id]]; ok {
		c.use.Invalidations++
		c.remove(e)
	}
}

// used tells how the cache was used.
func (c *cache[E]) used() CacheUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	use := c.use
	use.Size = len(c.bySlug)
	return use
}

// empty forgets everything and tells how many shares there were.
func (c *cache[E]) empty() (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for dropped = len(c.bySlug); c.order.Len() > 0; {
		c.remove(c.order.Back())
	}
	c.emptied = c.clock.Now().Add(cacheAfter)
	return dropped
}

func (c *cache[E]) remove(e *list.Element) {
	entry := e.Value.(*cached[E])
	c.order.Remove(e)
	delete(c.bySlug, entry.slug)
	delete(c.slugs, entry.id)
	c.bytes -= entry.cost
}
