package pluginhost_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
	"pasteport/ports/portstest"
)

// The programs of these tests are copies of the test program: it takes a name
// of its own as the driver to serve; see TestMain.

var approvedAt = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)

// put copies the test program into a plugin folder.
func put(t testing.TB, dir, name string) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(dir, name)
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// change adds a byte to a program; it still runs.
func change(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write([]byte{0})
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func newFolder(t testing.TB) (dir string, folder *pluginhost.Folder) {
	t.Helper()
	dir = t.TempDir()
	return dir, pluginhost.NewFolder(dir, []string{"local", "s3"}, slog.New(slog.DiscardHandler))
}

func program(t testing.TB, folder *pluginhost.Folder, name string) pluginhost.Program {
	t.Helper()
	programs, _ := folder.Programs()
	for _, p := range programs {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no program %s in %+v", name, programs)
	return pluginhost.Program{}
}

func textOf(err error) string {
	var e *ports.Error
	if errors.As(err, &e) {
		return e.Text
	}
	return ""
}

func digestOf(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func hostOf(t testing.TB, folder *pluginhost.Folder, timing pluginhost.Timing) *pluginhost.Host {
	t.Helper()
	programs, err := folder.Programs()
	if err != nil {
		t.Fatal(err)
	}
	h := pluginhost.New(pluginhost.Options{Programs: programs, Logger: slog.New(slog.DiscardHandler), Timing: timing})
	t.Cleanup(func() { h.Close() })
	return h
}

func TestSecurityD1_OnlyApprovedProgramsAreStarted(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	path := put(t, dir, "stream")
	if p := program(t, folder, "stream"); p.State != pluginhost.NotApproved || p.Digest != digestOf(t, path) || textOf(p.Err) != "driver_not_approved" {
		t.Errorf("before: %+v", p)
	}
	h := hostOf(t, folder, quick)
	if _, err := driver(t, h, "stream").Open(t.Context(), objstore.Config{}); !ports.Is(err, ports.Unavailable) || textOf(err) != "driver_not_approved" {
		t.Errorf("Open before: %v", err)
	}
	p, err := folder.Approve(t.Context(), "stream", "", approvedAt)
	if err != nil {
		t.Fatal(err)
	}
	if p.State != pluginhost.Approved || p.Entry.SHA256 != digestOf(t, path) || !p.Entry.ApprovedAt.Equal(approvedAt) || p.Entry.Info.Name != "stream" {
		t.Errorf("approved: %+v", p)
	}
	programs, err := folder.Programs()
	if err != nil || len(programs) != 1 || programs[0].State != pluginhost.Approved || programs[0].Err != nil {
		t.Fatalf("after: %+v, %v", programs, err)
	}
	h.SetPrograms(programs)()
	b := open(t, h, "stream", nil)
	if _, err := b.Write(t.Context(), "k", strings.NewReader("hello"), objstore.WriteOptions{Size: 5}); err != nil {
		t.Error(err)
	}

	change(t, path)
	if p := program(t, folder, "stream"); p.State != pluginhost.Changed || textOf(p.Err) != "driver_changed" || p.Digest == p.Entry.SHA256 {
		t.Errorf("changed: %+v", p)
	}
	if err := folder.Remove("stream"); err != nil {
		t.Fatal(err)
	}
	if p := program(t, folder, "stream"); p.State != pluginhost.NotApproved {
		t.Errorf("removed: %+v", p)
	}
	if err := folder.Remove("stream"); !ports.Is(err, ports.NotFound) {
		t.Errorf("removed again: %v", err)
	}
}

// TestSecurityD1_TheDigestIsComparedAtEachStart changes the program while its
// process runs: what runs goes on, the next process is refused, and the right
// bytes start at once.
func TestSecurityD1_TheDigestIsComparedAtEachStart(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	path := put(t, dir, "trouble")
	if _, err := folder.Approve(t.Context(), "trouble", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	h := hostOf(t, folder, quick)
	b := open(t, h, "trouble", nil)
	change(t, path)
	if _, err := b.Stat(t.Context(), "fine"); err != nil {
		t.Errorf("the process that runs: %v", err)
	}
	for range 7 { // more often than crashes would be forgiven
		if _, err := b.Stat(t.Context(), "kill"); !ports.Is(err, ports.Unavailable) {
			t.Fatalf("Stat = %v", err)
		}
	}
	if _, err := b.Stat(t.Context(), "fine"); textOf(err) != "driver_changed" {
		t.Errorf("the next process: %v", err)
	}
	if s := statusOf(t, h, "trouble"); s.Starts != 1 || s.Crashes != 1 || s.PID != 0 || !strings.Contains(s.Reason, "sha256") {
		t.Errorf("status %+v", s)
	}
	put(t, dir, "trouble")
	if _, err := b.Stat(t.Context(), "fine"); err != nil {
		t.Errorf("the right bytes again: %v", err)
	}
}

// TestSecurityD1_WhatRunsIsWhatWasHashed replaces the file after the start and
// compares what the process runs with what was approved.
func TestSecurityD1_WhatRunsIsWhatWasHashed(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	path := put(t, dir, "trouble")
	approved, err := folder.Approve(t.Context(), "trouble", "", approvedAt)
	if err != nil {
		t.Fatal(err)
	}
	h := hostOf(t, folder, quick)
	open(t, h, "trouble", nil)
	change(t, path)
	image := filepath.Join("/proc", strconv.Itoa(statusOf(t, h, "trouble").PID), "exe")
	if got := digestOf(t, image); got != approved.Digest {
		t.Errorf("the process runs %s, approved was %s", got, approved.Digest)
	}
	if f, err := os.OpenFile(image, os.O_WRONLY, 0); err == nil {
		if _, err := f.Write([]byte("x")); err == nil {
			t.Error("what runs can be written")
		}
		f.Close()
	}
}

func TestSecurityD1_UnsafeProgramsAreRefused(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	for _, c := range []struct {
		name, text string
		spoil      func(dir, path string) error
	}{
		{"a file that others may write", "driver_unsafe", func(_, path string) error { return os.Chmod(path, 0o722) }},
		{"a folder that others may write", "driver_unsafe", func(dir, _ string) error { return os.Chmod(dir, 0o777) }},
		{"a lock file that others may write", "driver_unsafe", func(dir, _ string) error { return os.Chmod(filepath.Join(dir, "plugins.lock"), 0o666) }},
		{"a lock file that is none", "driver_unsafe", func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "plugins.lock"), []byte("{"), 0o644) }},
		{"a lock file of a later form", "driver_unsafe", func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "plugins.lock"), []byte(`{"format":2}`), 0o644)
		}},
		{"a link", "driver_unsafe", func(dir, path string) error {
			return errors.Join(os.Rename(path, filepath.Join(filepath.Dir(dir), "elsewhere")), os.Symlink("../elsewhere", path))
		}},
		{"a folder", "driver_unsafe", func(_, path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
		{"a file that is not executable", "driver_unsafe", func(_, path string) error { return os.Chmod(path, 0o600) }},
		{"a script", "driver_unsafe", func(_, path string) error { return os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700) }},
		{"a missing file", "driver_missing", func(_, path string) error { return os.Remove(path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "plugins")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			folder := pluginhost.NewFolder(dir, nil, slog.New(slog.DiscardHandler))
			path := put(t, dir, "stream")
			if _, err := folder.Approve(t.Context(), "stream", "", approvedAt); err != nil {
				t.Fatal(err)
			}
			h := hostOf(t, folder, quick) // loaded while all was well
			if err := c.spoil(dir, path); err != nil {
				t.Fatal(err)
			}
			p := program(t, folder, "stream")
			if p.State == pluginhost.Approved || textOf(p.Err) != c.text {
				t.Errorf("%+v", p)
			}
			if strings.Contains(c.name, "lock") || c.name == "a folder that others may write" {
				programs, err := folder.Programs()
				if err == nil {
					t.Error("Programs told of no error")
				}
				h.SetPrograms(programs)()
			}
			if _, err := driver(t, h, "stream").Open(t.Context(), objstore.Config{}); !ports.Is(err, ports.Unavailable) {
				t.Errorf("it was started: %v", err)
			}
			if _, err := folder.Approve(t.Context(), "stream", "", approvedAt); err == nil {
				t.Error("it was approved")
			}
		})
	}
}

