package shareapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"pasteport/ports"

	"pasteport/adapters/httpapi/edgetest"

	"github.com/google/go-cmp/cmp"
)

const twoParts = 5<<20 + 5 // bytes

// ofParts makes one call of the family.
func (s *site) ofParts(call, who string, body edgetest.Object) edgetest.Answer {
	s.T.Helper()
	return s.post("/api/s3/multipart/"+call, who, string(must(json.Marshal(body))))
}

// announced begins an upload of key A's in two parts.
func (s *site) announced(slug string) edgetest.Object {
	s.T.Helper()
	s.settings.max = 1 << 30
	return s.data(s.ofParts("init", asKeyA, edgetest.Object{"s3_config_id": "public", "filename": "海图.bin", "size": twoParts, "slug": slug}))
}

// sendPart puts content to the nth of some addresses and returns the status.
func (s *site) sendPart(up edgetest.Object, n int, content string) int {
	s.T.Helper()
	w := httptest.NewRecorder()
	s.bucket.ServeHTTP(w, httptest.NewRequest("PUT", up["presigned_urls"].([]any)[n].(map[string]any)["url"].(string), strings.NewReader(content)))
	return w.Code
}

func ids(up edgetest.Object) edgetest.Object {
	return edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"]}
}

var partOne, partTwo = strings.Repeat("a", 5<<20), "tail!"

func TestContract7_AFileInPartsIsSharedOnceItIsWhole(t *testing.T) {
	s := newSite(t)
	up := s.announced("u1")
	want := edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"], "slug": "u1", "storage_path": "up/海图.bin",
		"s3_url": "https://s3.example.com/bkt/up/%E6%B5%B7%E5%9B%BE.bin", "provider_type": "Other", "contentType": "application/octet-stream",
		"size": float64(twoParts), "part_size": 5242880.0, "part_count": 2.0, "presigned_urls": up["presigned_urls"],
		"hasPassword": false, "expiresAt": nil, "maxViews": nil, "url": "http://example.com/file/u1", "raw_url": "http://example.com/api/file-view/u1"}
	if diff := cmp.Diff(up, want); diff != "" {
		t.Error(diff)
	}
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 400, "invalid_argument", "分片")
	s.sendPart(up, 1, partTwo)
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 400, "invalid_argument", "分片")
	arrived := s.data(s.ofParts("list-parts", asKeyA, ids(up)))
	parts := arrived["parts"].([]any)
	if len(parts) != 1 || arrived["size"] != float64(twoParts) || arrived["part_size"] != 5242880.0 || arrived["filename"] != "海图.bin" {
		t.Fatalf("got %v", arrived)
	}
	if one := parts[0].(map[string]any); one["partNumber"] != 2.0 || one["size"] != 5.0 || !strings.HasPrefix(one["etag"].(string), `"`) {
		t.Errorf("got %v", one)
	}
	again := s.data(s.ofParts("refresh-urls", asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"], "part_numbers": []int{1}}))
	if again["expires_in"] != 3600.0 || len(again["presigned_urls"].([]any)) != 1 {
		t.Errorf("got %v", again)
	}
	if code := s.sendPart(again, 0, partOne); code != 200 {
		t.Fatalf("a refreshed address answers %d", code)
	}

	s.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	for range 2 { // and it may be repeated
		got := s.data(s.ofParts("complete", asKeyA, ids(up)))
		if got["id"] != up["file_id"] || got["slug"] != "u1" || got["size"] != float64(twoParts) || got["filename"] != "海图.bin" || got["url"] != "http://example.com/file/u1" {
			t.Errorf("got %v", got)
		}
	}
	if a := s.Call("GET", "/api/file-view/u1", ""); a.Body.String() != partOne+partTwo {
		t.Errorf("the file has %d bytes", a.Body.Len())
	}
	if page, _ := s.bucket.List(t.Context(), listAll); len(page.Objects) != 1 {
		t.Errorf("objects: %v", page.Objects)
	}
}

func TestContract7_ALostAnswerToTheJoiningOfAFileIsNoLoss(t *testing.T) {
	s := newSite(t)
	up := s.announced("u1")
	s.sendPart(up, 0, partOne)
	s.sendPart(up, 1, partTwo)
	s.bucket.Fail = func(method, _ string) error {
		if method == "Stat" {
			return ports.ErrUnavailable
		}
		return nil
	}
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	if got := s.data(s.ofParts("complete", asKeyA, ids(up))); got["size"] != float64(twoParts) {
		t.Errorf("got %v", got)
	}
}

func TestContract7_GivingUpAFileInPartsLeavesNothing(t *testing.T) {
	s := newSite(t)
	up := s.announced("u1")
	s.sendPart(up, 0, partOne)
	s.bucket.Fail = func(string, string) error { return ports.ErrUnavailable }
	s.wantError(s.ofParts("abort", asKeyA, ids(up)), 503, "storage_unavailable", "")
	s.bucket.Fail = nil
	if got := s.data(s.ofParts("abort", asKeyA, ids(up))); got["success"] != true || got["fileId"] != up["file_id"] {
		t.Errorf("got %v", got)
	}
	s.wantError(s.ofParts("abort", asKeyA, ids(up)), 404, "upload_not_found", "不存在")
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 404, "upload_not_found", "不存在")
	s.wantNothing()
	s.announced("u1") // the slug is free again
}

