package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-kit/kit/endpoint"
	"pasteport/domain/audit"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// AuditLog takes what is noted of operations.
type AuditLog interface {
	Add(ctx context.Context, e audit.Entry) error
}

// audited reports whether an operation is noted: signing in and out, whatever
// the administrator changes, and what is deleted.
func audited(op *Op) bool {
	if op.Method == http.MethodGet {
		return false
	}
	return slices.ContainsFunc(op.Actions, func(do policy.Action) bool {
		switch do {
		case policy.SessionOpen, policy.SessionClose, policy.PasteDelete, policy.PasteClearExpired, policy.FileDelete, policy.MountDelete:
			return true
		case policy.CacheWrite:
			return false
		}
		return strings.HasPrefix(string(do), "admin.") && strings.HasSuffix(string(do), ".write")
	})
}

// unnoted are operations of these actions that change nothing.
var unnoted = []string{"storage.test", "storage.try"}

// withAudit notes what an operation did. The note is written with the change
// where that is one transaction.
func (a *API) withAudit(rt *route, use endpoint.Endpoint) endpoint.Endpoint {
	if !audited(&rt.op) || slices.Contains(unnoted, rt.op.Name) {
		return use
	}
	return func(ctx context.Context, request any) (any, error) {
		result, err := use(ctx, request)
		if a.opts.Audit == nil {
			return result, err
		}
		x := exchangeFrom(ctx)
		e := audit.Entry{Kind: x.who.Kind, Actor: x.who.ID, Name: x.who.Name, Action: rt.op.Name, ClientIP: x.client.text, RequestID: x.id[0]}
		if err != nil {
			var refused *ports.Error
			guess := rt.op.Name == "session.open" || rt.noun == "account"
			if !guess || !errors.As(err, &refused) || !wrongGuess(refused) {
				return result, err
			}
			if e.Outcome, e.Code = audit.Failed, translate(&rt.op, err).key; e.Code == "totp_required" {
				return result, err // the first half of signing in
			}
			return result, errors.Join(err, a.opts.Audit.Add(ctx, e))
		}
		if rt.op.Name == "session.close" && x.who.Kind == policy.Anonymous {
			return result, nil // nobody was signed in
		}
		e.Target, e.Details = described(rt.op.Secrets, request, x.vars, x.notes)
		if name := textField(result, "name", "username"); name != "" && e.Target == "" {
			e.Target = name
		}
		if id := textField(result, "id"); id != "" && e.Target != id {
			e.Target = strings.TrimSpace(id + " " + e.Target)
		}
		if rt.op.Name == "session.open" {
			e.Kind, e.Name, e.Details = policy.Admin, e.Target, ""
		}
		if err := a.opts.Audit.Add(ctx, e); err != nil {
			return nil, err
		}
		return result, nil
	}
}

// wrongGuess reports whether an error says that a password or a code was wrong,
// or tried too often.
func wrongGuess(e *ports.Error) bool {
	return e.Code == ports.Unauthenticated || e.Code == ports.RateLimited || e.Code == ports.Invalid && (e.Text == "account.current_wrong" || e.Text == "totp_wrong")
}

// NoteDeletion notes that the request of ctx has deleted what lies at a path,
// for handlers beside the registry. Call it before the answer: an error means
// that nothing is noted.
func (a *API) NoteDeletion(ctx context.Context, path string) error {
	x := exchangeFrom(ctx)
	if a.opts.Audit == nil || x == nil {
		return nil
	}
	return a.opts.Audit.Add(ctx, audit.Entry{Kind: x.who.Kind, Actor: x.who.ID, Name: x.who.Name, Action: x.opName(), Target: path, ClientIP: x.client.text, RequestID: x.id[0]})
}

// note adds something to what is noted of the operation under way, such as what
// was there before. It must hold no secret.
func note(ctx context.Context, name string, value any) {
	x := exchangeFrom(ctx)
	if x == nil || x.api.opts.Audit == nil {
		return
	}
	if x.notes == nil {
		x.notes = map[string]any{}
	}
	x.notes[name] = value
}

const (
	maxDetails = 64 << 10 // bytes of the details of an entry
)

// secretName matches names whose values are never noted.
var secretName = regexp.MustCompile(`(?i)pass|secret|token|credential|custom_?key|access_?key|totp|recovery|^key$|^pin$|^code$`)

