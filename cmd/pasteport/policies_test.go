package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pasteport/ports/portstest"
)

const noPrograms = `package pasteport.site

# METADATA
# title: No programs
deny contains {"code": "programs", "message": {"en": "No programs here.", "zh-CN": "不允许程序。"}} if {
	input.action == "paste.create"
	input.subject.type == "apikey"
}
`

const noProgramsTest = `package pasteport.site_test

import data.pasteport.site

test_programs if {
	count(site.deny) == 1 with input as {"action": "paste.create", "subject": {"type": "apikey"}}
}
`

// lockedOut refuses the panel to everybody.
const lockedOut = `package pasteport.site

deny contains {"code": "closed", "message": "Closed."} if startswith(input.action, "admin.")
`

func savePolicy(t *testing.T, c client, files map[string]string) string {
	t.Helper()
	a := c.post("/api/admin/policies", map[string]any{"files": files, "note": "a test"})
	if a.status != http.StatusOK {
		t.Fatalf("save: %d %s", a.status, a.body)
	}
	var saved struct{ ID string }
	a.into(t, &saved)
	return saved.ID
}

func wantAnswer(t *testing.T, what string, a answer, status int, code string) {
	t.Helper()
	if a.status != status || code != "" && a.envelope(t).Error != code {
		t.Errorf("%s: %d %s, want %d %s", what, a.status, tail(string(a.body), 600), status, code)
	}
}

