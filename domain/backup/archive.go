// Package backup is what a backup looks like and how one is proved to be whole:
// one gzipped tar file with a manifest first, which names every other file with
// its size and checksum. The master key is never in it.
//
// It does not know databases; whoever calls it brings a snapshot.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// Format is the version of the form that this program writes and reads.
const Format = 1

const (
	manifestName = "manifest.json"
	maxManifest  = 1 << 20
	maxFiles     = 1000
)

// Database is the name of the database's snapshot in a backup.
const Database = "pasteport.db"

// Manifest says what is in a backup.
type Manifest struct {
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"created_at"`
	Version   string    `json:"version"` // of the program that made it
	// Database is the form of the snapshot: sqlite, whatever it was made of. Older
	// versions wrote postgres, for a backup without a snapshot.
	Database string `json:"database"`
	// Origin is what the snapshot was made of: sqlite or postgres; empty for
	// sqlite.
	Origin string           `json:"origin,omitempty"`
	Counts map[string]int64 `json:"counts"` // rows by table
	Files  []File           `json:"files"`
	// AuditHeads are the ends of the audit log in it, as audit.Head writes them.
	AuditHeads []string `json:"audit_heads,omitempty"`
	// Beside are the files of the local disks, which are kept beside the backup; nil
	// without.
	Beside *File `json:"beside,omitempty"`
	// MAC is the keyed hash over all of the manifest but itself, in hex, and so
	// over the checksums of the files. Empty without a master key, and of versions
	// that made none.
	MAC string `json:"mac,omitempty"`
}

// sum is the keyed hash that MAC should be.
func (m Manifest) sum(mac ports.MAC) (string, error) {
	m.MAC = ""
	text, err := json.Marshal(m)
	sum := mac.Sum("backup manifest", text)
	return hex.EncodeToString(sum[:]), err
}

// Proven reports whether the manifest was made with the master key behind mac
// and not changed since. A nil mac proves nothing.
func (m Manifest) Proven(mac ports.MAC) bool {
	if mac == nil || m.MAC == "" {
		return false
	}
	want, err := m.sum(mac)
	return err == nil && hmac.Equal([]byte(m.MAC), []byte(want))
}

// ErrUnsigned is the error of a backup that the master key does not prove.
var ErrUnsigned = &ports.Error{Code: ports.Invalid, Key: "backup_unsigned"}

// File is a file in a backup.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// Source is a file to be put into a backup.
type Source struct {
	Name string // in the backup
	Path string // where it is
}

var (
	errArchive = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "backup.invalid"}
	fileName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,5}$`)
)

func broken(format string, args ...any) error { return errArchive.With(fmt.Errorf(format, args...)) }

