package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pasteport/domain/domaintest"
	"pasteport/plugins/local"
	"pasteport/plugins/s3"
	"pasteport/plugins/s3/s3test"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// treeChild marks the process that runs the changes. That of the other tests
// may have sent requests already, and a process reads HTTP_PROXY only once.
const treeChild = "PASTEPORT_TEST_TREE_CHILD"

func TestRandomChangesOfTheTreeAgreeOnEveryDriver(t *testing.T) {
	if os.Getenv(treeChild) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), treeChild+"=1")
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+"/S3,_two_buckets") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	cloud, err := s3test.Start("s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	disk := func(t *testing.T) objstore.Bucket {
		return opened(t, local.Driver{}, objstore.Config{ID: "disk", Options: map[string]string{local.OptionDirectory: t.TempDir()}})
	}
	s3Bucket := func(t *testing.T) objstore.Bucket {
		return opened(t, s3.Driver(), cloud.Config("s3", cloud.NewBucket(t, "s3")))
	}
	for name, c := range map[string]struct {
		near, far func(*testing.T) objstore.Bucket
		steps     int
	}{
		"disks":           {disk, disk, 250},
		"a disk and S3":   {disk, s3Bucket, 80},
		"S3, two buckets": {s3Bucket, s3Bucket, 80},
	} {
		t.Run(name, func(t *testing.T) { domaintest.RunTreeModel(t, c.near(t), c.far(t), 7, c.steps) })
	}
}

