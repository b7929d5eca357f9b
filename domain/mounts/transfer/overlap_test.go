package transfer_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/portstest"
)

// mirrored is a fixture with three more mounts, by storage configs that nothing
// connects with "near" although they show the same bucket: /same all that /m
// shows, /inner what is in /m/d/e, and /outer what is above /m.
func mirrored(t *testing.T) *fixture {
	y := newFixture(t)
	y.Show("same", "root/", "")
	y.Show("inner", "root/d/e/", "")
	y.Show("outer", "", "")
	y.Put(y.Near, "d/", "d/a", "d/e/", "d/e/c", "d/e/f/g", "d/z", "other")
	return y
}

// tidy checks that nothing tells of a probe any more.
func (y *fixture) tidy() {
	y.T.Helper()
	for _, b := range []*portstest.Bucket{y.Near, y.Far} {
		for _, key := range b.Keys() {
			if strings.Contains(key, "probe") {
				y.T.Errorf("%s was left", key)
			}
		}
	}
	left, err := y.Journal.List(y.T.Context(), transfer.MoveFilter{IdleSince: y.Clock.Now().Add(time.Hour)})
	if err != nil || left.Total > 0 {
		y.T.Errorf("the journal is not empty: %v, %v", left.Items, err)
	}
}

// A move to where the source is already, or into it, or over what holds it,
// would delete the only copy.
func TestNothingIsLostWhereTwoConfigsShowOnePlace(t *testing.T) {
	over := func(from, to string) transfer.CopyRequest {
		r := items(from, to)
		r.SkipExisting, r.Conflict = false, transfer.Overwrite
		return r
	}
	for name, move := range map[string]struct {
		from, to string
		want     error // of the item; nil means that it is moved to where it is
		dav      bool  // over WebDAV, where the target makes way
	}{
		"a file onto itself":                     {from: "/m/d/a", to: "/same/d/a"},
		"a file onto itself, from above":         {from: "/m/d/e/c", to: "/outer/root/d/e/c"},
		"a file onto itself, from below":         {from: "/m/d/e/c", to: "/inner/c"},
		"a folder onto itself":                   {from: "/m/d/", to: "/same/d"},
		"a folder onto itself, from below":       {from: "/m/d/e/f/", to: "/inner/f"},
		"a folder into itself":                   {from: "/m/d/", to: "/same/d/e/new", want: mounts.ErrIntoSelf},
		"a folder into a folder in it":           {from: "/m/d/", to: "/same/d/e", want: mounts.ErrIntoSelf},
		"a folder into a config below it":        {from: "/m/d/", to: "/inner/new", want: mounts.ErrIntoSelf},
		"a folder into a folder of one below it": {from: "/m/d/", to: "/inner/f", want: mounts.ErrIntoSelf},
		"a folder over the one above it":         {from: "/m/d/e/", to: "/same/d", want: mounts.ErrIntoSelf},
		"a folder over one far above it":         {from: "/inner/f/", to: "/outer/root/d", want: mounts.ErrIntoSelf},
		"WebDAV: a file onto itself":             {from: "/m/d/a", to: "/same/d/a", want: mounts.ErrIntoSelf, dav: true},
		"WebDAV: a folder onto itself":           {from: "/m/d", to: "/outer/root/d", want: mounts.ErrIntoSelf, dav: true},
		"WebDAV: a folder into itself":           {from: "/m/d", to: "/inner/new", want: mounts.ErrIntoSelf, dav: true},
		"WebDAV: a folder over the one above it": {from: "/m/d/e", to: "/same/d", want: mounts.ErrIntoSelf, dav: true},
		"WebDAV: a folder over one far above it": {from: "/inner/f", to: "/m/d", want: mounts.ErrIntoSelf, dav: true},
		"WebDAV: a file over the folder of it":   {from: "/inner/c", to: "/m/d", want: mounts.ErrIntoSelf, dav: true},
	} {
		t.Run(name, func(t *testing.T) {
			y := mirrored(t)
			before := y.Files(y.Near)
			err := error(nil)
			if move.dav {
				_, err = y.CopyTo(t.Context(), mountstest.AdminByDAV, move.from, move.to, transfer.Placing{Move: true, Overwrite: true})
			} else {
				result, failed := y.Move(t.Context(), mountstest.Admin, over(move.from, move.to))
				if err = failed; len(result.Failed) > 0 {
					err = result.Failed[0].Err
				}
			}
			if move.want != nil {
				mountstest.WantError(t, err, move.want)
			}
			for name, content := range before {
				if got := y.Files(y.Near)[name]; got != content && (move.want != nil || !copied(y.Files(y.Near), content)) {
					t.Errorf("%s holds %q, want %q", name, got, content)
				}
			}
			y.tidy()
		})
	}
}

