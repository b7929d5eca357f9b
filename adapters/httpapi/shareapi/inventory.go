package shareapi

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares/inventory"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// inventoryOps are the calls on all that is shared (decision 52).
func inventoryOps(a *httpapi.API, i *inventory.Inventory) {
	httpapi.Handle(a, httpapi.Op{Name: "share.list", Method: http.MethodGet, Path: "/api/admin/shares", Actions: []policy.Action{policy.SharesRead},
		Summary: "Lists all that is shared, texts, files and collections together, newest first unless sort says otherwise; by storage, mount, key, and what never expires, ends soon or was never looked at."},
		func(ctx context.Context, who policy.Principal, in shareListRequest) (shareListJSON, error) {
			f, err := in.filter(httpapi.ScopeOf(ctx).Now())
			if err != nil {
				return shareListJSON{}, err
			}
			page, err := i.List(ctx, who, f)
			if err != nil {
				return shareListJSON{}, err
			}
			out := shareListJSON{Shares: make([]shareJSON, len(page.Shares)), Total: page.Total}
			for n, s := range page.Shares {
				out.Shares[n] = shareOf(ctx, s)
			}
			if page.More && f.Sort == (inventory.Sort{}) {
				last := page.Shares[len(page.Shares)-1]
				next := strconv.FormatInt(last.CreatedAt.UnixMilli(), 10) + "_" + last.ID
				out.Next = &next
			}
			return out, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "share.revoke", Method: http.MethodPost, Path: "/api/admin/shares/revoke", Actions: []policy.Action{policy.SharesWrite}, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Summary: "Ends shares; each fails by itself. The objects of files go too, unless delete_mode is record_only, they belong to a mount, or another share has them."},
		func(ctx context.Context, who policy.Principal, in revokeRequest) (revokedJSON, error) {
			refs := make([]inventory.Ref, len(in.Items))
			for n, item := range in.Items {
				refs[n] = inventory.Ref{Kind: item.Kind, ID: item.ID}
			}
			done, err := i.Revoke(ctx, who, refs, in.DeleteMode != "record_only")
			out := revokedJSON{Success: done.Done, Failed: make([]failedShareJSON, len(done.Failed))}
			for n, f := range done.Failed {
				out.Failed[n] = failedShareJSON{ID: f.ID, Error: httpapi.ScopeOf(ctx).Failure(f.Err).Message}
			}
			return out, err
		})
}

type shareListRequest struct {
	Limit     wire.Int  `query:"limit,lenient"`
	Before    string    `query:"before"`         // next of the page before
	Offset    wire.Int  `query:"offset,lenient"` // shares to leave out, instead of before
	Sort      string    `query:"sort"`           // created_at, size, views, expires_at
	Order     string    `query:"order"`          // asc or desc
	Kind      string    `query:"kind"`           // paste, file or collection
	Storage   string    `query:"storage"`
	Mount     string    `query:"mount"` // path of a mount, or a folder in one
	CreatedBy string    `query:"created_by"`
	Search    string    `query:"search"`
	Never     wire.Flag `query:"never_expires,lenient"`
	Unused    wire.Flag `query:"unused,lenient"`
	Older     wire.Int  `query:"older_days,lenient"`
	Ends      wire.Int  `query:"ends_days,lenient"` // shares that end within so many days
}

func (in shareListRequest) filter(now time.Time) (inventory.Filter, error) {
	f := inventory.Filter{Limit: wire.ClampInt(int64(in.Limit), 0, 1000), Kind: in.Kind, StorageConfigID: in.Storage, MountPath: strings.TrimSuffix(in.Mount, "/"), CreatedBy: in.CreatedBy,
		Search: strings.TrimSpace(in.Search), NeverExpires: bool(in.Never), Unused: bool(in.Unused)}
	if f.Limit == 0 {
		f.Limit = 100
	}
	f.Offset = wire.ClampInt(int64(in.Offset), 0, math.MaxInt32)
	if slices.Contains(inventory.SortKeys, in.Sort) { // what a list does not know counts as absent
		f.Sort = inventory.Sort{By: in.Sort, Ascending: strings.EqualFold(in.Order, "asc")}
	}
	if in.Mount == "/" {
		f.MountPath = "/"
	}
	if in.Older > 0 {
		f.CreatedBefore = now.AddDate(0, 0, -wire.ClampInt(int64(in.Older), 0, 36500))
	}
	if in.Ends > 0 {
		f.EndsAfter, f.EndsBefore = now, now.AddDate(0, 0, wire.ClampInt(int64(in.Ends), 0, 36500))
	}
	if in.Before != "" {
		at, id, _ := strings.Cut(in.Before, "_")
		millis, err := strconv.ParseInt(at, 10, 64)
		if err != nil || id == "" {
			return f, ports.InvalidInput("share.cursor", "before")
		}
		f.Before = inventory.Cursor{CreatedAt: time.UnixMilli(millis).UTC(), ID: id}
	}
	return f, nil
}

type shareListJSON struct {
	Shares []shareJSON `json:"shares"`
	Total  int         `json:"total"`
	Next   *string     `json:"next"` // before of the next page; null: there is none
}

type shareJSON struct {
	Kind      string       `json:"kind"` // paste, file or collection
	ID        string       `json:"id"`
	Slug      string       `json:"slug"`
	Name      string       `json:"name"`
	Storage   string       `json:"storage_config_id"`
	Path      string       `json:"path"`
	Size      int64        `json:"size"`
	Protected bool         `json:"has_password"`
	ExpiresAt wire.Instant `json:"expires_at"`
	MaxViews  int64        `json:"max_views"`
	Views     int64        `json:"views"`
	CreatedBy string       `json:"created_by"`
	CreatedAt wire.Instant `json:"created_at"`
	wire.SharePlace
}

// placeOf are the addresses of a share of any kind.
func placeOf(ctx context.Context, kind, slug string) wire.SharePlace {
	origin := httpapi.ScopeOf(ctx).Origin()
	switch kind {
	case policy.KindPaste:
		return wire.PastePlace(origin, slug)
	case policy.KindCollection:
		return wire.CollectionPlace(origin, slug)
	}
	return wire.FilePlace(origin, slug)
}

func shareOf(ctx context.Context, s inventory.Share) shareJSON {
	place := placeOf(ctx, s.Kind, s.Slug)
	if s.Collection != "" { // it has no link of its own
		place = placeOf(ctx, policy.KindCollection, s.Collection)
	}
	return shareJSON{Kind: s.Kind, ID: s.ID, Slug: s.Slug, Name: s.Name, Storage: s.StorageConfigID, Path: s.Path, Size: s.Size, Protected: s.Protected,
		ExpiresAt: wire.InstantOf(s.ExpiresAt), MaxViews: s.MaxViews, Views: s.Views, CreatedBy: s.CreatedBy, CreatedAt: wire.Instant(s.CreatedAt), SharePlace: place}
}

type revokeRequest struct {
	Items []struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
	} `json:"items"`
	DeleteMode string `json:"delete_mode"` // both (default) or record_only
}

type revokedJSON struct {
	Success int               `json:"success"`
	Failed  []failedShareJSON `json:"failed"`
}

type failedShareJSON struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}
