package shares

import (
	"context"

	"pasteport/ports/objstore"
)

// Storage is a storage config as shares see it. It holds no secret.
type Storage struct {
	ID            string
	Name          string
	ProviderType  string
	Type          string // "S3", "LOCAL", ...
	EndpointURL   string
	BucketName    string
	Region        string
	PathStyle     bool
	DefaultFolder string
	Capacity      int64 // bytes; 0 means no bound
	CustomHost    string
	LinkSeconds   int64 // lifetime of signed read links; 0 means an hour
	Public        bool  // usable by API keys
}

// Storages gives storage configs and their buckets. cmd joins it to
// domain/storage.
type Storages interface {
	objstore.Opener
	// Storage returns a config; NotFound when there is none with this id.
	Storage(ctx context.Context, id string) (Storage, error)
	// Default returns the config to use when none is named: the default one, or
	// any other; only public ones when publicOnly. Returns NotFound when there
	// is none.
	Default(ctx context.Context, publicOnly bool) (Storage, error)
}
