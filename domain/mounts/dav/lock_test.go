package dav_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// fixture is the common one with what these tests do to it.
type fixture struct{ *mountstest.WriteFixture }

func newFixture(t *testing.T) *fixture { return &fixture{mountstest.NewWriteFixture(t)} }

// other is a key that shares the tree with davMan.
var other = mounts.Caller{Who: policy.Principal{Kind: policy.Admin, ID: "other", BasicPath: "/"}, Door: mounts.WebDAV}

// locks locks a path and returns the token.
func (y *fixture) locks(c mounts.Caller, path string, n dav.NewLock) string {
	y.T.Helper()
	l, _, err := y.Lock(y.T.Context(), c, path, n)
	if err != nil {
		y.T.Fatalf("lock %s: %v", path, err)
	}
	return l.Token
}

func holding(c mounts.Caller, tokens ...string) mounts.Caller {
	c.Locks = tokens
	return c
}

func TestContract8_11_LocksExcludeOneAnother(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string
		a, b          dav.NewLock
		locked        bool
	}{
		{"the same file", "/m/f", "/m/f", dav.NewLock{}, dav.NewLock{}, true},
		{"shared and shared", "/m/f", "/m/f", dav.NewLock{Shared: true}, dav.NewLock{Shared: true}, false},
		{"shared and exclusive", "/m/f", "/m/f", dav.NewLock{Shared: true}, dav.NewLock{}, true},
		{"exclusive and shared", "/m/f", "/m/f", dav.NewLock{}, dav.NewLock{Shared: true}, true},
		{"below a deep one", "/m/d", "/m/d/f", dav.NewLock{Deep: true}, dav.NewLock{}, true},
		{"below a flat one", "/m/d", "/m/d/f", dav.NewLock{}, dav.NewLock{}, false},
		{"deep above one", "/m/d/f", "/m/d", dav.NewLock{}, dav.NewLock{Deep: true}, true},
		{"flat above one", "/m/d/f", "/m/d", dav.NewLock{}, dav.NewLock{}, false},
		{"a sibling with the same beginning", "/m/d", "/m/d2", dav.NewLock{Deep: true}, dav.NewLock{Deep: true}, false},
		{"another mount", "/m/f", "/far/f", dav.NewLock{Deep: true}, dav.NewLock{Deep: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newFixture(t)
			for _, key := range []string{"f", "d/", "d/f", "d2/"} {
				y.Near.Put("root/"+key, "")
			}
			y.Far.Put("f", "")
			y.locks(mountstest.AdminByDAV, c.first, c.a)
			_, _, err := y.Lock(t.Context(), other, c.second, c.b)
			if got := errors.Is(err, mounts.ErrLocked); got != c.locked || !got && err != nil {
				t.Errorf("error = %v, locked should be %t", err, c.locked)
			}
		})
	}
}

