// Package dav is the tree as WebDAV clients see it: locks, dead properties, the
// If header, and files and folders with all of that in one look. Locks hold at
// every door: the tree asks them before each write.
package dav

import "pasteport/domain/mounts"

// Resources are the files and folders of a tree with their locks and dead
// properties. It is safe for concurrent use.
type Resources struct {
	tree       *mounts.Tree
	locks      LockRepository
	properties PropertyRepository
}

var _ mounts.Guard = (*Resources)(nil)

// New returns the resources of a tree.
func New(tree *mounts.Tree, locks LockRepository, properties PropertyRepository) *Resources {
	return &Resources{tree, locks, properties}
}
