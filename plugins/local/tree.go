package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Our own folder inside the root; never a key, never listed.
const (
	ownDir     = ".pasteport"
	tempDir    = ownDir + "/tmp"
	uploadsDir = ownDir + "/multipart"
)

// errLink is met where a symbolic link or another special file stands.
var errLink = errors.New("not a plain file or folder")

func checkKey(key string) error {
	if err := objstore.CheckKey(key); err != nil {
		return err
	}
	// In any case: some disks take no notice of it.
	if first, _, _ := strings.Cut(key, "/"); strings.EqualFold(first, ownDir) {
		return objstore.ErrBadKey
	}
	return nil
}

// lstat describes name, refusing links on the way to it. The walk cannot be
// atomic; os.Root keeps a link that appears in between inside the root.
func (b *bucket) lstat(name string) (fs.FileInfo, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		fi, err := b.root.Lstat(name[:i])
		if err != nil {
			return nil, err
		}
		if !fi.IsDir() {
			return nil, syscall.ENOTDIR
		}
	}
	fi, err := b.root.Lstat(name)
	if err == nil && !fi.IsDir() && !fi.Mode().IsRegular() {
		return nil, errLink
	}
	return fi, err
}

// openFile opens the plain file name for reading.
func (b *bucket) openFile(name string) (*os.File, error) {
	fi, err := b.lstat(name)
	if err != nil {
		return nil, fsError(err)
	}
	if fi.IsDir() {
		return nil, ports.ErrNotFound
	}
	f, err := b.root.Open(name)
	return f, fsError(err)
}

// makeParents creates the folders above name that are missing and marks them
// as made for their content only, so that they go with it.
func (b *bucket) makeParents(name string) error {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if err := b.makeFolder(name[:i], true); err != nil {
			return err
		}
	}
	return nil
}

// inTree runs put once the folders above name are there. It begins anew when
// one of them was pruned in between.
func (b *bucket) inTree(name string, put func() error) (err error) {
	for range 100 {
		if err = b.makeParents(name); err == nil {
			err = put()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// makeFolder creates one folder when it is missing.
func (b *bucket) makeFolder(dir string, implicit bool) error {
	fi, err := b.root.Lstat(dir)
	switch {
	case err == nil && fi.IsDir():
		return nil
	case err == nil:
		return objstore.ErrFileInTheWay
	case !errors.Is(err, fs.ErrNotExist):
		return fsError(err)
	}
	if err := b.newFolder(dir, implicit); err != nil && !errors.Is(err, fs.ErrExist) {
		return fsError(err)
	}
	return b.syncDir(path.Dir(dir))
}

// newFolder makes one folder and marks it, as one step.
func (b *bucket) newFolder(dir string, implicit bool) error {
	b.marking.Lock()
	defer b.marking.Unlock()
	err := b.root.Mkdir(dir, 0o700)
	if err == nil && implicit {
		b.setImplicit(dir, true)
	}
	return err
}

// setImplicit marks a folder as one that exists only for its content. Where
// the file system keeps no attributes, every folder counts as made by hand.
func (b *bucket) setImplicit(dir string, implicit bool) bool {
	d, err := b.root.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	return setImplicitAttr(d, implicit) == nil
}

func (b *bucket) implicit(dir string) bool {
	d, err := b.root.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	return hasImplicitAttr(d)
}

// prune removes dir and the folders above it that exist for content only and
// have none any more.
func (b *bucket) prune(dir string) {
	for ; dir != "." && b.pruneOne(dir); dir = path.Dir(dir) {
	}
}

func (b *bucket) pruneOne(dir string) bool {
	b.marking.Lock()
	defer b.marking.Unlock()
	return b.implicit(dir) && b.root.Remove(dir) == nil
}

// syncDir makes renames and removals in dir durable.
func (b *bucket) syncDir(dir string) error {
	if runtime.GOOS == "windows" { // whose file system writes these down by itself
		return nil
	}
	d, err := b.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // pruned meanwhile
	}
	if err != nil {
		return fsError(err)
	}
	defer d.Close()
	return b.sync(d)
}

func (b *bucket) sync(f *os.File) error {
	if err := f.Sync(); err != nil {
		b.broken.Store(true)
		return unavailable("make it durable", err)
	}
	return nil
}

// fsError gives an error of the file system its code.
func fsError(err error) error {
	var known *ports.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, errLink):
		return ports.ErrNotFound.With(err)
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EILSEQ), errors.Is(err, syscall.EINVAL):
		return objstore.ErrBadKey.With(err)
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTEMPTY):
		return objstore.ErrFolderInTheWay.With(err)
	case errors.Is(err, fs.ErrExist):
		return objstore.ErrExists.With(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return (&ports.Error{Code: ports.Quota, Key: "quota_exceeded"}).With(err)
	case errors.Is(err, fs.ErrPermission):
		return (&ports.Error{Code: ports.BadGateway, Key: "storage_denied"}).With(err)
	}
	return ports.ErrUnavailable.With(err)
}
