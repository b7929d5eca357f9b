package opa

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// noUsageSource counts nothing for anybody.
type noUsageSource struct{}

func (noUsageSource) Usage(context.Context, policy.Principal) (policy.Usage, error) {
	return policy.Usage{}, nil
}

// doubling is a value of 2^40 elements, by variables (types grow with it) or by
// functions (only values do).
func doubling(byFunctions bool) string {
	var b strings.Builder
	if byFunctions {
		b.WriteString("_double(x) := [x, x]\n\ndeny contains {\"code\": \"x\", \"message\": json.marshal(x)} if {\n\tx := " + strings.Repeat("_double(", 26) + "input.action" + strings.Repeat(")", 26) + "\n\tx = input.subject.name\n}\n")
		return "package pasteport.site\n\n" + b.String()
	}
	b.WriteString("deny contains {\"code\": \"x\", \"message\": \"\"} if {\n\tx0 := input.action\n")
	for i := range 40 {
		n, before := strconv.Itoa(i+1), strconv.Itoa(i)
		b.WriteString("\tx" + n + " := [x" + before + ", x" + before + "]\n")
	}
	return "package pasteport.site\n\n" + b.String() + "\tx40 = input.subject\n}\n"
}

// TestRulesThatAreTriedCannotHarmTheServer tries rules that grow without bound:
// each child is gone when its answer comes, and the answer says why.
func TestRulesThatAreTriedCannotHarmTheServer(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	trials := NewTrials("try-rules")
	trials.most = time.Second
	d := newDecider(t, Options{Trials: trials})
	before := d.Revision()
	rules := policy.Rules{"a.rego": doubling(false)}
	report, err := d.Check(t.Context(), rules)
	if err != nil || report.OK() || len(report.Problems) != 1 || report.Problems[0].Code != "rules_time" && report.Problems[0].Code != "rules_memory" {
		t.Errorf("check: %+v, %v", report, err)
	}
	q := policy.Query{Who: admin, Do: policy.PasteList}
	if _, err := d.Explain(t.Context(), rules, q, true); err == nil || !strings.Contains(err.Error(), "policy_invalid") {
		t.Errorf("explain: %v", err)
	}
	if _, err := d.Put(t.Context(), rules); err == nil || d.Revision() != before {
		t.Errorf("put: %v", err)
	}
}

func TestAChildTriesRulesAsThisProcessDoes(t *testing.T) {
	child, here := newDecider(t, Options{Trials: NewTrials("try-rules")}), newDecider(t, Options{})
	rules := policy.Rules{"a.rego": weekend, "a_test.rego": weekendTest, "data.json": "{\"x\": 1}"}
	a, err := child.Check(t.Context(), rules)
	b, _ := here.Check(t.Context(), rules)
	if err != nil || !a.OK() || a.Revision != b.Revision || len(a.Tests) != 1 || len(a.Rules) != 2 || a.Percent != b.Percent {
		t.Errorf("%+v, %v; here %+v", a, err, b)
	}
	q := policy.Query{Who: guest, Do: policy.FileUpload, On: policy.Resource{Extension: "exe"}, Call: policy.Call{Time: time.Unix(1, 0).UTC()}}
	e, err := child.Explain(t.Context(), rules, q, true)
	f, _ := here.Explain(t.Context(), rules, q, true)
	if err != nil || e.Failed != "" || e.Decision.Allow || len(e.Decision.Reasons) != 1 || len(e.Fired) != len(f.Fired) || e.Trace != f.Trace || string(e.Input) != string(f.Input) {
		t.Errorf("%+v, %v; here %+v", e, err, f)
	}
	if id, err := child.Put(t.Context(), rules); err != nil || id != a.Revision {
		t.Error(id, err)
	}
	broken := policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {"}
	if report, err := child.Check(t.Context(), broken); err != nil || len(report.Problems) == 0 || report.Problems[0].Row != 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestATrialEndsWithItsCaller(t *testing.T) {
	d := newDecider(t, Options{Trials: NewTrials("try-rules")})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := d.Check(ctx, policy.Rules{"a.rego": doubling(false)}); err == nil {
		t.Error("no error")
	}
	if children, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children"); err == nil && len(strings.TrimSpace(string(children))) > 0 {
		t.Errorf("children are left: %s", children)
	}
}
