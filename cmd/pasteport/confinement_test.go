package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Permission bits of spec §6, as the table of contract §2.1 names them.
const (
	mountView   = 256
	mountUpload = 512
	mountCopy   = 1024
	mountRename = 2048
	mountDelete = 4096
	webdavRead  = 65536
	webdavWrite = 131072
	everyBit    = 1 | 2 | mountView | mountUpload | mountCopy | mountRename | mountDelete | webdavRead | webdavWrite
)

// confined is a row of contract §2.1: a call that names a path.
type confined struct {
	name string
	bit  int
	// call sends it for a path; inside the base it must succeed with the bit.
	call func(c client, path string) answer
	// walks is true for listings, which may look at folders above the base and
	// then show the one step towards it.
	walks bool
	// folder is true when the path is to name a folder instead of a file.
	folder bool
	// creates is true when the path need not exist. These rows come last.
	creates bool
	// unknown is true when the call names an upload that nobody began.
	unknown bool
}

// confinedCalls are the calls of the explorer and of WebDAV. Whoever adds a call
// adds its row.
var confinedCalls = []confined{
	{name: "GET list", bit: mountView, walks: true, folder: true,
		call: func(c client, path string) answer { return c.get("/api/fs/list?path=" + url.QueryEscape(path)) }},
	{name: "GET list, refreshed", bit: mountView, walks: true, folder: true,
		call: func(c client, path string) answer {
			return c.get("/api/fs/list?refresh=true&limit=10&sort=size&path=" + url.QueryEscape(path))
		}},
	{name: "GET get", bit: mountView,
		call: func(c client, path string) answer { return c.get("/api/fs/get?path=" + url.QueryEscape(path)) }},
	{name: "GET get, a folder", bit: mountView, folder: true,
		call: func(c client, path string) answer { return c.get("/api/fs/get?path=" + url.QueryEscape(path+"/")) }},
	{name: "GET download", bit: mountView,
		call: func(c client, path string) answer { return c.get(fsURL("download", path)) }},
	{name: "GET thumbnail", bit: mountView, call: func(c client, path string) answer {
		a := c.get(fsURL("thumbnail", path))
		if a.status == http.StatusUnsupportedMediaType { // it was let in; a text has no small picture
			a.status = http.StatusOK
		}
		return a
	}},
	{name: "GET file-link", bit: mountView,
		call: func(c client, path string) answer { return c.get(fsURL("file-link", path)) }},
	{name: "GET search in a folder", bit: mountView, folder: true, creates: true, // nothing is found where nothing is
		call: func(c client, path string) answer {
			return c.get("/api/fs/search?q=name-of&scope=directory&path=" + url.QueryEscape(path))
		}},
	{name: "GET shares", bit: mountView, folder: true, creates: true, // nothing is shared where nothing is
		call: func(c client, path string) answer { return c.get(fsURL("shares", path)) }},
	{name: "GET size", bit: mountView,
		call: func(c client, path string) answer { return c.get(fsURL("size", path)) }},
	{name: "GET size, a folder", bit: mountView, folder: true,
		call: func(c client, path string) answer { return c.get(fsURL("size", path+"/")) }},
	{name: "POST archive", bit: mountView, call: client.archived},
	{name: "POST archive, a folder", bit: mountView, folder: true, call: client.archived},
	{name: "POST presign/commit", bit: mountUpload, call: func(c client, path string) answer {
		return c.raw("/api/fs/presign/commit", `{"mountId":"`+c.localMount()+`","targetPath":`, path)
	}},
	{name: "POST multipart/complete", bit: mountUpload, unknown: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/complete", `{"uploadId":"u","fileName":"f.txt","parts":[{"partNumber":1,"etag":"x"}],"path":`, path)
	}},
	{name: "POST multipart/list-parts", bit: mountUpload, unknown: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/list-parts", `{"uploadId":"u","fileName":"f.txt","path":`, path)
	}},
	{name: "POST multipart/refresh-urls", bit: mountUpload, unknown: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/refresh-urls", `{"uploadId":"u","partNumbers":[1],"path":`, path)
	}},
	{name: "POST create-share", bit: mountView, call: func(c client, path string) answer {
		return c.raw("/api/fs/create-share", `{"path":`, path)
	}},
	{name: "POST rename", bit: mountRename, call: func(c client, path string) answer { // onto itself
		return c.around(http.MethodPost, "/api/fs/rename", `{"oldPath":`, path, `,"newPath":`+quoted(path)+`}`)
	}},
	{name: "POST rename, target", bit: mountRename, unknown: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/rename", `{"oldPath":"/local/team/a/none","newPath":`, path)
	}},
	{name: "GET revisions", bit: mountView | mountUpload, call: func(c client, path string) answer { return c.get(fsURL("revisions", path)) }},
	{name: "GET a revision", bit: mountView | mountUpload, call: func(c client, path string) answer {
		a := c.get(fsURL("revisions/1", path))
		if a.status == http.StatusNotFound && strings.Contains(string(a.body), "版本") { // it was let in; nothing is kept yet
			a.status = http.StatusOK
		}
		return a
	}},
	{name: "PUT revisions", bit: mountView | mountUpload, call: func(c client, path string) answer {
		return c.around(http.MethodPut, "/api/fs/revisions", `{"keep":true,"path":`, path, "}")
	}},
	{name: "POST multipart/abort", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/abort", `{"uploadId":"u","fileName":"f.txt","path":`, path)
	}},
	{name: "POST multipart/list-uploads", bit: mountUpload, creates: true, folder: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/list-uploads", `{"path":`, path)
	}},
	{name: "POST multipart/init", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/multipart/init", `{"fileName":"f.txt","fileSize":1,"path":`, path)
	}},
	{name: "POST presign", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/presign", `{"fileName":"f.txt","path":`, path)
	}},
	{name: "POST update", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/update", `{"content":"changed","path":`, path)
	}},
	{name: "PUT upload", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		return c.send(http.MethodPut, fsURL("upload", path), strings.NewReader("changed"))
	}},
	{name: "POST upload", bit: mountUpload, creates: true, call: func(c client, path string) answer {
		form := "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n" + path + "\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n\r\nchanged\r\n--b--\r\n"
		return c.send(http.MethodPost, "/api/fs/upload", strings.NewReader(form), "Content-Type", "multipart/form-data; boundary=b")
	}},
	{name: "POST mkdir", bit: mountUpload, creates: true, folder: true, call: func(c client, path string) answer {
		return c.raw("/api/fs/mkdir", `{"path":`, path)
	}},
	{name: "DELETE batch-remove", bit: mountDelete, creates: true, call: func(c client, path string) answer { // of what is missing
		return c.around(http.MethodDelete, "/api/fs/batch-remove", `{"paths":["/local/team/a/none",`, path+".none", `]}`)
	}},
	{name: "POST move", bit: mountRename, creates: true, call: func(c client, path string) answer { // onto itself
		return c.around(http.MethodPost, "/api/fs/move", `{"items":[{"sourcePath":`, path, `,"targetPath":`+quoted(path)+`}]}`)
	}},
	{name: "POST move, target", bit: mountRename, creates: true, call: func(c client, path string) answer {
		return c.around(http.MethodPost, "/api/fs/move", `{"items":[{"sourcePath":"/local/team/a/none","targetPath":`, path, `}]}`)
	}},
	{name: "POST batch-copy", bit: mountCopy, creates: true, call: func(c client, path string) answer {
		return c.around(http.MethodPost, "/api/fs/batch-copy", `{"items":[{"targetPath":"/local/team/a/copy","sourcePath":`, path, `}]}`)
	}},
	{name: "POST batch-copy, target", bit: mountCopy, creates: true, call: func(c client, path string) answer {
		return c.around(http.MethodPost, "/api/fs/batch-copy", `{"items":[{"sourcePath":"/local/team/a/f.txt","targetPath":`, path+".copy", `}]}`)
	}},
	{name: "POST batch-copy-commit", bit: mountCopy, creates: true, call: func(c client, path string) answer {
		return c.around(http.MethodPost, "/api/fs/batch-copy-commit", `{"targetMountId":"`+c.localMount()+`","files":[{"s3Path":"x","targetPath":`, path, `}]}`)
	}},
}

