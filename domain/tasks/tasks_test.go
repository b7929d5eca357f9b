package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

func nothing(context.Context, jobs.Run) error { return nil }

// waiting works until its context ends.
func waiting(ctx context.Context, _ jobs.Run) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestTaskIsStoredAndQueuedTogether(t *testing.T) {
	h := newHouse(t)
	node := h.node(nothing, nil)
	id := h.start(node, keyA)
	task := h.wantStatus(id, tasks.Pending)
	if task.Kind != "copy" || task.CreatedBy != "apikey:a" || task.Owner != keyA || string(task.Payload) != `{"n":1}` {
		t.Errorf("task = %+v", task)
	}
	if got := h.queue.take(); !slices.Equal(got, []string{id}) {
		t.Errorf("queued %v, want %s", got, id)
	}
	h.queue.err = errors.New("queue is away")
	if _, err := node.Start(t.Context(), jobs.Start{Kind: "copy", Owner: keyA}); err == nil {
		t.Error("a task that could not be queued was accepted")
	}
	undone := errors.New("undone")
	h.queue.err = nil
	err := h.memory.Do(t.Context(), func(ctx context.Context) error {
		if _, err := node.Start(ctx, jobs.Start{Kind: "copy", Owner: keyA}); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Error(err)
	}
	if page, err := h.memory.Tasks().List(t.Context(), tasks.Filter{}); err != nil || page.Total != 1 {
		t.Errorf("%d tasks are stored, %v, want 1", page.Total, err)
	}
}

func TestTasksThatCannotBeStartedAreRefused(t *testing.T) {
	h := newHouse(t)
	node := h.node(nothing, nil)
	for name, s := range map[string]jobs.Start{
		"unknown kind":    {Kind: "fly", Owner: keyA},
		"payload too big": {Kind: "copy", Owner: keyA, Payload: strings.Repeat("x", jobs.MaxPayload)},
		"payload no JSON": {Kind: "copy", Owner: keyA, Payload: func() {}},
	} {
		if _, err := node.Start(t.Context(), s); !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	id, err := node.Start(t.Context(), jobs.Start{Kind: "copy", Owner: keyA, Title: strings.Repeat("文", 200)})
	must(t, err)
	if title := h.task(id).Title; title != strings.Repeat("文", 166) {
		t.Errorf("title has %d bytes", len(title))
	}
	for range 99 {
		h.start(node, keyA)
	}
	_, err = node.Start(t.Context(), jobs.Start{Kind: "copy", Owner: keyA})
	h.wantCode(err, ports.RateLimited)
	h.start(node, keyB)
	h.start(node, admin)
}

func TestProgressIsSeenWhileATaskRuns(t *testing.T) {
	h := newHouse(t)
	release := make(chan struct{})
	node := h.node(func(_ context.Context, run jobs.Run) error {
		var in struct{ N int }
		if err := run.Payload(&in); err != nil || in.N != 1 || run.Owner() != keyA {
			return errors.New("payload or owner is wrong")
		}
		run.Expect(2, 20)
		if err := run.Item(done("/a/0"), nil); err != nil {
			return err
		}
		if err := run.Item(jobs.Item{Path: "/a/1", Status: jobs.Downloading}, nil); err != nil {
			return err
		}
		run.Moved(4)
		<-release
		run.Moved(6)
		return run.Item(done("/a/1"), nil)
	}, nil)
	id := h.start(node, keyA)
	ended := make(chan error, 1)
	go func() { ended <- node.Execute(t.Context(), id) }()
	h.until("half of it is shown", func() bool {
		task := h.task(id)
		return task.Status == tasks.Running && task.Done == tasks.Counts{Completed: 1, Bytes: 14} && task.Items == 2 && task.Bytes == 20 &&
			len(task.Current) == 1 && task.Current[0].Path == "/a/1" && task.StartedAt != nil
	})
	close(release)
	must(t, <-ended)
	task := h.wantStatus(id, tasks.Completed)
	if (task.Done != tasks.Counts{Completed: 2, Bytes: 20}) || len(task.Current) != 0 || task.FinishedAt == nil {
		t.Errorf("task = %+v", task)
	}
	_, items, _, err := node.Get(t.Context(), keyA, id, tasks.ItemFilter{})
	must(t, err)
	if items.Total != 2 || items.Items[0].Path != "/a/0" || items.Items[1].Status != jobs.Completed {
		t.Errorf("items = %+v", items)
	}
}

func TestHowATaskEnds(t *testing.T) {
	refused := &ports.Error{Code: ports.Forbidden, Key: "path_forbidden", Text: "a.text", Params: map[string]any{"path": "/x"}, Cause: errors.New("secret")}
	failing := func(which ...int) jobs.Worker {
		return counting(3, func(_ context.Context, _ jobs.Run, i int) error {
			if slices.Contains(which, i) {
				return refused
			}
			return nil
		})
	}
	for name, c := range map[string]struct {
		work     jobs.Worker
		want     tasks.Status
		key      string
		reported bool
	}{
		"all done":             {failing(), tasks.Completed, "", false},
		"nothing to do":        {nothing, tasks.Completed, "", false},
		"an item failed":       {failing(1), tasks.Partial, "", false},
		"all items failed":     {failing(0, 1, 2), tasks.Failed, "partial", false},
		"an error of ours":     {func(context.Context, jobs.Run) error { return refused }, tasks.Failed, "path_forbidden", false},
		"an unknown error":     {func(context.Context, jobs.Run) error { return errors.New("dial 10.0.0.1: secret") }, tasks.Failed, "internal", false},
		"an unclassified one":  {func(context.Context, jobs.Run) error { return &ports.Error{Cause: errors.New("secret")} }, tasks.Failed, "internal", false},
		"a panic":              {func(context.Context, jobs.Run) error { panic("secret") }, tasks.Failed, "internal", true},
		"skipped and failed":   {skipAndFail, tasks.Partial, "", false},
		"stopped on its own":   {func(context.Context, jobs.Run) error { return context.Canceled }, tasks.Failed, "internal", false},
		"far too many failed":  {failForever, tasks.Failed, "partial", false},
		"its payload is wrong": {func(_ context.Context, run jobs.Run) error { var n int; return run.Payload(&n) }, tasks.Failed, "internal", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			node := h.node(c.work, nil)
			id := h.start(node, keyA)
			must(t, node.Execute(t.Context(), id))
			task := h.wantStatus(id, c.want)
			switch {
			case c.key == "" && task.Failure != nil:
				t.Errorf("failure = %+v, want none", task.Failure)
			case c.key != "" && (task.Failure == nil || task.Failure.Key != c.key):
				t.Errorf("failure = %+v, want %s", task.Failure, c.key)
			}
			told, _ := json.Marshal(task.Failure)
			if strings.Contains(string(told), "secret") {
				t.Errorf("a cause left the server: %s", told)
			}
			if (len(h.reported) > 0) != c.reported {
				t.Errorf("reported %v", h.reported)
			}
		})
	}
}

func skipAndFail(_ context.Context, run jobs.Run) error {
	return errors.Join(run.Item(jobs.Item{Path: "/s", Status: jobs.Skipped, Bytes: 5}, nil), run.Item(jobs.Item{Path: "/f"}, errors.New("no")))
}

func failForever(_ context.Context, run jobs.Run) error {
	for i := 0; ; i++ {
		if err := run.Item(jobs.Item{Path: path(i)}, ports.ErrNotFound); err != nil {
			return err
		}
	}
}

func TestUnknownKindFailsTheTask(t *testing.T) {
	h := newHouse(t)
	id := h.start(h.node(nothing, nil), keyA)
	other := tasks.New(tasks.Deps{Tasks: h.memory.Tasks(), Runs: h.memory.TaskRuns(), Queue: h.queue, Work: h.memory, Decider: h.decider, Random: &h.random, Clock: h.clock})
	must(t, other.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Failed); task.Failure == nil || task.Failure.Key != "not_supported" {
		t.Errorf("failure = %+v", task.Failure)
	}
}

func TestCancelling(t *testing.T) {
	t.Run("a waiting task ends at once and is never run", func(t *testing.T) {
		h := newHouse(t)
		node := h.node(func(context.Context, jobs.Run) error { t.Error("it ran"); return nil }, nil)
		id := h.start(node, keyA)
		task, err := node.Cancel(t.Context(), keyA, id)
		must(t, err)
		if task.Status != tasks.Cancelled || task.FinishedAt == nil {
			t.Errorf("task = %+v", task)
		}
		must(t, node.Execute(t.Context(), id))
		_, err = node.Cancel(t.Context(), keyA, id) // again
		must(t, err)
	})
	for name, elsewhere := range map[string]bool{"here": false, "on another node": true} {
		t.Run("a task that runs "+name+" is stopped", func(t *testing.T) {
			h := newHouse(t)
			node := h.node(waiting, nil)
			asked := node
			if elsewhere {
				asked = h.node(nothing, nil)
			}
			id := h.start(node, keyA)
			ended := make(chan error, 1)
			go func() { ended <- node.Execute(t.Context(), id) }()
			h.until("it runs", func() bool { return h.task(id).Status == tasks.Running })
			task, err := asked.Cancel(t.Context(), keyA, id)
			must(t, err)
			if !task.Cancelling {
				t.Errorf("task = %+v", task)
			}
			must(t, <-ended)
			if task := h.wantStatus(id, tasks.Cancelled); task.Cancelling || task.Failure != nil {
				t.Errorf("task = %+v", task)
			}
		})
	}
	t.Run("a finished task cannot be cancelled", func(t *testing.T) {
		h := newHouse(t)
		node := h.node(nothing, nil)
		id := h.start(node, keyA)
		must(t, node.Execute(t.Context(), id))
		_, err := node.Cancel(t.Context(), keyA, id)
		h.wantCode(err, ports.Conflict)
	})
	t.Run("the cause tells the worker", func(t *testing.T) {
		h := newHouse(t)
		var cause error
		node := h.node(func(ctx context.Context, _ jobs.Run) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ctx.Err()
		}, nil)
		id := h.start(node, keyA)
		ended := make(chan error, 1)
		go func() { ended <- node.Execute(t.Context(), id) }()
		h.until("it runs", func() bool { return h.task(id).Status == tasks.Running })
		_, err := node.Cancel(t.Context(), keyA, id)
		must(t, err)
		must(t, <-ended)
		if !errors.Is(cause, jobs.ErrCancelled) {
			t.Errorf("cause = %v", cause)
		}
	})
}

