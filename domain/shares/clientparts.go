package shares

import (
	"context"
	"errors"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// CompleteSent is Complete for clients that list the parts which they have sent,
// in any order. Size and ETag of the file come from storage. It may be repeated.
// It asks file.upload.
//
// Returns Invalid for a missing field and for parts that are not those in
// storage, NotFound for an unknown file or another upload, Forbidden for a file
// of somebody else. When storage fails, the upload stays as it is, so that the
// caller can repeat or abort. A file over the size limit or the capacity is
// removed and returns Invalid or Quota.
func (u *FileUploads) CompleteSent(ctx context.Context, who policy.Principal, id, uploadID string, sent []objstore.Part) (*File, objstore.Storage, error) {
	file, _, err := u.mine(ctx, who, id)
	if err != nil {
		return nil, objstore.Storage{}, err
	}
	if uploadID == "" {
		return nil, objstore.Storage{}, ports.InvalidInput("required", "upload_id")
	}
	list, err := upload.Sorted(sent)
	if err == nil && len(list) < len(sent) { // contract §11.6: no part twice
		err = objstore.ErrBadPart
	}
	if err != nil {
		return nil, objstore.Storage{}, err
	}
	storage, err := u.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, storage, err
	}
	if !file.Pending {
		return file, storage, nil
	}
	s, err := u.session(ctx, file, uploadID)
	if err != nil {
		return nil, storage, err
	}
	done, err := u.join(ctx, s, list, func() (*File, error) { return u.Commit(ctx, who, id) })
	return done, storage, err
}

// CancelParts is Abort for those clients. It asks file.upload.
//
// Returns Invalid for a missing field, NotFound for an unknown file, another
// upload and a file that is complete, Forbidden for a file of somebody else.
// When storage does not answer, the record stays for another try.
func (u *FileUploads) CancelParts(ctx context.Context, who policy.Principal, id, uploadID string) error {
	file, _, err := u.mine(ctx, who, id)
	if err != nil {
		return err
	}
	if uploadID == "" {
		return ports.InvalidInput("required", "upload_id")
	}
	return u.dropParts(ctx, file, uploadID)
}

// Cancel gives up an upload: object and record go. An object that cannot be
// deleted now is reported. It asks file.upload, and file.delete for a file that
// has arrived.
//
// Returns Invalid without an id, NotFound for an unknown file, Forbidden for
// one of somebody else.
func (u *FileUploads) Cancel(ctx context.Context, who policy.Principal, id string) error {
	file, _, err := u.mine(ctx, who, id)
	if err != nil {
		return err
	}
	if file.ID != id { // too late
		return ErrFileUnknown
	}
	if file.Pending {
		if err := u.d.Withdraw(ctx, file, true); file.Replaces != "" || !errors.Is(err, errArrived) {
			return err
		}
	}
	if _, err := policy.Check(ctx, u.d.Decider, who, policy.FileDelete, file.Resource()); err != nil {
		return err
	}
	return u.files.remove(ctx, file, true)
}
