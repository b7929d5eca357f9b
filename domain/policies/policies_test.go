package policies_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/domain/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// engine takes a file for what it says: "bad" does not compile, "lock" refuses
// to change the policy.
type engine struct {
	inForce, shadow policy.Rules
	rescued         bool
	before          policy.Rules
	failing         string
	checked         func() // after rules were looked at; nil: nothing
}

func (e *engine) Revision() string { return e.inForce["a.rego"] }

func (e *engine) Check(_ context.Context, rules policy.Rules) (policy.Report, error) {
	if e.checked != nil {
		e.checked()
	}
	report := policy.Report{Revision: rules["a.rego"], Rules: []policy.Rule{{Set: "deny", Code: "x"}}}
	if strings.Contains(rules["a.rego"], "bad") {
		report.Problems = []policy.Problem{{File: "a.rego", Row: 1, Message: "bad"}}
	}
	return report, nil
}

func (e *engine) Put(ctx context.Context, rules policy.Rules) (string, error) {
	if report, _ := e.Check(ctx, rules); !report.OK() {
		return "", &ports.Error{Code: ports.Invalid, Key: "policy_invalid"}
	}
	e.inForce, e.rescued = rules, false
	return e.Revision(), nil
}

func (e *engine) Rescue(context.Context) error { e.rescued = true; return nil }

func (e *engine) Explain(_ context.Context, rules policy.Rules, q policy.Query, _ bool) (policy.Explanation, error) {
	if rules == nil {
		rules = e.inForce
	}
	if rules["a.rego"] == "breaking" && q.On.Name == "breaks" {
		return policy.Explanation{Failed: "an odd name"}, nil
	}
	if rules["a.rego"] == "shut" && q.Who.Kind == policy.APIKey {
		return policy.Explanation{Decision: policy.Decision{Reasons: []policy.Reason{{Code: "shut"}}}}, nil
	}
	if rules["a.rego"] == "small" {
		return policy.Explanation{Decision: policy.Decision{Allow: true, Obligations: policy.Obligations{MaxSize: 100, ListLimit: 5}}}, nil
	}
	if rules["a.rego"] == "lock" && q.Do == policy.PolicyWrite {
		return policy.Explanation{Decision: policy.Decision{Reasons: []policy.Reason{{Code: "locked"}}}}, nil
	}
	return policy.Explanation{Decision: policy.Decision{Allow: true}, Input: []byte(q.Who.Name)}, nil
}

