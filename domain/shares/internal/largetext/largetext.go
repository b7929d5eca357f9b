// Package largetext gives all readers of one version of a large paste the same
// bytes. It keeps them no longer than somebody reads.
package largetext

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// Repository reads the content of a version of a paste. Returns NotFound when the
// paste has another version by now.
type Repository interface {
	Content(ctx context.Context, id string, version int64) ([]byte, error)
}

// Texts are the contents that are read now. It is safe for concurrent use.
type Texts struct {
	repo  Repository
	loads chan struct{} // bounds how many are on their way from the database

	mu      sync.Mutex
	entries map[versionKey]*entry
}

type versionKey struct {
	id      string
	version int64
}

// entry is where the readers of a version meet.
type entry struct {
	turn  chan struct{} // taken while somebody looks or loads
	users int           // who holds the entry now
	kept  weak.Pointer[Content]
}

// Content is the content of one version.
type Content struct {
	Bytes []byte       // nobody changes them
	Memo  atomic.Value // what was derived from them
}

// parallelLoads is how many large contents are loaded at once.
const parallelLoads = 4

// New returns the contents of a repository.
func New(repo Repository) *Texts {
	return &Texts{repo: repo, loads: make(chan struct{}, parallelLoads), entries: map[versionKey]*entry{}}
}

// Of returns the content of a version of a paste. Whoever keeps the result keeps
// it for all. Returns NotFound when the paste has another version by now.
func (c *Texts) Of(ctx context.Context, id string, version int64) (*Content, error) {
	key := versionKey{id, version}
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
	data, err := c.repo.Content(ctx, id, version)
	if err != nil {
		return nil, err
	}
	large := &Content{Bytes: data}
	e.kept = weak.Make(large)
	runtime.AddCleanup(large, func(key versionKey) { c.forget(key) }, key)
	return large, nil
}

func (c *Texts) enter(key versionKey) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		e = &entry{turn: make(chan struct{}, 1)}
		c.entries[key] = e
	}
	e.users++
	return e
}

func (c *Texts) leave(key versionKey, e *entry) {
	c.mu.Lock()
	e.users--
	c.mu.Unlock()
	c.forget(key)
}

// forget drops the entry of a content that nobody reads any more.
func (c *Texts) forget(key versionKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil && e.users == 0 && e.kept.Value() == nil {
		delete(c.entries, key)
	}
}
