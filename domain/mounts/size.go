package mounts

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/ports/objstore"
)

// Bounds of sums.
const (
	sumsWait  = 300 * time.Millisecond // that a listing waits for them
	sumsTime  = 30 * time.Second       // that they may take
	sumsFor   = time.Minute            // how long they are kept
	sumsKept  = 50_000                 // folders of which they are kept
	liveSizes = 20 * time.Second       // that a folder is listed to be summed up
)

// sumCache keeps sums, and computes them once for all who ask.
type sumCache struct {
	mu      sync.Mutex
	kept    map[dirKey]*FolderTotals
	folders int
	flights map[dirKey]chan struct{} // closed at the end
}

// sumsOf returns the totals of the folders in the one at a place, nil when they
// are not known or not known yet.
func (t *Tree) sumsOf(ctx context.Context, p *Place) *FolderTotals {
	if t.index.complete(ctx, p.Storage.ID) == nil {
		return nil
	}
	c := &t.sums
	key := dirKey{storage: p.Storage.ID, prefix: p.Prefix()}
	old := c.find(t, key)
	if old != nil && old.version == t.index.version(key.storage) && !t.index.waiting(key.storage) {
		return old
	}
	done := c.begin(ctx, t, key)
	wait := time.NewTimer(sumsWait)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-ctx.Done():
	}
	return c.find(t, key)
}

// find returns sums that are not too old.
func (c *sumCache) find(t *Tree, key dirKey) *FolderTotals {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.kept[key]; s != nil && t.Clock.Now().Sub(s.at) < sumsFor {
		return s
	}
	return nil
}

// begin computes sums, unless that is under way.
func (c *sumCache) begin(ctx context.Context, t *Tree, key dirKey) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.flights[key]; ok {
		return done
	}
	done := make(chan struct{})
	if c.flights == nil {
		c.flights = map[dirKey]chan struct{}{}
	}
	c.flights[key] = done
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sumsTime)
	go func() {
		defer cancel()
		s, err := t.sumUp(ctx, key)
		if err != nil {
			t.index.report(ctx, "sum up folders", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.flights, key)
		if err == nil {
			c.keepLocked(key, s)
		}
		close(done)
	}()
	return done
}

func (c *sumCache) keepLocked(key dirKey, s *FolderTotals) {
	if old := c.kept[key]; old != nil {
		c.folders -= 1 + len(old.Of)
	}
	c.folders += 1 + len(s.Of)
	if c.kept == nil || c.folders > sumsKept {
		c.kept, c.folders = map[dirKey]*FolderTotals{}, 1+len(s.Of)
	}
	c.kept[key] = s
}

// sumUp asks the index, when it knows all that was written until now.
func (t *Tree) sumUp(ctx context.Context, key dirKey) (*FolderTotals, error) {
	if err := t.index.flush(ctx); err != nil {
		return nil, err
	}
	s := &FolderTotals{at: t.Clock.Now(), version: t.index.version(key.storage)}
	var err error
	if s.Of, err = t.Index.Totals(ctx, key.storage, key.prefix); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(s.Of)) {
		total := s.Of[name]
		_, _ = fmt.Fprintf(h, "%s\x00%d %d\x00", name, total.Size, Milliseconds(timeOf(total.Newest)))
	}
	s.Tag = fmt.Sprintf("%x", h.Sum64())
	return s, nil
}

func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

// waiting reports whether something about a storage is still to be noted.
func (x *indexer) waiting(storageID string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(x.pending, func(w indexWork) bool { return w.storage == storageID })
}

// FolderSize is what a file or folder comes to.
type FolderSize struct {
	Entry
	Total     Total
	IndexedAt *time.Time // of the index that told it; nil when the storage did
	Partial   bool       // the storage was not listed to its end
}

// Size sums up a folder with all below it, or tells the size of a file. It asks
// mount.read. The index answers where it knows the storage; else the folder is
// listed within a time. Returns NotFound when there is nothing, ErrRoot and
// ErrNoMount for folders that only lead to mounts.
func (t *Tree) Size(ctx context.Context, c Caller, path string) (*FolderSize, error) {
	places, _, err := t.Enter(ctx, c, OpRead, path)
	if err != nil {
		return nil, err
	}
	p := places[0]
	e, err := t.StatAt(ctx, p, p.Folder)
	if err != nil {
		return nil, err
	}
	out := &FolderSize{Entry: e}
	if !e.Folder {
		out.Total = Total{Size: e.Size, Files: 1, Newest: e.ModTime}
		return out, nil
	}
	if at := t.index.complete(ctx, p.Storage.ID); at != nil {
		if err := t.index.flush(ctx); err != nil {
			return nil, err
		}
		out.IndexedAt = at
		out.Total, err = t.Index.Total(ctx, p.Storage.ID, p.Prefix())
		return out, err
	}
	bucket, err := t.Bucket(ctx, p)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, liveSizes)
	defer cancel()
	err = objects.WalkAhead(limited, bucket, p.Prefix(), func(page []objstore.Object) error {
		for _, o := range page {
			out.Total.Add(o)
		}
		return nil
	})
	if limited.Err() != nil && ctx.Err() == nil {
		out.Partial, err = true, nil
	}
	return out, err
}
