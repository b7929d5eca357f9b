package sftp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"pasteport/plugins/filetree"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// files is the folder as a tree.
type files struct {
	s    *server
	base string // "", or a path that ends in "/"
}

var _ filetree.FS = (*files)(nil)

// done is the value of calls that give none.
type done = struct{}

// path is where a name lies.
func (f *files) path(name string) string {
	switch {
	case name != "":
		return f.base + name
	case f.base == "" || f.base == "/":
		return cmp.Or(f.base, ".")
	}
	return strings.TrimSuffix(f.base, "/")
}

// Close implements filetree.FS.
func (f *files) Close() error {
	f.s.close()
	return nil
}

// entry describes what is no link and no device.
func entry(fi fs.FileInfo) (filetree.Entry, error) {
	if !fi.IsDir() && !fi.Mode().IsRegular() {
		return filetree.Entry{}, os.ErrNotExist
	}
	e := filetree.Entry{Name: fi.Name(), Dir: fi.IsDir(), Size: fi.Size(), ModTime: fi.ModTime().UTC()}
	if e.Dir {
		e.Size = 0
	}
	return e, nil
}

// stat describes a name when nothing on the way to it is a link. The folder of the
// config itself may be one. All are asked for at once, since each answer takes a
// way there and back.
func (f *files) stat(l *link, name string) (filetree.Entry, error) {
	if name == "" {
		fi, err := l.Stat(f.path(""))
		if err != nil {
			return filetree.Entry{}, err
		}
		return entry(fi)
	}
	var names []string
	for i := range len(name) {
		if name[i] == '/' {
			names = append(names, name[:i])
		}
	}
	names = append(names, name)
	entries, errs := make([]filetree.Entry, len(names)), make([]error, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() {
			fi, err := l.Lstat(f.path(name))
			if err == nil {
				entries[i], err = entry(fi)
			}
			if err == nil && i < len(names)-1 && !entries[i].Dir {
				err = os.ErrNotExist
			}
			errs[i] = err
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return filetree.Entry{}, err
		}
	}
	return entries[len(names)-1], nil
}

// Stat implements filetree.FS.
func (f *files) Stat(ctx context.Context, name string) (filetree.Entry, error) {
	return call(ctx, f.s, func(l *link) (filetree.Entry, error) { return f.stat(l, name) })
}