func TestTheLifeOfAPolicy(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	key, keyID := admin.key("ci", 1, "/")
	activate := func(id string, body map[string]any) answer {
		return admin.post("/api/admin/policies/"+id+"/activate", body)
	}

	broken := admin.post("/api/admin/policies", map[string]any{"files": map[string]string{"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if input.subject.gest"}})
	wantAnswer(t, "a broken rule", broken, 400, "policy_invalid")
	if body := string(broken.body); !strings.Contains(body, `"row":3`) || !strings.Contains(body, "guest") {
		t.Errorf("it is not said where and how to mend it: %s", body)
	}
	id := savePolicy(t, admin, map[string]string{"a.rego": noPrograms, "a_test.rego": noProgramsTest})
	wantAnswer(t, "a rule that is only saved", key.post("/api/paste", map[string]any{"content": "x"}), 200, "")

	explained := admin.post("/api/admin/policies/explain", map[string]any{"revision": id, "key_id": keyID, "action": "paste.create", "client_ip": "192.0.2.1"})
	if body := string(explained.body); explained.status != 200 || !strings.Contains(body, `"allow":false`) || !strings.Contains(body, `"code":"programs"`) || !strings.Contains(body, "不允许程序") {
		t.Errorf("explain: %d %s", explained.status, body)
	}
	wantAnswer(t, "the shadow", admin.post("/api/admin/policies/"+id+"/shadow", nil), 200, "")
	wantAnswer(t, "a call in the shadow of a rule", key.post("/api/paste", map[string]any{"content": "x"}), 200, "")
	portstest.Eventually(t, func() bool {
		return strings.Contains(string(admin.get("/api/admin/policies").body), `"differ":1`)
	})

	wantAnswer(t, "activation", activate(id, map[string]any{}), 200, "")
	refused := key.post("/api/paste", map[string]any{"content": "x"}, "Accept-Language", "en")
	wantAnswer(t, "a refused call", refused, 403, "policy_denied")
	if !strings.Contains(refused.envelope(t).Message, "No programs here.") {
		t.Errorf("%s", refused.body)
	}
	found := admin.get("/api/admin/decisions/" + refused.header.Get("X-Decision-Id"))
	if body := string(found.body); found.status != 200 || !strings.Contains(body, `"codes":["site:programs"]`) || !strings.Contains(body, `"name":"ci"`) || !strings.Contains(body, `"action":"paste.create"`) {
		t.Errorf("the decision: %d %s", found.status, body)
	}
	if body := string(admin.get("/api/admin/policies/rules").body); !strings.Contains(body, `"title":"No programs"`) || !strings.Contains(body, `"hits_24h":1,`) {
		t.Errorf("hits: %s", body)
	}
	own := key.get("/api/admin/policies")
	wantAnswer(t, "a key that reads the policy", own, 403, "permission_denied")
	wantAnswer(t, "its decision", admin.get("/api/admin/decisions/"+own.header.Get("X-Decision-Id")), 200, "")

	told := admin.post("/api/admin/policies/check", map[string]any{"files": map[string]string{"a.rego": lockedOut}})
	if body := string(told.body); told.status != 200 || !strings.Contains(body, `"ok":true`) || !strings.Contains(body, `"code":"policy_lockout"`) {
		t.Errorf("the check of a rule that locks everybody out: %d %s", told.status, body)
	}
	dark := savePolicy(t, admin, map[string]string{"a.rego": strings.Replace(lockedOut, `startswith(input.action, "admin.")`, `input.action == "site.read"`, 1)})
	wantAnswer(t, "a rule that hides the page to sign in on", activate(dark, map[string]any{}), 409, "policy_lockout")
	lock := savePolicy(t, admin, map[string]string{"a.rego": lockedOut})
	wantAnswer(t, "a rule that locks its author out", activate(lock, map[string]any{}), 409, "policy_lockout")
	wantAnswer(t, "it on trial", activate(lock, map[string]any{"trial_seconds": 10}), 200, "")
	wantAnswer(t, "the panel meanwhile", admin.get("/api/admin/policies"), 403, "policy_denied")
	portstest.Eventually(t, func() bool { return admin.get("/api/admin/policies").status == 200 })
	wantAnswer(t, "the rule before it", key.post("/api/paste", map[string]any{"content": "x"}), 403, "policy_denied")

	// Everything is still there after a restart, and a log can be replayed.
	log := admin.get("/api/admin/decisions/export")
	if p.stop() != 0 {
		t.Fatal(p.log)
	}
	p = start(t, dir)
	key.p, admin = p, p.admin()
	wantAnswer(t, "after a restart", key.post("/api/paste", map[string]any{"content": "x"}), 403, "policy_denied")
	if err := os.WriteFile(filepath.Join(dir, "log.jsonl"), log.body, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := once(t, dir, []string{"policy", "replay", filepath.Join(dir, "log.jsonl")})
	if code != 0 || !strings.Contains(out, "paste.create: refused before, allowed now") {
		t.Errorf("replay by the shipped rules: %d\n%s", code, out)
	}

	// Rules for good that lock out end by the command line.
	wantAnswer(t, "a long trial", admin.post("/api/admin/policies/"+lock+"/activate", map[string]any{"trial_seconds": 3600}), 200, "")
	if p.stop() != 0 {
		t.Fatal(p.log)
	}
	if out, code := once(t, dir, []string{"policy", "reset"}); code != 0 {
		t.Fatalf("reset: %d\n%s", code, out)
	}
	p = start(t, dir)
	key.p = p
	wantAnswer(t, "the panel after the reset", p.admin().get("/api/admin/policies"), 200, "")
	wantAnswer(t, "a key after the reset", key.post("/api/paste", map[string]any{"content": "x"}), 200, "")
}

// oddLarge has no answer to large texts: two values of one rule.
const oddLarge = `package pasteport.site

_limit := 1 if input.resource.size > 1

_limit := 2 if input.resource.size > 5000

deny contains {"code": "large", "message": "Too large."} if _limit > 2
`

func TestPolicies_RulesThatFailInForceArePutBack(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	key, _ := admin.key("ci", 1, "/")
	good := savePolicy(t, admin, map[string]string{"a.rego": noPrograms, "a_test.rego": noProgramsTest})
	odd := savePolicy(t, admin, map[string]string{"a.rego": oddLarge})
	for _, id := range []string{good, odd} {
		wantAnswer(t, "activation", admin.post("/api/admin/policies/"+id+"/activate", map[string]any{}), 200, "")
	}
	small, large := map[string]any{"content": "x"}, map[string]any{"content": strings.Repeat("x", 6000)}
	wantAnswer(t, "a text that the rules can judge", key.post("/api/paste", small), 200, "")
	for range 10 {
		wantAnswer(t, "a text that they cannot", key.post("/api/paste", large), 503, "")
	}
	var now struct {
		State struct{ Active, Failed string }
	}
	portstest.Eventually(t, func() bool {
		admin.get("/api/admin/policies").into(t, &now)
		return now.State.Active == good
	})
	if !strings.Contains(now.State.Failed, "a.rego:") {
		t.Errorf("it is not said why: %+v", now)
	}
	wantAnswer(t, "a key under the rules before", key.post("/api/paste", large), 403, "policy_denied")
	portstest.Eventually(t, func() bool {
		return strings.Contains(string(admin.get("/api/admin/audit?limit=50").body), `"policy.put_back"`)
	})
	if log := p.log.String(); !strings.Contains(log, "the rules in force fail; those before are in force again") {
		t.Error("the log does not tell it")
	}
	wantAnswer(t, "the next activation", admin.post("/api/admin/policies/"+good+"/activate", map[string]any{}), 200, "")
	if admin.get("/api/admin/policies").into(t, &now); now.State.Failed != "" {
		t.Errorf("it is told for ever: %+v", now)
	}
}

func TestPolicies13_7_AnActivationReachesTheOtherNode(t *testing.T) {
	one, two, _ := twoNodes(t, "PASTEPORT_RATE_LIMITS=off")
	admin := one.admin()
	key, _ := admin.key("ci", 1, "/")
	there := client{p: two, auth: key.auth}
	wantAnswer(t, "before", there.post("/api/paste", map[string]any{"content": "x"}), 200, "")
	id := savePolicy(t, admin, map[string]string{"a.rego": noPrograms})
	wantAnswer(t, "activation", admin.post("/api/admin/policies/"+id+"/activate", map[string]any{}), 200, "")
	portstest.Eventually(t, func() bool { return there.post("/api/paste", map[string]any{"content": "x"}).status == 403 })
	wantAnswer(t, "back", client{p: two, auth: admin.auth}.post("/api/admin/policies/none/activate", map[string]any{}), 200, "")
	portstest.Eventually(t, func() bool { return key.post("/api/paste", map[string]any{"content": "x"}).status == 200 })
}

func TestPolicyCommandsWorkOnAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.rego", noPrograms)
	write("a_test.rego", noProgramsTest)
	write("in.txt", `{"subject": {"type": "apikey", "permissions": 1, "basic_path": "/"}, "action": "paste.create"}`)
	bundle, unpacked := filepath.Join(t.TempDir(), "rules.tar.gz"), filepath.Join(t.TempDir(), "rules")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"policy", "check", dir}, 0, "a.rego:5: deny programs  No programs"},
		{[]string{"policy", "test", dir}, 0, "1 tests, coverage 100.0%"},
		{[]string{"policy", "eval", filepath.Join(dir, "in.txt")}, 0, `"allow": true`},
		{[]string{"policy", "eval", filepath.Join(dir, "in.txt"), "--rules", dir}, 0, `"code": "programs"`},
		{[]string{"policy", "eval", filepath.Join(dir, "in.txt"), "--rules", dir}, 0, `"fired": [
    {
      "file": "a.rego",`},
		{[]string{"policy", "eval", filepath.Join(dir, "in.txt")}, 0, `"obligations": {},`},
		{[]string{"policy", "pack", dir, bundle}, 0, ": 2 files"},
		{[]string{"policy", "pack", dir, bundle}, 1, "exists"},
		{[]string{"policy", "unpack", bundle, unpacked}, 0, "a.rego\na_test.rego\n"},
		{[]string{"policy", "unpack", bundle, unpacked}, 1, "exists"},
		{[]string{"policy", "test", unpacked}, 0, "1 tests, coverage 100.0%"},
		{[]string{"policy", "unpack", filepath.Join(dir, "in.txt"), unpacked}, 1, "gzip"},
	} {
		if out, code := once(t, dir, c.args); code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("%v: %d\n%s", c.args, code, out)
		}
	}
	write("a_test.rego", strings.Replace(noProgramsTest, "== 1", "== 2", 1))
	if out, code := once(t, dir, []string{"policy", "test", dir}); code != 1 || !strings.Contains(out, "FAIL pasteport.site_test.test_programs") {
		t.Errorf("a failing test: %d\n%s", code, out)
	}
	write("a.rego", "package pasteport.site\n\ndeny contains {")
	if out, code := once(t, dir, []string{"policy", "check", dir}); code != 1 || !strings.Contains(out, "a.rego:3:") {
		t.Errorf("a syntax error: %d\n%s", code, out)
	}
}

