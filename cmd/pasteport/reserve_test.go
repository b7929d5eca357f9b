package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pasteport/adapters/datadir"
	"pasteport/ports/portstest"
)

// smallDisk is a disk of its own of so many MiB. Who may not mount one runs the
// test again in a namespace where it may; ok is false when that has been done.
func smallDisk(t *testing.T, mebibytes int) (dir string, ok bool) {
	t.Helper()
	const inside = "PASTEPORT_TEST_NAMESPACE"
	dir = t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0700", mebibytes))
	if err == nil {
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		return dir, true
	}
	if !errors.Is(err, syscall.EPERM) || os.Getenv(inside) != "" {
		t.Fatal(err)
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), inside+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("in a namespace: %v\n%s", err, out)
	}
	return "", false
}

// fill takes all that is left of the disk of dir, and returns how to give it
// back.
func fill(t *testing.T, dir string) (empty func()) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, block := range []int{1 << 20, 4 << 10} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, block))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(f.Name()); err != nil {
			t.Error(err)
		}
	}
}

// TestAFullDiskKeepsSignInSettingsAndDeletes fills the disk of a running server,
// by foreign files and by content, and works with it.
func TestAFullDiskKeepsSignInSettingsAndDeletes(t *testing.T) {
	dir, ok := smallDisk(t, 256)
	if !ok {
		return
	}
	data := filepath.Join(dir, "data")
	p := start(t, data, onFile)
	held := func() bool {
		info, err := os.Stat(filepath.Join(data, "reserve"))
		if err != nil {
			return false
		}
		return info.Sys().(*syscall.Stat_t).Blocks*512 >= datadir.ReserveSize && info.Mode().Perm() == 0o600
	}
	if !held() {
		t.Fatal("no room was set aside at the start")
	}
	admin := p.admin()
	created := func(slug string, size int) (answer, string) {
		t.Helper()
		a := admin.post("/api/paste", map[string]any{"slug": slug, "content": strings.Repeat("x", size)})
		if a.status != http.StatusOK {
			return a, ""
		}
		id, _ := a.object(t)["id"].(string)
		return a, id
	}
	var ids []string
	for i := range 6 {
		a, id := created(fmt.Sprintf("big%d", i), 8<<20)
		if id == "" {
			t.Fatalf("paste: %d %s", a.status, tail(string(a.body), 300))
		}
		ids = append(ids, id)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/kept.bin?slug=kept", bytes.NewReader(pattern(1, 1<<20))); a.status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}

	if code := p.stop(); code != 0 { // the log of the database has no room left over then
		t.Errorf("stopped with %d", code)
	}
	p = start(t, data, onFile)
	admin = p.admin()
	empty := fill(t, dir)
	refused := func(when string) {
		t.Helper()
		if a, _ := created("refused", 10); a.status != http.StatusInsufficientStorage || a.envelope(t).Error != "quota_exceeded" {
			t.Errorf("%s, a new paste: %d %s, want 507", when, a.status, a.body)
		}
		// Uploads to shares answer 400 for it, as their contract has it.
		if a := admin.send(http.MethodPut, "/api/upload-direct/x.bin?slug=refused", strings.NewReader("x")); a.status != http.StatusBadRequest || a.envelope(t).Error != "quota_exceeded" {
			t.Errorf("%s, an upload: %d %s, want quota_exceeded", when, a.status, a.body)
		}
		if a := admin.send(http.MethodPut, "/dav/local/x.bin", strings.NewReader("x")); a.status != http.StatusInsufficientStorage {
			t.Errorf("%s, WebDAV: %d %s, want 507", when, a.status, a.body)
		}
		if a := admin.post("/api/admin/backup", map[string]any{}); a.status != http.StatusInsufficientStorage || a.envelope(t).Error != "quota_exceeded" {
			t.Errorf("%s, a backup: %d %s, want 507", when, a.status, a.body)
		}
	}
	vital := func(when string, round int) {
		t.Helper()
		if a := p.visitor().post("/api/admin/login", map[string]any{"username": "admin", "password": adminPassword}); a.status != http.StatusOK {
			t.Fatalf("%s, sign-in %d: %d %s", when, round, a.status, a.body)
		} else {
			var data struct{ Token string }
			a.into(t, &data)
			admin = client{p: p, auth: "Bearer " + data.Token} // an account has only so many sessions
		}
		remark := fmt.Sprintf("%d %s", round, strings.Repeat("long ", 4000))
		if a := admin.put("/api/admin/settings/group/4", map[string]any{"site_footer_markdown": remark}); a.status != http.StatusOK || a.envelope(t).Code != 200 {
			t.Fatalf("%s, settings %d: %d %s", when, round, a.status, a.body)
		}
	}
	refused("on the full disk")
	finding(t, p, "disk.full", "problem", "100% full", "Delete files or add space now", onFile)
	rounds := 0
	for ; rounds < 300 && held(); rounds++ {
		vital("on the full disk", rounds)
	}
	for end := rounds + 10; rounds < end; rounds++ {
		vital("without the reserve", rounds)
	}
	if held() {
		t.Error("the reserve was not needed, so nothing is proved of it")
	}
	refused("without the reserve")
	finding(t, p, "disk.full", "problem", "100% full", "Delete files or add space now", onFile)
	if log := p.log.String(); strings.Count(log, "its reserve was let go") != 1 {
		t.Errorf("the log tells %d times of the reserve, want once", strings.Count(log, "its reserve was let go"))
	}

	if a := admin.delete("/api/pastes/batch-delete", map[string]any{"ids": ids}); a.status != http.StatusOK {
		t.Fatalf("delete on the full disk: %d %s", a.status, a.body)
	}
	if a := admin.get("/api/raw/big0"); a.status != http.StatusNotFound {
		t.Errorf("a deleted paste: %d", a.status)
	}
	if a, id := created("into-the-gap", 1<<20); id == "" {
		t.Errorf("a new paste where others were: %d %s", a.status, tail(string(a.body), 300))
	}
	vital("after the delete", rounds)

	// It starts on the full disk, too.
	if code := p.stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
	p = start(t, data, onFile)
	admin = p.admin()
	vital("started on the full disk", rounds)

	empty()
	portstest.Eventually(t, held)
	if a, id := created("after", 10); id == "" {
		t.Errorf("with room again: %d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/after.bin?slug=after-file", strings.NewReader("x")); a.status != http.StatusOK {
		t.Errorf("an upload with room again: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-download/kept"); a.status != http.StatusOK || !bytes.Equal(a.body, pattern(1, 1<<20)) {
		t.Errorf("a file from before: %d", a.status)
	}
}
