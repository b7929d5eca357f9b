package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// owners are keys that may change while a task runs.
type owners struct {
	mu  sync.Mutex
	now policy.Principal
	err error
}

func (o *owners) Now(context.Context, policy.Principal) (policy.Principal, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now, o.err
}

func (o *owners) set(now policy.Principal, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now, o.err = now, err
}

// insideA lets only keys whose base is /a, or above it, do the work.
func insideA(_ context.Context, who policy.Principal, _ json.RawMessage) error {
	if who.BasicPath != "/a" && who.BasicPath != "/" {
		return &ports.Error{Code: ports.Forbidden, Key: "path_forbidden"}
	}
	return nil
}

func TestSecurityS4_ATaskEndsWithTheRightsOfItsOwner(t *testing.T) {
	narrowed, widened, fewer := keyA, keyA, keyA
	narrowed.BasicPath, widened.BasicPath, fewer.Permissions = "/a/b", "/", policy.PermMountCopy|policy.PermMountView
	for name, c := range map[string]struct {
		now  policy.Principal
		err  error
		want tasks.Status
	}{
		"the key is gone, disabled or expired": {policy.Principal{}, ports.ErrNotFound, tasks.Failed},
		"the key is narrowed":                  {narrowed, nil, tasks.Failed},
		"the key is widened":                   {widened, nil, tasks.Completed},
		"the key has other bits that do":       {fewer, nil, tasks.Completed},
		"the key has not changed":              {keyA, nil, tasks.Completed},
		"the database is away":                 {policy.Principal{}, ports.ErrUnavailable, tasks.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			keys := &owners{now: keyA}
			begun, looked := make(chan struct{}), make(chan struct{})
			node := tasks.New(tasks.Deps{Tasks: h.memory.Tasks(), Runs: h.memory.TaskRuns(), Queue: h.queue, Work: h.memory, Decider: h.decider, Random: &h.random, Clock: h.clock, Owners: keys, Beat: 1e6})
			work := func(ctx context.Context, run jobs.Run) error {
				close(begun)
				select { // between two files
				case <-ctx.Done():
					return context.Cause(ctx)
				case <-looked:
				}
				return run.Item(done("/a/1"), nil)
			}
			node.Register("copy", tasks.Kind{Run: work, Allowed: insideA})
			id := h.start(node, keyA)
			ended := make(chan error, 1)
			go func() { ended <- node.Execute(t.Context(), id) }()
			<-begun
			keys.set(c.now, c.err)
			if c.want == tasks.Completed {
				close(looked)
			}
			must(t, <-ended)
			task := h.wantStatus(id, c.want)
			if c.want == tasks.Failed && (task.Failure == nil || task.Failure.Key != "permission_denied" || task.Failure.Text != "task.rights_ended") {
				t.Errorf("failure = %+v", task.Failure)
			}
		})
	}
}

func TestATaskWhoseOwnerIsGoneDoesNotBegin(t *testing.T) {
	h := newHouse(t)
	node := h.node(func(context.Context, jobs.Run) error { return errors.New("it ran") }, func(d *tasks.Deps) { d.Owners = &owners{err: ports.ErrNotFound} })
	id := h.start(node, keyA)
	must(t, node.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Failed); task.Failure == nil || task.Failure.Text != "task.rights_ended" {
		t.Errorf("failure = %+v", task.Failure)
	}
	id = h.start(node, admin) // whose rights do not end
	must(t, node.Execute(t.Context(), id))
	if task := h.wantStatus(id, tasks.Failed); task.Failure == nil || task.Failure.Key != "internal" {
		t.Errorf("failure = %+v", task.Failure)
	}
}
