package remote

import (
	"context"
	"errors"

	"pasteport/domain/shares"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Parts is a URL upload in parts.
type Parts struct {
	Upload          // Size is the whole file's
	PartSize  int64 // bytes; 0 means upload.PartSize
	PartCount int64 // 0 means what Size needs
}

// Begin reserves a file share for the content of an address, begins an upload
// in parts and signs the request of each part. It asks url.fetch and
// file.upload.
//
// Returns the errors of Presign, but NotFound for a storage config that the
// caller may not use; Invalid when size, part size and part count do not fit
// together, NotImplemented when the storage knows no uploads in parts.
func (u *URLs) Begin(ctx context.Context, who policy.Principal, in Parts) (*shares.PartsBegun, Source, error) {
	asked, source, err := u.upload(ctx, who, in.Upload)
	if err != nil {
		return nil, source, err
	}
	cut, err := upload.CutOf(asked.Size, in.PartSize, in.PartCount)
	if err == nil && (cut.PartSize < upload.PartSize || int64(cut.PartCount) < cut.Needed() || asked.Size == 0 && in.PartCount == 0) {
		err = objstore.ErrBadPart
	}
	if err != nil {
		return nil, source, err
	}
	r, err := u.uploads.Reserve(ctx, who, asked)
	if errors.Is(err, shares.ErrStorageForbidden) {
		err = shares.ErrStorageUnknown.With(err)
	}
	if err != nil {
		return nil, source, err
	}
	how := r.Signing()
	if how.Reserved = true; how.Bound == upload.Exactly {
		// On our own disk all but the last are bound to the part size, when the
		// client has announced it.
		how.Bound = upload.AtMost
		if in.PartSize > 0 {
			how.Bound = upload.ButLast
		}
	}
	begun, err := r.BeginParts(ctx, cut, how)
	return begun, source, err
}
