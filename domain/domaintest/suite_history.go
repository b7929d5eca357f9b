package domaintest

import (
	"fmt"
	"testing"

	"pasteport/domain/mounts/history"
	"pasteport/ports"
	"pasteport/ports/revision"
)

// RunHistory checks a repository of earlier contents of files.
func RunHistory(t *testing.T, open OpenStores) {
	at := func(key string) history.Object { return history.Object{ConfigID: testID(1), Key: key} }
	file, plenty := at("a/f.txt"), history.Bounds{Most: 9, Bytes: 99}
	kept := func(content, etag, by string, minutes int) history.Kept {
		return history.Kept{Revision: revision.Revision{Size: int64(len(content)), Content: []byte(content), EditedBy: by, EditedAt: minute(minutes)}, ETag: etag}
	}
	begin := func(t *testing.T) Stores {
		s := open(t)
		must(t, s.StorageConfigs.Insert(t.Context(), newConfig(1)))
		return s
	}
	// edit replaces a content with the ETag was by one with the ETag is.
	edit := func(t *testing.T, s Stores, o history.Object, content, was, is, by string, minutes int, b history.Bounds) {
		t.Helper()
		must(t, s.History.Keep(t.Context(), o, kept(content, was, "", minutes-1)))
		must(t, s.History.Edited(t.Context(), o, kept("", is, by, minutes), b))
	}
	noted := func(t *testing.T, s Stores, o history.Object) history.Noted {
		t.Helper()
		n, err := s.History.Noted(t.Context(), o)
		must(t, err)
		return n
	}
	// versions are those that are kept of a file, newest first.
	versions := func(t *testing.T, s Stores, o history.Object) (all []int64) {
		t.Helper()
		for _, k := range noted(t, s, o).Earlier {
			all = append(all, k.Version)
		}
		return all
	}

	t.Run("an edit keeps what it replaces, with who wrote that when it is known", func(t *testing.T) {
		s := begin(t)
		equal(t, noted(t, s, file), history.Noted{})
		edit(t, s, file, "one", "e1", "e2", "apikey:k1", 5, plenty)
		edit(t, s, file, "three", "e2", "e3", "admin", 7, plenty)
		edit(t, s, file, "else", "x", "e4", "admin", 9, plenty) // somebody wrote past us
		n := noted(t, s, file)
		equal(t, n.Present, history.Kept{Revision: revision.Revision{Version: 4, EditedBy: "admin", EditedAt: minute(9)}, ETag: "e4"})
		first, second, third := kept("one", "e1", "", 4), kept("three", "e2", "apikey:k1", 5), kept("else", "x", "", 8)
		first.Version, second.Version, third.Version = 1, 2, 3
		got, err := s.History.Get(t.Context(), file, 2)
		must(t, err)
		equal(t, *got, second)
		first.Content, second.Content, third.Content = nil, nil, nil
		equal(t, n.Earlier, []history.Kept{third, second, first})
		_, err = s.History.Get(t.Context(), file, 4)
		wantCode(t, err, ports.NotFound, "not_found")
		_, err = s.History.Get(t.Context(), at("a/f"), 1)
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("a write that was broken off leaves one revision, and one that failed none", func(t *testing.T) {
		s := begin(t)
		must(t, s.History.Keep(t.Context(), file, kept("one", "e1", "", 1)))
		edit(t, s, file, "one", "e1", "e2", "a", 5, plenty)
		equal(t, versions(t, s, file), []int64{1})
		must(t, s.History.Keep(t.Context(), file, kept("two", "e2", "", 6)))
		must(t, s.History.Drop(t.Context(), file, "e1"))
		equal(t, versions(t, s, file), []int64{2, 1})
		must(t, s.History.Drop(t.Context(), file, "e2"))
		equal(t, versions(t, s, file), []int64{1})
	})
	t.Run("files without ETag keep every content", func(t *testing.T) {
		s := begin(t)
		edit(t, s, file, "one", "", "", "a", 2, plenty)
		edit(t, s, file, "two", "", "", "b", 4, plenty)
		equal(t, versions(t, s, file), []int64{2, 1})
		equal(t, noted(t, s, file).Earlier[0].EditedBy, "")
	})
	t.Run("the newest stay, as many and as large as is allowed", func(t *testing.T) {
		s := begin(t)
		edit(t, s, file, "1", "e1", "e2", "a", 2, history.Bounds{Most: 2, Bytes: 99})
		edit(t, s, file, "22", "e2", "e3", "a", 3, history.Bounds{Most: 2, Bytes: 99})
		edit(t, s, file, "333", "e3", "e4", "a", 4, history.Bounds{Most: 2, Bytes: 99})
		equal(t, versions(t, s, file), []int64{3, 2})
		edit(t, s, file, "4444", "e4", "e5", "a", 5, history.Bounds{Most: 9, Bytes: 8})
		equal(t, versions(t, s, file), []int64{4, 3})
	})
	t.Run("a file that keeps none loses those it has", func(t *testing.T) {
		s := begin(t)
		edit(t, s, file, "one", "e1", "e2", "a", 2, plenty)
		must(t, s.History.Switch(t.Context(), file, true))
		edit(t, s, file, "two", "e2", "e3", "b", 3, plenty)
		n := noted(t, s, file)
		equal(t, []any{n.Off, len(n.Earlier), n.Present.EditedBy}, []any{true, 0, "b"})
		must(t, s.History.Switch(t.Context(), file, false))
		edit(t, s, file, "three", "e3", "e4", "c", 4, plenty)
		equal(t, versions(t, s, file), []int64{2})
	})
	t.Run("they go with the file and with its folder, and along with both", func(t *testing.T) {
		s := begin(t)
		for _, key := range []string{"a/f.txt", "a/f.txt.old", "a/b/g", "ab/h"} {
			edit(t, s, at(key), "one", "e1", "e2", "a", 2, plenty)
		}
		left := func(want ...string) {
			t.Helper()
			var found []string
			for _, key := range []string{"a/f.txt", "a/f.txt.old", "a/b/g", "ab/h", "a/z", "ö/b/g", "ö/z"} {
				if len(versions(t, s, at(key))) > 0 {
					found = append(found, key)
				}
			}
			equal(t, found, want)
		}
		must(t, s.History.Remove(t.Context(), at("a/f.txt.old"), at("a/"+"nothing/"), at("")))
		left("a/f.txt", "a/b/g", "ab/h")
		must(t, s.History.Move(t.Context(), at("a/f.txt"), at("a/z")))
		left("a/b/g", "ab/h", "a/z")
		must(t, s.History.Move(t.Context(), at("a/"), at("ö/")))
		left("ab/h", "ö/b/g", "ö/z")
		must(t, s.History.Move(t.Context(), at("ö/"), at("a/")))
		must(t, s.History.Move(t.Context(), at("ab/h"), at("a/z")))
		left("a/b/g", "a/z")
		must(t, s.History.Remove(t.Context(), at("a/")))
		left()
	})
	t.Run("of many that go to one name at once one is left, whoever edits there meanwhile", func(t *testing.T) {
		s := begin(t)
		for round := range 10 {
			for n := range 4 {
				edit(t, s, at(fmt.Sprint(round, "/", n)), "one", "e1", "e2", "a", 2, plenty)
			}
			to := at(fmt.Sprint(round, "/to"))
			atOnce(6, func(n int) {
				if n >= 4 {
					must(t, s.History.Edited(t.Context(), to, kept("", "e", "b", 3), plenty))
					return
				}
				must(t, s.History.Move(t.Context(), at(fmt.Sprint(round, "/", n)), to))
			})
			for n := range 4 {
				equal(t, noted(t, s, at(fmt.Sprint(round, "/", n))), history.Noted{})
			}
			if left := versions(t, s, to); len(left) > 1 {
				t.Errorf("%v are left", left)
			}
		}
	})
	t.Run("they go with their time", func(t *testing.T) {
		s := begin(t)
		edit(t, s, file, "1", "e1", "e2", "a", 2, plenty)
		edit(t, s, file, "2", "e2", "e3", "a", 3, plenty)
		edit(t, s, file, "3", "e3", "e4", "a", 4, plenty)
		for _, want := range []int{1, 1, 0} {
			n, err := s.History.Forget(t.Context(), minute(4), 1)
			must(t, err)
			equal(t, n, want)
		}
		equal(t, versions(t, s, file), []int64{3})
	})
	t.Run("what was written long ago stays for as long as any, once it is replaced", func(t *testing.T) {
		s := begin(t)
		must(t, s.History.Keep(t.Context(), file, kept("old", "e1", "", 1)))
		must(t, s.History.Edited(t.Context(), file, kept("", "e2", "a", 90), plenty))
		for before, want := range map[int]int{2: 0, 90: 0} {
			n, err := s.History.Forget(t.Context(), minute(before), 9)
			must(t, err)
			equal(t, n, want)
		}
		n, err := s.History.Forget(t.Context(), minute(91), 9)
		must(t, err)
		equal(t, n, 1)
	})
}
