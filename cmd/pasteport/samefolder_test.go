package main

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pasteport/plugins/s3/s3test"
)

// Two configs may lead to one folder, or one into the other's. What is moved
// between their mounts is then moved onto itself, and must stay.
func TestMovesBetweenConfigsOfOneFolderLoseNothing(t *testing.T) {
	dir := t.TempDir()
	disk, link := filepath.Join(dir, "disk"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(disk, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(disk, link); err != nil {
		t.Fatal(err)
	}
	c := changes{t, start(t, filepath.Join(dir, "data")).admin()}
	for name, folder := range map[string]string{"a": disk, "b": disk, "link": link, "sub": filepath.Join(disk, "sub")} {
		id := c.configID(map[string]any{"name": name, "driver": "local", "is_public": true, "options": map[string]any{"directory": folder}})
		c.ok("/api/admin/mounts", map[string]any{"name": name, "mount_path": "/" + name, "storage_type": "LOCAL", "storage_config_id": id}, nil)
	}
	for _, to := range []string{"/b/sub/f.txt", "/link/sub/f.txt", "/sub/f.txt"} {
		c.store("/a/sub/f.txt", "precious")
		c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/a/sub/f.txt", "targetPath": to}}, "skipExisting": false}, nil)
		c.want("/a/sub/f.txt", "precious")
		for _, method := range []string{"MOVE", "COPY"} {
			if a := c.send(method, "/dav/a/sub/f.txt", nil, "Destination", "/dav"+to); a.status != http.StatusForbidden {
				t.Errorf("%s to %s: got %d, want 403", method, to, a.status)
			}
		}
		c.want("/a/sub/f.txt", "precious")
	}
	c.store("/a/sub/d/f.txt", "precious")
	for _, to := range []string{"/b/sub/d/in", "/link/sub/d/in", "/sub/d/in"} {
		var moved struct {
			FailedItems []struct{ Code string }
		}
		c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/a/sub/d/", "targetPath": to}}, "conflict": "overwrite"}, &moved)
		if len(moved.FailedItems) != 1 || moved.FailedItems[0].Code != "into_self" {
			t.Errorf("move a folder to %s, below itself: got %v, want into_self", to, moved.FailedItems)
		}
	}
	c.want("/a/sub/d/f.txt", "precious")
}

// Nothing in two names of one service tells that they lead to one bucket.
func TestMovesBetweenTwoNamesOfOneServiceLoseNothing(t *testing.T) {
	service, err := s3test.StartGateway("us-east-1", "s3.localhost")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := service.MakeBucket(t.Context(), "shared"); err != nil {
		t.Fatal(err)
	}
	one := map[string]any{"provider_type": "Other", "path_style": true, "is_public": true, "endpoint_url": "http://" + service.Addr, "bucket_name": "shared",
		"region": service.Region, "access_key_id": s3test.AccessKey, "secret_access_key": s3test.SecretKey}
	other := maps.Clone(one)
	other["endpoint_url"] = strings.Replace("http://"+service.Addr, "127.0.0.1", "localhost", 1)
	c := changes{t, start(t, filepath.Join(t.TempDir(), "data")).admin()}
	for name, config := range map[string]map[string]any{"one": one, "other": other} {
		config["name"] = name
		c.ok("/api/admin/mounts", map[string]any{"name": name, "mount_path": "/" + name, "storage_type": "S3", "storage_config_id": c.configID(config)}, nil)
	}
	c.store("/one/d/f.txt", "precious")
	c.store("/one/d/sub/g.txt", "dear")
	intact := func() {
		t.Helper()
		c.want("/one/d/f.txt", "precious")
		c.want("/one/d/sub/g.txt", "dear")
	}
	var moved struct {
		Skipped     int
		FailedItems []struct{ Code string }
	}
	c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/one/d/f.txt", "targetPath": "/other/d/f.txt"}, {"sourcePath": "/one/d/", "targetPath": "/other/d"}}, "skipExisting": false}, &moved)
	if moved.Skipped != 2 {
		t.Errorf("a file and a folder moved onto themselves: got %+v, want both skipped", moved)
	}
	intact()
	c.ok("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": "/one/d/", "targetPath": "/other/d/sub/new"}}}, &moved)
	if len(moved.FailedItems) != 1 || moved.FailedItems[0].Code != "into_self" {
		t.Errorf("a folder moved into itself: got %+v, want into_self", moved)
	}
	intact()
	for _, d := range []struct{ method, from, to string }{{"MOVE", "/one/d", "/other/d"}, {"COPY", "/one/d", "/other/d"}, {"MOVE", "/one/d/sub", "/other/d"}, {"MOVE", "/one/d/f.txt", "/other/d"},
		{"MOVE", "/one/d", "/other/d/sub/new"}, {"MOVE", "/one/d/f.txt", "/other/d/f.txt"}} {
		if a := c.send(d.method, "/dav"+d.from, nil, "Destination", "/dav"+d.to); a.status != http.StatusForbidden {
			t.Errorf("%s %s to %s: got %d, want 403", d.method, d.from, d.to, a.status)
		}
		intact()
	}
	if a := c.send("MOVE", "/dav/one/d", nil, "Destination", "/dav/other/e"); a.status != http.StatusCreated {
		t.Errorf("a move to another place of the bucket: got %d", a.status)
	}
	c.want("/one/e/sub/g.txt", "dear")
	var listed struct{ Items []struct{ Name string } }
	c.get("/api/fs/list?path=/other/&refresh=true").into(t, &listed)
	if len(listed.Items) != 1 {
		t.Errorf("got %v, want e alone: a probe was left", listed.Items)
	}
}
