package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/jobs"
)

// What failed is done before the item that a stop has interrupted, and must not be
// taken for it.
func TestATaskThatGoesOnDoesAgainWhatFailedAndTheRestOfItsItem(t *testing.T) {
	for kind, begin := range map[string]func(y *fixture) error{
		transfer.CopyTask: func(y *fixture) error {
			r := items("/m/z/", "/far/z", "/m/d/", "/far/d")
			r.Task = true
			_, err := y.Copy(t.Context(), mountstest.Admin, r)
			return err
		},
		transfer.MoveTask: func(y *fixture) error {
			r := items("/m/z/", "/far/z", "/m/d/", "/far/d")
			r.Task = true
			_, err := y.Move(t.Context(), mountstest.Admin, r)
			return err
		},
	} {
		t.Run(kind, func(t *testing.T) {
			y := newFixture(t)
			var want []string
			for i := range 30 {
				name := fmt.Sprintf("d/%02d", i)
				y.Put(y.Near, name)
				want = append(want, name)
			}
			y.Put(y.Near, "z/1", "z/2")
			want = append(want, "z/1", "z/2")
			if err := begin(y); err != nil {
				t.Fatal(err)
			}
			mountstest.Fail(y.Far, func(method, key string) bool { return method == "Write" && strings.HasSuffix(key, "z/2") })
			run := mountstest.NewRun(t, y.Tasks.Started[0])
			run.StopAfter, run.Cause = 12, jobs.ErrStopping
			mountstest.WantError(t, y.Work(kind, run), jobs.ErrStopping)
			y.Far.Fail = nil
			next := run.Retry()
			if len(next.Failed()) == 0 {
				t.Fatal("nothing had failed")
			}
			if err := y.Work(kind, next); err != nil {
				t.Fatal(err)
			}
			if len(next.Failures) != 0 {
				t.Errorf("failures: %v", next.Failures)
			}
			y.WantFiles(y.Far, want...)
			if kind == transfer.MoveTask {
				y.WantFiles(y.Near)
			}
		})
	}
}

// dying is units of work behind which the program is gone, as soon as dead says so.
type dying struct {
	ports.UnitOfWork
	dead func() bool
}

func (d dying) Do(ctx context.Context, work func(ctx context.Context) error) error {
	err := d.UnitOfWork.Do(ctx, work)
	if d.dead() {
		panic(errGone)
	}
	return err
}

var errGone = errors.New("the program is gone")

func TestPropertiesGoWithTheMoveThatIsStored(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "d/a")
	set := []dav.Property{{Space: "urn:x", Name: "colour", XML: `<colour xmlns="urn:x">red</colour>`}}
	if err := y.Patch(t.Context(), mountstest.AdminByDAV, "/m/d/a", set, nil); err != nil {
		t.Fatal(err)
	}
	deps := y.Deps
	deps.Work = dying{deps.Work, func() bool {
		page, err := y.Journal.List(t.Context(), transfer.MoveFilter{IdleSince: y.Clock.Now().Add(time.Hour)})
		return err == nil && len(page.Items) == 1 && page.Items[0].Phase == transfer.Deleting
	}}
	y.Build(deps)
	func() {
		defer func() {
			if recover() != errGone {
				t.Error("the move has never turned")
			}
		}()
		_, _ = y.Rename(t.Context(), mountstest.Admin, "/m/d", "/m/z", false)
	}()
	y.Build(y.Deps)
	y.Clock.Add(2 * time.Minute)
	if err := y.Recover(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	y.WantFiles(y.Near, "z/a")
	got, err := y.Memory.Properties().Of(t.Context(), "/m/z/a")
	if err != nil || !slices.Equal(got, set) {
		t.Errorf("the file has the properties %v, %v", got, err)
	}
}

