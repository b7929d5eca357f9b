package adminapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// houseDrivers are a driver of S3's kind, one like the local disk and a broken
// one, over buckets in memory. They answer probes as the storages do.
type houseDrivers struct {
	mu      sync.Mutex
	buckets map[string]*portstest.Bucket // by config id
	opened  []objstore.Config
	cors    http.Header // of every answer
	date    string
	refuse  int // status of signed uploads, when not 0
	fail    func(method, key string) error
}

func (d *houseDrivers) Drivers() []string { return []string{"broken", "local", "r2", "s3"} }

func (d *houseDrivers) Driver(name string) (objstore.Driver, error) {
	switch name {
	case "local", "s3", "r2", "broken":
		return houseDriver{d, name}, nil
	}
	return nil, ports.ErrNotFound
}

type houseDriver struct {
	*houseDrivers
	name string
}

func (d houseDriver) Info(context.Context) (objstore.Info, error) {
	if d.name == "broken" {
		return objstore.Info{}, ports.ErrUnavailable
	}
	text := func(key string, required, secret bool) objstore.Field {
		return objstore.Field{Key: key, Type: "text", Required: required, Secret: secret, Label: map[string]string{"en": key, "zh": key}}
	}
	info := objstore.Info{Name: d.name, Label: map[string]string{"en": strings.ToUpper(d.name), "zh": d.name}, Version: "1", StorageType: "S3", Features: portstest.MemoryFeatures}
	if d.name == "local" {
		info.StorageType = "LOCAL"
		info.Features.HTTPLinks, info.Features.LocalLinks = false, true
		number := text("min_free_bytes", false, false)
		number.Type = "number"
		info.Fields = []objstore.Field{text("directory", true, false), number}
		return info, nil
	}
	endpoint, mode := text("endpoint_url", true, false), text("delete_mode", false, false)
	endpoint.Type, mode.Type = "url", "select"
	mode.Options = []objstore.Option{{Value: "purge"}, {Value: "hide"}}
	info.Fields = []objstore.Field{endpoint, text("bucket_name", true, false), text("region", false, false), text("access_key_id", true, false),
		text("secret_access_key", true, true), mode, text("api_token", false, true)}
	return info, nil
}

func (d houseDriver) Open(_ context.Context, c objstore.Config) (objstore.Bucket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opened = append(d.opened, c)
	if d.buckets == nil {
		d.buckets = map[string]*portstest.Bucket{}
	}
	b := d.buckets[c.ID]
	if b == nil {
		b = portstest.NewBucket()
		d.buckets[c.ID] = b
	}
	b.Fail, b.BaseURL = d.fail, "https://storage.example/"+c.ID
	if key := c.Options["api_token"]; key == "wrong host key" {
		return nil, &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "host_key_wrong", Params: map[string]any{"field": "api_token"}}
	}
	if c.Options["directory"] == "../out" {
		return nil, ports.InvalidInput("directory_invalid", "directory")
	}
	if d.name == "local" {
		return houseDisk{b}, nil
	}
	return houseCloud{b, d.houseDrivers}, nil
}

// houseCloud is a bucket whose rules can be set.
type houseCloud struct {
	*portstest.Bucket
	drivers *houseDrivers
}

func (c houseCloud) EnsureCORS(_ context.Context, origins []string) error {
	if c.drivers.fail != nil {
		if err := c.drivers.fail("EnsureCORS", ""); err != nil {
			return err
		}
	}
	c.drivers.cors = openCORS.Clone()
	c.drivers.cors.Set("Access-Control-Allow-Origin", strings.Join(origins, " "))
	return nil
}

// houseDisk signs nothing itself.
type houseDisk struct{ *portstest.Bucket }

func (houseDisk) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

func (houseDisk) Close() error { return nil }

