package opa

import (
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/capacity"
	"pasteport/ports/policy"
)

// readAnswer reads [allow, obligations, scope]. Whatever has another form than
// it should is an error. A refusal carries no obligations.
func readAnswer(value ast.Value) (policy.Decision, error) {
	parts, ok := value.(*ast.Array)
	if !ok || parts.Len() != 3 {
		return policy.Decision{}, errors.New("the answer is not a triple")
	}
	allow, ok := parts.Elem(0).Value.(ast.Boolean)
	if !ok {
		return policy.Decision{}, errors.New("allow is not a boolean")
	}
	scope, ok := parts.Elem(2).Value.(ast.String)
	if s := policy.Scope(scope); !ok || s != policy.Own && s != policy.All {
		return policy.Decision{}, fmt.Errorf("scope %v is unknown", parts.Elem(2))
	}
	obligations, err := readObligations(parts.Elem(1).Value)
	if err != nil {
		return policy.Decision{}, err
	}
	if !allow {
		return policy.Decision{Scope: policy.Own}, nil
	}
	return policy.Decision{Allow: true, Obligations: obligations, Scope: policy.Scope(scope)}, nil
}

// readObligations reads the limits by name. A limit that nobody would keep is
// an error, and so is one below 1: zero would read as "no limit".
func readObligations(value ast.Value) (policy.Obligations, error) {
	var o policy.Obligations
	limits, ok := value.(ast.Object)
	if !ok {
		return o, errors.New("the obligations are not an object")
	}
	err := limits.Iter(func(name, limit *ast.Term) error {
		field := obligation(&o, name.Value)
		if field == nil {
			return fmt.Errorf("the limit %v is unknown", name)
		}
		number, ok := limit.Value.(ast.Number)
		if !ok {
			return fmt.Errorf("the limit %v is not a number", name)
		}
		n, ok := number.Int64()
		if !ok || n < 1 {
			return fmt.Errorf("the limit %v is %v, which is not a whole number from 1", name, limit)
		}
		*field = n
		return nil
	})
	return o, err
}

func obligation(o *policy.Obligations, name ast.Value) *int64 {
	s, _ := name.(ast.String)
	switch s {
	case "max_size":
		return &o.MaxSize
	case "rate_per_minute":
		return &o.RatePerMinute
	case "share_max_age":
		return &o.ShareMaxAge
	case "share_max_views":
		return &o.ShareMaxViews
	case "list_limit":
		return &o.ListLimit
	case "link_expires":
		return &o.LinkExpires
	case capacity.BytesDay:
		return &o.QuotaBytesDay
	case capacity.FilesDay:
		return &o.QuotaFilesDay
	case capacity.BytesStored:
		return &o.QuotaBytesStored
	}
	return nil
}

// precedence orders the built-in reasons: the first one is what the caller is
// told. Site rules come after them, by code.
var precedence = []string{"unknown_action", "login_required", "permission_missing", "outside_basic_path", "not_owner"}

// readReasons reads a set of reasons, in a stable order.
func readReasons(value ast.Value) ([]policy.Reason, error) {
	set, ok := value.(ast.Set)
	if !ok {
		return nil, errors.New("the reasons are not a set")
	}
	reasons := make([]policy.Reason, 0, set.Len())
	for _, element := range set.Slice() { // sorted by the engine
		reason, err := readReason(element.Value)
		if err != nil {
			return nil, err
		}
		reasons = append(reasons, reason)
	}
	slices.SortStableFunc(reasons, func(a, b policy.Reason) int { return rank(a) - rank(b) })
	return reasons, nil
}

func rank(r policy.Reason) int {
	at := slices.Index(precedence, r.Code)
	if r.Source != "" || at < 0 {
		return len(precedence)
	}
	return at
}

func readReason(value ast.Value) (policy.Reason, error) {
	object, ok := value.(ast.Object)
	if !ok {
		return policy.Reason{}, fmt.Errorf("the reason %v is not an object", value)
	}
	code, ok := stringAt(object, "code")
	if !ok || code == "" {
		return policy.Reason{}, fmt.Errorf("the reason %v has no code", value)
	}
	source, ok := stringAt(object, "source")
	if !ok {
		return policy.Reason{}, fmt.Errorf("the reason %q has no source", code)
	}
	message, err := readMessage(object.Get(ast.InternedTerm("message")))
	if err != nil {
		return policy.Reason{}, fmt.Errorf("reason %q: %w", code, err)
	}
	return policy.Reason{Code: code, Message: message, Source: source}, nil
}

// readMessage reads one text, or one text per language. No message is fine.
func readMessage(term *ast.Term) (map[string]string, error) {
	if term == nil {
		return nil, nil
	}
	switch m := term.Value.(type) {
	case ast.String:
		return map[string]string{"": string(m)}, nil
	case ast.Object:
		texts := make(map[string]string, m.Len())
		err := m.Iter(func(language, text *ast.Term) error {
			l, okLanguage := language.Value.(ast.String)
			t, okText := text.Value.(ast.String)
			if !okLanguage || !okText {
				return errors.New("the message is not text by language")
			}
			texts[string(l)] = string(t)
			return nil
		})
		return texts, err
	}
	return nil, errors.New("the message is neither text nor text by language")
}

func stringAt(object ast.Object, key string) (string, bool) {
	term := object.Get(ast.InternedTerm(key))
	if term == nil {
		return "", false
	}
	s, ok := term.Value.(ast.String)
	return string(s), ok
}
