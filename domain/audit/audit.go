// Package audit keeps who did what: sign-ins, and changes to keys, mounts,
// storages, settings and policies, and what was deleted. Each node's entries
// form a chain of keyed hashes, so that nobody who can write to the database
// alone can change or take out one of them unseen.
//
// It does not see requests; the edge tells it what happened.
package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Outcomes of what was tried.
const (
	Done   = "done"
	Failed = "failed"
)

// Entry is one thing that somebody did.
type Entry struct {
	N         int64 // grows; the cursor of lists
	Chain     string
	Seq       int64 // counts from 1 in each chain
	At        time.Time
	Kind      policy.Kind
	Actor     string // id
	Name      string // of the actor
	Action    string // noun.verb, such as key.create
	Target    string // id, path or name of what it was done to
	Outcome   string
	Code      string // machine code of a failure
	ClientIP  string
	RequestID string
	Details   string // JSON; holds no secrets
	Prev      string // hash of the entry before
	Hash      string
}

// Filter chooses entries, newest first. Empty fields choose all.
type Filter struct {
	Before   int64 // entries with a smaller N
	Limit    int   // 1 to 1000
	From, To time.Time
	Actor    string // id or name
	Action   string // exact, or a noun with a dot at the end: "key."
	Target   string
	Outcome  string
}

// Head is the end of a chain, and where what is kept of it begins.
type Head struct {
	Chain    string
	Seq      int64
	Hash     string
	BaseSeq  int64 // of the last entry that retention removed
	BaseHash string
}

// Repository stores entries. Methods join the unit of work in ctx.
type Repository interface {
	// Append gives e its place at the end of its chain, lets seal fill its hash,
	// and stores it. One call at a time per chain.
	Append(ctx context.Context, e *Entry, seal func(e *Entry)) error
	List(ctx context.Context, f Filter) ([]Entry, error)
	// Walk calls each for the entries of a chain behind seq, in their order,
	// at most limit of them.
	Walk(ctx context.Context, chain string, seq int64, limit int, each func(e Entry) error) error
	Heads(ctx context.Context) ([]Head, error)
	// DeleteOld removes entries from before, and notes where each chain begins
	// now.
	DeleteOld(ctx context.Context, before time.Time) (int, error)
}

// Deps are what the module needs.
type Deps struct {
	Repository Repository
	Decider    policy.Decider
	MAC        ports.MAC
	Clock      ports.Clock
	Chain      string        // names this node
	Keep       time.Duration // how long entries are kept; zero for ever
}

// Audit is the audit log.
type Audit struct {
	d Deps

	mu      sync.Mutex
	limited time.Time // when a refused rate was noted last
}

// New returns an Audit.
func New(d Deps) *Audit { return &Audit{d: d} }

// purpose is what the key of the chain is for.
const purpose = "audit chain"

// Add notes that somebody did something. Time, chain and hashes are filled
// here. It asks no policy: whoever did it was asked already.
func (a *Audit) Add(ctx context.Context, e Entry) error {
	e.Chain = a.d.Chain
	e.At = a.d.Clock.Now().Truncate(time.Millisecond)
	if e.Outcome == "" {
		e.Outcome = Done
	}
	if e.Code == "rate_limited" && !a.mayNoteRate(e.At) {
		return nil
	}
	return ports.Wrap("write the audit log", a.d.Repository.Append(ctx, &e, func(e *Entry) { e.Hash = a.hash(e) }))
}

// mayNoteRate lets one refused rate a minute through, so that a guesser does
// not fill the log.
func (a *Audit) mayNoteRate(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.limited) < time.Minute {
		return false
	}
	a.limited = now
	return true
}

// hash is the keyed hash over an entry and the hash of the one before.
func (a *Audit) hash(e *Entry) string {
	text, err := json.Marshal([]any{e.Chain, e.Seq, e.At.UnixMilli(), e.Kind, e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID, e.Details, e.Prev})
	if err != nil {
		panic(err) // plain text and numbers
	}
	sum := a.d.MAC.Sum(purpose, text)
	return hex.EncodeToString(sum[:])
}

// List returns entries, newest first. Asks admin.audit.read.
func (a *Audit) List(ctx context.Context, who policy.Principal, f Filter) ([]Entry, error) {
	if err := a.may(ctx, who); err != nil {
		return nil, err
	}
	entries, err := a.d.Repository.List(ctx, f)
	return entries, ports.Wrap("list the audit log", err)
}

func (a *Audit) may(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, a.d.Decider, who, policy.AuditRead, policy.Resource{Kind: "audit"})
	return err
}

// Proof is what a check of a chain found.
type Proof struct {
	Chain   string
	Entries int64
	First   int64 // number of the first entry that is kept
	Last    int64
	// Broken is the number of the first entry that is not as it was written, or
	// is missing; 0 when the chain is whole.
	Broken int64
}

// Verify walks over all chains. Asks admin.audit.read.
func (a *Audit) Verify(ctx context.Context, who policy.Principal) ([]Proof, error) {
	if err := a.may(ctx, who); err != nil {
		return nil, err
	}
	heads, err := a.d.Repository.Heads(ctx)
	if err != nil {
		return nil, ports.Wrap("read the ends of the audit log", err)
	}
	proofs := make([]Proof, len(heads))
	for i, head := range heads {
		if proofs[i], err = a.verify(ctx, head); err != nil {
			return nil, ports.Wrap("check the audit log", err)
		}
	}
	return proofs, nil
}

func (a *Audit) verify(ctx context.Context, head Head) (Proof, error) {
	p := Proof{Chain: head.Chain, First: head.BaseSeq + 1, Last: head.Seq}
	seq, prev := head.BaseSeq, head.BaseHash
	for {
		n := 0
		err := a.d.Repository.Walk(ctx, head.Chain, seq, 1000, func(e Entry) error {
			n++
			if e.Seq > head.Seq { // it was added meanwhile
				return nil
			}
			if p.Broken == 0 && (e.Seq != seq+1 || e.Prev != prev || e.Hash != a.hash(&e)) {
				p.Broken = seq + 1
			}
			p.Entries++
			seq, prev = e.Seq, e.Hash
			return nil
		})
		if err != nil {
			return p, err
		}
		if n == 0 || seq >= head.Seq {
			break
		}
	}
	if p.Broken == 0 && (seq != head.Seq || prev != head.Hash) {
		p.Broken = seq + 1
	}
	return p, nil
}

// Sweep removes entries that have been kept long enough.
func (a *Audit) Sweep(ctx context.Context, now time.Time) (int, error) {
	if a.d.Keep <= 0 {
		return 0, nil
	}
	return a.d.Repository.DeleteOld(ctx, now.Add(-a.d.Keep))
}
