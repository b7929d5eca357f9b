// Package datadir is the data folder of an installation: how full its disk is and
// how fast, the reserve that keeps it usable when it is full, the folders in which
// commands work, the name of the node and the ends of its audit log.
package datadir

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"time"

	"pasteport/domain/doctor"
)

// Space is how much room a disk has, in bytes.
type Space struct{ Total, Free int64 }

// SpaceOf tells how full the disk of a data folder is. Where a reserve is kept in the
// folder, what is left when new content is refused is for the database alone, and no
// room; reserve is nil where there is none.
func SpaceOf(dir string, reserve *Reserve) (Space, error) {
	space, err := spaceOf(dir)
	if err != nil {
		return Space{}, err
	}
	return reserve.within(dir, space), nil
}

// syncs is how often a small file is written to measure a disk.
const syncs = 5

// Look measures the disk of a data folder, and tells which of the private files
// and folders others of the machine may read. reserve is as in SpaceOf.
func Look(ctx context.Context, dir string, reserve *Reserve, private ...string) (state doctor.DiskState, err error) {
	for _, path := range private {
		if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
			state.Open = append(state.Open, path)
		}
	}
	space, err := SpaceOf(dir, reserve)
	if err != nil {
		return state, err
	}
	state.Total, state.Free = space.Total, space.Free
	var took []time.Duration
	for range syncs {
		if err := ctx.Err(); err != nil {
			return state, err
		}
		d, err := syncOnce(dir)
		if err != nil {
			return state, err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	state.Sync = took[len(took)/2]
	return state, nil
}

// syncOnce writes and syncs a small file.
func syncOnce(dir string) (took time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	began := time.Now()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		return 0, err
	}
	err = f.Sync()
	return time.Since(began), err
}
