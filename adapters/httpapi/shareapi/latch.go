package shareapi

import (
	"context"
	"net/http"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/domain/shares/latch"
	"pasteport/ports/policy"
)

// latchOps registers the calls that say who may come to a share at all, and how its
// end moves.
func latchOps(a *httpapi.API, latches *latch.Latches) {
	httpapi.Handle(a, httpapi.Op{Name: "share.access", Method: http.MethodGet, Path: "/api/shares/{kind}/{id}/access", Actions: []policy.Action{policy.PasteReadOwn, policy.FileReadOwn},
		Errors: []string{"not_owner", "item_taken"}, Summary: "Who may open a share at all, and how its end moves when it is opened; kind is paste, file or collection."},
		func(ctx context.Context, who policy.Principal, in shareRef) (accessJSON, error) {
			g, err := latches.Get(ctx, who, in.Kind, in.ID)
			return accessOf(g), err
		})
	httpapi.Handle(a, httpapi.Op{Name: "share.set_access", Method: http.MethodPut, Path: "/api/shares/{kind}/{id}/access", Actions: []policy.Action{policy.PasteUpdate, policy.FileUpdate}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Grows: httpapi.GrowsRecords, Errors: []string{"not_owner", "item_taken"}, Summary: "Say who may open a share at all, and how its end moves when it is opened. What is absent stays."},
		func(ctx context.Context, who policy.Principal, in accessRequest) (accessJSON, error) {
			g, err := latches.Change(ctx, who, in.Kind, in.ID, shares.LatchChange{
				KeyOnly:    shares.Field[bool]{Set: in.KeyOnly.Set, Value: bool(in.KeyOnly.Value)},
				SlideBy:    shares.Field[time.Duration]{Set: in.SlidingDays.Set, Value: wire.Access{SlidingDays: in.SlidingDays.Value}.SlideBy()},
				SlideUntil: shares.Field[*time.Time]{Set: in.SlidingUntil.Set, Value: in.SlidingUntil.Value.Time},
			})
			return accessOf(g), err
		})
}

// latchOf is the latch of a new share.
func latchOf(a wire.Access) shares.Latch {
	return shares.Latch{KeyOnly: bool(a.KeyOnly), SlideBy: a.SlideBy(), SlideUntil: a.SlidingUntil.Time}
}

const day = 24 * time.Hour

type shareRef struct {
	Kind string `path:"kind"`
	ID   string `path:"id"`
}

type accessRequest struct {
	shareRef
	KeyOnly      wire.Opt[wire.Flag] `json:"key_only"`
	SlidingDays  wire.Opt[wire.Int]  `json:"sliding_days"`
	SlidingUntil wire.Opt[wire.When] `json:"sliding_until"`
}

type accessJSON struct {
	KeyOnly      bool    `json:"key_only"`      // strangers may not open it
	SlidingDays  int64   `json:"sliding_days"`  // how long it lives after it was last opened; 0: its end stays
	SlidingUntil *string `json:"sliding_until"` // no opening moves the end past this; null: there is no such end
	ExpiresAt    *string `json:"expires_at"`    // as things stand
}

func accessOf(g shares.Gate) accessJSON {
	return accessJSON{KeyOnly: g.KeyOnly, SlidingDays: int64(g.SlideBy / day), SlidingUntil: wire.ISOTime(g.SlideUntil), ExpiresAt: wire.ISOTime(g.ExpiresAt)}
}
