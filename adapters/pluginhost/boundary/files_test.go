package boundary

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/plugins/sftp"
	"pasteport/plugins/sftp/sftptest"
	"pasteport/plugins/webdav"
	"pasteport/plugins/webdav/davtest"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/objstoretest"
)

// fileDrivers keep objects as files of a server, whose bytes go through their
// processes.
var fileDrivers = map[string]objstore.Driver{sftp.Name: sftp.Driver{}, webdav.Name: webdav.Driver{}}

// folders start a server for each of them and give options that lead to a new
// folder there.
var folders = map[string]func(t *testing.T) func(t *testing.T) map[string]string{
	sftp.Name: func(t *testing.T) func(t *testing.T) map[string]string {
		options, dir := sftptest.Start(t), t.TempDir()
		return func(t *testing.T) map[string]string { return sftptest.Folder(t, options, dir) }
	},
	webdav.Name: func(t *testing.T) func(t *testing.T) map[string]string {
		options := davtest.Start(t, t.TempDir())
		return func(t *testing.T) map[string]string { return davtest.Folder(t, options) }
	},
}

// openFolder opens a folder in the driver's process.
func openFolder(t *testing.T, name string, options map[string]string) objstore.Bucket {
	t.Helper()
	d, err := host.Driver(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.Open(t.Context(), objstore.Config{ID: t.Name(), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestDriversOfFileServersKeepTheContractThroughTheBoundary(t *testing.T) {
	for name, d := range fileDrivers {
		t.Run(name, func(t *testing.T) {
			folder := folders[name](t)
			info, err := d.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			far, err := host.Driver(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := far.Info(t.Context()); err != nil || cmp.Diff(info, got) != "" {
				t.Errorf("it says of itself (-here +there):\n%s %v", cmp.Diff(info, got), err)
			}
			objstoretest.Run(t, func(t *testing.T) objstore.Bucket { return openFolder(t, name, folder(t)) }, objstoretest.Want{
				Features: info.Features, Limits: info.Limits, Names: true, Segment: 255, Markers: true,
			})
		})
	}
}

// An object much larger than what its process may grow by is written, copied and
// read back through it.
func TestALargeFileGoesThroughADriverInFlatMemory(t *testing.T) {
	const size, most = 128 << 20, 48 // bytes; MiB
	for name := range fileDrivers {
		t.Run(name, func(t *testing.T) {
			b := openFolder(t, name, folders[name](t)(t))
			if _, err := b.List(t.Context(), objstore.ListQuery{}); err != nil {
				t.Fatal(err)
			}
			before := peak(t, driverPID(name))
			sent, got := sha256.New(), sha256.New()
			body := io.TeeReader(io.LimitReader(rand.NewChaCha8([32]byte{7}), size), sent)
			if o, err := b.Write(t.Context(), "in/large", body, objstore.WriteOptions{Size: size}); err != nil || o.Size != size {
				t.Fatalf("Write = %+v, %v", o, err)
			}
			if o, err := b.Copy(t.Context(), "copy", "in/large"); err != nil || o.Size != size {
				t.Fatalf("Copy = %+v, %v", o, err)
			}
			read, err := b.Read(t.Context(), "copy", objstore.Range{})
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			if n, err := io.Copy(got, read); err != nil || n != size || string(got.Sum(nil)) != string(sent.Sum(nil)) {
				t.Errorf("read %d bytes, %v", n, err)
			}
			if grown := peak(t, driverPID(name)) - before; grown > most {
				t.Errorf("its process grew by %d MiB, want at most %d", grown, most)
			} else {
				t.Logf("its process grew by %d MiB", grown)
			}
		})
	}
}

func driverPID(name string) int {
	for _, s := range host.Status() {
		if s.Driver == name {
			return s.PID
		}
	}
	return 0
}

// peak is the most memory that a process has had, in MiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}
