package httpapi

import (
	"context"
	"math"
	"slices"
	"strings"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// pageRequest is what every list with pages may be asked (contract §1.6).
type pageRequest struct {
	Page   Int      `query:"page,lenient"`
	Limit  Int      `query:"limit,lenient"`
	Offset Opt[Int] `query:"offset,lenient"`
	Search string   `query:"search"`
	Order  string   `query:"order"` // asc or desc
}

// listRequest is the query of the lists of shares.
type listRequest struct {
	pageRequest
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

// asksForPage reports whether a call names something of a page. Old clients of
// lists that once had no pages do not, and get the whole list.
func asksForPage(ctx context.Context) bool {
	query := ScopeOf(ctx).Request().URL.Query()
	return slices.ContainsFunc([]string{"page", "limit", "offset", "search", "sort", "order", "state", "storage_config_id"}, query.Has)
}

// paging reads limit and offset; offset is stronger than page.
func (in pageRequest) paging(normal int) ports.Paging {
	limit := clampInt(int64(in.Limit), 0, 1000)
	p := ports.Paging{Limit: limit, Offset: clampInt(int64(in.Offset.Value), 0, math.MaxInt32)}
	if !in.Offset.Set && in.Page > 1 {
		if limit == 0 {
			limit = normal
		}
		p.Offset = clampInt(int64(min(in.Page, math.MaxInt32)-1)*int64(limit), 0, math.MaxInt32)
	}
	return p
}

func clampInt(n, low, high int64) int { return int(min(max(n, low), high)) }

// pagination says where a page lies; page numbers are for the admin only.
type pagination struct {
	Total      int  `json:"total"`
	Limit      int  `json:"limit"`
	Offset     int  `json:"offset"`
	HasMore    bool `json:"hasMore"`
	Page       *int `json:"page,omitempty"`
	TotalPages *int `json:"totalPages,omitempty"`
}

func paginationOf(p ports.Paging, total int, numbered bool) pagination {
	out := pagination{Total: total, Limit: p.Limit, Offset: p.Offset, HasMore: p.Offset+p.Limit < total}
	if numbered {
		page, pages := p.Offset/p.Limit+1, (total+p.Limit-1)/p.Limit
		out.Page, out.TotalPages = &page, &pages
	}
	return out
}

// keyInfo is what a list tells a key about itself.
type keyInfo struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	BasicPath   string `json:"basicPath"`
	Permissions int64  `json:"permissions"`
	IsGuest     Bit    `json:"isGuest"`
}

// listTop are the top-level fields of a list of shares.
func listTop(who policy.Principal, fields map[string]any) map[string]any {
	if who.Kind == policy.APIKey {
		fields["key_info"] = keyInfo{ID: who.ID, Name: who.Name, BasicPath: who.BasicPath, Permissions: int64(who.Permissions), IsGuest: Bit(who.Guest)}
	}
	return fields
}

// pasteRow is a line of the list; the content is for keys, the preview for the
// admin.
type pasteRow struct {
	ID             string  `json:"id"`
	Slug           string  `json:"slug"`
	Content        *string `json:"content,omitempty"`
	ContentPreview *string `json:"content_preview,omitempty"`
	Remark         *string `json:"remark"`
	HasPassword    Bit     `json:"has_password"`
	ExpiresAt      *string `json:"expires_at"`
	MaxViews       *int64  `json:"max_views"`
	Views          int64   `json:"views"`
	ViewCount      int64   `json:"view_count"`
	CreatedBy      string  `json:"created_by"`
	CreatedAt      string  `json:"created_at"`
	UpdatedAt      string  `json:"updated_at"`
	KeyName        *string `json:"key_name,omitempty"`
	Syntax         string  `json:"syntax,omitempty"`
	Size           int64   `json:"size"`
	sharePlace
}

func (c pasteCalls) list(ctx context.Context, who policy.Principal, in listRequest) (Answer[[]pasteRow], error) {
	f := shares.PasteFilter{Search: strings.TrimSpace(in.Search), CreatedBy: in.CreatedBy, Paging: in.paging(10), Sort: in.order()}
	found, paging, err := c.pastes.List(ctx, who, f)
	if err != nil {
		return Answer[[]pasteRow]{}, err
	}
	names, err := c.keyNames.of(ctx, len(found.Items), func(i int) string { return found.Items[i].CreatedBy })
	if err != nil {
		return Answer[[]pasteRow]{}, err
	}
	rows := make([]pasteRow, len(found.Items))
	for i := range found.Items {
		p := &found.Items[i]
		rows[i] = pasteRow{ID: p.ID, Slug: p.Slug, Remark: textOrNull(p.Remark), HasPassword: Bit(p.Protected()), ExpiresAt: isoTime(p.ExpiresAt),
			MaxViews: orNull(p.MaxViews), Views: p.Views, ViewCount: p.Views, CreatedBy: p.CreatedBy, CreatedAt: iso(p.CreatedAt),
			UpdatedAt: iso(p.UpdatedAt), KeyName: names[p.CreatedBy], Syntax: p.Syntax, Size: p.Size, sharePlace: pastePlace(ctx, p.Slug)}
		if who.Kind == policy.APIKey {
			content := string(p.Content)
			rows[i].Content = &content
		} else {
			preview := preview200(string(p.Content))
			rows[i].ContentPreview = &preview
		}
	}
	top := map[string]any{"pagination": paginationOf(paging, found.Total, who.Kind != policy.APIKey)}
	return Answer[[]pasteRow]{Data: rows, Top: listTop(who, top)}, nil
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

// of returns the names of the keys that created some shares, by created_by.
func (names KeyNames) of(ctx context.Context, n int, createdBy func(i int) string) (map[string]*string, error) {
	var ids []string
	for i := range n {
		if id, ok := strings.CutPrefix(createdBy(i), "apikey:"); ok {
			ids = append(ids, id)
		}
	}
	out := map[string]*string{}
	if len(ids) == 0 || names == nil {
		return out, nil
	}
	found, err := names(ctx, ids)
	for id, name := range found {
		out["apikey:"+id] = &name
	}
	return out, err
}
