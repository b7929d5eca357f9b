package pluginhost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/child"
	"pasteport/ports/outbound"
)

// driverMemory bounds the data of a driver, in bytes, whoever built it. It is far
// more than a driver needs and less than hurts.
const driverMemory = 1 << 30

// maxMessage bounds what a driver answers at once, in bytes. The longest answer
// is ten thousand unfinished uploads.
const maxMessage = 16 << 20

// allowedEnv are the variables that every driver inherits.
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
	refused refusal // owned by the supervisor
	wants   chan want
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
	closing sync.Once

	mu        sync.Mutex // guards what status reads
	starts    int
	failures  int
	crashes   []time.Time
	notBefore time.Time
	reason    string
	last      error // the last crash, as the panel may tell it
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
// sends the death signal of a child when the thread that forked it ends, and a
// child cannot gain privileges that the thread has given up.
func (p *process) supervise() {
	runtime.LockOSThread()
	forgoPrivileges()
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
	path, free, err := p.image()
	if err != nil {
		return nil, err
	}
	defer free()
	i, err := p.start(path)
	if err != nil {
		err = explain(p.name, err)
		p.crashed(err)
		return nil, err
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
	p.failures++
	p.crashes = append(p.recent(now), now)
	backoff := p.timing.Backoff << min(len(p.crashes)-1, 20)
	p.notBefore = now.Add(min(backoff, p.timing.MaxBackoff))
	if len(p.crashes) >= p.timing.MaxCrashes {
		p.notBefore = p.crashes[len(p.crashes)-p.timing.MaxCrashes].Add(p.timing.CrashWindow)
	}
	p.reason, p.last = reason.Error(), reason
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

// refusal is a program that may not be started, as its file was then.
type refusal struct {
	file fileID
	err  error
}

// image gives the path of the program to run. A pinned program is compared with
// its digest at every start; it is read again only when its file looks different
// from one that was refused. A refusal is no crash: the right file starts at once.
func (p *process) image() (path string, free func(), err error) {
	if p.command.Digest == "" {
		return p.command.Path, func() {}, nil
	}
	var now fileID
	if info, err := os.Lstat(p.command.Path); err == nil {
		now = idOf(info)
	}
	if p.refused.err != nil && p.refused.file == now {
		return "", nil, p.refused.err
	}
	path, free, err = pinnedImage(p.command.Path, p.command.Digest)
	p.refused = refusal{now, err}
	if err != nil {
		p.logger.Error("driver refused", "reason", err)
		p.mu.Lock()
		p.reason = err.Error()
		p.mu.Unlock()
	}
	return path, free, err
}

// explain says plainly why a program did not become a driver.
func explain(name string, err error) error {
	text := err.Error()
	var version, ours string
	if n, _ := fmt.Sscanf(text, "incompatible API version with plugin. Plugin version: %s Client versions: %s", &version, &ours); n == 2 {
		return problem("driver_incompatible", "driver %s speaks version %s of the driver protocol, this server versions %s",
			name, strings.TrimSuffix(version, ","), ours)
	}
	for _, c := range []struct{ sign, key, reason string }{
		{"Unrecognized remote plugin message", "driver_no_handshake", "the program is no storage driver: its first line is not the handshake"},
		{"exited before", "driver_no_handshake", "the program ended before the handshake"},
		{"timeout while waiting", "driver_no_handshake", "the program did not shake hands in time"},
		{"unsupported plugin protocol", "driver_incompatible", "the program does not speak gRPC"},
		{"core API version", "driver_incompatible", "the program was built with another go-plugin"},
	} {
		if strings.Contains(text, c.sign) {
			first, _, _ := strings.Cut(text, "\n")
			return problem(c.key, "driver %s: %s (%s)", name, c.reason, first)
		}
	}
	return ports.ErrUnavailable.With(fmt.Errorf("start driver %s: %w", name, err))
}

// start runs the program at path and waits until it answers. It is called by the
// supervisor only, whose thread the child's life hangs on.
func (p *process) start(path string) (*instance, error) {
	cmd := exec.Command(path, p.command.Args...)
	cmd.Args[0] = p.command.Path
	cmd.SysProcAttr = child.Attributes()
	cmd.Env = environment(p.command)
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  sdk.Handshake,
		VersionedPlugins: sdk.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              cmd,
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     p.timing.Start,
		GRPCDialOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
			grpc.WithStaticStreamWindowSize(sdk.Window), grpc.WithStaticConnWindowSize(sdk.Window)},
		Logger:     hclog.NewNullLogger(),
		Stderr:     p.logs.writer(),
		SyncStderr: p.logs.writer(),
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
	limitChild(pid, p.command.MaxMemory)
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

func environment(c Command) []string {
	env := []string{sdk.HostPID + "=" + strconv.Itoa(os.Getpid())}
	if c.reach == outbound.PublicOnly {
		env = append(env, sdk.PublicOnly+"=1")
	}
	if c.MaxMemory > 0 { // collect before the limit is felt
		env = append(env, "GOMEMLIMIT="+strconv.FormatInt(c.MaxMemory/2, 10))
	}
	for _, name := range slices.Concat(allowedEnv, c.Env) {
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
			send(i.pid, step.signal)
		}
	}
	<-gone
	p.logger.Warn("driver killed", "pid", i.pid, "reason", reason)
}

// health returns why the process is out of service, nil when it is not.
func (p *process) health() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.recent(time.Now())) < p.timing.MaxCrashes {
		return nil
	}
	var told *ports.Error
	if errors.As(p.last, &told) && told.Text != "" {
		return told
	}
	wait := max(0, time.Until(p.notBefore))
	return &ports.Error{
		Code: ports.Unavailable, Key: "storage_unavailable", Text: "driver_out_of_service", RetryAfter: wait,
		Params: map[string]any{"seconds": int64(wait.Seconds()) + 1}, Cause: p.last,
	}
}

func (p *process) status() Status {
	s := Status{Driver: p.name}
	if i := p.running.Load(); i != nil && !i.client.Exited() {
		s.PID = i.pid
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.Starts, s.Failures, s.Crashes, s.Reason = p.starts, p.failures, len(p.recent(time.Now())), p.reason
	if s.Crashes >= p.timing.MaxCrashes {
		s.OutUntil = p.notBefore
	}
	return s
}
