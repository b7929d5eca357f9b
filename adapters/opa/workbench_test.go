package opa

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

const weekend = `package pasteport.site

# METADATA
# title: No uploads of programs
# description: Guests upload no programs.
deny contains {"code": "programs", "message": "No programs."} if {
	input.subject.guest
	input.action == "file.upload"
	input.resource.extension == "exe"
}

limit contains {"name": "max_size", "value": 1000} if input.subject.guest
`

const weekendTest = `package pasteport.site_test

import data.pasteport.site

test_programs if {
	count(site.deny) == 1 with input as {"subject": {"guest": true}, "action": "file.upload", "resource": {"extension": "exe"}}
}
`

var guest = policy.Principal{Kind: policy.APIKey, ID: "g", Name: "guest", Permissions: policy.PermFileShare, BasicPath: "/", Guest: true}

func TestCheckTellsWhatIsWrongAndWhere(t *testing.T) {
	d := newDecider(t, Options{})
	for _, c := range []struct {
		name  string
		rules policy.Rules
		file  string
		row   int
		says  string
	}{
		{"a syntax error", policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {"}, "a.rego", 3, "rego_parse_error"},
		{"a misspelt field", policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if input.subject.gest"}, "a.rego", 3, "guest"},
		{"a call to the network", policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": http.send({}).body}"}, "a.rego", 3, "http.send"},
		{"another package", policy.Rules{"a.rego": "package pasteport.permissions\n\ngranted if true"}, "", 0, "package pasteport.site"},
		{"a folder in a name", policy.Rules{"../a.rego": "package pasteport.site"}, "", 0, "no name of a file"},
		{"broken data", policy.Rules{"data.json": "["}, "", 0, "data.json"},
		{"uncounted usage", policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if input.subject.usage.bytes_today > 1"}, "", 0, "does not count"},
	} {
		report, err := d.Check(t.Context(), c.rules)
		if err != nil || report.OK() || len(report.Problems) == 0 {
			t.Errorf("%s: %+v, %v", c.name, report, err)
			continue
		}
		p := report.Problems[0]
		if p.File != c.file || p.Row != c.row || !strings.Contains(p.Code+" "+p.Message, c.says) {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestARuleIsOwnedByThoseItNames(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	d := newDecider(t, Options{})
	for metadata, want := range map[string]string{
		"title: x": "",
		"authors:\n# - Ann <ann@example.org>\n# - The harbour office": "Ann, The harbour office",
		"authors:\n# - <ann@example.org>":                             "ann@example.org",
		"organizations:\n# - Harbour":                                 "Harbour",
		"organizations:\n# - Harbour\n# authors:\n# - Ann":            "Ann",
	} {
		report, err := d.Check(t.Context(), policy.Rules{"a.rego": "package pasteport.site\n\n# METADATA\n# " + metadata + "\nlimit contains {\"name\": \"max_size\", \"value\": 5}\n"})
		if err != nil || len(report.Rules) != 1 || report.Rules[0].Owner != want {
			t.Errorf("%q: %+v, %v, want %q", metadata, report.Rules, err, want)
		}
	}
}

func TestCheckRunsTestsWithCoverageAndKnowsTheRules(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	d := newDecider(t, Options{})
	before := d.Revision()
	report, err := d.Check(t.Context(), policy.Rules{"a.rego": weekend, "a_test.rego": weekendTest})
	if err != nil || !report.OK() || report.Revision == "" {
		t.Fatalf("%+v, %v", report, err)
	}
	if len(report.Tests) != 1 || report.Tests[0].Name != "pasteport.site_test.test_programs" || report.Tests[0].File != "a_test.rego" || report.Tests[0].Row != 5 {
		t.Errorf("tests %+v", report.Tests)
	}
	if len(report.Coverage) != 1 || report.Coverage[0].File != "a.rego" || report.Percent <= 50 || report.Percent >= 100 || len(report.Coverage[0].NotCovered) == 0 {
		t.Errorf("coverage %+v, %v percent", report.Coverage, report.Percent)
	}
	want := []policy.Rule{
		{File: "a.rego", Row: 6, Set: "deny", Code: "programs", Title: "No uploads of programs", Description: "Guests upload no programs."},
		{File: "a.rego", Row: 12, Set: "limit", Code: "max_size"},
	}
	if !slices.Equal(report.Rules, want) {
		t.Errorf("rules %+v", report.Rules)
	}
	if d.Revision() != before {
		t.Error("a check changed the rules in force")
	}
	failing, err := d.Check(t.Context(), policy.Rules{"a.rego": weekend, "a_test.rego": strings.Replace(weekendTest, "== 1", "== 2", 1)})
	if err != nil || failing.OK() || len(failing.Problems) != 0 || failing.Tests[0].Passed {
		t.Errorf("a failing test: %+v, %v", failing, err)
	}
	loose, err := d.Check(t.Context(), policy.Rules{"a.rego": "package pasteport.site\nlimit contains {\"name\":\"max_size\",\"value\":5}"})
	if err != nil || !loose.OK() || loose.Formatted["a.rego"] != "package pasteport.site\n\nlimit contains {\"name\": \"max_size\", \"value\": 5}\n" {
		t.Errorf("the usual form: %+v, %v", loose, err)
	}
}

func TestABrokenRuleNeverComesIntoForce(t *testing.T) {
	d := newDecider(t, Options{})
	id, err := d.Put(t.Context(), policy.Rules{"a.rego": weekend})
	if err != nil || id != d.Revision() {
		t.Fatal(id, err)
	}
	for name, rules := range map[string]policy.Rules{
		"does not parse":   {"a.rego": "package pasteport.site\n\ndeny contains {"},
		"fails its test":   {"a.rego": weekend, "a_test.rego": strings.Replace(weekendTest, "== 1", "== 2", 1)},
		"is no rule":       {"a.txt": "x"},
		"has another form": {"a.rego": "package pasteport.site\n\ndeny := true"},
	} {
		if _, err := d.Put(t.Context(), rules); ports.CodeOf(err) != ports.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if d.Revision() != id {
			t.Fatalf("%s: it came into force", name)
		}
	}
}

func TestExplainTellsWhyAndWhichRulesFired(t *testing.T) {
	d := newDecider(t, Options{})
	program := policy.Query{Who: guest, Do: policy.FileUpload, On: policy.Resource{Extension: "exe"}, Call: policy.Call{Time: time.Unix(1754467200, 0), ClientIP: "192.0.2.1"}}
	e, err := d.Explain(t.Context(), policy.Rules{"a.rego": weekend}, program, true)
	if err != nil || e.Failed != "" || e.Decision.Allow || len(e.Decision.Reasons) != 1 || e.Decision.Reasons[0].Code != "programs" {
		t.Fatalf("%+v, %v", e, err)
	}
	if len(e.Fired) != 2 || e.Fired[0].Code != "programs" || e.Fired[1].Code != "max_size" {
		t.Errorf("fired %+v", e.Fired)
	}
	if !strings.Contains(e.Trace, "a.rego:6") || !strings.Contains(string(e.Input), `"extension":"exe"`) {
		t.Errorf("trace %.200s\ninput %s", e.Trace, e.Input)
	}
	program.On.Extension = "txt"
	e, err = d.Explain(t.Context(), policy.Rules{"a.rego": weekend}, program, false)
	if err != nil || !e.Decision.Allow || e.Decision.Obligations.MaxSize != 1000 || len(e.Fired) != 1 || e.Trace != "" {
		t.Errorf("a text: %+v, %v", e, err)
	}
	e, err = d.Explain(t.Context(), nil, program, false)
	if err != nil || !e.Decision.Allow || e.Revision != d.Revision() || len(e.Fired) != 0 {
		t.Errorf("by the rules in force: %+v, %v", e, err)
	}
	again, err := QueryOf(e.Input)
	if err != nil || again.Who != program.Who || again.Do != program.Do || again.On.Extension != "txt" || !again.Call.Time.Equal(program.Call.Time) {
		t.Errorf("read back: %+v, %v", again, err)
	}
	endless := policy.Rules{"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if {\n\tsome a in numbers.range(1, 100000)\n\tsome b in numbers.range(1, 100000)\n\ta + b < 0\n}"}
	hasty := newDecider(t, Options{Timeout: time.Millisecond})
	if e, err := hasty.Explain(t.Context(), endless, program, false); err != nil || e.Failed == "" || e.Decision.Allow {
		t.Errorf("a rule without end: %+v, %v", e, err)
	}
}

func TestRescueLeavesOnlyMendingFromThisMachine(t *testing.T) {
	d := newDecider(t, Options{})
	if err := d.Rescue(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ip   string
		do   policy.Action
		want bool
	}{
		{"127.0.0.1", policy.PolicyWrite, true}, {"::1", policy.SessionOpen, true}, {"192.0.2.1", policy.PolicyWrite, false},
		{"127.0.0.1", policy.PasteList, false}, {"127.0.0.1", policy.KeysRead, false},
	} {
		ctx := policy.WithCall(t.Context(), &policy.Call{ClientIP: c.ip})
		got, err := d.Decide(ctx, admin, c.do, policy.Resource{})
		if err != nil || got.Allow != c.want {
			t.Errorf("%s from %s: %+v, %v", c.do, c.ip, got, err)
		}
	}
}

type records struct {
	mu  sync.Mutex
	all []policy.Record
}

func (r *records) Record(one policy.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

func TestRefusalsAndASampleOfTheRestAreRecorded(t *testing.T) {
	log := &records{}
	d := newDecider(t, Options{Record: log})
	ctx := policy.WithCall(t.Context(), &policy.Call{ClientIP: "192.0.2.1", RequestID: "r1"})
	refused, err := d.Decide(ctx, textKey, policy.KeysRead, policy.Resource{Kind: "key"})
	if err != nil || refused.Allow {
		t.Fatal(refused, err)
	}
	for range sampleEvery {
		if _, err := d.Decide(ctx, textKey, policy.PasteList, policy.Resource{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(log.all) != 2 {
		t.Fatalf("%d records, want the refusal and one of the rest", len(log.all))
	}
	one := log.all[0]
	if one.ID != refused.ID || one.Allow || one.Query.Do != policy.KeysRead || one.Query.Call.RequestID != "r1" || one.Reasons[0].Code != "permission_missing" || one.Time.IsZero() {
		t.Errorf("%+v", one)
	}
	if !log.all[1].Allow || log.all[1].Query.Do != policy.PasteList {
		t.Errorf("%+v", log.all[1])
	}
}

func TestRulesInShadowAreComparedAndHaveNoEffect(t *testing.T) {
	d := newDecider(t, Options{})
	if err := d.Shadow(t.Context(), policy.Rules{"a.rego": weekend}); err != nil {
		t.Fatal(err)
	}
	if err := d.Shadow(t.Context(), policy.Rules{"a.rego": "package"}); ports.CodeOf(err) != ports.Invalid || d.Shadowed().Revision == "" {
		t.Errorf("broken rules in shadow: %v", err)
	}
	for i := range 20 {
		got, err := d.Decide(t.Context(), guest, policy.FileUpload, policy.Resource{Extension: []string{"exe", "txt"}[i%2], Paths: []string{"/x"}})
		if err != nil || !got.Allow || got.Obligations.MaxSize != 0 {
			t.Fatalf("the shadow has an effect: %+v, %v", got, err)
		}
	}
	portstest.Eventually(t, func() bool { return d.Shadowed().Asked+d.Shadowed().Dropped == 20 })
	report := d.Shadowed()
	if report.Differ != 20 || len(report.Differences) != 2 {
		t.Fatalf("%+v", report)
	}
	refused := slices.IndexFunc(report.Differences, func(d policy.Difference) bool { return !d.Shadow })
	if one := report.Differences[max(refused, 0)]; refused < 0 || one.Count != 10 || !one.Allowed || !slices.Equal(one.Reasons, []string{"programs"}) || one.Path != "/x" || one.Name != "guest" {
		t.Errorf("%+v", report.Differences)
	}
	if err := d.Shadow(t.Context(), nil); err != nil || d.Shadowed().Revision != "" {
		t.Errorf("the shadow stays: %v", err)
	}
}

func TestExamplesAreRulesForThePanelToo(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	d := newDecider(t, Options{Usage: noUsageSource{}})
	for name, site := range exampleSites(t) {
		rules := policy.Rules{}
		for _, file := range slices.Sorted(maps.Keys(site)) {
			rules[file] = string(site[file].Data)
		}
		report, err := d.Check(t.Context(), rules)
		if err != nil || !report.OK() || len(report.Rules) == 0 || len(report.Tests) == 0 || report.Percent != 100 || len(report.Formatted) != 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		for _, r := range report.Rules {
			if r.Code == "" || r.Set == "deny" && r.Title == "" {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}
