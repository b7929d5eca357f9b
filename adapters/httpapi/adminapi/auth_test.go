package adminapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
)

func TestContract5_1_LoginHandsOutAToken(t *testing.T) {
	h := newHouse(t)
	a := h.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q,"other":1}`, enginetest.PanelPassword))
	var data map[string]string
	h.data(a, &data)
	if a.Code != 200 || !a.Success || data["username"] != "admin" || !regexp.MustCompile(`^[A-Za-z0-9]{43}$`).MatchString(data["token"]) ||
		data["expiresAt"] != "2026-11-22T08:00:00.000Z" {
		t.Errorf("%s", a.Body)
	}
	for body, status := range map[string]int{
		``: 400, `{}`: 400, `{"username":"admin"}`: 400, `{"username":"","password":"x"}`: 400, `{"username":"admin","password":1}`: 400,
		`{"username":"admin","password":"wrong"}`: 401, `{"username":"nobody","password":"wrong"}`: 401,
	} {
		key := "invalid_argument"
		if status == 401 {
			key = "unauthenticated"
		}
		h.Want(body, h.Call("POST", "/api/admin/login", body), status, key)
	}
	for _, target := range []string{"/api/admin/login?username=admin&password=" + "a%20quiet%20river"} {
		h.Want("login by query", h.Call("POST", target, ""), 400, "invalid_argument")
		h.Want("login by GET", h.Call("GET", target, ""), 404, "not_found")
	}
	h.Want("login with a stale token", h.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q}`, enginetest.PanelPassword), "Authorization", "Bearer old"), 200, "")
}

func TestSecurity4_5_TooManyLoginsAnswer429WithRetryAfter(t *testing.T) {
	h := newHouse(t)
	for range 10 {
		h.Want("guess", h.Call("POST", "/api/admin/login", `{"username":"admin","password":"wrong"}`), 401, "unauthenticated")
	}
	a := h.Call("POST", "/api/admin/login", fmt.Sprintf(`{"username":"admin","password":%q}`, enginetest.PanelPassword))
	h.Want("the right password", a, 429, "rate_limited")
	if wait, err := strconv.Atoi(a.Header().Get("Retry-After")); err != nil || wait < 1 || wait > 900 {
		t.Errorf("Retry-After is %q", a.Header().Get("Retry-After"))
	}
}

func TestContract5_2_LogoutAlwaysAnswers200(t *testing.T) {
	h := newHouse(t)
	token := h.SignIn()
	for _, header := range []string{"", "Bearer nothing", "nonsense", "Bearer a b"} {
		a := h.Call("POST", "/api/admin/logout", "", "Authorization", header)
		h.Want("logout with "+header, a, 200, "")
	}
	h.Want("still signed in", h.Call("GET", "/api/test/admin-token", "", "Authorization", token), 200, "")
	a := h.Call("POST", "/api/admin/logout", "null", "Authorization", token)
	h.Want("logout", a, 200, "")
	if got := a.Header().Get("Clear-Site-Data"); got != `"cache"` || a.Data != nil {
		t.Errorf("Clear-Site-Data %q, body %s", got, a.Body)
	}
	h.Want("signed out", h.Call("GET", "/api/test/admin-token", "", "Authorization", token), 401, "unauthenticated")
}

func TestContract5_3_AdminTokenTest(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	a := h.Call("GET", "/api/test/admin-token", "", "Authorization", admin)
	h.Want("admin", a, 200, "")
	if a.Data != nil || !a.Success {
		t.Errorf("%s", a.Body)
	}
	h.Want("nobody", h.Call("GET", "/api/test/admin-token", ""), 401, "unauthenticated")
	h.Want("a bad token", h.Call("GET", "/api/test/admin-token", "", "Authorization", "Bearer x"), 401, "unauthenticated")
	h.Want("a key", h.Call("GET", "/api/test/admin-token", "", "Authorization", key), 403, "policy_denied")
}

func TestContract5_4_ChangePassword(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	change := func(header, body string) edgetest.Answer {
		return h.Call("POST", "/api/admin/change-password", body, "Authorization", header)
	}
	for _, c := range []struct {
		name, header, body string
		status             int
		key                string
	}{
		{"nobody", "", `{"currentPassword":"x","newPassword":"another river"}`, 401, "unauthenticated"},
		{"a key", key, `{"currentPassword":"x","newPassword":"another river"}`, 403, "policy_denied"},
		{"nothing", admin, `{}`, 400, "invalid_argument"},
		{"no current password", admin, `{"newPassword":"another river"}`, 400, "invalid_argument"},
		{"nothing new", admin, `{"currentPassword":"a quiet river","newPassword":"","newUsername":""}`, 400, "invalid_argument"},
		{"the same", admin, `{"currentPassword":"a quiet river","newPassword":"a quiet river"}`, 400, "invalid_argument"},
		{"a common one", admin, `{"currentPassword":"a quiet river","newPassword":"password1"}`, 400, "invalid_argument"},
		{"a wrong current password", admin, `{"currentPassword":"wrong","newPassword":"another river"}`, 401, "password_wrong"},
	} {
		h.Want(c.name, change(c.header, c.body), c.status, c.key)
	}
	if a := change(admin, `{"currentPassword":"wrong","newPassword":"another river"}`); !strings.Contains(a.Message, "当前密码错误") {
		t.Errorf("message is %q", a.Message)
	}
	a := change(admin, `{"currentPassword":"a quiet river","newPassword":"another river","newUsername":" boss "}`)
	h.Want("a good change", a, 200, "")
	if a.Data != nil {
		t.Errorf("%s", a.Body)
	}
	h.Want("the old session", h.Call("GET", "/api/test/admin-token", "", "Authorization", admin), 401, "unauthenticated")
	h.Want("the new account", h.Call("POST", "/api/admin/login", `{"username":"boss","password":"another river"}`), 200, "")
}