func TestApprovingRefusesWhatIsNoDriver(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	for _, c := range []struct{ name, text, says string }{
		{"wrong-version", "driver_incompatible", "version 99"},
		{"garbage", "driver_no_handshake", "no storage driver"},
		{"dies", "driver_no_handshake", "handshake"},
		{"renamed", "driver_name_invalid", `calls itself "stream"`},
		{"local", "driver_name_taken", "a driver of its own called local"},
		{"s3", "driver_name_taken", "a driver of its own called s3"},
		{"Upper.exe", "driver_name_invalid", "small letters"},
		{"names-files", "driver_answer_invalid", "local files"},
		{"bad-field", "driver_answer_invalid", "field"},
		{"bad-type", "driver_answer_invalid", "storage type"},
		{"nosuch", "driver_missing", "no file"},
	} {
		if c.name != "nosuch" {
			put(t, dir, c.name)
		}
		_, err := folder.Approve(t.Context(), c.name, "", approvedAt)
		if textOf(err) != c.text || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	path := put(t, dir, "stream")
	if _, err := folder.Approve(t.Context(), "stream", strings.Repeat("0", 64), approvedAt); textOf(err) != "driver_changed" {
		t.Errorf("another digest than the author's: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "plugins.lock")); err == nil {
		t.Error("something was approved")
	}
	if _, err := folder.Approve(t.Context(), "stream", strings.ToUpper(digestOf(t, path)), approvedAt); err != nil {
		t.Errorf("the author's digest: %v", err)
	}
}

func TestBuiltInDriversKeepTheirNames(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	put(t, dir, "stream")
	if _, err := folder.Approve(t.Context(), "stream", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	programs, err := folder.Programs()
	if err != nil {
		t.Fatal(err)
	}
	mine := &troubleDriver{}
	h := pluginhost.New(pluginhost.Options{InProcess: map[string]objstore.Driver{"stream": mine}, Programs: programs})
	t.Cleanup(func() { h.Close() })
	if d := driver(t, h, "stream"); d != objstore.Driver(mine) {
		t.Errorf("the name leads to %T", d)
	}
	h.SetPrograms(nil)()
	if d := driver(t, h, "stream"); d != objstore.Driver(mine) {
		t.Errorf("after the program is gone it leads to %T", d)
	}
}

func TestAProgramThatIsTakenBackEnds(t *testing.T) {
	dir, folder := newFolder(t)
	put(t, dir, "trouble")
	if _, err := folder.Approve(t.Context(), "trouble", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	h := hostOf(t, folder, quick)
	b := open(t, h, "trouble", nil)
	pid := statusOf(t, h, "trouble").PID
	programs, err := folder.Programs()
	if err != nil {
		t.Fatal(err)
	}
	h.SetPrograms(programs)()
	if s := statusOf(t, h, "trouble"); s.PID != pid {
		t.Errorf("nothing changed, and the process did: %+v", s)
	}
	if err := folder.Remove("trouble"); err != nil {
		t.Fatal(err)
	}
	if programs, err = folder.Programs(); err != nil {
		t.Fatal(err)
	}
	h.SetPrograms(programs)()
	if running(pid) {
		t.Error("the process still runs")
	}
	if _, err := b.Stat(t.Context(), "fine"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("an open bucket: %v", err)
	}
}

func TestTwoApprovalsAtOnceBothCount(t *testing.T) {
	dir, folder := newFolder(t)
	other := pluginhost.NewFolder(dir, nil, slog.New(slog.DiscardHandler))
	put(t, dir, "stream")
	put(t, dir, "trouble")
	done := make(chan error)
	go func() {
		_, err := other.Approve(context.Background(), "trouble", "", approvedAt)
		done <- err
	}()
	_, err := folder.Approve(t.Context(), "stream", "", approvedAt)
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stream", "trouble"} {
		if p := program(t, folder, name); p.State != pluginhost.Approved {
			t.Errorf("%+v", p)
		}
	}
}

func TestAMissingPluginFolderHoldsNothing(t *testing.T) {
	programs, err := pluginhost.NewFolder(filepath.Join(t.TempDir(), "none"), nil, nil).Programs()
	if err != nil || len(programs) != 0 {
		t.Errorf("%v, %v", programs, err)
	}
}

// TestSecurityD2_AProgramInheritsLittle looks at the process of an approved
// program: its open files, limits, privileges and variables.
func TestSecurityD2_AProgramInheritsLittle(t *testing.T) {
	t.Setenv("PASTEPORT_ADMIN_PASSWORD", "hunter2hunter2")
	secret, err := os.Create(filepath.Join(t.TempDir(), "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	dir, folder := newFolder(t)
	put(t, dir, "trouble")
	if _, err := folder.Approve(t.Context(), "trouble", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	h := hostOf(t, folder, quick)
	open(t, h, "trouble", nil)
	proc := filepath.Join("/proc", strconv.Itoa(statusOf(t, h, "trouble").PID))
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(proc, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, variable := range strings.Split(read("environ"), "\x00") {
		if strings.HasPrefix(variable, "PASTEPORT_ADMIN") || strings.HasPrefix(variable, "PATH=") || strings.HasPrefix(variable, "HOME=") {
			t.Errorf("it inherits %s", variable)
		}
	}
	if !strings.Contains(read("status"), "NoNewPrivs:\t1") {
		t.Error("it may gain privileges")
	}
	limits := strings.Join(strings.Fields(read("limits")), " ")
	for _, want := range []string{"Max data size 1073741824 1073741824", "Max core file size 0 0"} {
		if !strings.Contains(limits, want) {
			t.Errorf("limits lack %q: %s", want, limits)
		}
	}
	files, err := filepath.Glob(filepath.Join(proc, "fd", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && (to == secret.Name() || strings.Contains(to, "memfd")) {
			t.Errorf("it holds %s", to)
		}
	}
}

// TestReliability2_4_AMemoryFloodEndsOneDriver lets a driver eat until it is cut.
func TestReliability2_4_AMemoryFloodEndsOneDriver(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	put(t, dir, "trouble")
	put(t, dir, "stream")
	for _, name := range []string{"trouble", "stream"} {
		if _, err := folder.Approve(t.Context(), name, "", approvedAt); err != nil {
			t.Fatal(err)
		}
	}
	h := hostOf(t, folder, quick)
	b, other := open(t, h, "trouble", nil), open(t, h, "stream", nil)
	if _, err := b.Stat(t.Context(), "eat"); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Stat = %v", err)
	}
	if _, err := other.Stat(t.Context(), "missing"); !ports.Is(err, ports.NotFound) {
		t.Errorf("the other driver: %v", err)
	}
	if _, err := b.Stat(t.Context(), "fine"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestReliability2_4_FaultsOfAProgramOfOthers kills an approved program until it
// is out of service; the other one goes on.
func TestReliability2_4_FaultsOfAProgramOfOthers(t *testing.T) {
	dir, folder := newFolder(t)
	for _, name := range []string{"trouble", "stream"} {
		put(t, dir, name)
		if _, err := folder.Approve(t.Context(), name, "", approvedAt); err != nil {
			t.Fatal(err)
		}
	}
	timing := quick
	timing.Backoff = time.Millisecond
	h := hostOf(t, folder, timing)
	b, other := open(t, h, "trouble", nil), open(t, h, "stream", nil)
	if err := h.Health("trouble"); err != nil {
		t.Errorf("at first: %v", err)
	}
	var err error
	for range 10 {
		if _, err = b.Stat(t.Context(), "kill"); !ports.Is(err, ports.Unavailable) {
			t.Fatalf("Stat = %v", err)
		}
	}
	var told *ports.Error
	if err := h.Health("trouble"); !errors.As(err, &told) || told.Text != "driver_out_of_service" || told.Params["seconds"].(int64) < 1 {
		t.Errorf("Health = %v", err)
	}
	if s := statusOf(t, h, "trouble"); s.Crashes != 5 || s.OutUntil.IsZero() {
		t.Errorf("status %+v", s)
	}
	if _, err := other.Stat(t.Context(), "missing"); !ports.Is(err, ports.NotFound) || h.Health("stream") != nil {
		t.Errorf("the other driver: %v, %v", err, h.Health("stream"))
	}
	if h.Health("nosuch") != nil {
		t.Error("an unknown driver is ill")
	}
}

// TestReliability2_4_AHangingProgramOfOthersIsReplaced stops an approved program.
func TestReliability2_4_AHangingProgramOfOthersIsReplaced(t *testing.T) {
	dir, folder := newFolder(t)
	put(t, dir, "trouble")
	if _, err := folder.Approve(t.Context(), "trouble", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	h := hostOf(t, folder, hangs())
	replaced(t, h, open(t, h, "trouble", nil))
}

// TestSecurityU8_TheReachHoldsForTheServersOwnConnections lets a driver give a
// link to this machine, as its config says.
func TestSecurityU8_TheReachHoldsForTheServersOwnConnections(t *testing.T) {
	h := pluginhost.New(pluginhost.Options{
		Processes: map[string]pluginhost.Command{"http": pluginhost.Self("http"), "trouble": pluginhost.Self("trouble")},
		Logger:    slog.New(slog.DiscardHandler), Reach: outbound.PublicOnly,
	})
	t.Cleanup(func() { h.Close() })
	b := open(t, h, "http", nil)
	if _, err := b.Write(t.Context(), "k", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); !ports.Is(err, ports.Unavailable) {
		t.Errorf("Write = %v", err)
	}
	if _, err := b.Stat(t.Context(), "k"); !ports.Is(err, ports.NotFound) {
		t.Errorf("it was written: %v", err)
	}
	env, err := open(t, h, "trouble", nil).Stat(t.Context(), "env")
	if err != nil || !strings.Contains(env.ETag, sdk.PublicOnly+"=1") {
		t.Errorf("the driver is not told: %q, %v", env.ETag, err)
	}
}

func TestTheLockFileIsReadable(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	dir, folder := newFolder(t)
	put(t, dir, "stream")
	if _, err := folder.Approve(t.Context(), "stream", "", approvedAt); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "plugins.lock"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Format  int
		Drivers map[string]struct{ SHA256 string }
	}
	if err := json.Unmarshal(raw, &file); err != nil || file.Format != 1 || len(file.Drivers["stream"].SHA256) != 64 {
		t.Errorf("%v: %s", err, raw)
	}
	if !bytes.HasSuffix(raw, []byte("}\n")) {
		t.Error("it does not end in a line")
	}
}
