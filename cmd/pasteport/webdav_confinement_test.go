package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// davCalls are the methods that name a path, with the statuses that say that
// the caller was let in. Those that change what they name come last.
var davCalls = []struct {
	name   string
	bits   int
	inside []int
	walks  bool // it may look at folders above the base
	call   func(c client, address string) answer
}{
	{"PROPFIND", webdavRead, []int{207}, true, func(c client, at string) answer { return c.send("PROPFIND", at, nil, "Depth", "0") }},
	{"PROPFIND, deep", webdavRead, []int{207}, true, func(c client, at string) answer { return c.send("PROPFIND", at, nil, "Depth", "1") }},
	{"GET", webdavRead, []int{200}, false, func(c client, at string) answer { return c.send("GET", at, nil) }},
	{"HEAD", webdavRead, []int{200}, false, func(c client, at string) answer { return c.send("HEAD", at, nil) }},
	{"UNLOCK", webdavWrite, []int{409}, false, func(c client, at string) answer { return c.send("UNLOCK", at, nil, "Lock-Token", "<urn:x>") }},
	{"COPY", webdavRead | webdavWrite, []int{201, 204}, false, func(c client, at string) answer {
		return c.send("COPY", at, nil, "Destination", "/dav"+confinedBase+"/taken", "Depth", "0")
	}},
	{"COPY, destination", webdavRead | webdavWrite, []int{201, 204}, false, func(c client, at string) answer {
		return c.send("COPY", "/dav"+confinedBase+"/f.txt", nil, "Destination", at+".copy")
	}},
	{"MOVE, destination", webdavWrite, []int{404}, false, func(c client, at string) answer {
		return c.send("MOVE", "/dav"+confinedBase+"/none", nil, "Destination", at)
	}},
	{"PROPPATCH", webdavWrite, []int{207}, false, func(c client, at string) answer {
		return c.send("PROPPATCH", at, strings.NewReader(`<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>`))
	}},
	{"LOCK", webdavWrite, []int{200}, false, func(c client, at string) answer {
		a := c.send("LOCK", at, strings.NewReader(exclusiveLock), "Depth", "0")
		if token := a.header.Get("Lock-Token"); token != "" {
			c.send("UNLOCK", at, nil, "Lock-Token", token)
		}
		return a
	}},
	{"MKCOL", webdavWrite, []int{201, 405}, false, func(c client, at string) answer { return c.send("MKCOL", at+".d", nil) }},
	{"PUT", webdavWrite, []int{204}, false, func(c client, at string) answer { return c.send(http.MethodPut, at, strings.NewReader("changed")) }},
	{"MOVE", webdavWrite, []int{201, 204}, false, func(c client, at string) answer {
		a := c.send("MOVE", at+".copy", nil, "Destination", "/dav"+confinedBase+"/moved")
		c.send("MOVE", "/dav"+confinedBase+"/moved", nil, "Destination", at+".copy")
		return a
	}},
	{"DELETE", webdavWrite, []int{204, 404}, false, func(c client, at string) answer { return c.send("DELETE", at+".copy", nil) }},
}

// davAddress is the address of a path as a client writes it.
func davAddress(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "/dav" + (&url.URL{Path: path}).EscapedPath()
}

// The table of §2.1 once more, over WebDAV.
func TestContract8_3_KeysStayInsideTheirFolder(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	file := func(folder string) string {
		return filepath.Join(dir, localFolder, strings.TrimPrefix(strings.TrimPrefix(folder, "/local"), "/"), "f.txt")
	}
	for _, folder := range []string{"/local/team", confinedBase, confinedBase + "/deep", "/local/team/b", "/local/team/ab", "/local/team/A"} {
		if err := os.MkdirAll(filepath.Dir(file(folder)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(folder), []byte("content of "+folder), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range davCalls {
		with, _ := admin.key("with "+row.name, row.bits, confinedBase)
		lacking := row.bits
		if row.bits == webdavRead|webdavWrite {
			lacking = webdavWrite
		}
		without, _ := admin.key("without "+row.name, everyBit&^lacking, confinedBase)
		for _, to := range confinedPaths {
			path := to.folder + "/f.txt"
			if row.walks {
				path = to.folder
			}
			at := davAddress(path)
			name := fmt.Sprintf("%s, %s", row.name, to.name)
			got := row.call(with, at)
			ancestor := row.walks && (path == "/local" || path == "/local/team")
			missing := (strings.Contains(path, "%2e") || strings.Contains(path, "/.../"))
			switch {
			case to.unclean:
				if got.status != http.StatusBadRequest {
					t.Errorf("%s: got %d %s, want 400", name, got.status, got.body)
				}
			case ancestor:
				if got.status != http.StatusMultiStatus || strings.Count(string(got.body), "<D:response>") > 2 {
					t.Errorf("%s: got %d %s, want the one step", name, got.status, got.body)
				}
			case to.inside && missing:
				if got.status != http.StatusNotFound && got.status != http.StatusConflict {
					t.Errorf("%s: got %d %s, want 404 or 409", name, got.status, got.body)
				}
			case to.inside:
				if !slices.Contains(row.inside, got.status) {
					t.Errorf("%s: got %d %s, want one of %v", name, got.status, got.body, row.inside)
				}
			case got.status != http.StatusForbidden:
				t.Errorf("%s: got %d %s, want 403", name, got.status, got.body)
			}
			for _, secret := range []string{"content of /local/team/b", "content of /local/team/ab", "/dav/local/team/b", "/dav/local/team/ab"} {
				if !to.inside && row.name != "COPY" && strings.Contains(string(got.body), secret+"<") {
					t.Errorf("%s: the answer tells %q", name, secret)
				}
			}
			if got := row.call(without, at); !to.unclean && got.status != http.StatusForbidden {
				t.Errorf("%s without the bit: got %d %s, want 403", name, got.status, got.body)
			}
			if got := row.call(p.visitor(), at); !to.unclean && got.status != http.StatusUnauthorized {
				t.Errorf("%s signed out: got %d, want 401", name, got.status)
			}
		}
	}
	for _, folder := range []string{"/local/team", "/local/team/b", "/local/team/ab", "/local/team/A"} {
		if data, err := os.ReadFile(file(folder)); err != nil || string(data) != "content of "+folder {
			t.Errorf("%s was changed: %q, %v", folder, data, err)
		}
	}
}
