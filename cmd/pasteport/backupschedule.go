package main

import (
	"context"
	"encoding/json"
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
	s *settings
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
func (b backupSite) Prove(ctx context.Context, r io.Reader) (m backup.Manifest, err error) {
	dir, done, err := workFolder(b.s.DataDir, "backup")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return proveBackup(ctx, b.s, r, dir, false)
}

// Spool opens a file in the data folder.
func (b backupSite) Spool() (*os.File, func() error, error) {
	dir, done, err := workFolder(b.s.DataDir, "backup")
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "scheduled"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return f, func() error { return errors.Join(f.Close(), done()) }, nil
}

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
func (a *app) openSchedule(s *settings, decider policy.Decider) {
	a.schedule = backup.NewSchedule(backup.ScheduleDeps{
		Decider: decider, Keeper: &backups{s}, Site: backupSite{a, s}, Notes: a.store.Secrets(), Clock: ports.SystemClock, Work: a.store, Outbox: a.events, Report: a.report,
	})
}

// restoreFiles writes the files beside a backup into the folders that the
// restored storage configs name.
func restoreFiles(ctx context.Context, s *settings, configs []storage.Config, file string) (n int, err error) {
	disks := map[string]objstore.Bucket{}
	defer func() {
		for _, bucket := range disks {
			err = errors.Join(err, bucket.Close())
		}
	}()
	for _, c := range configs {
		options := map[string]string{}
		if c.Options != "" {
			if err := json.Unmarshal([]byte(c.Options), &options); err != nil {
				return 0, fmt.Errorf("storage %s: %w", c.Name, err)
			}
		}
		bucket, err := s.disk().Open(ctx, objstore.Config{ID: c.ID, Options: options})
		if err != nil {
			return 0, fmt.Errorf("storage %s: %w", c.Name, err)
		}
		disks[c.ID] = bucket
	}
	in, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	return backup.UnpackDisks(ctx, in, disks)
}

// filesBeside is the file with the files of a backup, "" for a backup without or
// when only the database is wanted. It is proved.
func filesBeside(m backup.Manifest, file, files string, databaseOnly bool) (string, error) {
	if m.Beside == nil || databaseOnly {
		return "", nil
	}
	if files == "" {
		files = filepath.Join(filepath.Dir(file), m.Beside.Name)
	}
	in, err := os.Open(files)
	if err != nil {
		return "", fmt.Errorf("the backup has files beside it: %w; name them with --files, or leave them out with --database-only", err)
	}
	defer func() { _ = in.Close() }()
	return files, backup.ProveFiles(in, *m.Beside)
}
