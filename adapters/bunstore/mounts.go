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

// List returns a page of mounts.
func (r *Mounts) List(ctx context.Context, f mounts.MountFilter) (ports.Page[mounts.Mount], error) {
	c := r.s.read(ctx)
	return r.listed(ctx, f.Paging, listing{c: c, table: r.name, order: r.order(f.MountSort),
		searched: f.Search != "" || f.InactiveOnly, whole: f.ConfigID == "",
		narrow: func(q *bun.SelectQuery, _ string) *bun.SelectQuery {
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
				q = contains(c, q, f.Search, "name", "path", "remark")
			}
			return q
		}})
}

// order is the ORDER BY of a list of mounts, as the indexes have it.
func (r *Mounts) order(s mounts.MountSort) func(back bool) string {
	columns := []string{"sort_order", r.s.byBytes("name"), "id"}
	switch s.By {
	case mounts.SortName:
		columns = []string{r.s.inAnyCase("name"), "n"}
	case mounts.SortPath:
		columns = []string{"path"}
	case mounts.SortCreated:
		columns = []string{"created_at", "n"}
	}
	return func(back bool) string { return directed(s.Descending == back, columns...) }
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
