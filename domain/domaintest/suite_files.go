package domaintest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

func newFile(n int) *shares.File {
	return &shares.File{
		ID: testID(n), Slug: fmt.Sprintf("slug-%d", n), Filename: "报告.pdf", StorageConfigID: "c1", StorageType: "S3",
		StoragePath: fmt.Sprintf("up/%d.pdf", n), FilePath: "/team/报告.pdf", MimeType: "application/pdf", Size: 100, ETag: "etag",
		Remark: "a remark", Gate: shares.Gate{PasswordHash: "hash", ExpiresAt: ptr(minute(100)), MaxViews: 9, Views: 2},
		UseProxy: true, CreatedBy: "apikey:k1", CreatedAt: minute(n), UpdatedAt: minute(n + 1), Version: 3, PlacedAt: ptr(minute(2)), KeepNone: true,
	}
}

func openFile(n int, change func(*shares.File)) *shares.File {
	f := newFile(n)
	f.Gate, f.FilePath, f.KeepNone = shares.Gate{}, "", false
	if change != nil {
		change(f)
	}
	return f
}

// RunFiles checks a repository of file shares.
func RunFiles(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[shares.File, shares.FileFilter] { return open(t).Files },
		Subject[shares.File, shares.FileFilter]{
			New: newFile,
			ID:  func(f *shares.File) string { return f.ID },
			Change: func(f *shares.File) {
				*f = shares.File{ID: f.ID, Slug: "other", Filename: "x", StorageConfigID: "c2", Size: 7, CreatedAt: minute(9), UpdatedAt: minute(10), Version: 4}
			},
			Clash: func(first, second *shares.File) { second.Slug = first.Slug },
			Key:   "slug_taken",
			Page:  func(p ports.Paging) shares.FileFilter { return shares.FileFilter{Paging: p} },
		})
	t.Run("lists leave out what is pending, used up or erased", func(t *testing.T) {
		r := open(t).Files
		for n, change := range []func(*shares.File){
			func(*shares.File) {},
			func(f *shares.File) { f.Pending = true },
			func(f *shares.File) { f.UsedUpAt = ptr(minute(1)) },
			func(f *shares.File) { f.ErasedAt = ptr(minute(1)) },
			func(f *shares.File) { f.ExpiresAt = ptr(minute(-5)) },
			func(f *shares.File) { f.CreatedBy, f.StorageConfigID, f.Filename = "a1", "c2", "Holiday_100%.JPG" },
		} {
			must(t, r.Insert(t.Context(), openFile(n, change)))
			got, err := r.BySlug(t.Context(), fmt.Sprintf("slug-%d", n))
			must(t, err)
			equal(t, got, openFile(n, change))
		}
		for _, c := range []struct {
			filter shares.FileFilter
			want   []string
		}{
			{shares.FileFilter{}, []string{testID(5), testID(4), testID(0)}},
			{shares.FileFilter{CreatedBy: "a1"}, []string{testID(5)}},
			{shares.FileFilter{StorageConfigID: "c1"}, []string{testID(4), testID(0)}},
			{shares.FileFilter{Search: "报告"}, []string{testID(4), testID(0)}},
			{shares.FileFilter{Search: "holiday_100%.jpg"}, []string{testID(5)}},
			{shares.FileFilter{Search: "10_%"}, []string{}},
			{shares.FileFilter{Search: "SLUG-4"}, []string{testID(4)}},
			{shares.FileFilter{Search: "A REMARK", CreatedBy: "a1"}, []string{testID(5)}},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			ids := []string{}
			for _, f := range page.Items {
				ids = append(ids, f.ID)
			}
			equal(t, ids, c.want)
			equal(t, page.Total, len(c.want))
		}
	})
	t.Run("reserving stops at the quota of the owner", func(t *testing.T) {
		r := open(t).Files
		f := openFile(1, func(f *shares.File) { f.Size = 60 })
		must(t, r.Reserve(t.Context(), f, 100))
		if !f.Pending {
			t.Error("a reserved file is not pending")
		}
		must(t, r.Reserve(t.Context(), openFile(2, func(f *shares.File) { f.Size = 40 }), 100))
		err := r.Reserve(t.Context(), openFile(3, func(f *shares.File) { f.Size = 1 }), 100)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 100, 100)
		_, err = r.BySlug(t.Context(), "slug-3")
		wantCode(t, err, ports.NotFound, "not_found")
		must(t, r.Reserve(t.Context(), openFile(4, func(f *shares.File) { f.Size = 1 << 40 }), 0))
		err = r.Reserve(t.Context(), openFile(5, func(f *shares.File) { f.CreatedBy, f.Size = "a2", 101 }), 100)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 0, 100)
		wantCode(t, r.Reserve(t.Context(), openFile(2, func(f *shares.File) { f.ID = "new" }), 0), ports.Conflict, "slug_taken")
		usage, err := r.Usage(t.Context())
		must(t, err)
		equal(t, usage, map[string]shares.FileUsage{"c1": {Files: 3, Bytes: 100 + 1<<40}})
	})
	t.Run("parallel reservations never pass the quota of the owner", func(t *testing.T) {
		r := open(t).Files
		var won atomic.Int64
		var wg sync.WaitGroup
		for n := range 40 {
			wg.Go(func() {
				switch err := r.Reserve(t.Context(), openFile(n, func(f *shares.File) { f.Size = 10 }), 105); {
				case err == nil:
					won.Add(1)
				case !ports.Is(err, ports.Quota):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, won.Load(), int64(10))
	})
	t.Run("contract §7.4: committing stores what arrived, within the quota of the owner", func(t *testing.T) {
		r := open(t).Files
		must(t, r.Reserve(t.Context(), openFile(1, func(f *shares.File) { f.Size, f.ETag = 50, "" }), 100))
		_, err := r.Commit(t.Context(), testID(1), true, objstore.Object{Size: 101, ETag: "big"}, 100, minute(5))
		wantCode(t, err, ports.Quota, "quota_exceeded")
		wantParams(t, err, 0, 100)
		got, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, got, openFile(1, func(f *shares.File) { f.Size, f.ETag, f.Pending = 50, "", true }))
		for _, awaited := range []bool{true, false} { // a commit can be repeated
			got, err = r.Commit(t.Context(), testID(1), awaited, objstore.Object{Size: 100, ETag: "real"}, 100, minute(5))
			must(t, err)
			equal(t, got, openFile(1, func(f *shares.File) { f.Size, f.ETag, f.UpdatedAt = 100, "real", minute(5) }))
		}
		_, err = r.Commit(t.Context(), testID(1), true, objstore.Object{Size: 100, ETag: "again"}, 100, minute(6)) // somebody else was faster
		wantCode(t, err, ports.NotFound, "not_found")
		usage, err := r.Usage(t.Context())
		must(t, err)
		equal(t, usage, map[string]shares.FileUsage{"c1": {Files: 1, Bytes: 100}})
		_, err = r.Commit(t.Context(), "missing", true, objstore.Object{Size: 1, ETag: ""}, 0, minute(5))
		wantCode(t, err, ports.NotFound, "not_found")
		must(t, r.Reserve(t.Context(), openFile(2, func(*shares.File) {}), 0))
		_, err = r.Update(t.Context(), testID(2), func(f *shares.File) error { f.UsedUpAt = new(minute(4)); return nil })
		must(t, err)
		_, err = r.Commit(t.Context(), testID(2), false, objstore.Object{Size: 1, ETag: "late"}, 0, minute(5))
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("usage follows every change of a file", func(t *testing.T) {
		s := open(t)
		r, remains := s.Files, s.FileRemains
		usage := func() map[string]shares.FileUsage {
			t.Helper()
			u, err := r.Usage(t.Context())
			must(t, err)
			return u
		}
		equal(t, usage(), map[string]shares.FileUsage{})
		must(t, r.Insert(t.Context(), openFile(1, nil)))
		must(t, r.Insert(t.Context(), openFile(2, func(f *shares.File) { f.StorageConfigID = "c2" })))
		must(t, r.Insert(t.Context(), openFile(3, nil)))
		equal(t, usage(), map[string]shares.FileUsage{"c1": {Files: 2, Bytes: 200}, "c2": {Files: 1, Bytes: 100}})
		_, err := r.Update(t.Context(), testID(1), func(f *shares.File) error { f.StorageConfigID, f.Size = "c2", 30; return nil })
		must(t, err)
		equal(t, usage(), map[string]shares.FileUsage{"c1": {Files: 1, Bytes: 100}, "c2": {Files: 2, Bytes: 130}})
		n, err := remains.Erase(t.Context(), minute(1), sawFile(t, s, 1), cleanup.Seen{ID: "missing"})
		must(t, err)
		equal(t, n, 1)
		n, err = remains.Erase(t.Context(), minute(2), sawFile(t, s, 1))
		must(t, err)
		equal(t, n, 0)
		equal(t, usage(), map[string]shares.FileUsage{"c1": {Files: 1, Bytes: 100}, "c2": {Files: 1, Bytes: 100}})
		n, err = r.Delete(t.Context(), testID(1), testID(2))
		must(t, err)
		equal(t, n, 2)
		equal(t, usage(), map[string]shares.FileUsage{"c1": {Files: 1, Bytes: 100}})
		_, err = r.Update(t.Context(), testID(3), func(f *shares.File) error { f.ErasedAt = ptr(minute(1)); return nil })
		must(t, err)
		equal(t, usage(), map[string]shares.FileUsage{})
		n, err = remains.Purge(t.Context(), minute(2), 10)
		must(t, err)
		equal(t, n, 1)
		equal(t, usage(), map[string]shares.FileUsage{})
	})
	t.Run("what has changed since it was seen is not erased, and its versions stay", func(t *testing.T) {
		for what, change := range changesAfterALook {
			t.Run(what, func(t *testing.T) {
				s := open(t)
				ended := func(f *shares.File) { f.ExpiresAt = ptr(minute(2)) }
				for _, f := range []*shares.File{openFile(1, ended), openFile(2, ended), version(1, 1), version(2, 1)} {
					must(t, s.Files.Insert(t.Context(), f))
				}
				seen := []cleanup.Seen{sawFile(t, s, 1), sawFile(t, s, 2)}
				_, err := s.Files.Update(t.Context(), testID(1), func(f *shares.File) error { change(&f.Version, &f.Gate); return nil })
				must(t, err)
				n, err := s.FileRemains.Erase(t.Context(), minute(6), seen...)
				must(t, err)
				equal(t, n, 1)
				got, err := s.Files.Get(t.Context(), testID(1))
				must(t, err)
				equal(t, got, openFile(1, func(f *shares.File) { ended(f); change(&f.Version, &f.Gate) }))
				usage, err := s.Files.Usage(t.Context())
				must(t, err)
				equal(t, usage, map[string]shares.FileUsage{"c1": {Files: 3, Bytes: 300}})
				equal(t, kept(t, s, 1), []int64{1})
				equal(t, kept(t, s, 2), []int64(nil))
			})
		}
	})
	t.Run("parallel readers take exactly the views there are", func(t *testing.T) {
		r := open(t).Files
		const readers, limit = 100, 37
		must(t, r.Insert(t.Context(), openFile(1, func(f *shares.File) { f.MaxViews = limit })))
		var taken atomic.Int64
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				switch _, err := r.TakeView(t.Context(), testID(1), minute(5)); {
				case err == nil:
					taken.Add(1)
				case !ports.Is(err, ports.Gone):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, taken.Load(), int64(limit))
		f, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, f.Gate, shares.Gate{MaxViews: limit, Views: limit, UsedUpAt: ptr(minute(5))})
	})
	t.Run("counted views are added", func(t *testing.T) {
		r := open(t).Files
		must(t, r.Insert(t.Context(), openFile(1, nil)))
		must(t, r.AddViews(t.Context(), map[string]int64{testID(1): 5, "missing": 3}))
		got, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, got, openFile(1, func(f *shares.File) { f.Views = 5 }))
	})
	t.Run("other users of an object are counted while they have it", func(t *testing.T) {
		s := open(t)
		r, objects := s.Files, s.FileObjects
		for n := range 4 {
			must(t, r.Insert(t.Context(), openFile(n, func(f *shares.File) {
				f.StoragePath = "same"
				if n == 2 {
					f.StorageConfigID = "c2"
				}
				if n == 3 {
					f.ErasedAt = ptr(minute(1))
				}
			})))
		}
		n, err := objects.ObjectUsers(t.Context(), "c1", "same", testID(0))
		must(t, err)
		equal(t, n, 1)
		holders, err := objects.ObjectHolders(t.Context(), "c1", "same", testID(0))
		must(t, err)
		equal(t, holders, []shares.ObjectHolder{{CreatedBy: openFile(1, nil).CreatedBy}})
		must(t, r.Insert(t.Context(), openFile(4, func(f *shares.File) { f.StoragePath, f.StorageConfigID, f.Pending = "same", "c2", true })))
		holders, err = objects.ObjectHolders(t.Context(), "c2", "same", testID(2))
		must(t, err)
		equal(t, holders, []shares.ObjectHolder{{CreatedBy: openFile(4, nil).CreatedBy, Pending: true}})
		must(t, r.Insert(t.Context(), openFile(5, func(f *shares.File) { f.StoragePath, f.FilePath = "mounted", "/docs/mounted" })))
		holders, err = objects.ObjectHolders(t.Context(), "c1", "mounted", "")
		must(t, err)
		equal(t, holders, []shares.ObjectHolder{{CreatedBy: openFile(5, nil).CreatedBy, Mounted: true}})
	})
	t.Run("the janitor finds what may go", func(t *testing.T) {
		s := open(t)
		r, remains, objects := s.Files, s.FileRemains, s.FileObjects
		for n, change := range []func(*shares.File){
			func(*shares.File) {},
			func(f *shares.File) { f.UsedUpAt = ptr(minute(1)) },
			func(f *shares.File) { f.ExpiresAt = ptr(minute(1)) },
			func(f *shares.File) { f.Pending, f.CreatedAt = true, minute(-9) },
			func(f *shares.File) { f.Pending = true },
			func(f *shares.File) { f.UsedUpAt, f.ErasedAt = ptr(minute(1)), ptr(minute(1)) },
		} {
			must(t, r.Insert(t.Context(), openFile(n, change)))
		}
		equal(t, erasableOf(t, remains, minute(5), 10), []shares.File{
			*openFile(1, func(f *shares.File) { f.UsedUpAt = ptr(minute(1)) }), *openFile(2, func(f *shares.File) { f.ExpiresAt = ptr(minute(1)) }),
		})
		equal(t, len(erasableOf(t, remains, minute(1), 10)), 1)
		equal(t, len(erasableOf(t, remains, minute(5), 1)), 2)
		files, err := objects.Stale(t.Context(), minute(0), "", 10)
		must(t, err)
		equal(t, files, []shares.File{*openFile(3, func(f *shares.File) { f.Pending, f.CreatedAt = true, minute(-9) })})
		after := ""
		for range 2 {
			files, err = objects.Stale(t.Context(), minute(9), after, 1)
			must(t, err)
			equal(t, len(files), 1)
			after = files[0].ID
		}
	})
	t.Run("days count listed files only", func(t *testing.T) {
		r := open(t).Files
		must(t, r.Insert(t.Context(), openFile(1, nil)))
		must(t, r.Insert(t.Context(), openFile(2, func(f *shares.File) { f.Pending = true })))
		total, perDay, err := r.CountByDay(t.Context(), minute(5), 7)
		must(t, err)
		equal(t, total, 1)
		equal(t, perDay, []int{0, 0, 0, 0, 0, 0, 1})
	})
}

func wantParams(t *testing.T, err error, used, total int64) {
	t.Helper()
	e, ok := err.(*ports.Error)
	if !ok {
		t.Fatalf("error = %v, want a ports.Error", err)
	}
	equal(t, map[string]any{"used": e.Params["used"], "limit": e.Params["limit"]}, map[string]any{"used": used, "limit": total})
}
