//go:build !windows

package child

import "syscall"

// Kill ends a child and what it has started.
func Kill(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
