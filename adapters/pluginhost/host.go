// Package pluginhost runs storage drivers: some in this process, the others in
// processes of their own that are started when first needed, watched, restarted
// with growing delay, and gone when this process is. Calls cross a private
// socket; the bytes of objects do not when the driver can sign or name them.
package pluginhost

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/child"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// Command is how the process of a driver is started.
type Command struct {
	Path string
	Args []string
	// Trusted says that the program was built with this one: it may name local
	// files inside the folder of its config, and hosts for its links.
	Trusted bool
	// Env names further variables of this process that the driver inherits.
	Env []string
	// About is what the driver says of itself, when that is known without
	// asking it: a form is shown without starting a process. Nil asks.
	About *objstore.Info
	// Digest is the SHA-256 that the program must have, in hex, each time it is
	// started; empty when it was built with this one.
	Digest string
	// MaxMemory bounds the memory for data of the process, in bytes, where the
	// system can; 0 means no bound.
	MaxMemory int64

	reach outbound.Reach // Options.Reach
}

// Self runs a driver of this very program: "pasteport driver NAME". It keeps
// working when the file is replaced during an upgrade.
func Self(name string) Command {
	return Command{Path: child.Self(), Args: []string{"driver", name}, Trusted: true, MaxMemory: driverMemory}
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
	Programs  []Program                  // drivers of others; only approved ones run
	Logger    *slog.Logger               // nil means slog.Default
	Timing    Timing
	// Reach says where storages may be. Drivers learn it by a variable, and the
	// server's own connections to them obey it.
	Reach outbound.Reach
}

// Host gives drivers by name. It is safe for concurrent use.
type Host struct {
	timing Timing
	logger *slog.Logger
	reach  outbound.Reach

	mu        sync.RWMutex // guards the maps
	drivers   map[string]objstore.Driver
	processes map[string]*process
	programs  map[string]bool // names that SetPrograms gave
}

// New returns a host. It starts no process; Close ends those that calls start.
func New(o Options) *Host {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	h := &Host{
		timing: o.Timing.withDefaults(), logger: o.Logger, reach: o.Reach,
		drivers: map[string]objstore.Driver{}, processes: map[string]*process{}, programs: map[string]bool{},
	}
	for name, command := range o.Processes {
		h.add(name, command)
	}
	for name, driver := range o.InProcess {
		h.drivers[name] = driver
	}
	h.SetPrograms(o.Programs)
	return h
}

// add makes a driver process known; the caller holds mu or is New.
func (h *Host) add(name string, command Command) {
	command.reach = h.reach
	p := newProcess(name, command, h.timing, h.logger)
	h.processes[name] = p
	h.drivers[name] = &remoteDriver{p: p}
}

// SetPrograms takes over what the plugin folder holds now: approved programs
// can be used, the others are known and refuse with their reason. Drivers of
// the server keep their names. A program whose digest stays keeps its process.
// It returns how to end the processes that are not wanted any more; calls under
// way in them fail then.
func (h *Host) SetPrograms(programs []Program) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var old []*process
	kept := map[string]bool{}
	for _, p := range programs {
		if _, taken := h.drivers[p.Name]; taken && !h.programs[p.Name] {
			continue
		}
		before := h.processes[p.Name]
		kept[p.Name] = true
		if p.State == Approved && before != nil && before.command.Digest == p.Entry.SHA256 {
			continue
		}
		if before != nil {
			old = append(old, before)
			delete(h.processes, p.Name)
		}
		if h.programs[p.Name] = true; p.State == Approved {
			h.add(p.Name, p.command())
		} else {
			h.drivers[p.Name] = refusingDriver{p.Err}
		}
	}
	for name := range h.programs {
		if kept[name] {
			continue
		}
		if p := h.processes[name]; p != nil {
			old = append(old, p)
		}
		delete(h.programs, name)
		delete(h.processes, name)
		delete(h.drivers, name)
	}
	return func() { closeAll(old) }
}

// refusingDriver stands for a program that may not be started.
type refusingDriver struct{ err error }

func (d refusingDriver) Info(context.Context) (objstore.Info, error) {
	return objstore.Info{}, d.err
}

func (d refusingDriver) Open(context.Context, objstore.Config) (objstore.Bucket, error) {
	return nil, d.err
}

// Driver returns a driver. Returns NotFound for an unknown name.
func (h *Host) Driver(name string) (objstore.Driver, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if d, ok := h.drivers[name]; ok {
		return d, nil
	}
	return nil, ports.ErrNotFound
}

// Drivers returns the names of all drivers, sorted.
func (h *Host) Drivers() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
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
	Failures int // crashes and failed starts since the host was made
	OutUntil time.Time
	// Reason is the last failure, for the log and the panel; empty when there
	// was none.
	Reason string
}

// Status returns the state of every driver process, by name.
func (h *Host) Status() []Status {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var all []Status
	for _, name := range slices.Sorted(maps.Keys(h.processes)) {
		all = append(all, h.processes[name].status())
	}
	return all
}

// Digest returns the SHA-256 that the program of a driver must have, in hex;
// empty when the driver was built with the server or may not run.
func (h *Host) Digest(name string) string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if p := h.processes[name]; p != nil {
		return p.command.Digest
	}
	return ""
}

// Health returns why a driver's process is out of service: an error with a text
// for the panel. Nil means that calls may be tried.
func (h *Host) Health(name string) error {
	h.mu.RLock()
	p := h.processes[name]
	h.mu.RUnlock()
	if p == nil {
		return nil
	}
	return p.health()
}

// Close ends all processes and waits for them. Calls under way fail.
func (h *Host) Close() error {
	h.mu.RLock()
	all := slices.Collect(maps.Values(h.processes))
	h.mu.RUnlock()
	closeAll(all)
	return nil
}

func closeAll(processes []*process) {
	var wait sync.WaitGroup
	for _, p := range processes {
		wait.Go(p.close)
	}
	wait.Wait()
}

// Serve runs the driver name in this process until its host goes away: the
// command "pasteport driver NAME". Returns an error when the name is unknown.
func Serve(name string, drivers map[string]objstore.Driver) error {
	driver, ok := drivers[name]
	if !ok {
		return errors.New("unknown driver " + name)
	}
	sdk.Serve(driver)
	return nil
}
