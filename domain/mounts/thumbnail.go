package mounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

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

// ErrNoThumbnail says that no small picture is made of a file: of its kind, or
// of one so large, or so broken.
var ErrNoThumbnail = &ports.Error{Code: ports.Unsupported, Key: "unsupported_media", Text: "no_thumbnail"}

// Thumbnail is a small picture of a file, which is made when it is asked for.
type Thumbnail struct {
	// Tag tells versions apart; it changes with the file. Without quotes.
	Tag  string
	tree *Tree
	file *File
	side int
}

// Thumbnail finds the file at path of which a small picture is wanted, with a
// longer side of so many pixels or a little more; 0 means 640. It asks
// mount.read.
//
// Returns ErrNoThumbnail for a file that is none of the pictures we read or is
// too large, Invalid for a side below 0, and the errors of File.
func (t *Tree) Thumbnail(ctx context.Context, c Caller, path string, side int) (*Thumbnail, error) {
	f, err := t.File(ctx, c, path)
	if err != nil {
		return nil, err
	}
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
		return nil, ErrNoThumbnail
	}
	n := &Thumbnail{tree: t, file: f, side: thumbnailSides[at]}
	var modified int64
	if f.ModTime != nil {
		modified = Milliseconds(*f.ModTime)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d\x00%d\x00%d", f.Mount.StorageConfigID, f.key, f.ETag, f.Size, modified, n.side))
	n.Tag = hex.EncodeToString(sum[:12])
	return n, nil
}

// Picture is an encoded picture. Its bytes must not be changed.
type Picture struct {
	Bytes []byte
	Type  string // image/jpeg or image/png
}

// Make returns the small picture, made now or before. As many are made at once
// as there are processors, and only so many pixels at a time; others wait.
//
// Returns ErrNoThumbnail for what is no picture or has too many pixels, and the
// errors of objstore.Bucket.Read.
func (n *Thumbnail) Make(ctx context.Context) (Picture, error) {
	kept := &n.tree.pictures
	if p, ok := kept.get(n.Tag); ok {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	leave, err := kept.enter(ctx)
	if err != nil {
		return Picture{}, err
	}
	defer leave()
	if p, ok := kept.get(n.Tag); ok { // another has made it meanwhile
		return p, nil
	}
	body, err := n.file.Read(ctx, objstore.Range{})
	if err != nil {
		return Picture{}, err
	}
	defer func() { _ = body.Close() }()
	p, err := shrink(ctx, body, n.side, func(pixels int64) (func(), error) { return kept.take(ctx, pixels) })
	if err != nil {
		return Picture{}, err
	}
	kept.put(n.Tag, p)
	return p, nil
}

// pictures keeps small pictures, and bounds how much work goes on to make them.
type pictures struct {
	mu     sync.Mutex
	kept   map[string]Picture
	order  []string // of kept, the oldest first
	bytes  int
	slots  chan struct{}
	pixels int64         // being decoded
	freed  chan struct{} // closed when some of them are done
}

func (k *pictures) get(tag string) (Picture, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p, ok := k.kept[tag]
	return p, ok
}

// put keeps a picture, and lets go of the oldest ones for it.
func (k *pictures) put(tag string, p Picture) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[string]Picture{}
	}
	if _, ok := k.kept[tag]; ok {
		return
	}
	k.kept[tag], k.order, k.bytes = p, append(k.order, tag), k.bytes+len(p.Bytes)
	for k.bytes > keptPictures && len(k.order) > 1 {
		k.bytes -= len(k.kept[k.order[0]].Bytes)
		delete(k.kept, k.order[0])
		k.order = k.order[1:]
	}
}

// enter waits for a processor; the answer leaves it.
func (k *pictures) enter(ctx context.Context) (leave func(), err error) {
	k.mu.Lock()
	if k.slots == nil {
		k.slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	slots := k.slots
	k.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take waits until so many pixels, at most maxPixels, may be decoded beside
// what is being decoded already; the answer gives them back.
func (k *pictures) take(ctx context.Context, pixels int64) (give func(), err error) {
	for {
		k.mu.Lock()
		if k.pixels == 0 || k.pixels+pixels <= maxPixels {
			k.pixels += pixels
			k.mu.Unlock()
			return func() { k.giveBack(pixels) }, nil
		}
		if k.freed == nil {
			k.freed = make(chan struct{})
		}
		freed := k.freed
		k.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (k *pictures) giveBack(pixels int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pixels -= pixels
	if k.freed != nil {
		close(k.freed)
		k.freed = nil
	}
}
