package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/ports/objstore"
)

// restedBucket is a bucket whose clock runs ahead, so that folders count as at
// rest.
func restedBucket(t *testing.T) *bucket {
	t.Helper()
	b := testBucket(t)
	b.now = func() time.Time { return time.Now().Add(time.Minute) }
	return b
}

// fill puts empty files into a folder by hand.
func fill(t *testing.T, b *bucket, front string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(b.dir, front), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(filepath.Join(b.dir, fmt.Sprintf("%s%05d", front, i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// page lists and returns the keys and prefixes in order.
func page(t *testing.T, b *bucket, q objstore.ListQuery) (found []string, next string) {
	t.Helper()
	p, err := b.List(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range p.Objects {
		found = append(found, o.Key)
	}
	found = append(found, p.Prefixes...)
	slices.Sort(found)
	return found, p.Next
}

func TestALongFolderIsReadOnceForAllItsPages(t *testing.T) {
	b := restedBucket(t)
	fill(t, b, "long/", 3000)
	q := objstore.ListQuery{Prefix: "long/", Delimiter: "/", Limit: 100}
	var all []string
	for {
		found, next := page(t, b, q)
		all = append(all, found...)
		if q.Token = next; next == "" {
			break
		}
	}
	if len(all) < 3000 || all[len(all)-1] != "long/02999" || !slices.IsSorted(all) {
		t.Errorf("got %d keys, the last %q", len(all), all[len(all)-1])
	}
	if b.names.reads != 1 {
		t.Errorf("the folder was read %d times, want once", b.names.reads)
	}
}

func TestAFolderThatChangesBetweenPagesIsReadAgain(t *testing.T) {
	b := restedBucket(t)
	fill(t, b, "d/", 1000)
	q := objstore.ListQuery{Prefix: "d/", Limit: 600}
	_, q.Token = page(t, b, q)
	first := q.Token
	for change, do := range map[string]func() error{
		"a file comes": func() error { return os.WriteFile(filepath.Join(b.dir, "d/00900x"), nil, 0o600) },
		"a file goes":  func() error { return os.Remove(filepath.Join(b.dir, "d/00950")) },
		"a folder comes": func() error {
			return os.MkdirAll(filepath.Join(b.dir, "d/00960x/y"), 0o700)
		},
		"the folder's time is set back": func() error {
			if err := os.WriteFile(filepath.Join(b.dir, "d/00970x"), nil, 0o600); err != nil {
				return err
			}
			return os.Chtimes(filepath.Join(b.dir, "d"), time.Unix(1, 0), time.Unix(1, 0))
		},
	} {
		before, _ := page(t, b, objstore.ListQuery{Prefix: "d/", Limit: 600, Token: first})
		<-time.After(20 * time.Millisecond) // for a clock that ticks
		if err := do(); err != nil {
			t.Fatal(err)
		}
		after, _ := page(t, b, objstore.ListQuery{Prefix: "d/", Limit: 600, Token: first})
		if slices.Equal(before, after) {
			t.Errorf("%s: the next page shows nothing of it", change)
		}
	}
	if found, _ := page(t, b, objstore.ListQuery{Prefix: "d/", Limit: 600, Token: first}); slices.Contains(found, "d/00950") || !slices.Contains(found, "d/00900x") || !slices.Contains(found, "d/00970x") {
		t.Errorf("got %v", found)
	}
}

// The time of a folder says nothing while it still changes within its tick.
func TestAFolderThatHasJustChangedIsNotKept(t *testing.T) {
	b := testBucket(t)
	fill(t, b, "d/", manyNames)
	page(t, b, objstore.ListQuery{Prefix: "d/", Limit: 10})
	b.names.mu.Lock()
	defer b.names.mu.Unlock()
	if len(b.names.kept) != 0 && b.now().Sub(b.names.order.Front().Value.(*namesOf).state.latest()) < settled {
		t.Error("it was kept")
	}
}

func TestKeptNamesAreBoundedAndEnd(t *testing.T) {
	var n names
	start := time.Now()
	of := func(i int, used time.Time) *namesOf {
		return &namesOf{dir: fmt.Sprint(i), sorted: make([]string, manyNames), bytes: namesBytes / 4, used: used}
	}
	for i := range 10 {
		n.keep(of(i, start))
	}
	if len(n.kept) != 4 || n.bytes != namesBytes || n.kept["9"] == nil || n.kept["5"] != nil {
		t.Errorf("got %d folders of %d bytes", len(n.kept), n.bytes)
	}
	huge := of(10, start)
	huge.bytes = namesBytes + 1
	n.keep(huge)
	small := of(11, start)
	small.sorted = small.sorted[1:]
	n.keep(small)
	if n.kept["10"] != nil || n.kept["11"] != nil {
		t.Error("a folder that is too long or short enough was kept")
	}
	n.find("9", fileInfo{}, start.Add(namesLife))
	n.find("none", fileInfo{}, start.Add(namesLife+1))
	if len(n.kept) != 1 || n.bytes != namesBytes/4 || n.order.Len() != 1 {
		t.Errorf("after its life %d folders of %d bytes are kept, want the one that was used", len(n.kept), n.bytes)
	}
}

// Pages of any size, prefix and delimiter agree with one look at everything.
func TestPagesAgreeWithTheWholeListing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := restedBucket(t)
	var keys []string
	for _, front := range []string{"", "a/", "a b/", "a/a/", "a/ab/", "a-/", "a/b", "ab/c/", "z/"} {
		for range 12 {
			key := front + strings.Repeat("a", r.IntN(3)) + string("-0Ab~ä"[r.IntN(5)]) + fmt.Sprint(r.IntN(30))
			if os.MkdirAll(filepath.Join(b.dir, filepath.Dir(key)), 0o700) == nil && os.WriteFile(filepath.Join(b.dir, key), nil, 0o600) == nil {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, prefix := range []string{"", "a", "a/", "a/a", "a/a/", "a/b", "ab", "ab/c/", "a b/", "nothing", "z/", "a-"} {
		var want []string
		for _, key := range keys {
			if strings.HasPrefix(key, prefix) {
				want = append(want, key)
			}
		}
		for _, limit := range []int{1, 2, 7, 1000} {
			var got []string
			for token := ""; ; {
				found, next := page(t, b, objstore.ListQuery{Prefix: prefix, Limit: limit, Token: token})
				for _, key := range found {
					if !strings.HasSuffix(key, "/") {
						got = append(got, key)
					}
				}
				if token = next; next == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("prefix %q in pages of %d: got %q, want %q", prefix, limit, got, want)
			}
		}
	}
}
