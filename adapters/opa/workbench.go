package opa

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"pasteport/ports"
	"pasteport/ports/policy"
)

const (
	maxTrace     = 64 << 10 // bytes of a trace
	explainTime  = time.Second
	maxTraceStep = 20_000
)

// Check compiles rules, runs their tests and tells what it found.
func (d *Decider) Check(ctx context.Context, rules policy.Rules) (policy.Report, error) {
	text, err := takeRules(d.base, rules)
	if err != nil {
		return policy.Report{Problems: problemsOf(err)}, nil
	}
	return d.checkText(ctx, text)
}

// checkText checks rules, in a child process when there are any.
func (d *Decider) checkText(ctx context.Context, text *ruleText) (policy.Report, error) {
	result, err := d.try(ctx, text, trialRequest{Check: true})
	if err != nil {
		return policy.Report{}, err
	}
	return result.Report, nil
}

// try tries rules, in a child process when there are any.
func (d *Decider) try(ctx context.Context, text *ruleText, r trialRequest) (*trialResult, error) {
	r.Counted = d.usage != nil
	if d.trials == nil {
		return tryRules(ctx, d.base, text, r)
	}
	return d.trials.run(ctx, text, r)
}

// Put puts rules in force.
func (d *Decider) Put(ctx context.Context, rules policy.Rules) (string, error) {
	if err := d.activate(ctx, false, func() (*ruleText, error) { return takeRules(d.base, rules) }); err != nil {
		return "", err
	}
	return d.Revision(), nil
}

// rescue is in force when the rules of a site cannot be.
const rescue = `package pasteport.site

import data.pasteport.lib

deny contains {"code": "policy_broken", "message": {
	"en": "The site's rules cannot be loaded. Mend them on the machine of the server.",
	"zh-CN": "站点规则无法加载，请在服务器本机上修复。",
}} if not _mending

_mending if {
	input.action in {"session.open", "session.close", "admin.policy.read", "admin.policy.write", "site.read"}
	lib.client_in({"127.0.0.0/8", "::1/128"})
}
`

// Rescue refuses everything but signing in and mending the policy from this
// machine.
func (d *Decider) Rescue(ctx context.Context) error {
	_, err := d.Put(ctx, policy.Rules{"rescue.rego": rescue})
	return err
}

// check compiles rules, runs their tests and asks them what is asked every day.
func check(ctx context.Context, base fs.FS, text *ruleText, counted bool) (report policy.Report, _ error) {
	report.Formatted = reformatted(text)
	revision, schemas, err := prepareSet(ctx, base, text)
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	if err != nil {
		report.Problems = problemsOf(err)
		return report, nil
	}
	report.Revision, report.Rules = revision.id, revision.catalogue
	if revision.readsUsage && !counted {
		report.Problems = append(report.Problems, policy.Problem{Code: "rules", Message: errUncounted.Error()})
	}
	if err := lintSite(base, text, revision.actions); err != nil {
		report.Problems = append(report.Problems, problemsOf(err)...)
	}
	coverage := cover.New()
	results, err := testResults(ctx, text, schemas, revision.store, coverage)
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	if err != nil {
		report.Problems = append(report.Problems, problemsOf(err)...)
		return report, nil
	}
	for _, r := range results {
		one := policy.TestResult{Name: strings.TrimPrefix(r.Package, "data.") + "." + r.Name, Passed: r.Pass(), Took: r.Duration}
		if r.Location != nil {
			one.File, one.Row = ownName(r.Location.File), r.Location.Row
		}
		if r.Error != nil {
			one.Message = shortened(r.Error.Error())
		}
		report.Tests = append(report.Tests, one)
	}
	report.Coverage, report.Percent = coverageOf(coverage, revision.compiler.Modules, true)
	if len(report.Problems) == 0 {
		report.Problems = revision.everyday(ctx)
		report.Lockouts = revision.lockouts(ctx)
	}
	return report, ctx.Err()
}

