package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
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

// stop is how this process hears that it is to stop.
var stop struct {
	cancel context.CancelFunc
	hurry  chan struct{}  // closed when a stop is asked for that is under way
	asked  chan os.Signal // by others
	heard  sync.WaitGroup // until all of them were
}

// Stops returns a context that ends when the process is to stop: by a signal, or for
// Restart. It is called once.
func Stops() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stop.cancel, stop.hurry, stop.asked = cancel, make(chan struct{}), make(chan os.Signal, 8)
	signal.Notify(stop.asked, os.Interrupt, syscall.SIGTERM)
	stop.heard.Go(func() {
		for range stop.asked {
			switch {
			case fate.Swap(ends) == stays:
				cancel()
			case ctx.Err() == nil: // Restart is about to cancel
			default:
				select {
				case <-stop.hurry:
				default:
					close(stop.hurry)
				}
			}
		}
	})
	return ctx
}

// Hurry ends when a stop is asked for while one is under way.
func Hurry() <-chan struct{} { return stop.hurry }

// Restart has the process stop as for SIGTERM and start again in its place. Later
// calls do nothing; nor do calls when the process stops for good.
func Restart() error {
	if runtime.GOOS == "windows" {
		return fmt.Errorf("restart the process: %w", errors.ErrUnsupported)
	}
	if fate.CompareAndSwap(stays, restarts) {
		stop.cancel()
	}
	return nil
}

// Restarting reports whether the process stops for Restart, and nobody has asked it to
// stop since.
func Restarting() bool { return fate.Load() == restarts }

// Renew replaces a process that has stopped for Restart by a new one with the
// same id, arguments and environment, and does not return then. It returns nil
// where nobody has called Restart or somebody has asked for a stop since, and an error
// where the service manager has to start the new process, which it does for one that
// fails.
func Renew() error {
	if !Restarting() {
		return nil
	}
	if handed {
		return errors.New("stopped for a restart by the service manager")
	}
	// From here on a signal ends the process itself; those before are heard.
	signal.Stop(stop.asked)
	close(stop.asked)
	stop.heard.Wait()
	if !Restarting() {
		return nil
	}
	program, err := os.Executable()
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	return fmt.Errorf("start again: %w", err)
}