// Probe asks the bucket that the address names.
func (d *houseDrivers) Probe(_ context.Context, p ports.Probe) (ports.ProbeAnswer, error) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(p.URL, "https://storage.example/"), "/")
	w := httptest.NewRecorder()
	for name, values := range d.cors {
		w.Header()[name] = values
	}
	if d.date != "" {
		w.Header().Set("Date", d.date)
	}
	switch {
	case p.Method == http.MethodOptions:
		w.WriteHeader(http.StatusOK)
	case d.refuse != 0:
		w.WriteHeader(d.refuse)
	default:
		r := httptest.NewRequest(p.Method, "/"+rest, bytes.NewReader(p.Body))
		r.Header = p.Header
		d.buckets[id].ServeHTTP(w, r)
	}
	return ports.ProbeAnswer{Status: w.Code, Header: w.Result().Header}, nil
}

func (d *houseDrivers) last() objstore.Config {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened[len(d.opened)-1]
}

var openCORS = http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Allow-Methods": {"GET, PUT"}, "Access-Control-Allow-Headers": {"*"},
	"Access-Control-Expose-Headers": {"ETag"}}

const (
	wholeConfig = `{"name":"My R2","provider_type":"Cloudflare R2","endpoint_url":"https://acc.r2.example/","bucket_name":"bkt","access_key_id":"AKIA-visible-1234","secret_access_key":"TOP-SECRET","default_folder":"/up//x/","is_public":"1","path_style":true,"custom_host":"https://cdn.example/","options":{"delete_mode":"hide","api_token":"TOKEN-SECRET","unknown":5}}`
	planConfig  = `{"name":"n","provider_type":"Other","endpoint_url":"https://e.example","bucket_name":"b","access_key_id":"AKIA-visible-1234","secret_access_key":"TOP-SECRET"}`
)

func (h *house) makeConfig(admin, body string) map[string]any {
	h.T.Helper()
	a := h.Call("POST", "/api/s3-configs", body, "Authorization", admin)
	var data map[string]any
	h.data(a, &data)
	if a.Code != 201 {
		h.T.Errorf("code %d", a.Code)
	}
	return data
}

func (h *house) readConfig(who, id string) map[string]any {
	h.T.Helper()
	var data map[string]any
	h.data(h.Call("GET", "/api/s3-configs/"+id, "", "Authorization", who), &data)
	return data
}

