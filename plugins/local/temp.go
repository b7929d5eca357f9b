package local

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// recheck is after how many bytes of unknown length the disk is asked again.
const recheck = 64 << 20

// temp is a file being written, outside the tree until place.
type temp struct {
	b    *bucket
	name string
	f    *os.File
}

// newTemp starts a file of size bytes (-1 means unknown). Returns Quota when
// the disk has no room for it.
func (b *bucket) newTemp(size int64) (*temp, error) {
	if err := b.room(max(size, 0)); err != nil {
		return nil, err
	}
	b.sweep()
	for {
		name := tempDir + "/" + randomName()
		f, err := b.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrNotExist) && b.makeOwn() == nil { // somebody tidied up
			f, err = b.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		}
		if err != nil {
			return nil, fsError(err)
		}
		if hold(f) {
			return &temp{b, name, f}, nil
		}
		f.Close() // swept before it was held
	}
}

// room refuses size more bytes when they would leave less than the floor.
func (b *bucket) room(size int64) error {
	total, free, err := diskSpace(b.dir)
	if err != nil {
		return fsError(err)
	}
	if free-size < b.minFree {
		return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Params: map[string]any{
			"size": size, "rest": max(0, free-b.minFree), "total": total,
		}}
	}
	return nil
}

var buffers = sync.Pool{New: func() any { p := make([]byte, 256<<10); return &p }}

// fill writes all of body, checks its length and returns its ETag.
func (t *temp) fill(ctx context.Context, body io.Reader, size int64) (etag string, err error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	hash := sha256.New()
	var written, checked int64
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := body.Read(*buf)
		if n > 0 {
			hash.Write((*buf)[:n])
			if _, err := t.f.Write((*buf)[:n]); err != nil {
				return "", t.full(err, size)
			}
			written += int64(n)
		}
		if size >= 0 && written > size {
			return "", objstore.ErrLength
		}
		if size < 0 && written-checked >= recheck {
			if err := t.b.room(0); err != nil {
				return "", err
			}
			checked = written
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if size >= 0 && written != size {
		return "", objstore.ErrLength.With(io.ErrUnexpectedEOF)
	}
	return etagOf(hash.Sum(nil)), nil
}

// full adds the numbers to an error of a full disk.
func (t *temp) full(err error, size int64) error {
	err = fsError(err)
	var e *ports.Error
	if errors.As(err, &e) && e.Code == ports.Quota {
		if total, free, spaceErr := diskSpace(t.b.dir); spaceErr == nil {
			return e.WithParams(map[string]any{"size": max(size, 0), "rest": max(0, free-t.b.minFree), "total": total})
		}
	}
	return err
}

// appendStep is how much the kernel copies before the context is asked again,
// in bytes.
const appendStep = 64 << 20

// append copies size bytes of f, without reading them where the kernel can.
func (t *temp) append(ctx context.Context, f *os.File, size int64) error {
	for size > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(t.f, f, min(size, appendStep))
		size -= n
		if err != nil {
			return t.full(err, size)
		}
	}
	return nil
}

// place makes the file durable and gives it its name.
func (t *temp) place(key, etag string, o objstore.WriteOptions) (objstore.Object, error) {
	object, err := t.finish(key, etag, o.ContentType)
	if err != nil {
		return objstore.Object{}, err
	}
	err = t.b.inTree(key, func() error { return t.moveTo(key, o.IfNoneMatch) })
	if err != nil {
		return objstore.Object{}, fsError(err)
	}
	return object, t.b.syncDir(path.Dir(key))
}

// finish writes the attribute and syncs.
func (t *temp) finish(key, etag, contentType string) (objstore.Object, error) {
	fi, err := statFile(t.f)
	if err != nil {
		return objstore.Object{}, fsError(err)
	}
	if len(contentType) > maxType {
		contentType = ""
	}
	m := meta{size: fi.size, modTime: fi.modTime.UnixNano(), etag: etag, contentType: contentType}.encode()
	if setAttr(t.f, m) != nil {
		m = nil
	}
	return describe(key, fi, m), t.b.sync(t.f)
}

func (t *temp) moveTo(name string, onlyNew bool) error {
	if !onlyNew {
		return t.b.root.Rename(t.name, name)
	}
	return t.b.root.Link(t.name, name) // refuses an existing name; discard removes the other
}

// discard closes the file and removes what place did not move.
func (t *temp) discard() {
	t.f.Close()
	_ = t.b.root.Remove(t.name)
}
