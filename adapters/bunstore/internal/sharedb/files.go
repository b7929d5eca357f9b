package sharedb

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/objstore"
)

type fileRow struct {
	bun.BaseModel   `bun:"table:files,alias:files"`
	ID              string `bun:",pk"`
	Slug            string
	Filename        string
	StorageConfigID string
	StorageType     string
	StoragePath     string
	FilePath        string
	MimeType        string
	Size            int64
	Etag            string
	Remark          string
	gateRow
	UseProxy  bool
	CreatedBy string
	CreatedAt int64
	UpdatedAt int64
	Pending   bool
	Version   int64
	PlacedAt  *int64

	CollectionID string
	Position     int64
	VersionOf    string
	KeepNone     bool
	Replaces     string
}

func newFileRow(f *shares.File) *fileRow {
	return &fileRow{
		ID: f.ID, Slug: f.Slug, Filename: f.Filename, StorageConfigID: f.StorageConfigID, StorageType: f.StorageType,
		StoragePath: f.StoragePath, FilePath: f.FilePath, MimeType: f.MimeType, Size: f.Size, Etag: f.ETag, Remark: f.Remark,
		gateRow: newGateRow(&f.Gate), UseProxy: f.UseProxy, CreatedBy: f.CreatedBy, CreatedAt: db.Millis(f.CreatedAt),
		UpdatedAt: db.Millis(f.UpdatedAt), Pending: f.Pending, Version: f.Version, PlacedAt: db.MillisPtr(f.PlacedAt),
		CollectionID: f.Collection, Position: f.Position, VersionOf: f.VersionOf, KeepNone: f.KeepNone, Replaces: f.Replaces,
	}
}

func (r *fileRow) file() *shares.File {
	return &shares.File{
		ID: r.ID, Slug: r.Slug, Filename: r.Filename, StorageConfigID: r.StorageConfigID, StorageType: r.StorageType,
		StoragePath: r.StoragePath, FilePath: r.FilePath, MimeType: r.MimeType, Size: r.Size, ETag: r.Etag, Remark: r.Remark,
		Gate: r.gate(), UseProxy: r.UseProxy, CreatedBy: r.CreatedBy, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
		Pending: r.Pending, Version: r.Version, PlacedAt: db.TimePtr(r.PlacedAt),
		Collection: r.CollectionID, Position: r.Position, VersionOf: r.VersionOf, KeepNone: r.KeepNone, Replaces: r.Replaces,
	}
}

var (
	_ shares.FileRepository        = (*Files)(nil)
	_ shares.FileObjects           = (*Files)(nil)
	_ cleanup.Remains[shares.File] = (*Files)(nil)
)

// Files stores file shares. What they hold is counted in storage_usage, one row
// for each storage config, and in owner_usage, one for each owner, by the
// transaction that changes a file.
type Files struct {
	db    *db.DB
	table db.Table[shares.File, fileRow]
}

// NewFiles returns the repository of file shares.
func NewFiles(d *db.DB) *Files {
	return &Files{d, db.NewTable(d, "files", newFileRow, (*fileRow).file)}
}

const (
	fileColumns = "id, slug, filename, storage_config_id, storage_type, storage_path, file_path, mime_type, size, etag, remark, " +
		"password_hash, expires_at, max_views, views, used_up_at, erased_at, use_proxy, created_by, created_at, updated_at, pending, version, placed_at, collection_id, position, key_only, slide_ms, slide_until, version_of, keep_none, replaces"
	insertFile = "INSERT INTO files (" + fileColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

	fileByID = "SELECT " + fileColumns + " FROM files WHERE id = ?"

	addUsage = "INSERT INTO storage_usage (storage_config_id, files, bytes) VALUES (?, ?, ?) " +
		"ON CONFLICT (storage_config_id) DO UPDATE SET files = storage_usage.files + excluded.files, bytes = storage_usage.bytes + excluded.bytes " +
		"WHERE storage_usage.files > " + retired
	// retired is the number of files of a storage config to which none comes any more.
	retired     = "-4611686018427387904"
	retireUsage = "INSERT INTO storage_usage (storage_config_id, files, bytes) VALUES (?, " + retired + ", 0) " +
		"ON CONFLICT (storage_config_id) DO UPDATE SET files = excluded.files, bytes = 0 WHERE storage_usage.files <= 0"
	// addOwned adds to an owner's row, unless that passes its quota; its last
	// argument is the quota, where a negative one means none.
	addOwned = "INSERT INTO owner_usage (owner, files, bytes) VALUES (?, ?, ?) " +
		"ON CONFLICT (owner) DO UPDATE SET files = owner_usage.files + excluded.files, bytes = owner_usage.bytes + excluded.bytes " +
		"WHERE CAST(? AS BIGINT) < 0 OR owner_usage.bytes + excluded.bytes <= CAST(? AS BIGINT)"
)

