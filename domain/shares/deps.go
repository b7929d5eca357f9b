package shares

import (
	"context"
	"time"

	"pasteport/domain/shares/openings"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Deps are the ports that shares work with. Those a module does not use may be
// nil; all others must be there.
type Deps struct {
	Pastes       PasteRepository // used by Pastes
	Files        FileRepository  // used by Files and cleanup
	FileObjects  FileObjects     // used by Files and cleanup
	Storages     Storages        // used by Files and cleanup
	Ledger       Ledger          // used by Files and cleanup; nil bounds nothing
	Uploads      upload.Sessions // used by Files and cleanup
	Decider      policy.Decider
	Hasher       ports.Hasher
	Guesses      ports.Guesses
	MAC          ports.MAC
	Random       ports.Random
	Clock        ports.Clock
	Settings     ports.Settings     // used by Pastes and Files
	Invalidation ports.Invalidation // nil on a single node
	// Editions keep the contents that edits of pastes replace, in units of Work.
	// Nil keeps none.
	Editions Editions
	Work     ports.UnitOfWork // used by Pastes with Editions, and by Files
	Replaced Replaced         // used by Files
	// Openings tells of views; nil: nobody is told.
	Openings *openings.Openings
	// Changed hears which objects came to a storage and which went, by key. Nil
	// means nobody does.
	Changed func(ctx context.Context, configID string, put []objstore.Object, gone []string)
	// Report hears of errors in work that nobody waits for. Nil means silence.
	Report func(doing string, err error)
	// CacheBytes bounds the memory for pastes that are read often; 0 means 64 MiB.
	CacheBytes int64
	// UnknownSlugsPerMinute bounds requests for unknown slugs from one address;
	// 0 means 60, negative means no bound.
	UnknownSlugsPerMinute int
}

// Tell reports an error, if there is one, in work that nobody waits for.
func (d Deps) Tell(doing string, err error) {
	if err != nil && d.Report != nil {
		d.Report(doing, err)
	}
}

// tellStored tells who shows the storage that the object of a file is there.
func (d Deps) tellStored(ctx context.Context, file *File, object objstore.Object) {
	if d.Changed != nil {
		object.Key = file.StoragePath
		d.Changed(ctx, file.StorageConfigID, []objstore.Object{object}, nil)
	}
}

// Publish tells other nodes that a share changed. A lost message costs at most
// cacheFor, so the change itself does not fail with it.
func (d Deps) Publish(ctx context.Context, kind, id string) {
	if d.Invalidation != nil {
		d.Tell("publish a change", d.Invalidation.Publish(ctx, kind, id))
	}
}

// Over reports whether a file is beyond what its owner can bring back: a janitor may be
// deleting its object, on a node whose clock is up to a minute ahead.
func (d Deps) Over(file *File) bool {
	return file.ErasedAt != nil || file.Due(d.Clock.Now().Add(time.Minute), d.Settings.ExpiredGrace())
}

// Numbers are counts for the dashboard.
type Numbers struct {
	Total  int
	PerDay []int // oldest first; the last is today (UTC)
}
