package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/upload"
)

type uploadRow struct {
	bun.BaseModel   `bun:"table:mount_uploads,alias:mount_uploads"`
	ID              string `bun:",pk"`
	StorageConfigID string
	UploadID        string
	Path            string
	ObjectKey       string
	Owner           string
	Size            int64
	PartSize        int64
	PartCount       int
	CreatedAt       int64
	CompletedAt     *int64
	ETag            string `bun:"etag"`
	StoredSize      int64
}

func newUploadRow(u *mounts.Upload) *uploadRow {
	return &uploadRow{
		ID: u.ID, StorageConfigID: u.StorageConfigID, UploadID: u.UploadID, Path: u.Path, ObjectKey: u.Key, Owner: u.Owner, Size: u.Size,
		PartSize: u.PartSize, PartCount: u.PartCount, CreatedAt: ms(u.CreatedAt), CompletedAt: msPtr(u.CompletedAt), ETag: u.ETag, StoredSize: u.StoredSize,
	}
}

func (r *uploadRow) upload() *mounts.Upload {
	return &mounts.Upload{
		ID: r.ID, StorageConfigID: r.StorageConfigID, UploadID: r.UploadID, Path: r.Path, Key: r.ObjectKey, Owner: r.Owner,
		Cut: upload.Cut{Size: r.Size, PartSize: r.PartSize, PartCount: r.PartCount}, CreatedAt: at(r.CreatedAt), CompletedAt: atPtr(r.CompletedAt), ETag: r.ETag, StoredSize: r.StoredSize,
	}
}

// Uploads stores uploads in parts that were begun through mounts.
type Uploads struct {
	table[mounts.Upload, uploadRow]
}

// ByUpload finds an upload by the storage's name for it.
func (r *Uploads) ByUpload(ctx context.Context, storageConfigID, uploadID string) (*mounts.Upload, error) {
	return r.find(ctx, "storage_config_id = ? AND upload_id = ?", storageConfigID, uploadID)
}

// List returns a page of uploads, the oldest first.
func (r *Uploads) List(ctx context.Context, f mounts.UploadFilter) (ports.Page[mounts.Upload], error) {
	return r.list(ctx, f.Paging, "created_at, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.StorageConfigID != "" {
			q = q.Where("storage_config_id = ?", f.StorageConfigID)
		}
		if f.Owner != "" {
			q = q.Where("owner = ?", f.Owner)
		}
		if f.Unfinished {
			q = q.Where("completed_at IS NULL")
		}
		if f.Finished {
			q = q.Where("completed_at IS NOT NULL")
		}
		switch {
		case f.Before.IsZero():
		case f.Finished:
			q = q.Where("completed_at < ?", ms(f.Before))
		default:
			q = q.Where("created_at < ?", ms(f.Before))
		}
		return q
	})
}