// archived asks for an archive of a path and fetches it by its link.
func (c client) archived(path string) answer {
	c.p.t.Helper()
	a := c.around(http.MethodPost, "/api/fs/archive", `{"paths":[`, path, `]}`)
	if a.status != http.StatusOK {
		return a
	}
	var link struct{ Ticket string }
	a.into(c.p.t, &link)
	return c.p.visitor().get("/api/fs/archive/" + link.Ticket)
}

// raw posts a body that ends in a path, byte for byte.
func (c client) raw(target, front, path string) answer {
	c.p.t.Helper()
	return c.around(http.MethodPost, target, front, path, "}")
}

// around sends a body with a path in it, byte for byte.
func (c client) around(method, target, front, path, back string) answer {
	c.p.t.Helper()
	return c.send(method, target, strings.NewReader(front+quoted(path)+back), "Content-Type", "application/json")
}

// quoted is a path as JSON, whatever bytes it has.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\x00", `\u0000`, "\n", `\n`).Replace(path) + `"`
}

// localMount is the id of the mount of the table.
func (c client) localMount() string {
	c.p.t.Helper()
	a := c.get("/api/user/mounts")
	if a.status != http.StatusOK {
		return "unknown"
	}
	var list []struct {
		ID   string
		Path string `json:"mount_path"`
	}
	a.into(c.p.t, &list)
	for _, m := range list {
		if m.Path == "/local" {
			return m.ID
		}
	}
	return "unknown"
}

// confinedBase is the folder of the keys in the table.
const confinedBase = "/local/team/a"

