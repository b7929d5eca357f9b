// Package opa decides what principals may do, by the Rego rules that ship with
// the program and the rules a site adds. It hides the policy engine: how rules
// are compiled and checked, how a request becomes an input document, how an
// answer is read, and that most answers are known before they are asked for.
//
// It does not know the rules: those stand in the policies folder, and only
// there. Whatever goes wrong on the way to an answer is an error, which counts
// as a refusal.
package opa

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// DefaultTimeout is how long one decision may evaluate rules before it is given
// up and counts as a refusal.
const DefaultTimeout = 50 * time.Millisecond

// sampleEvery is how many allowed decisions there are for each logged one.
const sampleEvery = 100

// Options are what a Decider is made of. Only Base is required.
type Options struct {
	Base    fs.FS                 // the shipped packages, policies.Files
	Site    fs.FS                 // the site's own rules and their tests; nil means none
	Logger  *slog.Logger          // nil discards
	Clock   ports.Clock           // for calls that carry no time; nil is ports.SystemClock
	Usage   policy.UsageSource    // nil refuses site rules that read usage counters
	Metrics prometheus.Registerer // nil registers nowhere
	Timeout time.Duration         // of one decision; zero is DefaultTimeout
	Trials  *Trials               // tries rules before they are taken; nil tries them in this process
	Record  policy.Recorder       // gets refusals, failures and a sample of the rest; nil is none

	unchecked bool // takes rules as they are; for tests of rules that fail in force
}

// Decider answers by the rules in force. It is safe for concurrent use.
type Decider struct {
	base      fs.FS
	site      fs.FS
	log       *slog.Logger
	clock     ports.Clock
	usage     policy.UsageSource
	timeout   time.Duration
	trials    *Trials
	unchecked bool
	meters    *meters
	record    policy.Recorder
	shadow    atomic.Pointer[shadow] // nil while no rules are in shadow

	current atomic.Pointer[revision]
	before  *revision     // in force before; under reload
	allowed atomic.Uint64 // allowed decisions so far, for sampling
	reload  sync.Mutex    // one activation at a time
	shading sync.Mutex    // one change of the shadow at a time

	open chan openQuestion // questions whose answers may be constant
	stop context.CancelFunc
	done chan struct{}
}

var (
	_ policy.Decider = (*Decider)(nil)
	_ policy.Advisor = (*Decider)(nil)
)

// New compiles the shipped and the site's rules, runs the site's tests and
// returns a Decider that answers by them. ctx bounds the compilation. The
// caller closes the Decider.
//
// Returns Invalid with the key policy_invalid when the rules do not compile,
// break a limit of this package, or fail their own tests.
func New(ctx context.Context, o Options) (*Decider, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = ports.SystemClock
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	d := &Decider{
		base: o.Base, site: o.Site, log: o.Logger, clock: o.Clock, usage: o.Usage, timeout: o.Timeout, trials: o.Trials, unchecked: o.unchecked,
		meters: newMeters(o.Metrics), record: o.Record,
		open: make(chan openQuestion, 256),
		stop: stop,
		done: make(chan struct{}),
	}
	if err := d.Activate(ctx, o.Site); err != nil {
		stop()
		return nil, err
	}
	go d.foldAll(work)
	return d, nil
}

// Close ends the work in the background and waits for it. Decisions can still
// be made afterwards, only no new ones become constant.
func (d *Decider) Close() error {
	d.endShadow()
	d.stop()
	<-d.done
	return nil
}

// Revision names the rules in force: a hash of their text.
func (d *Decider) Revision() string { return d.current.Load().id }

// Reload reads the site's rules again and puts them in force. On any error the
// rules in force stay as they are.
func (d *Decider) Reload(ctx context.Context) error { return d.Activate(ctx, d.site) }

// Activate compiles the rules in site, runs their tests and puts them in force
// for every decision that begins afterwards; decisions under way keep the rules
// they began with. A nil site means no rules but the shipped ones.
//
// Returns Invalid with the key policy_invalid, and changes nothing, when the
// rules do not compile, fail their tests or lock everybody out.
func (d *Decider) Activate(ctx context.Context, site fs.FS) error {
	return d.activate(ctx, true, func() (*ruleText, error) { return readRules(d.base, site) })
}

