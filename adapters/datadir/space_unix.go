//go:build !windows

package datadir

import "syscall"

// spaceOf tells how much room the disk of a folder has.
func spaceOf(dir string) (Space, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return Space{}, err
	}
	// As df does it: what is set aside for root is no room.
	used, free := int64(st.Blocks-st.Bfree)*int64(st.Bsize), int64(st.Bavail)*int64(st.Bsize)
	return Space{Total: used + free, Free: free}, nil
}
