package versions

import (
	"context"
	"errors"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
)

// Place implements shares.Replaced. What is not kept of the share goes once it has the
// new file.
func (k *Keeper) Place(ctx context.Context, next *shares.File, c capacity.Claim, object objstore.Object) (share *shares.File, err error) {
	most := c.Limits.BytesStored
	if next.KeepNone {
		stored, owned, err := k.room(ctx, next)
		if err != nil {
			return nil, err
		}
		if c.Old = stored; most > 0 {
			most += owned
		}
	}
	var gone []shares.File
	err = k.d.SettleWith(ctx, c, object.Size, func(ctx context.Context) error {
		return k.d.Work.Do(ctx, func(ctx context.Context) error {
			came, err := k.d.Files.Commit(ctx, next.ID, true, object, most, k.d.Clock.Now())
			if err == nil {
				share, gone, err = k.take(ctx, came)
			}
			return err
		})
	})
	if err != nil && !errors.Is(err, shares.ErrNothingToReplace) {
		// Somebody was faster, or a count found too much when it was done already.
		if came, missing := k.d.Became(ctx, next); missing == nil {
			share, err = came, nil
		}
	}
	if err != nil {
		return nil, err
	}
	for i := range gone {
		k.d.Tell("delete a file that was replaced", k.drop(context.WithoutCancel(ctx), &gone[i]))
	}
	return share, nil
}

// drop deletes the object of what was replaced. Its record stays for those who ask
// again what became of their upload; the janitor looks after what cannot be deleted now.
func (k *Keeper) drop(ctx context.Context, former *shares.File) error {
	if err := k.d.DropObject(ctx, former); err != nil {
		return err
	}
	now := k.d.Clock.Now()
	_, err := k.d.Files.Update(ctx, former.ID, func(e *shares.File) error {
		e.ErasedAt = &now
		return nil
	})
	return err
}

// keeps is how many versions a share keeps: what lies in a mount has its versions
// there, and an item of a collection has no link of its own.
func (k *Keeper) keeps(share *shares.File) int {
	if share.FilePath != "" || share.Collection != "" || share.UsedUpAt != nil || k.d.Over(share) || share.KeepNone {
		return 0
	}
	return k.d.Settings.Revisions().Kept
}

// take makes a file that has arrived the content of the share that it replaces, in the
// unit of work of ctx. It returns the share, and what its storage is to lose once that
// is done.
func (k *Keeper) take(ctx context.Context, next *shares.File) (share *shares.File, gone []shares.File, err error) {
	now, most := k.d.Clock.Now(), 0
	var was shares.File
	share, err = k.d.Files.Update(ctx, next.Replaces, func(e *shares.File) error {
		if e.Pending || e.VersionOf != "" {
			return ports.ErrNotFound
		}
		was = *e
		if most = k.keeps(e); next.KeepNone {
			most = 0
		}
		hold(e, next)
		placed := next.Placed()
		e.Gate, e.FilePath, e.Remark, e.UseProxy = next.Gate.Over(was.Stays(next.CreatedAt)), "", next.Remark, next.UseProxy
		e.CreatedAt, e.UpdatedAt, e.PlacedAt, e.Version = now, now, &placed, was.Version+1
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		err = shares.ErrFileUnknown.With(shares.ErrNothingToReplace)
	}
	if err != nil {
		return nil, nil, err
	}
	slug := k.d.Random.Text(naming.UnguessableSlug)
	_, err = k.d.Files.Update(ctx, next.ID, func(e *shares.File) error {
		hold(e, &was)
		placed := was.Placed()
		e.Slug, e.Gate, e.FilePath, e.UsedUpAt, e.ErasedAt = slug, was.Gate, was.FilePath, &now, was.ErasedAt
		e.CreatedBy, e.CreatedAt, e.UpdatedAt, e.PlacedAt, e.Version, e.VersionOf = was.CreatedBy, was.CreatedAt, now, &placed, was.Version, share.ID
		return nil
	})
	if err == nil && most == 0 {
		gone, err = k.repo.Versions(ctx, share.ID)
	}
	if err == nil {
		err = k.repo.LetGo(ctx, share.ID, most, now)
	}
	return share, gone, err
}

// Instead implements shares.Replaced.
func (k *Keeper) Instead(ctx context.Context, next *shares.File, c capacity.Claim, full error, insert func(ctx context.Context, most int64) error) error {
	most := c.Limits.BytesStored
	stored, owned, err := k.room(ctx, next)
	if err != nil {
		return err
	}
	rivals, err := k.repo.Replacing(ctx, next.Replaces)
	if err != nil {
		return err
	}
	for _, rival := range rivals {
		c.Instead = append(c.Instead, rival.ID)
	}
	if c.Old = stored; most > 0 {
		most += owned
	}
	next.KeepNone = true
	var gone []shares.File
	err = k.d.ReserveWith(ctx, c, func(ctx context.Context) error {
		return k.d.Work.Do(ctx, func(ctx context.Context) (err error) {
			if gone, err = k.takeBack(ctx, rivals); err != nil {
				return err
			}
			// Nobody else comes in between while the share is held.
			if _, err := k.d.Files.Update(ctx, next.Replaces, func(*shares.File) error { return nil }); err != nil {
				return err
			}
			left, err := k.repo.Replacing(ctx, next.Replaces)
			if err == nil && len(left) > 0 {
				err = full
			}
			if err != nil {
				return err
			}
			return insert(ctx, most)
		})
	})
	if err != nil {
		return err
	}
	for i := range gone {
		if err := k.d.Withdraw(context.WithoutCancel(ctx), &gone[i], true); !ports.Is(err, ports.NotFound) {
			k.d.Tell("remove an upload that another takes the place of", err)
		}
	}
	return nil
}

// takeBack gives up files to come, in the unit of work of ctx, and returns those that had
// not come. They are in the order of their ids, so that two who
// do so wait for each other in no circle.
func (k *Keeper) takeBack(ctx context.Context, rivals []shares.File) (gone []shares.File, err error) {
	for _, rival := range rivals {
		_, err := k.d.GiveUp(ctx, rival.ID)
		if ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		gone = append(gone, rival)
	}
	return gone, nil
}

// room is what goes when a file keeps nothing of what it replaces, in bytes: in the
// storage of the file, and of its owner.
func (k *Keeper) room(ctx context.Context, next *shares.File) (stored, owned int64, err error) {
	share, err := k.d.Files.Get(ctx, next.Replaces)
	if err != nil {
		return 0, 0, err
	}
	all, err := k.repo.Versions(ctx, share.ID)
	for _, f := range append(all, *share) {
		if f.ErasedAt != nil || f.FilePath != "" {
			continue
		}
		if f.StorageConfigID == next.StorageConfigID {
			stored += f.Size
		}
		if f.CreatedBy == next.CreatedBy {
			owned += f.Size
		}
	}
	return stored, owned, err
}

// Versions implements shares.Replaced.
func (k *Keeper) Versions(ctx context.Context, fileID string) ([]shares.File, error) {
	return k.repo.Versions(ctx, fileID)
}
