package treedb

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
)

type moveRow struct {
	bun.BaseModel `bun:"table:journeys,alias:journeys"`
	ID            string `bun:",pk"`
	FromConfig    string
	FromKey       string
	FromPath      string
	ToConfig      string
	ToKey         string
	ToPath        string
	ToType        string
	Folder        bool
	Replacing     bool
	Phase         string
	Worker        string
	Held          bool
	CreatedAt     int64
	BeatAt        int64
}

func newMoveRow(m *transfer.MoveRecord) *moveRow {
	return &moveRow{
		ID: m.ID, FromConfig: m.FromConfig, FromKey: m.FromKey, FromPath: m.FromPath, ToConfig: m.ToConfig, ToKey: m.ToKey, ToPath: m.ToPath,
		ToType: m.ToType, Folder: m.Folder, Replacing: m.Replacing, Phase: string(m.Phase), Worker: m.Worker, Held: m.Held,
		CreatedAt: db.Millis(m.CreatedAt), BeatAt: db.Millis(m.BeatAt),
	}
}

func (r *moveRow) record() *transfer.MoveRecord {
	return &transfer.MoveRecord{
		ID: r.ID, FromConfig: r.FromConfig, FromKey: r.FromKey, FromPath: r.FromPath, ToConfig: r.ToConfig, ToKey: r.ToKey, ToPath: r.ToPath,
		ToType: r.ToType, Folder: r.Folder, Replacing: r.Replacing, Phase: transfer.Phase(r.Phase), Worker: r.Worker, Held: r.Held,
		CreatedAt: db.Time(r.CreatedAt), BeatAt: db.Time(r.BeatAt),
	}
}

// Journal stores the moves that are under way.
type Journal struct {
	db.Table[transfer.MoveRecord, moveRow]
}

var _ transfer.Journal = (*Journal)(nil)

// NewJournal returns the journal of moves.
func NewJournal(d *db.DB) *Journal {
	return &Journal{db.NewTable(d, "journeys", newMoveRow, (*moveRow).record)}
}

// List returns a page of moves that nobody works on, oldest first.
func (r *Journal) List(ctx context.Context, f transfer.MoveFilter) (ports.Page[transfer.MoveRecord], error) {
	return r.Page(ctx, f.Paging, "created_at, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("beat_at <= ?", db.Millis(f.IdleSince))
	})
}
