package pluginhost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pasteport/ports/filelock"
	"pasteport/ports/objstore"
)

// lockName is the file of a plugin folder that pins what may run.
const lockName = "plugins.lock"

// maxLock bounds the lock file, in bytes.
const maxLock = 4 << 20

// Entry is an approved program.
type Entry struct {
	SHA256     string        `json:"sha256"` // of the file, in hex
	ApprovedAt time.Time     `json:"approved_at"`
	Info       objstore.Info `json:"info"` // what the program said of itself then
}

// lockFile is the form of the file. A newer form than ours is refused.
type lockFile struct {
	Format  int              `json:"format"`
	Drivers map[string]Entry `json:"drivers"`
}

const lockFormat = 1

// readLock returns the approved programs by name; none when there is no file.
func (f *Folder) readLock() (map[string]Entry, error) {
	path := filepath.Join(f.dir, lockName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Entry{}, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxLock) {
		err = fmt.Errorf("%s is no lock file", path)
	}
	if err == nil {
		err = ours(path, info)
	}
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file lockFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file.Format != lockFormat {
		return nil, fmt.Errorf("%s has format %d; this version knows format %d", path, file.Format, lockFormat)
	}
	if file.Drivers == nil {
		file.Drivers = map[string]Entry{}
	}
	return file.Drivers, nil
}

// changeLock replaces the lock file by what fn makes of it. One at a time, and
// a crash leaves the old file or the new one.
func (f *Folder) changeLock(fn func(lock map[string]Entry) error) (err error) {
	dir, err := filelock.Folder(f.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := filelock.Take(dir); err != nil {
		return fmt.Errorf("lock %s: %w", f.dir, err)
	}
	lock, err := f.readLock()
	if err != nil {
		return err
	}
	if err := fn(lock); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(lockFile{lockFormat, lock}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(f.dir, lockName)
	if err := writeSynced(path+".new", append(raw, '\n')); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return dir.Sync()
}

func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noFollow, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
