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

// PartsBegun is an upload of a file in parts that the client sends to storage
// itself.
type PartsBegun struct {
	upload.Cut
	File    *File
	Storage Storage
	Links   []upload.Link
}

// Begin reserves a file share, begins an upload in parts and signs the request
// of each. The share is pending until Complete. partSize and count are what the
// client reckons with, 0 for whatever fits. It asks file.upload.
//
// Returns the errors of Presign; Invalid without a size and when the client
// would cut the file otherwise than cutOf, NotImplemented when the storage
// knows no uploads in parts.
func (f *Files) Begin(ctx context.Context, who policy.Principal, in NewUpload, partSize, count int64) (*PartsBegun, error) {
	if in.StorageConfigID == "" || in.Size <= 0 {
		if _, err := f.askUpload(ctx, who, in, f.d.Clock.Now()); err != nil {
			return nil, err
		}
		if in.StorageConfigID == "" {
			return nil, errNoStorage
		}
		return nil, ports.InvalidInput("size_invalid", "size")
	}
	file, storage, decision, err := f.reserve(ctx, who, in)
	if err != nil {
		return nil, err
	}
	begun := &PartsBegun{File: file, Storage: storage}
	if begun.Cut, err = cutOf(file); err == nil {
		begun.Links, err = f.cut(ctx, begun, decision.Obligations, partSize, count)
	}
	if err != nil {
		f.undo(context.WithoutCancel(ctx), file, file.UploadID != "") // drops the parts with the object
		return nil, err
	}
	return begun, nil
}

// cut begins the upload of a reserved file in storage and signs its parts.
func (f *Files) cut(ctx context.Context, b *PartsBegun, o policy.Obligations, partSize, count int64) ([]upload.Link, error) {
	if partSize != 0 && partSize != b.PartSize || count != 0 && count != b.Needed() {
		return nil, objstore.ErrBadPart
	}
	bucket, err := f.createParts(ctx, b.File)
	if err != nil {
		return nil, err
	}
	return signFileParts(ctx, bucket, b.File, b.Storage, partLife(b.Storage, o), b.Numbers())
}

// createParts begins an upload in parts in storage and notes its name in file
// and in its record.
func (f *Files) createParts(ctx context.Context, file *File) (objstore.Bucket, error) {
	bucket, multipart, err := f.multipart(ctx, file.StorageConfigID)
	if err != nil {
		return nil, err
	}
	if file.UploadID, err = multipart.Create(ctx, file.StoragePath, objstore.WriteOptions{Size: file.Size, ContentType: file.MimeType}); err != nil {
		return nil, err
	}
	_, err = f.repo.Update(ctx, file.ID, func(e *File) error {
		e.UploadID = file.UploadID
		return nil
	})
	return bucket, err
}

func (f *Files) multipart(ctx context.Context, configID string) (objstore.Bucket, objstore.Multipart, error) {
	bucket, err := f.d.Storages.Bucket(ctx, configID)
	if err != nil {
		return nil, nil, err
	}
	multipart := bucket.Multipart()
	if multipart == nil {
		return nil, nil, objstore.ErrUnsupported
	}
	return bucket, multipart, nil
}

// cutOf is how a file of known size is cut: it follows from the size alone, so
// that an upload can be resumed without it being noted.
func cutOf(file *File) (upload.Cut, error) {
	return upload.CutOf(file.Size, upload.PartSizeOf(file.Size), 0)
}

// signFileParts signs the requests of some parts of a file.
func signFileParts(ctx context.Context, bucket objstore.Bucket, file *File, storage Storage, life time.Duration, numbers []int) ([]upload.Link, error) {
	cut, err := cutOf(file)
	if err != nil {
		return nil, err
	}
	links := make([]upload.Link, len(numbers))
	for i, n := range numbers {
		r := objstore.SignRequest{Verb: objstore.VerbPart, Key: file.StoragePath, Audience: objstore.Browser, TTL: life, UploadID: file.UploadID,
			PartNumber: n, MaxSize: cut.Length(n)}
		if storage.Type == "LOCAL" {
			r.Size = r.MaxSize // as for one PUT (contract §7.3)
		}
		signed, err := bucket.Sign(ctx, r)
		if err != nil {
			return nil, err
		}
		links[i] = upload.Link{Number: n, URL: signed.URL}
	}
	return links, nil
}

// underWay finds an upload in parts that who goes on with, or has completed.
// What belongs to somebody else is as unknown as what never was. It asks
// file.upload.
func (f *Files) underWay(ctx context.Context, who policy.Principal, id, uploadID string) (*File, policy.Decision, error) {
	file, decision, err := f.own(ctx, who, policy.FileUpload, id)
	switch {
	case id == "" && ports.Is(err, ports.NotFound):
		return nil, decision, ports.InvalidInput("required", "file_id")
	case ports.Is(err, ports.NotFound):
		return nil, decision, objstore.ErrNoUpload.With(err)
	case err != nil:
		return nil, decision, err
	case uploadID == "":
		return nil, decision, ports.InvalidInput("required", "upload_id")
	case decision.Scope != policy.All && !who.Owns(file.CreatedBy), file.Pending && file.UploadID != uploadID:
		return nil, decision, objstore.ErrNoUpload
	}
	return file, decision, nil
}

