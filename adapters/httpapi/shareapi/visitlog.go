package shareapi

import (
	"context"
	"math"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares/openings"
	"pasteport/domain/shares/visitlog"
	"pasteport/ports/policy"
)

// visitLogOps registers the calls that tell who opened shares.
func visitLogOps(a *httpapi.API, u UseCases) {
	c := visitCalls{u.VisitLog, u.KeyNames}
	httpapi.Handle(a, httpapi.Op{Name: "share.log", Method: http.MethodGet, Path: "/api/shares/{kind}/{id}/log", Actions: []policy.Action{policy.ShareLog}, Errors: []string{"not_owner"},
		Summary: "Who opened a share of the caller and who was not let in, newest first; kind is paste, file or collection. The next page begins before the last n."}, c.own)
	httpapi.Handle(a, httpapi.Op{Name: "share.visits", Method: http.MethodGet, Path: "/api/admin/shares/visits", Actions: []policy.Action{policy.SharesRead},
		Summary: "Who opened shares of everybody and who was not let in, newest first. The next page begins before the last n."}, c.all)
}

// visitCalls answers them.
type visitCalls struct {
	log      *visitlog.Log
	keyNames wire.KeyNames
}

type visitLogRequest struct {
	Kind    string    `path:"kind"`
	ID      string    `path:"id"`
	Before  wire.Int  `query:"before,lenient"` // n of the last line seen
	Limit   wire.Int  `query:"limit,lenient"`
	Offset  wire.Int  `query:"offset,lenient"` // lines to leave out, instead of before
	Refused wire.Flag `query:"refused,lenient"`
}

type visitsRequest struct {
	Before  wire.Int  `query:"before,lenient"`
	Limit   wire.Int  `query:"limit,lenient"`
	Offset  wire.Int  `query:"offset,lenient"`
	Kind    string    `query:"kind"`       // paste, file or collection
	Share   string    `query:"share"`      // id
	Owner   string    `query:"created_by"` // of the share
	Verdict string    `query:"verdict"`    // opened, password_wrong, used_up or expired
	Refused wire.Flag `query:"refused,lenient"`
	Search  string    `query:"search"` // a part of address, program, item, or the share's name or slug
	From    string    `query:"from"`   // RFC 3339
	To      string    `query:"to"`
}

type visitListJSON struct {
	Visits []visitJSON `json:"visits"`
	Total  int         `json:"total"` // 100000: that many or more
	Next   *int64      `json:"next"`  // before of the next page; null: there is none
}

// visitJSON is a line of the log: an opening, or several alike within a second.
type visitJSON struct {
	N         int64        `json:"n"`
	At        wire.Instant `json:"timestamp"`
	Kind      string       `json:"kind"`
	ShareID   string       `json:"share_id"`
	Slug      string       `json:"slug"`
	Name      string       `json:"name"`
	CreatedBy string       `json:"created_by"`
	Who       string       `json:"who"`                // apikey:<id> or an administrator's id; empty for a visitor
	KeyName   *string      `json:"key_name,omitempty"` // of who
	Address   string       `json:"address"`            // as far as share_log_address says
	Agent     string       `json:"agent"`              // program and system
	How       string       `json:"how"`                // page, raw, download, preview or zip
	Item      string       `json:"item"`               // the one file of a collection
	Verdict   string       `json:"verdict"`            // opened, password_wrong, used_up or expired
	Times     int64        `json:"times"`              // how many openings the line stands for
	Views     int64        `json:"views"`              // that they took
	wire.SharePlace
}

func pageOf(limit, offset, before wire.Int) visitlog.Filter {
	f := visitlog.Filter{Limit: wire.ClampInt(int64(limit), 0, 1000), Offset: wire.ClampInt(int64(offset), 0, math.MaxInt32), Before: int64(before)}
	if f.Limit == 0 {
		f.Limit = 100
	}
	return f
}

func (c visitCalls) own(ctx context.Context, who policy.Principal, in visitLogRequest) (visitListJSON, error) {
	f := pageOf(in.Limit, in.Offset, in.Before)
	f.Kind, f.ShareID, f.Refused = in.Kind, in.ID, bool(in.Refused)
	lines, total, err := c.log.Of(ctx, who, f)
	if err != nil {
		return visitListJSON{}, err
	}
	return c.answer(ctx, who, f, lines, total)
}

func (c visitCalls) all(ctx context.Context, who policy.Principal, in visitsRequest) (visitListJSON, error) {
	f := pageOf(in.Limit, in.Offset, in.Before)
	f.Kind, f.ShareID, f.Owner, f.Verdict, f.Refused, f.Search = in.Kind, in.Share, in.Owner, openings.Verdict(in.Verdict), bool(in.Refused), strings.TrimSpace(in.Search)
	for name, at := range map[string]struct {
		text string
		to   *time.Time
	}{"from": {in.From, &f.From}, "to": {in.To, &f.To}} {
		var err error
		if *at.to, err = wire.InstantIn(at.text, name); err != nil {
			return visitListJSON{}, err
		}
	}
	lines, total, err := c.log.List(ctx, who, f)
	if err != nil {
		return visitListJSON{}, err
	}
	return c.answer(ctx, who, f, lines, total)
}

// answer notes in the audit log that an administrator reads about the visitors of
// shares of others.
func (c visitCalls) answer(ctx context.Context, who policy.Principal, f visitlog.Filter, lines []visitlog.Shown, total int) (visitListJSON, error) {
	foreign := false
	out := visitListJSON{Visits: make([]visitJSON, len(lines)), Total: total}
	names, err := c.keyNames.Of(ctx, len(lines), func(i int) string { return lines[i].Who })
	if err != nil {
		return visitListJSON{}, err
	}
	for i, l := range lines {
		foreign = foreign || who.Kind == policy.Admin && l.Owner != who.Owner()
		out.Visits[i] = visitJSON{N: l.N, At: wire.Instant(l.At), Kind: l.Kind, ShareID: l.ShareID, Slug: l.Slug, Name: l.Name, CreatedBy: l.Owner, Who: l.Who, KeyName: names[l.Who],
			Address: l.Address, Agent: l.Agent, How: string(l.How), Item: l.Item, Verdict: string(l.Verdict), Times: l.Times, Views: l.Views, SharePlace: placeOf(ctx, l.Kind, l.Slug)}
	}
	if n := len(lines); n > 0 && n == f.Limit && f.Offset == 0 {
		out.Next = &lines[n-1].N
	}
	if foreign && f.Before == 0 && f.Offset == 0 {
		return out, httpapi.ScopeOf(ctx).NoteDone(f.ShareID)
	}
	return out, nil
}
