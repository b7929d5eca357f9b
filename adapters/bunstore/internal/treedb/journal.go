package treedb

import (
	"context"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
)

type journeyRow struct {
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

func newJourneyRow(j *transfer.MoveRecord) *journeyRow {
	return &journeyRow{
		ID: j.ID, FromConfig: j.FromConfig, FromKey: j.FromKey, FromPath: j.FromPath, ToConfig: j.ToConfig, ToKey: j.ToKey, ToPath: j.ToPath,
		ToType: j.ToType, Folder: j.Folder, Replacing: j.Replacing, Phase: string(j.Phase), Worker: j.Worker, Held: j.Held,
		CreatedAt: db.Millis(j.CreatedAt), BeatAt: db.Millis(j.BeatAt),
	}
}

func (r *journeyRow) journey() *transfer.MoveRecord {
	return &transfer.MoveRecord{
		ID: r.ID, FromConfig: r.FromConfig, FromKey: r.FromKey, FromPath: r.FromPath, ToConfig: r.ToConfig, ToKey: r.ToKey, ToPath: r.ToPath,
		ToType: r.ToType, Folder: r.Folder, Replacing: r.Replacing, Phase: transfer.Phase(r.Phase), Worker: r.Worker, Held: r.Held,
		CreatedAt: db.Time(r.CreatedAt), BeatAt: db.Time(r.BeatAt),
	}
}

// Journal stores the moves that are under way.
type Journal struct {
	db.Table[transfer.MoveRecord, journeyRow]
}

var _ transfer.Journal = (*Journal)(nil)

// NewJournal returns the journal of moves.
func NewJournal(d *db.DB) *Journal {
	return &Journal{db.NewTable(d, "journeys", newJourneyRow, (*journeyRow).journey)}
}

// List returns a page of journeys that nobody works on, oldest first.
func (r *Journal) List(ctx context.Context, f transfer.MoveFilter) (ports.Page[transfer.MoveRecord], error) {
	return r.Page(ctx, f.Paging, "created_at, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("beat_at <= ?", db.Millis(f.IdleSince))
	})
}
