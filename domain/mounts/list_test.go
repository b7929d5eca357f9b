package mounts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestContract2_2_WhatAKeySeesOnItsWay(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/team/a") // 2
	w.Mount("/other")  // 3
	w.Put("d1/x.txt", "d1/sub/y.txt", "d10/z.txt", "d2/q.txt", "top.txt")
	for _, c := range []struct{ base, path, want string }{
		// Virtual ancestors of the base: one item.
		{"/team/a/d1", "/", "(team)/"},
		{"/team/a/d1", "/team", "(a:1)/"},
		// A real ancestor inside a mount: one item.
		{"/team/a/d1", "/team/a", "d1/"},
		{"/team/a/d1/sub", "/team/a/d1", "sub/"},
		// The base and below: everything.
		{"/team/a/d1", "/team/a/d1", "sub/ x.txt"},
		{"/team/a/d1", "/team/a/d1/sub", "y.txt"},
		// Anywhere else.
		{"/team/a/d1", "/team/a/d10", "!path_forbidden"},
		{"/team/a/d1", "/team/a/d2", "!path_forbidden"},
		{"/team/a/d1", "/other", "!path_forbidden"},
		{"/team/a/d1", "/nowhere", "!path_forbidden"},
		// A base that does not exist so far is empty, and so is the way to it full.
		{"/team/a/new", "/team/a/new", ""},
		{"/team/a/new", "/team/a", "new/"},
		{"/team/a/new/er", "/team/a/new", "er/"},
		// A base without a mount.
		{"/nowhere/at/all", "/", ""},
		{"/nowhere/at/all", "/nowhere/at", ""},
		{"/nowhere/at/all", "/nowhere/at/all", ""},
		// A base above mounts.
		{"/team", "/", "(team)/"},
		{"/team", "/team", "(a:1)/"},
		{"/", "/", "(other:2)/ (team)/"},
	} {
		w.Want(mountstest.Key(c.base), c.path, c.want)
	}
	w.Want(mountstest.Admin, "/team/a", "d1/ d2/ d10/ top.txt")
}

func TestContract2_3_MountsThatAKeyCannotUseAreNotThere(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/open")
	w.Mount("/shut", mountstest.Private)
	off := w.Mount("/off", func(d *mounts.Draft) { d.Active = mountstest.Ptr(false) })
	w.Put("a.txt")
	w.Shut.Put("secret.txt", "x")
	for _, c := range []struct {
		who        mounts.Caller
		path, want string
	}{
		{mountstest.Key("/"), "/", "(open:1)/"},
		{mountstest.Key("/"), "/shut", "!not_found"},
		{mountstest.Key("/shut"), "/shut", ""},
		{mountstest.Key("/shut"), "/", ""},
		{mountstest.Key("/"), "/off", "!not_found"},
		{mountstest.Key("/"), "/unknown", "!not_found"},
		{mountstest.Admin, "/", "(open:1)/ (shut:2)/"},
		{mountstest.Admin, "/shut", "secret.txt"},
		{mountstest.Admin, "/off", "!not_found"},
	} {
		w.Want(c.who, c.path, c.want)
	}
	for path, want := range map[string]error{
		"/shut/secret.txt": mounts.ErrForeign, "/off/a.txt": mounts.ErrNoMount, "/unknown": mounts.ErrNoMount, "/": mounts.ErrRoot, "/open/none": ports.ErrNotFound,
	} {
		_, err := w.Get(t.Context(), mountstest.Key("/"), path)
		mountstest.WantError(t, err, want)
	}
	if _, err := w.Admin.Update(t.Context(), mountstest.Admin.Who, off.ID, mounts.Draft{Active: mountstest.Ptr(true)}); err != nil {
		t.Fatal(err)
	}
	w.Want(mountstest.Key("/"), "/off", "a.txt")
}

