package policy

import (
	"context"
	"io"
	"time"
)

// Rules are the files of a site's rules by name: rules end in ".rego", their
// tests in "_test.rego", and "data.json" is a document for lists and switches.
type Rules map[string]string

// Problem is what is wrong with rules, and where. Row and column count from 1;
// zero means that it has no place.
type Problem struct {
	File    string
	Row     int
	Column  int
	Code    string // of the checker, such as rego_type_error
	Message string
}

// TestResult is how one test of a site's rules went.
type TestResult struct {
	Name    string // package and name
	File    string
	Row     int
	Passed  bool
	Message string // of an error
	Took    time.Duration
}

// Lines are rows of a file, from and to included.
type Lines struct{ From, To int }

// FileCoverage is which rows of a file were evaluated.
type FileCoverage struct {
	File       string
	Covered    []Lines
	NotCovered []Lines
	Percent    float64 // 0 to 100
}

// Rule is a rule of a site that refuses or limits.
type Rule struct {
	File        string
	Row         int
	Set         string // "deny" or "limit"
	Code        string // of a refusal, or the name of a limit; empty when the rule computes it
	Title       string
	Description string
	Owner       string // the authors that the rule names, for people
}

// Report is what a check of rules found.
type Report struct {
	Revision string // names the rules by their text; empty when they do not compile
	Problems []Problem
	// Lockouts are refusals of what every site needs, to everybody and always.
	// The rules may be kept and tried, and not be put in force for good.
	Lockouts []Problem
	Tests    []TestResult
	Coverage []FileCoverage // of the site's rules, by its tests
	Percent  float64        // of all of them, 0 to 100
	Rules    []Rule
	// Formatted holds the files whose text is not in the usual form, in it.
	Formatted Rules
}

// OK reports whether the rules may be put in force.
func (r *Report) OK() bool {
	if len(r.Problems) > 0 {
		return false
	}
	for _, t := range r.Tests {
		if !t.Passed {
			return false
		}
	}
	return true
}

// Query is a question that nobody has asked: for trying out rules.
type Query struct {
	Who   Principal
	Do    Action
	On    Resource
	Call  Call
	Usage Usage
}

// Explanation is an answer with what led to it.
type Explanation struct {
	Revision string
	Decision Decision
	// Failed says why there is no decision, which is a refusal.
	Failed string
	// Fired are the site's rules that had an effect.
	Fired []Rule
	// Lines are the evaluated rows, of shipped and own rules.
	Lines []FileCoverage
	Trace string // step by step, when it was asked for; bounded
	Took  time.Duration
	Input []byte // the document that rules read, JSON
}

// Difference is a kind of question that rules in shadow answer otherwise.
type Difference struct {
	Action    Action
	Kind      Kind
	Principal string   // id
	Name      string   // of the principal
	Allowed   bool     // by the rules in force
	Shadow    bool     // by the rules in shadow
	Reasons   []string // codes of whichever refuses
	Count     int64
	Last      time.Time
	Path      string // of the last one
}

// ShadowReport is what rules in shadow would have answered.
type ShadowReport struct {
	Revision    string // empty: none are in shadow
	Since       time.Time
	Asked       int64
	Differ      int64
	Failed      int64 // ended without an answer
	Dropped     int64 // not asked, for want of time
	Differences []Difference
}

// Engine compiles, tries and swaps the rules of a site. It is safe for
// concurrent use.
type Engine interface {
	// Revision names the rules in force.
	Revision() string
	// Check compiles rules strictly against the schema of the input and runs
	// their tests. Findings are in the report, not in the error.
	Check(ctx context.Context, rules Rules) (Report, error)
	// Put puts rules in force and returns their name. Returns Invalid with the
	// key policy_invalid, and changes nothing, when they do not compile or fail
	// their tests.
	Put(ctx context.Context, rules Rules) (revision string, err error)
	// Rescue refuses everything but signing in and mending the policy from this
	// machine.
	Rescue(ctx context.Context) error
	// Explain answers a query by rules, or by those in force when rules is nil.
	// Errors as of Put.
	Explain(ctx context.Context, rules Rules, q Query, trace bool) (Explanation, error)
	// Foresee answers queries by rules, or by those in force when rules is nil:
	// only the decision, or why there is none. Errors as of Put.
	Foresee(ctx context.Context, rules Rules, queries []Query) ([]Explanation, error)
	// Failing tells why the rules in force should go: they left 10 questions
	// within a minute without an answer, in the first day they are in force.
	// Empty when they hold.
	Failing() string
	// Back puts the rules in force again that were so before; false when there
	// are none.
	Back() bool
	// Shadow answers from now on every question by rules too, without effect;
	// nil ends it. Errors as of Put.
	Shadow(ctx context.Context, rules Rules) error
	// Shadowed tells how rules in shadow differ.
	Shadowed() ShadowReport
}

// Bundles packs rules for other places that read Rego, and unpacks what they made.
type Bundles interface {
	// Pack packs rules under the name of a revision.
	Pack(revision string, rules Rules) ([]byte, error)
	// Unpack reads a bundle; at most some MiB. Returns Invalid with the key
	// policy_bundle for what is none, or holds what no site may have.
	Unpack(packed io.Reader) (Rules, error)
}

// Record is a line of the decision log.
type Record struct {
	ID       string
	Time     time.Time
	Revision string
	Query    Query
	Allow    bool
	Reasons  []Reason
	Failed   string // why there was no decision
	Took     time.Duration
}

// Recorder takes the lines of the decision log. It never blocks.
type Recorder interface {
	Record(r Record)
}
