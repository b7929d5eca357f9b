// Package local keeps objects as plain files in one folder of this machine.
// What lies there can be read, added and removed by hand. It confines every
// access to the folder, follows no symbolic link, and replaces a file only
// when all of the new one is on the disk.
package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Name is the driver's name in storage configs.
const Name = "local"

// Options of a storage config, by Field.Key.
const (
	OptionDirectory = "directory"
	OptionMinFree   = "min_free_bytes"
)

// defaultMinFree is how much of the disk uploads leave free, in bytes.
const defaultMinFree = 64 << 20

// Times after which leftovers of cut uploads are removed.
const (
	staleTemp   = 24 * time.Hour // where nobody can tell whether it is still written
	staleUpload = 7 * 24 * time.Hour
	sweepEvery  = time.Hour
)

// Driver opens folders of this machine. Its zero value is ready.
type Driver struct {
	// Base is the folder that relative directories are below; empty means that
	// directories must be absolute. A directory may lie in it, but not hold it.
	Base string
	// Closed are files and folders of the server itself, such as its keys. No
	// directory may hold one or lie in one; they need not exist.
	Closed []string
	// Roots are folders outside of Base below which new directories may lie, too.
	Roots []string
	// Own are patterns (of path.Match, in lower case) of names right in Base that
	// the server makes there: no new directory lies below one.
	Own []string
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

var _ objstore.Driver = Driver{}

// Info implements objstore.Driver.
func (Driver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{
		Name:        Name,
		Label:       map[string]string{"en": "Local disk", "zh": "本地磁盘"},
		StorageType: objstore.OwnDisk,
		Version:     "1",
		Fields: []objstore.Field{
			{
				Key: OptionDirectory, Type: "text", Required: true,
				Label: map[string]string{"en": "Folder", "zh": "文件夹"},
				Help: map[string]string{
					"en": "A folder below the server's data folder, such as files. Folders elsewhere must be opened by whoever runs the server, with --local-root.",
					"zh": "服务器数据目录下的文件夹，例如 files。其他位置的文件夹须由服务器的运维人员用 --local-root 开放。",
				},
			},
			{
				Key: OptionMinFree, Type: "number", Default: strconv.Itoa(defaultMinFree),
				Label: map[string]string{"en": "Keep free (bytes)", "zh": "保留空间（字节）"},
				Help: map[string]string{
					"en": "Uploads are refused when they would leave less than this on the disk.",
					"zh": "如果上传后磁盘剩余空间低于此值，则拒绝上传。",
				},
			},
		},
		Features: Features,
		Limits:   Limits,
	}, nil
}

// Features are the features of the driver.
var Features = objstore.Features{
	LocalLinks: true, Stream: true, Multipart: true, ServerCopy: true, Range: true, Usage: true, BrowserUpload: true, ConditionalWrite: true,
}

// Limits are the limits of the driver.
var Limits = objstore.Limits{MaxParts: objstore.MaxPart, MaxKey: objstore.MaxKey, MaxDeleteBatch: objstore.MaxList, MaxLink: 7 * 24 * time.Hour}

// Open implements objstore.Driver. It creates the folder when it is missing.
func (d Driver) Open(_ context.Context, config objstore.Config) (objstore.Bucket, error) {
	dir, err := d.directory(config.Options[OptionDirectory])
	if err != nil {
		return nil, err
	}
	minFree, err := bytesOption(config.Options[OptionMinFree])
	if err != nil {
		return nil, err
	}
	now := d.Now
	if now == nil {
		now = time.Now
	}
	return openBucket(dir, minFree, now)
}

// Home is the folder that a config with this directory leads to, with the links
// on the way followed. It need not exist yet. Returns Invalid for a directory
// that Open refuses.
func (d Driver) Home(directory string) (string, error) {
	dir, err := d.directory(directory)
	if err != nil {
		return "", err
	}
	return resolve(dir)
}

// Allowed returns nil when a new config, or one that changes, may lead to this
// directory: below Base or one of the Roots, and not where the server keeps what
// is its own. Open goes on opening directories elsewhere, for configs that were
// made when they were allowed.
//
// Returns Invalid for a directory that Open or this rule refuses.
func (d Driver) Allowed(directory string) error {
	where, err := d.Home(directory)
	if err != nil || d.Base == "" {
		return err
	}
	base, err := resolve(d.Base)
	if err != nil {
		return unavailable("resolve "+d.Base, err)
	}
	if holds(base, where) {
		below, err := filepath.Rel(base, where)
		if err != nil {
			return errDirectory.With(err)
		}
		first, _, _ := strings.Cut(strings.ToLower(filepath.ToSlash(below)), "/")
		for _, pattern := range d.Own {
			if own, err := path.Match(pattern, first); err != nil || own {
				return errOwn
			}
		}
		return nil
	}
	for _, name := range d.Roots {
		root, err := resolve(name)
		if err != nil {
			return unavailable("resolve "+name, err)
		}
		if holds(root, where) {
			return nil
		}
	}
	return errOutside
}

func (d Driver) directory(option string) (string, error) {
	switch {
	case option == "":
		return "", ports.InvalidInput("field_required", OptionDirectory)
	case filepath.IsAbs(option):
		return d.guarded(filepath.Clean(option))
	case d.Base == "" || !filepath.IsLocal(option):
		return "", errDirectory
	}
	dir, err := filepath.Abs(filepath.Join(d.Base, option))
	if err != nil {
		return "", err
	}
	return d.guarded(dir)
}

var (
	errDirectory = ports.InvalidInput("directory_invalid", OptionDirectory)
	errOutside   = ports.InvalidInput("directory_outside", OptionDirectory)
	errOwn       = ports.InvalidInput("directory_own", OptionDirectory)
)

// guarded returns dir unless it holds Base or overlaps with what is closed:
// whoever may read and write there would have the server's keys. Links are
// followed, also those to folders that do not exist yet.
func (d Driver) guarded(dir string) (string, error) {
	where, err := resolve(dir)
	if err != nil {
		return "", errDirectory.With(err)
	}
	for i, name := range append([]string{d.Base}, d.Closed...) {
		if name == "" {
			continue
		}
		closed, err := resolve(name)
		if err != nil {
			return "", unavailable("resolve "+name, err)
		}
		if holds(where, closed) || i > 0 && holds(closed, where) {
			return "", errDirectory
		}
	}
	return dir, nil
}

// resolve makes a path absolute and follows the links in it, as far as it
// exists.
func resolve(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	for front, rest := name, ""; ; front, rest = filepath.Dir(front), filepath.Join(filepath.Base(front), rest) {
		real, err := filepath.EvalSymlinks(front)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if _, dangles := os.Lstat(front); !missing || dangles == nil || front == filepath.Dir(front) {
			return "", err
		}
	}
}

// holds reports whether name is dir or lies below it.
func holds(dir, name string) bool {
	rest, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rest)
}

