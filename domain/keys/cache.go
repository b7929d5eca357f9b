package keys

import (
	"sync"
	"time"

	"pasteport/ports/policy"
)

const (
	// cacheLife is how long a proven credential is believed without looking
	// again (security rule S4).
	cacheLife = 60 * time.Second
	cacheSize = 10_000
)

// cache remembers proven credentials, by their keyed hash. It is emptied
// whenever a key, a session or the account changes.
type cache struct {
	mu         sync.RWMutex
	entries    map[[32]byte]cached
	generation uint64 // grows with each emptying
}

// cached is a principal and until when it may be believed.
type cached struct {
	who policy.Principal
	end time.Time
}

func newCache() *cache { return &cache{entries: map[[32]byte]cached{}} }

// get returns the principal of a credential, and the generation to hand to put.
func (c *cache) get(id [32]byte, now time.Time) (who policy.Principal, ok bool, generation uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	entry, ok := c.entries[id]
	return entry.who, ok && now.Before(entry.end), c.generation
}

// put remembers a principal, unless the cache was emptied since get: what was
// looked up before a change must not outlive it.
func (c *cache) put(id [32]byte, entry cached, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if len(c.entries) >= cacheSize {
		clear(c.entries)
	}
	c.entries[id] = entry
}

// empty forgets everything.
func (c *cache) empty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.entries)
	c.generation++
}