func TestContract5_5_KeyTestTellsPermissionsAsBooleans(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, id := h.key(admin, 1|512)
	a := h.Call("GET", "/api/test/api-key", "", "Authorization", key)
	var data struct {
		Name        string
		BasicPath   string `json:"basic_path"`
		Permissions map[string]bool
		KeyInfo     map[string]string `json:"key_info"`
		IsAdmin     *bool             `json:"is_admin"`
	}
	h.data(a, &data)
	set := []string{}
	for name, on := range data.Permissions {
		if on {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	if len(data.Permissions) != 9 || !slices.Equal(set, []string{"mount_upload", "text"}) || data.BasicPath != "/" || data.KeyInfo["id"] != id || data.KeyInfo["name"] != data.Name || data.IsAdmin != nil {
		t.Errorf("%s", a.Body)
	}
	a = h.Call("GET", "/api/test/api-key", "", "Authorization", admin)
	h.data(a, &data)
	for name, on := range data.Permissions {
		if !on {
			t.Errorf("the administrator lacks %s", name)
		}
	}
	if data.IsAdmin == nil || !*data.IsAdmin {
		t.Errorf("%s", a.Body)
	}
	h.Want("nobody", h.Call("GET", "/api/test/api-key", ""), 401, "unauthenticated")
	h.Want("an unknown key", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey nothing"), 401, "unauthenticated")
	custom := h.Call("GET", "/api/test/api-key", "", "X-Custom-Auth-Key", strings.TrimPrefix(key, "ApiKey "))
	h.Want("the custom header", custom, 200, "")
}

func TestContract2_1_CredentialHeadersAreExact(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	token := strings.TrimPrefix(admin, "Bearer ")
	for header, status := range map[string]int{
		"bearer " + token: 200, "BEARER " + token: 200, "Bearer  " + token: 401, "Bearer " + token + " x": 401, token: 401, "Token " + token: 401, "ApiKey " + token: 401,
	} {
		if a := h.Call("GET", "/api/test/admin-token", "", "Authorization", header); a.ResponseRecorder.Code != status {
			t.Errorf("%.20q: %d, want %d", header, a.ResponseRecorder.Code, status)
		}
	}
	h.Want("a token in the query", h.Call("GET", "/api/test/admin-token?token="+token, ""), 401, "unauthenticated")
	h.Want("a token in a cookie", h.Call("GET", "/api/test/admin-token", "", "Cookie", "admin_token="+token), 401, "unauthenticated")
}

func TestContract2_2_TokenEndsAfterADay(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	h.Clock.Add(24 * time.Hour)
	h.Want("after a day", h.Call("GET", "/api/test/admin-token", "", "Authorization", admin), 401, "unauthenticated")
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := newHouse(t)
	old := h.SignIn()
	h.Clock.Add(time.Second)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	a := h.Call("GET", "/api/admin/sessions", "", "Authorization", admin)
	var sessions []struct {
		ID        string
		IsCurrent bool `json:"is_current"`
	}
	h.data(a, &sessions)
	if len(sessions) != 2 || !sessions[0].IsCurrent || sessions[1].IsCurrent || strings.Contains(a.Body.String(), strings.TrimPrefix(old, "Bearer ")) {
		t.Fatalf("%s", a.Body)
	}
	h.Want("ending the other", h.Call("DELETE", "/api/admin/sessions/"+sessions[1].ID, "", "Authorization", admin), 200, "")
	h.Want("the ended one", h.Call("GET", "/api/test/admin-token", "", "Authorization", old), 401, "unauthenticated")
	h.Want("ending it again", h.Call("DELETE", "/api/admin/sessions/"+sessions[1].ID, "", "Authorization", admin), 404, "not_found")
	h.Want("a key", h.Call("GET", "/api/admin/sessions", "", "Authorization", key), 403, "policy_denied")
}

func TestDatabaseFaultIsNoWrongCredential(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	h.Memory.FailWith(edgetest.ErrDown)
	a := h.Call("GET", "/api/test/admin-token", "", "Authorization", admin)
	if a.ResponseRecorder.Code != 500 || strings.Contains(a.Body.String(), "down") {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
}

func namesIn(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
