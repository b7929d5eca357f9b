package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"pasteport/ports"
	"pasteport/ports/jobs"
)

// ErrBusy is the answer of Execute for a task that runs elsewhere right now;
// whoever calls it comes back later, in case that node dies.
var ErrBusy = errors.New("task runs on another node")

// errPanic is what a worker's panic becomes; its text is for the log.
var errPanic = &ports.Error{Code: ports.Internal, Key: "internal"}

// Execute runs a waiting task to its end, whatever that is, and returns nil.
// It returns nil at once when the task does not wait. When ctx ends the task
// is handed back as interrupted and Execute returns jobs.ErrStopping. Other
// errors are the database's; the caller tries again later.
func (t *Tasks) Execute(ctx context.Context, id string) error {
	r := &run{tasks: t}
	if !t.enter(id, r) {
		return ErrBusy
	}
	defer t.leave(id)
	task, err := t.claim(ctx, id)
	switch {
	case errors.Is(err, errNotWaiting), ports.Is(err, ports.NotFound):
		return nil
	case err != nil:
		return err
	}
	kind, known := t.kinds[task.Kind]
	if !known {
		return t.end(ctx, task, nil, &ports.Error{Code: ports.NotImplemented, Key: "not_supported", Text: "task.kind"})
	}
	if err := r.begin(ctx, task); err != nil {
		t.handBackLater(ctx, task)
		return err
	}
	ended := t.began(r)
	err = t.work(ctx, r, kind)
	ended(err)
	return err
}

// enter keeps a task from being run twice on this node.
func (t *Tasks) enter(id string, r *run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs[id] != nil {
		return false
	}
	t.runs[id] = r
	return true
}

func (t *Tasks) leave(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, id)
}

var errNotWaiting = errors.New("task does not wait")

// claim takes a waiting task for this node; ErrBusy when it runs on another one
// that is alive.
func (t *Tasks) claim(ctx context.Context, id string) (*Task, error) {
	var task *Task
	err := t.d.Work.Do(ctx, func(ctx context.Context) (err error) {
		task, err = t.d.Tasks.Update(ctx, id, func(task *Task) error {
			now := t.d.Clock.Now()
			switch {
			case task.Status == Running && !t.d.Alone && now.Sub(task.BeatAt) < t.d.Lease:
				return ErrBusy
			case task.Status.Finished():
				return errNotWaiting
			}
			task.Status, task.Node, task.Run, task.BeatAt, task.UpdatedAt = Running, t.node, task.Run+1, now, now
			task.Done = task.Passed
			if task.StartedAt == nil {
				task.StartedAt = &now
			}
			return nil
		})
		if err != nil {
			return err
		}
		return t.d.Runs.DropAhead(ctx, id)
	})
	return task, err
}

// work lets the worker work, beside a heartbeat that stores progress.
func (t *Tasks) work(ctx context.Context, r *run, kind Kind) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.arm(stop)
	rights := &rights{run: r, kind: kind, known: r.task.Owner}
	if err := rights.check(ctx); err != nil {
		if failed := t.dropped(context.WithoutCancel(ctx), r.task); failed != nil {
			t.d.Report("take back what task "+r.task.ID+" has reserved", failed)
		}
		return t.end(ctx, r.task, r, err)
	}
	beating, still := context.WithCancel(context.WithoutCancel(ctx))
	beats := make(chan struct{})
	go func() {
		defer close(beats)
		r.beat(beating, t.d.Beat, rights)
	}()
	err := protected(working, kind.Run, r)
	still()
	<-beats
	if errors.Is(err, errPanic) {
		t.d.Report("run task "+r.task.ID, err)
	}
	stopped := context.Cause(working)
	switch {
	case errors.Is(stopped, jobs.ErrLost):
		return nil // another run has it
	case errors.Is(stopped, jobs.ErrCancelled):
		return t.end(ctx, r.task, r, jobs.ErrCancelled)
	case errors.Is(stopped, errRights):
		return t.end(ctx, r.task, r, stopped)
	case ctx.Err() != nil && (err != nil || !r.whole()):
		if err := r.save(context.WithoutCancel(ctx)); err != nil {
			t.d.Report("store the checkpoint of task "+r.task.ID, err) // the one before holds
		}
		t.handBackLater(ctx, r.task)
		return jobs.ErrStopping
	}
	return t.end(ctx, r.task, r, err)
}

// protected turns a panic of the worker into an error.
func protected(ctx context.Context, work jobs.Worker, r jobs.Run) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic.With(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return work(ctx, r)
}

// end stores what became of the task. It tries for a while, because the work is
// done and would be done again otherwise.
func (t *Tasks) end(ctx context.Context, task *Task, r *run, failure error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := t.store(ctx, task, r, failure)
		if err == nil || errors.Is(err, ErrTaken) || ports.Is(err, ports.NotFound) {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("store the end of task %s: %w", task.ID, err)
		}
	}
}

func (t *Tasks) store(ctx context.Context, task *Task, r *run, failure error) error {
	return t.d.Work.Do(ctx, func(ctx context.Context) error {
		now := t.d.Clock.Now()
		done := task.Done
		if r != nil {
			note := r.last(now, failure == nil)
			done = note.Progress.Done
			if _, err := t.d.Runs.Save(ctx, note); err != nil {
				return err
			}
		}
		status, why := outcome(done, failure)
		defer func() {
			if r != nil {
				r.mu.Lock()
				r.ended = status
				r.mu.Unlock()
			}
		}()
		_, err := t.d.Tasks.Update(ctx, task.ID, func(stored *Task) error {
			if stored.Run != task.Run || stored.Status != Running {
				return ErrTaken
			}
			if stored.Cancelling && failure != nil {
				status, why = Cancelled, nil
			}
			stored.finish(status, why, now)
			return nil
		})
		return err
	})
}

// outcome is the state a task ends in.
func outcome(done Counts, failure error) (Status, *Failure) {
	switch {
	case errors.Is(failure, jobs.ErrCancelled):
		return Cancelled, nil
	case failure != nil:
		return Failed, failureOf(failure)
	case done.Failed == 0:
		return Completed, nil
	case done.Completed+done.Skipped == 0:
		return Failed, &Failure{Key: "partial", Text: "task.all_failed"}
	}
	return Partial, nil
}

// handBackLater marks the task of a stopping node as interrupted, so that
// another one or the next start goes on with it. When that fails, the silence
// of the run tells the same after a while.
func (t *Tasks) handBackLater(ctx context.Context, task *Task) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := t.d.Work.Do(ctx, func(ctx context.Context) error {
		now := t.d.Clock.Now()
		stored, err := t.d.Tasks.Update(ctx, task.ID, func(stored *Task) error {
			if stored.Run != task.Run || stored.Status != Running {
				return ErrTaken
			}
			stored.interrupt(now)
			return nil
		})
		switch {
		case err != nil:
			return err
		case stored.Status != Interrupted:
			return t.dropped(ctx, stored)
		}
		return t.d.Queue.Push(ctx, task.ID)
	})
	if err != nil && !errors.Is(err, ErrTaken) {
		t.d.Report("hand back task "+task.ID, err)
	}
}

// decode reads JSON that this package has written.
func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read the task's data: %w", err)
	}
	return nil
}
