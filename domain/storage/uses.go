package storage

import (
	"context"
	"maps"
	"slices"
)

// FlushUsage stores which storages were asked for something since it was last
// called. Call it once a minute.
func (o *Opener) FlushUsage(ctx context.Context) error {
	o.mu.Lock()
	ids := slices.Sorted(maps.Keys(o.used))
	o.used = nil
	o.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	return o.repo.Touch(ctx, o.links.clock.Now(), ids...)
}

// usedLocked notes that somebody asked for the bucket of a config.
func (o *Opener) usedLocked(configID string) {
	if o.used == nil {
		o.used = map[string]struct{}{}
	}
	o.used[configID] = struct{}{}
}
