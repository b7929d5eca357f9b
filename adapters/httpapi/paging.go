package httpapi

import (
	"math"
	"net/url"
	"slices"

	"pasteport/ports"
)

// pageRequest is what every list with pages may be asked (contract §1.6).
type pageRequest struct {
	Page   Int      `query:"page,lenient"`
	Limit  Int      `query:"limit,lenient"`
	Offset Opt[Int] `query:"offset,lenient"`
	Search string   `query:"search"`
	Order  string   `query:"order"` // asc or desc
}

// asksForPage reports whether a call names something of a page. Old clients of
// lists that once had no pages do not, and get the whole list.
func asksForPage(query url.Values) bool {
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

type clearRequest struct {
	MountID  Opt[string] `json:"mountId"`
	ConfigID Opt[string] `json:"s3ConfigId"`
}

type clearedData struct {
	ClearedCount int     `json:"clearedCount"`
	Timestamp    instant `json:"timestamp"`
}
