package mounts

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// uses collects which mounts were used, so that their rows are written now and
// then and not at every call (contract §1.1).
type uses struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

// Touch notes that a mount was used.
func (t *Tree) Touch(id string) {
	t.used.mu.Lock()
	defer t.used.mu.Unlock()
	if t.used.ids == nil {
		t.used.ids = map[string]struct{}{}
	}
	t.used.ids[id] = struct{}{}
}

// FlushUsage stores which mounts were used since it was last called. Call it
// once a minute.
func (t *Tree) FlushUsage(ctx context.Context) error {
	t.used.mu.Lock()
	ids := slices.Sorted(maps.Keys(t.used.ids))
	t.used.ids = nil
	t.used.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	return t.Mounts.Touch(ctx, t.Clock.Now(), ids...)
}