func TestContract8_Create(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	got := h.makeConfig(admin, wholeConfig)
	want := map[string]any{"id": got["id"], "name": "My R2", "driver": "r2", "storage_type": "S3", "provider_type": "Cloudflare R2", "endpoint_url": "https://acc.r2.example",
		"bucket_name": "bkt", "region": "", "path_style": true, "options": map[string]any{"delete_mode": "hide"}, "default_folder": "up/x", "is_public": true,
		"is_default": 0.0, "total_storage_bytes": float64(10 << 30), "custom_host": "https://cdn.example", "signature_expires_in": 3600.0, "admin_id": got["admin_id"],
		"created_at": "2026-11-21T08:00:00.000Z", "updated_at": "2026-11-21T08:00:00.000Z", "last_used": nil, "has_credentials": 1.0, "key_tail": "1234"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	options := h.drivers.last().Options
	if options["secret_access_key"] != "TOP-SECRET" || options["access_key_id"] != "AKIA-visible-1234" || options["api_token"] != "TOKEN-SECRET" || options["unknown"] != "" {
		t.Errorf("the driver was given %v", options)
	}
	read := h.readConfig(admin, got["id"].(string))
	if read["path_style"] != 1.0 || read["is_public"] != 1.0 {
		t.Errorf("read back: %v", read)
	}
}

func TestContract8_CreateDefaults(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	for _, c := range []struct {
		name, more, driver, provider string
		capacity, life               float64
	}{
		{"Other", `"provider_type":"Other"`, "s3", "Other", 5 << 30, 3600},
		{"the long form of Other", `"provider_type":"Other S3 Compatible"`, "s3", "Other S3 Compatible", 5 << 30, 3600},
		{"Aliyun", `"provider_type":"Aliyun OSS"`, "s3", "Aliyun OSS", 5 << 30, 3600},
		{"any other text", `"provider_type":"Garage 2.0"`, "s3", "Garage 2.0", 5 << 30, 3600},
		{"R2", `"provider_type":"Cloudflare R2","total_storage_bytes":null`, "r2", "Cloudflare R2", 10 << 30, 3600},
		{"only the driver", `"driver":"r2"`, "r2", "Cloudflare R2", 10 << 30, 3600},
		{"driver and provider", `"driver":"s3","provider_type":"Cloudflare R2"`, "s3", "Cloudflare R2", 5 << 30, 3600},
		{"numbers", `"provider_type":"Other","total_storage_bytes":"7","signature_expires_in":"60"`, "s3", "Other", 7, 60},
		{"numbers that are none", `"provider_type":"Other","total_storage_bytes":"many","signature_expires_in":"soon"`, "s3", "Other", 5 << 30, 3600},
		{"numbers out of range", `"provider_type":"Other","total_storage_bytes":-1,"signature_expires_in":604801`, "s3", "Other", 5 << 30, 3600},
	} {
		body := `{"name":"n","endpoint_url":"https://e.example","bucket_name":"b","access_key_id":"a","secret_access_key":"s",` + c.more + `}`
		got := h.makeConfig(admin, body)
		if got["driver"] != c.driver || got["provider_type"] != c.provider || got["total_storage_bytes"] != c.capacity || got["signature_expires_in"] != c.life {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	local := h.makeConfig(admin, `{"name":"disk","driver":"local","options":{"directory":"more","min_free_bytes":5}}`)
	if local["storage_type"] != "LOCAL" || local["provider_type"] != "Local disk" || local["has_credentials"] != 0.0 ||
		cmp.Diff(local["options"], map[string]any{"directory": "more", "min_free_bytes": "5"}) != "" {
		t.Errorf("local: %v", local)
	}
}

func TestContract8_CreateRefusesBadFields(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	h.Want("nobody", h.Call("POST", "/api/s3-configs", planConfig), 401, "unauthenticated")
	fields := map[string]string{}
	if err := json.Unmarshal([]byte(planConfig), &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		for _, blank := range []string{"absent", ""} {
			less := map[string]string{}
			for k, v := range fields {
				less[k] = v
			}
			if less[name] = blank; blank == "absent" {
				delete(less, name)
			}
			body, _ := json.Marshal(less)
			a := h.Call("POST", "/api/s3-configs", string(body), "Authorization", admin)
			if h.Want(name, a, 400, "invalid_argument"); !strings.Contains(a.Message, name) {
				t.Errorf("%s %q: message %q", name, blank, a.Message)
			}
		}
	}
	for field, value := range map[string]string{
		"endpoint_url": `"ftp://e"`, "custom_host": `"cdn.example"`, "default_folder": `"../x"`, "driver": `"nosuch"`, "bucket_name": `"a\u0000b"`,
		"name": `"` + strings.Repeat("n", 101) + `"`, "options": `{"delete_mode":"nothing"}`, "is_public": `"maybe"`, "region": `{}`,
	} {
		body := strings.TrimSuffix(planConfig, "}") + `,` + `"` + field + `":` + value + `}`
		if strings.Contains(planConfig, `"`+field+`"`) {
			var all map[string]any
			_ = json.Unmarshal([]byte(planConfig), &all)
			all[field] = json.RawMessage(value)
			data, _ := json.Marshal(all)
			body = string(data)
		}
		h.Want(field, h.Call("POST", "/api/s3-configs", body, "Authorization", admin), 400, "invalid_argument")
	}
	for _, endpoint := range []string{"https://user:pw@e", "https://", "e.example", "https://e/?x=1", "https://e/#x", "javascript:alert(1)"} {
		body := strings.Replace(planConfig, "https://e.example", endpoint, 1)
		h.Want(endpoint, h.Call("POST", "/api/s3-configs", body, "Authorization", admin), 400, "invalid_argument")
	}
	h.Want("a folder outside", h.Call("POST", "/api/s3-configs", `{"name":"d","driver":"local","options":{"directory":"../out"}}`, "Authorization", admin), 400, "invalid_argument")
	h.Want("a broken driver", h.Call("POST", "/api/s3-configs", `{"name":"d","driver":"broken"}`, "Authorization", admin), 503, "storage_unavailable")
}

func TestContract8_UpdateKeepsWhatIsAbsent(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	id := h.makeConfig(admin, wholeConfig)["id"].(string)
	update := func(body string) {
		t.Helper()
		a := h.Call("PUT", "/api/s3-configs/"+id, body, "Authorization", admin)
		if a.ResponseRecorder.Code != 200 || a.Code != 200 || a.Data != nil {
			t.Fatalf("%s: %d %s", body, a.ResponseRecorder.Code, a.Body)
		}
	}
	before := h.readConfig(admin, id)
	h.Clock.Add(time.Minute)
	update(`{}`)
	update(`{"access_key_id":"","secret_access_key":" ","options":{"api_token":""},"name":null,"total_storage_bytes":0,"region":null}`)
	after := h.readConfig(admin, id)
	before["updated_at"] = "2026-11-21T08:01:00.000Z"
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("nothing was named, but (-before +after):\n%s", diff)
	}
	sealed, err := h.Opener.Bucket(t.Context(), id)
	if err != nil || sealed == nil || h.drivers.last().Options["secret_access_key"] != "TOP-SECRET" || h.drivers.last().Options["api_token"] != "TOKEN-SECRET" {
		t.Errorf("the secrets are gone: %v", err)
	}
	update(`{"name":"new","endpoint_url":"http://10.0.0.1:9000/","custom_host":"","total_storage_bytes":null,"signature_expires_in":0,"is_public":false,"path_style":0,"options":{"delete_mode":""}}`)
	got := h.readConfig(admin, id)
	for key, want := range map[string]any{"name": "new", "endpoint_url": "http://10.0.0.1:9000", "custom_host": nil, "total_storage_bytes": float64(10 << 30),
		"signature_expires_in": 3600.0, "is_public": 0.0, "path_style": 0.0, "bucket_name": "bkt", "key_tail": "1234"} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
	if diff := cmp.Diff(got["options"], map[string]any{}); diff != "" {
		t.Error(diff)
	}
	update(`{"secret_access_key":"NEWER-SECRET"}`)
	if _, err := h.Opener.Bucket(t.Context(), id); err != nil || h.drivers.last().Options["secret_access_key"] != "NEWER-SECRET" || h.drivers.last().Options["access_key_id"] != "AKIA-visible-1234" {
		t.Error("the new secret is not used")
	}
	update(`{"provider_type":"Other"}`)
	if got := h.readConfig(admin, id); got["driver"] != "s3" || got["provider_type"] != "Other" || got["has_credentials"] != 1.0 {
		t.Errorf("another provider: %v", got)
	}
	h.Want("an unknown one", h.Call("PUT", "/api/s3-configs/nosuch", `{}`, "Authorization", admin), 404, "not_found")
	h.Want("a bad field", h.Call("PUT", "/api/s3-configs/"+id, `{"endpoint_url":"x"}`, "Authorization", admin), 400, "invalid_argument")
	h.Want("another driver without its fields", h.Call("PUT", "/api/s3-configs/"+id, `{"driver":"local"}`, "Authorization", admin), 400, "invalid_argument")
}

func TestContract8_AConfigWhoseDriverIsGoneCanStillBeRenamed(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	if err := h.Memory.StorageConfigs().Insert(t.Context(), &storage.Config{ID: "old", Name: "old", Driver: "nosuch", ProviderType: "X", StorageType: "X"}); err != nil {
		t.Fatal(err)
	}
	if a := h.Call("PUT", "/api/s3-configs/old", `{"name":"older","provider_type":"X","is_public":true}`, "Authorization", admin); a.Code != 200 {
		t.Errorf("%s", a.Body)
	}
	h.Want("its fields", h.Call("PUT", "/api/s3-configs/old", `{"region":"x"}`, "Authorization", admin), 400, "invalid_argument")
	if a := h.Call("GET", "/api/s3-configs", "", "Authorization", admin); a.Code != 200 {
		t.Errorf("the list: %s", a.Body)
	}
	if a := h.Call("DELETE", "/api/s3-configs/old", "", "Authorization", admin); a.Code != 200 {
		t.Errorf("delete: %s", a.Body)
	}
}

func TestContract8_DeleteAndDefault(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	id := h.makeConfig(admin, strings.Replace(planConfig, "{", `{"is_default":true,`, 1))["id"].(string)
	defaults := func() (ids []string) {
		t.Helper()
		var all []map[string]any
		h.data(h.Call("GET", "/api/s3-configs", "", "Authorization", admin), &all)
		for _, c := range all {
			if c["is_default"] == 1.0 {
				ids = append(ids, c["id"].(string))
			}
		}
		return ids
	}
	if diff := cmp.Diff(defaults(), []string{id}); diff != "" {
		t.Errorf("after a new default one: %s", diff)
	}
	if a := h.Call("PUT", "/api/s3-configs/private/set-default", "", "Authorization", admin); a.Code != 200 || a.Data != nil {
		t.Errorf("set-default: %s", a.Body)
	}
	if diff := cmp.Diff(defaults(), []string{"private"}); diff != "" {
		t.Errorf("after set-default: %s", diff)
	}
	h.Want("an unknown default", h.Call("PUT", "/api/s3-configs/nosuch/set-default", "", "Authorization", admin), 404, "not_found")
	h.uses[id] = 3
	for language, words := range map[string]string{"zh": "有文件正在使用", "en": "有文件正在使用 (shared files use it: 3)"} {
		a := h.Call("DELETE", "/api/s3-configs/"+id, "", "Authorization", admin, "Accept-Language", language)
		if h.Want("in use", a, 409, "in_use"); !strings.Contains(a.Message, words) {
			t.Errorf("message %q", a.Message)
		}
	}
	if got := h.readConfig(admin, id); got["name"] != "n" {
		t.Errorf("after a refused delete: %v", got)
	}
	h.uses[id] = 0
	if a := h.Call("DELETE", "/api/s3-configs/"+id, "", "Authorization", admin); a.Code != 200 || a.Data != nil {
		t.Errorf("delete: %s", a.Body)
	}
	h.Want("deleted", h.Call("GET", "/api/s3-configs/"+id, "", "Authorization", admin), 404, "not_found")
	h.Want("twice", h.Call("DELETE", "/api/s3-configs/"+id, "", "Authorization", admin), 404, "not_found")
}

func TestContract2_5_StorageConfigsAreTheAdministrators(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 259)
	for _, c := range []struct{ method, path string }{
		{"POST", "/api/s3-configs"}, {"PUT", "/api/s3-configs/public"}, {"DELETE", "/api/s3-configs/public"}, {"PUT", "/api/s3-configs/public/set-default"},
		{"POST", "/api/s3-configs/public/test"}, {"POST", "/api/s3-configs/public/cors"}, {"POST", "/api/s3-configs/test"}, {"GET", "/api/admin/drivers"},
	} {
		h.Want("nobody "+c.path, h.Call(c.method, c.path, `{}`), 401, "unauthenticated")
		h.Want("a key "+c.path, h.Call(c.method, c.path, `{}`, "Authorization", key), 403, "policy_denied")
	}
	if len(h.drivers.opened) != 0 {
		t.Error("a refused call opened a storage")
	}
}

func TestSecurityK7_SecretsAreInNoAnswerAndNotInTheDatabase(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	key, _ := h.key(admin, 259)
	var answers strings.Builder
	note := func(a edgetest.Answer) edgetest.Answer { answers.WriteString(a.Body.String()); return a }
	made := note(h.Call("POST", "/api/s3-configs", wholeConfig, "Authorization", admin, "Idempotency-Key", "key-1"))
	var data struct{ ID string }
	h.data(made, &data)
	var first, again map[string]any
	h.data(made, &first)
	h.data(note(h.Call("POST", "/api/s3-configs", wholeConfig, "Authorization", admin, "Idempotency-Key", "key-1")), &again)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the repeated call answers otherwise (-first +again):\n%s", diff)
	}
	h.drivers.fail = func(method, _ string) error {
		if method == "List" {
			return (&ports.Error{Code: ports.BadGateway, Key: "storage_denied"}).With(&ports.Error{Key: "TOP-SECRET said the driver"}).
				Saying(map[string]string{"en": "not with TOKEN-SECRET", "zh": "TOKEN-SECRET"})
		}
		return nil
	}
	path := "/api/s3-configs/" + data.ID
	note(h.Call("POST", path+"/test", "", "Authorization", admin))
	note(h.Call("POST", "/api/s3-configs/test", wholeConfig, "Authorization", admin))
	note(h.Call("PUT", path, `{"secret_access_key":"TOP-SECRET","endpoint_url":"bad"}`, "Authorization", admin))
	for _, who := range []string{admin, key} {
		note(h.Call("GET", path, "", "Authorization", who))
		note(h.Call("GET", "/api/s3-configs", "", "Authorization", who))
	}
	note(h.Call("GET", "/api/admin/dashboard/stats", "", "Authorization", admin))
	note(h.Call("GET", "/api/admin/drivers", "", "Authorization", admin))
	for _, secret := range []string{"TOP-SECRET", "AKIA-visible", "TOKEN-SECRET", "sealed-secret", "token=sig"} {
		if strings.Contains(answers.String(), secret) {
			t.Errorf("an answer holds %q", secret)
		}
	}
	if !strings.Contains(answers.String(), "[secret] said the driver") {
		t.Error("the test does not tell what the driver said")
	}
	stored, err := h.Memory.StorageConfigs().Get(t.Context(), data.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"TOP-SECRET", "AKIA-visible", "TOKEN-SECRET"} {
		if strings.Contains(stored.Options, secret) || bytes.Contains(stored.Sealed, []byte(secret)) {
			t.Errorf("the row holds %q", secret)
		}
	}
	var narrow map[string]any
	h.data(h.Call("GET", path, "", "Authorization", key), &narrow)
	want := map[string]any{"id": data.ID, "name": "My R2", "provider_type": "Cloudflare R2", "is_default": 0.0, "is_public": 1.0,
		"total_storage_bytes": float64(10 << 30), "default_folder": "up/x"}
	if diff := cmp.Diff(narrow, want); diff != "" {
		t.Errorf("a key sees (-got +want):\n%s", diff)
	}
}

