package opa

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"pasteport/ports/policy"
)

// constants evaluates rules partially, ahead of requests. It compiles them a second
// time, for itself, and one caller at a time: partial evaluation writes into
// the compiled rules, which others would read meanwhile.
type constants struct {
	rules   *revision
	text    map[string]string
	schemas *ast.SchemaSet

	mu             sync.Mutex
	ready          bool
	granted, terms rego.PreparedPartialQuery
	denied         rego.PreparedPartialQuery // what the site refuses
}

// What is asked ahead: whether there is a way to yes, and what a yes comes with.
const (
	queryGranted = "data.pasteport.authz.granted"
	queryTerms   = "x = [data.pasteport.authz.obligations, data.pasteport.authz.scope]"
)

// prepare compiles the rules when they are first needed.
func (c *constants) prepare(ctx context.Context) error {
	if c.ready {
		return nil
	}
	compiler, err := compileText(c.text, c.schemas)
	if err != nil {
		return err
	}
	if c.granted, err = c.rules.query(compiler, queryGranted).PrepareForPartial(ctx); err != nil {
		return err
	}
	if c.terms, err = c.rules.query(compiler, queryTerms).PrepareForPartial(ctx); err != nil {
		return err
	}
	if c.denied, err = c.rules.query(compiler, queryDeny).PrepareForPartial(ctx); err != nil {
		return err
	}
	c.ready = true
	return nil
}

// unknown are the parts of the input that differ between requests that ask the
// same question.
var unknown = []*ast.Term{
	ast.MustParseTerm("input.resource"),
	ast.MustParseTerm("input.context"),
	ast.MustParseTerm("input.subject.usage"),
}

// siteWatch sees whether a site rule, or a helper that it calls, came to
// something unknown during partial evaluation. Then nothing is concluded: the
// residue of such a rule may have lost an error that full evaluation ends in,
// as when a branch with a conflicting value is dropped for another reason.
type siteWatch struct{ unknown bool }

var _ topdown.QueryTracer = (*siteWatch)(nil)

func (*siteWatch) Enabled() bool               { return true }
func (*siteWatch) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (w *siteWatch) TraceEvent(e topdown.Event) {
	if e.Op == topdown.SaveOp && !builtIn(e.Location) {
		w.unknown = true
	}
}

// builtIn reports whether an expression stands in the shipped rules that decide
// or in a query, and not in site rules or their helpers.
func builtIn(at *ast.Location) bool {
	return at != nil && (at.File == "" || strings.HasPrefix(at.File, "permissions/") || strings.HasPrefix(at.File, "authz/"))
}

// find evaluates the rules as far as the question alone allows. What it cannot
// use, and what ends in an error, is left to full evaluation.
func (c *constants) find(ctx context.Context, q question, timeout time.Duration) (found conclusion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		if recover() != nil {
			found = conclusion{}
		}
	}()
	if err := c.prepare(ctx); err != nil {
		return conclusion{}
	}
	limit := newDeadline(ctx, timeout)
	defer limit.release()
	in := ast.NewObject(
		field(keyAPI, version),
		field(keySubject, ast.NewTerm(knownSubject(q.who))),
		field(keyAction, text(string(q.do))),
	)
	var watch siteWatch
	options := append(c.rules.options(in, limit), rego.EvalParsedUnknowns(unknown), rego.EvalQueryTracer(&watch))
	granted, err := c.granted.Partial(ctx, options...)
	if err != nil || watch.unknown {
		return conclusion{}
	}
	yes, ok := c.findTerms(ctx, options)
	if !ok || watch.unknown {
		return conclusion{}
	}
	if len(granted.Queries) == 0 { // no way leads to yes
		return conclusion{constant: &policy.Decision{Scope: policy.Own}}
	}
	if unconditional(granted.Queries) {
		return conclusion{constant: &yes}
	}
	if len(granted.Support) != 0 {
		return conclusion{}
	}
	ways, err := compileWays(c.rules.compiler, granted.Queries)
	if err != nil {
		return conclusion{}
	}
	return conclusion{rest: &rest{yes, ways}}
}

// findTerms returns the yes of a question, with its obligations and scope, when
// nothing of it depends on the rest of the request.
func (c *constants) findTerms(ctx context.Context, options []rego.EvalOption) (policy.Decision, bool) {
	terms, err := c.terms.Partial(ctx, options...)
	if err != nil || len(terms.Queries) != 1 || len(terms.Support) != 0 {
		return policy.Decision{}, false
	}
	elements, ok := bound(terms.Queries[0])
	if !ok {
		return policy.Decision{}, false
	}
	yes, err := readAnswer(ast.NewArray(append([]*ast.Term{ast.InternedTerm(true)}, elements...)...))
	return yes, err == nil
}

// compileWays compiles what is left of a question against the rules that
// requests are evaluated by. It goes by the text, so that nothing is shared
// with partial evaluation.
func compileWays(rules *ast.Compiler, bodies []ast.Body) ([]way, error) {
	ways := make([]way, len(bodies))
	for i, body := range bodies {
		own, err := ast.ParseBodyWithOpts(body.String(), ast.ParserOptions{RegoVersion: ast.RegoV1})
		if err != nil {
			return nil, err
		}
		compiler := rules.QueryCompiler()
		compiled, err := compiler.Compile(own)
		if err != nil {
			return nil, err
		}
		ways[i] = way{compiled, compiler}
	}
	return ways, nil
}

// answerRest decides by what is left of a question.
func (r *revision) answerRest(ctx context.Context, left *rest, in ast.Value, limit *deadline) (policy.Decision, error) {
	for _, w := range left.ways {
		holds := false
		err := topdown.NewQuery(w.body).
			WithQueryCompiler(w.compiler).
			WithCompiler(r.compiler).
			WithStore(r.store).
			WithTransaction(r.txn).
			WithInput(ast.NewTerm(in)).
			WithMetrics(metrics.NoOp()).
			WithStrictBuiltinErrors(true).
			WithCancel(limit).
			Iter(ctx, func(topdown.QueryResult) error {
				holds = true
				return nil
			})
		if err != nil {
			return policy.Decision{}, err
		}
		if holds {
			return left.granted, nil
		}
	}
	return policy.Decision{Scope: policy.Own}, nil
}

// unconditional reports whether one of the ways to yes has no condition left.
func unconditional(ways []ast.Body) bool {
	for _, way := range ways {
		if len(way) == 0 {
			return true
		}
	}
	return false
}

// bound returns the elements of the array in a residual query of the form
// x = [...], when every one is a plain value.
func bound(query ast.Body) ([]*ast.Term, bool) {
	if len(query) != 1 || !query[0].IsEquality() || len(query[0].With) != 0 {
		return nil, false
	}
	for _, operand := range query[0].Operands() {
		if array, ok := operand.Value.(*ast.Array); ok && plain(operand) {
			var elements []*ast.Term
			array.Foreach(func(t *ast.Term) { elements = append(elements, t) })
			return elements, true
		}
	}
	return nil, false
}

// plain reports whether a term is a value with nothing to evaluate in it.
func plain(t *ast.Term) bool {
	if !t.IsGround() {
		return false
	}
	value := true
	ast.WalkTerms(t, func(t *ast.Term) bool {
		switch t.Value.(type) {
		case ast.Ref, ast.Var, ast.Call, *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			value = false
		}
		return !value
	})
	return value
}
