package shares

import (
	"context"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// File is a shared file: a record here and an object in a bucket.
type File struct {
	ID              string // UUIDv7
	Slug            string
	Filename        string // original name, for people
	StorageConfigID string
	StorageType     string // "S3" or "LOCAL"
	StoragePath     string // object key
	FilePath        string // mount path when shared from the file system, else empty
	MimeType        string // decided by the server from the extension
	Size            int64  // bytes; as announced while Pending
	ETag            string // without quotes; empty while Pending
	Remark          string
	Gate
	UseProxy  bool // links go through this server
	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Pending is true from presign until the object has been seen in storage.
	Pending bool
	Version int64
	// Collection is the id of the collection that the file is an item of. Such a
	// file has no gate, and its slug opens nothing. Empty means it stands alone.
	Collection string
	Position   int64 // among the items of its collection
	// PlacedAt is when a move put the object under its key; nil: at CreatedAt.
	PlacedAt *time.Time
	// VersionOf is the id of the file that took the slug of this one and keeps it.
	// Such a file is used up, and no call but those of versions finds it.
	VersionOf string
	KeepNone  bool // what replaces this file keeps no version of it; while Pending: nor this of what it replaces
	// Replaces is the id of the share whose content the file becomes when it arrives,
	// under a slug that nobody knows; empty: it is a share of its own. The record that
	// waited takes what the share had, and still names it.
	Replaces string
}

// Placed tells since when the object lies under its key.
func (f *File) Placed() time.Time {
	if f.PlacedAt != nil {
		return *f.PlacedAt
	}
	return f.CreatedAt
}

// Late tells of a file to come that it has not come in time, and can come no more.
func (f *File) Late() bool { return f.Pending && f.UsedUpAt != nil }

// PublicRemark is the remark as strangers may read it. Shares of mounted files
// once had the path in the tree for a remark, or a remark that ends in it. That
// tells of the folders around the file, so only its owner reads it.
func (f *File) PublicRemark() string {
	if f.FilePath != "" && strings.HasSuffix(f.Remark, "/"+f.Filename) {
		return ""
	}
	return f.Remark
}

// FileFilter chooses files for a list, newest first. Pending, used-up and
// erased files are not listed; expired ones are until they are erased.
type FileFilter struct {
	ports.Paging
	Sort
	CreatedBy       string // empty means everybody's
	Search          string // substring of filename, slug and remark
	StorageConfigID string // empty means any
}

// FileUsage is what the shares of one storage config hold.
type FileUsage struct {
	Files int64
	Bytes int64
}

// ObjectHolder is a record that points at an object.
type ObjectHolder struct {
	CreatedBy string
	Pending   bool
	Mounted   bool // the object belongs to a mount, and the record follows it
}

// FileRepository stores file shares.
type FileRepository interface {
	// Insert returns Conflict with Key "slug_taken" when the slug exists.
	ports.Repository[File, FileFilter]

	// BySlug returns the file, pending, expired, used-up and erased ones included.
	BySlug(ctx context.Context, slug string) (*File, error)

	// Reserve inserts a pending file if the sizes of its owner's files, but of
	// those in mounts, stay within most bytes (0 means no bound), in one
	// transaction. Returns Quota with the text capacity.BytesStored otherwise.
	Reserve(ctx context.Context, f *File, most int64) error
	// Commit stores size and ETag of an arrived object, ends Pending, and checks
	// the bound again. Returns Quota, leaving the record as it was, and NotFound for
	// one that is late or erased; with awaited, also for one that is not pending.
	Commit(ctx context.Context, id string, awaited bool, arrived objstore.Object, most int64, now time.Time) (*File, error)

	// TakeView counts one view of a file that has a limit, as for pastes.
	TakeView(ctx context.Context, id string, now time.Time) (views int64, err error)
	// AddViews adds counted views of unlimited files, by id, as for pastes.
	AddViews(ctx context.Context, views map[string]int64) error

	// Usage sums the files of every storage config, pending ones included.
	Usage(ctx context.Context) (map[string]FileUsage, error)
	// CountByDay is as for pastes.
	CountByDay(ctx context.Context, now time.Time, days int) (total int, perDay []int, err error)
}

// FileObjects finds file shares by the objects that they point at or await.
type FileObjects interface {
	// ObjectUsers counts the records but exceptID that point at the same object.
	ObjectUsers(ctx context.Context, configID, storagePath, exceptID string) (int, error)
	// ObjectHolders tells of those records who created them, whether they still
	// await the object, and whether it is a mount's; like ones may come once or
	// more.
	ObjectHolders(ctx context.Context, configID, storagePath, exceptID string) ([]ObjectHolder, error)

	// AtObjects lists the arrived files that lie at a key or, when folder is set,
	// at any key that starts with it, by id, those behind after; at most limit.
	AtObjects(ctx context.Context, configID, key string, folder bool, after string, limit int) ([]File, error)
	// InFolder lists the arrived files whose share is still open and whose key is
	// prefix and a name without "/", newest first; at most limit. createdBy
	// narrows them to one owner; empty means any.
	InFolder(ctx context.Context, configID, prefix, createdBy string, now time.Time, limit int) ([]File, error)

	// Retire counts the files of a storage config, pending ones included. Where there
	// are none, none can come there once the unit of work of ctx has succeeded: the
	// repository's Insert and Reserve return ErrStorageUnknown then.
	Retire(ctx context.Context, configID string) (files int64, err error)
	// Stale lists pending files created before the given time, by id, those
	// behind after; at most limit.
	Stale(ctx context.Context, createdBefore time.Time, after string, limit int) ([]File, error)
}
