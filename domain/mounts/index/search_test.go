package index_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// bothWays runs a test of searches on a tree with an index that knows all that
// was stored, and on one that lists. ready is called before the first search.
func bothWays(t *testing.T, test func(t *testing.T, w *fixture, ready func())) {
	t.Run("indexed", func(t *testing.T) {
		w, tasks := newIndexed(t)
		test(t, w, func() { w.scanned(tasks) })
	})
	t.Run("listed", func(t *testing.T) {
		w := newFixture(t)
		test(t, w, func() {})
	})
}

// found writes what a search finds in one line.
func (w *fixture) found(c mounts.Caller, q index.SearchQuery) string {
	w.T.Helper()
	r, err := w.Search(w.T.(*testing.T).Context(), c, q)
	if err != nil {
		return "!" + mountstest.ErrorKey(err)
	}
	var paths []string
	for _, f := range r.Found {
		path := f.Path
		if f.Folder {
			path += "/"
		}
		paths = append(paths, path)
	}
	if len(paths) != r.Total && q.Limit == 0 {
		w.T.Errorf("%+v: %d results of %d", q, len(paths), r.Total)
	}
	return strings.Join(paths, " ")
}

// grow stores objects, each a minute after the one before.
func (w *fixture) grow(keys ...string) {
	for _, key := range keys {
		w.Clock.Add(time.Minute)
		w.Put(key)
	}
}

func TestContract4_15_NamesAreFoundByAPartOfThem(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		w.Put("d/Report.txt", "d/x.md", "my report/2026/a.bin", "年度报告.md", "会议/记录.txt", "ÜBER.txt", "empty report/", "re%port_.txt")
		ready()
		for text, want := range map[string]string{
			"x.md":                   "/m/d/x.md",
			"X.MD":                   "/m/d/x.md",
			"  x.md ":                "/m/d/x.md",
			"2026":                   "/m/my report/2026/",
			"报告":                     "/m/年度报告.md",
			"会议":                     "/m/会议/",
			"记录.t":                   "/m/会议/记录.txt",
			"über":                   "/m/ÜBER.txt",
			"y report":               "/m/my report/ /m/empty report/",
			"%port_":                 "/m/re%port_.txt",
			"d/x":                    "",
			"nothing":                "",
			"x":                      "!invalid_argument",
			" x ":                    "!invalid_argument",
			"":                       "!invalid_argument",
			"报":                      "!invalid_argument",
			"\xff\xfe..":             "!invalid_argument",
			strings.Repeat("x", 257): "!invalid_argument",
		} {
			got := w.found(mountstest.Admin, index.SearchQuery{Text: text})
			if words(got) != words(want) {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
		if got := w.found(mountstest.Admin, index.SearchQuery{Text: "x.md", Scope: "everything"}); got != "!invalid_argument" {
			t.Errorf("an unknown scope: got %s", got)
		}
	})
}

// Nothing notes what was written but the search itself.
func TestContract4_15_WhatWasJustWrittenIsFound(t *testing.T) {
	w, tasks := newIndexed(t)
	w.Mount("/m")
	w.Put("old.txt")
	w.scanned(tasks)
	if err := w.Mkdir(t.Context(), mountstest.Admin, "/m/fresh folder", mounts.NewFolder{}); err != nil {
		t.Fatal(err)
	}
	if got := w.found(mountstest.Admin, index.SearchQuery{Text: "fresh"}); got != "/m/fresh folder/" {
		t.Errorf("got %q", got)
	}
}

