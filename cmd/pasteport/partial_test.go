package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// editable is a resource with one address for GET and PUT.
type editable struct {
	create func(c client, n int) (id string) // a new one, with every field set
	always []string                          // fields that every change must name, sent as GET gives them
	sample map[string]any                    // a new value for each field
	shown  map[string][]string               // the fields of GET that a field of PUT may change, other than itself
	unseen []string                          // fields of PUT that change nothing, or nothing that GET shows
}

// volatile are fields of GET that say when something was, or hold signed links.
var volatile = []string{"updated_at", "last_used", "health", "tested", "urls"}

var editables = map[string]editable{
	"/api/admin/api-keys/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/admin/api-keys", map[string]any{"name": fmt.Sprint("key ", n), "permissions": 1795, "role": "GENERAL", "basic_path": "/team",
				"is_guest": true, "expires_at": "2091-02-03T04:05:06.000Z"})
		},
		sample: map[string]any{"name": "renamed", "permissions": 3, "role": "GUEST", "basic_path": "/team/b", "is_guest": 0, "is_active": "false",
			"expires_at": "2092-02-03T04:05:06.000Z", "custom_key": "a-value-of-my-own-0123456789"},
		always: []string{"name"}, // a change of nothing is refused
		shown:  map[string][]string{"permissions": {"permission_names"}},
		unseen: []string{"custom_key"},
	},
	"/api/admin/mounts/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/admin/mounts", map[string]any{"name": fmt.Sprint("mount ", n), "storage_type": "LOCAL", "storage_config_id": c.anyConfig(),
				"mount_path": fmt.Sprint("/m", n), "remark": "kept", "sort_order": 7, "cache_ttl": 77, "web_proxy": true, "enable_sign": true, "sign_expires": 99,
				"webdav_policy": "native_proxy"})
		},
		sample: map[string]any{"name": "renamed", "storage_type": "S3", "mount_path": "/moved", "remark": "other", "is_active": 0, "sort_order": "8",
			"cache_ttl": 5, "web_proxy": false, "enable_sign": "0", "sign_expires": nil, "webdav_policy": "302_redirect"},
		shown:  map[string][]string{"storage_config_id": {"storage_type"}},
		unseen: []string{"storage_type", "storage_config_id"},
	},
	"/api/pastes/{id}/revisions": {
		create: func(c client, n int) string {
			return c.created("/api/paste", map[string]any{"content": fmt.Sprint("text ", n)})
		},
		sample: map[string]any{"keep": 0},
	},
	"/api/files/{id}/revisions": {
		create: func(c client, n int) string { return c.putShare(fmt.Sprintf("versions-%d", n), "bytes") },
		sample: map[string]any{"keep": 0},
	},
	"/api/shares/{kind}/{id}/access": {
		create: func(c client, n int) string {
			id := c.created("/api/paste", map[string]any{"content": fmt.Sprint("text ", n), "expiresAt": "2091-02-03T04:05:06.000Z"})
			c.put("/api/shares/paste/"+id+"/access", map[string]any{"key_only": true, "sliding_days": 7, "sliding_until": "2092-02-03T04:05:06.000Z"})
			return id
		},
		sample: map[string]any{"key_only": 0, "sliding_days": 9, "sliding_until": "2093-02-03T04:05:06.000Z"},
	},
	"/api/s3-configs/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/s3-configs", map[string]any{"name": fmt.Sprint("config ", n), "driver": "s3", "provider_type": "Other", "endpoint_url": "https://s3.invalid",
				"bucket_name": "bucket", "region": "eu-1", "access_key_id": "AKIA0123456789ABKEPT", "secret_access_key": "kept", "path_style": true, "default_folder": "in/here",
				"is_public": true, "custom_host": "https://cdn.invalid", "total_storage_bytes": 12345, "signature_expires_in": 77})
		},
		sample: map[string]any{"name": "renamed", "driver": "b2", "provider_type": "Somebody's", "endpoint_url": "https://s4.invalid", "bucket_name": "other",
			"region": "eu-2", "access_key_id": "AKIA0123456789ABOTHER", "secret_access_key": "other", "path_style": 0, "default_folder": "", "is_public": false, "is_default": 1,
			"custom_host": nil, "total_storage_bytes": "54321", "signature_expires_in": 78, "options": map[string]any{}, "confirm_root_prefix": true},
		shown:  map[string][]string{"driver": {"provider_type", "storage_type", "options"}, "provider_type": {"driver"}, "access_key_id": {"key_tail"}},
		unseen: []string{"secret_access_key", "options", "confirm_root_prefix"},
	},
	"/api/pastes/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/paste", map[string]any{"content": "kept", "slug": fmt.Sprint("text-", n), "remark": "kept", "syntax": "go",
				"expiresAt": "2091-02-03T04:05:06.000Z", "maxViews": 9, "password": "kept"})
		},
		always: []string{"content"},
		sample: map[string]any{"content": "other", "remark": "other", "syntax": "rust", "expiresAt": "2092-02-03T04:05:06.000Z", "maxViews": 8, "password": "other",
			"clearPassword": true, "newSlug": "another-slug"},
		shown: map[string][]string{"expiresAt": {"expires_at"}, "maxViews": {"max_views"}, "clearPassword": {"has_password"}, "newSlug": {"slug", "url", "raw_url"}},
		// A password stays a password, and only its hash is kept.
		unseen: []string{"password"},
	},
	"/api/files/{id}": {
		create: func(c client, n int) string {
			c.p.t.Helper()
			a := c.send(http.MethodPut, fmt.Sprintf("/api/upload-direct/kept.txt?slug=file-%d&remark=kept&password=kept&expires_in=500000&max_views=9&use_proxy=1", n), strings.NewReader("bytes"))
			var made struct{ ID string }
			if a.into(c.p.t, &made); made.ID == "" {
				c.p.t.Fatalf("upload: %d %s", a.status, a.body)
			}
			return made.ID
		},
		sample: map[string]any{"remark": "other", "slug": "another-file", "expires_at": "2092-02-03T04:05:06.000Z", "max_views": 8, "password": "", "use_proxy": false},
		shown:  map[string][]string{"password": {"has_password", "plain_password"}, "slug": {"url", "raw_url"}},
	},
	"/api/collections/{id}": {
		create: func(c client, n int) string {
			c.p.t.Helper()
			a := c.send(http.MethodPut, fmt.Sprintf("/api/upload-direct/item.txt?slug=item-%d", n), strings.NewReader("bytes"))
			var made struct{ ID string }
			if a.into(c.p.t, &made); made.ID == "" {
				c.p.t.Fatalf("upload: %d %s", a.status, a.body)
			}
			return c.created("/api/collections", map[string]any{"title": "kept", "slug": fmt.Sprint("files-", n), "password": "kept", "expires_in": 500000, "max_views": 9, "file_ids": []string{made.ID}})
		},
		sample: map[string]any{"title": "other", "slug": "other-files", "expires_at": "2092-02-03T04:05:06.000Z", "max_views": 8, "look": "gallery", "password": ""},
		shown:  map[string][]string{"password": {"has_password"}, "slug": {"url", "raw_url"}},
	},
	"/api/admin/channels/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/admin/channels", map[string]any{"name": "kept", "address": "https://kept.example/", "kinds": []string{"backup.failed"}})
		},
		sample: map[string]any{"name": "other", "address": "https://other.example/", "kinds": []string{"audit.key.*"}, "digest": "weekly", "active": false},
		shown:  map[string][]string{"name": {"etag"}, "address": {"etag"}, "kinds": {"etag"}, "digest": {"etag"}, "active": {"etag"}},
	},
	"/api/notifications/shares/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/paste", map[string]any{"content": fmt.Sprint("told ", n)})
		},
		sample: map[string]any{"tell": true},
	},
	"/api/requests/{id}": {
		create: func(c client, n int) string {
			return c.created("/api/requests", map[string]any{"title": "kept", "message": "kept", "password": "kept", "expires_at": "2091-02-03T04:05:06.000Z", "max_files": 9, "max_bytes": 99,
				"max_file_bytes": 9, "types": []string{"image/*"}, "ask_name": "required", "ask_note": "optional", "folder": "/local", "folder_per_sender": true})
		},
		sample: map[string]any{"title": "other", "message": "other", "password": "", "expires_at": "2092-02-03T04:05:06.000Z", "max_files": 8, "max_bytes": 88, "max_file_bytes": 8,
			"types": []string{"text/plain"}, "ask_name": "no", "ask_note": "no", "folder_per_sender": false},
		shown: map[string][]string{"title": {"etag"}, "message": {"etag"}, "password": {"etag", "has_password"}, "expires_at": {"etag"}, "max_files": {"etag"}, "max_bytes": {"etag"},
			"max_file_bytes": {"etag"}, "types": {"etag"}, "ask_name": {"etag"}, "ask_note": {"etag"}, "folder_per_sender": {"etag"}},
	},
}

