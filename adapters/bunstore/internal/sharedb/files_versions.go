package sharedb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/versions"
	"pasteport/ports"
)

var _ versions.Repository = (*Files)(nil)

// versionsOf are the versions of one file, by the index of them.
const versionsOf = "version_of <> '' AND version_of = ? AND erased_at IS NULL"

// Versions lists the versions of a file, newest first.
func (r *Files) Versions(ctx context.Context, fileID string) ([]shares.File, error) {
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE "+versionsOf+" ORDER BY version DESC", fileID)
}

// Replacing lists the files to come that keep nothing of the file they replace.
func (r *Files) Replacing(ctx context.Context, fileID string) ([]shares.File, error) {
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE replaces <> '' AND replaces = ? AND pending AND used_up_at IS NULL AND keep_none ORDER BY id", fileID)
}

// Exchange has a file and one of its versions changed together.
func (r *Files) Exchange(ctx context.Context, fileID string, version int64, change func(present, former *shares.File) error) (present *shares.File, err error) {
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) (err error) {
		if present, err = r.table.Load(ctx, c, fileID); err != nil {
			return err
		}
		query := c.ForUpdate("SELECT id FROM files WHERE " + versionsOf + " AND version = ?")
		var id string
		err = c.Row(ctx, query, []any{fileID, version}, &id)
		if errors.Is(err, sql.ErrNoRows) {
			return ports.ErrNotFound
		}
		if err != nil {
			return err
		}
		former, err := r.table.Load(ctx, c, id)
		if err != nil {
			return err
		}
		before := []shares.File{*present, *former}
		if err := change(present, former); err != nil {
			return err
		}
		for i, f := range []*shares.File{present, former} {
			if err := r.recount(ctx, c, &before[i], f, 0); err != nil {
				return err
			}
			if err := r.table.Save(ctx, c, before[i].ID, f); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	return newFileRow(present).file(), nil
}

// letGo makes versions used-up shares, as of a time or of when they were replaced.
func letGo(ctx context.Context, c *db.Conn, now *time.Time, where string, args ...any) error {
	q := c.NewUpdate().Table("files").Set("version_of = ''").Where("version_of <> ''").Where(where, args...)
	if now != nil {
		q = q.Set("used_up_at = ?", db.Millis(*now))
	}
	_, err := q.Exec(ctx)
	return err
}

// LetGo makes the versions of a file but the newest ones used-up shares.
func (r *Files) LetGo(ctx context.Context, fileID string, keep int, now time.Time) error {
	_, err := r.db.Exec(ctx, "UPDATE files SET version_of = '', used_up_at = ? WHERE "+versionsOf+" AND version < coalesce((SELECT min(version) FROM "+
		"(SELECT version FROM files WHERE "+versionsOf+" ORDER BY version DESC LIMIT ?) AS newest), "+farVersion+")", db.Millis(now), fileID, fileID, keep)
	return err
}

// farVersion is behind every version.
const farVersion = "9223372036854775807"

// LetOldGo makes versions that were replaced before a time used-up shares.
func (r *Files) LetOldGo(ctx context.Context, before time.Time, limit int, now time.Time) (int, error) {
	return r.db.Exec(ctx, "UPDATE files SET version_of = '', used_up_at = ? WHERE n IN (SELECT n FROM files WHERE version_of <> '' AND used_up_at < ? ORDER BY used_up_at LIMIT ?)",
		db.Millis(now), db.Millis(before), limit)
}
