//go:build !windows

package pluginhost

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Flags of files that are opened: links are not followed, pipes not waited for.
const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK
)

// runnable returns an error for a file that its owner may not run.
func runnable(path string, info fs.FileInfo) error {
	if info.Mode()&0o100 == 0 {
		return fmt.Errorf("%s is not executable; chmod 700 it", path)
	}
	return nil
}

// ours returns an error when others may write what info describes.
func ours(path string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s may be written by others (mode %04o); chmod go-w it", path, mode)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, not to root or the server's user", path, s.Uid)
	}
	return nil
}

// send sends a signal to a process.
func send(pid int, signal syscall.Signal) { _ = syscall.Kill(pid, signal) }