func (s *site) wantNothing() {
	s.T.Helper()
	if uploads, _ := s.bucket.ListUploads(s.T.Context(), ""); len(uploads) != 0 {
		s.T.Errorf("left parts: %+v", uploads)
	}
	if page, _ := s.bucket.List(s.T.Context(), listAll); len(page.Objects) != 0 {
		s.T.Errorf("left objects: %v", page.Objects)
	}
	if usage, _ := s.files.Usage(s.T.Context()); usage["public"].Files != 0 {
		s.T.Errorf("left a record: %+v", usage)
	}
}

func TestContract7_AFileInPartsIsRefusedAsOneInAPiece(t *testing.T) {
	s := newSite(t)
	s.settings.max = 1 << 30
	s.upload("a.txt", "slug=taken", "x")
	of := func(more edgetest.Object) edgetest.Object {
		body := edgetest.Object{"s3_config_id": "public", "filename": "y.bin", "size": twoParts}
		for name, value := range more {
			body[name] = value
		}
		return body
	}
	for name, c := range map[string]struct {
		who    string
		body   edgetest.Object
		status int
		key    string
	}{
		"nobody":                 {"", of(nil), 401, "unauthenticated"},
		"no permission":          {asNoBit, of(nil), 403, "permission_denied"},
		"no permission, no size": {asNoBit, of(edgetest.Object{"size": 0}), 403, "permission_denied"},
		"no storage":             {asKeyA, of(edgetest.Object{"s3_config_id": ""}), 400, "invalid_argument"},
		"a private storage":      {asKeyA, of(edgetest.Object{"s3_config_id": "private"}), 403, "storage_forbidden"},
		"an unknown storage":     {asKeyA, of(edgetest.Object{"s3_config_id": "nosuch"}), 404, "not_found"},
		"a taken slug":           {asKeyA, of(edgetest.Object{"slug": "taken"}), 409, "slug_taken"},
		"a wrong slug":           {asKeyA, of(edgetest.Object{"slug": "a b"}), 400, "slug_invalid"},
		"no size":                {asKeyA, of(edgetest.Object{"size": 0}), 400, "invalid_argument"},
		"a negative size":        {asKeyA, of(edgetest.Object{"size": -1}), 400, "invalid_argument"},
		"too large":              {asKeyA, of(edgetest.Object{"size": 1<<30 + 1}), 413, "too_large"},
		"smaller parts":          {asKeyA, of(edgetest.Object{"part_size": 1 << 20}), 400, "invalid_argument"},
		"larger parts":           {asKeyA, of(edgetest.Object{"part_size": 10 << 20}), 400, "invalid_argument"},
		"fewer parts":            {asKeyA, of(edgetest.Object{"part_count": 1}), 400, "invalid_argument"},
		"more parts":             {asKeyA, of(edgetest.Object{"part_count": 10_000}), 400, "invalid_argument"},
		"no name":                {asKeyA, of(edgetest.Object{"filename": ""}), 400, "invalid_argument"},
		"a name that climbs":     {asKeyA, of(edgetest.Object{"filename": "../y.bin"}), 400, "invalid_argument"},
		"a path that climbs":     {asKeyA, of(edgetest.Object{"path": "a/../../b"}), 400, "invalid_argument"},
		"a path with NUL":        {asKeyA, of(edgetest.Object{"path": "a\x00b"}), 400, "invalid_argument"},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			a := s.ofParts("init", c.who, c.body)
			if a.ResponseRecorder.Code != c.status || a.Error != c.key {
				t.Errorf("got %d %s", a.ResponseRecorder.Code, a.Body)
			}
		})
	}
	s.T = t
	if usage, _ := s.files.Usage(t.Context()); usage["public"].Files != 1 {
		t.Errorf("a refused upload left a record: %+v", usage)
	}
	if uploads, _ := s.bucket.ListUploads(t.Context(), ""); len(uploads) != 0 {
		t.Errorf("a refused upload left an upload: %+v", uploads)
	}
}

