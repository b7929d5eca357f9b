package mounts

import (
	"sync"

	"pasteport/ports"
)

// DefaultCacheBytes bounds the cached listings when nothing else is said.
const DefaultCacheBytes = 64 << 20

// dircache keeps what storages list, by storage config and prefix. It holds the
// storage's view, never a caller's.
type dircache struct {
	max   int64
	clock ports.Clock

	mu          sync.Mutex
	generations map[string]int64 // by storage config; grows with each change
}

func newDircache(max int64, clock ports.Clock) *dircache {
	if max <= 0 {
		max = DefaultCacheBytes
	}
	return &dircache{max: max, clock: clock, generations: map[string]int64{}}
}

// drop forgets the listings of a storage config, also those that are on their
// way; an empty id means all.
func (c *dircache) drop(storageID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generations[storageID]++
}