// problemsOf names the places of errors.
func problemsOf(err error) (problems []policy.Problem) {
	var many ast.Errors
	if !errors.As(err, &many) {
		var one *ast.Error
		if !errors.As(err, &one) {
			return []policy.Problem{{Code: "rules", Message: shortened(strings.ReplaceAll(err.Error(), sitePrefix+"/", ""))}}
		}
		many = ast.Errors{one}
	}
	for _, e := range many {
		p := policy.Problem{Code: e.Code, Message: shortened(e.Message)}
		if e.Details != nil {
			p.Message = shortened(p.Message + "\n" + strings.Join(e.Details.Lines(), "\n"))
		}
		if e.Location != nil {
			p.File, p.Row, p.Column = ownName(e.Location.File), e.Location.Row, e.Location.Col
		}
		problems = append(problems, p)
	}
	return problems
}

func shortened(s string) string {
	const limit = 2000
	return strings.ToValidUTF8(s[:min(len(s), limit)], "")
}

// ownName is how the author calls a file.
func ownName(file string) string { return strings.TrimPrefix(file, sitePrefix+"/") }

// reformatted returns the site's files that are not in the usual form, in it.
func reformatted(text *ruleText) policy.Rules {
	other := policy.Rules{}
	for _, files := range []map[string]string{text.rules, text.tests} {
		for name, text := range files {
			if !strings.HasPrefix(name, sitePrefix+"/") {
				continue
			}
			usual, err := format.SourceWithOpts(name, []byte(text), format.Opts{RegoVersion: ast.RegoV1})
			if err == nil && string(usual) != text {
				other[ownName(name)] = string(usual)
			}
		}
	}
	return other
}

// rulesOf lists the site's rules that refuse or limit, in the order of files.
func rulesOf(text *ruleText) (rules []policy.Rule) {
	modules, err := parseAnnotated(text.rules)
	if err != nil {
		return nil // the rules have compiled
	}
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		m := modules[file]
		if !strings.HasPrefix(file, sitePrefix+"/") || !m.Package.Path.Equal(sitePackage) {
			continue
		}
		for _, r := range m.Rules {
			set := r.Head.Ref().String()
			if set, _, _ = strings.Cut(set, "["); set != "deny" && set != "limit" {
				continue
			}
			one := policy.Rule{File: ownName(file), Row: r.Head.Location.Row, Set: set, Code: codeOf(r)}
			for _, a := range r.Annotations {
				one.Title, one.Description, one.Owner = a.Title, strings.TrimSpace(a.Description), ownerOf(a)
			}
			rules = append(rules, one)
		}
	}
	return rules
}

// ownerOf names the authors of a rule, else the organizations.
func ownerOf(a *ast.Annotations) string {
	if len(a.Authors) == 0 {
		return strings.Join(a.Organizations, ", ")
	}
	names := make([]string, len(a.Authors))
	for i, author := range a.Authors {
		names[i] = cmp.Or(author.Name, author.Email)
	}
	return strings.Join(names, ", ")
}

var codeInText = regexp.MustCompile(`"(?:code|name)"\s*:\s*"([^"]+)"`)

// codeOf is the code that a rule gives when it stands in its text.
func codeOf(r *ast.Rule) string {
	if r.Head.Key == nil {
		return ""
	}
	if object, ok := r.Head.Key.Value.(ast.Object); ok {
		for _, name := range []string{"code", "name"} {
			if s, ok := stringAt(object, name); ok {
				return s
			}
		}
		return ""
	}
	found := codeInText.FindStringSubmatch(string(r.Location.Text))
	if len(found) != 2 {
		return ""
	}
	return found[1]
}

