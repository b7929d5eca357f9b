// Package audit keeps who did what: sign-ins, and changes to keys, mounts,
// storages, settings and policies, and what was deleted. Each node's entries
// form a chain of keyed hashes, so that nobody who can write to the database
// alone can change or take out one of them unseen.
//
// It does not see requests; the edge tells it what happened.
package audit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
	"pasteport/ports/policy"
)

// Outcomes of what was tried.
const (
	Done   = "done"
	Failed = "failed"
)

// Actions that are noted beside the changing operations of the API.
const (
	CredentialRefused = "credential.refuse" // a key or a password that fitted nobody; the target is its scheme
	WebDAVDeleted     = "dav.delete"
	PoliciesReset     = "policy.reset"    // on the command line: the shipped rules alone are in force
	PoliciesPutBack   = "policy.put_back" // the server took back rules that failed
	AdminReset        = "admin.reset"     // on the command line
	MasterKeyRotated  = "key.rotate"      // of the system; of anybody else, that of an API key
	ClockConfirmed    = "clock.confirm"   // on the command line too
	BackupRestored    = "backup.restore"  // on the command line too
	BackupScheduled   = "backup.scheduled"
	StorageChecked    = "storage.checked" // by the schedule or on the command line
)

// Beside are all of them, for those who must have words for every action.
var Beside = []string{CredentialRefused, WebDAVDeleted, PoliciesReset, PoliciesPutBack, AdminReset, MasterKeyRotated, ClockConfirmed, BackupRestored, BackupScheduled, StorageChecked}

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
	Search   string // a part of who, what, or what it was done to
	Offset   int    // entries to leave out, for lists that count their pages
	Oldest   bool   // oldest first
}

// MaxTotal is the most entries that are counted.
const MaxTotal = 10_000

// Head is the end of a chain, and where what is kept of it begins.
type Head struct {
	Chain    string
	Seq      int64
	Hash     string
	MAC      string // keyed hash over the end; without the key nobody can move it
	Doubt    int64  // number of the first entry added to an end that MAC did not fit; 0: none
	BaseSeq  int64  // of the last entry that retention removed
	BaseHash string
	BaseMAC  string // keyed hash over the beginning
}

// String writes a head for a log line or a command line; ParseHead reads it.
func (h Head) String() string { return h.Chain + ":" + strconv.FormatInt(h.Seq, 10) + ":" + h.Hash }

// ParseHead reads what String wrote. Returns Invalid for anything else.
func ParseHead(text string) (Head, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Head{}, ports.InvalidInput("audit_head_invalid", "head")
	}
	seq, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || seq < 0 || parts[0] == "" {
		return Head{}, ports.InvalidInput("audit_head_invalid", "head")
	}
	return Head{Chain: parts[0], Seq: seq, Hash: parts[2]}, nil
}

// Repository stores entries. Methods join the unit of work in ctx.
type Repository interface {
	// Append lets seal put e behind the end of its chain and move that end, and
	// stores both. One call at a time per chain.
	Append(ctx context.Context, e *Entry, seal func(end *Head, e *Entry)) error
	List(ctx context.Context, f Filter) ([]Entry, error)
	// Count counts what a filter chooses, whatever its page, up to MaxTotal.
	Count(ctx context.Context, f Filter) (int, error)
	// Walk calls each for the entries of a chain behind seq, in their order,
	// at most limit of them.
	Walk(ctx context.Context, chain string, seq int64, limit int, each func(e Entry) error) error
	Heads(ctx context.Context) ([]Head, error)
	// DeleteOld removes entries from before, and lets seal sign where each chain
	// begins now. Chains that are not proven stay as they are.
	DeleteOld(ctx context.Context, before time.Time, proven func(Head) bool, seal func(*Head)) (int, error)
	// Sign lets sign look at every head, and stores those that it changes.
	Sign(ctx context.Context, sign func(*Head) bool) error
}

// Deps are what the module needs.
type Deps struct {
	Repository Repository
	Decider    policy.Decider
	MAC        ports.MAC
	Clock      ports.Clock
	Chain      string        // names this node
	Keep       time.Duration // how long entries are kept; zero for ever
	Outbox     event.Outbox  // told of every entry with it, by Work; nil: nobody is
	Work       ports.UnitOfWork
	// Known are ends that this node has kept apart from the database; nil for none.
	Known func() ([]Head, error)
}

