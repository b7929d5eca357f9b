package pluginhost_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/local"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
	"pasteport/ports/portstest"
)

// quick are waits for tests of failures: short where the failure is waited for,
// long where a busy machine would be taken for one.
var quick = pluginhost.Timing{
	Start: patience, Backoff: 10 * time.Millisecond, Terminate: 200 * time.Millisecond, Idle: patience,
}

// patience is how long tests wait for what should come soon.
const patience = time.Minute

func newHost(t testing.TB, timing pluginhost.Timing, logger *slog.Logger) *pluginhost.Host {
	t.Helper()
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	processes := map[string]pluginhost.Command{}
	for _, name := range []string{"local", "http", "stream", "trouble", "wrong-version", "garbage", "dies", "silent"} {
		processes[name] = pluginhost.Self(name)
	}
	big := pluginhost.Self("s3")
	big.MaxMemory *= driverLimit
	processes["s3"] = big
	for _, name := range []string{"local", "http"} {
		untrusted := pluginhost.Self(name)
		untrusted.Trusted = false
		processes["foreign-"+name] = untrusted
	}
	h := pluginhost.New(pluginhost.Options{
		InProcess: map[string]objstore.Driver{"here": local.Driver{}}, Processes: processes, Logger: logger, Timing: timing,
	})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func driver(t testing.TB, h *pluginhost.Host, name string) objstore.Driver {
	t.Helper()
	d, err := h.Driver(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func open(t testing.TB, h *pluginhost.Host, name string, options map[string]string) objstore.Bucket {
	t.Helper()
	b, err := driver(t, h, name).Open(context.Background(), objstore.Config{ID: "c1", Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func statusOf(t testing.TB, h *pluginhost.Host, name string) pluginhost.Status {
	t.Helper()
	for _, s := range h.Status() {
		if s.Driver == name {
			return s
		}
	}
	t.Fatalf("no status of %s", name)
	return pluginhost.Status{}
}

// pidOf returns the process of a driver that runs. It is never 0, by which a
// signal would reach the tests.
func pidOf(t testing.TB, h *pluginhost.Host, name string) int {
	t.Helper()
	s := statusOf(t, h, name)
	if s.PID <= 0 {
		t.Fatalf("%s does not run: %+v", name, s)
	}
	return s.PID
}

// hangs are the waits of tests with a driver that answers nothing.
func hangs() pluginhost.Timing {
	timing := quick
	timing.Ping, timing.PingAnswer = 50*time.Millisecond, time.Second
	return timing
}

func running(pid int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(state, []byte(") Z "))
}

func TestLocalKeepsTheContractBehindTheBoundary(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	probe := filepath.Join(t.TempDir(), "probe")
	if err := os.WriteFile(probe, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	attributes := unix.Setxattr(probe, "user.pasteport.probe", []byte("1"), 0) == nil
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		return open(t, h, "local", map[string]string{local.OptionDirectory: t.TempDir()})
	}, objstoretest.Want{Features: local.Features, Limits: local.Limits, Types: attributes, Names: true, Segment: 255, Markers: !attributes})
}

func TestHTTPLinksKeepTheContractBehindTheBoundary(t *testing.T) {
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		return open(t, h, "http", map[string]string{})
	}, objstoretest.Want{Features: portstest.MemoryFeatures, Signs: true, Types: true})
}

func TestStreamsKeepTheContractBehindTheBoundary(t *testing.T) {
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	info, err := driver(t, h, "stream").Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		return open(t, h, "stream", map[string]string{})
	}, objstoretest.Want{Features: info.Features, Types: true})
}

func TestADriverDescribesItselfAsItIs(t *testing.T) {
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	want, err := driver(t, h, "here").Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := driver(t, h, "local").Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("across the boundary (-want +got):\n%s", diff)
	}
	if _, err := h.Driver("nosuch"); !ports.Is(err, ports.NotFound) {
		t.Errorf("an unknown driver: %v", err)
	}
	if names := h.Drivers(); !slices.IsSorted(names) || !slices.Contains(names, "here") || !slices.Contains(names, "local") {
		t.Errorf("Drivers = %q", names)
	}
}

