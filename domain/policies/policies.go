package policies

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Changed is the kind of event that other nodes get after a change.
const Changed = "policy"

// TrialTime is how long rules that lock their author out stay in force, unless
// they are confirmed.
const TrialTime = 10 * time.Minute

const maxNote = 500 // characters

var (
	errFolder   = &ports.Error{Code: ports.Conflict, Key: "policy_read_only"}
	errLockout  = &ports.Error{Code: ports.Conflict, Key: "policy_lockout"}
	errFaster   = &ports.Error{Code: ports.Conflict, Key: "policy_changed"}
	errNoTrial  = &ports.Error{Code: ports.Conflict, Key: "policy_no_trial"}
	errNote     = ports.InvalidInput("policy.note", "note")
	errTrial    = ports.InvalidInput("policy.trial", "trial_seconds")
	errAction   = ports.InvalidInput("policy.action", "action")
	errNoRules  = ports.InvalidInput("policy.no_rules", "files")
	errNoKey    = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "policy.no_key"}
	errNoSuch   = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "policy.no_revision"}
	errNoRecord = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "policy.no_decision"}
)

// Deps are what the module needs.
type Deps struct {
	Repository   Repository
	Log          *Log
	Work         ports.UnitOfWork
	Engine       policy.Engine
	Bundles      policy.Bundles
	Decider      policy.Decider
	Keys         Keys
	Invalidation ports.Invalidation
	Clock        ports.Clock
	Random       ports.Random
	// Folder is where the operator keeps the rules; then they are not changed
	// here. Empty for none.
	Folder string
	// FolderRules reads the files there.
	FolderRules func() (policy.Rules, error)
	// Report is told of what fails in the background.
	Report func(doing string, err error)
	// Question reads the document of the decision log back.
	Question func(document []byte) (policy.Query, error)
	// Note writes to the audit log what the server does by itself.
	Note func(ctx context.Context, action, target string) error
}

// Keys are who may be asked about.
type Keys interface {
	// Principal returns an API key as it would ask; NotFound without one.
	Principal(ctx context.Context, id string) (policy.Principal, error)
	// Principals returns all API keys.
	Principals(ctx context.Context) ([]policy.Principal, error)
}

// Policies are the rules of the site.
type Policies struct {
	d Deps

	mu     sync.Mutex // one change of what is in force on this node at a time
	state  State
	loaded bool
	broken error  // why the revision in force could not be loaded
	failed string // why the rules of the folder were put back
	told   string // the rules of which it was said that they fail
}

// New returns Policies; Start puts the revision in force.
func New(d Deps) *Policies { return &Policies{d: d} }

