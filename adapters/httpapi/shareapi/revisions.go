package shareapi

import (
	"context"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/domain/shares/revisions"
	"pasteport/ports/policy"
)

// revisionOps registers the calls on earlier contents of texts.
func revisionOps(a *httpapi.API, u UseCases) {
	c := revisionCalls{pasteCalls{pastes: u.Pastes, keyNames: u.KeyNames}, u.Revisions}
	httpapi.Handle(a, httpapi.Op{Name: "paste.revisions", Method: "GET", Path: "/api/pastes/{id}/revisions", Actions: []policy.Action{policy.PasteReadOwn},
		Errors: []string{"not_owner"}, Summary: "What is kept of the earlier contents of a paste, newest first."}, c.history)
	httpapi.Handle(a, httpapi.Op{Name: "paste.revision", Method: "GET", Path: "/api/pastes/{id}/revisions/{version}", Actions: []policy.Action{policy.PasteReadOwn},
		Errors: []string{"not_owner"}, Summary: "An earlier content of a paste."}, c.get)
	httpapi.Handle(a, httpapi.Op{Name: "paste.keep", Method: "PUT", Path: "/api/pastes/{id}/revisions", Actions: []policy.Action{policy.PasteUpdate}, Body: httpapi.JSON,
		Idem: httpapi.InTransaction, Errors: []string{"not_owner"}, Summary: "Say whether edits of a paste keep what they replace; what is kept is removed when they do not."}, c.keep)
	httpapi.HandlePlanned(a, httpapi.Op{Name: "paste.restore", Grows: httpapi.GrowsRecords, Method: "POST", Path: "/api/pastes/{id}/revisions/{version}/restore",
		Actions: []policy.Action{policy.PasteUpdate}, Body: httpapi.JSON, Idem: httpapi.InTransaction,
		Errors:  []string{"content_too_large", "expired", "used_up", "precondition_failed", "not_owner"},
		Summary: "Make an earlier content of a paste its content again; what it replaces is kept."}, c.planRestore, c.update)
}

// revisionCalls answers the calls on earlier contents.
type revisionCalls struct {
	pasteCalls
	revisions *revisions.Revisions
}

type revisionRequest struct {
	ID      string   `path:"id"`
	Version wire.Int `path:"version"`
}

type revisionDetail struct {
	wire.Revision
	Content string `json:"content"`
}

func (c revisionCalls) history(ctx context.Context, who policy.Principal, in itemRequest) (wire.History, error) {
	h, err := c.revisions.History(ctx, who, in.ID)
	if err != nil {
		return wire.History{}, err
	}
	return wire.HistoryOf(ctx, c.keyNames, h)
}

func (c revisionCalls) get(ctx context.Context, who policy.Principal, in revisionRequest) (revisionDetail, error) {
	r, err := c.revisions.Get(ctx, who, in.ID, int64(in.Version))
	if err != nil {
		return revisionDetail{}, err
	}
	rows, err := wire.Revisions(ctx, c.keyNames, *r)
	if err != nil {
		return revisionDetail{}, err
	}
	return revisionDetail{rows[0], string(r.Content)}, nil
}

type keepRequest struct {
	ID   string              `path:"id"`
	Keep wire.Opt[wire.Flag] `json:"keep"`
}

func (c revisionCalls) keep(ctx context.Context, who policy.Principal, in keepRequest) (wire.Keeping, error) {
	keep := bool(in.Keep.Value)
	return wire.Keeping{Keep: keep}, c.revisions.Switch(ctx, who, in.ID, shares.Field[bool]{Set: in.Keep.Set, Value: keep})
}

func (c revisionCalls) planRestore(ctx context.Context, who policy.Principal, in revisionRequest) (*shares.PasteUpdatePlan, error) {
	return c.revisions.PlanRestore(ctx, who, in.ID, int64(in.Version), httpapi.ScopeOf(ctx).IfMatch())
}
