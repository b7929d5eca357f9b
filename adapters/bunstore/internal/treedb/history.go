package treedb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts/history"
	"pasteport/domain/storage"
	"pasteport/ports"
)

var _ history.Repository = (*History)(nil)

// History stores the contents that edits of files have replaced.
type History struct{ db *db.DB }

// NewHistory returns the repository of earlier contents of files.
func NewHistory(d *db.DB) *History { return &History{d} }

// keptFile is a row of kept_files.
type keptFile struct {
	n    int64
	etag string
	by   string
	at   int64
	off  bool
	last int64
}

// file reads what is known of a file; sql.ErrNoRows for nothing.
func (r *History) file(ctx context.Context, c *db.Conn, o history.Object) (f keptFile, err error) {
	err = c.Row(ctx, "SELECT n, etag, edited_by, edited_at, keep_none, last FROM kept_files WHERE storage_config_id = ? AND object_key = ?",
		[]any{o.ConfigID, o.Key}, &f.n, &f.etag, &f.by, &f.at, &f.off, &f.last)
	return f, err
}

// change runs do with the row of a file, which is made where there is none; no
// other transaction has it then.
func (r *History) change(ctx context.Context, o history.Object, do func(ctx context.Context, c *db.Conn, f keptFile) error) error {
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO kept_files (storage_config_id, object_key) VALUES (?, ?) "+
			"ON CONFLICT (storage_config_id, object_key) DO UPDATE SET last = kept_files.last", o.ConfigID, o.Key); err != nil {
			return err
		}
		f, err := r.file(ctx, c, o)
		if err != nil {
			return err
		}
		return do(ctx, c, f)
	}})
}

// newest is the ETag of the newest revision of a file; "" for none.
func newest(ctx context.Context, c *db.Conn, n int64) (etag string, err error) {
	err = c.Row(ctx, "SELECT etag FROM file_revisions WHERE n = ? ORDER BY version DESC LIMIT 1", []any{n}, &etag)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return etag, err
}

// Keep stores the content of a file as its newest revision.
func (r *History) Keep(ctx context.Context, o history.Object, k history.Kept) error {
	return r.change(ctx, o, func(ctx context.Context, c *db.Conn, f keptFile) error {
		last, err := newest(ctx, c, f.n)
		if err != nil {
			return err
		}
		if f.off || last != "" && last == k.ETag {
			return doubt(ctx, c, o.ConfigID) // room was found for it all the same
		}
		if f.etag != "" && f.etag == k.ETag {
			k.EditedBy, k.EditedAt = f.by, db.Time(f.at)
		}
		if _, err := c.Exec(ctx, "INSERT INTO file_revisions (n, version, etag, size, edited_by, edited_at, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
			f.n, f.last+1, k.ETag, k.Size, k.EditedBy, db.Millis(k.EditedAt), k.Content); err != nil {
			return err
		}
		_, err = c.Exec(ctx, "UPDATE kept_files SET last = ? WHERE n = ?", f.last+1, f.n)
		return err
	})
}

// Drop takes the newest revision back, if it has this ETag.
func (r *History) Drop(ctx context.Context, o history.Object, etag string) error {
	return r.change(ctx, o, func(ctx context.Context, c *db.Conn, f keptFile) error {
		gone, err := c.Exec(ctx, "DELETE FROM file_revisions WHERE n = ? AND version = ? AND etag = ?", f.n, f.last, etag)
		if err != nil || gone == 0 {
			return err
		}
		if _, err := c.Exec(ctx, "UPDATE kept_files SET last = ? WHERE n = ?", f.last-1, f.n); err != nil {
			return err
		}
		return doubt(ctx, c, o.ConfigID)
	})
}

// Edited notes what an edit has made of a file.
func (r *History) Edited(ctx context.Context, o history.Object, k history.Kept, b history.Bounds) error {
	return r.change(ctx, o, func(ctx context.Context, c *db.Conn, f keptFile) error {
		if _, err := c.Exec(ctx, "UPDATE kept_files SET etag = ?, edited_by = ?, edited_at = ? WHERE n = ?", k.ETag, k.EditedBy, db.Millis(k.EditedAt), f.n); err != nil {
			return err
		}
		gone, err := db.Newest(ctx, c, "file_revisions", f.n, b.Most, b.Bytes)
		if err != nil || gone == 0 {
			return err
		}
		return doubt(ctx, c, o.ConfigID)
	})
}

