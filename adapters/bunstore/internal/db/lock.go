package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"pasteport/ports/filelock"
)

// LockFile takes the lock that keeps a second process from the same data. The
// system gives it back when the process ends, however it ends. The file holds
// the pid of its owner, for the message to the other.
func LockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock database: %w", err)
	}
	if err := filelock.Try(f); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, filelock.ErrHeld) {
			return nil, InUse(f, path)
		}
		return nil, fmt.Errorf("lock database: %w", err)
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// InUse says whose the lock is that another process holds.
func InUse(lock io.Reader, path string) error {
	owner, _ := io.ReadAll(io.LimitReader(lock, 20))
	return fmt.Errorf("database is in use by process %s; stop it first (several servers on the same data need PostgreSQL; lock %s)", strings.TrimSpace(string(owner)), path)
}
