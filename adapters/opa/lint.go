package opa

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/policy"
)

// linter finds in a site's rules what the compiler lets pass although it can
// only be a mistake.
type linter struct {
	schema  property
	actions []string
	named   map[string]*ast.Term // constants of the site's package by name
	rules   map[string]int       // how many rules have a name
	read    map[string]int       // how often a name stands somewhere
	local   locals               // of the rule that is looked at
	errs    ast.Errors
}

// property is a part of the schema of the input.
type property struct {
	Type       string
	Enum       []string
	Properties map[string]property
	Items      *property
}

// lintSite looks through the modules of a site, as they were parsed.
func lintSite(base fs.FS, text *ruleText, actions []string) error {
	schema, err := fs.ReadFile(base, "schemas/input.json")
	if err != nil {
		return err
	}
	l := &linter{actions: actions, named: map[string]*ast.Term{}, rules: map[string]int{}, read: map[string]int{}}
	if err := json.Unmarshal(schema, &l.schema); err != nil {
		return err
	}
	l.close("resource", "kind", policy.ResourceKinds)
	l.close("context", "protocol", policy.Protocols)
	files := maps.Clone(text.rules)
	maps.Copy(files, text.tests)
	modules, err := parseAnnotated(files)
	if err != nil {
		return err
	}
	own := []*ast.Module{}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		m := modules[name]
		if strings.HasPrefix(name, sitePrefix+"/") {
			l.names(m)
			if _, test := text.tests[name]; !test {
				own = append(own, m)
			}
		}
	}
	for _, m := range own {
		for _, r := range m.Rules {
			l.rule(m, r)
		}
	}
	if len(l.errs) > 0 {
		return l.errs
	}
	return nil
}

// close says which values a field of a part of the input has, beside none.
func (l *linter) close(part, name string, values []string) {
	fields := l.schema.Properties[part].Properties
	field := fields[name]
	field.Enum = append([]string{""}, values...)
	fields[name] = field
}

func (l *linter) complain(at *ast.Location, format string, args ...any) {
	l.errs = append(l.errs, ast.NewError("rules", at, format, args...))
}

// names notes the constants of a module and the names that stand in it.
func (l *linter) names(m *ast.Module) {
	for _, r := range m.Rules {
		name := r.Head.Ref()[0].String()
		if l.rules[name]++; r.Else != nil {
			l.rules[name]++
		}
		if len(r.Head.Args) == 0 && r.Head.Key == nil && r.Head.Value != nil && len(r.Head.Ref()) == 1 && inText(r.Head.Value) {
			l.named[name] = r.Head.Value
		}
	}
	ast.WalkTerms(m, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case ast.Var:
			l.read[string(v)]++
		case ast.Ref:
			for _, part := range v[1:] {
				if s := textOf(part); s != "" {
					l.read[s]++
				}
			}
		}
		return false
	})
	for _, r := range m.Rules { // the rule's own head does not read it
		l.read[r.Head.Ref()[0].String()] -= countHead(r)
	}
}

// countHead is how often a rule's name was counted in its own head.
func countHead(r *ast.Rule) int {
	n, name := 0, r.Head.Ref()[0].String()
	ast.WalkTerms(r.Head, func(t *ast.Term) bool {
		if v, ok := t.Value.(ast.Var); ok && string(v) == name {
			n++
		}
		return false
	})
	return n
}

func (l *linter) rule(m *ast.Module, r *ast.Rule) {
	name := r.Head.Ref()[0].String()
	entry := (name == "deny" || name == "limit") && m.Package.Path.Equal(sitePackage)
	switch {
	case entry && r.Head.Key == nil && len(r.Head.Ref()) == 1:
		l.complain(r.Head.Location, "%s is a set: write \"%s contains {...} if ...\"", name, name)
	case entry && name == "deny":
		l.refusal(r)
	case entry:
		l.limit(r)
	case !strings.HasPrefix(name, "_") && l.read[name] <= 0:
		l.complain(r.Head.Location, "the rule %s has no effect, nothing reads it; refusals are called deny, limits limit, and stand in package pasteport.site", name)
	}
	l.local = l.localsOf(r)
	ast.WalkTerms(r, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case ast.Call:
			l.call(v[0], v[1:], t.Location)
		case ast.Ref:
			l.lookup(v)
		}
		return false
	})
	ast.WalkExprs(r, func(e *ast.Expr) bool {
		if terms, ok := e.Terms.([]*ast.Term); ok && len(terms) > 1 {
			l.call(terms[0], terms[1:], e.Location)
		}
		return false
	})
}

