package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
	"pasteport/ports/portstest"
)

// exampleDriver builds docs/drivers/sqlite once for all tests.
var exampleDriver = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "pasteport-example-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sqlite")
	if out, err := exec.Command("go", "build", "-o", path, "../../docs/drivers/sqlite").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.ReadFile(path)
})

// putExample puts the example into the plugin folder of a data folder, with a
// tail that does not change what it does.
func putExample(t testing.TB, dir, tail string) (digest string) {
	t.Helper()
	program, err := exampleDriver()
	if err != nil {
		t.Fatal(err)
	}
	program = append(bytes.Clone(program), tail...)
	folder := filepath.Join(dir, "plugins")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	next := filepath.Join(folder, ".next")
	if err := os.WriteFile(next, program, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(folder, "sqlite")); err != nil {
		t.Fatal(err)
	}
	return hash(program)
}

// command runs "pasteport plugin ..." over a data folder.
func command(t testing.TB, dir string, args ...string) (out string, ok bool) {
	t.Helper()
	cmd := exec.Command(binary(t), append([]string{"plugin"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "PASTEPORT_DATA_DIR=" + dir}
	raw, err := cmd.CombinedOutput()
	return string(raw), err == nil
}

// listedDriver is an entry of /api/admin/drivers.
type listedDriver struct {
	Name, State, Version string
	StorageType          string `json:"storage_type"`
	Digest, Problem      *string
	Available            bool
	Capabilities         struct{ Stream bool }
	Fields               []struct{ Key string }
}

func (c client) driver(name string) listedDriver {
	c.p.t.Helper()
	var all []listedDriver
	c.get("/api/admin/drivers", "Accept-Language", "en").into(c.p.t, &all)
	for _, d := range all {
		if d.Name == name {
			return d
		}
	}
	c.p.t.Fatalf("no driver %s in %+v", name, all)
	return listedDriver{}
}

// driverPID finds the process of a driver program below the server, 0 when
// there is none.
func (p *program) driverPID(path string) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range stats {
		line, err := os.ReadFile(name)
		if err != nil || string(line) != path+"\x00" {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		if err != nil {
			continue
		}
		var state string
		var parent int
		_, rest, _ := strings.Cut(string(stat), ") ")
		if n, _ := fmt.Sscan(rest, &state, &parent); n == 2 && parent == p.cmd.Process.Pid && state != "Z" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			return pid
		}
	}
	return 0
}

func (p *program) hangup() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
}

