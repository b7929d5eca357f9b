package opa

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/prometheus/client_golang/prometheus"

	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// TestMain makes the test binary what tries rules, as the product's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "try-rules" {
		if err := ServeTrial(context.Background(), shipped(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(portstest.RunWithoutLeaks(m))
}

// newDecider returns a Decider over the shipped rules that lives as long as the
// test, with time enough for a busy machine.
func newDecider(t *testing.T, o Options) *Decider {
	t.Helper()
	if o.Base == nil {
		o.Base = shipped()
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	d, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func siteOf(rego string) fstest.MapFS {
	return fstest.MapFS{"rule.rego": {Data: []byte("package pasteport.site\n\n" + rego)}}
}

// waitForConclusion waits until the background has worked a question out.
func waitForConclusion(t *testing.T, d *Decider, q question) conclusion {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if found, tried := d.current.Load().decisions.get(q); tried {
			return found
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the question was never worked out")
		case <-tick.C:
			d.fold(d.current.Load(), q)
		}
	}
}

// shippedValue evaluates a document of the shipped rules.
func shippedValue(t *testing.T, query string) ast.Value {
	t.Helper()
	d := newDecider(t, Options{})
	rules := d.current.Load()
	prepared, err := rules.query(rules.compiler, query).PrepareForEval(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	value, err := rules.eval(t.Context(), prepared, ast.NewObject(), newDeadline(t.Context(), d.timeout))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

var browserBit = regexp.MustCompile(`(?m)^\s+([A-Z][A-Z_]*): (\d+),$`)

// browserBits reads the lines NAME: bit of a TypeScript file.
func browserBits(source string) map[string]int64 {
	bits := map[string]int64{}
	for _, m := range browserBit.FindAllStringSubmatch(source, -1) {
		bits[m[1]], _ = strconv.ParseInt(m[2], 10, 64)
	}
	return bits
}

var (
	admin    = policy.Principal{Kind: policy.Admin, ID: "a1", Name: "admin", BasicPath: "/"}
	textKey  = policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "texts", Permissions: policy.PermText, BasicPath: "/"}
	mountKey = policy.Principal{Kind: policy.APIKey, ID: "k2", Permissions: policy.PermMountView, BasicPath: "/team/a"}
)

func TestPublicActionsOfVisitorsBecomeConstantByThemselves(t *testing.T) {
	d := newDecider(t, Options{})
	if len(d.current.Load().public) == 0 {
		t.Fatal("no public actions")
	}
	for _, do := range d.current.Load().public {
		found := waitForConclusion(t, d, question{policy.Nobody, do})
		if found.constant == nil || !found.constant.Allow {
			t.Errorf("%s is not constant", do)
		}
	}
}

func TestAnswersBecomeConstantAfterTheFirstRequest(t *testing.T) {
	d := newDecider(t, Options{})
	for _, c := range []struct {
		name     string
		who      policy.Principal
		do       policy.Action
		constant bool
		rest     bool
	}{
		{"a key creates a paste", textKey, policy.PasteCreate, true, false},
		{"a key may not upload", textKey, policy.FileUpload, true, false},
		{"a key changes a paste", textKey, policy.PasteUpdate, false, true},
		{"a key lists a folder", mountKey, policy.MountList, false, true},
		{"the admin lists a folder", admin, policy.MountList, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := d.Decide(t.Context(), c.who, c.do, policy.Resource{}); err != nil {
				t.Fatal(err)
			}
			found := waitForConclusion(t, d, question{c.who, c.do})
			if (found.constant != nil) != c.constant || (found.rest != nil) != c.rest {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestFindingsAreBounded(t *testing.T) {
	f := newDecisionCache()
	for i := range maxConclusions + 100 {
		f.put(question{policy.Principal{ID: strconv.Itoa(i)}, policy.PasteList}, conclusion{})
	}
	if got := len(f.known); got != maxConclusions {
		t.Errorf("%d conclusions are kept, want %d", got, maxConclusions)
	}
	last := question{policy.Principal{ID: strconv.Itoa(maxConclusions + 99)}, policy.PasteList}
	if _, kept := f.get(last); !kept {
		t.Error("the newest conclusion is not kept")
	}
}

func TestReasonsNameTheBuiltInRuleFirst(t *testing.T) {
	d := newDecider(t, Options{Site: siteOf(`deny contains {"code": "a_closed", "message": {"en": "Closed.", "zh-CN": "关闭"}} if input.subject.type == "apikey"`)})
	got, err := d.Decide(t.Context(), mountKey, policy.MountUpload, policy.Resource{Paths: []string{"/team/ab"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Reason{
		{Code: "permission_missing", Message: map[string]string{"": "The key lacks the permission for this action."}},
		{Code: "outside_basic_path", Message: map[string]string{"": "The path lies outside the folder of the key."}},
		{Code: "a_closed", Message: map[string]string{"en": "Closed.", "zh-CN": "关闭"}, Source: "site"},
	}
	if diff := cmp.Diff(want, got.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if got.Allow || got.ID == "" || got.Obligations != (policy.Obligations{}) {
		t.Errorf("the refusal is %+v", got)
	}
}

func TestObligationsReachTheCaller(t *testing.T) {
	d := newDecider(t, Options{Site: siteOf(`limit contains {"name": "max_size", "value": 30}

limit contains {"name": "max_size", "value": 20}

limit contains {"name": "rate_per_minute", "value": 1}

limit contains {"name": "share_max_age", "value": 2}

limit contains {"name": "share_max_views", "value": 3}

limit contains {"name": "list_limit", "value": 4}

limit contains {"name": "link_expires", "value": 5}
`)})
	want := policy.Obligations{MaxSize: 20, RatePerMinute: 1, ShareMaxAge: 2, ShareMaxViews: 3, ListLimit: 4, LinkExpires: 5}
	for range 2 { // evaluated, then constant
		got, err := d.Decide(t.Context(), textKey, policy.PasteCreate, policy.Resource{})
		if err != nil || got.Obligations != want {
			t.Errorf("obligations %+v (error %v), want %+v", got.Obligations, err, want)
		}
		waitForConclusion(t, d, question{textKey, policy.PasteCreate})
	}
}

func TestCheckTurnsRefusalsIntoErrors(t *testing.T) {
	d := newDecider(t, Options{})
	for _, c := range []struct {
		name string
		who  policy.Principal
		do   policy.Action
		on   policy.Resource
		code ports.Code
		key  string
	}{
		{"a visitor", policy.Nobody, policy.PasteCreate, policy.Resource{}, ports.Unauthenticated, "unauthenticated"},
		{"a key without the bit", textKey, policy.FileUpload, policy.Resource{}, ports.Forbidden, "permission_denied"},
		{"a key outside its folder", mountKey, policy.MountRead, policy.Resource{Paths: []string{"/x"}}, ports.Forbidden, "path_forbidden"},
		{"a key and the paste of another", textKey, policy.PasteDelete, policy.Resource{Owner: "apikey:k9"}, ports.Forbidden, "not_owner"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := policy.Check(t.Context(), d, c.who, c.do, c.on)
			var e *ports.Error
			if !errors.As(err, &e) || e.Code != c.code || e.Key != c.key {
				t.Errorf("error %v, want code %d and key %s", err, c.code, c.key)
			}
		})
	}
}

// logBook collects log records as they come.
type logBook struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *logBook) records(t *testing.T, message string) (found []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if record["msg"] == message {
			found = append(found, record)
		}
	}
	return found
}

func TestForeseeingAgreesWithDecidingAndLeavesNoTrace(t *testing.T) {
	var book logBook
	d := newDecider(t, Options{Logger: slog.New(slog.NewJSONHandler(&book, nil)), Site: siteOf(`deny contains {"code": "night", "message": "x"} if input.action == "file.upload"

limit contains {"name": "rate_per_minute", "value": 1} if input.action == "paste.create"
`)})
	foreseen := map[policy.Action]bool{}
	actions := []policy.Action{policy.PasteCreate, policy.FileUpload, policy.KeysWrite, policy.SiteRead, policy.MountList}
	for range 200 { // more than the log leaves out
		for _, do := range actions {
			would, err := d.Would(t.Context(), textKey, do, policy.Resource{Kind: "x", Paths: []string{"/"}})
			if err != nil {
				t.Fatal(err)
			}
			foreseen[do] = would.Allow
		}
	}
	if n := len(book.records(t, "policy denied")) + len(book.records(t, "policy allowed")); n != 0 {
		t.Errorf("%d records", n)
	}
	for _, do := range actions {
		got, err := d.Decide(t.Context(), textKey, do, policy.Resource{Kind: "x", Paths: []string{"/"}})
		if err != nil || got.Allow != foreseen[do] {
			t.Errorf("%s: decided %t, %v; foreseen %t", do, got.Allow, err, foreseen[do])
		}
	}
	if !foreseen[policy.PasteCreate] || foreseen[policy.FileUpload] || foreseen[policy.KeysWrite] {
		t.Errorf("foreseen %v", foreseen)
	}
}

func TestRefusalsAreLoggedWithTheirID(t *testing.T) {
	var book logBook
	d := newDecider(t, Options{Logger: slog.New(slog.NewJSONHandler(&book, nil))})
	ctx := policy.WithCall(t.Context(), &policy.Call{RequestID: "r7"})
	ids := map[string]bool{}
	for range 3 {
		got, err := d.Decide(ctx, textKey, policy.FileUpload, policy.Resource{Kind: "file"})
		if err != nil {
			t.Fatal(err)
		}
		ids[got.ID] = true
		waitForConclusion(t, d, question{textKey, policy.FileUpload})
	}
	records := book.records(t, "policy denied")
	if len(ids) != 3 || len(records) != 3 {
		t.Fatalf("%d ids and %d records, want 3 of each", len(ids), len(records))
	}
	for _, r := range records {
		if took, _ := r["took"].(float64); took <= 0 || !ids[r["decision_id"].(string)] {
			t.Errorf("record %v", r)
		}
		delete(r, "took")
		delete(r, "decision_id")
		delete(r, "time")
		want := map[string]any{"level": "INFO", "msg": "policy denied", "action": "file.upload", "principal": "apikey", "principal_id": "k1",
			"kind": "file", "reasons": []any{"permission_missing"}, "revision": d.Revision(), "request_id": "r7"}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
}

func TestOneAllowedRequestInAHundredIsLogged(t *testing.T) {
	var book logBook
	d := newDecider(t, Options{Logger: slog.New(slog.NewJSONHandler(&book, nil))})
	for range 250 {
		if _, err := d.Decide(t.Context(), textKey, policy.PasteCreate, policy.Resource{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(book.records(t, "policy allowed")); got != 2 {
		t.Errorf("%d of 250 requests are logged, want 2", got)
	}
}

func TestDecisionsAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	d := newDecider(t, Options{Metrics: registry})
	ask := func(who policy.Principal, do policy.Action) {
		t.Helper()
		if _, err := d.Decide(t.Context(), who, do, policy.Resource{}); err != nil {
			t.Fatal(err)
		}
	}
	waitForConclusion(t, d, question{policy.Nobody, policy.ShareView})
	ask(policy.Nobody, policy.ShareView)
	ask(policy.Nobody, policy.PasteCreate)
	ask(mountKey, policy.MountsRead)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := strings.TrimPrefix(family.GetName(), "pasteport_policy_")
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			got[name] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	want := map[string]float64{
		"activations_total outcome=ok":                1,
		"decisions_total evaluated=no outcome=allow":  1,
		"decisions_total evaluated=yes outcome=allow": 1,
		"decisions_total evaluated=yes outcome=deny":  1,
		"decisions_total evaluated=yes outcome=error": 0,
		"evaluation_duration_seconds":                 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

type counted struct {
	used policy.Usage
	err  error
}

func (c counted) Usage(context.Context, policy.Principal) (policy.Usage, error) {
	return c.used, c.err
}

func TestQuotaRulesReadTheCounters(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	site := exampleSites(t)["quotas"]
	key := policy.Principal{Kind: policy.APIKey, ID: "k1", Permissions: policy.PermMountUpload, BasicPath: "/"}
	for _, c := range []struct {
		name string
		used counted
		want string
	}{
		{"within", counted{used: policy.Usage{BytesToday: 1000}}, "allow"},
		{"used up", counted{used: policy.Usage{BytesToday: 2 << 30}}, "daily_quota"},
		{"not counted", counted{err: errors.New("no counter")}, "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDecider(t, Options{Site: site, Usage: c.used})
			for range 2 { // before and after the question is worked out
				got, err := d.Decide(t.Context(), key, policy.MountUpload, policy.Resource{Paths: []string{"/x"}, Size: 1})
				answer := "allow"
				if err != nil {
					answer = "error"
				} else if !got.Allow {
					answer = got.Reasons[0].Code
				}
				if answer != c.want {
					t.Errorf("answer %s (error %v), want %s", answer, err, c.want)
				}
				waitForConclusion(t, d, question{key, policy.MountUpload})
			}
		})
	}
}

func TestRulesOnUsageNeedACounter(t *testing.T) {
	for name, site := range map[string]fstest.MapFS{
		"the field":       siteOf(`deny contains {"code": "x", "message": ""} if input.subject.usage.bytes_today > 1`),
		"the whole":       siteOf(`deny contains {"code": "x", "message": ""} if count(input.subject) > 100`),
		"an import":       siteOf("import input.subject as caller\n\n" + `deny contains {"code": "x", "message": ""} if caller.usage.bytes_today > 1`),
		"a computed name": siteOf(`deny contains {"code": "x", "message": ""} if input.subject[input.resource.name] == "x"`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), Options{Base: shipped(), Site: site})
			if !ports.Is(err, ports.Invalid) || !strings.Contains(err.Error(), "usage") {
				t.Errorf("error %v", err)
			}
		})
	}
}
