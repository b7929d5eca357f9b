package gate

import (
	"context"

	"pasteport/ports"
)

// errLaterPart is a range of a share with a view limit that no visit stands for.
var errLaterPart = &ports.Error{Code: ports.Range, Key: "range_invalid", Text: "range_needs_visit"}

// Fare is how a visit pays for the bytes that it gets: with one view, taken
// before the first of them leaves.
type Fare struct {
	Guard   *Guard
	ID      string // of the share
	Version int64
	Limited bool // its views are limited
	Paid    bool // the view was taken, by this visit or one before
	Take    func(ctx context.Context) error
	// Download counts bytes from an offset on as a download, before the view is
	// taken; nil: they are none, or nobody counts them.
	Download func(ctx context.Context, offset int64) error
	// Again hears that bytes which are paid for are read from the start; nil: nobody.
	Again func(ctx context.Context)
}

// Pay takes the view, unless it is paid for or the bytes begin later, and counts the
// download.
//
// Returns Gone when no view or no download was left, and Range for a later part of a share with
// a view limit that belongs to no visit: it would show all but the start and
// cost no view (ADR 6).
func (f *Fare) Pay(ctx context.Context, offset int64) error {
	if !f.Paid && offset > 0 && f.Limited && !f.Guard.Returns(ctx, f.ID, f.Version) {
		return errLaterPart
	}
	if f.Download != nil {
		if err := f.Download(ctx, offset); err != nil {
			return err
		}
		f.Download = nil
	}
	switch {
	case f.Paid:
		if offset == 0 && f.Again != nil {
			f.Again(ctx)
			f.Again = nil
		}
		return nil
	case offset > 0:
		return nil
	}
	if err := f.Take(ctx); err != nil {
		return err
	}
	f.Paid, f.Again = true, nil
	return nil
}
