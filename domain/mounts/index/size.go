package index

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
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

// sumKey names the folder whose folders are summed up.
type sumKey struct{ storage, prefix string }

// sums are totals, when they were computed and from what.
type sums struct {
	*mounts.FolderTotals
	at      time.Time
	version int64 // of what was known of the storage
}

// sumCache keeps sums, and computes them once for all who ask.
type sumCache struct {
	mu      sync.Mutex
	kept    map[sumKey]*sums
	folders int
	flights map[sumKey]chan struct{} // closed at the end
}

// Totals implements mounts.Index: it returns the totals of the folders in the one at a place, nil when they
// are not known or not known yet.
func (x *Index) Totals(ctx context.Context, p *mounts.Place) *mounts.FolderTotals {
	if x.complete(ctx, p.Storage.ID) == nil {
		return nil
	}
	c := &x.sums
	key := sumKey{storage: p.Storage.ID, prefix: p.Prefix()}
	old := c.find(x, key)
	if old != nil && old.version == x.version(key.storage) && !x.waiting(key.storage) {
		return old.FolderTotals
	}
	done := c.begin(ctx, x, key)
	wait := time.NewTimer(sumsWait)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-ctx.Done():
	}
	if s := c.find(x, key); s != nil {
		return s.FolderTotals
	}
	return nil
}

// find returns sums that are not too old.
func (c *sumCache) find(x *Index, key sumKey) *sums {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.kept[key]; s != nil && x.tree.Clock.Now().Sub(s.at) < sumsFor {
		return s
	}
	return nil
}

// begin computes sums, unless that is under way.
func (c *sumCache) begin(ctx context.Context, x *Index, key sumKey) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if done, ok := c.flights[key]; ok {
		return done
	}
	done := make(chan struct{})
	if c.flights == nil {
		c.flights = map[sumKey]chan struct{}{}
	}
	c.flights[key] = done
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sumsTime)
	go func() {
		defer cancel()
		s, err := x.sumUp(ctx, key)
		if err != nil {
			x.report(ctx, "sum up folders", err)
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

func (c *sumCache) keepLocked(key sumKey, s *sums) {
	if old := c.kept[key]; old != nil {
		c.folders -= 1 + len(old.Of)
	}
	c.folders += 1 + len(s.Of)
	if c.kept == nil || c.folders > sumsKept {
		c.kept, c.folders = map[sumKey]*sums{}, 1+len(s.Of)
	}
	c.kept[key] = s
}

// sumUp asks the index, when it knows all that was written until now.
func (x *Index) sumUp(ctx context.Context, key sumKey) (*sums, error) {
	if err := x.flush(ctx); err != nil {
		return nil, err
	}
	s := &sums{FolderTotals: &mounts.FolderTotals{}, at: x.tree.Clock.Now(), version: x.version(key.storage)}
	var err error
	if s.Of, err = x.repo.Totals(ctx, key.storage, key.prefix); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(s.Of)) {
		total := s.Of[name]
		_, _ = fmt.Fprintf(h, "%s\x00%d %d\x00", name, total.Size, mounts.Milliseconds(timeOf(total.Newest)))
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
func (x *Index) waiting(storageID string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(x.pending, func(w indexWork) bool { return w.storage == storageID })
}

// FolderSize is what a file or folder comes to.
type FolderSize struct {
	mounts.Entry
	Total     mounts.Total
	IndexedAt *time.Time // of the index that told it; nil when the storage did
	Partial   bool       // the storage was not listed to its end
}

// Size sums up a folder with all below it, or tells the size of a file. It asks
// mount.read. The index answers where it knows the storage; else the folder is
// listed within a time. Returns NotFound when there is nothing, ErrRoot and
// ErrNoMount for folders that only lead to mounts.
func (x *Index) Size(ctx context.Context, c mounts.Caller, path string) (*FolderSize, error) {
	places, _, err := x.tree.Enter(ctx, c, mounts.OpRead, path)
	if err != nil {
		return nil, err
	}
	p := places[0]
	e, err := x.tree.StatAt(ctx, p, p.Folder)
	if err != nil {
		return nil, err
	}
	out := &FolderSize{Entry: e}
	if !e.Folder {
		out.Total = mounts.Total{Size: e.Size, Files: 1, Newest: e.ModTime}
		return out, nil
	}
	if at := x.complete(ctx, p.Storage.ID); at != nil {
		if err := x.flush(ctx); err != nil {
			return nil, err
		}
		out.IndexedAt = at
		out.Total, err = x.repo.Total(ctx, p.Storage.ID, p.Prefix())
		return out, err
	}
	bucket, err := x.tree.Bucket(ctx, p)
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

// Stored counts what lies in a storage, in bytes, by the index where that knows
// all of it; false where the storage itself has to be asked. What shares store
// comes to the index later: with exact it is not asked.
func (x *Index) Stored(ctx context.Context, configID string, exact bool) (bytes int64, ok bool, err error) {
	s, err := x.tree.Storages.Storage(ctx, configID)
	if err != nil {
		return 0, false, err
	}
	if !exact && x.complete(ctx, configID) != nil {
		if err := x.flush(ctx); err != nil {
			return 0, false, err
		}
		total, err := x.repo.Total(ctx, configID, s.Prefix)
		return total.Size, true, err
	}
	if s.Prefix == "" {
		return 0, false, nil
	}
	bucket, err := x.tree.Storages.Bucket(ctx, configID)
	if err != nil {
		return 0, false, err
	}
	bytes, err = objects.SizeBelow(ctx, bucket, s.Prefix)
	return bytes, true, err
}
