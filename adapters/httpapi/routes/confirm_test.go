package routes

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/enginetest"
)

// confirmedOps are the operations that an old session alone must not reach,
// with the requests that need the password and those that do not.
var confirmedOps = map[string]struct{ needs, free []string }{
	"policy.save": {}, "policy.check": {}, "policy.effect": {}, "policy.activate": {}, "policy.shadow": {}, "policy.confirm": {},
	"key.create": {}, "key.rotate": {}, "backup.create": {}, "backup.restore": {}, "backup.download": {}, "backup.take": {}, "backup.delete": {}, "backup.restart": {},
	"policy.explain": {needs: []string{`{"files":{"a.rego":"package a"}}`, `{"revision":"none"}`}},
	"setting.update": {needs: []string{`{"site_custom_head":"<i>","site_title":"x"}`, `{"site_custom_body":"<i>"}`},
		free: []string{`{"site_title":"y"}`, `{"site_custom_head":""}`}},
	"storage.create": {needs: []string{`{"name":"n","provider_type":"Local disk","options":{"directory":"d"}}`, `{"name":"n","driver":"local"}`},
		free: []string{`{"name":"n","provider_type":"Other","endpoint_url":"https://s3.example","bucket_name":"b","access_key_id":"a","secret_access_key":"s"}`}},
	"storage.update": {needs: []string{`{"driver":"local","options":{"directory":"d"}}`}, free: []string{`{"name":"renamed"}`}},
	"storage.try":    {needs: []string{`{"name":"n","driver":"local","options":{"directory":"d"}}`, `{"id":"public","name":"n"}`}, free: []string{`{"id":"private","name":"n"}`}},
}

// requestOf is the method and an address of an operation.
func requestOf(op httpapi.Op) (method, target string) {
	target = strings.NewReplacer("{id}", "private", "{group}", "4").Replace(op.Path)
	return op.Method, target
}

func TestWhatIsAsGoodAsAShellNeedsThePasswordOfTheLastHour(t *testing.T) {
	h := newPanel(t)
	session := h.SignIn()
	h.Clock.Add(time.Hour + time.Second)
	fresh := h.SignIn()
	h.Want("Basic from anywhere", h.Call("PUT", "/api/admin/settings/group/3", `{"basic_over_public_http":true}`, "Authorization", fresh), 200, "")
	basic := basicOf("admin", enginetest.PanelPassword)
	for _, op := range registered().Ops() {
		row, listed := confirmedOps[op.Name]
		if listed != op.Confirm.Wanted() || listed && !slices.Contains(op.Errors, "confirm_required") {
			t.Errorf("%s: Confirm is %t, want %t", op.Name, op.Confirm.Wanted(), listed)
			continue
		}
		if !listed {
			continue
		}
		method, target := requestOf(op)
		if op.Confirm.Always {
			row.needs = []string{"{}"}
		}
		for _, body := range row.needs {
			h.Want(op.Name+" with an old session: "+body, h.Call(method, target, body, "Authorization", session), 403, "confirm_required")
			h.Want(op.Name+" with Basic: "+body, h.Call(method, target, body, "Authorization", basic), 403, "confirm_required")
		}
		for _, body := range row.free {
			if a := h.Call(method, target, body, "Authorization", session); a.Error == "confirm_required" {
				t.Errorf("%s %s: %s", op.Name, body, a.Body)
			}
		}
	}
	if a := h.Call("PUT", "/api/s3-configs/public", `{"name":"renamed"}`, "Authorization", session); a.Error != "confirm_required" {
		t.Errorf("a config on this server's disk was changed: %s", a.Body)
	}
	if a := h.Call("PUT", "/api/s3-configs/nothing", `{"name":"renamed"}`, "Authorization", session); a.ResponseRecorder.Code != http.StatusNotFound {
		t.Errorf("a config that is not there: %s", a.Body)
	}
	h.Want("the password", h.Call("POST", "/api/admin/confirm", `{"currentPassword":"`+enginetest.PanelPassword+`"}`, "Authorization", session), 200, "")
	h.Want("a key afterwards", h.Call("POST", "/api/admin/api-keys", `{"name":"k","permissions":1}`, "Authorization", session), 200, "")
}

// basicOf is an Authorization header of the scheme Basic.
func basicOf(name, password string) string {
	r, _ := http.NewRequest(http.MethodGet, "/", nil)
	r.SetBasicAuth(name, password)
	return r.Header.Get("Authorization")
}
