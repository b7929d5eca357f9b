package opa

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

const failsByName = `deny contains {"code": "odd", "message": "m"} if {
	input.action == "file.upload"
	net.cidr_contains(input.resource.name, input.context.client_ip)
}`

// logged are the lines of a log with a message that begins so.
func logged(t *testing.T, book *bytes.Buffer, begins string) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(book.String()) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(one["msg"].(string), begins) {
			lines = append(lines, one)
		}
	}
	return lines
}

func TestTheLogTellsWhyARuleFailedOnceAMinute(t *testing.T) {
	var book bytes.Buffer
	clock := portstest.NewClock()
	d := newDecider(t, Options{Logger: slog.New(slog.NewJSONHandler(&book, nil)), Clock: clock, Site: siteOf(failsByName), Timeout: time.Minute, unchecked: true})
	ask := func() {
		if _, err := d.Decide(t.Context(), admin, policy.FileUpload, policy.Resource{Name: "no block"}); err == nil {
			t.Fatal("an answer came")
		}
	}
	const line = "a policy rule ended without an answer"
	for range 3 {
		ask()
	}
	lines := logged(t, &book, line)
	if len(lines) != 1 {
		t.Fatalf("%d lines, want one: %v", len(lines), lines)
	}
	one := lines[0]
	if one["rule"] != "deny odd" || one["place"] != "rule.rego:5:2" || !strings.Contains(one["cause"].(string), "no block") || one["budget"] != float64(time.Minute) || one["decision_id"] == "" {
		t.Errorf("%v", one)
	}
	clock.Add(time.Minute)
	ask()
	if lines := logged(t, &book, line); len(lines) != 2 {
		t.Errorf("%d lines after a minute, want two", len(lines))
	}
}

// Nobody has an answer while rules fail: those before are not tried again.
func TestRulesThatWereInForceGoBackAtOnce(t *testing.T) {
	d := newDecider(t, Options{Clock: portstest.NewClock()})
	calm := policy.Rules{"a.rego": weekend, "a_test.rego": weekendTest}
	odd := policy.Rules{"rule.rego": `package pasteport.site

_limit := 1 if input.resource.size > 1

_limit := 2 if input.resource.size > 5000

deny contains {"code": "large", "message": "Too large."} if _limit > 2
`}
	put := func(rules policy.Rules) *revision {
		t.Helper()
		if _, err := d.Put(t.Context(), rules); err != nil {
			t.Fatal(err)
		}
		return d.current.Load()
	}
	first, failing := put(calm), put(odd)
	for range failuresToGiveUp {
		if _, err := d.Decide(t.Context(), admin, policy.FileUpload, policy.Resource{Size: 6000}); err == nil {
			t.Fatal("an answer came")
		}
	}
	if put(calm) != first || d.Failing() != "" {
		t.Errorf("they were made anew; failing %q", d.Failing())
	}
	if put(odd) != failing || d.Failing() != "" {
		t.Errorf("the failing ones begin as they ended: %q", d.Failing())
	}
	put(calm)
	if _, err := d.Put(t.Context(), policy.Rules{"a.rego": weekend, "a_test.rego": strings.Replace(weekendTest, "== 1", "== 2", 1)}); err == nil || d.current.Load() != first {
		t.Errorf("rules with a failing test: %v", err)
	}
}

func TestRulesThatFailTenTimesInAMinuteAreGivenUp(t *testing.T) {
	clock := portstest.NewClock()
	d := newDecider(t, Options{Clock: clock, unchecked: true})
	before := d.Revision()
	if _, err := d.Put(t.Context(), policy.Rules{"rule.rego": "package pasteport.site\n\n" + failsByName}); err != nil {
		t.Fatal(err)
	}
	fail := func(times int) {
		for range times {
			if _, err := d.Decide(t.Context(), admin, policy.FileUpload, policy.Resource{Name: "no block"}); err == nil {
				t.Fatal("an answer came")
			}
		}
	}
	fail(9)
	clock.Add(2 * time.Minute)
	fail(9)
	if why := d.Failing(); why != "" {
		t.Fatalf("given up after nine: %s", why)
	}
	fail(1)
	if why := d.Failing(); !strings.Contains(why, "deny odd rule.rego:5:2") {
		t.Fatalf("why %q", why)
	}
	if !d.Back() || d.Revision() != before || d.Failing() != "" {
		t.Errorf("revision %s, want %s; failing %q", d.Revision(), before, d.Failing())
	}
	if d.Back() {
		t.Error("went back twice")
	}
	if _, err := d.Decide(t.Context(), admin, policy.FileUpload, policy.Resource{Name: "no block"}); err != nil {
		t.Error(err)
	}
}

// TestRulesThatHeldForADayAreNotSwitchedOffByOddRequests: who finds a request
// that a rule cannot answer must not get rid of the rule by it.
func TestRulesThatHeldForADayAreNotSwitchedOffByOddRequests(t *testing.T) {
	clock := portstest.NewClock()
	d := newDecider(t, Options{Clock: clock, Site: siteOf(failsByName), unchecked: true})
	clock.Add(25 * time.Hour)
	for range 30 {
		if _, err := d.Decide(t.Context(), admin, policy.FileUpload, policy.Resource{Name: "no block"}); err == nil {
			t.Fatal("an answer came")
		}
	}
	if why := d.Failing(); why != "" {
		t.Errorf("given up: %s", why)
	}
}
