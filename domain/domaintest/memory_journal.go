package domaintest

import (
	"cmp"
	"context"

	"pasteport/domain/mounts"
	"pasteport/ports"
)

type memJournal struct{ *memTable[mounts.Journey] }

func cloneJourney(j mounts.Journey) mounts.Journey {
	j.CreatedAt, j.BeatAt = milli(j.CreatedAt), milli(j.BeatAt)
	return j
}

func (r *memJournal) List(ctx context.Context, f mounts.JourneyFilter) (ports.Page[mounts.Journey], error) {
	return r.list(ctx, f.Paging, func(j *mounts.Journey) bool { return !j.BeatAt.After(f.IdleSince) },
		func(a, b mounts.Journey) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
}