func TestAttackOnTheUploadsOfOthers(t *testing.T) {
	s := newSite(t)
	up, other := s.announced("u1"), s.announced("u2")
	s.sendPart(up, 0, partOne)
	s.sendPart(up, 1, partTwo)
	mixed := edgetest.Object{"file_id": up["file_id"], "upload_id": other["upload_id"]}
	for _, call := range []string{"list-parts", "refresh-urls", "complete", "abort"} {
		with := func(body edgetest.Object) edgetest.Object {
			body["part_numbers"] = []int{1}
			return body
		}
		s.wantError(s.ofParts(call, "", with(ids(up))), 401, "unauthenticated", "")
		s.wantError(s.ofParts(call, asNoBit, with(ids(up))), 403, "permission_denied", "权限")
		s.wantError(s.ofParts(call, asKeyB, with(ids(up))), 404, "upload_not_found", "不存在")
		s.wantError(s.ofParts(call, asKeyA, with(mixed)), 404, "upload_not_found", "不存在")
		s.wantError(s.ofParts(call, asKeyA, with(edgetest.Object{"file_id": "../" + fmt.Sprint(up["file_id"]), "upload_id": up["upload_id"]})), 404, "upload_not_found", "不存在")
		s.wantError(s.ofParts(call, asKeyA, with(edgetest.Object{"file_id": "nosuch", "upload_id": "x"})), 404, "upload_not_found", "不存在")
		s.wantError(s.ofParts(call, asKeyA, with(edgetest.Object{"upload_id": "x"})), 400, "invalid_argument", "file_id")
		s.wantError(s.ofParts(call, asKeyA, with(edgetest.Object{"file_id": up["file_id"]})), 400, "invalid_argument", "upload_id")
	}
	for _, numbers := range [][]int{nil, {0}, {-1}, {3}, {1, 10_001}, make([]int, 10_001)} {
		s.wantError(s.ofParts("refresh-urls", asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"], "part_numbers": numbers}), 400, "invalid_argument", "")
	}
	// A commit as of one PUT, and an upload through the calls for addresses, get no further than these.
	s.wantError(s.post("/api/s3/commit", asKeyA, fmt.Sprintf(`{"file_id":%q}`, up["file_id"])), 400, "invalid_argument", "")
	s.wantError(s.post("/api/url/multipart/abort", asKeyB, fmt.Sprintf(`{"file_id":%q,"upload_id":%q}`, up["file_id"], up["upload_id"])), 403, "not_owner", "权限")
	if got := s.data(s.ofParts("complete", asKeyA, ids(up))); got["size"] != float64(twoParts) {
		t.Errorf("the attacks left %v", got)
	}
	s.wantError(s.ofParts("complete", asKeyB, ids(up)), 404, "upload_not_found", "不存在")
	s.wantError(s.ofParts("abort", asKeyA, ids(up)), 404, "upload_not_found", "不存在")
	for _, call := range []string{"list-parts", "refresh-urls"} {
		s.wantError(s.ofParts(call, asKeyA, edgetest.Object{"file_id": up["file_id"], "upload_id": up["upload_id"], "part_numbers": []int{1}}), 404, "upload_not_found", "不存在")
	}
}

func TestAttackWithMoreThanWasAnnounced(t *testing.T) {
	s := newSite(t)
	up := s.announced("u1")
	// An S3 that binds no length takes what comes; the file is refused all the same.
	for number, content := range map[int]string{1: partOne + "a", 2: partTwo, 3: "more"} {
		if _, err := s.bucket.WritePart(t.Context(), "up/海图.bin", up["upload_id"].(string), number, strings.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
	}
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 400, "invalid_argument", "分片")
	s.sendPart(up, 0, partOne)
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 400, "invalid_argument", "分片")
	if a := s.Call("GET", "/api/file-view/u1", ""); a.ResponseRecorder.Code != 404 {
		t.Errorf("it is shared: %d", a.ResponseRecorder.Code)
	}
	s.data(s.ofParts("abort", asKeyA, ids(up)))
	s.wantNothing()

	up = s.announced("u2")
	s.sendPart(up, 0, partOne)
	s.sendPart(up, 1, partTwo)
	s.settings.max = 5 << 20 // the limit fell meanwhile
	s.wantError(s.ofParts("complete", asKeyA, ids(up)), 413, "too_large", " 5 MB")
	s.wantNothing()
}
