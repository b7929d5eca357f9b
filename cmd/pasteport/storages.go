package main

import (
	"context"

	"pasteport/domain/shares"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/ports/objstore"
)

// builtIn are the drivers that run inside this process; dataDir is the folder
// that relative folders of local disks lie below.
func builtIn(dataDir string) map[string]objstore.Driver {
	return map[string]objstore.Driver{local.Name: local.Driver{Base: dataDir}}
}

// storages joins the storage module to what shares need of it.
type storages struct {
	*storage.Opener
	configs *storage.Configs
}

var _ shares.Storages = storages{}

// Storage returns a config as shares see it.
func (s storages) Storage(ctx context.Context, id string) (shares.Storage, error) {
	return asShares(s.configs.Lookup(ctx, id))
}

// Default returns the config to use when none is named.
func (s storages) Default(ctx context.Context, publicOnly bool) (shares.Storage, error) {
	return asShares(s.configs.Default(ctx, publicOnly))
}

func asShares(c *storage.Config, err error) (shares.Storage, error) {
	if err != nil {
		return shares.Storage{}, err
	}
	return shares.Storage{
		ID: c.ID, Name: c.Name, ProviderType: c.ProviderType, Type: c.StorageType, EndpointURL: c.EndpointURL, BucketName: c.BucketName,
		Region: c.Region, PathStyle: c.PathStyle, DefaultFolder: c.DefaultFolder, Capacity: c.TotalStorageBytes, CustomHost: c.CustomHost,
		LinkSeconds: c.SignatureExpiresIn, Public: c.IsPublic,
	}, nil
}
