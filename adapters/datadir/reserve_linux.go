package datadir

import (
	"os"
	"syscall"
)

// allocate makes f size bytes long and takes the room for them.
func allocate(f *os.File, size int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, size) }