func TestContract3_2_VirtualFoldersLeadToMounts(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Want(mountstest.Admin, "/", "")
	w.Want(mountstest.Admin, "/x", "!not_found")
	order := func(n int64) func(*mounts.Draft) {
		return func(d *mounts.Draft) { d.SortOrder = &n }
	}
	w.Mount("/z/deep/one", order(1))
	w.Mount("/b", order(3))
	w.Mount("/a", order(3))
	w.Mount("/z/top", order(2))
	w.Mount("/z/deep/two", order(0))
	w.Want(mountstest.Admin, "/", "(z)/ (a:3)/ (b:2)/")
	w.Want(mountstest.Admin, "/z/", "(deep)/ (top:4)/")
	w.Want(mountstest.Admin, "z/deep", "(two:5)/ (one:1)/")
	w.Want(mountstest.Admin, "/z/dee", "!not_found")
	l, err := w.Listed(mountstest.Admin, "/z")
	if err != nil || !l.Virtual || l.Mount != nil || l.Path != "/z" {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestContract3_3_AMountInsideAMount(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m1")
	w.Mount("/m1/nested", mountstest.Private)
	w.Mount("/m1/far/away", mountstest.Private)
	w.Put("nested/hidden.txt", "nested", "far/own.txt", "x.txt")
	w.Shut.Put("inside.txt", "x")
	w.Want(mountstest.Admin, "/m1", "(far)/ (nested:2)/ x.txt")
	w.Want(mountstest.Admin, "/m1/nested", "inside.txt")
	w.Want(mountstest.Admin, "/m1/far", "(away:3)/ own.txt")
	// For a key that cannot use it, the mount hides the name all the same.
	w.Want(mountstest.Key("/"), "/m1", "far/ x.txt")
	w.Want(mountstest.Key("/"), "/m1/nested", "!not_found")
	w.Want(mountstest.Key("/"), "/m1/far", "own.txt")
}

func TestContract3_3_AFolderThatOnlyLeadsToANestedMountExists(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m1")
	w.Mount("/m1/way/down")
	w.Want(mountstest.Admin, "/m1", "(way)/")
	w.Want(mountstest.Admin, "/m1/way", "(down:2)/")
	w.Want(mountstest.Admin, "/m1/no", "!not_found")
}

func TestContract3_3_AMountAtTheRoot(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/", func(d *mounts.Draft) { mountstest.Private(d) })
	w.Mount("/team/a")
	w.Shut.Put("own.txt", "x")
	w.Shut.Put("docs/a.txt", "x")
	w.Put("f.txt")
	w.Want(mountstest.Admin, "/", "docs/ (team)/ own.txt")
	w.Want(mountstest.Admin, "/docs", "a.txt")
	w.Want(mountstest.Admin, "/team", "(a:2)/")
	w.Want(mountstest.Admin, "/none", "!not_found")
	l, err := w.Listed(mountstest.Admin, "/")
	if err != nil || l.Virtual || l.Mount == nil || l.Mount.Path != "/" {
		t.Errorf("got %+v, %v", l, err)
	}
	// For keys without access the root stays virtual.
	w.Want(mountstest.Key("/"), "/", "(team)/")
	w.Want(mountstest.Key("/"), "/docs", "!not_found")
	if l, err = w.Listed(mountstest.Key("/"), "/"); err != nil || !l.Virtual {
		t.Errorf("got %+v, %v", l, err)
	}
	if d, err := w.Get(t.Context(), mountstest.Admin, "/own.txt"); err != nil || d.Path != "/own.txt" {
		t.Errorf("got %+v, %v", d, err)
	}
}

func TestContract4_1_FoldersComeFirstThenNamesAsPeopleSortThem(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("b.txt", "A.txt", "a.txt", "file10", "file9", "file010", "File1", "zoo/x", "Alpha/x", "10/x", "9/x", "中/x", "é", "_")
	w.Want(mountstest.Admin, "/m", "9/ 10/ Alpha/ zoo/ 中/ _ A.txt a.txt b.txt File1 file9 file010 file10 é")
}

func TestContract4_1_WhatIsShownOfAFolder(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("d/", "d/marker/", "d/same", "d/same/x", "d/deep/er/y", "d/f")
	w.Want(mountstest.Admin, "/m/d", "deep/ marker/ same/ f same")
	w.Want(mountstest.Admin, "/m/d/marker", "")
	w.Want(mountstest.Admin, "/m/d/f", "!not_found")
	w.Want(mountstest.Admin, "/m/none", "!not_found")
	w.Want(mountstest.Admin, "/m/dee", "!not_found")
	w.Want(mountstest.Admin, "/m", "d/")
	for _, bad := range []string{"/m//d", "/m/./d", "/m/d/..", "/../m", `/m\d`, "/m/\x00", "/m/\x1f", "/m/\x7f", "/m/\xff", "/m/" + strings.Repeat("a", 256)} {
		w.Want(mountstest.Admin, bad, "!invalid_argument")
	}
	l, err := w.Listed(mountstest.Admin, "/m/d")
	if err != nil {
		t.Fatal(err)
	}
	for e := range l.All() {
		if e.Name == "f" && (e.Size != 3 || e.ETag == "" || e.ModTime == nil || e.Path != "/m/d/f" || e.ContentType != "application/octet-stream") {
			t.Errorf("got %+v", e)
		}
		if e.Folder && (e.Size != -1 || e.Path != "/m/d/"+e.Name) {
			t.Errorf("got %+v", e)
		}
	}
}

func TestNamesThatNoPathCanHaveAreListed(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put(`back\slash`, "line\nbreak", "fine")
	l, err := w.Listed(mountstest.Admin, "/m")
	if err != nil {
		t.Fatal(err)
	}
	for e := range l.All() {
		if e.Unreachable != (e.Name != "fine") {
			t.Errorf("got %+v", e)
		}
	}
}

func TestContract4_1_EveryPageOnceInEveryOrder(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Mount("/m/file5")
	for i := range 23 {
		w.Open.Put(fmt.Sprintf("file%d", i), strings.Repeat("x", i%4))
		w.Open.Put(fmt.Sprintf("dir%d/x", i), "")
		w.Clock.Add(time.Duration(i%3) * time.Minute)
	}
	for _, order := range []mounts.Order{{}, {Desc: true}, {By: "name"}, {By: "size"}, {By: "size", Desc: true}, {By: "modified"}, {By: "modified", Desc: true}} {
		whole, err := w.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m", Order: order})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(mountstest.Shown(whole))
		if len(want) != 46 || whole.Total != 46 || whole.Next != "" || !strings.HasSuffix(want[22], "/") {
			t.Fatalf("%+v: got %d entries: %q", order, len(want), want)
		}
		var got []string
		q := mounts.ListQuery{Path: "/m", Order: order, Limit: 7}
		for {
			page, err := w.List(t.Context(), mountstest.Admin, q)
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != 46 || page.Len() > 7 {
				t.Errorf("%+v: got %d of %d", order, page.Len(), page.Total)
			}
			got = append(got, strings.Fields(mountstest.Shown(page))...)
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", order, got, want)
		}
	}
}

func TestContract4_1_ACursorFitsItsFolderAndOrderOnly(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Mount("/n")
	w.Put("a", "b", "c")
	page, err := w.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m", Limit: 1})
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	for name, q := range map[string]mounts.ListQuery{
		"another folder": {Path: "/n", Cursor: page.Next},
		"another order":  {Path: "/m", Cursor: page.Next, Order: mounts.Order{Desc: true}},
		"changed":        {Path: "/m", Cursor: page.Next[:len(page.Next)-2] + "AA"},
		"no cursor":      {Path: "/m", Cursor: "%%%"},
		"unknown order":  {Path: "/m", Order: mounts.Order{By: "colour"}},
		"long page":      {Path: "/m", Limit: mounts.MaxListLimit + 1},
		"negative page":  {Path: "/m", Limit: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.List(t.Context(), mountstest.Admin, q)
			mountstest.WantCode(t, err, ports.Invalid)
		})
	}
}

func TestContract4_1_ALongFolderComesInPartsOfFiftyThousand(t *testing.T) {
	long := &mountstest.Endless{Bucket: portstest.NewBucket(), N: mounts.MaxEntries + 1234}
	w := mountstest.NewFixture(t, func(d *mounts.Deps) { d.Storages = mountstest.Pair{Opener: portstest.Opener{"open": long}} })
	w.Mount("/m")
	first, err := w.Listed(mountstest.Admin, "/m")
	if err != nil || first.Len() != mounts.MaxEntries || first.Next == "" || first.Total != -1 {
		t.Fatalf("got %d of %d, more %t, %v", first.Len(), first.Total, first.Next != "", err)
	}
	rest, err := w.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m", Cursor: first.Next, Limit: 1000})
	if err != nil || rest.Len() != 1000 || rest.Next == "" {
		t.Fatalf("got %d, %v", rest.Len(), err)
	}
	last, err := w.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: "/m", Cursor: rest.Next, Limit: 1000})
	if err != nil || last.Len() != 234 || last.Next != "" {
		t.Fatalf("got %d, %v", last.Len(), err)
	}
	if long.Pages != 52 {
		t.Errorf("the storage was asked for %d pages, want 52", long.Pages)
	}
}

