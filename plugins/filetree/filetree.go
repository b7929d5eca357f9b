// Package filetree keeps objects as files of another machine: what the drivers
// for SFTP and WebDAV have in common. It turns keys into paths below the folder
// of a config, replaces a file only when all of the new one has arrived, and
// gives uploads in parts, listings in order and ranges to any protocol that can
// do what FS asks for.
//
// Every folder there is a folder marker too, whoever made it, and folders stay
// when their last file goes.
package filetree

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// FS is a tree of files far away. Names are keys without a "/" at their end,
// relative to the folder of the config, which is "". It follows no symbolic link
// as far as its protocol shows them. It is safe for concurrent use.
//
// Methods return NotFound where nothing stands, or something on the way is no
// folder.
type FS interface {
	// Stat describes a plain file or a folder.
	Stat(ctx context.Context, name string) (Entry, error)
	// List describes the plain files and folders in a folder, in any order.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Open gives length bytes of a file from offset on. Returns ErrOther when the
	// file is not the one that was described as e any more.
	Open(ctx context.Context, name string, e Entry, offset, length int64) (io.ReadCloser, error)
	// Put makes a new file of body, of size bytes (-1 means unknown) at best; the
	// caller compares. What is left when it fails may be there or not.
	Put(ctx context.Context, name string, body io.Reader, size int64) error
	// Copy makes a new file of another one. Returns NotImplemented where bytes
	// must go through us.
	Copy(ctx context.Context, from, to string) error
	// Move moves a file, over another file only with replace. Else returns
	// objstore.ErrExists.
	Move(ctx context.Context, from, to string, replace bool) error
	// Date sets the time of a file. Returns NotImplemented where it cannot, and
	// where ETags do not depend on it.
	Date(ctx context.Context, name string, at time.Time) error
	// Mkdir makes one folder. One that is there is no error; a file of that name
	// is objstore.ErrFileInTheWay.
	Mkdir(ctx context.Context, name string) error
	// Remove removes a file.
	Remove(ctx context.Context, name string) error
	// RemoveDir removes a folder. Returns ErrNotEmpty when something is in it.
	RemoveDir(ctx context.Context, name string) error
	// RemoveAll removes one of our own folders with all that is in it.
	RemoveAll(ctx context.Context, name string) error
	// Usage tells how full the disk there is.
	Usage(ctx context.Context) (objstore.Usage, error)
	Close() error
}

// Entry is a file or a folder.
type Entry struct {
	Name    string // the last segment
	Dir     bool
	Size    int64 // bytes
	ModTime time.Time
	// ETag is what the server says; empty means that size and time tell versions
	// apart.
	ETag string
}

// What FS tells.
var (
	ErrNotEmpty = errors.New("the folder is not empty")
	ErrOther    = errors.New("the file was replaced meanwhile")
)

// errBase is a folder of a config that does not exist.
var errBase = (&ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_bucket_missing"}).Saying(map[string]string{
	"en": "The folder of this config does not exist on the server.", "zh": "服务器上不存在此配置的文件夹。",
})

// Our own folder inside the tree; never a key, never listed.
const (
	ownDir     = ".pasteport"
	tempDir    = ownDir + "/tmp"
	uploadsDir = ownDir + "/multipart"
)

// Times after which leftovers of cut uploads are removed, and how often they are
// looked for.
const (
	staleTemp   = 24 * time.Hour
	staleUpload = 7 * 24 * time.Hour
	sweepEvery  = time.Hour
)

// cleanupTime bounds removing what a call leaves behind, also when its caller
// has gone away.
const cleanupTime = 10 * time.Second

// Features are what every driver of this kind can do; drivers change what
// differs.
var Features = objstore.Features{
	Stream: true, Multipart: true, ServerCopy: true, Range: true, BrowserUpload: true, ConditionalWrite: true,
}

// Limits are the limits of every driver of this kind.
var Limits = objstore.Limits{MaxParts: objstore.MaxPart, MaxKey: objstore.MaxKey, MaxDeleteBatch: objstore.MaxList, MaxLink: 7 * 24 * time.Hour}

// Bucket keeps objects in an FS.
type Bucket struct {
	fs  FS
	now func() time.Time
	// placing is held for writing while a folder is removed, so that no file of
	// ours is placed in it between the look and the removal.
	placing sync.RWMutex
	changes atomic.Int64 // of names, by us
	kept    listings
	ready   atomic.Bool  // our own folders are there
	based   atomic.Int64 // when the config's folder was last seen, unix seconds
	swept   atomic.Int64 // unix seconds
}

var _ objstore.Bucket = (*Bucket)(nil)

// New keeps objects in fs, which it closes.
func New(fs FS, now func() time.Time) *Bucket { return &Bucket{fs: fs, now: now} }

// Close implements objstore.Bucket.
func (b *Bucket) Close() error { return b.fs.Close() }