// described tells which thing a request is about, and its fields without
// secrets.
func described(secrets []string, request any, vars map[string]string, notes map[string]any) (target, details string) {
	for _, name := range []string{"id", "slug", "group"} {
		if vars[name] != "" {
			target = vars[name]
			break
		}
	}
	fields := namedFields(secrets, request)
	for name, value := range notes {
		fields[name] = value
	}
	delete(fields, "files") // the text of rules is kept as a revision
	if len(fields) == 0 {
		return target, ""
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return target, `{"unreadable":true}`
	}
	return target, cutDetails(data)
}

// cutDetails cuts details that are too long, and keeps the hash of the whole: who
// has the whole can prove that it was this.
func cutDetails(data []byte) string {
	if len(data) <= maxDetails {
		return string(data)
	}
	sum := sha256.Sum256(data)
	cut := struct {
		Cut    string `json:"cut"` // the front of the JSON text
		Size   int    `json:"size"`
		SHA256 string `json:"sha256"` // of the whole JSON text
	}{Size: len(data), SHA256: hex.EncodeToString(sum[:])}
	for keep := maxDetails - 1024; ; keep = keep * 3 / 4 { // quotes take more room within a text
		cut.Cut = strings.ToValidUTF8(string(data[:keep]), "")
		if text, err := json.Marshal(cut); err == nil && len(text) <= maxDetails {
			return string(text)
		}
	}
}

// namedFields are the fields that a request names, without secrets.
func namedFields(secrets []string, request any) map[string]any {
	fields := map[string]any{}
	v := reflect.ValueOf(request)
	if v.Kind() != reflect.Struct {
		return fields
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		tag, ok := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if !ok || f.Anonymous || !f.IsExported() || v.FieldByIndex(f.Index).IsZero() {
			continue
		}
		data, err := json.Marshal(v.FieldByIndex(f.Index).Interface())
		var plain any
		if err != nil || json.Unmarshal(data, &plain) != nil {
			continue
		}
		if name == "*" {
			if whole, ok := plain.(map[string]any); ok {
				for n, value := range whole {
					fields[n] = withoutSecrets(n, value, secrets)
				}
			}
			continue
		}
		fields[name] = withoutSecrets(name, plain, secrets)
	}
	return fields
}

// noteBefore adds what a record was before the operation under way, as far as
// the request names its fields; a request of nil names all.
func noteBefore(ctx context.Context, request, before any) {
	x := exchangeFrom(ctx)
	if x == nil || x.route == nil {
		return
	}
	data, err := json.Marshal(before)
	var record map[string]any
	if err != nil || json.Unmarshal(data, &record) != nil {
		return
	}
	named := namedFields(nil, request)
	for name, value := range record {
		if _, ok := named[name]; request != nil && !ok || slices.Contains(passing, name) {
			delete(record, name)
			continue
		}
		record[name] = withoutSecrets(name, value, x.route.op.Secrets)
	}
	note(ctx, "before", record)
}

// passing are fields of records that change by themselves, or say what other
// fields say.
var passing = []string{"health", "last_used", "updated_at", "permission_names", "is_expired", "key"}