func bytesOption(option string) (int64, error) {
	if option == "" {
		return defaultMinFree, nil
	}
	n, err := strconv.ParseInt(option, 10, 64)
	if err != nil || n < 0 {
		return 0, ports.InvalidInput("number_invalid", OptionMinFree)
	}
	return n, nil
}

type bucket struct {
	dir     string // absolute
	root    *os.Root
	minFree int64 // bytes
	now     func() time.Time
	// broken is set by a failed fsync: what the kernel dropped then cannot be
	// written again, so nothing more is accepted until a restart.
	broken    atomic.Bool
	lastSweep atomic.Int64 // unix seconds
	names     names        // of long folders
	// marking is held while it is settled whether a folder is one that was made
	// as such, so that nobody sees it half settled.
	marking sync.Mutex
}

var (
	_ objstore.Bucket     = (*bucket)(nil)
	_ objstore.LocalNamer = (*bucket)(nil)
)

func openBucket(dir string, minFree int64, now func() time.Time) (*bucket, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unavailable("create the folder", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unavailable("open the folder", err)
	}
	b := &bucket{dir: dir, root: root, minFree: minFree, now: now}
	if err := b.makeOwn(); err != nil {
		root.Close()
		return nil, err
	}
	b.sweep()
	return b, nil
}

// makeOwn creates our own folders.
func (b *bucket) makeOwn() error {
	for _, own := range []string{ownDir, tempDir, uploadsDir} {
		if err := b.root.Mkdir(own, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return unavailable("create "+own, err)
		}
	}
	return nil
}

func unavailable(doing string, err error) error {
	return ports.ErrUnavailable.With(fmt.Errorf("%s: %w", doing, err))
}

// Close implements objstore.Bucket. Open bodies stay readable.
func (b *bucket) Close() error { return b.root.Close() }

// Sign implements objstore.Bucket: a disk signs nothing, the server does.
func (b *bucket) Sign(_ context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := checkKey(r.Key); err != nil {
		return objstore.SignedRequest{}, err
	}
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

// Usage implements objstore.Bucket: the numbers of the file system.
func (b *bucket) Usage(ctx context.Context) (objstore.Usage, error) {
	if err := ctx.Err(); err != nil {
		return objstore.Usage{}, err
	}
	total, free, err := diskSpace(b.dir)
	if err != nil {
		return objstore.Usage{}, fsError(err)
	}
	return objstore.Usage{Used: total - free, Free: max(0, free-b.minFree), Count: -1}, nil
}

// sweep removes what cut uploads left behind, at most once an hour. It is best
// effort: what cannot be removed now is tried again.
func (b *bucket) sweep() {
	now := b.now()
	if now.Unix()-b.lastSweep.Load() < int64(sweepEvery/time.Second) {
		return
	}
	b.lastSweep.Store(now.Unix())
	b.sweepDir(tempDir, func(name string, fi fs.FileInfo) {
		if !b.dropFree(name) && fi.ModTime().Before(now.Add(-staleTemp)) {
			_ = b.root.RemoveAll(name)
		}
	})
	b.sweepDir(uploadsDir, func(name string, fi fs.FileInfo) {
		if fi.ModTime().Before(now.Add(-staleUpload)) {
			_ = b.root.RemoveAll(name)
		}
	})
}

// dropFree removes a file that nobody writes, and reports whether the file
// system could tell.
func (b *bucket) dropFree(name string) (known bool) {
	f, err := b.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close() // not before it is removed: see hold
	free, known := tryHold(f)
	if free {
		_ = b.root.Remove(name)
	}
	return known
}

func (b *bucket) sweepDir(dir string, drop func(name string, fi fs.FileInfo)) {
	d, err := b.root.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		name = dir + "/" + name
		if fi, err := b.root.Lstat(name); err == nil {
			drop(name, fi)
		}
	}
}

func randomName() string {
	p := make([]byte, 16)
	_, _ = rand.Read(p)
	return hex.EncodeToString(p)
}