// ListParts lists the parts of an upload that have arrived, in ascending order.
// It asks file.upload. Returns objstore.ErrNoUpload for an upload that is over,
// that storage has forgotten, or that is not the caller's.
func (f *Files) ListParts(ctx context.Context, who policy.Principal, id, uploadID string) (*File, []objstore.Part, error) {
	file, _, err := f.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, nil, err
	}
	if !file.Pending {
		return nil, nil, objstore.ErrNoUpload
	}
	_, multipart, err := f.multipart(ctx, file.StorageConfigID)
	if err != nil {
		return nil, nil, err
	}
	parts, err := multipart.ListParts(ctx, file.StoragePath, file.UploadID)
	return file, parts, err
}

// RefreshParts signs the requests of some parts anew and tells how long they
// work. It asks file.upload. Returns the errors of ListParts, Invalid for
// numbers that the file has no part of.
func (f *Files) RefreshParts(ctx context.Context, who policy.Principal, id, uploadID string, numbers []int) ([]upload.Link, time.Duration, error) {
	file, decision, err := f.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case !file.Pending:
		return nil, 0, objstore.ErrNoUpload
	}
	if err := upload.CheckNumbers(numbers, "part_numbers"); err != nil {
		return nil, 0, err
	}
	cut, err := cutOf(file)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range numbers {
		if cut.Length(n) == 0 {
			return nil, 0, objstore.ErrBadPart
		}
	}
	storage, err := f.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, 0, err
	}
	bucket, multipart, err := f.multipart(ctx, file.StorageConfigID)
	if err != nil {
		return nil, 0, err
	}
	if _, err := multipart.ListParts(ctx, file.StoragePath, file.UploadID); err != nil {
		return nil, 0, err
	}
	life := partLife(storage, decision.Obligations)
	links, err := signFileParts(ctx, bucket, file, storage, life, numbers)
	return links, life, err
}

// Complete joins the parts of an upload and commits the file. Which parts there
// are, storage says; they must make up the file that was announced. It may be
// repeated. It asks file.upload.
//
// Returns objstore.ErrNoUpload as ListParts does, Invalid when parts are missing
// or have another length than announced; the upload stays as it is then, and
// also when storage fails. A file over the size limit or the capacity is removed
// and returns Invalid or Quota.
func (f *Files) Complete(ctx context.Context, who policy.Principal, id, uploadID string) (*File, error) {
	file, decision, err := f.underWay(ctx, who, id, uploadID)
	if err != nil {
		return nil, err
	}
	if !file.Pending {
		return file, nil
	}
	_, multipart, err := f.multipart(ctx, file.StorageConfigID)
	if err != nil {
		return nil, err
	}
	parts, err := multipart.ListParts(ctx, file.StoragePath, file.UploadID)
	switch {
	case errors.Is(err, objstore.ErrNoUpload): // joined before, and the answer was lost; or gone
	case err != nil:
		return nil, err
	default:
		cut, err := cutOf(file)
		if err == nil {
			err = cut.Whole(parts)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := f.join(ctx, file, parts); err != nil {
		return nil, err
	}
	return f.commit(ctx, file, decision.Obligations)
}

// join completes the upload in storage. One that storage has forgotten counts
// as completed when its object is there: the answer to an earlier try was lost.
func (f *Files) join(ctx context.Context, file *File, list []objstore.Part) error {
	bucket, multipart, err := f.multipart(ctx, file.StorageConfigID)
	if err != nil {
		return err
	}
	err = objstore.ErrNoUpload
	if len(list) > 0 {
		_, err = multipart.Complete(ctx, file.StoragePath, file.UploadID, list)
	}
	if errors.Is(err, objstore.ErrNoUpload) {
		if object, missing := bucket.Stat(ctx, file.StoragePath); missing == nil && !older(object, file) {
			return nil
		}
	}
	return err
}

// Abort gives an upload in parts up: its parts and its record go. It asks
// file.upload.
//
// Returns objstore.ErrNoUpload for an unknown upload, one of somebody else and
// one that is complete. When storage does not answer, the record stays for
// another try.
func (f *Files) Abort(ctx context.Context, who policy.Principal, id, uploadID string) error {
	file, _, err := f.underWay(ctx, who, id, uploadID)
	if err != nil {
		return err
	}
	return f.dropParts(ctx, file, uploadID)
}

// dropParts removes the parts of a pending file, and then its record.
func (f *Files) dropParts(ctx context.Context, file *File, uploadID string) error {
	if !file.Pending || file.UploadID != uploadID {
		return objstore.ErrNoUpload
	}
	bucket, err := f.d.Storages.Bucket(ctx, file.StorageConfigID)
	if err != nil {
		return err
	}
	if multipart := bucket.Multipart(); multipart != nil {
		if err := multipart.Abort(ctx, file.StoragePath, uploadID); err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return f.remove(ctx, file, true)
}
