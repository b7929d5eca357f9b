package shares

import (
	"cmp"
	"context"
	"errors"

	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Replaced puts files that have arrived behind the links that they are for, and keeps
// what was there; domain/shares/versions implements it.
type Replaced interface {
	// Place makes a file that has arrived the content of the share that it replaces, and
	// ends its claim. Returns ErrNothingToReplace when the share is gone, Quota.
	Place(ctx context.Context, next *File, c capacity.Claim, object objstore.Object) (share *File, err error)
	// Instead stores the record of a file that takes the room of what it replaces, since
	// there is none for both: full says so. Of several that count on it the latest
	// stays. insert is given the most bytes that its owner may have.
	Instead(ctx context.Context, next *File, c capacity.Claim, full error, insert func(ctx context.Context, most int64) error) error
	// Versions are the earlier files of a share, newest first.
	Versions(ctx context.Context, fileID string) ([]File, error)
}

// ErrNothingToReplace is the cause of an unknown file whose share has been deleted
// while its new content was on its way. What was ended does not come back.
var ErrNothingToReplace = errors.New("the share that a file was to replace is gone")

// errArrived is the cause of an unknown file to come, since it has come.
var errArrived = errors.New("the upload has arrived meanwhile")

// Announced is a file to come as its share will be: of what replaces the content of
// one, the link and the gate are those of that share.
func (d Deps) Announced(ctx context.Context, file *File) (*File, error) {
	if !file.Pending || file.Replaces == "" {
		return file, nil
	}
	share, err := d.Files.Get(ctx, file.Replaces)
	if ports.Is(err, ports.NotFound) {
		return file, nil
	}
	if err != nil {
		return nil, err
	}
	shown := *file
	shown.Slug, shown.Gate = share.Slug, file.Gate.Over(share.Stays(file.CreatedAt))
	return &shown, nil
}

// own finds a file that who uploads: of one that has become the content of a share,
// that share.
func (u *FileUploads) own(ctx context.Context, who policy.Principal, id string) (*File, policy.Decision, error) {
	file, decision, err := u.files.Own(ctx, who, policy.FileUpload, id)
	if ports.Is(err, ports.NotFound) && naming.IsID(id) {
		if was, missing := u.d.Files.Get(ctx, id); missing == nil {
			file = was
		}
	}
	if file == nil || file.Pending || file.Replaces == "" {
		return file, decision, err
	}
	return u.files.Own(ctx, who, policy.FileUpload, file.Replaces)
}

// place makes the share of a claim of what storage has, and ends the claim. Of several
// that find a file arrived one does so, and the others get what it made. Of a file that
// is no longer awaited it notes what storage has now. came is told of a new share along
// with it, unless it is nil.
func (f *Files) place(ctx context.Context, file *File, c capacity.Claim, object objstore.Object, came func(context.Context, *File) error) (done *File, err error) {
	if !file.Pending {
		return f.repo.Commit(ctx, file.ID, false, object, c.Limits.BytesStored, f.d.Clock.Now())
	}
	if file.Replaces != "" {
		done, err = f.d.Replaced.Place(ctx, file, c, object)
		f.Forget(ctx, file.Replaces)
		return done, err
	}
	err = f.d.SettleWith(ctx, c, object.Size, func(ctx context.Context) error {
		commit := func(ctx context.Context) (err error) {
			done, err = f.repo.Commit(ctx, file.ID, true, object, c.Limits.BytesStored, f.d.Clock.Now())
			if err == nil && came != nil {
				err = came(ctx, done)
			}
			return err
		}
		if came == nil {
			return commit(ctx)
		}
		return f.d.Work.Do(ctx, commit)
	})
	switch {
	case err == nil:
		return done, nil
	case done == nil:
		if came, missing := f.d.Became(ctx, file); missing == nil {
			return came, nil
		}
	case ports.Is(err, ports.Quota): // a count found too much when it was stored already
		f.d.Tell("remove a failed upload", f.remove(context.WithoutCancel(ctx), done, true))
	}
	return nil, err
}

// Became is the share that a file to come has become. Returns NotFound while it is
// awaited, and when it or its share is gone.
func (d Deps) Became(ctx context.Context, file *File) (*File, error) {
	came, err := d.Files.Get(ctx, file.ID)
	switch {
	case err == nil && came.Pending:
		return nil, ErrFileUnknown
	case err == nil && file.Replaces != "":
		return d.Files.Get(ctx, file.Replaces)
	}
	return came, err
}

// refuse gives up a file that may not be as storage has it, for why. What somebody else
// has confirmed meanwhile stays, and is returned.
func (f *Files) refuse(ctx context.Context, file *File, object objstore.Object, why error) (*File, error) {
	err := error(errArrived)
	if file.Pending {
		err = f.d.Withdraw(ctx, file, true)
	}
	if errors.Is(err, errArrived) && file.Replaces == "" {
		err = f.end(ctx, file.ID, true, func(e *File) error {
			if e.Size >= object.Size {
				return ErrFileUnknown.With(errArrived)
			}
			return nil
		})
	}
	if errors.Is(err, errArrived) {
		return f.d.Became(ctx, file)
	}
	return nil, errors.Join(why, err)
}

// GiveUp makes a file to come one that can come no more, in the unit of work of ctx:
// late, with a link that nobody knows, and counted for nobody. again says that it was so
// before. Returns NotFound when it is gone, and when it has come.
func (d Deps) GiveUp(ctx context.Context, id string) (again bool, err error) {
	_, err = d.Files.Update(ctx, id, func(e *File) error {
		if !e.Pending {
			return ErrFileUnknown.With(errArrived)
		}
		now := d.Clock.Now()
		again, e.UsedUpAt = e.Late(), cmp.Or(e.UsedUpAt, &now)
		e.Slug, e.Size = d.Random.Text(naming.UnguessableSlug), 0
		return nil
	})
	return again, storageError(err)
}

// Withdraw gives up a file to come: first it can come no more, then what is stored under
// its key goes, then its record. So whatever ends that half-way, the janitor finds what
// is left. Without object nothing is stored yet, unless somebody who withdrew it before
// has not come to it. What has arrived stays. Returns the errors of GiveUp.
func (d Deps) Withdraw(ctx context.Context, file *File, object bool) error {
	err := d.Work.Do(ctx, func(ctx context.Context) error {
		again, err := d.GiveUp(ctx, file.ID)
		if object = object || again; err == nil && !object {
			err = d.forget(ctx, file.ID)
		}
		return err
	})
	if err == nil && object {
		d.Tell("delete the object of a file", d.drop(ctx, file))
	}
	return err
}

// drop removes what is stored of a file that was given up, and then its record. In a
// storage that is gone nothing is.
func (d Deps) drop(ctx context.Context, file *File) error {
	if err := d.DropObject(ctx, file); err != nil && !ports.Is(err, ports.NotFound) {
		return err
	}
	return d.Work.Do(ctx, func(ctx context.Context) error { return d.forget(ctx, file.ID) })
}

// forget removes the record of a file that was given up, and what it claims, in the unit
// of work of ctx.
func (d Deps) forget(ctx context.Context, id string) error {
	_, err := d.Files.Delete(ctx, id)
	if err == nil && d.Ledger != nil {
		_, err = d.Ledger.Release(ctx, id)
	}
	return err
}
