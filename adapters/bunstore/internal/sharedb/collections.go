package sharedb

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares/cleanup"
	"pasteport/domain/shares/collections"
	"pasteport/ports"
)

type collectionRow struct {
	bun.BaseModel `bun:"table:collections,alias:collections"`
	ID            string `bun:",pk"`
	Slug          string
	Title         string
	Root          string
	Picks         string // JSON; empty means none
	gateRow
	Stood        bool
	MaxDownloads int64
	Look         string
	Downloads    int64
	CreatedBy    string
	CreatedAt    int64
	UpdatedAt    int64
	Version      int64
}

func newCollectionRow(c *collections.Collection) *collectionRow {
	return &collectionRow{ID: c.ID, Slug: c.Slug, Title: c.Title, Root: c.Root, Picks: picksText(c.Picks), gateRow: newGateRow(&c.Gate), Stood: c.Stood, MaxDownloads: c.MaxDownloads, Look: string(c.Look), Downloads: c.Downloads, CreatedBy: c.CreatedBy,
		CreatedAt: db.Millis(c.CreatedAt), UpdatedAt: db.Millis(c.UpdatedAt), Version: c.Version}
}

func (r *collectionRow) collection() *collections.Collection {
	return &collections.Collection{ID: r.ID, Slug: r.Slug, Title: r.Title, Root: r.Root, Picks: picksOf(r.Picks), Gate: r.gate(), Stood: r.Stood, MaxDownloads: r.MaxDownloads, Look: collections.Look(r.Look), Downloads: r.Downloads, CreatedBy: r.CreatedBy,
		CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), Version: r.Version}
}

func picksText(picks []string) string {
	if len(picks) == 0 {
		return ""
	}
	text, err := json.Marshal(picks)
	if err != nil {
		panic(err) // texts are always JSON
	}
	return string(text)
}

func picksOf(text string) (picks []string) {
	if text != "" && json.Unmarshal([]byte(text), &picks) != nil {
		// What cannot be read grants nothing: no path is like this one.
		return []string{"\x00"}
	}
	return picks
}

var (
	_ collections.Repository        = (*Collections)(nil)
	_ cleanup.Remains[cleanup.Seen] = (*Collections)(nil)
)

// Collections stores collections; their items are files.
type Collections struct {
	db.Table[collections.Collection, collectionRow]
}

// NewCollections returns the repository of collections.
func NewCollections(d *db.DB) *Collections {
	return &Collections{db.NewTable(d, "collections", newCollectionRow, (*collectionRow).collection)}
}

// BySlug returns the collection, whatever its state.
func (r *Collections) BySlug(ctx context.Context, slug string) (*collections.Collection, error) {
	return r.Find(ctx, "slug = ?", slug)
}

// List returns a page of collections, newest first.
func (r *Collections) List(ctx context.Context, f collections.Filter) (ports.Page[collections.Collection], error) {
	c := r.DB.Read(ctx)
	return r.Page(ctx, f.Paging, "created_at DESC, n DESC", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where(listed)
		if f.CreatedBy != "" {
			q = q.Where("created_by = ?", f.CreatedBy)
		}
		if f.Root != "" {
			q = q.Where("root = ? AND picks = ''", f.Root)
		}
		if f.Folders {
			q = q.Where("root <> ''")
		}
		if f.Search != "" {
			q = db.Contains(c, q, f.Search, "title", "slug")
		}
		return q
	})
}

// Around lists the open links for folders at some paths, and of those below one.
func (r *Collections) Around(ctx context.Context, createdBy string, at []string, below string, now time.Time, limit int) ([]collections.Collection, error) {
	root := "root"
	if !r.DB.SQLite() {
		root += ` COLLATE "C"`
	}
	// "0" is the byte after "/", so that the index finds all below.
	var rows []collectionRow
	name := utf8.RuneCountInString(below) + 1
	q := r.DB.Read(ctx).NewSelect().Model(&rows).Where(listed).Where("root <> '' AND (expires_at IS NULL OR expires_at > ?)", db.Millis(now)).
		Where("("+root+" IN (?) OR picks = '' AND "+root+" > ? AND "+root+" < ? AND replace(substr(root, CAST(? AS INTEGER)), '/', '') = substr(root, CAST(? AS INTEGER)))",
			bun.List(at), below, strings.TrimSuffix(below, "/")+"0", name, name)
	if createdBy != "" {
		q = q.Where("created_by = ?", createdBy)
	}
	if err := q.OrderExpr("created_at DESC, id").Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	return r.Entities(rows), nil
}

