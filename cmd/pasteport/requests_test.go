package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/adapters/process"
)

// sender is somebody with the link of a request.
type sender struct {
	client
	link  string // path of the calls on the request
	visit string
}

// request makes a request for files and returns its record.
func (c client) request(fields map[string]any) map[string]any {
	c.p.t.Helper()
	all := map[string]any{"title": "Files, please"}
	for name, value := range fields {
		all[name] = value
	}
	a := c.post("/api/requests", all)
	if a.status != http.StatusOK {
		c.p.t.Fatalf("make a request: %d %s", a.status, a.body)
	}
	var data map[string]any
	a.into(c.p.t, &data)
	return data
}

// comes begins a visit at a request.
func (p *program) comes(request map[string]any, password string) *sender {
	p.t.Helper()
	_, slug, _ := strings.Cut(request["url"].(string), "/r/")
	s := &sender{client: p.visitor(), link: "/api/public/requests/" + slug}
	a := s.post(s.link+"/visits", map[string]any{"password": password})
	if a.status != http.StatusOK {
		p.t.Fatalf("begin a visit: %d %s", a.status, a.body)
	}
	var form struct{ Visit string }
	a.into(p.t, &form)
	s.visit = form.Visit
	return s
}

func (s *sender) call(method, path string, body any) answer {
	s.p.t.Helper()
	return s.json(method, s.link+path, body, "X-Request-Visit", s.visit)
}

func (s *sender) announce(name string, size int) answer {
	s.p.t.Helper()
	return s.call(http.MethodPost, "/files", map[string]any{"name": name, "size": size, "sender": "Ann", "note": "as promised"})
}

// sends sends a small file whole and returns the last answer.
func (s *sender) sends(name, content string) answer {
	s.p.t.Helper()
	a := s.announce(name, len(content))
	if a.status != http.StatusOK {
		return a
	}
	var begun struct{ ID string }
	a.into(s.p.t, &begun)
	return s.send(http.MethodPut, s.link+"/files/"+begun.ID+"/content", strings.NewReader(content), "X-Request-Visit", s.visit)
}

