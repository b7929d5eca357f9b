package domaintest

import (
	"cmp"
	"context"

	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
)

type memJournal struct{ *memTable[transfer.MoveRecord] }

func cloneJourney(j transfer.MoveRecord) transfer.MoveRecord {
	j.CreatedAt, j.BeatAt = milli(j.CreatedAt), milli(j.BeatAt)
	return j
}

func (r *memJournal) List(ctx context.Context, f transfer.MoveFilter) (ports.Page[transfer.MoveRecord], error) {
	return r.list(ctx, f.Paging, func(j *transfer.MoveRecord) bool { return !j.BeatAt.After(f.IdleSince) },
		func(a, b transfer.MoveRecord) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
}
