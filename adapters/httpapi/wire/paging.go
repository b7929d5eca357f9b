package wire

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"pasteport/ports"
)

// PageRequest is what every list with pages may be asked (contract §1.6).
type PageRequest struct {
	Page   Int      `query:"page,lenient"`
	Limit  Limit    `query:"limit,lenient"`
	Offset Opt[Int] `query:"offset,lenient"`
	Search string   `query:"search"`
	Order  string   `query:"order"` // asc or desc
}

// Limit is how many rows a page has, from 1 to 1000; 0: as many as usual.
type Limit int

func (l *Limit) FromText(text string) error {
	var n Int
	err := n.FromText(text)
	if *l = 0; err == nil && strings.TrimSpace(text) != "" {
		*l = Limit(ClampInt(int64(n), 1, 1000))
	}
	return err
}

// AsksForPage reports whether a call names something of a page. Old clients of
// lists that once had no pages do not, and get the whole list.
func AsksForPage(query url.Values) bool {
	return slices.ContainsFunc([]string{"page", "limit", "offset", "search", "sort", "order", "state", "storage_config_id"}, query.Has)
}

// Paging reads limit and offset; offset is stronger than page.
func (in PageRequest) Paging(normal int) ports.Paging {
	limit := int(in.Limit)
	p := ports.Paging{Limit: limit, Offset: ClampInt(int64(in.Offset.Value), 0, math.MaxInt32)}
	if !in.Offset.Set && in.Page > 1 {
		if limit == 0 {
			limit = normal
		}
		p.Offset = ClampInt(int64(min(in.Page, math.MaxInt32)-1)*int64(limit), 0, math.MaxInt32)
	}
	return p
}

func ClampInt(n, low, high int64) int { return int(min(max(n, low), high)) }

// Pagination says where a page lies; page numbers are for the admin only.
type Pagination struct {
	Total      int  `json:"total"`
	Limit      int  `json:"limit"`
	Offset     int  `json:"offset"`
	HasMore    bool `json:"hasMore"`
	Page       *int `json:"page,omitempty"`
	TotalPages *int `json:"totalPages,omitempty"`
}

func PaginationOf(p ports.Paging, total int, numbered bool) Pagination {
	out := Pagination{Total: total, Limit: p.Limit, Offset: p.Offset, HasMore: p.Offset+p.Limit < total}
	if numbered {
		page, pages := p.Offset/p.Limit+1, (total+p.Limit-1)/p.Limit
		out.Page, out.TotalPages = &page, &pages
	}
	return out
}

type ClearRequest struct {
	MountID  Opt[string] `json:"mountId"`
	ConfigID Opt[string] `json:"s3ConfigId"`
}

type ClearedData struct {
	ClearedCount int     `json:"clearedCount"`
	Timestamp    Instant `json:"timestamp"`
}
