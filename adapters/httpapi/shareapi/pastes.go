package shareapi

import (
	"context"
	"net/http"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// pasteOps registers the calls of contract §6.
func pasteOps(a *httpapi.API, u UseCases) {
	p := pasteCalls{pastes: u.Pastes, keyNames: u.KeyNames}
	gate := []string{"expired", "used_up"}
	locked := append([]string{"password_required", "password_wrong", "key_required"}, gate...)
	slugs := []string{"slug_invalid", "slug_reserved", "slug_taken"}

	httpapi.Stream(a, httpapi.Op{Name: "paste.read", Method: "GET", Path: "/api/paste/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Answer: httpapi.Bare, Rate: httpapi.ShareRead, Errors: locked, Summary: "Open a paste, or learn that it needs a password."}, p.read)
	httpapi.Describe(a, "paste.read", visitQuery{}, pasteAnswer{}, lockedPaste{}, pastePeek{})
	httpapi.Stream(a, httpapi.Op{Name: "paste.raw", Method: "GET", Path: "/api/raw/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Answer: httpapi.Bytes, Type: "text/plain", Fail: httpapi.FailText, Rate: httpapi.ShareRead, Errors: locked, Also: []int{http.StatusNotModified}, Summary: "The text of a paste, alone."}, p.raw)
	httpapi.Describe(a, "paste.raw", visitQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "paste.verify", Method: "POST", Path: "/api/paste/{slug}", Public: true, Actions: []policy.Action{policy.ShareVerify},
		Body: httpapi.JSON, Answer: httpapi.Bare, Rate: httpapi.ShareRead, Errors: locked, Summary: "Open a protected paste with its password."}, p.verify)
	httpapi.Describe(a, "paste.verify", verifyRequest{}, pasteAnswer{})
	enterOps(a, u)
	httpapi.HandlePlanned(a, httpapi.Op{Name: "paste.create", Grows: httpapi.GrowsRecords, Method: "POST", Path: "/api/paste", Actions: []policy.Action{policy.PasteCreate}, Body: httpapi.BigJSON, Text: "content",
		Answer: httpapi.Bare, Rate: httpapi.ShareWrite, Idem: httpapi.InTransaction, Errors: append([]string{"content_too_large"}, slugs...),
		Summary: "Share a text."}, p.planCreate, p.create)
	httpapi.Handle(a, httpapi.Op{Name: "paste.list", Method: "GET", Path: "/api/pastes", Actions: []policy.Action{policy.PasteList},
		Top: map[string]any{"pagination": wire.Pagination{}, "key_info": keyInfo{}}, Summary: "List pastes: all for the admin, their own for keys."}, p.list)
	httpapi.Handle(a, httpapi.Op{Name: "paste.get", Method: "GET", Path: "/api/pastes/{id}", Actions: []policy.Action{policy.PasteReadOwn},
		Errors: []string{"not_owner"}, Summary: "A paste as its owner sees it; takes no view."}, p.get)
	httpapi.HandlePlanned(a, httpapi.Op{Name: "paste.update", Grows: httpapi.GrowsRecords, Method: "PUT", Path: "/api/pastes/{id}", Actions: []policy.Action{policy.PasteUpdate}, Body: httpapi.BigJSON,
		Idem: httpapi.InTransaction, Errors: append([]string{"content_too_large", "expired", "used_up", "precondition_failed", "not_owner"}, slugs...),
		Summary: "Change a paste, by id or slug."}, p.planUpdate, p.update)
	httpapi.Handle(a, httpapi.Op{Name: "paste.delete", Method: "DELETE", Path: "/api/pastes/batch-delete", Aliases: []string{"POST /api/pastes/batch-delete"},
		Actions: []policy.Action{policy.PasteDelete}, Body: httpapi.JSON, Idem: httpapi.InTransaction, Summary: "Delete pastes by id."}, p.delete)
	httpapi.Handle(a, httpapi.Op{Name: "paste.clear_expired", Method: "POST", Path: "/api/pastes/clear-expired",
		Aliases: []string{"POST /api/admin/pastes/clear-expired"}, Actions: []policy.Action{policy.PasteClearExpired}, Body: httpapi.JSON,
		Idem: httpapi.InTransaction, Summary: "Delete pastes that have expired or are used up."}, p.clearExpired)
}

// pasteCalls answers the calls on pastes.
type pasteCalls struct {
	pastes   *shares.Pastes
	keyNames wire.KeyNames
}

// newPasteRequest is the body of paste creation (contract §6.1).
type newPasteRequest struct {
	Content     string    `json:"content" nul:"keep"`
	Slug        string    `json:"slug"`
	Unguessable wire.Flag `json:"unguessable"`
	Remark      string    `json:"remark"`
	Syntax      string    `json:"syntax"`
	ExpiresAt   wire.When `json:"expiresAt"`
	MaxViews    wire.Int  `json:"maxViews"`
	Password    string    `json:"password"`
	wire.Access
}

type newPasteAnswer struct {
	ID           string  `json:"id"`
	Slug         string  `json:"slug"`
	Remark       *string `json:"remark"`
	ExpiresAt    *string `json:"expiresAt"`
	MaxViews     *int64  `json:"maxViews"`
	HasPassword  bool    `json:"hasPassword"`
	CreatedAt    string  `json:"createdAt"`
	AuthorizedBy string  `json:"authorizedBy"`
	Syntax       string  `json:"syntax,omitempty"`
	wire.SharePage
}

func (c pasteCalls) planCreate(ctx context.Context, who policy.Principal, in newPasteRequest) (*shares.PastePlan, error) {
	return c.pastes.PlanCreate(ctx, who, shares.NewPaste{
		Content: []byte(in.Content), Slug: in.Slug, Unguessable: bool(in.Unguessable), Remark: in.Remark, Syntax: in.Syntax,
		Terms: shares.Terms{Password: in.Password, ExpiresAt: in.ExpiresAt.Time, MaxViews: int64(in.MaxViews), Latch: latchOf(in.Access)},
	})
}

func (c pasteCalls) create(ctx context.Context, plan *shares.PastePlan) (newPasteAnswer, error) {
	p, err := c.pastes.Store(ctx, plan)
	if err != nil {
		return newPasteAnswer{}, err
	}
	return newPasteAnswer{ID: p.ID, Slug: p.Slug, Remark: wire.TextOrNull(p.Remark), ExpiresAt: wire.ISOTime(p.ExpiresAt), MaxViews: wire.OrNull(p.MaxViews),
		HasPassword: p.Protected(), CreatedAt: wire.ISO(p.CreatedAt), AuthorizedBy: string(httpapi.ScopeOf(ctx).Who().Kind), Syntax: p.Syntax,
		SharePage: wire.PastePage(httpapi.ScopeOf(ctx).Origin(), p.Slug)}, nil
}

type itemRequest struct {
	ID string `path:"id"`
}

// pasteDetail is a paste as its owner sees it (contract §6.7).
type pasteDetail struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Content       string  `json:"content"`
	Remark        *string `json:"remark"`
	ExpiresAt     *string `json:"expires_at"`
	MaxViews      *int64  `json:"max_views"`
	Views         int64   `json:"views"`
	CreatedBy     string  `json:"created_by"`
	CreatedAt     string  `json:"created_at"`
	UpdatedAt     string  `json:"updated_at"`
	HasPassword   bool    `json:"has_password"`
	PlainPassword *string `json:"plain_password"` // always null: only a hash is kept
	KeyName       *string `json:"key_name,omitempty"`
	Syntax        string  `json:"syntax,omitempty"`
	wire.SharePlace
}

func (c pasteCalls) get(ctx context.Context, who policy.Principal, in itemRequest) (pasteDetail, error) {
	p, err := c.pastes.Get(ctx, who, in.ID)
	if err != nil {
		return pasteDetail{}, err
	}
	names, err := c.keyNames.Of(ctx, 1, func(int) string { return p.CreatedBy })
	if err != nil {
		return pasteDetail{}, err
	}
	httpapi.ScopeOf(ctx).Header().Set("ETag", p.ETag())
	return pasteDetail{ID: p.ID, Slug: p.Slug, Content: string(p.Content), Remark: wire.TextOrNull(p.Remark), ExpiresAt: wire.ISOTime(p.ExpiresAt),
		MaxViews: wire.OrNull(p.MaxViews), Views: p.Views, CreatedBy: p.CreatedBy, CreatedAt: wire.ISO(p.CreatedAt), UpdatedAt: wire.ISO(p.UpdatedAt),
		HasPassword: p.Protected(), KeyName: names[p.CreatedBy], Syntax: p.Syntax, SharePlace: wire.PastePlace(httpapi.ScopeOf(ctx).Origin(), p.Slug)}, nil
}

// pasteUpdate is the body of a change (contract §6.8). "id" and "slug" inside
// the body are not read.
type pasteUpdate struct {
	ID            string              `path:"id"`
	Content       string              `json:"content" nul:"keep"`
	Remark        wire.Opt[string]    `json:"remark"`
	Syntax        wire.Opt[string]    `json:"syntax"`
	ExpiresAt     wire.Opt[wire.When] `json:"expiresAt"`
	MaxViews      wire.Opt[wire.Int]  `json:"maxViews"`
	Password      string              `json:"password"`
	ClearPassword wire.Flag           `json:"clearPassword"`
	NewSlug       wire.Opt[string]    `json:"newSlug"`
}

type pasteUpdated struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	wire.SharePage
}

func (c pasteCalls) planUpdate(ctx context.Context, who policy.Principal, in pasteUpdate) (*shares.PasteUpdatePlan, error) {
	return c.pastes.PlanUpdate(ctx, who, in.ID, shares.PasteChange{
		Content: []byte(in.Content), Remark: fieldOf(in.Remark), Syntax: fieldOf(in.Syntax),
		ExpiresAt: shares.Field[*time.Time]{Set: in.ExpiresAt.Set, Value: in.ExpiresAt.Value.Time},
		MaxViews:  shares.Field[int64]{Set: in.MaxViews.Set, Value: int64(in.MaxViews.Value)},
		Password:  in.Password, ClearPassword: bool(in.ClearPassword), Slug: fieldOf(in.NewSlug), IfMatch: httpapi.ScopeOf(ctx).IfMatch(),
	})
}

func (c pasteCalls) update(ctx context.Context, plan *shares.PasteUpdatePlan) (pasteUpdated, error) {
	p, err := c.pastes.Apply(ctx, plan)
	if err != nil {
		return pasteUpdated{}, err
	}
	httpapi.ScopeOf(ctx).Header().Set("ETag", p.ETag())
	return pasteUpdated{ID: p.ID, Slug: p.Slug, SharePage: wire.PastePage(httpapi.ScopeOf(ctx).Origin(), p.Slug)}, nil
}

type deleteRequest struct {
	IDs []string `json:"ids"`
}

type deletedCount struct {
	DeletedCount int `json:"deletedCount"`
}

func (c pasteCalls) delete(ctx context.Context, who policy.Principal, in deleteRequest) (httpapi.Answer[deletedCount], error) {
	n, err := c.pastes.Delete(ctx, who, in.IDs)
	return httpapi.Answer[deletedCount]{Data: deletedCount{n}, Text: "deleted_count", Params: map[string]any{"count": n}}, err
}

func (c pasteCalls) clearExpired(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.Answer[deletedCount], error) {
	n, err := c.pastes.ClearExpired(ctx, who)
	return httpapi.Answer[deletedCount]{Data: deletedCount{n}, Text: "deleted_count", Params: map[string]any{"count": n}}, err
}

// fieldOf hands an optional value to a use case; null counts as the zero value.
func fieldOf[T any](o wire.Opt[T]) shares.Field[T] {
	return shares.Field[T]{Set: o.Set, Value: o.Value}
}
