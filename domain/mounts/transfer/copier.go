package transfer

import (
	"context"
	"hash/maphash"
	"io"
	"strings"
	"sync"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// copier is the way of objects from one place to another: src and dst are both
// keys of a file, or both prefixes of a folder.
type copier struct {
	from, to objstore.Bucket
	src, dst string
	folder   bool
	same     bool // both ends lie in one storage config
	// inward is dst as the source names it, where dst lies below src; else empty.
	inward string
	// moved hears of bytes that this server carries; nil for nobody.
	moved func(bytes int64)
	// room finds room for a copy of so many bytes; nil where there is no bound.
	// end hears of what was stored, nil for nothing.
	room func(ctx context.Context, size int64) (end func(*objstore.Object), err error)
}

// target is where the object with this key goes.
func (r *copier) target(key string) string { return r.dst + strings.TrimPrefix(key, r.src) }

// carry copies one object, inside the storage where that can be done, else
// through this server as a stream. Returns NotFound when it is there no more.
func (r *copier) carry(ctx context.Context, o objstore.Object) (objstore.Object, error) {
	if r.room == nil {
		return r.bring(ctx, o)
	}
	end, err := r.room(ctx, o.Size)
	if err != nil {
		return objstore.Object{}, err
	}
	done, err := r.bring(ctx, o)
	if err != nil {
		end(nil)
	} else {
		end(&done)
	}
	return done, err
}

// bring is carry where there is room.
func (r *copier) bring(ctx context.Context, o objstore.Object) (objstore.Object, error) {
	key, dst := o.Key, r.target(o.Key)
	if strings.HasSuffix(key, "/") && o.Size == 0 { // some storages copy no markers
		return r.to.Write(ctx, dst, strings.NewReader(""), objstore.WriteOptions{ContentType: mounts.FolderType})
	}
	if r.same {
		done, err := r.to.Copy(ctx, dst, key)
		if !ports.Is(err, ports.NotImplemented) {
			return done, err
		}
	}
	body, err := r.from.Read(ctx, key, objstore.Range{})
	if err != nil {
		return objstore.Object{}, err
	}
	defer body.Close()
	contentType := body.Object.ContentType
	if contentType == "" {
		contentType = mounts.ContentTypeOf(key[strings.LastIndexByte(key, '/')+1:])
	}
	done, err := r.to.Write(ctx, dst, r.counted(body), objstore.WriteOptions{Size: body.Object.Size, ContentType: contentType})
	if err != nil {
		return objstore.Object{}, err
	}
	if done.Size != body.Object.Size {
		return objstore.Object{}, objstore.ErrLength
	}
	return done, nil
}

// counted tells moved of what is read.
func (r *copier) counted(body io.Reader) io.Reader {
	if r.moved == nil {
		return body
	}
	return &counting{body, r.moved}
}

type counting struct {
	io.Reader
	tell func(int64)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if n > 0 {
		c.tell(int64(n))
	}
	return n, err
}

// ledger remembers which originals were copied in which state, in a few bytes
// each. It is safe for concurrent use.
type ledger struct {
	seed maphash.Seed
	mu   sync.Mutex
	seen map[uint64]uint64 // hash of the key to hash of the tag
}

func newLedger() *ledger { return &ledger{seed: maphash.MakeSeed(), seen: map[uint64]uint64{}} }

// note remembers that this state of an original was copied.
func (l *ledger) note(original objstore.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[maphash.String(l.seed, original.Key)] = maphash.String(l.seed, original.ETag)
}

// knows reports whether this state of an original was noted.
func (l *ledger) knows(original objstore.Object) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	tag, known := l.seen[maphash.String(l.seed, original.Key)]
	return known && tag == maphash.String(l.seed, original.ETag)
}
