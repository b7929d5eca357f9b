package main

import (
	"context"
	"fmt"
	"io"

	"pasteport/adapters/secrets"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/ports"
)

// firstStart makes what a new database needs so that the first minute works:
// the administrator and the storage "Local disk". A random password is told
// once, to w. On a database that has an administrator it does nothing.
func (a *app) firstStart(ctx context.Context, s *settings, w io.Writer) error {
	password, err := s.adminPassword()
	if err != nil {
		return err
	}
	var made string
	var created bool
	err = a.store.Do(ctx, func(ctx context.Context) error {
		made, created, err = a.access.FirstAdmin(ctx, s.AdminUser, password)
		if err != nil || !created {
			return err
		}
		return a.localDisk(ctx)
	})
	if err != nil {
		return fmt.Errorf("first start: %w", err)
	}
	if created && made != "" {
		_, err = fmt.Fprintf(w, "administrator %q created, password: %s\n", s.AdminUser, made)
	} else if created {
		_, err = fmt.Fprintf(w, "administrator %q created\n", s.AdminUser)
	}
	return err
}

// localDisk stores the storage config that needs no account anywhere.
func (a *app) localDisk(ctx context.Context) error {
	now := ports.SystemClock.Now()
	return a.store.StorageConfigs().Insert(ctx, &storage.Config{
		ID: secrets.Random{}.ID(), Name: "Local disk", Driver: local.Name, ProviderType: "Local disk", StorageType: "LOCAL",
		Options: `{"` + local.OptionDirectory + `":"files"}`, IsPublic: true, IsDefault: true, SignatureExpiresIn: 3600,
		CreatedAt: now, UpdatedAt: now,
	})
}