func TestContract4_1_TheFoldersOwnMarkerIsNoneOfTheFiftyThousand(t *testing.T) {
	long := &mountstest.Endless{Bucket: portstest.NewBucket(), N: mounts.MaxEntries + 1, Marked: true}
	w := mountstest.NewFixture(t, func(d *mounts.Deps) { d.Storages = mountstest.Pair{Opener: portstest.Opener{"open": long}} })
	w.Mount("/m")
	l, err := w.Listed(mountstest.Admin, "/m/sub/")
	if err != nil || l.Len() != mounts.MaxEntries || l.Next != "" {
		t.Fatalf("got %d, more %t, %v; want all %d", l.Len(), l.Next != "", err, mounts.MaxEntries)
	}
}

func TestAPolicyCanBoundTheLengthOfListings(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("a", "b", "c")
	w.Walker.Limit = 2
	l, err := w.Listed(mountstest.Key("/"), "/m")
	if err != nil || mountstest.Shown(l) != "a b" || l.Next == "" {
		t.Errorf("got %q, %v", mountstest.Shown(l), err)
	}
}

func TestListAsksThePolicyOnceAndFirst(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Walker.Asked = nil
	w.Want(mountstest.Admin, "/m", "")
	if !slices.Equal(w.Walker.Asked, []policy.Action{policy.MountList}) {
		t.Errorf("asked %q", w.Walker.Asked)
	}
	w.Calls, w.Walker.Deny = nil, true
	w.Want(mountstest.Admin, "/m", "!permission_denied")
	if len(w.Calls) > 0 {
		t.Errorf("the storage was touched: %q", w.Calls)
	}
}

