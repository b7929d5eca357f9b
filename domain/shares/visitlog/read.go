package visitlog

import (
	"context"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// MaxTotal is the most that a Page counts.
const MaxTotal = 100_000

// Filter chooses lines, newest first. Empty fields choose all.
type Filter struct {
	Limit    int   // 1 to 1000
	Before   int64 // n of the last line seen
	Offset   int   // lines to leave out, instead of Before
	From, To time.Time
	Kind     string
	ShareID  string
	Owner    string // of the shares
	Verdict  openings.Verdict
	Refused  bool   // only those who were not let in
	Search   string // part of address, program, item or id of a share
}

// Shown is a line with the share that it is of.
type Shown struct {
	Line
	Slug  string
	Name  string // file name, remark of the text or title
	Owner string
}

var errUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "file.not_found"}

// Of lists who opened one share, and how many lines there are. It asks share.log.
//
// Returns NotFound for an unknown share and one of others, Invalid for an unknown
// kind.
func (l *Log) Of(ctx context.Context, who policy.Principal, f Filter) ([]Shown, int, error) {
	owner, missing := l.repo.Owner(ctx, f.Kind, f.ShareID)
	if missing != nil && !ports.Is(missing, ports.NotFound) {
		return nil, 0, missing
	}
	on := policy.Resource{Kind: f.Kind, Owner: who.Owner()}
	if missing == nil {
		on.ID, on.Owner = f.ShareID, owner
	}
	decision, err := policy.Check(ctx, l.decider, who, policy.ShareLog, on)
	if err != nil {
		return nil, 0, gate.HideForeign(decision, err, errUnknown)
	}
	switch f.Kind {
	case policy.KindPaste, policy.KindFile, policy.KindCollection:
	default:
		return nil, 0, ports.InvalidInput("share.kind", "kind")
	}
	if missing != nil {
		return nil, 0, errUnknown.With(missing)
	}
	return l.page(ctx, f)
}

// List lists who opened shares, of everybody. It asks admin.shares.read.
func (l *Log) List(ctx context.Context, who policy.Principal, f Filter) ([]Shown, int, error) {
	if _, err := policy.Check(ctx, l.decider, who, policy.SharesRead, policy.Resource{Kind: policy.KindShare}); err != nil {
		return nil, 0, err
	}
	return l.page(ctx, f)
}

func (l *Log) page(ctx context.Context, f Filter) ([]Shown, int, error) {
	lines, err := l.repo.List(ctx, f)
	if err != nil {
		return nil, 0, ports.Wrap("read the log of shares", err)
	}
	total, err := l.repo.Count(ctx, f)
	return lines, total, ports.Wrap("count the log of shares", err)
}
