package httpapi

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"pasteport/domain/mounts"
	"pasteport/ports/policy"
)

// abilityOps is what pages ask to know which buttons to show. It belongs to no
// module: the actions are those of the registry.
func (a *API) abilityOps(s *System) {
	actions := sync.OnceValue(a.actions) // all operations are registered when it is called
	Handle(a, Op{Name: "policy.abilities", Method: http.MethodGet, Path: "/api/policy/abilities", Actions: []policy.Action{policy.SiteRead},
		Summary: "Tells which actions the policy would allow the caller on own shares and at a path, so that pages show only what works. It is a hint: each call is decided anew, and rules that look at sizes, names or other terms may still refuse."},
		func(ctx context.Context, who policy.Principal, in abilitiesRequest) (abilitiesJSON, error) {
			if err := s.ask(ctx, who, policy.SiteRead); err != nil {
				return abilitiesJSON{}, err
			}
			if in.Path == "" {
				in.Path = who.BasicPath
			}
			path, _, err := mounts.Clean(in.Path)
			if err != nil {
				return abilitiesJSON{}, err
			}
			answer := abilitiesJSON{Path: path, Abilities: make(map[string]bool, len(actions()))}
			for _, do := range actions() {
				would, err := s.Advisor.Would(ctx, who, do, abilityOn(who, do, path))
				if err != nil {
					return abilitiesJSON{}, err
				}
				answer.Abilities[string(do)] = would
			}
			return answer, nil
		})
}

type abilitiesRequest struct {
	Path string `query:"path"` // default: the caller's basic path
}

type abilitiesJSON struct {
	Path      string          `json:"path"`
	Abilities map[string]bool `json:"abilities"` // by action
}

// actions are those of all operations, and of WebDAV, which has none.
func (a *API) actions() []policy.Action {
	all := []policy.Action{policy.WebDAVList, policy.WebDAVGet, policy.WebDAVWrite}
	for _, op := range a.Ops() {
		all = append(all, op.Actions...)
	}
	return all
}

// abilityOn is what an action would touch: the path, or something of the
// caller's own.
func abilityOn(who policy.Principal, do policy.Action, path string) policy.Resource {
	kind, _, _ := strings.Cut(string(do), ".")
	switch kind {
	case "mount", "webdav":
		return policy.Resource{Kind: "mount", Paths: []string{path}}
	case "paste", "file":
		return policy.Resource{Kind: kind, Owner: who.Owner()}
	}
	return policy.Resource{Kind: kind}
}
