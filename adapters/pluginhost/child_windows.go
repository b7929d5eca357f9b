package pluginhost

import (
	"os"
	"syscall"
)

func selfPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// childAttributes keeps the console's signals from the child. That it ends with us
// is up to sdk.Serve, which watches its parent.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func forgoPrivileges() {}

func limitChild(int, int64) {}
