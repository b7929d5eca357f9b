package main

import (
	"context"
	"fmt"
	"syscall"

	"pasteport/adapters/httpapi"
)

// diskOf tells how full the disk of a folder is.
func diskOf(dir string) func() (httpapi.DiskUse, error) {
	return func() (httpapi.DiskUse, error) {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			return httpapi.DiskUse{}, err
		}
		// As df does it: what is set aside for root is no room.
		used, free := int64(st.Blocks-st.Bfree)*int64(st.Bsize), int64(st.Bavail)*int64(st.Bsize)
		return httpapi.DiskUse{Total: used + free, Free: free}, nil
	}
}

// diskHasRoom fails when a disk fills up.
func diskHasRoom(disk func() (httpapi.DiskUse, error)) func(context.Context) error {
	return func(context.Context) error {
		use, err := disk()
		if err == nil && use.Percent() >= httpapi.DiskFilling {
			err = fmt.Errorf("the disk of the data folder is %d %% full", use.Percent())
		}
		return err
	}
}
