package adminapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"pasteport/adapters/httpapi"
	"pasteport/domain/mounts"
	"pasteport/domain/policies"
	"pasteport/ports/policy"
)

// abilityOps is what pages ask to know which buttons to show. It belongs to no
// module: the actions are those of the registry.
func abilityOps(a *httpapi.API, s *System) {
	actions := sync.OnceValue(func() []policy.Action { return actionsOf(a.Ops()) }) // all operations are registered when it is called
	httpapi.Handle(a, httpapi.Op{Name: "policy.abilities", Method: http.MethodGet, Path: "/api/policy/abilities", Actions: []policy.Action{policy.SiteRead},
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
				answer.Abilities[string(do)] = would.Allow
			}
			return answer, nil
		})
}

// keyAbilityOps tell the administrator the same about an API key, with reasons
// (screens: "what can this key do").
func keyAbilityOps(a *httpapi.API, p *policies.Policies) {
	actions := sync.OnceValue(func() []policy.Action { return actionsOf(a.Ops()) })
	httpapi.Handle(a, httpapi.Op{Name: "key.abilities", Method: http.MethodGet, Path: "/api/admin/api-keys/{id}/abilities", Actions: []policy.Action{policy.PolicyRead}, Class: httpapi.Heavy, Errors: []string{"not_found"},
		Summary: "Tells for each action whether the rules in force would allow it an API key, on own shares and at a path, and if not, why. Whether the key is disabled or has expired is not looked at."},
		func(ctx context.Context, who policy.Principal, in keyAbilitiesRequest) (keyAbilitiesJSON, error) {
			out := keyAbilitiesJSON{}
			_, verdicts, err := p.Abilities(ctx, who, in.ID, func(key policy.Principal) (questions []policy.Query, err error) {
				if in.Path == "" {
					in.Path = key.BasicPath
				}
				if out.Path, _, err = mounts.Clean(in.Path); err != nil {
					return nil, err
				}
				call := policy.Call{Time: httpapi.ScopeOf(ctx).Now(), ClientIP: in.ClientIP, TLS: true, Protocol: policy.HTTP}
				for _, do := range actions() {
					questions = append(questions, policy.Query{Do: do, On: abilityOn(key, do, out.Path), Call: call})
				}
				return questions, nil
			})
			out.Abilities = make([]keyAbilityJSON, len(verdicts))
			for i, v := range verdicts {
				out.Abilities[i] = keyAbilityJSON{Action: string(v.Do), Allow: v.Allow, Reasons: reasonsOf(v.Reasons, httpapi.ScopeOf(ctx).Language()), Failed: v.Failed}
			}
			return out, err
		})
}

type keyAbilitiesRequest struct {
	ID       string `path:"id"`
	Path     string `query:"path"`      // default: the key's basic path
	ClientIP string `query:"client_ip"` // for rules that look at addresses
}

type keyAbilitiesJSON struct {
	Path      string           `json:"path"`
	Abilities []keyAbilityJSON `json:"abilities"` // by action
}

type keyAbilityJSON struct {
	Action  string       `json:"action"`
	Allow   bool         `json:"allow"`
	Reasons []reasonJSON `json:"reasons"`
	Failed  string       `json:"failed"` // why there is no decision, which is a refusal
}

type abilitiesRequest struct {
	Path string `query:"path"` // default: the caller's basic path
}

type abilitiesJSON struct {
	Path      string          `json:"path"`
	Abilities map[string]bool `json:"abilities"` // by action
}

// actionsOf are those of all operations, and of WebDAV, which has none.
func actionsOf(ops []httpapi.Op) []policy.Action {
	all := []policy.Action{policy.WebDAVList, policy.WebDAVGet, policy.WebDAVWrite}
	for _, op := range ops {
		all = append(all, op.Actions...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// abilityOn is what an action would touch: the path, or something of the
// caller's own.
func abilityOn(who policy.Principal, do policy.Action, path string) policy.Resource {
	kind, _, _ := strings.Cut(string(do), ".")
	switch kind {
	case "mount", "webdav":
		return policy.Resource{Kind: policy.KindMount, Paths: []string{path}}
	case "paste", "file":
		return policy.Resource{Kind: kind, Owner: who.Owner()}
	}
	return policy.Resource{Kind: kind}
}