func TestDriversDescribeThemselves(t *testing.T) {
	h := newHouse(t)
	a := h.Call("GET", "/api/admin/drivers", "", "Authorization", h.SignIn(), "Accept-Language", "en")
	var all []map[string]any
	h.data(a, &all)
	if len(all) != 4 || all[0]["name"] != "broken" || all[0]["available"] != false || all[0]["problem"] == nil || all[1]["name"] != "local" || all[1]["available"] != true {
		t.Fatalf("got %v", all)
	}
	r2 := all[2]
	if r2["provider_type"] != "Cloudflare R2" || r2["total_storage_bytes"] != float64(10<<30) || r2["storage_type"] != "S3" || r2["capabilities"].(map[string]any)["multipart"] != true {
		t.Errorf("r2: %v", r2)
	}
	flags := map[string][2]any{}
	for _, f := range r2["fields"].([]any) {
		f := f.(map[string]any)
		flags[f["key"].(string)] = [2]any{f["secret"], f["flat"]}
	}
	want := map[string][2]any{"endpoint_url": {false, true}, "bucket_name": {false, true}, "region": {false, true}, "access_key_id": {true, true},
		"secret_access_key": {true, true}, "delete_mode": {false, false}, "api_token": {true, false}}
	if diff := cmp.Diff(flags, want); diff != "" {
		t.Errorf("secret and flat (-got +want):\n%s", diff)
	}
}

