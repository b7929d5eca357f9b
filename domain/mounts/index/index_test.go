package index_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
)

// sized writes the folders of a listing with what is known of them.
func (w *fixture) sized(path string) string {
	w.T.Helper()
	l, err := w.Listed(mountstest.Admin, path)
	if err != nil {
		w.T.Fatal(err)
	}
	var words []string
	for e := range l.All() {
		if e.Folder {
			words = append(words, fmt.Sprintf("%s=%d,%t,%t", e.Name, e.Size, e.SizeIndexed, e.TimeIndexed))
		}
	}
	return strings.Join(words, " ")
}

// In a bubble, a listing does not cease to wait for sums that are being made.
func TestContract6_3_FolderSizesComeFromTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tasks := newIndexed(t)
		w.Mount("/m")
		w.Mount("/m/inner", mountstest.Private)
		w.Put("a/1", "a/b/22", "b/", "周/x/3")
		if got := w.sized("/m"); got != "a=-1,false,false b=-1,false,false inner=-1,false,false 周=-1,false,false" {
			t.Errorf("before the first scan: %s", got)
		}
		w.scanned(tasks)
		before, err := w.Listed(mountstest.Admin, "/m")
		if err != nil {
			t.Fatal(err)
		}
		if got := w.sized("/m"); got != "a=9,true,true b=0,true,true inner=-1,false,false 周=7,true,true" {
			t.Errorf("after it: %s", got)
		}
		if got := w.sized("/m/a"); got != "b=6,true,true" {
			t.Errorf("deeper: %s", got)
		}
		// A write through the tree is counted at once.
		o := w.Open.Put("a/b/new", "12345")
		w.StorageChanged(t.Context(), "open", []objstore.Object{o}, []string{"周/"})
		if _, err := w.Open.Delete(t.Context(), "周/x/3"); err != nil {
			t.Fatal(err)
		}
		if got := w.sized("/m"); got != "a=14,true,true b=0,true,true inner=-1,false,false" {
			t.Errorf("after a write: %s", got)
		}
		after, err := w.Listed(mountstest.Admin, "/m")
		if err != nil || before.Tag() == after.Tag() {
			t.Errorf("the tag does not tell that sizes have changed, %v", err)
		}
		l, err := w.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m", Order: mounts.Order{By: "size", Desc: true}})
		if err != nil || !strings.HasPrefix(mountstest.Shown(l), "a/ b/") {
			t.Errorf("by size: %q, %v", mountstest.Shown(l), err)
		}
	})
}

func TestContract6_3_ListingsMakeNoCallForEachFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tasks := newIndexed(t)
		w.Mount("/m")
		for i := range 200 {
			w.Open.Put(fmt.Sprintf("d%03d/f", i), "x")
		}
		w.scanned(tasks)
		if got := w.sized("/m"); strings.Count(got, "=1,true,true") != 200 || len(w.Calls) > 3 {
			t.Errorf("%d storage calls", len(w.Calls))
		}
	})
}

func TestSizeSumsUpAFolder(t *testing.T) {
	bothWays(t, func(t *testing.T, w *fixture, ready func()) {
		w.Mount("/m")
		w.Put("a/1", "a/b/22", "c")
		ready()
		for path, want := range map[string]string{"/m": "10 3", "/m/a": "9 2", "/m/a/b/": "6 1", "/m/c": "1 1", "/m/none": "!not_found", "/": "!root_forbidden"} {
			s, err := w.Size(t.Context(), mountstest.Admin, path)
			got := ""
			if err != nil {
				got = "!" + mountstest.ErrorKey(err)
			} else if got = fmt.Sprint(s.Total.Size, s.Total.Files); s.Partial || s.Total.Newest == nil {
				got = "partial"
			}
			if got != want {
				t.Errorf("%s: got %s, want %s", path, got, want)
			}
		}
		if _, err := w.Size(t.Context(), mountstest.Key("/m/a"), "/m"); mountstest.ErrorKey(err) != "permission_denied" && mountstest.ErrorKey(err) != "path_forbidden" {
			t.Errorf("above the base: got %v", err)
		}
	})
}

