package adminapi

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/domain/audit"
	"pasteport/domain/backup"
)

// notes is an audit log in memory.
type notes struct{ all []audit.Entry }

func (n *notes) Add(_ context.Context, e audit.Entry) error {
	n.all = append(n.all, e)
	return nil
}

func TestG3_WhatTheAdministratorDoesIsNotedWithoutSecrets(t *testing.T) {
	h, log := newHouse(t), &notes{}
	h.audit.AuditLog = log
	last := func() audit.Entry {
		t.Helper()
		if len(log.all) == 0 {
			t.Fatal("nothing is noted")
		}
		return log.all[len(log.all)-1]
	}
	h.Call("POST", "/api/admin/login", `{"username":"admin","password":"a wrong guess"}`)
	if e := last(); e.Action != "session.open" || e.Outcome != audit.Failed || e.Code != "unauthenticated" || e.Target != "" || e.Details != "" {
		t.Errorf("a wrong guess: %+v", e)
	}
	admin := h.SignIn()
	if e := last(); e.Action != "session.open" || e.Outcome != "" || e.Name != "admin" {
		t.Errorf("signing in: %+v", e)
	}
	h.Call("POST", "/api/admin/api-keys", `{"name":"ci","custom_key":"very-secret-key-value","permissions":3}`, "Authorization", admin)
	if e := last(); e.Action != "key.create" || !strings.HasSuffix(e.Target, " ci") || e.Actor == "" || e.RequestID == "" || !strings.Contains(e.Details, `"permissions":3`) {
		t.Errorf("a new key: %+v", e)
	}
	h.Call("PUT", "/api/admin/settings/group/4", `{"site_title":"New","site_custom_head":"<b>"}`, "Authorization", admin)
	var details struct {
		Title  string            `json:"site_title"`
		Before map[string]string `json:"before"`
	}
	e := last()
	if err := json.Unmarshal([]byte(e.Details), &details); err != nil || e.Action != "setting.update" || details.Title != "New" {
		t.Errorf("settings: %+v, %v", e, err)
	}
	if _, there := details.Before["site_custom_head"]; !there || details.Before["site_title"] == "New" {
		t.Errorf("what was there before: %v", details.Before)
	}
	h.Call("POST", "/api/s3-configs", `{"name":"s","provider_type":"local","options":{"pin":"4711"},"secret_access_key":"shh-very","bucket_name":"b"}`, "Authorization", admin)
	h.Call("POST", "/api/admin/change-password", `{"currentPassword":"a wrong guess","newPassword":"another quiet river"}`, "Authorization", admin)
	if e := last(); e.Action != "account.update" || e.Code != "password_wrong" {
		t.Errorf("a wrong password: %+v", e)
	}
	h.Call("POST", "/api/admin/change-password", `{"currentPassword":"`+enginetest.PanelPassword+`","newPassword":"another quiet river"}`, "Authorization", admin)
	if e := last(); e.Action != "account.update" || e.Outcome != "" {
		t.Errorf("a new password: %+v", e)
	}
	before := len(log.all)
	h.Call("GET", "/api/admin/api-keys", "", "Authorization", admin)
	h.Call("POST", "/api/admin/logout", "")
	if len(log.all) != before {
		t.Errorf("what changes nothing is noted: %+v", log.all[before:])
	}
	text, err := json.Marshal(log.all)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"a wrong guess", "quiet river", "very-secret-key-value", "4711", "shh-very", strings.TrimPrefix(admin, "Bearer ")} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%q stands in the audit log", secret)
		}
	}
}