func opened(t *testing.T, d objstore.Driver, config objstore.Config) objstore.Bucket {
	t.Helper()
	b, err := d.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// changes plays a page of the explorer.
type changes struct {
	t *testing.T
	client
}

// ok posts and wants code 200; into may be nil.
func (c changes) ok(path string, body, into any) {
	c.t.Helper()
	a := c.post(path, body)
	if a.status != http.StatusOK {
		c.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	if into != nil {
		a.into(c.t, into)
	}
}

func (c changes) store(path, content string) {
	c.t.Helper()
	if a := c.send(http.MethodPut, fsURL("upload", path), strings.NewReader(content)); a.status != http.StatusOK {
		c.t.Fatalf("store %s: %d %s", path, a.status, a.body)
	}
}

func (c changes) want(path, content string) {
	c.t.Helper()
	if a := c.get(fsURL("download", path)); a.status != http.StatusOK || string(a.body) != content {
		c.t.Errorf("%s: got %d %q, want %q", path, a.status, a.body, content)
	}
}

func (c changes) wantGone(path string) {
	c.t.Helper()
	if a := c.get(fsURL("get", path)); a.status != http.StatusNotFound {
		c.t.Errorf("%s: got %d %s, want 404", path, a.status, a.body)
	}
}

type pair map[string]string

func TestFoldersOfMountsAreChangedOverHTTP(t *testing.T) {
	p := start(t, t.TempDir())
	c := changes{t, p.admin()}
	id := c.configID(map[string]any{"name": "disk", "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}})
	c.ok("/api/admin/mounts", map[string]any{"name": "other", "mount_path": "/other", "storage_type": "LOCAL", "storage_config_id": id}, nil)

	if a := c.post("/api/fs/mkdir", pair{"path": "/local/d/文/"}); a.status != http.StatusOK || strings.Contains(string(a.body), `"data"`) {
		t.Errorf("mkdir: %d %s", a.status, a.body)
	}
	c.store("/local/d/a.txt", "one")
	c.store("/local/d/文/b.txt", "two")

	var share struct{ Slug, Filename, URL string }
	c.ok("/api/fs/create-share", pair{"path": "/local/d/a.txt"}, &share)
	if len(share.Slug) != 10 || share.URL != p.url+"/file/"+share.Slug || share.Filename != "a.txt" {
		t.Errorf("create-share: %+v", share)
	}
	var latched struct {
		FileID, Slug string
		KeyOnly      bool `json:"key_only"`
		SlidingDays  int  `json:"sliding_days"`
	}
	c.ok("/api/fs/create-share", map[string]any{"path": "/local/d/a.txt", "key_only": true, "sliding_days": 3}, &latched)
	if a := p.visitor().get("/api/public/files/" + latched.Slug); a.status != http.StatusUnauthorized || !strings.Contains(string(a.body), "key_required") {
		t.Errorf("a share with key only, for a stranger: %d %s", a.status, a.body)
	}
	if c.get("/api/shares/file/"+latched.FileID+"/access").into(t, &latched); !latched.KeyOnly || latched.SlidingDays != 3 {
		t.Errorf("the access of a share of a mount: %+v", latched)
	}
	if a := c.post("/api/fs/create-share", pair{"path": "/local/d"}); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "POST /api/collections") || !strings.Contains(string(a.body), "type_mismatch") {
		t.Errorf("a folder: %d %s", a.status, a.body)
	}
	if a := c.post("/api/fs/create-share", map[string]any{"path": "/local/d/a.txt", "sliding_days": 3651}); a.status != http.StatusBadRequest {
		t.Errorf("an end that moves by more than ten years: %d %s", a.status, a.body)
	}
	if a := c.post("/api/fs/rename", pair{"oldPath": "/local/d/", "newPath": "/local/d/new/"}); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "into_self") {
		t.Errorf("rename into itself: %d %s", a.status, a.body)
	}
	if a := c.post("/api/fs/rename", pair{"oldPath": "/local/d/", "newPath": "/local/e/"}); a.status != http.StatusOK || strings.Contains(string(a.body), `"data"`) {
		t.Errorf("rename: %d %s", a.status, a.body)
	}
	c.want("/local/e/a.txt", "one")
	c.wantGone("/local/d/")
	if a := c.get(fsURL("shares", "/local/e")); a.status != http.StatusOK || !strings.Contains(string(a.body), `{"name":"a.txt","id":`) || !strings.Contains(string(a.body), share.Slug) {
		t.Errorf("shares of the folder: %d %s", a.status, a.body)
	}
	if a := c.get(fsURL("shares", "/local")); a.status != http.StatusOK || strings.Contains(string(a.body), share.Slug) {
		t.Errorf("shares of the folder above: %d %s", a.status, a.body)
	}
	if a := p.visitor().get("/api/file-view/" + share.Slug); a.status != http.StatusOK || string(a.body) != "one" {
		t.Errorf("the share did not follow: %d %s", a.status, a.body)
	}

	var copied struct {
		CrossStorage             bool
		Success, Skipped, Failed int
		Details                  []struct{ Status, Target string }
	}
	c.ok("/api/fs/batch-copy", map[string]any{"items": []pair{{"sourcePath": "/local/e/", "targetPath": "/local/e"}, {"sourcePath": "/local/none", "targetPath": "/local/x"}}, "skipExisting": false}, &copied)
	if copied.CrossStorage || copied.Success != 2 || copied.Failed != 1 || copied.Details[0].Target != "/local/e(1)/" {
		t.Errorf("batch-copy: %+v", copied)
	}
	c.carryAcross()
	c.task("/api/fs/batch-copy", map[string]any{"mode": "task", "items": []pair{{"sourcePath": "/local/e/", "targetPath": "/other/t"}}})
	c.want("/other/t/文/b.txt", "two")
	c.task("/api/fs/move", map[string]any{"async": true, "items": []pair{{"sourcePath": "/local/e/", "targetPath": "/other/moved"}}})
	c.want("/other/moved/a.txt", "one")
	c.wantGone("/local/e/")
	if a := p.visitor().get("/api/file-view/" + share.Slug); a.status != http.StatusOK || string(a.body) != "one" {
		t.Errorf("the share did not follow to another storage: %d %s", a.status, a.body)
	}
	c.task("/api/fs/rename", map[string]any{"async": true, "oldPath": "/other/moved", "newPath": "/other/again"})
	c.want("/other/again/a.txt", "one")

	a := c.delete("/api/fs/batch-remove", map[string]any{"paths": []string{"/other/again/", "/other/none", "/other", "/"}})
	var removed struct {
		Success int
		Failed  []struct{ Path, Error string }
	}
	a.into(t, &removed)
	if a.status != http.StatusOK || removed.Success != 2 || len(removed.Failed) != 2 || removed.Failed[0].Error == "" {
		t.Errorf("batch-remove: %d %s", a.status, a.body)
	}
	c.wantGone("/other/again/")
	if a := c.post("/api/fs/batch-copy-commit", map[string]any{"targetMountId": c.localMount(), "files": []pair{{"targetPath": "/local/none", "s3Path": "none"}}}); a.status != http.StatusOK ||
		a.envelope(t).Code != http.StatusAccepted || a.envelope(t).Success {
		t.Errorf("a commit of nothing: %d %s", a.status, a.body)
	}
}

// carryAcross does what an old page does between two storages.
func (c changes) carryAcross() {
	c.t.Helper()
	type link struct{ TargetMount, Target, RelativeDir, FileName, ContentType, DownloadURL, UploadURL, TargetKey, TargetS3Path string }
	var cross struct {
		CrossStorage, RequiresClientSideCopy bool
		CrossStorageResults                  []struct {
			link
			IsDirectory bool
			Items       []link
		}
	}
	c.ok("/api/fs/batch-copy", map[string]any{"items": []pair{{"sourcePath": "/local/e/", "targetPath": "/other/e"}, {"sourcePath": "/local/e/a.txt", "targetPath": "/other/single.txt"}}}, &cross)
	if !cross.CrossStorage || !cross.RequiresClientSideCopy || len(cross.CrossStorageResults) != 2 {
		c.t.Fatalf("cross: %+v", cross)
	}
	var files []map[string]any
	for _, result := range cross.CrossStorageResults {
		links := result.Items
		if !result.IsDirectory {
			links = []link{result.link}
		}
		for _, l := range links {
			target, key := result.Target, l.TargetS3Path
			if result.IsDirectory {
				target, key = strings.TrimSuffix(result.Target, "/")+"/"+strings.TrimPrefix(l.RelativeDir+"/", "/")+l.FileName, l.TargetKey
			}
			size := c.carry(l.DownloadURL, l.UploadURL, l.ContentType)
			files = append(files, map[string]any{"targetPath": target, "s3Path": key, "fileSize": size, "contentType": l.ContentType})
		}
	}
	var done struct{ Success, Failed []pair }
	c.ok("/api/fs/batch-copy-commit", map[string]any{"targetMountId": cross.CrossStorageResults[0].TargetMount, "files": files}, &done)
	if len(done.Success) != 3 || len(done.Failed) != 0 {
		c.t.Errorf("commit: %+v", done)
	}
	c.want("/other/e/文/b.txt", "two")
	c.want("/other/single.txt", "one")
}

func (c changes) carry(from, to, contentType string) int {
	c.t.Helper()
	got, err := http.Get(from)
	if err != nil {
		c.t.Fatal(err)
	}
	defer got.Body.Close()
	var content bytes.Buffer
	if _, err := content.ReadFrom(got.Body); err != nil || got.StatusCode != http.StatusOK {
		c.t.Fatalf("download: %d %s, %v", got.StatusCode, content.Bytes(), err)
	}
	size := content.Len()
	put, err := http.NewRequestWithContext(c.t.Context(), http.MethodPut, to, &content)
	if err != nil {
		c.t.Fatal(err)
	}
	put.Header.Set("Content-Type", contentType)
	answer, err := http.DefaultClient.Do(put)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		c.t.Fatalf("upload: %d", answer.StatusCode)
	}
	return size
}

// task starts a task and waits until it is completed.
func (c changes) task(path string, body any) {
	c.t.Helper()
	var started struct{ TaskID string }
	c.ok(path, body, &started)
	if started.TaskID == "" {
		c.t.Fatalf("%s started no task", path)
	}
	portstest.Eventually(c.t, func() bool {
		var task json.RawMessage
		c.get("/api/fs/tasks/"+started.TaskID).into(c.t, &task)
		var state struct{ Status string }
		if err := json.Unmarshal(task, &state); err != nil {
			c.t.Fatal(err)
		}
		if state.Status != "completed" && state.Status != "pending" && state.Status != "running" {
			c.t.Fatalf("%s: the task ended as %s", path, task)
		}
		return state.Status == "completed"
	}, path, " is completed")
}

// A process that is killed in the middle of a move leaves all files in one
// place after it has started again: where they were or where they should be.
func TestReliability2_1_AMoveSurvivesAKill(t *testing.T) {
	dir, far := t.TempDir(), t.TempDir()
	const files = 400
	from := filepath.Join(dir, localFolder, "d")
	if err := os.MkdirAll(from, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(from, fmt.Sprintf("%03d", i)), fmt.Append(nil, "content ", i), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, dir)
	c := changes{t, p.admin()}
	id := c.configID(map[string]any{"name": "far", "driver": "local", "options": map[string]any{"directory": far}})
	c.ok("/api/admin/mounts", map[string]any{"name": "far", "mount_path": "/far", "storage_type": "LOCAL", "storage_config_id": id}, nil)
	body := strings.NewReader(`{"items":[{"sourcePath":"/local/d/","targetPath":"/far/d"}]}`)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.try(http.MethodPost, "/api/fs/move", body, "Content-Type", "application/json")
	}()
	to := filepath.Join(far, "d")
	portstest.Happens(patience, func() bool { return len(namesIn(to)) >= files/10 })
	p.kill()
	<-ended
	t.Logf("killed with %d files here and %d there", len(namesIn(from)), len(namesIn(to)))
	start(t, dir)
	here, there := 0, 0
	portstest.Happens(3*time.Minute, func() bool {
		here, there = len(namesIn(from)), len(namesIn(to))
		return here == 0 && there == files || here == files && there == 0
	})
	if here+there != files || here*there != 0 {
		t.Fatalf("there are %d files here and %d there", here, there)
	}
	for i := range files {
		name := filepath.Join(from, fmt.Sprintf("%03d", i))
		if there > 0 {
			name = filepath.Join(to, fmt.Sprintf("%03d", i))
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != fmt.Sprint("content ", i) {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
}

// namesIn lists a folder of this machine; nothing when it is not there.
func namesIn(dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return entries
}