// An import brings options that no form shows, such as the prefix that a mount
// begins at. Losing one would show a whole bucket.
func TestAnOptionThatTheDriverDoesNotDescribeSurvivesEveryChange(t *testing.T) {
	const brought = `{"brought":"team/a","delete_mode":"hide"}`
	for name, body := range map[string]string{
		"a name":             `{"name":"renamed"}`,
		"another region":     `{"region":"eu-9"}`,
		"its own options":    `{"options":` + brought + `}`,
		"options without it": `{"options":{"delete_mode":"hide"}}`,
		"no options":         `{"options":{}}`,
		"a new secret":       `{"secret_access_key":"other"}`,
		"another provider":   `{"provider_type":"Aliyun OSS"}`,
		"a sibling driver":   `{"driver":"r2"}`,
	} {
		h := newHouse(t)
		admin := h.SignIn()
		sealed, err := storage.SealCredentials(portstest.Sealer{}, "imported", map[string]string{"access_key_id": "AKIA0123456789AB", "secret_access_key": "s"})
		if err != nil {
			t.Fatal(err)
		}
		config := storage.Config{ID: "imported", Name: "imported", Driver: "s3", ProviderType: "Other", StorageType: "S3", EndpointURL: "https://s3.example",
			BucketName: "b", Sealed: sealed, Options: brought}
		if err := h.Memory.StorageConfigs().Insert(t.Context(), &config); err != nil {
			t.Fatal(err)
		}
		h.Want(name, h.Call("PUT", "/api/s3-configs/imported", body, "Authorization", admin), 200, "")
		a := h.Call("GET", "/api/s3-configs/imported", "", "Authorization", admin)
		var after struct {
			Options map[string]string
			KeyTail string `json:"key_tail"`
		}
		if h.data(a, &after); after.Options["brought"] != "team/a" || after.Options["delete_mode"] != "hide" || after.KeyTail != "89AB" {
			t.Errorf("%s: %s", name, a.Data)
		}
	}
}

