package domaintest

import (
	"cmp"
	"context"

	"pasteport/domain/uploads"
	"pasteport/ports"
	"pasteport/ports/upload"
)

type memUploads struct{ *memTable[upload.Session] }

// Uploads returns the repository of upload sessions.
func (m *Memory) Uploads() uploads.Repository { return &memUploads{&m.uploads} }

func newUploadTable(m *Memory) memTable[upload.Session] {
	return newTable(m, func(u *upload.Session) string { return u.ID }, cloneUpload,
		func(u *upload.Session) []unique {
			return []unique{{"already_exists", u.StorageConfigID + "\x00" + u.UploadID}}
		})
}

func cloneUpload(u upload.Session) upload.Session {
	u.CreatedAt, u.CompletedAt = milli(u.CreatedAt), milliPtr(u.CompletedAt)
	return u
}

func (r *memUploads) ByUpload(ctx context.Context, storageConfigID, uploadID string) (*upload.Session, error) {
	return r.first(ctx, func(u *upload.Session) bool { return u.StorageConfigID == storageConfigID && u.UploadID == uploadID })
}

func (r *memUploads) List(ctx context.Context, f uploads.Filter) (ports.Page[upload.Session], error) {
	fits := func(u *upload.Session) bool {
		since := u.CreatedAt
		if f.Finished && u.CompletedAt != nil {
			since = *u.CompletedAt
		}
		return (f.For == "" || u.For == f.For) && (f.StorageConfigID == "" || u.StorageConfigID == f.StorageConfigID) && (f.Owner == "" || u.Owner == f.Owner) &&
			(!f.Unfinished || u.CompletedAt == nil) && (!f.Finished || u.CompletedAt != nil) && (f.Before.IsZero() || since.Before(f.Before))
	}
	return r.list(ctx, f.Paging, fits, func(a, b upload.Session) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}
