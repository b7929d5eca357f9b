package domaintest

import (
	"cmp"
	"context"
	"slices"

	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
	"pasteport/ports/upload"
)

// FileKeys returns the file shares by their objects.
func (m *Memory) FileKeys() reconcile.Records { return &memFiles{&m.files} }

// UploadKeys returns the sessions of uploads by their objects.
func (m *Memory) UploadKeys() reconcile.Uploads { return &memUploads{&m.uploads} }

func (r *memFiles) ByKey(ctx context.Context, configID string, after reconcile.Position, limit int) ([]shares.File, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		return f.StorageConfigID == configID && f.ErasedAt == nil && cmp.Or(cmp.Compare(f.StoragePath, after.Key), cmp.Compare(f.ID, after.ID)) > 0
	})
	slices.SortFunc(rows, func(a, b shares.File) int {
		return cmp.Or(cmp.Compare(a.StoragePath, b.StoragePath), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(limit, len(rows))], err
}

func (r *memFiles) Held(ctx context.Context, configID string, keys []string) (map[string]bool, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		return f.StorageConfigID == configID && f.ErasedAt == nil && slices.Contains(keys, f.StoragePath)
	})
	held := map[string]bool{}
	for _, f := range rows {
		held[f.StoragePath] = true
	}
	return held, err
}

func (r *memUploads) Awaited(ctx context.Context, configID string, keys []string) (map[string]bool, error) {
	rows, err := r.all(ctx, func(u *upload.Session) bool {
		return u.StorageConfigID == configID && u.CompletedAt == nil && slices.Contains(keys, u.Key)
	})
	awaited := map[string]bool{}
	for _, u := range rows {
		awaited[u.Key] = true
	}
	return awaited, err
}