func TestAColdFolderOfTwoHundredFoldersTakesThreeCallsAtMost(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	for i := range 200 {
		w.Put(fmt.Sprintf("d%d/", i), fmt.Sprintf("d%d/x", i))
	}
	l, err := w.Listed(mountstest.Admin, "/m")
	if err != nil || l.Len() != 200 {
		t.Fatal(l.Len(), err)
	}
	if len(w.Calls) > 3 {
		t.Errorf("the storage was called %d times", len(w.Calls))
	}
}

func TestContract4_1_TheTagTellsListingsApart(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m", mountstest.TTL(0))
	w.Put("a", "b")
	tag := func(q mounts.ListQuery) string {
		q.Path = "/m"
		l, err := w.List(t.Context(), mountstest.Admin, q)
		if err != nil {
			t.Fatal(err)
		}
		return l.Tag()
	}
	first := tag(mounts.ListQuery{})
	if first != tag(mounts.ListQuery{Refresh: true}) {
		t.Error("the same listing has another tag")
	}
	if first == tag(mounts.ListQuery{Order: mounts.Order{Desc: true}}) || first == tag(mounts.ListQuery{Limit: 1}) {
		t.Error("another view has the same tag")
	}
	w.Open.Put("b", "changed")
	second := tag(mounts.ListQuery{})
	w.Mount("/m/c")
	if third := tag(mounts.ListQuery{}); first == second || second == third {
		t.Error("a changed listing has the same tag")
	}
}

