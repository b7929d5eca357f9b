package opa

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"

	"pasteport/ports/policy"
)

// What is asked of the rules: the answer for every decision, the reasons after
// a refusal, the public actions once.
const (
	queryAnswer  = "[data.pasteport.authz.allow, data.pasteport.authz.obligations, data.pasteport.authz.scope]"
	queryReasons = "data.pasteport.authz.reasons"
	queryPublic  = "data.pasteport.permissions.public"
	queryActions = "((object.keys(data.pasteport.permissions.needs) | data.pasteport.permissions.public) | data.pasteport.permissions.any_key) | data.pasteport.permissions.admin_only"
)

// revision is one compiled set of rules. It does not change after it was made,
// but for what it has learnt about constant answers and its failures.
type revision struct {
	id         string            // hash of all texts but the tests
	tests      map[string]string // that it has passed
	siteRules  int
	readsUsage bool          // some rule reads the usage counters
	timeout    time.Duration // bounds one decision
	since      time.Time     // when it came in force
	trouble    trouble
	public     []policy.Action // open to everybody, by the shipped rules
	actions    []string        // all there are

	store storage.Store
	txn   storage.Transaction // reads only; the store never changes

	compiler                  *ast.Compiler
	answerQuery, reasonsQuery rego.PreparedEvalQuery

	constants *constants
	decisions *decisionCache
	kept      *kept

	catalogue []policy.Rule // the site's rules that refuse or limit
}

// answer asks for allow, obligations and scope.
func (r *revision) answer(ctx context.Context, in ast.Value, limit *deadline, more ...rego.EvalOption) (policy.Decision, error) {
	value, err := r.eval(ctx, r.answerQuery, in, limit, more...)
	if err != nil {
		return policy.Decision{}, err
	}
	return readAnswer(value)
}

// reasons asks why a request is refused.
func (r *revision) reasons(ctx context.Context, in ast.Value, limit *deadline, more ...rego.EvalOption) ([]policy.Reason, error) {
	value, err := r.eval(ctx, r.reasonsQuery, in, limit, more...)
	if err != nil {
		return nil, err
	}
	return readReasons(value)
}

// eval returns the one value of a query. An undefined value is an error.
func (r *revision) eval(ctx context.Context, query rego.PreparedEvalQuery, in ast.Value, limit *deadline, more ...rego.EvalOption) (ast.Value, error) {
	results, err := query.Eval(ctx, append(r.options(in, limit), more...)...)
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || len(results[0].Expressions) != 1 {
		return nil, errors.New("the answer is undefined")
	}
	value, ok := results[0].Expressions[0].Value.(ast.Value)
	if !ok {
		return nil, fmt.Errorf("the answer is a %T", results[0].Expressions[0].Value)
	}
	return value, nil
}

func (r *revision) options(in ast.Value, limit *deadline) []rego.EvalOption {
	return []rego.EvalOption{
		rego.EvalParsedInput(in),
		rego.EvalTransaction(r.txn),
		rego.EvalMetrics(metrics.NoOp()),
		rego.EvalExternalCancel(limit),
		rego.EvalGenerateJSON(keepValue),
	}
}

// keepValue keeps a result as the engine has it.
func keepValue(t *ast.Term, _ *rego.EvalContext) (any, error) { return t.Value, nil }

// whole returns a decision with everything evaluated, also the reasons when it
// is allowed. A panic in the engine is an error.
func (r *revision) whole(ctx context.Context, in ast.Value, limit *deadline, more ...rego.EvalOption) (decision policy.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			decision, err = policy.Decision{}, fmt.Errorf("panic in evaluation: %v", p)
		}
	}()
	if decision, err = r.answer(ctx, in, limit, more...); err != nil {
		return policy.Decision{}, err
	}
	reasons, err := r.reasons(ctx, in, limit, more...)
	if err != nil {
		return policy.Decision{}, err
	}
	if !decision.Allow {
		if decision.Reasons = reasons; len(reasons) == 0 {
			return policy.Decision{}, errors.New("a refusal without a reason")
		}
	}
	return decision, nil
}
