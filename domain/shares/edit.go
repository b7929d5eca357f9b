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

// Replaced keeps the files that uploads replace; domain/shares/versions
// implements it.
type Replaced interface {
	// Keeps reports whether a file is kept when another one takes its slug.
	Keeps(old *File) bool
	// Keep makes a file the newest version of the one that takes its slug, in one
	// unit of work with insert, which stores that one.
	Keep(ctx context.Context, old, next *File, insert func(context.Context) error) error
	// Came is called when a file that replaced another one has arrived: the oldest
	// versions go that are too many now. Until then all are there to be given back.
	Came(ctx context.Context, file *File) error
	// Ending is called before a file is deleted and returns its versions, which go
	// with it. The slug of one that never came goes back to what it was to replace.
	Ending(ctx context.Context, file *File) ([]File, error)
}

// ending is Replaced.Ending.
func (d Deps) ending(ctx context.Context, file *File) ([]File, error) {
	if d.Replaced == nil {
		return nil, nil
	}
	return d.Replaced.Ending(ctx, file)
}

// came is Replaced.Came for a file that may have replaced one.
func (d Deps) came(ctx context.Context, file *File) {
	if file.Version > 1 && d.Replaced != nil {
		d.Tell("let old versions of a file go", d.Replaced.Came(ctx, file))
	}
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
