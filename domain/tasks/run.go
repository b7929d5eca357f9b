package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// run is one run of a task. What the worker tells is kept in memory and stored
// with the next beat.
//
// Items wait in two lists. Those in ahead were told after the last checkpoint
// and mean nothing to the next run; a checkpoint moves them to passed, and the
// next note stores them together with it. So the stored counts are always those
// of the stored state.
type run struct {
	tasks *Tasks
	task  *Task // as claimed; not changed by the run

	saving sync.Mutex // one note at a time

	mu     sync.Mutex
	cancel context.CancelCauseFunc
	cause  error // a stop that came before cancel was there

	expected struct{ items, bytes int64 }
	shown    Counts // everything told
	counted  Counts // passed by the last checkpoint, stored or not
	state    []byte
	fresh    bool // counted and state are not stored yet
	changed  bool // something to show is not stored yet
	passed   []Item
	ahead    []Item
	beforeID map[string]bool // failed items of earlier runs that were not met again
	before   []jobs.Item
	current  []jobs.Item
	moved    int64  // bytes of items under way
	kept     int    // items stored or to be stored that did not fail
	ended    Status // how the run was stored to end; empty before
}

var _ jobs.Run = (*run)(nil)

// errTooManyFailures ends a task that goes wrong as a whole.
var errTooManyFailures = &ports.Error{Code: ports.Unavailable, Key: "partial", Text: "task.too_many_failures"}

// begin loads what earlier runs have left.
func (r *run) begin(ctx context.Context, task *Task) error {
	failures, err := r.tasks.d.Runs.Failures(ctx, task.ID)
	if err != nil {
		return err
	}
	kept, err := r.tasks.d.Tasks.Items(ctx, task.ID, ItemFilter{Paging: ports.Paging{Limit: 1}})
	if err != nil {
		return err
	}
	r.task, r.before, r.beforeID = task, failures, map[string]bool{}
	for _, item := range failures {
		r.beforeID[item.Path] = true
	}
	r.kept = kept.Total - len(failures)
	r.expected.items, r.expected.bytes = task.Items, task.Bytes
	r.shown, r.counted, r.state = task.Passed, task.Passed, task.State
	return nil
}

// arm says how the worker is stopped.
func (r *run) arm(cancel context.CancelCauseFunc) {
	r.mu.Lock()
	r.cancel = cancel
	cause := r.cause
	r.mu.Unlock()
	if cause != nil {
		cancel(cause)
	}
}