func TestDriversStartWhenFirstNeededAndOnceEach(t *testing.T) {
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	for _, s := range h.Status() {
		if s.PID != 0 || s.Starts != 0 {
			t.Errorf("before the first call: %+v", s)
		}
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { open(t, h, "trouble", nil) })
	}
	wait.Wait()
	if s := statusOf(t, h, "trouble"); s.Starts != 1 || s.PID == 0 {
		t.Errorf("after eight openings: %+v", s)
	}
	if s := statusOf(t, h, "local"); s.Starts != 0 {
		t.Errorf("another driver: %+v", s)
	}
}

func TestReliability2_4_AKilledDriverIsRestarted(t *testing.T) {
	h := newHost(t, quick, nil)
	once := filepath.Join(t.TempDir(), "once")
	b := open(t, h, "trouble", map[string]string{"once": once})
	before := statusOf(t, h, "trouble").PID
	o, err := b.Stat(t.Context(), "kill-once")
	if err != nil {
		t.Fatalf("a repeatable call was not repeated: %v", err)
	}
	if after := statusOf(t, h, "trouble"); o.ETag != strconv.Itoa(after.PID) || after.PID == before || after.Starts != 2 || after.Crashes != 1 {
		t.Errorf("answered by %s; status %+v", o.ETag, after)
	}
	if _, err := b.Stat(t.Context(), "kill"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("a call that kills every driver: %v", err)
	}
	if s := statusOf(t, h, "trouble"); s.Starts != 3 {
		t.Errorf("it was tried more than once again: %+v", s)
	}
	if o, err := b.Stat(t.Context(), "fine"); err != nil || o.Key != "fine" {
		t.Errorf("afterwards: %+v, %v", o, err)
	}
}

func TestACallThatChangesThingsIsNotRepeated(t *testing.T) {
	h := newHost(t, quick, nil)
	arrived := filepath.Join(t.TempDir(), "arrived")
	b := open(t, h, "trouble", map[string]string{"once": arrived})
	done := make(chan error, 1)
	go func() {
		_, err := b.Copy(t.Context(), "a", "b")
		done <- err
	}()
	pid := pidOf(t, h, "trouble")
	portstest.Eventually(t, func() bool {
		_, err := os.Stat(arrived)
		return err == nil
	}, "the call arrives")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !ports.Is(err, ports.Unavailable) {
		t.Errorf("Copy = %v", err)
	}
	if s := statusOf(t, h, "trouble"); s.Starts != 1 {
		t.Errorf("it was sent again: %+v", s)
	}
}

func TestReliability2_4_FiveCrashesPutADriverOutOfService(t *testing.T) {
	var h *pluginhost.Host
	var b objstore.Bucket
	var e *ports.Error
	var s pluginhost.Status
	// A slow machine may need longer than the window for five crashes, and a look.
	for window := 2 * time.Second; ; window *= 3 {
		timing := quick
		timing.Backoff, timing.CrashWindow = time.Millisecond, window
		h = newHost(t, timing, nil)
		b = open(t, h, "trouble", nil)
		for range 10 {
			if _, err := b.Stat(t.Context(), "kill"); !errors.As(err, &e) || e.Code != ports.Unavailable {
				t.Fatalf("Stat = %v", err)
			}
			if e.Reason == "driver_out_of_service" {
				break
			}
		}
		s = statusOf(t, h, "trouble")
		if e.Reason == "driver_out_of_service" && s.Crashes == 5 || window > patience/3 {
			break
		}
	}
	if e.Reason != "driver_out_of_service" || e.RetryAfter <= 0 {
		t.Fatalf("after ten crashes: %+v", e)
	}
	if s.Crashes != 5 || s.OutUntil.IsZero() || s.Reason == "" || s.PID != 0 {
		t.Errorf("status %+v", s)
	}
	if _, err := open(t, h, "stream", nil).Usage(t.Context()); err != nil {
		t.Errorf("another driver: %v", err)
	}
	portstest.Eventually(t, func() bool {
		_, err := b.Stat(t.Context(), "fine")
		return err == nil
	}, "it comes back after the window")
}

