package filetree

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Read implements objstore.Bucket.
func (b *Bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	for range 3 {
		e, err := b.stat(ctx, key)
		if err != nil {
			return nil, err
		}
		o := object(key, e)
		if r.IfMatch != "" && r.IfMatch != o.ETag {
			return nil, objstore.ErrChanged
		}
		offset, length, err := r.Resolve(o.Size)
		if err != nil {
			return nil, err
		}
		stream := io.NopCloser(io.Reader(strings.NewReader("")))
		if length > 0 {
			stream, err = b.fs.Open(ctx, key, e, offset, length)
		}
		if errors.Is(err, ErrOther) || ports.Is(err, ports.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &objstore.Body{ReadCloser: &whole{stream, length}, Object: o, Offset: offset, Length: length}, nil
	}
	return nil, ports.ErrUnavailable.With(ErrOther)
}

// whole gives exactly the bytes that were promised, or an error.
type whole struct {
	io.ReadCloser
	left int64
}

func (w *whole) Read(p []byte) (int, error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	n, err := w.ReadCloser.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	switch {
	case w.left == 0 && err == io.EOF:
		err = nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Write implements objstore.Bucket.
func (b *Bucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(key)); err != nil {
		return objstore.Object{}, err
	}
	if err := b.inTheWay(ctx, key, o.IfNoneMatch); err != nil {
		return objstore.Object{}, err
	}
	if isFolder(key) {
		return b.writeFolder(ctx, key, body)
	}
	defer b.sweep(ctx)
	return b.fill(ctx, key, o.IfNoneMatch, func(temp string) error { return b.put(ctx, temp, body, o.Size) })
}

// fill makes a file beside the tree and places it under its key.
func (b *Bucket) fill(ctx context.Context, key string, mustBeNew bool, make func(temp string) error) (objstore.Object, error) {
	if err := b.prepare(ctx); err != nil {
		return objstore.Object{}, err
	}
	temp := tempDir + "/" + randomName()
	err := make(temp)
	var o objstore.Object
	if err == nil {
		o, err = b.place(ctx, temp, key, mustBeNew)
	}
	if err != nil {
		b.ready.Store(false) // perhaps somebody removed our folders
		b.cleanUp(ctx, func(ctx context.Context) { _ = b.fs.Remove(ctx, temp) })
		return objstore.Object{}, err
	}
	return o, nil
}

// cleanUp does what must be done although the call has ended.
func (b *Bucket) cleanUp(ctx context.Context, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	do(ctx)
}

// prepare makes our own folders.
func (b *Bucket) prepare(ctx context.Context) error {
	if b.ready.Load() {
		return nil
	}
	for _, name := range []string{ownDir, tempDir, uploadsDir} {
		if err := b.fs.Mkdir(ctx, name); err != nil {
			return b.missing(ctx, err)
		}
	}
	b.ready.Store(true)
	return nil
}

// put fills a new file and makes sure that all has arrived.
func (b *Bucket) put(ctx context.Context, name string, body io.Reader, size int64) error {
	if size >= 0 {
		body = objstore.Exactly(body, size)
	}
	counted := &counter{r: body}
	err := b.fs.Put(ctx, name, counted, size)
	if counted.err != nil {
		return counted.err // the body's own words, not what became of them on the way
	}
	if err != nil {
		return err
	}
	if !counted.ended { // a server that answers before it has all keeps something else
		return objstore.ErrBadAnswer.With(errors.New("the server did not take the whole file"))
	}
	e, err := b.fs.Stat(ctx, name)
	if err == nil && e.Size != counted.n {
		err = objstore.ErrBadAnswer.With(errors.New("the server has kept a file of another length"))
	}
	return err
}

// counter counts a body and keeps its error.
type counter struct {
	r     io.Reader
	n     int64
	err   error
	ended bool
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	switch err {
	case nil:
	case io.EOF:
		c.ended = true
	default:
		c.err = err
	}
	return n, err
}

// inTheWay refuses early what place would refuse after the whole body.
func (b *Bucket) inTheWay(ctx context.Context, key string, mustBeNew bool) error {
	e, err := b.fs.Stat(ctx, nameOf(key))
	if err == nil {
		return occupied(e, key, mustBeNew)
	}
	if !ports.Is(err, ports.NotFound) {
		return err
	}
	for dir := parent(nameOf(key)); dir != ""; dir = parent(dir) {
		e, err := b.fs.Stat(ctx, dir)
		if err == nil && !e.Dir {
			return objstore.ErrFileInTheWay
		}
		if err == nil || !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return nil
}

// occupied says why e keeps an object of that key from being written; nil when it
// does not.
func occupied(e Entry, key string, mustBeNew bool) error {
	switch {
	case e.Dir && !isFolder(key):
		return objstore.ErrFolderInTheWay
	case !e.Dir && isFolder(key):
		return objstore.ErrFileInTheWay
	case mustBeNew:
		return objstore.ErrExists
	}
	return nil
}

// writeFolder stores a folder marker: the folder itself. It holds no bytes.
func (b *Bucket) writeFolder(ctx context.Context, key string, body io.Reader) (objstore.Object, error) {
	if _, err := io.Copy(io.Discard, objstore.Exactly(body, 0)); err != nil {
		return objstore.Object{}, err
	}
	b.placing.RLock()
	defer b.placing.RUnlock()
	defer b.changes.Add(1)
	if err := b.mkdirs(ctx, nameOf(key)); err != nil {
		return objstore.Object{}, err
	}
	return b.Stat(ctx, key)
}

// mkdirs makes a folder and those that it lies in.
func (b *Bucket) mkdirs(ctx context.Context, dir string) error {
	if dir == "" {
		return nil
	}
	e, err := b.fs.Stat(ctx, dir)
	if err == nil && !e.Dir {
		return objstore.ErrFileInTheWay
	}
	if !ports.Is(err, ports.NotFound) {
		return err
	}
	if err := b.mkdirs(ctx, parent(dir)); err != nil {
		return err
	}
	return b.missing(ctx, b.fs.Mkdir(ctx, dir))
}

// place moves a finished file under its key.
func (b *Bucket) place(ctx context.Context, temp, key string, mustBeNew bool) (objstore.Object, error) {
	b.placing.RLock()
	defer b.placing.RUnlock()
	defer b.changes.Add(1)
	if err := b.mkdirs(ctx, parent(key)); err != nil {
		return objstore.Object{}, err
	}
	old, err := b.fs.Stat(ctx, key)
	if err == nil {
		err = errors.Join(occupied(old, key, mustBeNew), b.tellApart(ctx, temp, old))
	}
	if err := gone(err); err != nil {
		return objstore.Object{}, err
	}
	if err := b.fs.Move(ctx, temp, key, !mustBeNew); err != nil {
		return objstore.Object{}, err
	}
	return b.Stat(ctx, key)
}

// tellApart gives a new file another time than the one it replaces, when their
// ETags would be the same: times are often whole seconds.
func (b *Bucket) tellApart(ctx context.Context, temp string, old Entry) error {
	next, err := b.fs.Stat(ctx, temp)
	if err != nil || etag(next) != etag(old) && (next.ETag != "" || next.ModTime.After(old.ModTime) || next.Size != old.Size) {
		return err
	}
	err = b.fs.Date(ctx, temp, old.ModTime.Add(time.Second))
	if ports.Is(err, ports.NotImplemented) {
		return nil
	}
	return err
}

// Copy implements objstore.Bucket: by the server where it can, else through here.
func (b *Bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), checkKey(dst), checkKey(src)); err != nil {
		return objstore.Object{}, err
	}
	if isFolder(dst) != isFolder(src) {
		return objstore.Object{}, objstore.ErrBadKey
	}
	e, err := b.stat(ctx, src)
	if err == nil {
		err = b.inTheWay(ctx, dst, false)
	}
	if err != nil {
		return objstore.Object{}, err
	}
	if isFolder(dst) {
		return b.writeFolder(ctx, dst, strings.NewReader(""))
	}
	return b.fill(ctx, dst, false, func(temp string) error {
		err := b.fs.Copy(ctx, src, temp)
		if !ports.Is(err, ports.NotImplemented) {
			return err
		}
		return b.copyThrough(ctx, temp, src, e)
	})
}

func (b *Bucket) copyThrough(ctx context.Context, temp, src string, e Entry) error {
	body, err := b.Read(ctx, src, objstore.Range{IfMatch: etag(e)})
	if err != nil {
		return err
	}
	defer body.Close()
	return b.put(ctx, temp, body, e.Size)
}

// sweep removes what cut uploads left behind, at most once an hour. It is best
// effort: what cannot be removed now is tried again.
func (b *Bucket) sweep(ctx context.Context) {
	now := b.now()
	last := b.swept.Load()
	if now.Unix()-last < int64(sweepEvery/time.Second) || !b.swept.CompareAndSwap(last, now.Unix()) {
		return
	}
	b.cleanUp(ctx, func(ctx context.Context) {
		temps, _ := b.fs.List(ctx, tempDir)
		for _, e := range older(temps, now.Add(-staleTemp)) {
			_ = b.fs.Remove(ctx, tempDir+"/"+e.Name)
		}
		uploads, _ := b.fs.List(ctx, uploadsDir)
		for _, e := range older(uploads, now.Add(-staleUpload)) {
			_ = b.fs.RemoveAll(ctx, uploadsDir+"/"+e.Name)
		}
	})
}

// older are the entries that have not changed since.
func older(entries []Entry, since time.Time) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.ModTime.IsZero() || !e.ModTime.Before(since) })
}
