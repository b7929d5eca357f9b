package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/secrets"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
	"pasteport/domain/storage"
	"pasteport/ports"
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
	if err := syscall.Flock(int(part.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("%s is being written by another process", part.Name()), part.Close())
	}
	defer func() { _ = os.Remove(part.Name()) }() // once it has its name, there is none
	err = (&backups{s}).Make(ctx, part, nil)
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
	dir, err := os.MkdirTemp("", "pasteport-backup-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m, err := unpack(ctx, s, c.File, dir, c.AcceptUnsigned)
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

// peek reads the manifest of a backup.
func peek(file string) (backup.Manifest, error) {
	in, err := os.Open(file)
	if err != nil {
		return backup.Manifest{}, err
	}
	defer func() { _ = in.Close() }()
	return backup.Peek(in)
}

func tell(m backup.Manifest) error {
	fmt.Printf("a whole backup of %s, made by version %s (%s)\n", m.CreatedAt.UTC().Format(time.RFC3339), m.Version, cmp.Or(m.Origin, m.Database))
	for _, table := range slices.Sorted(maps.Keys(m.Counts)) {
		fmt.Printf("  %s: %d\n", table, m.Counts[table])
	}
	return nil
}

// unpack proves a backup and leaves its files in dir.
func unpack(ctx context.Context, s *settings, file, dir string, acceptUnsigned bool) (m backup.Manifest, err error) {
	in, err := os.Open(file)
	if err != nil {
		return m, err
	}
	defer func() { _ = in.Close() }()
	return proveBackup(ctx, s, in, dir, acceptUnsigned)
}

// proveBackup proves a backup: its manifest by the master key, its files by their
// checksums, the database by reading all of it.
func proveBackup(ctx context.Context, s *settings, r io.Reader, dir string, acceptUnsigned bool) (backup.Manifest, error) {
	m, err := backup.Read(r, dir)
	if err != nil {
		return m, err
	}
	mac, err := s.backupMAC()
	if err != nil {
		return m, err
	}
	if !acceptUnsigned && !m.Proven(mac) {
		return m, backup.ErrUnsigned
	}
	if m.Database != "sqlite" {
		return m, nil
	}
	counts, err := bunstore.Inspect(ctx, filepath.Join(dir, backup.Database))
	if err != nil {
		return m, &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "backup.invalid", Cause: err}
	}
	if !maps.Equal(counts, m.Counts) {
		return m, &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "backup.invalid", Cause: fmt.Errorf("the database has other rows than the manifest says: %v", counts)}
	}
	return m, nil
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
	r := restoring{file: c.File, files: c.Files, databaseOnly: c.DatabaseOnly, acceptUnsigned: c.AcceptUnsigned}
	m, aside, err := r.run(ctx, s)
	if err != nil {
		return err
	}
	if err := tell(m); err != nil {
		return err
	}
	if m.Beside != nil && !c.DatabaseOnly {
		fmt.Printf("files of local disks restored: %d\n", r.restored)
	}
	if aside == "" {
		_, err = fmt.Println("restored into the empty PostgreSQL database")
		return err
	}
	_, err = fmt.Printf("restored; the database before it is kept as %s\n", aside)
	return err
}

var errRestorePostgres = &ports.Error{Code: ports.NotImplemented, Key: "not_supported", Text: "backup.postgres"}

// restoring is a restore.
type restoring struct {
	file           string
	files          string // with the files of local disks; empty: beside file
	databaseOnly   bool
	acceptUnsigned bool
	restored       int // files
}

// run puts a backup in the place of the database and returns where that one is
// kept; a PostgreSQL database must be empty, and none is kept. Then it puts the
// files of local disks back.
func (r *restoring) run(ctx context.Context, s *settings) (m backup.Manifest, aside string, err error) {
	dir, done, err := workFolder(s.DataDir, "restore")
	if err != nil {
		return m, "", err
	}
	defer func() { err = errors.Join(err, done()) }()
	if m, err = unpack(ctx, s, r.file, dir, r.acceptUnsigned); err != nil {
		return m, "", err
	}
	if m.Database != "sqlite" {
		return m, "", fmt.Errorf("the backup holds no database: restore the dump that was made beside it with pg_restore")
	}
	files, err := filesBeside(m, r.file, r.files, r.databaseOnly)
	if err != nil {
		return m, "", err
	}
	if err := adoptNode(dir, s.DataDir); err != nil {
		return m, "", err
	}
	copied := *s
	copied.DatabaseURL, copied.SecretKeyFile = filepath.Join(dir, backup.Database), s.keyFile()
	disks, err := tryRestored(ctx, &copied, m)
	if err != nil {
		return m, "", fmt.Errorf("the backup does not open here, and nothing was changed: %w", err)
	}
	if bunstore.IsSQLite(s.databaseURL()) {
		aside = filepath.Join(s.DataDir, "pasteport.db.before-"+time.Now().UTC().Format("20060102-150405"))
		err = bunstore.Install(s.databaseURL(), copied.DatabaseURL, aside)
	} else {
		err = bunstore.Import(ctx, copied.DatabaseURL, s.databaseURL())
	}
	if err != nil {
		return m, aside, err
	}
	// The audit log goes on from the backup's end, not from what was kept.
	if err := os.WriteFile(filepath.Join(s.DataDir, headsName), nil, 0o600); err != nil || files == "" {
		return m, aside, err
	}
	if r.restored, err = restoreFiles(ctx, s, disks, files); err != nil {
		err = fmt.Errorf("the database was restored, but of the files only %d; repeat it once the cause is mended: %w", r.restored, err)
	}
	return m, aside, err
}

