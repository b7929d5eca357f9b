package policies

import (
	"context"
	"time"

	"pasteport/ports/policy"
)

// None stands for the shipped rules alone where the id of a revision is asked.
const None = "none"

// InForce stands for the rules in force, wherever they are kept, where the id of
// a revision is asked.
const InForce = "in-force"

// Kept is how many revisions are kept, apart from those in use (decision 60).
const Kept = 20

// Revision is a set of rules that was found good and saved. It never changes.
type Revision struct {
	ID        string
	Number    int // counts from 1
	Rules     policy.Rules
	Hash      string // names the rules by their text
	Note      string // what the author says of the change
	Author    string // name
	CreatedAt time.Time
}

// State is which revision is in force, on all nodes.
type State struct {
	Version   int    // grows with each change
	Active    string // id of a revision, or None
	Previous  string // to which a trial goes back; empty for none
	TrialEnds time.Time
	ChangedAt time.Time
	ChangedBy string // name
	Shadow    string // id of a revision that answers without effect; empty for none
	Failed    string // why the rules before were put back; empty after the next change
}

// Trial reports whether the revision in force goes back by itself.
func (s State) Trial() bool { return !s.TrialEnds.IsZero() }

// Repository stores revisions and the state. Methods join the unit of work in
// ctx.
type Repository interface {
	// Insert gives the revision its number and stores it. The oldest ones beyond
	// keep go, but for those that the state names.
	Insert(ctx context.Context, r *Revision, keep int) error
	Get(ctx context.Context, id string) (*Revision, error)
	// List returns all revisions without their rules, newest first.
	List(ctx context.Context) ([]Revision, error)
	// State returns the state; before any change version 0 with None.
	State(ctx context.Context) (State, error)
	// SetState stores s, whose version is one more than the one it replaces;
	// Conflict when somebody was faster. Until the unit ends nothing is inserted, so
	// that the revisions stay which it finds.
	SetState(ctx context.Context, s State) error
}

// Line is a line of the decision log.
type Line struct {
	N         int64 // grows; the cursor of lists
	ID        string
	At        time.Time
	Revision  string
	Kind      policy.Kind
	Principal string // id
	Name      string // of the principal
	Action    policy.Action
	Path      string // the first one touched
	Allow     bool
	Codes     []string // why not; those of site rules begin with "site:"
	Failed    string   // why there was no decision
	RequestID string
	ClientIP  string // a part of it
	Took      time.Duration
	Input     []byte // the document that the rules read, JSON; its address is a part too
}

// LineFilter chooses lines, newest first.
type LineFilter struct {
	Before    int64 // lines with a smaller N; 0 for all
	Limit     int   // 1 to 1000
	From, To  time.Time
	Action    policy.Action
	Principal string // id
	Code      string
	Outcome   string // "allow", "deny", "error", or empty
}

// Hits is how often a rule has refused.
type Hits struct {
	Code string
	Day  int64     // in the last 24 hours
	All  int64     // as long as they are kept
	Last time.Time // the last time
}

// LogRepository stores the decision log.
type LogRepository interface {
	// Insert stores lines, and adds the refusals by code to those of the hour.
	Insert(ctx context.Context, lines []Line, refused map[string]Hits) error
	Get(ctx context.Context, id string) (*Line, error)
	List(ctx context.Context, f LineFilter) ([]Line, error)
	// Hits tells the refusals by code; day is where the last 24 hours begin.
	Hits(ctx context.Context, day time.Time) ([]Hits, error)
	// DeleteOld removes lines and hits from before, and all but the newest lines.
	DeleteOld(ctx context.Context, before time.Time, newest int) (int, error)
}
