package process

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// again is set once this process is to be replaced by a new one of itself, and
// never unset but by a Restart that failed.
var again atomic.Bool

// handed says that the service manager has opened the listeners, which a new
// process gets from it alone.
var handed = os.Getenv("LISTEN_FDS") != ""

// Restart has the process stop as for SIGTERM and start again in its place. Later
// calls do nothing, for a second signal would cut what is under way.
func Restart() error {
	if !again.CompareAndSwap(false, true) {
		return nil
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		again.Store(false)
		return fmt.Errorf("restart the process: %w", err)
	}
	return nil
}

// Restarting reports whether Restart was called.
func Restarting() bool { return again.Load() }

// Renew replaces a process that has stopped for Restart by a new one with the
// same id, arguments and environment, and does not return then. It returns nil
// where nobody has called Restart, and an error where the service manager has to
// start the new process, which it does for one that fails.
func Renew() error {
	if !Restarting() {
		return nil
	}
	if handed {
		return errors.New("stopped for a restart by the service manager")
	}
	program, err := os.Executable()
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	return fmt.Errorf("start again: %w", err)
}
