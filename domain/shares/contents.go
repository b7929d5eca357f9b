package shares

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// contents gives all readers of one version of a large paste the same bytes. It
// keeps them no longer than somebody reads.
type contents struct {
	repo  PasteRepository
	loads chan struct{} // bounds how many are on their way from the database

	mu      sync.Mutex
	entries map[contentKey]*contentEntry
}

type contentKey struct {
	id      string
	version int64
}

// contentEntry is where the readers of a version meet.
type contentEntry struct {
	turn  chan struct{} // taken while somebody looks or loads
	users int           // who holds the entry now
	kept  weak.Pointer[largeContent]
}

// largeContent is the content of one version. Nobody changes it.
type largeContent struct {
	bytes []byte
	memo  atomic.Value
}

// parallelLoads is how many large contents are loaded at once.
const parallelLoads = 4

func newContents(repo PasteRepository) *contents {
	return &contents{repo: repo, loads: make(chan struct{}, parallelLoads), entries: map[contentKey]*contentEntry{}}
}

// of returns the content of a paste. Whoever keeps the result keeps it for all.
// Returns NotFound when the paste has another version by now.
func (c *contents) of(ctx context.Context, p *Paste) (*largeContent, error) {
	key := contentKey{p.ID, p.Version}
	e := c.enter(key)
	defer c.leave(key, e)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if large := e.kept.Value(); large != nil {
		return large, nil
	}
	select {
	case c.loads <- struct{}{}:
		defer func() { <-c.loads }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	data, err := c.repo.Content(ctx, p.ID, p.Version)
	if err != nil {
		return nil, err
	}
	large := &largeContent{bytes: data}
	e.kept = weak.Make(large)
	runtime.AddCleanup(large, func(key contentKey) { c.forget(key) }, key)
	return large, nil
}

func (c *contents) enter(key contentKey) *contentEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		e = &contentEntry{turn: make(chan struct{}, 1)}
		c.entries[key] = e
	}
	e.users++
	return e
}

func (c *contents) leave(key contentKey, e *contentEntry) {
	c.mu.Lock()
	e.users--
	c.mu.Unlock()
	c.forget(key)
}

// forget drops the entry of a content that nobody reads any more.
func (c *contents) forget(key contentKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil && e.users == 0 && e.kept.Value() == nil {
		delete(c.entries, key)
	}
}
