package opa

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// exampleSites returns each example, and each rule of the gallery, with its
// test as the rules of a site.
func exampleSites(t *testing.T) map[string]fstest.MapFS {
	t.Helper()
	sites := map[string]fstest.MapFS{}
	texts := regoFiles(t, shipped(), "examples")
	maps.Copy(texts, regoFiles(t, shipped(), "gallery"))
	for name, text := range texts {
		site := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".rego"), "_test")
		if sites[site] == nil {
			sites[site] = fstest.MapFS{}
		}
		sites[site][path.Base(name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return sites
}

func TestExamplesCompileAloneAndPassTheirTests(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	sites := exampleSites(t)
	if len(sites) < 14 {
		t.Fatalf("there are %d examples", len(sites))
	}
	for name, site := range sites {
		t.Run(name, func(t *testing.T) {
			if len(site) != 2 {
				t.Fatalf("%d files, want a rule file and its test", len(site))
			}
			if _, err := compile(t.Context(), shipped(), site); err != nil {
				t.Error(err)
			}
			files := map[string]string{}
			for file, content := range site {
				files["examples/"+file] = string(content.Data)
			}
			for _, folder := range basePackages {
				for file, text := range regoFiles(t, shipped(), folder) {
					if !strings.HasSuffix(file, "_test.rego") {
						files[file] = text
					}
				}
			}
			report := runRego(t, files, nil)
			file := "examples/" + name + ".rego"
			for _, gap := range report.Files[file].NotCovered {
				t.Errorf("%s:%d-%d is not covered by its tests", file, gap.Start.Row, gap.End.Row)
			}
		})
	}
}

// TestExamplesGoTogether takes all examples with their tests: each test holds
// beside the rules of the others. Rules of a site only narrow, so what holds
// beside all of them holds beside some.
func TestExamplesGoTogether(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	sites := exampleSites(t)
	all := fstest.MapFS{}
	for _, site := range sites {
		maps.Copy(all, site)
	}
	report, err := checkHere(t, all, true)
	if err != nil || len(report.Problems) > 0 || len(report.Tests) < 2*len(sites) {
		t.Fatalf("%d tests, %+v, %v", len(report.Tests), report.Problems, err)
	}
	for _, test := range report.Tests {
		if !test.Passed {
			t.Errorf("%s:%d: %s fails %s", test.File, test.Row, test.Name, test.Message)
		}
	}
}

// checkHere checks the rules of a site in this process.
func checkHere(t *testing.T, site fs.FS, counted bool) (policy.Report, error) {
	t.Helper()
	text, err := readRules(shipped(), site)
	if err != nil {
		return policy.Report{}, err
	}
	return check(t.Context(), shipped(), text, counted)
}

var actionText = regexp.MustCompile(`Action\s*=\s*"([a-z_.]+)"`)

// TestEveryActionStandsInOneGroup compares the groups of lib with the actions
// that the program asks.
func TestEveryActionStandsInOneGroup(t *testing.T) {
	source, err := os.ReadFile("../../ports/policy/action.go")
	if err != nil {
		t.Fatal(err)
	}
	r, err := compile(t.Context(), shipped(), nil)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for _, group := range []string{"reads", "writes", "deletes", "changes"} {
		if groups[group], err = r.names(t.Context(), "data.pasteport.lib."+group); err != nil {
			t.Fatal(err)
		}
	}
	var actions []string
	for _, found := range actionText.FindAllStringSubmatch(string(source), -1) {
		actions = append(actions, found[1])
	}
	for _, action := range actions {
		verb := action[strings.LastIndexByte(action, '.')+1:]
		want := "reads"
		switch verb {
		case "delete", "clear_expired":
			want = "deletes"
		case "create", "update", "upload", "fetch", "share", "mkdir", "edit", "copy", "move", "rename", "write", "reconcile":
			want = "writes"
		}
		for _, group := range []string{"reads", "writes", "deletes"} {
			if slices.Contains(groups[group], action) != (group == want) {
				t.Errorf("%s: want it in %s alone, look at %s", action, want, group)
			}
		}
		if slices.Contains(groups["changes"], action) != (want != "reads") {
			t.Errorf("%s stands wrongly among the changes", action)
		}
	}
	if got := len(groups["reads"]) + len(groups["writes"]) + len(groups["deletes"]); len(actions) < 50 || got != len(actions) {
		t.Errorf("%d actions in the groups, %d in the program", got, len(actions))
	}
	if !slices.Equal(slices.Sorted(slices.Values(actions)), slices.Sorted(slices.Values(r.actions))) {
		t.Errorf("the permissions know %q, the program asks %q", r.actions, actions)
	}
}

// allExamples are the rules of all examples together, without their tests:
// each test looks at its own rules only.
func allExamples(t *testing.T) fstest.MapFS {
	t.Helper()
	together := fstest.MapFS{}
	for _, site := range exampleSites(t) {
		maps.Copy(together, site)
	}
	for name := range together {
		if strings.HasSuffix(name, "_test.rego") {
			delete(together, name)
		}
	}
	together["data.json"] = &fstest.MapFile{Data: []byte(`{"freeze": false, "blocked_networks": ["192.0.2.0/24"]}`)}
	return together
}

func TestExamplesCompileTogether(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	r, err := compile(t.Context(), shipped(), allExamples(t))
	if err != nil {
		t.Fatal(err)
	}
	if !r.readsUsage {
		t.Error("nobody noticed that the quota rule reads the usage counters")
	}
}

var regoBlock = regexp.MustCompile("(?ms)^```rego\n(.*?)^```$")

// TestDocumentedRulesCompileAndPass takes every block of Rego from the guide
// for policy authors. A block is a site rule file; the block after it is its
// test when its package says so.
func TestDocumentedRulesCompileAndPass(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	text, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regoBlock.FindAllStringSubmatch(string(text), -1)
	if got := strings.Count(string(text), "```rego"); got != len(blocks) || got == 0 {
		t.Fatalf("%d blocks were found of %d", len(blocks), got)
	}
	var site fstest.MapFS
	for i, block := range blocks {
		t.Run(strconv.Itoa(i+1), func(t *testing.T) {
			rego := block[1]
			name := "rule.rego"
			if strings.Contains(rego, "package pasteport.site_test") {
				name = "rule_test.rego"
			} else {
				site = fstest.MapFS{}
			}
			site[name] = &fstest.MapFile{Data: []byte(rego)}
			if want, err := formatted(name, rego); err != nil || want != rego {
				t.Errorf("not formatted (error %v), want:\n%s", err, want)
			}
			if _, err := compile(t.Context(), shipped(), site); err != nil {
				t.Error(err)
			}
		})
	}
}