func TestACallHasADeadline(t *testing.T) {
	timing := quick
	timing.Call = 3 * time.Second
	h := newHost(t, timing, nil)
	b := open(t, h, "trouble", nil)
	var calls sync.WaitGroup
	for _, key := range []string{"hang", "wait"} { // neither ends by itself
		calls.Go(func() {
			if _, err := b.Stat(t.Context(), key); !ports.Is(err, ports.Unavailable) {
				t.Errorf("%s: %v", key, err)
			}
		})
	}
	calls.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Stat(ctx, "wait"); err == nil {
		t.Error("the caller's deadline does not hold")
	}
	if s := statusOf(t, h, "trouble"); s.Starts != 1 {
		t.Errorf("one slow call ended the process: %+v", s)
	}
}

func TestCancellingReachesTheDriver(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.Stat(ctx, "wait")
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Stat = %v", err)
		}
	case <-time.After(patience):
		t.Error("a cancelled call goes on")
	}
}

func TestReliability2_4_AHangingDriverIsEndedAndReplaced(t *testing.T) {
	h := newHost(t, hangs(), nil)
	replaced(t, h, open(t, h, "trouble", nil))
}

// replaced stops the process behind b and waits for the answer of another one.
func replaced(t *testing.T, h *pluginhost.Host, b objstore.Bucket) {
	t.Helper()
	pid := pidOf(t, h, "trouble")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return !running(pid) }, "the stopped process is gone")
	portstest.Eventually(t, func() bool {
		o, err := b.Stat(t.Context(), "fine")
		return err == nil && o.ETag != strconv.Itoa(pid)
	}, "another one answers")
}

