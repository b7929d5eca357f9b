package adminapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
)

func TestContract10_4_GroupsAreReadByEverybody(t *testing.T) {
	h := newHouse(t)
	a := h.Call("GET", "/api/admin/settings?group=4&metadata=false", "")
	var pairs []map[string]any
	h.data(a, &pairs)
	if !a.Success || len(pairs) != 8 || len(pairs[0]) != 2 || pairs[0]["key"] != "site_announcement_content" || pairs[7]["key"] != "site_title" || pairs[7]["value"] != "Pasteport" {
		t.Errorf("%s", a.Body)
	}
	a = h.Call("GET", "/api/admin/settings?group=1&metadata=true", "", "Accept-Language", "en")
	var rows []json.RawMessage
	h.data(a, &rows)
	if len(rows) != 10 || strings.Join(namesIn(t, rows[0]), " ") != "created_at description flags group_id key options sort_order type updated_at value" {
		t.Errorf("%s", a.Body)
	}
	if !strings.Contains(string(rows[3]), `"options":"[{\"value\":\"overwrite\",\"label\":\"Overwrite\"}`) || !strings.Contains(string(rows[0]), `"options":null`) {
		t.Errorf("options in %s", a.Body)
	}
	if bare := h.Call("GET", "/api/admin/settings?group=1", "", "Accept-Language", "en"); string(bare.Data) != string(a.Data) {
		t.Errorf("without metadata: %s", bare.Body)
	}
	if a := h.Call("GET", "/api/admin/settings?group=7", ""); string(a.Data) != "[]" {
		t.Errorf("an unknown group: %s", a.Body)
	}
	h.Want("no number", h.Call("GET", "/api/admin/settings?group=abc", ""), 400, "invalid_argument")
	h.Want("with a stale token", h.Call("GET", "/api/admin/settings?group=4", "", "Authorization", "Bearer old"), 200, "")
}

func TestContract10_4_TheRestIsTheAdministrators(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	for _, path := range []string{"/api/admin/settings", "/api/admin/settings?group=99", "/api/admin/settings?includeSystem=true", "/api/admin/settings/groups", "/api/admin/settings/metadata?key=site_title"} {
		h.Want("nobody "+path, h.Call("GET", path, ""), 401, "unauthenticated")
		h.Want("a key "+path, h.Call("GET", path, "", "Authorization", key), 403, "policy_denied")
		h.Want("admin "+path, h.Call("GET", path, "", "Authorization", admin), 200, "")
	}
	a := h.Call("GET", "/api/admin/settings", "", "Authorization", admin)
	if got := strings.Join(namesIn(t, a.Data), " "); got != "1 2 3 4 5" {
		t.Errorf("groups are %s", got)
	}
	a = h.Call("GET", "/api/admin/settings?includeSystem=true", "", "Authorization", admin)
	if got := strings.Join(namesIn(t, a.Data), " "); got != "1 2 3 4 5 99" {
		t.Errorf("groups are %s", got)
	}
	a = h.Call("GET", "/api/admin/settings/groups", "", "Authorization", admin, "Accept-Language", "en-US")
	if !strings.Contains(string(a.Data), `{"groups":[{"id":1,"name":"Global","settingCount":17,"readonlyCount":0}`) {
		t.Errorf("%s", a.Body)
	}
	h.Want("no key", h.Call("GET", "/api/admin/settings/metadata", "", "Authorization", admin), 400, "invalid_argument")
	h.Want("an unknown key", h.Call("GET", "/api/admin/settings/metadata?key=x", "", "Authorization", admin), 404, "not_found")
}

