package opa

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"pasteport/ports/policy"
)

const queryDeny = "data.pasteport.site.deny[x]"

// needed is what every site allows somebody at some time: what the server needs
// to be ready, and an administrator to get in and see to the rules.
var needed = []struct {
	question
	whom string
}{
	{question{policy.Nobody, policy.SiteRead}, "every visitor"},
	{question{policy.Nobody, policy.SessionOpen}, "every visitor"},
	{question{policy.Principal{Kind: policy.Admin, BasicPath: "/"}, policy.PolicyRead}, "every administrator"},
	{question{policy.Principal{Kind: policy.Admin, BasicPath: "/"}, policy.PolicyWrite}, "every administrator"},
}

// lockouts are the rules that refuse what is needed whoever asks, wherever from
// and whenever. A rule that looks at any of these is none.
func (r *revision) lockouts(ctx context.Context) (problems []policy.Problem) {
	if r.siteRules == 0 {
		return nil
	}
	c := r.constants
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() {
		if recover() != nil { // what cannot be evaluated ahead proves nothing
			problems = nil
		}
	}()
	if c.prepare(ctx) != nil {
		return nil
	}
	for _, n := range needed {
		who := knownSubject(n.who)
		open := append([]*ast.Term{}, unknown...)
		if n.who.Kind == policy.Admin { // any one
			who = ast.NewObject(field(keyType, text(string(n.who.Kind))), field(keyGuest, ast.InternedTerm(false)),
				field(keyPermissions, number(0)), field(keyBasicPath, text(n.who.BasicPath)))
			open = append(open, ast.MustParseTerm("input.subject.id"), ast.MustParseTerm("input.subject.name"))
		}
		in := ast.NewObject(field(keyAPI, version), field(keySubject, ast.NewTerm(who)), field(keyAction, text(string(n.do))))
		limit := newDeadline(ctx, explainTime)
		refused, err := c.denied.Partial(ctx, append(r.options(in, limit), rego.EvalParsedUnknowns(open))...)
		limit.release()
		if err != nil {
			continue
		}
		for _, way := range refused.Queries {
			code, always := refusalIn(way)
			if !always {
				continue
			}
			p := policy.Problem{Code: "policy_lockout", Message: fmt.Sprintf("%s is refused to %s, whatever the address and the time (code %q): nobody could sign in and mend the rules", n.do, n.whom, code)}
			for _, rule := range r.catalogue {
				if rule.Set == "deny" && rule.Code == code {
					p.File, p.Row, p.Column = rule.File, rule.Row, 1
					break
				}
			}
			problems = append(problems, p)
			break
		}
	}
	return problems
}

// refusalIn returns the code of a residual query of the form x = {...} when it
// has no condition.
func refusalIn(way ast.Body) (code string, always bool) {
	if len(way) != 1 || !way[0].IsEquality() || way[0].Negated || len(way[0].With) != 0 {
		return "", false
	}
	for _, operand := range way[0].Operands() {
		if object, ok := operand.Value.(ast.Object); ok && plain(operand) {
			code, _ = stringAt(object, "code")
			return code, true
		}
	}
	return "", false
}
