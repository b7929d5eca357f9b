package domaintest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/ports"
)

func newPaste(n int) *shares.Paste {
	return &shares.Paste{
		ID: testID(n), Slug: fmt.Sprintf("slug-%d", n), Content: fmt.Appendf(nil, "content %d, 内容", n), Size: 17, Syntax: "markdown",
		Remark: "a remark", Gate: shares.Gate{PasswordHash: "hash", ExpiresAt: ptr(minute(100)), MaxViews: 9, Views: 2},
		CreatedBy: "apikey:k1", CreatedAt: minute(n), UpdatedAt: minute(n + 1), Version: 3,
	}
}

// openPaste is a paste without limits.
func openPaste(n int, change func(*shares.Paste)) *shares.Paste {
	p := newPaste(n)
	p.Gate = shares.Gate{}
	if change != nil {
		change(p)
	}
	return p
}

// RunPastes checks a repository of pastes.
func RunPastes(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[shares.Paste, shares.PasteFilter] { return open(t).Pastes },
		Subject[shares.Paste, shares.PasteFilter]{
			New: newPaste,
			ID:  func(p *shares.Paste) string { return p.ID },
			Change: func(p *shares.Paste) {
				*p = shares.Paste{ID: p.ID, Slug: "other", Content: []byte("new"), Size: 3, CreatedBy: "admin", CreatedAt: minute(9), UpdatedAt: minute(10), Version: 4}
			},
			Clash: func(first, second *shares.Paste) { second.Slug = first.Slug },
			Key:   "slug_taken",
			Page:  func(p ports.Paging) shares.PasteFilter { return shares.PasteFilter{Paging: p} },
		})
	t.Run("a slug is found whatever the paste's state, upper and lower case apart", func(t *testing.T) {
		r := open(t).Pastes
		want := openPaste(1, func(p *shares.Paste) {
			p.Slug, p.ExpiresAt, p.UsedUpAt, p.ErasedAt, p.Content = "Abc", ptr(minute(1)), ptr(minute(2)), ptr(minute(3)), nil
		})
		must(t, r.Insert(t.Context(), want))
		got, err := r.BySlug(t.Context(), "Abc")
		must(t, err)
		equal(t, got, want)
		_, err = r.BySlug(t.Context(), "abc")
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("a list has the order and the state that are asked for", func(t *testing.T) { sortedPastes(t, open) })
	t.Run("every byte of the content is kept", func(t *testing.T) {
		r := open(t).Pastes
		for n, content := range []string{"line\r\n\ttab", "quote ' \" ` ? $1 \\ %_", strings.Repeat("长", 400_000), "nul \x00 byte", "<script>", "𝄞 ̈"} {
			must(t, r.Insert(t.Context(), openPaste(n, func(p *shares.Paste) { p.Content = []byte(content) })))
			got, err := r.BySlug(t.Context(), fmt.Sprintf("slug-%d", n))
			must(t, err)
			if string(got.Content) != content {
				t.Errorf("content %d changed", n)
			}
		}
	})
	t.Run("what comes out may be changed", func(t *testing.T) {
		r, p := open(t).Pastes, newPaste(1)
		must(t, r.Insert(t.Context(), p))
		p.Content[0] = 'X'
		got, err := r.Get(t.Context(), p.ID)
		must(t, err)
		got.Content[1] = 'Y'
		*got.ExpiresAt = minute(0)
		got, err = r.Get(t.Context(), p.ID)
		must(t, err)
		equal(t, got, newPaste(1))
	})
	t.Run("lists leave out what is used up or erased, and choose owners", func(t *testing.T) {
		r := open(t).Pastes
		for n, change := range []func(*shares.Paste){
			func(*shares.Paste) {},
			func(p *shares.Paste) { p.UsedUpAt = ptr(minute(1)) },
			func(p *shares.Paste) { p.ErasedAt = ptr(minute(1)) },
			func(p *shares.Paste) { p.ExpiresAt = ptr(minute(-5)) },
			func(p *shares.Paste) { p.CreatedBy = "apikey:k2" },
		} {
			must(t, r.Insert(t.Context(), openPaste(n, change)))
		}
		equal(t, pasteIDs(t, r, shares.PasteFilter{}), []string{testID(4), testID(3), testID(0)})
		equal(t, pasteIDs(t, r, shares.PasteFilter{CreatedBy: "apikey:k1"}), []string{testID(3), testID(0)})
		equal(t, pasteIDs(t, r, shares.PasteFilter{CreatedBy: "nobody"}), []string{})
	})
	t.Run("lists carry as much content as asked for", func(t *testing.T) {
		r := open(t).Pastes
		long := strings.Repeat("字", 300)
		must(t, r.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.Content = []byte(long) })))
		for part, want := range map[shares.ContentPart]string{
			shares.NoContent: "", shares.ContentPreview: strings.Repeat("字", 201), shares.WholeContent: long,
		} {
			page, err := r.List(t.Context(), shares.PasteFilter{Content: part})
			must(t, err)
			equal(t, string(page.Items[0].Content), want)
		}
	})
	t.Run("search looks for a substring in any case", func(t *testing.T) {
		r := open(t).Pastes
		for n, content := range []string{
			"Hello World", strings.Repeat("x", 199) + "ab" + strings.Repeat("y", 50) + "Needle", "100% sure_thing \\ back", "中文内容在这里", "Ärger über ПРИВЕТ",
		} {
			must(t, r.Insert(t.Context(), openPaste(n, func(p *shares.Paste) {
				p.Content, p.Remark = []byte(content), fmt.Sprintf("Remark%d", n)
			})))
		}
		for _, c := range []struct {
			search string
			all    bool
			want   []int
		}{
			{"hello w", false, []int{0}},
			{"HELLO", true, []int{0}},
			{"needle", false, nil},
			{"needle", true, []int{1}},
			{"xa", false, []int{1}},
			{"ab", false, nil}, // "b" is the 201st character
			{"ab", true, []int{1}},
			{"%", false, []int{2}},
			{"_", false, []int{2}},
			{"\\", false, []int{2}},
			{"0%s", true, nil},
			{"内容", false, []int{3}},
			{"内容", true, []int{3}},
			{"remark4", false, []int{4}},
			{"SLUG-2", true, []int{2}},
			{"ärger ÜBER", false, []int{4}},
			{"привет", true, []int{4}},
			{"'; DROP TABLE pastes; --", true, nil},
		} {
			want := []string{}
			for _, n := range c.want {
				want = append(want, testID(n))
			}
			t.Run(fmt.Sprintf("%s/%t", c.search, c.all), func(t *testing.T) {
				equal(t, pasteIDs(t, r, shares.PasteFilter{Search: c.search, SearchAll: c.all}), want)
			})
		}
	})
	t.Run("the last view marks the paste as used up", func(t *testing.T) {
		r := open(t).Pastes
		must(t, r.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.MaxViews = 2 })))
		for want := int64(1); want <= 2; want++ {
			got, err := r.TakeView(t.Context(), testID(1), minute(5))
			must(t, err)
			equal(t, got, want)
		}
		_, err := r.TakeView(t.Context(), testID(1), minute(6))
		wantCode(t, err, ports.Gone, "")
		p, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, p.Gate, shares.Gate{MaxViews: 2, Views: 2, UsedUpAt: ptr(minute(5))})
		equal(t, []any{p.Version, p.UpdatedAt}, []any{int64(3), minute(2)})
	})
	t.Run("an expired paste gives no view, from exactly its end on", func(t *testing.T) {
		r := open(t).Pastes
		must(t, r.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.MaxViews, p.ExpiresAt = 5, ptr(minute(5)) })))
		_, err := r.TakeView(t.Context(), testID(1), minute(5).Add(-time.Millisecond))
		must(t, err)
		_, err = r.TakeView(t.Context(), testID(1), minute(5))
		wantCode(t, err, ports.Gone, "")
		_, err = r.TakeView(t.Context(), "missing", minute(5))
		wantCode(t, err, ports.Gone, "")
	})
	t.Run("parallel readers take exactly the views there are", func(t *testing.T) {
		r := open(t).Pastes
		const readers, limit = 100, 37
		must(t, r.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.MaxViews = limit })))
		var taken, last atomic.Int64
		var wg sync.WaitGroup
		for range readers {
			wg.Go(func() {
				switch views, err := r.TakeView(t.Context(), testID(1), minute(5)); {
				case err == nil:
					taken.Add(1)
					if views == limit {
						last.Add(1)
					}
				case !ports.Is(err, ports.Gone):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, []int64{taken.Load(), last.Load()}, []int64{limit, 1})
	})
	t.Run("counted views are added and change nothing else", func(t *testing.T) {
		r := open(t).Pastes
		must(t, r.Insert(t.Context(), openPaste(1, nil)))
		must(t, r.Insert(t.Context(), openPaste(2, nil)))
		must(t, r.AddViews(t.Context(), map[string]int64{testID(1): 5, "missing": 3}))
		must(t, r.AddViews(t.Context(), map[string]int64{testID(1): 2, testID(2): 1}))
		must(t, r.AddViews(t.Context(), nil))
		want := openPaste(1, func(p *shares.Paste) { p.Views = 7 })
		got, err := r.Get(t.Context(), testID(1))
		must(t, err)
		equal(t, got, want)
	})
	t.Run("the content of a large paste is read apart, in its version", func(t *testing.T) {
		s := open(t)
		r, remains := s.Pastes, s.PasteRemains
		large := bytes.Repeat([]byte("a"), shares.LargeContent+1)
		must(t, r.Insert(t.Context(), openPaste(1, nil)))
		must(t, r.Insert(t.Context(), openPaste(2, func(p *shares.Paste) { p.Content, p.Size = large, int64(len(large)) })))
		got, err := r.Visited(t.Context(), "slug-1")
		must(t, err)
		equal(t, got, openPaste(1, nil))
		got, err = r.Visited(t.Context(), "slug-2")
		must(t, err)
		equal(t, got, openPaste(2, func(p *shares.Paste) { p.Content, p.Size = nil, int64(len(large)) }))
		content, err := r.Content(t.Context(), got.ID, got.Version)
		must(t, err)
		if !bytes.Equal(content, large) {
			t.Errorf("%d bytes, want %d", len(content), len(large))
		}
		_, err = r.Content(t.Context(), got.ID, got.Version+1)
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = remains.Erase(t.Context(), minute(6), sawPaste(t, s, 2))
		must(t, err)
		_, err = r.Content(t.Context(), got.ID, got.Version)
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = r.Visited(t.Context(), "missing")
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("what has changed since it was seen is not erased", func(t *testing.T) {
		for what, change := range changesAfterALook {
			t.Run(what, func(t *testing.T) {
				s := open(t)
				must(t, s.Pastes.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.ExpiresAt = ptr(minute(2)) })))
				must(t, s.Pastes.Insert(t.Context(), openPaste(2, func(p *shares.Paste) { p.ExpiresAt = ptr(minute(2)) })))
				seen := []cleanup.Seen{sawPaste(t, s, 1), sawPaste(t, s, 2)}
				_, err := s.Pastes.Update(t.Context(), testID(1), func(p *shares.Paste) error { change(&p.Version, &p.Gate); return nil })
				must(t, err)
				n, err := s.PasteRemains.Erase(t.Context(), minute(6), seen...)
				must(t, err)
				equal(t, n, 1)
				got, err := s.Pastes.Get(t.Context(), testID(1))
				must(t, err)
				equal(t, got, openPaste(1, func(p *shares.Paste) { p.ExpiresAt = ptr(minute(2)); change(&p.Version, &p.Gate) }))
			})
		}
	})
	t.Run("erasing takes the content and leaves the record until it is purged", func(t *testing.T) {
		s := open(t)
		r, remains := s.Pastes, s.PasteRemains
		must(t, r.Insert(t.Context(), openPaste(1, func(p *shares.Paste) { p.UsedUpAt = ptr(minute(1)) })))
		must(t, r.Insert(t.Context(), openPaste(2, func(p *shares.Paste) { p.ExpiresAt = ptr(minute(2)) })))
		must(t, r.Insert(t.Context(), openPaste(3, nil)))
		must(t, r.Insert(t.Context(), openPaste(4, func(p *shares.Paste) { p.UsedUpAt = ptr(minute(8)) })))
		equal(t, erasableIDs(t, remains, minute(2), 10), []string{testID(1)})
		equal(t, erasableIDs(t, remains, minute(3), 10), []string{testID(1), testID(2)})
		equal(t, erasableIDs(t, remains, minute(3), 1), []string{testID(1), testID(2)})
		n, err := remains.Erase(t.Context(), minute(6), sawPaste(t, s, 1), sawPaste(t, s, 2), cleanup.Seen{ID: "missing"})
		must(t, err)
		equal(t, n, 2)
		n, err = remains.Erase(t.Context(), minute(7), sawPaste(t, s, 1))
		must(t, err)
		equal(t, n, 0)
		got, err := r.BySlug(t.Context(), "slug-1")
		must(t, err)
		equal(t, got, openPaste(1, func(p *shares.Paste) { p.Content, p.UsedUpAt, p.ErasedAt = nil, ptr(minute(1)), ptr(minute(6)) }))
		equal(t, erasableIDs(t, remains, minute(3), 10), []string{})
		n, err = remains.Purge(t.Context(), minute(6), 10)
		must(t, err)
		equal(t, n, 0)
		for _, want := range []int{1, 1, 0} {
			n, err = remains.Purge(t.Context(), minute(7), 1)
			must(t, err)
			equal(t, n, want)
		}
		_, err = r.BySlug(t.Context(), "slug-1")
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("clearing deletes what is expired or used up", func(t *testing.T) {
		r := open(t).Pastes
		for n, change := range []func(*shares.Paste){
			func(*shares.Paste) {},
			func(p *shares.Paste) { p.ExpiresAt = ptr(minute(5)) },
			func(p *shares.Paste) { p.ExpiresAt = ptr(minute(6)) },
			func(p *shares.Paste) { p.UsedUpAt = ptr(minute(1)) },
			func(p *shares.Paste) { p.UsedUpAt, p.ErasedAt = ptr(minute(1)), ptr(minute(2)) },
		} {
			must(t, r.Insert(t.Context(), openPaste(n, change)))
		}
		n, err := r.ClearExpired(t.Context(), minute(5))
		must(t, err)
		equal(t, n, 2)
		for n, there := range []bool{true, false, true, false, true} {
			if _, err := r.Get(t.Context(), testID(n)); (err == nil) != there {
				t.Errorf("paste %d: %v, want there = %t", n, err, there)
			}
		}
	})
	t.Run("days are counted in UTC, the last one being today", func(t *testing.T) {
		r := open(t).Pastes
		now := time.Date(2026, 11, 21, 0, 30, 0, 0, time.UTC)
		for n, ago := range []time.Duration{0, 30 * time.Minute, 31 * time.Minute, 48 * time.Hour, 6*24*time.Hour + 30*time.Minute, 6*24*time.Hour + 31*time.Minute, 900 * time.Hour} {
			must(t, r.Insert(t.Context(), openPaste(n, func(p *shares.Paste) { p.CreatedAt = now.Add(-ago) })))
		}
		must(t, r.Insert(t.Context(), openPaste(20, func(p *shares.Paste) { p.CreatedAt, p.ErasedAt = now, ptr(now) })))
		total, perDay, err := r.CountByDay(t.Context(), now, 7)
		must(t, err)
		equal(t, total, 7)
		equal(t, perDay, []int{1, 0, 0, 0, 1, 1, 2})
	})
}

func pasteIDs(t *testing.T, r shares.PasteRepository, f shares.PasteFilter) []string {
	t.Helper()
	page, err := r.List(t.Context(), f)
	must(t, err)
	ids := []string{}
	for _, p := range page.Items {
		ids = append(ids, p.ID)
	}
	if page.Total != len(ids) {
		t.Errorf("total = %d, want %d", page.Total, len(ids))
	}
	return ids
}

// sortedPastes checks the orders and states of lists of shares.
func sortedPastes(t *testing.T, open OpenStores) {
	now := minute(50)
	shown := func(t *testing.T, r shares.PasteRepository, s shares.Sort) string {
		t.Helper()
		s.Now = now
		page, err := r.List(t.Context(), shares.PasteFilter{Sort: s})
		must(t, err)
		var slugs []string
		for _, p := range page.Items {
			slugs = append(slugs, p.Slug)
		}
		if page.Total != len(slugs) {
			t.Errorf("total %d of %d", page.Total, len(slugs))
		}
		return strings.Join(slugs, " ")
	}
	r := open(t).Pastes
	for n, change := range []func(*shares.Paste){
		func(p *shares.Paste) { p.Slug, p.Size, p.Views, p.ExpiresAt = "b", 30, 1, ptr(minute(40)) },
		func(p *shares.Paste) { p.Slug, p.Size, p.Views, p.PasswordHash = "c", 10, 2, "hash" },
		func(p *shares.Paste) {
			p.Slug, p.Size, p.Views, p.ExpiresAt, p.MaxViews = "a", 20, 2, ptr(minute(60)), 9
		},
	} {
		must(t, r.Insert(t.Context(), openPaste(n+1, change)))
	}
	for _, row := range []struct {
		sort shares.Sort
		want string
	}{
		{shares.Sort{}, "a c b"},
		{shares.Sort{By: shares.SortCreated, Ascending: true}, "b c a"},
		{shares.Sort{By: shares.SortSlug}, "c b a"},
		{shares.Sort{By: shares.SortSlug, Ascending: true}, "a b c"},
		{shares.Sort{By: shares.SortSize, Ascending: true}, "c a b"},
		{shares.Sort{By: shares.SortViews}, "a c b"},
		{shares.Sort{By: shares.SortViews, Ascending: true}, "b c a"},
		{shares.Sort{By: shares.SortExpiry, Ascending: true}, "b a c"},
		{shares.Sort{By: shares.SortExpiry}, "c a b"},
		{shares.Sort{State: shares.StateActive}, "a c"},
		{shares.Sort{State: shares.StateExpired}, "b"},
		{shares.Sort{State: shares.StateProtected}, "c"},
		{shares.Sort{State: shares.StateLimited}, "a"},
	} {
		if got := shown(t, r, row.sort); got != row.want {
			t.Errorf("%+v: %q, want %q", row.sort, got, row.want)
		}
	}
}