func TestAScanMakesTheIndexAgree(t *testing.T) {
	w, tasks := newIndexed(t)
	m := w.Mount("/m")
	var want []string
	for i := range 2500 {
		key := fmt.Sprintf("d%d/e%d/file%04d.txt", i%3, i%11, i)
		w.Open.Put(key, "x")
		want = append(want, "/m/"+key)
	}
	w.scanned(tasks)
	all := func() (paths []string) {
		for offset := 0; ; offset += 200 {
			r, err := w.Search(t.Context(), mountstest.Admin, index.SearchQuery{Text: ".txt", Limit: 200, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Found {
				paths = append(paths, f.Path)
			}
			if !r.More {
				slices.Sort(paths)
				return paths
			}
		}
	}
	if got, err := w.Size(t.Context(), mountstest.Admin, "/m"); err != nil || got.Total.Files != 2500 || got.IndexedAt == nil {
		t.Errorf("got %+v, %v", got, err)
	}
	// Others change the storage; the next scan finds it.
	slices.Sort(want)
	for i, path := range want {
		if i%5 != 0 {
			if _, err := w.Open.Delete(t.Context(), strings.TrimPrefix(path, "/m/")); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Open.Put("d9/new.txt", "xyz")
	id, err := w.Rebuild(t.Context(), mountstest.Admin.Who, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Rebuild(t.Context(), mountstest.Admin.Who, m.ID)
	if err != nil || again != id {
		t.Errorf("a second scan %s began beside %s, %v", again, id, err)
	}
	if index, err := w.Read(t.Context(), mountstest.Admin.Who, m.ID); err != nil || index.Scan != id {
		t.Errorf("got %+v, %v", index, err)
	}
	if err := tasks.run(t, w); err != nil {
		t.Fatal(err)
	}
	var left []string
	for i, path := range want {
		if i%5 == 0 {
			left = append(left, path)
		}
	}
	left = append(left, "/m/d9/new.txt")
	if got := all(); !slices.Equal(got, left) {
		t.Errorf("got %d files, want %d", len(got), len(left))
	}
	index, err := w.Read(t.Context(), mountstest.Admin.Who, m.ID)
	if err != nil || index.Scan != "" || index.Total.Files != 501 || index.Total.Size != 503 || index.ScannedAt == nil {
		t.Errorf("got %+v, %v", index, err)
	}
}

func TestAScanGoesOnWhereItStopped(t *testing.T) {
	w, tasks := newIndexed(t)
	w.Mount("/m")
	for i := range 3500 {
		w.Open.Put(fmt.Sprintf("a/b%d/%04d", i/500, i), "x")
	}
	if err := w.Keep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	start := tasks.started[0]
	run := &scanRun{id: "scan1", payload: start.Payload, pages: 2}
	for n := 0; ; n++ {
		ctx, stop := context.WithCancelCause(t.Context())
		run.stop = stop
		err := w.Index.Works()[start.Kind].Run(ctx, run)
		stop(nil)
		if err == nil {
			break
		}
		if n > 3 || !errors.Is(context.Cause(ctx), jobs.ErrStopping) {
			t.Fatalf("run %d: %v", n, err)
		}
		if s, err := w.Size(t.Context(), mountstest.Admin, "/m"); err != nil || s.IndexedAt != nil {
			t.Errorf("half a scan counts as a whole one: %+v, %v", s, err)
		}
		run.pages = 1 - n // one page, then all the rest
	}
	if s, err := w.Size(t.Context(), mountstest.Admin, "/m"); err != nil || s.Total.Files != 3500 || s.IndexedAt == nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestScansBeginWhenTheyAreDue(t *testing.T) {
	w, tasks := newIndexed(t)
	w.Mount("/m")
	w.Mount("/also")
	w.Mount("/far", mountstest.Private)
	keep := func(want int) {
		t.Helper()
		if err := w.Keep(t.Context(), 24*time.Hour); err != nil {
			t.Fatal(err)
		}
		if len(tasks.started) != want {
			t.Fatalf("%d scans began, want %d", len(tasks.started), want)
		}
	}
	keep(2) // one for each storage
	keep(2) // they are under way
	if err := tasks.run(t, w); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(23 * time.Hour)
	keep(2)
	w.Clock.Add(time.Hour)
	keep(4)
	w.Shut.Fail = func(string, string) error { return errors.New("away") }
	if err := tasks.run(t, w); err == nil {
		t.Error("a scan of a broken storage succeeds")
	}
	keep(4) // not at once again
	w.Clock.Add(time.Hour)
	keep(5)
	w.Clock.Add(11 * time.Minute) // the task was lost
	keep(6)
}

func TestTheIndexForgetsStoragesWithoutAMount(t *testing.T) {
	w, tasks := newIndexed(t)
	m := w.Mount("/m")
	w.Put("a/b.txt")
	w.scanned(tasks)
	if _, err := w.Admin.Delete(t.Context(), mountstest.Admin.Who, m.ID); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	states, err := w.Memory.Index().States(t.Context())
	total, also := w.Memory.Index().Total(t.Context(), "open", "")
	if err != nil || also != nil || len(states) != 0 || total.Files != 0 {
		t.Errorf("got %v, %+v, %v, %v", states, total, err, also)
	}
}

func TestListingsCorrectTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, tasks := newIndexed(t)
		w.Mount("/m")
		w.Put("a/old.txt", "a/gone/deep/x.txt", "a/kept.txt")
		w.scanned(tasks)
		w.Clock.Add(time.Hour)
		w.Open.Put("a/new.txt", "x")
		if _, err := w.Open.Delete(t.Context(), "a/old.txt", "a/gone/deep/x.txt"); err != nil {
			t.Fatal(err)
		}
		w.Want(mountstest.Admin, "/m/a", "kept.txt new.txt")
		synctest.Wait() // a listing tells the index after it has answered
		ctx, stop := context.WithCancel(t.Context())
		stop()
		w.Run(ctx) // notes what is left
		if got := w.found(mountstest.Admin, index.SearchQuery{Text: ".txt"}); words(got) != words("/m/a/kept.txt /m/a/new.txt") {
			t.Errorf("got %s", got)
		}
		if got := w.found(mountstest.Admin, index.SearchQuery{Text: "gone"}); got != "" {
			t.Errorf("got %s", got)
		}
	})
}

// bounded is a pair of storages whose first has a capacity.
type bounded struct{ mountstest.Pair }

func (b bounded) Storage(ctx context.Context, id string) (objstore.Storage, error) {
	s, err := b.Pair.Storage(ctx, id)
	s.Capacity = 1000
	return s, err
}

func TestContract9_22_TheIndexKnowsHowFullAStorageIs(t *testing.T) {
	w, tasks := newIndexed(t, func(d *mounts.Deps) { d.Storages = bounded{d.Storages.(mountstest.Pair)} })
	w.Mount("/m")
	w.Put("a/1", "a/b/22")
	w.scanned(tasks)
	w.StorageChanged(t.Context(), "open", []objstore.Object{w.Open.Put("a/3", "123")}, nil)
	v, err := w.Browse(t.Context(), mountstest.Admin, "/m", false)
	if err != nil {
		t.Fatal(err)
	}
	w.Calls = nil
	used, left, err := v.Quota(t.Context())
	if used != 12 || left != 988 || err != nil || len(w.Calls) != 0 {
		t.Errorf("got %d used and %d left, %v, with storage calls %v", used, left, err, w.Calls)
	}
}
