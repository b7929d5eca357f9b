package httpapi

import (
	"pasteport/ports/policy"
)

type ruleJSON struct {
	File        string `json:"file"`
	Row         int    `json:"row"`
	Set         string `json:"set"` // deny or limit
	Code        string `json:"code"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Owner       string `json:"owner"` // who its METADATA names as authors
}

func policyRulesOf(rules []policy.Rule) []ruleJSON {
	out := make([]ruleJSON, len(rules))
	for i, r := range rules {
		out[i] = ruleOf(r)
	}
	return out
}

type reportJSON struct {
	OK        bool              `json:"ok"`
	Revision  string            `json:"revision"`
	Problems  []ruleProblemJSON `json:"problems"`
	Tests     []ruleTestJSON    `json:"tests"`
	Coverage  []coverageJSON    `json:"coverage"`
	Percent   float64           `json:"percent"`
	Rules     []ruleJSON        `json:"rules"`
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

type coverageJSON struct {
	File       string   `json:"file"`
	Covered    [][2]int `json:"covered"` // first and last row
	NotCovered [][2]int `json:"not_covered"`
	Percent    float64  `json:"percent"`
}

func coverageOf(files []policy.FileCoverage) []coverageJSON {
	rows := func(lines []policy.Lines) [][2]int {
		out := make([][2]int, len(lines))
		for i, l := range lines {
			out[i] = [2]int{l.From, l.To}
		}
		return out
	}
	out := make([]coverageJSON, len(files))
	for i, f := range files {
		out[i] = coverageJSON{File: f.File, Covered: rows(f.Covered), NotCovered: rows(f.NotCovered), Percent: f.Percent}
	}
	return out
}

func reportOf(r policy.Report) reportJSON {
	out := reportJSON{OK: r.OK(), Revision: r.Revision, Problems: make([]ruleProblemJSON, len(r.Problems)), Tests: make([]ruleTestJSON, len(r.Tests)),
		Coverage: coverageOf(r.Coverage), Percent: r.Percent, Rules: policyRulesOf(r.Rules), Formatted: r.Formatted}
	if out.Formatted == nil {
		out.Formatted = policy.Rules{}
	}
	for i, p := range r.Problems {
		out.Problems[i] = ruleProblemJSON{p.File, p.Row, p.Column, p.Code, p.Message}
	}
	for i, t := range r.Tests {
		out.Tests[i] = ruleTestJSON{t.Name, t.File, t.Row, t.Passed, t.Message, t.Took.Microseconds()}
	}
	return out
}

func ruleOf(r policy.Rule) ruleJSON {
	return ruleJSON{File: r.File, Row: r.Row, Set: r.Set, Code: r.Code, Title: r.Title, Description: r.Description, Owner: r.Owner}
}