// Start puts the stored revision in force. When it does not compile, everything
// is refused but mending it from this machine; the error is for the log.
func (p *Policies) Start(ctx context.Context) error {
	if p.d.Folder != "" {
		err := p.tryRecorded(ctx, nil)
		if ports.Is(err, ports.Conflict) && p.d.Report != nil {
			p.d.Report("try the rules of the folder; they refuse everything that was allowed lately", err)
			return nil
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.apply(ctx)
	if ports.CodeOf(err) != ports.Invalid {
		return err
	}
	p.broken = err
	if p.d.Report != nil {
		p.d.Report("load the stored policy; only this machine may mend it", err)
	}
	return p.d.Engine.Rescue(ctx)
}

// InFolder reports whether the operator keeps the rules in a folder.
func (p *Policies) InFolder() bool { return p.d.Folder != "" }

// Reload takes over what another node has put in force. On an error the rules
// in force stay.
func (p *Policies) Reload(ctx context.Context) error {
	if p.d.Folder != "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.apply(ctx)
}

// EndTrials lets rules go back whose trial is over. Call it every second.
func (p *Policies) EndTrials(ctx context.Context) error {
	p.mu.Lock()
	state := p.state
	p.mu.Unlock()
	if p.d.Folder != "" || !state.Trial() || p.d.Clock.Now().Before(state.TrialEnds) {
		return nil
	}
	next := state
	next.Active, next.Previous, next.TrialEnds, next.ChangedBy, next.Failed = state.Previous, "", time.Time{}, "", ""
	_, err := p.change(ctx, next, None)
	if ports.Is(err, ports.Conflict) { // another node was faster
		return p.Reload(ctx)
	}
	return err
}

// ReloadFolder takes over the rules of the folder by read, unless questions
// that were asked lately have no answer by them; then the rules before stay.
func (p *Policies) ReloadFolder(ctx context.Context, read func(context.Context) error) error {
	if err := read(ctx); err != nil {
		return err
	}
	p.setFailed("")
	err := p.tryRecorded(ctx, nil)
	if err != nil {
		p.d.Engine.Back()
	}
	return err
}

func (p *Policies) setFailed(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = why
}

// PutBack puts the rules before in force again when those in force fail. Call it
// every second.
func (p *Policies) PutBack(ctx context.Context) error {
	why := p.d.Engine.Failing()
	if why == "" {
		return nil
	}
	failing := p.d.Engine.Revision()
	p.mu.Lock()
	state, told := p.state, p.told
	p.told = failing
	p.mu.Unlock()
	if p.d.Folder != "" {
		switch {
		case p.d.Engine.Back():
			p.setFailed(why)
			return p.tellPutBack(ctx, failing, "the rules of the folder fail; those before are in force again", why)
		case told != failing:
			p.setFailed(why)
			return p.tellPutBack(ctx, failing, "the rules of the folder fail, and there are none before them", why)
		}
		return nil
	}
	if state.Active == None || state.Active == "" {
		return nil // the shipped rules have none before them
	}
	next := state
	if next.Active = state.Previous; next.Active == "" {
		next.Active = None
	}
	next.Previous, next.TrialEnds, next.ChangedBy, next.Failed = "", time.Time{}, "", why
	if _, err := p.change(ctx, next, None); err != nil {
		if ports.Is(err, ports.Conflict) { // another node was faster
			return p.Reload(ctx)
		}
		return err
	}
	return p.tellPutBack(ctx, state.Active, "the rules in force fail; those before are in force again", why)
}

// tellPutBack tells the log and the audit log.
func (p *Policies) tellPutBack(ctx context.Context, revision, what, why string) error {
	if p.d.Report != nil {
		p.d.Report(what, errors.New(why))
	}
	if p.d.Note == nil {
		return nil
	}
	return p.d.Note(ctx, "policy.put_back", revision)
}

// apply puts the stored state in force. The caller holds mu.
func (p *Policies) apply(ctx context.Context) error {
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return ports.Wrap("read the state of policies", err)
	}
	if p.loaded && p.broken == nil && state.Version == p.state.Version {
		return nil
	}
	if !p.loaded || p.broken != nil || state.Active != p.state.Active {
		if state.Active != None || p.loaded || p.broken != nil { // at the start the shipped rules are in force
			rules, err := p.rules(ctx, state.Active)
			if err != nil {
				return err
			}
			if _, err := p.d.Engine.Put(ctx, rules); err != nil {
				return ports.Wrap("put a revision in force", err)
			}
		}
	}
	if state.Shadow != p.state.Shadow {
		if err := p.applyShadow(ctx, state.Shadow); err != nil {
			return err
		}
	}
	p.state, p.loaded, p.broken = state, true, nil
	return nil
}

func (p *Policies) applyShadow(ctx context.Context, id string) error {
	var rules policy.Rules
	if id != "" {
		var err error
		if rules, err = p.rules(ctx, id); err != nil {
			return err
		}
	}
	return ports.Wrap("change the shadow", p.d.Engine.Shadow(ctx, rules))
}

// rules returns the files of a revision; of None none.
func (p *Policies) rules(ctx context.Context, id string) (policy.Rules, error) {
	if id == None {
		return policy.Rules{}, nil
	}
	r, err := p.d.Repository.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, errNoSuch
	}
	if err != nil {
		return nil, ports.Wrap("read a revision", err)
	}
	return r.Rules, nil
}

