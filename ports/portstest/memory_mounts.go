package portstest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"pasteport/domain/mounts"
	"pasteport/ports"
)

type memMounts struct{ *memTable[mounts.Mount] }

func cloneMount(m mounts.Mount) mounts.Mount {
	m.CreatedAt, m.UpdatedAt, m.LastUsed = milli(m.CreatedAt), milli(m.UpdatedAt), milliPtr(m.LastUsed)
	if m.SignExpires != nil {
		seconds := *m.SignExpires
		m.SignExpires = &seconds
	}
	return m
}

func (r *memMounts) List(ctx context.Context, f mounts.MountFilter) (ports.Page[mounts.Mount], error) {
	return r.list(ctx, f.Paging, func(m *mounts.Mount) bool {
		return (m.Active || !f.ActiveOnly) && (f.ConfigID == "" || m.StorageConfigID == f.ConfigID)
	}, func(a, b mounts.Mount) int {
		return cmp.Or(cmp.Compare(a.SortOrder, b.SortOrder), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}

func (r *memMounts) Touch(ctx context.Context, at time.Time, ids ...string) error {
	_, err := r.change(ctx, func(m *mounts.Mount) bool { return slices.Contains(ids, m.ID) },
		func(m *mounts.Mount) { m.LastUsed = milliPtr(&at) })
	return err
}