// Insert stores a new file; Conflict with key slug_taken when its slug exists.
func (r *Files) Insert(ctx context.Context, f *shares.File) error { return r.insert(ctx, f, 0) }

// Reserve inserts a pending file if the files of its owner stay within most
// bytes; 0 means no bound.
func (r *Files) Reserve(ctx context.Context, f *shares.File, most int64) error {
	pending := *f
	pending.Pending = true
	if err := r.insert(ctx, &pending, most); err != nil {
		return err
	}
	f.Pending = true
	return nil
}

func (r *Files) insert(ctx context.Context, f *shares.File, most int64) error {
	row := newFileRow(f)
	return r.db.Write(ctx, db.Work{Whole: most <= 0, Do: func(ctx context.Context, c *db.Conn) error {
		_, err := c.Exec(ctx, insertFile, row.ID, row.Slug, row.Filename, row.StorageConfigID, row.StorageType, row.StoragePath,
			row.FilePath, row.MimeType, row.Size, row.Etag, row.Remark, row.PasswordHash, row.ExpiresAt, row.MaxViews, row.Views,
			row.UsedUpAt, row.ErasedAt, row.UseProxy, row.CreatedBy, row.CreatedAt, row.UpdatedAt, row.Pending, row.Version, row.PlacedAt,
			row.CollectionID, row.Position, row.KeyOnly, row.SlideMs, row.SlideUntil, row.VersionOf, row.KeepNone, row.Replaces)
		if err != nil {
			return err
		}
		if err = r.recount(ctx, c, nil, f, most); errors.Is(err, shares.ErrStorageUnknown) {
			if _, undo := c.Exec(ctx, "DELETE FROM files WHERE id = ?", f.ID); undo != nil {
				return undo
			}
		}
		return err
	}})
}

// holds is what one file adds to its storage config; none adds nothing.
func holds(f *shares.File) shares.FileUsage {
	if f == nil || f.ErasedAt != nil {
		return shares.FileUsage{}
	}
	return shares.FileUsage{Files: 1, Bytes: f.Size}
}

// owned is what one file adds to its owner: what lies in a mount is not its own.
func owned(f *shares.File) shares.FileUsage {
	if f == nil || f.FilePath != "" {
		return shares.FileUsage{}
	}
	return holds(f)
}

// recount moves what a changed file holds from its old to its new state; of a
// new file the old one is nil. Returns Quota when its owner would have more
// than most bytes, where 0 means no bound.
func (r *Files) recount(ctx context.Context, c *db.Conn, before, after *shares.File, most int64) error {
	change := func(f *shares.File, was, is shares.FileUsage) error {
		if was == is {
			return nil
		}
		changed, err := c.Exec(ctx, addUsage, f.StorageConfigID, is.Files-was.Files, is.Bytes-was.Bytes)
		if err == nil && changed == 0 && is.Files > was.Files {
			return shares.ErrStorageUnknown
		}
		return err
	}
	var err error
	if before == nil || before.StorageConfigID == after.StorageConfigID {
		err = change(after, holds(before), holds(after))
	} else if err = change(before, holds(before), shares.FileUsage{}); err == nil {
		err = change(after, shares.FileUsage{}, holds(after))
	}
	if err != nil {
		return err
	}
	if before == nil || before.CreatedBy == after.CreatedBy {
		return r.own(ctx, c, after.CreatedBy, owned(before), owned(after), most)
	}
	if err := r.own(ctx, c, before.CreatedBy, owned(before), shares.FileUsage{}, 0); err != nil {
		return err
	}
	return r.own(ctx, c, after.CreatedBy, shares.FileUsage{}, owned(after), most)
}

