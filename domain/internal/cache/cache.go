// Package cache keeps values in memory, bounded by what they cost. It does not
// read what is missing, and knows no time: the caller says what is too old.
package cache

import (
	"container/list"
	"sync"
)

// Cache keeps values by key; the least used goes when they cost too much. It is
// safe for concurrent use, and gives values away as they are.
type Cache[K comparable, V any] struct {
	// Gone hears of every value that goes, under the cache's lock. It is set
	// before the first use; nil: nobody does.
	Gone func(K, V)

	max, most int64 // cost of all, of one

	mu      sync.Mutex
	cost    int64
	entries map[K]*list.Element
	order   list.List // of *entry[K, V], the latest used in front
	use     Use
}

type entry[K comparable, V any] struct {
	key   K
	value V
	cost  int64
}

// Use tells how a cache was used since the start.
type Use struct {
	Hits, Misses  int64
	Expired       int64 // found, but too old
	Invalidations int64 // dropped because of a change
	Pruned        int64 // dropped to make room
	Size          int   // values in it now
}

// New returns a cache of values that cost max together, and most each. The unit
// is the caller's.
func New[K comparable, V any](max, most int64) *Cache[K, V] {
	return &Cache[K, V]{max: max, most: most, entries: map[K]*list.Element{}}
}

// Get returns the value of a key, and counts a hit or a miss. One that is not
// alive any more goes; a nil alive says that all are.
func (c *Cache[K, V]) Get(key K, alive func(V) bool) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.peek(key, alive)
	if ok {
		c.use.Hits++
	} else {
		c.use.Misses++
	}
	return value, ok
}

// Peek is Get that counts neither hit nor miss.
func (c *Cache[K, V]) Peek(key K, alive func(V) bool) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peek(key, alive)
}

func (c *Cache[K, V]) peek(key K, alive func(V) bool) (value V, ok bool) {
	e, ok := c.entries[key]
	if !ok {
		return value, false
	}
	if value = e.Value.(*entry[K, V]).value; alive != nil && !alive(value) {
		c.use.Expired++
		c.remove(e)
		return value, false
	}
	c.order.MoveToFront(e)
	return value, true
}

// Missed counts a miss of a caller who has not looked.
func (c *Cache[K, V]) Missed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use.Misses++
}

// Put keeps a value instead of the one that is there, unless it costs too much.
func (c *Cache[K, V]) Put(key K, value V, cost int64) (kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.remove(e)
	}
	if cost > c.most {
		return false
	}
	c.entries[key] = c.order.PushFront(&entry[K, V]{key, value, cost})
	c.cost += cost
	c.prune()
	return true
}

// Grow adds to the cost of a value, if the one that is there is meant.
func (c *Cache[K, V]) Grow(key K, meant func(V) bool, cost int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok && meant(e.Value.(*entry[K, V]).value) {
		e.Value.(*entry[K, V]).cost += cost
		c.cost += cost
		c.prune()
	}
}

// Drop forgets the value of a key because of a change.
func (c *Cache[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.use.Invalidations++
		c.remove(e)
	}
}

// DropAll forgets the values that fit because of a change, and tells how many
// they were.
func (c *Cache[K, V]) DropAll(fits func(K) bool) (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.entries {
		if fits(key) {
			c.remove(e)
			dropped++
		}
	}
	c.use.Invalidations += int64(dropped)
	return dropped
}

// Empty forgets all values, and tells how many they were.
func (c *Cache[K, V]) Empty() (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for dropped = len(c.entries); c.order.Len() > 0; {
		c.remove(c.order.Back())
	}
	return dropped
}

// Use tells how the cache was used.
func (c *Cache[K, V]) Use() Use {
	c.mu.Lock()
	defer c.mu.Unlock()
	use := c.use
	use.Size = len(c.entries)
	return use
}

func (c *Cache[K, V]) prune() {
	for c.cost > c.max {
		c.use.Pruned++
		c.remove(c.order.Back())
	}
}

func (c *Cache[K, V]) remove(e *list.Element) {
	gone := e.Value.(*entry[K, V])
	c.order.Remove(e)
	delete(c.entries, gone.key)
	c.cost -= gone.cost
	if c.Gone != nil {
		c.Gone(gone.key, gone.value)
	}
}