// activate puts rules in force; for good when nothing ends them by itself.
func (d *Decider) activate(ctx context.Context, forGood bool, read func() (*ruleText, error)) error {
	d.reload.Lock()
	defer d.reload.Unlock()
	candidate, err := d.candidate(ctx, forGood, read)
	if err != nil {
		d.meters.reloads.WithLabelValues("failed").Inc()
		return &ports.Error{Code: ports.Invalid, Key: "policy_invalid", Cause: err}
	}
	if candidate.since.IsZero() {
		candidate.since = d.clock.Now()
	}
	d.before = d.current.Swap(candidate)
	d.meters.reloads.WithLabelValues("ok").Inc()
	d.log.InfoContext(ctx, "policy in force", "revision", candidate.id, "rules", candidate.siteRules)
	for _, do := range candidate.public {
		d.fold(candidate, question{policy.Nobody, do})
	}
	return nil
}

// candidate makes rules ready that may be put in force. They compile in this
// process only after they did in a child; those that were in force before go
// back in force at once, since nobody has an answer while rules fail.
func (d *Decider) candidate(ctx context.Context, forGood bool, read func() (*ruleText, error)) (*revision, error) {
	text, err := read()
	if err != nil {
		return nil, err
	}
	if b := d.before; b != nil && b.id == text.hash() && maps.Equal(b.tests, text.tests) {
		b.trouble.forgive()
		return b, nil
	}
	if !d.unchecked && (len(text.tests) > 0 || text.raw != nil || text.ofSite()) {
		report, err := d.checkText(ctx, text)
		if err != nil {
			return nil, err
		}
		if err := reportError(&report); err != nil {
			return nil, err
		}
		if forGood && len(report.Lockouts) > 0 {
			return nil, problemError(report.Lockouts)
		}
	}
	r, _, err := prepareSet(ctx, d.base, text)
	if err != nil {
		return nil, err
	}
	r.timeout, r.tests = d.timeout, text.tests
	return r, nil
}

// reportError is what is wrong with rules; nil when nothing is.
func reportError(report *policy.Report) error {
	if len(report.Problems) > 0 {
		return problemError(report.Problems)
	}
	var failures []error
	for _, t := range report.Tests {
		switch {
		case t.Message != "":
			failures = append(failures, fmt.Errorf("test %s: %s", t.Name, t.Message))
		case !t.Passed:
			failures = append(failures, fmt.Errorf("test %s failed", t.Name))
		}
	}
	return errors.Join(failures...)
}

var errUncounted = errors.New("a rule reads input.subject.usage, which this server does not count")

// Decide answers by the rules in force. Returns Unavailable with the key
// policy_unavailable when there is no answer: an error or an undefined value in
// a rule, an answer of the wrong form, or no answer in time.
func (d *Decider) Decide(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	rules := d.current.Load()
	q := question{who, do}
	known, tried := rules.decisions.get(q)
	if known.constant != nil && known.constant.Allow {
		d.meters.constants.Inc()
		d.allowedOne(ctx, rules, q, on, *known.constant, 0)
		return *known.constant, nil
	}
	if !tried {
		defer d.fold(rules, q)
	}
	start := time.Now()
	decision, err := d.decide(ctx, rules, q, on, known)
	took := time.Since(start)
	d.meters.took.Observe(took.Seconds())
	if err != nil {
		d.meters.errors.Inc()
		id := newID()
		d.write(ctx, rules, q, on, policy.Record{ID: id, Failed: err.Error(), Took: took})
		d.failed(ctx, rules, q, id, err)
		return policy.Decision{}, &ports.Error{Code: ports.Unavailable, Key: "policy_unavailable",
			Cause: fmt.Errorf("decide %s by revision %s: %w", do, rules.id, err)}
	}
	if decision.Allow {
		d.meters.allowed.Inc()
		d.allowedOne(ctx, rules, q, on, decision, took)
		return decision, nil
	}
	d.meters.denied.Inc()
	decision.ID = newID()
	d.logRefusal(ctx, rules, q, on, decision, took)
	d.shade(ctx, q, on, decision)
	return decision, nil
}