// change stores a new state, tells the other nodes and applies it here. The
// revision that comes into use by it may have gone since it was looked at, when
// others have saved theirs: then nothing changes.
func (p *Policies) change(ctx context.Context, next State, uses string) (State, error) {
	next.Version++
	next.ChangedAt = p.d.Clock.Now()
	err := p.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := p.d.Repository.SetState(ctx, next); err != nil {
			if ports.Is(err, ports.Conflict) {
				return errFaster
			}
			return ports.Wrap("store the state of policies", err)
		}
		if _, err := p.rules(ctx, uses); err != nil {
			return err
		}
		return ports.Wrap("announce a policy", p.d.Invalidation.Publish(ctx, Changed, ""))
	})
	if err != nil {
		return State{}, err
	}
	return next, p.Reload(ctx)
}

func (p *Policies) may(ctx context.Context, who policy.Principal, do policy.Action, id string) error {
	_, err := policy.Check(ctx, p.d.Decider, who, do, policy.Resource{Kind: policy.KindPolicy, ID: id})
	return err
}

// mayWrite also refuses while the rules come from a folder.
func (p *Policies) mayWrite(ctx context.Context, who policy.Principal, id string) error {
	if err := p.may(ctx, who, policy.PolicyWrite, id); err != nil {
		return err
	}
	if p.d.Folder != "" {
		return errFolder
	}
	return nil
}

// Overview is what is in force and what else there is.
type Overview struct {
	State     State
	InForce   string // name of the rules in force on this node
	Folder    string // where the operator keeps them; empty when they are kept here
	Rules     policy.Rules
	Revisions []Revision // without their rules, newest first
	Shadow    policy.ShadowReport
	// Broken says why the stored rules are not in force; empty when they are.
	Broken string
	// Dropped is how many lines of the decision log were left out since the
	// start.
	Dropped int64
}

// Trouble tells why the stored rules cannot be loaded, and why the newest were put
// back; both are empty when all is well. It asks nobody.
func (p *Policies) Trouble(ctx context.Context) (broken, rejected string) {
	p.mu.Lock()
	rejected = p.failed
	if p.broken != nil {
		broken = p.broken.Error()
	}
	p.mu.Unlock()
	if p.d.Folder != "" {
		return broken, rejected
	}
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return err.Error(), rejected
	}
	return broken, state.Failed
}

// Overview tells what is in force. Asks admin.policy.read.
func (p *Policies) Overview(ctx context.Context, who policy.Principal) (Overview, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return Overview{}, err
	}
	o := Overview{InForce: p.d.Engine.Revision(), Folder: p.d.Folder, Shadow: p.d.Engine.Shadowed(), Dropped: p.d.Log.Dropped()}
	var err error
	if p.d.Folder != "" {
		o.State.Active = None
		p.mu.Lock()
		o.State.Failed = p.failed
		p.mu.Unlock()
		o.Rules, err = p.d.FolderRules()
		return o, ports.Wrap("read the folder of rules", err)
	}
	if o.State, err = p.d.Repository.State(ctx); err != nil {
		return o, ports.Wrap("read the state of policies", err)
	}
	if o.Rules, err = p.rules(ctx, o.State.Active); err != nil {
		return o, err
	}
	p.mu.Lock()
	if p.broken != nil {
		o.Broken = p.broken.Error()
	}
	p.mu.Unlock()
	o.Revisions, err = p.d.Repository.List(ctx)
	return o, ports.Wrap("list revisions", err)
}

// Revision returns a revision with its rules. Asks admin.policy.read.
func (p *Policies) Revision(ctx context.Context, who policy.Principal, id string) (*Revision, error) {
	if err := p.may(ctx, who, policy.PolicyRead, id); err != nil {
		return nil, err
	}
	r, err := p.d.Repository.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, errNoSuch
	}
	return r, ports.Wrap("read a revision", err)
}

