package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/storage"
	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// shelfPrefix is where a storage keeps backups.
const shelfPrefix = "pasteport-backups/"

// backupDir is the folder of scheduled backups.
func (s *settings) backupDir() string {
	if s.BackupDir != "" {
		return s.BackupDir
	}
	return filepath.Join(s.DataDir, "backups")
}

// backupSite is what scheduled backups need of this node.
type backupSite struct {
	*app
	s    *settings
	node *backup.Node
}

var _ backup.Site = backupSite{}

// Plan is what the operator has set.
func (b backupSite) Plan() ports.BackupPlan { return b.settings.Values().BackupPlan() }

// errOpenShelf is the error of a storage in which others could find backups.
var errOpenShelf = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "backup.open_storage"}

// Shelf opens the backup folder or a storage that is for backups alone.
func (b backupSite) Shelf(ctx context.Context, id string) (backup.Shelf, error) {
	if id == "" {
		bucket, err := openFolder(ctx, b.s.backupDir())
		if err != nil {
			return backup.Shelf{}, fmt.Errorf("the backup folder: %w", err)
		}
		return backup.Shelf{Bucket: bucket, Close: bucket.Close}, nil
	}
	config, err := b.configs.Lookup(ctx, id)
	if err != nil {
		return backup.Shelf{}, fmt.Errorf("the storage of backups: %w", err)
	}
	mounts, err := b.mountsOf(ctx, id)
	if err != nil {
		return backup.Shelf{}, err
	}
	if mounts > 0 || config.IsPublic || config.IsDefault {
		return backup.Shelf{}, errOpenShelf
	}
	bucket, err := b.opener.Bucket(ctx, id)
	return backup.Shelf{Bucket: bucket, Prefix: shelfPrefix}, err
}

// openFolder opens a folder of this machine as a bucket.
func openFolder(ctx context.Context, dir string) (objstore.Bucket, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return local.Driver{}.Open(ctx, objstore.Config{Options: map[string]string{local.OptionDirectory: dir}})
}

// Disks are the storages on the server's own disk, but for that of the backups.
func (b backupSite) Disks(ctx context.Context) (map[string]objstore.Bucket, error) {
	configs, err := localConfigs(ctx, b.store.StorageConfigs())
	if err != nil {
		return nil, err
	}
	disks := map[string]objstore.Bucket{}
	for _, c := range configs {
		if c.ID == b.Plan().Storage {
			continue
		}
		if disks[c.ID], err = b.opener.Bucket(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("storage %s: %w", c.Name, err)
		}
	}
	return disks, nil
}

// localConfigs are the storage configs on the server's own disk.
func localConfigs(ctx context.Context, configs storage.ConfigRepository) ([]storage.Config, error) {
	all, err := configs.List(ctx, storage.ConfigFilter{})
	if err != nil {
		return nil, err
	}
	var own []storage.Config
	for _, c := range all.Items {
		if c.Driver == local.Name {
			own = append(own, c)
		}
	}
	return own, nil
}

// Prove proves a backup in a folder of its own.
func (b backupSite) Prove(ctx context.Context, r io.Reader) (backup.Manifest, error) {
	return b.node.Prove(ctx, r, false)
}

// Spool opens a file in the data folder.
func (b backupSite) Spool() (*os.File, func() error, error) { return b.node.Spool() }

// Note notes a round in the audit log and in the server's log.
func (b backupSite) Note(ctx context.Context, name string, failed error) {
	entry := audit.Entry{Kind: policy.System, Name: "server", Action: audit.BackupScheduled, Target: name}
	if failed != nil {
		entry.Outcome, entry.Code = audit.Failed, "backup_failed"
		if e := (*ports.Error)(nil); errors.As(failed, &e) {
			entry.Code = e.Key
		}
	} else {
		b.log.Info("backup made and proved", "name", name)
	}
	if err := b.audit.Add(ctx, entry); err != nil {
		b.report("note a backup in the audit log", err)
	}
}

// openSchedule makes the schedule of backups.
func openSchedule(a *app, s *settings, decider policy.Decider) *backup.Schedule {
	node := newKeeper(s)
	return backup.NewSchedule(backup.ScheduleDeps{
		Decider: decider, Keeper: node, Site: backupSite{a, s, node}, Notes: a.store.Secrets(), Clock: ports.SystemClock, Work: a.store, Outbox: a.events, Report: a.report,
	})
}
