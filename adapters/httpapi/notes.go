package httpapi

import (
	"cmp"
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

	"pasteport/domain/audit"
	"pasteport/ports"
	"pasteport/ports/policy"

	"github.com/go-kit/kit/endpoint"
)

// AuditLog takes what is noted of operations.
type AuditLog interface {
	Add(ctx context.Context, e audit.Entry) error
}

// audited reports whether an operation is noted: signing in and out, whatever
// the administrator changes, what is deleted, and what lets strangers in.
func audited(op *Op) bool {
	if op.Method == http.MethodGet || slices.Contains(unnoted, op.Name) {
		return false
	}
	return slices.ContainsFunc(op.Actions, func(do policy.Action) bool {
		switch do {
		case policy.SessionOpen, policy.SessionClose, policy.PasteDelete, policy.PasteClearExpired, policy.FileDelete, policy.MountDelete,
			policy.RequestCreate, policy.RequestUpdate, policy.RequestDelete, policy.NotificationsWrite:
			return true
		case policy.CacheWrite:
			return false
		}
		return do == policy.StorageReconcile || strings.HasPrefix(string(do), "admin.") && strings.HasSuffix(string(do), ".write")
	})
}

// unnoted are operations of these actions that change nothing.
var unnoted = []string{"storage.test", "storage.try", "notification.test", "notification.tell"}

// withAudit notes what an operation did. The note is written with the change
// where that is one transaction.
func (a *API) withAudit(rt *route, use endpoint.Endpoint) endpoint.Endpoint {
	if !audited(&rt.op) {
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
		e.Target, e.Details = described(rt.op.Secrets, request, &x.vars, x.notes)
		e.Target = cmp.Or(e.Target, textField(result, "id"))
		if name := cmp.Or(x.noted, textField(result, "name", "username")); name != "" {
			e.Target = strings.TrimSpace(e.Target + " " + name)
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

// NoteDone notes that the operation has done its work on target, which may be
// empty. It is for streamed operations and handlers beside the registry. Call it
// before the answer: an error means that nothing is noted. For the zero Scope it
// does nothing.
func (s Scope) NoteDone(target string) error {
	x := s.x
	if x == nil || x.api.opts.Audit == nil {
		return nil
	}
	return x.api.opts.Audit.Add(x.ctx(), audit.Entry{Kind: x.who.Kind, Actor: x.who.ID, Name: x.who.Name, Action: x.opName(), Target: target, ClientIP: x.client.text, RequestID: x.id[0]})
}

// Note adds something to what is noted of the operation under way, such as what
// was there before. It must hold no secret. For the zero Scope it does nothing.
func (s Scope) Note(name string, value any) {
	x := s.x
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
func described(secrets []string, request any, vars *pathVars, notes map[string]any) (target, details string) {
	for _, name := range []string{"id", "slug", "group"} {
		if value := vars.get(name); value != "" {
			target = value
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

// NoteBefore adds what a record was before the operation under way, as far as
// the request names its fields; a request of nil names all. For the zero Scope
// it does nothing. The record's name is noted beside its id.
func (s Scope) NoteBefore(request, before any) {
	x := s.x
	if x == nil || x.route == nil {
		return
	}
	data, err := json.Marshal(before)
	var record map[string]any
	if err != nil || json.Unmarshal(data, &record) != nil {
		return
	}
	x.noted, _ = record["name"].(string)
	named := namedFields(nil, request)
	for name, value := range record {
		if _, ok := named[name]; request != nil && !ok || slices.Contains(passing, name) {
			delete(record, name)
			continue
		}
		record[name] = withoutSecrets(name, value, x.route.op.Secrets)
	}
	s.Note("before", record)
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