func TestPolicies_RulesMoveBetweenSitesAsABundle(t *testing.T) {
	from, to := start(t, t.TempDir()), start(t, t.TempDir())
	admin, other := from.admin(), to.admin()
	files := map[string]string{"a.rego": noPrograms, "a_test.rego": noProgramsTest, "data.json": "{\n  \"words\": [\n    \"no\"\n  ]\n}\n"}
	id := savePolicy(t, admin, files)
	wantAnswer(t, "activation", admin.post("/api/admin/policies/"+id+"/activate", map[string]any{}), 200, "")
	bundle := admin.get("/api/admin/policies/" + id + "/bundle")
	wantAnswer(t, "the bundle", bundle, 200, "")
	if same := admin.get("/api/admin/policies/in-force/bundle"); same.status != 200 || string(same.body) != string(bundle.body) {
		t.Errorf("the rules in force: %d, %d bytes, want the %d bytes of their revision", same.status, len(same.body), len(bundle.body))
	}
	if kind, name := bundle.header.Get("Content-Type"), bundle.header.Get("Content-Disposition"); kind != "application/gzip" || !strings.HasSuffix(name, `.tar.gz"`) {
		t.Errorf("it comes as %q, %q", kind, name)
	}
	var read struct{ Files map[string]string }
	a := other.send("POST", "/api/admin/policies/bundle", bytes.NewReader(bundle.body))
	wantAnswer(t, "the other site", a, 200, "")
	if a.into(t, &read); !maps.Equal(read.Files, files) {
		t.Errorf("it holds %q", read.Files)
	}
	savePolicy(t, other, read.Files)
	wantAnswer(t, "no bundle", other.send("POST", "/api/admin/policies/bundle", strings.NewReader("package pasteport.site")), 400, "policy_bundle")
	wantAnswer(t, "no revision", admin.get("/api/admin/policies/NONE/bundle"), 404, "not_found")
	key, _ := admin.key("ci", 1, "/")
	wantAnswer(t, "a key", key.get("/api/admin/policies/in-force/bundle"), 403, "permission_denied")
}

