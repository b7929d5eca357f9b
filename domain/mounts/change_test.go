package mounts_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

func TestContract4_4_MkdirMakesEveryMissingLevel(t *testing.T) {
	y := newYard(t)
	for range 2 { // a folder that is there is no error
		if err := y.Mkdir(t.Context(), boss, "/m/a/资料/c/", mounts.NewFolder{}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := y.names(y.near), []string{"a/", "a/资料/", "a/资料/c/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o, err := y.near.Stat(t.Context(), "root/a/")
	if err != nil || o.ContentType != mounts.FolderType || o.Size != 0 {
		t.Errorf("the marker is %+v, %v", o, err)
	}
}

func TestContract4_4_MkdirRefuses(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "file", "folder/x")
	for _, c := range []struct {
		path   string
		strict bool
		want   error
	}{
		{"/", false, mounts.ErrRoot},
		{"/nowhere/a", false, mounts.ErrNoMount},
		{"/v", false, mounts.ErrVirtual},
		{"/m", false, nil},
		{"/m", true, ports.ErrConflict},
		{"/m/file", false, ports.ErrConflict},
		{"/m/file/", false, ports.ErrConflict},
		{"/m/folder", false, nil},
		{"/m/folder", true, ports.ErrConflict},
		{"/m/none/new", true, mounts.ErrNoParent},
		{"/m/new", true, nil},
	} {
		wantError(t, y.Mkdir(t.Context(), boss, c.path, mounts.NewFolder{Strict: c.strict}), c.want)
	}
	for _, path := range []string{"/m/../x", "/m//x", "/m/a\\b", "/m/\x01", "/m/" + strings.Repeat("x", 256)} {
		wantCode(t, y.Mkdir(t.Context(), boss, path, mounts.NewFolder{}), ports.Invalid)
	}
	wantCode(t, y.Mkdir(t.Context(), teamA, "/m/ab/c", mounts.NewFolder{}), ports.Forbidden)
}

func TestContract4_6_RemoveDeletesFilesAndFolders(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a.txt", "d/", "d/x", "d/e/y", "dd/z", "plain/f", "keep")
	y.put(y.far, "q")
	got, err := y.Remove(t.Context(), boss, []string{"/m/a.txt", "/m/d/", "/twin/plain", "/m/missing", "/m/missing/", "/far/q"}, false)
	if err != nil || got.Done != 6 || len(got.Failed) != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	y.wantFiles(y.near, "dd/z", "keep")
	y.wantFiles(y.far)
	if want := []policy.Action{policy.MountDelete}; !slices.Equal(y.rules.asked, want) {
		t.Errorf("the policy was asked %v, want %v", y.rules.asked, want)
	}
	if len(y.rules.paths[0]) != 6 {
		t.Errorf("the policy was asked for %v", y.rules.paths[0])
	}
}

func TestContract4_6_RemoveFailsByPath(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a", "b", "d/1", "d/2", "d/3")
	fail(y.near, func(method, key string) bool { return method == "Delete" && (key == "root/a" || key == "root/d/2") })
	got, err := y.Remove(t.Context(), boss, []string{"/m/a", "/m", "/v/", "/nowhere", "/", "/m/b", "/m/d/"}, false)
	if err != nil || got.Done != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	var failed []string
	for _, f := range got.Failed {
		failed = append(failed, f.Path)
	}
	if want := []string{"/m/a", "/m", "/v/", "/nowhere", "/", "/m/d/"}; !slices.Equal(failed, want) {
		t.Errorf("got failures %q, want %q", failed, want)
	}
	wantError(t, got.Failed[1].Err, mounts.ErrVirtual)
	wantError(t, got.Failed[2].Err, mounts.ErrVirtual)
	wantError(t, got.Failed[5].Err, ports.ErrUnavailable)
	y.wantFiles(y.near, "a", "d/2")
}

func TestContract4_6_RemoveRefusesTheWholeCall(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a/x", "ab")
	for name, paths := range map[string][]string{
		"nothing": {}, "too many": make([]string, transfer.MaxBatch+1), "unclean": {"/m/a/x", "/m/../x"},
	} {
		_, err := y.Remove(t.Context(), boss, paths, false)
		if !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := y.Remove(t.Context(), boss, nil, false)
	if want := ports.InvalidInput("required", "paths"); !reflect.DeepEqual(err, error(want)) {
		t.Errorf("nothing: got %#v, want %#v", err, want)
	}
	_, err = y.Remove(t.Context(), teamA, []string{"/m/a/x", "/m/ab"}, false)
	wantCode(t, err, ports.Forbidden)
	y.wantFiles(y.near, "a/x", "ab")
}

func TestContract4_6_RemoveKeepsTheFolderAround(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a/b/only", "top")
	if _, err := y.Remove(t.Context(), boss, []string{"/m/a/b/only", "/m/top"}, false); err != nil {
		t.Fatal(err)
	}
	if got, want := y.names(y.near), []string{"a/b/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContract4_6_RemoveLooksAfterEachFolderOnce(t *testing.T) {
	y := newYard(t)
	var paths []string
	for i := range 50 {
		name := fmt.Sprintf("d/%02d", i)
		y.put(y.near, name)
		paths = append(paths, "/m/"+name)
	}
	lists := 0
	y.near.Fail = func(method, _ string) error {
		if method == "List" {
			lists++
		}
		return nil
	}
	if _, err := y.Remove(t.Context(), boss, paths, false); err != nil {
		t.Fatal(err)
	}
	if got := y.names(y.near); !slices.Equal(got, []string{"d/"}) || lists > 1 {
		t.Errorf("got %q with %d listings, want the marker of the folder with one", got, lists)
	}
}

func TestContract4_6_AFolderThatIsRemovedAfterItsFilesStaysAway(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "k", "d/e/f", "d/g")
	if _, err := y.Remove(t.Context(), boss, []string{"/m/d/e/f", "/twin/d/g", "/m/d/"}, false); err != nil {
		t.Fatal(err)
	}
	if got := y.names(y.near); !slices.Equal(got, []string{"k"}) {
		t.Errorf("got %q, want only k", got)
	}
}

func TestRemoveLeavesWhatOthersLocked(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a", "d/b", "e")
	if _, _, err := y.Lock(t.Context(), davMan, "/m/d/a", dav.NewLock{}); err != nil {
		t.Fatal(err)
	}
	got, err := y.Remove(t.Context(), boss, []string{"/m/d/", "/m/e"}, false)
	if err != nil || got.Done != 1 || len(got.Failed) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	wantError(t, got.Failed[0].Err, mounts.ErrLocked)
	y.wantFiles(y.near, "d/a", "d/b")
	_, err = y.Rename(t.Context(), boss, "/m/d", "/m/x", false)
	wantError(t, err, mounts.ErrLocked)
}

func TestContract4_7_RenameChecksInOrder(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a.txt", "b.txt", "d/x", "e/y")
	for _, c := range []struct {
		name, from, to string
		want           error
	}{
		{"either missing", "", "/m/x", ports.InvalidInput("required", "")},
		{"the other missing", "/m/a.txt", "", ports.InvalidInput("required", "")},
		{"across mounts", "/m/a.txt", "/twin/a2.txt", mounts.ErrCross},
		{"the mount point", "/m/", "/m/new/", mounts.ErrVirtual},
		{"onto a mount point", "/m/d/", "/m", mounts.ErrVirtual},
		{"a virtual folder", "/v/", "/v2/", mounts.ErrVirtual},
		{"old missing", "/m/none", "/m/x", ports.ErrNotFound},
		{"a file as a folder", "/m/a.txt/", "/m/x/", ports.ErrNotFound},
		{"new exists", "/m/a.txt", "/m/b.txt", ports.ErrConflict},
		{"new exists as a folder", "/m/a.txt", "/m/d", ports.ErrConflict},
		{"folder onto a file", "/m/d/", "/m/a.txt/", ports.ErrConflict},
		{"folder onto a folder", "/m/d/", "/m/e/", ports.ErrConflict},
		{"new equals old", "/m/a.txt", "/m/a.txt", nil},
		{"folder equals itself", "/m/d", "/m/d/", nil},
		{"into itself", "/m/d/", "/m/d/new/", mounts.ErrIntoSelf},
		{"into itself without slash", "/m/d", "/m/d/new", mounts.ErrIntoSelf},
	} {
		before := y.files(y.near)
		_, err := y.Rename(t.Context(), boss, c.from, c.to, false)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if len(y.files(y.near)) != len(before) {
			t.Errorf("%s: files changed", c.name)
		}
	}
}

func TestContract4_7_RenameMovesAllThatIsThere(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a#?.txt=one", "d/", "d/e/", "d/x=1", "d/e/文=2", "dd")
	if _, err := y.Rename(t.Context(), boss, "/m/a#?.txt", "/m/new/deep/b%20.txt", false); err != nil {
		t.Fatal(err)
	}
	// The kind of what is there counts, not the slashes.
	if _, err := y.Rename(t.Context(), boss, "/m/d", "/m/z/", false); err != nil {
		t.Fatal(err)
	}
	if got, want := y.names(y.near), []string{"dd", "new/", "new/deep/", "new/deep/b%20.txt", "z/", "z/e/", "z/e/文", "z/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(y.shares.moved) != 2 || y.shares.moved[1].FromKey != "root/d/" || y.shares.moved[1].ToKey != "root/z/" || y.shares.moved[1].ToPath != "/m/z" {
		t.Errorf("shares heard of %+v", y.shares.moved)
	}
	if left, err := y.journal.List(t.Context(), transfer.MoveFilter{IdleSince: y.clock.Now().Add(time.Hour)}); err != nil || left.Total != 0 {
		t.Errorf("the journal holds %+v, %v", left, err)
	}
}

func TestContract4_7_RenameKeepsTheContentType(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a.md")
	if _, _, err := y.Write(t.Context(), boss, "/m/a.md", strings.NewReader("text"), mounts.Write{Size: 4, Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Rename(t.Context(), boss, "/m/a.md", "/m/b", false); err != nil {
		t.Fatal(err)
	}
	if o, err := y.near.Stat(t.Context(), "root/b"); err != nil || !strings.HasPrefix(o.ContentType, "text/markdown") {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestContract4_7_RenameIsUndoneWhenACopyFails(t *testing.T) {
	y := newYard(t)
	for i := range 30 {
		y.put(y.near, fmt.Sprintf("d/%02d", i))
	}
	before := y.names(y.near)
	fail(y.near, func(method, key string) bool { return method == "Copy" && key == "root/z/17" })
	_, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", false)
	wantError(t, err, ports.ErrUnavailable)
	y.near.Fail = nil
	if got := y.names(y.near); !slices.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
}

func TestContract4_7_RenameIsUndoneWhenSharesCannotFollow(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a", "d/b")
	y.shares.fail = ports.ErrUnavailable
	_, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", false)
	wantError(t, err, ports.ErrUnavailable)
	y.wantFiles(y.near, "d/a", "d/b")
}

func TestContract4_7_RenameGoesOnWhenADeleteFails(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a", "d/b", "d/c")
	fail(y.near, func(method, key string) bool { return method == "Delete" && key == "root/d/b" })
	_, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", false)
	wantError(t, err, ports.ErrUnavailable)
	y.near.Fail = nil
	y.clock.Add(2 * time.Minute)
	if err := y.Recover(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	y.wantFiles(y.near, "z/a", "z/b", "z/c")
}

// Somebody writes to a folder while it is renamed: what is written last wins,
// and nothing is lost.
func TestRenameTakesAlongWhatIsWrittenMeanwhile(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a=old", "d/b=old")
	once := false
	y.near.Fail = func(method, key string) error {
		if method == "Delete" && !once {
			once = true
			y.near.Fail = nil
			y.clock.Add(time.Second)
			y.put(y.near, "d/late=new")
		}
		return nil
	}
	if _, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", false); err != nil {
		t.Fatal(err)
	}
	y.wantFiles(y.near, "z/a", "z/b", "z/late")
}

func TestTwoRenamesOfOneFolderDoNotMeet(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a")
	var second error
	y.near.Fail = func(method, key string) error {
		if method == "Copy" && second == nil {
			_, second = y.Rename(t.Context(), boss, "/m/d", "/m/other", false)
		}
		return nil
	}
	if _, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", false); err != nil {
		t.Fatal(err)
	}
	wantCode(t, second, ports.Conflict)
	y.wantFiles(y.near, "z/a")
}

func TestContract4_7_RenameAsATask(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/", "d/a", "d/b", "d/e/c")
	id, err := y.Rename(t.Context(), boss, "/m/d/", "/m/z/", true)
	if err != nil || id != "task-1" || len(y.tasks.started) != 1 {
		t.Fatalf("got %q, %v, started %+v", id, err, y.tasks.started)
	}
	y.wantFiles(y.near, "d/a", "d/b", "d/e/c")
	run := newRun(t, y.tasks.started[0])
	if err := y.work(transfer.RenameTask, run); err != nil {
		t.Fatal(err)
	}
	y.wantFiles(y.near, "z/a", "z/b", "z/e/c")
	if got := run.items["/m/d/e/c"]; got.Target != "/m/z/e/c" || got.Status != jobs.Completed {
		t.Errorf("got the item %+v", got)
	}
}

func TestARenameTaskIsStoppedAndGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		again bool
		want  string
	}{
		"the server stops":      {jobs.ErrStopping, true, "z/"},
		"another node takes it": {jobs.ErrLost, true, "z/"},
		"it is cancelled":       {jobs.ErrCancelled, false, "d/"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			var want []string
			for i := range 40 {
				y.put(y.near, fmt.Sprintf("d/%02d", i))
				want = append(want, fmt.Sprintf("%s%02d", c.want, i))
			}
			if _, err := y.Rename(t.Context(), boss, "/m/d/", "/m/z/", true); err != nil {
				t.Fatal(err)
			}
			run := newRun(t, y.tasks.started[0])
			run.stopAfter, run.cause = 10, c.cause
			wantError(t, y.work(transfer.RenameTask, run), c.cause)
			if n := len(y.files(y.near)); n <= 40 || n >= 80 {
				t.Errorf("the run left %d files", n)
			}
			y.clock.Add(2 * time.Minute)
			if err := y.Recover(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			if c.again {
				if err := y.work(transfer.RenameTask, run.retry()); err != nil {
					t.Fatal(err)
				}
			}
			y.wantFiles(y.near, want...)
		})
	}
}

// A task that is cancelled before its turn comes again never ends its move.
func TestAMoveIsTakenFromATaskThatDoesNotComeBack(t *testing.T) {
	y := newYard(t)
	for i := range 20 {
		y.put(y.near, fmt.Sprintf("d/%02d", i))
	}
	before := y.names(y.near)
	if _, err := y.Rename(t.Context(), boss, "/m/d", "/m/z", true); err != nil {
		t.Fatal(err)
	}
	run := newRun(t, y.tasks.started[0])
	run.stopAfter, run.cause = 5, jobs.ErrStopping
	wantError(t, y.work(transfer.RenameTask, run), jobs.ErrStopping)
	for _, wait := range []time.Duration{2 * time.Minute, 2 * time.Hour} {
		if slices.Equal(y.names(y.near), before) {
			t.Errorf("undone before %s were over", wait)
		}
		y.clock.Add(wait)
		if err := y.Recover(t.Context(), y.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if got := y.names(y.near); !slices.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
}

func TestContract4_6_RemoveAsATask(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "d/a", "d/b", "e", "f")
	got, err := y.Remove(t.Context(), boss, []string{"/m/d/", "/m/e", "/m/f"}, true)
	if err != nil || got.TaskID == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	run := newRun(t, y.tasks.started[0])
	fail(y.near, func(method, key string) bool { return method == "Delete" && key == "root/e" })
	if err := y.work(transfer.DeleteTask, run); err != nil {
		t.Fatal(err)
	}
	y.wantFiles(y.near, "e")
	if run.items["/m/e"].Status != jobs.Failed || run.items["/m/d/"].Status != jobs.Completed {
		t.Errorf("got the items %+v", run.items)
	}
	y.near.Fail = nil
	again := run.retry()
	if err := y.work(transfer.DeleteTask, again); err != nil {
		t.Fatal(err)
	}
	if len(again.items) != 1 {
		t.Errorf("a retry did more than what had failed: %+v", again.items)
	}
	y.wantFiles(y.near)
}

func TestSharesOfAFolderAreAskedForWhereItLies(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a/x")
	for path, want := range map[string]string{"/m": "root/", "/m/a": "root/a/", "/m/a/": "root/a/"} {
		marks, err := y.Shares(t.Context(), boss, path)
		if err != nil || len(marks) != 1 || marks[0].Name != " near "+want {
			t.Errorf("%s: got %+v, %v, want everybody's with the prefix %s", path, marks, err, want)
		}
	}
	if marks, err := y.Shares(t.Context(), teamA, "/m/a"); err != nil || marks[0].Name != teamA.Who.Owner()+" near root/a/" {
		t.Errorf("a key: got %+v, %v, want its own", marks, err)
	}
	if _, err := y.Shares(t.Context(), boss, "/nowhere"); !errors.Is(err, mounts.ErrNoMount) {
		t.Errorf("a folder of no mount: %v", err)
	}
	_, err := y.Shares(t.Context(), teamA, "/m/d")
	wantCode(t, err, ports.Forbidden)
}

func TestContract4_14_CreateShareNamesTheFileWhereItLies(t *testing.T) {
	y := newYard(t)
	y.put(y.near, "a/文.txt=hello", "d/x")
	got, err := y.CreateShare(t.Context(), boss, "/m/a/文.txt", mounts.NewShare{MaxViews: 3})
	if err != nil || got.Slug != "slug" || got.Size != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	s := y.shares.shared[0]
	if s.Key != "root/a/文.txt" || s.Path != "/m/a/文.txt" || s.StorageID != "near" || s.MaxViews != 3 || s.Remark != "/m/a/文.txt" {
		t.Errorf("shared %+v", s)
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{"/m/d", mounts.ErrType}, {"/m/d/", mounts.ErrType}, {"/m", mounts.ErrType}, {"/m/none", ports.ErrNotFound},
		{"/m/a/文.txt/", ports.ErrNotFound}, {"/", mounts.ErrRoot}, {"/nowhere", mounts.ErrNoMount},
	} {
		_, err := y.CreateShare(t.Context(), boss, c.path, mounts.NewShare{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.path, err, c.want)
		}
	}
	_, err = y.CreateShare(t.Context(), teamA, "/m/d/x", mounts.NewShare{})
	wantCode(t, err, ports.Forbidden)
}
