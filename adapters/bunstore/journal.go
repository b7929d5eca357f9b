package bunstore

import (
	"context"

	"github.com/uptrace/bun"

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
		CreatedAt: ms(j.CreatedAt), BeatAt: ms(j.BeatAt),
	}
}

func (r *journeyRow) journey() *transfer.MoveRecord {
	return &transfer.MoveRecord{
		ID: r.ID, FromConfig: r.FromConfig, FromKey: r.FromKey, FromPath: r.FromPath, ToConfig: r.ToConfig, ToKey: r.ToKey, ToPath: r.ToPath,
		ToType: r.ToType, Folder: r.Folder, Replacing: r.Replacing, Phase: transfer.Phase(r.Phase), Worker: r.Worker, Held: r.Held,
		CreatedAt: at(r.CreatedAt), BeatAt: at(r.BeatAt),
	}
}

// Journal stores the moves that are under way.
type Journal struct {
	table[transfer.MoveRecord, journeyRow]
}

var _ transfer.Journal = (*Journal)(nil)

// Journal returns the journal of moves.
func (s *Store) Journal() *Journal {
	return &Journal{table[transfer.MoveRecord, journeyRow]{s, "journeys", newJourneyRow, (*journeyRow).journey}}
}

// List returns a page of journeys that nobody works on, oldest first.
func (r *Journal) List(ctx context.Context, f transfer.MoveFilter) (ports.Page[transfer.MoveRecord], error) {
	return r.list(ctx, f.Paging, "created_at, id", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("beat_at <= ?", ms(f.IdleSince))
	})
}
