package storagedb

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/upload"
)

type uploadRow struct {
	bun.BaseModel   `bun:"table:uploads,alias:uploads"`
	ID              string `bun:",pk"`
	Destination     string
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

func newUploadRow(u *upload.Session) *uploadRow {
	return &uploadRow{
		ID: u.ID, Destination: u.For, StorageConfigID: u.StorageConfigID, UploadID: u.UploadID, Path: u.Path, ObjectKey: u.Key, Owner: u.Owner, Size: u.Size,
		PartSize: u.PartSize, PartCount: u.PartCount, CreatedAt: db.Millis(u.CreatedAt), CompletedAt: db.MillisPtr(u.CompletedAt), ETag: u.ETag, StoredSize: u.StoredSize,
	}
}

func (r *uploadRow) session() *upload.Session {
	return &upload.Session{
		ID: r.ID, For: r.Destination, StorageConfigID: r.StorageConfigID, UploadID: r.UploadID, Path: r.Path, Key: r.ObjectKey, Owner: r.Owner,
		Cut: upload.Cut{Size: r.Size, PartSize: r.PartSize, PartCount: r.PartCount}, CreatedAt: db.Time(r.CreatedAt), CompletedAt: db.TimePtr(r.CompletedAt), ETag: r.ETag, StoredSize: r.StoredSize,
	}
}

// Uploads stores the sessions of uploads in parts.
type Uploads struct {
	db.Table[upload.Session, uploadRow]
}

// NewUploads returns the repository of uploads in parts.
func NewUploads(d *db.DB) *Uploads {
	return &Uploads{db.NewTable(d, "uploads", newUploadRow, (*uploadRow).session)}
}

// ByUpload finds a session by the storage's name for it.
func (r *Uploads) ByUpload(ctx context.Context, storageConfigID, uploadID string) (*upload.Session, error) {
	return r.Find(ctx, "storage_config_id = ? AND upload_id = ?", storageConfigID, uploadID)
}

// List returns a page of sessions, the oldest first.
func (r *Uploads) List(ctx context.Context, f uploads.Filter) (ports.Page[upload.Session], error) {
	return r.Page(ctx, f.Paging, "created_at, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.For != "" {
			q = q.Where("destination = ?", f.For)
		}
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
			q = q.Where("completed_at < ?", db.Millis(f.Before))
		default:
			q = q.Where("created_at < ?", db.Millis(f.Before))
		}
		return q
	})
}

// Awaited tells which of some keys unfinished uploads of a storage lead to.
func (r *Uploads) Awaited(ctx context.Context, configID string, keys []string) (map[string]bool, error) {
	awaited := map[string]bool{}
	for from := 0; from < len(keys); from += db.Chunk {
		var found []string
		err := r.DB.Read(ctx).NewSelect().Table("uploads").ColumnExpr("DISTINCT object_key").Where("storage_config_id = ?", configID).
			Where("object_key IN (?)", bun.List(keys[from:min(from+db.Chunk, len(keys))])).Where("completed_at IS NULL").Scan(ctx, &found)
		if err != nil {
			return nil, db.Failure(err)
		}
		for _, key := range found {
			awaited[key] = true
		}
	}
	return awaited, nil
}
