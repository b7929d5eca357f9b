package storagedb

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/storage"
	"pasteport/ports"
)

type configRow struct {
	bun.BaseModel      `bun:"table:storage_configs,alias:storage_configs"`
	ID                 string `bun:",pk"`
	Name               string
	Driver             string
	ProviderType       string
	StorageType        string
	EndpointURL        string
	BucketName         string
	Region             string
	PathStyle          bool
	Sealed             []byte
	Options            string
	DefaultFolder      string
	IsPublic           bool
	IsDefault          bool
	TotalStorageBytes  int64
	CustomHost         string
	SignatureExpiresIn int64
	AdminID            string
	CreatedAt          int64
	UpdatedAt          int64
	LastUsed           *int64
}

func newConfigRow(c *storage.Config) *configRow {
	return &configRow{
		ID: c.ID, Name: c.Name, Driver: c.Driver, ProviderType: c.ProviderType, StorageType: c.StorageType,
		EndpointURL: c.EndpointURL, BucketName: c.BucketName, Region: c.Region, PathStyle: c.PathStyle, Sealed: c.Sealed,
		Options: c.Options, DefaultFolder: c.DefaultFolder, IsPublic: c.IsPublic, IsDefault: c.IsDefault,
		TotalStorageBytes: c.TotalStorageBytes, CustomHost: c.CustomHost, SignatureExpiresIn: c.SignatureExpiresIn,
		AdminID: c.AdminID, CreatedAt: db.Millis(c.CreatedAt), UpdatedAt: db.Millis(c.UpdatedAt), LastUsed: db.MillisPtr(c.LastUsed),
	}
}

func (r *configRow) config() *storage.Config {
	return &storage.Config{
		ID: r.ID, Name: r.Name, Driver: r.Driver, ProviderType: r.ProviderType, StorageType: r.StorageType,
		EndpointURL: r.EndpointURL, BucketName: r.BucketName, Region: r.Region, PathStyle: r.PathStyle, Sealed: r.Sealed,
		Options: r.Options, DefaultFolder: r.DefaultFolder, IsPublic: r.IsPublic, IsDefault: r.IsDefault,
		TotalStorageBytes: r.TotalStorageBytes, CustomHost: r.CustomHost, SignatureExpiresIn: r.SignatureExpiresIn,
		AdminID: r.AdminID, CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt), LastUsed: db.TimePtr(r.LastUsed),
	}
}

var _ storage.ConfigRepository = (*StorageConfigs)(nil)

// StorageConfigs stores storage configs.
type StorageConfigs struct {
	db.Table[storage.Config, configRow]
}

// NewStorageConfigs returns the repository of storage configs.
func NewStorageConfigs(d *db.DB) *StorageConfigs {
	return &StorageConfigs{db.NewTable(d, "storage_configs", newConfigRow, (*configRow).config)}
}

// List returns a page of configs, by name in the order of their bytes.
func (r *StorageConfigs) List(ctx context.Context, f storage.ConfigFilter) (ports.Page[storage.Config], error) {
	order := "name, id"
	if !r.DB.SQLite() {
		order = `name COLLATE "C", id`
	}
	return r.Page(ctx, f.Paging, order, func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.PublicOnly {
			q = q.Where("is_public")
		}
		return q
	})
}

// Insert stores a config. To one that was retired (sharedb.Files.Retire, which leaves a
// number of files below 0) and comes back under its old id, as from the
// predecessor, files come again.
func (r *StorageConfigs) Insert(ctx context.Context, config *storage.Config) error {
	return r.DB.Write(ctx, db.Work{Whole: true, Do: func(ctx context.Context, c *db.Conn) error {
		if err := r.InsertIn(ctx, c, config); err != nil {
			return err
		}
		_, err := c.Exec(ctx, "DELETE FROM storage_usage WHERE storage_config_id = ? AND files < 0", config.ID)
		return err
	}})
}

// Hold returns a config that nobody changes or deletes meanwhile.
func (r *StorageConfigs) Hold(ctx context.Context, id string) (*storage.Config, error) {
	row := new(configRow)
	c := r.DB.Read(ctx)
	q := c.NewSelect().Model(row).Where("id = ?", id)
	if !c.SQLite {
		q = q.For("KEY SHARE")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, db.Failure(err)
	}
	return row.config(), nil
}

// SetDefault marks one config and unmarks the others; NotFound without it.
func (r *StorageConfigs) SetDefault(ctx context.Context, id string) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if err := c.Alone(ctx, db.Named("default storage")); err != nil {
			return err
		}
		n, err := c.Exec(ctx, "UPDATE storage_configs SET is_default = TRUE WHERE id = ?", id)
		if err != nil {
			return err
		}
		if n == 0 {
			return ports.ErrNotFound
		}
		_, err = c.Exec(ctx, "UPDATE storage_configs SET is_default = FALSE WHERE id <> ? AND is_default", id)
		return err
	}})
}

// Touch notes that configs were used.
func (r *StorageConfigs) Touch(ctx context.Context, used time.Time, ids ...string) error {
	return r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		for some := range slices.Chunk(ids, db.Chunk) {
			_, err := c.NewUpdate().Table("storage_configs").Set("last_used = ?", db.Millis(used)).Where("id IN (?)", bun.List(some)).Where("last_used IS NULL OR last_used < ?", db.Millis(used)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	}})
}
