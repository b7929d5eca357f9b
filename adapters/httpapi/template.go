package httpapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// template matches paths with an operation's, such as "/api/paste/{slug}", by their
// segments. mux itself matches by a regular expression, and once more for the
// variables: that was most of what it took to find an operation.
type template []segment

// segment is a piece of a template between slashes.
type segment struct {
	text     string // of a variable its name
	variable bool
}

// templateOf reads a path of the registry. It is not plain when a variable has a
// pattern.
func templateOf(path string) (t template, plain bool) {
	for text := range strings.SplitSeq(path[1:], "/") {
		name, opened := strings.CutPrefix(text, "{")
		name, closed := strings.CutSuffix(name, "}")
		if opened != closed || strings.ContainsAny(name, "{:}") {
			return nil, false
		}
		t = append(t, segment{name, opened})
	}
	return t, true
}

// match reports whether a path is one of the template. A variable stands for a whole
// segment; vars, unless it is nil, is given each.
func (t template) match(path string, vars *pathVars) bool {
	for _, s := range t {
		if path == "" || path[0] != '/' {
			return false
		}
		text := path[1:]
		if end := strings.IndexByte(text, '/'); end >= 0 {
			text = text[:end]
		}
		path = path[1+len(text):]
		switch {
		case !s.variable && text != s.text, s.variable && text == "":
			return false
		case s.variable && vars != nil:
			vars.add(s.text, text)
		}
	}
	return path == ""
}

// matcher is match for mux.
func (t template) matcher(r *http.Request, _ *mux.RouteMatch) bool { return t.match(r.URL.Path, nil) }

// pathVars are the variables of a path. They lie in the exchange, since nearly every
// request has one.
type pathVars struct {
	n    int
	vars [maxPathVars]struct{ name, value string }
}

// maxPathVars is how many variables a path of the registry may have.
const maxPathVars = 3

func (v *pathVars) add(name, value string) {
	v.vars[v.n].name, v.vars[v.n].value = name, value
	v.n++
}

// get returns a variable; empty when there is none of this name, as of nil.
func (v *pathVars) get(name string) string {
	if v == nil {
		return ""
	}
	for i := range v.n {
		if v.vars[i].name == name {
			return v.vars[i].value
		}
	}
	return ""
}
