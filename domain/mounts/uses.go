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
func (pl *Places) Touch(id string) {
	pl.used.mu.Lock()
	defer pl.used.mu.Unlock()
	if pl.used.ids == nil {
		pl.used.ids = map[string]struct{}{}
	}
	pl.used.ids[id] = struct{}{}
}

// FlushUsage stores which mounts were used since it was last called. Call it
// once a minute.
func (pl *Places) FlushUsage(ctx context.Context) error {
	pl.used.mu.Lock()
	ids := slices.Sorted(maps.Keys(pl.used.ids))
	pl.used.ids = nil
	pl.used.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	return pl.mounts.Touch(ctx, pl.clock.Now(), ids...)
}