func TestContract6_1_ListingsAreKeptForTheTimeOfTheMount(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m", mountstest.TTL(60))
	w.Mount("/same", mountstest.TTL(60))
	w.Mount("/never", mountstest.TTL(0))
	w.Put("a")
	w.Want(mountstest.Admin, "/m", "a")
	w.Open.Put("b", "")
	w.Calls = nil
	w.Want(mountstest.Admin, "/m", "a")
	w.Want(mountstest.Admin, "/same", "a") // the same folder of the same storage
	w.Want(mountstest.Admin, "/never", "a b")
	w.Clock.Add(59 * time.Second)
	w.Want(mountstest.Admin, "/m", "a")
	if len(w.Calls) != 1 {
		t.Errorf("the storage was called: %q", w.Calls)
	}
	w.Clock.Add(time.Second)
	w.Want(mountstest.Admin, "/m", "a b")
	use := w.CacheUse()
	want := mounts.CacheUse{Hits: 3, Misses: 3, Expired: 1, Size: 1}
	if use != want {
		t.Errorf("got %+v, want %+v", use, want)
	}
}

func TestContract6_1_RefreshReplacesTheListingOnceInTwoSeconds(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("a")
	refresh := func(c mounts.Caller, want string) {
		t.Helper()
		l, err := w.List(t.Context(), c, mounts.ListQuery{Path: "/m", Refresh: true})
		if err != nil || mountstest.Shown(l) != want {
			t.Errorf("got %v, %v; want %q", l, err, want)
		}
	}
	w.Want(mountstest.Admin, "/m", "a")
	w.Open.Put("b", "")
	w.Want(mountstest.Admin, "/m", "a")
	refresh(mountstest.Admin, "a b")
	w.Want(mountstest.Admin, "/m", "a b")
	w.Open.Put("c", "")
	refresh(mountstest.Admin, "a b") // too soon
	refresh(mountstest.Key("/"), "a b c")
	w.Open.Put("d", "")
	w.Clock.Add(2 * time.Second)
	refresh(mountstest.Admin, "a b c d")
}

func TestContract6_1_WhoeverWritesDropsTheListingsOnAllNodes(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Mount("/twin")
	w.Tree.Watch(t.Context(), w.Events)
	w.Put("a")
	w.Want(mountstest.Admin, "/m", "a")
	w.Open.Put("b", "")
	w.Want(mountstest.Admin, "/m", "a")
	w.StorageChanged(t.Context(), "open", nil, nil)
	w.Want(mountstest.Admin, "/m", "a b")
	if got := w.Events.Published(); got[len(got)-1] != "listings/open" {
		t.Errorf("published %q", got)
	}
	w.Open.Put("c", "")
	w.Events.Arrive(mounts.ListingsChanged, "shut")
	w.Want(mountstest.Admin, "/twin", "a b")
	w.Events.Arrive(mounts.ListingsChanged, "open")
	w.Want(mountstest.Admin, "/twin", "a b c")
	w.Open.Put("d", "")
	w.Events.Arrive(mounts.ListingsChanged, "") // the connection was lost
	w.Want(mountstest.Admin, "/twin", "a b c d")
}

// gated is a bucket whose listings wait for the test.
type gated struct {
	*portstest.Bucket
	mu    sync.Mutex
	calls int
	enter chan struct{} // one for each listing that has read
	leave chan struct{}
}