// copied reports whether some file has the content: what is moved onto itself
// under Overwrite gets another name beside it.
func copied(files map[string]string, content string) bool {
	for _, got := range files {
		if got == content {
			return true
		}
	}
	return false
}

func TestAFolderIsCopiedIntoItselfOnceWhereTwoConfigsShowOnePlace(t *testing.T) {
	for name, target := range map[string]string{"by the same tree": "/same/d/new", "by a config below it": "/inner/new", "by one above it": "/outer/root/d/new"} {
		for _, task := range []bool{false, true} {
			y := mirrored(t)
			opener := y.Deps.Storages.(mountstest.Stores).Opener
			for name := range opener {
				opener[name] = faultyBucket{opener[name].(*portstest.Bucket), &faulty{memory: y.Memory}} // which signs nothing for the caller to carry
			}
			r := items("/m/d/", target)
			if r.Task = task; task {
				if _, err := y.Copy(t.Context(), mountstest.Admin, r); err != nil {
					t.Fatal(err)
				}
				if err := y.Work(transfer.CopyTask, mountstest.NewRun(t, y.Tasks.Started[0])); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			} else {
				result, err := y.Copy(t.Context(), mountstest.Admin, r)
				if err != nil || len(result.Failed) > 0 || len(result.Cross) > 0 || result.Success != 4 {
					t.Errorf("%s: got %+v, %v; want 4 copies", name, result, err)
				}
			}
			front := map[string]string{"/same/d/new": "d/new/", "/inner/new": "d/e/new/", "/outer/root/d/new": "d/new/"}[target]
			want := map[string]string{"d/a": "d/a", "d/e/c": "d/e/c", "d/e/f/g": "d/e/f/g", "d/z": "d/z", "other": "other"}
			for _, f := range []string{"a", "e/c", "e/f/g", "z"} {
				want[front+f] = "d/" + f
			}
			if got := y.Files(y.Near); !maps.Equal(got, want) {
				t.Errorf("%s (task %t): got %v, want %v", name, task, got, want)
			}
			y.tidy()
		}
	}
}

// What only looks alike is moved.
func TestEqualFilesOfTwoStoragesAreMoved(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/", "d/f=same", "d/g=same", "f=same")
	y.Put(y.Far, "d/", "d/f=same", "f=same", "keep/d/f=same")
	r := items("/m/f", "/far/f", "/m/d/", "/far/d")
	r.SkipExisting, r.Conflict = false, transfer.Overwrite
	result, err := y.Move(t.Context(), mountstest.Admin, r)
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	y.WantFiles(y.Near)
	y.WantFiles(y.Far, "d/f", "d/g", "f", "keep/d/f")
	y.Put(y.Near, "d/f=same")
	if _, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, "/m/d", "/far/keep", transfer.Placing{Move: true, Overwrite: true}); err != nil {
		t.Error(err)
	}
	y.WantFiles(y.Far, "d/f", "d/g", "f", "keep/f")
	y.tidy()
}