// withoutSecrets masks what must not be kept. The options of a storage are all
// masked: each driver has secrets of its own.
func withoutSecrets(name string, value any, secrets []string) any {
	if slices.Contains(secrets, name) || secretName.MatchString(name) {
		if value == nil || value == "" {
			return value
		}
		return masked
	}
	switch v := value.(type) {
	case map[string]any:
		for n, inner := range v {
			if name == "options" {
				v[n] = masked
			} else {
				v[n] = withoutSecrets(n, inner, secrets)
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutSecrets("", inner, secrets)
		}
	}
	return value
}

// textField is the first text field of a result with one of these JSON names.
func textField(result any, names ...string) string {
	if w, ok := result.(answerer); ok {
		result = w.answer().data
	}
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Struct {
		return ""
	}
	for _, name := range names {
		for _, f := range reflect.VisibleFields(v.Type()) {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == name && f.IsExported() && f.Type.Kind() == reflect.String {
				return v.FieldByIndex(f.Index).String()
			}
		}
	}
	return ""
}

// auditOps are the calls on the audit log.
func (a *API) auditOps(log *audit.Audit) {
	read := []policy.Action{policy.AuditRead}

	Handle(a, Op{Name: "audit.list", Method: http.MethodGet, Path: "/api/admin/audit", Actions: read,
		Summary: "Lists who did what, newest first. The next page begins before the last n."},
		func(ctx context.Context, who policy.Principal, in auditRequest) (auditListJSON, error) {
			f, err := in.filter()
			if err != nil {
				return auditListJSON{}, err
			}
			entries, err := log.List(ctx, who, f)
			rows, next := rowsOfLog(entries, f.Limit, auditOf, entryNumber)
			return auditListJSON{rows, next}, err
		})

	Stream(a, Op{Name: "audit.export", Method: http.MethodGet, Path: "/api/admin/audit/export", Actions: read, Type: linesType, Class: Packing,
		Summary: "The audit log as JSON lines, newest first."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := Decode[auditRequest](r)
			if err != nil {
				return err
			}
			f, err := in.filter()
			if err != nil {
				return err
			}
			return exportLog(w, "audit", f.Before, func(before int64, limit int) ([]audit.Entry, error) {
				f.Before, f.Limit = before, limit
				return log.List(r.Context(), who, f)
			}, auditOf, entryNumber)
		})

	Handle(a, Op{Name: "audit.verify", Method: http.MethodGet, Path: "/api/admin/audit/verify", Actions: read, Class: Heavy,
		Summary: "Checks the chain of each node: that no entry was changed, taken out or cut off since it was written. heads are ends that were kept elsewhere (chain:seq:hash, with commas), from the log or a backup."},
		func(ctx context.Context, who policy.Principal, in auditVerifyRequest) ([]proofJSON, error) {
			known, err := in.known()
			if err != nil {
				return nil, err
			}
			proofs, err := log.Verify(ctx, who, known...)
			out := make([]proofJSON, len(proofs))
			for i, p := range proofs {
				out[i] = proofJSON{Chain: p.Chain, Entries: p.Entries, First: p.First, Last: p.Last, Broken: p.Broken, Missing: p.Missing, OK: p.Broken == 0}
			}
			return out, err
		})
}

type auditVerifyRequest struct {
	Heads string `query:"heads"`
}

func (in auditVerifyRequest) known() (known []audit.Head, err error) {
	for text := range strings.SplitSeq(in.Heads, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		head, err := audit.ParseHead(text)
		if err != nil {
			return nil, err
		}
		known = append(known, head)
	}
	return known, nil
}

type auditRequest struct {
	logRequest
	Actor   string `query:"actor"`  // id or name
	Action  string `query:"action"` // key.create, or "key." for all of a noun
	Target  string `query:"target"` // a part of it
	Outcome string `query:"outcome"`
}

func (in auditRequest) filter() (audit.Filter, error) {
	s, err := in.span()
	return audit.Filter{Before: s.before, Limit: s.limit, From: s.from, To: s.to, Actor: in.Actor, Action: in.Action, Target: in.Target, Outcome: in.Outcome}, err
}

func entryNumber(e audit.Entry) int64 { return e.N }

type auditListJSON struct {
	Entries []auditJSON `json:"entries"`
	Next    *int64      `json:"next"` // before of the next page; null: there is none
}

type auditJSON struct {
	N         int64           `json:"n"`
	At        instant         `json:"timestamp"`
	Type      string          `json:"type"` // of the actor
	Actor     string          `json:"actor"`
	Name      string          `json:"name"`
	Action    string          `json:"action"`
	Target    string          `json:"target"`
	Outcome   string          `json:"outcome"` // done or failed
	Code      string          `json:"code"`
	ClientIP  string          `json:"client_ip"`
	RequestID string          `json:"request_id"`
	Details   json.RawMessage `json:"details"`
	Chain     string          `json:"chain"` // of the node
	Seq       int64           `json:"seq"`
	Hash      string          `json:"hash"`
	Prev      string          `json:"prev"`
}

func auditOf(e audit.Entry) auditJSON {
	out := auditJSON{N: e.N, At: instant(e.At), Type: string(e.Kind), Actor: e.Actor, Name: e.Name, Action: e.Action, Target: e.Target, Outcome: e.Outcome, Code: e.Code,
		ClientIP: e.ClientIP, RequestID: e.RequestID, Details: json.RawMessage("null"), Chain: e.Chain, Seq: e.Seq, Hash: e.Hash, Prev: e.Prev}
	if json.Valid([]byte(e.Details)) {
		out.Details = json.RawMessage(e.Details)
	}
	return out
}

type proofJSON struct {
	Chain   string `json:"chain"`
	Entries int64  `json:"entries"`
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
	Broken  int64  `json:"broken"`  // number of the first entry that is not as it was written; 0: none
	Missing string `json:"missing"` // the end that was cut off, newest or oldest; empty: neither
	OK      bool   `json:"ok"`
}
