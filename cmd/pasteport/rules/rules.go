// Package rules is what an author of rules does without the panel, on a folder:
// the commands below "pasteport policy" that need no server and no database.
package rules

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/opa"
	rulebook "pasteport/domain/policies"
	"pasteport/policies"
	"pasteport/ports/policy"
)

// Commands are the commands of an author of rules.
type Commands struct {
	Check  checkCommand  `cmd:"" help:"Compile the rules of a folder, and say what is wrong with them."`
	Test   testCommand   `cmd:"" help:"Run the tests of a folder of rules, with coverage."`
	Eval   evalCommand   `cmd:"" help:"Answer a question by the rules of a folder, and tell why."`
	Replay replayCommand `cmd:"" help:"Answer the questions of a decision log again by other rules, and print the differences."`
	Pack   packCommand   `cmd:"" help:"Pack the rules of a folder as a bundle of Open Policy Agent."`
	Unpack unpackCommand `cmd:"" help:"Write the rules of a bundle into a new folder."`
}

// Read reads the rules of a folder the way the server does.
func Read(dir string) (policy.Rules, error) {
	if dir == "" {
		return policy.Rules{}, nil
	}
	rules := policy.Rules{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || path.Ext(name) != ".rego" && name != "data.json":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		rules[strings.ReplaceAll(name, "/", "_")] = string(text)
		return err
	})
	return rules, err
}

// trialWord makes this program what tries rules for the server that started it.
const trialWord = "try-rules"

// ServeTrial makes the process one that tries rules, before anything else of
// this program is set up. It is false for every other command line.
func ServeTrial(args []string) (isTrial bool, err error) {
	if len(args) != 2 || args[1] != trialWord {
		return false, nil
	}
	return true, opa.ServeTrial(context.Background(), policies.Files, os.Stdin, os.Stdout)
}

// Trials runs this program anew to try rules in a process of their own.
func Trials() *opa.Trials { return opa.NewTrials(trialWord) }

// CountsUsage says whether the server counts what callers have used, for rules
// that read it.
const CountsUsage = true

// Folder is a folder of rules as the server reads it; without a name none.
func Folder(dir string) fs.FS {
	if dir == "" {
		return nil
	}
	return rulesFolder(dir)
}

// rulesFolder is a folder whose errors name the files as the operator does.
type rulesFolder string

// Open opens a file of the folder.
func (f rulesFolder) Open(name string) (fs.File, error) {
	file, err := os.DirFS(string(f)).Open(name)
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = filepath.Join(string(f), filepath.FromSlash(name))
	}
	return file, err
}

// errRules ends a command whose rules are not good, after it has said why.
var errRules = errors.New("the rules are not good")

// checkCommand compiles rules.
type checkCommand struct {
	Dir string `arg:"" help:"Folder with the rules."`
}

// Run prints what is wrong, or the rules.
func (c *checkCommand) Run(ctx context.Context) error {
	report, err := checkFolder(ctx, c.Dir)
	if err != nil {
		return err
	}
	for _, r := range report.Rules {
		fmt.Printf("%s:%d: %s %s  %s\n", r.File, r.Row, r.Set, r.Code, r.Title)
	}
	for name := range report.Formatted {
		fmt.Printf("%s: not in the usual form (opa fmt)\n", name)
	}
	fmt.Printf("revision %s: %d rules\n", report.Revision, len(report.Rules))
	return nil
}

// checkFolder checks the rules of a folder and prints their problems.
func checkFolder(ctx context.Context, dir string) (policy.Report, error) {
	report, err := Trials().Check(ctx, policies.Files, Folder(dir), CountsUsage)
	if err != nil {
		return report, err
	}
	problems := slices.Concat(report.Problems, report.Lockouts)
	for _, p := range problems {
		if p.File != "" {
			fmt.Printf("%s:%d:%d: ", p.File, p.Row, p.Column)
		}
		fmt.Printf("%s: %s\n", p.Code, p.Message)
	}
	if len(problems) > 0 {
		return report, errRules
	}
	return report, nil
}

// testCommand runs tests.
type testCommand struct {
	Dir string `arg:"" help:"Folder with the rules and their tests."`
}

// Run prints each test and the rows that no test reaches.
func (c *testCommand) Run(ctx context.Context) error {
	report, err := checkFolder(ctx, c.Dir)
	if err != nil {
		return err
	}
	for _, t := range report.Tests {
		word := "pass"
		if !t.Passed {
			word = "FAIL"
		}
		fmt.Printf("%s %s (%s:%d) %s\n", word, t.Name, t.File, t.Row, t.Message)
	}
	for _, f := range report.Coverage {
		for _, l := range f.NotCovered {
			fmt.Printf("%s:%d-%d: not covered\n", f.File, l.From, l.To)
		}
	}
	fmt.Printf("%d tests, coverage %.1f%%\n", len(report.Tests), report.Percent)
	if !report.OK() {
		return errRules
	}
	return nil
}

// evalCommand answers one question.
type evalCommand struct {
	Input string `arg:"" help:"File with the input document (JSON); \"-\" is the standard input."`
	Dir   string `name:"rules" env:"-" help:"Folder with the rules. Default: the shipped rules alone." placeholder:"DIR"`
	Trace bool   `name:"trace" env:"-" help:"Show each step."`
}