// TestLongPolicyCommandsEndWithRulesThatDoNot gives a command that compiles rules, and
// each of them when PASTEPORT_TEST_LONG is set, one whose types double in each of
// forty rows.
func TestLongPolicyCommandsEndWithRulesThatDoNot(t *testing.T) {
	dir := t.TempDir()
	rule := strings.Builder{}
	rule.WriteString("package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": \"\"} if {\n\tx0 := input.action\n")
	for i := range 40 {
		fmt.Fprintf(&rule, "\tx%d := [x%d, x%d]\n", i+1, i, i)
	}
	rule.WriteString("\tx40 = input.subject\n}\n")
	question := `{"subject": {"type": "apikey", "permissions": 1, "basic_path": "/"}, "action": "paste.create"}`
	for name, text := range map[string]string{"a.rego": rule.String(), "in.txt": question, "log.txt": `{"allow": true, "input": ` + question + "}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := [][]string{
		{"check", dir}, {"eval", filepath.Join(dir, "in.txt"), "--rules", dir}, {"replay", filepath.Join(dir, "log.txt"), "--candidate", dir},
	}
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		commands = commands[:1]
	}
	for _, args := range commands {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			out, code := once(t, t.TempDir(), append([]string{"policy"}, args...))
			if code != 1 || !strings.Contains(out, "rules_time: the rules were not tried within 20s") && !strings.Contains(out, "rules_memory: ") {
				t.Errorf("%d\n%s", code, out)
			}
		})
	}
}

