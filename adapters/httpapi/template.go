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

// match is a mux.MatcherFunc. A variable stands for a whole segment.
func (t template) match(r *http.Request, found *mux.RouteMatch) bool {
	var vars map[string]string
	rest := r.URL.Path
	for _, s := range t {
		if rest == "" || rest[0] != '/' {
			return false
		}
		text := rest[1:]
		if end := strings.IndexByte(text, '/'); end >= 0 {
			text = text[:end]
		}
		rest = rest[1+len(text):]
		switch {
		case !s.variable && text != s.text, s.variable && text == "":
			return false
		case s.variable:
			if vars == nil {
				vars = make(map[string]string, 2)
			}
			vars[s.text] = text
		}
	}
	if rest != "" {
		return false
	}
	found.Vars = vars
	return true
}