func TestContract10_4_UpdateAnswers202WhenSomeWereRefused(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	a := h.Call("PUT", "/api/admin/settings/group/1", `{"max_upload_size":"12","default_use_proxy":true,"proxy_sign_expires":-1}`, "Authorization", admin, "Accept-Language", "en")
	if a.ResponseRecorder.Code != 200 || a.Code != 202 || a.Success {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	var data map[string]any
	h.data(a, &data)
	problems, _ := json.Marshal(data["errors"])
	if data["groupId"] != 1.0 || data["updatedCount"] != 2.0 || data["totalCount"] != 3.0 || data["success"] != false || data["message"] == "" ||
		!strings.Contains(string(problems), `"key":"proxy_sign_expires"`) || strings.Contains(string(problems), "{") != true {
		t.Errorf("%s", a.Body)
	}
	a = h.Call("PUT", "/api/admin/settings/group/1?validate=false", `{"proxy_sign_expires":-1,"max_upload_size":12}`, "Authorization", admin)
	h.data(a, &data)
	if a.Code != 200 || !a.Success || len(data["errors"].([]any)) != 0 || data["updatedCount"] != 2.0 {
		t.Errorf("%s", a.Body)
	}
	a = h.Call("PUT", "/api/admin/settings/group/99", `{"schema_version":9}`, "Authorization", admin)
	if a.Code != 202 {
		t.Errorf("group 99: %s", a.Body)
	}
	for body, path := range map[string]string{`[]`: "1", `"x"`: "1", `{`: "1", `{}`: "abc"} {
		h.Want(body, h.Call("PUT", "/api/admin/settings/group/"+path, body, "Authorization", admin), 400, "invalid_argument")
	}
	key, _ := h.key(admin, 204547)
	h.Want("a key", h.Call("PUT", "/api/admin/settings/group/1", `{"max_upload_size":1}`, "Authorization", key), 403, "policy_denied")
	h.Want("nobody", h.Call("PUT", "/api/admin/settings/group/1", `{"max_upload_size":1}`), 401, "unauthenticated")
}

func TestContract10_2_MaxUploadSizeFollowsTheSetting(t *testing.T) {
	h := newHouse(t)
	if a := h.Call("GET", "/api/system/max-upload-size", ""); string(a.Data) != `{"max_upload_size":100}` {
		t.Errorf("%s", a.Body)
	}
	h.Call("PUT", "/api/admin/settings/group/1", `{"max_upload_size":7}`, "Authorization", h.SignIn())
	if a := h.Call("GET", "/api/system/max-upload-size", ""); string(a.Data) != `{"max_upload_size":7}` {
		t.Errorf("%s", a.Body)
	}
}

func TestContract10_3_VersionAndHealth(t *testing.T) {
	h := newHouse(t)
	h.Clock.Add(90*time.Second + time.Millisecond)
	a := h.Call("GET", "/api/version", "")
	if got := strings.Join(namesIn(t, a.Data), " "); got != "environment name nodeVersion storage uptime version" || !strings.Contains(string(a.Data), `"uptime":90`) {
		t.Errorf("%s", a.Body)
	}
	health := func() string {
		a := h.Call("GET", "/api/health", "")
		if got := a.Header().Get("Retry-After"); (got != "") != (a.Result().StatusCode == http.StatusServiceUnavailable) {
			t.Errorf("%s says Retry-After %q", a.Result().Status, got)
		}
		return a.Result().Status[:3] + " " + a.Body.String()
	}
	if got := health(); got != `200 {"status":"ok","timestamp":"2026-11-21T08:01:30.001Z"}` {
		t.Errorf("%s", got)
	}
	h.usable = edgetest.ErrDown
	if got := health(); !strings.HasPrefix(got, `503 {"status":"error"`) {
		t.Errorf("without a database: %s", got)
	}
	h.usable, h.rules.failure = nil, edgetest.ErrDown
	if got := health(); !strings.HasPrefix(got, `503 {"status":"error"`) {
		t.Errorf("without policies: %s", got)
	}
}

func TestContract10_1_Dashboard(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	if a := h.Call("POST", "/api/paste", `{"content":"x"}`, "Authorization", admin); a.ResponseRecorder.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	a := h.Call("GET", "/api/admin/dashboard/stats", "", "Authorization", admin)
	var data struct {
		TotalPastes, TotalFiles, TotalAPIKeys, TotalS3Configs, TotalStorageUsed int
		LastWeekPastes, LastWeekFiles                                           []int
		PerDay                                                                  struct{ Pastes, Files []int }
		S3Buckets                                                               []map[string]any
	}
	h.data(a, &data)
	if data.TotalPastes != 1 || data.TotalFiles != 0 || data.TotalAPIKeys != 1 || data.TotalS3Configs != 2 || len(data.S3Buckets) != 2 ||
		len(data.LastWeekFiles) != 7 || len(data.LastWeekPastes) != 7 || data.LastWeekPastes[6] != 1 {
		t.Errorf("%s", a.Body)
	}
	if b := data.S3Buckets[1]; b["totalStorage"] != 1000.0 || b["usagePercent"] != 0.0 || b["usage"].(map[string]any)["file_count"] != 0.0 || b["provider_type"] != b["providerType"] {
		t.Errorf("bucket %v", b)
	}
	for asked, days := range map[string]int{"": 7, "?days=1": 7, "?days=30": 30, "?days=9999": 90, "?days=x": 7} {
		h.data(h.Call("GET", "/api/admin/dashboard/stats"+asked, "", "Authorization", admin), &data)
		if p := data.PerDay.Pastes; len(p) != days || len(data.PerDay.Files) != days || p[days-1] != 1 || len(data.LastWeekPastes) != 7 || data.LastWeekPastes[6] != 1 {
			t.Errorf("%q: %+v", asked, data)
		}
	}
	h.Want("a key", h.Call("GET", "/api/admin/dashboard/stats", "", "Authorization", key), 403, "policy_denied")
	h.Want("nobody", h.Call("GET", "/api/admin/dashboard/stats", ""), 401, "unauthenticated")
}

func TestContract10_5_Caches(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 204547)
	a := h.Call("GET", "/api/admin/cache/stats", "", "Authorization", admin)
	var data struct {
		Cache  map[string]map[string]any
		System struct{ Memory map[string]float64 }
	}
	h.data(a, &data)
	for _, name := range []string{"directory", "s3Url", "search"} {
		if c := data.Cache[name]; len(c) != 8 || c["cacheSize"] != 0.0 || c["hitRate"] != 0.0 {
			t.Errorf("%s is %v", name, c)
		}
	}
	h.Call("POST", "/api/paste", `{"content":"x","slug":"often"}`, "Authorization", admin)
	h.Clock.Add(10 * time.Second) // a share that was just made is kept out of the cache for a moment
	stats := func() map[string]any {
		h.data(h.Call("GET", "/api/admin/cache/stats", "", "Authorization", admin), &data)
		return data.Cache["pastes"]
	}
	for range 4 {
		h.Call("GET", "/api/raw/often", "", "Authorization", admin)
	}
	if c := stats(); c["hits"] != 3.0 || c["misses"] != 1.0 || c["hitRate"] != 0.75 || c["cacheSize"] != 1.0 {
		t.Errorf("after four reads: %v", c)
	}
	if a := h.Call("POST", "/api/admin/cache/clear", "", "Authorization", admin); !strings.Contains(string(a.Data), `"clearedCount":1`) || stats()["cacheSize"] != 0.0 {
		t.Errorf("%s, then %v", a.Body, stats())
	}
	if len(data.System.Memory) != 6 || data.System.Memory["rss"] <= 0 {
		t.Errorf("memory is %v", data.System.Memory)
	}
	for _, body := range []string{``, `{}`, `{"mountId":"x"}`, `{"s3ConfigId":"x"}`} {
		a := h.Call("POST", "/api/admin/cache/clear", body, "Authorization", admin)
		h.Want("clear "+body, a, 200, "")
		if got := strings.Join(namesIn(t, a.Data), " "); got != "clearedCount timestamp" {
			t.Errorf("%s", a.Body)
		}
	}
	h.Want("a key", h.Call("POST", "/api/admin/cache/clear", "{}", "Authorization", key), 403, "policy_denied")
}

