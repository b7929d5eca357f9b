package adminapi

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"

	"pasteport/adapters/httpapi/wire"

	"github.com/google/go-cmp/cmp"
)

func TestContract5_6_KeyIsShownOnceAndMaskedAfterwards(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	a := h.Call("POST", "/api/admin/api-keys", `{"name":" k1 ","permissions":"3","basic_path":"/team/","is_guest":1,"expires_at":null,"id":"x","key":"chosen"}`, "Authorization", admin)
	if a.ResponseRecorder.Code != 200 || a.Code != 201 || !a.Success {
		t.Fatalf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	var made map[string]any
	h.data(a, &made)
	value, _ := made["key"].(string)
	if !regexp.MustCompile(`^pp_[A-Za-z0-9]{32}$`).MatchString(value) {
		t.Errorf("value is %q", value)
	}
	for name, want := range map[string]any{
		"name": "k1", "permissions": 3.0, "role": "GENERAL", "basic_path": "/team", "is_guest": 1.0, "is_active": 1.0, "is_expired": 0.0,
		"expires_at": "9999-12-31T23:59:59.000Z", "created_at": "2026-11-21T08:00:00.000Z", "last_used": nil, "key_masked": value[:6] + "...",
	} {
		if made[name] != want {
			t.Errorf("%s is %v, want %v", name, made[name], want)
		}
	}
	list := h.Call("GET", "/api/admin/api-keys", "", "Authorization", admin)
	if strings.Contains(list.Body.String(), value) {
		t.Error("the list shows a whole key")
	}
	var rows []map[string]any
	h.data(list, &rows)
	if len(rows) != 1 || rows[0]["key"] != value[:6]+"..." || rows[0]["id"] != made["id"] {
		t.Errorf("%s", list.Body)
	}
	h.Want("the key works", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+value), 200, "")
}

func TestContract5_6_KeyErrors(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	other, id := h.key(admin, 204547)
	h.Want("a first", h.Call("POST", "/api/admin/api-keys", `{"name":"taken","custom_key":"my-own-Key_1"}`, "Authorization", admin), 200, "")
	for _, c := range []struct {
		name, method, path, header, body string
		status                           int
		key                              string
	}{
		{"no name", "POST", "", admin, `{}`, 400, "invalid_argument"},
		{"a null name", "POST", "", admin, `{"name":null}`, 400, "invalid_argument"},
		{"a name of a wrong type", "POST", "", admin, `{"name":["x"]}`, 400, "invalid_argument"},
		{"bits that are no number", "POST", "", admin, `{"name":"x","permissions":"all"}`, 400, "invalid_argument"},
		{"negative bits", "POST", "", admin, `{"name":"x","permissions":-1}`, 400, "invalid_argument"},
		{"a bad date", "POST", "", admin, `{"name":"x","expires_at":"soon"}`, 400, "invalid_argument"},
		{"a bad value", "POST", "", admin, `{"name":"x","custom_key":"a b"}`, 400, "invalid_argument"},
		{"a short value", "POST", "", admin, `{"name":"x","custom_key":"abc"}`, 400, "invalid_argument"},
		{"a taken name", "POST", "", admin, `{"name":"taken"}`, 409, "already_exists"},
		{"a taken value", "POST", "", admin, `{"name":"x","custom_key":"my-own-Key_1"}`, 409, "already_exists"},
		{"an update of nothing", "PUT", "/" + id, admin, `{"key":"chosen","id":"x"}`, 400, "invalid_argument"},
		{"an update with a taken name", "PUT", "/" + id, admin, `{"name":"taken"}`, 409, "already_exists"},
		{"an update of an unknown key", "PUT", "/x", admin, `{"name":"y"}`, 404, "not_found"},
		{"a rotation of an unknown key", "POST", "/x/rotate", admin, `{}`, 404, "not_found"},
		{"deleting an unknown key", "DELETE", "/x", admin, ``, 404, "not_found"},
		{"K5: a key that lists keys", "GET", "", other, ``, 403, "policy_denied"},
		{"K5: a key that makes keys", "POST", "", other, `{"name":"x"}`, 403, "policy_denied"},
		{"K5: a key that widens itself", "PUT", "/" + id, other, `{"permissions":204547}`, 403, "policy_denied"},
		{"K5: a key that rotates itself", "POST", "/" + id + "/rotate", other, `{}`, 403, "policy_denied"},
		{"K5: a key that deletes", "DELETE", "/" + id, other, ``, 403, "policy_denied"},
		{"nobody", "GET", "", "", ``, 401, "unauthenticated"},
	} {
		h.Want(c.name, h.Call(c.method, "/api/admin/api-keys"+c.path, c.body, "Authorization", c.header), c.status, c.key)
	}
}