// newID names a decision.
func newID() string { return rand.Text()[:12] }

// Would tells what Decide would answer by the rules in force, without a line in
// the log and without being counted.
func (d *Decider) Would(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	rules := d.current.Load()
	q := question{who, do}
	known, _ := rules.decisions.get(q)
	decision, err := d.decide(ctx, rules, q, on, known)
	if err != nil {
		return policy.Decision{}, &ports.Error{Code: ports.Unavailable, Key: "policy_unavailable",
			Cause: fmt.Errorf("foresee %s by revision %s: %w", do, rules.id, err)}
	}
	return decision, nil
}

// evaluate asks the rules: for as much of the answer as is not known, and after
// a refusal for the reasons. A panic in the engine is an error.
func (d *Decider) evaluate(ctx context.Context, rules *revision, q question, on policy.Resource, known conclusion) (decision policy.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			decision, err = policy.Decision{}, fmt.Errorf("panic in evaluation: %v", p)
		}
	}()
	var used policy.Usage
	if rules.readsUsage {
		if used, err = d.usage.Usage(ctx, q.who); err != nil {
			return policy.Decision{}, fmt.Errorf("count usage: %w", err)
		}
	}
	limit := newDeadline(ctx, rules.timeout)
	defer limit.release()
	in := inputOf(q, on, policy.CallFrom(ctx), used, d.clock)
	switch {
	case known.constant != nil:
		decision = *known.constant
	case known.rest != nil:
		decision, err = rules.answerRest(ctx, known.rest, in, limit)
	default:
		decision, err = rules.answer(ctx, in, limit)
	}
	if err != nil {
		return policy.Decision{}, err
	}
	if decision.Allow {
		return decision, nil
	}
	if decision.Reasons, err = rules.reasons(ctx, in, limit); err != nil {
		return policy.Decision{}, err
	}
	if len(decision.Reasons) == 0 {
		return policy.Decision{}, errors.New("a refusal without a reason")
	}
	return decision, nil
}

// allowedOne lets the shadow have a look at an allowed decision, and logs one in
// a hundred.
func (d *Decider) allowedOne(ctx context.Context, rules *revision, q question, on policy.Resource, decision policy.Decision, took time.Duration) {
	d.shade(ctx, q, on, decision)
	if d.allowed.Add(1)%sampleEvery != 0 {
		return
	}
	d.write(ctx, rules, q, on, policy.Record{ID: newID(), Allow: true, Took: took})
	d.log.LogAttrs(ctx, slog.LevelInfo, "policy allowed",
		slog.String("action", string(q.do)),
		slog.String("principal", string(q.who.Kind)),
		slog.String("principal_id", q.who.ID),
		slog.String("revision", rules.id),
		slog.String("request_id", policy.CallFrom(ctx).RequestID),
		slog.Duration("took", took))
}

// write adds a line to the decision log.
func (d *Decider) write(ctx context.Context, rules *revision, q question, on policy.Resource, r policy.Record) {
	if d.record == nil {
		return
	}
	call := *policy.CallFrom(ctx)
	if call.Time.IsZero() {
		call.Time = d.clock.Now()
	}
	r.Time, r.Revision = call.Time, rules.id
	r.Query = policy.Query{Who: q.who, Do: q.do, On: on, Call: call}
	d.record.Record(r)
}

func (d *Decider) logRefusal(ctx context.Context, rules *revision, q question, on policy.Resource, decision policy.Decision, took time.Duration) {
	codes := codesOf(decision)
	d.write(ctx, rules, q, on, policy.Record{ID: decision.ID, Reasons: decision.Reasons, Took: took})
	d.log.LogAttrs(ctx, slog.LevelInfo, "policy denied",
		slog.String("decision_id", decision.ID),
		slog.String("action", string(q.do)),
		slog.String("principal", string(q.who.Kind)),
		slog.String("principal_id", q.who.ID),
		slog.String("kind", on.Kind),
		slog.Any("reasons", codes),
		slog.String("revision", rules.id),
		slog.String("request_id", policy.CallFrom(ctx).RequestID),
		slog.Duration("took", took))
}
