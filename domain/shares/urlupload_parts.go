package shares

import (
	"context"
	"errors"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// NewPartsUpload is a URL upload in parts.
type NewPartsUpload struct {
	NewURLUpload       // Size is the whole file's
	PartSize     int64 // bytes; 0 means upload.PartSize
	PartCount    int64 // 0 means what Size needs
}

// PartsUpload is an upload in parts that the client sends to storage itself.
type PartsUpload struct {
	upload.Session
	File    *File
	Storage objstore.Storage
	Links   []upload.Link
	Source  URLSource
}

// Begin reserves a file share for the content of an address, begins an upload
// in parts and signs the request of each part. It asks url.fetch and
// file.upload.
//
// Returns the errors of Presign, but NotFound for a storage config that the
// caller may not use; Invalid when size, part size and part count do not fit
// together, NotImplemented when the storage knows no uploads in parts.
func (u *URLs) Begin(ctx context.Context, who policy.Principal, in NewPartsUpload) (*PartsUpload, error) {
	asked, source, err := u.upload(ctx, who, in.NewURLUpload)
	if err != nil {
		return nil, err
	}
	cut, err := upload.CutOf(asked.Size, in.PartSize, in.PartCount)
	if err == nil && (cut.PartSize < upload.PartSize || int64(cut.PartCount) < cut.Needed() || asked.Size == 0 && in.PartCount == 0) {
		err = objstore.ErrBadPart
	}
	if err != nil {
		return nil, err
	}
	file, storage, decision, err := u.uploads.reserve(ctx, who, asked)
	if errors.Is(err, errStorageForbidden) {
		return nil, errStorageUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	how := signing(storage, decision.Obligations)
	if how.Reserved = true; how.Bound == upload.Exactly {
		// On our own disk all but the last are bound to the part size, when the
		// client has announced it.
		how.Bound = upload.AtMost
		if in.PartSize > 0 {
			how.Bound = upload.ButLast
		}
	}
	begun := &PartsUpload{File: file, Storage: storage, Source: source}
	if cut.Length(cut.PartCount) == 0 { // as far as the links let in
		c := claim(file, storage, decision.Obligations)
		c.Size = int64(cut.PartCount) * cut.PartSize
		err = quota(u.d.reserve(ctx, c), c.Size)
	}
	if err == nil {
		begun.Session, begun.Links, err = u.uploads.beginParts(ctx, file, cut, how)
	}
	if err != nil {
		u.uploads.undo(context.WithoutCancel(ctx), file, begun.UploadID != "") // drops the parts with the object
		return nil, err
	}
	return begun, nil
}

// Complete joins the parts of an upload and commits the file: size and ETag
// come from storage. Parts may come in any order. It may be repeated. It asks
// file.upload.
//
// Returns Invalid for a missing field and for parts that are not those in
// storage, NotFound for an unknown file or another upload, Forbidden for a file
// of somebody else. When storage fails, the upload stays as it is, so that the
// caller can repeat or abort. A file over the size limit or the capacity is
// removed and returns Invalid or Quota.
func (u *URLs) Complete(ctx context.Context, who policy.Principal, id, uploadID string, sent []objstore.Part) (*File, objstore.Storage, error) {
	file, _, err := u.uploads.mine(ctx, who, id)
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
	s, err := u.uploads.session(ctx, file, uploadID)
	if err != nil {
		return nil, storage, err
	}
	done, err := u.uploads.join(ctx, s, list, func() (*File, error) { return u.uploads.Commit(ctx, who, id) })
	return done, storage, err
}

// Abort gives an upload in parts up: its parts and its record go. It asks
// file.upload.
//
// Returns Invalid for a missing field, NotFound for an unknown file, another
// upload and a file that is complete, Forbidden for a file of somebody else.
// When storage does not answer, the record stays for another try.
func (u *URLs) Abort(ctx context.Context, who policy.Principal, id, uploadID string) error {
	file, _, err := u.uploads.mine(ctx, who, id)
	if err != nil {
		return err
	}
	if uploadID == "" {
		return ports.InvalidInput("required", "upload_id")
	}
	return u.uploads.dropParts(ctx, file, uploadID)
}
