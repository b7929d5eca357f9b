package bunstore

import (
	"context"
	"unicode/utf8"

	"pasteport/domain/shares"
)

// AtObjects lists the records that point at an object, or at any below a prefix.
func (r *Files) AtObjects(ctx context.Context, configID, key string, folder bool, limit int) ([]shares.File, error) {
	if !folder {
		return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE storage_config_id = ? AND storage_path = ? AND erased_at IS NULL AND NOT pending ORDER BY id LIMIT ?",
			configID, key, limit)
	}
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE storage_config_id = ? AND substr(storage_path, 1, CAST(? AS INTEGER)) = ? AND erased_at IS NULL AND NOT pending ORDER BY id LIMIT ?",
		configID, utf8.RuneCountInString(key), key, limit)
}
