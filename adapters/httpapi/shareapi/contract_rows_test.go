package shareapi

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/ports/policy"
)

// wantNamedError checks the error of a call whose clients read "error" as a
// text (contract §1.3).
func (s *site) wantNamedError(a edgetest.Answer, status int, substring string) {
	s.T.Helper()
	if a.ResponseRecorder.Code != status || a.Error != a.Message || !strings.Contains(a.Message, substring) || a.ID == "" {
		s.T.Errorf("got status %d, body %s; want %d and %q", a.ResponseRecorder.Code, a.Body, status, substring)
	}
}

func TestContract2_4_RefusalsNameThePermission(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct{ method, target, zh, en string }{
		{"POST", "/api/paste", "TEXT", "TEXT"},
		{"GET", "/api/pastes", "TEXT", "TEXT"},
		{"GET", "/api/files", "FILE_SHARE", "FILE_SHARE"},
		{"POST", "/api/s3/presign", "FILE_SHARE", "FILE_SHARE"},
		{"POST", "/api/pastes/clear-expired", "管理员", "administrator"},
	} {
		for lang, name := range map[string]string{"zh": c.zh, "en": c.en} {
			a := s.Call(c.method, c.target, `{"content":"x","s3_config_id":"public","filename":"a"}`, "Authorization", asNoBit, "Accept-Language", lang)
			s.wantError(a, 403, "permission_denied", name)
			if !strings.Contains(a.Message, "权限") {
				t.Errorf("%s %s: %q lacks 权限", c.method, c.target, a.Message)
			}
		}
	}
	for _, op := range s.Ops() {
		open := func(action policy.Action) bool { return strings.HasPrefix(string(action), "share.") }
		if key, _ := httpapi.NeededFor(op.Actions); key == "" && !slices.ContainsFunc(op.Actions, open) {
			t.Errorf("a refusal of %s does not say what is missing", op.Name)
		}
	}
}

func TestContract7_5_TheAnswerTellsOfThePassword(t *testing.T) {
	s := newSite(t)
	if got := s.upload("a.txt", "slug=open", "x"); got["requires_password"] != false {
		t.Errorf("without: %v", got)
	}
	got := s.upload("a.txt", "slug=locked&password=p+w%26", "x")
	if got["requires_password"] != true {
		t.Errorf("with: %v", got)
	}
	link, err := url.Parse(got["previewUrl"].(string))
	if err != nil || link.Query().Get("password") != "p w&" {
		t.Errorf("the link: %v %v", link, err)
	}
}

// Clients add the password to links themselves, with whichever sign they
// think comes next; a link that carries a ticket must bear both.
func TestContract7_12_LinksBearAPasswordBehindThem(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1&password=pw", "hello")
	got := s.data(s.Call("POST", "/api/public/files/f1/verify", `{"password":"pw"}`))
	for _, field := range []string{"previewUrl", "downloadUrl", "proxy_preview_url", "proxy_download_url"} {
		for _, tail := range []string{"", "&password=pw", "?password=pw"} {
			if a := s.Call("GET", local(got[field].(string))+tail, ""); a.Body.String() != "hello" {
				t.Errorf("%s%s: %d %q", field, tail, a.ResponseRecorder.Code, a.Body)
			}
		}
	}
	detail := s.data(s.Call("GET", "/api/files/"+got["id"].(string), "", "Authorization", edgetest.AsAdmin))
	links := detail["urls"].(map[string]any)
	for _, field := range []string{"proxyPreviewUrl", "proxyDownloadUrl"} {
		if a := s.Call("GET", local(links[field].(string))+"?password=pw", ""); a.Body.String() != "hello" {
			t.Errorf("%s: %d %q", field, a.ResponseRecorder.Code, a.Body)
		}
	}
}

func TestContract7_7_RowsOfTheAdminHaveAKeyName(t *testing.T) {
	s := newSite(t)
	s.upload("a.txt", "slug=f1", "x", "Authorization", edgetest.AsAdmin)
	s.upload("b.txt", "slug=f2", "x")
	rows := s.data(s.Call("GET", "/api/files?limit=50", "", "Authorization", edgetest.AsAdmin))["files"].([]any)
	names := map[string]any{}
	for _, row := range rows {
		o := row.(map[string]any)
		name, ok := o["key_name"]
		if !ok {
			t.Errorf("%v has no key_name", o["slug"])
		}
		names[o["slug"].(string)] = name
	}
	if names["f1"] != nil || names["f2"] != "Key A" {
		t.Errorf("got %v", names)
	}
}
