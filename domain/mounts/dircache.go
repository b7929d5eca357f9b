package mounts

import (
	"context"
	"sync"
	"time"

	"pasteport/domain/internal/cache"
	"pasteport/ports"
)

// DefaultCacheBytes bounds the cached listings when nothing else is said.
const DefaultCacheBytes = 64 << 20

// fetchTime bounds the reading of one folder.
const fetchTime = 2 * time.Minute

// dircache keeps what storages list, by storage config and prefix. It holds the
// storage's view, never a caller's, and is bounded by bytes: the least used
// goes first. Callers who miss the same folder wait for one reading (contract
// §6.1).
type dircache struct {
	clock     ports.Clock
	refreshes refreshes
	// listed hears of every folder that was read and that no write overtook.
	listed func(ctx context.Context, key dirKey, f *folder)

	mu      sync.Mutex // also held while a reading is kept or dropped
	kept    *cache.Cache[dirKey, *folder]
	flights map[dirKey]*flight
}

// CacheUse tells how the cache of listings was used since the start.
type CacheUse = cache.Use

// dirKey names a folder, or the part of a long one that begins at token.
type dirKey struct{ storage, prefix, token string }

// flight is a folder that is being read.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // guarded by the cache
	folder  *folder
	err     error
}

func newDircache(max int64, clock ports.Clock) *dircache {
	if max <= 0 {
		max = DefaultCacheBytes
	}
	return &dircache{clock: clock, kept: cache.New[dirKey, *folder](max, max/2), flights: map[dirKey]*flight{}}
}

// get returns a folder that is at most ttl old, and reads it when there is
// none or fresh is asked for. A reading goes on while anybody waits for it. With
// a ttl of 0 nothing is kept.
func (c *dircache) get(ctx context.Context, key dirKey, ttl time.Duration, fresh bool, read func(context.Context) (*folder, error)) (*folder, error) {
	c.mu.Lock()
	if fresh || ttl == 0 {
		c.kept.Missed()
	} else if found, ok := c.kept.Get(key, c.within(ttl)); ok {
		c.mu.Unlock()
		return found, nil
	}
	f := c.flights[key]
	if f == nil || fresh || ttl == 0 {
		f = c.startLocked(ctx, key, ttl, read)
	}
	f.waiting++
	c.mu.Unlock()

	select {
	case <-f.done:
		return f.folder, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		c.landLocked(key, f)
	}
	return nil, ctx.Err()
}

// peek returns a folder that is here and at most ttl old, else nil.
func (c *dircache) peek(key dirKey, ttl time.Duration) *folder {
	if ttl == 0 {
		return nil
	}
	found, ok := c.kept.Peek(key, c.within(ttl))
	if !ok {
		return nil
	}
	return found
}

// within tells which folders are at most ttl old.
func (c *dircache) within(ttl time.Duration) func(*folder) bool {
	now := c.clock.Now()
	return func(f *folder) bool { return now.Sub(f.read) < ttl }
}

// startLocked begins to read a folder.
func (c *dircache) startLocked(ctx context.Context, key dirKey, ttl time.Duration, read func(context.Context) (*folder, error)) *flight {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	f := &flight{done: make(chan struct{}), cancel: cancel}
	c.flights[key] = f
	go func() {
		defer cancel()
		f.folder, f.err = read(ctx)
		c.mu.Lock()
		current := c.landLocked(key, f) && f.err == nil
		if current && ttl > 0 {
			c.kept.Put(key, f.folder, f.folder.cost())
		}
		c.mu.Unlock()
		close(f.done)
		if current && c.listed != nil {
			c.listed(ctx, key, f.folder)
		}
	}()
	return f
}

// landLocked ends a reading; false when a write or a fresher reading has
// overtaken it, so that what it found must not be kept.
func (c *dircache) landLocked(key dirKey, f *flight) (current bool) {
	if c.flights[key] != f {
		return false
	}
	delete(c.flights, key)
	return true
}

// grow counts bytes that were attached to a folder, if it is still here.
func (c *dircache) grow(key dirKey, of *folder, bytes int64) {
	c.kept.Grow(key, func(f *folder) bool { return f == of }, bytes)
}

// drop forgets the listings of a storage config, also those that are being
// read: their readers get them, nobody else does. An empty id means all. It
// tells how many listings there were.
func (c *dircache) drop(storageID string) (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	concerned := func(key dirKey) bool { return storageID == "" || key.storage == storageID }
	for key := range c.flights {
		if concerned(key) {
			delete(c.flights, key)
		}
	}
	return c.kept.DropAll(concerned)
}