func TestAPanicEndsItsCallOnly(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", nil)
	if _, err := b.Stat(t.Context(), "panic"); ports.CodeOf(err) != ports.Internal || err == nil {
		t.Errorf("Stat = %v", err)
	}
	body, err := b.Read(t.Context(), "panic", objstore.Range{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, body); err == nil {
		t.Error("a body whose driver panics ended well")
	}
	body.Close()
	if s := statusOf(t, h, "trouble"); s.Starts != 1 || s.Crashes != 0 {
		t.Errorf("the process went with it: %+v", s)
	}
}

func TestABodyThatIsCutFails(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", nil)
	for _, key := range []string{"short", "fail", "kill"} {
		body, err := b.Read(t.Context(), key, objstore.Range{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, body)
		if err == nil || n > 2<<20 {
			t.Errorf("%s: %d bytes, %v", key, n, err)
		}
		body.Close()
	}
	if o, err := b.Stat(t.Context(), "fine"); err != nil || o.Key != "fine" {
		t.Errorf("after a kill in mid-stream: %v", err)
	}
}

func TestAnUploadThatBreaksIsGivenUpWhenNoPartIsUnderWay(t *testing.T) {
	for name, end := range map[string]func(cancel func()) error{
		"the body breaks":     func(func()) error { return io.ErrUnexpectedEOF },
		"the caller is gone":  func(cancel func()) error { cancel(); return context.Canceled },
		"the body is refused": func(func()) error { return &ports.Error{Code: ports.TooLarge} },
	} {
		b := open(t, newHost(t, quick, nil), "http", map[string]string{"lie": "slow"})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := func() bool {
			uploads, err := b.Multipart().ListUploads(t.Context(), "")
			if err != nil || len(uploads) == 0 {
				return false
			}
			parts, err := b.Multipart().ListParts(t.Context(), uploads[0].Key, uploads[0].ID)
			return err == nil && len(parts) > 0
		}
		broken := readerFunc(func([]byte) (int, error) {
			portstest.Eventually(t, begun, "a part is at the storage")
			return 0, end(cancel)
		})
		body := io.MultiReader(bytes.NewReader(make([]byte, 9<<20)), broken)
		if _, err := b.Write(ctx, "k", body, objstore.WriteOptions{Size: -1}); err == nil {
			t.Errorf("%s: stored", name)
		}
		if left, err := b.Multipart().ListUploads(t.Context(), ""); err != nil || len(left) > 0 {
			t.Errorf("%s: left are %v, %v", name, left, err)
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestABodyThatStandsStillFails(t *testing.T) {
	// The first piece must come in time; a slow machine may need longer for it.
	for idle := 2 * time.Second; ; idle *= 3 {
		timing := quick
		timing.Idle = idle
		body, err := open(t, newHost(t, timing, nil), "trouble", nil).Read(t.Context(), "stand still", objstore.Range{})
		if err != nil && idle < patience/3 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		if _, err := io.Copy(io.Discard, body); err == nil { // the driver never ends it
			t.Error("it came to an end")
		}
		return
	}
}

func TestProgramsThatAreNoDriverAreNotUsed(t *testing.T) {
	hasty := quick
	hasty.Start = 2 * time.Second // for the one that never says anything
	h, strict := newHost(t, quick, nil), newHost(t, hasty, nil)
	for _, name := range []string{"wrong-version", "garbage", "dies", "silent"} {
		h := h
		if name == "silent" {
			h = strict
		}
		if _, err := driver(t, h, name).Open(t.Context(), objstore.Config{}); !ports.Is(err, ports.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if s := statusOf(t, h, name); s.Reason == "" || s.PID != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if _, err := driver(t, h, "wrong-version").Info(t.Context()); err == nil || !strings.Contains(fmt.Sprint(err), "version") {
		t.Errorf("the version is not named: %v", err)
	}
}

func TestReliability2_1_DriversEndWithAKilledHost(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "driver", "host", t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var host, child int
	if n, err := fmt.Sscan(line, &host, &child); n != 2 || child == 0 || !running(child) {
		t.Fatalf("the host said %q: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	portstest.Eventually(t, func() bool { return !running(child) }, "the driver is gone")
}

func TestCloseEndsAllProcesses(t *testing.T) {
	h := newHost(t, pluginhost.Timing{Start: patience}, nil)
	var pids []int
	for _, name := range []string{"trouble", "stream"} {
		open(t, h, name, nil)
		pids = append(pids, statusOf(t, h, name).PID)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if running(pid) {
			t.Errorf("%d still runs", pid)
		}
	}
	if _, err := driver(t, h, "trouble").Open(t.Context(), objstore.Config{}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("after Close: %v", err)
	}
}

// TestSecurityE4_SecretsTravelByOpenOnly looks at what a driver process can see
// of its host and at what its host logs.
func TestSecurityE4_SecretsTravelByOpenOnly(t *testing.T) {
	t.Setenv("PASTEPORT_ADMIN_PASSWORD", "hunter2hunter2")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hostsecret")
	t.Setenv("TZ", "UTC")
	var log lockedBuffer
	h := newHost(t, quick, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	b := open(t, h, "trouble", map[string]string{"password": "s3cret-value"})
	env, err := b.Stat(t.Context(), "env")
	if err != nil {
		t.Fatal(err)
	}
	args, err := b.Stat(t.Context(), "args")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "hostsecret", "s3cret-value", "PASTEPORT_ADMIN"} {
		if strings.Contains(env.ETag+args.ETag, secret) {
			t.Errorf("the driver's environment or arguments hold %s", secret)
		}
	}
	if !strings.Contains(env.ETag, "TZ=UTC") {
		t.Error("an allowed variable is missing")
	}
	if _, err := b.Stat(t.Context(), "log"); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool {
		return strings.Contains(log.String(), `"told"`) && strings.Contains(log.String(), "plain line")
	}, "the driver's log arrives")
	if got := log.String(); strings.Contains(got, "s3cret-value") || !strings.Contains(got, `"level":"ERROR","msg":"told","driver":"trouble","number":7,"password":"[secret]"`) {
		t.Errorf("log:\n%s", got)
	}
}

func TestALogFloodIsCut(t *testing.T) {
	var log lockedBuffer
	h := newHost(t, pluginhost.Timing{Start: patience}, slog.New(slog.NewJSONHandler(&log, nil)))
	b := open(t, h, "trouble", nil)
	if _, err := b.Stat(t.Context(), "flood"); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool {
		_, _ = b.Stat(t.Context(), "log")
		return strings.Contains(log.String(), "lines_dropped")
	}, "the host tells that lines were dropped")
	if n := strings.Count(log.String(), `"flood"`); n > 1000 {
		t.Errorf("%d lines of the flood were logged", n)
	}
}

func TestErrorsKeepTheirMeaningAcrossTheBoundary(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", nil)
	_, err := b.Stat(t.Context(), "quota")
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Quota || e.Key != "quota_exceeded" || e.Text != "a.text" || e.Params["total"] != int64(9) || e.RetryAfter != 3*time.Second {
		t.Errorf("Stat = %+v", err)
	}
	if _, err := b.Stat(t.Context(), "plain-error"); ports.CodeOf(err) != ports.Internal {
		t.Errorf("an unclassified error: %v", err)
	}
	if _, err := b.Stat(t.Context(), "negative"); !ports.Is(err, ports.BadGateway) {
		t.Errorf("a negative size: %v", err)
	}
}

func TestADriversOwnWordsCrossTheBoundaryWithoutSecrets(t *testing.T) {
	h := newHost(t, quick, nil)
	b := open(t, h, "trouble", map[string]string{"password": "very-secret"})
	_, err := b.Stat(t.Context(), "own-words")
	var e *ports.Error
	if !errors.As(err, &e) || e.Code != ports.Invalid || e.Text != "host_key_wrong" || e.Params["field"] != "host_key" {
		t.Fatalf("Stat = %+v", err)
	}
	if e.Messages["zh"] != "主机密钥不同" || e.Messages["en"] != "The host key is another one; the password was [secret]" {
		t.Errorf("it says %q", e.Messages)
	}
	if !strings.HasSuffix(e.Cause.Error(), "key SHA256:abc, asked with [secret]") {
		t.Errorf("the cause is %v", e.Cause)
	}
}

// TestSecurityD3_LinksAreInput lets a driver give links it should not.
func TestSecurityD3_LinksAreInput(t *testing.T) {
	h := newHost(t, quick, nil)
	for _, lie := range []string{"host", "suffix", "scheme", "user", "method"} {
		b := open(t, h, "http", map[string]string{"lie": lie})
		if _, err := b.Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: time.Minute}); !ports.Is(err, ports.BadGateway) {
			t.Errorf("%s: Sign = %v", lie, err)
		}
		if _, err := b.Read(t.Context(), "k", objstore.Range{}); !ports.Is(err, ports.BadGateway) {
			t.Errorf("%s: Read = %v", lie, err)
		}
		if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.BadGateway) {
			t.Errorf("%s: Write = %v", lie, err)
		}
	}
	signed, err := open(t, h, "http", map[string]string{"lie": "headers"}).Sign(t.Context(), objstore.SignRequest{Verb: objstore.VerbGet, Key: "k", TTL: time.Minute})
	if err != nil || len(signed.Header) != 1 || signed.Header.Get("X-Amz-Date") != "now" {
		t.Errorf("headers: %v, %v", signed.Header, err)
	}
}

func TestForeignDriversNameNeitherFilesNorHosts(t *testing.T) {
	h := newHost(t, quick, nil)
	dir := t.TempDir()
	b := open(t, h, "foreign-local", map[string]string{local.OptionDirectory: dir})
	if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), "k", objstore.Range{}); !ports.Is(err, ports.BadGateway) {
		t.Errorf("a local file: %v", err)
	}
	foreign := open(t, h, "foreign-http", map[string]string{"endpoint_url": "https://storage.example"})
	if _, err := foreign.Read(t.Context(), "k", objstore.Range{}); !ports.Is(err, ports.BadGateway) {
		t.Errorf("a host of its own choice: %v", err)
	}
}

func TestLocalFilesAreOpenedInsideTheirFolderOnly(t *testing.T) {
	h := newHost(t, quick, nil)
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, h, "local", map[string]string{local.OptionDirectory: dir})
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"link", "../" + filepath.Base(outside) + "/secret"} {
		if body, err := b.Read(t.Context(), key, objstore.Range{}); err == nil {
			body.Close()
			t.Errorf("Read(%q) opened it", key)
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
