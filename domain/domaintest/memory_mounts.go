package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
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
		return (m.Active || !f.ActiveOnly) && (!m.Active || !f.InactiveOnly) && (f.ConfigID == "" || m.StorageConfigID == f.ConfigID) &&
			(contains(m.Name, f.Search) || contains(m.Path, f.Search) || contains(m.Remark, f.Search))
	}, func(a, b mounts.Mount) int {
		way := 0
		switch f.By {
		case mounts.SortName:
			way = cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case mounts.SortPath:
			way = cmp.Compare(a.Path, b.Path)
		case mounts.SortCreated:
			way = a.CreatedAt.Compare(b.CreatedAt)
		default:
			way = cmp.Or(cmp.Compare(a.SortOrder, b.SortOrder), cmp.Compare(a.Name, b.Name))
		}
		if way = cmp.Or(way, cmp.Compare(a.ID, b.ID)); f.Descending {
			return -way
		}
		return way
	})
}

func (r *memMounts) Touch(ctx context.Context, at time.Time, ids ...string) error {
	_, err := r.change(ctx, func(m *mounts.Mount) bool { return slices.Contains(ids, m.ID) },
		func(m *mounts.Mount) { m.LastUsed = later(m.LastUsed, at) })
	return err
}