func TestContract5_6_UpdateRotateAndDelete(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, id := h.key(admin, 1)
	a := h.Call("PUT", "/api/admin/api-keys/"+id, `{"is_active":false,"key":"chosen-by-client"}`, "Authorization", admin)
	h.Want("switching off", a, 200, "")
	if a.Data != nil {
		t.Errorf("%s", a.Body)
	}
	h.Want("while it is off", h.Call("GET", "/api/test/api-key", "", "Authorization", key), 401, "unauthenticated")
	h.Want("switching on", h.Call("PUT", "/api/admin/api-keys/"+id, `{"is_active":"1"}`, "Authorization", admin), 200, "")
	h.Want("its value is the old one", h.Call("GET", "/api/test/api-key", "", "Authorization", key), 200, "")

	var fresh struct{ Key string }
	h.data(h.Call("POST", "/api/admin/api-keys/"+id+"/rotate", "", "Authorization", admin), &fresh)
	h.Want("the old value", h.Call("GET", "/api/test/api-key", "", "Authorization", key), 401, "unauthenticated")
	h.Want("the new value", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+fresh.Key), 200, "")

	h.Want("deleting", h.Call("DELETE", "/api/admin/api-keys/"+id, "", "Authorization", admin), 200, "")
	h.Want("after that", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+fresh.Key), 401, "unauthenticated")
}

