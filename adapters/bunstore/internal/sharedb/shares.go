package sharedb

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares/inventory"
)

// Shares lists texts and files together.
type Shares struct{ db *db.DB }

var _ inventory.Repository = (*Shares)(nil)

// NewShares returns the inventory of all shares.
func NewShares(d *db.DB) *Shares { return &Shares{d} }

type shareRow struct {
	N               int64
	Kind            string
	ID              string
	Slug            string
	Name            string
	StorageConfigID string
	Path            string
	Size            int64
	Protected       bool
	ExpiresAt       *int64
	MaxViews        int64
	Views           int64
	CreatedBy       string
	CreatedAt       int64
	Collection      string
}

// shareTable is where the shares of one kind stand.
type shareTable struct {
	kind      string
	table     string
	where     string // what of the table is listed
	columns   string // in the words of a row
	name      string // the column that is searched with the slug
	texts     textIndex
	uncounted bool // there are few: its writers keep no count, and no index of its texts
	fresh     bool // where they are kept, the counts of another one have its rows
}

var (
	pasteShares = shareTable{kind: pasteKind, table: "pastes", where: listed, columns: pasteShare, name: "remark", texts: pasteTexts}
	// On SQLite the texts that the sort indexes have, and the few others, are two.
	settledShares    = shareTable{kind: pasteKind, table: "pastes", where: settledRows + " AND " + listed, columns: pasteShare, name: "remark", texts: pasteTexts}
	freshShares      = shareTable{kind: pasteKind, table: "pastes", where: freshRows + " AND " + listed, columns: pasteShare, name: "remark", fresh: true}
	fileShares       = shareTable{kind: fileKind, table: "files", where: listed + " AND NOT pending", columns: fileShare, name: "filename", texts: fileTexts}
	collectionShares = shareTable{kind: "collection", table: "collections", where: listed, columns: collectionShare, name: "title", uncounted: true}
)

// The columns of the tables in the words of a row.
const (
	pasteShare = "id, slug, remark AS name, '' AS storage_config_id, '' AS path, size, password_hash <> '' AS protected, expires_at, max_views, views, created_by, created_at, '' AS collection"
	fileShare  = "id, slug, filename AS name, storage_config_id, CASE WHEN file_path <> '' THEN file_path ELSE storage_path END AS path, size, " +
		"password_hash <> '' AS protected, expires_at, max_views, views, created_by, created_at, coalesce((SELECT k.slug FROM collections k WHERE k.id = files.collection_id AND files.collection_id <> ''), '') AS collection"
	collectionShare = "id, slug, title AS name, '' AS storage_config_id, root AS path, " +
		"(SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM files WHERE collection_id = collections.id AND collection_id <> '' AND files.erased_at IS NULL) AS size, " +
		"password_hash <> '' AS protected, expires_at, max_views, views, created_by, created_at, '' AS collection"
)

