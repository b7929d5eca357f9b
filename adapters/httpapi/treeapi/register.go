package treeapi

import (
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/history"
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
	History    *history.Files
	KeyNames   wire.KeyNames // of who edited files; nil leaves their names out
}

// Register adds the operations of the tree: listing, changing, reading and
// writing, archives, search, mounts and tasks.
func Register(a *httpapi.API, u UseCases) {
	fsOps(a, u.Tree, u.Index, u.Moves)
	fsThumbnailOps(a, u.Thumbnails)
	transferOps(a, u.Transfers)
	mountOps(a, u.Mounts, u.Tree, u.Index)
	historyOps(a, u.History, u.KeyNames)
	taskOps(a, u.Tasks)
}
