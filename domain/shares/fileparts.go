package shares

import (
	"context"
	"errors"
	"slices"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// PartsBegun is an upload of a file in parts that the client sends to storage
// itself.
type PartsBegun struct {
	upload.Session
	File    *File
	Storage objstore.Storage
	Links   []upload.Link
}

// Begin reserves a file share, begins an upload in parts and signs the request
// of each. The share is pending until Complete. partSize and count are what the
// client reckons with, 0 for whatever fits. It asks file.upload.
//
// Returns the errors of Presign; Invalid without a size and when the client
// would cut the file otherwise than upload.PartSizeOf, NotImplemented when the
// storage knows no uploads in parts.
func (u *FileUploads) Begin(ctx context.Context, who policy.Principal, in NewUpload, partSize, count int64) (*PartsBegun, error) {
	if in.StorageConfigID == "" || in.Size <= 0 {
		if _, err := u.Ask(ctx, who, in); err != nil {
			return nil, err
		}
		if in.StorageConfigID == "" {
			return nil, ErrNoStorage
		}
		return nil, ports.InvalidInput("size_invalid", "size")
	}
	r, err := u.Reserve(ctx, who, in)
	if err != nil {
		return nil, err
	}
	cut, err := upload.CutOf(r.File.Size, upload.PartSizeOf(r.File.Size), 0)
	if err == nil && (partSize != 0 && partSize != cut.PartSize || count != 0 && count != cut.Needed()) {
		err = objstore.ErrBadPart
	}
	if err != nil {
		r.Undo(ctx, false)
		return nil, err
	}
	return r.BeginParts(ctx, cut, r.Signing())
}

// beginParts begins the upload of a reserved file in storage and signs its
// parts. When that fails, the session is as far as it has come.
func (u *FileUploads) beginParts(ctx context.Context, file *File, cut upload.Cut, how upload.Signing) (upload.Session, []upload.Link, error) {
	s := upload.Session{ID: file.ID, For: upload.ForShares, StorageConfigID: file.StorageConfigID, Key: file.StoragePath, Owner: file.CreatedBy, Cut: cut}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return s, nil, err
	}
	if err := u.d.Uploads.Begin(ctx, bucket, &s, file.MimeType); err != nil {
		return s, nil, err
	}
	links, err := u.d.Uploads.Links(ctx, bucket, &s, cut.Numbers(), how)
	return s, links, err
}

// signing says how the parts of a file are signed: for as long as the storage
// config says for links, else as long as a presigned upload.
func signing(storage objstore.Storage, o policy.Obligations) upload.Signing {
	s := upload.Signing{Life: UploadLinkLife}
	if storage.LinkSeconds > 0 {
		s.Life = min(time.Duration(storage.LinkSeconds)*time.Second, 7*24*time.Hour)
	}
	if o.LinkExpires > 0 {
		s.Life = min(s.Life, time.Duration(o.LinkExpires)*time.Second)
	}
	if storage.OwnDisk {
		s.Bound = upload.Exactly // as for one PUT (contract §7.3)
	}
	return s
}

// session finds the upload in parts of a file that is awaited. Returns
// objstore.ErrNoUpload when there is none, or another.
func (u *FileUploads) session(ctx context.Context, file *File, uploadID string) (*upload.Session, error) {
	if !file.Pending {
		return nil, objstore.ErrNoUpload
	}
	s, err := u.d.Uploads.Of(ctx, file.ID)
	switch {
	case ports.Is(err, ports.NotFound):
		return nil, objstore.ErrNoUpload.With(err)
	case err != nil:
		return nil, err
	case s.UploadID != uploadID:
		return nil, objstore.ErrNoUpload
	}
	return s, nil
}

// underWay finds an upload in parts that who goes on with, or has completed.
// What belongs to somebody else is as unknown as what never was. It asks
// file.upload.
func (u *FileUploads) underWay(ctx context.Context, who policy.Principal, id, uploadID string) (*File, policy.Decision, error) {
	file, decision, err := u.own(ctx, who, id)
	switch {
	case id == "" && ports.Is(err, ports.NotFound):
		return nil, decision, ports.InvalidInput("required", "file_id")
	case ports.Is(err, ports.NotFound):
		return nil, decision, objstore.ErrNoUpload.With(err)
	case err != nil:
		return nil, decision, err
	case uploadID == "":
		return nil, decision, ports.InvalidInput("required", "upload_id")
	case decision.Scope != policy.All && !who.Owns(file.CreatedBy):
		return nil, decision, objstore.ErrNoUpload
	}
	return file, decision, nil
}

// ListParts lists the parts of an upload that have arrived, in ascending order.
// It asks file.upload. Returns objstore.ErrNoUpload for an upload that is over,
// that storage has forgotten, or that is not the caller's.
func (u *FileUploads) ListParts(ctx context.Context, who policy.Principal, id, uploadID string) (*File, []objstore.Part, error) {
	file, _, err := u.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, nil, err
	}
	s, err := u.session(ctx, file, uploadID)
	if err != nil {
		return nil, nil, err
	}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return nil, nil, err
	}
	parts, err := u.d.Uploads.Parts(ctx, bucket, s)
	return file, parts, err
}

