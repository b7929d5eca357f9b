package main

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"pasteport/ports/portstest"
)

// sharedMount makes a mount whose folder both nodes reach, and returns its
// storage config. Its listings are kept for five minutes, so whatever is seen
// sooner was told by the other node.
func (c client) sharedMount(t *testing.T, path string) (configID string) {
	t.Helper()
	configID = c.configID(map[string]any{"name": path, "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}})
	if a := c.post("/api/admin/mounts", map[string]any{"name": path, "mount_path": path, "storage_type": "LOCAL", "storage_config_id": configID, "cache_ttl": 300,
		"webdav_policy": "native_proxy"}); a.status/100 != 2 {
		t.Fatalf("make a mount: %d %s", a.status, a.body)
	}
	return configID
}

// lists reports whether a folder lists a name.
func (c client) lists(folder, name string) bool {
	return strings.Contains(string(c.get(fsURL("list", folder)).body), `"name":"`+name+`"`)
}

func TestReliability2_7_AWriteOnOneNodeDropsTheListingsOfTheOther(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	admin.sharedMount(t, "/both")
	portstest.Eventually(t, func() bool { return there.get(fsURL("list", "/both")).status == http.StatusOK }) // the mount is known there too
	put := func(c client, name string) {
		t.Helper()
		if a := c.send(http.MethodPut, fsURL("upload", "/both/"+name), strings.NewReader(name)); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	put(admin, "first.txt")
	portstest.Eventually(t, func() bool { return there.lists("/both", "first.txt") })
	put(there, "second.txt")
	portstest.Eventually(t, func() bool { return admin.lists("/both", "second.txt") })
	if a := there.post("/api/fs/rename", map[string]any{"oldPath": "/both/first.txt", "newPath": "/both/third.txt"}); a.status != http.StatusOK {
		t.Fatalf("rename: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool { return admin.lists("/both", "third.txt") && !admin.lists("/both", "first.txt") })
	if a := admin.send(http.MethodDelete, "/api/fs/batch-remove", strings.NewReader(`{"paths":["/both/second.txt"]}`), "Content-Type", "application/json"); a.status != http.StatusOK {
		t.Fatalf("remove: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool { return !there.lists("/both", "second.txt") })
}

func TestReliability2_7_MountsAndConfigsChangeOnBothNodes(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	config := admin.sharedMount(t, "/both")
	browser, _ := admin.key("browser", mountView, "/")
	elsewhere := client{p: two, auth: browser.auth}
	portstest.Eventually(t, func() bool { return elsewhere.get(fsURL("list", "/both")).status == http.StatusOK })
	if a := admin.put("/api/s3-configs/"+config, map[string]any{"is_public": false}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool { return elsewhere.get(fsURL("list", "/both")).status == http.StatusNotFound })
	var mounts []struct {
		ID   string
		Path string `json:"mount_path"`
	}
	there.get("/api/admin/mounts").into(t, &mounts)
	for _, m := range mounts {
		if m.Path != "/both" {
			continue
		}
		if a := there.put("/api/admin/mounts/"+m.ID, map[string]any{"mount_path": "/moved"}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	portstest.Eventually(t, func() bool {
		return admin.get(fsURL("list", "/moved")).status == http.StatusOK && admin.get(fsURL("list", "/both")).status == http.StatusNotFound
	})
}

func TestReliability2_7_LocksHoldOnBothNodes(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	admin.sharedMount(t, "/both")
	portstest.Eventually(t, func() bool { return there.get(fsURL("list", "/both")).status == http.StatusOK })
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("admin:"+adminPassword))
	dav := func(p *program, method, path, body string, header ...string) answer {
		t.Helper()
		return p.visitor().send(method, p.url+"/dav"+path, strings.NewReader(body), append([]string{"Authorization", basic}, header...)...)
	}
	locked := dav(one, "LOCK", "/both/f.txt", exclusiveLock, "Content-Type", "text/xml")
	token := locked.header.Get("Lock-Token")
	if locked.status/100 != 2 || token == "" {
		t.Fatalf("lock: %d %s", locked.status, locked.body)
	}
	if a := dav(two, "LOCK", "/both/f.txt", exclusiveLock, "Content-Type", "text/xml"); a.status != http.StatusLocked {
		t.Errorf("a second lock: %d %s", a.status, a.body)
	}
	if a := dav(two, "PUT", "/both/f.txt", "x"); a.status != http.StatusLocked {
		t.Errorf("a write without the token: %d %s", a.status, a.body)
	}
	if a := there.send(http.MethodPut, fsURL("upload", "/both/f.txt"), strings.NewReader("x")); a.status != http.StatusLocked {
		t.Errorf("an upload by the explorer: %d %s", a.status, a.body)
	}
	if a := dav(two, "PUT", "/both/f.txt", "mine", "If", "("+token+")"); a.status/100 != 2 {
		t.Errorf("a write with the token: %d %s", a.status, a.body)
	}
	if a := dav(two, "UNLOCK", "/both/f.txt", "", "Lock-Token", token); a.status != http.StatusNoContent {
		t.Errorf("unlock: %d %s", a.status, a.body)
	}
	if a := dav(one, "PUT", "/both/f.txt", "free"); a.status/100 != 2 {
		t.Errorf("a write after that: %d %s", a.status, a.body)
	}
}

func TestReliability2_7_TicketsAndTasksOfOneNodeAreGoodOnTheOther(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	admin.sharedMount(t, "/both")
	admin.sharedMount(t, "/target")
	portstest.Eventually(t, func() bool { return there.get(fsURL("list", "/target")).status == http.StatusOK })
	if a := admin.send(http.MethodPut, fsURL("upload", "/both/d/f.txt"), strings.NewReader("content")); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var link struct{ Ticket string }
	admin.post("/api/fs/archive", map[string]any{"paths": []string{"/both"}}).into(t, &link)
	if a := two.visitor().get("/api/fs/archive/" + link.Ticket); a.status != http.StatusOK || !strings.Contains(string(a.body), "both/d/f.txt") {
		t.Errorf("the archive: %d %.200q", a.status, a.body)
	}
	if a := one.visitor().get("/api/fs/archive/" + link.Ticket); a.status != http.StatusNotFound {
		t.Errorf("the archive again, on the other node: %d", a.status)
	}
	var started struct {
		TaskID string `json:"taskId"`
	}
	admin.post("/api/fs/batch-copy", map[string]any{"mode": "task", "items": []any{map[string]any{"sourcePath": "/both/d/", "targetPath": "/target/d/"}}}).into(t, &started)
	portstest.Eventually(t, func() bool {
		return strings.Contains(string(there.get("/api/fs/tasks/"+started.TaskID).body), `"status":"completed"`)
	})
	portstest.Eventually(t, func() bool { return string(there.get(fsURL("download", "/target/d/f.txt")).body) == "content" })
	portstest.Eventually(t, func() bool { return admin.lists("/target/d", "f.txt") && there.lists("/target/d", "f.txt") })
}
