package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/bunstore"
	"pasteport/adapters/datadir"
	"pasteport/ports/portstest"
)

// cutForms are the forms that the program takes, by the path of their call, with
// a value of each kind of field.
var cutForms = map[string]map[string]string{
	"/api/upload":               {"file": "", "slug": "cut", "path": "deep/er", "expires_in": "24"},
	"/api/fs/upload":            {"file": "", "path": "/cut/", "overwrite": "true", "use_multipart": "false"},
	"/api/paste":                {"content": strings.Repeat("cut ", 2000), "slug": "cut", "maxViews": "3"},
	"/":                         {"file": "", "slug": "cut", "expires": "7d", "content": "cut"},
	"/api/sandbox":              {"scripts": "1", "html": strings.Repeat("<p>cut</p>", 2000)},
	"/api/raw/{slug}":           {"password": "cut"},
	"/api/file-download/{slug}": {"password": "cut"},
}

// TestAFormThatIsCutLeavesNothing sends every form of the program, with its
// fields in every order, and cuts the connection at every boundary in it.
func TestAFormThatIsCutLeavesNothing(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(cutForms)), formPaths(t); !slices.Equal(got, want) {
		t.Fatalf("the test knows the forms %v, the program has %v", got, want)
	}
	dir, disk := t.TempDir(), t.TempDir()
	p := start(t, dir, onFile)
	admin := changes{t, p.admin()}
	id := admin.configID(map[string]any{"name": "cut", "driver": "local", "is_public": true, "options": map[string]any{"directory": disk}})
	admin.ok("/api/admin/mounts", map[string]any{"name": "cut", "mount_path": "/cut", "storage_type": "LOCAL", "storage_config_id": id}, nil)
	cuts := 0
	for path, fields := range cutForms {
		for i, order := range permutations(slices.Sorted(maps.Keys(fields))) {
			boundary := []string{"----WebKitFormBoundary0123456789abcdef", "b"}[i%2] // its length is told beforehand, or not
			pieces := formPieces(boundary, order, fields)
			for at := range len(pieces) - 1 {
				cuts++
				cutForm(t, admin.client, path, boundary, pieces, at, cuts)
			}
		}
	}
	t.Logf("%d forms were cut", cuts)
	held := ""
	defer func() {
		if t.Failed() {
			t.Logf("held open: %s", held)
		}
	}()
	portstest.Eventually(t, func() bool { held = heldBelow(t, p, filepath.Join(dir, datadir.Spool), disk); return held == "" })
	p.stop()
	for _, folder := range []string{filepath.Join(dir, datadir.Spool), disk} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("left behind: %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if log := p.log.String(); strings.Contains(log, "panic") {
		t.Errorf("the log tells of a panic: %s", log[strings.Index(log, "panic"):][:500])
	}
	counts, err := bunstore.Inspect(t.Context(), filepath.Join(dir, "pasteport.db"))
	if err != nil || counts["files"] != 0 || counts["pastes"] != 0 {
		t.Errorf("%d records of files and %d of texts are left, %v", counts["files"], counts["pastes"], err)
	}
}

// formPaths are the calls of the program that take a form.
func formPaths(t *testing.T) (paths []string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]struct {
			RequestBody struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal(raw, &api); err != nil {
		t.Fatal(err)
	}
	for path, methods := range api.Paths {
		for _, op := range methods {
			if op.RequestBody.Content["multipart/form-data"] != nil {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func permutations(of []string) (all [][]string) {
	if len(of) <= 1 {
		return [][]string{of}
	}
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]string{first}, rest...))
		}
	}
	return all
}

// formPieces is a form, in pieces that end where it may be cut.
func formPieces(boundary string, order []string, fields map[string]string) (pieces []string) {
	for i, name := range order {
		lineEnd := "\r\n"
		if i == 0 {
			lineEnd = ""
		}
		head, value := fmt.Sprintf("Content-Disposition: form-data; name=%q", name), fields[name]
		if name == "file" {
			head, value = head+`; filename="a.bin"`, strings.Repeat("0123456789", 4000)
		}
		pieces = append(pieces, lineEnd+"--"+boundary[:len(boundary)/2], boundary[len(boundary)/2:]+"\r\n",
			head[:20], head[20:]+"\r\n", "\r\n", value[:len(value)/2], value[len(value)/2:])
	}
	return append(pieces, "\r\n--"+boundary, "--", "\r\n")
}

// cutForm sends the pieces up to the one numbered at, and ends the connection:
// gently, so that an answer can be read, or at once.
func cutForm(t *testing.T, c client, path, boundary string, pieces []string, at, number int) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sent, framing := strings.Join(pieces[:at+1], ""), "Content-Length: "+strconv.Itoa(len(strings.Join(pieces, "")))
	if number%3 == 0 {
		sent, framing = fmt.Sprintf("%x\r\n%s\r\n", len(sent), sent), "Transfer-Encoding: chunked"
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nAuthorization: %s\r\nContent-Type: multipart/form-data; boundary=%s\r\n%s\r\nConnection: close\r\n\r\n%s",
		path, conn.RemoteAddr(), c.p.url, c.auth, boundary, framing, sent)
	if err != nil {
		return // it has refused the form already
	}
	if number%2 == 0 {
		_ = conn.(*net.TCPConn).SetLinger(0)
		return
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	raw, _ := io.ReadAll(conn)
	if line, _, _ := strings.Cut(string(raw), "\r\n"); strings.Contains(line, " "+strconv.Itoa(http.StatusInternalServerError)) {
		t.Errorf("%s cut behind %q: %s", path, sent[max(0, len(sent)-80):], raw)
	}
}

// heldBelow names a file below the folders that the process has open, also one
// that has no name any more.
func heldBelow(t *testing.T, p *program, folders ...string) string {
	t.Helper()
	fds := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	list, err := os.ReadDir(fds)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range list {
		name, err := os.Readlink(filepath.Join(fds, fd.Name()))
		for _, folder := range folders {
			if err == nil && strings.HasPrefix(name, folder+"/") {
				return name
			}
		}
	}
	return ""
}
