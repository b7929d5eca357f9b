// Package jobs is the contract for work that outlasts a request: a use case
// starts a task, a worker does it in the background, on whichever node has
// room, and goes on after a restart. How tasks are kept and queued is hidden
// behind it.
package jobs

import (
	"context"
	"errors"

	"pasteport/ports/policy"
)

// Tasks starts work in the background.
type Tasks interface {
	// Start stores a new task and returns its id. It joins the unit of work in
	// ctx, so the task begins only if that is committed. The caller has asked
	// the policy for what the task will do. Returns Invalid for an unknown kind,
	// a payload over MaxPayload or one that is not JSON, and RateLimited when
	// the owner has too many unfinished tasks.
	Start(ctx context.Context, s Start) (id string, err error)
}

// MaxPayload bounds a task's payload and its state, in bytes of JSON.
const MaxPayload = 1 << 20

// Start describes a new task.
type Start struct {
	Kind  string           // names the worker: "copy", "move", "delete", ...
	Title string           // for people, such as the path it begins at; cut after 500 bytes
	Owner policy.Principal // who asked; sees the task and may cancel it
	// Payload is what the worker needs, written as JSON. It holds no secrets.
	Payload any
	// Items and Bytes are the expected amount of work; zero means unknown.
	Items, Bytes int64
}

// Worker does the work of one kind of task. It must be safe to run again from
// its last checkpoint: after a crash the work behind it is repeated, on any
// node, but never on two at once. It stops soon (within a second) when ctx
// ends; context.Cause(ctx) is ErrCancelled or ErrStopping then.
//
// With nil the task is completed, or partial when items of it failed, or failed
// when all of them did. An error fails the task; the owner reads the message of
// a ports.Error and a neutral sentence for all else. A panic counts as an
// error. After ErrStopping the return value is not looked at: the task goes on
// elsewhere or after the restart.
type Worker func(ctx context.Context, run Run) error

// The causes of a worker's context.
var (
	ErrCancelled = errors.New("task cancelled by its owner")
	ErrStopping  = errors.New("server is stopping, task goes on later")
	ErrLost      = errors.New("task was taken over by another node")
)

// Run is one run of a task, as its worker sees it. It is safe for concurrent
// use.
type Run interface {
	TaskID() string
	// Owner is who asked for the task, as known at its start.
	Owner() policy.Principal
	// Payload reads what was given to Start.
	Payload(into any) error

	// State reads the last checkpoint; false when there is none. A retry keeps
	// the state of the run before.
	State(into any) (found bool, err error)
	// Failed lists the items that failed before, for a retry to do again; empty
	// in a first run. At most MaxFailures.
	Failed() []Item

	// Expect tells the amount of work as known so far; zero means unknown.
	Expect(items, bytes int64)
	// Moved adds bytes to the progress before the item they belong to is
	// settled. What an item has moved is counted once: Item's Bytes are not
	// added again.
	Moved(bytes int64)
	// Item tells what became of an item, known by its Path. Completed, Skipped
	// and Failed settle it; the other statuses show what is under way. Failures
	// are all kept, of the others the first 1000. After MaxFailures failures it
	// returns an error that the worker should return.
	Item(item Item, failure error) error

	// Checkpoint notes how far the work has come. It is cheap and may be called
	// after every item: it is written once a second, together with the items
	// told before it. After a crash the task goes on from there, so items are
	// told in the order in which the state passes them.
	Checkpoint(state any) error
	// Sync writes the last checkpoint and the items now; what it wrote survives
	// a crash. It also works after ctx has ended.
	Sync(ctx context.Context) error
}

// MaxFailures is how many items of a task may fail before it is given up.
const MaxFailures = 10_000

// Item is one file or folder that a task works on.
type Item struct {
	Path   string     // what the item is known by
	Target string     // where it goes; empty when it goes nowhere
	Status ItemStatus // what became of it
	Bytes  int64      // its size, as far as it is known
}

// ItemStatus is the state of one item of a task (spec §4).
type ItemStatus string

// The statuses of items.
const (
	Pending     ItemStatus = "pending"
	Preparing   ItemStatus = "preparing"
	Downloading ItemStatus = "downloading"
	Completed   ItemStatus = "completed"
	Skipped     ItemStatus = "skipped"
	Failed      ItemStatus = "failed"
)

// Settled reports whether nothing more happens to the item in this run.
func (s ItemStatus) Settled() bool { return s == Completed || s == Skipped || s == Failed }
