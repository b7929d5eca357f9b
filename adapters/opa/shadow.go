package opa

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"pasteport/ports"
	"pasteport/ports/policy"
)

const (
	maxShaded      = 1024 // questions that wait for the rules in shadow
	maxDifferences = 200  // kinds of difference that are told apart
)

// shadow is a set of rules that answers beside the rules in force, in the
// background and without effect.
type shadow struct {
	rules *revision
	asked chan shaded
	stop  context.CancelFunc
	ended chan struct{}

	mu     sync.Mutex
	report policy.ShadowReport
	kinds  map[difference]*policy.Difference
}

// shaded is a question with the answer that was given.
type shaded struct {
	question
	on       policy.Resource
	call     policy.Call
	decision policy.Decision
}

// difference is what tells kinds of difference apart.
type difference struct {
	question
	allowed, shadow bool
	reasons         string
}

// Shadow puts rules in shadow; nil ends it.
func (d *Decider) Shadow(ctx context.Context, rules policy.Rules) error {
	if rules == nil {
		d.endShadow()
		return nil
	}
	candidate, err := d.candidate(ctx, false, func() (*ruleText, error) { return takeRules(d.base, rules) })
	if err != nil {
		return invalid(err)
	}
	d.endShadow()
	d.shading.Lock()
	defer d.shading.Unlock()
	work, stop := context.WithCancel(context.Background())
	s := &shadow{rules: candidate, asked: make(chan shaded, maxShaded), stop: stop, ended: make(chan struct{}),
		report: policy.ShadowReport{Revision: candidate.id, Since: d.clock.Now()}, kinds: map[difference]*policy.Difference{}}
	go s.run(work, d)
	d.shadow.Store(s)
	return nil
}

func invalid(err error) error {
	return &ports.Error{Code: ports.Invalid, Key: "policy_invalid", Cause: err}
}

func (d *Decider) endShadow() {
	d.shading.Lock()
	defer d.shading.Unlock()
	if s := d.shadow.Swap(nil); s != nil {
		s.stop()
		<-s.ended
	}
}

// Shadowed tells how the rules in shadow differ, the commonest kinds first.
func (d *Decider) Shadowed() policy.ShadowReport {
	s := d.shadow.Load()
	if s == nil {
		return policy.ShadowReport{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	report := s.report
	report.Differences = make([]policy.Difference, 0, len(s.kinds))
	for _, one := range s.kinds {
		report.Differences = append(report.Differences, *one)
	}
	slices.SortFunc(report.Differences, func(a, b policy.Difference) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Last.Compare(a.Last), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Principal, b.Principal))
	})
	return report
}

// shade hands a decision to the rules in shadow, if there are any and they have
// time.
func (d *Decider) shade(ctx context.Context, q question, on policy.Resource, decision policy.Decision) {
	s := d.shadow.Load()
	if s == nil {
		return
	}
	call := *policy.CallFrom(ctx)
	if call.Time.IsZero() {
		call.Time = d.clock.Now()
	}
	select {
	case s.asked <- shaded{q, on, call, decision}:
	default:
		s.mu.Lock()
		s.report.Dropped++
		s.mu.Unlock()
	}
}

func (s *shadow) run(ctx context.Context, d *Decider) {
	defer close(s.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-s.asked:
			s.compare(ctx, d, q)
		}
	}
}

// compare asks the rules in shadow and notes when they answer otherwise.
func (s *shadow) compare(ctx context.Context, d *Decider, q shaded) {
	got, err := d.evaluate(policy.WithCall(ctx, &q.call), s.rules, q.question, q.on, conclusion{})
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Asked++
	if err != nil {
		s.report.Failed++
		got = policy.Decision{Reasons: []policy.Reason{{Code: "policy_unavailable"}}}
	}
	if got.Allow == q.decision.Allow && got.Obligations == q.decision.Obligations {
		return
	}
	s.report.Differ++
	codes := codesOf(got)
	if got.Allow {
		codes = codesOf(q.decision)
	}
	if got.Allow && q.decision.Allow {
		codes = []string{"limits"}
	}
	key := difference{q.question, q.decision.Allow, got.Allow, strings.Join(codes, ",")}
	one := s.kinds[key]
	if one == nil {
		if len(s.kinds) >= maxDifferences {
			return
		}
		one = &policy.Difference{Action: q.do, Kind: q.who.Kind, Principal: q.who.ID, Name: q.who.Name, Allowed: q.decision.Allow, Shadow: got.Allow, Reasons: codes}
		s.kinds[key] = one
	}
	one.Count++
	one.Last = q.call.Time
	if one.Path = ""; len(q.on.Paths) > 0 {
		one.Path = q.on.Paths[0]
	}
}

// codesOf are the codes of a refusal.
func codesOf(decision policy.Decision) []string {
	codes := make([]string, len(decision.Reasons))
	for i, r := range decision.Reasons {
		codes[i] = r.Code
	}
	return codes
}
