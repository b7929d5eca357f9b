package portstest

import (
	"context"
	"strings"

	"pasteport/domain/shares"
)

func (r *memFiles) AtObjects(ctx context.Context, configID, key string, folder bool, limit int) ([]shares.File, error) {
	return r.some(ctx, limit, func(f *shares.File) bool {
		return f.StorageConfigID == configID && f.ErasedAt == nil && !f.Pending && (f.StoragePath == key || folder && strings.HasPrefix(f.StoragePath, key))
	})
}
