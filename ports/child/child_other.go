//go:build !linux && !windows

package child

import "syscall"

// Attributes keep the terminal's signals from the child. That it ends with us is
// its own task.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
