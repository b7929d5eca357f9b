package datadir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ReserveSize is how much of the disk is set aside for a full disk, in bytes.
const ReserveSize = 16 << 20

// Where so many bytes are free, nobody looks at the disk again for so long: no
// disk takes that much in that time.
const (
	plenty    = 1 << 30
	plentyFor = 100 * time.Millisecond
)

// ample reports whether so many bytes free are enough for new content: the
// reserve, held or let go, and as much again.
func ample(free int64, held bool) bool {
	if held {
		free += ReserveSize
	}
	return free >= 2*ReserveSize
}

// within is the room of a folder's disk without what new content may not take.
func (r *Reserve) within(dir string, space Space) Space {
	if r == nil {
		return space
	}
	mine, err1 := os.Stat(filepath.Dir(r.path))
	theirs, err2 := os.Stat(dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err1 == nil && err2 == nil && os.SameFile(mine, theirs) && !ample(space.Free, r.held) {
		space.Free = 0
	}
	return space
}

func reservePath(dir string) string { return filepath.Join(dir, "reserve") }

// Reserve is a file that takes room on the disk of the database. It is let go
// when a write meets a full disk, so that signing in, settings and deletes work
// there, and made again when there is ample room.
type Reserve struct {
	path string
	disk func() (Space, error)
	log  *slog.Logger

	mu     sync.Mutex
	held   bool
	free   int64     // bytes, when the disk was last looked at for new content
	looked time.Time // when that was
}

// OpenReserve takes over the file that is there, or makes it where there is
// ample room. One on a disk that is full already is let go: the start writes
// too.
func OpenReserve(dir string, log *slog.Logger) *Reserve {
	r := &Reserve{path: reservePath(dir), disk: func() (Space, error) { return spaceOf(dir) }, log: log}
	if info, err := os.Lstat(r.path); err == nil && info.Mode().IsRegular() && info.Size() == ReserveSize {
		r.held = true
		if use, err := r.disk(); err == nil && use.Free < ReserveSize/4 {
			r.LetGo()
		}
		return r
	}
	r.Restore()
	return r
}

// LetGo removes the file and reports whether that made room.
func (r *Reserve) LetGo() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.held {
		return false
	}
	if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.log.Error("let the reserve of the disk go", "error", err)
		return false
	}
	r.held = false
	r.log.Warn("the disk is full: its reserve was let go for signing in, settings and deletes; new content is refused until there is room", "bytes", ReserveSize)
	return true
}

// Restore makes the file again when more than four times its size is free.
func (r *Reserve) Restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	use, err := r.disk()
	if r.held || err != nil || use.Free <= 4*ReserveSize {
		return
	}
	if err := setAside(r.path); err != nil {
		r.log.Error("set the reserve of the disk aside", "error", err)
		return
	}
	r.held = true
}

// Holds reports whether new content may take size bytes: not when that would
// leave less than the reserve and as much again. reusable is what the database
// has free inside its file, in bytes.
func (r *Reserve) Holds(size, reusable int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free-size >= plenty && time.Since(r.looked) < plentyFor {
		return true
	}
	use, err := r.disk()
	if err != nil {
		return true // who cannot tell lets the write find out
	}
	r.free, r.looked = use.Free, time.Now()
	return ample(use.Free+reusable-size, r.held)
}

// setAside makes the file of the reserve, for its owner only.
func setAside(path string) (err error) {
	_ = os.Remove(path) // a part of one
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	if allocate(f, ReserveSize) == nil {
		return nil
	}
	// Bytes that no file system can pack.
	if _, err := io.CopyN(f, rand.Reader, ReserveSize); err != nil {
		return fmt.Errorf("fill it: %w", err)
	}
	return nil
}
