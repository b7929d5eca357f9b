package domaintest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/mounts/index"
	"pasteport/ports/objstore"
)

// object is the n-th state of an object: it is n bytes long and n minutes old.
func object(key string, n int) objstore.Object {
	o := objstore.Object{Key: key, Size: int64(n), ETag: fmt.Sprint("e", n)}
	if n > 0 {
		o.ModTime = minute(n)
	}
	return o
}

func objects(keys ...string) (all []objstore.Object) {
	for _, key := range keys {
		all = append(all, object(key, 1))
	}
	return all
}

// indexed writes what an index finds, in its order: "rank:key size@minute".
func indexed(t *testing.T, r index.Repository, text string, areas ...index.Area) string {
	t.Helper()
	var refs []index.Ref
	hits, err := r.Search(t.Context(), index.Query{Text: text, Areas: areas, Most: 1000}, func(found []index.Ref) []index.Ref {
		refs = found
		return found
	})
	must(t, err)
	equal(t, len(hits), len(refs))
	lines := map[string]bool{}
	for _, h := range hits {
		line := fmt.Sprintf("%d:%s", h.Rank, h.Object.Key)
		if h.Object.Size > 1 {
			line += fmt.Sprint(" ", h.Object.Size)
		}
		lines[line] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), " ")
}

func whole(storage string) index.Area { return index.Area{Storage: storage} }

