package child

import "syscall"

// Self names this program's file even after it was replaced on the disk.
func Self() string { return "/proc/self/exe" }

// Attributes end the child with us, whatever ends us, and keep the terminal's
// signals from it.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