// TestADriverOfOthersFromFileToShare goes the whole way of a driver program:
// found, approved, used, killed, changed, approved again and taken back.
func TestADriverOfOthersFromFileToShare(t *testing.T) {
	dir := t.TempDir()
	digest := putExample(t, dir, "")
	program := filepath.Join(dir, "plugins", "sqlite")
	p := start(t, dir)
	admin := p.admin()

	found := admin.driver("sqlite")
	if found.State != "not_approved" || found.Available || found.Digest == nil || *found.Digest != digest || found.Problem == nil || !strings.Contains(*found.Problem, "approve sqlite") {
		t.Errorf("found: %+v", found)
	}
	config := map[string]any{"name": "In a database", "driver": "sqlite", "is_public": true, "options": map[string]any{"file": filepath.Join(dir, "objects.db")}}
	if a := admin.post("/api/s3-configs", config); a.status/100 == 2 {
		t.Errorf("a config of a driver that may not run: %d %s", a.status, a.body)
	}
	if out, ok := command(t, dir, "list"); !ok || !strings.Contains(out, "not_approved") || !strings.Contains(out, digest) || !strings.Contains(out, program) {
		t.Errorf("plugin list: %s", out)
	}
	if pid := p.driverPID(program); pid != 0 {
		t.Error("it was started")
	}

	if out, ok := command(t, dir, "approve", "sqlite", "--sha256", strings.Repeat("a", 64)); ok {
		t.Errorf("approved against the author's checksum: %s", out)
	}
	out, ok := command(t, dir, "approve", "sqlite", "--sha256", digest)
	for _, want := range []string{"approved", digest, program, "1.0.0", "SQLITE", "Stream"} {
		if !ok || !strings.Contains(out, want) {
			t.Errorf("plugin approve lacks %q: %s", want, out)
		}
	}
	if d := admin.driver("sqlite"); d.State != "pending" || d.Available || d.Version != "1.0.0" {
		t.Errorf("before SIGHUP: %+v", d)
	}
	p.hangup()
	portstest.Eventually(t, func() bool { return admin.driver("sqlite").Available })
	if d := admin.driver("sqlite"); d.State != "approved" || d.Version != "1.0.0" || d.StorageType != "SQLITE" || !d.Capabilities.Stream || *d.Digest != digest || d.Problem != nil || len(d.Fields) != 1 {
		t.Errorf("taken up: %+v", d)
	}
	if d := admin.driver("local"); d.State != "built_in" || d.Digest != nil {
		t.Errorf("a driver of the server: %+v", d)
	}

	id := admin.configID(config)
	var tested storageTest
	admin.post("/api/s3-configs/"+id+"/test", nil, "Origin", "https://page.example", "Accept-Language", "en").into(t, &tested)
	for name, failure := range tested.failures() {
		if !strings.HasPrefix(failure, "skipped") {
			t.Errorf("%s: %s", name, failure)
		}
	}
	content := make([]byte, 3<<20+7)
	rand.Read(content)
	key, _ := admin.key("uploader", 2, "/")
	if a := key.send(http.MethodPut, "/api/upload-direct/a.bin?slug=kept&s3_config_id="+id, bytes.NewReader(content)); a.status/100 != 2 {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	download := func() error {
		a, err := p.visitor().try(http.MethodGet, "/api/file-download/kept", nil)
		if err == nil && (a.status != http.StatusOK || !bytes.Equal(a.body, content)) {
			err = fmt.Errorf("%d with %d bytes", a.status, len(a.body))
		}
		return err
	}
	if err := download(); err != nil {
		t.Errorf("download: %v", err)
	}
	if a := p.visitor().get("/api/file-download/kept", "Range", "bytes=1048570-1048585"); a.status != http.StatusPartialContent || !bytes.Equal(a.body, content[1048570:1048586]) {
		t.Errorf("a range: %d, %d bytes", a.status, len(a.body))
	}

	pid := p.driverPID(program)
	if pid == 0 {
		t.Fatal("no process of the driver")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return download() == nil })
	if again := p.driverPID(program); again == pid || again == 0 {
		t.Errorf("process %d after %d was killed", again, pid)
	}

	changed := putExample(t, dir, "changed")
	if d := admin.driver("sqlite"); d.State != "changed" || d.Available || *d.Digest != changed || d.Problem == nil {
		t.Errorf("changed: %+v", d)
	}
	if err := syscall.Kill(p.driverPID(program), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	portstest.Eventually(t, func() bool { return p.driverPID(program) == 0 })
	if a := p.visitor().get("/api/file-download/kept"); a.status/100 != 5 || a.status == http.StatusInternalServerError {
		t.Errorf("a download by a changed program: %d %s", a.status, tail(string(a.body), 200))
	}
	if out, ok := command(t, dir, "list"); !ok || !strings.Contains(out, "changed") {
		t.Errorf("plugin list: %s", out)
	}
	if a := key.send(http.MethodPut, "/api/upload-direct/b.txt", strings.NewReader("elsewhere")); a.status/100 != 2 {
		t.Errorf("the disk beside it: %d %s", a.status, a.body)
	}

	p.stop()
	p = start(t, dir)
	admin = p.admin()
	if d := admin.driver("sqlite"); d.State != "changed" || d.Available {
		t.Errorf("after a restart: %+v", d)
	}
	if pid := p.driverPID(program); download() == nil || pid != 0 {
		t.Error("a restart let the changed program run")
	}
	if out, ok := command(t, dir, "approve", "sqlite"); !ok {
		t.Fatalf("approve again: %s", out)
	}
	if d := admin.driver("sqlite"); d.State != "pending" || d.Available || *d.Digest != changed {
		t.Errorf("approved again, before SIGHUP: %+v", d)
	}
	p.hangup()
	portstest.Eventually(t, func() bool { return download() == nil })

	if out, ok := command(t, dir, "remove", "sqlite"); !ok {
		t.Fatalf("remove: %s", out)
	}
	p.hangup()
	portstest.Eventually(t, func() bool { return p.driverPID(program) == 0 && admin.driver("sqlite").State == "not_approved" })
	if download() == nil {
		t.Error("a program that was taken back still answers")
	}
}

func TestTheExampleDriverKeepsTheContractBehindTheBoundary(t *testing.T) {
	dir := t.TempDir()
	putExample(t, dir, "")
	folder := pluginhost.NewFolder(filepath.Join(dir, "plugins"), reserved(), nil)
	approved, err := folder.Approve(t.Context(), "sqlite", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	host := pluginhost.New(pluginhost.Options{Programs: []pluginhost.Program{approved}, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { host.Close() })
	driver, err := host.Driver("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	info := approved.Entry.Info
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		file := filepath.Join(t.TempDir(), "objects.db")
		b, err := driver.Open(t.Context(), objstore.Config{ID: file, Options: map[string]string{"file": file}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}, objstoretest.Want{Features: info.Features, Limits: info.Limits, Types: true})
}

func TestAProgramWithTheNameOfABuiltInDriverIsRefused(t *testing.T) {
	dir := t.TempDir()
	putExample(t, dir, "")
	folder := filepath.Join(dir, "plugins")
	for _, name := range reserved() {
		if err := os.Link(filepath.Join(folder, "sqlite"), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		if out, ok := command(t, dir, "approve", name); ok || !strings.Contains(out, "a driver of its own called "+name) {
			t.Errorf("%s: %s", name, out)
		}
	}
	p := start(t, dir)
	admin := p.admin()
	for _, name := range reserved() {
		if d := admin.driver(name); d.State != "built_in" || !d.Available {
			t.Errorf("%+v", d)
		}
	}
	if log := p.log.String(); !strings.Contains(log, "plugin is not available") || !strings.Contains(log, "rename the file") {
		t.Errorf("the log does not tell: %s", tail(log, 2000))
	}
}

func TestTheCommandTellsWhetherADriverKeepsTheContract(t *testing.T) {
	dir := t.TempDir()
	putExample(t, dir, "")
	options := filepath.Join(dir, "options.json")
	if err := os.WriteFile(options, []byte(`{"file":"`+filepath.Join(dir, "objects.db")+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, ok := command(t, dir, "test", "sqlite", "--options", options); ok || !strings.Contains(out, "not approved") {
		t.Errorf("before it is approved: %s", out)
	}
	if out, ok := command(t, dir, "approve", "sqlite"); !ok {
		t.Fatalf("approve: %s", out)
	}
	out, ok := command(t, dir, "test", "sqlite", "--options", options)
	if !ok || !strings.Contains(out, "ok    copying (") || strings.Contains(out, "FAIL") || !strings.HasSuffix(out, "sqlite keeps the contract: 26 cases\n") {
		t.Errorf("test: %s", out)
	}
	for name, c := range map[string]struct{ driver, told string }{
		"without its fields": {"local", "directory"}, "an unknown one": {"nosuch", "no driver"},
	} {
		if out, ok := command(t, dir, "test", c.driver); ok || !strings.Contains(out, c.told) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
