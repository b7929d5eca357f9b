package opa

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/child"
	"pasteport/ports/policy"
)

// Bounds of a child process that tries rules.
const (
	trialMemory  = 512 << 20 // bytes of data
	trialTime    = 20 * time.Second
	trialAnswer  = 32 << 20 // bytes
	trialsAtOnce = 2
)

// outOfMemory is what a Go program says when the system gives it no more memory;
// the last is what the race detector's runtime says.
var outOfMemory = regexp.MustCompile("out of memory|cannot allocate memory|failed to allocate")

// Trials try rules in child processes with bounds of memory and time, so that
// rules which nobody has put in force cannot harm the server: whatever they
// do, at the latest at its deadline the child is killed.
type Trials struct {
	program string
	args    []string
	most    time.Duration
	places  chan struct{}
}

// NewTrials returns Trials; args make this program call ServeTrial.
func NewTrials(args ...string) *Trials {
	return &Trials{program: child.Self(), args: args, most: trialTime, places: make(chan struct{}, trialsAtOnce)}
}

// trialRequest is what the child gets: a site's rules, and what to do with them.
type trialRequest struct {
	Rules, Tests map[string]string
	Data         []byte
	Counted      bool // usage is counted
	Check        bool
	Queries      []policy.Query
	Brief        bool // of answers only the decision
	Trace        bool
}

// trialResult is what the child tells.
type trialResult struct {
	Report       policy.Report // of a check; else only the problems of rules that do not compile
	Explanations []policy.Explanation
}

// answers are the answers to all queries of r. Returns Invalid, with the problems,
// when the rules gave none.
func (t *trialResult) answers(r trialRequest) ([]policy.Explanation, error) {
	if len(t.Explanations) != len(r.Queries) {
		return nil, invalid(problemError(t.Report.Problems))
	}
	return t.Explanations, nil
}

// ServeTrial reads a request, tries the rules beside those in base, and writes
// the result. It bounds its own process first.
func ServeTrial(ctx context.Context, base fs.FS, in io.Reader, out io.Writer) error {
	limitProcess()
	var r trialRequest
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return err
	}
	text, err := readRules(base, nil)
	if err != nil {
		return err
	}
	for name, content := range r.Rules {
		text.rules[name] = content
	}
	text.tests = r.Tests
	if r.Data != nil {
		if err := text.takeData(r.Data); err != nil {
			return err
		}
	}
	result, err := tryRules(ctx, base, text, r)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

// limitProcess bounds the memory of this process, which tries rules and does
// nothing else.
func limitProcess() {
	debug.SetMemoryLimit(trialMemory / 2)
	limitMemory(trialMemory)
}

// tryRules does what a request asks for, in this process.
func tryRules(ctx context.Context, base fs.FS, text *ruleText, r trialRequest) (*trialResult, error) {
	result := &trialResult{}
	if r.Check {
		report, err := check(ctx, base, text, r.Counted)
		result.Report = report
		return result, err
	}
	revision, _, err := prepareSet(ctx, base, text)
	if err != nil {
		result.Report.Problems = problemsOf(err)
		return result, ctx.Err()
	}
	for _, q := range r.Queries {
		var e policy.Explanation
		if r.Brief {
			e = revision.brief(ctx, q)
		} else {
			e = explain(ctx, revision, q, ports.SystemClock, r.Trace)
		}
		result.Explanations = append(result.Explanations, e)
	}
	return result, ctx.Err()
}

// Check compiles the rules of site against the shipped ones in base and runs their
// tests: what a server would do before it takes them. A nil site has no rules.
// counted says whether that server counts usage.
func (t *Trials) Check(ctx context.Context, base, site fs.FS, counted bool) (policy.Report, error) {
	text, err := readRules(base, site)
	if err != nil {
		return policy.Report{Problems: problemsOf(err)}, nil
	}
	result, err := t.run(ctx, text, trialRequest{Check: true, Counted: counted})
	if err != nil {
		return policy.Report{}, err
	}
	return result.Report, nil
}

// Explain answers a query by the rules of site and those in base. Returns Invalid
// when they do not compile, or not within the bounds of a trial.
func (t *Trials) Explain(ctx context.Context, base, site fs.FS, q policy.Query, trace bool) (policy.Explanation, error) {
	all, err := t.ask(ctx, base, site, trialRequest{Queries: []policy.Query{q}, Trace: trace})
	if err != nil {
		return policy.Explanation{}, err
	}
	return all[0], nil
}

// Foresee answers queries as Explain does, without what led to the answers. The
// bounds of a trial are those of all of them together.
func (t *Trials) Foresee(ctx context.Context, base, site fs.FS, queries []policy.Query) ([]policy.Explanation, error) {
	return t.ask(ctx, base, site, trialRequest{Queries: queries, Brief: true})
}

func (t *Trials) ask(ctx context.Context, base, site fs.FS, r trialRequest) ([]policy.Explanation, error) {
	text, err := readRules(base, site)
	if err != nil {
		return nil, invalid(err)
	}
	result, err := t.run(ctx, text, r)
	if err != nil {
		return nil, err
	}
	return result.answers(r)
}

// run tries rules in a child. What the rules did to it is a problem in the
// report.
func (t *Trials) run(ctx context.Context, text *ruleText, r trialRequest) (*trialResult, error) {
	r.Rules, r.Tests, r.Data = map[string]string{}, text.tests, text.raw
	for name, content := range text.rules {
		if strings.HasPrefix(name, sitePrefix+"/") {
			r.Rules[name] = content
		}
	}
	request, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	select {
	case t.places <- struct{}{}:
		defer func() { <-t.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, t.most)
	defer cancel()
	var told, complaints bounded
	told.left, complaints.left = trialAnswer, 64<<10
	c := exec.CommandContext(limited, t.program, t.args...)
	c.Env = []string{}
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(request), &told, &complaints
	c.SysProcAttr = child.Attributes()
	c.Cancel = func() error { return child.Kill(c.Process.Pid) }
	c.WaitDelay = time.Second
	err = c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return broken("rules_time", fmt.Sprintf("the rules were not tried within %s; something in them grows without bound", t.most)), nil
	case errors.As(err, &exit) && outOfMemory.Match(complaints.Bytes()):
		return broken("rules_memory", fmt.Sprintf("the rules took more than %d MiB of memory", trialMemory>>20)), nil
	case errors.As(err, &exit):
		return broken("rules_crash", "the process that tried the rules ended without an answer: "+exit.String()), nil
	case err != nil:
		return nil, fmt.Errorf("start a process that tries rules: %w", err)
	}
	result := &trialResult{}
	if err := json.Unmarshal(told.Bytes(), result); err != nil {
		return broken("rules_crash", "the process that tried the rules gave no whole answer"), nil
	}
	return result, nil
}

func broken(code, message string) *trialResult {
	return &trialResult{Report: policy.Report{Problems: []policy.Problem{{Code: code, Message: message}}}}
}

// bounded keeps what is written to it up to a size and drops the rest.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(b.left, len(p))
	b.left -= n
	_, _ = b.Buffer.Write(p[:n])
	return len(p), nil
}

// problemError is an error made of problems.
func problemError(problems []policy.Problem) error {
	errs := make([]error, len(problems))
	for i, p := range problems {
		if errs[i] = fmt.Errorf("%s: %s", p.Code, p.Message); p.File != "" {
			errs[i] = fmt.Errorf("%s:%d:%d: %w", p.File, p.Row, p.Column, errs[i])
		}
	}
	return errors.Join(errs...)
}
