package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// as sends a request to a path below /dav with a credential of its own.
func (s *davStand) as(auth, method, path, body string, header ...string) answer {
	s.t.Helper()
	c := client{p: s.program, auth: auth}
	if body == "" {
		return c.send(method, s.url+path, nil, header...)
	}
	return c.send(method, s.url+path, strings.NewReader(body), header...)
}

// raw sends a request line by line and returns its status, for what Go's client
// would not send.
func (s *davStand) raw(line string, header ...string) int {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	lines := append([]string{line + " HTTP/1.1", "Host: x", "Connection: close", "Authorization: " + basicAuth("admin", adminPassword)}, header...)
	_, _ = io.WriteString(conn, strings.Join(append(lines, "", ""), "\r\n")) // the answer may come before the end
	a, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	a.Body.Close()
	return a.StatusCode
}

func TestContract8_1_OneTreeUnderOnePrefix(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	boss := basicAuth("admin", adminPassword)
	for _, path := range []string{"/dav", "/dav/"} {
		if a := s.as(boss, "PROPFIND", path, "", "Depth", "1"); a.status != 207 || !strings.Contains(string(a.body), "<D:href>/dav/dav-test/</D:href>") {
			t.Errorf("PROPFIND %s: %d %s", path, a.status, a.body)
		}
	}
	for _, method := range []string{"POST", "PATCH", "REPORT", "SEARCH", "ACL"} {
		if a := s.as(boss, method, "/dav/dav-test/", ""); a.status != 405 || !strings.Contains(a.header.Get("Allow"), "PROPFIND") {
			t.Errorf("%s: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
	s.want(201, "PUT", "file", "x")
	s.want(201, "MKCOL", "folder", "")
	for line, want := range map[string]int{
		"PROPFIND /dav/dav-test/folder":                         207,
		"PROPFIND /dav/dav-test/folder/":                        207,
		"PROPFIND /dav/dav-test/file/":                          404,
		"GET /dav/dav-test/file/":                               404,
		"GET /dav/dav-test/a%2fb":                               400,
		"GET /dav/dav-test/../x":                                400,
		"GET /dav/dav-test/%2e%2e/x":                            400,
		"GET /dav/dav-test//x":                                  400,
		"GET /dav/dav-test/%00":                                 400,
		"GET /dav/dav-test/a%5cb":                               400,
		"GET /dav/dav-test/" + strings.Repeat("a", 300):         400,
		"GET /dav/dav-test" + strings.Repeat("/aaaaaaaaa", 450): 414,
		"DELETE /dav/dav-test/folder/#part":                     404,
		"OPTIONS *":                                             200,
	} {
		if got := s.raw(line); got != want {
			t.Errorf("%.60s: %d, want %d", line, got, want)
		}
	}
	s.want(207, "PROPFIND", "folder", "", "Depth", "0")
	s.want(201, "PUT", "a+b%20c%25", "plus")
	if a := s.want(207, "PROPFIND", "", "", "Depth", "1"); !strings.Contains(string(a.body), "/dav/dav-test/a%2Bb%20c%25<") {
		t.Errorf("the plus of a name: %s", a.body)
	}
}

func TestContract8_2_Authentication(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	none, _ := s.admin.key("no webdav", 256, "/")
	value := strings.TrimPrefix(none.auth, "ApiKey ")
	s.admin.post("/api/admin/change-password", map[string]any{"currentPassword": adminPassword, "newPassword": "pass:with:colons 9"})
	for name, c := range map[string]struct {
		auth string
		want int
	}{
		"nobody":                    {"", 401},
		"the administrator":         {basicAuth("admin", "pass:with:colons 9"), 207},
		"the old password":          {basicAuth("admin", adminPassword), 401},
		"a wrong password":          {basicAuth("admin", "wrong"), 401},
		"a key twice":               {basicAuth(s.key, s.key), 207},
		"a key and something else":  {basicAuth(s.key, "x"), 401},
		"an ApiKey header":          {"ApiKey " + s.key, 207},
		"a key without WebDAV":      {basicAuth(value, value), 403},
		"such a key as a header":    {"ApiKey " + value, 403},
		"a scheme nobody knows":     {"Digest x", 401},
		"Basic that is not base64":  {"Basic ???", 401},
		"the user name of a broken": {"Basic " + base64.StdEncoding.EncodeToString([]byte("nocolon")), 401},
	} {
		a := s.as(c.auth, "PROPFIND", "/dav/dav-test/", "", "Depth", "0")
		if a.status != c.want {
			t.Errorf("%s: %d, want %d", name, a.status, c.want)
		}
		if challenge := a.header.Values("WWW-Authenticate"); (a.status == 401) != (len(challenge) == 1 && challenge[0] == `Basic realm="WebDAV", charset="UTF-8"`) {
			t.Errorf("%s: challenge %q", name, challenge)
		}
	}
	// One login never opens the door for another request.
	if a := s.as("", "PROPFIND", "/dav/dav-test/", ""); a.status != 401 {
		t.Errorf("without a credential after a login: %d", a.status)
	}
	if a := s.as("", "OPTIONS", "/dav/dav-test/", ""); a.status != 200 {
		t.Errorf("OPTIONS without a credential: %d", a.status)
	}
}

func TestContract8_2_GuessesAreRefusedAfterTen(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_RATE_LIMITS=on")
	last := answer{}
	for i := range 11 {
		last = client{p: p, auth: basicAuth("admin", fmt.Sprint("guess ", i))}.send("PROPFIND", "/dav/", nil)
		if i < 10 && last.status != 401 {
			t.Fatalf("guess %d: %d", i, last.status)
		}
	}
	if last.status != 429 || last.header.Get("Retry-After") == "" {
		t.Errorf("the eleventh guess: %d, Retry-After %q", last.status, last.header.Get("Retry-After"))
	}
	if a := (client{p: p, auth: basicAuth("admin", "more")}).send("OPTIONS", "/dav/", nil); a.status != 200 {
		t.Errorf("OPTIONS: %d", a.status)
	}
}

// Ten guesses are ten guesses, whoever each of them names.
func TestContract8_2_GuessesOfManyNamesAreCountedTogether(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_RATE_LIMITS=on")
	guess := func(i int) answer {
		name, password := fmt.Sprint("somebody ", i), "x"
		switch i % 3 {
		case 1:
			name, password = fmt.Sprint("key-", i), fmt.Sprint("key-", i)
		case 2:
			return client{p: p, auth: fmt.Sprint("ApiKey key-", i)}.send("PROPFIND", "/dav/", nil)
		}
		return client{p: p, auth: basicAuth(name, password)}.send("PROPFIND", "/dav/", nil)
	}
	for i := range 10 {
		if a := guess(i); a.status != 401 {
			t.Fatalf("guess %d: %d", i, a.status)
		}
	}
	for i := 10; i < 13; i++ {
		if a := guess(i); a.status != 429 || a.header.Get("Retry-After") == "" {
			t.Errorf("guess %d: %d, Retry-After %q", i, a.status, a.header.Get("Retry-After"))
		}
	}
	if a := (client{p: p, auth: "ApiKey key-x"}).get("/api/test/api-key"); a.status != 401 {
		t.Errorf("a guess over the API, which has limits of its own: %d", a.status)
	}
}

// Each method by each permission and place, for a key whose base is a folder.
func TestContract8_3_PermissionsAndPaths(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	const read, manage = 65536, 131072
	for _, path := range []string{"base", "base-2", "beside"} {
		s.want(201, "MKCOL", path, "")
		s.want(201, "PUT", path+"/f", "content of "+path)
	}
	lock := []string{"Depth", "0"}
	type row struct {
		method, body string
		header       []string
		bits         int  // needed
		inside       int  // status on a file in the base, with all bits
		destination  bool // has one
	}
	rows := []row{
		{"PROPFIND", "", []string{"Depth", "0"}, read, 207, false},
		{"GET", "", nil, read, 200, false},
		{"HEAD", "", nil, read, 200, false},
		{"PUT", "new", nil, manage, 204, false},
		{"PROPPATCH", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>`, nil, manage, 207, false},
		{"LOCK", exclusiveLock, lock, manage, 200, false},
		{"UNLOCK", "", []string{"Lock-Token", "<urn:uuid:none>"}, manage, 409, false},
		{"COPY", "", nil, read | manage, 201, true},
		{"MKCOL", "", nil, manage, 405, false},
		{"MOVE", "", nil, manage, 201, true},
		{"DELETE", "", nil, manage, 204, false},
	}
	for _, bits := range []int{read, manage, read | manage} {
		made, _ := s.admin.key(fmt.Sprint("bits ", bits), bits, "/dav-test/base")
		value := strings.TrimPrefix(made.auth, "ApiKey ")
		for _, r := range rows {
			for place, inside := range map[string]bool{"base/f": true, "base-2/f": false, "beside/f": false, "": false} {
				if place == "" && r.method == "PROPFIND" {
					continue // the way down is shown, see below
				}
				s.dav("PUT", "base/f", "content of base")
				s.dav("DELETE", "base/copy", "")
				header := r.header
				if r.destination {
					header = append([]string{"Destination", "/dav/dav-test/base/copy"}, header...)
				}
				want := r.inside
				if !inside || bits&r.bits != r.bits {
					want = 403
				}
				a := s.as(basicAuth(value, value), r.method, "/dav/dav-test/"+place, r.body, header...)
				if a.status != want {
					t.Errorf("bits %d: %s %q: %d %s, want %d", bits, r.method, place, a.status, tail(string(a.body), 200), want)
				}
				if token := a.header.Get("Lock-Token"); token != "" {
					s.as(basicAuth(value, value), "UNLOCK", "/dav/dav-test/"+place, "", "Lock-Token", token)
				}
			}
		}
		if bits&manage == 0 {
			continue
		}
		for _, outside := range []string{"/dav/dav-test/beside/stolen", "/dav/dav-test/base-2/stolen", "/dav/dav-test/stolen", "/dav/stolen"} {
			for _, method := range []string{"COPY", "MOVE"} {
				if a := s.as(basicAuth(value, value), method, "/dav/dav-test/base/f", "", "Destination", outside); a.status != 403 {
					t.Errorf("%s to %s: %d", method, outside, a.status)
				}
			}
		}
	}
	for _, path := range []string{"base-2/f", "beside/f"} {
		if a := s.dav("GET", path, ""); string(a.body) != "content of "+strings.TrimSuffix(path, "/f") {
			t.Errorf("%s was changed: %q", path, a.body)
		}
	}
	// Above its base a key sees the one step towards it.
	reader, _ := s.admin.key("reader", read, "/dav-test/base")
	for path, want := range map[string]string{"/dav/": "/dav/dav-test/", "/dav/dav-test/": "/dav/dav-test/base/"} {
		a := s.as(reader.auth, "PROPFIND", path, "", "Depth", "1")
		if a.status != 207 || strings.Count(string(a.body), "<D:response>") != 2 || !strings.Contains(string(a.body), "<D:href>"+want+"</D:href>") {
			t.Errorf("above the base, %s: %d %s", path, a.status, a.body)
		}
	}
}

func TestContract8_4_Options(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	for _, path := range []string{"/dav", "/dav/", "/dav/dav-test/none", "/"} {
		a := s.as("", "OPTIONS", path, "")
		want := map[string]string{"DAV": "1, 2, 3", "MS-Author-Via": "DAV", "Accept-Ranges": "bytes", "Content-Length": "0",
			"Allow": "OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK"}
		for name, value := range want {
			if a.status != 200 || a.header.Get(name) != value {
				t.Errorf("OPTIONS %s: %d, %s %q", path, a.status, name, a.header.Get(name))
			}
		}
	}
	a := s.as("", "OPTIONS", "/dav/x", "", "Origin", "https://other.example", "Access-Control-Request-Method", "PROPFIND")
	if a.status != 204 || a.header.Get("DAV") != "" || !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "PROPFIND") {
		t.Errorf("a preflight: %d %v", a.status, a.header)
	}
}

const propfindHead = `<?xml version="1.0"?><D:propfind xmlns:D="DAV:">`

func TestContract8_5_Propfind(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	s.want(201, "MKCOL", "d", "")
	made := s.want(201, "PUT", "d/%E6%96%87%20a%26b.md", "12345")
	s.want(201, "MKCOL", "d/sub", "")
	all := string(s.want(207, "PROPFIND", "d", "", "Depth", "1").body)
	for _, part := range []string{"<D:href>/dav/dav-test/d/</D:href>", "<D:href>/dav/dav-test/d/%E6%96%87%20a%26b.md</D:href>", "<D:href>/dav/dav-test/d/sub/</D:href>",
		"<D:displayname>文 a&amp;b.md</D:displayname>", "<D:getcontentlength>5</D:getcontentlength>", "<D:getcontenttype>text/markdown</D:getcontenttype>",
		"<D:resourcetype><D:collection/></D:resourcetype>", "<D:exclusive/>", "<D:shared/>"} {
		if !strings.Contains(all, part) {
			t.Errorf("allprop lacks %s:\n%s", part, all)
		}
	}
	if strings.Count(all, "<D:getlastmodified>") != 3 || strings.Count(all, "<D:creationdate>") != 3 || strings.Contains(all, "404") || strings.Contains(all, "quota") {
		t.Errorf("allprop: %s", all)
	}
	got := s.want(200, "GET", "d/%E6%96%87%20a%26b.md", "")
	etag := strings.Trim(got.header.Get("ETag"), `"`)
	if etag == "" || !strings.Contains(all, `<D:getetag>"`+etag+`"</D:getetag>`) || strings.Trim(made.header.Get("ETag"), `"`) != etag {
		t.Errorf("the tag differs: GET %q, PUT %q\n%s", etag, made.header.Get("ETag"), all)
	}
	some := string(s.want(207, "PROPFIND", "d", propfindHead+`<D:prop><D:getcontentlength/><x xmlns="urn:x"/><D:quota-used-bytes/></D:prop></D:propfind>`, "Depth", "0").body)
	if !strings.Contains(some, `<D:getcontentlength/><x xmlns="urn:x"/>`) || !strings.Contains(some, "404 Not Found") || !strings.Contains(some, "<D:quota-used-bytes>") {
		t.Errorf("by name: %s", some)
	}
	names := string(s.want(207, "PROPFIND", "d", propfindHead+`<D:propname/></D:propfind>`, "Depth", "0").body)
	if !strings.Contains(names, "<D:getlastmodified/>") || strings.Contains(names, "GMT") {
		t.Errorf("propname: %s", names)
	}
	for name, c := range map[string]struct {
		path, body, depth string
		want              int
	}{
		"without Depth":         {"d", "", "", 207},
		"infinity":              {"d", "", "infinity", 403},
		"another depth":         {"d", "", "2", 400},
		"missing":               {"none", "", "1", 404},
		"not well-formed":       {"d", propfindHead, "0", 400},
		"an undeclared prefix":  {"d", propfindHead + `<D:prop><x:y/></D:prop></D:propfind>`, "0", 400},
		"a document type":       {"d", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + propfindHead + `<D:allprop/></D:propfind>`, "0", 400},
		"two questions":         {"d", propfindHead + `<D:allprop/><D:propname/></D:propfind>`, "0", 400},
		"something else":        {"d", `<D:lockinfo xmlns:D="DAV:"/>`, "0", 400},
		"a body over 1 MiB":     {"d", propfindHead + strings.Repeat(" ", 1<<20) + `<D:allprop/></D:propfind>`, "0", 413},
		"deep nesting":          {"d", propfindHead + strings.Repeat("<a>", 100) + strings.Repeat("</a>", 100) + `</D:propfind>`, "0", 400},
		"allprop with include":  {"d", propfindHead + `<D:allprop/><D:include><D:quota-used-bytes/></D:include></D:propfind>`, "0", 207},
		"a file, Depth 1":       {"d/%E6%96%87%20a%26b.md", "", "1", 207},
		"a file with a slash":   {"d/%E6%96%87%20a%26b.md/", "", "0", 404},
		"a folder, no slash, 1": {"d/sub", "", "1", 207},
	} {
		var header []string
		if c.depth != "" {
			header = []string{"Depth", c.depth}
		}
		a := s.dav("PROPFIND", c.path, c.body, header...)
		if a.status != c.want {
			t.Errorf("%s: %d %s, want %d", name, a.status, tail(string(a.body), 200), c.want)
		}
		if c.want == 403 && !strings.Contains(string(a.body), "propfind-finite-depth") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	if a := s.dav("PROPFIND", "none", ""); a.status != 404 {
		t.Errorf("PROPFIND made a folder: %d", a.status)
	}
	for _, path := range []string{"/dav/nowhere", "/dav/nowhere/x"} {
		if a := s.as(basicAuth(s.key, s.key), "PROPFIND", path, ""); a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := s.dav("PROPFIND", "d", "", "Accept-Encoding", "gzip"); a.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("not packed: %v", a.header)
	}
}

func TestContract8_6_Get(t *testing.T) {
	s := startDAV(t, davChoice{"s3", "sqlite", "direct", 1})
	s.want(201, "PUT", "f.txt", "0123456789")
	first := s.want(200, "GET", "f.txt", "")
	etag, modified := first.header.Get("ETag"), first.header.Get("Last-Modified")
	for name, want := range map[string]string{"Content-Type": "text/plain; charset=utf-8", "Content-Length": "10", "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		method string
		header []string
		want   int
		body   string
	}{
		"HEAD":                      {"HEAD", nil, 200, ""},
		"If-None-Match":             {"GET", []string{"If-None-Match", `"other", ` + etag}, 304, ""},
		"If-None-Match, weak":       {"GET", []string{"If-None-Match", "W/" + etag}, 304, ""},
		"If-None-Match: *":          {"GET", []string{"If-None-Match", "*"}, 304, ""},
		"If-Modified-Since":         {"GET", []string{"If-Modified-Since", modified}, 304, ""},
		"If-Match":                  {"GET", []string{"If-Match", etag}, 200, "0123456789"},
		"If-Match, another":         {"GET", []string{"If-Match", `"other"`}, 412, ""},
		"If-Unmodified-Since":       {"GET", []string{"If-Unmodified-Since", past}, 412, ""},
		"a range":                   {"GET", []string{"Range", "bytes=2-4"}, 206, "234"},
		"the end":                   {"GET", []string{"Range", "bytes=-3"}, 206, "789"},
		"past the end":              {"GET", []string{"Range", "bytes=10-"}, 416, ""},
		"several ranges":            {"GET", []string{"Range", "bytes=0-1,3-4"}, 200, "0123456789"},
		"If-Range":                  {"GET", []string{"Range", "bytes=2-4", "If-Range", etag}, 206, "234"},
		"If-Range, another":         {"GET", []string{"Range", "bytes=2-4", "If-Range", `"other"`}, 200, "0123456789"},
		"an If header that holds":   {"GET", []string{"If", "([" + etag + "])"}, 200, "0123456789"},
		"an If header that doesn't": {"GET", []string{"If", `(["other"])`}, 412, ""},
	} {
		a := s.dav(c.method, "f.txt", "", c.header...)
		if a.status != c.want || c.body != "" && string(a.body) != c.body {
			t.Errorf("%s: %d %q, want %d %q", name, a.status, a.body, c.want, c.body)
		}
	}
	s.want(404, "GET", "none", "")
	if a := s.want(405, "GET", "", ""); a.header.Get("Allow") == "" {
		t.Error("405 without Allow")
	}
	if a := s.as(basicAuth(s.key, s.key), "GET", "/dav/", ""); a.status != 405 {
		t.Errorf("GET of the root: %d", a.status)
	}

	s.policy("302_redirect")
	get := func(method string, header ...string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.root+"f.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", basicAuth(s.key, s.key))
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode, a.Header.Get("Location"), a.Header.Get("Cache-Control")
	}
	status, location, cache := get("GET", "User-Agent", "rclone/1.60")
	if u, err := url.Parse(location); status != 302 || err != nil || u.Query().Get("X-Amz-Signature") == "" || u.User != nil || !strings.Contains(cache, "no-store") {
		t.Errorf("redirect: %d %q %q", status, location, cache)
	}
	for agent, want := range map[string]int{"Microsoft-WebDAV-MiniRedir/10.0": 200, "WebDAVFS/3.0": 200, "gvfs/1.50": 200, "cadaver/0.24 neon/0.32": 200, "Kodi/20": 302} {
		if status, _, _ := get("GET", "User-Agent", agent); status != want {
			t.Errorf("%s: %d, want %d", agent, status, want)
		}
	}
	for name, c := range map[string]struct {
		method string
		header []string
		want   int
	}{
		"HEAD is answered here":          {"HEAD", nil, 200},
		"conditions come first":          {"GET", []string{"If-None-Match", etag}, 304},
		"and so does a failed condition": {"GET", []string{"If-Match", `"other"`}, 412},
	} {
		if status, _, _ := get(c.method, c.header...); status != c.want {
			t.Errorf("%s: %d, want %d", name, status, c.want)
		}
	}
}

// policy sets how the mount serves downloads.
func (s *davStand) policy(value string) {
	s.t.Helper()
	var list []struct {
		ID        string
		MountPath string `json:"mount_path"`
	}
	s.admin.get("/api/admin/mounts").into(s.t, &list)
	for _, m := range list {
		if m.MountPath == "/dav-test" {
			if a := s.admin.put("/api/admin/mounts/"+m.ID, map[string]any{"webdav_policy": value}); a.status != 200 {
				s.t.Fatalf("set the policy: %d %s", a.status, a.body)
			}
			return
		}
	}
	s.t.Fatal("the mount is missing")
}

func TestContract8_7_Put(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "multipart", 1})
	made := s.want(201, "PUT", "f.bin", "one", "Content-Type", "application/x-own")
	if etag := made.header.Get("ETag"); !strings.HasPrefix(etag, `"`) || made.header.Get("Content-Length") != "0" {
		t.Errorf("ETag %q, Content-Length %q", etag, made.header.Get("Content-Length"))
	}
	again := s.want(204, "PUT", "f.bin", "two", "If-Match", made.header.Get("ETag"))
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	s.want(201, "MKCOL", "d", "")
	for name, c := range map[string]struct {
		path   string
		header []string
		want   int
	}{
		"a changed file":        {"f.bin", []string{"If-Match", made.header.Get("ETag")}, 412},
		"only when there":       {"none.bin", []string{"If-Match", "*"}, 412},
		"only when new":         {"f.bin", []string{"If-None-Match", "*"}, 412},
		"only when untouched":   {"f.bin", []string{"If-Unmodified-Since", past}, 412},
		"an If header, etag":    {"f.bin", []string{"If", "([" + again.header.Get("ETag") + "])"}, 204},
		"an If header, another": {"f.bin", []string{"If", `(["other"])`}, 412},
		"an If header, broken":  {"f.bin", []string{"If", `(["other"`}, 400},
		"a folder":              {"d", nil, 405},
		"with a slash":          {"new/", nil, 405},
		"a missing parent":      {"none/f", nil, 409},
		"below a file":          {"f.bin/x", nil, 409},
		"the mount point":       {"", nil, 403},
		"a part of a file":      {"f.bin", []string{"Content-Range", "bytes 0-2/3"}, 400},
	} {
		if a := s.dav("PUT", c.path, "new", c.header...); a.status != c.want {
			t.Errorf("%s: %d %s, want %d", name, a.status, tail(string(a.body), 200), c.want)
		}
	}
	for path, want := range map[string]int{"/dav/": 403, "/dav/x": 403, "/dav/none/x": 403} {
		if a := s.as(basicAuth(s.key, s.key), "PUT", path, "x"); a.status != want {
			t.Errorf("PUT %s: %d", path, a.status)
		}
	}
	large := strings.Repeat("0123456789abcdef", 1<<20)
	s.want(201, "PUT", "large", large)
	if a := s.want(200, "GET", "large", ""); string(a.body) != large {
		t.Errorf("a large file came back with %d bytes", len(a.body))
	}
	// A refusal comes instead of 100 Continue, and a cut body leaves the old
	// content.
	if got := s.raw("PUT /dav/dav-test/none/f", "Content-Length: 1000000", "Expect: 100-continue"); got != 409 {
		t.Errorf("refused before the body: %d", got)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "PUT /dav/dav-test/f.bin HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 100000\r\n\r\ncut", basicAuth("admin", adminPassword))
	conn.Close()
	if a := s.want(200, "GET", "f.bin", ""); string(a.body) != "new" {
		t.Errorf("after a cut upload: %q", a.body)
	}
	if a := s.admin.put("/api/admin/settings/group/3", map[string]any{"webdav_create_parents": true}); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.want(201, "PUT", "x/y/f", "deep")
	s.want(201, "MKCOL", "p/q/r", "")
	s.want(207, "PROPFIND", "p/q", "", "Depth", "0")
}

func TestContract8_8_Mkcol(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	s.want(201, "PUT", "file", "x")
	for _, c := range []struct {
		path, body string
		want       int
	}{
		{"d", "", 201}, {"d", "", 405}, {"d/", "", 405}, {"file", "", 405}, {"none/d", "", 409}, {"file/d", "", 409}, {"body", "<x/>", 415}, {"", "", 405},
	} {
		if a := s.dav("MKCOL", c.path, c.body); a.status != c.want {
			t.Errorf("MKCOL %q: %d %s, want %d", c.path, a.status, a.body, c.want)
		}
	}
	for path, want := range map[string]int{"/dav/": 405, "/dav/none": 403, "/dav/none/x": 403} {
		if a := s.as(basicAuth(s.key, s.key), "MKCOL", path, ""); a.status != want {
			t.Errorf("MKCOL %s: %d, want %d", path, a.status, want)
		}
	}
	s.want(404, "PROPFIND", "body", "", "Depth", "0")
}

func TestContract8_9_Delete(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	s.want(201, "MKCOL", "d", "")
	s.want(201, "PUT", "d/f", "x")
	s.want(201, "PUT", "g", "x")
	s.want(404, "DELETE", "none", "")
	s.want(404, "DELETE", "g/", "")
	s.want(400, "DELETE", "d", "", "Depth", "0")
	s.want(201, "PUT", "h", "x")
	s.want(400, "DELETE", "h", "", "Depth", "2")
	s.want(204, "DELETE", "h", "", "Depth", "0") // RFC 4918 §9.6.1 speaks of folders alone
	s.want(403, "DELETE", "", "")
	if a := s.as(basicAuth(s.key, s.key), "DELETE", "/dav/", ""); a.status != 403 {
		t.Errorf("DELETE of the root: %d", a.status)
	}
	locked := s.want(200, "LOCK", "d/f", exclusiveLock)
	if a := s.want(423, "DELETE", "d", ""); !strings.Contains(string(a.body), "<D:lock-token-submitted><D:href>/dav/dav-test/d/f</D:href>") {
		t.Errorf("a locked member: %s", a.body)
	}
	s.want(200, "GET", "d/f", "")
	token := locked.header.Get("Lock-Token")
	s.want(204, "DELETE", "d", "", "If", "</dav/dav-test/d/f> ("+token+")")
	s.want(404, "PROPFIND", "d", "", "Depth", "0")
	s.want(201, "MKCOL", "d", "")
	s.want(201, "PUT", "d/f", "the lock went with the file")
	s.want(204, "DELETE", "g", "")
}

func TestContract8_10_CopyAndMove(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	to := func(path string, more ...string) []string {
		return append([]string{"Destination", s.root + path}, more...)
	}
	s.want(201, "PUT", "f", "content")
	s.want(207, "PROPPATCH", "f", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><c xmlns="urn:c">blue</c></D:prop></D:set></D:propertyupdate>`)
	s.want(201, "MKCOL", "d", "")
	s.want(201, "PUT", "d/x", "in d")
	s.want(201, "MKCOL", "full", "")
	s.want(201, "PUT", "full/old", "old")
	for _, c := range []struct {
		method, path string
		header       []string
		want         int
	}{
		{"COPY", "f", nil, 400},
		{"COPY", "f", []string{"Destination", "relative"}, 400},
		{"COPY", "f", []string{"Destination", "/elsewhere/f"}, 502},
		{"COPY", "f", []string{"Destination", "http://other.example/dav/dav-test/by-host"}, 201},
		{"COPY", "f", []string{"Destination", "/dav/dav-test/by-path"}, 201},
		{"COPY", "f", []string{"Destination", "/dav/dav-test/../x"}, 400},
		{"COPY", "f", []string{"Destination", "/dav/dav-test/a%2fb"}, 400},
		{"COPY", "f", to("we%3Fird%20*%3A%22%3C%3E%7C"), 201},
		{"COPY", "f", to("by-path", "Overwrite", "F"), 412},
		{"COPY", "f", to("by-path", "Overwrite", "x"), 400},
		{"COPY", "f", to("by-path"), 204},
		{"COPY", "f", to("f"), 403},
		{"MOVE", "f", to("f"), 403},
		{"COPY", "d", to("d/inside"), 403},
		{"MOVE", "d", to("d/inside"), 403},
		{"COPY", "f", to("none/f"), 409},
		{"MOVE", "f", to("none/f"), 409},
		{"COPY", "none", to("x"), 404},
		{"MOVE", "none", to("x"), 404},
		{"MOVE", "", to("x"), 403},
		{"COPY", "f", to(""), 403},
		{"COPY", "f", []string{"Destination", "/dav/top"}, 403},
		{"COPY", "d", to("shallow", "Depth", "0"), 201},
		{"COPY", "d", to("deep"), 201},
		{"COPY", "d", to("odd", "Depth", "1"), 400},
		{"MOVE", "d", to("odd", "Depth", "0"), 400},
		{"COPY", "d", to("full"), 204},
		{"MOVE", "f", to("moved"), 201},
		{"MOVE", "d", to("d2"), 201},
		{"MOVE", "d2", to("full", "Overwrite", "F"), 412},
		{"MOVE", "d2/", to("full/"), 204},
	} {
		if a := s.dav(c.method, c.path, "", c.header...); a.status != c.want {
			t.Errorf("%s %s %v: %d %s, want %d", c.method, c.path, c.header, a.status, tail(string(a.body), 200), c.want)
		}
	}
	for path, want := range map[string]int{"f": 404, "moved": 200, "d/x": 404, "d2/x": 404, "full/x": 200, "full/old": 404, "shallow/x": 404, "deep/x": 200, "by-host": 200} {
		if a := s.dav("GET", path, ""); a.status != want {
			t.Errorf("afterwards %s: %d, want %d", path, a.status, want)
		}
	}
	for _, path := range []string{"moved", "by-path", "by-host"} {
		if a := s.want(207, "PROPFIND", path, "", "Depth", "0"); !strings.Contains(string(a.body), ">blue</c>") {
			t.Errorf("the property did not come along to %s: %s", path, a.body)
		}
	}
	token := s.want(200, "LOCK", "moved", exclusiveLock).header.Get("Lock-Token")
	s.want(423, "COPY", "by-path", "", to("moved")...)
	s.want(423, "MOVE", "moved", "", to("elsewhere")...)
	s.want(204, "COPY", "by-path", "", to("moved", "If", "<"+s.root+"moved> ("+token+")")...)
	s.want(423, "PUT", "moved", "the lock of the target stayed")
	s.want(204, "UNLOCK", "moved", "", "Lock-Token", token)
}

// Between two storages the server carries the bytes itself.
func TestContract8_10_FromOneStorageToAnother(t *testing.T) {
	s := startDAV(t, davChoice{"s3", "sqlite", "direct", 1})
	disk := func(path string) string { return s.url + "/dav/local/" + path }
	read := func(address string) string {
		return string(s.as(basicAuth(s.key, s.key), "GET", strings.TrimPrefix(address, s.url), "").body)
	}
	large := strings.Repeat("0123456789abcdef", 400_000)
	s.want(201, "MKCOL", "d", "")
	s.want(201, "MKCOL", "d/empty", "")
	s.want(201, "PUT", "d/large", large)
	s.want(201, "PUT", "d/small", "small")
	s.want(207, "PROPPATCH", "d/small", `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><c xmlns="urn:c">blue</c></D:prop></D:set></D:propertyupdate>`)
	s.want(201, "COPY", "d", "", "Destination", disk("copied"))
	if read(disk("copied/large")) != large || read(disk("copied/small")) != "small" {
		t.Error("the copy has other bytes")
	}
	s.want(201, "MOVE", "d/", "", "Destination", disk("moved/"))
	if read(disk("moved/large")) != large {
		t.Error("what was moved has other bytes")
	}
	s.want(404, "PROPFIND", "d", "", "Depth", "0")
	a := s.as(basicAuth(s.key, s.key), "PROPFIND", "/dav/local/moved/", "", "Depth", "1")
	if !strings.Contains(string(a.body), ">blue</c>") || !strings.Contains(string(a.body), "/dav/local/moved/empty/") {
		t.Errorf("what was moved: %s", a.body)
	}
	if a := s.as(basicAuth(s.key, s.key), "MOVE", "/dav/local/moved/small", "", "Destination", s.root+"back"); a.status != 201 {
		t.Errorf("back again: %d %s", a.status, a.body)
	}
	if got := s.want(200, "GET", "back", ""); string(got.body) != "small" {
		t.Errorf("back again: %q", got.body)
	}
}

func TestContract8_11_Locks(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	shared := strings.Replace(exclusiveLock, "exclusive", "shared", 1)
	s.want(201, "PUT", "f", "x")
	s.want(201, "MKCOL", "d", "")
	a := s.want(200, "LOCK", "f", exclusiveLock, "Timeout", "Infinite, Second-100")
	token := a.header.Get("Lock-Token")
	for _, part := range []string{"<D:locktype><D:write/></D:locktype>", "<D:lockscope><D:exclusive/></D:lockscope>", "<D:depth>infinity</D:depth>",
		`<D:owner><href xmlns="DAV:">PC\user</href></D:owner>`, "<D:timeout>Second-7200</D:timeout>", "<D:lockroot><D:href>/dav/dav-test/f</D:href></D:lockroot>"} {
		if !strings.Contains(string(a.body), part) {
			t.Errorf("the lock lacks %s: %s", part, a.body)
		}
	}
	if c := s.want(423, "LOCK", "f", shared); !strings.Contains(string(c.body), "no-conflicting-lock") || c.header.Get("Lock-Token") != "" {
		t.Errorf("a conflict: %s", c.body)
	}
	again := s.want(200, "LOCK", "f", "", "If", "("+token+")", "Timeout", "Second-60")
	if again.header.Get("Lock-Token") != "" || !strings.Contains(string(again.body), "Second-60<") {
		t.Errorf("a refresh: %v %s", again.header, again.body)
	}
	s.want(412, "LOCK", "f", "", "If", "(<urn:uuid:unknown>)")
	s.want(400, "LOCK", "f", "")
	s.want(400, "LOCK", "f", exclusiveLock, "Depth", "1")
	s.want(400, "UNLOCK", "f", "")
	s.want(409, "UNLOCK", "f", "", "Lock-Token", "<urn:uuid:unknown>")
	s.want(409, "UNLOCK", "d", "", "Lock-Token", token)
	other, _ := s.admin.key("other", 65536|131072, "/")
	if c := s.as(other.auth, "UNLOCK", "/dav/dav-test/f", "", "Lock-Token", token); c.status != 403 {
		t.Errorf("somebody else unlocks: %d", c.status)
	}
	if c := s.as(other.auth, "PUT", "/dav/dav-test/f", "stolen", "If", "("+token+")"); c.status != 423 {
		t.Errorf("somebody else uses the token: %d", c.status)
	}
	if c := s.as(basicAuth("admin", adminPassword), "UNLOCK", "/dav/dav-test/f", "", "Lock-Token", token); c.status != 204 {
		t.Errorf("the administrator unlocks: %d", c.status)
	}

	// Locks of folders.
	deep := s.want(200, "LOCK", "d", exclusiveLock).header.Get("Lock-Token")
	s.want(423, "PUT", "d/f", "x")
	s.want(423, "MKCOL", "d/sub", "")
	s.want(201, "PUT", "d/f", "x", "If", "</dav/dav-test/d> ("+deep+")")
	s.want(200, "LOCK", "d/f", "", "If", "("+deep+")")
	if c := s.want(207, "PROPFIND", "d/f", propfindHead+"<D:prop><D:lockdiscovery/></D:prop></D:propfind>", "Depth", "0"); !strings.Contains(string(c.body), strings.Trim(deep, "<>")) {
		t.Errorf("an inherited lock is not shown: %s", c.body)
	}
	s.want(204, "UNLOCK", "d/f", "", "Lock-Token", deep)
	flat := s.want(200, "LOCK", "d", exclusiveLock, "Depth", "0").header.Get("Lock-Token")
	s.want(204, "PUT", "d/f", "a member may be changed")
	s.want(423, "PUT", "d/new", "but none added")
	s.want(423, "DELETE", "d/f", "")
	s.want(204, "UNLOCK", "d", "", "Lock-Token", flat)

	// Shared locks, and names that lead nowhere.
	one := s.want(200, "LOCK", "f", shared).header.Get("Lock-Token")
	two := s.want(200, "LOCK", "f", shared).header.Get("Lock-Token")
	s.want(423, "LOCK", "f", exclusiveLock)
	s.want(423, "PUT", "f", "x")
	s.want(204, "PUT", "f", "x", "If", "("+two+")")
	s.want(204, "UNLOCK", "f", "", "Lock-Token", one)
	s.want(204, "UNLOCK", "f", "", "Lock-Token", two)
	unmapped := s.want(201, "LOCK", "unmapped", exclusiveLock).header.Get("Lock-Token")
	if c := s.want(200, "GET", "unmapped", ""); len(c.body) != 0 {
		t.Errorf("a locked name holds %q", c.body)
	}
	s.want(409, "LOCK", "none/x", exclusiveLock)

	// The API meets the lock too, and it outlives a restart, but not its key.
	reader, _ := s.admin.key("reader", 65536, "/")
	if c := s.as(reader.auth, "LOCK", "/dav/dav-test/f", exclusiveLock); c.status != 403 {
		t.Errorf("LOCK with reading rights: %d", c.status)
	}
	if c := s.admin.delete("/api/fs/batch-remove", map[string]any{"paths": []string{"/dav-test/unmapped"}}); !strings.Contains(string(c.body), "unmapped") || !strings.Contains(string(c.body), "锁") {
		t.Errorf("the API removes what is locked: %d %s", c.status, c.body)
	}
	if c := s.admin.send(http.MethodPut, "/api/fs/upload?path=/dav-test/unmapped", strings.NewReader("x")); c.status != 423 || c.envelope(t).Error != "locked" {
		t.Errorf("the API writes what is locked: %d %s", c.status, c.body)
	}
	s.want(200, "GET", "unmapped", "")
	s.want(204, "UNLOCK", "unmapped", "", "Lock-Token", unmapped)
	s.as(other.auth, "LOCK", "/dav/dav-test/f", exclusiveLock)
	s.want(423, "PUT", "f", "x")
	var keys []struct{ ID, Name string }
	s.admin.get("/api/admin/api-keys").into(t, &keys)
	for _, k := range keys {
		if k.Name == "other" {
			s.admin.delete("/api/admin/api-keys/"+k.ID, nil)
		}
	}
	s.want(204, "PUT", "f", "the key is gone, and its lock")
}

func TestContract8_12_Proppatch(t *testing.T) {
	s := startDAV(t, davChoice{"local", "sqlite", "direct", 1})
	s.want(201, "PUT", "f", "x")
	update := func(inside string) string {
		return `<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:z">` + inside + `</D:propertyupdate>`
	}
	shown := func() string { return string(s.want(207, "PROPFIND", "f", "", "Depth", "0").body) }
	s.want(207, "PROPPATCH", "f", update(`<D:set xml:lang="de"><D:prop><Z:a><Z:in x="1">text &amp; more</Z:in></Z:a><b>plain</b></D:prop></D:set>`))
	for _, part := range []string{`<a xmlns="urn:z" xml:lang="de"><in x="1">text &amp; more</in></a>`, `>plain</b>`} {
		if got := shown(); !strings.Contains(got, part) {
			t.Errorf("lacks %s: %s", part, got)
		}
	}
	mixed := string(s.want(207, "PROPPATCH", "f", update(`<D:set><D:prop><Z:a>new</Z:a><D:getetag>x</D:getetag></D:prop></D:set><D:remove><D:prop><b/></D:prop></D:remove>`)).body)
	for _, part := range []string{"403 Forbidden", "cannot-modify-protected-property", "424 Failed Dependency", "<D:getetag/>"} {
		if !strings.Contains(mixed, part) {
			t.Errorf("lacks %s: %s", part, mixed)
		}
	}
	if got := shown(); strings.Contains(got, ">new<") || !strings.Contains(got, ">plain</b>") {
		t.Errorf("half of a patch took effect: %s", got)
	}
	s.want(207, "PROPPATCH", "f", update(`<D:remove><D:prop><b/><none/></D:prop></D:remove>`))
	if got := shown(); strings.Contains(got, "plain") {
		t.Errorf("not removed: %s", got)
	}
	if got := string(s.want(207, "PROPPATCH", "f", update(`<D:set><D:prop><Z:big>`+strings.Repeat("x", 65<<10)+`</Z:big></D:prop></D:set>`)).body); !strings.Contains(got, "507") {
		t.Errorf("a property over 64 KiB: %s", tail(got, 300))
	}
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, "<Z:p%d>1</Z:p%d>", i, i)
	}
	if got := string(s.want(207, "PROPPATCH", "f", update("<D:set><D:prop>"+many.String()+"</D:prop></D:set>")).body); !strings.Contains(got, "507") {
		t.Errorf("300 properties: %s", tail(got, 300))
	}
	s.want(404, "PROPPATCH", "none", update(`<D:set><D:prop><Z:a/></D:prop></D:set>`))
	s.want(400, "PROPPATCH", "f", update(``))
	s.want(400, "PROPPATCH", "f", "")
	s.want(400, "PROPPATCH", "f", update(`<D:set><D:prop><q:a/></D:prop></D:set>`))
}