// stop ends the worker's context.
func (r *run) stop(cause error) {
	r.mu.Lock()
	r.cause = cause
	cancel := r.cancel
	r.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// TaskID is the id of the task.
func (r *run) TaskID() string { return r.task.ID }

// Owner is who asked for the task.
func (r *run) Owner() policy.Principal { return r.task.Owner }

// Payload reads what was given at the start.
func (r *run) Payload(into any) error { return decode(r.task.Payload, into) }

// State reads the last checkpoint.
func (r *run) State(into any) (bool, error) {
	r.mu.Lock()
	state := r.state
	r.mu.Unlock()
	if state == nil {
		return false, nil
	}
	return true, decode(state, into)
}

// Failed lists the items that failed before.
func (r *run) Failed() []jobs.Item { return slices.Clone(r.before) }

// Expect tells the amount of work.
func (r *run) Expect(items, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected.items, r.expected.bytes, r.changed = max(items, 0), max(bytes, 0), true
}

// Moved adds bytes of an item under way.
func (r *run) Moved(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved += bytes
	r.changed = true
}

// Item tells what became of an item.
func (r *run) Item(item jobs.Item, failure error) error {
	if failure != nil {
		item.Status = jobs.Failed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = true
	at := slices.IndexFunc(r.current, func(c jobs.Item) bool { return c.Path == item.Path })
	if !item.Status.Settled() {
		switch {
		case at >= 0:
			r.current[at] = item
		case len(r.current) < currentItems:
			r.current = append(r.current, item)
		}
		return nil
	}
	if at >= 0 {
		r.current = slices.Delete(r.current, at, at+1)
	}
	again := r.beforeID[item.Path]
	if again {
		delete(r.beforeID, item.Path)
		r.shown.Failed--
	}
	r.shown.add(item)
	if item.Status != jobs.Failed {
		r.moved = max(0, r.moved-item.Bytes)
	}
	// A failure of an earlier run is replaced; of the others some are kept.
	stored := item.Status == jobs.Failed || again || r.kept < keptItems
	if stored {
		if item.Status != jobs.Failed && !again {
			r.kept++
		}
		r.ahead = append(r.ahead, Item{Item: item, Failure: failureOf(failure), At: r.tasks.d.Clock.Now()})
	}
	if r.shown.Failed > jobs.MaxFailures {
		return errTooManyFailures
	}
	return nil
}

// add counts a settled item.
func (c *Counts) add(item jobs.Item) {
	switch item.Status {
	case jobs.Completed:
		c.Completed++
		c.Bytes += item.Bytes
	case jobs.Skipped:
		c.Skipped++
	case jobs.Failed:
		c.Failed++
	}
}

// Checkpoint notes how far the work has come.
func (r *run) Checkpoint(state any) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	if len(data) > jobs.MaxPayload {
		return errors.New("state of the task is too large")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = data
	r.pass()
	return nil
}

// pass counts the items told so far as passed.
func (r *run) pass() {
	r.counted, r.fresh, r.changed = r.shown, true, true
	for i := range r.ahead {
		r.ahead[i].Passed = true
	}
	r.passed = append(r.passed, r.ahead...)
	r.ahead = nil
}

// Sync stores the last checkpoint now.
func (r *run) Sync(ctx context.Context) error {
	err := r.save(context.WithoutCancel(ctx))
	if errors.Is(err, ErrTaken) {
		r.stop(jobs.ErrLost)
	}
	return err
}

// whole reports whether everything expected is settled, so that a worker that
// returned nil has really ended.
func (r *run) whole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.expected.items > 0 && r.shown.Completed+r.shown.Skipped+r.shown.Failed >= r.expected.items
}

// save stores what is new. What could not be stored is kept for the next time.
func (r *run) save(ctx context.Context) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	note := r.note(r.tasks.d.Clock.Now())
	cancelling, err := r.tasks.d.Runs.Save(ctx, note)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.changed = true
		r.fresh = r.fresh || note.Checkpoint != nil
		r.passed = append(note.Items, r.passed...)
		return err
	}
	if cancelling {
		r.stop(jobs.ErrCancelled)
	}
	return nil
}

// note takes what is to be stored.
func (r *run) note(now time.Time) Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	note := Note{TaskID: r.task.ID, Run: r.task.Run, At: now, Progress: r.progress(), Items: r.passed}
	if r.fresh {
		note.Checkpoint = &Checkpoint{State: r.state, Passed: r.counted}
	}
	r.passed, r.fresh, r.changed = nil, false, false
	return note
}

func (r *run) progress() Progress {
	done := r.shown
	done.Bytes += r.moved
	return Progress{Items: r.expected.items, Bytes: r.expected.bytes, Done: done, Current: slices.Clone(r.current)}
}

// last is the note at the end of the run. It may be asked for more than once.
// After a success everything told has passed; else the items ahead of the last
// checkpoint are shown until the next run meets them again.
func (r *run) last(now time.Time, success bool) Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	if success {
		r.moved = 0
		r.pass()
	}
	r.current = nil
	note := Note{TaskID: r.task.ID, Run: r.task.Run, At: now, Progress: r.progress(), Items: slices.Concat(r.passed, r.ahead),
		Checkpoint: &Checkpoint{State: r.state, Passed: r.counted}}
	return note
}

// silentBeats is how many beats without news pass before one is stored all the
// same, to say that the run is alive.
const silentBeats = 10

// beat stores progress again and again until ctx ends, and stops the worker
// when the task is cancelled or lost, or its owner may not go on with it.
func (r *run) beat(ctx context.Context, every time.Duration, rights *rights) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for silent := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		var err error
		if silent++; changed || silent >= silentBeats {
			silent = 0
			err = r.save(ctx)
		} else {
			err = r.look(ctx)
		}
		if errors.Is(err, ErrTaken) {
			r.stop(jobs.ErrLost)
			return
		}
		if err != nil && ctx.Err() == nil {
			r.tasks.d.Report("store progress of task "+r.task.ID, err)
		}
		if err := rights.check(ctx); err != nil {
			r.stop(err)
		}
	}
}

// look asks whether the task is to be cancelled.
func (r *run) look(ctx context.Context) error {
	cancelling, err := r.tasks.d.Runs.Cancelling(ctx, r.task.ID, r.task.Run)
	if cancelling {
		r.stop(jobs.ErrCancelled)
	}
	return err
}
