package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// See LockFileEx in the documentation of Windows.
const (
	exclusive   = 0x2
	immediately = 0x1
	held        = syscall.Errno(33) // ERROR_LOCK_VIOLATION
	pending     = syscall.Errno(997)
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// lock locks one byte far behind the end of any file, so that its content stays
// readable.
func lock(f *os.File, flags uintptr) error {
	at := syscall.Overlapped{OffsetHigh: 0x7fffffff}
	done, _, err := lockFileEx.Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case done != 0:
		return nil
	case errors.Is(err, held), errors.Is(err, pending):
		return ErrHeld
	}
	return err
}

// Take waits for the lock.
func Take(f *os.File) error { return lock(f, exclusive) }

// Try takes the lock if it is free, and returns ErrHeld if it is not.
func Try(f *os.File) error { return lock(f, exclusive|immediately) }

// Folder opens what stands for a folder when it is locked: a file in it, for folders
// themselves cannot be locked here.
func Folder(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, ".held"), os.O_RDWR|os.O_CREATE, 0o600)
}
