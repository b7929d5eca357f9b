package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pasteport/plugins/s3/s3test"
	"pasteport/ports/portstest"
)

// configID makes a storage config and returns its id.
func (c client) configID(fields map[string]any) string {
	c.p.t.Helper()
	a := c.post("/api/s3-configs", fields)
	if a.status != http.StatusOK || a.envelope(c.p.t).Code != 201 {
		c.p.t.Fatalf("make a storage config: %d %s", a.status, a.body)
	}
	var data struct{ ID string }
	a.into(c.p.t, &data)
	return data.ID
}

func TestASecondDiskTakesUploadsAndCannotBeDeletedWhileInUse(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	key, _ := admin.key("uploader", 2, "/")
	disk := t.TempDir()
	id := admin.configID(map[string]any{"name": "Second disk", "provider_type": "Local disk", "default_folder": "/in/", "options": map[string]any{"directory": disk}})

	refused := key.send(http.MethodPut, "/api/upload-direct/a.txt?s3_config_id="+id, strings.NewReader("hello"))
	if refused.status != http.StatusForbidden || !strings.Contains(refused.envelope(t).Message, "没有权限使用此存储配置") {
		t.Errorf("a key uploads to a private config: %d %s", refused.status, refused.body)
	}
	if a := admin.put("/api/s3-configs/"+id, map[string]any{"is_public": true}); a.status != 200 {
		t.Fatalf("publish: %d %s", a.status, a.body)
	}
	made := key.send(http.MethodPut, "/api/upload-direct/a.txt?slug=second&s3_config_id="+id, strings.NewReader("hello"))
	if made.status != 200 && made.status != 201 {
		t.Fatalf("upload: %d %s", made.status, made.body)
	}
	matches, err := filepath.Glob(filepath.Join(disk, "in", "a*.txt")) // the name may have got a suffix
	if err != nil || len(matches) != 1 {
		t.Fatalf("in the folder of the config: %v, %v", matches, err)
	}
	stored, err := os.ReadFile(matches[0])
	if err != nil || string(stored) != "hello" {
		t.Fatalf("stored %q, %v", stored, err)
	}
	if a := p.visitor().get("/api/file-download/second"); a.status != 200 || string(a.body) != "hello" {
		t.Errorf("download: %d %s", a.status, a.body)
	}

	inUse := admin.delete("/api/s3-configs/"+id, nil)
	if e := inUse.envelope(t); inUse.status != http.StatusConflict || e.Error != "in_use" || !strings.Contains(e.Message, "有文件正在使用") {
		t.Errorf("delete while in use: %d %s", inUse.status, inUse.body)
	}
	var files struct{ Files []struct{ ID string } }
	key.get("/api/files").into(t, &files)
	if len(files.Files) != 1 {
		t.Fatalf("files: %v", files)
	}
	if a := key.delete("/api/files/batch-delete", map[string]any{"ids": []string{files.Files[0].ID}, "delete_mode": "both"}); a.status != 200 {
		t.Fatalf("delete the file: %d %s", a.status, a.body)
	}
	if a := admin.put("/api/s3-configs/"+id+"/set-default", nil); a.status != 200 {
		t.Errorf("set default: %d %s", a.status, a.body)
	}
	if a := admin.delete("/api/s3-configs/"+id, nil); a.status != 200 {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a := admin.get("/api/s3-configs/" + id); a.status != 404 {
		t.Errorf("after delete: %d", a.status)
	}
	if a := key.send(http.MethodPut, "/api/upload-direct/b.txt", strings.NewReader("still works")); a.status/100 != 2 {
		t.Errorf("upload to what is left: %d %s", a.status, a.body)
	}
}

func TestAChangedFolderIsUsedAtOnce(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	one, two := t.TempDir(), t.TempDir()
	id := admin.configID(map[string]any{"name": "d", "driver": "local", "options": map[string]any{"directory": one}})
	if a := admin.send(http.MethodPut, "/api/upload-direct/first.txt?s3_config_id="+id, strings.NewReader("x")); a.status/100 != 2 {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	if a := admin.put("/api/s3-configs/"+id, map[string]any{"options": map[string]any{"directory": two}}); a.status != 200 {
		t.Fatalf("change: %d %s", a.status, a.body)
	}
	if a := admin.send(http.MethodPut, "/api/upload-direct/second.txt?s3_config_id="+id, strings.NewReader("x")); a.status/100 != 2 {
		t.Fatalf("upload: %d %s", a.status, a.body)
	}
	if matches, _ := filepath.Glob(filepath.Join(two, "second*.txt")); len(matches) != 1 {
		t.Errorf("the second upload is not in the new folder: %v", matches)
	}
}

func TestTheStorageTestOfTheProgram(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	disk := t.TempDir()
	id := admin.configID(map[string]any{"name": "d", "driver": "local", "options": map[string]any{"directory": disk}})
	var result struct {
		Success bool
		Result  struct {
			Steps []struct {
				Name, State string
				Cause       *string
			}
		}
	}
	admin.post("/api/s3-configs/"+id+"/test", nil, "Origin", "https://elsewhere.example").into(t, &result)
	for _, s := range result.Result.Steps {
		if s.State != "ok" && s.Name != "clock" {
			t.Errorf("%s: %s %v", s.Name, s.State, s.Cause)
		}
	}
	if !result.Success || len(result.Result.Steps) != 10 {
		t.Errorf("got %+v", result)
	}
	left, _ := filepath.Glob(filepath.Join(disk, "*"))
	for _, path := range left {
		if strings.Contains(path, "__test_") {
			t.Errorf("the test left %s", path)
		}
	}
	var drivers []struct {
		Name      string
		Available bool
		Fields    []struct{ Key string }
	}
	admin.get("/api/admin/drivers").into(t, &drivers)
	found := false
	for _, d := range drivers {
		found = found || d.Name == "local" && d.Available && len(d.Fields) > 0
	}
	if !found {
		t.Errorf("drivers: %+v", drivers)
	}

	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := admin.configID(map[string]any{"name": "broken", "driver": "local", "options": map[string]any{"directory": filepath.Join(blocked, "below")}})
	admin.post("/api/s3-configs/"+broken+"/test", nil).into(t, &result)
	if result.Success || result.Result.Steps[0].State != "failed" || result.Result.Steps[0].Cause == nil {
		t.Errorf("a folder that cannot be: %+v", result)
	}
	admin.post("/api/s3-configs/"+id+"/test", nil).into(t, &result)
	if !result.Success {
		t.Errorf("the other config beside a broken one: %+v", result)
	}
}

// storageTest is what the storage test answers.
type storageTest struct {
	Success bool
	Result  struct {
		Steps []struct {
			Name, State   string
			Cause, Remedy *string
		}
		CORS struct{ ConfigGuide *string }
	}
}

// failures are the steps that did not pass, with their causes.
func (r storageTest) failures() map[string]string {
	failed := map[string]string{}
	for _, s := range r.Result.Steps {
		if s.State != "ok" && s.Cause != nil {
			failed[s.Name] = s.State + ": " + *s.Cause
		}
	}
	return failed
}

func TestAnS3StorageIsTestedThroughItsDriver(t *testing.T) {
	cloud, err := s3test.Start("s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	bucket := cloud.NewBucket(t, "s3")
	options := cloud.Config("s3", bucket).Options
	p := start(t, t.TempDir(), "HTTP_PROXY="+os.Getenv("HTTP_PROXY"))
	admin := p.admin()
	fields := map[string]any{"name": "versity", "provider_type": "Other", "default_folder": "in", "path_style": true}
	for key, value := range options {
		fields[key] = value
	}
	id := admin.configID(fields)
	test := func(id string) (r storageTest) {
		t.Helper()
		admin.post("/api/s3-configs/"+id+"/test", nil, "Origin", "https://page.example", "Accept-Language", "en").into(t, &r)
		return r
	}
	whole := test(id)
	for name, failure := range whole.failures() {
		if name != "cors" { // the bucket has no rule
			t.Errorf("%s: %s", name, failure)
		}
	}
	if a := admin.post("/api/s3-configs/"+id+"/cors", map[string]any{}, "Origin", "https://page.example"); a.status != http.StatusOK {
		t.Errorf("set the rule: %d %s", a.status, a.body)
	}
	whole = test(id)
	if failures := whole.failures(); !whole.Success || len(failures) != 0 {
		t.Errorf("with the rule: %v", failures)
	}
	for name, c := range map[string]struct {
		change      map[string]any
		step, cause string
	}{
		"a wrong secret":   {map[string]any{"secret_access_key": "wrong-wrong-wrong"}, "list", "signature is wrong"},
		"a missing bucket": {map[string]any{"bucket_name": "nosuchbucket"}, "list", "no bucket of this name"},
		"nobody listens":   {map[string]any{"endpoint_url": "http://127.0.0.1:9"}, "list", "cannot be reached"},
	} {
		changed := map[string]any{"id": id}
		for k, v := range c.change {
			changed[k] = v
		}
		var r storageTest
		a := admin.post("/api/s3-configs/test", changed, "Origin", "https://page.example", "Accept-Language", "en")
		if a.status != 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
			continue
		}
		if a.into(t, &r); r.Success || !strings.Contains(r.failures()[c.step], c.cause) {
			t.Errorf("%s: %v", name, r.failures())
		}
	}
	if again := test(id); len(again.failures()) != len(whole.failures()) {
		t.Errorf("after the trials: %v", again.failures())
	}
}

func TestSecurityE2_CredentialsAreNowhereInPlain(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	secrets := []string{"AKIA-ID-OF-MINE-0001", "the-secret-access-key-of-mine"}
	fields := map[string]any{"name": "s3", "provider_type": "Other", "endpoint_url": "http://127.0.0.1:9", "bucket_name": "b", "access_key_id": secrets[0], "secret_access_key": secrets[1]}
	made := admin.post("/api/s3-configs", fields, "Idempotency-Key", "only-once")
	if made.status == http.StatusOK { // this build has an S3 driver
		var data struct{ ID string }
		made.into(t, &data)
		admin.post("/api/s3-configs/"+data.ID+"/test", nil)
	}
	answers := append(made.body, admin.get("/api/s3-configs").body...)
	p.stop()
	everything := append(answers, p.log.String()...)
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		everything = append(everything, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if bytes.Contains(everything, []byte(secret)) {
			t.Errorf("%q stands in an answer, the log or a file", secret)
		}
	}
}

// How long the test may take is asked in domain/storage, where time is free.
func TestContract8_ATestOfAStorageThatHangsEndsAndKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // connections wait in its queue for ever
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	p := start(t, t.TempDir())
	admin := p.admin()
	id := admin.configID(map[string]any{"name": "silent", "provider_type": "Other", "endpoint_url": "http://" + silent.Addr().String(), "bucket_name": "b",
		"access_key_id": "someone", "secret_access_key": "something", "path_style": 1})
	done := make(chan answer, 1)
	go func() {
		a, err := admin.try(http.MethodPost, "/api/s3-configs/"+id+"/test", nil, "Accept-Language", "en")
		if err != nil {
			t.Error(err)
		}
		done <- a
	}()
	for range 5 { // the rest of the server goes on
		if a := p.visitor().get("/api/health"); a.status != 200 {
			t.Errorf("health: %d", a.status)
		}
		if a := admin.send(http.MethodPut, "/api/upload-direct/x.txt", strings.NewReader("x")); a.status/100 != 2 {
			t.Errorf("upload to the disk: %d %s", a.status, a.body)
		}
	}
	a := <-done
	var r storageTest
	a.into(t, &r)
	if failures := r.failures(); r.Success || !strings.Contains(failures["list"], "in time") && !strings.Contains(failures["list"], "cannot be reached") {
		t.Errorf("got %v", failures)
	}
}

func TestReliability2_7_AChangedConfigCountsOnTheOtherNode(t *testing.T) {
	one, two, _ := twoNodes(t)
	admin := one.admin()
	there := client{p: two, auth: admin.auth}
	before, after := t.TempDir(), t.TempDir()
	id := admin.configID(map[string]any{"name": "d", "driver": "local", "options": map[string]any{"directory": before}})
	upload := func() {
		t.Helper()
		if a := there.send(http.MethodPut, "/api/upload-direct/x.txt?s3_config_id="+id, strings.NewReader("x")); a.status/100 != 2 {
			t.Fatalf("upload: %d %s", a.status, a.body)
		}
	}
	upload() // the other node has the bucket open now
	if a := admin.put("/api/s3-configs/"+id, map[string]any{"options": map[string]any{"directory": after}}); a.status != http.StatusOK {
		t.Fatalf("change: %d %s", a.status, a.body)
	}
	portstest.Eventually(t, func() bool {
		upload()
		matches, _ := filepath.Glob(filepath.Join(after, "*.txt"))
		return len(matches) > 0
	})
}

// TestSecurityU8_PrivateStorageCanBeOutOfReach points a storage at a canary of
// this machine, with the setting on and off.
func TestSecurityU8_PrivateStorageCanBeOutOfReach(t *testing.T) {
	t.Parallel()
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { canary.Close() })
	var seen atomic.Int64
	go func() {
		for {
			conn, err := canary.Accept()
			if err != nil {
				return
			}
			seen.Add(1)
			conn.Close()
		}
	}()
	for _, c := range []struct {
		setting string
		reached bool
	}{{"off", false}, {"on", true}} {
		p := start(t, t.TempDir(), "PASTEPORT_ALLOW_PRIVATE_STORAGE="+c.setting)
		admin := p.admin()
		for _, host := range []string{"127.0.0.1", "localhost"} {
			seen.Store(0)
			_, port, err := net.SplitHostPort(canary.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			id := admin.configID(map[string]any{"name": "private", "provider_type": "Other", "endpoint_url": "http://" + net.JoinHostPort(host, port),
				"bucket_name": "b", "access_key_id": "someone", "secret_access_key": "something", "path_style": 1})
			var r storageTest
			admin.post("/api/s3-configs/"+id+"/test", nil, "Origin", "https://page.example").into(t, &r)
			if reached := seen.Load() > 0; r.Success || reached != c.reached {
				t.Errorf("%s with %s: success %t, %d connections", host, c.setting, r.Success, seen.Load())
			}
		}
		if a := admin.send(http.MethodPut, "/api/upload-direct/x.txt", strings.NewReader("x")); a.status/100 != 2 {
			t.Errorf("the disk beside it: %d %s", a.status, a.body)
		}
		p.stop()
	}
}