// TakeView counts one view; Gone when none is left.
func (r *Collections) TakeView(ctx context.Context, id string, now time.Time) (int64, error) {
	return takeView(ctx, r.DB, "collections", id, now)
}

// TakeDownload counts a download once for its name; Gone when none is left.
func (r *Collections) TakeDownload(ctx context.Context, id string, d collections.Download) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n, err := c.Exec(ctx, "INSERT INTO collection_downloads (collection_id, name, at) VALUES (?, ?, ?) "+
			"ON CONFLICT (collection_id, name) DO UPDATE SET at = excluded.at WHERE collection_downloads.at < ?", id, d.Name, db.Millis(d.At), db.Millis(d.Since))
		if err != nil || n == 0 {
			return err // it was counted before
		}
		n, err = c.Exec(ctx, "UPDATE collections SET downloads = downloads + 1 WHERE id = ? AND (max_downloads = 0 OR downloads < max_downloads)", id)
		if err == nil && n == 0 {
			err = errGone
		}
		if err != nil {
			return err
		}
		_, err = c.Exec(ctx, "DELETE FROM collection_downloads WHERE collection_id = ? AND at < ?", id, db.Millis(d.Forget))
		return err
	}})
}

type standRow struct {
	bun.BaseModel `bun:"table:collection_stands,alias:collection_stands"`
	CollectionID  string
	Path          string
	Size          int64
	Etag          string
	Modified      int64
}

// KeepStands stores what a collection was when it was made.
func (r *Collections) KeepStands(ctx context.Context, id string, all []collections.Stand) error {
	rows := make([]standRow, len(all))
	for i, s := range all {
		rows[i] = standRow{CollectionID: id, Path: s.Path, Size: s.Size, Etag: s.ETag, Modified: db.Millis(s.Modified)}
	}
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for some := range slices.Chunk(rows, db.Chunk) {
			if _, err := c.NewInsert().Model(&some).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}})
}

// Stands returns what a collection was at a path and below it.
func (r *Collections) Stands(ctx context.Context, id, at string) ([]collections.Stand, error) {
	var rows []standRow
	q := r.DB.Read(ctx).NewSelect().Model(&rows).Where("collection_id = ?", id)
	if at != "" {
		// "0" is the byte after "/".
		q = q.Where("(path = ? OR path > ? AND path < ?)", at, at+"/", at+"0")
	}
	if err := q.Order("path").Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	found := make([]collections.Stand, len(rows))
	for i, s := range rows {
		found[i] = collections.Stand{Path: s.Path, Size: s.Size, ETag: s.Etag, Modified: db.Time(s.Modified)}
	}
	return found, nil
}

// AddViews adds counted views of unlimited collections.
func (r *Collections) AddViews(ctx context.Context, views map[string]int64) error {
	return addViews(ctx, r.DB, "collections", views)
}

// Erasable lists collections whose items may go.
func (r *Collections) Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) ([]cleanup.Seen, string, error) {
	return remains{r.DB, "collections", seenColumns, erasable(usedBefore, expiredBefore)}.seen(ctx, after, limit)
}

// Erase marks those collections that are as they were seen, so that their items go
// with the next files.
func (r *Collections) Erase(ctx context.Context, now time.Time, seen ...cleanup.Seen) (int, error) {
	n := 0
	err := r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		n = 0
		for some := range slices.Chunk(seen, db.Chunk) {
			result, err := asSeen(c.NewUpdate().Table("collections").Set("erased_at = ?", db.Millis(now)), some).Exec(ctx)
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

// Purge deletes records erased before the given time that have no item any more.
func (r *Collections) Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error) {
	return r.DB.Exec(ctx, "DELETE FROM collections WHERE n IN (SELECT n FROM collections WHERE erased_at IS NOT NULL AND erased_at < ? "+
		"AND NOT EXISTS (SELECT 1 FROM files WHERE collection_id = collections.id AND collection_id <> '' AND files.erased_at IS NULL) LIMIT ?)", db.Millis(erasedBefore), limit)
}