// RunIndex checks an index of objects.
func RunIndex(t *testing.T, open OpenStores) {
	t.Run("states are kept by storage", func(t *testing.T) {
		r := open(t).Index
		for n, id := range []string{"one", "two", "one"} {
			_, err := r.SaveState(t.Context(), id, func(s *index.State) error {
				s.Scan += fmt.Sprint(n)
				s.BeatAt = ptr(minute(n))
				return nil
			})
			must(t, err)
		}
		_, err := r.SaveState(t.Context(), "two", func(s *index.State) error {
			s.ScannedAt, s.FailedAt, s.BeatAt, s.Scan = ptr(minute(8)), ptr(minute(9)), nil, ""
			return nil
		})
		must(t, err)
		got, err := r.States(t.Context())
		must(t, err)
		equal(t, got, []index.State{{StorageID: "one", Scan: "02", BeatAt: ptr(minute(2))},
			{StorageID: "two", ScannedAt: ptr(minute(8)), FailedAt: ptr(minute(9))}})
		must(t, r.Forget(t.Context(), "one"))
		got, err = r.States(t.Context())
		must(t, err)
		equal(t, len(got), 1)
	})
	t.Run("written objects and their folders are found by parts of their names", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), objects("report.TXT", "a/Report", "a/b/old report.txt", "a/reports/x", "周报/年度报告.md", "100%_'\".txt", "ÄPFEL.txt", "q/", "bad\nname")))
		must(t, r.Put(t.Context(), "other", minute(1), objects("report elsewhere")))
		for text, want := range map[string]string{
			"report": "0:a/Report 1:a/reports/ 1:report.TXT 2:a/b/old report.txt",
			"re":     "1:a/Report 1:a/reports/ 1:report.TXT 2:a/b/old report.txt",
			"a":      "0:a/",
			"报告":     "2:周报/年度报告.md",
			"年度报告":   "1:周报/年度报告.md",
			"周报":     "0:周报/",
			"%_":     "2:100%_'\".txt",
			"_'\".":  "2:100%_'\".txt",
			"äpf":    "1:ÄPFEL.txt",
			"äp":     "1:ÄPFEL.txt",
			"xyz":    "",
			"a/b":    "",
			"name":   "",
			"q":      "0:q/",
		} {
			if text == "a" || text == "q" { // letters that are everywhere
				got := indexed(t, r, text, index.Area{Storage: "s"})
				if !strings.Contains(got, want) {
					t.Errorf("%q: got %q, want %q in it", text, got, want)
				}
				continue
			}
			if got := indexed(t, r, text, whole("s")); got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
		equal(t, indexed(t, r, "report", whole("nobody"), whole("other"), index.Area{}), "1:report elsewhere")
	})
	t.Run("what is written while its storage is forgotten is found", func(t *testing.T) {
		r := open(t).Index
		for round := range 30 {
			id := fmt.Sprint("s", round)
			if round%2 == 0 {
				_, err := r.SaveState(t.Context(), id, func(*index.State) error { return nil })
				must(t, err)
			}
			atOnce(6, func(n int) {
				switch n {
				case 0, 1:
					must(t, r.Put(t.Context(), id, minute(1), objects(fmt.Sprint("folder/file", n))))
				case 2:
					_, err := r.SaveState(t.Context(), id, func(s *index.State) error { s.Scan = "x"; return nil })
					must(t, err)
				default:
					must(t, r.Forget(t.Context(), id))
				}
			})
			equal(t, indexed(t, r, "file", whole(id)), "1:folder/file0 1:folder/file1")
		}
	})
	t.Run("searches stay in their area", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), objects("note", "a/note", "a/b/note", "a/bc/note", "ab/note", "a/b", "a-note", "a/b/c/d/note", "a/x/note")))
		for _, c := range []struct {
			area index.Area
			want string
		}{
			{index.Area{Prefix: "a/"}, "0:a/b/c/d/note 0:a/b/note 0:a/bc/note 0:a/note 0:a/x/note"},
			{index.Area{Prefix: "a/b/"}, "0:a/b/c/d/note 0:a/b/note"},
			{index.Area{Prefix: "none/"}, ""},
			{index.Area{Except: []string{"a/"}}, "0:ab/note 0:note 2:a-note"},
			{index.Area{Prefix: "a/", Except: []string{"a/b/", "a/x/"}}, "0:a/bc/note 0:a/note"},
		} {
			c.area.Storage = "s"
			if got := indexed(t, r, "note", c.area); got != c.want {
				t.Errorf("%+v: got %q, want %q", c.area, got, c.want)
			}
		}
		equal(t, indexed(t, r, "b", index.Area{Storage: "s", Prefix: "a/", Except: []string{"a/b/"}}), "1:a/bc/")
	})
	t.Run("objects that are written again or dropped change what is found", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), objects("a/b/one.txt", "a/b/two.txt", "a/three.txt", "kept/", "kept/four.txt")))
		must(t, r.Put(t.Context(), "s", minute(2), []objstore.Object{object("a/b/one.txt", 7), object("a/b/one.txt", 8)}))
		equal(t, indexed(t, r, ".txt", whole("s")), "2:a/b/one.txt 8 2:a/b/two.txt 2:a/three.txt 2:kept/four.txt")
		drop := func(key string) {
			t.Helper()
			for {
				more, err := r.Drop(t.Context(), "s", key, 1)
				must(t, err)
				if !more {
					return
				}
			}
		}
		drop("a/b/one.txt")
		drop("a/missing.txt")
		drop("nowhere/at/all/")
		equal(t, indexed(t, r, ".txt", whole("s")), "2:a/b/two.txt 2:a/three.txt 2:kept/four.txt")
		drop("kept/four.txt")
		drop("a/b/")
		drop("a/three.txt")
		equal(t, indexed(t, r, ".txt", whole("s")), "")
		equal(t, indexed(t, r, "kept", whole("s")), "0:kept/")
		equal(t, indexed(t, r, "a", whole("s")), "")
		drop("")
		equal(t, indexed(t, r, "kept", whole("s")), "")
	})
	t.Run("spans make the index agree with the storage", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), objects("a.txt", "b.txt", "c.txt", "d/x.txt", "e/y.txt", "e/", "f/z.txt")))
		must(t, r.Put(t.Context(), "s", minute(9), objects("late.txt")))
		vanished, err := r.Merge(t.Context(), "s", index.Span{At: minute(5), Objects: []objstore.Object{
			object("b.txt", 5), object("e/", 0), object("f/", 0), object("n.txt", 6), object("o/", 0)}})
		must(t, err)
		equal(t, vanished, []string{"d/"})
		equal(t, indexed(t, r, ".txt", whole("s")), "2:b.txt 5 2:d/x.txt 2:e/y.txt 2:f/z.txt 2:late.txt 2:n.txt 6")
		// Only a range of names, and what is known of markers.
		vanished, err = r.Merge(t.Context(), "s", index.Span{From: "b.txt", To: "f/", Markers: true, At: minute(20), Objects: []objstore.Object{object("e/", 0), object("f/", 3)}})
		must(t, err)
		equal(t, vanished, []string{"d/"})
		more, err := r.Drop(t.Context(), "s", "d/", 100)
		must(t, err)
		equal(t, more, false)
		// e/ has no marker any more, and f/ has one.
		for _, key := range []string{"e/y.txt", "f/z.txt"} {
			_, err = r.Drop(t.Context(), "s", key, 100)
			must(t, err)
		}
		equal(t, indexed(t, r, "e", index.Area{Storage: "s", Except: []string{"x/"}}), "2:late.txt")
		equal(t, indexed(t, r, "f", whole("s")), "0:f/")
		// An empty folder.
		vanished, err = r.Merge(t.Context(), "s", index.Span{Folder: "unknown/", At: minute(30)}, index.Span{At: minute(30)})
		must(t, err)
		equal(t, vanished, []string{"f/", "o/"})
		equal(t, indexed(t, r, ".txt", whole("s")), "")
	})
	t.Run("a span does not undo what was written after it was read", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(9), []objstore.Object{object("new.txt", 9), object("again.txt", 9)}))
		_, err := r.Merge(t.Context(), "s", index.Span{At: minute(5), Objects: []objstore.Object{object("again.txt", 4)}})
		must(t, err)
		equal(t, indexed(t, r, ".txt", whole("s")), "2:again.txt 9 2:new.txt 9")
	})
	t.Run("folders are summed up with all below them", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), []objstore.Object{object("a/1", 1), object("a/b/2", 20), object("a/b/3", 30), object("ab/4", 4), object("周/5", 5), object("empty/", 2), object("6", 6)}))
		totals := func(prefix string) string {
			t.Helper()
			all, err := r.Totals(t.Context(), "s", prefix)
			must(t, err)
			lines := map[string]bool{}
			for name, total := range all {
				lines[fmt.Sprintf("%s %d/%d %s", name, total.Size, total.Files, since(total.Newest))] = true
			}
			return strings.Join(slices.Sorted(maps.Keys(lines)), ", ")
		}
		equal(t, totals(""), "a 51/3 30, ab 4/1 4, empty 0/0 2, 周 5/1 5")
		equal(t, totals("a/"), "b 50/2 30")
		equal(t, totals("周/"), "")
		_, err := r.Drop(t.Context(), "s", "a/b/3", 10)
		must(t, err)
		equal(t, totals(""), "a 21/2 20, ab 4/1 4, empty 0/0 2, 周 5/1 5")
		must(t, r.Put(t.Context(), "s", minute(2), []objstore.Object{object("a/b/2", 3)}))
		equal(t, totals("a/"), "b 3/1 3")
		for prefix, want := range map[string]string{"": "19/5 6", "a/": "4/2 3", "a/b/": "3/1 3", "none/": "0/0 none", "empty/": "0/0 2"} {
			total, err := r.Total(t.Context(), "s", prefix)
			must(t, err)
			equal(t, fmt.Sprintf("%d/%d %s", total.Size, total.Files, since(total.Newest)), want)
		}
		_, err = r.Drop(t.Context(), "s", "a/", 10)
		must(t, err)
		equal(t, totals(""), "ab 4/1 4, empty 0/0 2, 周 5/1 5")
	})
	t.Run("a sieve stops what is not wanted", func(t *testing.T) {
		r := open(t).Index
		must(t, r.Put(t.Context(), "s", minute(1), []objstore.Object{object("p/xyz folder/", 3), object("p/a/my xyz.PNG", 20), object("p/xyz.tar.gz", 30), object("p/xyz", 4),
			object("p/xyzpng", 5), object("p/xyz.png", 0), object("p/a/xyz.txt", 7)}))
		for _, c := range []struct {
			sieve index.Sieve
			want  string
		}{
			{index.Sieve{Folders: true}, "p/xyz folder/"},
			{index.Sieve{Files: true, MaxSize: 5}, "p/xyz, p/xyz.png, p/xyzpng"},
			{index.Sieve{Files: true, MinSize: 20, MaxSize: 30}, "p/a/my xyz.PNG, p/xyz.tar.gz"},
			{index.Sieve{Files: true, Extensions: []string{"jpg", "png"}}, "p/a/my xyz.PNG, p/xyz.png"},
			{index.Sieve{Files: true, Extensions: []string{"png", "gz"}, None: true}, "p/a/xyz.txt, p/xyz, p/xyzpng"},
			{index.Sieve{After: minute(7).UnixMilli(), Before: minute(7).UnixMilli()}, "p/a/xyz.txt"},
			{index.Sieve{Before: minute(4).UnixMilli()}, "p/xyz, p/xyz folder/"},
			{index.Sieve{After: minute(20).UnixMilli() + 1}, "p/xyz.tar.gz"},
			{index.Sieve{After: minute(31).UnixMilli()}, ""},
		} {
			for _, q := range []index.Query{{Text: "xyz", Areas: []index.Area{whole("s")}}, {Text: "xy", Areas: []index.Area{whole("s")}}, {Text: "xyz", Areas: []index.Area{{Storage: "s", Prefix: "p/"}}}} {
				q.Sieve, q.Most = c.sieve, 100
				hits, err := r.Search(t.Context(), q, func(all []index.Ref) []index.Ref { return all })
				must(t, err)
				keys := map[string]bool{}
				for _, h := range hits {
					keys[h.Object.Key] = true
				}
				equal(t, strings.Join(slices.Sorted(maps.Keys(keys)), ", "), c.want)
			}
		}
	})
	t.Run("of many matches the best are looked at", func(t *testing.T) {
		r := open(t).Index
		var all []objstore.Object
		for n := range 700 {
			all = append(all, object(fmt.Sprintf("d%d/x-photo-%03d.jpg", n%7, n), n+1))
		}
		all = append(all, object("photo", 3), object("photo.png", 4))
		must(t, r.Put(t.Context(), "s", minute(1), all))
		for _, text := range []string{"photo", "ph"} {
			var ranks [3]int
			_, err := r.Search(t.Context(), index.Query{Text: text, Areas: []index.Area{whole("s")}, Most: 100}, func(found []index.Ref) []index.Ref {
				for _, ref := range found {
					ranks[ref.Rank]++
				}
				return nil
			})
			must(t, err)
			equal(t, ranks[0]+ranks[1], 2)
			equal(t, ranks[2], 98)
		}
		hits, err := r.Search(t.Context(), index.Query{Text: "photo", Areas: []index.Area{whole("s")}, Most: 1000}, func(found []index.Ref) []index.Ref {
			equal(t, len(found), 702)
			return []index.Ref{found[5], found[2]}
		})
		must(t, err)
		equal(t, len(hits), 2)
	})
}

// since is a time in minutes, or "none".
func since(at *time.Time) string {
	if at == nil {
		return "none"
	}
	for n := range 1000 {
		if minute(n).Equal(*at) {
			return fmt.Sprint(n)
		}
	}
	return at.String()
}
