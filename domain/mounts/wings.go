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

// Join tells the tree of its wings. It comes before the first use; a tree
// without an index knows no sizes of folders.
func (t *Tree) Join(index Index) { t.index = index }

// noIndex knows nothing.
type noIndex struct{}

func (noIndex) Changed(Change) {}
func (noIndex) Listed(context.Context, string, string, time.Time, func() []objstore.Object) {
}
func (noIndex) Totals(context.Context, *Place) *FolderTotals { return nil }
