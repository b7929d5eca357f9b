package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"pasteport/adapters/opa"
	"pasteport/adapters/secrets"
	"pasteport/domain/audit"
	"pasteport/domain/keys"
	rulebook "pasteport/domain/policies"
	"pasteport/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// policyCommand holds what an author of rules does without the panel.
type policyCommand struct {
	Check  policyCheckCommand  `cmd:"" help:"Compile the rules of a folder, and say what is wrong with them."`
	Test   policyTestCommand   `cmd:"" help:"Run the tests of a folder of rules, with coverage."`
	Eval   policyEvalCommand   `cmd:"" help:"Answer a question by the rules of a folder, and tell why."`
	Replay policyReplayCommand `cmd:"" help:"Answer the questions of a decision log again by other rules, and print the differences."`
	Reset  policyResetCommand  `cmd:"" help:"Put the shipped rules alone in force. Stop the server first when it uses SQLite."`
}

// rulesIn reads the rules of a folder the way the server does.
func rulesIn(dir string) (policy.Rules, error) {
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

// trialCommand makes the process one that tries rules, before anything else of
// this program is set up. It is false for every other command line.
func trialCommand(args []string) (isTrial bool, err error) {
	if len(args) != 2 || args[1] != trialWord {
		return false, nil
	}
	return true, opa.ServeTrial(context.Background(), policies.Files, os.Stdin, os.Stdout)
}

// countsUsage says whether the server counts what callers have used, for rules
// that read it.
const countsUsage = true

// ownRules is a folder of rules as the server reads it; without a name none.
func ownRules(dir string) fs.FS {
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

// policyCheckCommand compiles rules.
type policyCheckCommand struct {
	Dir string `arg:"" help:"Folder with the rules."`
}

// Run prints what is wrong, or the rules.
func (c *policyCheckCommand) Run(ctx context.Context, _ *settings) error {
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
	report, err := opa.NewTrials(trialWord).Check(ctx, policies.Files, ownRules(dir), countsUsage)
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

// policyTestCommand runs tests.
type policyTestCommand struct {
	Dir string `arg:"" help:"Folder with the rules and their tests."`
}

// Run prints each test and the rows that no test reaches.
func (c *policyTestCommand) Run(ctx context.Context, _ *settings) error {
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

// policyEvalCommand answers one question.
type policyEvalCommand struct {
	Input string `arg:"" help:"File with the input document (JSON); \"-\" is the standard input."`
	Dir   string `name:"rules" env:"-" help:"Folder with the rules. Default: the shipped rules alone." placeholder:"DIR"`
	Trace bool   `name:"trace" env:"-" help:"Show each step."`
}

// Run prints the decision as JSON.
func (c *policyEvalCommand) Run(ctx context.Context, _ *settings) error {
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
	e, err := opa.NewTrials(trialWord).Explain(ctx, policies.Files, ownRules(c.Dir), q, c.Trace)
	if err != nil {
		return err
	}
	fmt.Print(e.Trace)
	reasons := []map[string]any{}
	for _, r := range e.Decision.Reasons {
		reasons = append(reasons, map[string]any{"code": r.Code, "message": r.Message, "source": r.Source})
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(map[string]any{"allow": e.Decision.Allow, "reasons": reasons, "failed": e.Failed, "scope": e.Decision.Scope, "obligations": e.Decision.Obligations, "fired": e.Fired})
}

// policyReplayCommand compares rules by a log.
type policyReplayCommand struct {
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
func (c *policyReplayCommand) Run(ctx context.Context, _ *settings) (err error) {
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
	trials, asked, differ, skipped := opa.NewTrials(trialWord), 0, 0, 0
	answer := func() error {
		now, err := trials.Foresee(ctx, policies.Files, ownRules(c.Candidate), queries)
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

// policyResetCommand helps an operator whom rules lock out.
type policyResetCommand struct{}

// Run puts the shipped rules alone in force.
func (*policyResetCommand) Run(ctx context.Context, s *settings) (err error) {
	if s.PolicyDir != "" {
		return fmt.Errorf("the rules come from the folder %s; mend them there and send the server SIGHUP", s.PolicyDir)
	}
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.openStore(ctx, s); err != nil {
		return err
	}
	p := rulebook.New(rulebook.Deps{Repository: a.store.Policies(), Work: a.store, Invalidation: a.store.Invalidation(), Clock: ports.SystemClock})
	if err := p.Reset(ctx); err != nil {
		return err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return err
	}
	if err := a.noteCommand(ctx, audit.PoliciesReset, ""); err != nil {
		return err
	}
	_, err = fmt.Println("the shipped rules alone are in force; all revisions are kept")
	return err
}

// openPolicies makes the rules of the site, which the panel changes.
func (a *app) openPolicies(s *settings, decider policy.Decider) {
	a.policies = rulebook.New(rulebook.Deps{
		Repository: a.store.Policies(), Log: a.decisions, Work: a.store, Engine: a.rules, Decider: decider, Keys: callers{a.store.Keys()},
		Invalidation: a.store.Invalidation(), Clock: ports.SystemClock, Random: secrets.Random{}, Report: a.report,
		Folder: s.PolicyDir, FolderRules: func() (policy.Rules, error) { return rulesIn(s.PolicyDir) },
		Question: opa.QueryOf,
		Note: func(ctx context.Context, action, target string) error {
			return a.audit.Add(ctx, audit.Entry{Kind: policy.System, Name: "server", Action: action, Target: target})
		},
	})
}

// reloadPolicies reads the rules again where they are kept.
func (a *app) reloadPolicies(ctx context.Context) error {
	if a.policies.InFolder() {
		return a.policies.ReloadFolder(ctx, a.rules.Reload)
	}
	return a.policies.Reload(ctx)
}

// callers are the API keys as they would ask.
type callers struct{ keys keys.KeyRepository }

// Principal returns a key as it would ask.
func (c callers) Principal(ctx context.Context, id string) (policy.Principal, error) {
	key, err := c.keys.Get(ctx, id)
	if err != nil {
		return policy.Principal{}, err
	}
	return key.Principal(), nil
}

// Principals returns all keys.
func (c callers) Principals(ctx context.Context) ([]policy.Principal, error) {
	page, err := c.keys.List(ctx, keys.KeyFilter{})
	all := make([]policy.Principal, len(page.Items))
	for i := range page.Items {
		all[i] = page.Items[i].Principal()
	}
	return all, err
}

// lateRecorder is a recorder that comes after the rules: they compile while the
// database is opened.
type lateRecorder struct {
	mu  sync.RWMutex
	log *rulebook.Log
}

// Record passes a decision on once there is a log.
func (l *lateRecorder) Record(r policy.Record) {
	l.mu.RLock()
	log := l.log
	l.mu.RUnlock()
	if log != nil {
		log.Record(r)
	}
}

func (l *lateRecorder) set(log *rulebook.Log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = log
}

// runPolicies follows changes of other nodes, ends trials and writes the
// decision log, until ctx ends.
func (a *app) runPolicies(ctx context.Context, loops *sync.WaitGroup) {
	reload := func() {
		if err := a.policies.Reload(ctx); err != nil && ctx.Err() == nil {
			a.report("take over the policy; the old one stays", err)
		}
	}
	a.store.Invalidation().Subscribe(ctx, rulebook.Changed, func(string) { reload() })
	loops.Go(func() {
		every(ctx, 30*time.Second, func(_ context.Context, last bool) {
			if !last {
				reload()
			}
		})
	})
	loops.Go(func() {
		every(ctx, 500*time.Millisecond, func(ctx context.Context, last bool) {
			if err := a.decisions.Flush(ctx); err != nil {
				a.report("write the decision log", err)
			}
			if last {
				return
			}
			if err := a.policies.EndTrials(ctx); err != nil {
				a.report("end the trial of a policy", err)
			}
			if err := a.policies.PutBack(ctx); err != nil {
				a.report("put back a policy that fails", err)
			}
		})
	})
}
