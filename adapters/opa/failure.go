package opa

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// failure is why an evaluation ended without an answer, and where.
type failure struct {
	rule        string // name or code; empty when it is not known
	file        string
	row, column int
	cause       string
	cancelled   bool // the time was over, or the caller had gone
}

func (f failure) key() string { return fmt.Sprintf("%s %s %s", f.rule, f.place(), f.cause) }

// place is file:row:column, or empty.
func (f failure) place() string {
	if f.file == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", f.file, f.row, f.column)
}

// failureOf finds the rule that an error comes from.
func (r *revision) failureOf(err error) failure {
	f := failure{cause: shortened(err.Error())}
	var engine *topdown.Error
	var limit *limitError
	switch {
	case errors.As(err, &engine):
		f.cause, f.cancelled = shortened(engine.Message), engine.Code == topdown.CancelErr
		if at := engine.Location; at != nil && at.File != "" {
			f.file, f.row, f.column, f.rule = ownName(at.File), at.Row, at.Col, r.ruleAt(at)
		}
	case errors.As(err, &limit):
		for _, rule := range r.catalogue {
			if rule.Set == "limit" && rule.Code == limit.name {
				f.rule, f.file, f.row, f.column = "limit "+rule.Code, rule.File, rule.Row, 1
			}
		}
	}
	return f
}

// ruleAt is the rule around a place.
func (r *revision) ruleAt(at *ast.Location) string {
	m := r.compiler.Modules[at.File]
	if m == nil {
		return ""
	}
	name := ""
	for _, rule := range m.Rules {
		if rule.Location != nil && rule.Location.Row <= at.Row && at.Row <= rule.Location.Row+strings.Count(string(rule.Location.Text), "\n") {
			name = rule.Head.Ref()[0].String()
			if code := codeOf(rule); code != "" {
				name += " " + code
			}
		}
	}
	return name
}
