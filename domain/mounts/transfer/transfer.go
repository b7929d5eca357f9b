// Package transfer copies, moves, renames and removes files and folders of the
// tree: conflicts of names, targets that overlap their sources, the records by
// which a move is undone or finished after a crash, and the tasks that do such
// work in the background.
package transfer

import "pasteport/domain/mounts"

// Transfers are the copies, moves, renames and deletions in a tree. It is safe
// for concurrent use.
type Transfers struct {
	tree    *mounts.Tree
	journal Journal
}

// New returns the transfers of a tree. The journal holds the moves under way.
func New(tree *mounts.Tree, journal Journal) *Transfers { return &Transfers{tree, journal} }