// confinedPaths are the ways to try to leave it. Every folder that exists holds
// a file "f.txt" whose content, and a sibling whose name, tells of a leak.
var confinedPaths = []struct {
	name, folder string
	inside       bool
	unclean      bool // refused whoever asks
}{
	{"the base", confinedBase, true, false},
	{"below the base", confinedBase + "/deep", true, false},
	{"without a slash in front", strings.TrimPrefix(confinedBase, "/") + "/deep", true, false},
	{"above the base", "/local/team", false, false},
	{"the mount", "/local", false, false},
	{"beside the base", "/local/team/b", false, false},
	{"a sibling with the base as prefix", "/local/team/ab", false, false},
	{"another mount", "/elsewhere", false, false},
	{"another case", "/local/team/A", false, false},
	{"a trailing dot", confinedBase + ".", false, false},
	{"a trailing space", confinedBase + " ", false, false},
	{"dots and a trailing dot", confinedBase + "/.../b", true, false}, // "..." is a name, too
	{"dots out of the base", confinedBase + "/../b", false, true},
	{"dots and back again", confinedBase + "/../a", false, true},
	{"dots at the front", "/../local/team/b", false, true},
	{"dots from below", confinedBase + "/deep/../../b", false, true},
	{"a dot", confinedBase + "/./deep", false, true},
	{"two slashes", confinedBase + "//deep", false, true},
	{"two slashes at the front", "//local/team/b", false, true},
	{"backslashes", confinedBase + `\..\b`, false, true},
	{"a NUL", confinedBase + "/deep\x00", false, true},
	{"a line break", confinedBase + "/deep\n", false, true},
	{"invalid UTF-8", confinedBase + "/\xc0\xae\xc0\xae/b", false, true},
	{"encoded dots", confinedBase + "/%2e%2e/b", true, false}, // a name like any other, which does not exist
	{"a fullwidth letter", "/local/team/ａ", false, false},
	{"a combining mark", "/local/team/a\u0301", false, false},
	{"a zero width joiner", "/local/team/a\u200d", false, false},
	{"fullwidth dots", "/local/team/a．．/b", false, false},
	{"a division slash", "/local/team/a\u2215..\u2215b", false, false},
}

func TestContract2_1_KeysStayInsideTheirFolder(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	write := func(folder string) {
		t.Helper()
		at := filepath.Join(dir, localFolder, strings.TrimPrefix(strings.TrimPrefix(folder, "/local"), "/"))
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"f.txt", "name-of-" + filepath.Base(folder) + ".txt"} {
			if err := os.WriteFile(filepath.Join(at, name), []byte("content of "+folder), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	secrets := []string{"name-of-b.txt", "name-of-ab.txt", "name-of-team.txt", "name-of-A.txt", "content of /local/team/b", "content of /local/team/ab"}
	for _, folder := range []string{"/local/team", confinedBase, confinedBase + "/deep", "/local/team/b", "/local/team/ab", "/local/team/A"} {
		write(folder)
	}
	for _, row := range confinedCalls {
		with, _ := admin.key("with "+row.name, row.bit, confinedBase)
		without, _ := admin.key("without "+row.name, everyBit&^row.bit, confinedBase)
		for _, to := range confinedPaths {
			path := to.folder
			if !row.folder {
				path += "/f.txt"
			}
			name := fmt.Sprintf("%s, %s", row.name, to.name)
			got := row.call(with, path)
			ancestor := row.walks && (path == "/local" || path == "/local/team")
			missing := row.unknown || !row.creates && (strings.Contains(path, "%2e") || strings.Contains(path, "/.../"))
			switch {
			case to.unclean && got.status != http.StatusBadRequest:
				t.Errorf("%s: got %d %s, want 400", name, got.status, got.body)
			case ancestor && (got.status != http.StatusOK || strings.Count(string(got.body), `"name":`) != 1):
				t.Errorf("%s: got %d %s, want the one step", name, got.status, got.body)
			case to.inside && missing && got.status != http.StatusNotFound:
				t.Errorf("%s: got %d %s, want 404", name, got.status, got.body)
			case to.inside && !missing && got.status/100 != 2:
				t.Errorf("%s: got %d %s, want a success", name, got.status, got.body)
			case !to.inside && !to.unclean && !ancestor && got.status != http.StatusForbidden:
				t.Errorf("%s: got %d %s, want 403", name, got.status, got.body)
			}
			if !to.inside {
				for _, secret := range secrets {
					if strings.Contains(string(got.body), secret) {
						t.Errorf("%s: the answer tells %q", name, secret)
					}
				}
			}
			if got := row.call(without, path); !to.unclean && got.status != http.StatusForbidden {
				t.Errorf("%s without the bit: got %d %s, want 403", name, got.status, got.body)
			}
			if got := row.call(p.visitor(), path); !to.unclean && got.status != http.StatusUnauthorized {
				t.Errorf("%s signed out: got %d %s, want 401", name, got.status, got.body)
			}
		}
	}
	for _, folder := range []string{"/local/team", "/local/team/b", "/local/team/ab", "/local/team/A"} {
		at := filepath.Join(dir, localFolder, strings.TrimPrefix(folder, "/local/"))
		if data, err := os.ReadFile(filepath.Join(at, "f.txt")); err != nil || string(data) != "content of "+folder {
			t.Errorf("%s was changed: %q, %v", folder, data, err)
		}
	}
}
