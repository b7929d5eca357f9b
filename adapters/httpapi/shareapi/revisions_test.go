package shareapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi/edgetest"
)

func TestTheOwnerSeesEarlierContentsAndBringsOneBack(t *testing.T) {
	s := newSite(t)
	id := s.paste(`{"content":"one","slug":"s1"}`)["id"].(string)
	at := "/api/pastes/" + id + "/revisions"
	asA := []string{"Authorization", asKeyA}
	s.data(s.Call("PUT", "/api/pastes/s1", `{"content":"two, 二"}`, "Authorization", edgetest.AsAdmin))

	const then = "2026-11-21T08:00:00.000Z"
	want := edgetest.Object{"keep": true,
		"current":   map[string]any{"version": 2.0, "size": 8.0, "edited_by": "admin-id", "edited_at": then},
		"revisions": []any{map[string]any{"version": 1.0, "size": 3.0, "edited_by": "apikey:aaaa", "key_name": "Key A", "edited_at": then}}}
	if diff := cmp.Diff(s.data(s.Call("GET", "/api/pastes/s1/revisions", "", asA...)), want); diff != "" {
		t.Error(diff)
	}
	if got := s.data(s.Call("GET", at+"/1", "", asA...)); got["content"] != "one" || got["version"] != 1.0 {
		t.Errorf("got %v", got)
	}

	a := s.Call("POST", at+"/1/restore", "{}", append(asA, "If-Match", `"`+id+`.1"`)...)
	s.wantError(a, 412, "precondition_failed", "")
	a = s.Call("POST", at+"/1/restore", "{}", append(asA, "If-Match", `"`+id+`.2"`)...)
	if got := s.data(a); got["slug"] != "s1" || a.Header().Get("ETag") != `"`+id+`.3"` {
		t.Errorf("got %v, tag %s", got, a.Header().Get("ETag"))
	}
	if got := s.data(s.Call("GET", "/api/pastes/s1", "", asA...)); got["content"] != "one" {
		t.Errorf("got %v", got)
	}

	s.wantError(s.Call("PUT", at, `{}`, asA...), 400, "invalid_argument", "keep")
	if got := s.data(s.Call("PUT", at, `{"keep":false}`, asA...)); got["keep"] != false {
		t.Errorf("got %v", got)
	}
	if got := s.data(s.Call("GET", at, "", asA...)); got["keep"] != false || len(got["revisions"].([]any)) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestEarlierContentsAreTheOwnersAlone(t *testing.T) {
	s := newSite(t)
	s.paste(`{"content":"one","slug":"s1"}`)
	s.data(s.Call("PUT", "/api/pastes/s1", `{"content":"two"}`, "Authorization", asKeyA))
	for _, call := range [][3]string{{"GET", "", ""}, {"GET", "/1", ""}, {"PUT", "", `{"keep":false}`}, {"POST", "/1/restore", "{}"}} {
		s.wantError(s.Call(call[0], "/api/pastes/s1/revisions"+call[1], call[2], "Authorization", asKeyB), 404, "not_found", "不存在")
	}
	for _, version := range []string{"0", "9", "-1"} {
		s.wantError(s.Call("GET", "/api/pastes/s1/revisions/"+version, "", "Authorization", asKeyA), 404, "not_found", "不存在")
	}
	s.wantError(s.Call("GET", "/api/pastes/s1/revisions/x", "", "Authorization", asKeyA), 400, "invalid_argument", "version")
	if got := s.data(s.Call("GET", "/api/pastes/s1/revisions", "", "Authorization", asKeyA)); len(got["revisions"].([]any)) != 1 {
		t.Errorf("got %v", got)
	}
}
