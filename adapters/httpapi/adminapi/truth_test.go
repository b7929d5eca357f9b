package adminapi

import (
	"fmt"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
)

func TestContract4_2_ASettingThatIsNoTruthValueIsRefusedAndNothingIsSaved(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	h.Want("on", h.Call("PUT", "/api/admin/settings/group/1", `{"share_password_required":true}`, "Authorization", admin), 200, "")
	before := h.Call("GET", "/api/admin/settings?group=1&metadata=false", "", "Authorization", admin)
	for _, query := range []string{"", "?validate=false"} {
		for _, key := range []string{"proxy_sign_all", "share_password_required", "default_use_proxy"} {
			for _, value := range edgetest.NoFlags {
				a := h.Call("PUT", "/api/admin/settings/group/1"+query, `{"max_upload_size":7,"`+key+`":`+value+`}`, "Authorization", admin)
				h.Want(key+" "+value+query, a, 400, "invalid_argument")
				if !strings.Contains(a.Message, key) {
					t.Errorf("the message names no setting: %s", a.Message)
				}
			}
		}
	}
	if after := h.Call("GET", "/api/admin/settings?group=1&metadata=false", "", "Authorization", admin); string(after.Data) != string(before.Data) {
		t.Errorf("saved all the same: %s", after.Data)
	}
}

func TestAnOptionOfADriverThatIsNoTruthValueIsRefused(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	body := func(value string) string {
		return `{"name":"n","driver":"s3","endpoint_url":"https://s3.example","bucket_name":"b","access_key_id":"k","secret_access_key":"s","options":{"path_style":` + value + `}}`
	}
	for _, value := range []string{`"TRUE"`, `"t"`, `"yes"`, `2`} {
		h.Want(value, h.Call("POST", "/api/s3-configs", body(value), "Authorization", admin), 400, "invalid_argument")
	}
	for value, want := range edgetest.Flags {
		a := h.Call("POST", "/api/s3-configs", body(value), "Authorization", admin)
		if a.Code != 201 || !strings.Contains(string(a.Data), fmt.Sprintf(`"path_style":%t`, want)) {
			t.Errorf("%s: %s", value, a.Body)
		}
	}
}
