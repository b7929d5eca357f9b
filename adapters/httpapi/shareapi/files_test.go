package shareapi

import (
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"

	"github.com/google/go-cmp/cmp"
)

func TestContract7_7_List(t *testing.T) {
	s := newSite(t)
	s.upload("one.mp3", "slug=one&password=pw&max_views=2&remark=r", "12345")
	s.clock.Add(time.Second)
	s.upload("two_50%25.txt", "slug=two", "x", "Authorization", asKeyB)
	a := s.Call("GET", "/api/files", "", "Authorization", asKeyA)
	data := s.data(a)
	row := edgetest.Object(data["files"].([]any)[0].(map[string]any))
	want := edgetest.Object{"id": row["id"], "filename": "one.mp3", "slug": "one", "storage_path": row["storage_path"], "storage_config_id": "public", "storage_type": "S3",
		"file_path": nil, "mimetype": "audio/mpeg", "size": 5.0, "remark": "r", "created_at": "2026-11-21T08:00:00.000Z", "updated_at": "2026-11-21T08:00:00.000Z",
		"views": 0.0, "max_views": 2.0, "expires_at": nil, "etag": row["etag"], "created_by": "apikey:aaaa", "use_proxy": 1.0, "has_password": true,
		"type": 3.0, "typeName": "audio", "storage_config_name": "Public store", "storage_provider_type": "Other", "storage_config_detail_id": "public", "key_name": "Key A",
		"url": "http://example.com/file/one", "raw_url": "http://example.com/api/file-view/one"}
	if diff := cmp.Diff(row, want); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(data["pagination"], map[string]any{"total": 1.0, "limit": 30.0, "offset": 0.0, "hasMore": false}); diff != "" {
		t.Error(diff)
	}
	if top := s.decode(a)["key_info"]; top == nil {
		t.Error("a key's list lacks key_info")
	}
	for query, want := range map[string]string{"": "two one", "limit=1": "two", "limit=1&offset=1": "one", "search=ONE": "one", "search=%25": "two", "search=_": "two",
		"created_by=apikey:aaaa": "one", "limit=x": "two one"} {
		var slugs []string
		for _, f := range s.data(s.Call("GET", "/api/files?"+query, "", "Authorization", edgetest.AsAdmin))["files"].([]any) {
			slugs = append(slugs, f.(map[string]any)["slug"].(string))
		}
		if got := strings.Join(slugs, " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	s.wantError(s.Call("GET", "/api/files", "", "Authorization", asNoBit), 403, "permission_denied", "权限")
	s.wantError(s.Call("GET", "/api/files", ""), 401, "unauthenticated", "")
}

func TestContract7_8_Detail(t *testing.T) {
	s := newSite(t)
	up := s.upload("a.txt", "slug=f1&password=pw", "hello")
	id := up["id"].(string)
	got := s.data(s.Call("GET", "/api/files/"+id, "", "Authorization", asKeyA))
	urls := edgetest.Object(got["urls"].(map[string]any))
	delete(got, "urls")
	want := edgetest.Object{"id": id, "filename": "a.txt", "slug": "f1", "storage_path": got["storage_path"], "storage_config_id": "public", "storage_type": "S3",
		"file_path": nil, "mimetype": "text/plain", "size": 5.0, "remark": nil, "created_at": "2026-11-21T08:00:00.000Z", "updated_at": "2026-11-21T08:00:00.000Z",
		"views": 0.0, "max_views": nil, "expires_at": nil, "etag": got["etag"], "created_by": "apikey:aaaa", "use_proxy": 1.0, "has_password": true, "type": 4.0,
		"typeName": "text", "storage_config_name": "Public store", "storage_provider_type": "Other", "storage_config_detail_id": "public", "key_name": "Key A",
		"bucket_name": "bkt", "endpoint_url": "https://s3.example.com", "region": "auto", "path_style": 1.0, "plain_password": nil,
		"url": "http://example.com/file/f1", "raw_url": "http://example.com/api/file-view/f1"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	if urls["proxyPreviewUrl"] != "http://example.com/api/file-view/f1" || urls["proxyDownloadUrl"] != "http://example.com/api/file-download/f1" ||
		urls["previewUrl"] == nil || urls["downloadUrl"] == nil || urls["use_proxy"] != 1.0 {
		t.Errorf("got %v", urls)
	}
	for who, status := range map[string]int{edgetest.AsAdmin: 200, asKeyB: 403, asNoBit: 403, "": 401} {
		if a := s.Call("GET", "/api/files/"+id, "", "Authorization", who); a.ResponseRecorder.Code != status {
			t.Errorf("%q: got %d, want %d", who, a.ResponseRecorder.Code, status)
		}
	}
	s.wantError(s.Call("GET", "/api/files/nosuch", "", "Authorization", edgetest.AsAdmin), 404, "not_found", "不存在")
	delete(s.storages.configs, "public")
	if got = s.data(s.Call("GET", "/api/files/"+id, "", "Authorization", edgetest.AsAdmin)); got["storage_config_name"] != nil || got["urls"].(map[string]any)["previewUrl"] != got["urls"].(map[string]any)["proxyPreviewUrl"] {
		t.Errorf("without its storage config: %v", got)
	}
}

func TestContract7_9_Update(t *testing.T) {
	s := newSite(t)
	id := s.upload("a.txt", "slug=f1&password=pw&max_views=2&remark=r", "hello")["id"].(string)
	s.upload("a.txt", "slug=taken", "hello")
	s.Call("POST", "/api/public/files/f1/verify", `{"password":"pw"}`)
	put := func(body string) edgetest.Answer {
		return s.Call("PUT", "/api/files/"+id, body, "Authorization", asKeyA)
	}
	detail := func() edgetest.Object { return s.data(s.Call("GET", "/api/files/"+id, "", "Authorization", asKeyA)) }
	a := put(`{"remark":null,"slug":null,"id":"x","filename":"evil.html"}`)
	if a.ResponseRecorder.Code != 200 || !a.Success || s.data(a)["url"] != "http://example.com/file/f1" {
		t.Errorf("got %d %s", a.ResponseRecorder.Code, a.Body)
	}
	if d := detail(); d["remark"] != nil || d["slug"] != "f1" || d["filename"] != "a.txt" || d["views"] != 1.0 || d["has_password"] != true {
		t.Errorf("got %v", d)
	}
	put(`{"slug":"f2","max_views":"5","password":"","use_proxy":0,"expires_at":"2027-01-01T00:00:00Z"}`)
	if d := detail(); d["slug"] != "f2" || d["max_views"] != 5.0 || d["views"] != 0.0 || d["has_password"] != false || d["use_proxy"] != 0.0 ||
		d["expires_at"] != "2027-01-01T00:00:00.000Z" {
		t.Errorf("got %v", d)
	}
	put(`{"max_views":null,"expires_at":null,"password":"new","use_proxy":"true"}`)
	if d := detail(); d["max_views"] != nil || d["expires_at"] != nil || d["has_password"] != true || d["use_proxy"] != 1.0 {
		t.Errorf("got %v", d)
	}
	for body, want := range map[string]struct {
		status int
		key    string
	}{
		`{}`:                   {400, "invalid_argument"},
		`{"filename":"x"}`:     {400, "invalid_argument"},
		`{"slug":"a b"}`:       {400, "slug_invalid"},
		`{"slug":"upload"}`:    {400, "slug_reserved"},
		`{"slug":"taken"}`:     {409, "slug_taken"},
		`{"max_views":-1}`:     {400, "invalid_argument"},
		`{"expires_at":"x"}`:   {400, "invalid_argument"},
		`{"use_proxy":"much"}`: {400, "invalid_argument"},
	} {
		s.wantError(put(body), want.status, want.key, "")
	}
	for who, status := range map[string]int{asKeyB: 404, asNoBit: 403, "": 401} {
		if a := s.Call("PUT", "/api/files/"+id, `{"remark":"x"}`, "Authorization", who); a.ResponseRecorder.Code != status {
			t.Errorf("%q: got %d, want %d", who, a.ResponseRecorder.Code, status)
		}
	}
	s.wantError(s.Call("PUT", "/api/files/nosuch", `{"remark":"x"}`, "Authorization", edgetest.AsAdmin), 404, "not_found", "不存在")
}

func TestContract7_10_BatchDelete(t *testing.T) {
	s := newSite(t)
	del := func(body, who string) edgetest.Answer {
		return s.Call("DELETE", "/api/files/batch-delete", body, "Authorization", who)
	}
	id := s.upload("a.txt", "original_filename=true", "hello")["id"].(string)
	got := s.data(del(`{"ids":["`+id+`","nosuch"]}`, asKeyB))
	if failed := got["failed"].([]any); got["success"] != 0.0 || len(failed) != 2 || failed[0].(map[string]any)["id"] != id || !strings.Contains(failed[0].(map[string]any)["error"].(string), "不存在") {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff(s.data(del(`{"ids":["`+id+`"],"delete_mode":"record_only"}`, asKeyA)), edgetest.Object{"success": 1.0, "failed": []any{}}); diff != "" {
		t.Error(diff)
	}
	if _, err := s.bucket.Stat(t.Context(), "up/a.txt"); err != nil {
		t.Errorf("record_only: %v", err)
	}
	id = s.upload("b.txt", "original_filename=true", "hello")["id"].(string)
	s.data(del(`{"ids":["`+id+`"]}`, asKeyA))
	if _, err := s.bucket.Stat(t.Context(), "up/b.txt"); err == nil {
		t.Error("D15: the object is still there")
	}
	for _, bad := range []string{``, `{}`, `{"ids":[]}`, `{"ids":"x"}`, `{"ids":["x"],"delete_mode":"all"}`, `{"ids":["x"],"delete_mode":5}`} {
		s.wantError(del(bad, asKeyA), 400, "invalid_argument", "")
	}
	s.wantError(del(`{"ids":["x"]}`, ""), 401, "unauthenticated", "")
}