func (e *engine) Foresee(ctx context.Context, rules policy.Rules, queries []policy.Query) (all []policy.Explanation, _ error) {
	for _, q := range queries {
		one, err := e.Explain(ctx, rules, q, false)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (e *engine) Failing() string { return e.failing }

func (e *engine) Back() bool {
	if e.before == nil {
		return false
	}
	e.inForce, e.before, e.failing = e.before, nil, ""
	return true
}

func (e *engine) Shadow(_ context.Context, rules policy.Rules) error { e.shadow = rules; return nil }
func (e *engine) Shadowed() policy.ShadowReport                      { return policy.ShadowReport{} }

// memory is both repositories, and undoes the state with its unit.
type memory struct {
	revisions map[string]policies.Revision
	state     policies.State
	lines     []policies.Line
	hits      map[string]policies.Hits
}

func (m *memory) Insert(_ context.Context, r *policies.Revision, _ int) error {
	r.Number = len(m.revisions) + 1
	m.revisions[r.ID] = *r
	return nil
}

func (m *memory) Get(_ context.Context, id string) (*policies.Revision, error) {
	r, ok := m.revisions[id]
	if !ok {
		return nil, ports.ErrNotFound
	}
	return &r, nil
}

func (m *memory) List(context.Context) (all []policies.Revision, _ error) {
	for r := range maps.Values(m.revisions) {
		all = append(all, r)
	}
	return all, nil
}

func (m *memory) Do(ctx context.Context, work func(context.Context) error) error {
	before := m.state
	err := work(ctx)
	if err != nil {
		m.state = before
	}
	return err
}

func (m *memory) State(context.Context) (policies.State, error) { return m.state, nil }

func (m *memory) SetState(_ context.Context, s policies.State) error {
	if s.Version != m.state.Version+1 {
		return ports.ErrConflict
	}
	m.state = s
	return nil
}

type logMemory struct{ *memory }

func (m logMemory) Insert(_ context.Context, lines []policies.Line, refused map[string]policies.Hits) error {
	m.lines = append(m.lines, lines...)
	maps.Copy(m.hits, refused)
	return nil
}

func (m logMemory) Get(_ context.Context, id string) (*policies.Line, error) {
	for _, l := range m.lines {
		if l.ID == id {
			return &l, nil
		}
	}
	return nil, ports.ErrNotFound
}

func (m logMemory) List(context.Context, policies.LineFilter) ([]policies.Line, error) {
	return slices.Clone(m.lines), nil
}

func (m logMemory) Hits(context.Context, time.Time) (all []policies.Hits, _ error) {
	for code, h := range m.hits {
		h.Code = code
		all = append(all, h)
	}
	return all, nil
}

func (m logMemory) DeleteOld(context.Context, time.Time, int) (int, error) { return 0, nil }

// adminOnly lets administrators do what the rules in force of the engine allow.
type adminOnly struct{ engine *engine }

func (d adminOnly) Decide(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	e, err := d.engine.Explain(ctx, nil, policy.Query{Who: who, Do: do, On: on}, false)
	return policy.Decision{Allow: e.Decision.Allow && who.Kind == policy.Admin}, err
}

type someKeys struct{}

func (someKeys) Principal(_ context.Context, id string) (policy.Principal, error) {
	if id != "k1" {
		return policy.Principal{}, ports.ErrNotFound
	}
	return policy.Principal{Kind: policy.APIKey, ID: id, Name: "ci"}, nil
}

func (k someKeys) Principals(ctx context.Context) ([]policy.Principal, error) {
	one, err := k.Principal(ctx, "k1")
	return []policy.Principal{one}, err
}

type world struct {
	*policies.Policies
	engine *engine
	memory *memory
	clock  *portstest.Clock
	log    *policies.Log

	noted, reported []string
}

var ada = policy.Principal{Kind: policy.Admin, ID: "1", Name: "ada"}

func newWorld(t *testing.T, folder string) *world {
	t.Helper()
	w := &world{engine: &engine{inForce: policy.Rules{}}, clock: portstest.NewClock(),
		memory: &memory{revisions: map[string]policies.Revision{}, state: policies.State{Active: policies.None}, hits: map[string]policies.Hits{}}}
	random := &portstest.Random{}
	w.log = policies.NewLog(logMemory{w.memory}, random, w.clock, func(q policy.Query) ([]byte, error) { return []byte(q.Call.ClientIP), nil })
	w.Policies = policies.New(policies.Deps{Repository: w.memory, Log: w.log, Work: w.memory, Engine: w.engine, Bundles: plainBundles{}, Decider: adminOnly{w.engine}, Keys: someKeys{},
		Invalidation: &portstest.Invalidation{}, Clock: w.clock, Random: random, Folder: folder, FolderRules: func() (policy.Rules, error) { return policy.Rules{"a.rego": "folder"}, nil },
		Note: func(_ context.Context, action, target string) error {
			w.noted = append(w.noted, action+" "+target)
			return nil
		},
		Report: func(doing string, err error) { w.reported = append(w.reported, doing+": "+err.Error()) },
		Question: func(document []byte) (policy.Query, error) {
			return policy.Query{Who: policy.Principal{Kind: policy.APIKey, ID: "k1"}, Do: policy.FileUpload, On: policy.Resource{Name: string(document)}}, nil
		}})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) save(t *testing.T, text string) string {
	t.Helper()
	r, err := w.Save(t.Context(), ada, policy.Rules{"a.rego": text}, " why ")
	if err != nil || r.Note != "why" {
		t.Fatal(r, err)
	}
	return r.ID
}

func wantKey(t *testing.T, what string, err error, key string) {
	t.Helper()
	e, ok := err.(*ports.Error)
	if !ok || e.Key != key {
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}

func TestOnlyGoodRulesAreSavedAndPutInForce(t *testing.T) {
	w := newWorld(t, "")
	_, err := w.Save(t.Context(), ada, policy.Rules{"a.rego": "bad"}, "")
	wantKey(t, "broken rules", err, "policy_invalid")
	_, err = w.Save(t.Context(), ada, policy.Rules{}, "")
	wantKey(t, "no rules", err, "invalid_argument")
	_, err = w.Save(t.Context(), ada, policy.Rules{"a.rego": "x"}, strings.Repeat("说", 501))
	wantKey(t, "a long note", err, "invalid_argument")
	id := w.save(t, "one")
	if w.engine.Revision() != "" {
		t.Error("saving has put the rules in force")
	}
	state, err := w.Activate(t.Context(), ada, policies.Activation{ID: id})
	if err != nil || w.engine.Revision() != "one" || state.Active != id || state.Previous != policies.None || w.memory.state != state {
		t.Error(state, err)
	}
	_, err = w.Activate(t.Context(), ada, policies.Activation{ID: "nowhere"})
	wantKey(t, "an unknown revision", err, "not_found")
	if state, err := w.Activate(t.Context(), ada, policies.Activation{ID: policies.None}); err != nil || state.Previous != id || w.engine.Revision() != "" {
		t.Error("back to the shipped rules:", state, err)
	}
	for name, err := range map[string]error{
		"save": func() error {
			_, err := w.Save(t.Context(), policy.Nobody, policy.Rules{"a.rego": "x"}, "")
			return err
		}(),
		"activate": func() error {
			_, err := w.Activate(t.Context(), policy.Nobody, policies.Activation{ID: id})
			return err
		}(),
		"overview": func() error { _, err := w.Overview(t.Context(), policy.Nobody); return err }(),
		"decision": func() error { _, err := w.Decision(t.Context(), policy.Nobody, "x"); return err }(),
		"explain":  func() error { _, err := w.Explain(t.Context(), policy.Nobody, policies.Test{}); return err }(),
	} {
		if ports.CodeOf(err) != ports.Unauthenticated {
			t.Errorf("a visitor may %s: %v", name, err)
		}
	}
}

func TestARevisionThatGoesWhileItIsCheckedDoesNotComeIntoUse(t *testing.T) {
	w := newWorld(t, "")
	for what, use := range map[string]func(id string) error{
		"activate": func(id string) error { _, err := w.Activate(t.Context(), ada, policies.Activation{ID: id}); return err },
		"shadow":   func(id string) error { return w.Shadow(t.Context(), ada, id) },
	} {
		id := w.save(t, "one")
		w.engine.checked = func() { delete(w.memory.revisions, id) } // others have saved twenty more
		wantKey(t, what, use(id), "not_found")
		if w.engine.checked = nil; w.memory.state != (policies.State{Active: policies.None}) {
			t.Errorf("%s: %+v", what, w.memory.state)
		}
	}
}

func TestRulesThatLockTheirAuthorOutGoBackByThemselves(t *testing.T) {
	w := newWorld(t, "")
	good, locking := w.save(t, "good"), w.save(t, "lock")
	if _, err := w.Activate(t.Context(), ada, policies.Activation{ID: good}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Activate(t.Context(), ada, policies.Activation{ID: locking})
	wantKey(t, "for good", err, "policy_lockout")
	if e := err.(*ports.Error); e.Reason != "locked" || w.engine.Revision() != "good" {
		t.Error(e.Reason, w.engine.Revision())
	}
	if _, err := w.Activate(t.Context(), ada, policies.Activation{ID: locking, Trial: policies.TrialTime}); err != nil || w.engine.Revision() != "lock" {
		t.Fatal(err)
	}
	if _, err := w.Confirm(t.Context(), ada); ports.CodeOf(err) != ports.Forbidden {
		t.Errorf("the one who is locked out confirms: %v", err)
	}
	w.clock.Add(policies.TrialTime - time.Second)
	if err := w.EndTrials(t.Context()); err != nil || w.engine.Revision() != "lock" {
		t.Error("it went back too early", err)
	}
	w.clock.Add(time.Second)
	if err := w.EndTrials(t.Context()); err != nil || w.engine.Revision() != "good" || w.memory.state.Trial() {
		t.Error("it did not go back:", w.memory.state, err)
	}
	_, err = w.Activate(t.Context(), ada, policies.Activation{ID: good, Trial: time.Second})
	wantKey(t, "a trial of a second", err, "invalid_argument")
}

func TestATrialThatIsConfirmedStays(t *testing.T) {
	w := newWorld(t, "")
	if _, err := w.Confirm(t.Context(), ada); err == nil {
		t.Error("nothing is on trial")
	}
	a, b := w.save(t, "a"), w.save(t, "b")
	for _, id := range []string{a, b} { // a trial after a trial goes back to what was confirmed
		if _, err := w.Activate(t.Context(), ada, policies.Activation{ID: id, Trial: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	if w.memory.state.Previous != policies.None {
		t.Errorf("it would go back to %q", w.memory.state.Previous)
	}
	if _, err := w.Confirm(t.Context(), ada); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour)
	if err := w.EndTrials(t.Context()); err != nil || w.engine.Revision() != "b" {
		t.Error(w.engine.Revision(), err)
	}
}

func TestAnotherNodeTakesOverAndAStoredRuleThatBreaksLeavesOnlyMending(t *testing.T) {
	w := newWorld(t, "")
	id := w.save(t, "one")
	w.memory.state = policies.State{Version: 1, Active: id, Shadow: id} // by another node
	if err := w.Reload(t.Context()); err != nil || w.engine.Revision() != "one" || w.engine.shadow["a.rego"] != "one" {
		t.Error(w.engine.Revision(), err)
	}
	w.memory.revisions["old"] = policies.Revision{ID: "old", Rules: policy.Rules{"a.rego": "bad"}}
	w.memory.state = policies.State{Version: 2, Active: "old"}
	if err := w.Reload(t.Context()); err == nil || w.engine.Revision() != "one" || w.engine.rescued {
		t.Error("broken rules while running:", w.engine.Revision(), err)
	}
	again := policies.New(policies.Deps{Repository: w.memory, Log: w.log, Work: w.memory, Engine: w.engine, Decider: adminOnly{w.engine},
		Invalidation: &portstest.Invalidation{}, Clock: w.clock, Random: &portstest.Random{}})
	if err := again.Start(t.Context()); err != nil || !w.engine.rescued {
		t.Error("broken rules at the start:", err)
	}
	if o, err := again.Overview(t.Context(), ada); err != nil || o.Broken == "" {
		t.Error(o.Broken, err)
	}
	if _, err := again.Activate(t.Context(), ada, policies.Activation{ID: policies.None}); err != nil || w.engine.rescued {
		t.Error("mending:", err)
	}
	if err := again.Shadow(t.Context(), ada, id); err != nil || w.engine.shadow == nil {
		t.Error(err)
	}
	if err := again.Reset(t.Context()); err != nil || w.memory.state.Active != policies.None || w.memory.state.Shadow != "" {
		t.Error(w.memory.state, err)
	}
}

func TestRulesOfAFolderAreNotChangedHere(t *testing.T) {
	w := newWorld(t, "/etc/rules")
	o, err := w.Overview(t.Context(), ada)
	if err != nil || o.Folder == "" || o.Rules["a.rego"] != "folder" {
		t.Error(o, err)
	}
	_, err = w.Save(t.Context(), ada, policy.Rules{"a.rego": "x"}, "")
	wantKey(t, "save", err, "policy_read_only")
	_, err = w.Activate(t.Context(), ada, policies.Activation{ID: policies.None})
	wantKey(t, "activate", err, "policy_read_only")
	wantKey(t, "shadow", w.Shadow(t.Context(), ada, ""), "policy_read_only")
	hash, packed, err := w.Pack(t.Context(), ada, policies.InForce)
	if err != nil || string(packed) != hash+" folder" {
		t.Errorf("the rules of the folder as a bundle: %q %v", packed, err)
	}
}

func TestBundlesAreForThoseWhoMayReadTheRules(t *testing.T) {
	w := newWorld(t, "")
	r, err := w.Save(t.Context(), ada, policy.Rules{"a.rego": "x"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if hash, packed, err := w.Pack(t.Context(), ada, r.ID); err != nil || hash != r.Hash || string(packed) != r.Hash+" x" {
		t.Errorf("a revision: %q %q %v", hash, packed, err)
	}
	if rules, err := w.Unpack(t.Context(), ada, strings.NewReader("y")); err != nil || rules["a.rego"] != "y" {
		t.Errorf("a bundle: %q %v", rules, err)
	}
	_, _, err = w.Pack(t.Context(), ada, "none such")
	wantKey(t, "no revision", err, "not_found")
	visitor := policy.Principal{Kind: policy.Anonymous}
	for _, id := range []string{r.ID, policies.InForce} {
		if _, packed, err := w.Pack(t.Context(), visitor, id); ports.CodeOf(err) != ports.Unauthenticated || packed != nil {
			t.Errorf("a visitor gets %s: %q %v", id, packed, err)
		}
	}
	if rules, err := w.Unpack(t.Context(), visitor, strings.NewReader("y")); ports.CodeOf(err) != ports.Unauthenticated || rules != nil {
		t.Errorf("a visitor reads a bundle: %q %v", rules, err)
	}
}

// plainBundles hold the one file a.rego.
type plainBundles struct{}

func (plainBundles) Pack(revision string, rules policy.Rules) ([]byte, error) {
	return []byte(revision + " " + rules["a.rego"]), nil
}

func (plainBundles) Unpack(packed io.Reader) (policy.Rules, error) {
	text, err := io.ReadAll(packed)
	return policy.Rules{"a.rego": string(text)}, err
}

func TestQuestionsAreAnsweredForAKey(t *testing.T) {
	w := newWorld(t, "")
	_, err := w.Explain(t.Context(), ada, policies.Test{KeyID: "k1"})
	wantKey(t, "no action", err, "invalid_argument")
	_, err = w.Explain(t.Context(), ada, policies.Test{KeyID: "k9", Query: policy.Query{Do: policy.FileList}})
	wantKey(t, "no such key", err, "not_found")
	e, err := w.Explain(t.Context(), ada, policies.Test{KeyID: "k1", Query: policy.Query{Do: policy.FileList}})
	if err != nil || string(e.Input) != "ci" {
		t.Error(e, err)
	}
	key, can, err := w.Abilities(t.Context(), ada, "k1", func(key policy.Principal) ([]policy.Query, error) {
		return []policy.Query{{Do: policy.FileList}, {Do: policy.PolicyWrite, Who: ada}}, nil
	})
	if err != nil || key.Name != "ci" || len(can) != 2 || !can[0].Allow || can[0].Do != policy.FileList || can[1].Who.Name != "ci" {
		t.Error(key, can, err)
	}
	if _, _, err := w.Abilities(t.Context(), ada, "nobody", nil); !ports.Is(err, ports.NotFound) {
		t.Error(err)
	}
	all, err := w.Who(t.Context(), ada, policy.Query{Do: policy.FileList})
	if err != nil || len(all) != 1 || !all[0].Allow {
		t.Error(all, err)
	}
}

func TestTheLogKeepsAPartOfTheAddressCountsHitsAndIsBounded(t *testing.T) {
	w := newWorld(t, "")
	refused := policy.Record{ID: "d1", Time: w.clock.Now(), Reasons: []policy.Reason{{Code: "x", Source: "site"}}, Query: policy.Query{Call: policy.Call{ClientIP: "192.0.2.77"}, On: policy.Resource{Paths: []string{"/p"}}}}
	for range 150 {
		w.log.Record(refused)
	}
	if w.log.Dropped() != 50 {
		t.Errorf("%d lines were left out", w.log.Dropped())
	}
	line, err := w.Decision(t.Context(), ada, "d1")
	if err != nil || line.ClientIP != "192.0.2.0" || string(line.Input) != "192.0.2.0" || line.Path != "/p" || line.Codes[0] != "site:x" {
		t.Error(line, err)
	}
	id := w.log.Refused(policy.Query{Call: policy.Call{ClientIP: "2001:db8:1:2::3"}}, "not_owner")
	if line, err = w.Decision(t.Context(), ada, id); err != nil || line.Codes[0] != "server:not_owner" || line.ClientIP != "2001:db8:1::" {
		t.Error(line, err)
	}
	rules, err := w.RulesInForce(t.Context(), ada)
	if err != nil || len(rules) != 1 || rules[0].Hits.Day != 150 {
		t.Error(rules, err)
	}
	if _, err := w.Decision(t.Context(), ada, "nowhere"); !ports.Is(err, ports.NotFound) {
		t.Error(err)
	}
}

func TestRulesThatFailInForceAreLetGo(t *testing.T) {
	w := newWorld(t, "")
	good, bad := w.save(t, "good"), w.save(t, "fails in force")
	for _, id := range []string{good, bad} {
		if _, err := w.Activate(t.Context(), ada, policies.Activation{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.PutBack(t.Context()); err != nil || w.engine.Revision() != "fails in force" {
		t.Fatalf("%s, %v", w.engine.Revision(), err)
	}
	w.engine.failing = "limit x rule.rego:3:1 the limit x is unknown"
	if err := w.PutBack(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, err := w.Overview(t.Context(), ada)
	if err != nil || o.State.Active != good || w.engine.Revision() != "good" || o.State.Failed != w.engine.failing || o.State.ChangedBy != "" {
		t.Errorf("%+v, %v", o.State, err)
	}
	if !slices.Equal(w.noted, []string{"policy.put_back " + bad}) || len(w.reported) != 1 || !strings.Contains(w.reported[0], "the limit x is unknown") {
		t.Errorf("noted %q, reported %q", w.noted, w.reported)
	}
	w.engine.failing = ""
	if _, err := w.Activate(t.Context(), ada, policies.Activation{ID: good}); err != nil {
		t.Fatal(err)
	}
	if o, _ := w.Overview(t.Context(), ada); o.State.Failed != "" {
		t.Errorf("the notice stays: %+v", o.State)
	}
}

func TestRulesOfTheFolderThatFailInForceAreLetGo(t *testing.T) {
	w := newWorld(t, "/etc/rules")
	w.engine.inForce, w.engine.before, w.engine.failing = policy.Rules{"a.rego": "new"}, policy.Rules{"a.rego": "old"}, "why"
	if err := w.PutBack(t.Context()); err != nil || w.engine.Revision() != "old" || len(w.noted) != 1 {
		t.Errorf("%s, %v, %q", w.engine.Revision(), err, w.noted)
	}
	if o, err := w.Overview(t.Context(), ada); err != nil || o.State.Failed != "why" {
		t.Errorf("%+v, %v", o.State, err)
	}
	w.engine.failing = "again" // and nothing is left to go back to
	for range 3 {
		if err := w.PutBack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.noted) != 2 {
		t.Errorf("noted %q", w.noted)
	}
}

// recorded puts questions of keys and visitors into the decision log.
func (w *world) recorded(t *testing.T, allow bool, names ...string) {
	t.Helper()
	for i, name := range names {
		w.memory.lines = append(w.memory.lines, policies.Line{N: int64(i), Action: policy.FileUpload, Path: name, Allow: allow, Input: []byte(name)})
	}
}

func TestWhatKeysAndVisitorsAskedLatelyIsTriedByNewRules(t *testing.T) {
	for _, folder := range []string{"", "/etc/rules"} {
		w := newWorld(t, folder)
		w.recorded(t, true, "fine", "breaks")
		put := func(text string) error {
			if folder == "" {
				_, err := w.Activate(t.Context(), ada, policies.Activation{ID: w.save(t, text)})
				return err
			}
			return w.ReloadFolder(t.Context(), func(context.Context) error {
				w.engine.before, w.engine.inForce = w.engine.inForce, policy.Rules{"a.rego": text}
				return nil
			})
		}
		if err := put("good"); err != nil || w.engine.Revision() != "good" {
			t.Fatalf("%s, %v", w.engine.Revision(), err)
		}
		if err := put("breaking"); !ports.Is(err, ports.Invalid) || w.engine.Revision() != "good" {
			t.Errorf("folder %q: %s, %v", folder, w.engine.Revision(), err)
		}
		if err := put("shut"); err != nil { // two questions are not everybody
			t.Errorf("folder %q: %v", folder, err)
		}
		if err := put("good"); err != nil {
			t.Fatal(err)
		}
		w.recorded(t, true, "a", "b", "c", "d", "e", "f", "g", "h", "i")
		if err := put("shut"); !ports.Is(err, ports.Conflict) || w.engine.Revision() != "good" {
			t.Errorf("folder %q: %s, %v", folder, w.engine.Revision(), err)
		}
	}
}

// slowLog stores lines when release is closed.
type slowLog struct {
	logMemory
	entered, release chan struct{}
}

func (l slowLog) Insert(ctx context.Context, lines []policies.Line, refused map[string]policies.Hits) error {
	close(l.entered)
	<-l.release
	return l.logMemory.Insert(ctx, lines, refused)
}

// Who asks for a decision while its line is being stored waits for it.
func TestADecisionIsFoundWhileItIsStored(t *testing.T) {
	w := newWorld(t, "")
	slow := slowLog{logMemory{w.memory}, make(chan struct{}), make(chan struct{})}
	log := policies.NewLog(slow, &portstest.Random{}, w.clock, func(policy.Query) ([]byte, error) { return nil, nil })
	id := log.Refused(policy.Query{Who: ada, Do: policy.FileUpload}, "max_size")
	stored := make(chan error, 1)
	go func() { stored <- log.Flush(t.Context()) }()

	<-slow.entered
	second := make(chan error, 1)
	go func() { second <- log.Flush(t.Context()) }()
	select {
	case <-second:
		t.Fatal("a second call does not wait for the line to be stored")
	case <-time.After(50 * time.Millisecond):
	}
	close(slow.release)
	if err := errors.Join(<-stored, <-second); err != nil {
		t.Fatal(err)
	}
	if line, err := slow.Get(t.Context(), id); err != nil || line.ID != id {
		t.Errorf("line %+v, %v", line, err)
	}
}

func TestTheEffectOfRulesOnWhatWasDecidedLatelyIsTold(t *testing.T) {
	w := newWorld(t, "")
	w.recorded(t, true, "fine")
	w.recorded(t, false, "refused")
	w.memory.lines = append(w.memory.lines, policies.Line{Action: policy.FileUpload, Codes: []string{"server:rate"}, Input: []byte("by the server")})
	effect, err := w.Effect(t.Context(), ada, policy.Rules{"a.rego": "good"})
	if err != nil || effect.Asked != 2 || effect.Skipped != 1 || len(effect.Changes) != 1 || effect.Changes[0].Before.Path != "refused" || !effect.Changes[0].Now.Decision.Allow {
		t.Errorf("%+v, %v", effect, err)
	}
	effect, err = w.Effect(t.Context(), ada, policy.Rules{"a.rego": "shut"})
	if err != nil || len(effect.Changes) != 1 || effect.Changes[0].Before.Path != "fine" || effect.Changes[0].Now.Decision.Allow {
		t.Errorf("%+v, %v", effect, err)
	}
	if len(effect.Same) != 1 || effect.Same[0].Path != "refused" {
		t.Errorf("the same as before: %+v", effect.Same)
	}
	if len(w.memory.revisions) != 0 || w.engine.Revision() == "shut" {
		t.Error("something is kept")
	}
	_, err = w.Effect(t.Context(), ada, nil)
	if !ports.Is(err, ports.Invalid) {
		t.Errorf("without rules: %v", err)
	}
	if _, err := w.Effect(t.Context(), policy.Principal{Kind: policy.APIKey, ID: "k1"}, policy.Rules{"a.rego": "good"}); !ports.Is(err, ports.Forbidden) {
		t.Errorf("a key: %v", err)
	}
}

func TestChangedLimitsAreAnEffectOnWhatStaysAllowed(t *testing.T) {
	w := newWorld(t, "")
	w.recorded(t, true, "fine")
	w.recorded(t, false, "refused")
	effect, err := w.Effect(t.Context(), ada, policy.Rules{"a.rego": "small"})
	if err != nil || len(effect.Changes) != 2 || len(effect.Same) != 0 {
		t.Fatalf("%+v, %v", effect, err)
	}
	want := []policies.LimitChange{{Name: "max_size", Now: 100}, {Name: "list_limit", Now: 5}}
	for _, change := range effect.Changes {
		if stays := change.Before.Path == "fine"; stays && !slices.Equal(change.Limits, want) || !stays && change.Limits != nil {
			t.Errorf("%s: %+v", change.Before.Path, change.Limits)
		}
	}
	w.engine.inForce = policy.Rules{"a.rego": "small"}
	effect, err = w.Effect(t.Context(), ada, policy.Rules{"a.rego": "good"})
	if err != nil || len(effect.Changes) != 2 {
		t.Fatalf("%+v, %v", effect, err)
	}
	w.engine.inForce = policy.Rules{"a.rego": "good"}
	if effect, err = w.Effect(t.Context(), ada, policy.Rules{"a.rego": "good"}); err != nil || len(effect.Same) != 1 {
		t.Errorf("limits that nobody has: %+v, %v", effect, err)
	}
}

func TestTheQuestionOfARecordedDecisionIsAskedAgain(t *testing.T) {
	w := newWorld(t, "")
	id := w.log.Refused(policy.Query{Who: ada, Do: policy.FileUpload}, "rate")
	w.engine.inForce = policy.Rules{"a.rego": "shut"}
	e, err := w.Explain(t.Context(), ada, policies.Test{Decision: id})
	if err != nil || e.Decision.Allow { // the key of the log asks, not the administrator
		t.Errorf("%+v, %v", e, err)
	}
	e, err = w.Explain(t.Context(), ada, policies.Test{Decision: id, Rules: policy.Rules{"a.rego": "good"}})
	if err != nil || !e.Decision.Allow {
		t.Errorf("by other rules: %+v, %v", e, err)
	}
	if _, err := w.Explain(t.Context(), ada, policies.Test{Decision: "nothing"}); !ports.Is(err, ports.NotFound) {
		t.Errorf("a decision that is not there: %v", err)
	}
}
