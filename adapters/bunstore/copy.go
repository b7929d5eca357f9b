package bunstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/ports/filelock"
)

// Copy copies the SQLite database that url names to the path to, and the log that belongs to it, and
// changes nothing there. It is an error when a process has the database open;
// fs.ErrNotExist when there is none.
func Copy(url, to string) error {
	path := strings.TrimPrefix(url, "sqlite:")
	lock, err := os.Open(path + ".lock")
	if err == nil {
		defer func() { _ = lock.Close() }()
		err = filelock.Try(lock)
	}
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return db.InUse(lock, path+".lock")
	case err != nil && !errors.Is(err, fs.ErrNotExist): // nobody has ever opened one that has no lock
		return fmt.Errorf("lock database: %w", err)
	}
	if err := copyFile(path, to); err != nil {
		return err
	}
	err = copyFile(path+"-wal", to+"-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func copyFile(path, to string) (err error) {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	into, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(into, from)
	return errors.Join(err, into.Close())
}