// Sign implements objstore.Bucket: such servers sign nothing, ours does.
func (b *Bucket) Sign(_ context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if err := checkKey(r.Key); err != nil {
		return objstore.SignedRequest{}, err
	}
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

// Usage implements objstore.Bucket.
func (b *Bucket) Usage(ctx context.Context) (objstore.Usage, error) { return b.fs.Usage(ctx) }

// checkKey refuses keys that are no path below the folder: our own names, and
// those that would climb where "\" parts folders as well.
func checkKey(key string) error {
	if err := objstore.CheckKey(key); err != nil {
		return err
	}
	if first, _, _ := strings.Cut(key, "/"); strings.EqualFold(first, ownDir) {
		return objstore.ErrBadKey
	}
	for segment := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == ".." || segment == "." {
			return objstore.ErrBadKey
		}
	}
	return nil
}

// Listable reports whether a server's name for something in a folder can be a
// segment of a key.
func Listable(name string) bool {
	return name != "." && name != ".." && !strings.Contains(name, "/") && checkKey("x/"+name) == nil
}

// parent is the folder that name lies in.
func parent(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

func isFolder(key string) bool { return strings.HasSuffix(key, "/") }

func nameOf(key string) string { return strings.TrimSuffix(key, "/") }

// folderType is the content type of folder markers.
const folderType = "application/x-directory"

// object is what e is under its key.
func object(key string, e Entry) objstore.Object {
	if e.Dir {
		return objstore.Object{Key: key, ETag: "folder", ModTime: e.ModTime.UTC(), ContentType: folderType}
	}
	return objstore.Object{Key: key, Size: e.Size, ETag: etag(e), ModTime: e.ModTime.UTC()}
}

// etag is the server's, or made from size and time. Its "t" tells it from a
// digest of the content, which is in hex.
func etag(e Entry) string {
	if e.ETag != "" {
		return e.ETag
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", e.Size, e.ModTime.UnixNano()))
	return "t" + hex.EncodeToString(sum[:16])[1:]
}

func randomName() string {
	p := make([]byte, 16)
	_, _ = rand.Read(p)
	return hex.EncodeToString(p)
}

// missing makes of NotFound that the folder of the config is not there, when
// that is why: a disk that is not mounted must not look like an empty one.
func (b *Bucket) missing(ctx context.Context, err error) error {
	if !ports.Is(err, ports.NotFound) {
		return err
	}
	if b.now().Unix()-b.based.Load() < 5 {
		return err
	}
	switch _, baseErr := b.fs.Stat(ctx, ""); {
	case ports.Is(baseErr, ports.NotFound):
		return errBase
	case baseErr != nil:
		return baseErr
	}
	b.based.Store(b.now().Unix())
	return err
}

// stat is Stat of the FS for a key.
func (b *Bucket) stat(ctx context.Context, key string) (Entry, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return Entry{}, err
	}
	e, err := b.fs.Stat(ctx, nameOf(key))
	if err == nil && e.Dir != isFolder(key) {
		return Entry{}, ports.ErrNotFound
	}
	return e, b.missing(ctx, err)
}

// Stat implements objstore.Bucket.
func (b *Bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	e, err := b.stat(ctx, key)
	if err != nil {
		return objstore.Object{}, err
	}
	return object(key, e), nil
}

// Delete implements objstore.Bucket. Files go first, several at once, then their
// folders from the inside out. A folder that is not empty stays.
func (b *Bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	failed := map[string]error{}
	var files, folders []string
	for _, key := range keys {
		switch err := checkKey(key); {
		case err != nil:
			failed[key] = err
		case isFolder(key):
			folders = append(folders, key)
		default:
			files = append(files, key)
		}
	}
	defer b.changes.Add(1)
	b.together(ctx, files, b.removeFile, failed)
	for _, key := range deepestFirst(folders) {
		if err := b.removeFolder(ctx, nameOf(key)); err != nil {
			failed[key] = err
		}
	}
	return failed, ctx.Err()
}

// atOnce is how many files are removed at a time.
const atOnce = 8

// together does one thing to many keys and notes what failed.
func (b *Bucket) together(ctx context.Context, keys []string, do func(context.Context, string) error, failed map[string]error) {
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		place = make(chan struct{}, atOnce)
	)
	for _, key := range keys {
		place <- struct{}{}
		wait.Go(func() {
			defer func() { <-place }()
			if err := do(ctx, key); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[key] = err
			}
		})
	}
	wait.Wait()
}

// gone is err unless it says that there is nothing.
func gone(err error) error {
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	return err
}

func (b *Bucket) removeFile(ctx context.Context, key string) error {
	e, err := b.stat(ctx, key)
	if err != nil || e.Dir {
		return gone(err)
	}
	return gone(b.fs.Remove(ctx, key))
}

func (b *Bucket) removeFolder(ctx context.Context, name string) error {
	b.placing.Lock()
	defer b.placing.Unlock()
	e, err := b.fs.Stat(ctx, name)
	if err != nil || !e.Dir {
		return gone(b.missing(ctx, err))
	}
	err = b.fs.RemoveDir(ctx, name)
	if errors.Is(err, ErrNotEmpty) {
		return nil
	}
	return gone(err)
}