func TestSearchesAreNarrowedByKindSizeAndTime(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		start := w.Clock.Now()
		w.grow("harbour/", "harbour/map of harbour.PNG", "harbour.txt", "harbour.ts", "harbour.docx", "harbour.tar.gz", "harbour", "harbour.mp3", "harbourpng")
		w.Open.Put("harbour.large.bin", strings.Repeat("x", 5000))
		ready()
		after := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
		for name, c := range map[string]struct {
			narrow index.Narrow
			want   string
		}{
			"folders":              {index.Narrow{Kind: "folder"}, "/m/harbour/"},
			"pictures":             {index.Narrow{Kind: "image"}, "/m/harbour/map of harbour.PNG"},
			"sound":                {index.Narrow{Kind: "audio"}, "/m/harbour.mp3"},
			"texts":                {index.Narrow{Kind: "text"}, "/m/harbour.txt /m/harbour.ts"},
			"documents":            {index.Narrow{Kind: "document"}, "/m/harbour.docx"},
			"videos":               {index.Narrow{Kind: "video"}, ""},
			"what is nothing else": {index.Narrow{Kind: "other"}, "/m/harbour /m/harbour.tar.gz /m/harbourpng /m/harbour.large.bin"},
			"an unknown kind":      {index.Narrow{Kind: "poem"}, "!invalid_argument"},
			"large":                {index.Narrow{MinSize: 5000}, "/m/harbour.large.bin"},
			"larger":               {index.Narrow{MinSize: 5001}, ""},
			"small pictures":       {index.Narrow{Kind: "image", MaxSize: 4999}, "/m/harbour/map of harbour.PNG"},
			"small folders":        {index.Narrow{Kind: "folder", MaxSize: 10}, ""},
			"less than nothing":    {index.Narrow{MinSize: -1}, "!invalid_argument"},
			"bounds crossed":       {index.Narrow{MinSize: 3, MaxSize: 2}, "!invalid_argument"},
			"times crossed":        {index.Narrow{After: after(2), Before: after(1)}, "!invalid_argument"},
			"of one minute":        {index.Narrow{After: after(3), Before: after(3)}, "/m/harbour.txt"},
			"up to the third":      {index.Narrow{Kind: "text", Before: after(3)}, "/m/harbour.txt"},
			"since the fourth":     {index.Narrow{Kind: "text", After: after(4)}, "/m/harbour.ts"},
			"a moment too late":    {index.Narrow{Kind: "image", After: after(2).Add(time.Millisecond)}, ""},
		} {
			q := index.SearchQuery{Text: "harbour", Narrow: c.narrow}
			if got := w.found(mountstest.Admin, q); words(got) != words(c.want) {
				t.Errorf("%s: got %q, want %q", name, got, c.want)
			}
			if strings.HasPrefix(c.want, "!") || c.want == "" {
				continue
			}
			q.Limit = 1
			r, err := w.Search(t.Context(), mountstest.Admin, q)
			if want := strings.Count(c.want, "/m/"); err != nil || r.Total != want || r.More != (want > 1) {
				t.Errorf("%s: a page of one: %+v %v, want %d", name, r, err, want)
			}
		}
	})
}

// words are those of a line in another order.
func words(line string) string {
	all := strings.SplitAfter(line, " /")
	for i := range all {
		all[i] = strings.Trim(all[i], " /")
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestContract4_15_ExactNamesComeFirstThenBeginningsThenTheNewest(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		w.Mount("/far", mountstest.Private)
		w.grow("a/note.txt", "b/note.txt", "old-note.txt", "note.txt.old", "NOTE.txt", "note.txt2", "new-note.txt")
		w.Clock.Add(time.Minute)
		w.Shut.Put("my note.txt", "x")
		ready()
		want := "/m/NOTE.txt /m/b/note.txt /m/a/note.txt /m/note.txt2 /m/note.txt.old /far/my note.txt /m/new-note.txt /m/old-note.txt"
		if got := w.found(mountstest.Admin, index.SearchQuery{Text: "note.txt"}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestContract4_15_AResultTellsEverything(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		m := w.Mount("/m")
		w.grow("d/a.txt")
		ready()
		r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "a.txt"})
		if err != nil || len(r.Found) != 1 {
			t.Fatalf("got %+v, %v", r, err)
		}
		f := r.Found[0]
		if f.Name != "a.txt" || f.Path != "/m/d/a.txt" || f.Size != 7 || f.ModTime == nil || !f.ModTime.Equal(w.Clock.Now().Truncate(time.Millisecond)) || f.Folder ||
			f.ContentType != "text/plain" || f.Mount.ID != m.ID || f.Key != "d/a.txt" {
			t.Errorf("got %+v", f)
		}
		if r.Total != 1 || r.More || r.Mounts != 1 || r.Partial || r.Query.Scope != index.Global || r.Query.Limit != 50 {
			t.Errorf("got %+v", r)
		}
	})
}