// adoptNode gives a folder without a node's name that of the backup, whose chain
// of the audit log then goes on.
func adoptNode(from, to string) error {
	name, err := os.ReadFile(filepath.Join(from, nodeFile))
	if errors.Is(err, fs.ErrNotExist) || exists(filepath.Join(to, nodeFile)) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, nodeFile), name, 0o600)
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

// backups makes and takes backups of this node.
type backups struct{ s *settings }

var _ backup.Keeper = (*backups)(nil)

// Kind is what the database is.
func (b *backups) Kind() string {
	if bunstore.IsSQLite(b.s.databaseURL()) {
		return "sqlite"
	}
	return "postgres"
}

// Make writes a backup of the database, the rules in the policy folder and the
// list of approved plugins.
func (b *backups) Make(ctx context.Context, w io.Writer, beside func(context.Context) (*backup.File, error)) (err error) {
	dir, done, err := workFolder(b.s.DataDir, "backup")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	m := backup.Manifest{CreatedAt: time.Now().UTC().Truncate(time.Second), Version: version, Database: "sqlite", Origin: b.Kind()}
	snapshot, take := filepath.Join(dir, backup.Database), bunstore.Snapshot
	if m.Origin != "sqlite" {
		take = bunstore.Export
	}
	if err := take(ctx, b.s.databaseURL(), snapshot); err != nil {
		return fmt.Errorf("snapshot of the database: %w", err)
	}
	if m.Counts, err = bunstore.Inspect(ctx, snapshot); err != nil {
		return err
	}
	if m.AuditHeads, err = bunstore.AuditHeads(ctx, snapshot); err != nil {
		return err
	}
	if beside != nil {
		if m.Beside, err = beside(ctx); err != nil {
			return err
		}
	}
	mac, err := b.s.backupMAC()
	if err != nil {
		return err
	}
	sources := []backup.Source{{Name: backup.Database, Path: snapshot}}
	if node := filepath.Join(b.s.DataDir, nodeFile); exists(node) {
		sources = append(sources, backup.Source{Name: nodeFile, Path: node})
	}
	if lock := filepath.Join(b.s.pluginDir(), "plugins.lock"); exists(lock) {
		sources = append(sources, backup.Source{Name: "plugins.lock", Path: lock})
	}
	if b.s.PolicyDir != "" {
		rules, err := rulesIn(b.s.PolicyDir)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			path := filepath.Join(dir, "rule-"+name)
			if err := os.WriteFile(path, []byte(rules[name]), 0o600); err != nil {
				return err
			}
			sources = append(sources, backup.Source{Name: "policies/" + name, Path: path})
		}
	}
	return backup.Write(w, m, mac, sources)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// stagedName is the backup in the data folder that the next start restores.
const stagedName = "restore.backup"

func (b *backups) staged() string { return filepath.Join(b.s.DataDir, stagedName) }

// Stage proves a backup and keeps it for the next start.
func (b *backups) Stage(ctx context.Context, r io.Reader, acceptUnsigned bool) (m backup.Manifest, err error) {
	if b.Kind() != "sqlite" {
		return m, errRestorePostgres
	}
	dir, done, err := workFolder(b.s.DataDir, "restore")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done()) }()
	file, err := os.OpenFile(filepath.Join(dir, stagedName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, err
	}
	files := filepath.Join(dir, "files")
	m, err = proveBackup(ctx, b.s, io.TeeReader(r, file), files, acceptUnsigned)
	if err == nil {
		_, err = io.Copy(file, r) // padding behind the end
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return m, err
	}
	if err := b.Unstage(); err != nil {
		return m, err
	}
	if acceptUnsigned { // the next start need not ask again
		if err := os.WriteFile(b.accepted(), nil, 0o600); err != nil {
			return m, err
		}
	}
	return m, os.Rename(file.Name(), b.staged())
}

// accepted is there when the staged backup is taken without a proof.
func (b *backups) accepted() string { return b.staged() + ".accepted" }

// Staged returns what waits for the next start.
func (b *backups) Staged() (*backup.Manifest, error) {
	if !exists(b.staged()) {
		return nil, nil
	}
	m, err := peek(b.staged())
	return &m, err
}

// Unstage forgets it.
func (b *backups) Unstage() error {
	for _, path := range []string{b.staged(), b.accepted()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// restoreStaged restores the backup that waits for this start. One that does
// not open is put aside, and the server starts with what it had.
func restoreStaged(ctx context.Context, s *settings, log *slog.Logger) error {
	b := &backups{s}
	if !exists(b.staged()) || b.Kind() != "sqlite" {
		return nil
	}
	r := restoring{file: b.staged(), databaseOnly: true, acceptUnsigned: exists(b.accepted())}
	m, aside, err := r.run(ctx, s)
	if err != nil {
		log.Error("the backup was not restored; it is kept as "+b.staged()+".failed", "error", err)
		return os.Rename(b.staged(), b.staged()+".failed")
	}
	log.Warn("backup restored", "made", m.CreatedAt, "database_before", aside)
	return b.Unstage()
}