func TestRetryDoesOnlyWhatFailed(t *testing.T) {
	h := newHouse(t)
	var seen []int
	broken := true
	node := h.node(counting(5, func(_ context.Context, _ jobs.Run, i int) error {
		seen = append(seen, i)
		if broken && i%2 == 1 {
			return ports.ErrUnavailable
		}
		return nil
	}), nil)
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Partial); (task.Done != tasks.Counts{Completed: 3, Failed: 2, Bytes: 30}) {
		t.Errorf("done = %+v", task.Done)
	}
	h.queue.take()
	seen, broken = nil, false
	task, err := node.Retry(t.Context(), keyA, id)
	must(t, err)
	if task.Status != tasks.Pending || task.FinishedAt != nil || !slices.Equal(h.queue.take(), []string{id}) {
		t.Errorf("after retry: %+v", task)
	}
	must(t, node.Execute(t.Context(), id))
	if !slices.Equal(seen, []int{1, 3}) {
		t.Errorf("worked on %v, want 1 and 3", seen)
	}
	task = h.wantStatus(id, tasks.Completed)
	if (task.Done != tasks.Counts{Completed: 5, Bytes: 50}) {
		t.Errorf("done = %+v", task.Done)
	}
	failed, err := h.memory.Tasks().Items(t.Context(), id, tasks.ItemFilter{Status: jobs.Failed})
	must(t, err)
	all, err := h.memory.Tasks().Items(t.Context(), id, tasks.ItemFilter{})
	must(t, err)
	if failed.Total != 0 || all.Total != 5 {
		t.Errorf("%d items failed of %d", failed.Total, all.Total)
	}
	_, err = node.Retry(t.Context(), keyA, id)
	h.wantCode(err, ports.Conflict)
}