// RefreshParts signs the requests of some parts anew and tells how long they
// work. It asks file.upload. Returns the errors of ListParts, Invalid for
// numbers that the file has no part of.
func (u *FileUploads) RefreshParts(ctx context.Context, who policy.Principal, id, uploadID string, numbers []int) ([]upload.Link, time.Duration, error) {
	file, decision, err := u.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, 0, err
	}
	s, err := u.session(ctx, file, uploadID)
	if err != nil {
		return nil, 0, err
	}
	if err := upload.CheckNumbers(numbers, "part_numbers"); err != nil {
		return nil, 0, err
	}
	if slices.ContainsFunc(numbers, func(n int) bool { return s.Length(n) == 0 }) {
		return nil, 0, objstore.ErrBadPart
	}
	storage, err := u.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, 0, err
	}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return nil, 0, err
	}
	if _, err := u.d.Uploads.Parts(ctx, bucket, s); err != nil {
		return nil, 0, err
	}
	how := signing(storage, decision.Obligations)
	links, err := u.d.Uploads.Links(ctx, bucket, s, numbers, how)
	return links, how.Life, err
}

// Complete joins the parts of an upload and commits the file. Which parts there
// are, storage says; they must make up the file that was announced. It may be
// repeated. It asks file.upload.
//
// Returns objstore.ErrNoUpload as ListParts does, Invalid when parts are missing
// or have another length than announced; the upload stays as it is then, and
// also when storage fails. A file over the size limit or the capacity is removed
// and returns TooLarge or Quota.
func (u *FileUploads) Complete(ctx context.Context, who policy.Principal, id, uploadID string) (*File, error) {
	return u.complete(ctx, who, id, uploadID, nil)
}

// complete is Complete of a file that accept may refuse; nil accepts all.
func (u *FileUploads) complete(ctx context.Context, who policy.Principal, id, uploadID string, accept upload.Accept) (*File, error) {
	file, decision, err := u.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, err
	}
	if !file.Pending {
		return u.confirmed(ctx, file, accept)
	}
	s, err := u.session(ctx, file, uploadID)
	if err != nil {
		return nil, err
	}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return nil, err
	}
	parts, err := u.d.Uploads.Parts(ctx, bucket, s)
	switch {
	case errors.Is(err, objstore.ErrNoUpload): // joined before, and the answer was lost; or gone
	case err != nil:
		return nil, err
	default:
		if err := s.Whole(parts); err != nil {
			return nil, err
		}
	}
	return u.join(ctx, s, parts, func() (*File, error) {
		if err := u.accepted(ctx, bucket, file, accept); err != nil {
			return nil, err
		}
		return u.commit(ctx, file, decision.Obligations)
	})
}

// join completes an upload in storage, commits its file and ends its session.
func (u *FileUploads) join(ctx context.Context, s *upload.Session, parts []objstore.Part, commit func() (*File, error)) (*File, error) {
	bucket, err := u.d.Storages.Bucket(ctx, s.StorageConfigID)
	if err != nil {
		return nil, err
	}
	object, err := u.d.Uploads.Join(ctx, bucket, s, parts)
	if err != nil {
		return nil, err
	}
	done, err := commit()
	if err == nil {
		_, failed := u.d.Uploads.Done(ctx, s, object)
		u.d.Tell("end an upload", failed) // the sweep ends it too
	}
	return done, err
}

// Abort gives an upload in parts up: its parts and its record go. It asks
// file.upload.
//
// Returns objstore.ErrNoUpload for an unknown upload, one of somebody else and
// one that is complete. When storage does not answer, the record stays for
// another try.
func (u *FileUploads) Abort(ctx context.Context, who policy.Principal, id, uploadID string) error {
	file, _, err := u.underWay(ctx, who, id, uploadID)
	if err != nil {
		return err
	}
	return u.dropParts(ctx, file, uploadID)
}

// dropParts removes the parts of a pending file, and then its record.
func (u *FileUploads) dropParts(ctx context.Context, file *File, uploadID string) error {
	s, err := u.session(ctx, file, uploadID)
	if err != nil {
		return err
	}
	bucket, err := u.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return err
	}
	if err := u.d.Uploads.GiveUp(ctx, bucket, s); err != nil {
		return err
	}
	err = u.d.Withdraw(ctx, file, true)
	if errors.Is(err, errArrived) {
		return objstore.ErrNoUpload.With(err)
	}
	return err
}

// Dropped removes the file of a session that the sweep has given up, unless it
// has arrived: the file was committed without Complete.
func (u *FileUploads) Dropped(ctx context.Context, s *upload.Session) error {
	file, err := u.d.Files.Get(ctx, s.ID)
	if ports.Is(err, ports.NotFound) || err == nil && !file.Pending {
		return nil
	}
	if err == nil {
		err = u.d.Withdraw(ctx, file, true)
	}
	if errors.Is(err, ErrFileUnknown) { // somebody else was faster, or it has arrived after all
		return nil
	}
	return err
}