// coverageOf tells which rows were evaluated, of the site's files or of all.
func coverageOf(c *cover.Cover, modules map[string]*ast.Module, ownOnly bool) (files []policy.FileCoverage, percent float64) {
	report := c.Report(modules)
	covered, all := 0, 0
	for _, file := range slices.Sorted(maps.Keys(report.Files)) {
		own := strings.HasPrefix(file, sitePrefix+"/") && !strings.HasSuffix(file, "_test.rego")
		if ownOnly && !own {
			continue
		}
		one := report.Files[file]
		covered, all = covered+one.CoveredLines, all+one.CoveredLines+one.NotCoveredLines
		files = append(files, policy.FileCoverage{File: ownName(file), Covered: linesOf(one.Covered), NotCovered: linesOf(one.NotCovered), Percent: one.Coverage})
	}
	if all > 0 {
		percent = 100 * float64(covered) / float64(all)
	}
	return files, percent
}

func linesOf(ranges []cover.Range) []policy.Lines {
	lines := make([]policy.Lines, len(ranges))
	for i, r := range ranges {
		lines[i] = policy.Lines{From: r.Start.Row, To: r.End.Row}
	}
	return lines
}

// Explain answers a query by rules, or by those in force when rules is nil.
func (d *Decider) Explain(ctx context.Context, rules policy.Rules, q policy.Query, trace bool) (policy.Explanation, error) {
	if rules == nil {
		return explain(ctx, d.current.Load(), q, d.clock, trace), nil
	}
	all, err := d.ask(ctx, rules, trialRequest{Queries: []policy.Query{q}, Trace: trace})
	if err != nil {
		return policy.Explanation{}, err
	}
	return all[0], nil
}

// Foresee answers queries by rules, and by those in force when rules is nil,
// without what led to the answers.
func (d *Decider) Foresee(ctx context.Context, rules policy.Rules, queries []policy.Query) ([]policy.Explanation, error) {
	if rules != nil {
		return d.ask(ctx, rules, trialRequest{Queries: queries, Brief: true})
	}
	all := make([]policy.Explanation, len(queries))
	for i, q := range queries {
		all[i] = d.current.Load().brief(ctx, q)
	}
	return all, nil
}

// ask answers queries by rules that are not in force.
func (d *Decider) ask(ctx context.Context, rules policy.Rules, r trialRequest) ([]policy.Explanation, error) {
	text, err := takeRules(d.base, rules)
	if err != nil {
		return nil, invalid(err)
	}
	result, err := d.try(ctx, text, r)
	if err != nil {
		return nil, err
	}
	return result.answers(r)
}

// brief answers a query without telling what led to it.
func (r *revision) brief(ctx context.Context, q policy.Query) (e policy.Explanation) {
	e.Revision = r.id
	limit := newDeadline(ctx, max(explainTime, r.timeout))
	defer limit.release()
	decision, err := r.whole(ctx, inputOf(question{q.Who, q.Do}, q.On, &q.Call, q.Usage, ports.SystemClock), limit)
	if err != nil {
		e.Failed = shortened(err.Error())
		return e
	}
	e.Decision = decision
	return e
}

// stepLimit keeps the first steps of a trace.
type stepLimit struct{ topdown.BufferTracer }

// TraceEvent keeps the event while there is room.
func (s *stepLimit) TraceEvent(e topdown.Event) {
	if len(s.BufferTracer) < maxTraceStep {
		s.BufferTracer.TraceEvent(e)
	}
}

func explain(ctx context.Context, rules *revision, q policy.Query, clock ports.Clock, trace bool) (e policy.Explanation) {
	e.Revision = rules.id
	start := time.Now()
	limit := newDeadline(ctx, max(explainTime, rules.timeout))
	defer limit.release()
	in := inputOf(question{q.Who, q.Do}, q.On, &q.Call, q.Usage, clock)
	if document, err := ast.JSON(in); err == nil {
		e.Input, _ = json.Marshal(document) // it came from plain values
	}
	coverage, steps := cover.New(), &stepLimit{}
	options := []rego.EvalOption{rego.EvalQueryTracer(coverage)}
	if trace {
		options = append(options, rego.EvalQueryTracer(steps))
	}
	decision, err := rules.whole(ctx, in, limit, options...)
	e.Took = time.Since(start)
	if err != nil {
		e.Failed = shortened(err.Error())
	} else {
		e.Decision = decision
	}
	e.Lines, _ = coverageOf(coverage, rules.compiler.Modules, false)
	e.Fired = rules.fired(coverage)
	if trace {
		var text bytes.Buffer
		topdown.PrettyTraceWithLocation(&text, steps.BufferTracer)
		e.Trace = strings.ToValidUTF8(string(text.Bytes()[:min(text.Len(), maxTrace)]), "")
	}
	return e
}