// literal is what a rule adds to its set, when it stands in the text.
func literal(r *ast.Rule) *ast.Term {
	key := r.Head.Key
	if key == nil {
		return nil
	}
	v, ok := key.Value.(ast.Var)
	if !ok {
		return key
	}
	var found *ast.Term
	for _, e := range r.Body {
		if terms, ok := e.Terms.([]*ast.Term); ok && len(terms) == 3 && (e.IsAssignment() || e.IsEquality()) && terms[1].Value.Compare(v) == 0 {
			found = terms[2]
		}
	}
	return found
}

// fixed reports whether a term is a plain value of another type than those.
func fixed[T ast.Value](t *ast.Term) (value T, other bool) {
	value, ok := t.Value.(T)
	if ok {
		return value, false
	}
	switch t.Value.(type) {
	case ast.Null, ast.Boolean, ast.Number, ast.String, *ast.Array, ast.Object, ast.Set:
		return value, true
	}
	return value, false
}

func (l *linter) refusal(r *ast.Rule) {
	what := literal(r)
	if what == nil {
		return
	}
	object, other := fixed[ast.Object](what)
	if other {
		l.complain(what.Location, "a refusal is {\"code\": ..., \"message\": ...}, not %v", what)
		return
	}
	if object == nil {
		return
	}
	l.fields(object, "refusal", "code", "message")
	code := object.Get(ast.InternedTerm("code"))
	if code == nil {
		l.complain(what.Location, "the refusal has no code")
		return
	}
	if s, other := fixed[ast.String](code); other || s == "" && textIs(code) {
		l.complain(code.Location, "the code of a refusal is a text that is not empty, not %v", code)
	}
	message := object.Get(ast.InternedTerm("message"))
	if message == nil {
		return
	}
	if texts, ok := message.Value.(ast.Object); ok {
		texts.Foreach(func(language, text *ast.Term) {
			if _, other := fixed[ast.String](text); other {
				l.complain(text.Location, "the message in %v is not a text", language)
			}
		})
	} else if _, other := fixed[ast.String](message); other {
		l.complain(message.Location, "the message is a text, or texts by language, not %v", message)
	}
}

// fields refuses what is no field of a refusal or a limit.
func (l *linter) fields(object ast.Object, what string, known ...string) {
	object.Foreach(func(key, _ *ast.Term) {
		if _, other := fixed[ast.String](key); other || textIs(key) && !slices.Contains(known, textOf(key)) {
			l.complain(key.Location, "a %s has no field %v%s", what, key, hint(textOf(key), known))
		}
	})
}

func textIs(t *ast.Term) bool {
	_, ok := t.Value.(ast.String)
	return ok
}

func (l *linter) limit(r *ast.Rule) {
	what := literal(r)
	if what == nil {
		return
	}
	object, other := fixed[ast.Object](what)
	if other {
		l.complain(what.Location, "a limit is {\"name\": ..., \"value\": ...}, not %v", what)
		return
	}
	if object == nil {
		return
	}
	l.fields(object, "limit", "name", "value")
	name, value := object.Get(ast.InternedTerm("name")), object.Get(ast.InternedTerm("value"))
	if name == nil || value == nil {
		l.complain(what.Location, "a limit has a name and a value")
		return
	}
	known := make([]string, len(policy.Limits))
	for i, one := range policy.Limits {
		known[i] = one.Name
	}
	if s, other := fixed[ast.String](name); other || textIs(name) && !slices.Contains(known, string(s)) {
		l.complain(name.Location, "no limit is called %v; the limits are %s", name, strings.Join(known, ", "))
	}
	n, other := fixed[ast.Number](value)
	if whole, ok := n.Int64(); other || n != "" && (!ok || whole < 1) {
		l.complain(value.Location, "a limit is a whole number from 1, not %v; to forbid something, use deny", value)
	}
}

// of is the part of the schema that a reference to the input reads, and its
// name.
func (l *linter) of(t *ast.Term) (p property, name string, ok bool) {
	ref := l.local.path(t)
	if ref == nil {
		return p, "", false
	}
	p, name = l.schema, "input"
	for _, part := range ref[1:] {
		if p.Type == "array" && p.Items != nil {
			p, name = *p.Items, name+"[_]"
			continue
		}
		if p, ok = p.Properties[textOf(part)]; !ok {
			return p, "", false
		}
		name += "." + textOf(part)
	}
	return p, name, p.Type != "object" && p.Type != "array"
}

var comparisons = []string{"equal", "eq", "neq", "lt", "lte", "gt", "gte", "assign"}

