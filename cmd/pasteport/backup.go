package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/datadir"
	"pasteport/adapters/secrets"
	"pasteport/cmd/pasteport/rules"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/filelock"
	"pasteport/ports/objstore"
)

// backupCommand holds what an operator does about backups.
type backupCommand struct {
	Create  backupCreateCommand  `cmd:"" help:"Make a backup. Servers may run."`
	Verify  backupVerifyCommand  `cmd:"" help:"Prove that a backup is whole, and tell what is in it."`
	Restore backupRestoreCommand `cmd:"" help:"Put a backup in the place of the database, which is kept beside it; a PostgreSQL database must be a new, empty one. Stop the server first."`
}

// backupCreateCommand makes a backup.
type backupCreateCommand struct {
	File string `arg:"" help:"Where to write it; the file must not exist."`
}

// Run writes the backup beside the file first, so that a file of this name is
// always whole.
func (c *backupCreateCommand) Run(ctx context.Context, s *settings) (err error) {
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s exists already", c.File)
	}
	part, err := os.OpenFile(c.File+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Try(part); err != nil {
		return errors.Join(fmt.Errorf("%s is being written by another process", part.Name()), part.Close())
	}
	defer func() { _ = os.Remove(part.Name()) }() // once it has its name, there is none
	err = newKeeper(s).Make(ctx, part, nil)
	if err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), c.File); err != nil {
		return err
	}
	_, err = fmt.Printf("backup written to %s; keep the master key (%s) apart from it\n", c.File, s.keyFile())
	return err
}

// backupVerifyCommand proves a backup.
type backupVerifyCommand struct {
	File           string `arg:"" help:"The backup."`
	AcceptUnsigned bool   `env:"-" help:"Take one that the master key does not prove: of an earlier version, of another server, or changed."`
}

// Run reads it to its end, checks the database in it, and prints what is in it.
func (c *backupVerifyCommand) Run(ctx context.Context, s *settings) (err error) {
	in, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	k := keeperIn(s, func(string) (string, func() error, error) { // a disk of its own may have more room
		dir, err := os.MkdirTemp("", "pasteport-backup-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	})
	m, err := k.Prove(ctx, in, c.AcceptUnsigned)
	if err != nil {
		return err
	}
	return tell(m)
}

// backupMAC signs backups: the master key, or nil without one.
func (s *settings) backupMAC() (ports.MAC, error) {
	vault, err := secrets.Open(s.keyFile())
	if errors.Is(err, secrets.ErrNoKey) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.keyFile(), err)
	}
	return vault, nil
}

func tell(m backup.Manifest) error {
	fmt.Printf("a whole backup of %s, made by version %s (%s)\n", m.CreatedAt.UTC().Format(time.RFC3339), m.Version, cmp.Or(m.Origin, m.Database))
	for _, table := range slices.Sorted(maps.Keys(m.Counts)) {
		fmt.Printf("  %s: %d\n", table, m.Counts[table])
	}
	return nil
}

// backupRestoreCommand restores a backup.
type backupRestoreCommand struct {
	File           string `arg:"" help:"The backup."`
	Files          string `env:"-" help:"The files of local disks that were backed up with it. Default: what lies beside the backup under their name." placeholder:"FILE"`
	DatabaseOnly   bool   `env:"-" help:"Leave those files out."`
	AcceptUnsigned bool   `env:"-" help:"Take one that the master key does not prove: of an earlier version, of another server, or changed."`
}

// Run proves the backup, brings its database up to date and tries the master key
// on it, before anything is replaced.
func (c *backupRestoreCommand) Run(ctx context.Context, s *settings) error {
	done, err := newKeeper(s).Restore(ctx, backup.Restoring{File: c.File, Files: c.Files, DatabaseOnly: c.DatabaseOnly, AcceptUnsigned: c.AcceptUnsigned})
	if err != nil {
		return err
	}
	if err := tell(done.Manifest); err != nil {
		return err
	}
	if done.Manifest.Beside != nil && !c.DatabaseOnly {
		fmt.Printf("files of local disks restored: %d\n", done.Files)
	}
	if done.Aside == "" {
		_, err = fmt.Println("restored; there was no database before")
		return err
	}
	_, err = fmt.Printf("restored; the database before it is kept as %s\n", done.Aside)
	return err
}

// newKeeper makes backups of this node and restores them, with its data folder to
// work in.
func newKeeper(s *settings) *backup.Node {
	return keeperIn(s, func(front string) (string, func() error, error) { return datadir.WorkFolder(s.DataDir, front) })
}

func keeperIn(s *settings, work func(front string) (dir string, done func() error, err error)) *backup.Node {
	return backup.NewNode(backup.NodeDeps{
		DataDir: s.DataDir, Version: version, NodeFile: datadir.NodeFile, HeadsFile: datadir.HeadsFile, Approved: filepath.Join(s.pluginDir(), "plugins.lock"),
		Database: bunstore.Whole{URL: s.databaseURL()}, MAC: s.backupMAC, Rules: func() (map[string]string, error) { return rules.Read(s.PolicyDir) }, Work: work,
		Try: func(ctx context.Context, database string, m backup.Manifest) (backup.OpenDisks, error) {
			copied := *s
			copied.DatabaseURL, copied.SecretKeyFile = database, s.keyFile()
			disks, err := tryRestored(ctx, &copied, m)
			return func(ctx context.Context) (map[string]objstore.Bucket, error) { return openDisks(ctx, s, disks) }, err
		},
	})
}

// tryRestored opens a restored database as a server would, notes the restore in
// it, and leaves one file. It returns the storage configs of local disks.
func tryRestored(ctx context.Context, s *settings, m backup.Manifest) (disks []storage.Config, err error) {
	a := &app{log: slog.New(s.handler(os.Stderr, slog.LevelWarn))}
	defer func() { err = errors.Join(err, a.close()) }()
	if _, err := os.Stat(s.keyFile()); err != nil {
		return nil, fmt.Errorf("the master key: %w; put your copy of it there first", err)
	}
	if err := a.openStore(ctx, s); err != nil {
		return nil, err
	}
	if err := a.openAudit(ctx, s, nil); err != nil {
		return nil, err
	}
	if err := a.audit.Adopt(ctx, false); err != nil { // of an earlier version
		return nil, err
	}
	if disks, err = localConfigs(ctx, a.store.StorageConfigs()); err != nil {
		return nil, err
	}
	return disks, a.noteCommand(ctx, audit.BackupRestored, m.CreatedAt.UTC().Format(time.RFC3339))
}

// openDisks opens the folders that storage configs of local disks name.
func openDisks(ctx context.Context, s *settings, configs []storage.Config) (map[string]objstore.Bucket, error) {
	disks := map[string]objstore.Bucket{}
	for _, c := range configs {
		options := map[string]string{}
		if c.Options != "" {
			if err := json.Unmarshal([]byte(c.Options), &options); err != nil {
				return disks, fmt.Errorf("storage %s: %w", c.Name, err)
			}
		}
		bucket, err := s.disk().Open(ctx, objstore.Config{ID: c.ID, Options: options})
		if err != nil {
			return disks, fmt.Errorf("storage %s: %w", c.Name, err)
		}
		disks[c.ID] = bucket
	}
	return disks, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
