package tasks_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
)

// silent is a node whose runs show no sign of life by themselves.
func silent(d *tasks.Deps) { d.Beat = time.Hour }

// stuck runs a task of ten items whose worker stops answering after five: three
// behind a stored checkpoint, two ahead of it. It returns how to let it go on
// and how it ends.
func (h *house) stuck(id *string) (goOn func(), ended chan error) {
	release, reached := make(chan struct{}), make(chan struct{})
	node := h.node(func(ctx context.Context, run jobs.Run) error {
		run.Expect(10, 100)
		for i := range 5 {
			failure := error(nil)
			if i == 1 || i == 4 {
				failure = ports.ErrNotFound
			}
			if err := run.Item(done(path(i)), failure); err != nil {
				return err
			}
			if i < 3 {
				if err := run.Checkpoint(i + 1); err != nil {
					return err
				}
			}
			if i == 2 {
				if err := run.Sync(ctx); err != nil {
					return err
				}
			}
		}
		close(reached)
		<-release
		return run.Sync(ctx)
	}, silent)
	*id = h.start(node, keyA)
	ended = make(chan error, 1)
	go func() { ended <- node.Execute(h.t.Context(), *id) }()
	<-reached
	h.queue.take()
	return func() { close(release) }, ended
}

func TestTaskOfADeadNodeGoesOnFromItsCheckpoint(t *testing.T) {
	h := newHouse(t)
	var id string
	goOn, ended := h.stuck(&id)

	var seen []int
	other := h.node(counting(10, func(_ context.Context, _ jobs.Run, i int) error {
		seen = append(seen, i)
		return nil
	}), nil)
	h.clock.Add(59 * time.Second)
	if n, err := other.Recover(t.Context()); n != 0 || err != nil {
		t.Fatalf("recovered %d, %v while the node may live", n, err)
	}
	if err := other.Execute(t.Context(), id); !errors.Is(err, tasks.ErrBusy) {
		t.Fatalf("error = %v, want busy", err)
	}
	h.clock.Add(2 * time.Second)
	if n, err := other.Recover(t.Context()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	h.wantStatus(id, tasks.Interrupted)
	if got := h.queue.take(); !slices.Equal(got, []string{id}) {
		t.Fatalf("queued %v", got)
	}
	must(t, other.Execute(t.Context(), id))
	if !slices.Equal(seen, []int{1, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("worked on %v: the failed one, then all after the checkpoint", seen)
	}
	want := tasks.Counts{Completed: 10, Bytes: 100}
	if task := h.wantStatus(id, tasks.Completed); task.Done != want || task.Run != 2 {
		t.Errorf("done = %+v in run %d", task.Done, task.Run)
	}
	goOn() // the dead was only slow, and finds itself replaced
	must(t, <-ended)
	if task := h.wantStatus(id, tasks.Completed); task.Done != want {
		t.Errorf("the late run changed %+v", task.Done)
	}
}

func TestAtTheStartOfAServerThatIsAloneEveryRunningTaskGoesBack(t *testing.T) {
	h := newHouse(t)
	var id string
	goOn, ended := h.stuck(&id)
	again := h.node(counting(10, func(context.Context, jobs.Run, int) error { return nil }), func(d *tasks.Deps) { d.Alone = true })
	h.clock.Add(-time.Hour) // whatever the clock says
	if n, err := again.Recover(t.Context()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	h.wantStatus(id, tasks.Interrupted)
	must(t, again.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Completed); task.Done.Completed != 10 {
		t.Errorf("done = %+v", task.Done)
	}
	goOn()
	must(t, <-ended)
}

func TestServerThatIsAloneKeepsItsOwnRunningTasks(t *testing.T) {
	h := newHouse(t)
	node := h.node(waiting, func(d *tasks.Deps) { d.Alone = true })
	id := h.start(node, keyA)
	ended := make(chan error, 1)
	go func() { ended <- node.Execute(t.Context(), id) }()
	h.until("it runs", func() bool { return h.task(id).Status == tasks.Running })
	if n, err := node.Recover(t.Context()); n != 0 || err != nil {
		t.Errorf("recovered %d, %v", n, err)
	}
	if err := node.Execute(t.Context(), id); !errors.Is(err, tasks.ErrBusy) {
		t.Errorf("a second run: %v", err)
	}
	_, err := node.Cancel(t.Context(), keyA, id)
	must(t, err)
	must(t, <-ended)
}

func TestTaskOfADeadNodeThatWasToBeCancelledIsCancelled(t *testing.T) {
	h := newHouse(t)
	var id string
	goOn, ended := h.stuck(&id)
	other := h.node(nothing, nil)
	_, err := other.Cancel(t.Context(), keyA, id)
	must(t, err)
	h.wantStatus(id, tasks.Running)
	h.clock.Add(2 * time.Minute)
	if n, err := other.Recover(t.Context()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	h.wantStatus(id, tasks.Cancelled)
	if got := h.queue.take(); len(got) != 0 {
		t.Errorf("queued %v", got)
	}
	goOn()
	must(t, <-ended)
	h.wantStatus(id, tasks.Cancelled)
}

func TestStoppingServerHandsItsTasksBack(t *testing.T) {
	h := newHouse(t)
	stuckAt := make(chan struct{})
	first := true
	var seen []int
	work := counting(6, func(ctx context.Context, _ jobs.Run, i int) error {
		if first && i == 3 {
			close(stuckAt)
			<-ctx.Done()
			return ctx.Err()
		}
		seen = append(seen, i)
		return nil
	})
	node := h.node(func(ctx context.Context, run jobs.Run) error {
		err := work(ctx, run)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}, silent)
	id := h.start(node, keyA)
	h.queue.take()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- node.Execute(ctx, id) }()
	<-stuckAt
	stop()
	if err := <-ended; !errors.Is(err, jobs.ErrStopping) {
		t.Errorf("error = %v", err)
	}
	h.wantStatus(id, tasks.Interrupted)
	if got := h.queue.take(); !slices.Equal(got, []string{id}) {
		t.Errorf("queued %v", got)
	}
	first = false
	must(t, node.Execute(t.Context(), id))
	task := h.wantStatus(id, tasks.Completed)
	// The fourth item was told as failed when the server stopped, ahead of its
	// checkpoint or behind it: either way it is done again.
	if task.Done != (tasks.Counts{Completed: 6, Bytes: 60}) || !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("done = %+v, worked on %v", task.Done, seen)
	}
}

func TestWorkThatIsDoneWhenTheServerStopsIsKept(t *testing.T) {
	h := newHouse(t)
	ctx, stop := context.WithCancel(t.Context())
	node := h.node(counting(3, func(_ context.Context, _ jobs.Run, i int) error {
		if i == 2 {
			stop()
		}
		return nil
	}), nil)
	id := h.start(node, keyA)
	must(t, node.Execute(ctx, id))
	h.wantStatus(id, tasks.Completed)
}

func TestDatabaseThatIsAwayForAMomentLosesNoWork(t *testing.T) {
	h := newHouse(t)
	node := h.node(counting(3, func(_ context.Context, _ jobs.Run, i int) error {
		if i == 2 {
			h.memory.FailWith(ports.ErrUnavailable)
			time.AfterFunc(50*time.Millisecond, func() { h.memory.FailWith(nil) })
		}
		return nil
	}), nil)
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Completed); task.Done.Completed != 3 {
		t.Errorf("done = %+v", task.Done)
	}
}

func TestTaskThatTheQueueHasForgottenIsQueuedAgain(t *testing.T) {
	h := newHouse(t)
	node := h.node(nothing, nil)
	id := h.start(node, keyA)
	h.queue.take()
	for _, c := range []struct {
		wait time.Duration
		want []string
	}{{10 * time.Minute, nil}, {time.Second, []string{id}}, {time.Minute, nil}, {10 * time.Minute, []string{id}}} {
		h.clock.Add(c.wait)
		if _, err := node.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.queue.take(); !slices.Equal(got, c.want) {
			t.Errorf("queued %v, want %v", got, c.want)
		}
	}
}