func TestRetryAfterAnErrorGoesOnFromTheCheckpoint(t *testing.T) {
	h := newHouse(t)
	var seen []int
	broken := true
	node := h.node(counting(6, func(_ context.Context, run jobs.Run, i int) error {
		seen = append(seen, i)
		if broken && i == 1 {
			return ports.ErrNotFound
		}
		if broken && i == 4 {
			panic("boom")
		}
		return nil
	}), nil)
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	h.wantStatus(id, tasks.Failed)
	seen, broken = nil, false
	_, err := node.Retry(t.Context(), admin, id)
	must(t, err)
	must(t, node.Execute(t.Context(), id))
	if !slices.Equal(seen, []int{1, 4, 5}) {
		t.Errorf("worked on %v", seen)
	}
	if task := h.wantStatus(id, tasks.Completed); (task.Done != tasks.Counts{Completed: 6, Bytes: 60}) {
		t.Errorf("done = %+v", task.Done)
	}
}

func TestRetryAsksAgainForWhatTheTaskDoes(t *testing.T) {
	h := newHouse(t)
	node := h.node(nothing, nil)
	refused := &ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}
	var asked []string
	node.Register("move", tasks.Kind{
		Run: func(context.Context, jobs.Run) error { return ports.ErrNotFound },
		Allowed: func(_ context.Context, who policy.Principal, payload json.RawMessage) error {
			asked = append(asked, who.ID+string(payload))
			return refused
		},
	})
	id, err := node.Start(t.Context(), jobs.Start{Kind: "move", Owner: keyA, Payload: 7})
	must(t, err)
	must(t, node.Execute(t.Context(), id))
	_, err = node.Retry(t.Context(), keyA, id)
	if !errors.Is(err, refused) || !slices.Equal(asked, []string{"a7"}) {
		t.Errorf("error = %v, asked %v", err, asked)
	}
	h.wantStatus(id, tasks.Failed)
}

