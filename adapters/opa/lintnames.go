package opa

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// locals are the local names of a rule that stand for one thing wherever they
// are read.
type locals struct {
	inputs    map[ast.Var]ast.Ref   // names of a path of the input
	constants map[ast.Var]*ast.Term // names of a literal
	other     map[ast.Var]bool      // all others
}

// path is the path of the input that a term reads, by local names too; nil when
// it reads none.
func (n *locals) path(t *ast.Term) ast.Ref {
	switch v := t.Value.(type) {
	case ast.Var:
		return n.inputs[v]
	case ast.Ref:
		if v[0].Equal(ast.InputRootDocument) {
			return v
		}
		if head, ok := v[0].Value.(ast.Var); ok && n.inputs[head] != nil {
			return slices.Concat(n.inputs[head], v[1:])
		}
	}
	return nil
}

// localsOf looks for local names that are bound once in a rule. What is bound
// more often, to something computed, or only in a part of it is left alone.
func (l *linter) localsOf(r *ast.Rule) locals {
	n := locals{inputs: map[ast.Var]ast.Ref{}, constants: map[ast.Var]*ast.Term{}, other: map[ast.Var]bool{}}
	bound := map[ast.Var]int{}
	introduce := func(terms ...*ast.Term) {
		for _, t := range terms {
			ast.WalkTerms(t, func(t *ast.Term) bool {
				if v, ok := t.Value.(ast.Var); ok {
					bound[v]++
				}
				return false
			})
		}
	}
	declared := map[ast.Var]bool{}
	type binding struct {
		name ast.Var
		to   *ast.Term
	}
	var bindings []binding
	ast.WalkRules(r, func(r *ast.Rule) bool {
		for _, arg := range r.Head.Args {
			introduce(arg, arg) // a caller binds it
		}
		return false
	})
	ast.WalkExprs(r, func(e *ast.Expr) bool {
		switch terms := e.Terms.(type) {
		case *ast.Every:
			introduce(terms.Value, terms.Value)
			if terms.Key != nil {
				introduce(terms.Key, terms.Key)
			}
		case *ast.SomeDecl:
			for _, symbol := range terms.Symbols {
				if call, ok := symbol.Value.(ast.Call); ok {
					introduce(call[1 : len(call)-1]...)
					introduce(call[1 : len(call)-1]...)
				} else if v, ok := symbol.Value.(ast.Var); ok {
					declared[v] = true
				}
			}
		case []*ast.Term:
			if len(terms) != 3 || e.Negated || !e.IsAssignment() && !e.IsEquality() {
				break
			}
			left, right := terms[1], terms[2]
			if _, name := left.Value.(ast.Var); !name && e.IsEquality() {
				left, right = right, left
			}
			name, isName := left.Value.(ast.Var)
			if !isName {
				if e.IsAssignment() {
					introduce(left, left) // a pattern
				}
				break
			}
			if e.IsEquality() && (l.rules[string(name)] > 0 || !declared[name] && !slices.Contains(r.Body, e)) {
				introduce(left, left) // a comparison, or a name of a part
				break
			}
			bound[name]++
			bindings = append(bindings, binding{name, right})
		}
		return false
	})
	for range bindings { // a name may stand for a part of another
		for _, b := range bindings {
			if bound[b.name] != 1 {
				continue
			}
			if ref := n.path(b.to); ref != nil && fixedPath(ref) {
				n.inputs[b.name] = ref
			} else if inText(b.to) {
				n.constants[b.name] = b.to
			}
		}
	}
	for name := range bound {
		n.other[name] = n.inputs[name] == nil && n.constants[name] == nil
	}
	return n
}

// fixedPath reports whether a path of the input reads one place.
func fixedPath(ref ast.Ref) bool {
	return !slices.ContainsFunc(ref[1:], func(t *ast.Term) bool { return !textIs(t) })
}

// inText reports whether a term is a value that stands in the text; what it
// holds may be computed.
func inText(t *ast.Term) bool {
	switch t.Value.(type) {
	case ast.Null, ast.Boolean, ast.Number, ast.String, *ast.Array, ast.Object, ast.Set:
		return true
	}
	return false
}

// constant is the value of a name that has only one, else the term itself.
func (l *linter) constant(t *ast.Term) *ast.Term {
	name, ok := t.Value.(ast.Var)
	switch {
	case !ok || l.local.other[name] || l.local.inputs[name] != nil:
		return t
	case l.local.constants[name] != nil:
		return l.local.constants[name]
	case l.rules[string(name)] == 1 && l.named[string(name)] != nil:
		return l.named[string(name)]
	}
	return t
}

// elements calls each with the elements of a collection in the text.
func (l *linter) elements(t *ast.Term, each func(*ast.Term)) {
	switch v := l.constant(t).Value.(type) {
	case ast.Set:
		v.Foreach(each)
	case *ast.Array:
		v.Foreach(each)
	case ast.Object:
		v.Foreach(func(_, value *ast.Term) { each(value) })
	case ast.Call:
		if v[0].String() == "or" {
			l.elements(v[1], each)
			l.elements(v[2], each)
		}
	}
}

// keys calls each with the keys of an object, or the elements of a set, in the
// text.
func (l *linter) keys(t *ast.Term, each func(*ast.Term)) {
	switch v := l.constant(t).Value.(type) {
	case ast.Set:
		v.Foreach(each)
	case ast.Object:
		v.Foreach(func(key, _ *ast.Term) { each(key) })
	}
}

// lookup checks the keys of what is looked up by a path of the input.
func (l *linter) lookup(ref ast.Ref) {
	in := []*ast.Term{ref[0]}
	for _, part := range ref[1:] {
		field, name, ok := l.of(part)
		var next []*ast.Term
		for _, t := range in {
			if ok {
				l.keys(t, func(key *ast.Term) { l.value(name, field, key, key.Location) })
			}
			object, isObject := l.constant(t).Value.(ast.Object)
			if !isObject {
				continue
			}
			if value := object.Get(part); value != nil {
				next = append(next, value)
			} else if ok {
				object.Foreach(func(_, value *ast.Term) { next = append(next, value) })
			}
		}
		in = next
	}
}
