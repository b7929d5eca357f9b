package adminapi

import (
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/ports/policy"
)

func TestAbilitiesTellWhatTheCallerMayDo(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 1)
	abilities := func(query string, auth ...string) (got abilitiesJSON) {
		t.Helper()
		a := h.Call("GET", "/api/policy/abilities"+query, "", auth...)
		h.Want("abilities"+query, a, 200, "")
		h.data(a, &got)
		return got
	}
	for name, c := range map[string]struct {
		auth []string
		can  map[policy.Action]bool
	}{
		"the administrator": {[]string{"Authorization", admin}, map[policy.Action]bool{policy.PasteCreate: true, policy.KeysWrite: true, policy.WebDAVWrite: true}},
		"a key":             {[]string{"Authorization", key}, map[policy.Action]bool{policy.SiteRead: true, policy.PasteCreate: true, policy.KeySelf: true, policy.KeysWrite: false, policy.MountUpload: false}},
	} {
		got := abilities("", c.auth...)
		for do, want := range c.can {
			if can, listed := got.Abilities[string(do)]; can != want || !listed {
				t.Errorf("%s: %s is %t (listed: %t), want %t", name, do, can, listed, want)
			}
		}
	}
	h.Want("nobody", h.Call("GET", "/api/policy/abilities", ""), 401, "unauthenticated")
	h.Want("a key that fits nobody", h.Call("GET", "/api/policy/abilities", "", "Authorization", "ApiKey wrong-wrong-wrong"), 401, "unauthenticated")
}

func TestAbilitiesAreAskedOfOwnSharesAndOfThePath(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	var made struct{ ID, Key string }
	h.data(h.Call("POST", "/api/admin/api-keys", `{"name":"below","permissions":257,"basic_path":"/team/中"}`, "Authorization", admin), &made)
	for query, path := range map[string]string{"": "/team/中", "?path=": "/team/中", "?path=%2Fa%2Fb%2F": "/a/b", "?path=a": "/a"} {
		h.rules.foreseen = nil
		a := h.Call("GET", "/api/policy/abilities"+query, "", "Authorization", "ApiKey "+made.Key)
		var got abilitiesJSON
		if h.data(a, &got); got.Path != path {
			t.Errorf("%s: path %q", query, got.Path)
		}
		for _, q := range h.rules.foreseen {
			kind, _, _ := strings.Cut(string(q.Do), ".")
			switch kind {
			case "mount", "webdav":
				if len(q.On.Paths) != 1 || q.On.Paths[0] != path {
					t.Errorf("%s: %s asked of %q", query, q.Do, q.On.Paths)
				}
			case "paste", "file":
				if q.On.Owner != "apikey:"+made.ID {
					t.Errorf("%s: %s asked of something of %q", query, q.Do, q.On.Owner)
				}
			}
		}
		if len(h.rules.foreseen) < 50 {
			t.Errorf("only %d actions", len(h.rules.foreseen))
		}
	}
	for _, path := range []string{"/a//b", "/a/../b", "/a/%5Cb", "%00"} {
		h.Want(path, h.Call("GET", "/api/policy/abilities?path="+path, "", "Authorization", admin), 400, "invalid_argument")
	}
	h.rules.failure = httpapi.ErrCredentials
	h.Want("no answer from the rules", h.Call("GET", "/api/policy/abilities", "", "Authorization", admin), 503, "policy_unavailable")
}