func TestEverybodySeesTheirOwnTasksAndTheAdministratorAll(t *testing.T) {
	h := newHouse(t)
	node := h.node(func(context.Context, jobs.Run) error { return ports.ErrNotFound }, nil)
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	calls := map[string]func(who policy.Principal) error{
		"get": func(who policy.Principal) error {
			_, _, _, err := node.Get(t.Context(), who, id, tasks.ItemFilter{})
			return err
		},
		"cancel": func(who policy.Principal) error { _, err := node.Cancel(t.Context(), who, id); return err },
		"retry":  func(who policy.Principal) error { _, err := node.Retry(t.Context(), who, id); return err },
		"delete": func(who policy.Principal) error { return node.Delete(t.Context(), who, id) },
	}
	weak := policy.Principal{Kind: policy.APIKey, ID: "a", Permissions: policy.PermText}
	for name, call := range calls {
		for _, c := range []struct {
			who  policy.Principal
			want ports.Code
			do   policy.Action
		}{{keyB, ports.NotFound, policy.TaskRead}, {weak, ports.Forbidden, policy.TaskRead}, {policy.Nobody, ports.Unauthenticated, policy.TaskRead}} {
			h.decider.asked = nil
			if err := call(c.who); !ports.Is(err, c.want) {
				t.Errorf("%s by %s: %v", name, c.who.ID, err)
			}
			if !slices.Equal(h.decider.asked, []policy.Action{c.do}) {
				t.Errorf("%s asked %v", name, h.decider.asked)
			}
		}
		h.memory.FailWith(errors.New("touched"))
		if err := call(weak); !ports.Is(err, ports.Forbidden) {
			t.Errorf("%s touched the repository before the policy: %v", name, err)
		}
		h.memory.FailWith(nil)
	}
	for name, c := range map[string]struct {
		who  policy.Principal
		want int
	}{"owner": {keyA, 1}, "another": {keyB, 0}, "admin": {admin, 1}} {
		page, paging, err := node.List(t.Context(), c.who, tasks.Filter{CreatedBy: "apikey:a"})
		must(t, err)
		if page.Total != c.want || paging.Limit != 50 {
			t.Errorf("%s sees %d tasks, paging %+v", name, page.Total, paging)
		}
	}
	h.decider.asked = nil
	_, _, _, err := node.Get(t.Context(), admin, id, tasks.ItemFilter{})
	must(t, err)
	if !slices.Equal(h.decider.asked, []policy.Action{policy.TasksRead}) {
		t.Errorf("the admin's call asked %v", h.decider.asked)
	}
	waitingID := h.start(node, keyA)
	h.wantCode(node.Delete(t.Context(), keyA, waitingID), ports.Conflict)
	must(t, node.Delete(t.Context(), keyA, id))
	_, _, _, err = node.Get(t.Context(), keyA, id, tasks.ItemFilter{})
	h.wantCode(err, ports.NotFound)
}