// Every write, at both doors, against a lock of somebody else, with the token
// of somebody else, and with one's own.
func TestContract8_11_WritesLookAtLocks(t *testing.T) {
	writes := map[string]func(y *fixture, c mounts.Caller) error{
		"write": func(y *fixture, c mounts.Caller) error {
			_, _, err := y.Write(y.T.Context(), c, "/m/d/f", strings.NewReader("new"), mounts.Write{Size: 3, Overwrite: true})
			return err
		},
		"delete": func(y *fixture, c mounts.Caller) error {
			return y.Delete(y.T.Context(), c, "/m/d/f", transfer.Deletion{})
		},
		"delete above": func(y *fixture, c mounts.Caller) error {
			return y.Delete(y.T.Context(), c, "/m/d", transfer.Deletion{})
		},
		"move away": func(y *fixture, c mounts.Caller) error {
			_, err := y.CopyTo(y.T.Context(), c, "/m/d/f", "/m/g", transfer.Placing{Move: true})
			return err
		},
		"copy onto": func(y *fixture, c mounts.Caller) error {
			_, err := y.CopyTo(y.T.Context(), c, "/m/e", "/m/d/f", transfer.Placing{Overwrite: true})
			return err
		},
		"properties": func(y *fixture, c mounts.Caller) error {
			return y.Patch(y.T.Context(), c, "/m/d/f", []dav.Property{{Space: "u", Name: "p", XML: "<p/>"}}, nil)
		},
		"rename": func(y *fixture, c mounts.Caller) error {
			_, err := y.Rename(y.T.Context(), c, "/m/d/f", "/m/d/g", false)
			return err
		},
	}
	for name, write := range writes {
		for _, door := range []mounts.Door{mounts.Explorer, mounts.WebDAV} {
			y := newFixture(t)
			for _, key := range []string{"d/", "d/f", "e"} {
				y.Near.Put("root/"+key, "old")
			}
			token := y.locks(mountstest.AdminByDAV, "/m/d/f", dav.NewLock{})
			mine, theirs := mountstest.AdminByDAV, other
			mine.Door, theirs.Door = door, door
			for who, c := range map[string]mounts.Caller{"nobody's token": mine, "another token": holding(mine, "urn:uuid:x"), "the token in other hands": holding(theirs, token)} {
				if err := write(y, c); !errors.Is(err, &ports.Error{Code: ports.Locked, Key: "locked"}) {
					t.Errorf("%s with %s: %v, want locked", name, who, err)
				}
			}
			if got := string(y.Near.Bytes("root/d/f")); got != "old" {
				t.Errorf("%s: the content became %q", name, got)
			}
			if err := write(y, holding(mine, token)); err != nil {
				t.Errorf("%s with the token: %v", name, err)
			}
		}
	}
}

func TestContract8_11_AFolderLockedFlatKeepsItsMembers(t *testing.T) {
	y := newFixture(t)
	y.Near.Put("root/d/", "")
	y.Near.Put("root/d/f", "old")
	token := y.locks(mountstest.AdminByDAV, "/m/d", dav.NewLock{})
	put := func(c mounts.Caller, path string) error {
		_, _, err := y.Write(t.Context(), c, path, strings.NewReader("x"), mounts.Write{Size: 1, Overwrite: true})
		return err
	}
	if err := put(other, "/m/d/f"); err != nil {
		t.Errorf("a member may change: %v", err)
	}
	for path, c := range map[string]mounts.Caller{"/m/d/new": other, "/m/d/new2": mountstest.AdminByDAV} {
		if err := put(c, path); !ports.Is(err, ports.Locked) {
			t.Errorf("%s: %v, want locked", path, err)
		}
	}
	if err := y.Mkdir(t.Context(), other, "/m/d/sub", mounts.NewFolder{Strict: true}); !ports.Is(err, ports.Locked) {
		t.Errorf("a new folder: %v", err)
	}
	if err := put(holding(mountstest.AdminByDAV, token), "/m/d/new"); err != nil {
		t.Errorf("with the token: %v", err)
	}
}

func TestContract8_11_TimesOfLocks(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{0: dav.DefaultLock, time.Second: time.Second, time.Hour: time.Hour, 3 * time.Hour: dav.LongestLock} {
		y := newFixture(t)
		y.Near.Put("root/f", "")
		l, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/f", dav.NewLock{Life: asked})
		if err != nil || l.Expires.Sub(l.Created) != want {
			t.Errorf("%v: %v %v, want %v", asked, l.Expires.Sub(l.Created), err, want)
		}
		mine := holding(mountstest.AdminByDAV, l.Token)
		longer, err := y.Prolong(t.Context(), mine, "/m/f", time.Minute)
		if err != nil || !longer.Expires.Equal(y.Clock.Now().Add(time.Minute)) {
			t.Errorf("prolonged to %v, %v", longer.Expires, err)
		}
		if _, err := y.Prolong(t.Context(), holding(other, l.Token), "/m/f", time.Minute); !errors.Is(err, dav.ErrLockEnded) {
			t.Errorf("prolonged by somebody else: %v", err)
		}
		y.Clock.Add(time.Minute)
		if _, err := y.Prolong(t.Context(), mine, "/m/f", time.Minute); !errors.Is(err, dav.ErrLockEnded) {
			t.Errorf("prolonged after its end: %v", err)
		}
		y.locks(other, "/m/f", dav.NewLock{})
	}
}