// Pack returns the bundle of a revision, or of the rules in force for InForce, and
// the name of its rules. Asks admin.policy.read.
func (p *Policies) Pack(ctx context.Context, who policy.Principal, id string) (hash string, packed []byte, err error) {
	var rules policy.Rules
	if id == InForce {
		o, err := p.Overview(ctx, who)
		if err != nil {
			return "", nil, err
		}
		hash, rules = o.InForce, o.Rules
	} else {
		r, err := p.Revision(ctx, who, id)
		if err != nil {
			return "", nil, err
		}
		hash, rules = r.Hash, r.Rules
	}
	packed, err = p.d.Bundles.Pack(hash, rules)
	return hash, packed, ports.Wrap("pack rules", err)
}

// Unpack reads a bundle; nothing is kept, and nothing is said of whether the
// rules are good. Asks admin.policy.read. Returns Invalid for what is no bundle.
func (p *Policies) Unpack(ctx context.Context, who policy.Principal, packed io.Reader) (policy.Rules, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return nil, err
	}
	return p.d.Bundles.Unpack(packed)
}

// Check compiles rules and runs their tests; nothing is kept. Asks
// admin.policy.read.
func (p *Policies) Check(ctx context.Context, who policy.Principal, rules policy.Rules) (policy.Report, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return policy.Report{}, err
	}
	report, err := p.d.Engine.Check(ctx, rules)
	return report, ports.Wrap("check rules", err)
}

// Save keeps rules as a new revision, which is not in force. Asks
// admin.policy.write. Returns Invalid with the report in its params when the
// rules are not good.
func (p *Policies) Save(ctx context.Context, who policy.Principal, rules policy.Rules, note string) (*Revision, error) {
	if err := p.mayWrite(ctx, who, ""); err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, errNoRules
	}
	if note = strings.TrimSpace(note); utf8.RuneCountInString(note) > maxNote {
		return nil, errNote
	}
	report, err := p.good(ctx, rules)
	if err != nil {
		return nil, err
	}
	r := &Revision{ID: p.d.Random.ID(), Rules: rules, Hash: report.Revision, Note: note, Author: who.Name, CreatedAt: p.d.Clock.Now()}
	if err := p.d.Repository.Insert(ctx, r, Kept); err != nil {
		return nil, ports.Wrap("store a revision", err)
	}
	return r, nil
}

// good checks rules and returns Invalid with the report when they are not.
func (p *Policies) good(ctx context.Context, rules policy.Rules) (policy.Report, error) {
	report, err := p.d.Engine.Check(ctx, rules)
	if err != nil {
		return report, ports.Wrap("check rules", err)
	}
	if !report.OK() {
		return report, &ports.Error{Code: ports.Invalid, Key: "policy_invalid", Params: map[string]any{"report": report}}
	}
	return report, nil
}

// Activation is a wish to put a revision in force.
type Activation struct {
	ID string // of a revision, or None
	// Trial is how long it stays unless it is confirmed; zero for good. It must
	// not be zero for rules that lock their author out.
	Trial time.Duration // 5 s to 1 h
}

// Activate puts a revision in force on all nodes. Asks admin.policy.write.
// Returns Invalid when it is not good any more, Conflict with the key
// policy_lockout when the caller could not change it back and no trial is
// wished.
func (p *Policies) Activate(ctx context.Context, who policy.Principal, in Activation) (State, error) {
	if err := p.mayWrite(ctx, who, in.ID); err != nil {
		return State{}, err
	}
	if in.Trial != 0 && (in.Trial < 5*time.Second || in.Trial > time.Hour) {
		return State{}, errTrial
	}
	rules, err := p.rules(ctx, in.ID)
	if err != nil {
		return State{}, err
	}
	if _, err := p.good(ctx, rules); err != nil {
		return State{}, err
	}
	if in.Trial == 0 {
		if err := p.guard(ctx, who, rules); err != nil {
			return State{}, err
		}
	}
	if err := p.tryRecorded(ctx, rules); err != nil {
		if !ports.Is(err, ports.Conflict) || in.Trial == 0 {
			return State{}, err
		}
	}
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return State{}, ports.Wrap("read the state of policies", err)
	}
	next := state
	if !state.Trial() {
		next.Previous = state.Active
	}
	next.Active, next.TrialEnds, next.ChangedBy, next.Failed = in.ID, time.Time{}, who.Name, ""
	if in.Trial != 0 {
		next.TrialEnds = p.d.Clock.Now().Add(in.Trial)
	}
	if next.Shadow == in.ID {
		next.Shadow = ""
	}
	return p.change(ctx, next, in.ID)
}

