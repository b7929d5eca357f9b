package bunstore

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

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
		SignExpires: m.SignExpires, WebDAVPolicy: m.WebDAVPolicy, CreatedAt: ms(m.CreatedAt), UpdatedAt: ms(m.UpdatedAt), LastUsed: msPtr(m.LastUsed),
	}
}

func (r *mountRow) mount() *mounts.Mount {
	return &mounts.Mount{
		ID: r.ID, Name: r.Name, StorageType: r.StorageType, StorageConfigID: r.StorageConfigID, Path: r.Path, Remark: r.Remark, Active: r.Active,
		CreatedBy: r.CreatedBy, SortOrder: r.SortOrder, CacheTTL: r.CacheTTL, WebProxy: r.WebProxy, EnableSign: r.EnableSign,
		SignExpires: r.SignExpires, WebDAVPolicy: r.WebDAVPolicy, CreatedAt: at(r.CreatedAt), UpdatedAt: at(r.UpdatedAt), LastUsed: atPtr(r.LastUsed),
	}
}

// Mounts stores mounts.
type Mounts struct {
	table[mounts.Mount, mountRow]
}

var _ mounts.MountRepository = (*Mounts)(nil)

// Mounts returns the repository of mounts.
func (s *Store) Mounts() *Mounts {
	return &Mounts{table[mounts.Mount, mountRow]{s, "mounts", newMountRow, (*mountRow).mount}}
}

// List returns a page of mounts, by sort order, then by name in the order of
// its bytes.
func (r *Mounts) List(ctx context.Context, f mounts.MountFilter) (ports.Page[mounts.Mount], error) {
	order := "sort_order, name, id"
	if !r.s.SQLite() {
		order = `sort_order, name COLLATE "C", id`
	}
	return r.list(ctx, f.Paging, order, func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.ActiveOnly {
			q = q.Where("active")
		}
		if f.ConfigID != "" {
			q = q.Where("storage_config_id = ?", f.ConfigID)
		}
		return q
	})
}

// Touch notes that mounts were used.
func (r *Mounts) Touch(ctx context.Context, used time.Time, ids ...string) error {
	return r.s.write(ctx, work{fn: func(ctx context.Context, c *conn) error {
		for some := range slices.Chunk(ids, chunk) {
			_, err := c.NewUpdate().Table("mounts").Set("last_used = ?", ms(used)).Where("id IN (?)", bun.List(some)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	}})
}