// TestRulesOfAFolderThatRefuseEverybodyAreNotTaken needs no recorded question: it
// tries a new site.
func TestRulesOfAFolderThatRefuseEverybodyAreNotTaken(t *testing.T) {
	dir, rules := t.TempDir(), t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(rules, "a.rego"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const shut = "package pasteport.site\n\ndeny contains {\"code\": \"shut\", \"message\": \"m\"} if true\n"
	write(shut)
	for _, args := range [][]string{{"policy", "check", rules}, {"serve", "--policy-dir", rules}} {
		if out, code := once(t, dir, args, onFile); code == 0 || !strings.Contains(out, "a.rego:3:1: policy_lockout: site.read is refused to every visitor") {
			t.Errorf("%v: %d\n%s", args, code, out)
		}
	}
	write(noPrograms)
	p := start(t, dir, "PASTEPORT_POLICY_DIR="+rules)
	admin := p.admin()
	write(shut)
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return strings.Contains(p.log.String(), "policy_lockout") })
	wantAnswer(t, "a visitor", p.visitor().get("/api/health"), 200, "")
	wantAnswer(t, "the panel", admin.get("/api/admin/policies"), 200, "")
}

func TestAFolderOfRulesThatIsNotThereIsNamed(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "no-such-folder")
	for _, args := range [][]string{{"policy", "check", gone}, {"serve", "--policy-dir", gone}} {
		if out, code := once(t, dir, args, onFile); code == 0 || !strings.Contains(out, gone) {
			t.Errorf("%v: %d\n%s", args, code, out)
		}
	}
}

func TestPolicies_TheEffectOfADraftOnTheLastDecisionsIsTold(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	key, _ := admin.key("ci", 1, "/")
	id := savePolicy(t, admin, map[string]string{"a.rego": noPrograms})
	wantAnswer(t, "activation", admin.post("/api/admin/policies/"+id+"/activate", map[string]any{}), 200, "")
	wantAnswer(t, "a text", key.post("/api/paste", map[string]any{"content": "x"}), 403, "policy_denied")
	effect := func(rules string, all bool) (told struct {
		Asked   int
		Changes []struct {
			ID                 string `json:"decision_id"`
			Action, Type, Name string
			Before, Now        bool
			Codes, After       []string
		}
		Same []struct{ Action string }
	}) {
		a := admin.post("/api/admin/policies/effect", map[string]any{"files": map[string]string{"a.rego": "package pasteport.site\n\n" + rules}, "all": all})
		wantAnswer(t, "the effect", a, 200, "")
		a.into(t, &told)
		return told
	}
	open := effect(`limit contains {"name": "max_size", "value": 9} if false`, false)
	if open.Asked == 0 || len(open.Changes) != 1 || open.Same != nil {
		t.Fatalf("open rules: %+v", open)
	}
	again := admin.post("/api/admin/policies/explain", map[string]any{"decision_id": open.Changes[0].ID, "revision": id})
	if body := string(again.body); again.status != 200 || !strings.Contains(body, `"allow":false`) || !strings.Contains(body, `"file":"a.rego","covered":[[`) {
		t.Errorf("the question of a decision, asked again: %d %s", again.status, body)
	}
	wantAnswer(t, "a decision that is not there", admin.post("/api/admin/policies/explain", map[string]any{"decision_id": "NONE"}), 404, "not_found")
	if c := open.Changes[0]; c.Action != "paste.create" || c.Name != "ci" || c.Before || !c.Now || strings.Join(c.Codes, " ") != "site:programs" || len(c.After) != 0 {
		t.Errorf("open rules: %+v", c)
	}
	if shut := effect(`deny contains {"code": "closed", "message": ""} if input.subject.type == "apikey"`, true); shut.Asked != open.Asked || len(shut.Changes) != 0 || len(shut.Same) != shut.Asked {
		t.Errorf("rules that refuse the same: %+v", shut)
	}
	wantAnswer(t, "rules that do not compile", admin.post("/api/admin/policies/effect", map[string]any{"files": map[string]string{"a.rego": "package"}}), 400, "policy_invalid")
}