func TestG3_ChangesAreNotedWithWhatWasThereBefore(t *testing.T) {
	h, log := newHouse(t), &notes{}
	h.audit.AuditLog = log
	admin := h.SignIn()
	_, id := h.key(admin, 3)
	h.Call("POST", "/api/s3-configs", `{"name":"old name","provider_type":"local","options":{"pin":"4711","directory":"there"},"total_storage_bytes":5000}`, "Authorization", admin)
	config, _, _ := strings.Cut(log.all[len(log.all)-1].Target, " ")
	for _, c := range []struct {
		method, path, body string
		want               map[string]any // of before; absent ones must not be there
	}{
		{"PUT", "/api/admin/api-keys/" + id, `{"permissions":1,"is_active":false}`, map[string]any{"permissions": 3.0, "is_active": 1.0}},
		{"PUT", "/api/s3-configs/private", `{"name":"new","custom_host":null}`, map[string]any{"name": "a closed", "custom_host": "https://cdn.example"}},
		{"PUT", "/api/s3-configs/" + config, `{"name":"new name","options":{"pin":"4712"},"total_storage_bytes":6000}`, map[string]any{"name": "old name", "total_storage_bytes": 5000.0}},
	} {
		a := h.Call(c.method, c.path, c.body, "Authorization", admin)
		if a.ResponseRecorder.Code != 200 {
			t.Fatalf("%s %s: %d %s", c.method, c.path, a.ResponseRecorder.Code, a.Body)
		}
		if want, ok := c.want["name"].(string); ok && !strings.HasSuffix(log.all[len(log.all)-1].Target, " "+want) {
			t.Errorf("%s %s: noted of %q, not of %s", c.method, c.path, log.all[len(log.all)-1].Target, want)
		}
		var details struct{ Before map[string]any }
		if err := json.Unmarshal([]byte(log.all[len(log.all)-1].Details), &details); err != nil {
			t.Fatal(err)
		}
		delete(details.Before, "options")
		if diff := cmp.Diff(c.want, details.Before); diff != "" {
			t.Errorf("%s %s: before (-want +got)\n%s", c.method, c.path, diff)
		}
	}
	h.Call("PUT", "/api/s3-configs/private/set-default", "", "Authorization", admin)
	if e := log.all[len(log.all)-1]; e.Action != "storage.set_default" || e.Details != `{"before":"public"}` {
		t.Errorf("another default: %+v", e)
	}
	h.Call("DELETE", "/api/s3-configs/"+config, "", "Authorization", admin)
	if e := log.all[len(log.all)-1]; e.Action != "storage.delete" || !strings.Contains(e.Details, `"name":"new name"`) {
		t.Errorf("a deleted config: %+v", e)
	}
	h.Call("DELETE", "/api/admin/api-keys/"+id, "", "Authorization", admin)
	if e := log.all[len(log.all)-1]; e.Action != "key.delete" || !strings.Contains(e.Details, `"permissions":1`) || !strings.Contains(e.Details, `"name":"key `) {
		t.Errorf("a deleted key: %+v", e)
	}
	text, err := json.Marshal(log.all)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"4711", "4712", "sealed-secret", "c2VhbGVkLXNlY3JldA"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%q stands in the audit log", secret)
		}
	}
}

// keeper writes a backup of which it knows what was noted before.
type keeper struct {
	backup.Keeper
	log    *notes
	before []audit.Entry
	fails  error
}

func (k *keeper) Make(_ context.Context, w io.Writer, _ func(context.Context) (*backup.File, error)) error {
	k.before = slices.Clone(k.log.all)
	if k.fails != nil {
		return k.fails
	}
	_, err := io.WriteString(w, "a backup")
	return err
}

func TestABackupIsNotedBeforeItsFirstByteLeaves(t *testing.T) {
	log := &notes{}
	noted := &auditTo{log}
	f := enginetest.New(t, func(o *httpapi.Options) { o.Audit = noted })
	k := &keeper{log: log}
	backupOps(f.API, backup.New(f.Decider, k, nil), nil)
	if a := f.Call("POST", "/api/admin/backup", "", "Authorization", edgetest.AsAdmin); a.Body.String() != "a backup" {
		t.Fatalf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	if n := len(k.before); n == 0 || k.before[n-1].Action != "backup.create" || len(log.all) != n {
		t.Errorf("noted before: %+v, in all: %+v", k.before, log.all)
	}
	k.fails = edgetest.ErrDown
	failed := f.Call("POST", "/api/admin/backup", "", "Authorization", edgetest.AsAdmin)
	if h := failed.Header(); failed.ResponseRecorder.Code != 500 || h.Get("Content-Disposition") != "" || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		t.Errorf("a backup that fails: %d %v", failed.ResponseRecorder.Code, h)
	}
	noted.AuditLog, k.before = broken{}, nil
	a := f.Call("POST", "/api/admin/backup", "", "Authorization", edgetest.AsAdmin)
	if a.ResponseRecorder.Code != 500 || k.before != nil || strings.Contains(a.Body.String(), "a backup") {
		t.Errorf("where nothing can be noted: %d %s", a.ResponseRecorder.Code, a.Body)
	}
}

// broken is an audit log that cannot be written.
type broken struct{}

func (broken) Add(context.Context, audit.Entry) error { return edgetest.ErrDown }