// doubt tells the ledger that less may be held in a storage than it counted.
func doubt(ctx context.Context, c *db.Conn, configID string) error {
	_, err := c.Exec(ctx, "UPDATE storage_capacity SET doubt = ? WHERE storage_config_id = ? AND doubt < ?", storage.Overcounted, configID, storage.Overcounted)
	return err
}

// Noted returns what is known of a file.
func (r *History) Noted(ctx context.Context, o history.Object) (noted history.Noted, err error) {
	c := r.db.Read(ctx)
	f, err := r.file(ctx, c, o)
	if errors.Is(err, sql.ErrNoRows) {
		return noted, nil
	}
	if err != nil {
		return noted, db.Failure(err)
	}
	noted.Off = f.off
	noted.Present.Version, noted.Present.ETag, noted.Present.EditedBy, noted.Present.EditedAt = f.last+1, f.etag, f.by, db.Time(f.at)
	err = c.Rows(ctx, "SELECT version, etag, size, edited_by, edited_at FROM file_revisions WHERE n = ? ORDER BY version DESC", []any{f.n},
		func(scan func(...any) error) error {
			var k history.Kept
			var at int64
			if err := scan(&k.Version, &k.ETag, &k.Size, &k.EditedBy, &at); err != nil {
				return err
			}
			k.EditedAt = db.Time(at)
			noted.Earlier = append(noted.Earlier, k)
			return nil
		})
	return noted, db.Failure(err)
}

// Get returns a revision.
func (r *History) Get(ctx context.Context, o history.Object, version int64) (*history.Kept, error) {
	var k history.Kept
	var at int64
	err := r.db.Read(ctx).Row(ctx, "SELECT r.etag, r.size, r.edited_by, r.edited_at, r.content FROM file_revisions r JOIN kept_files f ON f.n = r.n"+
		" WHERE f.storage_config_id = ? AND f.object_key = ? AND r.version = ?", []any{o.ConfigID, o.Key, version}, &k.ETag, &k.Size, &k.EditedBy, &at, &k.Content)
	if err != nil {
		return nil, db.Failure(err)
	}
	k.Version, k.EditedAt = version, db.Time(at)
	return &k, nil
}

// Switch says whether edits of a file keep what they replace.
func (r *History) Switch(ctx context.Context, o history.Object, off bool) error {
	return r.change(ctx, o, func(ctx context.Context, c *db.Conn, f keptFile) error {
		if _, err := c.Exec(ctx, "UPDATE kept_files SET keep_none = ? WHERE n = ?", off, f.n); err != nil || !off {
			return err
		}
		gone, err := c.Exec(ctx, "DELETE FROM file_revisions WHERE n = ?", f.n)
		if err != nil || gone == 0 {
			return err
		}
		return doubt(ctx, c, o.ConfigID)
	})
}

// within narrows a query of kept_files to an object, or to all below a folder.
func within(o history.Object) (where string, args []any) {
	if folder, ok := strings.CutSuffix(o.Key, "/"); ok {
		from, to := below(folder)
		return "storage_config_id = ? AND object_key >= ? AND object_key < ?", []any{o.ConfigID, from, to}
	}
	return "storage_config_id = ? AND object_key = ?", []any{o.ConfigID, o.Key}
}

// known lists those of the objects of which something is known. Most are not:
// they are not worth a place in the writer's queue.
func (r *History) known(ctx context.Context, objects []history.Object) (found []history.Object, err error) {
	c := r.db.Read(ctx)
	for _, o := range objects {
		where, args := within(o)
		var n int64
		err := c.Row(ctx, "SELECT n FROM kept_files WHERE "+where+" LIMIT 1", args, &n)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, db.Failure(err)
		default:
			found = append(found, o)
		}
	}
	return found, nil
}

// Remove forgets what is known of objects. They are found no more at once; their
// contents, which may be many gigabytes of a folder, go after that, some at a time.
func (r *History) Remove(ctx context.Context, objects ...history.Object) error {
	found, err := r.known(ctx, objects)
	if err != nil || len(found) == 0 {
		return err
	}
	configs := map[string]bool{}
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for _, o := range found {
			configs[o.ConfigID] = true
			if err := buryKept(ctx, c, o); err != nil {
				return err
			}
		}
		return nil
	}})
	for config := range configs {
		if err == nil {
			err = r.clear(ctx, config)
		}
	}
	return err
}

// graves begin the keys of what is to be removed; no object has such a key.
const graves, behindGraves = "/", "0"

