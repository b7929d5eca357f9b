// Package pluginhost runs storage drivers: some in this process, the others in
// processes of their own that are started when first needed, watched, restarted
// with growing delay, and gone when this process is. Calls cross a private
// socket; the bytes of objects do not when the driver can sign or name them.
package pluginhost

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Command is how the process of a driver is started.
type Command struct {
	Path string
	Args []string
	// Trusted says that the program was built with this one: it may name local
	// files inside the folder of its config, and hosts for its links.
	Trusted bool
	// About is what the driver says of itself, when that is known without
	// asking it: a form is shown without starting a process. Nil asks.
	About *objstore.Info
}

// Self runs a driver of this very program: "pasteport driver NAME". It keeps
// working when the file is replaced during an upgrade.
func Self(name string) Command {
	return Command{Path: selfPath(), Args: []string{"driver", name}, Trusted: true}
}

// Timing holds the waits of the host. A zero field means its default.
type Timing struct {
	Start        time.Duration // until a new process answers: 10 s
	Call         time.Duration // of a call about objects: 20 s
	LongCall     time.Duration // of Copy and Complete: 10 min
	Idle         time.Duration // between two pieces of a body: 30 s
	Ping         time.Duration // between health checks: 10 s
	PingAnswer   time.Duration // until a health check has failed: 5 s
	PingMisses   int           // failed checks until the process is ended: 3
	Terminate    time.Duration // between SIGTERM and SIGKILL: 5 s
	Backoff      time.Duration // before the first restart, doubling: 0.5 s
	MaxBackoff   time.Duration // 60 s
	MaxWait      time.Duration // that a call waits for a restart: 2 s
	CrashWindow  time.Duration // in which crashes are counted: 10 min
	MaxCrashes   int           // in the window until it is out of service: 5
	LinkLifetime time.Duration // of links that the server uses itself: 15 min
}

func (t Timing) withDefaults() Timing {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&t.Start, 10 * time.Second}, {&t.Call, 20 * time.Second}, {&t.LongCall, 10 * time.Minute}, {&t.Idle, 30 * time.Second},
		{&t.Ping, 10 * time.Second}, {&t.PingAnswer, 5 * time.Second}, {&t.Terminate, 5 * time.Second},
		{&t.Backoff, 500 * time.Millisecond}, {&t.MaxBackoff, time.Minute}, {&t.MaxWait, 2 * time.Second},
		{&t.CrashWindow, 10 * time.Minute}, {&t.LinkLifetime, 15 * time.Minute},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if t.PingMisses == 0 {
		t.PingMisses = 3
	}
	if t.MaxCrashes == 0 {
		t.MaxCrashes = 5
	}
	return t
}

// Options are what a Host is made of.
type Options struct {
	InProcess map[string]objstore.Driver // drivers that run here, by name
	Processes map[string]Command         // drivers that run in processes
	Logger    *slog.Logger               // nil means slog.Default
	Timing    Timing
}

// Host gives drivers by name. It is safe for concurrent use.
type Host struct {
	drivers   map[string]objstore.Driver
	processes map[string]*process
}

// New returns a host. It starts no process; Close ends those that calls start.
func New(o Options) *Host {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	timing := o.Timing.withDefaults()
	h := &Host{drivers: map[string]objstore.Driver{}, processes: map[string]*process{}}
	for name, command := range o.Processes {
		p := newProcess(name, command, timing, o.Logger)
		h.processes[name] = p
		h.drivers[name] = &remoteDriver{p: p}
	}
	for name, driver := range o.InProcess {
		h.drivers[name] = driver
	}
	return h
}

// Driver returns a driver. Returns NotFound for an unknown name.
func (h *Host) Driver(name string) (objstore.Driver, error) {
	if d, ok := h.drivers[name]; ok {
		return d, nil
	}
	return nil, ports.ErrNotFound
}

// Drivers returns the names of all drivers, sorted.
func (h *Host) Drivers() []string {
	names := make([]string, 0, len(h.drivers))
	for name := range h.drivers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Status tells how the process of a driver is.
type Status struct {
	Driver   string
	PID      int // 0 when it does not run
	Starts   int // since the host was made
	Crashes  int // in the last CrashWindow
	OutUntil time.Time
	// Reason is the last failure, for the log and the panel; empty when there
	// was none.
	Reason string
}

// Status returns the state of every driver process, by name.
func (h *Host) Status() []Status {
	var all []Status
	for _, name := range h.Drivers() {
		if p, ok := h.processes[name]; ok {
			all = append(all, p.status())
		}
	}
	return all
}

// Close ends all processes and waits for them. Calls under way fail.
func (h *Host) Close() error {
	var wait sync.WaitGroup
	for _, p := range h.processes {
		wait.Go(p.close)
	}
	wait.Wait()
	return nil
}

// Serve runs the driver name in this process until its host goes away: the
// command "pasteport driver NAME". It returns only when the name is unknown.
func Serve(name string, drivers map[string]objstore.Driver) error {
	driver, ok := drivers[name]
	if !ok {
		return errors.New("unknown driver " + name)
	}
	sdk.Serve(driver)
	return nil
}