// call looks at the operands of a function.
func (l *linter) call(function *ast.Term, operands []*ast.Term, at *ast.Location) {
	name := function.String()
	if len(operands) < 2 {
		return
	}
	field, fieldName, ok := l.of(operands[0])
	other := operands[1]
	each := func(t *ast.Term) { l.value(fieldName, field, t, at) }
	switch {
	case slices.Contains(comparisons, name):
		if !ok {
			field, fieldName, ok = l.of(other)
			other = operands[0]
		}
		if second, secondName, both := l.of(other); ok && both && second.Type != field.Type {
			l.complain(at, "%s is of type %s and %s of type %s", fieldName, field.Type, secondName, second.Type)
		} else if ok {
			l.value(fieldName, field, l.constant(other), at)
		}
	case name == "internal.member_2" && ok:
		l.elements(other, each)
	case name == "internal.member_3" && len(operands) == 3:
		if ok {
			l.keys(operands[2], each)
		}
		if field, fieldName, ok = l.of(operands[1]); ok {
			l.elements(operands[2], each)
		}
	case name == "object.get":
		if field, fieldName, ok = l.of(other); ok {
			l.keys(operands[0], each)
		}
	case (name == "startswith" || name == "endswith") && ok && fieldName == "input.action" && textIs(other):
		part, matches := textOf(other), strings.HasPrefix
		if name == "endswith" {
			matches = strings.HasSuffix
		}
		if !slices.ContainsFunc(l.actions, func(a string) bool { return matches(a, part) }) {
			l.complain(at, "no action is called like %v", other)
		}
	}
}

// value checks a plain value that is compared with a field of the input.
func (l *linter) value(name string, field property, t *ast.Term, at *ast.Location) {
	if t.Location != nil && t.Location.Row > 0 {
		at = t.Location
	}
	is := ""
	switch t.Value.(type) {
	case ast.String:
		is = "string"
	case ast.Number:
		is = "integer"
	case ast.Boolean:
		is = "boolean"
	case ast.Null, *ast.Array, ast.Object, ast.Set:
		is = "other"
	default:
		return
	}
	values := field.Enum
	if name == "input.action" {
		values = l.actions
	}
	switch {
	case is != field.Type:
		l.complain(at, "%s is of type %s and never %v", name, field.Type, t)
	case len(values) > 0 && !slices.Contains(values, textOf(t)):
		l.complain(at, "%s is never %v%s", name, t, hint(textOf(t), values))
	}
}

// hint asks whether another value is meant; empty when none looks alike.
func hint(text string, values []string) string {
	if near := nearest(text, values); near != "" {
		return fmt.Sprintf("; is %q meant?", near)
	}
	return ""
}

// nearest is the value that looks most like a text; empty when none does.
func nearest(text string, values []string) (near string) {
	least := len(text)/3 + 2
	for _, v := range values {
		if d := distance(text, v); d < least {
			near, least = v, d
		}
	}
	if whole := func(v string) bool { return strings.Contains(v, text) }; near == "" && len(text) > 2 && slices.ContainsFunc(values, whole) {
		return values[slices.IndexFunc(values, whole)]
	}
	return near
}

// distance is how many characters differ (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// everyday asks the rules what is asked every day, for each action and kind of
// caller, and tells which of it ends without an answer.
func (r *revision) everyday(ctx context.Context) (problems []policy.Problem) {
	if r.siteRules == 0 {
		return nil
	}
	call := policy.Call{Time: time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC), ClientIP: netip.AddrFrom4([4]byte{192, 0, 2, 7}).String(), TLS: true, Protocol: "http", Method: "POST", Route: "/api/x", RequestID: "x"}
	on := policy.Resource{Kind: "file", ID: "f1", Owner: "apikey:k1", Mount: "files", Paths: []string{"/files/a.txt"}, Name: "a.txt", Extension: "txt", ContentType: "text/plain",
		Size: 1000, Share: policy.ShareTerms{ExpiresIn: 3600, MaxViews: 1}, URLHost: "example.com"}
	key := policy.Principal{Kind: policy.APIKey, ID: "k1", Name: "key", Permissions: policy.AllPermissions, BasicPath: "/"}
	guest := key
	guest.Guest = true
	seen := map[string]bool{}
	for _, who := range []policy.Principal{{Kind: policy.Admin, ID: "a1", Name: "admin", BasicPath: "/"}, key, guest, policy.Nobody} {
		for _, do := range r.actions {
			for _, resource := range []policy.Resource{on, {}} {
				limit := newDeadline(ctx, 2*DefaultTimeout) // a busy machine is not the rules' fault
				_, err := r.whole(ctx, inputOf(question{who, policy.Action(do)}, resource, &call, policy.Usage{}, nil), limit)
				limit.release()
				if ctx.Err() != nil {
					return problems
				}
				if err == nil {
					continue
				}
				f := r.failureOf(err)
				if seen[f.key()] {
					continue
				}
				seen[f.key()] = true
				problems = append(problems, policy.Problem{Code: "rules_fail", File: f.file, Row: f.row, Column: f.column,
					Message: fmt.Sprintf("%s by %s ends without an answer: %s", do, who.Kind, f.cause)})
				if len(problems) >= 10 || f.cancelled {
					return problems
				}
			}
		}
	}
	return problems
}
