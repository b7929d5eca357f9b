package domaintest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/domain/keys"
	"pasteport/domain/mounts/dav"
	"pasteport/ports"
)

func newLock(n int, path string) *dav.Lock {
	return &dav.Lock{Token: fmt.Sprintf("urn:uuid:%d", n), Path: path, Note: "<a/>", Holder: "admin", Created: minute(0), Expires: minute(10)}
}

func noCheck([]dav.Lock, int) error { return nil }

// RunWebDAV checks the repositories of WebDAV locks and dead properties.
func RunWebDAV(t *testing.T, open OpenStores) {
	t.Run("locks", func(t *testing.T) { runLocks(t, open) })
	t.Run("dead properties", func(t *testing.T) { runProperties(t, open) })
}

func runLocks(t *testing.T, open OpenStores) {
	tokens := func(locks []dav.Lock) []string {
		all := []string{}
		for _, l := range locks {
			all = append(all, l.Token+" "+l.Path)
		}
		return all
	}
	t.Run("a region is cleared without what is no part of it", func(t *testing.T) {
		r := open(t).Locks
		for i, path := range []string{"/", "/m", "/m/a", "/m/in", "/m/in/a", "/m/inn", "/m0"} {
			must(t, r.Insert(t.Context(), newLock(i, path), minute(0), noCheck))
		}
		must(t, r.Clear(t.Context(), dav.Region{Path: "/m", Except: []string{"/m/in"}}))
		left, err := r.Around(t.Context(), minute(0), dav.Reach{Path: "/", Deep: true})
		must(t, err)
		equal(t, tokens(left), []string{"urn:uuid:0 /", "urn:uuid:3 /m/in", "urn:uuid:4 /m/in/a", "urn:uuid:6 /m0"})
	})
	t.Run("a lock comes back as it was stored", func(t *testing.T) {
		r := open(t).Locks
		want := newLock(1, "/m/文件")
		want.Folder, want.Deep, want.Shared = true, true, true
		must(t, r.Insert(t.Context(), want, minute(0), noCheck))
		got, err := r.Get(t.Context(), want.Token, minute(9))
		must(t, err)
		equal(t, got, want)
		_, err = r.Get(t.Context(), "urn:uuid:2", minute(0))
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("locks are found on a path, above it and below it", func(t *testing.T) {
		r := open(t).Locks
		for i, path := range []string{"/", "/m", "/m/a", "/m/a/b", "/m/a/b/c", "/m/ab", "/m/a-b", "/m/a0", "/n"} {
			must(t, r.Insert(t.Context(), newLock(i, path), minute(0), noCheck))
		}
		for _, c := range []struct {
			reaches []dav.Reach
			want    []string
		}{
			{[]dav.Reach{{Path: "/m/a"}}, []string{"urn:uuid:0 /", "urn:uuid:1 /m", "urn:uuid:2 /m/a"}},
			{[]dav.Reach{{Path: "/m/a", Deep: true}}, []string{"urn:uuid:0 /", "urn:uuid:1 /m", "urn:uuid:2 /m/a", "urn:uuid:3 /m/a/b", "urn:uuid:4 /m/a/b/c"}},
			{[]dav.Reach{{Path: "/n"}, {Path: "/m"}}, []string{"urn:uuid:0 /", "urn:uuid:1 /m", "urn:uuid:8 /n"}},
			{[]dav.Reach{{Path: "/x"}}, []string{"urn:uuid:0 /"}},
			{nil, []string{}},
		} {
			got, err := r.Around(t.Context(), minute(0), c.reaches...)
			must(t, err)
			equal(t, tokens(got), c.want)
		}
		all, err := r.Around(t.Context(), minute(0), dav.Reach{Path: "/", Deep: true})
		must(t, err)
		equal(t, len(all), 9)
		many := make([]dav.Reach, 500)
		for i := range many {
			many[i] = dav.Reach{Path: fmt.Sprintf("/m/a/%d", i)}
		}
		got, err := r.Around(t.Context(), minute(0), many...)
		must(t, err)
		equal(t, len(got), 3)
	})
	t.Run("an expired lock does not count and can be swept", func(t *testing.T) {
		r := open(t).Locks
		must(t, r.Insert(t.Context(), newLock(1, "/m/a"), minute(0), noCheck))
		for at, want := range map[int]int{9: 1, 10: 0} {
			got, err := r.Around(t.Context(), minute(at), dav.Reach{Path: "/m/a"})
			must(t, err)
			equal(t, len(got), want)
			held := -1
			must(t, r.Insert(t.Context(), newLock(at, "/n"), minute(at), func(_ []dav.Lock, n int) error { held = n; return nil }))
			equal(t, held, want)
			must(t, r.Delete(t.Context(), newLock(at, "").Token))
		}
		_, err := r.Prolong(t.Context(), "urn:uuid:1", minute(10), minute(20))
		wantCode(t, err, ports.NotFound, "not_found")
		got, err := r.Prolong(t.Context(), "urn:uuid:1", minute(9), minute(20))
		must(t, err)
		equal(t, got.Expires, minute(20))
		n, err := r.DeleteExpired(t.Context(), minute(19))
		must(t, err)
		equal(t, n, 0)
		n, err = r.DeleteExpired(t.Context(), minute(20))
		must(t, err)
		equal(t, n, 1)
	})
	t.Run("a lock does not outlive the key that holds it", func(t *testing.T) {
		s := open(t)
		key := newKey(1)
		key.ExpiresAt = minute(5)
		must(t, s.Keys.Insert(t.Context(), key))
		lock := newLock(1, "/m/a")
		lock.Holder = "apikey:" + key.ID
		must(t, s.Locks.Insert(t.Context(), lock, minute(0), noCheck))
		count := func(at int, want int) {
			t.Helper()
			got, err := s.Locks.Around(t.Context(), minute(at), dav.Reach{Path: "/m/a"})
			must(t, err)
			equal(t, len(got), want)
		}
		count(4, 1)
		count(5, 0)
		_, err := s.Keys.Update(t.Context(), key.ID, keyOff)
		must(t, err)
		count(4, 0)
		_, err = s.Keys.Delete(t.Context(), key.ID)
		must(t, err)
		count(4, 0)
		_, err = s.Locks.Get(t.Context(), lock.Token, minute(4))
		wantCode(t, err, ports.NotFound, "not_found")
	})
	t.Run("of two that exclude each other one is stored", func(t *testing.T) {
		r := open(t).Locks
		taken := errors.New("taken")
		var stored atomic.Int32
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				err := r.Insert(t.Context(), newLock(n, "/m/a"), minute(0), func(around []dav.Lock, _ int) error {
					if len(around) > 0 {
						return taken
					}
					return nil
				})
				if err == nil {
					stored.Add(1)
				} else if !errors.Is(err, taken) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		equal(t, stored.Load(), int32(1))
	})
	t.Run("of many locks at once a holder has as many as may be", func(t *testing.T) {
		r := open(t).Locks
		enough := errors.New("enough")
		for round := range 5 {
			var stored atomic.Int32
			atOnce(8, func(n int) {
				l := newLock(10*round+n, fmt.Sprint("/m/", n))
				l.Holder = fmt.Sprint("holder ", round)
				err := r.Insert(t.Context(), l, minute(0), func(_ []dav.Lock, held int) error {
					if held >= 3 {
						return enough
					}
					return nil
				})
				if err == nil {
					stored.Add(1)
				} else if !errors.Is(err, enough) {
					t.Error(err)
				}
			})
			equal(t, stored.Load(), int32(3))
		}
	})
	t.Run("locks are removed one by one and by folder", func(t *testing.T) {
		r := open(t).Locks
		for i, path := range []string{"/m/a", "/m/a/b", "/m/ab", "/m/c"} {
			must(t, r.Insert(t.Context(), newLock(i, path), minute(0), noCheck))
		}
		must(t, r.DeleteWithin(t.Context(), "/m/a", "/m/x"))
		must(t, r.DeleteWithin(t.Context()))
		must(t, r.Delete(t.Context(), "urn:uuid:3"))
		must(t, r.Delete(t.Context(), "urn:uuid:3"))
		got, err := r.Around(t.Context(), minute(0), dav.Reach{Path: "/", Deep: true})
		must(t, err)
		equal(t, tokens(got), []string{"urn:uuid:2 /m/ab"})
	})
}

func runProperties(t *testing.T, open OpenStores) {
	prop := func(space, name, value string) dav.Property {
		return dav.Property{Space: space, Name: name, XML: "<" + name + ` xmlns="` + space + `">` + value + "</" + name + ">"}
	}
	fill := func(t *testing.T, r dav.PropertyRepository, paths ...string) {
		for _, path := range paths {
			must(t, r.Patch(t.Context(), path, dav.PropertyBounds{Most: 9, Bytes: 1000}, []dav.Property{prop("n", "p", path)}, nil))
		}
	}
	where := func(t *testing.T, r dav.PropertyRepository, paths ...string) map[string]string {
		t.Helper()
		got := map[string]string{}
		for _, path := range paths {
			properties, err := r.Of(t.Context(), path)
			must(t, err)
			for _, p := range properties {
				got[path] = p.XML
			}
		}
		return got
	}
	value := func(path string) string { return prop("n", "p", path).XML }
	t.Run("a patch sets and removes as one", func(t *testing.T) {
		r, three := open(t).Properties, dav.PropertyBounds{Most: 3, Bytes: 1000}
		must(t, r.Patch(t.Context(), "/m/a", three, []dav.Property{prop("urn:a", "x", "1"), prop("", "x", "2"), prop("urn:a", "y", "字")}, nil))
		must(t, r.Patch(t.Context(), "/m/a", three, []dav.Property{prop("urn:a", "x", "new")}, []dav.PropertyName{{Space: "urn:a", Name: "y"}, {Name: "none"}}))
		got, err := r.Of(t.Context(), "/m/a")
		must(t, err)
		equal(t, got, []dav.Property{prop("", "x", "2"), prop("urn:a", "x", "new")})
		err = r.Patch(t.Context(), "/m/a", three, []dav.Property{prop("b", "1", ""), prop("b", "2", "")}, nil)
		wantCode(t, err, ports.Quota, "quota_exceeded")
		got, err = r.Of(t.Context(), "/m/a")
		must(t, err)
		equal(t, len(got), 2)
		got, err = r.Of(t.Context(), "/m")
		must(t, err)
		equal(t, got, []dav.Property{})
	})
	t.Run("a patch keeps to a number of bytes", func(t *testing.T) {
		r := open(t).Properties
		of := func(names ...string) (all []dav.Property, bytes int64) {
			for _, name := range names {
				p := prop("urn:a", name, "字")
				all, bytes = append(all, p), bytes+int64(len(p.Space)+len(p.Name)+len(p.XML))
			}
			return all, bytes
		}
		both, bytes := of("x", "y")
		must(t, r.Patch(t.Context(), "/m/a", dav.PropertyBounds{Most: 9, Bytes: bytes}, both, nil))
		another, _ := of("z")
		wantCode(t, r.Patch(t.Context(), "/m/a", dav.PropertyBounds{Most: 9, Bytes: bytes}, another, nil), ports.Quota, "quota_exceeded")
		must(t, r.Patch(t.Context(), "/m/a", dav.PropertyBounds{Most: 9, Bytes: bytes}, another, []dav.PropertyName{{Space: "urn:a", Name: "x"}}))
	})
	t.Run("a folder's are found with those of its children", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/", "/m", "/m/a", "/m/b", "/m/a/c", "/mm/d")
		got, more, err := r.OfFolder(t.Context(), "/m", 1000)
		must(t, err)
		equal(t, got, map[string][]dav.Property{"/m": {prop("n", "p", "/m")}, "/m/a": {prop("n", "p", "/m/a")}, "/m/b": {prop("n", "p", "/m/b")}})
		equal(t, more, false)
		got, more, err = r.OfFolder(t.Context(), "/m", len(value("/m")+value("/m/a")+value("/m/b"))-1)
		must(t, err)
		equal(t, len(got), 0)
		equal(t, more, true)
		got, _, err = r.OfFolder(t.Context(), "/", 1000)
		must(t, err)
		equal(t, got, map[string][]dav.Property{"/": {prop("n", "p", "/")}, "/m": {prop("n", "p", "/m")}})
	})
	t.Run("a copy takes everything below along and replaces what was there", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/m/文", "/m/文/a", "/m/文/a/b", "/m/文c", "/m/x", "/m/x/old")
		must(t, r.Copy(t.Context(), "/m/文", "/m/x", false))
		equal(t, where(t, r, "/m/文", "/m/文/a", "/m/x", "/m/x/a", "/m/x/a/b", "/m/x/old", "/m/xc"), map[string]string{
			"/m/文": value("/m/文"), "/m/文/a": value("/m/文/a"), "/m/x": value("/m/文"), "/m/x/a": value("/m/文/a"), "/m/x/a/b": value("/m/文/a/b")})
		must(t, r.Copy(t.Context(), "/m/文", "/m/y", true))
		equal(t, where(t, r, "/m/y", "/m/y/a"), map[string]string{"/m/y": value("/m/文")})
	})
	t.Run("of many patches at once as many are stored as may", func(t *testing.T) {
		r := open(t).Properties
		for round := range 10 {
			path := fmt.Sprint("/m/", round)
			atOnce(6, func(n int) {
				err := r.Patch(t.Context(), path, dav.PropertyBounds{Most: 2, Bytes: 1000}, []dav.Property{prop("n", fmt.Sprint(n), "")}, nil)
				if err != nil {
					wantCode(t, err, ports.Quota, "quota_exceeded")
				}
			})
			got, err := r.Of(t.Context(), path)
			must(t, err)
			equal(t, len(got), 2)
		}
	})
	t.Run("many copies to one place at once leave one of them", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/m/0", "/m/1", "/m/2", "/m/3", "/m/to")
		for range 10 {
			atOnce(4, func(n int) { must(t, r.Copy(t.Context(), fmt.Sprint("/m/", n), "/m/to", true)) })
			got, err := r.Of(t.Context(), "/m/to")
			must(t, err)
			equal(t, len(got), 1)
		}
	})
	t.Run("a move leaves nothing behind", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/m/a", "/m/a/b", "/m/ab")
		must(t, r.Move(t.Context(), "/m/a", "/n/c/d"))
		equal(t, where(t, r, "/m/a", "/m/a/b", "/m/ab", "/n/c/d", "/n/c/d/b"), map[string]string{
			"/m/ab": value("/m/ab"), "/n/c/d": value("/m/a"), "/n/c/d/b": value("/m/a/b")})
	})
	t.Run("a tree with more than one transaction writes goes whole", func(t *testing.T) {
		r := open(t).Properties
		long := strings.Repeat("v", 60_000)
		const files = 170 // 10 MB
		for i := range files {
			must(t, r.Patch(t.Context(), fmt.Sprintf("/m/a/%d/%d", i%7, i), dav.PropertyBounds{Most: 9, Bytes: 1 << 20}, []dav.Property{prop("n", "p", long)}, nil))
		}
		fill(t, r, "/m/a", "/m/a/7", "/m/a!/x", "/m/a0/x", "/m/b/old")
		count := func(root string) (n int) {
			for i := range files {
				got, err := r.Of(t.Context(), fmt.Sprintf("%s/%d/%d", root, i%7, i))
				must(t, err)
				n += len(got)
			}
			return n
		}
		must(t, r.Copy(t.Context(), "/m/a", "/m/b", false))
		equal(t, []int{count("/m/a"), count("/m/b")}, []int{files, files})
		must(t, r.Move(t.Context(), "/m/a", "/m/c"))
		equal(t, []int{count("/m/a"), count("/m/c")}, []int{0, files})
		equal(t, where(t, r, "/m/a", "/m/a/7", "/m/c", "/m/c/7", "/m/b/old"), map[string]string{"/m/c": value("/m/a"), "/m/c/7": value("/m/a/7")})
		must(t, r.DeleteWithin(t.Context(), "/m/b", "/m/c"))
		equal(t, []int{count("/m/b"), count("/m/c")}, []int{0, 0})
		equal(t, where(t, r, "/m/a!/x", "/m/a0/x", "/m/c"), map[string]string{"/m/a!/x": value("/m/a!/x"), "/m/a0/x": value("/m/a0/x")})
	})
	t.Run("a region leaves out what is no part of it", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/", "/m", "/m/a", "/m/in", "/m/in/a", "/m/inn", "/m0", "/x")
		must(t, r.Clear(t.Context(), dav.Region{Path: "/m", Except: []string{"/m/in", "/m/none"}}))
		equal(t, where(t, r, "/", "/m", "/m/a", "/m/in", "/m/in/a", "/m/inn", "/m0", "/x"), map[string]string{
			"/": value("/"), "/m/in": value("/m/in"), "/m/in/a": value("/m/in/a"), "/m0": value("/m0"), "/x": value("/x")})
		must(t, r.Clear(t.Context(), dav.Region{Path: "/", Except: []string{"/m"}}))
		equal(t, where(t, r, "/", "/m/in", "/m/in/a", "/m0", "/x"), map[string]string{"/m/in": value("/m/in"), "/m/in/a": value("/m/in/a")})
	})
	t.Run("a region is carried to another path", func(t *testing.T) {
		for _, c := range []struct {
			name     string
			from, to dav.Region
			want     map[string]string
		}{
			{"beside it", dav.Region{Path: "/文", Except: []string{"/文/in"}}, dav.Region{Path: "/n"},
				map[string]string{"/": "/", "/n": "/文", "/n/a": "/文/a", "/n/a/a": "/文/a/a", "/文/in/a": "/文/in/a", "/x": "/x"}},
			{"into itself", dav.Region{Path: "/文", Except: []string{"/文/in"}}, dav.Region{Path: "/文/a"},
				map[string]string{"/": "/", "/文/a": "/文", "/文/a/a": "/文/a", "/文/a/a/a": "/文/a/a", "/文/in/a": "/文/in/a", "/n": "/n", "/n/old": "/n/old", "/x": "/x"}},
			{"out of a folder", dav.Region{Path: "/文/a"}, dav.Region{Path: "/文"},
				map[string]string{"/": "/", "/文": "/文/a", "/文/a": "/文/a/a", "/n": "/n", "/n/old": "/n/old", "/x": "/x"}},
			{"to the root", dav.Region{Path: "/文", Except: []string{"/文/in"}}, dav.Region{Path: "/", Except: []string{"/n", "/文/in"}},
				map[string]string{"/": "/文", "/a": "/文/a", "/a/a": "/文/a/a", "/文/in/a": "/文/in/a", "/n": "/n", "/n/old": "/n/old"}},
			{"from the root", dav.Region{Path: "/", Except: []string{"/n"}}, dav.Region{Path: "/m/k"},
				map[string]string{"/m/k": "/", "/m/k/文": "/文", "/m/k/文/a": "/文/a", "/m/k/文/a/a": "/文/a/a", "/m/k/文/in/a": "/文/in/a", "/m/k/x": "/x", "/n": "/n", "/n/old": "/n/old"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				r := open(t).Properties
				paths := []string{"/", "/文", "/文/a", "/文/a/a", "/文/in/a", "/n", "/n/old", "/x"}
				fill(t, r, paths...)
				must(t, r.Carry(t.Context(), c.from, c.to))
				want := map[string]string{}
				for at, from := range c.want {
					paths, want[at] = append(paths, at), value(from)
				}
				equal(t, where(t, r, append(paths, "/a/in/a", "/in/a", "/n/in/a")...), want)
			})
		}
	})
	t.Run("properties go with their folder", func(t *testing.T) {
		r := open(t).Properties
		fill(t, r, "/m/a", "/m/a/b", "/m/a/b/c", "/m/ab", "/m/a0")
		must(t, r.DeleteWithin(t.Context(), "/m/a", "/none"))
		must(t, r.DeleteWithin(t.Context()))
		equal(t, where(t, r, "/m/a", "/m/a/b", "/m/a/b/c", "/m/ab", "/m/a0"), map[string]string{"/m/ab": value("/m/ab"), "/m/a0": value("/m/a0")})
	})
}

func keyOff(k *keys.Key) error {
	k.IsActive = false
	return nil
}
