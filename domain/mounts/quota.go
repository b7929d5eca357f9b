package mounts

import (
	"context"

	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Ledger counts what storages hold and owners upload; domain/storage implements it by way of cmd.
type Ledger interface {
	capacity.Adder
	// Reserve takes room for a claim, or raises what it has. Returns Quota.
	Reserve(ctx context.Context, c capacity.Claim) error
	// Settle says that size bytes of a claim are stored. With Quota the reservation stays.
	Settle(ctx context.Context, c capacity.Claim, size int64) error
	// Release gives up a claim; false for an unknown one.
	Release(ctx context.Context, id string) (stood bool, err error)
	// Freed says that something was deleted from a storage.
	Freed(ctx context.Context, configID string) error
	// Held tells how full a storage with a capacity is, in bytes.
	Held(ctx context.Context, configID string) (held, reserved int64, err error)
	// Recount corrects a storage of which a whole scan has just ended.
	Recount(ctx context.Context, configID string) error
}

// Quota finds room for what is written, and counts it.
type Quota struct {
	*wings
	ledger Ledger // nil bounds nothing
	random ports.Random
	report func(doing string, err error)
}

// ClaimOf is the place of what somebody uploads to a storage.
func ClaimOf(s *objstore.Storage, c Caller, o policy.Obligations, size, old int64) capacity.Claim {
	return capacity.Claim{ConfigID: s.ID, Capacity: s.Capacity, Size: max(size, 0), Old: old, Owner: c.Who.Owner(), Limits: o.Quotas}
}

// Reservation is the space that one write may take.
type Reservation struct {
	quota  *Quota
	claim  capacity.Claim
	taker  *capacity.Taker // of a body of unknown length; else nil
	Stored int64           // bytes; negative while nothing is
}

// Reserve finds room for a claim; without sized its length is unknown, and what
// comes is claimed in steps. Returns Quota when there is none. The caller ends
// the room.
func (qu *Quota) Reserve(ctx context.Context, c capacity.Claim, sized bool) (*Reservation, error) {
	r := &Reservation{quota: qu, claim: c, Stored: -1}
	if qu.ledger == nil || !c.Bound() {
		return r, nil
	}
	r.claim.ID = qu.random.ID()
	if !sized {
		r.taker = capacity.NewTaker(qu.ledger, r.claim)
	}
	return r, qu.ledger.Reserve(ctx, r.claim)
}

// End counts what was stored, or gives the room up. It comes after the index
// was told of the object, so that no count misses it.
func (r *Reservation) End(ctx context.Context) {
	if r.Stored >= 0 {
		r.quota.ReportUncounted("count what was stored", r.quota.Count(ctx, r.claim, r.Stored))
	} else if r.claim.ID != "" {
		r.quota.Release(ctx, r.claim.ID)
	}
}

// Count counts size bytes of a claim as stored. Returns Quota.
func (qu *Quota) Count(ctx context.Context, c capacity.Claim, size int64) error {
	if qu.ledger == nil {
		return nil
	}
	return qu.ledger.Settle(context.WithoutCancel(ctx), c, size)
}

// ReportUncounted reports what could not be counted; its reservation ends by itself.
func (qu *Quota) ReportUncounted(doing string, err error) {
	if err != nil {
		qu.report(doing, err)
	}
}

func (qu *Quota) Release(ctx context.Context, id string) (stood bool) {
	if qu.ledger != nil {
		var err error
		stood, err = qu.ledger.Release(context.WithoutCancel(ctx), id)
		qu.ReportUncounted("give back reserved room", err)
	}
	return stood
}

func (qu *Quota) Freed(ctx context.Context, storageID string) {
	if qu.ledger != nil {
		qu.ReportUncounted("tell that a storage has room again", qu.ledger.Freed(context.WithoutCancel(ctx), storageID))
	}
}

// RoomIn finds room for copies in a storage with a capacity; nil when it has
// none. end hears of the object that was stored, nil for none.
func (qu *Quota) RoomIn(p *Place) func(ctx context.Context, size int64) (end func(*objstore.Object), err error) {
	if p.Storage.Capacity <= 0 || qu.ledger == nil {
		return nil
	}
	return func(ctx context.Context, size int64) (func(*objstore.Object), error) {
		r, err := qu.Reserve(ctx, capacity.Claim{ConfigID: p.Storage.ID, Capacity: p.Storage.Capacity, Size: size}, true)
		return func(o *objstore.Object) {
			if o != nil {
				r.Stored = o.Size
				qu.index.Changed(Change{Storage: p.Storage.ID, Put: []objstore.Object{*o}})
			}
			r.End(ctx)
			if o != nil {
				qu.Freed(ctx, p.Storage.ID) // it may have taken the place of another
			}
		}, err
	}
}
