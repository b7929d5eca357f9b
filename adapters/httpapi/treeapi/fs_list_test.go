package treeapi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/domain/mounts"
)

// newListForest is a forest that can be listed and administered too.
func newListForest(t testing.TB) *forest {
	f := newForest(t)
	fsListOps(f.API, f.tree)
	mountOps(f.API, mounts.NewMounts(f.tree), f.tree, nil)
	return f
}

func wantData(t *testing.T, a edgetest.Answer, want string) {
	t.Helper()
	var got, wanted any
	if err := json.Unmarshal(a.Data, &got); err != nil {
		t.Fatalf("%v in %s", err, a.Body)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("got +, want -: %s", diff)
	}
}

func TestContractFS4_1_AVirtualFolder(t *testing.T) {
	f := newListForest(t)
	wantData(t, f.as("GET", "/api/fs/list", ""), `{"path":"/","isDirectory":true,"isVirtual":true,"items":[
		{"name":"m","path":"/m/","isDirectory":true,"isVirtual":true,"isMount":true,"mountId":"id-m","mountName":"m","storageType":"S3"},
		{"name":"docs","path":"/docs/","isDirectory":true,"isVirtual":true,"isMount":true,"mountId":"id-docs","mountName":"docs","storageType":"S3"},
		{"name":"private","path":"/private/","isDirectory":true,"isVirtual":true,"isMount":true,"mountId":"id-private","mountName":"private","storageType":"S3"},
		{"name":"deep","path":"/deep/","isDirectory":true,"isVirtual":true}]}`)
	wantData(t, f.as("GET", "/api/fs/list?path=/&limit=3", "", "Authorization", asViewer), `{"path":"/","isDirectory":true,"isVirtual":true,"items":[
		{"name":"m","path":"/m/","isDirectory":true,"isVirtual":true,"isMount":true,"mountId":"id-m","mountName":"m","storageType":"S3"},
		{"name":"docs","path":"/docs/","isDirectory":true,"isVirtual":true,"isMount":true,"mountId":"id-docs","mountName":"docs","storageType":"S3"},
		{"name":"deep","path":"/deep/","isDirectory":true,"isVirtual":true}],"nextCursor":null,"truncated":false,"total":3}`)
}

func TestContractFS1_1_BodiesOfAnyTypeAreTriedAsJSON(t *testing.T) {
	f := newForest(t)
	for _, typ := range []string{"", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/json"} {
		if a := f.as("POST", "/api/fs/update", `{"path":"/m/new","content":"x"}`, "Content-Type", typ); a.Code != 200 || !a.Success {
			t.Errorf("%q: %s", typ, a.Body)
		}
	}
	for body, want := range map[string]string{"path=/m/new": "path", "": "path", `{"path":`: "path"} {
		a := f.as("POST", "/api/fs/update", body, "Content-Type", "text/plain")
		if f.refused(body, a, 400, "invalid_argument"); !strings.Contains(a.Message, want) {
			t.Errorf("%q: %s", body, a.Message)
		}
	}
}

func TestContractFS1_2_WhatStandsInAQueryIsNeverDropped(t *testing.T) {
	f := newListForest(t)
	f.bucket.Put("d;x=1/a;b", "hello")
	for _, target := range []string{"/m/d;x=1/a;b", "/m/d%3Bx=1/a%3bb"} {
		if got := f.object(f.as("GET", "/api/fs/get?path="+target, "")); got["name"] != "a;b" {
			t.Errorf("%s: got %v", target, got)
		}
	}
	for _, target := range []string{"%zz", "/m/%", "/m/%2", "/m&refresh=%u0041"} {
		f.refused(target, f.as("GET", "/api/fs/list?path="+target, ""), 400, "invalid_argument")
	}
}