// The target is on its way somewhere else: the move is refused, and what it would
// have replaced is still there.
func TestNothingMakesWayForAMoveThatIsRefused(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "a/1", "b/2")
	now := y.Clock.Now()
	if err := y.Journal.Insert(t.Context(), &transfer.MoveRecord{ID: "other", FromConfig: "near", FromKey: "root/b/", FromPath: "/m/b", ToConfig: "near", ToKey: "root/c/", ToPath: "/m/c",
		ToType: "S3", Folder: true, Phase: transfer.Copying, Worker: "another", CreatedAt: now, BeatAt: now}); err != nil {
		t.Fatal(err)
	}
	_, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, "/m/a", "/m/b", transfer.Placing{Move: true, Overwrite: true})
	mountstest.WantCode(t, err, ports.Conflict)
	y.WantFiles(y.Near, "a/1", "b/2")
}

func TestAFileThatGoesBeforeItIsMovedIsNotTakenForMoved(t *testing.T) {
	y := newFixture(t)
	y.Put(y.Near, "f", "g=old")
	looks := 0
	y.Near.Fail = func(method, key string) error {
		if method != "Stat" || key != "root/f" {
			return nil
		}
		if looks++; looks == 2 {
			y.Near.Fail = nil
			if _, err := y.Near.Delete(t.Context(), "root/f"); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	_, err := y.CopyTo(t.Context(), mountstest.AdminByDAV, "/m/f", "/m/g", transfer.Placing{Move: true, Overwrite: true})
	mountstest.WantError(t, err, ports.ErrNotFound)
	if got := listing(y.Files(y.Near)); got != "g=old" {
		t.Errorf("got %s", got)
	}
	if left, err := y.Journal.List(t.Context(), transfer.MoveFilter{IdleSince: y.Clock.Now().Add(time.Hour)}); err != nil || len(left.Items) > 0 {
		t.Errorf("the journal has %+v, %v", left.Items, err)
	}
}

func TestAFolderIntoWhichOthersGoKeepsThePropertiesOfItsOwnFiles(t *testing.T) {
	colour := func(name string) []dav.Property {
		return []dav.Property{{Space: "urn:x", Name: "colour", XML: `<colour xmlns="urn:x">` + name + `</colour>`}}
	}
	for name, do := range map[string]func(y *fixture, r transfer.CopyRequest) (transfer.CopyResult, error){
		"copied": func(y *fixture, r transfer.CopyRequest) (transfer.CopyResult, error) {
			return y.Copy(t.Context(), mountstest.Admin, r)
		},
		"moved": func(y *fixture, r transfer.CopyRequest) (transfer.CopyResult, error) {
			return y.Move(t.Context(), mountstest.Admin, r)
		},
	} {
		y := newFixture(t)
		y.Put(y.Near, "d/", "d/a", "d/s/", "d/s/b", "e/", "e/own", "e/s/", "e/s/own", "e/a")
		for path, c := range map[string]string{"d": "grey", "d/a": "red", "d/s/b": "blue", "e": "white", "e/own": "green", "e/s/own": "black", "e/a": "old"} {
			if err := y.Patch(t.Context(), mountstest.AdminByDAV, "/m/"+path, colour(c), nil); err != nil {
				t.Fatal(err)
			}
		}
		r := items("/m/d/", "/m/e")
		r.Conflict = transfer.Overwrite
		if result, err := do(y, r); err != nil || len(result.Failed) > 0 {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		want := map[string]string{"e": "white", "e/own": "green", "e/s/own": "black", "e/a": "red", "e/s/b": "blue", "d/a": "red", "d/s/b": "blue", "d": "grey"}
		if name == "moved" {
			want["d/a"], want["d/s/b"], want["d"] = "", "", ""
		}
		for path, c := range want {
			got, err := y.Memory.Properties().Of(t.Context(), "/m/"+path)
			if err != nil || c == "" && len(got) > 0 || c != "" && !slices.Equal(got, colour(c)) {
				t.Errorf("%s: %s has %v, %v, not %q", name, path, got, err, c)
			}
		}
	}
}