// Audit is the audit log.
type Audit struct {
	d Deps

	streams []*Stream

	mu      sync.Mutex
	limited time.Time // when a refused rate was noted last
}

// New returns an Audit.
func New(d Deps) *Audit { return &Audit{d: d} }

// What the keys are for.
const (
	purpose     = "audit chain"
	purposeEnd  = "audit head"
	purposeBase = "audit base"
)

// endMAC is the keyed hash over the end of a chain.
func (a *Audit) endMAC(h Head) string { return a.sum(purposeEnd, h.Chain, h.Seq, h.Hash, h.Doubt) }

// baseMAC is the keyed hash over where what is kept of a chain begins.
func (a *Audit) baseMAC(h Head) string { return a.sum(purposeBase, h.Chain, h.BaseSeq, h.BaseHash) }

func (a *Audit) sum(purpose string, of ...any) string {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // plain text and numbers
	}
	sum := a.d.MAC.Sum(purpose, text)
	return hex.EncodeToString(sum[:])
}

func (a *Audit) endProven(h Head) bool  { return hmac.Equal([]byte(h.MAC), []byte(a.endMAC(h))) }
func (a *Audit) baseProven(h Head) bool { return hmac.Equal([]byte(h.BaseMAC), []byte(a.baseMAC(h))) }

// Adopt signs the ends of chains that a version before this one has written, or
// that come with a backup which the operator trusts; with own, that of this node
// whatever its signature. Whoever calls it again and again would sign what an
// attacker has left.
func (a *Audit) Adopt(ctx context.Context, own bool) error {
	return ports.Wrap("sign the ends of the audit log", a.d.Repository.Sign(ctx, func(h *Head) bool {
		if h.MAC != "" && (!own || h.Chain != a.d.Chain) {
			return false
		}
		h.MAC, h.BaseMAC = a.endMAC(*h), a.baseMAC(*h)
		return true
	}))
}

// Heads returns the ends of all chains, to be kept where the database's writers
// do not reach. It asks no policy.
func (a *Audit) Heads(ctx context.Context) ([]Head, error) {
	heads, err := a.d.Repository.Heads(ctx)
	return heads, ports.Wrap("read the ends of the audit log", err)
}

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
	err := a.append(ctx, &e)
	a.added()
	return ports.Wrap("write the audit log", err)
}

// append stores an entry, and the event that tells of it.
func (a *Audit) append(ctx context.Context, e *Entry) error {
	if a.d.Outbox == nil {
		return a.d.Repository.Append(ctx, e, a.seal)
	}
	return a.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := a.d.Repository.Append(ctx, e, a.seal); err != nil {
			return err
		}
		return a.d.Outbox.Happened(ctx, event.Event{Kind: event.Kind(event.AuditPrefix + e.Action), Subject: "audit:" + e.Chain, Data: told{
			e.At.UTC().Format(time.RFC3339Nano), string(e.Kind), e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID}})
	})
}

// told is what an event says of an entry.
type told struct {
	At        string `json:"at"`
	Kind      string `json:"actor_type"`
	Actor     string `json:"actor_id"`
	Name      string `json:"actor_name"`
	Action    string `json:"action"`
	Target    string `json:"target"`
	Outcome   string `json:"outcome"`
	Code      string `json:"code"`
	ClientIP  string `json:"client_ip"`
	RequestID string `json:"request_id"`
}

// seal puts an entry behind the end of its chain. An end that is not as it was
// signed stays in doubt for good, else this entry would heal it.
func (a *Audit) seal(end *Head, e *Entry) {
	fresh := end.Seq == 0 && end.Hash == "" && end.MAC == ""
	if !fresh && end.Doubt == 0 && !a.endProven(*end) {
		end.Doubt = end.Seq + 1
	}
	e.Seq, e.Prev = end.Seq+1, end.Hash
	e.Hash = a.hash(e)
	end.Seq, end.Hash = e.Seq, e.Hash
	end.MAC = a.endMAC(*end)
	if fresh {
		end.BaseMAC = a.baseMAC(*end)
	}
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
	return a.sum(purpose, e.Chain, e.Seq, e.At.UnixMilli(), e.Kind, e.Actor, e.Name, e.Action, e.Target, e.Outcome, e.Code, e.ClientIP, e.RequestID, e.Details, e.Prev)
}

// List returns entries, newest first. Asks admin.audit.read.
func (a *Audit) List(ctx context.Context, who policy.Principal, f Filter) ([]Entry, error) {
	if err := a.may(ctx, who); err != nil {
		return nil, err
	}
	entries, err := a.d.Repository.List(ctx, f)
	return entries, ports.Wrap("list the audit log", err)
}

