package mounts

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
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

// sums are the totals of the folders directly below a prefix. They do not
// change.
type sums struct {
	of      map[string]Total // by name
	tag     string           // the same for the same totals
	at      time.Time
	version int64 // of what was known of the storage
}

// sumCache keeps sums, and computes them once for all who ask.
type sumCache struct {
	mu      sync.Mutex
	kept    map[dirKey]*sums
	folders int
	flights map[dirKey]chan struct{} // closed at the end
}

// sumsOf returns the totals of the folders in the one at a place, nil when they
// are not known or not known yet.
func (t *Tree) sumsOf(ctx context.Context, p *place) *sums {
	if t.index.complete(ctx, p.storage.ID) == nil {
		return nil
	}
	c := &t.sums
	key := dirKey{storage: p.storage.ID, prefix: p.prefix()}
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
func (c *sumCache) find(t *Tree, key dirKey) *sums {
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

func (c *sumCache) keepLocked(key dirKey, s *sums) {
	if old := c.kept[key]; old != nil {
		c.folders -= 1 + len(old.of)
	}
	c.folders += 1 + len(s.of)
	if c.kept == nil || c.folders > sumsKept {
		c.kept, c.folders = map[dirKey]*sums{}, 1+len(s.of)
	}
	c.kept[key] = s
}

// sumUp asks the index, when it knows all that was written until now.
func (t *Tree) sumUp(ctx context.Context, key dirKey) (*sums, error) {
	if err := t.index.flush(ctx); err != nil {
		return nil, err
	}
	s := &sums{at: t.Clock.Now(), version: t.index.version(key.storage)}
	var err error
	if s.of, err = t.Index.Totals(ctx, key.storage, key.prefix); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(s.of)) {
		total := s.of[name]
		_, _ = fmt.Fprintf(h, "%s\x00%d %d\x00", name, total.Size, milliseconds(timeOf(total.Newest)))
	}
	s.tag = fmt.Sprintf("%x", h.Sum64())
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

// addTo puts what is known of a folder into its entry.
func (s *sums) addTo(e *Entry) {
	if s == nil || !e.Folder || e.Virtual {
		return
	}
	total, ok := s.of[e.Name]
	if !ok {
		return
	}
	e.Size, e.SizeIndexed = total.Size, true
	if total.Newest != nil {
		e.ModTime, e.TimeIndexed = total.Newest, true
	}
}

// with is an item with what is known of it, so that it is sorted by that.
func (s *sums) with(it item) item {
	if s == nil || !it.folder {
		return it
	}
	if total, ok := s.of[it.name]; ok {
		it.size = total.Size
		if total.Newest != nil {
			it.modified = milliseconds(*total.Newest)
		}
	}
	return it
}

// text tells sums apart; empty for none.
func (s *sums) text() string {
	if s == nil {
		return ""
	}
	return s.tag
}

// folders reports whether there is a folder in it.
func (f *folder) folders() bool { return len(f.items) > 0 && f.items[0].folder }

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
	places, _, err := t.enter(ctx, c, reading, path)
	if err != nil {
		return nil, err
	}
	p := places[0]
	e, err := t.statAt(ctx, p, p.folder)
	if err != nil {
		return nil, err
	}
	out := &FolderSize{Entry: e}
	if !e.Folder {
		out.Total = Total{Size: e.Size, Files: 1, Newest: e.ModTime}
		return out, nil
	}
	if at := t.index.complete(ctx, p.storage.ID); at != nil {
		if err := t.index.flush(ctx); err != nil {
			return nil, err
		}
		out.IndexedAt = at
		out.Total, err = t.Index.Total(ctx, p.storage.ID, p.prefix())
		return out, err
	}
	bucket, err := t.bucket(ctx, p)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, liveSizes)
	defer cancel()
	err = objects.WalkAhead(limited, bucket, p.prefix(), func(page []objstore.Object) error {
		for _, o := range page {
			out.Total.add(o)
		}
		return nil
	})
	if limited.Err() != nil && ctx.Err() == nil {
		out.Partial, err = true, nil
	}
	return out, err
}

// add counts one object.
func (s *Total) add(o objstore.Object) {
	if !strings.HasSuffix(o.Key, "/") {
		s.Size += o.Size
		s.Files++
	}
	if at := knownTime(o.ModTime); at != nil && (s.Newest == nil || at.After(*s.Newest)) {
		s.Newest = at
	}
}
