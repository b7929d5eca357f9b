package treeapi

import (
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
)

func TestWhoEditsAFileSeesItsEarlierContentsAndBringsOneBack(t *testing.T) {
	f := newForest(t)
	asT := []string{"Authorization", asTeam}
	update := func(content string, headers ...string) string {
		t.Helper()
		return f.object(f.as("POST", "/api/fs/update", `{"path":"/m/team/f.html","content":"`+content+`"}`, headers...))["etag"].(string)
	}
	update("<b>one</b>", asT...)
	etag := update("two")
	list := fsPath("revisions", "/m/team/f.html")

	const then = "2026-11-21T08:00:00.000Z"
	want := edgetest.Object{"keep": true, "etag": etag,
		"current":   map[string]any{"version": 2.0, "size": 3.0, "edited_by": "admin-id", "edited_at": then},
		"revisions": []any{map[string]any{"version": 1.0, "size": 10.0, "edited_by": "", "edited_at": then}}}
	got := f.object(f.as("GET", list, "", asT...))
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}

	a := f.as("GET", fsPath("revisions/1", "/m/team/f.html"), "", asT...)
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "<b>one</b>" {
		t.Fatalf("%d %q", a.ResponseRecorder.Code, a.Body)
	}
	for name, want := range map[string]string{"Content-Length": "10", "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff",
		"Content-Disposition": `attachment; filename="f.html"; filename*=UTF-8''f.html`} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if a := f.as("GET", fsPath("revisions/1", "/m/team/f.html"), "", "Range", "bytes=3-5"); a.ResponseRecorder.Code != 206 || a.Body.String() != "one" {
		t.Errorf("%d %q", a.ResponseRecorder.Code, a.Body)
	}

	f.refused("another version", f.as("POST", "/api/fs/revisions/1/restore", `{"path":"/m/team/f.html","etag":"x"}`, asT...), 412, "precondition_failed")
	restored := f.object(f.as("POST", "/api/fs/revisions/1/restore", `{"path":"/m/team/f.html","etag":"`+etag+`"}`, asT...))
	if restored["success"] != true || restored["etag"] == etag {
		t.Errorf("got %v", restored)
	}
	if got := f.as("GET", fsPath("download", "/m/team/f.html"), "").Body.String(); got != "<b>one</b>" {
		t.Errorf("got %q", got)
	}
	current := f.object(f.as("GET", list, ""))["current"].(map[string]any)
	if current["key_name"] != "Team t1" || current["version"] != 3.0 {
		t.Errorf("got %v", current)
	}

	f.refused("without keep", f.as("PUT", "/api/fs/revisions", `{"path":"/m/team/f.html"}`), 400, "invalid_argument")
	if got := f.object(f.as("PUT", "/api/fs/revisions", `{"path":"/m/team/f.html","keep":false}`, asT...)); got["keep"] != false {
		t.Errorf("got %v", got)
	}
	if got := f.object(f.as("GET", list, "")); got["keep"] != false || len(got["revisions"].([]any)) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestWhoOnlyReadsOrOnlyUploadsSeesNoEarlierContents(t *testing.T) {
	f := newForest(t)
	for _, content := range []string{"one", "two"} {
		f.object(f.as("POST", "/api/fs/update", `{"path":"/m/team/f.txt","content":"`+content+`"}`))
	}
	for _, who := range []string{asViewer, asSender, asOther} {
		for _, call := range [][3]string{{"GET", fsPath("revisions", "/m/team/f.txt"), ""}, {"GET", fsPath("revisions/1", "/m/team/f.txt"), ""},
			{"PUT", "/api/fs/revisions", `{"path":"/m/team/f.txt","keep":false}`}, {"POST", "/api/fs/revisions/1/restore", `{"path":"/m/team/f.txt"}`}} {
			f.refused(who+" "+call[0]+" "+call[1], f.as(call[0], call[1], call[2], "Authorization", who), 403, "permission_denied")
		}
	}
	f.refused("a version that is not kept", f.as("GET", fsPath("revisions/7", "/m/team/f.txt"), ""), 404, "not_found")
	f.refused("a folder", f.as("GET", fsPath("revisions", "/m/team/"), ""), 400, "type_mismatch")
}

// stalled is who takes nothing of an answer until told to.
type stalled struct {
	*httptest.ResponseRecorder
	writing, goOn chan struct{}
}

func (s stalled) Write(p []byte) (int, error) {
	s.writing <- struct{}{}
	<-s.goOn
	return s.ResponseRecorder.Write(p)
}

// An earlier content is in memory until its reader has it: slow ones of one caller
// hold four.
func TestOneCallerHoldsFourEarlierContentsAtOnce(t *testing.T) {
	f := newForest(t)
	for _, content := range []string{"one", "two"} {
		f.object(f.as("POST", "/api/fs/update", `{"path":"/m/team/f.txt","content":"`+content+`"}`))
	}
	first := fsPath("revisions/1", "/m/team/f.txt")
	limited := httpapi.New(httpapi.Options{Auth: forestAuth{}, Language: edgetest.InChinese, Clock: f.clock, Decider: httpapi.Watched(f.rules), Idempotency: f.db.Idempotency(), Work: f.db})
	historyOps(limited, f.files, nil)
	f.Handler = limited
	writing, goOn := make(chan struct{}), make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			f.Handler.ServeHTTP(stalled{httptest.NewRecorder(), writing, goOn}, edgetest.NewRequest("GET", first, ""))
		})
	}
	for range 4 {
		<-writing
	}
	f.refused("a fifth", f.as("GET", first, ""), 429, "rate_limited")
	close(goOn)
	readers.Wait()
	if a := f.as("GET", first, ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("afterwards: %d", a.ResponseRecorder.Code)
	}
}
