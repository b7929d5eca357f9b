package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"pasteport/domain/mounts/mountstest"
	"pasteport/domain/mounts/transfer"
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
