package pluginhost

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// selfPath names this program's file even after it was replaced on the disk.
func selfPath() string { return "/proc/self/exe" }

// childAttributes ends the child with us, whatever ends us, and keeps the
// terminal's signals from it.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// limitChild forbids core files: they would hold credentials.
func limitChild(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}
