package main

import (
	"bytes"
	"net/http"
	"testing"

	"pasteport/plugins/sftp/sftptest"
	"pasteport/plugins/webdav/davtest"
)

// fileServers start a server of files and give options that lead to a folder
// there, by driver.
var fileServers = map[string]func(t *testing.T) map[string]string{
	"sftp":   func(t *testing.T) map[string]string { return sftptest.Folder(t, sftptest.Start(t), t.TempDir()) },
	"webdav": func(t *testing.T) map[string]string { return davtest.Folder(t, davtest.Start(t, t.TempDir())) },
}

// A folder on a file server is a storage as any other: the test of storages
// passes, a file is shared by one request and in parts and read in ranges.
func TestAFolderOnAFileServerIsAStorage(t *testing.T) {
	for driver, serve := range fileServers {
		t.Run(driver, func(t *testing.T) {
			p := start(t, t.TempDir())
			admin := p.admin()
			options := serve(t)
			id := admin.configID(map[string]any{"name": "nas", "driver": driver, "is_public": true, "options": options})
			var shown struct{ Options map[string]string }
			got := admin.get("/api/s3-configs/" + id)
			got.into(t, &shown)
			for key, value := range options {
				if secret := key == "password" || key == "private_key"; secret && bytes.Contains(got.body, []byte(value)) || !secret && shown.Options[key] != value {
					t.Errorf("%s is shown as %q", key, shown.Options[key])
				}
			}
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
				if s.State != "ok" && s.Name != "clock" && s.Name != "cors" {
					t.Errorf("%s: %s %v", s.Name, s.State, s.Cause)
				}
			}
			if !result.Success {
				t.Errorf("the test: %+v", result)
			}

			const partSize = 5 << 20
			content := pattern(13, 2*partSize+17)
			key, _ := admin.key("sender", 2, "/")
			if a := key.send(http.MethodPut, "/api/upload-direct/a.bin?slug=one&s3_config_id="+id, bytes.NewReader(content)); a.status/100 != 2 {
				t.Fatalf("upload: %d %s", a.status, a.body)
			}
			var up map[string]any
			key.post("/api/s3/multipart/init", map[string]any{"s3_config_id": id, "filename": "海图.bin", "size": len(content), "slug": "many",
				"part_size": partSize, "part_count": 3}).into(t, &up)
			for n, link := range partLinks(p, up["presigned_urls"]) {
				part := content[(n-1)*partSize : min(n*partSize, len(content))]
				if a := p.visitor().send(http.MethodPut, link, bytes.NewReader(part)); a.status != http.StatusOK {
					t.Fatalf("part %d: %d %s", n, a.status, a.body)
				}
			}
			if a := key.post("/api/s3/multipart/complete", map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"]}); a.status != http.StatusOK {
				t.Fatalf("complete: %d %s", a.status, a.body)
			}
			for _, slug := range []string{"one", "many"} {
				if a := p.visitor().get("/api/file-download/" + slug); a.status != http.StatusOK || !bytes.Equal(a.body, content) {
					t.Errorf("%s: %d, %d bytes", slug, a.status, len(a.body))
				}
				a := p.visitor().send(http.MethodGet, "/api/file-download/"+slug, nil, "Range", "bytes=5242870-5242889")
				if a.status != http.StatusPartialContent || !bytes.Equal(a.body, content[5242870:5242890]) {
					t.Errorf("a range of %s: %d, %d bytes", slug, a.status, len(a.body))
				}
			}
		})
	}
}

// The driver's own words about a host key cross the plugin boundary: nobody could
// enter one else.
func TestTheStorageTestNamesTheHostKeyThatItFound(t *testing.T) {
	options := fileServers["sftp"](t)
	found := options["host_key"]
	delete(options, "host_key")
	admin := start(t, t.TempDir()).admin()
	id := admin.configID(map[string]any{"name": "nas", "driver": "sftp", "options": options})
	a := admin.post("/api/s3-configs/"+id+"/test", nil, "Accept-Language", "en")
	if !bytes.Contains(a.body, []byte("No host key is entered. The server shows "+found)) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestLitmusPassesOnFileServers(t *testing.T) {
	t.Parallel()
	for driver := range fileServers {
		t.Run(driver, func(t *testing.T) {
			s := startDAV(t, davChoice{driver, "sqlite", "direct", 1})
			s.litmus(t, s.key, s.key)
		})
	}
}
