package sharedb

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
)

// AtObjects lists the records that point at an object, or at any below a prefix.
func (r *Files) AtObjects(ctx context.Context, configID, key string, folder bool, after string, limit int) ([]shares.File, error) {
	if !folder {
		return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE storage_config_id = ? AND storage_path = ? AND erased_at IS NULL AND NOT pending AND id > ? ORDER BY id LIMIT ?",
			configID, key, after, limit)
	}
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE storage_config_id = ? AND substr(storage_path, 1, CAST(? AS INTEGER)) = ? AND erased_at IS NULL AND NOT pending AND id > ? ORDER BY id LIMIT ?",
		configID, utf8.RuneCountInString(key), key, after, limit)
}

// InFolder lists the open shares of what lies directly below a prefix.
func (r *Files) InFolder(ctx context.Context, configID, prefix, createdBy string, now time.Time, limit int) ([]shares.File, error) {
	query := "SELECT " + fileColumns + " FROM files WHERE storage_config_id = ? AND erased_at IS NULL AND NOT pending AND used_up_at IS NULL AND (expires_at IS NULL OR expires_at > ?)"
	args := []any{configID, db.Millis(now)}
	if prefix != "" {
		// "0" is the byte after "/", so that the index finds all below the prefix.
		column := "storage_path"
		if !r.db.SQLite() {
			column += ` COLLATE "C"`
		}
		query += " AND " + column + " > ? AND " + column + " < ?"
		args = append(args, prefix, strings.TrimSuffix(prefix, "/")+"0")
	}
	query += " AND replace(substr(storage_path, CAST(? AS INTEGER)), '/', '') = substr(storage_path, CAST(? AS INTEGER))"
	args = append(args, utf8.RuneCountInString(prefix)+1, utf8.RuneCountInString(prefix)+1)
	if createdBy != "" {
		query += " AND created_by = ?"
		args = append(args, createdBy)
	}
	return r.some(ctx, query+" ORDER BY created_at DESC, id LIMIT ?", append(args, limit)...)
}
