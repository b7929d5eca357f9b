package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Spool is where form uploads wait, below the data folder.
const Spool = "tmp"

// OpenSpool makes the folder where form uploads wait, and sweeps it.
func OpenSpool(dataDir string) (string, error) {
	spool := filepath.Join(dataDir, Spool)
	if err := os.MkdirAll(spool, 0o700); err != nil {
		return "", fmt.Errorf("create the folder for temporary files: %w", err)
	}
	return spool, SweepSpool(spool)
}

// SweepSpool removes the files of forms that have a name, whatever their age:
// those in use have none.
func SweepSpool(spool string) error {
	left, err := filepath.Glob(filepath.Join(spool, "upload-*"))
	for _, path := range left {
		if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