func TestARotatedKeyWorksWithBothValuesUntilTheOldOneEnds(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, id := h.key(admin, 1)
	rotate := "/api/admin/api-keys/" + id + "/rotate"
	until := h.Clock.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
	for _, wrong := range []string{"soon", "never", "2020-01-01"} {
		h.Want("an end that is "+wrong, h.Call("POST", rotate, `{"old_until":"`+wrong+`"}`, "Authorization", admin), 400, "invalid_argument")
	}
	type rotated struct {
		Key    string
		Former *struct {
			KeyMasked string `json:"key_masked"`
			Until     string
		}
	}
	var fresh, read rotated
	h.data(h.Call("POST", rotate, `{"old_until":"`+until+`"}`, "Authorization", admin), &fresh)
	h.data(h.Call("GET", "/api/admin/api-keys/"+id, "", "Authorization", admin), &read)
	for name, former := range map[string]rotated{"the answer": fresh, "the key": read} {
		if former.Former == nil || former.Former.Until != until || !strings.HasSuffix(former.Former.KeyMasked, "...") {
			t.Errorf("%s tells %+v", name, former.Former)
		}
	}
	h.Want("the old value", h.Call("GET", "/api/test/api-key", "", "Authorization", key), 200, "")
	h.Want("the new value", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+fresh.Key), 200, "")
	h.Clock.Add(time.Hour)
	admin = h.SignIn()
	h.Want("the old value later", h.Call("GET", "/api/test/api-key", "", "Authorization", key), 401, "unauthenticated")
	read = rotated{}
	h.data(h.Call("GET", "/api/admin/api-keys/"+id, "", "Authorization", admin), &read)
	if read.Former != nil {
		t.Errorf("an old value that has ended is told: %+v", read.Former)
	}

	var again rotated
	h.data(h.Call("POST", rotate, `{"old_until":"`+h.Clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`, "Authorization", admin), &again)
	h.Want("ending it", h.Call("DELETE", "/api/admin/api-keys/"+id+"/former", "", "Authorization", admin), 200, "")
	h.Want("the old value then", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+fresh.Key), 401, "unauthenticated")
	h.Want("the new value then", h.Call("GET", "/api/test/api-key", "", "Authorization", "ApiKey "+again.Key), 200, "")
	h.Want("of no key", h.Call("DELETE", "/api/admin/api-keys/none/former", "", "Authorization", admin), 404, "not_found")
}

func TestContract5_6_KeysComeWholeOrInPages(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	for i, body := range []string{`{"name":"beta","basic_path":"/b","expires_at":"2026-11-21T08:30:00Z"}`, `{"name":"Alpha","expires_at":"2026-11-21T09:30:00Z"}`,
		`{"name":"gamma","expires_at":"never"}`, `{"name":"delta%","expires_at":"never"}`} {
		h.Want("a key", h.Call("POST", "/api/admin/api-keys", body, "Authorization", admin), 200, "")
		h.Clock.Add(time.Duration(i+1) * time.Minute)
	}
	h.Clock.Add(50 * time.Minute) // now 9:00
	admin = h.SignIn()
	list := func(query string) edgetest.RowsPage {
		t.Helper()
		return edgetest.PageIn(t, h.Call("GET", "/api/admin/api-keys"+query, "", "Authorization", admin))
	}
	for _, query := range []string{"", "?unknown=1", "?_=17"} {
		if p := list(query); p.Names() != "delta% gamma Alpha beta" || p.Pagination != nil {
			t.Errorf("without a parameter of pages, %q: %s, %+v", query, p.Names(), p.Pagination)
		}
	}
	var gamma string
	for _, c := range []struct {
		query, names                 string
		total, limit, offset, number int
	}{
		{"?limit=2", "delta% gamma", 4, 2, 0, 1},
		{"?limit=2&page=2", "Alpha beta", 4, 2, 2, 2},
		{"?limit=3&offset=3", "beta", 4, 3, 3, 2},
		{"?limit=2&offset=1&page=9", "gamma Alpha", 4, 2, 1, 1},
		{"?limit=some", "delta% gamma Alpha beta", 4, 30, 0, 1},
		{"?limit=5000", "delta% gamma Alpha beta", 4, 1000, 0, 1},
		{"?sort=name&order=asc", "Alpha beta delta% gamma", 4, 30, 0, 1},
		{"?sort=name&order=desc", "gamma delta% beta Alpha", 4, 30, 0, 1},
		{"?sort=mac", "delta% gamma Alpha beta", 4, 30, 0, 1},
		{"?search=ALPH", "Alpha", 1, 30, 0, 1},
		{"?search=%25", "delta%", 1, 30, 0, 1},
		{"?search=", "delta% gamma Alpha beta", 4, 30, 0, 1},
		{"?state=expired", "beta", 1, 30, 0, 1},
		{"?state=active&sort=expires_at&order=asc&limit=1", "Alpha", 3, 1, 0, 1},
		{"?state=off", "", 0, 30, 0, 1},
		{"?state=whatever", "delta% gamma Alpha beta", 4, 30, 0, 1},
	} {
		p := list(c.query)
		want := &wire.Pagination{Total: c.total, Limit: c.limit, Offset: c.offset, HasMore: c.offset+c.limit < c.total, Page: &c.number}
		pages := (c.total + c.limit - 1) / c.limit
		want.TotalPages = &pages
		if d := cmp.Diff(p.Pagination, want); d != "" || p.Names() != c.names {
			t.Errorf("%s: %s, want %s; got -, want +\n%s", c.query, p.Names(), c.names, d)
		}
		if c.names == "gamma delta% beta Alpha" {
			gamma = p.Data[0].ID
		}
	}
	var one map[string]any
	h.data(h.Call("GET", "/api/admin/api-keys/"+gamma, "", "Authorization", admin), &one)
	if one["name"] != "gamma" || one["key"] != one["key_masked"] {
		t.Errorf("a single key: %v", one)
	}
	h.Want("an unknown key", h.Call("GET", "/api/admin/api-keys/x", "", "Authorization", admin), 404, "not_found")
	key, _ := h.key(admin, 204547)
	h.Want("K5: a key that reads a key", h.Call("GET", "/api/admin/api-keys/"+gamma, "", "Authorization", key), 403, "policy_denied")
	h.Want("K5: a key that pages keys", h.Call("GET", "/api/admin/api-keys?limit=1", "", "Authorization", key), 403, "policy_denied")
}

// tagOf reads something and returns its entity tag.
func (h *house) tagOf(path, auth string) string {
	h.T.Helper()
	a := h.Call("GET", path, "", "Authorization", auth)
	h.Want(path, a, 200, "")
	tag := a.Header().Get("ETag")
	if len(tag) < 4 || tag[0] != '"' {
		h.T.Fatalf("%s has the entity tag %q", path, tag)
	}
	return tag
}

// Two administrators, or two tabs of one, change the same thing.
func TestTheSecondOfTwoChangesIsToldOfTheFirst(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	_, key := h.key(admin, 1)
	for _, c := range []struct{ name, read, write, first, second string }{
		{"contract 5.6: a key", "/api/admin/api-keys/" + key, "/api/admin/api-keys/" + key, `{"name":"first"}`, `{"permissions":3}`},
		{"contract 8: a storage config", "/api/s3-configs/public", "/api/s3-configs/public", `{"name":"first"}`, `{"default_folder":"second"}`},
		{"contract 10.4: settings of a group", "/api/admin/settings?group=4", "/api/admin/settings/group/4", `{"site_title":"first"}`, `{"site_favicon_url":""}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tag := h.tagOf(c.read, admin)
			if again := h.tagOf(c.read, admin); again != tag {
				t.Errorf("unchanged, but the tag went from %s to %s", tag, again)
			}
			done := h.Call("PUT", c.write, c.first, "Authorization", admin, "If-Match", tag)
			h.Want("the first", done, 200, "")
			if got, want := done.Header().Get("ETag"), h.tagOf(c.read, admin); got != want {
				t.Errorf("the answer has the tag %q, the record %q", got, want)
			}
			h.Want("the second", h.Call("PUT", c.write, c.second, "Authorization", admin, "If-Match", tag), 412, "precondition_failed")
			if h.tagOf(c.read, admin) == tag {
				t.Error("changed, but the tag is the same")
			}
			now := h.tagOf(c.read, admin)
			h.Want("an old client", h.Call("PUT", c.write, c.first, "Authorization", admin), 200, "")
			h.Want("any version", h.Call("PUT", c.write, c.first, "Authorization", admin, "If-Match", "*"), 200, "")
			h.Want("the values are those that were seen", h.Call("PUT", c.write, c.second, "Authorization", admin, "If-Match", "W/"+now), 200, "")
		})
	}
}

