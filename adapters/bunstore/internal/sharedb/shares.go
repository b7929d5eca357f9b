package sharedb

import (
	"cmp"
	"context"
	"slices"

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
}

// shareTable is where the shares of one kind stand.
type shareTable struct {
	kind    string
	table   string
	where   string // what of the table is listed
	columns string // in the words of a row
	name    string // the column that is searched with the slug
}

var (
	pasteShares = shareTable{kind: "paste", table: "pastes", where: listed, columns: pasteShare, name: "remark"}
	fileShares  = shareTable{kind: "file", table: "files", where: listed + " AND NOT pending", columns: fileShare, name: "filename"}
)

// The columns of both tables in the words of a row.
const (
	pasteShare = "id, slug, remark AS name, '' AS storage_config_id, '' AS path, size, password_hash <> '' AS protected, expires_at, max_views, views, created_by, created_at"
	fileShare  = "id, slug, filename AS name, storage_config_id, CASE WHEN file_path <> '' THEN file_path ELSE storage_path END AS path, size, " +
		"password_hash <> '' AS protected, expires_at, max_views, views, created_by, created_at"
)

// Shares returns a page. Each table gives the newest of its own, by an index.
func (r *Shares) Shares(ctx context.Context, f inventory.Filter) (inventory.Page, error) {
	page := inventory.Page{Shares: []inventory.Share{}}
	limit := int(db.PageSize(f.Limit))
	if f.Kind != "file" && f.StorageConfigID == "" && f.MountPath == "" {
		if err := r.add(ctx, &page, pasteShares, f, limit); err != nil {
			return page, err
		}
	}
	if f.Kind != "paste" {
		if err := r.add(ctx, &page, fileShares, f, limit); err != nil {
			return page, err
		}
	}
	slices.SortFunc(page.Shares, func(a, b inventory.Share) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	if page.More = len(page.Shares) > limit; page.More {
		page.Shares = page.Shares[:limit]
	}
	return page, nil
}

func (r *Shares) add(ctx context.Context, page *inventory.Page, t shareTable, f inventory.Filter, limit int) error {
	c := r.db.Read(ctx)
	narrow := func(q *bun.SelectQuery) *bun.SelectQuery {
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
	// Looking for text reads every row, so what is found is kept where it is not much.
	found := []int64{}
	every := f.Search != "" && f.CreatedBy == "" && f.StorageConfigID == "" && f.MountPath == ""
	from := db.Scanned(c, t.table, every)
	if f.Search != "" {
		if err := narrow(c.NewSelect().TableExpr(from).Column("n")).Limit(db.FewMatches+1).Scan(ctx, &found); err != nil {
			return db.Failure(err)
		}
	}
	rare := f.Search != "" && len(found) <= db.FewMatches
	var rows []shareRow
	q := c.NewSelect().Table(t.table).ColumnExpr(t.columns).OrderExpr("created_at DESC, id DESC").Limit(int64(limit) + 1)
	if rare {
		q = q.Where("n IN (?)", bun.List(found))
	} else {
		q = narrow(q)
	}
	if b := f.Before; b.ID != "" {
		q = q.Where("(created_at < ? OR created_at = ? AND id < ?)", db.Millis(b.CreatedAt), db.Millis(b.CreatedAt), b.ID)
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return db.Failure(err)
	}
	switch total := len(rows); {
	case rare:
		page.Total += len(found)
	case f.Before.ID == "" && total <= limit: // the page says it by itself
		page.Total += total
	default:
		q := narrow(c.NewSelect().TableExpr(from))
		if f.NeverExpires {
			q = q.Where("(expires_at IS NULL) = TRUE") // as the index has it
		}
		total, err := db.CountOf(ctx, c, q, every, found)
		if err != nil {
			return err
		}
		page.Total += total
	}
	for _, v := range rows {
		page.Shares = append(page.Shares, inventory.Share{Kind: t.kind, ID: v.ID, Slug: v.Slug, Name: v.Name, StorageConfigID: v.StorageConfigID, Path: v.Path, Size: v.Size,
			Protected: v.Protected, ExpiresAt: db.TimePtr(v.ExpiresAt), MaxViews: v.MaxViews, Views: v.Views, CreatedBy: v.CreatedBy, CreatedAt: db.Time(v.CreatedAt)})
	}
	return nil
}