func TestALockOnNothingMakesAnEmptyFile(t *testing.T) {
	y := newFixture(t)
	y.Near.Put("root/d/", "")
	l, created, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/d/new.txt", dav.NewLock{})
	if err != nil || !created || l.Folder || !slices.Contains(y.Names(y.Near), "d/new.txt") {
		t.Errorf("created %t, %v; %v", created, err, y.Names(y.Near))
	}
	for path, want := range map[string]ports.Code{"/m/none/x": ports.Conflict, "/m/none/": ports.NotFound, "/": ports.Forbidden, "/nowhere/x": ports.NotFound} {
		if _, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, path, dav.NewLock{}); !ports.Is(err, want) {
			t.Errorf("lock %s: %v, want code %d", path, err, want)
		}
	}
	if d := cmp.Diff(y.Names(y.Near), []string{"d/", "d/new.txt"}); d != "" {
		t.Error(d)
	}
}

func TestAFailedFileLeavesNoLock(t *testing.T) {
	y := newFixture(t)
	y.Near.Fail = func(method, _ string) error {
		if method == "Write" {
			return ports.ErrUnavailable
		}
		return nil
	}
	if _, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/new", dav.NewLock{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("error = %v", err)
	}
	y.Near.Fail = nil
	y.locks(other, "/m/new", dav.NewLock{})
}

func TestAHolderHasOnlySoManyLocks(t *testing.T) {
	y := newFixture(t)
	y.Near.Put("root/f", "")
	for range dav.MaxLocks {
		y.locks(mountstest.AdminByDAV, "/m/f", dav.NewLock{Shared: true})
	}
	if _, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/f", dav.NewLock{Shared: true}); !errors.Is(err, dav.ErrTooManyLocks) {
		t.Errorf("error = %v", err)
	}
	y.locks(other, "/m/f", dav.NewLock{Shared: true})
}

func TestContract8_11_IfConditions(t *testing.T) {
	y := newFixture(t)
	tag := y.Near.Put("root/f", "old").ETag
	y.Near.Put("root/g", "else")
	token := y.locks(mountstest.AdminByDAV, "/m/f", dav.NewLock{Shared: true})
	term := func(tokenOrTag string) mounts.IfTerm {
		if strings.HasPrefix(tokenOrTag, "urn:") || strings.HasPrefix(tokenOrTag, "DAV:") {
			return mounts.IfTerm{Token: tokenOrTag}
		}
		return mounts.IfTerm{ETag: tokenOrTag}
	}
	not := func(t mounts.IfTerm) mounts.IfTerm { t.Not = true; return t }
	list := func(path string, terms ...mounts.IfTerm) mounts.IfList {
		return mounts.IfList{Path: path, Terms: terms}
	}
	for name, c := range map[string]struct {
		lists []mounts.IfList
		holds bool
	}{
		"the token":                      {[]mounts.IfList{list("/m/f", term(token))}, true},
		"the token and the tag":          {[]mounts.IfList{list("/m/f", term(token), term(tag))}, true},
		"the token and another tag":      {[]mounts.IfList{list("/m/f", term(token), term("other"))}, false},
		"one of two lists":               {[]mounts.IfList{list("/m/f", term("other")), list("/m/f", term(token))}, true},
		"no lock is never there":         {[]mounts.IfList{list("/m/f", term("DAV:no-lock"))}, false},
		"not no lock":                    {[]mounts.IfList{list("/m/f", not(term("DAV:no-lock")))}, true},
		"not the token":                  {[]mounts.IfList{list("/m/f", not(term(token)))}, false},
		"the token on another file":      {[]mounts.IfList{list("/m/g", term(token))}, false},
		"a tag of what is missing":       {[]mounts.IfList{list("/m/none", term(tag))}, false},
		"not a tag of what is missing":   {[]mounts.IfList{list("/m/none", not(term(tag)))}, true},
		"a resource of another server":   {[]mounts.IfList{list("", term(token))}, false},
		"a weak tag":                     {[]mounts.IfList{list("/m/f", mounts.IfTerm{})}, false},
		"the tag of a file under a list": {[]mounts.IfList{list("/m/g", term(tag)), list("/m/f", term(tag))}, true},
	} {
		caller := holding(mountstest.AdminByDAV, token)
		caller.If = c.lists
		err := y.Patch(t.Context(), caller, "/m/f", nil, nil)
		if c.holds && err != nil || !c.holds && !errors.Is(err, dav.ErrCondition) {
			t.Errorf("%s: %v, should hold: %t", name, err, c.holds)
		}
	}
}