const pngHead = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func TestAStrangerSendsFilesIntoAFolder(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	r := admin.request(map[string]any{"folder": "/local/inbox", "ask_name": "required", "ask_note": "optional"})
	s := p.comes(r, "")
	for _, content := range []string{"one", "two", ""} {
		if a := s.sends("报告.txt", content); a.status != http.StatusOK {
			t.Fatalf("send: %d %s", a.status, a.body)
		}
	}
	for name, want := range map[string]string{"报告.txt": "one", "报告(1).txt": "two", "报告(2).txt": ""} {
		if got, err := os.ReadFile(filepath.Join(dir, "files", "inbox", name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	var form struct {
		Files []struct{ Name, State string }
	}
	s.call(http.MethodGet, "", nil).into(t, &form)
	if len(form.Files) != 3 || form.Files[0].State != "stored" {
		t.Errorf("the sender sees %+v of the visit", form.Files)
	}
	p.comes(r, "").call(http.MethodGet, "", nil).into(t, &form)
	if len(form.Files) != 0 {
		t.Errorf("another sender sees %+v", form.Files)
	}
	var received struct {
		Files []struct{ Name, Place, Sender, Note, Type string }
	}
	admin.get("/api/requests/"+r["id"].(string)+"/files").into(t, &received)
	if len(received.Files) != 3 || received.Files[2].Place != "/local/inbox/报告.txt" || received.Files[2].Sender != "Ann" || received.Files[2].Note != "as promised" || received.Files[2].Type != "text/plain" {
		t.Errorf("the owner sees %+v", received.Files)
	}
	if a := s.call(http.MethodPost, "/files", map[string]any{"name": "x", "size": 1}); a.status != http.StatusBadRequest {
		t.Errorf("without a name that is required: %d %s", a.status, a.body)
	}
}

func TestNoNameLeadsOutOfTheFolderOfARequest(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	for name, r := range map[string]map[string]any{"a folder": admin.request(map[string]any{"folder": "/local/inbox"}), "shares": admin.request(nil)} {
		s := p.comes(r, "")
		for _, file := range []string{"", ".", "..", "../x", "..\\x", "a/b", "/etc/x", "a\\b", "a\x00b", "a\nb", "a\x7fb", "a\u0085b", "．．", "‥", "…", "․․", "a／b", "a＼b", "a\u2215b",
			"exe.\u202etxt", "\u2066x", strings.Repeat("长", 90), " "} {
			if a := s.announce(file, 1); a.status != http.StatusBadRequest {
				t.Errorf("into %s: %q: %d %s", name, file, a.status, a.body)
			}
		}
		for _, file := range []string{"..a", "a..b", "%2e%2e%2fx", "é.txt", "e\u0301.txt", "Wait… what.txt", ".profile"} {
			if a := s.sends(file, "x"); a.status != http.StatusOK {
				t.Errorf("into %s: %q: %d %s", name, file, a.status, a.body)
			}
		}
	}
	outside, err := filepath.Glob(filepath.Join(dir, "files", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range outside {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && !strings.Contains(filepath.Base(path), "-") {
			t.Errorf("beside the folder: %s", path) // shares have a suffix
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "files", "inbox", "é(1).txt")); err == nil {
		return
	}
	if _, err := os.Stat(filepath.Join(dir, "files", "inbox", "e\u0301(1).txt")); err != nil {
		t.Error("one name in two Unicode forms was kept twice")
	}
}

// TestNoLinkLeadsOutOfTheFolderOfARequest: what somebody sends lies in the folder
// itself, whatever links of the file system are in its place or inside it.
func TestNoLinkLeadsOutOfTheFolderOfARequest(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	for _, folder := range []string{"/local/team", "/local/team/inbox", "/local/beside"} {
		admin.post("/api/fs/mkdir", map[string]any{"path": folder})
	}
	key, _ := admin.key("uploads", mountUpload, "/local/team")
	inbox := filepath.Join(dir, localFolder, "team", "inbox")
	goals := map[string]string{"file": filepath.Join(outside, "kept.txt"), "beside": filepath.Join(dir, localFolder, "beside", "kept.txt")}
	for name, goal := range goals {
		if err := os.WriteFile(goal, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(goal, filepath.Join(inbox, name+".txt")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(filepath.Dir(goal), "new.txt"), filepath.Join(inbox, name+"-new.txt")); err != nil {
			t.Fatal(err)
		}
	}
	s := p.comes(key.request(map[string]any{"folder": "/local/team/inbox"}), "")
	sent, taken := 0, 0
	send := func() {
		t.Helper()
		for _, name := range []string{"file.txt", "beside.txt", "file-new.txt", "beside-new.txt", "plain.txt"} {
			for _, a := range []answer{s.sends(name, "sent"), s.inParts("large-"+name, pattern(1, 6<<20), nil)} {
				if sent++; a.status == http.StatusOK {
					taken++
				} else if a.status >= http.StatusInternalServerError {
					t.Errorf("%s: %d %s", name, a.status, a.body)
				}
			}
		}
	}
	unchanged := func(when string) {
		t.Helper()
		for _, goal := range goals {
			if got, err := os.ReadFile(goal); err != nil || string(got) != "kept" {
				t.Errorf("%s: %s holds %q, %v", when, goal, got, err)
			}
			if entries, err := os.ReadDir(filepath.Dir(goal)); err != nil || len(entries) != 1 {
				t.Errorf("%s: %v lie there, %v", when, entries, err)
			}
		}
	}
	send()
	unchanged("links inside")
	if got, err := os.ReadFile(filepath.Join(inbox, "plain.txt")); err != nil || string(got) != "sent" {
		t.Errorf("a name that is no link: %q, %v; %d of %d were taken", got, err, taken, sent)
	}
	for _, goal := range goals {
		if err := os.RemoveAll(inbox); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Dir(goal), inbox); err != nil {
			t.Fatal(err)
		}
		send()
		unchanged("a link in place of the folder")
	}
}

func TestExactlyTheLimitPassesOf100Senders(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	const limit = 7
	for name, fields := range map[string]map[string]any{"count": {"max_files": limit}, "bytes": {"max_bytes": limit * 5}} {
		fields["folder"] = "/local/inbox"
		r := admin.request(fields)
		var passed atomic.Int64
		var all sync.WaitGroup
		for range 100 {
			s := p.comes(r, "")
			s.comesBack = true
			all.Go(func() {
				switch a := s.sends("same.txt", "hello"); a.status {
				case http.StatusOK:
					passed.Add(1)
				case http.StatusForbidden:
					if e := a.envelope(t); e.Error != "request_full" {
						t.Errorf("%s: %s", name, a.body)
					}
				default:
					t.Errorf("%s: %d %s", name, a.status, a.body)
				}
			})
		}
		all.Wait()
		if got := passed.Load(); got != limit {
			t.Errorf("by %s %d of 100 passed, want %d", name, got, limit)
		}
	}
	var listed struct{ Items []struct{ Name string } }
	admin.get("/api/fs/list?path=/local/inbox").into(t, &listed)
	if len(listed.Items) != 2*limit {
		t.Errorf("the folder has %d files, want %d: none is written over", len(listed.Items), 2*limit)
	}
}

func TestATypeIsJudgedByContentAndWhatIsRefusedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	for name, fields := range map[string]map[string]any{"a folder": {"folder": "/local/inbox"}, "shares": {}} {
		fields["types"], fields["max_files"] = []string{"image/*", "application/pdf"}, 3
		r := admin.request(fields)
		s := p.comes(r, "")
		for range 4 { // what is refused gives its place back
			if a := s.sends("photo.png", "#!/bin/sh\nrm -rf /\n"); a.status != http.StatusUnsupportedMediaType || a.envelope(t).Error != "request_type" {
				t.Errorf("into %s, a script that is called a picture: %d %s", name, a.status, a.body)
			}
		}
		if a := s.sends("notes.txt", pngHead); a.status != http.StatusOK {
			t.Errorf("into %s, a picture that is called a text: %d %s", name, a.status, a.body)
		}
		if a := s.inParts("big.png", pattern(3, 6<<20), nil); a.status != http.StatusUnsupportedMediaType {
			t.Errorf("into %s, noise in parts: %d %s", name, a.status, a.body)
		}
		if a := s.inParts("big.bin", append([]byte(pngHead), pattern(3, 6<<20)...), nil); a.status != http.StatusOK {
			t.Errorf("into %s, a picture in parts: %d %s", name, a.status, a.body)
		}
		var now struct{ Files int }
		admin.get("/api/requests/"+r["id"].(string)).into(t, &now)
		if now.Files != 2 {
			t.Errorf("into %s: %d files count, want 2", name, now.Files)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "files", "*", "*.png"))
	more, err2 := filepath.Glob(filepath.Join(dir, "files", "*.png"))
	if err != nil || err2 != nil || len(left)+len(more) != 0 {
		t.Errorf("what was refused lies at %v %v", left, more)
	}
}

// inParts sends a file in parts; cut is asked before each part and may break it.
func (s *sender) inParts(name string, content []byte, cut func(number int, link string) bool) answer {
	s.p.t.Helper()
	return s.partsOf(name, len(content), func(_, from, to int) []byte { return content[from:to] }, cut)
}

// partsOf is inParts for a file of so many bytes whose pieces are made when they are
// sent.
func (s *sender) partsOf(name string, size int, content func(number, from, to int) []byte, cut func(number int, link string) bool) answer {
	s.p.t.Helper()
	a := s.announce(name, size)
	if a.status != http.StatusOK {
		return a
	}
	var begun struct {
		ID       string
		PartSize int `json:"part_size"`
	}
	a.into(s.p.t, &begun)
	for {
		var state map[string]any
		if a = s.call(http.MethodGet, "/files/"+begun.ID, nil); a.status != http.StatusOK {
			return a
		}
		a.into(s.p.t, &state)
		links := partLinks(s.p, state["links"])
		if len(links) == 0 {
			return s.call(http.MethodPost, "/files/"+begun.ID+"/complete", map[string]any{})
		}
		for n, link := range links {
			if cut != nil && cut(n, link) {
				continue
			}
			piece := content(n, (n-1)*begun.PartSize, min(n*begun.PartSize, size))
			if a := s.p.visitor().send(http.MethodPut, link, bytes.NewReader(piece)); a.status != http.StatusOK {
				s.p.t.Fatalf("part %d: %d %s", n, a.status, a.body)
			}
		}
	}
}

func TestARequestedFileGoesOnAfterItsLineWasCut(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	content := pattern(5, 16<<20)
	for name, r := range map[string]map[string]any{"a folder": admin.request(map[string]any{"folder": "/local/inbox"}), "shares": admin.request(nil)} {
		s, cuts := p.comes(r, ""), 0
		a := s.inParts("film.bin", content, func(n int, link string) bool {
			if cuts++; n != 2 || cuts > 8 {
				return false
			}
			c := p.dial()
			fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nhalf of it", link, 5<<20)
			c.Close()
			return true
		})
		if a.status != http.StatusOK {
			t.Fatalf("into %s: %d %s", name, a.status, a.body)
		}
		var stored struct{ ID, Name string }
		a.into(t, &stored)
		if again := s.call(http.MethodPost, "/files/"+stored.ID+"/complete", map[string]any{}); again.status != http.StatusOK {
			t.Errorf("into %s, completed again: %d %s", name, again.status, again.body)
		}
		other := p.comes(r, "")
		for _, call := range [][2]string{{"GET", ""}, {"POST", "/complete"}, {"DELETE", ""}} {
			if got := other.call(call[0], "/files/"+stored.ID+call[1], map[string]any{}).status; got != http.StatusNotFound {
				t.Errorf("into %s, %s %s by another sender: %d", name, call[0], call[1], got)
			}
		}
		var received struct{ Files []struct{ Place string } }
		admin.get("/api/requests/"+r["id"].(string)+"/files").into(t, &received)
		path := "/dav" + received.Files[0].Place
		if name == "shares" {
			var share struct{ Slug string }
			admin.get("/api/files/"+received.Files[0].Place).into(t, &share)
			path = "/api/file-download/" + share.Slug
		}
		if a := admin.get(path); !bytes.Equal(a.body, content) {
			t.Errorf("into %s: %d, %d bytes came, want %d", name, a.status, len(a.body), len(content))
		}
	}
	// In one piece: what was cut may be sent again under its announcement.
	s := p.comes(admin.request(map[string]any{"folder": "/local/inbox", "max_files": 1}), "")
	var begun struct{ ID string }
	s.announce("small.bin", 1<<20).into(t, &begun)
	target := s.link + "/files/" + begun.ID + "/content"
	c := p.dial()
	fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nX-Request-Visit: %s\r\nContent-Length: %d\r\n\r\n%s", target, s.visit, 1<<20, strings.Repeat("x", 9000))
	c.Close()
	s.comesBack = true
	portsent := func() int {
		return s.send(http.MethodPut, target, bytes.NewReader(content[:1<<20]), "X-Request-Visit", s.visit).status
	}
	got := portsent()
	for got == http.StatusConflict { // the server has not yet noticed that the line was cut
		got = portsent()
	}
	if got != http.StatusOK {
		t.Errorf("sent again: %d", got)
	}
	if got := portsent(); got != http.StatusOK {
		t.Errorf("sent a third time: %d", got)
	}
}

func TestAKeyMakesRequestsWithinItsFolderOnly(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	for _, folder := range []string{"/local/a", "/local/a/deep", "/local/ab"} {
		admin.post("/api/fs/mkdir", map[string]any{"path": folder})
	}
	uploads, id := admin.key("uploads", 512, "/local/a")
	other, _ := admin.key("other", 512, "/local/a")
	files, _ := admin.key("files", 2, "/")
	reader, _ := admin.key("reader", 256, "/")
	for _, c := range []struct {
		who    client
		folder string
		want   int
	}{
		{uploads, "/local/a", 200}, {uploads, "/local/a/deep", 200}, {uploads, "/local/ab", 403}, {uploads, "/local", 403}, {uploads, "/", 403}, {uploads, "", 403},
		{uploads, "/local/a/../ab", 400}, {uploads, "/local/a/../ab/", 400}, {uploads, "local/a", 400}, {uploads, "/local/a/", 200}, {uploads, "/local/a/missing", 404}, {uploads, "/local/a／..／ab", 403},
		{files, "", 200}, {files, "/local/a", 403}, {reader, "", 403}, {reader, "/local/a", 403}, {admin, "/", 403}, {admin, "/nowhere", 404}, {p.visitor(), "", 401},
	} {
		if a := c.who.post("/api/requests", map[string]any{"title": "x", "folder": c.folder}); a.status != c.want {
			t.Errorf("into %q: %d %s, want %d", c.folder, a.status, a.body, c.want)
		}
	}
	r := uploads.request(map[string]any{"folder": "/local/a/deep"})
	path := "/api/requests/" + r["id"].(string)
	for name, a := range map[string]answer{"get": other.get(path), "files": other.get(path + "/files"), "update": other.put(path, map[string]any{"title": "mine"}),
		"end": other.post(path+"/end", map[string]any{}), "delete": other.delete(path, nil)} {
		if a.status != http.StatusNotFound {
			t.Errorf("%s by another key: %d %s", name, a.status, a.body)
		}
	}
	var list struct{ Pagination struct{ Total int } }
	for total, c := range map[int]client{4: uploads, 0: other, 5: admin} {
		c.get("/api/requests").into(t, &list)
		if list.Pagination.Total != total {
			t.Errorf("a list of %d requests, want %d", list.Pagination.Total, total)
		}
	}
	s := p.comes(r, "")
	if a := s.sends("x", "x"); a.status != http.StatusOK {
		t.Fatalf("send: %d %s", a.status, a.body)
	}
	// The rights of the owner are those of the moment.
	admin.put("/api/admin/api-keys/"+id, map[string]any{"basic_path": "/local/ab"})
	if a := s.sends("x", "x"); a.status != http.StatusGone || a.envelope(t).Error != "request_closed" {
		t.Errorf("after the key lost the folder: %d %s", a.status, a.body)
	}
	admin.put("/api/admin/api-keys/"+id, map[string]any{"basic_path": "/local/a"})
	if a := s.sends("x", "x"); a.status != http.StatusOK {
		t.Errorf("after the key has it again: %d %s", a.status, a.body)
	}
	admin.delete("/api/admin/api-keys/"+id, nil)
	if a := s.sends("x", "x"); a.status != http.StatusGone {
		t.Errorf("after the key is gone: %d %s", a.status, a.body)
	}
	if a := p.visitor().get(s.link); a.status != http.StatusGone {
		t.Errorf("the form after the key is gone: %d %s", a.status, a.body)
	}
}

func TestARequestEndsAndIsNoted(t *testing.T) {
	p := start(t, t.TempDir(), "PASTEPORT_RATE_LIMITS=on")
	admin := p.admin()
	r := admin.request(map[string]any{"password": "harbour", "message": "hidden until the password is there"})
	path := "/api/requests/" + r["id"].(string)
	s := p.comes(r, "harbour")
	shut := p.visitor()
	if a := shut.get(s.link); a.status != http.StatusOK || bytes.Contains(a.body, []byte("hidden")) || bytes.Contains(a.body, []byte("please")) {
		t.Errorf("the form without the password: %d %s", a.status, a.body)
	}
	if a := shut.post(s.link+"/files", map[string]any{"name": "x", "size": 1}, "X-Request-Visit", s.visit+"x"); a.status != http.StatusUnauthorized {
		t.Errorf("without a visit: %d %s", a.status, a.body)
	}
	wrong := 0
	for range 12 {
		switch a := shut.post(s.link+"/visits", map[string]any{"password": "guess"}); a.status {
		case http.StatusUnauthorized:
			wrong++
		case http.StatusTooManyRequests:
		default:
			t.Errorf("a wrong password: %d %s", a.status, a.body)
		}
	}
	if wrong != 10 {
		t.Errorf("%d wrong passwords were tried, want 10", wrong)
	}
	a := s.announce("big.bin", 9<<20)
	if a.status != http.StatusOK {
		t.Fatalf("announce: %d %s", a.status, a.body)
	}
	var begun struct{ ID string }
	a.into(t, &begun)
	if a := admin.put(path, map[string]any{"password": "another"}, "If-Match", r["etag"].(string)); a.status != http.StatusOK {
		t.Errorf("a new password: %d %s", a.status, a.body)
	}
	if a := admin.put(path, map[string]any{"title": "late"}, "If-Match", r["etag"].(string)); a.status != http.StatusPreconditionFailed {
		t.Errorf("an update of an old version: %d %s", a.status, a.body)
	}
	if a := s.call(http.MethodGet, "/files/"+begun.ID, nil); a.status != http.StatusUnauthorized {
		t.Errorf("a visit of the old password: %d %s", a.status, a.body)
	}
	var ended struct {
		State string
		Files int
	}
	for range 2 {
		admin.post(path+"/end", map[string]any{}).into(t, &ended)
	}
	admin.get(path).into(t, &ended)
	if ended.State != "ended" || ended.Files != 0 {
		t.Errorf("after the end: %+v", ended)
	}
	if a := p.visitor().get(s.link); a.status != http.StatusGone {
		t.Errorf("the form after the end: %d %s", a.status, a.body)
	}
	if a := admin.delete(path, nil); a.status != http.StatusOK {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a := p.visitor().get(s.link); a.status != http.StatusNotFound {
		t.Errorf("the form of what was deleted: %d %s", a.status, a.body)
	}
	noted := admin.get("/api/admin/audit?limit=50").body
	for _, action := range []string{"request.create", "request.update", "request.end", "request.delete"} {
		if !bytes.Contains(noted, []byte(action)) {
			t.Errorf("%s is not noted", action)
		}
	}
	if bytes.Contains(noted, []byte("harbour")) || bytes.Contains(noted, []byte("another")) {
		t.Error("a password is noted")
	}
}

func TestARequestedFileTakesNoMemory(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	s := p.comes(admin.request(map[string]any{"folder": "/local/inbox"}), "")
	if a := s.inParts("warm.bin", pattern(1, 6<<20), nil); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	before, _, known := process.Use(p.cmd.Process.Pid)
	if !known {
		t.Fatal("the memory of the server is not known")
	}
	if a := s.inParts("film.bin", pattern(2, 256<<20), nil); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if after, _, _ := process.Use(p.cmd.Process.Pid); after > before+64<<20 {
		t.Errorf("256 MiB took %d MiB of memory", (after-before)>>20)
	}
}

// TestLongARequestTakesTwoGiBThatAreCutInFlatMemory sends 2 GiB over lines of which
// many break in the middle of a part.
func TestLongARequestTakesTwoGiBThatAreCutInFlatMemory(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("2 GiB: PASTEPORT_TEST_LONG=1")
	}
	const size = 2<<30 + 17
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	if a := admin.put("/api/admin/settings/group/1", map[string]any{"max_upload_size": 4096}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	piece := func(number, from, to int) []byte { return pattern(uint64(number), to-from) }
	for name, r := range map[string]map[string]any{"a folder": admin.request(map[string]any{"folder": "/local/inbox"}), "shares": admin.request(nil)} {
		s, cuts := p.comes(r, ""), map[int]bool{}
		if a := s.inParts("warm.bin", pattern(1, 6<<20), nil); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		whole, partSize := sha256.New(), 0
		p.flat(func() {
			if a := s.partsOf("film.bin", size, func(number, from, to int) []byte {
				partSize = max(partSize, to-from)
				return piece(number, from, to)
			}, func(number int, link string) bool {
				if number%16 != 1 || cuts[number] {
					return false
				}
				cuts[number] = true
				c := p.dial()
				fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", link, 5<<20, strings.Repeat("x", 1<<20))
				c.Close()
				return true
			}); a.status != http.StatusOK {
				t.Fatalf("into %s: %d %s", name, a.status, a.body)
			}
		})
		if len(cuts) < 20 {
			t.Errorf("into %s: %d lines were cut", name, len(cuts))
		}
		for number, from := 1, 0; from < size; number, from = number+1, from+partSize {
			whole.Write(piece(number, from, min(from+partSize, size)))
		}
		var received struct {
			Files []struct {
				Name, Place string
				Size        int
			}
		}
		admin.get("/api/requests/"+r["id"].(string)+"/files").into(t, &received)
		if len(received.Files) != 2 || received.Files[0].Name != "film.bin" || received.Files[0].Size != size {
			t.Fatalf("into %s came %+v", name, received.Files)
		}
		path := p.url + "/dav" + received.Files[0].Place
		if name == "shares" {
			var share struct{ Slug string }
			admin.get("/api/files/"+received.Files[0].Place).into(t, &share)
			path = p.url + "/api/file-download/" + share.Slug
		}
		ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask.Header.Set("Authorization", admin.auth)
		p.flat(func() {
			back, err := http.DefaultClient.Do(ask)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Body.Close()
			came := sha256.New()
			if n, err := io.Copy(came, back.Body); err != nil || n != size || !bytes.Equal(came.Sum(nil), whole.Sum(nil)) {
				t.Errorf("from %s come %d bytes back, %v, or other ones", name, n, err)
			}
		})
	}
}

func TestEachSenderHasAFolder(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	r := admin.request(map[string]any{"folder": "/local/inbox", "folder_per_sender": true, "ask_name": "optional"})
	for range 2 {
		s := p.comes(r, "")
		for _, name := range []string{"a.txt", "b.txt"} {
			if a := s.sends(name, "x"); a.status != http.StatusOK {
				t.Fatalf("send: %d %s", a.status, a.body)
			}
		}
	}
	s := p.comes(r, "")
	if a := s.call(http.MethodPost, "/files", map[string]any{"name": "c.txt", "size": 0, "sender": "../../etc ‥／x\u202e"}); a.status != http.StatusOK {
		t.Errorf("a hostile name of a sender: %d %s", a.status, a.body)
	} else {
		var begun struct{ ID string }
		a.into(t, &begun)
		if a := s.send(http.MethodPut, s.link+"/files/"+begun.ID+"/content", strings.NewReader(""), "X-Request-Visit", s.visit); a.status != http.StatusOK {
			t.Errorf("its file: %d %s", a.status, a.body)
		}
	}
	folders, err := filepath.Glob(filepath.Join(dir, "files", "inbox", "Ann *"))
	if err != nil || len(folders) != 2 {
		t.Errorf("folders of Ann: %v, %v", folders, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "files", "inbox", "*", "?.txt"))
	if err != nil || len(files) != 5 {
		t.Errorf("files: %v, %v", files, err)
	}
}

// A sender does not learn what lies in the folder: where a link of the disk has the
// name, the file gets another one, as where a file has it.
func TestASenderDoesNotLearnOfLinks(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	admin.post("/api/fs/mkdir", map[string]any{"path": "/local/inbox"})
	inbox := filepath.Join(dir, "files", "inbox")
	for name, to := range map[string]string{"secret.txt": "/etc/hostname", "gone.txt": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(inbox, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := p.comes(admin.request(map[string]any{"folder": "/local/inbox"}), "")
	for name, want := range map[string]string{"secret.txt": "secret(1).txt", "gone.txt": "gone(1).txt"} {
		for _, content := range []string{"mine", strings.Repeat("longer than is kept ", 200_000)} {
			if a := s.sends(name, content); a.status != http.StatusOK {
				t.Fatalf("%s: %d %s", name, a.status, a.body)
			}
			if got, err := os.ReadFile(filepath.Join(inbox, want)); err != nil || string(got) != content {
				t.Errorf("%s holds %d bytes, %v; want %d", want, len(got), err, len(content))
			}
			want = strings.Replace(want, "(1)", "(2)", 1)
		}
		if to, err := os.Readlink(filepath.Join(inbox, name)); err != nil {
			t.Errorf("the link is %q, %v", to, err)
		}
	}
}