// own changes what an owner's files hold.
func (r *Files) own(ctx context.Context, c *db.Conn, owner string, was, is shares.FileUsage, most int64) error {
	if was == is {
		return nil
	}
	more := is.Bytes - was.Bytes
	if most <= 0 || more <= 0 {
		most = -1
	}
	if most < 0 || more <= most { // the first row of an owner meets no other bound
		changed, err := c.Exec(ctx, addOwned, owner, is.Files-was.Files, more, most, most)
		if err != nil || changed > 0 {
			return err
		}
	}
	var used int64
	err := c.Row(ctx, "SELECT bytes FROM owner_usage WHERE owner = ?", []any{owner}, &used)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return capacity.Spent(capacity.BytesStored, is.Bytes, used-was.Bytes, most)
}

// Get returns the file with this id.
func (r *Files) Get(ctx context.Context, id string) (*shares.File, error) {
	return r.one(ctx, fileByID, id)
}

// BySlug returns the file, whatever its state.
func (r *Files) BySlug(ctx context.Context, slug string) (*shares.File, error) {
	return r.one(ctx, "SELECT "+fileColumns+" FROM files WHERE slug = ?", slug)
}

func (r *Files) one(ctx context.Context, query, arg string) (*shares.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, db.Failure(err)
	}
	var row fileRow
	c := r.db.Read(ctx)
	if err := c.Row(c.Brief(ctx), query, []any{arg}, row.fields()...); err != nil {
		return nil, db.Failure(err)
	}
	return row.file(), nil
}

// fields are the places of fileColumns.
func (r *fileRow) fields() []any {
	return []any{
		&r.ID, &r.Slug, &r.Filename, &r.StorageConfigID, &r.StorageType, &r.StoragePath, &r.FilePath, &r.MimeType, &r.Size,
		&r.Etag, &r.Remark, &r.PasswordHash, &r.ExpiresAt, &r.MaxViews, &r.Views, &r.UsedUpAt, &r.ErasedAt, &r.UseProxy,
		&r.CreatedBy, &r.CreatedAt, &r.UpdatedAt, &r.Pending, &r.Version, &r.PlacedAt, &r.CollectionID, &r.Position, &r.KeyOnly, &r.SlideMs, &r.SlideUntil, &r.VersionOf, &r.KeepNone, &r.Replaces,
	}
}

// List returns a page of files, newest first.
func (r *Files) List(ctx context.Context, f shares.FileFilter) (ports.Page[shares.File], error) {
	c := r.db.Read(ctx)
	narrow := func(q *bun.SelectQuery, state string) *bun.SelectQuery {
		q = inState(q.Where(listed+" AND NOT pending"), state, f.Sort.Now)
		if f.StorageConfigID != "" {
			q = q.Where("storage_config_id = ?", f.StorageConfigID)
		}
		if f.Search != "" {
			q = db.Contains(c, q, f.Search, "filename", "slug", "remark")
		}
		return q
	}
	list := sharesOf(f.Sort, db.Listing{Conn: c, Table: "files", Narrow: narrow, Owner: f.CreatedBy,
		Searched: f.Search != "", Whole: f.CreatedBy == "" && f.StorageConfigID == "", Index: func(ctx context.Context) (db.Narrowing, error) { return fileTexts.candidates(ctx, c, f.Search, false) }},
		f.StorageConfigID == "", kept{c, fileKind, "files"})
	found, total, err := list.Page(ctx, f.Paging)
	page := ports.Page[shares.File]{Items: []shares.File{}, Total: total}
	if err != nil || len(found) == 0 {
		return page, err
	}
	var rows []fileRow
	if err := list.Read(c.NewSelect().Model(&rows), found).Scan(ctx); err != nil {
		return page, db.Failure(err)
	}
	page.Items = r.table.Entities(rows)
	return page, nil
}

// Update loads, changes and saves a file.
func (r *Files) Update(ctx context.Context, id string, change func(*shares.File) error) (*shares.File, error) {
	var f *shares.File
	err := r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) (err error) {
		if f, err = r.load(ctx, c, id); err != nil {
			return err
		}
		old := *f
		if err := change(f); err != nil {
			return err
		}
		f.ID = id
		if err := r.recount(ctx, c, &old, f, 0); err != nil {
			return err
		}
		return r.table.Save(ctx, c, id, f)
	}})
	if err != nil {
		return nil, err
	}
	return newFileRow(f).file(), nil
}