func TestContract8_12_PropertiesFollowTheirFile(t *testing.T) {
	y := newFixture(t)
	y.Near.Put("root/d/", "")
	y.Near.Put("root/d/f", "x")
	colour := []dav.Property{{Space: "u", Name: "colour", XML: `<colour xmlns="u">blue</colour>`}}
	if err := y.Patch(t.Context(), mountstest.AdminByDAV, "/m/d/f", colour, nil); err != nil {
		t.Fatal(err)
	}
	shown := func(path string) []dav.Property {
		v, err := y.Browse(t.Context(), mountstest.AdminByDAV, path, false)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return v.Properties(path)
	}
	if _, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, "/m/d", "/far/d", transfer.Placing{}); err != nil {
		t.Fatal(err)
	}
	if _, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, "/m/d", "/m/e", transfer.Placing{Move: true}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/far/d/f", "/m/e/f"} {
		if d := cmp.Diff(shown(path), colour); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
	if err := y.Delete(t.Context(), mountstest.AdminByDAV, "/m/e", transfer.Deletion{}); err != nil {
		t.Fatal(err)
	}
	y.Near.Put("root/e/f", "another")
	if got := shown("/m/e/f"); len(got) != 0 {
		t.Errorf("a new file has the properties of the old one: %v", got)
	}
	if err := y.Patch(t.Context(), mountstest.AdminByDAV, "/m/e/f", []dav.Property{{Name: "big", XML: strings.Repeat("x", dav.MaxProperty+1)}}, nil); !ports.Is(err, ports.Quota) {
		t.Errorf("a property over its bound: %v", err)
	}
}

