package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Stat implements objstore.Bucket.
func (b *bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return objstore.Object{}, err
	}
	if strings.HasSuffix(key, "/") {
		return b.statFolder(key)
	}
	f, err := b.openFile(key)
	if err != nil {
		return objstore.Object{}, err
	}
	defer f.Close()
	return describeFile(key, f)
}

func describeFile(key string, f *os.File) (objstore.Object, error) {
	fi, err := statFile(f)
	if err != nil {
		return objstore.Object{}, fsError(err)
	}
	return describe(key, fi, getAttr(f)), nil
}

// statFolder describes a folder that was made as such.
func (b *bucket) statFolder(key string) (objstore.Object, error) {
	dir := strings.TrimSuffix(key, "/")
	fi, err := b.lstat(dir)
	if err != nil {
		return objstore.Object{}, fsError(err)
	}
	if !fi.IsDir() || b.implicit(dir) {
		return objstore.Object{}, ports.ErrNotFound
	}
	return folderObject(key, fi.ModTime()), nil
}

// LocalFile implements objstore.LocalNamer.
func (b *bucket) LocalFile(ctx context.Context, key string) (root, name string, o objstore.Object, err error) {
	if strings.HasSuffix(key, "/") {
		return "", "", o, objstore.ErrUnsupported
	}
	o, err = b.Stat(ctx, key)
	return b.dir, key, o, err
}

// Read implements objstore.Bucket.
func (b *bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return nil, err
	}
	if strings.HasSuffix(key, "/") {
		o, err := b.statFolder(key)
		if err != nil {
			return nil, err
		}
		return &objstore.Body{ReadCloser: io.NopCloser(strings.NewReader("")), Object: o}, nil
	}
	f, err := b.openFile(key)
	if err != nil {
		return nil, err
	}
	body, err := fileBody(ctx, f, key, r)
	if err != nil {
		f.Close()
	}
	return body, err
}

func fileBody(ctx context.Context, f *os.File, key string, r objstore.Range) (*objstore.Body, error) {
	o, err := describeFile(key, f)
	if err != nil {
		return nil, err
	}
	if r.IfMatch != "" && r.IfMatch != o.ETag {
		return nil, objstore.ErrChanged
	}
	offset, length, err := r.Resolve(o.Size)
	if err != nil {
		return nil, err
	}
	return objstore.NewFileBody(ctx, f, o, offset, length)
}

// Write implements objstore.Bucket.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(key), b.writable(key)); err != nil {
		return objstore.Object{}, err
	}
	if strings.HasSuffix(key, "/") {
		return b.writeFolder(key, body, o)
	}
	if o.IfNoneMatch { // place says so too, after the whole body
		if _, err := b.root.Lstat(key); err == nil {
			return objstore.Object{}, objstore.ErrExists
		}
	}
	t, err := b.newTemp(o.Size)
	if err != nil {
		return objstore.Object{}, err
	}
	defer t.discard()
	etag, err := t.fill(ctx, body, o.Size)
	if err != nil {
		return objstore.Object{}, err
	}
	return t.place(key, etag, o)
}

// writable refuses early what place would refuse after the whole body.
func (b *bucket) writable(key string) error {
	if b.broken.Load() {
		return unavailable("write", errors.New("an earlier write could not be made durable; restart the server"))
	}
	for i := range len(key) {
		if key[i] != '/' {
			continue
		}
		fi, err := b.root.Lstat(key[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fsError(err)
		}
		if !fi.IsDir() {
			return objstore.ErrFileInTheWay
		}
	}
	if fi, err := b.root.Lstat(strings.TrimSuffix(key, "/")); err == nil && fi.IsDir() && !strings.HasSuffix(key, "/") {
		return objstore.ErrFolderInTheWay
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsError(err)
	}
	return nil
}

// writeFolder stores a folder marker: the folder itself.
func (b *bucket) writeFolder(key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if n, err := io.CopyN(io.Discard, body, 1); n > 0 || err != io.EOF || o.Size > 0 {
		return objstore.Object{}, objstore.ErrLength.With(errors.New("a folder marker holds no bytes"))
	}
	dir := strings.TrimSuffix(key, "/")
	if _, err := b.statFolder(key); err == nil && o.IfNoneMatch {
		return objstore.Object{}, objstore.ErrExists
	}
	var made objstore.Object
	err := b.inTree(dir, func() (err error) {
		if err := b.makeFolder(dir, false); err != nil {
			return err
		}
		b.marking.Lock()
		defer b.marking.Unlock()
		b.setImplicit(dir, false)
		made, err = b.statFolder(key)
		return err
	})
	return made, fsError(err)
}

// Copy implements objstore.Bucket. The kernel moves the bytes where it can.
func (b *bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(dst), checkKey(src), b.writable(dst)); err != nil {
		return objstore.Object{}, err
	}
	if strings.HasSuffix(src, "/") != strings.HasSuffix(dst, "/") {
		return objstore.Object{}, objstore.ErrBadKey
	}
	if strings.HasSuffix(src, "/") {
		if _, err := b.statFolder(src); err != nil {
			return objstore.Object{}, err
		}
		return b.writeFolder(dst, strings.NewReader(""), objstore.WriteOptions{})
	}
	f, err := b.openFile(src)
	if err != nil {
		return objstore.Object{}, err
	}
	defer f.Close()
	from, err := describeFile(src, f)
	if err != nil {
		return objstore.Object{}, err
	}
	t, err := b.newTemp(from.Size)
	if err != nil {
		return objstore.Object{}, err
	}
	defer t.discard()
	if err := t.append(ctx, f, from.Size); err != nil {
		return objstore.Object{}, err
	}
	return t.place(dst, from.ETag, objstore.WriteOptions{ContentType: from.ContentType})
}

// Delete implements objstore.Bucket.
func (b *bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	failed := map[string]error{}
	parents := map[string]bool{}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return failed, err
		}
		if err := checkKey(key); err != nil {
			failed[key] = err
			continue
		}
		removed, err := b.remove(key)
		if err != nil {
			failed[key] = err
		}
		if removed {
			parents[path.Dir(strings.TrimSuffix(key, "/"))] = true
		}
	}
	for dir := range parents {
		b.prune(dir)
		if err := b.syncDir(dir); err != nil {
			return failed, err
		}
	}
	return failed, nil
}

// remove deletes one file or folder marker; what is missing is no error.
func (b *bucket) remove(key string) (removed bool, err error) {
	folder := strings.HasSuffix(key, "/")
	name := strings.TrimSuffix(key, "/")
	fi, err := b.lstat(name)
	if err != nil || fi.IsDir() != folder {
		if err = fsError(err); ports.Is(err, ports.NotFound) {
			err = nil
		}
		return false, err
	}
	err = b.root.Remove(name)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return true, nil
	case folder:
		b.setImplicit(name, true) // it has content and stays for that alone
		return false, nil
	}
	return false, fsError(err)
}