func TestContract5_6_RowsOfTheListTellTheirTag(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	_, id := h.key(admin, 1)
	path := "/api/admin/api-keys/" + id
	for _, query := range []string{"", "?limit=5"} {
		var rows []struct{ ID, ETag string }
		h.data(h.Call("GET", "/api/admin/api-keys"+query, "", "Authorization", admin), &rows)
		if want := h.tagOf(path, admin); len(rows) != 1 || rows[0].ID != id || rows[0].ETag != want {
			t.Errorf("%q: %v, want the tag %s", query, rows, want)
		}
		h.Want("with the tag of the row", h.Call("PUT", path, `{"is_active":false}`, "Authorization", admin, "If-Match", rows[0].ETag), 200, "")
		h.Want("with it again", h.Call("PUT", path, `{"is_active":true}`, "Authorization", admin, "If-Match", rows[0].ETag), 412, "precondition_failed")
		h.Want("for the next round", h.Call("PUT", path, `{"is_active":true}`, "Authorization", admin), 200, "")
	}
}

func TestAnIfMatchThatNamesNoVersionChangesNothing(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	_, id := h.key(admin, 1)
	path := "/api/admin/api-keys/" + id
	tag := h.tagOf(path, admin)
	for _, match := range []string{"W/", ",", `""`, `W/""`, "garbage", "null", strings.Trim(tag, `"`), tag + "x"} {
		h.Want(match, h.Call("PUT", path, `{"name":"x"}`, "Authorization", admin, "If-Match", match), 412, "precondition_failed")
	}
	if h.tagOf(path, admin) != tag {
		t.Error("the key was changed")
	}
	for _, match := range []string{"", " ", tag, ", " + tag, "*"} {
		h.Want(match, h.Call("PUT", path, `{"is_guest":false}`, "Authorization", admin, "If-Match", match), 200, "")
	}
}

