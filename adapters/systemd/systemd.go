// Package systemd is what the service manager gives the process and hears from
// it: sockets and secrets at the start, then signs of life. Without a manager
// nothing happens. The protocols are those of sd_listen_fds(3), sd_notify(3) and
// systemd.exec(5), "Credentials".
package systemd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// internalSocket is the name of the socket that is the internal listener
// (FileDescriptorName= of a socket unit).
const internalSocket = "internal"

// Sockets returns the listeners that the manager has opened for the process:
// one named "internal", and one with any other name; nil where there is none.
func Sockets() (public, internal net.Listener, err error) {
	given, err := activation.ListenersWithNames()
	if err != nil {
		return nil, nil, fmt.Errorf("take over the service manager's sockets: %w", err)
	}
	for name, sockets := range given {
		for _, socket := range sockets {
			switch {
			case socket == nil:
				err = errors.Join(err, fmt.Errorf("the service manager's socket %q is no stream socket", name))
			case name == internalSocket && internal == nil:
				internal = socket
			case name != internalSocket && public == nil:
				public = socket
			default:
				err = errors.Join(err, fmt.Errorf("the service manager's socket %q is one too many", name), socket.Close())
			}
		}
	}
	return public, internal, err
}

// Credential is the path of a secret that the manager has made for the process
// alone; "" when there is none of the name.
func Credential(name string) (path string, err error) {
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return "", nil
	}
	path = filepath.Join(dir, name)
	if _, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return path, err
}

// Manager hears how the process is.
type Manager struct{ Log *slog.Logger }

// Ready says that requests are answered.
func (m Manager) Ready() { m.tell(daemon.SdNotifyReady) }

// Stopping says that the process is about to end.
func (m Manager) Stopping() { m.tell(daemon.SdNotifyStopping) }

func (m Manager) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		m.Log.Warn("tell the service manager", "state", state, "error", err)
	}
}

// Watch says twice in each of the manager's intervals that the process is alive,
// until ctx ends, as long as alive returns nil. Without a watchdog it returns at
// once.
func (m Manager) Watch(ctx context.Context, alive func(context.Context) error) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return
	}
	tick := time.NewTicker(interval / 2)
	defer tick.Stop()
	for {
		limited, cancel := context.WithTimeout(ctx, interval/2)
		if err := alive(limited); err == nil {
			m.tell(daemon.SdNotifyWatchdog)
		} else if ctx.Err() == nil {
			m.Log.Error("the server does not answer itself", "error", err)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
