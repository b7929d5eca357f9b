package shareapi

import (
	"context"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// listRequest is the query of the lists of shares.
type listRequest struct {
	wire.PageRequest
	CreatedBy string `query:"created_by"`
	Sort      string `query:"sort"`              // created_at, slug, size, views, expires_at; of files also filename
	State     string `query:"state"`             // active, expired, protected, limited
	Storage   string `query:"storage_config_id"` // of files
}

// order is how the list is sorted and narrowed. What it does not know counts
// as absent, like any parameter that a call does not know.
func (in listRequest) order() shares.Sort {
	return shares.Sort{By: in.Sort, Ascending: strings.EqualFold(in.Order, "asc"), State: in.State}
}

// keyInfo is what a list tells a key about itself.
type keyInfo struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	BasicPath   string   `json:"basicPath"`
	Permissions int64    `json:"permissions"`
	Role        string   `json:"role"`
	IsGuest     wire.Bit `json:"isGuest"`
}

// listTop are the top-level fields of a list of shares.
func listTop(who policy.Principal, fields map[string]any) map[string]any {
	if who.Kind == policy.APIKey {
		fields["key_info"] = keyInfo{ID: who.ID, Name: who.Name, BasicPath: who.BasicPath, Permissions: int64(who.Permissions), Role: who.Role, IsGuest: wire.Bit(who.Guest)}
	}
	return fields
}

// pasteRow is a line of the list; the content is for keys, the preview for the
// admin.
type pasteRow struct {
	ID             string   `json:"id"`
	Slug           string   `json:"slug"`
	Content        *string  `json:"content,omitempty"`
	ContentPreview *string  `json:"content_preview,omitempty"`
	Remark         *string  `json:"remark"`
	HasPassword    wire.Bit `json:"has_password"`
	ExpiresAt      *string  `json:"expires_at"`
	MaxViews       *int64   `json:"max_views"`
	Views          int64    `json:"views"`
	ViewCount      int64    `json:"view_count"`
	CreatedBy      string   `json:"created_by"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
	KeyName        *string  `json:"key_name,omitempty"`
	Syntax         string   `json:"syntax,omitempty"`
	Size           int64    `json:"size"`
	wire.SharePlace
}

func (c pasteCalls) list(ctx context.Context, who policy.Principal, in listRequest) (httpapi.Answer[[]pasteRow], error) {
	f := shares.PasteFilter{Search: strings.TrimSpace(in.Search), CreatedBy: in.CreatedBy, Paging: in.Paging(10), Sort: in.order()}
	found, paging, err := c.pastes.List(ctx, who, f)
	if err != nil {
		return httpapi.Answer[[]pasteRow]{}, err
	}
	names, err := c.keyNames.Of(ctx, len(found.Items), func(i int) string { return found.Items[i].CreatedBy })
	if err != nil {
		return httpapi.Answer[[]pasteRow]{}, err
	}
	rows := make([]pasteRow, len(found.Items))
	for i := range found.Items {
		p := &found.Items[i]
		rows[i] = pasteRow{ID: p.ID, Slug: p.Slug, Remark: wire.TextOrNull(p.Remark), HasPassword: wire.Bit(p.Protected()), ExpiresAt: wire.ISOTime(p.ExpiresAt),
			MaxViews: wire.OrNull(p.MaxViews), Views: p.Views, ViewCount: p.Views, CreatedBy: p.CreatedBy, CreatedAt: wire.ISO(p.CreatedAt),
			UpdatedAt: wire.ISO(p.UpdatedAt), KeyName: names[p.CreatedBy], Syntax: p.Syntax, Size: p.Size, SharePlace: wire.PastePlace(httpapi.ScopeOf(ctx).Origin(), p.Slug)}
		if who.Kind == policy.APIKey {
			content := string(p.Content)
			rows[i].Content = &content
		} else {
			preview := preview200(string(p.Content))
			rows[i].ContentPreview = &preview
		}
	}
	top := map[string]any{"pagination": wire.PaginationOf(paging, found.Total, who.Kind != policy.APIKey)}
	return httpapi.Answer[[]pasteRow]{Data: rows, Top: listTop(who, top)}, nil
}

// preview200 is the first 200 characters, with dots when there are more.
func preview200(s string) string {
	n := 0
	for i := range s {
		if n++; n > 200 {
			return s[:i] + "..."
		}
	}
	return s
}
