package datadir

import "golang.org/x/sys/windows"

// spaceOf tells how much room the disk of a folder has.
func spaceOf(dir string) (Space, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return Space{}, err
	}
	var ours, total, free uint64 // what a quota leaves us is less than what is free
	if err := windows.GetDiskFreeSpaceEx(name, &ours, &total, &free); err != nil {
		return Space{}, err
	}
	return Space{Total: int64(total), Free: int64(ours)}, nil
}