func TestOfManyItemsAllFailuresAndSomeOthersAreKept(t *testing.T) {
	h := newHouse(t)
	node := h.node(counting(3000, func(_ context.Context, _ jobs.Run, i int) error {
		if i%2 == 1 {
			return ports.ErrNotFound
		}
		return nil
	}), nil)
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Partial); (task.Done != tasks.Counts{Completed: 1500, Failed: 1500, Bytes: 15000}) {
		t.Errorf("done = %+v", task.Done)
	}
	for status, want := range map[jobs.ItemStatus]int{jobs.Failed: 1500, jobs.Completed: 1000} {
		page, err := h.memory.Tasks().Items(t.Context(), id, tasks.ItemFilter{Status: status})
		must(t, err)
		if page.Total != want {
			t.Errorf("%d items are %s, want %d", page.Total, status, want)
		}
	}
}

func TestNoTaskRunsTwiceHoweverOftenItIsOffered(t *testing.T) {
	h := newHouse(t)
	var mu sync.Mutex
	ran := map[string]int{}
	work := func(_ context.Context, run jobs.Run) error {
		mu.Lock()
		defer mu.Unlock()
		ran[run.TaskID()]++
		return nil
	}
	nodes := []*tasks.Tasks{h.node(work, nil), h.node(work, nil)}
	var ids []string
	for range 30 {
		ids = append(ids, h.start(nodes[0], keyA))
	}
	var all sync.WaitGroup
	for _, node := range slices.Concat(nodes, nodes) {
		all.Go(func() {
			for _, id := range ids {
				if err := node.Execute(t.Context(), id); err != nil && !errors.Is(err, tasks.ErrBusy) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if ran[id] != 1 {
			t.Errorf("task %s ran %d times", id, ran[id])
		}
	}
}

func TestOldTasksAreForgotten(t *testing.T) {
	h := newHouse(t)
	node := h.node(nothing, nil)
	old := h.start(node, keyA)
	must(t, node.Execute(t.Context(), old))
	waits := h.start(node, keyA)
	h.clock.Add(30 * 24 * time.Hour)
	if n, err := node.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v on the last day", n, err)
	}
	h.clock.Add(time.Minute)
	if n, err := node.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("swept %d, %v, want the finished one", n, err)
	}
	h.wantStatus(waits, tasks.Pending)
}

func TestTwoWorkersForOneKindAreAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the second worker was taken")
		}
	}()
	newHouse(t).node(nothing, nil).Register("copy", tasks.Kind{Run: nothing})
}