// buryKept makes what is known of an object unknown.
func buryKept(ctx context.Context, c *db.Conn, o history.Object) error {
	where, args := within(o)
	gone, err := c.Exec(ctx, "UPDATE kept_files SET object_key = '"+graves+"' || n WHERE "+where, args...)
	if err != nil || gone == 0 {
		return err
	}
	return doubt(ctx, c, o.ConfigID)
}

// Bounds of what is removed in one transaction, so that others have the writer in
// between.
const (
	clearedRows  = 200
	clearedBytes = 16 << 20
)

// buried lists the storages of which something is buried.
func (r *History) buried(ctx context.Context) (configs []string, err error) {
	err = r.db.Read(ctx).Rows(ctx, "SELECT s.id FROM storage_configs AS s WHERE EXISTS (SELECT 1 FROM kept_files AS f WHERE f.storage_config_id = s.id AND f.object_key >= '"+graves+"' AND f.object_key < '"+behindGraves+"')",
		nil, func(scan func(...any) error) error {
			configs = append(configs, "")
			return scan(&configs[len(configs)-1])
		})
	return configs, db.Failure(err)
}

// clear removes what is buried of a storage.
func (r *History) clear(ctx context.Context, configID string) error {
	const buried = "storage_config_id = ? AND object_key >= '" + graves + "' AND object_key < '" + behindGraves + "'"
	for more := true; more; {
		err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
			var due [][2]int64
			bytes := int64(0)
			err := c.Rows(ctx, "SELECT r.n, r.version, r.size FROM file_revisions r JOIN kept_files f ON f.n = r.n WHERE f."+buried+" LIMIT ?",
				[]any{configID, clearedRows}, func(scan func(...any) error) error {
					var at [2]int64
					var size int64
					err := scan(&at[0], &at[1], &size)
					if bytes == 0 || bytes+size <= clearedBytes {
						due = append(due, at)
					}
					bytes += size
					return err
				})
			for _, at := range due {
				if err == nil {
					_, err = c.Exec(ctx, "DELETE FROM file_revisions WHERE n = ? AND version = ?", at[0], at[1])
				}
			}
			if more = len(due) > 0; err != nil || more {
				return err
			}
			n, err := c.Exec(ctx, "DELETE FROM kept_files WHERE n IN (SELECT n FROM kept_files WHERE "+buried+" LIMIT ?)", configID, clearedRows)
			if more = n == clearedRows; err != nil || n == 0 {
				return err
			}
			return doubt(ctx, c, configID) // a count may have seen what has gone since
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Move lets what is known go along to another name.
func (r *History) Move(ctx context.Context, from, to history.Object) error {
	found, err := r.known(ctx, []history.Object{from, to})
	if err != nil || len(found) == 0 {
		return err
	}
	move := db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := buryKept(ctx, c, to); err != nil {
			return err
		}
		where, args := within(from)
		_, err := c.Exec(ctx, "UPDATE kept_files SET storage_config_id = ?, object_key = CAST(? AS TEXT) || substr(object_key, CAST(? AS INTEGER)) WHERE "+where,
			append([]any{to.ConfigID, to.Key, len([]rune(from.Key)) + 1}, args...)...)
		return err
	}}
	for try := 1; ; try++ {
		err := r.db.Write(ctx, move)
		switch {
		case err == nil:
			return r.clear(ctx, to.ConfigID)
		case !ports.Is(err, ports.Conflict) || try == moveTries: // on PostgreSQL another one may have come there since
			return err
		}
	}
}

// moveTries is how often a move is tried while others come to its name.
const moveTries = 20

// Forget removes revisions that were replaced before a time. What a crash left of
// those of deleted objects goes, too, and is not counted.
func (r *History) Forget(ctx context.Context, before time.Time, limit int) (n int, err error) {
	configs, err := r.buried(ctx)
	for i := 0; i < len(configs) && err == nil; i++ {
		err = r.clear(ctx, configs[i])
	}
	if err != nil {
		return 0, err
	}
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		old := db.Replaced("file_revisions", "kept_files")
		args := []any{db.Millis(before), db.Millis(before), limit}
		if _, err := c.Exec(ctx, "UPDATE storage_capacity SET doubt = ? WHERE doubt < ? AND storage_config_id IN "+
			"(SELECT storage_config_id FROM kept_files WHERE n IN (SELECT n FROM ("+old+") AS due))", append([]any{storage.Overcounted, storage.Overcounted}, args...)...); err != nil {
			return err
		}
		gone, err := c.Exec(ctx, "DELETE FROM file_revisions WHERE (n, version) IN ("+old+")", args...)
		n = int(gone)
		return err
	}})
	return n, err
}
