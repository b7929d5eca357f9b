package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"pasteport/domain/domaintest"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// fixture is the common one with what these tests do to it.
type fixture struct{ *mountstest.Fixture }

func newFixture(t testing.TB, change ...func(*mounts.Deps)) *fixture {
	return &fixture{mountstest.NewFixture(t, change...)}
}

// scans are the tasks of an index: they wait until they are run.
type scans struct {
	mu      sync.Mutex
	started []jobs.Start
	ran     int
}

func (s *scans) Start(_ context.Context, start jobs.Start) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = append(s.started, start)
	return fmt.Sprint("scan", len(s.started)), nil
}

// scanRun is one run of a task.
type scanRun struct {
	id      string
	payload any
	state   []byte
	// pages is how many checkpoints are let through; 0 means all.
	pages int
	stop  context.CancelCauseFunc
}

func (r *scanRun) TaskID() string          { return r.id }
func (r *scanRun) Owner() policy.Principal { return policy.Principal{Kind: policy.System} }

func (r *scanRun) Payload(into any) error {
	data, err := json.Marshal(r.payload)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func (r *scanRun) State(into any) (bool, error) {
	if r.state == nil {
		return false, nil
	}
	return true, json.Unmarshal(r.state, into)
}

func (r *scanRun) Checkpoint(state any) (err error) {
	r.state, err = json.Marshal(state)
	if r.pages--; r.pages == 0 {
		r.stop(jobs.ErrStopping)
	}
	return err
}

func (r *scanRun) Failed() []jobs.Item         { return nil }
func (r *scanRun) Expect(int64, int64)         {}
func (r *scanRun) Moved(int64)                 {}
func (r *scanRun) Item(jobs.Item, error) error { return nil }
func (r *scanRun) Sync(context.Context) error  { return nil }

// newIndexed is a fixture with an index.
func newIndexed(t testing.TB, change ...func(*mounts.Deps)) (*fixture, *scans) {
	tasks := &scans{}
	var w *fixture
	var repo index.Repository
	w = newFixture(t, append(change, func(d *mounts.Deps) {
		memory := d.Work.(*domaintest.Memory)
		d.Tasks, repo = tasks, memory.Index()
		d.Ledger = memory.Counted(d.Storages, d.Clock, func(ctx context.Context, id string, exact bool) (int64, bool, error) { return w.Stored(ctx, id, exact) })
	})...)
	w.Index = index.New(w.Tree, repo)
	w.Join(w.Index, w.Resources)
	return w, tasks
}

// run runs the scans that were started and not run yet; the error is that of
// the last one.
func (s *scans) run(t testing.TB, w *fixture) (err error) {
	t.Helper()
	for {
		s.mu.Lock()
		if s.ran == len(s.started) {
			s.mu.Unlock()
			return err
		}
		start := s.started[s.ran]
		s.ran++
		id := fmt.Sprint("scan", s.ran)
		s.mu.Unlock()
		err = w.Index.Works()[start.Kind].Run(context.Background(), &scanRun{id: id, payload: start.Payload})
	}
}

// scanned makes the index know all that the mounts show.
func (w *fixture) scanned(s *scans) {
	w.T.Helper()
	for range 3 { // at most two begin at once
		if err := w.Keep(context.Background(), 0); err != nil {
			w.T.Fatal(err)
		}
		if err := s.run(w.T, w); err != nil {
			w.T.Fatal(err)
		}
	}
	w.Calls = nil
}
