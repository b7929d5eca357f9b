package lent_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/lent"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

func TestOnlyWhoMayShareAFolderLendsIt(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Put(y.Near, "a/x.txt=1", "b/y.txt=2")
	f := lent.New(y.Tree)
	root, _, err := f.Lend(t.Context(), mountstest.TeamA.Who, "/m/a/")
	if err != nil || root != "/m/a" || !slices.Contains(y.Rules.Asked, policy.MountShare) {
		t.Errorf("lent %q, %v, asked %v", root, err, y.Rules.Asked)
	}
	for path, want := range map[string]ports.Code{"/m/b": ports.Forbidden, "/m/a/x.txt": ports.NotFound, "/m/a/none": ports.NotFound, "/m/a/../b": ports.Invalid} {
		if _, _, err := f.Lend(t.Context(), mountstest.TeamA.Who, path); !ports.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// seen is all that the link of a folder leads to: by listing, and by walking.
func seen(t *testing.T, f *lent.Folders, root string) (listed, walked []string) {
	t.Helper()
	var list func(rel string)
	list = func(rel string) {
		some, all, err := f.List(t.Context(), root, rel, 0, 1000)
		if err != nil && !ports.Is(err, ports.NotFound) {
			t.Fatalf("list %q: %v", rel, err)
		}
		if all != len(some) {
			t.Errorf("%d of %d entries", len(some), all)
		}
		for _, o := range some {
			below := strings.TrimPrefix(rel+"/"+strings.TrimSuffix(o.Key, "/"), "/")
			if strings.HasSuffix(o.Key, "/") {
				list(below)
			} else {
				listed = append(listed, below)
			}
		}
	}
	list("")
	err := f.Walk(t.Context(), root, "", func(rel string, _ objstore.Object, _ objstore.Storage) error {
		walked = append(walked, rel)
		return nil
	})
	if err != nil && !ports.Is(err, ports.NotFound) {
		t.Fatal(err)
	}
	slices.Sort(listed)
	slices.Sort(walked)
	return listed, walked
}

// TestALinkLeadsToExactlyWhatLiesBelowItsFolder: files come and go, mounts too;
// whatever is asked for, what is read lies below the folder, in its own mount.
func TestALinkLeadsToExactlyWhatLiesBelowItsFolder(t *testing.T) {
	const root = "/m/a"
	random := rand.New(rand.NewPCG(17, 1))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for range 60 {
		y := mountstest.NewWriteFixture(t)
		var inner []string
		if random.IntN(2) == 0 {
			inner = append(inner, pick("/m/a/in", "/m/a/d/in"))
			if err := y.Deps.Mounts.Insert(t.Context(), &mounts.Mount{ID: "in", Name: "in", Path: inner[0], StorageConfigID: "far", Active: true}); err != nil {
				t.Fatal(err)
			}
			y.Put(y.Far, "secret.txt=of another mount", "f.txt=of another mount")
		}
		model := map[string]bool{} // keys that are there
		for range 1 + random.IntN(12) {
			key := pick("a", "a", "a", "ab", "b", "A", "ａ", "a\u0301", "..a") + pick("", "/d", "/in", "/d/in", "/..d", "/é", "/e\u0301") + "/" + pick("f.txt", "x", "secret.txt", "%2e%2e", "...")
			y.Put(y.Near, key+"=content of "+key)
			model[key] = true
		}
		for key := range model {
			if random.IntN(5) == 0 {
				if _, err := y.Near.Delete(t.Context(), "root/"+key); err != nil {
					t.Fatal(err)
				}
				delete(model, key)
			}
		}
		granted := func(rel string) bool {
			for _, m := range inner {
				if mounts.Within(m, root+"/"+rel) {
					return false
				}
			}
			return model["a/"+rel]
		}
		var want []string
		for key := range model {
			if rel, below := strings.CutPrefix(key, "a/"); below && granted(rel) {
				want = append(want, rel)
			}
		}
		slices.Sort(want)
		f := lent.New(y.Tree)
		listed, walked := seen(t, f, root)
		if !slices.Equal(listed, want) || !slices.Equal(walked, want) {
			t.Fatalf("granted %q, listed %q, walked %q, a mount at %q", want, listed, walked, inner)
		}
		for range 80 {
			rel := pick("", "/", "../", "./", "d/", "d/../", "in/", "d/in/", "..d/", "%2e%2e/", "..\\", "a/../../", "é/", "e\u0301/", "\x00") + pick("f.txt", "x", "secret.txt", "b/f.txt", "..", ".", "", "f.txt/", "%2e%2e", "...", "f.txt\x00", "ab/x")
			o, _, err := f.File(t.Context(), root, rel)
			if (err == nil) != granted(rel) || err == nil && !strings.HasSuffix(o.Key, "/a/"+rel) {
				t.Fatalf("%q: got %q, %v; granted: %t", rel, o.Key, err, granted(rel))
			}
			if err != nil && !ports.Is(err, ports.NotFound) && !ports.Is(err, ports.Invalid) {
				t.Errorf("%q: %v", rel, err)
			}
		}
		if _, _, err := f.File(t.Context(), "/gone", "f.txt"); !errors.Is(err, ports.ErrNotFound) {
			t.Errorf("a mount that is gone: %v", err)
		}
	}
}

func TestAChoiceIsLentByTheFolderThatAllOfItLiesIn(t *testing.T) {
	y := mountstest.NewWriteFixture(t)
	y.Put(y.Near, "a/x.txt=1", "a/d/y.txt=2", "a/d/e/z.txt=3", "b/w.txt=4")
	y.Put(y.Far, "f.txt=5")
	if err := y.Deps.Mounts.Insert(t.Context(), &mounts.Mount{ID: "other", Name: "other", Path: "/m/a/in", StorageConfigID: "far", Active: true}); err != nil {
		t.Fatal(err)
	}
	f := lent.New(y.Tree)
	for _, c := range []struct {
		paths []string
		root  string
		picks string
		code  ports.Code
	}{
		{paths: []string{"/m/a/x.txt"}, root: "/m/a", picks: "x.txt"},
		{paths: []string{"/m/a/x.txt", "/m/a/d/"}, root: "/m/a", picks: "d x.txt"},
		{paths: []string{"/m/a/d/e/z.txt", "/m/a/d/y.txt"}, root: "/m/a/d", picks: "e/z.txt y.txt"},
		{paths: []string{"/m/a/d/", "/m/a/d/e/z.txt", "/m/a/x.txt"}, root: "/m/a", picks: "d x.txt"},
		{paths: []string{"/m/a/x.txt", "/m/a/in/f.txt"}, code: ports.Invalid},
		{paths: []string{"/m/a/in/", "/m/a/in/f.txt"}, code: ports.Invalid},
		{paths: []string{"/m/a/x.txt", "/m/b/w.txt"}, code: ports.Forbidden},
		{paths: []string{"/m/a/x.txt", "/m/a/none"}, code: ports.NotFound},
		{paths: []string{"/m/a/x.txt", "/m/a/../b"}, code: ports.Invalid},
	} {
		root, picks, _, err := f.LendSome(t.Context(), mountstest.TeamA.Who, c.paths)
		if c.code == 0 && (err != nil || root != c.root || strings.Join(picks, " ") != c.picks) || c.code != 0 && !ports.Is(err, c.code) {
			t.Errorf("%q: %q, %q, %v", c.paths, root, picks, err)
		}
	}
}
