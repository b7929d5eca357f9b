package routes

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/enginetest"
)

// A browser that knows a name and password for this server adds them to
// whatever a page of another site sends here.
func TestPagesOfOtherSitesDoNothingWithAPasswordThatABrowserKeeps(t *testing.T) {
	h := newPanel(t)
	admin := h.SignIn()
	h.Want("Basic from anywhere", h.Call("PUT", "/api/admin/settings/group/3", `{"basic_over_public_http":true}`, "Authorization", admin), 200, "")
	var key struct{ ID string }
	made := h.Call("POST", "/api/admin/api-keys", `{"name":"key","permissions":1,"expires_at":"never"}`, "Authorization", admin)
	if err := json.Unmarshal(made.Data, &key); err != nil || key.ID == "" {
		t.Fatalf("a key: %s, %v", made.Body, err)
	}
	id := key.ID
	basic := basicOf("admin", enginetest.PanelPassword)
	fill := strings.NewReplacer("{id}", id, "{group}", "4", "{slug}", "slug", "{filename}", "f.txt", "{ticket}", "t", "{token}", "t", "{path:.*}", "x", "{name}", "n")
	elsewhere := [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Origin", "http://example.com"}}
	refused := 0
	for _, op := range h.Ops() {
		for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
			method, path, _ := strings.Cut(form, " ")
			if op.Public && method == http.MethodGet {
				continue
			}
			target := braces.ReplaceAllString(fill.Replace(path), "x")
			for _, from := range elsewhere {
				a := h.Call(method, target, `{}`, append([]string{"Authorization", basic}, from...)...)
				if a.ResponseRecorder.Code != http.StatusForbidden || !strings.Contains(a.Body.String(), "其他网站") {
					t.Errorf("%s %s from %v: %d %s", method, target, from, a.ResponseRecorder.Code, a.Body)
				}
				refused++
			}
		}
	}
	if refused < 300 {
		t.Errorf("only %d requests were made", refused)
	}
	for what, from := range map[string][]string{"no browser": {}, "an address that was typed": {"Sec-Fetch-Site", "none"}, "a page of ours": {"Sec-Fetch-Site", "same-origin", "Origin", "null"},
		"a page of ours over plain http": {"Origin", "http://example.com"}} {
		h.Want(what, h.Call("PUT", "/api/admin/api-keys/"+id, `{"name":"`+what+`"}`, append([]string{"Authorization", basic}, from...)...), 200, "")
	}
	h.Want("another scheme", h.Call("PUT", "/api/admin/api-keys/"+id, `{"name":"n"}`, "Authorization", admin, "Origin", "https://a.example", "Sec-Fetch-Site", "cross-site"), 200, "")
	h.Want("a link that was followed", h.Call("GET", "/api/admin/settings?group=4", "", "Authorization", basic, "Sec-Fetch-Site", "cross-site"), 200, "")
	a := h.Call("GET", "/api/admin/settings", "", "Authorization", basic, "Sec-Fetch-Site", "cross-site")
	h.Want("what only the administrator reads, by a link", a, 401, "unauthenticated")
	if a.Header().Get("WWW-Authenticate") != "" {
		t.Error("the answer asks for a password")
	}
}

func TestNoOperationAsksForAPasswordUnderAPI(t *testing.T) {
	for _, op := range registered().Ops() {
		if op.Challenge != "" {
			t.Errorf("%s asks for a password under /api", op.Name)
		}
	}
}
