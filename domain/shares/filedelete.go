package shares

import (
	"cmp"
	"context"
	"errors"
	"time"

	"pasteport/domain/shares/internal/gate"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// DeleteMode says what goes when a file is deleted.
type DeleteMode string

// The delete modes (contract §7.10).
const (
	DeleteBoth   DeleteMode = "both"
	DeleteRecord DeleteMode = "record_only"
)

// Deleted is the outcome of a batch delete.
type Deleted struct {
	Done   int
	Failed []FailedItem
}

// FailedItem is an item of a batch that was left alone.
type FailedItem struct {
	ID  string
	Err error
}

// Delete removes files, and their objects with DeleteBoth, unless another file
// uses the same object or the file lies in a mount. Files of others count as
// unknown. It asks file.delete for each.
//
// Returns Invalid for an unknown mode, without ids and for more than MaxBatch,
// and the refusal when none may be deleted.
func (f *Files) Delete(ctx context.Context, who policy.Principal, ids []string, mode DeleteMode) (Deleted, error) {
	bad := CheckBatch(ids)
	if bad == nil && mode != DeleteBoth && mode != DeleteRecord {
		bad = ports.InvalidInput("delete_mode_invalid", "delete_mode")
	}
	if bad != nil {
		_, err := policy.Check(ctx, f.d.Decider, who, policy.FileDelete, policy.Resource{Kind: kindFile, Owner: who.Owner()})
		return Deleted{}, cmp.Or(err, bad)
	}
	var done Deleted
	var refusals refused
	for _, id := range ids {
		err := f.DeleteOne(ctx, who, id, mode)
		if err == nil {
			done.Done++
			continue
		}
		refusals.note(err)
		done.Failed = append(done.Failed, FailedItem{ID: id, Err: err})
	}
	return done, refusals.ofAll(len(ids))
}

// DeleteOne is Delete for one file, with its refusal.
func (f *Files) DeleteOne(ctx context.Context, who policy.Principal, id string, mode DeleteMode) error {
	file, decision, err := f.Own(ctx, who, policy.FileDelete, id)
	if err != nil {
		return gate.HideForeign(decision, err, ErrFileUnknown)
	}
	if decision.Scope != policy.All && !who.Owns(file.CreatedBy) {
		return ErrFileUnknown
	}
	return f.remove(ctx, file, mode == DeleteBoth)
}

// refused counts what the policy has refused of a batch.
type refused struct {
	err error
	n   int
}

func (r *refused) note(err error) {
	switch ports.CodeOf(err) {
	case ports.Unauthenticated, ports.Forbidden, ports.RateLimited, ports.Unavailable:
		r.n++
		r.err = cmp.Or(r.err, err)
	}
}

// ofAll is the refusal of a whole batch of n items; nil when some were not
// refused.
func (r *refused) ofAll(n int) error {
	if r.n < n {
		return nil
	}
	return r.err
}

// remove deletes the record, so that readers stop at once, and then the object.
// An object that cannot be deleted is reported; the record is gone all the same.
func (f *Files) remove(ctx context.Context, file *File, object bool) error {
	if file.Pending {
		err := f.d.Withdraw(ctx, file, object)
		if file.Replaces != "" || !errors.Is(err, errArrived) {
			return err
		}
	}
	return f.end(ctx, file.ID, object, func(*File) error { return nil })
}

// end is remove for a file that has arrived; may is asked of the file as it is now.
func (f *Files) end(ctx context.Context, id string, object bool, may func(*File) error) error {
	var file *File
	var versions []File
	err := f.d.Work.Do(ctx, func(ctx context.Context) (err error) {
		// As it is now, and kept from what is to replace its content.
		if file, err = f.repo.Update(ctx, id, may); err != nil {
			return err
		}
		if versions, err = f.d.Replaced.Versions(ctx, id); err == nil {
			_, err = f.repo.Delete(ctx, id)
		}
		return err
	})
	f.Forget(ctx, id)
	if err != nil {
		return storageError(err)
	}
	if object {
		f.d.Tell("delete the object of a file", f.d.DropObject(ctx, file))
	}
	for i := range versions {
		f.d.Tell("delete a version of a file", f.remove(ctx, &versions[i], true))
	}
	return nil
}

// DropObject deletes the object of a file that has gone or is about to, unless
// the object belongs to a mount, another file uses it, or it is older than a
// file that never arrived.
func (d Deps) DropObject(ctx context.Context, file *File) error {
	if file.FilePath != "" || file.ErasedAt != nil {
		return nil
	}
	others, err := d.FileObjects.ObjectUsers(ctx, file.StorageConfigID, file.StoragePath, file.ID)
	if err != nil || others > 0 {
		return err
	}
	bucket, err := d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return err
	}
	if file.Pending {
		s, err := d.Uploads.Of(ctx, file.ID)
		if err == nil {
			err = d.Uploads.GiveUp(ctx, bucket, s)
		}
		if err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
		object, err := bucket.Stat(ctx, file.StoragePath)
		if ports.Is(err, ports.NotFound) || err == nil && older(object, file) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	failed, err := bucket.Delete(ctx, file.StoragePath)
	if d.Changed != nil {
		d.Changed(ctx, file.StorageConfigID, nil, []string{file.StoragePath})
	}
	d.Freed(ctx, file.StorageConfigID)
	if err == nil {
		err = failed[file.StoragePath]
	}
	return err
}

// older reports whether an object was there before the file was announced;
// storages round to seconds.
func older(object objstore.Object, file *File) bool {
	return object.ModTime.Before(file.CreatedAt.Add(-time.Second))
}
