package opa

import (
	"strings"
	"testing"
	"testing/fstest"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// TestCheckRefusesWhatCanOnlyBeAMistake gives rules that compile and yet refuse
// nobody, or everybody; each is refused with its line and column.
func TestCheckRefusesWhatCanOnlyBeAMistake(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	d := newDecider(t, Options{})
	const refusal = `deny contains {"code": "x", "message": "m"} if `
	for _, c := range []struct {
		name, rule  string
		row, column int
		says        string
	}{
		{"an unknown action", refusal + `input.action == "mount.uplaod"`, 3, 64, `is "mount.upload" meant?`},
		{"an unknown action on the left", refusal + `"mount.uplaod" == input.action`, 3, 48, `input.action is never "mount.uplaod"`},
		{"an unknown action that is excepted", refusal + `input.action != "mount.uplaod"`, 3, 64, `never "mount.uplaod"`},
		{"an unknown action in a set", refusal + `input.action in {"mount.upload", "mount.uplaod"}`, 3, 81, `never "mount.uplaod"`},
		{"an unknown action in a list", refusal + `input.action in ["mount.uplaod"]`, 3, 65, `never "mount.uplaod"`},
		{"an unknown action behind not", refusal + `not input.action == "mount.uplaod"`, 3, 68, `never "mount.uplaod"`},
		{"an unknown action in a named set", "_writes := {\"mount.uplaod\"}\n\n" + refusal + `input.action in _writes`, 3, 13, `never "mount.uplaod"`},
		{"an unknown action in a helper", "_write if input.action == \"mount.uplaod\"\n\n" + refusal + `_write`, 3, 27, `never "mount.uplaod"`},
		{"an unknown group of actions", refusal + `startswith(input.action, "mout.")`, 3, 48, `no action is called like`},
		{"an unknown end of actions", refusal + `endswith(input.action, ".uplaod")`, 3, 48, `no action is called like`},
		{"an unknown kind of caller", refusal + `input.subject.type == "api_key"`, 3, 70, `is "apikey" meant?`},
		{"a size compared with a text", refusal + `input.resource.size > "1000"`, 3, 70, `input.resource.size is of type integer and never "1000"`},
		{"a text compared with a number", refusal + `input.resource.name >= 5`, 3, 71, `of type string and never 5`},
		{"a size compared with a name", refusal + `input.resource.size < input.resource.name`, 3, 48, `input.resource.name of type string`},
		{"a mark compared with a text", refusal + `input.subject.guest != "yes"`, 3, 71, `of type boolean and never "yes"`},
		{"an unknown action by a local name", refusal + "{\n\ta := input.action\n\ta == \"file.uplod\"\n}", 5, 7, `is "file.upload" meant?`},
		{"an unknown action by a name of some", refusal + "{\n\tsome a\n\ta = input.action\n\ta == \"file.uplod\"\n}", 6, 7, `is "file.upload" meant?`},
		{"an unknown action by a name that is compared", refusal + "{\n\tinput.action = a\n\ta in {\"file.uplod\"}\n}", 5, 8, `is "file.upload" meant?`},
		{"an unknown kind by a name of a part", refusal + "{\n\ton := input.resource\n\ton.kind == \"pastes\"\n}", 5, 13, `is "paste" meant?`},
		{"an unknown kind by a name of a name", refusal + "{\n\ton := input.resource\n\tkind := on.kind\n\tkind == \"pastes\"\n}", 6, 10, `is "paste" meant?`},
		{"an unknown action as a local constant", refusal + "{\n\ta := \"file.uplod\"\n\tinput.action == a\n}", 4, 7, `is "file.upload" meant?`},
		{"an unknown action as a constant", "_up := \"file.uplod\"\n\n" + refusal + `input.action == _up`, 3, 8, `is "file.upload" meant?`},
		{"an unknown action as a key", refusal + `{"file.upload": true, "file.uplod": true}[input.action]`, 3, 70, `is "file.upload" meant?`},
		{"an unknown action as a key of a constant", "_m := {\"file.uplod\": 5}\n\n" + refusal + `_m[input.action] > 3`, 3, 8, `is "file.upload" meant?`},
		{"an unknown action as a key of keys", "_m := {\"apikey\": {\"file.uplod\": 5}}\n\n" + refusal + `_m[input.subject.type][input.action] > 3`, 3, 19, `is "file.upload" meant?`},
		{"an unknown action in a looked up set", "_m := {\"file.uplod\"}\n\n" + refusal + "{\n\ta := input.action\n\t_m[a]\n}", 3, 8, `is "file.upload" meant?`},
		{"an unknown action as a key of a member", refusal + `input.action, true in {"file.uplod": true}`, 3, 71, `is "file.upload" meant?`},
		{"an unknown action as a key that is got", refusal + `object.get({"file.uplod": true}, input.action, false)`, 3, 60, `is "file.upload" meant?`},
		{"an unknown action in a union", refusal + `input.action in ({"file.upload"} | {"file.uplod"})`, 3, 84, `is "file.upload" meant?`},
		{"an unknown kind of resource", refusal + `input.resource.kind == "pastes"`, 3, 71, `is "paste" meant?`},
		{"an unknown protocol", refusal + `input.context.protocol == "dav"`, 3, 74, `input.context.protocol is never "dav"; is "webdav" meant?`},
		{"a misspelt field of a refusal", `deny contains {"code": "x", "mesage": "m"} if input.subject.guest`, 3, 29, `a refusal has no field "mesage"; is "message" meant?`},
		{"a misspelt field of a limit", `limit contains {"name": "max_size", "value": 5, "valeu": 3} if input.subject.guest`, 3, 49, `a limit has no field "valeu"; is "value" meant?`},
		{"a misspelt set of refusals", `denies contains {"code": "x", "message": "m"} if input.subject.guest`, 3, 1, "the rule denies has no effect"},
		{"a rule that would allow", `allow if input.subject.guest`, 3, 1, "the rule allow has no effect"},
		{"a misspelt set of limits", `limits contains {"name": "max_size", "value": 1} if input.subject.guest`, 3, 1, "the rule limits has no effect"},
		{"a refusal that is text", `deny contains "closed" if input.subject.guest`, 3, 15, `not "closed"`},
		{"a refusal that is text in a variable", "deny contains x if {\n\tinput.subject.guest\n\tx := \"closed\"\n}", 5, 7, `not "closed"`},
		{"a refusal without a code", `deny contains {"message": "m"} if input.subject.guest`, 3, 15, "has no code"},
		{"a refusal with an empty code", `deny contains {"code": "", "message": "m"} if input.subject.guest`, 3, 24, "not empty"},
		{"a message that is a number", `deny contains {"code": "x", "message": 5} if input.subject.guest`, 3, 40, "a text, or texts by language"},
		{"a message with a number for a language", `deny contains {"code": "x", "message": {"en": 5}} if input.subject.guest`, 3, 47, "is not a text"},
		{"an unknown limit", `limit contains {"name": "max_weight", "value": 5} if input.subject.guest`, 3, 25, `no limit is called "max_weight"`},
		{"a limit of zero", `limit contains {"name": "max_size", "value": 0} if input.subject.guest`, 3, 46, "whole number from 1"},
		{"a limit that is text", `limit contains {"name": "max_size", "value": "5"} if input.subject.guest`, 3, 46, "whole number from 1"},
		{"a limit without a value", `limit contains {"name": "max_size"} if input.subject.guest`, 3, 16, "a name and a value"},
		{"a computed limit of zero", `limit contains {"name": "max_size", "value": 5 - 5} if input.subject.guest`, 3, 1, "not a whole number from 1"},
		{"a computed limit that is unknown", `limit contains {"name": concat("_", ["max", "weight"]), "value": 5} if input.subject.guest`, 0, 0, `"max_weight" is unknown`},
		{"a computed refusal that is text", "_why := concat(\"\", [input.action])\n\ndeny contains _why if input.subject.guest", 0, 0, "ends without an answer"},
		{"a rule that ends in an error", refusal + `net.cidr_contains("no block", input.context.client_ip)`, 3, 48, "ends without an answer"},
		{"a rule without an end", refusal + `count([1 | some i in numbers.range(1, 100000000); i == input.resource.size]) == 5`, 0, 0, "ends without an answer"},
	} {
		report, err := d.Check(t.Context(), policy.Rules{"a.rego": "package pasteport.site\n\n" + c.rule + "\n"})
		if err != nil || report.OK() || len(report.Problems) == 0 {
			t.Errorf("%s passes: %+v, %v", c.name, report.Problems, err)
			continue
		}
		if p := report.Problems[0]; c.row > 0 && (p.File != "a.rego" || p.Row != c.row || p.Column != c.column) || !strings.Contains(p.Message, c.says) {
			t.Errorf("%s: %+v, want %d:%d %q", c.name, p, c.row, c.column, c.says)
		}
	}
}

func TestCheckLetsSoundRulesPass(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	d := newDecider(t, Options{})
	for name, text := range map[string]string{
		"a helper without an underscore": "working if input.subject.type == \"apikey\"\n\ndeny contains {\"code\": \"x\", \"message\": \"m\"} if not working",
		"an empty value":                 "deny contains {\"code\": \"x\", \"message\": {\"en\": \"m\"}} if input.resource.name == \"\"",
		"a path of many":                 "deny contains {\"code\": \"x\", \"message\": \"m\"} if \"/a\" in input.resource.paths",
		"paths one by one":               "deny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\tsome path in input.resource.paths\n\tpath == \"/a\"\n}",
		"a part of an action":            "deny contains {\"code\": \"x\", \"message\": \"m\"} if startswith(input.action, \"admin.\")",
		"data of the site":               "deny contains {\"code\": \"x\", \"message\": \"m\"} if input.subject.id in data.site.blocked",
		"a message of its own":           "deny contains {\"code\": \"x\", \"message\": sprintf(\"%s is closed\", [input.resource.name])} if input.resource.size > 5",
		"a name of two things":           "deny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\tcount([1 | a := input.action; a == \"file.upload\"]) == 1\n\tcount([1 | a := input.resource.name; a == \"b.txt\"]) == 1\n}",
		"a name of two parts":            "deny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\tcount([1 | a = input.action]) == 1\n\tcount([1 | a = input.resource.name; a == \"b.txt\"]) == 1\n}",
		"an operand":                     "_is(a) if a == \"b.txt\"\n\ndeny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\ta := input.resource.name\n\t_is(a)\n}",
		"one of many":                    "deny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\tsome a in [input.action, input.resource.name]\n\ta == \"b.txt\"\n}",
		"a constant with conditions":     "_a := \"none\" if input.subject.guest\n\n_a := \"file.upload\" if not input.subject.guest\n\ndeny contains {\"code\": \"x\", \"message\": \"m\"} if input.action == _a",
		"a default":                      "default _a := \"\"\n\n_a := input.action if input.subject.guest\n\ndeny contains {\"code\": \"x\", \"message\": \"m\"} if input.action == _a",
		"no protocol and no kind":        "deny contains {\"code\": \"x\", \"message\": \"m\"} if {\n\tinput.context.protocol == \"\"\n\tinput.resource.kind == \"\"\n\tinput.subject.guest\n}",
		"a table by data":                "_most := {\"file.upload\": data.site.most}\n\ndeny contains {\"code\": \"x\", \"message\": \"m\"} if input.resource.size > _most[input.action]",
		"a limit by data":                "limit contains {\"name\": \"max_size\", \"value\": data.site.most}",
	} {
		report, err := d.Check(t.Context(), policy.Rules{"a.rego": "package pasteport.site\n\n" + text + "\n", "data.json": `{"blocked": ["k9"], "most": 5}`})
		if err != nil || !report.OK() {
			t.Errorf("%s: %+v, %v", name, report.Problems, err)
		}
	}
}

// TestRulesThatLockEverybodyOutDoNotComeFromAFolder needs no recorded question.
// The panel may put them on trial.
func TestRulesThatLockEverybodyOutDoNotComeFromAFolder(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	const refusal = `deny contains {"code": "x", "message": "m"} if `
	d, before := newDecider(t, Options{}), newDecider(t, Options{})
	for _, c := range []struct {
		name, rule, action string // refused to all; empty for none
		row                int
	}{
		{"everything", refusal + "true", "site.read", 3},
		{"everything beside a network", refusal + "input.context.client_ip == \"192.0.2.1\"\n\ndeny contains {\"code\": \"y\", \"message\": \"m\"} if true", "site.read", 5},
		{"a switch", refusal + "data.site.freeze", "site.read", 3},
		{"every visitor", refusal + `input.subject.type == "anonymous"`, "site.read", 3},
		{"signing in", refusal + `input.action == "session.open"`, "session.open", 3},
		{"the panel", refusal + `startswith(input.action, "admin.")`, "admin.policy.read", 3},
		{"changes of rules", refusal + `input.action == "admin.policy.write"`, "admin.policy.write", 3},
		{"signing in from outside", refusal + "{\n\tinput.action == \"session.open\"\n\tnot net.cidr_contains(\"10.0.0.0/8\", input.context.client_ip)\n}", "", 0},
		{"everything at night", refusal + "time.clock(input.context.time_ns)[0] < 6", "", 0},
		{"all administrators but one", refusal + "{\n\tinput.subject.type == \"admin\"\n\tinput.subject.id != \"a9\"\n}", "", 0},
		{"all administrators but those in a list", refusal + "{\n\tinput.subject.type == \"admin\"\n\tnot input.subject.name in data.site.owners\n}", "", 0},
		{"visitors but what they need", refusal + "{\n\tinput.subject.type == \"anonymous\"\n\tnot input.action in {\"site.read\", \"session.open\"}\n}", "", 0},
		{"all keys", refusal + `input.subject.type == "apikey"`, "", 0},
	} {
		rules := policy.Rules{"a.rego": "package pasteport.site\n\n" + c.rule + "\n", "data.json": `{"freeze": true, "owners": ["ada"]}`}
		report, err := d.Check(t.Context(), rules)
		if err != nil || !report.OK() {
			t.Fatalf("%s: %+v, %v", c.name, report.Problems, err)
		}
		if found := len(report.Lockouts) > 0; found != (c.action != "") || found && (report.Lockouts[0].Row != c.row || !strings.HasPrefix(report.Lockouts[0].Message, c.action+" is refused")) {
			t.Errorf("%s: %+v, want %q in row %d", c.name, report.Lockouts, c.action, c.row)
		}
		if _, err := d.Put(t.Context(), rules); err != nil {
			t.Errorf("%s from the panel: %v", c.name, err)
		}
		name := before.Revision()
		err = before.Activate(t.Context(), fstest.MapFS{"a.rego": {Data: []byte(rules["a.rego"])}, "data.json": {Data: []byte(rules["data.json"])}})
		if (err != nil) != (c.action != "") || err != nil && before.Revision() != name {
			t.Errorf("%s from a folder: %v", c.name, err)
		}
	}
}

// TestWhatTheServerWouldRefuseTheCommandRefuses compares the check of the
// command line with what a server takes from a folder.
func TestWhatTheServerWouldRefuseTheCommandRefuses(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	const refusal = `deny contains {"code": "x", "message": "m"} if `
	for _, text := range []string{"deny contains {", refusal + "input.subject.gest", refusal + "input.subject.usage.bytes_today > 5", refusal + `input.action == "no"`, `deny contains "x"`,
		refusal + "input.subject.guest", refusal + `net.cidr_contains("x", "y")`} {
		site := siteOf(text)
		d, serverRefuses := New(t.Context(), Options{Base: shipped(), Site: site})
		if serverRefuses == nil {
			d.Close()
		}
		report, err := NewTrials("try-rules").Check(t.Context(), shipped(), site, false)
		if err != nil || report.OK() != (serverRefuses == nil) {
			t.Errorf("%s: the command says %+v, %v, and the server %v", text, report.Problems, err, serverRefuses)
		}
	}
}
