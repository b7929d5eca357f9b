package treeapi

import (
	"pasteport/adapters/httpapi"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/index"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/mounts/transfer"
	"pasteport/domain/tasks"
)

// UseCases are what the operations of the tree call. Describing them needs
// none: the zero value may be registered, but not called.
type UseCases struct {
	Transfers  // the tree and what moves its bytes
	Thumbnails *thumbnail.Thumbnails
	Mounts     *mounts.Mounts
	Index      *index.Index
	Moves      *transfer.Transfers // within the tree
	Tasks      *tasks.Tasks
}

// Register adds the operations of the tree: listing, changing, reading and
// writing, archives, search, mounts and tasks.
func Register(a *httpapi.API, u UseCases) {
	fsOps(a, u.Tree, u.Index, u.Moves)
	fsThumbnailOps(a, u.Thumbnails)
	transferOps(a, u.Transfers)
	mountOps(a, u.Mounts, u.Tree, u.Index)
	taskOps(a, u.Tasks)
}
