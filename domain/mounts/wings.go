package mounts

import (
	"context"
	"time"

	"pasteport/ports/objstore"
)

// Index is what the tree tells the index of objects and asks it;
// domain/mounts/index implements it. Its calls return without waiting for the
// database, but for Totals.
type Index interface {
	// Changed hears of every change of a storage.
	Changed(ch Change)
	// Listed hears of a folder that was listed whole, at a time. found are the
	// files and folders that lie directly in it, as objects in ascending order;
	// the keys of folders end in "/".
	Listed(ctx context.Context, storageID, prefix string, at time.Time, found func() []objstore.Object)
	// Totals returns what lies in the folders of the one at a place; nil when
	// that is not known, or not known yet.
	Totals(ctx context.Context, p *Place) *FolderTotals
}

// Guard is what writes need of WebDAV's locks and properties;
// domain/mounts/dav implements it. What follows a write is only reported when
// it fails, since the write is done.
type Guard interface {
	// Unlocked returns ErrLocked when a lock stands against one of the writes
	// and the caller has not submitted its token, with the path of what is locked
	// as the parameter "path"; before that Precondition when the caller's If
	// header does not hold. Every use case that writes calls it after Enter and
	// before the storage (contract §8.11).
	Unlocked(ctx context.Context, c Caller, writes ...LockedWrite) error
	// Vanished forgets the locks and properties of what was deleted, with all
	// below it.
	Vanished(ctx context.Context, paths ...string)
	// Replaced forgets those of what lay below a path that something else takes;
	// the locks on the path itself stay (contract §8.10).
	Replaced(ctx context.Context, path string)
	// Copied lets properties go along with a copy; with alone only those of the
	// folder itself.
	Copied(ctx context.Context, from, to string, alone bool)
	// Moved lets properties go along with a move; the locks of what was moved
	// end, those of the target stay (contract §8.10).
	Moved(ctx context.Context, from, to string)
	// Remounted lets properties go along with a mount to another path, and ends the
	// locks of both; an empty to, or the same one, forgets them: what the path shows
	// now is something else. What mounts inside show is left alone. It joins the unit
	// of work in ctx.
	Remounted(ctx context.Context, from, to string, others []string) error
	// Stamp keeps the time at which a stored file was last changed, as its sender
	// says, where that is possible.
	Stamp(ctx context.Context, s *Stored, at time.Time)
}

// wings are what joins the tree later.
type wings struct {
	index    Index
	guard    Guard
	versions Versions
}

// Guard returns what writes of the tree ask and tell.
func (t *Tree) Guard() Guard { return t.guard }

// Join tells the tree of its wings. It comes before the first use. A tree
// without an index knows no sizes of folders, one without a guard no locks.
func (t *Tree) Join(index Index, guard Guard) { t.index, t.guard = index, guard }

// noIndex knows nothing.
type noIndex struct{}

func (noIndex) Changed(Change) {}
func (noIndex) Listed(context.Context, string, string, time.Time, func() []objstore.Object) {
}
func (noIndex) Totals(context.Context, *Place) *FolderTotals { return nil }

// LockedWrite is a write that locks may forbid.
type LockedWrite struct {
	Path   string // canonical
	Deep   bool   // it changes or removes everything below, too
	Member bool   // it adds path to its folder or takes it away
}

// noGuard lets every write pass.
type noGuard struct{}

func (noGuard) Unlocked(context.Context, Caller, ...LockedWrite) error { return nil }
func (noGuard) Vanished(context.Context, ...string)                    {}
func (noGuard) Replaced(context.Context, string)                       {}
func (noGuard) Copied(context.Context, string, string, bool)           {}
func (noGuard) Moved(context.Context, string, string)                  {}
func (noGuard) Remounted(context.Context, string, string, []string) error {
	return nil
}
func (noGuard) Stamp(context.Context, *Stored, time.Time) {}