func TestTheRootPrefixOfAnImportStaysUnlessItIsNamed(t *testing.T) {
	h := newHouse(t)
	admin := h.SignIn()
	id := h.makeConfig(admin, planConfig)["id"].(string)
	brought := func() { // as the import stores it
		t.Helper()
		_, err := h.Memory.StorageConfigs().Update(t.Context(), id, func(c *storage.Config) error {
			c.Options = `{"delete_mode":"hide","root_prefix":"base/team/"}`
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	prefix := func() string {
		t.Helper()
		c, err := h.Memory.StorageConfigs().Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return c.RootPrefix()
	}
	put := func(body string) edgetest.Answer {
		return h.Call("PUT", "/api/s3-configs/"+id, body, "Authorization", admin)
	}
	h.mountUses[id] = 2
	brought()
	own, err := json.Marshal(h.readConfig(admin, id)["options"])
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"a name": `{"name":"other"}`, "a field of S3": `{"region":"eu-1"}`, "another option": `{"options":{"delete_mode":"purge"}}`,
		"what GET gave": `{"options":` + string(own) + `}`, "another provider": `{"provider_type":"Cloudflare R2"}`,
		"the same without slashes": `{"options":{"root_prefix":"/base/team"}}`,
	} {
		brought()
		h.Want(name, put(body), 200, "")
		if got := prefix(); got != "base/team/" {
			t.Errorf("after %s the mounts show %q", name, got)
		}
	}
	for value, want := range map[string]string{`""`: "", "null": "", `"base"`: "base/", `" /base//teams/ "`: "base/teams/"} {
		brought()
		change := `"options":{"root_prefix":` + value + `}`
		h.Want("unasked "+value, put(`{`+change+`}`), 409, "root_prefix_confirm")
		if got := prefix(); got != "base/team/" {
			t.Errorf("a refused change leaves %q", got)
		}
		h.Want("confirmed "+value, put(`{`+change+`,"confirm_root_prefix":true}`), 200, "")
		if got := prefix(); got != want {
			t.Errorf("%s became %q", value, got)
		}
	}
	brought()
	h.Want("a bad one", put(`{"options":{"root_prefix":"../x"},"confirm_root_prefix":true}`), 400, "invalid_argument")
	h.mountUses[id] = 0
	h.Want("without mounts", put(`{"options":{"root_prefix":"free"}}`), 200, "")
	if got := prefix(); got != "free/" {
		t.Errorf("without mounts it became %q", got)
	}
}