// guard refuses rules under which the caller could not sign in and change them
// back, from where he is now.
func (p *Policies) guard(ctx context.Context, who policy.Principal, rules policy.Rules) error {
	call := *policy.CallFrom(ctx)
	questions := []policy.Query{
		{Who: who, Do: policy.PolicyWrite, On: policy.Resource{Kind: policy.KindPolicy}, Call: call},
		{Who: who, Do: policy.PolicyRead, On: policy.Resource{Kind: policy.KindPolicy}, Call: call},
		{Who: policy.Nobody, Do: policy.SessionOpen, On: policy.Resource{Kind: policy.KindSession}, Call: call},
		{Who: policy.Nobody, Do: policy.SiteRead, On: policy.Resource{Kind: policy.KindSite}, Call: call}, // the page to sign in on
	}
	answers, err := p.d.Engine.Foresee(ctx, rules, questions)
	if err != nil {
		return err
	}
	for i, e := range answers {
		if e.Failed != "" || !e.Decision.Allow {
			return lockout(questions[i], e)
		}
	}
	return nil
}

func lockout(q policy.Query, e policy.Explanation) error {
	refused := *errLockout
	refused.Params = map[string]any{"action": string(q.Do)}
	if len(e.Decision.Reasons) > 0 {
		refused.Reason = e.Decision.Reasons[0].Code
	}
	return &refused
}

// What of the decision log is asked again of new rules.
const (
	maxRecorded = 500 // lines
	allRefused  = 10  // answers that a lock-out of everybody needs
)

// tryRecorded asks rules, or those in force when rules is nil, what keys and
// visitors have asked lately. Returns Invalid with the key policy_invalid when
// they leave a question without an answer, and Conflict with the key
// policy_lockout when they refuse everything that was allowed.
func (p *Policies) tryRecorded(ctx context.Context, rules policy.Rules) error {
	if p.d.Question == nil || p.d.Log == nil {
		return nil
	}
	lines, err := p.d.Log.list(ctx, LineFilter{Limit: maxRecorded})
	if err != nil {
		return err
	}
	type kind struct {
		who    policy.Principal
		do     policy.Action
		path   string
		before bool
	}
	seen := map[kind]bool{}
	var questions []policy.Query
	var allowed []bool
	for _, line := range lines {
		q, err := p.d.Question(line.Input)
		if k := (kind{q.Who, q.Do, line.Path, line.Allow}); err == nil && q.Do != "" && q.Who.Kind != policy.Admin && !seen[k] {
			seen[k] = true
			questions, allowed = append(questions, q), append(allowed, line.Allow)
		}
	}
	if len(questions) == 0 {
		return nil
	}
	answers, err := p.d.Engine.Foresee(ctx, rules, questions)
	if err != nil {
		return err
	}
	report := policy.Report{}
	before, now, last := 0, 0, 0
	for i, e := range answers {
		q := questions[i]
		if e.Failed != "" && len(report.Problems) < 10 {
			report.Problems = append(report.Problems, policy.Problem{Code: "rules_fail", Message: string(q.Do) + " by " + string(q.Who.Kind) + " " + q.Who.Name + ", which was asked lately, ends without an answer: " + e.Failed})
		}
		if allowed[i] {
			before, last = before+1, i
			if e.Decision.Allow {
				now++
			}
		}
	}
	if len(report.Problems) > 0 {
		return &ports.Error{Code: ports.Invalid, Key: "policy_invalid", Params: map[string]any{"report": report}, Cause: errors.New(report.Problems[0].Message)}
	}
	if before >= allRefused && now == 0 {
		return lockout(questions[last], answers[last])
	}
	return nil
}

