package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

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
	if at := s.pagesAt(); at != "" {
		_, err = fmt.Fprintf(w, "sign in at %s/admin\n", at)
	}
	return err
}

// pagesAt is the address under which somebody at this machine opens the pages; "" where the listener does not tell.
func (s *settings) pagesAt() string {
	if s.PublicURL != "" {
		return strings.TrimRight(s.PublicURL, "/")
	}
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || port == "0" || strings.HasPrefix(s.Listen, "unix:") {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// tellNewAdmin tells of a new administrator, and a random password once.
func tellNewAdmin(w io.Writer, made *keys.NewAdmin) error {
	if made.Password == "" {
		_, err := fmt.Fprintf(w, "administrator %q created\n", made.Username)
		return err
	}
	_, err := fmt.Fprintf(w, "administrator %q created, password: %s\n", made.Username, made.Password)
	return err
}

// localFolder is where "Local disk" keeps objects, below the data folder.
const localFolder = "files"
