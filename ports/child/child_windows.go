package child

import (
	"os"
	"syscall"
)

// Attributes keep the console's signals from the child. That it ends with us is its
// own task.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Kill ends a child; what it has started is not known here.
func Kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
