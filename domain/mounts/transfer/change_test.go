package transfer_test

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
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// fixture is the common one with what these tests do to it.
type fixture struct{ *mountstest.WriteFixture }

func newFixture(t *testing.T) *fixture { return &fixture{mountstest.NewWriteFixture(t)} }

func TestContract4_6_RemoveDeletesFilesAndFolders(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a.txt", "d/", "d/x", "d/e/y", "dd/z", "plain/f", "keep")
	y.Put(y.Far, "q")
	got, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/a.txt", "/m/d/", "/twin/plain", "/m/missing", "/m/missing/", "/far/q"}, false)
	if err != nil || got.Done != 6 || len(got.Failed) != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	y.WantFiles(y.Near, "dd/z", "keep")
	y.WantFiles(y.Far)
	if want := []policy.Action{policy.MountDelete}; !slices.Equal(y.Rules.Asked, want) {
		t.Errorf("the policy was asked %v, want %v", y.Rules.Asked, want)
	}
	if len(y.Rules.Paths[0]) != 6 {
		t.Errorf("the policy was asked for %v", y.Rules.Paths[0])
	}
}

func TestContract4_6_RemoveFailsByPath(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a", "b", "d/1", "d/2", "d/3")
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Delete" && (key == "root/a" || key == "root/d/2") })
	got, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/a", "/m", "/v/", "/nowhere", "/", "/m/b", "/m/d/"}, false)
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
	mountstest.WantError(t, got.Failed[1].Err, mounts.ErrVirtual)
	mountstest.WantError(t, got.Failed[2].Err, mounts.ErrVirtual)
	mountstest.WantError(t, got.Failed[5].Err, ports.ErrUnavailable)
	y.WantFiles(y.Near, "a", "d/2")
}

func TestContract4_6_RemoveRefusesTheWholeCall(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/x", "ab")
	for name, paths := range map[string][]string{
		"nothing": {}, "too many": make([]string, transfer.MaxBatch+1), "unclean": {"/m/a/x", "/m/../x"},
	} {
		_, err := y.Remove(t.Context(), mountstest.Admin, paths, false)
		if !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := y.Remove(t.Context(), mountstest.Admin, nil, false)
	if want := ports.InvalidInput("required", "paths"); !reflect.DeepEqual(err, error(want)) {
		t.Errorf("nothing: got %#v, want %#v", err, want)
	}
	_, err = y.Remove(t.Context(), mountstest.TeamA, []string{"/m/a/x", "/m/ab"}, false)
	mountstest.WantCode(t, err, ports.Forbidden)
	y.WantFiles(y.Near, "a/x", "ab")
}

func TestContract4_6_RemoveKeepsTheFolderAround(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/b/only", "top")
	if _, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/a/b/only", "/m/top"}, false); err != nil {
		t.Fatal(err)
	}
	if got, want := y.Names(y.Near), []string{"a/b/"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContract4_6_RemoveLooksAfterEachFolderOnce(t *testing.T) {
	y := newFixture(t)
	var paths []string
	for i := range 50 {
		name := fmt.Sprintf("d/%02d", i)
		y.Put(y.Near, name)
		paths = append(paths, "/m/"+name)
	}
	lists := 0
	y.Near.Fail = func(method, _ string) error {
		if method == "List" {
			lists++
		}
		return nil
	}
	if _, err := y.Remove(t.Context(), mountstest.Admin, paths, false); err != nil {
		t.Fatal(err)
	}
	if got := y.Names(y.Near); !slices.Equal(got, []string{"d/"}) || lists > 1 {
		t.Errorf("got %q with %d listings, want the marker of the folder with one", got, lists)
	}
}

func TestContract4_6_AFolderThatIsRemovedAfterItsFilesStaysAway(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "k", "d/e/f", "d/g")
	if _, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/d/e/f", "/twin/d/g", "/m/d/"}, false); err != nil {
		t.Fatal(err)
	}
	if got := y.Names(y.Near); !slices.Equal(got, []string{"k"}) {
		t.Errorf("got %q, want only k", got)
	}
}

func TestRemoveLeavesWhatOthersLocked(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a", "d/b", "e")
	if _, _, err := y.Lock(t.Context(), mountstest.AdminByDAV, "/m/d/a", dav.NewLock{}); err != nil {
		t.Fatal(err)
	}
	got, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/d/", "/m/e"}, false)
	if err != nil || got.Done != 1 || len(got.Failed) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	mountstest.WantError(t, got.Failed[0].Err, mounts.ErrLocked)
	y.WantFiles(y.Near, "d/a", "d/b")
	_, err = y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/x", false)
	mountstest.WantError(t, err, mounts.ErrLocked)
}