func TestContract8_10_ReplacingAFolderEndsTheLocksBelowIt(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "src/", "src/f", "dst/", "dst/f")
	own, member := y.locks(mountstest.AdminByDAV, "/m/dst", dav.NewLock{}), y.locks(mountstest.AdminByDAV, "/m/dst/f", dav.NewLock{})
	if err := y.Patch(t.Context(), holding(mountstest.AdminByDAV, member), "/m/dst/f", []dav.Property{{Space: "u", Name: "old", XML: "<old/>"}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := y.CopyTo(t.Context(), holding(mountstest.AdminByDAV, own, member), "/m/src", "/m/dst", transfer.Placing{Overwrite: true, Alone: true}); err != nil {
		t.Fatal(err)
	}
	y.Put(y.Near, "dst/f")
	v, err := y.Browse(t.Context(), mountstest.AdminByDAV, "/m/dst/f", false)
	if err != nil || len(v.Locks("/m/dst/f"))+len(v.Properties("/m/dst/f")) != 0 {
		t.Errorf("%v: locks %v, properties %v", err, v.Locks("/m/dst/f"), v.Properties("/m/dst/f"))
	}
	if v, err := y.Browse(t.Context(), mountstest.AdminByDAV, "/m/dst", false); err != nil || len(v.Locks("/m/dst")) != 1 {
		t.Errorf("the lock on the target itself: %v, %v", v.Locks("/m/dst"), err)
	}
}

// /m and /twin show one storage, and so does a config of the same home: a lock
// by one name counts by the others.
func TestLocksHoldByAllPathsThatShowOnePlace(t *testing.T) {
	fresh := func() *fixture {
		y := newFixture(t)
		about := y.Deps.Storages.(mountstest.Stores).About
		near := about["near"]
		near.Home = "/disk/"
		about["near"] = near
		y.Show("same", "root/d/", "/disk/")
		y.Put(y.Near, "d/", "d/f=old", "d/e/", "d/e/g=old", "f=old")
		return y
	}
	for _, c := range []struct {
		name, lock, write string
		deep, locked      bool
	}{
		{"the other mount", "/twin/d/f", "/m/d/f", false, true},
		{"the other config", "/same/f", "/m/d/f", false, true},
		{"from the other config", "/m/d/f", "/same/f", false, true},
		{"a deep lock above", "/twin/d", "/m/d/e/g", true, true},
		{"a deep lock of the mount point", "/same", "/m/d/e/g", true, true},
		{"a flat lock above that", "/twin/d", "/m/d/e/g", false, false},
		{"another file", "/twin/f", "/m/d/f", false, false},
		{"another folder of the name", "/twin/f", "/same/f", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := fresh()
			y.locks(mountstest.AdminByDAV, c.lock, dav.NewLock{Deep: c.deep})
			write := func(who mounts.Caller) error {
				_, _, err := y.Write(t.Context(), who, c.write, strings.NewReader("new"), mounts.Write{Size: 3, Overwrite: true})
				return err
			}
			err := write(other)
			if got := errors.Is(err, mounts.ErrLocked); got != c.locked || !got && err != nil {
				t.Fatalf("error = %v, locked should be %t", err, c.locked)
			}
			var e *ports.Error
			if errors.As(err, &e) && e.Params["path"] != c.write {
				t.Errorf("the path %v of another mount was told", e.Params["path"])
			}
			if _, _, err := y.Lock(t.Context(), other, c.write, dav.NewLock{}); errors.Is(err, mounts.ErrLocked) != c.locked {
				t.Errorf("a second lock: %v, locked should be %t", err, c.locked)
			}
			y = fresh()
			token := y.locks(mountstest.AdminByDAV, c.lock, dav.NewLock{Deep: c.deep})
			if err := write(holding(mountstest.AdminByDAV, token)); err != nil {
				t.Errorf("with the token: %v", err)
			}
		})
	}
	y := fresh()
	y.locks(mountstest.AdminByDAV, "/same/e/g", dav.NewLock{})
	mountstest.WantError(t, y.Delete(t.Context(), other, "/m/d", transfer.Deletion{}), mounts.ErrLocked)
	y.WantFiles(y.Near, "d/e/g", "d/f", "f")
}

// racing stores another lock right before the one that is asked for.
type racing struct {
	dav.LockRepository
	before func()
}

func (r *racing) Insert(ctx context.Context, l *dav.Lock, now time.Time, check func([]dav.Lock, int) error) error {
	r.before()
	return r.LockRepository.Insert(ctx, l, now, check)
}

