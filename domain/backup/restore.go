package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pasteport/ports"
)

var errRestorePostgres = &ports.Error{Code: ports.NotImplemented, Key: "not_supported", Text: "backup.postgres"}

// PeekFile reads the manifest of the backup in a file alone, which proves nothing.
func PeekFile(file string) (Manifest, error) {
	in, err := os.Open(file)
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = in.Close() }()
	return Peek(in)
}

// Restoring says what is restored.
type Restoring struct {
	File           string
	Files          string // with the files of local disks; empty: beside File
	DatabaseOnly   bool   // leaves those files out
	AcceptUnsigned bool
}

// Restored is what a restore did.
type Restored struct {
	Manifest Manifest
	Aside    string // where the database before it is kept; empty when there was none
	Files    int    // of local disks, that were put back
}

// Restore puts a backup in the place of the database; a PostgreSQL database must
// be empty. Then it puts the files of local disks back. It proves the backup,
// brings its database up to date and tries the master key on it before anything
// is replaced. Servers of this node must not run.
func (n *Node) Restore(ctx context.Context, r Restoring) (out Restored, err error) {
	dir, done, err := n.d.Work("restore")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if out.Manifest, err = n.unpack(ctx, r, dir); err != nil {
		return out, err
	}
	if out.Manifest.Database != "sqlite" {
		return out, fmt.Errorf("the backup holds no database: restore the dump that was made beside it with pg_restore")
	}
	files, err := r.filesBeside(out.Manifest)
	if err != nil {
		return out, err
	}
	if err := n.adoptName(dir); err != nil {
		return out, err
	}
	restored := filepath.Join(dir, Database)
	disks, err := n.d.Try(ctx, restored, out.Manifest)
	if err != nil {
		return out, fmt.Errorf("the backup does not open here, and nothing was changed: %w", err)
	}
	if n.d.Database.SQLite() {
		out.Aside = filepath.Join(n.d.DataDir, Database+".before-"+time.Now().UTC().Format("20060102-150405"))
	}
	if err := n.d.Database.Replace(ctx, restored, out.Aside); err != nil {
		return out, err
	}
	if !exists(out.Aside) {
		out.Aside = ""
	}
	// The audit log goes on from the backup's end, not from what was kept.
	if err := os.WriteFile(filepath.Join(n.d.DataDir, n.d.HeadsFile), nil, 0o600); err != nil || files == "" {
		return out, err
	}
	if out.Files, err = restoreFiles(ctx, disks, files); err != nil {
		err = fmt.Errorf("the database was restored, but of the files only %d; repeat it once the cause is mended: %w", out.Files, err)
	}
	return out, err
}

// unpack proves a backup and leaves its files in dir.
func (n *Node) unpack(ctx context.Context, r Restoring, dir string) (Manifest, error) {
	in, err := os.Open(r.File)
	if err != nil {
		return Manifest{}, err
	}
	defer func() { _ = in.Close() }()
	return n.prove(ctx, in, dir, r.AcceptUnsigned)
}

// filesBeside is the file with the files of a backup, "" for a backup without or
// when only the database is wanted. It is proved.
func (r Restoring) filesBeside(m Manifest) (string, error) {
	if m.Beside == nil || r.DatabaseOnly {
		return "", nil
	}
	files := r.Files
	if files == "" {
		files = filepath.Join(filepath.Dir(r.File), m.Beside.Name)
	}
	in, err := os.Open(files)
	if err != nil {
		return "", fmt.Errorf("the backup has files beside it: %w; name them with --files, or leave them out with --database-only", err)
	}
	defer func() { _ = in.Close() }()
	return files, ProveFiles(in, *m.Beside)
}

// adoptName gives a folder without a node's name that of the backup in dir, whose
// chain of the audit log then goes on.
func (n *Node) adoptName(dir string) error {
	to := filepath.Join(n.d.DataDir, n.d.NodeFile)
	name, err := os.ReadFile(filepath.Join(dir, n.d.NodeFile))
	if errors.Is(err, fs.ErrNotExist) || exists(to) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, name, 0o600)
}

// restoreFiles writes the files beside a backup into the folders that the
// restored storage configs name.
func restoreFiles(ctx context.Context, open OpenDisks, file string) (count int, err error) {
	disks, err := open(ctx)
	defer func() {
		for _, bucket := range disks {
			err = errors.Join(err, bucket.Close())
		}
	}()
	if err != nil {
		return 0, err
	}
	in, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	return UnpackDisks(ctx, in, disks)
}