func TestContract10_4_APartialUpdateTellsTheNewTag(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	a := h.Call("PUT", "/api/admin/settings/group/4", `{"site_title":"one","nothing":"x"}`, "Authorization", admin, "If-Match", h.tagOf("/api/admin/settings?group=4", admin))
	if a.Code != 202 || a.Header().Get("ETag") != h.tagOf("/api/admin/settings?group=4", admin) {
		t.Errorf("%s, tag %s", a.Body, a.Header().Get("ETag"))
	}
	for _, auth := range []string{"", admin} {
		if tag := h.Call("GET", "/api/admin/settings?group=4", "", "Authorization", auth).Header().Get("ETag"); (tag == "") != (auth == "") {
			t.Errorf("with %q the tag is %q", auth, tag)
		}
	}
}

func TestDeletingAKeyOffersToRevokeItsShares(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	stays, staying := h.key(admin, 1)
	goes, going := h.key(admin, 1)
	for auth, slugs := range map[string][]string{stays: {"stays"}, goes: {"goes-1", "goes-2"}, admin: {"of-admin"}} {
		for _, slug := range slugs {
			h.Want(slug, h.Call("POST", "/api/paste", `{"content":"x","slug":"`+slug+`"}`, "Authorization", auth), 200, "")
		}
	}
	shared := func(id string) (n sharedJSON) {
		t.Helper()
		a := h.Call("GET", "/api/admin/api-keys/"+id+"/shares", "", "Authorization", admin)
		h.Want("counting", a, 200, "")
		h.data(a, &n)
		return n
	}
	if n := shared(going); n != (sharedJSON{Pastes: 2, Total: 2}) {
		t.Errorf("the key has shared %+v", n)
	}
	for _, c := range []struct {
		name, method, path, auth string
		status                   int
		key                      string
	}{
		{"a key that counts", "GET", going + "/shares", goes, 403, "policy_denied"},
		{"a key that revokes", "DELETE", going + "?revoke_shares=1", stays, 403, "policy_denied"},
		{"a key that revokes all shares of another", "DELETE", going + "/shares", stays, 403, "policy_denied"},
		{"all shares of an unknown key", "DELETE", "x/shares", admin, 404, "not_found"},
		{"nobody", "DELETE", going + "?revoke_shares=1", "", 401, "unauthenticated"},
		{"an unknown key", "GET", "x/shares", admin, 404, "not_found"},
		{"an unknown key with its shares", "DELETE", "x?revoke_shares=1", admin, 404, "not_found"},
		{"a flag that is none", "DELETE", going + "?revoke_shares=perhaps", admin, 400, "invalid_argument"},
	} {
		h.Want(c.name, h.Call(c.method, "/api/admin/api-keys/"+c.path, "", "Authorization", c.auth), c.status, c.key)
	}

	a := h.Call("DELETE", "/api/admin/api-keys/"+staying+"?revoke_shares=0", "", "Authorization", admin)
	if h.Want("deleting a key alone", a, 200, ""); a.Data != nil {
		t.Errorf("%s", a.Body)
	}
	h.Want("its share", h.Call("GET", "/api/raw/stays", ""), 200, "")
	var n sharedJSON
	a = h.Call("DELETE", "/api/admin/api-keys/"+going+"?revoke_shares=true", "", "Authorization", admin)
	h.Want("deleting a key and its shares", a, 200, "")
	if h.data(a, &n); n != (sharedJSON{Pastes: 2, Total: 2}) {
		t.Errorf("%s", a.Body)
	}
	for slug, status := range map[string]int{"goes-1": 404, "goes-2": 404, "stays": 200, "of-admin": 200} {
		if a := h.Call("GET", "/api/raw/"+slug, ""); a.ResponseRecorder.Code != status {
			t.Errorf("%s answers %d", slug, a.ResponseRecorder.Code)
		}
	}
	h.Want("again", h.Call("DELETE", "/api/admin/api-keys/"+going+"?revoke_shares=true", "", "Authorization", admin), 404, "not_found")
	if n := shared(staying); n.Total != 1 {
		t.Errorf("a key deleted alone has left %+v", n)
	}
	a = h.Call("DELETE", "/api/admin/api-keys/"+staying+"?revoke_shares=1", "", "Authorization", admin)
	h.Want("afterthought", a, 200, "")
	h.Want("its share now", h.Call("GET", "/api/paste/stays", ""), 404, "not_found")

	// Its shares end, and the key goes on.
	auth, busy := h.key(admin, 1)
	share := func(slug string) {
		h.Want(slug, h.Call("POST", "/api/paste", `{"content":"x","slug":"`+slug+`"}`, "Authorization", auth), 200, "")
	}
	share("ends-1")
	share("ends-2")
	a = h.Call("DELETE", "/api/admin/api-keys/"+busy+"/shares", "", "Authorization", admin)
	h.Want("all shares of a key", a, 200, "")
	if h.data(a, &n); n != (sharedJSON{Pastes: 2, Total: 2}) || shared(busy).Total != 0 {
		t.Errorf("%s", a.Body)
	}
	h.Want("one of them", h.Call("GET", "/api/paste/ends-2", ""), 404, "not_found")
	share("goes-on")
}

