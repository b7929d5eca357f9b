package pluginhost

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pinnedImage gives a path that runs exactly the bytes whose digest was
// compared: they lie in sealed memory, so nothing can be exchanged between the
// check and the start. The caller calls free once the process runs.
func pinnedImage(path, digest string) (image string, free func(), err error) {
	from, err := openProgram(path)
	if err != nil {
		return "", nil, unsafe(err)
	}
	defer from.Close()
	fd, err := unix.MemfdCreate("driver", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 all such files could be run
		fd, err = unix.MemfdCreate("driver", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return "", nil, fmt.Errorf("memory for a driver program: %w", err)
	}
	memory := os.NewFile(uintptr(fd), "driver")
	err = copyPinned(memory, from, path, digest)
	if err == nil {
		_, err = unix.FcntlInt(memory.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	}
	if err != nil {
		memory.Close()
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d", memory.Fd()), func() { memory.Close() }, nil
}

func idOf(info os.FileInfo) (id fileID) {
	id.size, id.modified = info.Size(), info.ModTime().UnixNano()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		id.dev, id.ino, id.change = s.Dev, s.Ino, s.Ctim.Nano()
	}
	return id
}