// load returns a file inside a transaction, kept from concurrent changes.
func (r *Files) load(ctx context.Context, c *db.Conn, id string) (*shares.File, error) {
	var row fileRow
	err := c.Row(ctx, c.ForUpdate(fileByID), []any{id}, row.fields()...)
	return row.file(), err
}

// Commit stores size and ETag of an arrived object and ends Pending.
func (r *Files) Commit(ctx context.Context, id string, awaited bool, arrived objstore.Object, most int64, now time.Time) (*shares.File, error) {
	var f *shares.File
	err := r.db.Write(ctx, db.Work{Whole: most <= 0, Do: func(ctx context.Context, c *db.Conn) (err error) {
		if f, err = r.load(ctx, c, id); err != nil {
			return err
		}
		if f.ErasedAt != nil || f.Late() || awaited && !f.Pending {
			return ports.ErrNotFound
		}
		old := *f
		f.Size, f.ETag, f.Pending, f.UpdatedAt = arrived.Size, arrived.ETag, false, now
		if err := r.recount(ctx, c, &old, f, most); err != nil {
			return err
		}
		_, err = c.Exec(ctx, "UPDATE files SET size = ?, etag = ?, pending = FALSE, updated_at = ? WHERE id = ?", arrived.Size, arrived.ETag, db.Millis(now), id)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return newFileRow(f).file(), nil
}

// uncount takes the files of some ids out of the usage of their configs.
const uncount = "UPDATE storage_usage SET " +
	"files = files - (SELECT count(*) FROM files f WHERE f.storage_config_id = storage_usage.storage_config_id AND f.erased_at IS NULL AND f.id IN (?)), " +
	"bytes = bytes - (SELECT coalesce(sum(size), 0) FROM files f WHERE f.storage_config_id = storage_usage.storage_config_id AND f.erased_at IS NULL AND f.id IN (?)) " +
	"WHERE storage_config_id IN (SELECT storage_config_id FROM files f WHERE f.erased_at IS NULL AND f.id IN (?))"

// disown takes them out of what their owners have.
const disown = "UPDATE owner_usage SET " +
	"files = files - (SELECT count(*) FROM files f WHERE f.created_by = owner_usage.owner AND f.erased_at IS NULL AND f.file_path = '' AND f.id IN (?)), " +
	"bytes = bytes - (SELECT coalesce(sum(size), 0) FROM files f WHERE f.created_by = owner_usage.owner AND f.erased_at IS NULL AND f.file_path = '' AND f.id IN (?)) " +
	"WHERE owner IN (SELECT created_by FROM files f WHERE f.erased_at IS NULL AND f.file_path = '' AND f.id IN (?))"

// Delete reports how many of the ids existed.
func (r *Files) Delete(ctx context.Context, ids ...string) (int, error) {
	return leave(ctx, r.db, ids, func(q *bun.SelectQuery, some []string) *bun.SelectQuery {
		return q.Where("id IN (?)", bun.List(some))
	}, func(ctx context.Context, c *db.Conn, list bun.ListValues) (sql.Result, error) {
		if err := letGo(ctx, c, nil, "version_of IN (?)", list); err != nil {
			return nil, err
		}
		return c.NewDelete().Table("files").Where("id IN (?)", list).Exec(ctx)
	})
}

// Erase sets ErasedAt on those that are as they were seen; their size no longer counts.
func (r *Files) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	return leave(ctx, r.db, seen, asSeen[*bun.SelectQuery], func(ctx context.Context, c *db.Conn, list bun.ListValues) (sql.Result, error) {
		if err := letGo(ctx, c, &now, "version_of IN (?)", list); err != nil {
			return nil, err
		}
		return c.NewUpdate().Table("files").Set("erased_at = ?", db.Millis(now)).Where("id IN (?)", list).Where("erased_at IS NULL").Exec(ctx)
	})
}

// leave takes those files that find leaves out of the usage and then out of their
// state by remove.
func leave[E any](ctx context.Context, d *db.DB, all []E, find func(*bun.SelectQuery, []E) *bun.SelectQuery, remove func(context.Context, *db.Conn, bun.ListValues) (sql.Result, error)) (int, error) {
	n := 0
	err := d.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n = 0
		for some := range slices.Chunk(all, db.Chunk) {
			q := find(c.NewSelect().Table("files").Column("id"), some).Order("n")
			if !c.SQLite { // nobody may change, erase or commit these in between
				q = q.For("UPDATE")
			}
			var ids []string
			if err := q.Scan(ctx, &ids); err != nil {
				return err
			}
			if len(ids) == 0 {
				continue
			}
			list := bun.List(ids)
			for _, query := range []string{uncount, disown} {
				if _, err := c.NewRaw(query, list, list, list).Exec(ctx); err != nil {
					return err
				}
			}
			result, err := remove(ctx, c, list)
			if err != nil {
				return err
			}
			changed, err := result.RowsAffected()
			if err != nil {
				return err
			}
			n += int(changed)
		}
		return nil
	}})
	return n, err
}

