package shares

import (
	"context"
	"time"
)

// MaxRevisionBytes bounds what all earlier contents of one paste may hold
// together, in bytes.
const MaxRevisionBytes = 4 * MaxContent

// Edit is an update that is about to give a paste a content.
type Edit struct {
	PasteID string
	Content []byte
	By      string // who edits, like Paste.CreatedBy
	At      time.Time
	Most    int   // earlier contents to keep, of them the newest; 0 keeps none
	Bytes   int64 // most bytes of all that are kept
}

// Editions keep the contents that edits replace.
type Editions interface {
	// Keep notes who edits, and keeps the present content of the paste, unless
	// it is the same or the paste keeps none. It is called in the unit of work
	// that edits, before the paste changes. An unknown paste is passed over.
	Keep(ctx context.Context, e Edit) error
}

// edited makes a change of a paste, and keeps the content that it replaces.
func (p *Pastes) edited(ctx context.Context, e Edit, change func(context.Context) error) error {
	if p.d.Editions == nil {
		return change(ctx)
	}
	e.Most, e.Bytes = p.d.Settings.Revisions().Kept, MaxRevisionBytes
	return p.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := p.d.Editions.Keep(ctx, e); err != nil {
			return err
		}
		return change(ctx)
	})
}