// created makes something and returns its id.
func (c client) created(path string, fields map[string]any) string {
	c.p.t.Helper()
	a := c.post(path, fields)
	made := a.object(c.p.t)
	if data, ok := made["data"].(map[string]any); ok {
		made = data
	}
	id, ok := made["id"].(string)
	if !ok {
		c.p.t.Fatalf("POST %s: %d %s", path, a.status, a.body)
	}
	return id
}

// anyConfig returns the id of a storage config.
func (c client) anyConfig() string {
	c.p.t.Helper()
	var configs []struct{ ID, Driver string }
	c.get("/api/s3-configs").into(c.p.t, &configs)
	return configs[slices.IndexFunc(configs, func(one struct{ ID, Driver string }) bool { return one.Driver == "local" })].ID
}

// shownAt returns what GET says of a resource, without what is volatile.
func (c client) shownAt(path string) map[string]any {
	c.p.t.Helper()
	a := c.get(path)
	var fields map[string]any
	if a.into(c.p.t, &fields); a.status != 200 || len(fields) == 0 {
		c.p.t.Fatalf("GET %s: %d %s", path, a.status, a.body)
	}
	maps.DeleteFunc(fields, func(name string, _ any) bool { return slices.Contains(volatile, name) })
	return fields
}

// puttable reads from the API description which fields each PUT takes that has
// a GET at the same address.
func puttable(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct{ Properties map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for path, methods := range doc.Paths {
		_, readable := methods["get"]
		fields := methods["put"].RequestBody.Content["application/json"].Schema.Properties
		if _, byPath := fields["path"]; readable && len(fields) > 0 && !byPath { // a file of a mount is named in the body, beside one field
			found[path] = slices.Sorted(maps.Keys(fields))
		}
	}
	return found
}

func TestAPartialUpdateChangesOnlyWhatItNames(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	resources := puttable(t)
	if len(resources) < 5 {
		t.Errorf("only %d resources found", len(resources))
	}
	n := 0
	for _, address := range slices.Sorted(maps.Keys(resources)) {
		one, ok := editables[address]
		if !ok {
			t.Errorf("%s: say in editables how to make one", address)
			continue
		}
		for _, field := range resources[address] {
			n++
			path := strings.NewReplacer("{kind}", "paste", "{id}", one.create(admin, n)).Replace(address)
			before := admin.shownAt(path)
			value, ok := one.sample[field]
			if !ok {
				value = before[field] // the least that can be said of any field
			}
			body := map[string]any{field: value}
			for _, name := range one.always {
				if _, named := body[name]; !named {
					body[name] = before[name]
				}
			}
			if a := admin.put(path, body); a.status != 200 || !a.envelope(t).Success {
				t.Errorf("PUT %s %v: %d %s", address, body, a.status, a.body)
				continue
			}
			after := admin.shownAt(path)
			changed := []string{}
			for name := range after {
				if !cmp.Equal(before[name], after[name]) {
					changed = append(changed, name)
				}
			}
			slices.Sort(changed)
			if ok && len(changed) == 0 && !slices.Contains(one.unseen, field) {
				t.Errorf("PUT %s {%q: %v} changes nothing", address, field, value)
			}
			for _, name := range changed {
				if name != field && !slices.Contains(one.shown[field], name) || slices.Contains(one.unseen, field) {
					t.Errorf("PUT %s {%q: %v} changes %s as well, from %v to %v", address, field, value, name, before[name], after[name])
				}
			}
			for name := range before {
				if _, still := after[name]; !still && !slices.Contains(one.shown[field], name) {
					t.Errorf("PUT %s {%q: %v} takes %s away", address, field, value, name)
				}
			}
		}
	}
	if n < 35 {
		t.Errorf("only %d fields found", n)
	}
}

func TestSendingBackWhatGETSaysChangesNothing(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	for i, address := range slices.Sorted(maps.Keys(editables)) {
		path := strings.NewReplacer("{kind}", "paste", "{id}", editables[address].create(admin, i)).Replace(address)
		before := admin.shownAt(path)
		if a := admin.put(path, admin.get(path).object(t)["data"]); a.status != 200 {
			t.Errorf("PUT %s: %d %s", address, a.status, a.body)
		}
		if diff := cmp.Diff(before, admin.shownAt(path)); diff != "" {
			t.Errorf("PUT %s:\n%s", address, diff)
		}
	}
}

func TestSettingsChangeOneByOne(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	type row struct{ Key, Value, Type, Options string }
	read := func() map[string]string {
		var groups map[string][]row
		admin.get("/api/admin/settings?includeSystem=true").into(t, &groups)
		all := map[string]string{}
		for group, rows := range groups {
			for _, r := range rows {
				all[group+"/"+r.Key] = r.Value
			}
		}
		return all
	}
	var groups map[string][]row
	admin.get("/api/admin/settings").into(t, &groups)
	found := 0
	for group, rows := range groups {
		back := map[string]any{}
		for _, r := range rows {
			back[r.Key] = r.Value
		}
		before := read()
		if a := admin.put("/api/admin/settings/group/"+group, back); a.envelope(t).Code != 200 {
			t.Errorf("group %s sent back: %s", group, a.body)
		}
		if diff := cmp.Diff(before, read()); diff != "" {
			t.Errorf("group %s sent back:\n%s", group, diff)
		}
		for _, r := range rows {
			found++
			want := map[string]string{"true": "false", "false": "true", "microsoft,google": "none", "en": "zh", "overwrite": "random_suffix", "random_suffix": "overwrite",
				"direct": "multipart", "markdown": "plain", "network": "whole"}[r.Value]
			switch {
			case want != "":
			case r.Type == "number":
				want = "12"
			case strings.HasSuffix(r.Key, "_url"):
				want = "https://x.invalid/{url}"
			case r.Key == "site_logo":
				want = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
			case r.Key == "site_accent":
				want = "#0A6A6A"
			case strings.HasSuffix(r.Key, "_origins"):
				want = "https://x.invalid"
			default:
				want = "abc"
			}
			before := read()
			if a := admin.put("/api/admin/settings/group/"+group, map[string]any{r.Key: want}); a.envelope(t).Code != 200 {
				t.Errorf("%s = %s: %s", r.Key, want, a.body)
			}
			before[group+"/"+r.Key] = want
			if diff := cmp.Diff(before, read()); diff != "" {
				t.Errorf("%s:\n%s", r.Key, diff)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d settings found", found)
	}
}
