package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pasteport/ports/portstest"
)

// imageUser is whom docs/deploy/Containerfile names.
const imageUser = 65532

// The program runs as in its image: in a root that holds nothing else and that it
// may not write to, as a user without any right, with one folder for its data.
func TestTheProgramRunsInAnEmptyRootWithoutRights(t *testing.T) {
	root := t.TempDir()
	inImage(t, root)
	listen, internal := portstest.FreeAddress(t), portstest.FreeAddress(t)
	command := func(name string) *exec.Cmd {
		cmd := exec.Command("/pasteport", name)
		cmd.Dir = "/"
		cmd.Env = []string{"PASTEPORT_DATA_DIR=/data", "PASTEPORT_LISTEN=" + listen, "PASTEPORT_INTERNAL_LISTEN=" + internal,
			"PASTEPORT_ADMIN_PASSWORD=" + adminPassword, "PASTEPORT_DRAIN_DELAY=0"}
		cmd.SysProcAttr = asInImage(root)
		return cmd
	}
	p := run(t, command("serve"), listen, internal, root)
	p.waitReady()
	admin := p.admin()
	id := admin.created("/api/paste", map[string]any{"content": "in an empty root"})
	if a := admin.get("/api/pastes/" + id); a.status != 200 {
		t.Errorf("the text: %d %s", a.status, a.body)
	}
	if out, err := command("health").CombinedOutput(); err != nil {
		t.Errorf("health: %v\n%s", err, out)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, _ fs.DirEntry, err error) error {
		if found = append(found, path); path == "data" {
			return fs.SkipDir
		}
		return err
	})
	if want := []string{".", "data", "pasteport"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("the root holds %q, %v; want %q", found, err, want)
	}
}

// inImage lays out a root as the image has it.
func inImage(t *testing.T, root string) {
	t.Helper()
	data := filepath.Join(root, "data")
	if err := os.Link(binary(t), filepath.Join(root, "pasteport")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(data, imageUser, imageUser); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(root, 0o700) })
}

// asInImage has a process see a folder as its root, as the user of the image. Who is
// not root is that user in a namespace of their own.
func asInImage(root string) *syscall.SysProcAttr {
	if os.Getuid() == 0 {
		return &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: imageUser, Gid: imageUser}}
	}
	as := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: imageUser, HostID: id, Size: 1}}
	}
	return &syscall.SysProcAttr{Chroot: root, Cloneflags: syscall.CLONE_NEWUSER, UidMappings: as(os.Getuid()), GidMappings: as(os.Getgid())}
}
