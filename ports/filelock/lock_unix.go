//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Take waits for the lock.
func Take(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

// Try takes the lock if it is free, and returns ErrHeld if it is not.
func Try(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// Folder opens what stands for a folder when it is locked.
func Folder(dir string) (*os.File, error) { return os.Open(dir) }
