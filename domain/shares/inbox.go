package shares

import (
	"context"
	"errors"
	"io"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Inbox makes file shares of what others send to an owner. Their links cannot be
// guessed; where they are stored, a suffix keeps equal names apart.
type Inbox struct{ u *FileUploads }

var _ upload.Inbox = Inbox{}

// Inbox returns the inbox of the shares.
func (u *FileUploads) Inbox() Inbox { return Inbox{u} }

func received(in upload.Incoming) NewUpload {
	return NewUpload{Filename: in.Name, Size: in.Size, Remark: in.Remark, Unguessable: true, Naming: NameSuffixed}
}

// Check implements upload.Inbox. It asks file.upload. Returns the errors of
// Presign that do not depend on the file.
func (i Inbox) Check(ctx context.Context, owner policy.Principal, _ string) error {
	now, limits := i.u.d.Clock.Now(), i.u.d.Settings.ShareLimits()
	in := NewUpload{Filename: "file"}.bounded(limits, now)
	decision, err := i.u.Ask(ctx, owner, in)
	if err != nil {
		return err
	}
	if err := in.terms(now).Obey(limits, decision.Obligations, now, 0); err != nil {
		return err
	}
	_, err = i.u.choose(ctx, owner, "")
	return err
}

// Store implements upload.Inbox. It asks file.upload.
func (i Inbox) Store(ctx context.Context, owner policy.Principal, in upload.Incoming, body io.Reader) (upload.Received, error) {
	r, err := i.u.Reserve(ctx, owner, received(in))
	if err != nil {
		return upload.Received{}, err
	}
	if in.Came != nil {
		r.came = func(ctx context.Context, file *File) error { return in.Came(ctx, placed(file)) }
	}
	file, err := r.take(ctx, body, in.Size)
	if err != nil {
		return upload.Received{}, err
	}
	return placed(file), nil
}

func placed(file *File) upload.Received {
	return upload.Received{Place: file.ID, Name: file.Filename, Size: file.Size}
}

// Begin implements upload.Inbox. It asks file.upload.
func (i Inbox) Begin(ctx context.Context, owner policy.Principal, in upload.Incoming) (upload.Underway, error) {
	r, err := i.u.Reserve(ctx, owner, received(in))
	if err != nil {
		return upload.Underway{}, err
	}
	cut, err := upload.CutOf(in.Size, upload.PartSizeOf(in.Size), 0)
	if err != nil {
		r.Undo(ctx, false)
		return upload.Underway{}, err
	}
	begun, err := r.BeginParts(ctx, cut, r.Signing())
	if err != nil {
		return upload.Underway{}, err
	}
	return upload.Underway{ID: begun.ID, Place: begun.File.ID, Name: begun.File.Filename, Cut: begun.Cut}, nil
}

// resume gives the storage's name for an upload.
func (i Inbox) resume(ctx context.Context, u upload.Underway) (uploadID string, err error) {
	s, err := i.u.d.Uploads.Of(ctx, u.ID)
	if ports.Is(err, ports.NotFound) {
		return "", objstore.ErrNoUpload.With(err)
	}
	if err != nil {
		return "", err
	}
	return s.UploadID, nil
}

// Links implements upload.Inbox. It asks file.upload.
func (i Inbox) Links(ctx context.Context, owner policy.Principal, u upload.Underway, numbers []int) ([]upload.Link, error) {
	uploadID, err := i.resume(ctx, u)
	if err != nil {
		return nil, err
	}
	links, _, err := i.u.RefreshParts(ctx, owner, u.ID, uploadID, numbers)
	return links, err
}

// Parts implements upload.Inbox. It asks file.upload.
func (i Inbox) Parts(ctx context.Context, owner policy.Principal, u upload.Underway) ([]objstore.Part, error) {
	uploadID, err := i.resume(ctx, u)
	if err != nil {
		return nil, err
	}
	_, parts, err := i.u.ListParts(ctx, owner, u.ID, uploadID)
	return parts, err
}

// Complete implements upload.Inbox. It asks file.upload.
func (i Inbox) Complete(ctx context.Context, owner policy.Principal, u upload.Underway, accept upload.Accept) (upload.Received, error) {
	uploadID, err := i.resume(ctx, u)
	if err != nil {
		return upload.Received{}, err
	}
	file, err := i.u.complete(ctx, owner, u.ID, uploadID, accept)
	if err != nil {
		return upload.Received{}, err
	}
	return placed(file), nil
}

// confirmed is complete for a file that has arrived. Either an earlier call has completed
// it, and then it was accepted and stays, whatever the rules are by now; or a visitor has
// confirmed it whose parts were joined by a call that came no further. That one nobody
// has looked at.
func (u *FileUploads) confirmed(ctx context.Context, file *File, accept upload.Accept) (*File, error) {
	if accept == nil {
		return file, nil
	}
	s, err := u.d.Uploads.Of(ctx, file.ID)
	if ports.Is(err, ports.NotFound) || err == nil && s.CompletedAt != nil {
		return file, nil
	}
	if err != nil {
		return nil, err
	}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err == nil {
		err = u.accepted(ctx, bucket, file, accept)
	}
	if err != nil {
		return nil, err
	}
	_, err = u.d.Uploads.Done(ctx, s, objstore.Object{Size: file.Size, ETag: file.ETag})
	return file, err
}

// accepted asks whether the file whose object has arrived may stay, and removes one that
// may not, also when a visitor has confirmed it meanwhile: who opens a link vouches for
// size and capacity, which the visit checks, but nobody has asked the rules of the
// request about its content. So a file of a type that is not wanted is no share because
// its link was opened in the right moment; what was shown until then was shown.
func (u *FileUploads) accepted(ctx context.Context, bucket objstore.Bucket, file *File, accept upload.Accept) error {
	if accept == nil {
		return nil
	}
	object, err := bucket.Stat(ctx, file.StoragePath)
	if err != nil {
		return err
	}
	head, err := objstore.Head(ctx, bucket, file.StoragePath, upload.HeadSize)
	if err != nil {
		return err
	}
	if err = accept(head, object.Size); upload.Refused(err) {
		if failed := u.files.remove(context.WithoutCancel(ctx), file, true); !ports.Is(failed, ports.NotFound) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Abort implements upload.Inbox. A file that has arrived stays.
func (i Inbox) Abort(ctx context.Context, u upload.Underway) error {
	s, err := i.u.d.Uploads.Of(ctx, u.ID)
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	file, err := i.u.d.Files.Get(ctx, u.ID)
	if ports.Is(err, ports.NotFound) || err == nil && (!file.Pending || file.Late()) {
		return nil
	}
	if err != nil {
		return err
	}
	return i.u.dropParts(ctx, file, s.UploadID)
}