func TestContract4_7_RenameChecksInOrder(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a.txt", "b.txt", "d/x", "e/y")
	for _, c := range []struct {
		name, from, to string
		want           error
	}{
		{"either missing", "", "/m/x", ports.InvalidInput("required", "")},
		{"the other missing", "/m/a.txt", "", ports.InvalidInput("required", "")},
		{"across mounts", "/m/a.txt", "/twin/a2.txt", mounts.ErrCross},
		{"the mount point", "/m/", "/m/new/", mounts.ErrVirtual},
		{"the mount point, to where no mount is", "/m/", "/new/", mounts.ErrVirtual},
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
		before := y.Files(y.Near)
		_, err := y.Rename(t.Context(), mountstest.Admin, c.from, c.to, false)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
		if len(y.Files(y.Near)) != len(before) {
			t.Errorf("%s: files changed", c.name)
		}
	}
}

func TestContract4_7_RenameMovesAllThatIsThere(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a#?.txt=one", "d/", "d/e/", "d/x=1", "d/e/文=2", "dd")
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/a#?.txt", "/m/new/deep/b%20.txt", false); err != nil {
		t.Fatal(err)
	}
	// The kind of what is there counts, not the slashes.
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z/", false); err != nil {
		t.Fatal(err)
	}
	if got, want := y.Names(y.Near), []string{"dd", "new/", "new/deep/", "new/deep/b%20.txt", "z/", "z/e/", "z/e/文", "z/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(y.Sharer.Followed) != 2 || y.Sharer.Followed[1].FromKey != "root/d/" || y.Sharer.Followed[1].ToKey != "root/z/" || y.Sharer.Followed[1].ToPath != "/m/z" {
		t.Errorf("shares heard of %+v", y.Sharer.Followed)
	}
	if left, err := y.Journal.List(t.Context(), transfer.MoveFilter{IdleSince: y.Clock.Now().Add(time.Hour)}); err != nil || left.Total != 0 {
		t.Errorf("the journal holds %+v, %v", left, err)
	}
}

func TestContract4_7_RenameKeepsTheContentType(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a.md")
	if _, _, err := y.Write(t.Context(), mountstest.Admin, "/m/a.md", strings.NewReader("text"), mounts.Write{Size: 4, Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/a.md", "/m/b", false); err != nil {
		t.Fatal(err)
	}
	if o, err := y.Near.Stat(t.Context(), "root/b"); err != nil || !strings.HasPrefix(o.ContentType, "text/markdown") {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestContract4_7_RenameIsUndoneWhenACopyFails(t *testing.T) {
	y := newFixture(t)
	for i := range 30 {
		y.Put(y.Near, fmt.Sprintf("d/%02d", i))
	}
	before := y.Names(y.Near)
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Copy" && key == "root/z/17" })
	_, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false)
	mountstest.WantError(t, err, ports.ErrUnavailable)
	y.Near.Fail = nil
	if got := y.Names(y.Near); !slices.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
}

func TestContract4_7_RenameIsUndoneWhenSharesCannotFollow(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a", "d/b")
	y.Sharer.Fail = ports.ErrUnavailable
	_, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false)
	mountstest.WantError(t, err, ports.ErrUnavailable)
	y.WantFiles(y.Near, "d/a", "d/b")
}

func TestContract4_7_RenameGoesOnWhenADeleteFails(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a", "d/b", "d/c")
	set := []dav.Property{{Space: "urn:x", Name: "colour", XML: `<colour xmlns="urn:x">red</colour>`}}
	if err := y.Patch(t.Context(), mountstest.AdminByDAV, "/m/d/a", set, nil); err != nil {
		t.Fatal(err)
	}
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Delete" && key == "root/d/b" })
	_, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false)
	mountstest.WantError(t, err, ports.ErrUnavailable)
	y.Near.Fail = nil
	y.Clock.Add(2 * time.Minute)
	if err := y.Recover(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "z/a", "z/b", "z/c")
	got, err := y.Memory.Properties().Of(t.Context(), "/m/z/a")
	if err != nil || !slices.Equal(got, set) {
		t.Errorf("the file has the properties %v, %v", got, err)
	}
}

// Somebody writes to a folder while it is renamed: what is written last wins,
// and nothing is lost.
func TestRenameTakesAlongWhatIsWrittenMeanwhile(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a=old", "d/b=old")
	once := false
	y.Near.Fail = func(method, key string) error {
		if method == "Delete" && !once {
			once = true
			y.Near.Fail = nil
			y.Clock.Add(time.Second)
			y.Put(y.Near, "d/late=new")
		}
		return nil
	}
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "z/a", "z/b", "z/late")
}

func TestTwoRenamesOfOneFolderDoNotMeet(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a")
	var second error
	y.Near.Fail = func(method, key string) error {
		if method == "Copy" && second == nil {
			_, second = y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/other", false)
		}
		return nil
	}
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false); err != nil {
		t.Fatal(err)
	}
	mountstest.WantCode(t, second, ports.Conflict)
	y.WantFiles(y.Near, "z/a")
}