func TestDecision9_OriginsFollowTheSetting(t *testing.T) {
	h := newHouse(t)
	origin := func() string {
		return h.Call("GET", "/api/version", "", "Origin", "https://a.example").Header().Get("Access-Control-Allow-Origin")
	}
	if got := origin(); got != "*" {
		t.Errorf("without a list: %q", got)
	}
	admin := h.SignIn()
	for list, want := range map[string]string{"https://b.example": "", "https://b.example,https://a.example": "https://a.example"} {
		h.Call("PUT", "/api/admin/settings/group/1", `{"cors_allowed_origins":"`+list+`"}`, "Authorization", admin)
		if got := origin(); got != want {
			t.Errorf("with %s: %q, want %q", list, got, want)
		}
	}
}

func TestH1_ScriptsOfTheSiteNeedAFreshPassword(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	put := func(body string) edgetest.Answer {
		return h.Call("PUT", "/api/admin/settings/group/4", body, "Authorization", admin)
	}
	h.Want("right after signing in", put(`{"site_custom_head":"<b>"}`), 200, "")
	h.Clock.Add(2 * time.Hour)
	h.Want("two hours later", put(`{"site_custom_head":"<i>","site_title":"x"}`), 403, "confirm_required")
	h.Want("a backup, which could bring scripts", h.Call("POST", "/api/admin/backup/restore", "a backup", "Authorization", admin), 403, "confirm_required")
	h.Want("what stays as it is", put(`{"site_custom_head":"<b>","site_title":"y"}`), 200, "")
	log := &notes{}
	h.audit.AuditLog = log
	h.Want("a wrong password", h.Call("POST", "/api/admin/confirm", `{"currentPassword":"wrong"}`, "Authorization", admin), 400, "invalid_argument")
	if len(log.all) != 1 || log.all[0].Action != "account.confirm" || log.all[0].Outcome != "failed" {
		t.Errorf("the wrong password is not noted: %+v", log.all)
	}
	h.Want("the password", h.Call("POST", "/api/admin/confirm", `{"currentPassword":"`+enginetest.PanelPassword+`"}`, "Authorization", admin), 200, "")
	h.Want("afterwards", put(`{"site_custom_head":"<i>"}`), 200, "")
}