// Confirm keeps rules that are on trial. Asks admin.policy.write, by these
// rules. Returns Conflict when none are.
func (p *Policies) Confirm(ctx context.Context, who policy.Principal) (State, error) {
	if err := p.mayWrite(ctx, who, ""); err != nil {
		return State{}, err
	}
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return State{}, ports.Wrap("read the state of policies", err)
	}
	if !state.Trial() {
		return State{}, errNoTrial
	}
	next := state
	next.TrialEnds, next.ChangedBy = time.Time{}, who.Name
	return p.change(ctx, next, None)
}

// Shadow lets a revision answer beside the rules in force, without effect, on
// all nodes; an empty id ends it. Asks admin.policy.write.
func (p *Policies) Shadow(ctx context.Context, who policy.Principal, id string) error {
	if err := p.mayWrite(ctx, who, id); err != nil {
		return err
	}
	if id != "" {
		rules, err := p.rules(ctx, id)
		if err != nil {
			return err
		}
		if _, err := p.good(ctx, rules); err != nil {
			return err
		}
	}
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return ports.Wrap("read the state of policies", err)
	}
	next := state
	next.Shadow = id
	_, err = p.change(ctx, next, cmp.Or(id, None))
	return err
}

// Reset puts the shipped rules alone in force. It asks no policy: it is for the
// operator's command line.
func (p *Policies) Reset(ctx context.Context) error {
	state, err := p.d.Repository.State(ctx)
	if err != nil {
		return ports.Wrap("read the state of policies", err)
	}
	next := state
	next.Version, next.ChangedAt = state.Version+1, p.d.Clock.Now()
	next.Active, next.Previous, next.TrialEnds, next.Shadow, next.ChangedBy, next.Failed = None, "", time.Time{}, "", "command line", ""
	return p.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := p.d.Repository.SetState(ctx, next); err != nil {
			return ports.Wrap("store the state of policies", err)
		}
		return ports.Wrap("announce a policy", p.d.Invalidation.Publish(ctx, Changed, ""))
	})
}

// Test is a question for the playground.
type Test struct {
	Rules    policy.Rules // nil for those in force
	Revision string       // in place of Rules
	KeyID    string       // who asks, unless Query says
	Query    policy.Query
	Decision string // id of a decision of the log, whose question is asked again in place of Query
	Trace    bool
}

// Explain answers a question by rules, and tells why. Nothing is kept. Asks
// admin.policy.read.
func (p *Policies) Explain(ctx context.Context, who policy.Principal, in Test) (policy.Explanation, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return policy.Explanation{}, err
	}
	q, err := p.questionOf(ctx, in)
	if err != nil {
		return policy.Explanation{}, err
	}
	rules := in.Rules
	if in.Revision != "" {
		if rules, err = p.rules(ctx, in.Revision); err != nil {
			return policy.Explanation{}, err
		}
	}
	e, err := p.d.Engine.Explain(ctx, rules, q, in.Trace)
	if ports.Is(err, ports.Invalid) {
		if _, why := p.good(ctx, rules); why != nil {
			return e, why
		}
	}
	return e, err
}

// questionOf is the question of a test.
func (p *Policies) questionOf(ctx context.Context, in Test) (policy.Query, error) {
	q := in.Query
	if in.Decision != "" {
		line, err := p.d.Log.get(ctx, in.Decision)
		if ports.Is(err, ports.NotFound) {
			return q, errNoRecord
		}
		if err != nil {
			return q, err
		}
		if q, err = p.d.Question(line.Input); err != nil || q.Do == "" {
			return q, errNoRecord // it cannot be read back
		}
	}
	if q.Do == "" {
		return q, errAction
	}
	if in.KeyID == "" {
		return q, nil
	}
	var err error
	q.Who, err = p.key(ctx, in.KeyID)
	return q, err
}

