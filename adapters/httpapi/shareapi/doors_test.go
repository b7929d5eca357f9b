package shareapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/shares"
)

// door sends a body as one line of curl would, and returns the link it answers.
func (s *site) door(method, target, body string, headers ...string) string {
	s.T.Helper()
	a := s.send(method, target, strings.NewReader(body), int64(len(body)), append([]string{"Authorization", asKeyA, "Accept", "*/*"}, headers...)...)
	if a.ResponseRecorder.Code != 200 || a.ResponseRecorder.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		s.T.Fatalf("%s %s: %d %s", method, target, a.ResponseRecorder.Code, a.Body)
	}
	link, found := strings.CutSuffix(a.Body.String(), "\n")
	if !found || strings.Contains(link, "\n") {
		s.T.Fatalf("%s %s: not one line: %q", method, target, a.Body)
	}
	return link
}

func slugOf(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }

// formOf is a form of fields ("name=value") and, when there is one, the file.
func formOf(t *testing.T, field, name, content string, fields ...string) (body, media string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		_ = w.WriteField(name, value)
	}
	if field != "" {
		part, _ := w.CreateFormFile(field, name)
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	return b.String(), w.FormDataContentType()
}

func TestDoorsShareAFileAndAnswerItsLink(t *testing.T) {
	s := newSite(t)
	for name, c := range map[string]struct{ method, target, body, media, want string }{
		"curl -T":                {"PUT", "/notes.txt", "hello", "", "notes.txt"},
		"curl -T -":              {"PUT", "/", "hello", "", "file.bin"},
		"a picture from a pipe":  {"POST", "/", "\x89PNG\r\n\x1a\n\x00hello", "application/x-www-form-urlencoded", "file.bin"},
		"a body with a name":     {"POST", "/?name=a.sh", "hello", "application/x-www-form-urlencoded", "a.sh"},
		"a picture with a type":  {"POST", "/", "\x89PNG\r\n\x1a\n\x00hello", "image/png", "file.png"},
		"more than a text holds": {"POST", "/?name=", strings.Repeat("a", shares.MaxContent+1), "text/plain", ""},
	} {
		s.settings.max = 1 << 30
		link := s.door(c.method, c.target, c.body, "Content-Type", c.media)
		if !strings.HasPrefix(link, "http://example.com/file/") {
			t.Errorf("%s: %s", name, link)
			continue
		}
		got := s.data(s.Call("GET", "/api/public/files/"+slugOf(link), ""))
		if got["size"] != float64(len(c.body)) || c.want != "" && got["filename"] != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDoorsShareATextAndAnswerItsLink(t *testing.T) {
	s := newSite(t)
	fields, media := formOf(t, "", "", "", "content=hello")
	long := strings.Repeat("文字\n", 20_000)
	for name, c := range map[string]struct{ body, media, want string }{
		"curl --data-binary": {"hello\nworld\n", "application/x-www-form-urlencoded", "hello\nworld\n"},
		"a longer text":      {long, "application/x-www-form-urlencoded", long},
		"without a type":     {"a=b&c", "", "a=b&c"},
		"a field of a form":  {fields, media, "hello"},
	} {
		link := s.door("POST", "/", c.body, "Content-Type", c.media)
		if !strings.HasPrefix(link, "http://example.com/paste/") {
			t.Errorf("%s: %s", name, link)
			continue
		}
		if got := s.Call("GET", "/api/raw/"+slugOf(link), "").Body.String(); got != c.want {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

func TestDoorsTakeOptionsFromQueryHeadersAndForms(t *testing.T) {
	s := newSite(t)
	later := strconv.FormatInt(s.clock.Now().Add(90*time.Minute).UnixMilli(), 10)
	early, media := formOf(t, "f", "a.txt", "x", "slug=form1", "expires=2", "max_views=3", "password=pw")
	var late bytes.Buffer // the fields behind the file, as 0x0's users write them
	w := multipart.NewWriter(&late)
	part, _ := w.CreateFormFile("file", "a.txt")
	_, _ = part.Write([]byte("x"))
	_ = w.WriteField("expires", later)
	_ = w.WriteField("secret", "")
	_ = w.Close()
	for name, c := range map[string]struct {
		method, target, body string
		headers              []string
		hours                int
		views                any
		locked               bool
		slug                 string
	}{
		"query":               {"PUT", "/a.txt?slug=query1&expires=7d&views=5&password=pw", "x", nil, 7 * 24, 5.0, true, "query1"},
		"headers":             {"PUT", "/a.txt", "x", []string{"X-Slug", "header1", "X-Expires", "12h", "X-Max-Views", "1", "X-Password", "pw"}, 12, 1.0, true, "header1"},
		"transfer.sh":         {"PUT", "/a.txt", "x", []string{"Max-Days", "3", "Max-Downloads", "2"}, 72, 2.0, false, ""},
		"a form":              {"POST", "/", early, []string{"Content-Type", media}, 2, 3.0, true, "form1"},
		"0x0":                 {"POST", "/", late.String(), []string{"Content-Type", w.FormDataContentType()}, 2, nil, false, "26"},
		"query over headers":  {"PUT", "/a.txt?expires=1", "x", []string{"X-Expires", "9"}, 1, nil, false, ""},
		"a text with options": {"POST", "/?slug=text1&expires=1w&views=2&password=pw", "hello", nil, 7 * 24, 2.0, true, "text1"},
	} {
		slug := slugOf(s.door(c.method, c.target, c.body, c.headers...))
		if c.slug == "26" && len(slug) != 26 || len(c.slug) > 2 && slug != c.slug {
			t.Errorf("%s: the slug is %q", name, slug)
		}
		var got edgetest.Object
		if strings.HasPrefix(c.slug, "text") {
			var list []edgetest.Object
			if err := json.Unmarshal(s.Call("GET", "/api/pastes", "", "Authorization", asKeyA).Data, &list); err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			got = list[0]
			got["requires_password"] = got["has_password"] == 1.0
		} else {
			got = s.data(s.Call("GET", "/api/public/files/"+slug, ""))
		}
		want := s.clock.Now().Add(time.Duration(c.hours) * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
		if got["expires_at"] != want || got["max_views"] != c.views || got["requires_password"] != c.locked {
			t.Errorf("%s: %v, want the end %s", name, got, want)
		}
	}
}

func TestDoorsNameWhatComesFromAPipe(t *testing.T) {
	s := newSite(t)
	piped, media := formOf(t, "f", "-", "x")
	named, mediaNamed := formOf(t, "f", "-", "x", "name=log.txt")
	for body, want := range map[[2]string]string{{piped, media}: "file.bin", {named, mediaNamed}: "log.txt"} {
		slug := slugOf(s.door("POST", "/", body[0], "Content-Type", body[1]))
		if got := s.data(s.Call("GET", "/api/public/files/"+slug, ""))["filename"]; got != want {
			t.Errorf("the file is called %v, want %s", got, want)
		}
	}
}

func TestDoorsRefuse(t *testing.T) {
	s := newSite(t)
	s.door("PUT", "/a.txt?slug=taken", "x")
	broken, media := formOf(t, "", "", "", "remark=x")
	for name, c := range map[string]struct {
		method, target, body string
		headers              []string
		status               int
	}{
		"nobody":             {"PUT", "/a.txt", "x", []string{"Authorization", ""}, 401},
		"a taken link":       {"PUT", "/a.txt?slug=taken", "x", nil, 409},
		"an odd expiry":      {"PUT", "/a.txt?expires=soon", "x", nil, 400},
		"an expiry behind":   {"PUT", "/a.txt?expires=1500000000000", "x", nil, 400},
		"no number of views": {"PUT", "/a.txt?views=few", "x", nil, 400},
		"nothing":            {"POST", "/", "", nil, 400},
		"a form of nothing":  {"POST", "/", broken, []string{"Content-Type", media}, 400},
		"a cut form":         {"POST", "/", broken[:20], []string{"Content-Type", media}, 400},
	} {
		a := s.send(c.method, c.target, strings.NewReader(c.body), int64(len(c.body)), append([]string{"Authorization", asKeyA}, c.headers...)...)
		if a.ResponseRecorder.Code != c.status || !strings.HasPrefix(a.ResponseRecorder.Header().Get("Content-Type"), "text/plain") || a.Body.Len() == 0 {
			t.Errorf("%s: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
	}
	if a := s.send("PUT", "/a.txt", strings.NewReader("x"), 1, "Accept-Language", "en"); a.Body.String() != "please sign in\n" {
		t.Errorf("a terminal reads %q", a.Body)
	}
	a := s.send("PUT", "/a.txt?expires=soon", strings.NewReader("x"), 1, "Authorization", asKeyA, "Accept", "application/json")
	if a.Error != "invalid_argument" || a.ResponseRecorder.Code != 400 {
		t.Errorf("asked for JSON: %d %s", a.ResponseRecorder.Code, a.Body)
	}
}

func TestDoorsTakeAKeyAsTheUserOfBasic(t *testing.T) {
	s := newSite(t)
	key := strings.TrimPrefix(asKeyA, "ApiKey ")
	link := s.door("PUT", "/a.txt", "x", "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(key+":")))
	if got := s.data(s.Call("GET", "/api/public/files/"+slugOf(link), "")); got["filename"] != "a.txt" {
		t.Error(got)
	}
	a := s.send("PUT", "/a.txt", strings.NewReader("x"), 1, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("wrong:")))
	if a.ResponseRecorder.Code != 401 {
		t.Errorf("a wrong key: %d", a.ResponseRecorder.Code)
	}
}

// A look deletes nothing; the secret of one share fits no other.
func TestDeletionLinksDeleteTheirOwnShare(t *testing.T) {
	s := newSite(t)
	for name, c := range map[string]struct{ method, target, verb, read string }{
		"a file": {"PUT", "/a.txt", "DELETE", "/api/public/files/"},
		"a text": {"POST", "/", "POST", "/api/raw/"},
	} {
		a := s.send(c.method, c.target, strings.NewReader("hello"), 5, "Authorization", asKeyA)
		read := c.read + slugOf(strings.TrimSpace(a.Body.String()))
		link, err := url.Parse(a.ResponseRecorder.Header().Get("X-Url-Delete"))
		if err != nil || !regexp.MustCompile(`^/api/deletions/(file|paste)/[0-9a-f-]{36}/[A-Za-z0-9_-]{43}$`).MatchString(link.Path) {
			t.Fatalf("%s: the deletion link is %v", name, link)
		}
		page := s.Call("GET", link.Path, "")
		if page.ResponseRecorder.Code != 200 || !strings.Contains(page.Body.String(), "<form method=post>") || !strings.Contains(page.ResponseRecorder.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: the page: %d %s", name, page.ResponseRecorder.Code, page.Body)
		}
		swapped := strings.NewReplacer("/file/", "/paste/", "/paste/", "/file/").Replace(link.Path)
		for _, wrong := range []string{link.Path[:len(link.Path)-1], swapped, link.Path[:len(link.Path)-43] + strings.Repeat("A", 43)} {
			if a := s.Call(c.verb, wrong, ""); a.ResponseRecorder.Code != http.StatusNotFound {
				t.Errorf("%s: %s: %d", name, wrong, a.ResponseRecorder.Code)
			}
		}
		if a := s.Call("GET", read, ""); a.ResponseRecorder.Code != 200 {
			t.Fatalf("%s: it is gone before its link was used: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
		for _, want := range []int{200, 404} {
			if a := s.Call(c.verb, link.Path, ""); a.ResponseRecorder.Code != want {
				t.Errorf("%s: %d, want %d", name, a.ResponseRecorder.Code, want)
			}
		}
		if a := s.Call("GET", read, ""); a.ResponseRecorder.Code != 404 {
			t.Errorf("%s: it is there still: %d", name, a.ResponseRecorder.Code)
		}
	}
}

func TestPastesAreMadeOfTextsAndForms(t *testing.T) {
	s := newSite(t)
	file, files := formOf(t, "anything", "a.txt", "hello", "slug=f2", "maxViews=3")
	for name, c := range map[string]struct{ body, media, slug, want string }{
		"a text":               {"hello\n", "text/plain", "", "hello\n"},
		"what curl calls form": {"a=b\n", "application/x-www-form-urlencoded", "", "a=b\n"},
		"a form":               {"content=hello+you&slug=f1&maxViews=2", "application/x-www-form-urlencoded", "f1", "hello you"},
		"a form with a file":   {file, files, "f2", "hello"},
	} {
		a := s.send("POST", "/api/paste", strings.NewReader(c.body), int64(len(c.body)), "Authorization", asKeyA, "Content-Type", c.media, "Accept", "text/plain")
		link := strings.TrimSuffix(a.Body.String(), "\n")
		if a.ResponseRecorder.Code != 200 || !strings.HasPrefix(link, "http://example.com/paste/"+c.slug) {
			t.Errorf("%s: %d %s", name, a.ResponseRecorder.Code, a.Body)
			continue
		}
		if got := s.Call("GET", "/api/raw/"+slugOf(link), "").Body.String(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, c := range map[string]struct{ body, media string }{
		"no text in UTF-8":     {"\xff\xfe", "text/plain"},
		"more than a text":     {strings.Repeat("a", shares.MaxContent+1), "text/plain"},
		"a cut form":           {file[:40], files},
		"a field twice":        {"--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\na\r\n--b\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\nb\r\n--b--\r\n", "multipart/form-data; boundary=b"},
		"nothing":              {"", "text/plain"},
		"a number that is not": {"content=a&maxViews=few", "application/x-www-form-urlencoded"},
	} {
		a := s.send("POST", "/api/paste", strings.NewReader(c.body), int64(len(c.body)), "Authorization", asKeyA, "Content-Type", c.media)
		if a.ResponseRecorder.Code != 400 || a.Success || a.ID == "" {
			t.Errorf("%s: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
	}
}

func TestTextsThatNoPasteCanBeAreNotReadWhole(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("a", 16<<20+1)
	a := s.send("POST", "/api/paste", strings.NewReader(long), -1, "Authorization", asKeyA, "Content-Type", "text/plain")
	if a.ResponseRecorder.Code != 413 || a.Error != "too_large" {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
}

// The answer of an upload is its link where text is asked for first.
func TestUploadsAnswerALinkToWhoWantsText(t *testing.T) {
	s := newSite(t)
	a := s.send("PUT", "/api/upload-direct/a.txt?slug=mine", strings.NewReader("x"), 1, "Authorization", asKeyA, "Accept", "text/plain, */*")
	if a.Body.String() != "http://example.com/file/mine\n" {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	body, media := formOf(t, "sharex", "b.txt", "x", "slug=other")
	a = s.send("POST", "/api/upload", strings.NewReader(body), int64(len(body)), "Authorization", asKeyA, "Accept", "text/plain", "Content-Type", media)
	if a.Body.String() != "http://example.com/file/other\n" {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
}
