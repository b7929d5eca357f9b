package mounts

import (
	"container/list"
	"context"
	"sync"
	"time"

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
	max       int64
	clock     ports.Clock
	refreshes refreshes
	// listed hears of every folder that was read and that no write overtook.
	listed func(ctx context.Context, key dirKey, f *folder)

	mu      sync.Mutex
	bytes   int64
	entries map[dirKey]*list.Element
	order   list.List // of *dirEntry, the latest used in front
	flights map[dirKey]*flight
	serial  int64 // of readings, in the order of their start
	use     CacheUse
}

// CacheUse tells how the cache of listings was used since the start.
type CacheUse struct {
	Hits, Misses  int64
	Expired       int64 // found, but too old
	Invalidations int64 // dropped because of a write
	Pruned        int64 // dropped to make room
	Size          int   // listings in it now
}

// dirKey names a folder, or the part of a long one that begins at token.
type dirKey struct{ storage, prefix, token string }

type dirEntry struct {
	key    dirKey
	folder *folder
	serial int64
	cost   int64
}

// flight is a folder that is being read.
type flight struct {
	serial  int64
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
	return &dircache{max: max, clock: clock, entries: map[dirKey]*list.Element{}, flights: map[dirKey]*flight{}}
}

// get returns a folder that is at most ttl old, and reads it when there is
// none or fresh is asked for. A reading goes on while anybody waits for it. With
// a ttl of 0 nothing is kept.
func (c *dircache) get(ctx context.Context, key dirKey, ttl time.Duration, fresh bool, read func(context.Context) (*folder, error)) (*folder, error) {
	c.mu.Lock()
	if found := c.peekLocked(key, ttl); found != nil && !fresh {
		c.use.Hits++
		c.mu.Unlock()
		return found, nil
	}
	c.use.Misses++
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peekLocked(key, ttl)
}

func (c *dircache) peekLocked(key dirKey, ttl time.Duration) *folder {
	e, ok := c.entries[key]
	if !ok || ttl == 0 {
		return nil
	}
	entry := e.Value.(*dirEntry)
	if c.clock.Now().Sub(entry.folder.read) >= ttl {
		c.use.Expired++
		c.removeLocked(e)
		return nil
	}
	c.order.MoveToFront(e)
	return entry.folder
}

// startLocked begins to read a folder.
func (c *dircache) startLocked(ctx context.Context, key dirKey, ttl time.Duration, read func(context.Context) (*folder, error)) *flight {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	c.serial++
	f := &flight{serial: c.serial, done: make(chan struct{}), cancel: cancel}
	c.flights[key] = f
	go func() {
		defer cancel()
		f.folder, f.err = read(ctx)
		c.mu.Lock()
		current := c.landLocked(key, f) && f.err == nil
		if current && ttl > 0 {
			c.keepLocked(key, f)
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

func (c *dircache) keepLocked(key dirKey, f *flight) {
	if e, ok := c.entries[key]; ok {
		c.removeLocked(e)
	}
	entry := &dirEntry{key: key, folder: f.folder, serial: f.serial, cost: f.folder.cost()}
	if entry.cost > c.max/2 {
		return
	}
	c.entries[key] = c.order.PushFront(entry)
	c.bytes += entry.cost
	c.pruneLocked()
}

// grow counts bytes that were attached to a folder, if it is still here.
func (c *dircache) grow(key dirKey, of *folder, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok && e.Value.(*dirEntry).folder == of {
		e.Value.(*dirEntry).cost += bytes
		c.bytes += bytes
		c.pruneLocked()
	}
}

func (c *dircache) pruneLocked() {
	for c.bytes > c.max {
		c.use.Pruned++
		c.removeLocked(c.order.Back())
	}
}

func (c *dircache) removeLocked(e *list.Element) {
	entry := e.Value.(*dirEntry)
	c.order.Remove(e)
	delete(c.entries, entry.key)
	c.bytes -= entry.cost
}

// drop forgets the listings of a storage config, also those that are being
// read: their readers get them, nobody else does. An empty id means all. It
// tells how many listings there were.
func (c *dircache) drop(storageID string) (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.flights {
		if storageID == "" || key.storage == storageID {
			delete(c.flights, key)
		}
	}
	for key, e := range c.entries {
		if storageID == "" || key.storage == storageID {
			c.removeLocked(e)
			dropped++
		}
	}
	c.use.Invalidations += int64(dropped)
	return dropped
}

// used tells how the cache was used.
func (c *dircache) used() CacheUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	use := c.use
	use.Size = len(c.entries)
	return use
}
