package sharedb

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/shares/collections"
)

// Sums keeps checksums of what is sent in ZIP files.
type Sums struct{ db *db.DB }

var _ collections.Sums = (*Sums)(nil)

// NewSums returns the checksums.
func NewSums(d *db.DB) *Sums { return &Sums{d} }

type sumRow struct {
	bun.BaseModel `bun:"table:zip_sums"`
	Name          string `bun:",pk"`
	CRC           int64  `bun:"crc"`
	ComputedAt    int64
}

// Of returns those of the names that are known.
func (r *Sums) Of(ctx context.Context, names []string) (map[string]uint32, error) {
	known := make(map[string]uint32, len(names))
	for some := range slices.Chunk(names, db.Chunk) {
		var rows []sumRow
		if err := r.db.Read(ctx).NewSelect().Model(&rows).Where("name IN (?)", bun.List(some)).Scan(ctx); err != nil {
			return nil, db.Failure(err)
		}
		for _, row := range rows {
			known[row.Name] = uint32(row.CRC)
		}
	}
	return known, nil
}

// Keep stores sums and drops old ones.
func (r *Sums) Keep(ctx context.Context, sums map[string]uint32, now time.Time) error {
	rows := make([]sumRow, 0, len(sums))
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		rows = append(rows, sumRow{Name: name, CRC: int64(sums[name]), ComputedAt: db.Millis(now)})
	}
	return r.db.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		if _, err := c.Exec(ctx, "DELETE FROM zip_sums WHERE computed_at < ?", db.Millis(now.Add(-collections.SumsKept))); err != nil {
			return err
		}
		for some := range slices.Chunk(rows, 100) {
			if _, err := c.NewInsert().Model(&some).On("CONFLICT (name) DO UPDATE").Set("crc = EXCLUDED.crc").Set("computed_at = EXCLUDED.computed_at").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}})
}
