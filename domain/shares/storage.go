package shares

import (
	"context"

	"pasteport/ports/objstore"
)

// Storages gives storage configs and their buckets. cmd joins it to
// domain/storage.
type Storages interface {
	objstore.Opener
	// Storage returns a config; NotFound when there is none with this id.
	Storage(ctx context.Context, id string) (objstore.Storage, error)
	// Default returns the config to use when none is named: the default one, or
	// any other; only public ones when publicOnly. Returns NotFound when there
	// is none.
	Default(ctx context.Context, publicOnly bool) (objstore.Storage, error)
}
