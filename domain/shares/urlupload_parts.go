package shares

import (
	"context"
	"errors"
	"time"

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
	File     *File
	Storage  Storage
	PartSize int64    // bytes
	Links    []string // of part 1, 2, ...: absolute, or paths of this server
	Source   URLSource
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
	file, storage, decision, err := u.files.reserve(ctx, who, asked)
	if errors.Is(err, errStorageForbidden) {
		return nil, errStorageUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	links, err := u.begin(ctx, file, storage, decision.Obligations, cut, in.PartSize > 0)
	if err != nil {
		u.files.undo(context.WithoutCancel(ctx), file, file.UploadID != "") // drops the parts with the object
		return nil, err
	}
	return &PartsUpload{File: file, Storage: storage, PartSize: cut.PartSize, Links: links, Source: source}, nil
}

// begin begins the upload in storage and signs its parts. On our own disk all
// but the last are bound to the part size when the client has announced it.
func (u *URLs) begin(ctx context.Context, file *File, storage Storage, o policy.Obligations, cut upload.Cut, announced bool) ([]string, error) {
	last := cut.Length(cut.PartCount)
	if last == 0 {
		last = cut.PartSize
		c := claim(file, storage, o)
		c.Size = int64(cut.PartCount) * cut.PartSize // what the links let in
		if err := u.d.reserve(ctx, c); err != nil {
			return nil, quota(err, c.Size)
		}
	}
	bucket, err := u.files.createParts(ctx, file)
	if err != nil {
		return nil, err
	}
	r := objstore.SignRequest{Verb: objstore.VerbPart, Key: file.StoragePath, Audience: objstore.Browser, TTL: partLife(storage, o), UploadID: file.UploadID, MaxSize: cut.PartSize}
	links := make([]string, cut.PartCount)
	for i := range links {
		r.PartNumber, r.Size = i+1, 0
		if announced && i+1 < cut.PartCount && storage.Type == "LOCAL" {
			r.Size = cut.PartSize // as for one PUT (contract §7.3)
		}
		if i+1 == cut.PartCount {
			r.MaxSize = last
		}
		signed, err := bucket.Sign(ctx, r)
		if err != nil {
			return nil, err
		}
		links[i] = signed.URL
	}
	return links, nil
}

// partLife is how long the links of parts live: as the storage config says for
// links, else as long as a presigned upload.
func partLife(storage Storage, o policy.Obligations) time.Duration {
	life := UploadLinkLife
	if storage.LinkSeconds > 0 {
		life = min(time.Duration(storage.LinkSeconds)*time.Second, 7*24*time.Hour)
	}
	if o.LinkExpires > 0 {
		life = min(life, time.Duration(o.LinkExpires)*time.Second)
	}
	return life
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
func (u *URLs) Complete(ctx context.Context, who policy.Principal, id, uploadID string, sent []objstore.Part) (*File, Storage, error) {
	file, err := u.files.mine(ctx, who, id)
	if err != nil {
		return nil, Storage{}, err
	}
	if uploadID == "" {
		return nil, Storage{}, ports.InvalidInput("required", "upload_id")
	}
	list, err := upload.Sorted(sent)
	if err == nil && len(list) < len(sent) { // contract §11.6: no part twice
		err = objstore.ErrBadPart
	}
	if err != nil {
		return nil, Storage{}, err
	}
	storage, err := u.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, storage, err
	}
	if !file.Pending {
		return file, storage, nil
	}
	if file.UploadID != uploadID {
		return nil, storage, objstore.ErrNoUpload
	}
	if err := u.files.join(ctx, file, list); err != nil {
		return nil, storage, err
	}
	done, err := u.files.Commit(ctx, who, id)
	return done, storage, err
}

// Abort gives an upload in parts up: its parts and its record go. It asks
// file.upload.
//
// Returns Invalid for a missing field, NotFound for an unknown file, another
// upload and a file that is complete, Forbidden for a file of somebody else.
// When storage does not answer, the record stays for another try.
func (u *URLs) Abort(ctx context.Context, who policy.Principal, id, uploadID string) error {
	file, err := u.files.mine(ctx, who, id)
	if err != nil {
		return err
	}
	if uploadID == "" {
		return ports.InvalidInput("required", "upload_id")
	}
	return u.files.dropParts(ctx, file, uploadID)
}
