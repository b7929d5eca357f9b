package cleanup

import (
	"context"
	"time"

	"pasteport/domain/shares"
)

// Seen is what a janitor has seen of a share: whoever changes its content or its end
// changes one of these.
type Seen struct {
	ID        string
	Version   int64
	ExpiresAt *time.Time
	UsedUpAt  *time.Time
}

// Saw is what is seen of a share.
func Saw(id string, version int64, g *shares.Gate) Seen {
	return Seen{ID: id, Version: version, ExpiresAt: g.ExpiresAt, UsedUpAt: g.UsedUpAt}
}

// Remains are the shares of one kind that nobody can open any more; E is what
// the janitor must know of them.
type Remains[E any] interface {
	// Erasable lists shares whose content may go: used up before usedBefore, or
	// expired before expiredBefore; at most limit. next is where the following page
	// begins, as its after, and empty behind the last one: a walk meets each share
	// once, also those that stay.
	Erasable(ctx context.Context, usedBefore, expiredBefore time.Time, after string, limit int) (found []E, next string, err error)
	// Erase sets ErasedAt on those that are still as they were seen: the text of a
	// paste goes, the size of a file no longer counts. It returns how many it has
	// changed.
	Erase(ctx context.Context, now time.Time, seen ...Seen) (int, error)
	// Purge deletes records erased before the given time; at most limit.
	Purge(ctx context.Context, erasedBefore time.Time, limit int) (int, error)
}
