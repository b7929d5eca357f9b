package domaintest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"pasteport/domain/shares"
)

func (r *memFiles) AtObjects(ctx context.Context, configID, key string, folder bool, after string, limit int) ([]shares.File, error) {
	return r.some(ctx, limit, func(f *shares.File) bool {
		return f.ID > after && f.StorageConfigID == configID && f.ErasedAt == nil && !f.Pending && (f.StoragePath == key || folder && strings.HasPrefix(f.StoragePath, key))
	})
}

func (r *memFiles) InFolder(ctx context.Context, configID, prefix, createdBy string, now time.Time, limit int) ([]shares.File, error) {
	rows, err := r.all(ctx, func(f *shares.File) bool {
		name, inside := strings.CutPrefix(f.StoragePath, prefix)
		open := f.ErasedAt == nil && !f.Pending && f.UsedUpAt == nil && (f.ExpiresAt == nil || f.ExpiresAt.After(now))
		return open && f.StorageConfigID == configID && inside && name != "" && !strings.Contains(name, "/") && (createdBy == "" || f.CreatedBy == createdBy)
	})
	slices.SortFunc(rows, func(a, b shares.File) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(limit, len(rows))], err
}
