package backup

import (
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
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Databases copies, proves and replaces the database of a node.
type Databases interface {
	// SQLite reports whether it is a file, which can be replaced.
	SQLite() bool
	// Copy writes it to the SQLite file to, which does not exist before. Servers may
	// run meanwhile.
	Copy(ctx context.Context, to string) error
	// Inspect checks a SQLite file that no process has open, and counts the rows of
	// its tables.
	Inspect(ctx context.Context, path string) (map[string]int64, error)
	// AuditHeads returns the ends of the audit log in such a file.
	AuditHeads(ctx context.Context, path string) ([]string, error)
	// Replace puts such a file in the place of the database. That of a node with
	// SQLite is kept under the name aside; another one must be empty.
	Replace(ctx context.Context, from, aside string) error
}

// OpenDisks opens the storages on the server's own disk, by the id of their
// config. Whoever calls it closes them.
type OpenDisks func(ctx context.Context) (map[string]objstore.Bucket, error)

// NodeDeps are what a Node needs.
type NodeDeps struct {
	DataDir   string
	Version   string // of the program
	NodeFile  string // name of the file in the data folder that names this node
	HeadsFile string // name of that with the ends of the audit log
	Approved  string // path of the list of approved plugins
	Database  Databases
	// MAC signs and proves backups: the master key; nil without one.
	MAC func() (ports.MAC, error)
	// Rules are those of the policy folder by their names.
	Rules func() (map[string]string, error)
	// Work makes a folder whose name begins with front; done removes it.
	Work func(front string) (dir string, done func() error, err error)
	// Try opens a restored database as a server would and notes the restore in it.
	Try func(ctx context.Context, database string, m Manifest) (OpenDisks, error)
}

// Node makes backups of a node and restores them, in its data folder.
type Node struct{ d NodeDeps }

var _ Keeper = (*Node)(nil)

// NewNode returns a Node.
func NewNode(d NodeDeps) *Node { return &Node{d} }

// Kind is what the database is.
func (n *Node) Kind() string {
	if n.d.Database.SQLite() {
		return "sqlite"
	}
	return "postgres"
}

// Make writes a backup of the database, the rules in the policy folder and the
// list of approved plugins.
func (n *Node) Make(ctx context.Context, w io.Writer, beside func(context.Context) (*File, error)) (err error) {
	dir, done, err := n.d.Work("backup")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	m := Manifest{CreatedAt: time.Now().UTC().Truncate(time.Second), Version: n.d.Version, Database: "sqlite", Origin: n.Kind()}
	snapshot := filepath.Join(dir, Database)
	if err := n.d.Database.Copy(ctx, snapshot); err != nil {
		return fmt.Errorf("snapshot of the database: %w", err)
	}
	if m.Counts, err = n.d.Database.Inspect(ctx, snapshot); err != nil {
		return err
	}
	if m.AuditHeads, err = n.d.Database.AuditHeads(ctx, snapshot); err != nil {
		return err
	}
	if beside != nil {
		if m.Beside, err = beside(ctx); err != nil {
			return err
		}
	}
	mac, err := n.d.MAC()
	if err != nil {
		return err
	}
	more, err := n.sources(dir)
	if err != nil {
		return err
	}
	return Write(w, m, mac, append([]Source{{Name: Database, Path: snapshot}}, more...))
}

// sources are what stands in a backup besides the database; dir takes copies.
func (n *Node) sources(dir string) (all []Source, err error) {
	if node := filepath.Join(n.d.DataDir, n.d.NodeFile); exists(node) {
		all = append(all, Source{Name: n.d.NodeFile, Path: node})
	}
	if exists(n.d.Approved) {
		all = append(all, Source{Name: "plugins.lock", Path: n.d.Approved})
	}
	rules, err := n.d.Rules()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		path := filepath.Join(dir, "rule-"+name)
		if err := os.WriteFile(path, []byte(rules[name]), 0o600); err != nil {
			return nil, err
		}
		all = append(all, Source{Name: "policies/" + name, Path: path})
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Prove proves a backup as a restore would, without taking it.
func (n *Node) Prove(ctx context.Context, r io.Reader, acceptUnsigned bool) (m Manifest, err error) {
	dir, done, err := n.d.Work("backup")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return n.prove(ctx, r, dir, acceptUnsigned)
}

// prove proves a backup and leaves its files in dir: its manifest by the master
// key, its files by their checksums, the database by reading all of it.
func (n *Node) prove(ctx context.Context, r io.Reader, dir string, acceptUnsigned bool) (Manifest, error) {
	m, err := Read(r, dir)
	if err != nil {
		return m, err
	}
	mac, err := n.d.MAC()
	if err != nil {
		return m, err
	}
	if !acceptUnsigned && !m.Proven(mac) {
		return m, ErrUnsigned
	}
	if m.Database != "sqlite" {
		return m, nil
	}
	counts, err := n.d.Database.Inspect(ctx, filepath.Join(dir, Database))
	if err != nil {
		return m, errArchive.With(err)
	}
	if !maps.Equal(counts, m.Counts) {
		return m, broken("the database has other rows than the manifest says: %v", counts)
	}
	return m, nil
}

// Spool opens a file for a backup under way, in the data folder; done removes it.
func (n *Node) Spool() (*os.File, func() error, error) {
	dir, done, err := n.d.Work("backup")
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "scheduled"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return f, func() error { return errors.Join(f.Close(), done()) }, nil
}

// stagedName is the backup in the data folder that the next start restores.
const stagedName = "restore.backup"

func (n *Node) staged() string { return filepath.Join(n.d.DataDir, stagedName) }

// accepted is there when the staged backup is taken without a proof.
func (n *Node) accepted() string { return n.staged() + ".accepted" }

// Stage proves a backup and keeps it for the next start.
func (n *Node) Stage(ctx context.Context, r io.Reader, acceptUnsigned bool) (m Manifest, err error) {
	if !n.d.Database.SQLite() {
		return m, errRestorePostgres
	}
	dir, done, err := n.d.Work("restore")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done()) }()
	file, err := os.OpenFile(filepath.Join(dir, stagedName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, err
	}
	m, err = n.prove(ctx, io.TeeReader(r, file), filepath.Join(dir, "files"), acceptUnsigned)
	if err == nil {
		_, err = io.Copy(file, r) // padding behind the end
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return m, err
	}
	if err := n.Unstage(); err != nil {
		return m, err
	}
	if acceptUnsigned { // the next start need not ask again
		if err := os.WriteFile(n.accepted(), nil, 0o600); err != nil {
			return m, err
		}
	}
	return m, os.Rename(file.Name(), n.staged())
}

// Staged returns what waits for the next start.
func (n *Node) Staged() (*Manifest, error) {
	if !exists(n.staged()) {
		return nil, nil
	}
	m, err := PeekFile(n.staged())
	return &m, err
}

// refused says why a staged backup was not restored, until another one is staged.
func (n *Node) refused() string { return n.staged() + ".problem" }

// Refused returns why the last staged backup was not restored; nil when it was.
func (n *Node) Refused() (*Refusal, error) {
	problem, err := os.ReadFile(n.refused())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(n.refused())
	if err != nil {
		return nil, err
	}
	return &Refusal{At: info.ModTime(), Problem: string(problem)}, nil
}

// Unstage forgets it, and that one was not restored.
func (n *Node) Unstage() error {
	for _, path := range []string{n.staged(), n.accepted(), n.refused()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// RestoreStaged restores the backup that waits for this start. One that does not
// open is put aside, Refused tells of it, and the server starts with what it had.
func (n *Node) RestoreStaged(ctx context.Context, log *slog.Logger) error {
	if !exists(n.staged()) || !n.d.Database.SQLite() {
		return nil
	}
	done, err := n.Restore(ctx, Restoring{File: n.staged(), DatabaseOnly: true, AcceptUnsigned: exists(n.accepted())})
	if err != nil {
		log.Error("the backup was not restored; it is kept as "+n.staged()+".failed", "error", err)
		return errors.Join(os.WriteFile(n.refused(), []byte(err.Error()), 0o600), os.Rename(n.staged(), n.staged()+".failed"))
	}
	log.Warn("backup restored", "made", done.Manifest.CreatedAt, "database_before", done.Aside)
	return n.Unstage()
}
