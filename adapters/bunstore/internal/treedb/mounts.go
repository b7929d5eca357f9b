package treedb

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts"
	"pasteport/ports"
)

type mountRow struct {
	bun.BaseModel   `bun:"table:mounts,alias:mounts"`
	ID              string `bun:",pk"`
	Name            string
	StorageType     string
	StorageConfigID string
	Path            string
	Remark          string
	Active          bool
	CreatedBy       string
	SortOrder       int64
	CacheTTL        int64 `bun:"cache_ttl"`
	WebProxy        bool
	EnableSign      bool
	SignExpires     *int64
	WebDAVPolicy    string `bun:"webdav_policy"`
	CreatedAt       int64
	UpdatedAt       int64
	LastUsed        *int64
}

func newMountRow(m *mounts.Mount) *mountRow {
	return &mountRow{
		ID: m.ID, Name: m.Name, StorageType: m.StorageType, StorageConfigID: m.StorageConfigID, Path: m.Path, Remark: m.Remark, Active: m.Active,
		CreatedBy: m.CreatedBy, SortOrder: m.SortOrder, CacheTTL: m.CacheTTL, WebProxy: m.WebProxy, EnableSign: m.EnableSign,
		SignExpires: m.SignExpires, WebDAVPolicy: m.WebDAVPolicy, CreatedAt: db.Millis(m.CreatedAt), UpdatedAt: db.Millis(m.UpdatedAt), LastUsed: db.MillisPtr(m.LastUsed),
	}
}

func (r *mountRow) mount() *mounts.Mount {
	return &mounts.Mount{
		ID: r.ID, Name: r.Name, StorageType: r.StorageType, StorageConfigID: r.StorageConfigID, Path: r.Path, Remark: r.Remark, Active: r.Active,
		CreatedBy: r.CreatedBy, SortOrder: r.SortOrder, CacheTTL: r.CacheTTL, WebProxy: r.WebProxy, EnableSign: r.EnableSign,
		SignExpires: r.SignExpires, WebDAVPolicy: r.WebDAVPolicy, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), LastUsed: db.TimePtr(r.LastUsed),
	}
}

// Mounts stores mounts.
type Mounts struct {
	db.Table[mounts.Mount, mountRow]
}

var _ mounts.MountRepository = (*Mounts)(nil)

// NewMounts returns the repository of mounts.
func NewMounts(d *db.DB) *Mounts {
	return &Mounts{db.NewTable(d, "mounts", newMountRow, (*mountRow).mount)}
}

// List returns a page of mounts.
func (r *Mounts) List(ctx context.Context, f mounts.MountFilter) (ports.Page[mounts.Mount], error) {
	c := r.DB.Read(ctx)
	return r.PageOf(ctx, f.Paging, db.Listing{Conn: c, Table: r.Name, Order: r.order(f.MountSort), Most: db.MostCounted,
		Searched: f.Search != "" || f.InactiveOnly, Whole: f.ConfigID == "",
		Narrow: func(q *bun.SelectQuery, _ string) *bun.SelectQuery {
			if f.ActiveOnly {
				q = q.Where("active")
			}
			if f.InactiveOnly {
				q = q.Where("NOT active")
			}
			if f.ConfigID != "" {
				q = q.Where("storage_config_id = ?", f.ConfigID)
			}
			if f.Search != "" {
				q = db.Contains(c, q, f.Search, "name", "path", "remark")
			}
			return q
		}})
}

// order is the ORDER BY of a list of mounts, as the indexes have it.
func (r *Mounts) order(s mounts.MountSort) func(back bool) string {
	columns := []string{"sort_order", r.DB.ByBytes("name"), "id"}
	switch s.By {
	case mounts.SortName:
		columns = []string{r.DB.InAnyCase("name"), "n"}
	case mounts.SortPath:
		columns = []string{"path"}
	case mounts.SortCreated:
		columns = []string{"created_at", "n"}
	}
	return func(back bool) string { return db.Directed(s.Descending == back, columns...) }
}

// Touch notes that mounts were used.
func (r *Mounts) Touch(ctx context.Context, used time.Time, ids ...string) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for some := range slices.Chunk(ids, db.Chunk) {
			_, err := c.NewUpdate().Table("mounts").Set("last_used = ?", db.Millis(used)).Where("id IN (?)", bun.List(some)).Where("last_used IS NULL OR last_used < ?", db.Millis(used)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	}})
}
