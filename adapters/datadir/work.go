package datadir

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"pasteport/ports/filelock"
)

// leftovers are the names of what commands keep in the data folder while they
// run: folders, and files under way. Each is held by a lock, so that a process
// that was killed gives it up.
var leftovers = []string{"backup-*", "restore-*", "migrate-*", "*.part"}

// WorkFolder makes a folder for the work of a command in the data folder; done
// removes it. Its name begins with front, one of "backup", "restore" and "migrate".
func WorkFolder(dataDir, front string) (dir string, done func() error, err error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp(dataDir, front+"-"); err != nil {
		return "", nil, err
	}
	lock, err := filelock.Folder(dir)
	if err == nil {
		err = filelock.Take(lock)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(lock.Close(), os.RemoveAll(dir)) }, nil
}

// SweepLeftovers removes what killed commands have left in the data folder, such
// as whole copies of the database, and tells the log.
func SweepLeftovers(dataDir string, log *slog.Logger) error {
	var errs []error
	for _, pattern := range leftovers {
		found, err := filepath.Glob(filepath.Join(dataDir, pattern))
		errs = append(errs, err)
		for _, path := range found {
			size, gone, err := removeUnheld(path, strings.HasSuffix(pattern, "-*"))
			errs = append(errs, err)
			if gone {
				log.Warn("removed what a killed backup, restore or migration left", "path", path, "bytes", size)
			}
		}
	}
	return errors.Join(errs...)
}

// removeUnheld removes a folder or a file, unless a process holds it.
func removeUnheld(path string, folder bool) (size int64, gone bool, err error) {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() != folder || !folder && !info.Mode().IsRegular() {
		return 0, false, ignoreMissing(err)
	}
	f, err := os.Open(path)
	if folder {
		f, err = filelock.Folder(path)
	}
	if err != nil {
		return 0, false, ignoreMissing(err)
	}
	if err := filelock.Try(f); err != nil {
		return 0, false, f.Close() // somebody works with it
	}
	if err := f.Close(); err != nil {
		return 0, false, err
	}
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, false, err
	}
	return size, true, os.RemoveAll(path)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
