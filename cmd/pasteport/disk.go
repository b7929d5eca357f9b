package main

import (
	"context"
	"fmt"
	"pasteport/adapters/httpapi/adminapi"
	"syscall"
)

// diskOf tells how full the disk of a folder is.
func diskOf(dir string) func() (adminapi.DiskUse, error) {
	return func() (adminapi.DiskUse, error) {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			return adminapi.DiskUse{}, err
		}
		// As df does it: what is set aside for root is no room.
		used, free := int64(st.Blocks-st.Bfree)*int64(st.Bsize), int64(st.Bavail)*int64(st.Bsize)
		return adminapi.DiskUse{Total: used + free, Free: free}, nil
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
