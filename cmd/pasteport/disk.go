package main

import (
	"context"
	"fmt"

	"pasteport/adapters/datadir"
	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/adminapi"
)

// diskOf tells how full the disk of a folder is.
func diskOf(dir string, reserve *datadir.Reserve) func() (adminapi.DiskUse, error) {
	return func() (adminapi.DiskUse, error) {
		space, err := datadir.SpaceOf(dir, reserve)
		return adminapi.DiskUse(space), err
	}
}

// diskHasRoom fails when a disk fills up.
func diskHasRoom(disk func() (adminapi.DiskUse, error)) func(context.Context) error {
	return func(context.Context) error {
		use, err := disk()
		if err == nil && use.Percent() >= adminapi.DiskFilling {
			err = fmt.Errorf("the disk of the data folder is %d %% full", use.Percent())
		}
		return err
	}
}

// roomFor refuses new content on a disk that is about to be full. A record stands
// in the log of the database and in its file, which has room that deleted records
// left: reusable tells how much, in bytes. Files may go to other disks; the driver
// of this one asks for their size.
func roomFor(reserve *datadir.Reserve, reusable func(context.Context) (int64, error)) func(ctx context.Context, kind httpapi.Growth, size int64) error {
	refusal := func(holds bool) error {
		if holds {
			return nil
		}
		return httpapi.ErrDiskFull
	}
	return func(ctx context.Context, kind httpapi.Growth, size int64) error {
		if kind != httpapi.GrowsRecords {
			return refusal(reserve.Holds(0, 0))
		}
		size = 2 * max(size, 0)
		if reserve.Holds(size, 0) {
			return nil
		}
		free, err := reusable(ctx)
		return refusal(err == nil && reserve.Holds(size, free))
	}
}
