package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

const (
	kindTask     = policy.KindTask
	titleBytes   = 500
	currentItems = 16
	keptItems    = 1000 // items of a task that are stored although they did not fail

	maxUnfinished      = 100  // per key
	maxUnfinishedAdmin = 1000 // of the administrator
)

// Kind is what one kind of task does.
type Kind struct {
	Run jobs.Worker
	// Allowed is asked before a retry, with who asks for it: may the task do its
	// work again? It asks the policy as the use case did that started it. Nil
	// means that seeing the task is enough.
	Allowed func(ctx context.Context, who policy.Principal, payload json.RawMessage) error
	// Dropped takes back what was reserved for a task that is cancelled while it
	// does not run, or whose owner has lost its rights before it ran: no worker
	// hears of that. It joins the unit of work in ctx. Nil means nothing was.
	Dropped func(ctx context.Context, payload json.RawMessage) error
}

// Deps are what Tasks stands on.
type Deps struct {
	Tasks   Repository
	Runs    Runs
	Queue   Queue
	Work    ports.UnitOfWork
	Decider policy.Decider
	Owners  Owners // nil: owners keep the rights they had at the start
	Random  ports.Random
	Clock   ports.Clock
	// Report gets errors that nobody waits for. Nil drops them.
	Report func(doing string, err error)
	// Alone is true when no other process works on the same rows.
	Alone bool
	// Around is put around the worker of each kind. Nil leaves workers as they are.
	Around func(kind string, work jobs.Worker) jobs.Worker
	// Beat is how often a run stores its progress and looks whether it is
	// cancelled. Zero means a second.
	Beat time.Duration
	// Lease is how long a run may be silent before it counts as dead. Zero means
	// a minute.
	Lease time.Duration
}

// Tasks is the work in the background. It is safe for concurrent use; kinds are
// registered before the first task runs.
type Tasks struct {
	d     Deps
	node  string
	kinds map[string]Kind

	mu    sync.Mutex
	runs  map[string]*run   // by task id, on this node
	stats map[string]*Stats // by kind
}

var _ jobs.Tasks = (*Tasks)(nil)

// New returns the tasks over the ports of d.
func New(d Deps) *Tasks {
	if d.Report == nil {
		d.Report = func(string, error) {}
	}
	if d.Beat == 0 {
		d.Beat = time.Second
	}
	if d.Lease == 0 {
		d.Lease = time.Minute
	}
	return &Tasks{d: d, node: d.Random.ID(), kinds: map[string]Kind{}, runs: map[string]*run{}, stats: map[string]*Stats{}}
}

// Register names the worker of a kind. It panics when the kind has one.
func (t *Tasks) Register(name string, kind Kind) {
	if _, taken := t.kinds[name]; taken || kind.Run == nil {
		panic(fmt.Sprintf("tasks: kind %q has two workers or none", name))
	}
	if t.d.Around != nil {
		kind.Run = t.d.Around(name, kind.Run)
	}
	t.kinds[name] = kind
}

// Start stores a new task; see jobs.Tasks.
func (t *Tasks) Start(ctx context.Context, s jobs.Start) (string, error) {
	if _, known := t.kinds[s.Kind]; !known {
		return "", ports.InvalidInput("task.kind", "kind")
	}
	payload, err := json.Marshal(s.Payload)
	if err != nil {
		return "", ports.InvalidInput("task.payload", "payload").With(err)
	}
	if len(payload) > jobs.MaxPayload {
		return "", ports.InvalidInput("task.payload", "payload")
	}
	now := t.d.Clock.Now()
	task := Task{
		ID: t.d.Random.ID(), Kind: s.Kind, Title: cut(s.Title, titleBytes), Owner: s.Owner, CreatedBy: s.Owner.Owner(), Status: Pending,
		Payload: payload, Progress: Progress{Items: max(s.Items, 0), Bytes: max(s.Bytes, 0)}, BeatAt: now, CreatedAt: now, UpdatedAt: now,
	}
	err = t.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := t.room(ctx, s.Owner); err != nil {
			return err
		}
		if err := t.d.Tasks.Insert(ctx, &task); err != nil {
			return err
		}
		return t.d.Queue.Push(ctx, task.ID)
	})
	return task.ID, err
}

// room refuses an owner who has too many unfinished tasks.
func (t *Tasks) room(ctx context.Context, owner policy.Principal) error {
	limit := maxUnfinished
	switch owner.Kind {
	case policy.System:
		return nil
	case policy.Admin:
		limit = maxUnfinishedAdmin
	}
	n, err := t.d.Tasks.Unfinished(ctx, owner.Owner())
	if err == nil && n >= limit {
		err = &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "task.too_many", RetryAfter: time.Minute}
	}
	return err
}

// List returns a page of tasks, the newest first: all to the administrator,
// their own to others. It asks task.read or admin.tasks.read.
func (t *Tasks) List(ctx context.Context, who policy.Principal, f Filter) (ports.Page[Task], ports.Paging, error) {
	decision, err := t.ask(ctx, who)
	if err != nil {
		return ports.Page[Task]{}, ports.Paging{}, err
	}
	if decision.Scope != policy.All {
		f.CreatedBy = who.Owner()
	}
	f.Paging = page(f.Paging, decision.Obligations)
	found, err := t.d.Tasks.List(ctx, f)
	return found, f.Paging, err
}

