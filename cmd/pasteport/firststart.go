package main

import (
	"context"
	"fmt"
	"io"

	"pasteport/cmd/pasteport/terminal"
	"pasteport/domain/keys"
)

// firstStart makes what a new database needs so that the first minute works:
// the administrator, the storage "Local disk" and the mount /local of it. A random password is told
// once, to w. On a database that has an administrator it does nothing.
func (a *app) firstStart(ctx context.Context, s *settings, w io.Writer) error {
	password, err := s.adminPassword()
	if err != nil {
		return err
	}
	var made *keys.NewAdmin
	err = a.store.Do(ctx, func(ctx context.Context) error {
		if made, err = a.access.FirstAdmin(ctx, s.AdminUser, password); err != nil || made == nil {
			return err
		}
		config, err := a.configs.EnsureLocal(ctx, made.ID, localFolder)
		if err != nil || config == nil {
			return err
		}
		return a.mounts.EnsureLocal(ctx, made.ID, config.ID, config.StorageType)
	})
	if err != nil {
		return fmt.Errorf("first start: %w", err)
	}
	if made == nil {
		return nil
	}
	if err := tellNewAdmin(w, made); err != nil {
		return err
	}
	return terminal.TellWhere(w, s.Listen, s.PublicURL)
}

// tellNewAdmin tells of a new administrator, and a random password once.
func tellNewAdmin(w io.Writer, made *keys.NewAdmin) error {
	told := fmt.Sprintf("administrator %q created", made.Username)
	if made.Password != "" {
		told += ", password: " + made.Password
	}
	_, err := fmt.Fprintln(w, told)
	return err
}

// localFolder is where "Local disk" keeps objects, below the data folder.
const localFolder = "files"