func TestContractFS4_1_ARealFolder(t *testing.T) {
	f := newListForest(t)
	f.bucket.Put("d/", "")
	f.bucket.Put("d/2026/x", "x")
	todo := f.bucket.Put(`d/to "do".md`, "hello")
	wantData(t, f.as("GET", "/api/fs/list?path=/m/d", ""), fmt.Sprintf(`{"path":"/m/d/","type":"directory","isDirectory":true,"isRoot":false,"isVirtual":false,
		"mount_id":"id-m","storage_type":"S3","items":[
		{"name":"2026","path":"/m/d/2026/","isDirectory":true,"isVirtual":false,"size":null,"modified":null,"size_source":"none","modified_source":"none","type":1,"typeName":"folder"},
		{"name":"to \"do\".md","path":"/m/d/to \"do\".md","isDirectory":false,"size":5,"modified":"2026-11-21T08:00:00.000Z","etag":%q,"type":4,"typeName":"text"}]}`, todo.ETag))
	wantData(t, f.as("GET", "/api/fs/list?path=/deep/small", ""), `{"path":"/deep/small/","type":"directory","isDirectory":true,"isRoot":false,"isVirtual":false,
		"mount_id":"id-small","storage_type":"LOCAL","items":[]}`)
	f.refused("no such folder", f.as("GET", "/api/fs/list?path=/m/none", ""), 404, "not_found")
	f.refused("a file", f.as("GET", "/api/fs/list?path=/m/d/2026/x", ""), 404, "not_found")
	f.refused("without the bit", f.as("GET", "/api/fs/list?path=/m", "", "Authorization", asSender), 403, "permission_denied")
	if a := f.as("GET", "/api/fs/list?path=/m", "", "Authorization", asSender, "Accept-Language", "en"); !strings.Contains(a.Message, "MOUNT_VIEW") {
		t.Errorf("the message does not name the permission: %s", a.Message)
	}
}