// TakeView counts one view; Gone when none is left.
func (r *Files) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.db, "files", id, now)
}

// AddViews adds counted views of unlimited files.
func (r *Files) AddViews(ctx context.Context, views map[string]int64) error {
	return addViews(ctx, r.db, "files", views)
}

// ObjectUsers counts the other records that point at the same object.
func (r *Files) ObjectUsers(ctx context.Context, configID, storagePath, exceptID string) (n int, err error) {
	err = r.db.Read(ctx).Row(ctx, "SELECT count(*) FROM files WHERE storage_config_id = ? AND storage_path = ? AND id <> ? AND erased_at IS NULL",
		[]any{configID, storagePath, exceptID}, &n)
	return n, db.Failure(err)
}

// ObjectHolders tells of the other records that point at the same object.
func (r *Files) ObjectHolders(ctx context.Context, configID, storagePath, exceptID string) ([]shares.ObjectHolder, error) {
	var holders []shares.ObjectHolder
	err := r.db.Read(ctx).Rows(ctx, "SELECT DISTINCT created_by, pending, file_path <> '' FROM files WHERE storage_config_id = ? AND storage_path = ? AND id <> ? AND erased_at IS NULL",
		[]any{configID, storagePath, exceptID}, func(scan func(...any) error) error {
			var h shares.ObjectHolder
			err := scan(&h.CreatedBy, &h.Pending, &h.Mounted)
			holders = append(holders, h)
			return err
		})
	return holders, db.Failure(err)
}

// Erasable lists files whose object may go.
func (r *Files) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) (files []shares.File, next string, err error) {
	stages := erasable(usedBefore, expiredBefore)
	for i := range stages {
		stages[i].where += " AND version_of = ''"
	}
	stages = append(stages, stage{column: "position",
		where: "collection_id <> '' AND collection_id IN (SELECT id FROM collections WHERE erased_at IS NOT NULL)"})
	files = []shares.File{}
	next, err = remains{r.db, "files", fileColumns, stages}.page(ctx, after, limit, func(scan func(...any) error, at, n *int64) error {
		var row fileRow
		err := scan(append([]any{at, n}, row.fields()...)...)
		files = append(files, *row.file())
		return err
	})
	return files, next, err
}

// Items lists the files of a collection in their order.
func (r *Files) Items(ctx context.Context, collection string) ([]shares.File, error) {
	if collection == "" {
		return nil, nil
	}
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE collection_id = ? AND collection_id <> '' AND erased_at IS NULL AND NOT pending ORDER BY position, id LIMIT ?",
		collection, collections.MaxItems)
}

// Stale lists pending files created before the given time.
func (r *Files) Stale(ctx context.Context, createdBefore time.Time, after string, limit int) ([]shares.File, error) {
	return r.some(ctx, "SELECT "+fileColumns+" FROM files WHERE pending AND erased_at IS NULL AND created_at < ? AND id > ? ORDER BY id LIMIT ?",
		db.Millis(createdBefore), after, limit)
}

func (r *Files) some(ctx context.Context, query string, args ...any) ([]shares.File, error) {
	files := []shares.File{}
	err := r.db.Read(ctx).Rows(ctx, query, args, func(scan func(...any) error) error {
		var row fileRow
		err := scan(row.fields()...)
		files = append(files, *row.file())
		return err
	})
	return files, db.Failure(err)
}