// List implements filetree.FS.
func (f *files) List(ctx context.Context, dir string) ([]filetree.Entry, error) {
	return call(ctx, f.s, func(l *link) ([]filetree.Entry, error) {
		e, err := f.stat(l, dir)
		if err == nil && !e.Dir {
			err = os.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
		all, err := l.ReadDirContext(ctx, f.path(dir))
		if err != nil {
			return nil, err
		}
		entries := make([]filetree.Entry, 0, len(all))
		for _, fi := range all {
			if e, err := entry(fi); err == nil {
				entries = append(entries, e)
			}
		}
		return entries, nil
	})
}

// Open implements filetree.FS. What was opened is compared with what was
// described.
func (f *files) Open(ctx context.Context, name string, e filetree.Entry, offset, length int64) (io.ReadCloser, error) {
	file, err := call(ctx, f.s, func(l *link) (*sftp.File, error) {
		file, err := l.Open(f.path(name))
		if err != nil {
			return nil, err
		}
		fi, err := file.Stat()
		if err == nil && (fi.Size() != e.Size || !fi.ModTime().Equal(e.ModTime)) {
			err = filetree.ErrOther
		}
		if err != nil || ctx.Err() != nil {
			_ = file.Close()
		}
		return file, err
	})
	if errors.Is(err, filetree.ErrOther) {
		err = filetree.ErrOther
	}
	if err != nil {
		return nil, err
	}
	return &reader{ctx: ctx, file: file, at: offset, left: length, step: firstRead}, nil
}

// How much is asked for at once, in bytes: more and more, up to mostRead.
const (
	firstRead = 64 << 10
	mostRead  = 1 << 20
)

// reader reads a part of a file.
type reader struct {
	ctx      context.Context
	file     *sftp.File
	at, left int64
	step     int64
	buf      []byte
	rest     []byte // of buf
	err      error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.err == nil {
		r.err = r.fill()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill reads the next piece. After an error nobody uses its memory again: an
// answer may still come into it.
func (r *reader) fill() error {
	size := min(r.step, r.left)
	if size == 0 {
		return io.EOF
	}
	if int64(len(r.buf)) < size {
		r.buf = make([]byte, size)
	}
	type answer struct {
		n   int
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		n, err := r.file.ReadAt(r.buf[:size], r.at)
		answers <- answer{n, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
	r.rest, r.at, r.left, r.step = r.buf[:a.n], r.at+int64(a.n), r.left-int64(a.n), min(2*r.step, mostRead)
	if a.err == io.EOF && r.left > 0 {
		return io.ErrUnexpectedEOF // cut while we read it
	}
	if a.err == io.EOF {
		return nil
	}
	return translate(a.err)
}

// Close implements io.Closer.
func (r *reader) Close() error {
	go r.file.Close() // ends with its answer or the connection
	return nil
}

// Put implements filetree.FS. It returns when nobody reads the body any more: the
// connection ends when the server gives no sign of life.
func (f *files) Put(ctx context.Context, name string, body io.Reader, _ int64) error {
	l, err := f.s.link(ctx)
	if err != nil {
		return err
	}
	file, err := l.OpenFile(f.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		if lost(err) {
			f.s.drop(l)
		}
		return translate(err)
	}
	_, err = file.ReadFromWithConcurrency(&until{ctx, body}, requests)
	if _, known := l.HasExtension("fsync@openssh.com"); err == nil && known {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var status *sftp.StatusError
	if errors.As(err, &status) && f.full(l) {
		return &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "storage_cap_exceeded", Cause: status}
	}
	return translate(err)
}

// full reports whether the disk has no room: the protocol has no word for it.
func (f *files) full(l *link) bool {
	disk, err := l.StatVFS(f.path(""))
	return err == nil && disk.Bavail*disk.Frsize < 1<<20
}

// until ends a body with its context.
type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// Copy implements filetree.FS: the bytes go through us.
func (f *files) Copy(context.Context, string, string) error { return objstore.ErrUnsupported }

// Move implements filetree.FS. Without OpenSSH's extension a file cannot be
// replaced in one step: the old one goes aside first.
func (f *files) Move(ctx context.Context, from, to string, replace bool) error {
	_, err := once(ctx, f.s, func(l *link) (done, error) {
		if _, known := l.HasExtension("posix-rename@openssh.com"); replace && known {
			return done{}, l.PosixRename(f.path(from), f.path(to))
		}
		_, err := l.Lstat(f.path(to))
		switch {
		case err == nil && replace:
			return done{}, f.swap(l, from, to)
		case err == nil:
			return done{}, objstore.ErrExists
		case !errors.Is(err, os.ErrNotExist):
			return done{}, err
		}
		err = l.Rename(f.path(from), f.path(to))
		if _, statErr := l.Lstat(f.path(to)); err != nil && statErr == nil && !replace {
			err = objstore.ErrExists
		}
		return done{}, err
	})
	return translate(err)
}

func (f *files) swap(l *link, from, to string) error {
	aside := from + ".old"
	if err := l.Rename(f.path(to), f.path(aside)); err != nil {
		return err
	}
	if err := l.Rename(f.path(from), f.path(to)); err != nil {
		return errors.Join(err, l.Rename(f.path(aside), f.path(to)))
	}
	return l.Remove(f.path(aside))
}

// Date implements filetree.FS.
func (f *files) Date(ctx context.Context, name string, at time.Time) error {
	_, err := call(ctx, f.s, func(l *link) (done, error) { return done{}, l.Chtimes(f.path(name), at, at) })
	return err
}

// Mkdir implements filetree.FS.
func (f *files) Mkdir(ctx context.Context, name string) error {
	_, err := call(ctx, f.s, func(l *link) (done, error) {
		err := l.Mkdir(f.path(name))
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return done{}, err
		}
		fi, statErr := l.Lstat(f.path(name))
		switch {
		case statErr != nil:
			return done{}, err
		case !fi.IsDir():
			return done{}, objstore.ErrFileInTheWay
		}
		return done{}, nil
	})
	return err
}

// Remove implements filetree.FS.
func (f *files) Remove(ctx context.Context, name string) error {
	_, err := call(ctx, f.s, func(l *link) (done, error) { return done{}, l.Remove(f.path(name)) })
	return err
}

// RemoveDir implements filetree.FS. The server refuses one that is not empty,
// without saying so.
func (f *files) RemoveDir(ctx context.Context, name string) error {
	_, err := call(ctx, f.s, func(l *link) (done, error) {
		if _, err := f.stat(l, name); err != nil {
			return done{}, err
		}
		err := l.RemoveDirectory(f.path(name))
		var status *sftp.StatusError
		if errors.As(err, &status) {
			if inside, listErr := l.ReadDir(f.path(name)); listErr == nil && len(inside) > 0 {
				return done{}, filetree.ErrNotEmpty
			}
		}
		return done{}, err
	})
	if errors.Is(err, filetree.ErrNotEmpty) {
		return filetree.ErrNotEmpty
	}
	return err
}

// RemoveAll implements filetree.FS: of our own folders, which hold files only.
func (f *files) RemoveAll(ctx context.Context, name string) error {
	_, err := call(ctx, f.s, func(l *link) (done, error) {
		if _, err := f.stat(l, name); err != nil {
			return done{}, err
		}
		inside, err := l.ReadDirContext(ctx, f.path(name))
		for _, fi := range inside {
			err = errors.Join(err, l.Remove(f.path(name+"/"+fi.Name())))
		}
		if err != nil {
			return done{}, err
		}
		return done{}, l.RemoveDirectory(f.path(name))
	})
	return err
}

// Usage implements filetree.FS: the numbers of the disk, where the server tells
// them.
func (f *files) Usage(ctx context.Context) (objstore.Usage, error) {
	return call(ctx, f.s, func(l *link) (objstore.Usage, error) {
		if _, known := l.HasExtension("statvfs@openssh.com"); !known {
			return objstore.Usage{}, objstore.ErrUnsupported
		}
		disk, err := l.StatVFS(f.path(""))
		if err != nil {
			return objstore.Usage{}, err
		}
		return objstore.Usage{Used: int64((disk.Blocks - disk.Bfree) * disk.Frsize), Free: int64(disk.Bavail * disk.Frsize), Count: -1}, nil
	})
}