func TestContractFS4_1_PagesAndOrders(t *testing.T) {
	f := newListForest(t)
	for i := range 5 {
		f.bucket.Put(fmt.Sprintf("f%d", i), strings.Repeat("x", 5-i))
	}
	var names []string
	target := "/api/fs/list?path=/m&limit=2&sort=size&order=desc"
	for cursor := ""; ; {
		a := f.as("GET", target+"&cursor="+cursor, "")
		var page struct {
			Items      []struct{ Name string }
			NextCursor *string
			Truncated  bool
			Total      *int
		}
		if err := json.Unmarshal(a.Data, &page); err != nil || page.Total == nil || *page.Total != 5 {
			t.Fatalf("%v in %s", err, a.Body)
		}
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if page.Truncated != (page.NextCursor != nil) {
			t.Errorf("got %s", a.Body)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if got := strings.Join(names, " "); got != "f0 f1 f2 f3 f4" {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"limit=0", "limit=5001", "limit=x", "sort=colour", "order=up", "cursor=AAAA"} {
		f.refused(bad, f.as("GET", "/api/fs/list?path=/m&"+bad, ""), 400, "invalid_argument")
	}
	f.refused("dots", f.as("GET", "/api/fs/list?path=/m/../x", ""), 400, "invalid_argument")
}

func TestContractFS4_1_AListingThatTheClientHasIsNotSentAgain(t *testing.T) {
	f := newListForest(t)
	f.bucket.Put("a", "1")
	first := f.as("GET", "/api/fs/list?path=/m", "")
	h := first.Header()
	tag := h.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || h.Get("Cache-Control") != "private, no-cache" || !strings.Contains(strings.Join(h["Vary"], ","), "Authorization, X-Custom-Auth-Key") {
		t.Errorf("got %v", h)
	}
	again := f.as("GET", "/api/fs/list?path=/m", "", "If-None-Match", tag)
	if again.ResponseRecorder.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") != tag {
		t.Errorf("got %d %v", again.ResponseRecorder.Code, again.Header())
	}
	f.bucket.Put("b", "2")
	f.tree.StorageChanged(t.Context(), "open", nil, nil)
	if a := f.as("GET", "/api/fs/list?path=/m", "", "If-None-Match", tag); a.ResponseRecorder.Code != 200 {
		t.Errorf("got %d", a.ResponseRecorder.Code)
	}
	if a := f.as("HEAD", "/api/fs/list?path=/m", ""); a.ResponseRecorder.Code != 200 || a.Body.Len() != 0 {
		t.Errorf("got %d, %d bytes", a.ResponseRecorder.Code, a.Body.Len())
	}
}

func TestContractFS4_1_ARefreshThatComesTooSoonSaysSo(t *testing.T) {
	f := newListForest(t)
	f.bucket.Put("d/a", "")
	for i, want := range []string{"", "limited"} {
		a := f.as("GET", "/api/fs/list?path=/m/d&refresh=true", "")
		if h := a.Header(); a.Result().StatusCode != 200 || h.Get("X-Refresh") != want || (h.Get("Retry-After") != "") != (want != "") {
			t.Errorf("refresh %d: %d, X-Refresh %q, Retry-After %q", i, a.Result().StatusCode, h.Get("X-Refresh"), h.Get("Retry-After"))
		}
	}
	if a := f.as("GET", "/api/fs/list?path=/m/d", ""); a.Header().Get("X-Refresh") != "" {
		t.Error("a listing without refresh speaks of one")
	}
}

func TestAListingTellsItsAge(t *testing.T) {
	f := newListForest(t)
	f.bucket.Put("d/a", "")
	age := func(target string, headers ...string) string {
		return f.as("GET", target, "", headers...).Header().Get("Age")
	}
	if got := age("/api/fs/list?path=/m/d"); got != "0" {
		t.Errorf("just read: Age %q", got)
	}
	f.clock.Add(40*time.Second + time.Millisecond)
	a := f.as("GET", "/api/fs/list?path=/m/d", "")
	if got := a.Header().Get("Age"); got != "40" {
		t.Errorf("from the cache: Age %q", got)
	}
	if got := age("/api/fs/list?path=/m/d", "If-None-Match", a.Header().Get("Etag")); got != "40" {
		t.Errorf("with 304: Age %q", got)
	}
	if got := age("/api/fs/list?path=/m/d&refresh=true"); got != "0" {
		t.Errorf("read again: Age %q", got)
	}
	if got := age("/api/fs/list?path=/"); got != "" {
		t.Errorf("a virtual folder: Age %q", got)
	}
}

func TestContract9_2_MountsOverHTTP(t *testing.T) {
	f := newListForest(t)
	made := f.as("POST", "/api/admin/mounts", `{"name":"新","storage_type":"S3","storage_config_id":"small","mount_path":"/n","remark":"r","is_active":"1",
		"sort_order":"7","cache_ttl":0,"web_proxy":true,"enable_sign":1,"sign_expires":60,"webdav_policy":"native_proxy"}`)
	if made.ResponseRecorder.Code != 200 || made.Code != 201 {
		t.Fatalf("%d %s", made.ResponseRecorder.Code, made.Body)
	}
	var m mountJSON
	if err := json.Unmarshal(made.Data, &struct {
		ID *string `json:"id"`
	}{&m.ID}); err != nil {
		t.Fatal(err)
	}
	at := "/api/admin/mounts/" + m.ID
	row := func(change string) string {
		fields := map[string]string{"sign_expires": "60", "is_active": "1", "remark": `"r"`, "cache_ttl": "0"}
		for _, pair := range strings.Fields(change) {
			name, value, _ := strings.Cut(pair, "=")
			fields[name] = value
		}
		return fmt.Sprintf(`{"id":%q,"name":"新","storage_type":"LOCAL","storage_config_id":"small","mount_path":"/n","remark":%s,"is_active":%s,
			"created_by":"admin-id","sort_order":7,"cache_ttl":%s,"web_proxy":1,"enable_sign":1,"sign_expires":%s,"webdav_policy":"native_proxy",
			"created_at":"2026-11-21T08:00:00.000Z","updated_at":"2026-11-21T08:00:00.000Z","last_used":null}`,
			m.ID, fields["remark"], fields["is_active"], fields["cache_ttl"], fields["sign_expires"])
	}
	wantData(t, made, row(""))
	for _, c := range []struct{ body, change string }{
		{`{"is_active":0}`, "is_active=0"},
		{`{"is_active":true,"sign_expires":0}`, "sign_expires=0"},
		{`{"sign_expires":""}`, "sign_expires=null"},
		{`{"sign_expires":"60","remark":null}`, "remark=null"},
		{`{"cache_ttl":null,"name":null}`, "remark=null"},
		{`{}`, "remark=null"},
	} {
		if a := f.as("PUT", at, c.body); a.ResponseRecorder.Code != 200 || a.Data != nil {
			t.Errorf("%s: %d %s", c.body, a.ResponseRecorder.Code, a.Body)
		}
		wantData(t, f.as("GET", at, ""), row(c.change))
	}
	f.refused("a path in use", f.as("PUT", at, `{"mount_path":"/m"}`), 409, "already_exists")
	f.refused("a bad number", f.as("PUT", at, `{"sign_expires":"soon"}`), 400, "invalid_argument")
	f.refused("no mount", f.as("PUT", "/api/admin/mounts/none", `{}`), 404, "mount_not_found")
	if a := f.as("DELETE", at, ""); a.ResponseRecorder.Code != 200 || a.Data != nil {
		t.Errorf("%d %s", a.ResponseRecorder.Code, a.Body)
	}
	f.refused("deleted", f.as("GET", at, ""), 404, "mount_not_found")
	f.refused("deleted twice", f.as("DELETE", at, ""), 404, "mount_not_found")
	if a := f.as("GET", "/api/user/mounts", ""); strings.Count(string(a.Data), `"is_public":`) != 4 {
		t.Errorf("got %s", a.Body)
	}
	f.refused("inactive", f.as("GET", "/api/user/mounts/id-off", ""), 404, "mount_not_found")
	if a := f.as("POST", "/api/user/cache/clear", `{"mountId":"id-m"}`); a.ResponseRecorder.Code != 200 || !strings.Contains(string(a.Data), `"clearedCount":0`) {
		t.Errorf("got %s", a.Body)
	}
}

func TestContract9_2_MountsComeWholeOrInPages(t *testing.T) {
	f := newListForest(t)
	whole := edgetest.PageIn(t, f.as("GET", "/api/admin/mounts", ""))
	if whole.Pagination != nil || len(whole.Data) < 4 {
		t.Fatalf("without a parameter of pages: %d mounts, %+v", len(whole.Data), whole.Pagination)
	}
	total := len(whole.Data)
	first, second := edgetest.PageIn(t, f.as("GET", "/api/admin/mounts?limit=3", "")), edgetest.PageIn(t, f.as("GET", "/api/admin/mounts?limit=3&page=2", ""))
	if first.Pagination.Total != total || !first.Pagination.HasMore || first.Names()+" "+second.Names() != (edgetest.RowsPage{Data: whole.Data[:3+len(second.Data)]}).Names() {
		t.Errorf("%s, then %s, of %s", first.Names(), second.Names(), whole.Names())
	}
	if a := f.as("PUT", "/api/admin/mounts/"+whole.Data[1].ID, `{"name":"Zebra","is_active":true,"remark":"100% of us"}`); a.ResponseRecorder.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	for query, want := range map[string]string{
		"?sort=name&order=desc&limit=1": "Zebra", "?search=zEB": "Zebra", "?search=0%25 OF": "Zebra", "?state=inactive": "off", "?search=nowhere": "",
	} {
		if p := edgetest.PageIn(t, f.as("GET", "/api/admin/mounts"+strings.ReplaceAll(query, " ", "%20"), "")); p.Names() != want || p.Pagination == nil {
			t.Errorf("%s: %s, want %s", query, p.Names(), want)
		}
	}
	if p := edgetest.PageIn(t, f.as("GET", "/api/admin/mounts?state=active", "")); p.Pagination.Total != total-1 || strings.Contains(p.Names(), "off") {
		t.Errorf("active ones: %s", p.Names())
	}
	f.refused("a key", f.as("GET", "/api/admin/mounts?limit=1", "", "Authorization", asViewer), 403, "permission_denied")
}

func TestContract9_2_TheSecondOfTwoChangesOfAMountIsToldOfTheFirst(t *testing.T) {
	f := newListForest(t)
	tag := f.as("GET", "/api/admin/mounts/id-m", "").Header().Get("ETag")
	for _, query := range []string{"", "?limit=50"} {
		if list := f.as("GET", "/api/admin/mounts"+query, "").Body.String(); !strings.Contains(list, `"etag":`+strconv.Quote(tag)) {
			t.Errorf("%q: no row has the tag %s", query, tag)
		}
	}
	done := f.as("PUT", "/api/admin/mounts/id-m", `{"remark":"first"}`, "If-Match", tag)
	if done.ResponseRecorder.Code != 200 {
		t.Fatalf("with %s: %s", tag, done.Body)
	}
	if got, want := done.Header().Get("ETag"), f.as("GET", "/api/admin/mounts/id-m", "").Header().Get("ETag"); got != want || got == "" {
		t.Errorf("the answer has the tag %q, the mount %q", got, want)
	}
	f.refused("the second", f.as("PUT", "/api/admin/mounts/id-m", `{"name":"second"}`, "If-Match", tag), 412, "precondition_failed")
	if a := f.as("GET", "/api/admin/mounts/id-m", ""); a.Header().Get("ETag") == tag || !strings.Contains(a.Body.String(), `"remark":"first"`) || strings.Contains(a.Body.String(), "second") {
		t.Errorf("%s", a.Body)
	}
	if a := f.as("PUT", "/api/admin/mounts/id-m", `{"name":"an old client"}`); a.ResponseRecorder.Code != 200 {
		t.Errorf("%s", a.Body)
	}
}
