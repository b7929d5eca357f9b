package shareapi

import (
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/domain/shares/inventory"
	"pasteport/domain/shares/latch"
	"pasteport/domain/shares/remote"
	"pasteport/domain/shares/revisions"
	"pasteport/domain/shares/versions"
	"pasteport/domain/shares/visitlog"
	"pasteport/domain/storage"
)

// UseCases are what the operations of shares call, and what their answers need
// besides. Describing them needs none: the zero value may be registered, but not
// called.
type UseCases struct {
	Pastes *shares.Pastes
	// Revisions are the earlier contents of texts.
	Revisions *revisions.Revisions
	// VisitLog is who opened shares.
	VisitLog *visitlog.Log
	// Latches say who may come to a share at all, and how its end moves.
	Latches *latch.Latches
	Files   *shares.Files
	Visits  *shares.FileVisits
	Uploads *shares.FileUploads
	// FileVersions are the files that shares had before.
	FileVersions *versions.Versions
	URLs         *remote.URLs
	// Collections and CollectionVisits are links for several files.
	Collections      *collections.Collections
	CollectionVisits *collections.Visits
	// Thumbnails makes small pictures of items.
	Thumbnails *thumbnail.Thumbnails
	// KeyNames names the creators of shares; nil leaves their names out.
	KeyNames wire.KeyNames
	// SpoolDir is where a form's file waits for the fields behind it; empty
	// means the system's folder for temporary files.
	SpoolDir string

	Blobs     *storage.Blobs // signed links to stored bytes
	Inventory *inventory.Inventory
	Deletions *inventory.Deletions
}

// Register adds the operations of shares: texts, files, uploads and what is
// fetched from other sites, the signed links to their bytes, and the list of all
// shares.
func Register(a *httpapi.API, u UseCases) {
	pasteOps(a, u)
	revisionOps(a, u)
	visitLogOps(a, u)
	latchOps(a, u.Latches)
	publicFileOps(a, u)
	fileOps(a, u)
	fileVersionOps(a, u)
	uploadOps(a, u)
	collectionOps(a, u)
	publicCollectionOps(a, u)
	urlOps(a, u)
	blobOps(a, u.Blobs)
	inventoryOps(a, u.Inventory)
	deletionOps(a, u.Deletions)
	doorOps(a, u)
}
