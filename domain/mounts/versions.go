package mounts

import (
	"context"

	"pasteport/ports/objstore"
)

// Versions keep what edits of files replace; domain/mounts/history implements
// it. What follows a change is only reported when it fails, since that is done.
type Versions interface {
	// Keeps reports whether a write keeps the file that it replaces, so that room
	// is needed for both.
	Keeps(ctx context.Context, c Caller, p *Place, w Write, old *Entry) (bool, error)
	// Keep keeps the file that is at the place right before another takes it;
	// nil means nothing is there. It is called under the file's lock. done is
	// told what was stored, nil for nothing.
	Keep(ctx context.Context, c Caller, p *Place, now *Entry) (done func(*objstore.Object), err error)
	// Vanished forgets what is kept of what was deleted or replaced otherwise than
	// by an edit, with all below it.
	Vanished(ctx context.Context, places ...*Place)
	// Moved lets it go along with a move.
	Moved(ctx context.Context, from, to *Place)
}

// noVersions keep nothing.
type noVersions struct{}

func (noVersions) Keeps(context.Context, Caller, *Place, Write, *Entry) (bool, error) {
	return false, nil
}
func (noVersions) Keep(context.Context, Caller, *Place, *Entry) (func(*objstore.Object), error) {
	return nil, nil
}
func (noVersions) Vanished(context.Context, ...*Place)   {}
func (noVersions) Moved(context.Context, *Place, *Place) {}

// followed is a guard whose news reach the versions, too.
type followed struct {
	Guard
	tree *Tree
}

// JoinVersions tells the tree of who keeps what edits replace. It comes after
// Join, and before the first use.
func (t *Tree) JoinVersions(v Versions) {
	t.versions = v
	t.guard = followed{t.guard, t}
}

// Begins tells that a file comes to a place where there is none: what is known of one
// that was deleted past this server is not of the new one.
func (t *Tree) Begins(ctx context.Context, c Caller, p *Place) {
	_, _ = t.versions.Keeps(ctx, c, p, Write{}, nil) // of nothing nothing is kept
}

// Vanished implements Guard.
func (f followed) Vanished(ctx context.Context, paths ...string) {
	f.Guard.Vanished(ctx, paths...)
	f.tree.versions.Vanished(ctx, f.places(ctx, paths...)...)
}

// Replaced implements Guard.
func (f followed) Replaced(ctx context.Context, path string) {
	f.Guard.Replaced(ctx, path)
	f.tree.versions.Vanished(ctx, f.places(ctx, path)...)
}

// Moved implements Guard.
func (f followed) Moved(ctx context.Context, from, to string) {
	f.Guard.Moved(ctx, from, to)
	if places := f.places(ctx, from, to); len(places) == 2 {
		f.tree.versions.Moved(ctx, places[0], places[1])
	}
}

// places are where paths lead, as far as a mount holds them.
func (f followed) places(ctx context.Context, paths ...string) []*Place {
	s, err := f.tree.Snapshot(context.WithoutCancel(ctx))
	if err != nil {
		f.tree.Report("find what is kept of files", err)
		return nil
	}
	var places []*Place
	for _, path := range paths {
		if m := s.Find(path); m != nil {
			places = append(places, m.Place(path))
		}
	}
	return places
}
