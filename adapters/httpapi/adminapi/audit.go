package adminapi

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/audit"
	"pasteport/ports/policy"
)

// auditOps are the calls on the audit log.
func auditOps(a *httpapi.API, log *audit.Audit) {
	read := []policy.Action{policy.AuditRead}

	httpapi.Handle(a, httpapi.Op{Name: "audit.list", Method: http.MethodGet, Path: "/api/admin/audit", Actions: read,
		Summary: "Lists who did what, newest first. The next page begins before the last n."},
		func(ctx context.Context, who policy.Principal, in auditRequest) (auditListJSON, error) {
			f, err := in.filter()
			if err != nil {
				return auditListJSON{}, err
			}
			entries, total, err := log.Page(ctx, who, f)
			rows, next := rowsOfLog(entries, f.Limit, auditOf, entryNumber)
			if f.Oldest {
				next = nil // such a list goes on by its offset
			}
			return auditListJSON{rows, total, next}, err
		})

	httpapi.Stream(a, httpapi.Op{Name: "audit.export", Method: http.MethodGet, Path: "/api/admin/audit/export", Actions: read, Type: linesType, Class: httpapi.Packing,
		Summary: "The audit log as JSON lines, newest first."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[auditRequest](r)
			if err != nil {
				return err
			}
			f, err := in.filter()
			if err != nil {
				return err
			}
			f.Offset, f.Oldest = 0, false
			return exportLog(w, "audit", f.Before, func(before int64, limit int) ([]audit.Entry, error) {
				f.Before, f.Limit = before, limit
				return log.List(r.Context(), who, f)
			}, auditOf, entryNumber)
		})

	httpapi.Handle(a, httpapi.Op{Name: "audit.verify", Method: http.MethodGet, Path: "/api/admin/audit/verify", Actions: read, Class: httpapi.Heavy,
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
	Actor   string   `query:"actor"`  // id or name
	Action  string   `query:"action"` // key.create, or "key." for all of a noun
	Target  string   `query:"target"` // a part of it
	Outcome string   `query:"outcome"`
	Search  string   `query:"search"`         // a part of who, what, or what it was done to
	Offset  wire.Int `query:"offset,lenient"` // entries to leave out, instead of before
	Order   string   `query:"order"`          // asc: oldest first
}

func (in auditRequest) filter() (audit.Filter, error) {
	s, err := in.span()
	return audit.Filter{Before: s.before, Limit: s.limit, From: s.from, To: s.to, Actor: in.Actor, Action: in.Action, Target: in.Target, Outcome: in.Outcome,
		Search: strings.TrimSpace(in.Search), Offset: wire.ClampInt(int64(in.Offset), 0, math.MaxInt32), Oldest: strings.EqualFold(in.Order, "asc")}, err
}

func entryNumber(e audit.Entry) int64 { return e.N }

type auditListJSON struct {
	Entries []auditJSON `json:"entries"`
	Total   int         `json:"total"` // 10000: that many or more
	Next    *int64      `json:"next"`  // before of the next page; null: there is none
}

type auditJSON struct {
	N         int64           `json:"n"`
	At        wire.Instant    `json:"timestamp"`
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
	out := auditJSON{N: e.N, At: wire.Instant(e.At), Type: string(e.Kind), Actor: e.Actor, Name: e.Name, Action: e.Action, Target: e.Target, Outcome: e.Outcome, Code: e.Code,
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