func TestASearchSaysWhenThereIsMoreThanItCounts(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		for i := range 1001 {
			name := fmt.Sprintf("many-%04d.txt", i)
			if i < 999 {
				name = "few-" + name
			}
			w.Open.Put(name, "x")
		}
		ready()
		for text, cut := range map[string]bool{"few": false, "many": true} {
			r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: text, Limit: 1})
			if err != nil || r.Cut != cut || r.Total > 1000 {
				t.Errorf("%s: got %d matches, cut %t, %v", text, r.Total, r.Cut, err)
			}
		}
	})
}

func TestContract4_15_PagesFitTogether(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		w.Mount("/far", mountstest.Private)
		for i := range 30 {
			w.grow(fmt.Sprintf("d%d/file-%02d.txt", i%3, i))
			w.Shut.Put(fmt.Sprintf("other/x-file-%02d.txt", i), "x")
		}
		ready()
		var all []string
		for offset := 0; ; offset += 7 {
			r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "file", Limit: 7, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			if r.Total != 60 || r.More != (offset+7 < 60) || r.Mounts != 2 {
				t.Errorf("at %d: got %d in %d mounts, more %t", offset, r.Total, r.Mounts, r.More)
			}
			for _, f := range r.Found {
				all = append(all, f.Path)
			}
			if !r.More {
				break
			}
		}
		if len(all) != 60 || all[0] != "/m/d2/file-29.txt" {
			t.Errorf("got %d results, the first %s", len(all), all[0])
		}
		slices.Sort(all)
		if len(slices.Compact(all)) != 60 {
			t.Error("a result comes twice")
		}
		for _, c := range []struct{ limit, offset, want int }{{0, 0, 50}, {500, 0, 60}, {1, -5, 1}, {10, 55, 5}, {10, 600, 0}} {
			r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "file", Limit: c.limit, Offset: c.offset})
			if err != nil || len(r.Found) != c.want || r.Total != 60 || r.Query.Limit > 200 || r.Query.Offset < 0 {
				t.Errorf("limit %d, offset %d: got %d results, %v", c.limit, c.offset, len(r.Found), err)
			}
		}
		if _, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "file", Limit: -1}); !ports.Is(err, ports.Invalid) {
			t.Errorf("a limit below 1: got %v", err)
		}
	})
}