// Purge deletes records erased before the given time.
func (r *Files) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	return r.db.Exec(ctx, "DELETE FROM files WHERE n IN (SELECT n FROM files WHERE erased_at IS NOT NULL AND erased_at < ? LIMIT ?)", db.Millis(erasedBefore), limit)
}

// Usage tells what the files of every storage config hold.
func (r *Files) Usage(ctx context.Context) (map[string]shares.FileUsage, error) {
	return r.usage(ctx, r.db.Read(ctx), keptUsage)
}

// Retire counts the files of a storage config, to which none comes any more where
// there are none.
func (r *Files) Retire(ctx context.Context, configID string) (files int64, err error) {
	err = r.db.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		changed, err := c.Exec(ctx, retireUsage, configID)
		if err != nil || changed > 0 {
			return err
		}
		return c.Row(ctx, "SELECT files FROM storage_usage WHERE storage_config_id = ?", []any{configID}, &files)
	}})
	return files, err
}

func (r *Files) usage(ctx context.Context, c *db.Conn, query string) (map[string]shares.FileUsage, error) {
	usage := map[string]shares.FileUsage{}
	err := c.Rows(ctx, query, nil, func(scan func(...any) error) error {
		var id string
		var u shares.FileUsage
		err := scan(&id, &u.Files, &u.Bytes)
		usage[id] = u
		return err
	})
	return usage, db.Failure(err)
}

const (
	keptUsage    = "SELECT storage_config_id, files, bytes FROM storage_usage WHERE files > " + retired + " AND (files <> 0 OR bytes <> 0)"
	summedUsage  = "SELECT storage_config_id, count(*), sum(size) FROM files WHERE erased_at IS NULL GROUP BY storage_config_id"
	keptOwners   = "SELECT owner, files, bytes FROM owner_usage WHERE files <> 0 OR bytes <> 0"
	summedOwners = "SELECT created_by, count(*), sum(size) FROM files WHERE erased_at IS NULL AND file_path = '' GROUP BY created_by"
)

// Recount sums the files of configs and owners anew and reports by how many
// bytes the usage of each storage config had drifted; empty when all was right.
// Writers wait for it only where something has drifted.
func (r *Files) Recount(ctx context.Context) (drift map[string]int64, err error) {
	right, err := r.counted(ctx)
	if err != nil || right {
		return map[string]int64{}, err
	}
	err = r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if !c.SQLite {
			if _, err := c.Exec(ctx, "LOCK TABLE files, storage_usage, owner_usage IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		before, err := r.usage(ctx, c, keptUsage)
		if err != nil {
			return err
		}
		for _, do := range []string{"DELETE FROM storage_usage WHERE files > " + retired, "INSERT INTO storage_usage (storage_config_id, files, bytes) " + summedUsage + " ON CONFLICT DO NOTHING",
			"DELETE FROM owner_usage", "INSERT INTO owner_usage (owner, files, bytes) " + summedOwners} {
			if _, err := c.Exec(ctx, do); err != nil {
				return err
			}
		}
		after, err := r.usage(ctx, c, keptUsage)
		drift = map[string]int64{}
		for id, was := range before {
			if was != after[id] {
				drift[id] = was.Bytes - after[id].Bytes
			}
		}
		for id, is := range after {
			if _, known := before[id]; !known {
				drift[id] = -is.Bytes
			}
		}
		return err
	}})
	return drift, err
}

// counted reports whether all sums are what the files add up to, at one moment.
func (r *Files) counted(ctx context.Context) (bool, error) {
	c, end, err := r.db.ReadOnly(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	for _, both := range [][2]string{{keptUsage, summedUsage}, {keptOwners, summedOwners}} {
		kept, err := r.usage(ctx, c, both[0])
		if err != nil {
			return false, err
		}
		summed, err := r.usage(ctx, c, both[1])
		if err != nil || !maps.Equal(kept, summed) {
			return false, err
		}
	}
	return true, nil
}

// CountByDay counts the listed files, and those made on each of the last days.
func (r *Files) CountByDay(ctx context.Context, now time.Time, days int) (int, []int, error) {
	return countByDay(ctx, r.db, fileKind, now, days)
}