// Shares returns a page. Each table gives its rows in the order of the page, by
// an index, and the database merges them.
func (r *Shares) Shares(ctx context.Context, f inventory.Filter) (inventory.Page, error) {
	page := inventory.Page{Shares: []inventory.Share{}}
	c, limit := r.db.Read(ctx), int(db.PageSize(f.Limit))
	var parts []shareRows
	tables := []shareTable{pasteShares, fileShares, collectionShares}
	if c.SQLite {
		tables = append(tables[1:], settledShares, freshShares)
	}
	for _, t := range tables {
		lies := t.kind == fileKind // it has a storage, and perhaps a mount
		if (f.Kind == "" || f.Kind == t.kind) && (lies || f.StorageConfigID == "" && f.MountPath == "") {
			parts = append(parts, shareRows{shareTable: t})
		}
	}
	if len(parts) == 0 {
		return page, nil
	}
	selects := []any{}
	for i := range parts {
		q, err := parts[i].find(ctx, c, f)
		if err != nil {
			return page, err
		}
		// Each comes in its own order and only as far as the page: so an index will do.
		q = q.OrderExpr(shareOrder(f.Sort, true)).Limit(int64(max(f.Offset, 0)+limit) + 1)
		selects = append(selects, q)
	}
	union := strings.Repeat(" UNION ALL SELECT * FROM (?) AS part", len(parts))[len(" UNION ALL "):]
	var rows []shareRow
	q := c.NewSelect().TableExpr("("+union+") AS shares", selects...).OrderExpr(shareOrder(f.Sort, false)).Limit(int64(limit) + 1).Offset(max(int64(f.Offset), 0))
	if err := q.Scan(ctx, &rows); err != nil {
		return page, db.Failure(err)
	}
	if page.More = len(rows) > limit; page.More {
		rows = rows[:limit]
	}
	if whole := !page.More && f.Before.ID == "" && (f.Offset <= 0 || len(rows) > 0); whole { // the page says it by itself
		page.Total = max(f.Offset, 0) + len(rows)
	} else {
		for i := range parts {
			total, err := parts[i].count(ctx, c, f)
			if err != nil {
				return page, err
			}
			page.Total += total
		}
		if page.More && page.Total <= max(f.Offset, 0)+len(rows) { // it was not counted to its end
			page.Total = max(f.Offset, 0) + len(rows) + 1
		}
	}
	for _, v := range rows {
		page.Shares = append(page.Shares, inventory.Share{Kind: v.Kind, ID: v.ID, Slug: v.Slug, Collection: v.Collection, Name: v.Name, StorageConfigID: v.StorageConfigID, Path: v.Path, Size: v.Size,
			Protected: v.Protected, ExpiresAt: db.TimePtr(v.ExpiresAt), MaxViews: v.MaxViews, Views: v.Views, CreatedBy: v.CreatedBy, CreatedAt: db.Time(v.CreatedAt)})
	}
	return page, nil
}

// shareOrder is the ORDER BY of the inventory. Shares that are equal come by
// kind and age, so that pages neither repeat nor miss one.
//
// Within one table the kind is left out: the rows come as an index has them.
func shareOrder(s inventory.Sort, within bool) string {
	way := " DESC"
	if s.Ascending {
		way = " ASC"
	}
	last := ", n" + way // an index has n behind what it is of
	if !within {
		last = ", kind" + way + last
	}
	switch s.By {
	case inventory.SortSize, inventory.SortViews:
		return s.By + way + last
	case inventory.SortExpiry:
		// The databases disagree on where NULL belongs.
		return "(expires_at IS NULL)" + way + ", expires_at" + way + last
	}
	return "created_at" + way + ", id" + way
}

// shareRows are the shares of one table that a filter chooses. Looking for text
// may read every row, so what is found is kept where it is not much.
type shareRows struct {
	shareTable
	may   db.Narrowing
	many  bool // so many that none are kept
	found []int64
}

// from is the table for a query, which has to read every row or not.
func (t *shareRows) from(c *db.Conn, every bool) string {
	if t.fresh {
		return freshPastes
	}
	return db.Scanned(c, t.table, every)
}

// every reports whether a filter has every row read.
func (t *shareRows) every(f inventory.Filter) bool {
	return t.may.To == nil && f.Search != "" && f.CreatedBy == "" && f.StorageConfigID == "" && f.MountPath == ""
}

// rare reports whether all rows that a search chooses are found.
func (t *shareRows) rare(f inventory.Filter) bool {
	return f.Search != "" && !t.many && len(t.found) <= t.may.Most
}

// search keeps the rows that a search finds, unless they are many.
func (t *shareRows) search(ctx context.Context, c *db.Conn, f inventory.Filter) (err error) {
	if !t.fresh {
		if t.many, err = db.Many(ctx, c, t.table, db.FewMatches, func(q *bun.SelectQuery) *bun.SelectQuery { return t.narrow(c, q, f) }); err != nil || t.many {
			return err
		}
	}
	if t.may, err = t.texts.candidates(ctx, c, f.Search, true); err != nil {
		return err
	}
	t.found = []int64{}
	q := t.narrow(c, c.NewSelect().TableExpr(t.from(c, t.every(f))).Column("n"), f).Limit(int64(t.may.Most) + 1)
	if t.may.To != nil {
		q = t.may.To(q)
	}
	return db.Failure(q.Scan(ctx, &t.found))
}

