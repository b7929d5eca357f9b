package domaintest

import (
	"fmt"
	"testing"

	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/visitlog"
	"pasteport/ports"
)

// RunVisits checks a repository of who opened shares.
func RunVisits(t *testing.T, open OpenStores) {
	line := func(n, minutes int, verdict openings.Verdict) visitlog.Line {
		return visitlog.Line{Kind: "paste", ShareID: testID(n), At: minute(minutes), Who: "apikey:k", Address: "192.0.2.0", Agent: "Firefox, Linux", How: openings.AsPage, Item: "", Verdict: verdict, Times: 2, Views: 2}
	}
	begin := func(t *testing.T) Stores {
		s := open(t)
		for n := range 2 {
			must(t, s.Pastes.Insert(t.Context(), openPaste(n+1, func(p *shares.Paste) { p.Slug, p.Remark, p.CreatedBy = fmt.Sprint("slug", n+1), "Plan", "apikey:o" })))
		}
		return s
	}
	list := func(t *testing.T, s Stores, f visitlog.Filter) []visitlog.Shown {
		t.Helper()
		lines, err := s.Visits.List(t.Context(), f)
		must(t, err)
		return lines
	}
	whens := func(lines []visitlog.Shown) (out []int) {
		for _, l := range lines {
			out = append(out, int(l.At.Sub(minute(0)).Minutes()))
		}
		return out
	}

	t.Run("a line comes back whole, with its share", func(t *testing.T) {
		s := begin(t)
		want := line(1, 5, openings.WasOpened)
		want.Item = "a.txt"
		must(t, s.Visits.Add(t.Context(), []visitlog.Line{want}))
		got := list(t, s, visitlog.Filter{})
		if len(got) != 1 || got[0].N == 0 {
			t.Fatalf("lines = %+v", got)
		}
		want.N = got[0].N
		equal(t, got[0], visitlog.Shown{Line: want, Slug: "slug1", Name: "Plan", Owner: "apikey:o"})
		owner, err := s.Visits.Owner(t.Context(), "paste", testID(1))
		must(t, err)
		equal(t, owner, "apikey:o")
		_, err = s.Visits.Owner(t.Context(), "file", testID(1))
		wantCode(t, err, ports.NotFound, "")
	})
	t.Run("filters and pages", func(t *testing.T) {
		s := begin(t)
		must(t, s.Visits.Add(t.Context(), []visitlog.Line{line(1, 1, openings.WasOpened), line(2, 2, openings.WasOpened), line(1, 3, openings.WrongPassword), line(1, 4, openings.WasOpened)}))
		all := list(t, s, visitlog.Filter{})
		equal(t, whens(all), []int{4, 3, 2, 1})
		for name, c := range map[string]struct {
			f    visitlog.Filter
			want []int
		}{
			"share":     {visitlog.Filter{ShareID: testID(1)}, []int{4, 3, 1}},
			"kind":      {visitlog.Filter{Kind: "file"}, nil},
			"verdict":   {visitlog.Filter{Verdict: openings.WrongPassword}, []int{3}},
			"opened":    {visitlog.Filter{Verdict: openings.WasOpened}, []int{4, 2, 1}},
			"refused":   {visitlog.Filter{Refused: true}, []int{3}},
			"owner":     {visitlog.Filter{Owner: "apikey:other"}, nil},
			"time":      {visitlog.Filter{From: minute(2), To: minute(4)}, []int{3, 2}},
			"search":    {visitlog.Filter{Search: "SLUG2"}, []int{2}},
			"address":   {visitlog.Filter{Search: "192.0.2"}, []int{4, 3, 2, 1}},
			"page":      {visitlog.Filter{Limit: 2, Before: all[1].N}, []int{2, 1}},
			"by offset": {visitlog.Filter{Limit: 2, Offset: 1}, []int{3, 2}},
		} {
			got := whens(list(t, s, c.f))
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
			n, err := s.Visits.Count(t.Context(), c.f)
			must(t, err)
			if c.f.Limit == 0 && n != len(c.want) {
				t.Errorf("%s: %d are counted, want %d", name, n, len(c.want))
			}
		}
	})
	t.Run("the newest stay, of each side by itself", func(t *testing.T) {
		s := begin(t)
		var lines []visitlog.Line
		for n := range 6 {
			lines = append(lines, line(1, n, openings.WasOpened), line(1, 10+n, openings.WasExpired))
		}
		must(t, s.Visits.Add(t.Context(), append(lines, line(2, 30, openings.WasOpened))))
		must(t, s.Visits.Trim(t.Context(), testID(1), false, 2))
		equal(t, whens(list(t, s, visitlog.Filter{Verdict: openings.WasOpened})), []int{30, 5, 4})
		must(t, s.Visits.Trim(t.Context(), testID(1), true, 4))
		equal(t, whens(list(t, s, visitlog.Filter{Refused: true})), []int{15, 14, 13, 12})
		must(t, s.Visits.Trim(t.Context(), testID(2), false, 2))
		equal(t, whens(list(t, s, visitlog.Filter{ShareID: testID(2)})), []int{30})
	})
	t.Run("they go with their time", func(t *testing.T) {
		s := begin(t)
		must(t, s.Visits.Add(t.Context(), []visitlog.Line{line(1, 1, openings.WasOpened), line(1, 2, openings.WasOpened), line(1, 3, openings.WasOpened)}))
		n, err := s.Visits.Forget(t.Context(), minute(3), 1)
		must(t, err)
		equal(t, n, 1)
		n, err = s.Visits.Forget(t.Context(), minute(3), 9)
		must(t, err)
		equal(t, n, 1)
		equal(t, whens(list(t, s, visitlog.Filter{})), []int{3})
	})
	t.Run("they go with the share, and none comes after it", func(t *testing.T) {
		s := begin(t)
		file, set := line(3, 1, openings.WasOpened), line(4, 1, openings.WasOpened)
		file.Kind, set.Kind = "file", "collection"
		must(t, s.Files.Insert(t.Context(), openFile(3, func(*shares.File) {})))
		must(t, s.Collections.Insert(t.Context(), &collections.Collection{ID: testID(4), Slug: "four", CreatedBy: "a", CreatedAt: minute(1), UpdatedAt: minute(1), Version: 1}))
		all := []visitlog.Line{line(1, 1, openings.WasOpened), file, set}
		must(t, s.Visits.Add(t.Context(), all))
		equal(t, len(list(t, s, visitlog.Filter{})), 3)
		must(t, second(s.Pastes.Delete(t.Context(), testID(1))))
		must(t, second(s.Files.Delete(t.Context(), testID(3))))
		must(t, second(s.Collections.Delete(t.Context(), testID(4))))
		equal(t, list(t, s, visitlog.Filter{}), []visitlog.Shown{})
		must(t, s.Visits.Add(t.Context(), all))
		equal(t, list(t, s, visitlog.Filter{}), []visitlog.Shown{})
	})
}
