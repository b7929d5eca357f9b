package process

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// What becomes of this process.
const (
	stays    int32 = iota
	restarts       // it is to be replaced by a new one of itself
	ends           // somebody else has asked it to stop
)

var fate atomic.Int32

// handed says that the service manager has opened the listeners, which a new
// process gets from it alone.
var handed = os.Getenv("LISTEN_FDS") != ""

// Restart has the process stop as for SIGTERM and start again in its place. Later
// calls do nothing, for a second signal would cut what is under way; nor do calls
// when the process stops for good.
func Restart() error {
	if !fate.CompareAndSwap(stays, restarts) {
		return nil
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		fate.CompareAndSwap(restarts, stays)
		return fmt.Errorf("restart the process: %w", err)
	}
	return nil
}

// Restarting reports whether Restart was called.
func Restarting() bool { return fate.Load() == restarts }

// End has the process stop for good, also when it is about to start again.
func End() { fate.Store(ends) }

// Renew replaces a process that has stopped for Restart by a new one with the
// same id, arguments and environment, and does not return then. It returns nil
// where nobody has called Restart, or End was called, and an error where the service
// manager has to start the new process, which it does for one that fails.
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