func TestContract4_15_ScopesNarrowTheSearch(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		m := w.Mount("/m")
		far := w.Mount("/far", mountstest.Private)
		off := w.Mount("/off", func(d *mounts.Draft) { d.Active = mountstest.Ptr(false) })
		w.Put("c/s/g.txt", "c/g.txt", "cc/g.txt", "g.txt", "c-g.txt")
		w.Shut.Put("c/g.txt", "x")
		ready()
		for _, c := range []struct {
			scope        index.Scope
			mount, path  string
			want         string
			whose        mounts.Caller
			wantSearched int
		}{
			{"global", "", "", "/far/c/g.txt /m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 2},
			{"global", far.ID, "/m/c", "/far/c/g.txt /m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 2},
			{"global", "unknown", "", "!mount_forbidden", mountstest.Admin, 0},
			{"global", far.ID, "", "!mount_forbidden", mountstest.Key("/"), 0},
			{"mount", m.ID, "", "/m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 1},
			{"mount", far.ID, "", "/far/c/g.txt", mountstest.Admin, 1},
			{"mount", "", "", "/far/c/g.txt /m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 2},
			{"mount", "unknown", "", "!mount_forbidden", mountstest.Admin, 0},
			{"mount", off.ID, "", "!mount_forbidden", mountstest.Admin, 0},
			{"mount", far.ID, "", "!mount_forbidden", mountstest.Key("/"), 0},
			{"directory", "", "/m/c", "/m/c/g.txt /m/c/s/g.txt", mountstest.Admin, 1},
			{"directory", "", "m/c/", "/m/c/g.txt /m/c/s/g.txt", mountstest.Admin, 1},
			{"directory", m.ID, "/m/c/s", "/m/c/s/g.txt", mountstest.Admin, 1},
			{"directory", far.ID, "/m/c/s", "", mountstest.Admin, 0},
			{"directory", "unknown", "/m/c/s", "!mount_forbidden", mountstest.Admin, 0},
			{"directory", "", "/", "/far/c/g.txt /m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 2},
			{"directory", m.ID, "", "/m/c-g.txt /m/c/g.txt /m/c/s/g.txt /m/cc/g.txt /m/g.txt", mountstest.Admin, 1},
			{"directory", "", "/m/missing", "", mountstest.Admin, 1},
			{"directory", "", "/nowhere", "", mountstest.Admin, 0},
			{"directory", "", "/m/../far", "!invalid_argument", mountstest.Admin, 0},
		} {
			q := index.SearchQuery{Text: "g.txt", Scope: c.scope, MountID: c.mount, Path: c.path}
			if got := w.found(c.whose, q); words(got) != words(c.want) {
				t.Errorf("%s %q %q: got %q, want %q", c.scope, c.mount, c.path, got, c.want)
			}
			if r, err := w.Search(t.Context(), c.whose, q); err == nil && r.Mounts != c.wantSearched {
				t.Errorf("%s %q %q: searched %d mounts, want %d", c.scope, c.mount, c.path, r.Mounts, c.wantSearched)
			}
		}
	})
}

func TestContract2_4_KeysFindOnlyWhatTheyMaySee(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/team/a")
		w.Mount("/private", mountstest.Private)
		w.Put("d1/f.txt", "d1/sub/f.txt", "d10/f.txt", "d2/f.txt", "f.txt", "d1/f.txt/", "d1")
		w.Shut.Put("f.txt", "x")
		ready()
		for _, c := range []struct{ base, want string }{
			{"/", "/team/a/d1/f.txt /team/a/d1/f.txt/ /team/a/d1/sub/f.txt /team/a/d10/f.txt /team/a/d2/f.txt /team/a/f.txt"},
			{"/team", "/team/a/d1/f.txt /team/a/d1/f.txt/ /team/a/d1/sub/f.txt /team/a/d10/f.txt /team/a/d2/f.txt /team/a/f.txt"},
			{"/team/a/d1", "/team/a/d1/f.txt /team/a/d1/f.txt/ /team/a/d1/sub/f.txt"},
			{"/team/a/d1/sub", "/team/a/d1/sub/f.txt"},
			{"/team/a/d", ""},
			{"/team/ab", ""},
			{"/private", ""},
			{"/private/x", ""},
		} {
			r, err := w.Search(t.Context(), mountstest.Key(c.base), index.SearchQuery{Text: "f.txt"})
			if err != nil {
				t.Errorf("%s: %v", c.base, err)
				continue
			}
			got := w.found(mountstest.Key(c.base), index.SearchQuery{Text: "f.txt"})
			if words(got) != words(c.want) || r.Total != len(strings.Fields(c.want)) {
				t.Errorf("%s: got %q (%d), want %q", c.base, got, r.Total, c.want)
			}
		}
		for path, want := range map[string]string{"/team/a/d10": "!path_forbidden", "/team/a": "!path_forbidden", "/": "!path_forbidden", "/team/a/d1/sub": "/team/a/d1/sub/f.txt"} {
			if got := w.found(mountstest.Key("/team/a/d1"), index.SearchQuery{Text: "f.txt", Scope: index.OneFolder, Path: path}); got != want {
				t.Errorf("%s: got %s, want %s", path, got, want)
			}
		}
	})
}

func TestContract3_3_MountsHideWhatLiesUnderThem(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m1")
		w.Mount("/m1/nested", mountstest.Private)
		w.Mount("/m1/a/b", mountstest.Private)
		w.Put("nested/hidden.txt", "nestedx/hidden.txt", "a/b/hidden.txt", "a/hidden.txt", "a/bb/hidden.txt")
		w.Shut.Put("hidden.txt", "other")
		ready()
		want := "/m1/a/b/hidden.txt /m1/a/bb/hidden.txt /m1/a/hidden.txt /m1/nested/hidden.txt /m1/nestedx/hidden.txt"
		got := strings.Fields(w.found(mountstest.Admin, index.SearchQuery{Text: "hidden.txt"}))
		slices.Sort(got)
		if line := strings.Join(got, " "); line != want {
			t.Errorf("got %s, want %s", line, want)
		}
		// Whoever may not use the mounts inside still does not see what they hide.
		if got := w.found(mountstest.Key("/"), index.SearchQuery{Text: "hidden.txt"}); words(got) != words("/m1/a/bb/hidden.txt /m1/a/hidden.txt /m1/nestedx/hidden.txt") {
			t.Errorf("a key finds %s", got)
		}
		if got := w.found(mountstest.Key("/"), index.SearchQuery{Text: "nested"}); got != "/m1/nestedx/" {
			t.Errorf("a key finds %s", got)
		}
	})
}

