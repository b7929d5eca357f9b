package domaintest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
)

func newCollection(n int) *collections.Collection {
	return &collections.Collection{ID: testID(n), Slug: fmt.Sprintf("set-%d", n), Title: "旅行", Root: "/m/旅行", Gate: shares.Gate{PasswordHash: "hash", ExpiresAt: ptr(minute(100)), MaxViews: 9, Views: 2}, Look: collections.Gallery,
		CreatedBy: "apikey:k1", CreatedAt: minute(n), UpdatedAt: minute(n + 1), Version: 3}
}

// RunCollections checks a repository of collections, and what files know of them.
func RunCollections(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[collections.Collection, collections.Filter] {
		return open(t).Collections
	},
		Subject[collections.Collection, collections.Filter]{
			New: newCollection,
			ID:  func(c *collections.Collection) string { return c.ID },
			Change: func(c *collections.Collection) {
				*c = collections.Collection{ID: c.ID, Slug: "other", Title: "x", Picks: []string{"a", "é/\"b\n"}, CreatedAt: minute(9), UpdatedAt: minute(10), Version: 4}
			},
			Clash: func(first, second *collections.Collection) { second.Slug = first.Slug },
			Key:   "slug_taken",
			Page:  func(p ports.Paging) collections.Filter { return collections.Filter{Paging: p} },
		})
	t.Run("lists choose by creator and text and leave out what has ended", func(t *testing.T) {
		r := open(t).Collections
		for n, change := range []func(*collections.Collection){
			func(*collections.Collection) {},
			func(c *collections.Collection) { c.UsedUpAt = ptr(minute(1)) },
			func(c *collections.Collection) { c.ErasedAt = ptr(minute(1)) },
			func(c *collections.Collection) { c.CreatedBy, c.Title, c.Root = "a1", "Holiday_100%", "" },
		} {
			c := newCollection(n)
			change(c)
			must(t, r.Insert(t.Context(), c))
			got, err := r.BySlug(t.Context(), c.Slug)
			must(t, err)
			equal(t, got, c)
		}
		for _, c := range []struct {
			filter collections.Filter
			want   []string
		}{
			{collections.Filter{}, []string{testID(3), testID(0)}},
			{collections.Filter{CreatedBy: "a1"}, []string{testID(3)}},
			{collections.Filter{Search: "holiday_1"}, []string{testID(3)}},
			{collections.Filter{Root: "/m/旅行"}, []string{testID(0)}},
			{collections.Filter{Root: "/m"}, []string{}},
			{collections.Filter{Folders: true}, []string{testID(0)}},
			{collections.Filter{Folders: true, CreatedBy: "a1"}, []string{}},
			{collections.Filter{Search: "旅"}, []string{testID(0)}},
			{collections.Filter{Search: "SET-0"}, []string{testID(0)}},
			{collections.Filter{Search: "0%%"}, []string{}},
		} {
			page, err := r.List(t.Context(), c.filter)
			must(t, err)
			got := []string{}
			for i := range page.Items {
				got = append(got, page.Items[i].ID)
			}
			equal(t, got, c.want)
			equal(t, page.Total, len(c.want))
		}
	})
	t.Run("links around a folder are those at it, above it and directly below", func(t *testing.T) {
		r := open(t).Collections
		for n, c := range []struct {
			root   string
			change func(*collections.Collection)
		}{
			{"/m/é", nil}, {"/m/é/x", nil}, {"/m/é/x/y", nil}, {"/m/é0", nil}, {"/m/é-", nil}, {"/m", nil}, {"", nil}, {"/M/é/x", nil},
			{"/m/é/z", func(c *collections.Collection) { c.Picks = []string{"a"} }},
			{"/m", func(c *collections.Collection) { c.Picks = []string{"é"} }},
			{"/m/é/u", func(c *collections.Collection) { c.UsedUpAt = ptr(minute(1)) }},
			{"/m/é/e", func(c *collections.Collection) { c.ErasedAt = ptr(minute(1)) }},
			{"/m/é/l", func(c *collections.Collection) { c.ExpiresAt = ptr(minute(50)) }},
			{"/m/é/文", func(c *collections.Collection) { c.CreatedBy = "b" }},
		} {
			row := newCollection(n)
			row.Root = c.root
			if c.change != nil {
				c.change(row)
			}
			must(t, r.Insert(t.Context(), row))
		}
		for _, c := range []struct {
			owner     string
			at, limit int
			want      []int
		}{
			{"", 49, 10, []int{13, 12, 9, 5, 1, 0}}, {"", 50, 10, []int{13, 9, 5, 1, 0}}, {"", 49, 2, []int{13, 12}},
			{"b", 49, 10, []int{13}}, {"c", 49, 10, nil},
		} {
			found, err := r.Around(t.Context(), c.owner, []string{"/m/é", "/m"}, "/m/é/", minute(c.at), c.limit)
			must(t, err)
			var got, want []string
			for i := range found {
				got = append(got, found[i].ID)
			}
			for _, n := range c.want {
				want = append(want, testID(n))
			}
			equal(t, got, want)
		}
	})
	t.Run("items come in their order, without what is pending or erased", func(t *testing.T) {
		s := open(t)
		for n, place := range []int64{3, 1, 2, 4, 5} {
			must(t, s.Files.Insert(t.Context(), openFile(n, func(f *shares.File) {
				f.Collection, f.Position = "c", place
				f.Pending = n == 3
				if n == 4 {
					f.ErasedAt = ptr(minute(1))
				}
			})))
		}
		must(t, s.Files.Insert(t.Context(), openFile(9, nil)))
		items, err := s.CollectionItems.Items(t.Context(), "c")
		must(t, err)
		got := []string{}
		for i := range items {
			got = append(got, items[i].ID)
		}
		equal(t, got, []string{testID(1), testID(2), testID(0)})
		for _, id := range []string{"", "d"} {
			items, err := s.CollectionItems.Items(t.Context(), id)
			must(t, err)
			equal(t, len(items), 0)
		}
	})
	t.Run("of many readers at once only as many get a view as there are", func(t *testing.T) {
		r := open(t).Collections
		c := newCollection(1)
		c.Gate = shares.Gate{MaxViews: 5}
		must(t, r.Insert(t.Context(), c))
		var taken atomic.Int64
		var readers sync.WaitGroup
		for range 20 {
			readers.Go(func() {
				if _, err := r.TakeView(t.Context(), c.ID, minute(3)); err == nil {
					taken.Add(1)
				} else if !ports.Is(err, ports.Gone) {
					t.Error(err)
				}
			})
		}
		readers.Wait()
		equal(t, taken.Load(), int64(5))
		got, err := r.Get(t.Context(), c.ID)
		must(t, err)
		equal(t, got.UsedUpAt, ptr(minute(3)))
		must(t, r.AddViews(t.Context(), map[string]int64{c.ID: 4}))
		got, err = r.Get(t.Context(), c.ID)
		must(t, err)
		equal(t, got.Views, int64(5))
	})
	t.Run("a collection remembers what it was, until it is deleted", func(t *testing.T) {
		r := open(t).Collections
		c := newCollection(1)
		c.Stood = true
		must(t, r.Insert(t.Context(), c))
		must(t, r.Insert(t.Context(), newCollection(2)))
		all := []collections.Stand{{Path: "a", Size: 1, ETag: "e", Modified: minute(1)}, {Path: "a-", Size: 2, Modified: minute(2)}, {Path: "a/b/é", Size: 1 << 40, ETag: "x", Modified: minute(3)}, {Path: "a0"}, {Path: "文/z"}}
		for i := range all {
			all[i].Modified = minute(i)
		}
		must(t, r.KeepStands(t.Context(), c.ID, []collections.Stand{all[2], all[0], all[4], all[3], all[1]}))
		must(t, r.KeepStands(t.Context(), c.ID, nil))
		for at, want := range map[string][]collections.Stand{"": all, "a": {all[0], all[2]}, "a/b": {all[2]}, "a/b/é": {all[2]}, "文": {all[4]}, "b": {}, "A": {}} {
			got, err := r.Stands(t.Context(), c.ID, at)
			must(t, err)
			equal(t, append([]collections.Stand{}, got...), want)
		}
		got, err := r.Stands(t.Context(), testID(2), "")
		must(t, err)
		equal(t, len(got), 0)
		_, err = r.Delete(t.Context(), c.ID)
		must(t, err)
		got, err = r.Stands(t.Context(), c.ID, "")
		must(t, err)
		equal(t, len(got), 0)
	})
	t.Run("a download counts once for its name, and of many at once only as many as there are", func(t *testing.T) {
		r := open(t).Collections
		c := newCollection(1)
		c.MaxDownloads = 5
		must(t, r.Insert(t.Context(), c))
		take := func(name string, at, since int) error {
			return r.TakeDownload(t.Context(), c.ID, collections.Download{Name: name, At: minute(at), Since: minute(since), Forget: minute(since)})
		}
		var taken atomic.Int64
		var readers sync.WaitGroup
		for n := range 20 {
			readers.Go(func() {
				for range 2 {
					if err := take(fmt.Sprint(n), 3, 0); err == nil {
						taken.Add(1)
					} else if !ports.Is(err, ports.Gone) {
						t.Error(err)
					}
				}
			})
		}
		readers.Wait()
		equal(t, taken.Load(), int64(10))
		got, err := r.Update(t.Context(), c.ID, func(c *collections.Collection) error { c.MaxDownloads, c.Downloads = 2, 0; return nil })
		must(t, err)
		equal(t, got.Downloads, int64(0))
		must(t, take("again", 10, 5))
		must(t, take("again", 20, 10))
		must(t, take("again", 21, 11))
		err = take("again", 31, 22)
		equal(t, ports.CodeOf(err), ports.Gone)
		must(t, take("again", 31, 21)) // what was refused has changed nothing
		got, err = r.Get(t.Context(), c.ID)
		must(t, err)
		equal(t, got.Downloads, int64(2))
		_, err = r.Delete(t.Context(), c.ID)
		must(t, err)
		must(t, r.Insert(t.Context(), c))
		must(t, take("again", 31, 21))
		got, err = r.Get(t.Context(), c.ID)
		must(t, err)
		equal(t, got.Downloads, int64(1))
	})
	t.Run("a collection that has changed since it was seen is not erased", func(t *testing.T) {
		for what, change := range changesAfterALook {
			t.Run(what, func(t *testing.T) {
				s := open(t)
				must(t, s.Collections.Insert(t.Context(), newCollection(1)))
				seen, _, err := s.SetRemains.Erasable(t.Context(), minute(500), minute(500), "", 10)
				must(t, err)
				equal(t, len(seen), 1)
				_, err = s.Collections.Update(t.Context(), testID(1), func(c *collections.Collection) error { change(&c.Version, &c.Gate); return nil })
				must(t, err)
				n, err := s.SetRemains.Erase(t.Context(), minute(500), seen...)
				must(t, err)
				equal(t, n, 0)
			})
		}
	})
	t.Run("items of an erased collection may go, and then its record", func(t *testing.T) {
		s := open(t)
		now := minute(500)
		must(t, s.Collections.Insert(t.Context(), newCollection(1)))
		must(t, s.Files.Insert(t.Context(), openFile(5, func(f *shares.File) { f.Collection = testID(1) })))
		found, _, err := s.SetRemains.Erasable(t.Context(), now, now, "", 10)
		must(t, err)
		equal(t, len(found), 1)
		equal(t, found[0].ID, testID(1))
		files, _, err := s.FileRemains.Erasable(t.Context(), now, now, "", 10)
		must(t, err)
		equal(t, len(files), 0)
		n, err := s.SetRemains.Erase(t.Context(), now, found...)
		must(t, err)
		equal(t, n, 1)
		files, _, err = s.FileRemains.Erasable(t.Context(), now, now, "", 10)
		must(t, err)
		equal(t, len(files), 1)
		later := now.Add(time.Hour)
		n, err = s.SetRemains.Purge(t.Context(), later, 10)
		must(t, err)
		equal(t, n, 0) // an item is still there
		_, err = s.FileRemains.Erase(t.Context(), now, sawFile(t, s, 5))
		must(t, err)
		n, err = s.SetRemains.Purge(t.Context(), later, 10)
		must(t, err)
		equal(t, n, 1)
	})
}