func TestStoredAnswerOfAKeyDoesNotHoldItsValue(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	make := func() edgetest.Answer {
		return h.Call("POST", "/api/admin/api-keys", `{"name":"once"}`, "Authorization", admin, "Idempotency-Key", "one")
	}
	var first, second struct{ ID, Key string }
	h.data(make(), &first)
	a := make()
	h.data(a, &second)
	if second.ID != first.ID || second.Key == first.Key || a.Code != 201 {
		t.Errorf("the repeated call answered %s", a.Body)
	}
}

func TestK7_StorageConfigsShowNoSecretAndKeysSeeLittle(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 2)
	text, _ := h.key(admin, 1)
	all := h.Call("GET", "/api/s3-configs", "", "Authorization", admin)
	var rows []map[string]any
	h.data(all, &rows)
	if len(rows) != 2 || rows[0]["id"] != "private" || rows[0]["custom_host"] != "https://cdn.example" || rows[1]["custom_host"] != nil || rows[1]["is_default"] != 1.0 {
		t.Errorf("%s", all.Body)
	}
	one := h.Call("GET", "/api/s3-configs/private", "", "Authorization", admin)
	h.Want("one", one, 200, "")
	for _, body := range []string{all.Body.String(), one.Body.String()} {
		for _, secret := range []string{"sealed", "access_key", "secret"} {
			if strings.Contains(body, secret) {
				t.Errorf("the answer holds %q: %s", secret, body)
			}
		}
	}
	list := h.Call("GET", "/api/s3-configs", "", "Authorization", key)
	var seen []json.RawMessage
	h.data(list, &seen)
	if len(seen) != 1 || strings.Join(namesIn(t, seen[0]), " ") != "default_folder id is_default is_public name provider_type total_storage_bytes" {
		t.Errorf("a key sees %s", list.Body)
	}
	h.Want("a public one", h.Call("GET", "/api/s3-configs/public", "", "Authorization", key), 200, "")
	h.Want("a private one", h.Call("GET", "/api/s3-configs/private", "", "Authorization", key), 404, "not_found")
	h.Want("an unknown one", h.Call("GET", "/api/s3-configs/x", "", "Authorization", admin), 404, "not_found")
	h.Want("a key without FILE_SHARE", h.Call("GET", "/api/s3-configs", "", "Authorization", text), 403, "policy_denied")
	h.Want("nobody", h.Call("GET", "/api/s3-configs", ""), 401, "unauthenticated")
}