func TestContract4_15_AMountThatFailsDoesNotFailTheSearch(t *testing.T) {
	w := newFixture(t)
	w.Mount("/m")
	w.Mount("/far", mountstest.Private)
	w.Put("note.txt")
	w.Shut.Fail = func(string, string) error { return ports.ErrUnavailable }
	r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "note"})
	if err != nil || len(r.Found) != 1 || !r.Partial || r.Mounts != 2 || r.IndexedAt != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestContract1_7_AtMostAThousandHitsOfAMount(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		w.Mount("/far", mountstest.Private)
		for i := range 1200 {
			w.Open.Put(fmt.Sprintf("x/a-file-%04d", i), "x")
		}
		w.Open.Put("z/file", "x")
		w.Shut.Put("file", "x")
		ready()
		r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: "file", Limit: 200, Offset: 900})
		if err != nil || r.Total != 1001 || len(r.Found) != 101 {
			t.Errorf("got %d of %d, %v", len(r.Found), r.Total, err)
		}
		if got := w.found(mountstest.Admin, index.SearchQuery{Text: "file", Limit: 2}); words(got) != words("/m/z/file /far/file") {
			t.Errorf("the exact names are not the first: %s", got)
		}
	})
}

func TestSearchAsksThePolicyOnceAndNoStorageWhenItIsIndexed(t *testing.T) {
	w, tasks := newIndexed(t)
	w.Mount("/m")
	w.Put("a/note.txt")
	w.scanned(tasks)
	w.Walker.Asked = nil
	if got := w.found(mountstest.Key("/m/a"), index.SearchQuery{Text: "note"}); got != "/m/a/note.txt" {
		t.Errorf("got %s", got)
	}
	if len(w.Calls) != 0 || len(w.Walker.Asked) != 1 {
		t.Errorf("storage was asked %v, the policy %v", w.Calls, w.Walker.Asked)
	}
	w.Walker.Deny = true
	if _, err := w.Search(t.Context(), mountstest.Key("/m/a"), index.SearchQuery{Text: "note"}); !ports.Is(err, ports.Forbidden) {
		t.Errorf("got %v", err)
	}
}

func TestPagesOfALiveSearchListOnce(t *testing.T) {
	w := newFixture(t)
	w.Mount("/m")
	w.Put("a/note.txt", "b/note.txt")
	for range 3 {
		w.found(mountstest.Admin, index.SearchQuery{Text: "note", Limit: 1})
	}
	if len(w.Calls) != 1 {
		t.Errorf("listed %v", w.Calls)
	}
	w.Open.Put("c/note.txt", "x")
	w.StorageChanged(t.Context(), "open", []objstore.Object{{Key: "c/note.txt"}}, nil)
	if got := w.found(mountstest.Admin, index.SearchQuery{Text: "note"}); !strings.Contains(got, "/m/c/note.txt") {
		t.Errorf("what was written is not found: %s", got)
	}
}

// BenchmarkSearchListed is a search of 100,000 objects that no index knows.
func BenchmarkSearchListed(b *testing.B) {
	bucket := &paged{Bucket: portstest.NewBucket(), n: 100_000}
	w := newFixture(b, func(d *mounts.Deps) { d.Storages = mountstest.Pair{Opener: portstest.Opener{"open": bucket}} })
	w.Mount("/m")
	for i := 0; b.Loop(); i++ {
		r, err := w.Search(b.Context(), mountstest.Admin, index.SearchQuery{Text: fmt.Sprintf("%05d", i)})
		if err != nil || r.Partial || r.Total == 0 {
			b.Fatalf("got %+v, %v", r, err)
		}
	}
}

// paged is a bucket of n files in folders of a hundred.
type paged struct {
	*portstest.Bucket
	n int
}

func (p *paged) List(_ context.Context, q objstore.ListQuery) (page objstore.ListPage, err error) {
	first, _ := strconv.Atoi(q.Token)
	for i := first; i < min(first+objstore.MaxList, p.n); i++ {
		page.Objects = append(page.Objects, objstore.Object{Key: fmt.Sprintf("d%04d/file-%05d.txt", i/100, i), Size: 1, ModTime: time.Unix(int64(i), 0)})
	}
	if first+objstore.MaxList < p.n {
		page.Next = strconv.Itoa(first + objstore.MaxList)
	}
	return page, nil
}
