package tasks_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

var (
	admin = policy.Principal{Kind: policy.Admin, ID: "admin-id", BasicPath: "/"}
	keyA  = policy.Principal{Kind: policy.APIKey, ID: "a", Permissions: policy.PermMountCopy, BasicPath: "/a"}
	keyB  = policy.Principal{Kind: policy.APIKey, ID: "b", Permissions: policy.PermMountCopy, BasicPath: "/b"}
)

// decider lets keys with a mount permission do task.read, and the admin all.
type decider struct {
	mu    sync.Mutex
	asked []policy.Action
}

func (d *decider) Decide(_ context.Context, who policy.Principal, do policy.Action, _ policy.Resource) (policy.Decision, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, do)
	if who.Kind == policy.Admin {
		return policy.Decision{Allow: true, Scope: policy.All}, nil
	}
	return policy.Decision{Allow: do == policy.TaskRead && who.Permissions&policy.PermMountCopy != 0, Scope: policy.Own}, nil
}

// queue remembers what was pushed.
type queue struct {
	mu     sync.Mutex
	pushed []string
	err    error
}

func (q *queue) Push(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushed = append(q.pushed, id)
	return q.err
}

func (q *queue) take() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.pushed
	q.pushed = nil
	return out
}

// house is one database with as many nodes as a test makes.
type house struct {
	t       *testing.T
	memory  *domaintest.Memory
	clock   *portstest.Clock
	decider *decider
	queue   *queue
	random  portstest.Random

	mu       sync.Mutex
	reported []string
}

func newHouse(t *testing.T) *house {
	clock := portstest.NewClock()
	return &house{t: t, clock: clock, memory: domaintest.NewMemory(clock), decider: &decider{}, queue: &queue{}}
}

// node is a server; work is what tasks of the kind "copy" do there.
func (h *house) node(work jobs.Worker, change func(*tasks.Deps)) *tasks.Tasks {
	d := tasks.Deps{
		Tasks: h.memory.Tasks(), Runs: h.memory.TaskRuns(), Queue: h.queue, Work: h.memory, Decider: h.decider, Random: &h.random, Clock: h.clock, Beat: 2 * time.Millisecond,
		Report: func(doing string, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.reported = append(h.reported, doing+": "+err.Error())
		},
	}
	if change != nil {
		change(&d)
	}
	node := tasks.New(d)
	node.Register("copy", tasks.Kind{Run: work})
	return node
}

func (h *house) start(node *tasks.Tasks, owner policy.Principal) string {
	h.t.Helper()
	id, err := node.Start(h.t.Context(), jobs.Start{Kind: "copy", Title: "/a", Owner: owner, Payload: map[string]int{"n": 1}})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *house) task(id string) *tasks.Task {
	h.t.Helper()
	task, err := h.memory.Tasks().Get(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

func (h *house) wantStatus(id string, want tasks.Status) *tasks.Task {
	h.t.Helper()
	task := h.task(id)
	if task.Status != want {
		h.t.Errorf("status = %s, want %s (failure %+v)", task.Status, want, task.Failure)
	}
	return task
}

// until waits for a condition.
func (h *house) until(what string, fits func() bool) {
	h.t.Helper()
	portstest.Eventually(h.t, fits, what)
}

func (h *house) wantCode(err error, want ports.Code) {
	h.t.Helper()
	if !ports.Is(err, want) {
		h.t.Errorf("error = %v, want code %d", err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func done(path string) jobs.Item {
	return jobs.Item{Path: path, Status: jobs.Completed, Bytes: 10}
}

func path(n int) string { return fmt.Sprintf("/a/%d", n) }

// counting works on the items 0 to n-1, with a checkpoint after each, and goes
// on where it was. Failures of the run before come first.
func counting(n int, each func(ctx context.Context, run jobs.Run, i int) error) jobs.Worker {
	return func(ctx context.Context, run jobs.Run) error {
		run.Expect(int64(n), int64(10*n))
		for _, item := range run.Failed() {
			var i int
			if _, err := fmt.Sscanf(item.Path, "/a/%d", &i); err != nil {
				return err
			}
			if err := run.Item(done(item.Path), each(ctx, run, i)); err != nil {
				return err
			}
		}
		next := 0
		if _, err := run.State(&next); err != nil {
			return err
		}
		for i := next; i < n; i++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := run.Item(done(path(i)), each(ctx, run, i)); err != nil {
				return err
			}
			if err := run.Checkpoint(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
}
