package opa

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"pasteport/ports/policy"
)

// When rules in force count as failing. Rules that have held for a day are not
// given up: nobody shall switch them off by odd requests.
const (
	failuresToGiveUp = 10
	failuresWithin   = time.Minute
	failuresUntil    = 24 * time.Hour // after the rules came in force
	maxCauses        = 1000           // that are told apart
)

// trouble is what rules in force have failed in.
type trouble struct {
	mu     sync.Mutex
	told   map[string]time.Time // causes, with when they were last logged
	recent []time.Time
	cause  string // why the rules are given up; empty when they are not
}

// forgive forgets why the rules were given up.
func (t *trouble) forgive() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recent, t.cause = nil, ""
}

// failed notes that a question ended without an answer: one line in the log for
// each cause and minute, and the rules are given up when it comes too often.
func (d *Decider) failed(ctx context.Context, rules *revision, q question, id string, err error) {
	f := rules.failureOf(err)
	if f.cancelled && ctx.Err() != nil {
		return // the caller has gone
	}
	now := d.clock.Now()
	t := &rules.trouble
	t.mu.Lock()
	defer t.mu.Unlock()
	if last, known := t.told[f.key()]; !known || now.Sub(last) >= time.Minute {
		if t.told == nil || len(t.told) >= maxCauses {
			t.told = map[string]time.Time{}
		}
		t.told[f.key()] = now
		d.log.LogAttrs(ctx, slog.LevelError, "a policy rule ended without an answer; what it touches is refused",
			slog.String("rule", f.rule), slog.String("place", f.place()), slog.String("cause", f.cause), slog.Duration("budget", rules.timeout),
			slog.String("action", string(q.do)), slog.String("principal", string(q.who.Kind)), slog.String("revision", rules.id), slog.String("decision_id", id))
	}
	if rules.siteRules == 0 || t.cause != "" || now.Sub(rules.since) > failuresUntil {
		return
	}
	for len(t.recent) > 0 && now.Sub(t.recent[0]) > failuresWithin {
		t.recent = t.recent[1:]
	}
	if t.recent = append(t.recent, now); len(t.recent) >= failuresToGiveUp {
		t.cause = strings.TrimSpace(strings.Join([]string{f.rule, f.place(), f.cause}, " "))
	}
}

// Failing tells why the rules in force should go: they left too many questions
// without an answer. Empty when they hold.
func (d *Decider) Failing() string {
	t := &d.current.Load().trouble
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// Back puts the rules in force again that were so before; false when there are
// none.
func (d *Decider) Back() bool {
	d.reload.Lock()
	defer d.reload.Unlock()
	before := d.before
	if before == nil {
		return false
	}
	d.before = nil
	before.trouble.forgive()
	d.current.Store(before)
	d.log.Warn("policy put back", "revision", before.id, "rules", before.siteRules)
	return true
}

var _ policy.Engine = (*Decider)(nil)

// failure is why an evaluation ended without an answer, and where.
type failure struct {
	rule        string // name or code; empty when it is not known
	file        string
	row, column int
	cause       string
	cancelled   bool // the time was over, or the caller had gone
}

func (f failure) key() string { return fmt.Sprintf("%s %s %s", f.rule, f.place(), f.cause) }

// place is file:row:column, or empty.
func (f failure) place() string {
	if f.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", f.file, f.row, f.column)
}

// failureOf finds the rule that an error comes from.
func (r *revision) failureOf(err error) failure {
	f := failure{cause: shortened(err.Error())}
	var engine *topdown.Error
	var limit *limitError
	switch {
	case errors.As(err, &engine):
		f.cause, f.cancelled = shortened(engine.Message), engine.Code == topdown.CancelErr
		if at := engine.Location; at != nil && at.File != "" {
			f.file, f.row, f.column, f.rule = ownName(at.File), at.Row, at.Col, r.ruleAt(at)
		}
	case errors.As(err, &limit):
		for _, rule := range r.catalogue {
			if rule.Set == "limit" && rule.Code == limit.name {
				f.rule, f.file, f.row, f.column = "limit "+rule.Code, rule.File, rule.Row, 1
			}
		}
	}
	return f
}

// ruleAt is the rule around a place.
func (r *revision) ruleAt(at *ast.Location) string {
	m := r.compiler.Modules[at.File]
	if m == nil {
		return ""
	}
	name := ""
	for _, rule := range m.Rules {
		if rule.Location != nil && rule.Location.Row <= at.Row && at.Row <= rule.Location.Row+strings.Count(string(rule.Location.Text), "\n") {
			name = rule.Head.Ref()[0].String()
			if code := codeOf(rule); code != "" {
				name += " " + code
			}
		}
	}
	return name
}
