package treeapi

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/words"
)

func (f *forest) ticket(body string, headers ...string) edgetest.Object {
	f.T.Helper()
	return f.object(f.as("POST", "/api/fs/archive", body, headers...))
}

func TestContractFS9_11_ALinkGivesTheArchiveOnceAndNeedsNoLogin(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("team/报告.txt", "hello")
	f.bucket.Put("team/empty/", "")
	link := f.ticket(`{"paths":["/m/team/"]}`, "Authorization", asTeam)
	if link["name"] != "team.zip" || link["expiresIn"] != 60.0 || link["url"] != "http://example.com/api/fs/archive/"+link["ticket"].(string) {
		t.Errorf("got %v", link)
	}
	target := "/api/fs/archive/" + link["ticket"].(string)
	for range 2 {
		if head := f.Call("HEAD", target, ""); head.ResponseRecorder.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Type") != "application/zip" {
			t.Errorf("HEAD: %d %v", head.ResponseRecorder.Code, head.Header())
		}
	}
	a := f.Call("GET", target, "")
	for name, want := range map[string]string{
		"Content-Type": "application/zip", "Content-Disposition": `attachment; filename="team.zip"; filename*=UTF-8''team.zip`, "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
	} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	r, err := zip.NewReader(bytes.NewReader(a.Body.Bytes()), int64(a.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range r.File {
		names = append(names, file.Name)
	}
	if got := strings.Join(names, " "); got != "team/ team/empty/ team/报告.txt" {
		t.Errorf("got %q", got)
	}
	f.refused("a second time", f.Call("GET", target, ""), 404, "not_found")
	f.refused("looked at afterwards", f.Call("GET", "/api/fs/archive/"+strings.Repeat("x", 32), ""), 404, "not_found")
}

func TestContractFS9_11_WhoMayNotSeeGetsNoTicket(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("team/a", "a")
	f.bucket.Put("b", "b")
	f.refused("beside the base", f.as("POST", "/api/fs/archive", `{"paths":["/m/team","/m/b"]}`, "Authorization", asTeam), 403, "path_forbidden")
	f.refused("without the bit", f.as("POST", "/api/fs/archive", `{"paths":["/m/team"]}`, "Authorization", asSender), 403, "permission_denied")
	f.refused("a private mount", f.as("POST", "/api/fs/archive", `{"paths":["/private"]}`, "Authorization", asViewer), 403, "mount_forbidden")
	f.refused("no paths", f.as("POST", "/api/fs/archive", `{}`), 400, "invalid_argument")
	f.refused("nothing there", f.as("POST", "/api/fs/archive", `{"paths":["/m/none"]}`), 404, "not_found")
}

func TestContractFS9_11_FailuresAreToldInTheLanguageOfTheReader(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("a", "a")
	link := f.ticket(`{"paths":["/m/a","/m/none"],"name":"my files"}`)
	a := f.Call("GET", "/api/fs/archive/"+link["ticket"].(string), "", "Accept-Language", "en-US")
	if got := a.Header().Get("Content-Disposition"); !strings.Contains(got, "my%20files.zip") {
		t.Errorf("got %q", got)
	}
	r, err := zip.NewReader(bytes.NewReader(a.Body.Bytes()), int64(a.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Open("pasteport-errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	line, err := io.ReadAll(text)
	want := "/m/none: " + words.Catalogue["not_found"].EN + "\r\n"
	if err != nil || string(line) != want {
		t.Errorf("got %q, %v, want %q", line, err, want)
	}
}
