package shares

import (
	"context"
	"time"

	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Ledger counts what storages hold and what owners upload, whatever door the
// bytes come by. domain/storage implements it by way of cmd.
type Ledger interface {
	capacity.Adder
	// Reserve takes room for a claim, or raises what it has. Returns Quota.
	Reserve(ctx context.Context, c capacity.Claim) error
	// ReserveWith is Reserve and what is stored along with it, in one transaction.
	ReserveWith(ctx context.Context, c capacity.Claim, also func(context.Context) error) error
	// SettleWith says that size bytes of a claim are stored, and stores along with it,
	// in one transaction. Returns Quota, and leaves the reservation, when that is more
	// than there is room for.
	SettleWith(ctx context.Context, c capacity.Claim, size int64, also func(context.Context) error) error
	// Release gives up a claim; false for an unknown one.
	Release(ctx context.Context, id string) (stood bool, err error)
	// Freed says that something was deleted from a storage.
	Freed(ctx context.Context, configID string) error
}

// claimKept is how long the claim of an upload stands that nobody ends; the
// janitor ends them sooner.
const claimKept = upload.Kept + 24*time.Hour

// claim is the place of a file in its storage and in its owner's quotas. Its id
// is the file's.
func claim(file *File, storage objstore.Storage, o policy.Obligations) capacity.Claim {
	return capacity.Claim{ID: file.ID, ConfigID: file.StorageConfigID, Capacity: storage.Capacity, Size: file.Size, Owner: file.CreatedBy,
		Limits: o.Quotas, Kept: claimKept}
}

// SettleWith counts what a file has become, and stores along with it. Returns Quota.
func (d Deps) SettleWith(ctx context.Context, c capacity.Claim, size int64, also func(context.Context) error) error {
	if d.Ledger == nil {
		return also(ctx)
	}
	return d.Ledger.SettleWith(ctx, c, size, also)
}

// ReserveWith is reserve and what is stored along with it.
func (d Deps) ReserveWith(ctx context.Context, c capacity.Claim, also func(context.Context) error) error {
	if d.Ledger == nil {
		return also(ctx)
	}
	return d.Ledger.ReserveWith(ctx, c, also)
}

func (d Deps) reserve(ctx context.Context, c capacity.Claim) error {
	if d.Ledger == nil {
		return nil
	}
	return d.Ledger.Reserve(ctx, c)
}

// Release gives the claim of a file up that did not arrive. What cannot be
// given up now ends by itself.
func (d Deps) Release(ctx context.Context, fileID string) {
	if d.Ledger != nil {
		_, err := d.Ledger.Release(context.WithoutCancel(ctx), fileID)
		d.Tell("give back reserved room", err)
	}
}

// Freed says that something was deleted from a storage.
func (d Deps) Freed(ctx context.Context, configID string) {
	if d.Ledger != nil {
		d.Tell("tell that a storage has room again", d.Ledger.Freed(context.WithoutCancel(ctx), configID))
	}
}

// taker claims a body of unknown length while it comes; nil where its size is
// claimed already.
func (d Deps) taker(c capacity.Claim, size int64) *capacity.Taker {
	if d.Ledger == nil || size >= 0 || !c.Bound() {
		return nil
	}
	return capacity.NewTaker(d.Ledger, c)
}
