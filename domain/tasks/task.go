package tasks

import (
	"context"
	"errors"
	"time"

	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// Status is the state of a task (spec §4).
type Status string

// The states. A task begins as Pending; Running becomes Interrupted when its
// node stops or dies, and goes on from there by itself.
const (
	Pending     Status = "pending"
	Running     Status = "running"
	Interrupted Status = "interrupted"
	Completed   Status = "completed"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Partial     Status = "partial" // done, but for some items
)

// Statuses lists every state.
var Statuses = []Status{Pending, Running, Interrupted, Completed, Failed, Cancelled, Partial}

// Finished reports whether the task will not go on by itself.
func (s Status) Finished() bool {
	return s == Completed || s == Failed || s == Cancelled || s == Partial
}

// Retryable reports whether the task may be run again by hand.
func (s Status) Retryable() bool { return s == Failed || s == Partial || s == Cancelled }

// Task is one piece of work in the background.
type Task struct {
	ID        string
	Kind      string
	Title     string
	Owner     policy.Principal // as known at the start
	CreatedBy string           // Owner.Owner(), for lists
	Status    Status
	// Cancelling is true from the call that cancels a running task until its
	// worker has stopped.
	Cancelling bool
	Failure    *Failure // why it failed; nil unless it did

	Payload []byte // JSON; empty in lists
	State   []byte // JSON of the last checkpoint; nil without one, and in lists
	Passed  Counts // the items that State has passed
	Progress

	Run    int64  // number of the run under way or last; each run knows its own
	Node   string // where it runs or ran last
	BeatAt time.Time

	CreatedAt  time.Time
	UpdatedAt  time.Time
	StartedAt  *time.Time // of the first run
	FinishedAt *time.Time
}

// Counts are settled items and what they came to.
type Counts struct {
	Completed int64
	Skipped   int64
	Failed    int64
	Bytes     int64 // moved
}

// Progress is what is shown of a task under way.
type Progress struct {
	Items, Bytes int64 // expected; zero means unknown
	Done         Counts
	Current      []jobs.Item // under way, at most 16
}

// Failure is an error as it may be shown to the owner.
type Failure struct {
	Key    string         `json:"key"`            // machine code
	Text   string         `json:"text,omitempty"` // of the message catalogue; empty means Key
	Params map[string]any `json:"params,omitempty"`
}

// failureOf keeps of an error what its owner may read.
func failureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	var e *ports.Error
	if !errors.As(err, &e) || e.Code == ports.Internal || e.Key == "" {
		return &Failure{Key: "internal"}
	}
	return &Failure{Key: e.Key, Text: e.Text, Params: e.Params}
}

// Item is the stored result of one item.
type Item struct {
	jobs.Item
	Failure *Failure
	// Passed is false while no checkpoint stands behind the item: the next run
	// meets it again.
	Passed bool
	At     time.Time
}

// Filter chooses tasks; zero fields choose all. Lists go from the newest unless
// Sort says otherwise.
type Filter struct {
	CreatedBy string
	Kind      string
	Statuses  []Status
	Search    string // part of the title or the kind, in upper or lower case
	Sort      Sort
	ports.Paging
}

// Sort says in which order a list of tasks comes.
type Sort struct {
	By        string // one of SortKeys; empty means SortCreated
	Ascending bool
}

// The keys that lists of tasks are sorted by.
const (
	SortCreated = "created_at"
	SortKind    = "type"
	SortTitle   = "title"
	SortStatus  = "status"
)

// SortKeys are all keys that lists of tasks are sorted by.
var SortKeys = []string{SortCreated, SortKind, SortTitle, SortStatus}

// ItemFilter chooses items of a task, in the order in which they were told.
type ItemFilter struct {
	Status jobs.ItemStatus // empty chooses all
	ports.Paging
}

// Note is what a run stores about itself.
type Note struct {
	TaskID   string
	Run      int64
	At       time.Time
	Progress Progress
	// Checkpoint replaces State and Passed; nil leaves them.
	Checkpoint *Checkpoint
	// Items are stored or replaced by path.
	Items []Item
}

// Checkpoint is how far a run has come.
type Checkpoint struct {
	State  []byte // nil leaves the old one
	Passed Counts
}

// Repository stores tasks and their items.
type Repository interface {
	// List leaves out payloads and states.
	ports.Repository[Task, Filter]
	Items(ctx context.Context, taskID string, f ItemFilter) (ports.Page[Item], error)
	// Unfinished counts the tasks of an owner that are not finished. Units of work
	// that count those of one owner wait for each other.
	Unfinished(ctx context.Context, createdBy string) (int, error)
	// Orphans lists at most limit running tasks without a heartbeat since
	// before, oldest first.
	Orphans(ctx context.Context, before time.Time, limit int) ([]string, error)
	// Waiting lists at most limit tasks that are pending or interrupted and
	// were not touched since before, oldest first.
	Waiting(ctx context.Context, before time.Time, limit int) ([]string, error)
	// Purge removes at most limit finished tasks: those finished before the
	// given time, and the oldest beyond the newest keep.
	Purge(ctx context.Context, before time.Time, keep, limit int) (int, error)
}

// Runs stores what runs of tasks tell.
type Runs interface {
	// Save stores a note and the time of it as the heartbeat, and reports
	// whether the task is to be cancelled. Returns ErrTaken when the task no
	// longer runs as this run.
	Save(ctx context.Context, note Note) (cancelling bool, err error)
	// Cancelling reports the same without storing anything.
	Cancelling(ctx context.Context, id string, run int64) (bool, error)
	// Failures lists the failed items that a checkpoint has passed.
	Failures(ctx context.Context, taskID string) ([]jobs.Item, error)
	// DropAhead removes the items that no checkpoint has passed.
	DropAhead(ctx context.Context, taskID string) error
}

// ErrTaken is the answer of Save to a run that is over or was replaced.
var ErrTaken = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "task.taken"}

// Queue says to the nodes that a task waits to be run.
type Queue interface {
	// Push joins the unit of work in ctx. A task may be pushed more than once.
	Push(ctx context.Context, id string) error
}