func (b *gated) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	b.mu.Lock()
	b.calls++
	b.mu.Unlock()
	page, err := b.Bucket.List(ctx, q)
	b.enter <- struct{}{}
	select {
	case <-b.leave:
	case <-ctx.Done():
		return objstore.ListPage{}, ctx.Err()
	}
	return page, err
}

func newGated(t testing.TB) (*mountstest.Fixture, *gated) {
	b := &gated{Bucket: portstest.NewBucket(), enter: make(chan struct{}, 100), leave: make(chan struct{}, 100)}
	w := mountstest.NewFixture(t, func(d *mounts.Deps) { d.Storages = mountstest.Pair{Opener: portstest.Opener{"open": b}} })
	w.Mount("/m")
	b.Put("a", "")
	return w, b
}

func TestContract6_1_OneReadingServesAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newGated(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { w.Want(mountstest.Admin, "/m", "a") })
		}
		synctest.Wait()
		b.leave <- struct{}{}
		all.Wait()
		if b.calls != 1 {
			t.Errorf("the storage was asked %d times", b.calls)
		}
	})
}

func TestContract6_1_AListingFromBeforeAWriteIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newGated(t)
		var early sync.WaitGroup
		early.Go(func() { w.Want(mountstest.Admin, "/m", "a") })
		<-b.enter
		b.Put("b", "")
		w.StorageChanged(t.Context(), "open", nil, nil)
		// Who comes after the write does not wait for the old reading.
		var late sync.WaitGroup
		late.Go(func() { w.Want(mountstest.Admin, "/m", "a b") })
		<-b.enter
		b.leave <- struct{}{}
		b.leave <- struct{}{}
		early.Wait()
		late.Wait()
		w.Want(mountstest.Admin, "/m", "a b")
		if b.calls != 2 {
			t.Errorf("the storage was asked %d times", b.calls)
		}
	})
}

func TestAReadingEndsWhenNobodyWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newGated(t)
		ctx, leave := context.WithCancel(t.Context())
		var others sync.WaitGroup
		others.Go(func() {
			_, err := w.List(ctx, mountstest.Admin, mounts.ListQuery{Path: "/m"})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		<-b.enter
		others.Go(func() { w.Want(mountstest.Admin, "/m", "a") })
		synctest.Wait()
		leave() // the second caller still waits
		synctest.Wait()
		b.leave <- struct{}{}
		others.Wait()

		w.StorageChanged(t.Context(), "open", nil, nil)
		ctx, leave = context.WithCancel(t.Context())
		others.Go(func() { _, _ = w.List(ctx, mountstest.Admin, mounts.ListQuery{Path: "/m"}) })
		<-b.enter
		leave()
		others.Wait() // and with it the reading, or the bubble would not end
	})
}

func TestContract6_1_TheCacheIsBoundedByBytes(t *testing.T) {
	w := mountstest.NewFixture(t, func(d *mounts.Deps) { d.CacheBytes = 4000 })
	w.Mount("/m")
	for i := range 10 {
		for j := range 10 {
			w.Put(fmt.Sprintf("d%d/f%d", i, j))
		}
	}
	for i := range 10 {
		w.Want(mountstest.Admin, fmt.Sprintf("/m/d%d", i), "f0 f1 f2 f3 f4 f5 f6 f7 f8 f9")
		w.Want(mountstest.Admin, "/m/d0", "f0 f1 f2 f3 f4 f5 f6 f7 f8 f9") // used all the time, so it stays
	}
	use := w.CacheUse()
	if use.Size < 2 || use.Size > 4 || use.Pruned != int64(10-use.Size) || use.Misses != 10 {
		t.Errorf("got %+v", use)
	}
	// What is rendered of a listing counts too.
	l, err := w.Listed(mountstest.Admin, "/m/d0")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Keep("form", func() []byte { return make([]byte, 4000) }); len(got) != 4000 {
		t.Errorf("got %d bytes", len(got))
	}
	if use := w.CacheUse(); use.Size != 0 {
		t.Errorf("got %+v", use)
	}
}

