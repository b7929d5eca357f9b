package events

import (
	"context"
	"maps"
	"slices"
	"time"

	"pasteport/ports"
	"pasteport/ports/event"
)

// Bounds of a round that tells which shares end soon.
const (
	endingsAtOnce = 200 // told in one transaction
	endingsPages  = 50
)

// Ending is a share that ends soon.
type Ending struct {
	Kind      string // policy.KindPaste, KindFile or KindCollection
	ID        string
	Name      string // may be empty
	Owner     string // created_by
	Views     int64
	MaxViews  int64 // 0 means any number
	ExpiresAt time.Time
}

// Near chooses shares that end soon.
type Near struct {
	Now  time.Time
	Lead time.Duration // longest time before the end; half of a share's life is enough, too
	// Owners are whose shares are meant; nil means everybody's.
	Owners []string
	// From is an end before which all were told by now; zero means Now.
	From  time.Time
	Limit int // of each kind
}

// Endings know the shares that end soon, and of which end somebody was told.
type Endings interface {
	// Untold lists shares of each kind, the first to end first, that have not ended, end
	// within the lead and half of their life, and of whose present end nobody was told.
	// The life of a share whose end moves when it is opened is the time by which it moves.
	Untold(ctx context.Context, near Near) ([]Ending, error)
	// Mark notes in the unit of work of ctx that the end of a share was told; false when
	// it was told before or is another by now.
	Mark(ctx context.Context, e Ending) (fresh bool, err error)
	// Sweep forgets marks of ends before now, at most limit.
	Sweep(ctx context.Context, now time.Time, limit int) (int, error)
}

// ending is what an event says of a share that ends soon: no link, which would open it.
type ending struct {
	Kind      string `json:"kind"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Owner     string `json:"created_by"`
	Views     int64  `json:"views"`
	Max       int64  `json:"max_views"`
	ExpiresAt string `json:"expires_at"`
}

func (e Ending) event() event.Event {
	return event.Event{Kind: event.ShareExpires, Subject: "share:" + e.ID, Owner: e.Owner,
		Data: ending{e.Kind, e.ID, e.Name, e.Owner, e.Views, e.MaxViews, e.ExpiresAt.UTC().Format(time.RFC3339)}}
}

// TellEndings tells of the shares that end soon, once for each share and end, where
// somebody wants to hear of it, and returns how many there were. It may be repeated.
func (e *Events) TellEndings(ctx context.Context) (told int, err error) {
	l, lead := e.wanted.Load(), e.d.Lead()
	if l == nil || lead <= 0 {
		return 0, nil
	}
	owners, anybody := l.owners(event.ShareExpires)
	if !anybody {
		return 0, nil
	}
	near := Near{Now: e.d.Clock.Now(), Lead: lead, Owners: owners, Limit: endingsAtOnce}
	for range endingsPages {
		page, err := e.d.Endings.Untold(ctx, near)
		if err != nil {
			return told, ports.Wrap("look which shares end soon", err)
		}
		err = e.d.Work.Do(ctx, func(ctx context.Context) error { return e.tellEndings(ctx, page) })
		if err != nil {
			return told, ports.Wrap("tell which shares end soon", err)
		}
		told += len(page)
		if near.From = further(page, near.Limit); near.From.IsZero() {
			break
		}
	}
	return told, nil
}

// further is from where the page after this one has to look, so that none goes through
// what was told before again; zero when there is none.
func further(page []Ending, limit int) (from time.Time) {
	kinds := map[string]int{}
	for _, share := range page {
		if kinds[share.Kind]++; kinds[share.Kind] == limit && (from.IsZero() || share.ExpiresAt.Before(from)) {
			from = share.ExpiresAt
		}
	}
	return from
}

func (e *Events) tellEndings(ctx context.Context, page []Ending) error {
	for _, share := range page {
		fresh, err := e.d.Endings.Mark(ctx, share)
		if err != nil {
			return err
		}
		if !fresh {
			continue
		}
		if err := e.Happened(ctx, share.event()); err != nil {
			return err
		}
	}
	return nil
}

// owners are the accounts that want to hear of their own of a kind, nil when the site
// wants to hear of everybody's; false when nobody does.
func (l *listeners) owners(kind event.Kind) (owners []string, anybody bool) {
	if wants(l.site, kind) {
		return nil, true
	}
	for _, owner := range slices.Sorted(maps.Keys(l.own)) {
		if wants(l.own[owner], kind) {
			owners = append(owners, owner)
		}
	}
	return owners, len(owners) > 0
}
