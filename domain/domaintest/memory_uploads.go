package domaintest

import (
	"cmp"
	"context"

	"pasteport/domain/mounts"
	"pasteport/ports"
)

type memUploads struct{ *memTable[mounts.Upload] }

// Uploads returns the repository of uploads in parts.
func (m *Memory) Uploads() mounts.UploadRepository { return &memUploads{&m.uploads} }

func newUploadTable(m *Memory) memTable[mounts.Upload] {
	return newTable(m, func(u *mounts.Upload) string { return u.ID }, cloneUpload,
		func(u *mounts.Upload) []unique {
			return []unique{{"already_exists", u.StorageConfigID + "\x00" + u.UploadID}}
		})
}

func cloneUpload(u mounts.Upload) mounts.Upload {
	u.CreatedAt, u.CompletedAt = milli(u.CreatedAt), milliPtr(u.CompletedAt)
	return u
}

func (r *memUploads) ByUpload(ctx context.Context, storageConfigID, uploadID string) (*mounts.Upload, error) {
	return r.first(ctx, func(u *mounts.Upload) bool { return u.StorageConfigID == storageConfigID && u.UploadID == uploadID })
}

func (r *memUploads) List(ctx context.Context, f mounts.UploadFilter) (ports.Page[mounts.Upload], error) {
	fits := func(u *mounts.Upload) bool {
		since := u.CreatedAt
		if f.Finished && u.CompletedAt != nil {
			since = *u.CompletedAt
		}
		return (f.StorageConfigID == "" || u.StorageConfigID == f.StorageConfigID) && (f.Owner == "" || u.Owner == f.Owner) &&
			(!f.Unfinished || u.CompletedAt == nil) && (!f.Finished || u.CompletedAt != nil) && (f.Before.IsZero() || since.Before(f.Before))
	}
	return r.list(ctx, f.Paging, fits, func(a, b mounts.Upload) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
}
