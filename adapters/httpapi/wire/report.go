package wire

import (
	"slices"

	"pasteport/ports/policy"
)

type RuleJSON struct {
	File        string `json:"file"`
	Row         int    `json:"row"`
	Set         string `json:"set"` // deny or limit
	Code        string `json:"code"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Owner       string `json:"owner"` // who its METADATA names as authors
}

func PolicyRulesOf(rules []policy.Rule) []RuleJSON {
	out := make([]RuleJSON, len(rules))
	for i, r := range rules {
		out[i] = RuleOf(r)
	}
	return out
}

type ReportJSON struct {
	OK        bool              `json:"ok"`
	Revision  string            `json:"revision"`
	Problems  []ruleProblemJSON `json:"problems"`
	Tests     []ruleTestJSON    `json:"tests"`
	Coverage  []CoverageJSON    `json:"coverage"`
	Percent   float64           `json:"percent"`
	Rules     []RuleJSON        `json:"rules"`
	Formatted policy.Rules      `json:"formatted"` // files that are not in the usual form, in it
}

type ruleProblemJSON struct {
	File    string `json:"file"`
	Row     int    `json:"row"`
	Column  int    `json:"column"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type ruleTestJSON struct {
	Name    string `json:"name"`
	File    string `json:"file"`
	Row     int    `json:"row"`
	Passed  bool   `json:"passed"`
	Message string `json:"message"`
	Took    int64  `json:"took_us"`
}

type CoverageJSON struct {
	File       string   `json:"file"`
	Covered    [][2]int `json:"covered"` // first and last row
	NotCovered [][2]int `json:"not_covered"`
	Percent    float64  `json:"percent"`
}

func CoverageOf(files []policy.FileCoverage) []CoverageJSON {
	rows := func(lines []policy.Lines) [][2]int {
		out := make([][2]int, len(lines))
		for i, l := range lines {
			out[i] = [2]int{l.From, l.To}
		}
		return out
	}
	out := make([]CoverageJSON, len(files))
	for i, f := range files {
		out[i] = CoverageJSON{File: f.File, Covered: rows(f.Covered), NotCovered: rows(f.NotCovered), Percent: f.Percent}
	}
	return out
}

func ReportOf(r policy.Report) ReportJSON {
	problems := slices.Concat(r.Problems, r.Lockouts)
	out := ReportJSON{OK: r.OK(), Revision: r.Revision, Problems: make([]ruleProblemJSON, len(problems)), Tests: make([]ruleTestJSON, len(r.Tests)),
		Coverage: CoverageOf(r.Coverage), Percent: r.Percent, Rules: PolicyRulesOf(r.Rules), Formatted: r.Formatted}
	if out.Formatted == nil {
		out.Formatted = policy.Rules{}
	}
	for i, p := range problems {
		out.Problems[i] = ruleProblemJSON{p.File, p.Row, p.Column, p.Code, p.Message}
	}
	for i, t := range r.Tests {
		out.Tests[i] = ruleTestJSON{t.Name, t.File, t.Row, t.Passed, t.Message, t.Took.Microseconds()}
	}
	return out
}

func RuleOf(r policy.Rule) RuleJSON {
	return RuleJSON{File: r.File, Row: r.Row, Set: r.Set, Code: r.Code, Title: r.Title, Description: r.Description, Owner: r.Owner}
}
