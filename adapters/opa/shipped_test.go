package opa

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/tester"
)

var update = flag.Bool("update", false, "write policies/capabilities.json and format the Rego files")

const shippedFolder = "../../policies"

func shipped() fs.FS { return os.DirFS(shippedFolder) }

// regoFiles returns the text of all Rego files below folder, by name.
func regoFiles(t testing.TB, from fs.FS, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".rego" {
			return err
		}
		text, err := fs.ReadFile(from, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// shippedRego returns the shipped packages with their tests.
func shippedRego(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range basePackages {
		maps.Copy(files, regoFiles(t, shipped(), folder))
	}
	return files
}

// runRego runs all tests in a set of files as subtests and reports coverage.
func runRego(t *testing.T, files map[string]string, data map[string]any) cover.Report {
	t.Helper()
	modules, err := parse(files)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := readSchema(shipped())
	if err != nil {
		t.Fatal(err)
	}
	r := &revision{}
	if err := r.load(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	covered := cover.New()
	runner := tester.NewRunner().
		SetCompiler(newCompiler(schemas)).
		SetStore(r.store).
		SetModules(modules).
		SetTimeout(time.Minute).
		RaiseBuiltinErrors(true).
		SetCoverageRuns([]cover.Kind{cover.KindIndexExcluded, cover.KindEarlyExit}).
		SetCoverageQueryTracer(covered)
	results, err := runner.RunTests(t.Context(), r.txn)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for result := range results {
		ran++
		t.Run(result.Package+"."+result.Name, func(t *testing.T) {
			if result.Error != nil || !result.Pass() {
				t.Errorf("%s: %v (error %v)", result.Location, result, result.Error)
			}
		})
	}
	if ran == 0 {
		t.Error("there are no tests")
	}
	return covered.Report(modules)
}

func TestRegoTestsPassAndCoverEveryShippedRule(t *testing.T) {
	files := shippedRego(t)
	report := runRego(t, files, nil)
	for name := range files {
		if strings.HasSuffix(name, "_test.rego") {
			continue
		}
		file := report.Files[name]
		if file == nil {
			t.Errorf("%s is not covered at all", name)
			continue
		}
		for _, gap := range file.NotCovered {
			if placeholder(t, name, files[name], gap.Start.Row) {
				continue
			}
			t.Errorf("%s:%d-%d is not covered by its tests", name, gap.Start.Row, gap.End.Row)
		}
	}
}

// placeholder reports whether a rule that only shows the shape of a set, and
// never fires, stands in a row.
func placeholder(t *testing.T, name, text string, row int) bool {
	t.Helper()
	modules, err := parse(map[string]string{name: text})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(modules[name].Rules, func(r *ast.Rule) bool {
		return r.Location.Row == row && r.Body.String() == "false"
	})
}

func TestShippedRulesCompileStrictlyWithSchemaAndCapabilities(t *testing.T) {
	if _, err := compile(t.Context(), shipped(), nil); err != nil {
		t.Fatal(err)
	}
}

// formatted formats a text, and makes sure that the formatter did not change
// what it says: version 1.22 breaks some chains of else without an error.
func formatted(name, text string) (string, error) {
	out, err := format.SourceWithOpts(name, []byte(text), format.Opts{RegoVersion: ast.RegoV1})
	if err != nil {
		return "", err
	}
	return string(out), sameMeaning(name, text, string(out))
}

func sameMeaning(name, before, after string) error {
	modules, err := parse(map[string]string{"before " + name: before, "after " + name: after})
	if err != nil {
		return fmt.Errorf("the formatter breaks %s: %w", name, err)
	}
	if !modules["before "+name].Equal(modules["after "+name]) {
		return fmt.Errorf("the formatter changes what %s says", name)
	}
	return nil
}

func TestRegoFilesAreFormatted(t *testing.T) {
	for name, text := range regoFiles(t, shipped(), ".") {
		want, err := formatted(name, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if *update && want != text {
			if err := os.WriteFile(shippedFolder+"/"+name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, text); diff != "" {
			t.Errorf("%s is not formatted (-want +got):\n%s", name, diff)
		}
	}
}

func TestFormatCheckSeesAChangedMeaning(t *testing.T) {
	const text = "package x\n\nname(n) := \"one\" if n == 1\n\nelse := \"many\"\n"
	for name, after := range map[string]string{
		"broken":  "package x\n\nname(n) := \"one\" if n == 1 else\n",
		"changed": "package x\n\nname(n) := \"one\" if n == 1\n",
	} {
		if err := sameMeaning("x.rego", text, after); err == nil {
			t.Errorf("a text that the formatter has %s passes", name)
		}
	}
	if err := sameMeaning("x.rego", text, text); err != nil {
		t.Error(err)
	}
}

var snakeCase = regexp.MustCompile(`^_?[a-z][a-z0-9_]*$`)

// TestShippedRulesKeepTheHouseStyle is the linter of the shipped packages.
func TestShippedRulesKeepTheHouseStyle(t *testing.T) {
	modules, err := parseAnnotated(regoFiles(t, shipped(), "."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		for _, complaint := range lint(name, modules[name]) {
			t.Errorf("%s: %s", name, complaint)
		}
	}
}

// lint returns what is wrong with the style of a module.
func lint(name string, m *ast.Module) (complaints []string) {
	complain := func(text string, at *ast.Rule) {
		if at != nil {
			text += ": " + at.Head.Ref().String()
		}
		complaints = append(complaints, text)
	}
	test := strings.HasSuffix(name, "_test.rego")
	want := "pasteport." + path.Base(path.Dir(name))
	example := strings.HasPrefix(name, "examples/") || strings.HasPrefix(name, "gallery/")
	if example {
		want = "pasteport.site"
	}
	if test {
		want += "_test"
	}
	if got := strings.TrimPrefix(m.Package.Path.String(), "data."); got != want {
		complain("the package is "+got+", not "+want, nil)
	}
	described, packageDescribed := map[string]bool{}, false
	for _, a := range m.Annotations {
		has := a.Title != "" || a.Description != ""
		if a.Scope == "package" {
			packageDescribed = a.Title != "" && a.Description != ""
		}
		if r, ok := a.GetTargetPath(), has; ok && r != nil {
			described[r.String()] = true
		}
	}
	if !test && !example && !packageDescribed { // examples share one package
		complain("the package has no title and description", nil)
	}
	for _, r := range m.Rules {
		ruleName := r.Head.Ref()[0].String()
		switch private := strings.HasPrefix(ruleName, "_"); {
		case !snakeCase.MatchString(ruleName):
			complain("the name is not in snake_case", r)
		case !private && !test && !described[m.Package.Path.String()+"."+ruleName]:
			complain("a rule that others use has no metadata", r)
		case test && !private && !strings.HasPrefix(ruleName, "test_"):
			complain("a helper of a test does not begin with _", r)
		}
		if r.Else != nil {
			complain("else is used", r)
		}
	}
	return complaints
}

func TestLintComplains(t *testing.T) {
	for name, text := range map[string]string{
		"else":             "# METADATA\n# title: t\n# description: d\npackage pasteport.lib\n\n# METADATA\n# title: t\nname := 1 if input.x else := 2\n",
		"metadata of rule": "# METADATA\n# title: t\n# description: d\npackage pasteport.lib\n\nname := 1\n",
		"metadata":         "package pasteport.lib\n\n_name := 1\n",
		"package":          "# METADATA\n# title: t\n# description: d\npackage pasteport.other\n",
		"case":             "# METADATA\n# title: t\n# description: d\npackage pasteport.lib\n\n# METADATA\n# title: t\nsomeName := 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			modules, err := parseAnnotated(map[string]string{"lib/lib.rego": text})
			if err != nil {
				t.Fatal(err)
			}
			if got := lint("lib/lib.rego", modules["lib/lib.rego"]); len(got) != 1 {
				t.Errorf("complaints %q, want one", got)
			}
		})
	}
}

func TestCapabilitiesFileIsWhatTheCompilerGets(t *testing.T) {
	c := capabilities()
	want, err := json.MarshalIndent(struct {
		Builtins       []*ast.Builtin `json:"builtins"`
		FutureKeywords []string       `json:"future_keywords"`
		Features       []string       `json:"features"`
		AllowNet       []string       `json:"allow_net"`
	}{c.Builtins, c.FutureKeywords, c.Features, c.AllowNet}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(shippedFolder+"/capabilities.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fs.ReadFile(shipped(), "capabilities.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("policies/capabilities.json differs from the compiler's; go test ./adapters/opa -run Capabilities -update writes it")
	}
	loaded, err := ast.LoadCapabilitiesJSON(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if loaded.AllowNet == nil || len(loaded.AllowNet) != 0 {
		t.Errorf("allow_net is %v, want an empty list", loaded.AllowNet)
	}
}
