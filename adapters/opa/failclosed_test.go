package opa

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// baseWith returns the shipped packages with one file replaced.
func baseWith(t *testing.T, name, text string) fstest.MapFS {
	t.Helper()
	base := fstest.MapFS{}
	for file, content := range shippedRego(t) {
		base[file] = &fstest.MapFile{Data: []byte(content)}
	}
	schema, err := fs.ReadFile(shipped(), "schemas/input.json")
	if err != nil {
		t.Fatal(err)
	}
	base["schemas/input.json"] = &fstest.MapFile{Data: schema}
	if name != "" {
		base[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return base
}

// authzWith returns a base whose decision says something else.
func authzWith(t *testing.T, text string) fstest.MapFS {
	t.Helper()
	return baseWith(t, "authz/decision.rego", "package pasteport.authz\n\n"+text)
}

func TestRulesThatDoNotCompileAreNotTaken(t *testing.T) {
	tooMany := strings.Repeat("deny contains {\"code\": \"x\", \"message\": \"\"} if input.subject.guest\n\n", maxSiteRules+1)
	for _, c := range []struct {
		name string
		base fs.FS
		site fs.FS
		says string
	}{
		{"no base", nil, nil, "no shipped rules"},
		{"an empty base", fstest.MapFS{}, nil, "missing"},
		{"no schema", func() fs.FS { b := baseWith(t, "", ""); delete(b, "schemas/input.json"); return b }(), nil, "schemas/input.json"},
		{"a broken schema", baseWith(t, "schemas/input.json", "{"), nil, "schemas/input.json"},
		{"a syntax error", shipped(), siteOf("deny contains {"), "rego_parse_error"},
		{"an unused variable", shipped(), siteOf("deny contains {\"code\": \"x\", \"message\": \"\"} if {\n\tx := 1\n}"), "assigned var x unused"},
		{"a misspelt field", shipped(), siteOf(`deny contains {"code": "x", "message": ""} if input.subject.gest`), "undefined ref"},
		{"a comparison of string and number", shipped(), siteOf(`deny contains {"code": "x", "message": ""} if input.subject.id == 3`), "rego_type_error"},
		{"a call to the network", shipped(), siteOf(`deny contains {"code": "x", "message": http.send({}).body}`), "undefined function http.send"},
		{"a look at the clock", shipped(), siteOf(`deny contains {"code": "x", "message": ""} if time.now_ns() > 1`), "undefined function time.now_ns"},
		{"another shape of deny", shipped(), siteOf(`deny := true`), "conflicting rules"},
		{"another package", shipped(), fstest.MapFS{"x.rego": {Data: []byte("package pasteport.permissions\n\ngranted if true\n")}}, "package pasteport.site"},
		{"a package that begins alike", shipped(), fstest.MapFS{"x.rego": {Data: []byte("package pasteport.sitemap\n\nx := 1\n")}}, "package pasteport.site"},
		{"too many rules", shipped(), siteOf(tooMany), "more than 500"},
		{"too much text", shipped(), siteOf("# " + strings.Repeat("x", maxSiteBytes)), "larger than allowed"},
		{"broken data", shipped(), fstest.MapFS{"data.json": {Data: []byte("[]")}}, "data.json"},
		{"a failing test", shipped(), fstest.MapFS{
			"rule_test.rego": {Data: []byte("package pasteport.site_test\n\ntest_it if false\n")},
		}, "test_it"},
		{"a test that ends in an error", shipped(), fstest.MapFS{
			"rule_test.rego": {Data: []byte("package pasteport.site_test\n\ntest_it if net.cidr_contains(\"x\", \"y\")\n")},
		}, "test_it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(t.Context(), Options{Base: c.base, Site: c.site})
			var e *ports.Error
			if !errors.As(err, &e) || e.Code != ports.Invalid || e.Key != "policy_invalid" {
				t.Fatalf("error %v, want policy_invalid", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
		})
	}
}

func TestRulesInForceStayWhenNewOnesAreNotTaken(t *testing.T) {
	site := siteOf(`deny contains {"code": "closed", "message": ""}`)
	d := newDecider(t, Options{Site: site, unchecked: true})
	before := d.Revision()
	site["rule.rego"] = &fstest.MapFile{Data: []byte("package pasteport.site\n\ndeny contains {")}
	if err := d.Reload(t.Context()); !ports.Is(err, ports.Invalid) {
		t.Fatalf("error %v", err)
	}
	got, err := d.Decide(t.Context(), admin, policy.PasteList, policy.Resource{})
	if err != nil || got.Allow || d.Revision() != before {
		t.Errorf("decision %+v (error %v) by revision %s, want a refusal by %s", got, err, d.Revision(), before)
	}
	delete(site, "rule.rego")
	if err := d.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Decide(t.Context(), admin, policy.PasteList, policy.Resource{}); err != nil || !got.Allow || d.Revision() == before {
		t.Errorf("decision %+v (error %v) by revision %s after the repair", got, err, d.Revision())
	}
}

// TestWithoutADecisionEverythingIsRefused drives every way in which an answer
// can fail to come, for visitors of shares included, before and after questions
// are worked out ahead; each one says so, and ends when the rules are repaired.
func TestWithoutADecisionEverythingIsRefused(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	const slow = `deny contains {"code": "slow", "message": ""} if {
	some i in numbers.range(1, 100000)
	some j in numbers.range(1, 100000)
	i * j == (input.context.time_ns * 0) - 1
}`
	const rest = `

granted if input.resource.size < 0

reasons contains {"code": "x", "message": "", "source": ""} if false

obligations := {}

scope := "own"
`
	granting := strings.Replace(rest, "input.resource.size < 0", "true", 1)
	denying := strings.Replace(rest, "if false", "if true", 1)
	for _, c := range []struct {
		name    string
		base    fs.FS
		site    fs.FS
		timeout time.Duration
		call    policy.Call
		says    string
	}{
		{name: "an undefined answer", base: authzWith(t, "allow if false"+rest), says: "undefined|without a reason"},
		{name: "allow is text", base: authzWith(t, `allow := "yes"`+rest), says: "allow|without a reason"},
		{name: "allow is a number", base: authzWith(t, `allow := 1`+rest), says: "allow|without a reason"},
		{name: "the scope is unknown", base: authzWith(t, "allow := true"+strings.Replace(granting, `"own"`, `"every"`, 1)), says: "scope"},
		{name: "the scope is a number", base: authzWith(t, "allow := true"+strings.Replace(granting, `"own"`, `1`, 1)), says: "scope"},
		{name: "the obligations are a set", base: authzWith(t, "allow := true"+strings.Replace(granting, "{}", "set()", 1)), says: "obligations"},
		{name: "the reasons are text", base: authzWith(t, "allow := false"+strings.Replace(rest, `reasons contains {"code": "x", "message": "", "source": ""} if false`, `reasons := "x"`, 1)), says: "reasons"},
		{name: "a reason is text", base: authzWith(t, "allow := false"+strings.Replace(denying, `{"code": "x", "message": "", "source": ""}`, `"x"`, 1)), says: "not an object"},
		{name: "a reason has no source", base: authzWith(t, "allow := false"+strings.Replace(denying, `, "source": ""`, "", 1)), says: "source"},
		{name: "a refusal without a code", site: siteOf(`deny contains {"code": "", "message": ""}`), says: "no code"},
		{name: "a message that is a number", site: siteOf(`deny contains {"code": "x", "message": 1}`), says: "message"},
		{name: "a message in a language that is a number", site: siteOf(`deny contains {"code": "x", "message": {"en": 1}}`), says: "message"},
		{name: "an unknown obligation", site: siteOf(`limit contains {"name": "max_weight", "value": 1}`), says: "max_weight"},
		{name: "a limit of text", site: siteOf(`limit contains {"name": "max_size", "value": "1"}`), says: "not a number"},
		{name: "a limit of zero", site: siteOf(`limit contains {"name": "max_size", "value": 0}`), says: "whole number from 1"},
		{name: "a limit below zero", site: siteOf(`limit contains {"name": "max_size", "value": -1}`), says: "whole number from 1"},
		{name: "a limit with a fraction", site: siteOf(`limit contains {"name": "max_size", "value": 1.5}`), says: "whole number from 1"},
		{name: "two values of one rule", site: siteOf("_x := 1 if input.context.tls == false\n\n_x := 2 if input.context.protocol == \"\"\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if _x > 2"), says: "conflict"},
		{name: "an error in a function", site: siteOf("import data.pasteport.lib\n\n" + `deny contains {"code": "x", "message": ""} if lib.client_in({"10.0.0.0/8"})`), call: policy.Call{ClientIP: "no address"}, says: "net.cidr_contains"},
		{name: "no answer in time", site: siteOf(slow), timeout: 20 * time.Millisecond, says: "cancel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.base == nil {
				c.base = shipped()
			}
			d := newDecider(t, Options{Base: c.base, Site: c.site, Timeout: c.timeout, unchecked: true})
			ctx := policy.WithCall(t.Context(), &c.call)
			for range 2 {
				for _, who := range []policy.Principal{policy.Nobody, admin, textKey} {
					got, err := d.Decide(ctx, who, policy.ShareView, policy.Resource{})
					var e *ports.Error
					if !errors.As(err, &e) || e.Code != ports.Unavailable || e.Key != "policy_unavailable" || got.Allow {
						t.Fatalf("%s: decision %+v, error %v, want policy_unavailable", who.Kind, got, err)
					}
					if !regexp.MustCompile(c.says).MatchString(err.Error()) {
						t.Errorf("error %q does not say %q", err, c.says)
					}
					waitForConclusion(t, d, question{who, policy.ShareView})
				}
			}
			d.base, d.timeout = shipped(), time.Minute
			if err := d.Activate(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Decide(ctx, policy.Nobody, policy.ShareView, policy.Resource{}); err != nil || !got.Allow {
				t.Errorf("after the repair: decision %+v, error %v", got, err)
			}
		})
	}
}

type panicking struct{}

func (panicking) Usage(context.Context, policy.Principal) (policy.Usage, error) {
	panic("broken counter")
}

func TestAPanicWhileDecidingIsARefusal(t *testing.T) {
	d := newDecider(t, Options{Site: exampleSites(t)["quotas"], Usage: panicking{}})
	_, err := d.Decide(t.Context(), mountKey, policy.MountList, policy.Resource{Paths: []string{"/team/a"}})
	if !ports.Is(err, ports.Unavailable) || !strings.Contains(err.Error(), "broken counter") {
		t.Errorf("error %v", err)
	}
}

func TestACallerWhoHasGoneGetsNoDecision(t *testing.T) {
	const slow = `deny contains {"code": "slow", "message": ""} if {
	some i in numbers.range(1, 100000)
	some j in numbers.range(1, 100000)
	i * j == (input.context.time_ns * 0) - 1
}`
	d := newDecider(t, Options{Site: siteOf(slow), unchecked: true})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := d.Decide(ctx, admin, policy.PasteList, policy.Resource{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("error %v", err)
	}
}

func TestARunawayRuleIsStoppedInTime(t *testing.T) {
	d := newDecider(t, Options{unchecked: true, Timeout: DefaultTimeout, Site: siteOf(`deny contains {"code": "slow", "message": ""} if {
	some i in numbers.range(1, 100000)
	some j in numbers.range(1, 100000)
	i * j == (input.context.time_ns * 0) - 1
}`)})
	// Left alone the rule would go on for hours.
	if _, err := d.Decide(t.Context(), admin, policy.PasteList, policy.Resource{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("error %v", err)
	}
}

func TestHiddenFilesAndOtherFilesAreLeftOut(t *testing.T) {
	broken := &fstest.MapFile{Data: []byte("no rego")}
	site := siteOf(`deny contains {"code": "closed", "message": ""}`)
	maps.Copy(site, fstest.MapFS{".git/x.rego": broken, ".x.rego": broken, "README.md": broken, "below/note.txt": broken})
	site["below/more.rego"] = &fstest.MapFile{Data: []byte("package pasteport.site.more\n\n_x := 1\n")}
	r, err := compile(t.Context(), shipped(), site)
	if err != nil {
		t.Fatal(err)
	}
	if r.siteRules != 2 {
		t.Errorf("%d rules, want 2", r.siteRules)
	}
}

func TestRevisionNamesTheTextOfTheRules(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	id := func(site fstest.MapFS) string {
		t.Helper()
		r, err := compile(t.Context(), shipped(), site)
		if err != nil {
			t.Fatal(err)
		}
		return r.id
	}
	rule := `deny contains {"code": "closed", "message": ""} if data.site.freeze`
	data := func(text string) fstest.MapFS {
		site := siteOf(rule)
		site["data.json"] = &fstest.MapFile{Data: []byte(text)}
		return site
	}
	if first, again := id(siteOf(rule)), id(siteOf(rule)); first != again {
		t.Errorf("the same rules are named %s and %s", first, again)
	}
	seen := map[string]bool{id(siteOf(rule)): true, id(nil): true, id(data(`{}`)): true, id(data(`{"freeze": true}`)): true}
	if len(seen) != 4 {
		t.Errorf("four sets of rules have %d names", len(seen))
	}
}
