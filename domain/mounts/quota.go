package mounts

import (
	"context"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Storages with a capacity are counted by the index, or by listing them until
// they are indexed, at most once in countedFor, and by what is written in
// between.
const (
	countedFor   = 5 * time.Minute
	countedPages = 200 // of 1000 objects; what lies behind counts as nothing
)

// fills knows how full the storages with a capacity are.
type fills struct {
	mu    sync.Mutex
	known map[string]*fill
}

// fill is how full one storage is.
type fill struct {
	counting sync.Mutex // held while it is counted
	at       time.Time  // zero means not counted
	used     int64      // bytes
	reserved int64      // bytes of writes under way
}

func (f *fills) of(storageID string) *fill {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[string]*fill{}
	}
	one, ok := f.known[storageID]
	if !ok {
		one = &fill{}
		f.known[storageID] = one
	}
	return one
}

// note follows a change: what was put is added, and when something has gone the
// storage is counted anew.
func (f *fills) note(ch change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.known[ch.storage]
	if !ok {
		return
	}
	for _, o := range ch.put {
		one.used += o.Size
	}
	if len(ch.gone) > 0 {
		one.at = time.Time{}
	}
}

// room is the space that one write may take.
type room struct {
	fills *fills
	fill  *fill // nil means no bound

	size     int64 // reserved, in bytes
	old      int64 // of what is replaced, in bytes
	rest     int64 // bytes that may come
	capacity int64
}

// reserve finds room for size bytes, -1 for unknown, in place of old bytes.
// Returns Quota when there is not enough. The caller releases the room.
func (t *Tree) reserve(ctx context.Context, bucket objstore.Bucket, s Storage, size, old int64) (*room, error) {
	if s.Capacity <= 0 {
		return &room{}, nil
	}
	fill := t.fills.of(s.ID)
	if err := t.count(ctx, bucket, s, fill); err != nil {
		return nil, err
	}
	t.fills.mu.Lock()
	defer t.fills.mu.Unlock()
	r := &room{fills: &t.fills, fill: fill, old: old, capacity: s.Capacity, rest: s.Capacity - fill.used - fill.reserved + old}
	if r.rest < max(size, 0) {
		return nil, r.full(size)
	}
	r.size = max(size, 0)
	fill.reserved += r.size
	return r, nil
}

// count sums up the objects of a storage, unless that was done lately.
func (t *Tree) count(ctx context.Context, bucket objstore.Bucket, s Storage, f *fill) error {
	f.counting.Lock()
	defer f.counting.Unlock()
	t.fills.mu.Lock()
	fresh := !f.at.IsZero() && t.Clock.Now().Before(f.at.Add(countedFor))
	t.fills.mu.Unlock()
	if fresh {
		return nil
	}
	used, err := t.usedOf(ctx, bucket, s)
	if err != nil {
		return ports.Wrap("count what a storage holds", err)
	}
	t.fills.mu.Lock()
	f.used, f.at = used, t.Clock.Now()
	t.fills.mu.Unlock()
	return nil
}

// usedOf asks the index, where it knows all of the storage, else the storage.
func (t *Tree) usedOf(ctx context.Context, bucket objstore.Bucket, s Storage) (int64, error) {
	if t.index.complete(ctx, s.ID) == nil {
		return sumOf(ctx, bucket, s.Prefix)
	}
	if err := t.index.flush(ctx); err != nil {
		return 0, err
	}
	total, err := t.Index.Total(ctx, s.ID, s.Prefix)
	return total.Size, err
}

// sumOf adds up the objects below prefix, in bytes.
func sumOf(ctx context.Context, bucket objstore.Bucket, prefix string) (sum int64, err error) {
	q := objstore.ListQuery{Prefix: prefix}
	var tokens objstore.Tokens
	for range countedPages {
		page, err := bucket.List(ctx, q)
		if err != nil {
			return 0, err
		}
		for _, o := range page.Objects {
			sum += o.Size
		}
		if q.Token = page.Next; q.Token == "" {
			break
		}
		if err := tokens.Follow(q.Token); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// take reports that n bytes have come; Quota when that is too much.
func (r *room) take(n int64) error {
	if r.fill == nil || n <= r.rest {
		return nil
	}
	return r.full(n)
}

func (r *room) full(size int64) error {
	return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Params: map[string]any{
		"size": max(size, 0), "rest": max(r.rest, 0), "total": r.capacity,
	}}
}

// replaced says that the write has taken the place of what was there before.
func (r *room) replaced() {
	if r.fill != nil {
		r.fills.mu.Lock()
		r.fill.used -= r.old
		r.fills.mu.Unlock()
	}
}

// release gives the reservation up; what was written is noted by the change.
func (r *room) release() {
	if r.fill != nil {
		r.fills.mu.Lock()
		r.fill.reserved -= r.size
		r.size = 0
		r.fills.mu.Unlock()
	}
}

// stale makes the next write count the storage anew; an empty id means all.
func (f *fills) stale(storageID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, one := range f.known {
		if storageID == "" || storageID == id {
			one.at = time.Time{}
		}
	}
}
