package mounts

import (
	"context"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// CacheUse tells how the cache of listings was used since the start.
func (t *Tree) CacheUse() CacheUse { return t.dirs.kept.Use() }

// ClearCache makes this and the other nodes forget listings and links: those of a
// mount's storage, of a storage config, or all when both are empty. It tells
// how many there were here. The caller has asked the policy; unknown ids clear
// nothing.
func (t *Tree) ClearCache(ctx context.Context, mountID, configID string) (int, error) {
	if mountID == "" && configID == "" {
		return t.clear(ctx, []string{""})
	}
	s, err := t.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	return t.clear(ctx, s.Storages(func(m *Active) bool { return m.ID == mountID || m.Storage.ID == configID }))
}

// ClearOwnCache is ClearCache for the mounts that the caller can use (contract
// §10.5). It asks mounts.read.
func (t *Tree) ClearOwnCache(ctx context.Context, who policy.Principal, mountID, configID string) (int, error) {
	if _, err := policy.Check(ctx, t.decider, who, policy.MountsRead, policy.Resource{Kind: policy.KindMount, ID: mountID}); err != nil {
		return 0, err
	}
	s, err := t.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	return t.clear(ctx, s.Storages(func(m *Active) bool {
		return MayUse(who, m) && (mountID == "" && configID == "" || m.ID == mountID || m.Storage.ID == configID)
	}))
}

// Storages are the storage configs of the mounts that fit, each once.
func (s *Snapshot) Storages(fits func(*Active) bool) []string {
	var ids []string
	seen := map[string]bool{}
	for i := range s.Mounts {
		if m := &s.Mounts[i]; fits(m) && !seen[m.Storage.ID] {
			seen[m.Storage.ID] = true
			ids = append(ids, m.Storage.ID)
		}
	}
	return ids
}

func (t *Tree) clear(ctx context.Context, storages []string) (cleared int, err error) {
	for _, id := range storages {
		cleared += t.dirs.drop(id)
		t.signed.forgetStorage(id)
		if err := t.Invalidation.Publish(ctx, ListingsChanged, id); err != nil {
			return cleared, err
		}
	}
	return cleared, nil
}

// StorageChanged tells the tree what other modules have written to a storage
// or removed from it: keys that end in "/" mean all below them too.
func (t *Tree) StorageChanged(ctx context.Context, configID string, put []objstore.Object, gone []string) {
	t.Changed(ctx, Change{Storage: configID, Put: put, Gone: gone})
}

// ForgetStorage makes the tree read a storage config again that has changed; an
// empty id means all.
func (t *Tree) ForgetStorage(configID string) {
	t.forgetMounts()
	t.dirs.drop(configID)
	t.signed.forgetStorage(configID)
}

// Watch forgets what other nodes change, until ctx ends.
func (t *Tree) Watch(ctx context.Context, events ports.Invalidation) {
	events.Subscribe(ctx, MountsChanged, func(string) { t.ForgetStorage("") })
	events.Subscribe(ctx, ListingsChanged, func(id string) {
		t.dirs.drop(id)
		t.signed.forgetStorage(id)
	})
}
