package adminapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/policies"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// policyOps are the calls for authors of site rules (decision 52).
func policyOps(a *httpapi.API, p *policies.Policies) {
	read, write := []policy.Action{policy.PolicyRead}, []policy.Action{policy.PolicyWrite}

	httpapi.Handle(a, httpapi.Op{Name: "policy.overview", Method: http.MethodGet, Path: "/api/admin/policies", Actions: read,
		Summary: "Tells which rules of the site are in force, with their text, the kept revisions and what rules in shadow would answer."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (policyJSON, error) {
			o, err := p.Overview(ctx, who)
			return policyOf(o), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.rules", Method: http.MethodGet, Path: "/api/admin/policies/rules", Actions: read,
		Summary: "Lists the rules of the site that are in force, each with how often it refused."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]ruleHitsJSON, error) {
			all, err := p.RulesInForce(ctx, who)
			out := make([]ruleHitsJSON, len(all))
			for i, r := range all {
				out[i] = ruleHitsJSON{wire.RuleOf(r.Rule), r.Hits.Day, r.Hits.All, wire.Instant(r.Hits.Last)}
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.save", Method: http.MethodPost, Path: "/api/admin/policies", Actions: write, Body: httpapi.BigJSON, Answer: httpapi.Created,
		Confirm: httpapi.ConfirmAlways, Idem: httpapi.Afterwards, Errors: []string{"policy_invalid", "policy_read_only"},
		Summary: "Keeps rules as a new revision, which is not in force yet. Rules that do not compile or fail their tests are refused, with the report in data."},
		func(ctx context.Context, who policy.Principal, in rulesRequest) (revisionJSON, error) {
			r, err := p.Save(ctx, who, in.Files, in.Note)
			if err != nil {
				return revisionJSON{}, err
			}
			return revisionOf(*r), nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.check", Method: http.MethodPost, Path: "/api/admin/policies/check", Actions: read, Body: httpapi.BigJSON, Confirm: httpapi.ConfirmAlways,
		Summary: "Compiles rules and runs their tests with coverage. Nothing is kept."},
		func(ctx context.Context, who policy.Principal, in rulesRequest) (wire.ReportJSON, error) {
			report, err := p.Check(ctx, who, in.Files)
			return wire.ReportOf(report), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.effect", Method: http.MethodPost, Path: "/api/admin/policies/effect", Actions: read, Body: httpapi.BigJSON, Confirm: httpapi.ConfirmAlways,
		Errors: []string{"policy_invalid"}, Class: httpapi.Heavy,
		Summary: "Asks rules the last 1,000 decisions of the log again and lists those that they would make otherwise. Nothing is kept."},
		func(ctx context.Context, who policy.Principal, in effectRequest) (effectJSON, error) {
			effect, err := p.Effect(ctx, who, in.Files)
			return effectOf(effect, bool(in.All)), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.explain", Method: http.MethodPost, Path: "/api/admin/policies/explain", Actions: read, Body: httpapi.BigJSON,
		Confirm: httpapi.ConfirmIf(triesRules), Errors: []string{"policy_invalid", "not_found"}, Class: httpapi.Heavy,
		Summary: "Answers a made-up question, or that of a recorded decision, by the rules in force, a revision, or given files, and tells why."},
		func(ctx context.Context, who policy.Principal, in explainRequest) (explanationJSON, error) {
			test, err := in.test(httpapi.ScopeOf(ctx).Now())
			if err != nil {
				return explanationJSON{}, err
			}
			e, err := p.Explain(ctx, who, test)
			return explanationOf(e, httpapi.ScopeOf(ctx).Language()), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.who", Method: http.MethodPost, Path: "/api/admin/policies/who", Actions: read, Body: httpapi.JSON, Class: httpapi.Heavy,
		Summary: "Tells for each API key whether the rules in force allow it an action on a path."},
		func(ctx context.Context, who policy.Principal, in explainRequest) ([]verdictJSON, error) {
			test, err := in.test(httpapi.ScopeOf(ctx).Now())
			if err != nil {
				return nil, err
			}
			all, err := p.Who(ctx, who, test.Query)
			out := make([]verdictJSON, len(all))
			for i, v := range all {
				out[i] = verdictJSON{ID: v.Who.ID, Name: v.Who.Name, Allow: v.Allow, Reasons: reasonsOf(v.Reasons, httpapi.ScopeOf(ctx).Language()), Failed: v.Failed}
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.confirm", Method: http.MethodPost, Path: "/api/admin/policies/confirm", Actions: write, Confirm: httpapi.ConfirmAlways,
		Errors:  []string{"policy_no_trial", "policy_changed", "policy_read_only"},
		Summary: "Keeps rules that are on trial, so that they do not go back by themselves."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (policyStateJSON, error) {
			state, err := p.Confirm(ctx, who)
			return policyStateOf(state), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.end_shadow", Method: http.MethodDelete, Path: "/api/admin/policies/shadow", Actions: write, Errors: []string{"policy_changed", "policy_read_only"},
		Summary: "Ends the shadow."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, p.Shadow(ctx, who, "")
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.revision", Method: http.MethodGet, Path: "/api/admin/policies/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Reads a revision with its files."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (revisionJSON, error) {
			r, err := p.Revision(ctx, who, in.ID)
			if err != nil {
				return revisionJSON{}, err
			}
			return revisionOf(*r), nil
		})

	httpapi.Stream(a, httpapi.Op{Name: "policy.pack", Method: http.MethodGet, Path: "/api/admin/policies/{id}/bundle", Actions: read, Errors: []string{"not_found"}, Class: httpapi.Packing, Type: gzipType,
		Summary: "Sends a revision as a bundle of Open Policy Agent; the id \"in-force\" stands for the rules in force, also for those of a folder."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[wire.IDRequest](r)
			if err != nil {
				return err
			}
			hash, packed, err := p.Pack(r.Context(), who, in.ID)
			if err != nil {
				return err
			}
			w.Header()["Content-Type"] = []string{gzipType}
			w.Header().Set("Content-Disposition", `attachment; filename="rules-`+hash+`.tar.gz"`)
			_, err = w.Write(packed)
			return err
		})

	httpapi.Stream(a, httpapi.Op{Name: "policy.unpack", Method: http.MethodPost, Path: "/api/admin/policies/bundle", Actions: read, Body: httpapi.RawBody, Class: httpapi.Heavy, Errors: []string{"policy_bundle"},
		Summary: "Reads a bundle of Open Policy Agent and returns its files as saving takes them. Nothing is kept."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			rules, err := p.Unpack(r.Context(), who, r.Body)
			if err != nil {
				return err
			}
			return httpapi.Send(w, r, filesJSON{rules})
		})
	httpapi.Describe(a, "policy.unpack", httpapi.None{}, filesJSON{})

	httpapi.Handle(a, httpapi.Op{Name: "policy.activate", Method: http.MethodPost, Path: "/api/admin/policies/{id}/activate", Actions: write, Body: httpapi.JSON,
		Confirm: httpapi.ConfirmAlways,
		Errors:  []string{"not_found", "policy_invalid", "policy_lockout", "policy_changed", "policy_read_only"},
		Summary: "Puts a revision in force on all nodes; the id \"none\" stands for the shipped rules alone. Rules under which the caller could not change them back are refused, unless they are put on trial with trial_seconds: then they go back by themselves, if nobody confirms them."},
		func(ctx context.Context, who policy.Principal, in activateRequest) (policyStateJSON, error) {
			state, err := p.Activate(ctx, who, policies.Activation{ID: in.ID, Trial: time.Duration(wire.ClampInt(int64(in.Trial), 0, 1<<20)) * time.Second})
			return policyStateOf(state), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "policy.shadow", Method: http.MethodPost, Path: "/api/admin/policies/{id}/shadow", Actions: write, Confirm: httpapi.ConfirmAlways,
		Errors:  []string{"not_found", "policy_invalid", "policy_changed", "policy_read_only"},
		Summary: "Lets a revision answer beside the rules in force, without effect. The overview tells how its answers differ."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			return httpapi.None{}, p.Shadow(ctx, who, in.ID)
		})

	decisionOps(a, p)
}

// decisionOps are the calls on the decision log.
func decisionOps(a *httpapi.API, p *policies.Policies) {
	read := []policy.Action{policy.PolicyRead}

	httpapi.Handle(a, httpapi.Op{Name: "decision.list", Method: http.MethodGet, Path: "/api/admin/decisions", Actions: read,
		Summary: "Lists the decision log, newest first: all refusals and one in a hundred of the rest. The next page begins before the last n."},
		func(ctx context.Context, who policy.Principal, in decisionListRequest) (decisionListJSON, error) {
			f, err := in.filter()
			if err != nil {
				return decisionListJSON{}, err
			}
			lines, err := p.Decisions(ctx, who, f)
			rows, next := rowsOfLog(lines, f.Limit, decisionOf, lineNumber)
			return decisionListJSON{rows, next}, err
		})

	httpapi.Stream(a, httpapi.Op{Name: "decision.export", Method: http.MethodGet, Path: "/api/admin/decisions/export", Actions: read, Type: linesType, Class: httpapi.Packing,
		Summary: "The decision log as JSON lines, newest first, each with the document that the rules read. The command policy replay reads it."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[decisionListRequest](r)
			if err != nil {
				return err
			}
			f, err := in.filter()
			if err != nil {
				return err
			}
			return exportLog(w, "decisions", f.Before, func(before int64, limit int) ([]policies.Line, error) {
				f.Before, f.Limit = before, limit
				return p.Decisions(r.Context(), who, f)
			}, decisionOf, lineNumber)
		})

	httpapi.Handle(a, httpapi.Op{Name: "decision.get", Method: http.MethodGet, Path: "/api/admin/decisions/{id}", Actions: read, Errors: []string{"not_found"},
		Summary: "Finds a decision by the id that a refused call carries in X-Decision-Id."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (decisionJSON, error) {
			line, err := p.Decision(ctx, who, in.ID)
			if err != nil {
				return decisionJSON{}, err
			}
			return decisionOf(*line), nil
		})
}

type rulesRequest struct {
	Files policy.Rules `json:"files"` // text by name
	Note  string       `json:"note"`
}

type effectRequest struct {
	Files policy.Rules `json:"files"` // text by name
	All   wire.Flag    `json:"all"`   // lists those that stay the same, too
}

type effectJSON struct {
	Asked   int          `json:"asked"`
	Skipped int          `json:"skipped"`        // made by the server itself, or not to be read back
	Changes []changeJSON `json:"changes"`        // newest first
	Same    []loggedJSON `json:"same,omitempty"` // newest first
}

// loggedJSON is a decision of the log, without what it was decided from.
type loggedJSON struct {
	ID     string       `json:"decision_id"`
	At     wire.Instant `json:"timestamp"`
	Type   string       `json:"type"` // of the caller
	Name   string       `json:"name"`
	Action string       `json:"action"`
	Path   string       `json:"path"`
	Before bool         `json:"before"` // allowed
	Codes  []string     `json:"codes"`  // why not, before
}

func loggedOf(l policies.Line) loggedJSON {
	return loggedJSON{l.ID, wire.Instant(l.At), string(l.Kind), l.Name, string(l.Action), l.Path, l.Allow, listed(l.Codes)}
}

type changeJSON struct {
	loggedJSON
	Now    bool              `json:"now"`
	After  []string          `json:"after"`            // why not, now
	Failed string            `json:"failed"`           // why the rules give no answer now
	Limits []limitChangeJSON `json:"limits,omitempty"` // of what stays allowed
}

type limitChangeJSON struct {
	Name   string `json:"name"`
	Before int64  `json:"before"` // by the rules in force; 0: none
	Now    int64  `json:"now"`    // 0: none
}

// effectOf lists what stays the same only when all is wished.
func effectOf(e policies.Effect, all bool) effectJSON {
	out := effectJSON{Asked: e.Asked, Skipped: e.Skipped, Changes: make([]changeJSON, len(e.Changes))}
	for i, c := range e.Changes {
		change := changeJSON{loggedJSON: loggedOf(c.Before), Now: c.Now.Decision.Allow, After: make([]string, len(c.Now.Decision.Reasons)), Failed: c.Now.Failed}
		for k, reason := range c.Now.Decision.Reasons {
			change.After[k] = reason.Code
		}
		for _, l := range c.Limits {
			change.Limits = append(change.Limits, limitChangeJSON(l))
		}
		out.Changes[i] = change
	}
	if all {
		for _, l := range e.Same {
			out.Same = append(out.Same, loggedOf(l))
		}
	}
	return out
}

type filesJSON struct {
	Files policy.Rules `json:"files"`
}

type activateRequest struct {
	ID    string   `path:"id"`
	Trial wire.Int `json:"trial_seconds"` // 5 to 3600; 0: for good
}

type policyJSON struct {
	InForce   string          `json:"in_force"` // names the rules on this node
	Source    string          `json:"source"`   // panel, or folder: then they are not changed here
	Folder    string          `json:"folder"`
	Broken    string          `json:"broken"` // why the stored rules are not in force
	State     policyStateJSON `json:"state"`
	Files     policy.Rules    `json:"files"`
	Revisions []revisionJSON  `json:"revisions"`
	Shadow    *shadowJSON     `json:"shadow"`
	Dropped   int64           `json:"dropped_decisions"` // left out of the log since the start
}

type policyStateJSON struct {
	Active    string       `json:"active"` // id of a revision, or none
	Previous  string       `json:"previous"`
	TrialEnds wire.Instant `json:"trial_ends_at"`
	ChangedAt wire.Instant `json:"changed_at"`
	ChangedBy string       `json:"changed_by"`
	Shadow    string       `json:"shadow"` // id of the revision in shadow
	Failed    string       `json:"failed"` // why the server put the rules before back; empty when it did not
}

func policyStateOf(s policies.State) policyStateJSON {
	return policyStateJSON{Active: s.Active, Previous: s.Previous, TrialEnds: wire.Instant(s.TrialEnds), ChangedAt: wire.Instant(s.ChangedAt), ChangedBy: s.ChangedBy, Shadow: s.Shadow, Failed: s.Failed}
}

type revisionJSON struct {
	ID        string       `json:"id"`
	Number    int          `json:"number"`
	Hash      string       `json:"hash"`
	Note      string       `json:"note"`
	Author    string       `json:"author"`
	CreatedAt wire.Instant `json:"created_at"`
	Files     policy.Rules `json:"files,omitempty"`
}

func revisionOf(r policies.Revision) revisionJSON {
	return revisionJSON{ID: r.ID, Number: r.Number, Hash: r.Hash, Note: r.Note, Author: r.Author, CreatedAt: wire.Instant(r.CreatedAt), Files: r.Rules}
}

type shadowJSON struct {
	Since       wire.Instant     `json:"since"`
	Asked       int64            `json:"asked"`
	Differ      int64            `json:"differ"`
	Failed      int64            `json:"failed"`
	Dropped     int64            `json:"dropped"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	Action    string       `json:"action"`
	Type      string       `json:"type"` // of the caller
	Principal string       `json:"principal"`
	Name      string       `json:"name"`
	Allowed   bool         `json:"allowed"` // by the rules in force
	Shadow    bool         `json:"shadow"`  // by the rules in shadow
	Reasons   []string     `json:"reasons"`
	Count     int64        `json:"count"`
	Last      wire.Instant `json:"last"`
	Path      string       `json:"path"`
}

func policyOf(o policies.Overview) policyJSON {
	out := policyJSON{InForce: o.InForce, Source: "panel", Folder: o.Folder, Broken: o.Broken, State: policyStateOf(o.State), Files: o.Rules, Dropped: o.Dropped,
		Revisions: make([]revisionJSON, len(o.Revisions))}
	if o.Folder != "" {
		out.Source = "folder"
	}
	if out.Files == nil {
		out.Files = policy.Rules{}
	}
	for i, r := range o.Revisions {
		out.Revisions[i] = revisionOf(r)
	}
	if s := o.Shadow; s.Revision != "" {
		out.Shadow = &shadowJSON{Since: wire.Instant(s.Since), Asked: s.Asked, Differ: s.Differ, Failed: s.Failed, Dropped: s.Dropped, Differences: make([]differenceJSON, len(s.Differences))}
		for i, d := range s.Differences {
			out.Shadow.Differences[i] = differenceJSON{string(d.Action), string(d.Kind), d.Principal, d.Name, d.Allowed, d.Shadow, listed(d.Reasons), d.Count, wire.Instant(d.Last), d.Path}
		}
	}
	return out
}

// listed is the list itself, never null.
func listed(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

type ruleHitsJSON struct {
	wire.RuleJSON
	Day  int64        `json:"hits_24h"`
	All  int64        `json:"hits"` // in 14 days
	Last wire.Instant `json:"last_hit"`
}

// explainRequest is a made-up question. What is absent is empty; the time is
// now.
type explainRequest struct {
	Files       policy.Rules `json:"files"`    // absent: the rules in force
	Revision    string       `json:"revision"` // in place of files; "none": the shipped rules alone
	KeyID       string       `json:"key_id"`   // who asks, or
	Type        string       `json:"type"`     // admin, apikey or anonymous, with the next four for a key
	Permissions wire.Int     `json:"permissions"`
	BasicPath   string       `json:"basic_path"`
	Guest       wire.Flag    `json:"guest"`
	CallerID    string       `json:"caller_id"`
	Action      string       `json:"action"`
	Kind        string       `json:"kind"`
	Owner       string       `json:"owner"`
	Mount       string       `json:"mount"`
	Paths       []string     `json:"paths"`
	Name        string       `json:"name"`
	ContentType string       `json:"content_type"`
	Size        wire.Int     `json:"size"`
	HasPassword wire.Flag    `json:"has_password"`
	ExpiresIn   wire.Int     `json:"expires_in"` // seconds
	MaxViews    wire.Int     `json:"max_views"`
	URLHost     string       `json:"url_host"`
	Slug        string       `json:"slug"`    // of a share
	Storage     string       `json:"storage"` // id of the storage config of a shared file
	Time        string       `json:"time"`    // RFC 3339
	ClientIP    string       `json:"client_ip"`
	TLS         wire.Flag    `json:"tls"`
	Protocol    string       `json:"protocol"`
	Trace       wire.Flag    `json:"trace"`
	DecisionID  string       `json:"decision_id"` // of the log: its question in place of all the above but the rules
}

// triesRules reports whether a question is for other rules than those in force.
func triesRules(_ context.Context, in explainRequest) (bool, error) {
	return len(in.Files) > 0 || in.Revision != "", nil
}

func (in explainRequest) test(now time.Time) (policies.Test, error) {
	if in.Time != "" {
		var err error
		if now, err = time.Parse(time.RFC3339, in.Time); err != nil {
			return policies.Test{}, ports.InvalidInput("policy.time", "time")
		}
	}
	kind := policy.Kind(in.Type)
	switch kind {
	case "":
		kind = policy.Anonymous
	case policy.Admin, policy.APIKey, policy.Anonymous:
	default:
		return policies.Test{}, ports.InvalidInput("policy.caller", "type")
	}
	extension := ""
	if at := strings.LastIndexByte(in.Name, '.'); at > 0 {
		extension = strings.ToLower(in.Name[at+1:])
	}
	if in.BasicPath == "" {
		in.BasicPath = "/"
	}
	if in.Protocol == "" {
		in.Protocol = policy.HTTP
	}
	return policies.Test{Rules: in.Files, Revision: in.Revision, KeyID: in.KeyID, Trace: bool(in.Trace), Decision: in.DecisionID, Query: policy.Query{
		Who: policy.Principal{Kind: kind, ID: in.CallerID, Permissions: policy.Permission(in.Permissions), BasicPath: in.BasicPath, Guest: bool(in.Guest)},
		Do:  policy.Action(in.Action),
		On: policy.Resource{Kind: in.Kind, Owner: in.Owner, Mount: in.Mount, Paths: in.Paths, Name: in.Name, Extension: extension, ContentType: in.ContentType,
			Size: int64(in.Size), URLHost: in.URLHost, Slug: in.Slug, Storage: in.Storage, Share: policy.ShareTerms{HasPassword: bool(in.HasPassword), ExpiresIn: int64(in.ExpiresIn), MaxViews: int64(in.MaxViews)}},
		Call: policy.Call{Time: now.UTC(), ClientIP: in.ClientIP, TLS: bool(in.TLS), Protocol: in.Protocol},
	}}, nil
}

type reasonJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Source  string `json:"source"` // site, or empty for the shipped rules
}

func reasonsOf(reasons []policy.Reason, language string) []reasonJSON {
	out := make([]reasonJSON, len(reasons))
	for i, r := range reasons {
		out[i] = reasonJSON{Code: r.Code, Message: words.Pick(r.Message, language), Source: r.Source}
	}
	return out
}

type explanationJSON struct {
	Allow       bool                `json:"allow"`
	Failed      string              `json:"failed"` // why there is no decision, which is a refusal
	Reasons     []reasonJSON        `json:"reasons"`
	Obligations map[string]int64    `json:"obligations"`
	Scope       string              `json:"scope"`
	Revision    string              `json:"revision"`
	Fired       []wire.RuleJSON     `json:"fired"`
	Lines       []wire.CoverageJSON `json:"lines"` // what was evaluated, of shipped and own rules
	Trace       string              `json:"trace"`
	Took        int64               `json:"took_us"`
	Input       json.RawMessage     `json:"input"`
}

func explanationOf(e policy.Explanation, language string) explanationJSON {
	out := explanationJSON{Allow: e.Decision.Allow, Failed: e.Failed, Reasons: reasonsOf(e.Decision.Reasons, language), Obligations: map[string]int64{}, Scope: string(e.Decision.Scope),
		Revision: e.Revision, Fired: wire.PolicyRulesOf(e.Fired), Lines: wire.CoverageOf(e.Lines), Trace: e.Trace, Took: e.Took.Microseconds(), Input: json.RawMessage(e.Input)}
	if len(e.Input) == 0 {
		out.Input = json.RawMessage("null")
	}
	o := e.Decision.Obligations
	for _, l := range policy.Limits {
		if n := *l.Of(&o); n > 0 {
			out.Obligations[l.Name] = n
		}
	}
	return out
}

type verdictJSON struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Allow   bool         `json:"allow"`
	Reasons []reasonJSON `json:"reasons"`
	Failed  string       `json:"failed"`
}

type decisionListRequest struct {
	logRequest
	Action    string `query:"action"`
	Principal string `query:"principal"`
	Code      string `query:"code"`
	Outcome   string `query:"outcome"` // allow, deny or error
}

func (in decisionListRequest) filter() (policies.LineFilter, error) {
	s, err := in.span()
	return policies.LineFilter{Before: s.before, Limit: s.limit, From: s.from, To: s.to, Action: policy.Action(in.Action), Principal: in.Principal, Code: in.Code, Outcome: in.Outcome}, err
}

func lineNumber(l policies.Line) int64 { return l.N }

type decisionListJSON struct {
	Decisions []decisionJSON `json:"decisions"`
	Next      *int64         `json:"next"` // before of the next page; null: there is none
}

type decisionJSON struct {
	N         int64           `json:"n"`
	ID        string          `json:"decision_id"`
	At        wire.Instant    `json:"timestamp"`
	Revision  string          `json:"revision"`
	Type      string          `json:"type"` // of the caller
	Principal string          `json:"principal"`
	Name      string          `json:"name"`
	Action    string          `json:"action"`
	Path      string          `json:"path"`
	Allow     bool            `json:"allow"`
	Codes     []string        `json:"codes"` // why not; of site rules with site: in front
	Failed    string          `json:"failed"`
	RequestID string          `json:"request_id"`
	ClientIP  string          `json:"client_ip"` // the caller's network
	Took      int64           `json:"took_us"`
	Input     json.RawMessage `json:"input"`
}

func decisionOf(l policies.Line) decisionJSON {
	d := decisionJSON{N: l.N, ID: l.ID, At: wire.Instant(l.At), Revision: l.Revision, Type: string(l.Kind), Principal: l.Principal, Name: l.Name, Action: string(l.Action), Path: l.Path,
		Allow: l.Allow, Codes: listed(l.Codes), Failed: l.Failed, RequestID: l.RequestID, ClientIP: l.ClientIP, Took: l.Took.Microseconds(), Input: json.RawMessage(l.Input)}
	if len(l.Input) == 0 {
		d.Input = json.RawMessage("null")
	}
	return d
}