func TestARenderedListingIsKeptUntilItChanges(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Mount("/twin")
	w.Put("a", "b")
	rendered := 0
	look := func(c mounts.Caller, q mounts.ListQuery) string {
		l, err := w.List(t.Context(), c, q)
		if err != nil {
			t.Fatal(err)
		}
		return string(l.Keep("text", func() []byte { rendered++; return []byte(l.Path + ":" + mountstest.Shown(l)) }))
	}
	for _, c := range []struct {
		who  mounts.Caller
		q    mounts.ListQuery
		want string
		n    int
	}{
		{mountstest.Admin, mounts.ListQuery{Path: "/m"}, "/m:a b", 1},
		{mountstest.Key("/"), mounts.ListQuery{Path: "/m"}, "/m:a b", 1},
		{mountstest.Admin, mounts.ListQuery{Path: "/twin"}, "/twin:a b", 2},
		{mountstest.Admin, mounts.ListQuery{Path: "/m", Order: mounts.Order{Desc: true}}, "/m:b a", 3},
		{mountstest.Admin, mounts.ListQuery{Path: "/m", Limit: 1}, "/m:a", 4},
		{mountstest.Admin, mounts.ListQuery{Path: "/m"}, "/m:a b", 4},
	} {
		if got := look(c.who, c.q); got != c.want || rendered != c.n {
			t.Errorf("%+v: got %q after %d renderings, want %q after %d", c.q, got, rendered, c.want, c.n)
		}
	}
	w.Open.Put("c", "")
	w.StorageChanged(t.Context(), "open", nil, nil)
	if got := look(mountstest.Admin, mounts.ListQuery{Path: "/m"}); got != "/m:a b c" {
		t.Errorf("got %q", got)
	}
}

func TestContract4_2_GetDescribesFilesAndFolders(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("d/", "same", "same/x", "f.mp4", "deep/er/x.md")
	for _, c := range []struct {
		path   string
		folder bool
		typ    string
	}{
		{"/m", true, "application/x-directory"}, {"/m/", true, "application/x-directory"}, {"/m/d", true, "application/x-directory"},
		{"/m/d/", true, "application/x-directory"}, {"/m/same", false, "application/octet-stream"}, {"/m/same/", true, "application/x-directory"},
		{"/m/f.mp4", false, "video/mp4"}, {"/m/f.mp4/", false, "video/mp4"}, {"/m/deep", true, "application/x-directory"},
		{"/m/deep/er/x.md", false, "text/markdown"},
	} {
		d, err := w.Get(t.Context(), mountstest.Admin, c.path)
		if err != nil || d.Folder != c.folder || d.ContentType != c.typ || d.Mount.Path != "/m" || d.Path != strings.TrimSuffix(c.path, "/") {
			t.Errorf("%s: got %+v, %v", c.path, d, err)
			continue
		}
		if (d.Links.Preview != "") == c.folder || (d.Links.Download != "") == c.folder || (d.ETag != "") == c.folder {
			t.Errorf("%s: got %+v", c.path, d)
		}
	}
	for _, path := range []string{"/m/none", "/m/d/x", "/m/f.mp4/x", "/m/dee"} {
		_, err := w.Get(t.Context(), mountstest.Admin, path)
		mountstest.WantError(t, err, ports.ErrNotFound)
	}
	// The time of a mount point is that of the newest known child.
	if d, err := w.Get(t.Context(), mountstest.Admin, "/m"); err != nil || d.ModTime != nil {
		t.Errorf("got %+v, %v", d, err)
	}
	w.Want(mountstest.Admin, "/m", "d/ deep/ same/ f.mp4 same")
	if d, err := w.Get(t.Context(), mountstest.Admin, "/m"); err != nil || d.ModTime == nil || !d.ModTime.Equal(w.Clock.Now()) {
		t.Errorf("got %+v, %v", d, err)
	}
}

// errorOf drops what a call returns beside its error.
func errorOf[T any](_ T, err error) error { return err }