// Page returns entries as List does, and how many the filter chooses: MaxTotal
// stands for that many or more. Asks admin.audit.read.
func (a *Audit) Page(ctx context.Context, who policy.Principal, f Filter) (entries []Entry, total int, err error) {
	if entries, err = a.List(ctx, who, f); err != nil {
		return nil, 0, err
	}
	total, err = a.d.Repository.Count(ctx, f)
	return entries, total, ports.Wrap("count the audit log", err)
}

func (a *Audit) may(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, a.d.Decider, who, policy.AuditRead, policy.Resource{Kind: policy.KindAudit})
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
	// Missing says which end was cut off, Newest or Oldest; empty when neither
	// was.
	Missing string
}

// The ends of a chain.
const (
	Newest = "newest"
	Oldest = "oldest"
)

// Verify walks over all chains. known are ends that somebody has kept, from the
// log or a backup: their entries must still be there. Asks admin.audit.read.
func (a *Audit) Verify(ctx context.Context, who policy.Principal, known ...Head) ([]Proof, error) {
	if err := a.may(ctx, who); err != nil {
		return nil, err
	}
	return a.Prove(ctx, known...)
}

// Prove is Verify for the operator at the machine, whom no policy holds back.
func (a *Audit) Prove(ctx context.Context, known ...Head) ([]Proof, error) {
	if a.d.Known != nil {
		own, err := a.d.Known()
		if err != nil {
			return nil, ports.Wrap("read the ends that were kept", err)
		}
		known = append(known, own...)
	}
	heads, err := a.d.Repository.Heads(ctx)
	if err != nil {
		return nil, ports.Wrap("read the ends of the audit log", err)
	}
	proofs, there := make([]Proof, len(heads)), map[string]bool{}
	for i, head := range heads {
		there[head.Chain] = true
		if proofs[i], err = a.verify(ctx, head, known); err != nil {
			return nil, ports.Wrap("check the audit log", err)
		}
	}
	for _, k := range known {
		if !there[k.Chain] && k.Seq > 0 {
			there[k.Chain] = true
			proofs = append(proofs, Proof{Chain: k.Chain, First: 1, Broken: 1, Missing: Newest})
		}
	}
	return proofs, nil
}

func (a *Audit) verify(ctx context.Context, head Head, known []Head) (Proof, error) {
	p := Proof{Chain: head.Chain, First: head.BaseSeq + 1, Last: head.Seq}
	seq, prev := head.BaseSeq, head.BaseHash
	kept := map[int64]string{}
	for _, k := range known {
		if k.Chain != head.Chain {
			continue
		}
		if kept[k.Seq] = k.Hash; k.Seq > head.Seq {
			p.Missing = Newest
		}
	}
	for {
		n := 0
		err := a.d.Repository.Walk(ctx, head.Chain, seq, 1000, func(e Entry) error {
			n++
			if e.Seq > head.Seq { // it was added meanwhile
				return nil
			}
			if want := kept[e.Seq]; p.Broken == 0 && (e.Seq != seq+1 || e.Prev != prev || e.Hash != a.hash(&e) || want != "" && want != e.Hash) {
				p.Broken = seq + 1
				if seq == head.BaseSeq && e.Seq > seq+1 {
					p.Missing = Oldest
				}
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
	if seq != head.Seq || prev != head.Hash {
		p.Missing = Newest
	}
	switch {
	case head.Doubt > 0:
		p.Missing, p.Broken = Newest, cmp.Or(p.Broken, head.Doubt)
	case p.Missing == "" && !a.endProven(head):
		p.Missing = Newest
	case p.Missing == "" && !a.baseProven(head):
		p.Missing, p.Broken = Oldest, cmp.Or(p.Broken, p.First)
	}
	if p.Missing != "" && p.Broken == 0 {
		p.Broken = seq + 1
	}
	return p, nil
}

// Sweep removes entries that have been kept long enough, but for those that a
// stream of this node has yet to send.
func (a *Audit) Sweep(ctx context.Context, now time.Time) (int, error) {
	if a.d.Keep <= 0 {
		return 0, nil
	}
	return a.d.Repository.DeleteOld(ctx, a.keepsFrom(now.Add(-a.d.Keep)), a.baseProven, func(h *Head) { h.BaseMAC = a.baseMAC(*h) })
}
