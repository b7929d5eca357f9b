package sharedb

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
)

var _ reconcile.Records = (*Files)(nil)

// ByKey lists the records of a storage in the order of the bytes of their keys.
func (r *Files) ByKey(ctx context.Context, configID string, after reconcile.Position, limit int) ([]shares.File, error) {
	key := r.db.ByBytes("storage_path")
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE storage_config_id = ? AND erased_at IS NULL AND ("+key+", id) > (?, ?) ORDER BY "+key+", id LIMIT ?",
		configID, after.Key, after.ID, limit)
}

// Held tells which of some keys of a storage a record points at.
func (r *Files) Held(ctx context.Context, configID string, keys []string) (map[string]bool, error) {
	held := map[string]bool{}
	for from := 0; from < len(keys); from += db.Chunk {
		var found []string
		err := r.db.Read(ctx).NewSelect().Table("files").ColumnExpr("DISTINCT storage_path").Where("storage_config_id = ?", configID).
			Where("storage_path IN (?)", bun.List(keys[from:min(from+db.Chunk, len(keys))])).Where("erased_at IS NULL").Scan(ctx, &found)
		if err != nil {
			return nil, db.Failure(err)
		}
		for _, key := range found {
			held[key] = true
		}
	}
	return held, nil
}
