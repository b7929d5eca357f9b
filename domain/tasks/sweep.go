package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pasteport/ports"
)

const (
	keptFor  = 30 * 24 * time.Hour // a finished task
	keptMost = 10_000              // finished tasks
	sweepMax = 1000                // tasks one sweep touches
	// forgotten is the age at which a waiting task is pushed again: the queue
	// would have offered it long before.
	forgotten = 10 * time.Minute
)

// Recover marks the running tasks of dead nodes as interrupted and queues them
// again. A node is dead to it when it was silent for the lease, and every
// other one is when this process is alone.
func (t *Tasks) Recover(ctx context.Context) (int, error) {
	now := t.d.Clock.Now()
	before := now.Add(-t.d.Lease)
	if t.d.Alone {
		before = now.AddDate(100, 0, 0) // whatever the clock was when they ran
	}
	ids, err := t.d.Tasks.Orphans(ctx, before, sweepMax)
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, id := range ids {
		if t.runsHere(id) {
			continue
		}
		switch err := t.handBack(ctx, id, before); {
		case err == nil:
			n++
		case !errors.Is(err, ErrTaken):
			errs = append(errs, fmt.Errorf("task %s: %w", id, err))
		}
	}
	return n, errors.Join(append(errs, t.remind(ctx, now))...)
}

func (t *Tasks) runsHere(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.runs[id] != nil
}

// handBack interrupts a run that was silent since before, unless it was to be
// cancelled anyway.
func (t *Tasks) handBack(ctx context.Context, id string, before time.Time) error {
	return t.d.Work.Do(ctx, func(ctx context.Context) error {
		now := t.d.Clock.Now()
		task, err := t.d.Tasks.Update(ctx, id, func(task *Task) error {
			if task.Status != Running || !task.BeatAt.Before(before) {
				return ErrTaken
			}
			task.interrupt(now)
			return nil
		})
		switch {
		case err != nil:
			return err
		case task.Status != Interrupted:
			return t.dropped(ctx, task)
		}
		return t.d.Queue.Push(ctx, id)
	})
}

// interrupt ends a run but not the task; the caller stores it.
func (task *Task) interrupt(now time.Time) {
	if task.Cancelling {
		task.finish(Cancelled, nil, now)
		return
	}
	task.Status, task.Current, task.UpdatedAt, task.BeatAt = Interrupted, nil, now, now
}

// remind queues waiting tasks that the queue seems to have lost.
func (t *Tasks) remind(ctx context.Context, now time.Time) error {
	ids, err := t.d.Tasks.Waiting(ctx, now.Add(-forgotten), sweepMax)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := t.d.Work.Do(ctx, func(ctx context.Context) error {
			_, err := t.d.Tasks.Update(ctx, id, func(task *Task) error {
				if task.Status != Pending && task.Status != Interrupted {
					return ErrTaken
				}
				task.BeatAt = now
				return nil
			})
			if err != nil {
				return err
			}
			return t.d.Queue.Push(ctx, id)
		})
		if err != nil && !errors.Is(err, ErrTaken) && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return nil
}

// Sweep forgets tasks that ended more than 30 days ago, and the oldest beyond
// 10,000; at most 1000 at once.
func (t *Tasks) Sweep(ctx context.Context) (int, error) {
	return t.d.Tasks.Purge(ctx, t.d.Clock.Now().Add(-keptFor), keptMost, sweepMax)
}