// fired are the site's rules that came to an end.
func (r *revision) fired(c *cover.Cover) (fired []policy.Rule) {
	report := c.Report(r.compiler.Modules)
	for _, rule := range r.catalogue {
		if report.IsCovered(sitePrefix+"/"+rule.File, rule.Row) {
			fired = append(fired, rule)
		}
	}
	return fired
}

// QueryOf reads an input document back, as the decision log has it. What it
// lacks is empty.
func QueryOf(document []byte) (policy.Query, error) {
	var in struct {
		Subject struct {
			Type, ID, Name string
			Guest          bool
			Permissions    int64
			BasicPath      string `json:"basic_path"`
			Usage          struct {
				BytesToday  int64 `json:"bytes_today"`
				FilesToday  int64 `json:"files_today"`
				BytesStored int64 `json:"bytes_stored"`
			}
		}
		Action   string
		Resource struct {
			Kind, ID, Owner, Mount, Name, Extension string
			Paths                                   []string
			ContentType                             string `json:"content_type"`
			Size                                    int64
			URLHost                                 string `json:"url_host"`
			Slug, Storage                           string
			Share                                   struct {
				HasPassword bool  `json:"has_password"`
				ExpiresIn   int64 `json:"expires_in"`
				MaxViews    int64 `json:"max_views"`
				KeyOnly     bool  `json:"key_only"`
			}
		}
		Context struct {
			TimeNS    json.Number `json:"time_ns"`
			ClientIP  string      `json:"client_ip"`
			TLS       bool
			Protocol  string
			Method    string
			Route     string
			RequestID string `json:"request_id"`
		}
	}
	if err := json.Unmarshal(document, &in); err != nil {
		return policy.Query{}, fmt.Errorf("read an input document: %w", err)
	}
	s, r, c := in.Subject, in.Resource, in.Context
	q := policy.Query{Do: policy.Action(in.Action),
		Who: policy.Principal{Kind: policy.Kind(s.Type), ID: s.ID, Name: s.Name, Guest: s.Guest, Permissions: policy.Permission(s.Permissions), BasicPath: s.BasicPath},
		On: policy.Resource{Kind: r.Kind, ID: r.ID, Owner: r.Owner, Mount: r.Mount, Paths: r.Paths, Name: r.Name, Extension: r.Extension, ContentType: r.ContentType,
			Size: r.Size, URLHost: r.URLHost, Slug: r.Slug, Storage: r.Storage, Share: policy.ShareTerms{HasPassword: r.Share.HasPassword, ExpiresIn: r.Share.ExpiresIn, MaxViews: r.Share.MaxViews, KeyOnly: r.Share.KeyOnly}},
		Call:  policy.Call{ClientIP: c.ClientIP, TLS: c.TLS, Protocol: c.Protocol, Method: c.Method, Route: c.Route, RequestID: c.RequestID},
		Usage: policy.Usage{BytesToday: s.Usage.BytesToday, FilesToday: s.Usage.FilesToday, BytesStored: s.Usage.BytesStored}}
	if c.TimeNS != "" {
		ns, err := strconv.ParseInt(string(c.TimeNS), 10, 64)
		if err != nil {
			return policy.Query{}, fmt.Errorf("read the time of an input document: %w", err)
		}
		q.Call.Time = time.Unix(0, ns).UTC()
	}
	return q, nil
}

// Document is the input document of a query, JSON.
func Document(q policy.Query) ([]byte, error) {
	document, err := ast.JSON(inputOf(question{q.Who, q.Do}, q.On, &q.Call, q.Usage, ports.SystemClock))
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}
