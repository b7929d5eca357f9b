package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"

	"pasteport/plugins/sdk"
	"pasteport/ports"
)

// allowedEnv are the only variables that a driver inherits.
var allowedEnv = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "TZ", "LANG", "LC_ALL", "TMPDIR",
}

var errClosed = ports.ErrUnavailable.With(errors.New("the plugin host is closed"))

// process keeps one driver process: none at first, then one at a time. A
// supervisor goroutine owns it, from the first use until close.
type process struct {
	name    string
	command Command
	timing  Timing
	logger  *slog.Logger
	logs    *logLines

	running atomic.Pointer[instance]
	wants   chan want
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
	closing sync.Once

	mu        sync.Mutex // guards what status reads
	starts    int
	crashes   []time.Time
	notBefore time.Time
	reason    string
}

// instance is one run of the process.
type instance struct {
	client *plugin.Client
	rpc    *sdk.Client
	pid    int
	// suspect is set by a call that lost the driver.
	suspect atomic.Bool
}

type want struct {
	ctx    context.Context
	answer chan result
}

type result struct {
	instance *instance
	err      error
}

func newProcess(name string, command Command, timing Timing, logger *slog.Logger) *process {
	logger = logger.With("driver", name)
	return &process{
		name: name, command: command, timing: timing, logger: logger, logs: newLogLines(logger),
		wants: make(chan want), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// get returns the running instance, starting one when there is none. Returns
// Unavailable while the driver is out of service.
func (p *process) get(ctx context.Context) (*instance, error) {
	if i := p.running.Load(); i != nil && !i.suspect.Load() && !i.client.Exited() {
		return i, nil
	}
	p.once.Do(func() { go p.supervise() })
	ctx, cancel := context.WithTimeout(ctx, p.timing.Start+p.timing.MaxWait+p.timing.PingAnswer)
	defer cancel()
	w := want{ctx, make(chan result, 1)}
	select {
	case p.wants <- w:
	case <-p.stop:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-w.answer:
		return r.instance, r.err
	case <-p.stopped:
		return nil, errClosed
	}
}

// supervise starts, checks and ends the process. It keeps its thread: Linux
// sends the death signal of a child when the thread that forked it ends.
func (p *process) supervise() {
	runtime.LockOSThread()
	defer close(p.stopped)
	defer p.end("closed")
	ticker := time.NewTicker(p.timing.Ping)
	defer ticker.Stop()
	misses := 0
	for {
		select {
		case <-p.stop:
			return
		case w := <-p.wants:
			i, err := p.ensure(w.ctx)
			w.answer <- result{i, err}
		case <-ticker.C:
			misses = p.check(misses)
		}
	}
}

func (p *process) close() {
	p.closing.Do(func() { close(p.stop) })
	p.once.Do(func() { close(p.stopped) }) // never started
	<-p.stopped
}

// ensure gives the running instance or starts one, within the backoff.
func (p *process) ensure(ctx context.Context) (*instance, error) {
	if i := p.running.Load(); i != nil {
		if p.alive(i) {
			return i, nil
		}
		p.crashed(errors.New("the process ended"))
	}
	if err := p.waitTurn(ctx); err != nil {
		return nil, err
	}
	i, err := p.start()
	if err != nil {
		p.crashed(err)
		return nil, ports.ErrUnavailable.With(fmt.Errorf("start driver %s: %w", p.name, err))
	}
	p.mu.Lock()
	p.starts++
	p.mu.Unlock()
	p.running.Store(i)
	p.logger.Info("driver started", "pid", i.pid)
	return i, nil
}

// alive reports whether the instance answers. A call may have lost its
// connection a moment before the process is seen to be gone.
func (p *process) alive(i *instance) bool {
	if i.client.Exited() {
		return false
	}
	if !i.suspect.Load() {
		return true
	}
	ok := p.ping(i) == nil
	i.suspect.Store(!ok)
	return ok
}

func (p *process) ping(i *instance) error {
	ctx, cancel := context.WithTimeout(context.Background(), p.timing.PingAnswer)
	defer cancel()
	return i.rpc.Ping(ctx)
}

// check pings the instance and ends it after too many misses.
func (p *process) check(misses int) int {
	i := p.running.Load()
	if i == nil {
		return 0
	}
	if i.client.Exited() {
		p.crashed(errors.New("the process ended"))
		return 0
	}
	err := p.ping(i)
	if err == nil {
		return 0
	}
	if misses++; misses < p.timing.PingMisses {
		return misses
	}
	p.crashed(fmt.Errorf("the process does not answer: %w", err))
	return 0
}

// crashed ends what is left of the instance and sets when the next may start.
func (p *process) crashed(reason error) {
	p.end(reason.Error())
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crashes = append(p.recent(now), now)
	backoff := p.timing.Backoff << min(len(p.crashes)-1, 20)
	p.notBefore = now.Add(min(backoff, p.timing.MaxBackoff))
	if len(p.crashes) >= p.timing.MaxCrashes {
		p.notBefore = p.crashes[len(p.crashes)-p.timing.MaxCrashes].Add(p.timing.CrashWindow)
	}
	p.reason = reason.Error()
	p.logger.Error("driver crashed", "reason", reason, "crashes", len(p.crashes), "next_start", p.notBefore)
}

// recent returns the crashes inside the window; the caller holds mu.
func (p *process) recent(now time.Time) []time.Time {
	for i, at := range p.crashes {
		if now.Sub(at) < p.timing.CrashWindow {
			return p.crashes[i:]
		}
	}
	return nil
}

// waitTurn waits until the backoff is over, when that is soon.
func (p *process) waitTurn(ctx context.Context) error {
	p.mu.Lock()
	wait := time.Until(p.notBefore)
	out := len(p.recent(time.Now())) >= p.timing.MaxCrashes
	reason := p.reason
	p.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	if out || wait > p.timing.MaxWait {
		return &ports.Error{
			Code: ports.Unavailable, Key: "storage_unavailable", Reason: "driver_out_of_service", RetryAfter: wait,
			Cause: fmt.Errorf("driver %s is down: %s", p.name, reason),
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.stop:
		return errClosed
	}
}

// start runs the program and waits until it answers. It is called by the
// supervisor only, whose thread the child's life hangs on.
func (p *process) start() (*instance, error) {
	cmd := exec.Command(p.command.Path, p.command.Args...)
	cmd.SysProcAttr = childAttributes()
	cmd.Env = environment()
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  sdk.Handshake,
		VersionedPlugins: sdk.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              cmd,
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     p.timing.Start,
		Logger:           hclog.NewNullLogger(),
		Stderr:           p.logs.writer(),
		SyncStderr:       p.logs.writer(),
	})
	rpc, err := connect(client)
	if err != nil {
		client.Kill()
		return nil, err
	}
	pid, err := strconv.Atoi(client.ID())
	if err != nil {
		client.Kill()
		return nil, err
	}
	limitChild(pid)
	return &instance{client: client, rpc: rpc, pid: pid}, nil
}

func connect(client *plugin.Client) (*sdk.Client, error) {
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	driver, err := protocol.Dispense(sdk.PluginName)
	if err != nil {
		return nil, err
	}
	return driver.(*sdk.Client), nil
}

func environment() []string {
	env := []string{sdk.HostPID + "=" + strconv.Itoa(os.Getpid())}
	for _, name := range allowedEnv {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// end stops the running instance, if any: a request to shut down, then SIGTERM,
// then SIGKILL.
func (p *process) end(reason string) {
	i := p.running.Swap(nil)
	if i == nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		i.client.Kill()
	}()
	for _, step := range []struct {
		after  time.Duration
		signal syscall.Signal
	}{{time.Second, syscall.SIGTERM}, {p.timing.Terminate, syscall.SIGKILL}} {
		timer := time.NewTimer(step.after)
		select {
		case <-gone:
			timer.Stop()
			p.logger.Info("driver ended", "pid", i.pid, "reason", reason)
			return
		case <-timer.C:
			_ = syscall.Kill(i.pid, step.signal)
		}
	}
	<-gone
	p.logger.Warn("driver killed", "pid", i.pid, "reason", reason)
}

func (p *process) status() Status {
	s := Status{Driver: p.name}
	if i := p.running.Load(); i != nil && !i.client.Exited() {
		s.PID = i.pid
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Starts, s.Crashes, s.Reason = p.starts, len(p.recent(time.Now())), p.reason
	if s.Crashes >= p.timing.MaxCrashes {
		s.OutUntil = p.notBefore
	}
	return s
}