// Run prints the decision as JSON, with the names of the interface that tries rules.
func (c *evalCommand) Run(ctx context.Context) error {
	var document []byte
	var err error
	if c.Input == "-" {
		document, err = io.ReadAll(os.Stdin)
	} else {
		document, err = os.ReadFile(c.Input)
	}
	if err != nil {
		return err
	}
	q, err := opa.QueryOf(document)
	if err != nil {
		return err
	}
	e, err := Trials().Explain(ctx, policies.Files, Folder(c.Dir), q, c.Trace)
	if err != nil {
		return err
	}
	fmt.Print(e.Trace)
	reasons := []map[string]any{}
	for _, r := range e.Decision.Reasons {
		reasons = append(reasons, map[string]any{"code": r.Code, "message": r.Message, "source": r.Source})
	}
	obligations := map[string]int64{}
	for _, l := range policy.Limits {
		if n := *l.Of(&e.Decision.Obligations); n > 0 {
			obligations[l.Name] = n
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(map[string]any{"allow": e.Decision.Allow, "reasons": reasons, "failed": e.Failed, "scope": e.Decision.Scope, "obligations": obligations, "fired": wire.PolicyRulesOf(e.Fired)})
}

// replayCommand compares rules by a log.
type replayCommand struct {
	Log       string `arg:"" help:"Decision log as the panel exports it (JSON lines); \"-\" is the standard input."`
	Last      int    `name:"last" env:"-" help:"Answer this many decisions, the newest of the log; 0 is all." default:"0"`
	Candidate string `name:"candidate" env:"-" help:"Folder with the rules to try. Default: the shipped rules alone." placeholder:"DIR"`
}

// replayed is how many questions of a log are answered at once.
const replayed = 500

// loggedDecision is a line of an exported decision log.
type loggedDecision struct {
	ID     string          `json:"decision_id"`
	Allow  bool            `json:"allow"`
	Codes  []string        `json:"codes"`
	Failed string          `json:"failed"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
}

// Run prints a line for each decision that the candidate makes otherwise.
func (c *replayCommand) Run(ctx context.Context) (err error) {
	in := os.Stdin
	if c.Log != "-" {
		if in, err = os.Open(c.Log); err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
	}
	if c.Last < 0 {
		return errors.New("--last must not be below 0")
	}
	var before []loggedDecision
	var queries []policy.Query
	trials, asked, differ, skipped := Trials(), 0, 0, 0
	answer := func() error {
		now, err := trials.Foresee(ctx, policies.Files, Folder(c.Candidate), queries)
		for i, e := range now {
			if rulebook.Differs(before[i].Allow, before[i].Failed, e) {
				differ++
				printDifference(before[i], queries[i], e)
			}
		}
		asked += len(queries)
		before, queries = before[:0], queries[:0]
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; (c.Last == 0 || n <= c.Last) && lines.Scan(); n++ { // the export begins with the newest
		var line loggedDecision
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("line %d of the log: %w", n, err)
		}
		q, err := opa.QueryOf(line.Input)
		if err != nil || q.Do == "" || !rulebook.MadeByRules(line.Codes) {
			skipped++
			continue
		}
		if before, queries = append(before, line), append(queries, q); len(queries) < replayed {
			continue
		}
		if err := answer(); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if err := answer(); err != nil { // of an empty log too: the rules must be good
		return err
	}
	fmt.Printf("%d decisions, %d differ, %d skipped\n", asked, differ, skipped)
	return nil
}

func printDifference(before loggedDecision, q policy.Query, now policy.Explanation) {
	codes := []string{}
	for _, r := range now.Decision.Reasons {
		codes = append(codes, r.Code)
	}
	fmt.Printf("%s %s %s %q %s: %s before, %s now %s%s\n", before.ID, q.Who.Kind, before.Name, q.On.Paths, q.Do, word(before.Allow), word(now.Decision.Allow), strings.Join(codes, ","), now.Failed)
}

func word(allow bool) string {
	if allow {
		return "allowed"
	}
	return "refused"
}

// packCommand makes a bundle.
type packCommand struct {
	Dir    string `arg:"" help:"Folder with the rules."`
	Bundle string `arg:"" help:"File to write (.tar.gz); it must not be there yet."`
}

// Run checks the rules and writes the bundle.
func (c *packCommand) Run(ctx context.Context) error {
	report, err := checkFolder(ctx, c.Dir)
	if err != nil {
		return err
	}
	site, err := Read(c.Dir)
	if err != nil {
		return err
	}
	packed, err := opa.Bundles{}.Pack(report.Revision, site)
	if err != nil {
		return err
	}
	if err := writeNew(c.Bundle, packed); err != nil {
		return err
	}
	fmt.Printf("revision %s: %d files\n", report.Revision, len(site))
	return nil
}

// unpackCommand takes a bundle apart.
type unpackCommand struct {
	Bundle string `arg:"" help:"File with the bundle."`
	Dir    string `arg:"" help:"Folder to make; it must not be there yet."`
}

// Run writes the files.
func (c *unpackCommand) Run() error {
	packed, err := os.Open(c.Bundle)
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }()
	site, err := opa.Bundles{}.Unpack(packed)
	if err != nil {
		return err
	}
	if err := os.Mkdir(c.Dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(site)) {
		if err := writeNew(filepath.Join(c.Dir, name), []byte(site[name])); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}

// writeNew writes a file that is not there yet.
func writeNew(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
