// Package thumbnail gives small pictures of files: of which ones, of which sizes,
// and how many are made at once and kept. A port draws them.
package thumbnail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"time"

	"pasteport/domain/internal/cache"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
)

// Bounds of small pictures.
const (
	maxPictureBytes = 64 << 20 // of a file that one is made of
	pictureTime     = 30 * time.Second
	keptPictures    = 24 << 20 // bytes in memory
)

// thumbnailSides are the lengths that the longer side of a small picture can
// have, in pixels: few, so that one made for somebody serves others too.
var thumbnailSides = []int{160, 320, 640, 1280}

// pictured are the types that small pictures are made of.
var pictured = []string{"image/jpeg", "image/png", "image/gif"}

// Thumbnails gives small pictures of files. It is safe for
// concurrent use.
type Thumbnails struct {
	files  *mounts.Reader
	drawer ports.Thumbnailer
	made   *pictures
}

// New returns the small pictures of the files of a reader.
func New(files *mounts.Reader, drawer ports.Thumbnailer) *Thumbnails {
	return &Thumbnails{files: files, drawer: drawer, made: newPictures()}
}

// Thumbnail is a small picture of a file, which is made when it is asked for.
type Thumbnail struct {
	// Tag tells versions apart; it changes with the file. Without quotes.
	Tag  string
	of   *Thumbnails
	read func(ctx context.Context, r objstore.Range) (*objstore.Body, error)
	side int
}

// Source is a file that a small picture is made of.
type Source struct {
	Name     string
	Storage  string // id of its storage config
	Key      string // of its object
	ETag     string
	Size     int64 // bytes
	Modified int64 // milliseconds since 1970; 0 where nobody knows
	Read     func(ctx context.Context, r objstore.Range) (*objstore.Body, error)
}

// Get finds the file at path of which a small picture is wanted, with a
// longer side of so many pixels or a little more; 0 means 640. It asks
// mount.read.
//
// Returns ports.ErrNoThumbnail for a file that is none of the pictures we read or is
// too large, Invalid for a side below 0, and the errors of File.
func (t *Thumbnails) Get(ctx context.Context, c mounts.Caller, path string, side int) (*Thumbnail, error) {
	f, err := t.files.File(ctx, c, path)
	if err != nil {
		return nil, err
	}
	from := Source{Name: f.Name, Storage: f.Mount.StorageConfigID, Key: f.Key(), ETag: f.ETag, Size: f.Size, Read: f.Read}
	if f.ModTime != nil {
		from.Modified = mounts.Milliseconds(*f.ModTime)
	}
	return t.Of(from, side)
}

// Of is Get for a file that somebody else has opened, and asks nobody. Returns
// ports.ErrNoThumbnail and Invalid as Get does.
func (t *Thumbnails) Of(f Source, side int) (*Thumbnail, error) {
	if side < 0 {
		return nil, ports.InvalidInput("field_invalid", "size")
	}
	if side == 0 {
		side = 640
	}
	at := slices.IndexFunc(thumbnailSides, func(s int) bool { return s >= side })
	if at < 0 {
		at = len(thumbnailSides) - 1
	}
	if !slices.Contains(pictured, filetype.ContentType(f.Name)) || f.Size > maxPictureBytes {
		return nil, ports.ErrNoThumbnail
	}
	n := &Thumbnail{of: t, read: f.Read, side: thumbnailSides[at]}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d\x00%d\x00%d", f.Storage, f.Key, f.ETag, f.Size, f.Modified, n.side))
	n.Tag = hex.EncodeToString(sum[:12])
	return n, nil
}

// Make returns the small picture, made now or before. As many are made at once
// as there are processors; others wait.
//
// Returns the errors of ports.Thumbnailer.Draw and objstore.Bucket.Read.
func (n *Thumbnail) Make(ctx context.Context) (ports.Picture, error) {
	made := n.of.made
	if p, ok := made.kept.Get(n.Tag, nil); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	leave, err := made.enter(ctx)
	if err != nil {
		return ports.Picture{}, err
	}
	defer leave()
	if p, ok := made.kept.Get(n.Tag, nil); ok { // another has made it meanwhile
		return p, nil
	}
	body, err := n.read(ctx, objstore.Range{})
	if err != nil {
		return ports.Picture{}, err
	}
	defer func() { _ = body.Close() }()
	p, err := n.of.drawer.Draw(ctx, body, n.side)
	if err != nil {
		return ports.Picture{}, err
	}
	made.kept.Put(n.Tag, p, int64(len(p.Bytes)))
	return p, nil
}

// pictures keeps small pictures, the latest used, and bounds how many are made at
// once.
type pictures struct {
	kept  *cache.Cache[string, ports.Picture]
	slots chan struct{}
}

func newPictures() *pictures {
	return &pictures{cache.New[string, ports.Picture](keptPictures, keptPictures), make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// enter waits for a processor; the answer leaves it.
func (k *pictures) enter(ctx context.Context) (leave func(), err error) {
	select {
	case k.slots <- struct{}{}:
		return func() { <-k.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