// find returns the query of the rows.
func (t *shareRows) find(ctx context.Context, c *db.Conn, f inventory.Filter) (*bun.SelectQuery, error) {
	if f.Search != "" {
		if err := t.search(ctx, c, f); err != nil {
			return nil, err
		}
	}
	q := c.NewSelect().TableExpr(t.from(c, false)).Column("n").ColumnExpr("? AS kind", t.kind).ColumnExpr(t.columns)
	if t.rare(f) {
		q = q.Where("n IN (?)", bun.List(t.found))
	} else {
		unused := f.Unused
		if f.Unused {
			// Many are soon met in the order of the page; few come by the index of views.
			n, err := db.CountOf(ctx, c, t.narrow(c, c.NewSelect().TableExpr(t.from(c, false)), inventory.Filter{Unused: true}), db.FewMatches+1)
			if err != nil {
				return nil, err
			}
			if n > db.FewMatches {
				f.Unused = false
			}
		}
		if q = t.narrow(c, q, f); unused && !f.Unused {
			q = q.Where("+views = 0")
		}
	}
	if b := f.Before; b.ID != "" {
		q = q.Where("(created_at < ? OR created_at = ? AND id < ?)", db.Millis(b.CreatedAt), db.Millis(b.CreatedAt), b.ID)
	}
	return q, nil
}

// count counts the rows, whatever the page, as a Listing does.
func (t *shareRows) count(ctx context.Context, c *db.Conn, f inventory.Filter) (int, error) {
	switch {
	case t.many:
		return db.FewMatches, nil
	case f.Search != "":
		return min(len(t.found), t.may.Most), nil
	}
	if k := (kept{c, t.kind, t.table}); !t.uncounted {
		switch (inventory.Filter{Kind: f.Kind, CreatedBy: f.CreatedBy, NeverExpires: f.NeverExpires, Sort: f.Sort, Before: f.Before, Limit: f.Limit, Offset: f.Offset}) {
		case f:
			if t.fresh {
				return 0, nil
			}
			if f.NeverExpires {
				return k.without(ctx, f.CreatedBy)
			}
			return k.inState(ctx, f.CreatedBy, "", time.Time{})
		}
	}
	q := t.narrow(c, c.NewSelect().TableExpr(t.from(c, false)), f)
	if f.NeverExpires {
		q = q.Where("(expires_at IS NULL) = TRUE") // as the index has it
	}
	return db.CountOf(ctx, c, q, db.MostCounted)
}

// narrow adds the conditions of a filter.
func (t *shareRows) narrow(c *db.Conn, q *bun.SelectQuery, f inventory.Filter) *bun.SelectQuery {
	q = q.Where(t.where)
	if f.CreatedBy != "" {
		q = q.Where("created_by = ?", f.CreatedBy)
	}
	if f.NeverExpires {
		q = q.Where("expires_at IS NULL")
	}
	if f.Unused {
		q = q.Where("views = 0")
	}
	if !f.CreatedBefore.IsZero() {
		q = q.Where("created_at < ?", db.Millis(f.CreatedBefore))
	}
	if !f.EndsBefore.IsZero() {
		// The first condition is as the index has it.
		q = q.Where("(expires_at IS NULL) = FALSE AND expires_at > ? AND expires_at <= ?", db.Millis(f.EndsAfter), db.Millis(f.EndsBefore))
	}
	if f.StorageConfigID != "" {
		q = q.Where("storage_config_id = ?", f.StorageConfigID)
	}
	if f.MountPath != "" {
		if f.MountPath == "/" {
			q = q.Where("file_path <> ''")
		} else {
			q = q.Where("(file_path = ? OR file_path LIKE ? ESCAPE '\\')", f.MountPath, db.EscapeLike(f.MountPath)+"/%")
		}
	}
	if f.Search != "" {
		q = db.Contains(c, q, f.Search, t.name, "slug")
	}
	return q
}