func TestTwoLocksAtOnceKeepToTheBoundOfAHolder(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f=old")
	for range dav.MaxLocks - 1 {
		y.locks(mountstest.AdminByDAV, "/m/f", dav.NewLock{Shared: true})
	}
	locks := &racing{LockRepository: y.LockRepo}
	locks.before = func() {
		last := dav.Lock{Token: "urn:uuid:last", Path: "/m/f", Shared: true, Holder: mountstest.AdminByDAV.Who.Owner(), Created: y.Clock.Now(), Expires: y.Clock.Now().Add(time.Hour)}
		if err := y.LockRepo.Insert(t.Context(), &last, y.Clock.Now(), func([]dav.Lock, int) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	_, _, err := dav.New(y.Tree, locks, nil).Lock(t.Context(), mountstest.AdminByDAV, "/m/f", dav.NewLock{Shared: true})
	if !errors.Is(err, dav.ErrTooManyLocks) {
		t.Errorf("error = %v", err)
	}
}

func TestTwoLocksByTwoPathsOfOnePlaceDoNotBothHold(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f=old")
	locks := &racing{LockRepository: y.LockRepo}
	locks.before = func() {
		locks.before = func() {}
		there := dav.Lock{Token: "urn:uuid:other", Path: "/twin/f", Holder: "another", Created: y.Clock.Now(), Expires: y.Clock.Now().Add(time.Hour)}
		if err := y.LockRepo.Insert(t.Context(), &there, y.Clock.Now(), func([]dav.Lock, int) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	y.LockRepo = locks
	y.Build(y.Deps)
	_, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/f", dav.NewLock{})
	mountstest.WantError(t, err, mounts.ErrLocked)
	left, err := y.LockRepo.Around(t.Context(), y.Clock.Now(), dav.Reach{Path: "/", Deep: true})
	if err != nil || len(left) != 1 || left[0].Path != "/twin/f" {
		t.Errorf("locks that hold: %+v, %v", left, err)
	}
}

// meanwhile is a body during which something happens.
type meanwhile struct {
	io.Reader
	do func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.Reader.Read(p)
}

func TestWhoLocksAFileWhileAnotherSendsItKeepsIt(t *testing.T) {
	for _, c := range []struct {
		name, path, lock string
		size             int64
		deep             bool
	}{
		{"the file", "/m/d/f", "/m/d/f", 3, false},
		{"the folder of a file", "/m/d/f", "/m/d", 3, true},
		{"the folder of a new file", "/m/d/g", "/m/d", 3, false},
		{"by another mount", "/m/d/f", "/twin/d/f", 3, false},
		{"a body of unknown length", "/m/d/f", "/m/d/f", -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			y := newFixture(t)
			y.Put(y.Near, "d/", "d/f=old")
			body := &meanwhile{strings.NewReader("new"), func() { y.locks(other, c.lock, dav.NewLock{Deep: c.deep}) }}
			_, _, err := y.Write(t.Context(), mountstest.AdminByDAV, c.path, body, mounts.Write{Size: c.size, Overwrite: true})
			mountstest.WantError(t, err, mounts.ErrLocked)
			y.WantFiles(y.Near, "d/f")
			if got := string(y.Near.Bytes("root/d/f")); got != "old" {
				t.Errorf("who has locked the file reads %q", got)
			}
		})
	}
}

func TestALockThatEndsWhileItsHolderSendsAFileRefusesNothing(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f=old")
	mine := holding(mountstest.AdminByDAV, y.locks(mountstest.AdminByDAV, "/m/f", dav.NewLock{}))
	mine.If = []mounts.IfList{{Path: "/m/f", Terms: []mounts.IfTerm{{Token: mine.Locks[0]}}}}
	body := &meanwhile{strings.NewReader("new"), func() { y.Clock.Add(dav.LongestLock) }}
	if _, _, err := y.Write(t.Context(), mine, "/m/f", body, mounts.Write{Size: 3, Overwrite: true}); err != nil {
		t.Error(err)
	}
}

// watched tells when locks were looked at, and what is asked for comes next.
type watched struct {
	racing
	looked func()
}

func (w *watched) Around(ctx context.Context, now time.Time, reaches ...dav.Reach) ([]dav.Lock, error) {
	locks, err := w.LockRepository.Around(ctx, now, reaches...)
	w.looked()
	return locks, err
}

func TestALockWaitsForAWriteThatHasLookedForTheLastTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newFixture(t)
		y.Put(y.Near, "f=old")
		locks := &watched{racing{LockRepository: y.LockRepo}, func() {}}
		found := make(chan string, 1)
		locks.before = func() { found <- string(y.Near.Bytes("root/f")) }
		y.LockRepo = locks
		y.Build(y.Deps)
		body := &meanwhile{strings.NewReader("new"), func() {
			locks.looked = func() {
				locks.looked = func() {}
				go func() {
					if _, _, err := y.Lock(t.Context(), other, "/m/f", dav.NewLock{}); err != nil {
						t.Error(err)
					}
				}()
				synctest.Wait()
			}
		}}
		if _, _, err := y.Write(t.Context(), mountstest.AdminByDAV, "/m/f", body, mounts.Write{Size: 3, Overwrite: true}); err != nil {
			t.Error(err)
		}
		if got := <-found; got != "new" {
			t.Errorf("the lock came when the file was %q", got)
		}
	})
}