// Verdict is what the rules in force say of one key.
type Verdict struct {
	Who     policy.Principal
	Do      policy.Action
	Allow   bool
	Reasons []policy.Reason
	Failed  string
}

// Abilities tells what the rules in force say of one API key, for each of some
// questions; the call is not part of them. Asks admin.policy.read. Returns
// NotFound for an unknown key.
func (p *Policies) Abilities(ctx context.Context, who policy.Principal, keyID string, questions func(key policy.Principal) ([]policy.Query, error)) (key policy.Principal, all []Verdict, err error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return key, nil, err
	}
	if key, err = p.key(ctx, keyID); err != nil {
		return key, nil, err
	}
	asked, err := questions(key)
	if err != nil {
		return key, nil, err
	}
	for _, q := range asked {
		q.Who = key
		e, err := p.d.Engine.Explain(ctx, nil, q, false)
		if err != nil {
			return key, nil, err
		}
		all = append(all, Verdict{Who: key, Do: q.Do, Allow: e.Decision.Allow, Reasons: e.Decision.Reasons, Failed: e.Failed})
	}
	return key, all, nil
}

// key returns an API key as it would ask.
func (p *Policies) key(ctx context.Context, id string) (policy.Principal, error) {
	key, err := p.d.Keys.Principal(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return key, errNoKey
	}
	return key, ports.Wrap("find a key", err)
}

// Who tells for each API key whether it may do something. Asks
// admin.policy.read.
func (p *Policies) Who(ctx context.Context, who policy.Principal, q policy.Query) ([]Verdict, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return nil, err
	}
	if q.Do == "" {
		return nil, errAction
	}
	all, err := p.d.Keys.Principals(ctx)
	if err != nil {
		return nil, ports.Wrap("list keys", err)
	}
	const most = 1000
	verdicts := make([]Verdict, 0, len(all))
	for _, key := range all[:min(len(all), most)] {
		q.Who = key
		e, err := p.d.Engine.Explain(ctx, nil, q, false)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, Verdict{key, q.Do, e.Decision.Allow, e.Decision.Reasons, e.Failed})
	}
	return verdicts, nil
}

// RuleHits is a rule in force and how often it refused.
type RuleHits struct {
	Rule policy.Rule
	Hits Hits
}

// RulesInForce lists the rules in force with their hits. Asks
// admin.policy.read.
func (p *Policies) RulesInForce(ctx context.Context, who policy.Principal) ([]RuleHits, error) {
	o, err := p.Overview(ctx, who)
	if err != nil {
		return nil, err
	}
	report, err := p.d.Engine.Check(ctx, o.Rules)
	if err != nil {
		return nil, ports.Wrap("check rules", err)
	}
	hits, err := p.d.Log.hits(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]RuleHits, len(report.Rules))
	for i, rule := range report.Rules {
		out[i] = RuleHits{Rule: rule}
		if rule.Set == "deny" && rule.Code != "" {
			out[i].Hits = hits["site:"+rule.Code]
		}
	}
	return out, nil
}

// Decisions lists the decision log, newest first. Asks admin.policy.read.
func (p *Policies) Decisions(ctx context.Context, who policy.Principal, f LineFilter) ([]Line, error) {
	if err := p.may(ctx, who, policy.PolicyRead, ""); err != nil {
		return nil, err
	}
	return p.d.Log.list(ctx, f)
}

// Decision finds a line of the decision log by its id. Asks admin.policy.read.
func (p *Policies) Decision(ctx context.Context, who policy.Principal, id string) (*Line, error) {
	if err := p.may(ctx, who, policy.PolicyRead, id); err != nil {
		return nil, err
	}
	line, err := p.d.Log.get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return nil, errNoRecord
	}
	return line, err
}
