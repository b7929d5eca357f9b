package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
)

// reserveSize is how much of the disk is set aside for a full disk, in bytes.
const reserveSize = 16 << 20

// reserve is a file that takes room on the disk of the database. It is let go
// when a write meets a full disk, so that signing in, settings and deletes work
// there, and made again when there is ample room.
type reserve struct {
	path string
	disk func() (adminapi.DiskUse, error)
	log  *slog.Logger

	mu   sync.Mutex
	held bool
}

// openReserve takes over the file that is there, or makes it where there is
// ample room. One on a disk that is full already is let go: the start writes
// too.
func openReserve(path string, disk func() (adminapi.DiskUse, error), log *slog.Logger) *reserve {
	r := &reserve{path: path, disk: disk, log: log}
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == reserveSize {
		r.held = true
		if use, err := disk(); err == nil && use.Free < reserveSize/4 {
			r.letGo()
		}
		return r
	}
	r.restore()
	return r
}

// letGo removes the file and reports whether that made room.
func (r *reserve) letGo() bool {
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
	r.log.Warn("the disk is full: its reserve was let go for signing in, settings and deletes; new content is refused until there is room", "bytes", reserveSize)
	return true
}

// restore makes the file again when more than four times its size is free.
func (r *reserve) restore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	use, err := r.disk()
	if r.held || err != nil || use.Free <= 4*reserveSize {
		return
	}
	if err := setAside(r.path); err != nil {
		r.log.Error("set the reserve of the disk aside", "error", err)
		return
	}
	r.held = true
}

// room refuses new content that takes size bytes and would leave less than the
// reserve and as much again. reusable is what the database has free inside its
// file, in bytes.
func (r *reserve) room(size, reusable int64) error {
	use, err := r.disk()
	if err != nil {
		return nil // who cannot tell lets the write find out
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	free := use.Free + reusable
	if r.held {
		free += reserveSize
	}
	if free-size < 2*reserveSize {
		return httpapi.ErrDiskFull
	}
	return nil
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
	if allocate(f, reserveSize) == nil {
		return nil
	}
	// Bytes that no file system can pack.
	if _, err := io.CopyN(f, rand.Reader, reserveSize); err != nil {
		return fmt.Errorf("fill it: %w", err)
	}
	return nil
}

// restoreReserve looks whether there is room for the reserve again, and keeps
// short what the database would need of it.
func (a *app) restoreReserve(_ context.Context, last bool) {
	if a.reserve != nil && !last {
		a.store.Tidy()
		a.reserve.restore()
	}
}

// room refuses new content on a disk that is about to be full. A record stands
// in the log of the database and in its file, which has room that deleted records
// left. Files may go to other disks; the driver of this one asks for their size.
func (a *app) room(ctx context.Context, kind httpapi.Growth, size int64) error {
	if kind != httpapi.GrowsRecords {
		return a.reserve.room(0, 0)
	}
	size = 2 * max(size, 0)
	err := a.reserve.room(size, 0)
	if err == nil {
		return nil
	}
	reusable, unknown := a.store.Reusable(ctx)
	if unknown != nil {
		return err
	}
	return a.reserve.room(size, reusable)
}
