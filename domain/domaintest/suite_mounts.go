package domaintest

import (
	"fmt"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/ports"
)

func newMount(n int) *mounts.Mount {
	return &mounts.Mount{
		ID: testID(n), Name: fmt.Sprintf("Mount %d", n), StorageType: "S3", StorageConfigID: "c1", Path: fmt.Sprintf("/团队/%d", n), Remark: "r", Active: true,
		CreatedBy: "a1", SortOrder: int64(-n), CacheTTL: 300, WebProxy: true, EnableSign: true, SignExpires: ptr(int64(60)), WebDAVPolicy: mounts.Native,
		CreatedAt: minute(n), UpdatedAt: minute(n + 1), LastUsed: ptr(minute(n + 2)),
	}
}

// RunMounts checks a repository of mounts.
func RunMounts(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[mounts.Mount, mounts.MountFilter] { return open(t).Mounts },
		Subject[mounts.Mount, mounts.MountFilter]{
			New: newMount,
			ID:  func(m *mounts.Mount) string { return m.ID },
			Change: func(m *mounts.Mount) {
				*m = mounts.Mount{ID: m.ID, Name: "other", Path: "/", SortOrder: m.SortOrder, WebDAVPolicy: mounts.Redirect, CreatedAt: minute(1), UpdatedAt: minute(2)}
			},
			Clash: func(first, second *mounts.Mount) { second.Path = first.Path },
			Key:   "already_exists",
			Page:  func(p ports.Paging) mounts.MountFilter { return mounts.MountFilter{Paging: p} },
		})
	t.Run("mounts come by sort order and name, and can be narrowed", func(t *testing.T) {
		r := open(t).Mounts
		for n, change := range []func(*mounts.Mount){
			func(m *mounts.Mount) { m.SortOrder, m.Name, m.Remark = 1, "b", "for 100% of us" },
			func(m *mounts.Mount) { m.SortOrder, m.Name, m.Active = 1, "B", false },
			func(m *mounts.Mount) { m.SortOrder, m.Name, m.StorageConfigID = -1, "z", "c2" },
			func(m *mounts.Mount) { m.SortOrder, m.Name = 1, "a" },
		} {
			m := newMount(n)
			change(m)
			must(t, r.Insert(t.Context(), m))
		}
		for _, c := range []struct {
			filter mounts.MountFilter
			want   []string
		}{
			{mounts.MountFilter{}, []string{"z", "B", "a", "b"}},
			{mounts.MountFilter{ActiveOnly: true}, []string{"z", "a", "b"}},
			{mounts.MountFilter{ConfigID: "c1"}, []string{"B", "a", "b"}},
			{mounts.MountFilter{ConfigID: "c3"}, nil},
			{mounts.MountFilter{InactiveOnly: true}, []string{"B"}},
			{mounts.MountFilter{MountSort: mounts.MountSort{Descending: true}}, []string{"b", "a", "B", "z"}},
			{mounts.MountFilter{MountSort: mounts.MountSort{By: mounts.SortName}}, []string{"a", "b", "B", "z"}},
			{mounts.MountFilter{MountSort: mounts.MountSort{By: mounts.SortCreated, Descending: true}}, []string{"a", "z", "B", "b"}},
			{mounts.MountFilter{MountSort: mounts.MountSort{By: mounts.SortPath, Descending: true}}, []string{"a", "z", "B", "b"}},
			{mounts.MountFilter{Search: "Z"}, []string{"z"}},
			{mounts.MountFilter{Search: "100%"}, []string{"b"}},
			{mounts.MountFilter{Search: "nowhere"}, nil},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			var got []string
			for _, m := range page.Items {
				got = append(got, m.Name)
			}
			equal(t, got, c.want)
			equal(t, page.Total, len(c.want))
		}
	})
	t.Run("touching stores the last use", func(t *testing.T) {
		r := open(t).Mounts
		must(t, r.Insert(t.Context(), newMount(1)))
		must(t, r.Insert(t.Context(), newMount(2)))
		must(t, r.Touch(t.Context(), minute(50), testID(1), "missing"))
		must(t, r.Touch(t.Context(), minute(49), testID(1))) // of a node that tells later
		must(t, r.Touch(t.Context(), minute(51)))
		for n, want := range map[int]int{1: 50, 2: 4} {
			got, err := r.Get(t.Context(), testID(n))
			must(t, err)
			equal(t, got.LastUsed, ptr(minute(want)))
		}
	})
}