func TestAProbeThatACrashLeavesIsRemoved(t *testing.T) {
	y := mirrored(t)
	y.Deps.Report = func(string, error) {}
	y.Build(y.Deps)
	y.Near.Fail = func(method, key string) error {
		if method == "Delete" {
			return ports.ErrUnavailable
		}
		return nil
	}
	r := items("/m/d/", "/same/d/e/new")
	if result, err := y.Move(t.Context(), mountstest.Admin, r); err != nil || len(result.Failed) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	y.Near.Fail = nil
	if err := y.Recover(t.Context(), y.Clock.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	y.tidy()
	y.WantFiles(y.Near, "d/a", "d/e/c", "d/e/f/g", "d/z", "other")
}

// Two moves that swap two folders would delete each other's copies.
func TestMovesThatMeetUnderTwoNamesTakeTurns(t *testing.T) {
	y := newFixture(t)
	about := y.Deps.Storages.(mountstest.Stores).About
	near := about["near"]
	near.Home = "https://one/bucket/"
	about["near"] = near
	y.Show("same", "root/", "https://one/bucket/")
	y.Put(y.Near, "d/a", "e/b")
	met := false
	y.Near.Fail = func(method, key string) error {
		if method == "Copy" && !met {
			met = true
			result, err := y.Move(context.Background(), mountstest.Admin, items("/same/new/", "/same/d2"))
			if err == nil && len(result.Failed) == 0 {
				t.Error("a move of what another move is putting there was begun")
			}
		}
		return nil
	}
	y.Put(y.Near, "new/x")
	r := items("/m/d/", "/m/new")
	r.Conflict = transfer.Overwrite
	if result, err := y.Move(t.Context(), mountstest.Admin, r); err != nil || len(result.Failed) > 0 || !met {
		t.Errorf("got %+v, %v, met %t", result, err, met)
	}
	y.WantFiles(y.Near, "e/b", "new/a", "new/x")
}

// A write by one config is seen by the listing of another that shows the place.
func TestListingsOfOtherConfigsOfOnePlaceAreDropped(t *testing.T) {
	y := newFixture(t)
	about := y.Deps.Storages.(mountstest.Stores).About
	near := about["near"]
	near.Home = "/disk/"
	about["near"] = near
	y.Show("same", "root/", "/disk/")
	y.Show("up", "", "/disk/")
	y.Put(y.Near, "d/a")
	for _, folder := range []string{"/same/d", "/up/root/d"} {
		names := func() (names []string) {
			l, err := y.List(t.Context(), mountstest.Admin, mounts.ListQuery{Path: folder})
			if err != nil {
				t.Fatal(err)
			}
			for e := range l.All() {
				names = append(names, e.Name)
			}
			return names
		}
		before := len(names())
		if _, _, err := y.Write(t.Context(), mountstest.Admin, "/m/d/new"+folder[1:3], strings.NewReader("x"), mounts.Write{Size: 1, Overwrite: true}); err != nil {
			t.Fatal(err)
		}
		if got := names(); len(got) != before+1 {
			t.Errorf("%s: got %v", folder, got)
		}
	}
}

// racingJournal notes another move right before the one that begins.
type racingJournal struct {
	transfer.Journal
	before func()
}

func (r *racingJournal) Insert(ctx context.Context, j *transfer.MoveRecord) error {
	r.before()
	return r.Journal.Insert(ctx, j)
}

func TestTwoMovesThatSwapFoldersAtOnceDoNotBothBegin(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1", "b/2")
	real := y.Journal
	journal := &racingJournal{Journal: real}
	journal.before = func() {
		journal.before = func() {}
		now := y.Clock.Now()
		if err := real.Insert(t.Context(), &transfer.MoveRecord{ID: "other", FromConfig: "near", FromKey: "root/b/", FromPath: "/m/b", ToConfig: "near", ToKey: "root/a/", ToPath: "/m/a",
			ToType: "S3", Folder: true, Phase: transfer.Copying, Worker: "another", CreatedAt: now, BeatAt: now}); err != nil {
			t.Error(err)
		}
	}
	y.Journal = journal
	y.Build(y.Deps)
	r := items("/m/a/", "/m/b")
	r.Conflict = transfer.Overwrite
	result, err := y.Move(t.Context(), mountstest.Admin, r)
	if err != nil || len(result.Failed) != 1 || ports.CodeOf(result.Failed[0].Err) != ports.Conflict {
		t.Errorf("got %+v, %v", result, err)
	}
	y.WantFiles(y.Near, "a/1", "b/2")
	left, err := real.List(t.Context(), transfer.MoveFilter{IdleSince: y.Clock.Now().Add(time.Hour)})
	if err != nil || len(left.Items) != 1 || left.Items[0].ID != "other" {
		t.Errorf("moves that are left: %+v, %v", left.Items, err)
	}
}

func TestATaskLooksAtTheMountsBeforeEachPath(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "e", "f", "g")
	got, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/e", "/m/f", "/m/g"}, true)
	if err != nil || got.TaskID == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	closed := false
	y.Near.Fail = func(method, _ string) error {
		if method != "Delete" || closed {
			return nil
		}
		closed = true
		_, err := mounts.NewMounts(y.Tree).Update(context.Background(), mountstest.Admin.Who, "m", mounts.Draft{Active: new(bool)})
		return err
	}
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	if err := y.Work(transfer.DeleteTask, run); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "f", "g")
	if len(run.Failures) != 2 || !errors.Is(run.Failures["/m/g"], mounts.ErrNoMount) {
		t.Errorf("failures: %v", run.Failures)
	}
}
