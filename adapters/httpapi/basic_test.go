package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/ports/policy"
)

// A browser that knows a name and password for this server adds them to
// whatever a page of another site sends here.
func TestPagesOfOtherSitesDoNothingWithAPasswordThatABrowserKeeps(t *testing.T) {
	h := newHouse(t)
	admin := h.signIn()
	h.want("Basic from anywhere", h.Call("PUT", "/api/admin/settings/group/3", `{"basic_over_public_http":true}`, "Authorization", admin), 200, "")
	_, id := h.key(admin, 1)
	basic := basicOf("admin", housePassword)
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
		h.want(what, h.Call("PUT", "/api/admin/api-keys/"+id, `{"name":"`+what+`"}`, append([]string{"Authorization", basic}, from...)...), 200, "")
	}
	h.want("another scheme", h.Call("PUT", "/api/admin/api-keys/"+id, `{"name":"n"}`, "Authorization", admin, "Origin", "https://a.example", "Sec-Fetch-Site", "cross-site"), 200, "")
	h.want("a link that was followed", h.Call("GET", "/api/admin/settings?group=4", "", "Authorization", basic, "Sec-Fetch-Site", "cross-site"), 200, "")
	a := h.Call("GET", "/api/admin/settings", "", "Authorization", basic, "Sec-Fetch-Site", "cross-site")
	h.want("what only the administrator reads, by a link", a, 401, "unauthenticated")
	if a.Header().Get("WWW-Authenticate") != "" {
		t.Error("the answer asks for a password")
	}
}

func TestNoChallengeCountsForTheWholeServer(t *testing.T) {
	for _, base := range []string{"", "/box"} {
		f := newFrame(t, func(o *Options) { o.PublicURL = "https://a.example" + base })
		challenge := `Basic realm="Pasteport"`
		f.ServeDAV(DAV{Ops: []Op{{Name: "dav.get", Method: "GET", Actions: []policy.Action{policy.WebDAVWrite}, Challenge: challenge},
			{Name: "dav.find", Method: "PROPFIND", Actions: []policy.Action{policy.WebDAVWrite}, Challenge: challenge}},
			Serve: func(w http.ResponseWriter, _ *http.Request, _ policy.Principal) error {
				w.WriteHeader(http.StatusNoContent)
				return nil
			}, Announce: func(http.Header) {}})
		for _, auth := range []string{"", "Basic d3Jvbmc6d3Jvbmc=", edgetest.AsAdmin} {
			for _, method := range []string{"GET", "HEAD"} {
				for below, target := range map[string]string{"": "/", "%2f": "/", "%2Flocal": "/local", "%2Flocal%2Fa%20b": "/local/a%20b"} {
					a := f.Call(method, base+"/dav"+below, "", "Authorization", auth)
					if a.ResponseRecorder.Code != http.StatusPermanentRedirect || a.Header().Get("Location") != base+"/dav"+target || a.Header().Get("WWW-Authenticate") != "" {
						t.Errorf("%s %s/dav%s as %q: %d %v", method, base, below, auth, a.ResponseRecorder.Code, a.Header())
					}
				}
			}
			if a := f.Call("POST", base+"/dav", "x=y", "Authorization", auth); a.Header().Get("WWW-Authenticate") != "" || a.ResponseRecorder.Code != http.StatusMethodNotAllowed {
				t.Errorf("a form: %d %v", a.ResponseRecorder.Code, a.Header())
			}
		}
		if a := f.Call("GET", base+"/dav/", ""); a.ResponseRecorder.Code != http.StatusUnauthorized || a.Header().Get("WWW-Authenticate") != challenge {
			t.Errorf("GET %s/dav/: %d %v", base, a.ResponseRecorder.Code, a.Header())
		}
		if a := f.Call("PROPFIND", base+"/dav", ""); a.ResponseRecorder.Code != http.StatusUnauthorized {
			t.Errorf("PROPFIND %s/dav: %d", base, a.ResponseRecorder.Code)
		}
		for _, op := range registered().Ops() {
			if op.Challenge != "" {
				t.Errorf("%s asks for a password under /api", op.Name)
			}
		}
	}
}