// Write writes a backup of sources. The manifest's format and files are filled
// here, and signed with mac unless that is nil.
func Write(w io.Writer, m Manifest, mac ports.MAC, sources []Source) (err error) {
	m.Format, m.Files = Format, nil
	for _, s := range sources {
		if !fileName.MatchString(s.Name) {
			return fmt.Errorf("%q cannot stand in a backup", s.Name)
		}
		sum, size, err := sumOf(s.Path)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, File{s.Name, size, sum})
	}
	if mac != nil {
		if m.MAC, err = m.sum(mac); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	if err := archive.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(text)), ModTime: m.CreatedAt}); err != nil {
		return err
	}
	if _, err := archive.Write(text); err != nil {
		return err
	}
	for i, s := range sources {
		if err := writeFile(archive, m.Files[i], s.Path, m.CreatedAt); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func sumOf(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

func writeFile(archive *tar.Writer, file File, path string, at time.Time) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := archive.WriteHeader(&tar.Header{Name: file.Name, Mode: 0o600, Size: file.Size, ModTime: at}); err != nil {
		return err
	}
	_, err = io.CopyN(archive, f, file.Size)
	return err
}

// Read reads a backup to its end and proves it: every file that the manifest
// names is there once, and as it was written. Files are left in dir, which is
// empty before. Returns Invalid for anything that is no whole backup.
func Read(r io.Reader, dir string) (Manifest, error) {
	m, archive, packed, err := open(r)
	if err != nil {
		return m, err
	}
	for _, file := range m.Files {
		if err := readFile(archive, file, dir); err != nil {
			return m, err
		}
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return m, broken("there is more than the manifest names: %v", err)
	}
	if _, err := io.Copy(io.Discard, packed); err != nil { // the end has a checksum of its own
		return m, broken("read to the end: %w", err)
	}
	return m, nil
}

// Peek reads the manifest of a backup alone, which proves nothing.
func Peek(r io.Reader) (Manifest, error) {
	m, _, _, err := open(r)
	return m, err
}

// open reads a backup up to the end of its manifest.
func open(r io.Reader) (m Manifest, archive *tar.Reader, packed *gzip.Reader, err error) {
	if packed, err = gzip.NewReader(r); err != nil {
		return m, nil, nil, broken("not a backup: %w", err)
	}
	archive = tar.NewReader(packed)
	head, err := archive.Next()
	if err != nil || head.Name != manifestName || head.Size > maxManifest {
		return m, nil, nil, broken("the manifest does not come first")
	}
	if err := json.NewDecoder(archive).Decode(&m); err != nil {
		return m, nil, nil, broken("read the manifest: %w", err)
	}
	if m.Format != Format {
		return m, nil, nil, broken("a backup of format %d; this program knows %d", m.Format, Format)
	}
	if len(m.Files) > maxFiles {
		return m, nil, nil, broken("%d files in a backup", len(m.Files))
	}
	return m, archive, packed, nil
}

func readFile(archive *tar.Reader, file File, dir string) (err error) {
	head, err := archive.Next()
	if err != nil {
		return broken("%s is missing: %w", file.Name, err)
	}
	if head.Name != file.Name || head.Size != file.Size || head.Typeflag != tar.TypeReg || !fileName.MatchString(file.Name) {
		return broken("%q stands where %q should", head.Name, file.Name)
	}
	path := filepath.Join(dir, filepath.FromSlash(file.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), archive); err != nil {
		return broken("read %s: %w", file.Name, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != file.SHA256 {
		return broken("%s is not as it was written: checksum %s, want %s", file.Name, got, file.SHA256)
	}
	return out.Sync()
}

// Keeper makes and takes backups of this node.
type Keeper interface {
	// Make writes a backup made now. When the database has been copied, beside is
	// called and tells which file is kept beside the backup; nil for none.
	Make(ctx context.Context, w io.Writer, beside func(context.Context) (*File, error)) error
	// Stage proves a backup and keeps it for the next start, which restores it.
	// Errors as of Read; ErrUnsigned for one that the master key does not prove,
	// unless acceptUnsigned; NotImplemented where a server cannot restore.
	Stage(ctx context.Context, r io.Reader, acceptUnsigned bool) (Manifest, error)
	// Staged returns the backup that waits for the next start, or nil.
	Staged() (*Manifest, error)
	// Refused returns why the last staged backup was not restored, or nil.
	Refused() (*Refusal, error)
	// Unstage forgets both.
	Unstage() error
	// Kind is what the database is: sqlite or postgres.
	Kind() string
}

// Backups lets the administrator make and restore backups.
type Backups struct {
	decider policy.Decider
	keeper  Keeper
	restart func() error
}

// New returns Backups. restart has the server stop and start again, and returns
// before that.
func New(decider policy.Decider, keeper Keeper, restart func() error) *Backups {
	return &Backups{decider, keeper, restart}
}

func (b *Backups) may(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, b.decider, who, policy.BackupWrite, policy.Resource{Kind: policy.KindBackup})
	return err
}

// State is what there is about backups.
type State struct {
	Database string
	Staged   *Manifest
	Refused  *Refusal
}

// Refusal is why a backup was not restored at a start.
type Refusal struct {
	At      time.Time
	Problem string
}

// State tells what waits for the next start. Asks admin.backup.write.
func (b *Backups) State(ctx context.Context, who policy.Principal) (State, error) {
	if err := b.may(ctx, who); err != nil {
		return State{}, err
	}
	staged, err := b.keeper.Staged()
	if err != nil {
		return State{}, err
	}
	refused, err := b.keeper.Refused()
	return State{b.keeper.Kind(), staged, refused}, err
}

// Make lets begin prepare the answer, once it is sure that there may be one,
// and writes a backup to what it returns. When begin returns an error there is
// none. Asks admin.backup.write.
func (b *Backups) Make(ctx context.Context, who policy.Principal, begin func() (io.Writer, error)) error {
	if err := b.may(ctx, who); err != nil {
		return err
	}
	w, err := begin()
	if err != nil {
		return err
	}
	return b.keeper.Make(ctx, w, nil)
}

// Stage proves a backup and keeps it for the next start. Asks
// admin.backup.write.
func (b *Backups) Stage(ctx context.Context, who policy.Principal, r io.Reader, acceptUnsigned bool) (Manifest, error) {
	if err := b.may(ctx, who); err != nil {
		return Manifest{}, err
	}
	return b.keeper.Stage(ctx, r, acceptUnsigned)
}

// Unstage forgets the backup that waits for the next start. Asks
// admin.backup.write.
func (b *Backups) Unstage(ctx context.Context, who policy.Principal) error {
	if err := b.may(ctx, who); err != nil {
		return err
	}
	return b.keeper.Unstage()
}

// Restart has the server start again at once, for the backup that waits for
// that; NotFound when none does. Asks admin.backup.write.
func (b *Backups) Restart(ctx context.Context, who policy.Principal) error {
	state, err := b.State(ctx, who)
	if err != nil {
		return err
	}
	if state.Staged == nil {
		return &ports.Error{Code: ports.NotFound, Text: "backup.none"}
	}
	return b.restart()
}
