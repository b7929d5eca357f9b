package shares

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// PartSize is the size of every part but the last, in bytes, where the client
// names none (spec §9).
const PartSize = 5 << 20

// maxPartSize is the largest part (S3 API).
const maxPartSize = 5 << 30

// errParts is the refusal of part sizes and counts that do not fit together.
var errParts = objstore.ErrBadPart

// NewPartsUpload is a URL upload in parts.
type NewPartsUpload struct {
	NewURLUpload       // Size is the whole file's
	PartSize     int64 // bytes; 0 means PartSize
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
	upload, source, err := u.upload(ctx, who, in.NewURLUpload)
	if err != nil {
		return nil, err
	}
	partSize, count, err := parts(upload.Size, in.PartSize, in.PartCount)
	if err != nil {
		return nil, err
	}
	file, storage, decision, err := u.files.reserve(ctx, who, upload)
	if errors.Is(err, errStorageForbidden) {
		return nil, errStorageUnknown.With(err)
	}
	if err != nil {
		return nil, err
	}
	links, err := u.begin(ctx, file, storage, decision.Obligations, partSize, in.PartSize > 0, count)
	if err != nil {
		u.files.undo(context.WithoutCancel(ctx), file, file.UploadID != "") // drops the parts with the object
		return nil, err
	}
	return &PartsUpload{File: file, Storage: storage, PartSize: partSize, Links: links, Source: source}, nil
}

// parts checks how a file of size bytes, 0 for unknown, is cut into parts.
func parts(size, partSize, count int64) (int64, int, error) {
	if partSize == 0 {
		partSize = PartSize
	}
	if partSize < PartSize || partSize > maxPartSize || count < 0 || size < 0 {
		return 0, 0, errParts
	}
	needed := (size + partSize - 1) / partSize
	if count == 0 {
		count = needed
	}
	if count < max(needed, 1) || count > objstore.MaxPart {
		return 0, 0, errParts
	}
	return partSize, int(count), nil
}

// begin begins the upload in storage and signs its parts. On our own disk all
// but the last are bound to the part size when the client has announced it.
func (u *URLs) begin(ctx context.Context, file *File, storage Storage, o policy.Obligations, partSize int64, announced bool, count int) ([]string, error) {
	last := file.Size - int64(count-1)*partSize // where the size is known and the count is what it needs
	if last <= 0 || last > partSize {
		last = partSize
		c := claim(file, storage, o)
		c.Size = int64(count) * partSize // what the links let in
		if err := u.d.reserve(ctx, c); err != nil {
			return nil, quota(err, c.Size)
		}
	}
	bucket, err := u.files.createParts(ctx, file)
	if err != nil {
		return nil, err
	}
	r := objstore.SignRequest{Verb: objstore.VerbPart, Key: file.StoragePath, Audience: objstore.Browser, TTL: partLife(storage, o), UploadID: file.UploadID, MaxSize: partSize}
	links := make([]string, count)
	for i := range links {
		r.PartNumber, r.Size = i+1, 0
		if announced && i+1 < count && storage.Type == "LOCAL" {
			r.Size = partSize // as for one PUT (contract §7.3)
		}
		if i+1 == count {
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
	list, err := sortedParts(uploadID, sent)
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

// sortedParts checks the list of a Complete and gives it in ascending order.
func sortedParts(uploadID string, sent []objstore.Part) ([]objstore.Part, error) {
	if uploadID == "" {
		return nil, ports.InvalidInput("required", "upload_id")
	}
	if len(sent) == 0 {
		return nil, ports.InvalidInput("required", "parts")
	}
	list := slices.Clone(sent)
	slices.SortFunc(list, func(a, b objstore.Part) int { return cmp.Compare(a.Number, b.Number) })
	for i := range list {
		list[i].ETag = strings.Trim(strings.TrimPrefix(list[i].ETag, "W/"), `"`)
		if list[i].Number < 1 || list[i].Number > objstore.MaxPart || list[i].ETag == "" || i > 0 && list[i].Number == list[i-1].Number {
			return nil, objstore.ErrBadPart
		}
	}
	return list, nil
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