func TestContract4_7_RenameAsATask(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/", "d/a", "d/b", "d/e/c")
	id, err := y.Rename(t.Context(), mountstest.Admin, "/m/d/", "/m/z/", true)
	if err != nil || id != "task-1" || len(y.Tasks.Started) != 1 {
		t.Fatalf("got %q, %v, started %+v", id, err, y.Tasks.Started)
	}
	y.WantFiles(y.Near, "d/a", "d/b", "d/e/c")
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	if err := y.Work(transfer.RenameTask, run); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "z/a", "z/b", "z/e/c")
	if got := run.Items["/m/d/e/c"]; got.Target != "/m/z/e/c" || got.Status != jobs.Completed {
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
			y := newFixture(t)
			var want []string
			for i := range 40 {
				y.Put(y.Near, fmt.Sprintf("d/%02d", i))
				want = append(want, fmt.Sprintf("%s%02d", c.want, i))
			}
			if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/d/", "/m/z/", true); err != nil {
				t.Fatal(err)
			}
			run := mountstest.NewRun(t, y.Tasks.Started[0])
			run.StopAfter, run.Cause = 10, c.cause
			mountstest.WantError(t, y.Work(transfer.RenameTask, run), c.cause)
			if n := len(y.Files(y.Near)); n <= 40 || n >= 80 {
				t.Errorf("the run left %d files", n)
			}
			y.Clock.Add(2 * time.Minute)
			if err := y.Recover(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			if c.again {
				if err := y.Work(transfer.RenameTask, run.Retry()); err != nil {
					t.Fatal(err)
				}
			}
			y.WantFiles(y.Near, want...)
		})
	}
}

// A task that is cancelled before its turn comes again never ends its move.
func TestAMoveIsTakenFromATaskThatDoesNotComeBack(t *testing.T) {
	y := newFixture(t)
	for i := range 20 {
		y.Put(y.Near, fmt.Sprintf("d/%02d", i))
	}
	before := y.Names(y.Near)
	if _, err := y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", true); err != nil {
		t.Fatal(err)
	}
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	run.StopAfter, run.Cause = 5, jobs.ErrStopping
	mountstest.WantError(t, y.Work(transfer.RenameTask, run), jobs.ErrStopping)
	for _, wait := range []time.Duration{2 * time.Minute, 2 * time.Hour} {
		if slices.Equal(y.Names(y.Near), before) {
			t.Errorf("undone before %s were over", wait)
		}
		y.Clock.Add(wait)
		if err := y.Recover(t.Context(), y.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if got := y.Names(y.Near); !slices.Equal(got, before) {
		t.Errorf("got %q, want %q", got, before)
	}
}

func TestContract4_6_RemoveAsATask(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a", "d/b", "e", "f")
	got, err := y.Remove(t.Context(), mountstest.Admin, []string{"/m/d/", "/m/e", "/m/f"}, true)
	if err != nil || got.TaskID == "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	run := mountstest.NewRun(t, y.Tasks.Started[0])
	mountstest.Fail(y.Near, func(method, key string) bool { return method == "Delete" && key == "root/e" })
	if err := y.Work(transfer.DeleteTask, run); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "e")
	if run.Items["/m/e"].Status != jobs.Failed || run.Items["/m/d/"].Status != jobs.Completed {
		t.Errorf("got the items %+v", run.Items)
	}
	y.Near.Fail = nil
	again := run.Retry()
	if err := y.Work(transfer.DeleteTask, again); err != nil {
		t.Fatal(err)
	}
	if len(again.Items) != 1 {
		t.Errorf("a retry did more than what had failed: %+v", again.Items)
	}
	y.WantFiles(y.Near)
}

func TestContract4_14_CreateShareNamesTheFileWhereItLies(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/文.txt=hello", "d/x")
	got, err := y.CreateShare(t.Context(), mountstest.Admin, "/m/a/文.txt", mounts.NewShare{MaxViews: 3})
	if err != nil || got.Slug != "slug" || got.Size != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	s := y.Sharer.Shared[0]
	if s.Key != "root/a/文.txt" || s.Path != "/m/a/文.txt" || s.StorageID != "near" || s.MaxViews != 3 || s.Remark != "" {
		t.Errorf("shared %+v", s)
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{"/m/d", mounts.ErrType}, {"/m/d/", mounts.ErrType}, {"/m", mounts.ErrType}, {"/m/none", ports.ErrNotFound},
		{"/m/a/文.txt/", ports.ErrNotFound}, {"/", mounts.ErrRoot}, {"/nowhere", mounts.ErrNoMount},
	} {
		_, err := y.CreateShare(t.Context(), mountstest.Admin, c.path, mounts.NewShare{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.path, err, c.want)
		}
	}
	_, err = y.CreateShare(t.Context(), mountstest.TeamA, "/m/d/x", mounts.NewShare{})
	mountstest.WantCode(t, err, ports.Forbidden)
}