// ask asks the policy whether the caller may deal with tasks.
func (t *Tasks) ask(ctx context.Context, who policy.Principal) (policy.Decision, error) {
	action := policy.TaskRead
	if who.Kind == policy.Admin {
		action = policy.TasksRead
	}
	return policy.Check(ctx, t.d.Decider, who, action, policy.Resource{Kind: kindTask, Owner: who.Owner()})
}

func page(p ports.Paging, o policy.Obligations) ports.Paging {
	if p.Limit <= 0 {
		p.Limit = 50
	}
	p.Limit, p.Offset = min(p.Limit, 1000), max(p.Offset, 0)
	if o.ListLimit > 0 {
		p.Limit = int(min(int64(p.Limit), o.ListLimit))
	}
	return p
}

// own returns a task of the caller's; NotFound for those of others.
func (t *Tasks) own(ctx context.Context, who policy.Principal, id string) (*Task, error) {
	if _, err := t.ask(ctx, who); err != nil {
		return nil, err
	}
	task, err := t.d.Tasks.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !who.Owns(task.CreatedBy) {
		return nil, ports.ErrNotFound
	}
	return task, nil
}

// Get returns a task and a page of its items: all that failed and the first
// 1000 of the others. It asks task.read or admin.tasks.read. Returns NotFound
// for tasks of others, too.
func (t *Tasks) Get(ctx context.Context, who policy.Principal, id string, f ItemFilter) (*Task, ports.Page[Item], ports.Paging, error) {
	task, err := t.own(ctx, who, id)
	if err != nil {
		return nil, ports.Page[Item]{}, ports.Paging{}, err
	}
	f.Paging = page(f.Paging, policy.Obligations{})
	items, err := t.d.Tasks.Items(ctx, id, f)
	return task, items, f.Paging, err
}

var (
	errFinished   = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "task.finished"}
	errUnfinished = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "task.unfinished"}
)

// Cancel ends a task. One that waits is cancelled at once, one that runs as
// soon as its worker has stopped. Repeating it is harmless. It asks task.read
// or admin.tasks.read. Returns Conflict when the task has already ended.
func (t *Tasks) Cancel(ctx context.Context, who policy.Principal, id string) (*Task, error) {
	if _, err := t.own(ctx, who, id); err != nil {
		return nil, err
	}
	var task *Task
	err := t.d.Work.Do(ctx, func(ctx context.Context) (err error) {
		waited := false
		task, err = t.d.Tasks.Update(ctx, id, func(task *Task) error {
			now := t.d.Clock.Now()
			switch {
			case task.Status == Cancelled:
				return nil
			case task.Status.Finished():
				return errFinished
			case task.Status == Running:
				task.Cancelling = true
			default:
				waited = true
				task.finish(Cancelled, nil, now)
			}
			task.UpdatedAt = now
			return nil
		})
		if err == nil && waited {
			err = t.dropped(ctx, task)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if task.Cancelling {
		t.cancelHere(id)
	}
	return task, nil
}

// dropped tells the kind of a task that no worker will hear of its end.
func (t *Tasks) dropped(ctx context.Context, task *Task) error {
	drop := t.kinds[task.Kind].Dropped
	if drop == nil {
		return nil
	}
	return drop(ctx, task.Payload)
}

// cancelHere tells the run on this node, if it is here; another node looks
// with its next beat.
func (t *Tasks) cancelHere(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.runs[id]; r != nil {
		r.stop(jobs.ErrCancelled)
	}
}

// Retry runs a failed, partly done or cancelled task again: the items that
// failed, and what its last checkpoint had not passed. It asks task.read or
// admin.tasks.read, and what the kind of the task asks. Returns Conflict when
// the task has not ended or has nothing left to do.
func (t *Tasks) Retry(ctx context.Context, who policy.Principal, id string) (*Task, error) {
	task, err := t.own(ctx, who, id)
	if err != nil {
		return nil, err
	}
	kind, known := t.kinds[task.Kind]
	if !known {
		return nil, ports.InvalidInput("task.kind", "kind")
	}
	if kind.Allowed != nil {
		if err := kind.Allowed(ctx, who, task.Payload); err != nil {
			return nil, err
		}
	}
	err = t.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := t.room(ctx, who); err != nil {
			return err
		}
		task, err = t.d.Tasks.Update(ctx, id, func(task *Task) error {
			if !task.Status.Retryable() {
				return errUnfinished
			}
			now := t.d.Clock.Now()
			task.Status, task.Failure, task.FinishedAt, task.UpdatedAt, task.BeatAt = Pending, nil, nil, now, now
			return nil
		})
		if err != nil {
			return err
		}
		return t.d.Queue.Push(ctx, id)
	})
	return task, err
}

// Delete forgets a task that has ended. It asks task.read or admin.tasks.read.
// Returns Conflict for one that has not.
func (t *Tasks) Delete(ctx context.Context, who policy.Principal, id string) error {
	task, err := t.own(ctx, who, id)
	if err != nil {
		return err
	}
	if !task.Status.Finished() {
		return errUnfinished
	}
	_, err = t.d.Tasks.Delete(ctx, id)
	return err
}

// finish ends the task; the caller stores it.
func (task *Task) finish(status Status, failure *Failure, now time.Time) {
	task.Status, task.Failure, task.Cancelling, task.Current = status, failure, false, nil
	task.FinishedAt, task.UpdatedAt = &now, now
}

// cut shortens s to at most n bytes of whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
