package treeapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/uploads"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// send uploads content to a signed address and returns the ETag it answers.
func (f *forest) upload(address, content string) string {
	f.T.Helper()
	w := httptest.NewRecorder()
	f.bucket.ServeHTTP(w, httptest.NewRequest("PUT", address, strings.NewReader(content)))
	if w.Code != 200 || w.Header().Get("ETag") == "" {
		f.T.Fatalf("PUT %s: %d %s", address, w.Code, w.Body)
	}
	return w.Header().Get("ETag")
}

// multipart makes one call of the family.
func (f *forest) multipart(call string, body edgetest.Object, headers ...string) edgetest.Answer {
	f.T.Helper()
	return f.as("POST", "/api/fs/multipart/"+call, string(must1(json.Marshal(body))), headers...)
}

func TestContractFS4_11_PresignAndCommit(t *testing.T) {
	f := newForest(t)
	got := f.object(f.as("POST", "/api/fs/presign", `{"path":"/m/p/","fileName":"a.txt","contentType":"image/png","fileSize":5}`, "Authorization", asSender))
	want := edgetest.Object{"presignedUrl": got["presignedUrl"], "fileId": got["fileId"], "s3Path": "p/a.txt", "s3Url": "https://s3.example/bkt/p/a.txt",
		"mountId": "id-m", "s3ConfigId": "open", "targetPath": "/m/p/a.txt", "contentType": "text/plain"}
	if diff := cmp.Diff(got, want); diff != "" || got["fileId"] == "" {
		t.Error(diff)
	}
	commit := func(change edgetest.Object) edgetest.Answer {
		body := edgetest.Object{"fileId": got["fileId"], "s3Path": "elsewhere", "targetPath": "/m/p/a.txt", "mountId": "id-m", "contentType": "text/html", "fileSize": 5, "etag": "lie"}
		for k, v := range change {
			body[k] = v
		}
		return f.as("POST", "/api/fs/presign/commit", string(must1(json.Marshal(body))), "Authorization", asSender)
	}
	f.refused("before the upload", commit(nil), 404, "not_found")
	f.upload(got["presignedUrl"].(string), "hello")
	f.refused("another mount", commit(edgetest.Object{"mountId": "id-docs"}), 400, "invalid_argument")
	f.refused("no mount", commit(edgetest.Object{"mountId": ""}), 400, "invalid_argument")
	f.refused("no target", commit(edgetest.Object{"targetPath": ""}), 400, "invalid_argument")
	f.refused("another size", commit(edgetest.Object{"fileSize": 6}), 409, "already_exists")
	for _, size := range []any{5, "5", nil} { // and it may be repeated
		done := f.object(commit(edgetest.Object{"fileSize": size}))
		want := edgetest.Object{"fileName": "a.txt", "targetPath": "/m/p/a.txt", "fileSize": 5.0, "size": 5.0, "etag": done["etag"]}
		if diff := cmp.Diff(done, want); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(f.bucket.Keys(), []string{"p/", "p/a.txt"}); diff != "" {
		t.Error("markers: ", diff)
	}
	f.clock.Add(time.Hour)
	w := httptest.NewRecorder()
	f.bucket.ServeHTTP(w, httptest.NewRequest("PUT", got["presignedUrl"].(string), strings.NewReader("late")))
	if w.Code != 403 {
		t.Errorf("after an hour the link answers %d", w.Code)
	}
}

func TestContractFS4_11_WhatPresignRefuses(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("folder/x", "x")
	for name, c := range map[string]struct {
		body, key string
		status    int
	}{
		"no path":       {`{"fileName":"a"}`, "invalid_argument", 400},
		"no name":       {`{"path":"/m/"}`, "invalid_argument", 400},
		"a climber":     {`{"path":"/m/","fileName":"../a"}`, "invalid_argument", 400},
		"a folder":      {`{"path":"/m/","fileName":"folder"}`, "already_exists", 409},
		"no mount":      {`{"path":"/none/","fileName":"a"}`, "mount_not_found", 404},
		"the root":      {`{"path":"/","fileName":"a"}`, "mount_not_found", 404},
		"a mount":       {`{"path":"/","fileName":"m"}`, "root_forbidden", 403},
		"less than 0":   {`{"path":"/m/","fileName":"a","fileSize":-1}`, "invalid_argument", 400},
		"over the room": {`{"path":"/deep/small/","fileName":"a","fileSize":101}`, "quota_exceeded", 507},
	} {
		f.refused(name, f.as("POST", "/api/fs/presign", c.body), c.status, c.key)
	}
}

// begin begins an upload of three parts to /m/mp/big.bin.
func (f *forest) begin(headers ...string) (id string, links []string) {
	f.T.Helper()
	got := f.object(f.multipart("init", edgetest.Object{"path": "/m/team/mp/", "fileName": "big.bin", "fileSize": 11 << 20, "partSize": 5 << 20, "partCount": 3}, headers...))
	want := edgetest.Object{"uploadId": got["uploadId"], "bucket": "bkt", "key": "team/mp/big.bin", "partSize": float64(5 << 20), "partCount": 3.0,
		"presignedUrls": got["presignedUrls"], "mount_id": "id-m", "path": "/m/team/mp/", "storage_type": "S3"}
	if diff := cmp.Diff(got, want); diff != "" {
		f.T.Fatal(diff)
	}
	for i, l := range got["presignedUrls"].([]any) {
		link := l.(map[string]any)
		u := must1(url.Parse(link["url"].(string)))
		if link["partNumber"] != float64(i+1) || u.Query().Get("partNumber") != fmt.Sprint(i+1) || path.Base(u.Path) != "big.bin" {
			f.T.Errorf("part %d: %v", i+1, link)
		}
		links = append(links, link["url"].(string))
	}
	return got["uploadId"].(string), links
}

func TestContractFS4_10_AnUploadInParts(t *testing.T) {
	f := newForest(t)
	id, links := f.begin("Authorization", asTeam)
	one := f.upload(links[0], "one,")

	listed := f.object(f.multipart("list-uploads", edgetest.Object{"path": "/m/team/mp"}, "Authorization", asTeam))
	want := edgetest.Object{"success": true, "bucket": "bkt", "prefix": "team/mp/", "maxUploads": 1000.0, "isTruncated": false, "uploads": []any{
		map[string]any{"key": "team/mp/big.bin", "uploadId": id, "initiated": wire.ISO(f.clock.Now()), "storageClass": "STANDARD"}}}
	if diff := cmp.Diff(listed, want); diff != "" {
		t.Error(diff)
	}
	parts := f.object(f.multipart("list-parts", edgetest.Object{"path": "/m/team/mp/big.bin", "uploadId": id, "fileName": "big.bin"}, "Authorization", asTeam))
	want = edgetest.Object{"success": true, "bucket": "bkt", "key": "team/mp/big.bin", "uploadId": id, "maxParts": 1000.0, "isTruncated": false, "parts": []any{
		map[string]any{"partNumber": 1.0, "lastModified": wire.ISO(f.clock.Now()), "etag": one, "size": 4.0}}}
	if diff := cmp.Diff(parts, want); diff != "" {
		t.Error(diff)
	}
	fresh := f.object(f.multipart("refresh-urls", edgetest.Object{"path": "/m/team/mp/big.bin", "uploadId": id, "partNumbers": []int{3, 2}}, "Authorization", asTeam))
	if fresh["success"] != true || fresh["uploadId"] != id || fresh["expiresIn"] != 1800.0 {
		t.Errorf("refresh: %v", fresh)
	}
	sent := []edgetest.Object{{"PartNumber": 1, "ETag": one}}
	for _, l := range fresh["presignedUrls"].([]any) {
		link := l.(map[string]any)
		tag := f.upload(link["url"].(string), fmt.Sprintf("part %v,", link["partNumber"]))
		sent = append([]edgetest.Object{{"partNumber": link["partNumber"], "etag": strings.Trim(tag, `"`)}}, sent...) // in the wrong order, other names
	}
	complete := func(size any) edgetest.Answer {
		return f.multipart("complete", edgetest.Object{"path": "/m/team/mp/", "uploadId": id, "parts": sent, "fileName": "big.bin", "fileSize": size}, "Authorization", asTeam)
	}
	first := f.object(complete(18))
	want = edgetest.Object{"success": true, "fileName": "big.bin", "size": 18.0, "contentType": "application/octet-stream", "s3Path": "team/mp/big.bin",
		"s3Url": "https://s3.example/bkt/team/mp/big.bin", "etag": first["etag"], "location": "https://s3.example/bkt/team/mp/big.bin", "message": first["message"]}
	if diff := cmp.Diff(first, want); diff != "" {
		t.Error(diff)
	}
	if string(f.bucket.Bytes("team/mp/big.bin")) != "one,part 2,part 3," {
		t.Errorf("stored %q", f.bucket.Bytes("team/mp/big.bin"))
	}
	if diff := cmp.Diff(f.bucket.Keys(), []string{"team/", "team/mp/", "team/mp/big.bin"}); diff != "" {
		t.Error("markers: ", diff)
	}
	if diff := cmp.Diff(f.object(complete(18)), first); diff != "" {
		t.Error("repeated: ", diff)
	}
	f.refused("another size", complete(19), 409, "already_exists")
	if f.bucket.Bytes("team/mp/big.bin") == nil {
		t.Error("the file of another size is gone")
	}
	f.clock.Add(11 * time.Minute)
	f.refused("repeated too late", complete(18), 404, "upload_not_found")
}

func TestContractFS4_10_BothFormsOfThePath(t *testing.T) {
	for _, c := range []struct{ path, name string }{
		{"/m/team/mp", "big.bin"}, {"/m/team/mp/", "big.bin"}, {"/m/team/mp/big.bin", "big.bin"}, {"m/team/mp/big.bin", "big.bin"},
	} {
		t.Run(c.path, func(t *testing.T) {
			f := newForest(t)
			got := f.object(f.multipart("init", edgetest.Object{"path": c.path, "fileName": c.name, "fileSize": 3}))
			if got["key"] != "team/mp/big.bin" || got["path"] != "/m/team/mp/" || got["partCount"] != 1.0 {
				t.Fatalf("init: %v", got)
			}
			id, link := got["uploadId"], got["presignedUrls"].([]any)[0].(map[string]any)["url"].(string)
			tag := f.upload(link, "abc")
			for _, call := range []string{"list-parts", "refresh-urls"} {
				a := f.multipart(call, edgetest.Object{"path": c.path, "fileName": c.name, "uploadId": id, "partNumbers": []int{1}})
				f.object(a)
			}
			if l := f.object(f.multipart("list-uploads", edgetest.Object{"path": c.path})); strings.HasSuffix(c.path, "mp") && len(l["uploads"].([]any)) != 1 {
				t.Errorf("list-uploads: %v", l)
			}
			done := f.object(f.multipart("complete", edgetest.Object{"path": c.path, "fileName": c.name, "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": tag}}}))
			if done["s3Path"] != "team/mp/big.bin" {
				t.Errorf("complete: %v", done)
			}
		})
	}
	t.Run("without a name", func(t *testing.T) {
		for _, named := range []string{"/m/team/mp/big.bin", "/m/team/mp", "/m/team/mp/"} {
			f := newForest(t)
			id, links := f.begin()
			tags := []string{f.upload(links[0], "a"), f.upload(links[1], "b")}
			f.object(f.multipart("refresh-urls", edgetest.Object{"path": named, "uploadId": id, "partNumbers": []int{3}}))
			f.object(f.multipart("complete", edgetest.Object{"path": named, "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 2, "ETag": tags[1]}, {"PartNumber": 1, "ETag": tags[0]}}}))
			if string(f.bucket.Bytes("team/mp/big.bin")) != "ab" {
				t.Errorf("%s: stored %v", named, f.bucket.Keys())
			}
		}
	})
}

func TestContractFS4_10_WhatInitRefuses(t *testing.T) {
	f := newForest(t)
	for name, c := range map[string]struct {
		change edgetest.Object
		status int
	}{
		"no path":                {edgetest.Object{"path": ""}, 400},
		"no name":                {edgetest.Object{"fileName": ""}, 400},
		"too many parts":         {edgetest.Object{"partCount": 10001}, 400},
		"too many parts by size": {edgetest.Object{"fileSize": 10000*(5<<20) + 1}, 400},
		"small parts":            {edgetest.Object{"partSize": 1 << 20, "partCount": 2}, 400},
		"negative parts":         {edgetest.Object{"partCount": -1}, 400},
		"negative size":          {edgetest.Object{"fileSize": -1}, 400},
		"huge parts":             {edgetest.Object{"partSize": 5<<30 + 1}, 400},
	} {
		body := edgetest.Object{"path": "/m/", "fileName": "a", "fileSize": 1}
		for k, v := range c.change {
			body[k] = v
		}
		f.refused(name, f.multipart("init", body), c.status, "invalid_argument")
	}
	if left := must1(f.bucket.ListUploads(t.Context(), "")); len(left) != 0 {
		t.Errorf("refused calls left %v", left)
	}
	for name, c := range map[string]struct {
		body  edgetest.Object
		parts float64
	}{
		"an empty file":            {edgetest.Object{"fileSize": 0}, 1},
		"nothing known":            {edgetest.Object{}, 1},
		"by size":                  {edgetest.Object{"fileSize": 5<<20 + 1}, 2},
		"the count wins":           {edgetest.Object{"fileSize": 5<<20 + 1, "partCount": 7}, 7},
		"one small part":           {edgetest.Object{"fileSize": 10, "partSize": 10}, 1},
		"as many as there may be":  {edgetest.Object{"partCount": 10000}, 10000},
		"as large as it may be":    {edgetest.Object{"fileSize": int64(10000) * (5 << 20)}, 10000},
		"numbers as decimal texts": {edgetest.Object{"fileSize": "10485761", "partSize": "5242880"}, 3},
	} {
		c.body["path"], c.body["fileName"] = "/m/", "a"
		if got := f.object(f.multipart("init", c.body)); got["partCount"] != c.parts || float64(len(got["presignedUrls"].([]any))) != c.parts {
			t.Errorf("%s: %v parts", name, got["partCount"])
		}
	}
}

func TestContractFS4_10_MissingArgumentsAre400(t *testing.T) {
	f := newForest(t)
	id, _ := f.begin()
	whole := edgetest.Object{"path": "/m/team/mp/", "fileName": "big.bin", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": "x"}}, "partNumbers": []int{1}}
	for call, needed := range map[string][]string{"complete": {"path", "uploadId", "parts"}, "abort": {"path", "uploadId", "fileName"},
		"list-parts": {"path", "uploadId", "fileName"}, "refresh-urls": {"path", "uploadId", "partNumbers"}} {
		for _, field := range needed {
			body := edgetest.Object{}
			for k, v := range whole {
				if k != field {
					body[k] = v
				}
			}
			f.refused(call+" without "+field, f.multipart(call, body), 400, "invalid_argument")
		}
	}
	for name, parts := range map[string][]edgetest.Object{
		"none": {}, "number 0": {{"PartNumber": 0, "ETag": "x"}}, "number 10001": {{"PartNumber": 10001, "ETag": "x"}}, "no tag": {{"PartNumber": 1}},
		"one twice": {{"PartNumber": 1, "ETag": "x"}, {"PartNumber": 1, "ETag": "y"}}, "not in storage": {{"PartNumber": 1, "ETag": "x"}},
	} {
		f.refused(name, f.multipart("complete", edgetest.Object{"path": "/m/team/mp/", "fileName": "big.bin", "uploadId": id, "parts": parts}), 400, "invalid_argument")
	}
	f.refused("part 10001", f.multipart("refresh-urls", edgetest.Object{"path": "/m/team/mp/big.bin", "uploadId": id, "partNumbers": []int{10001}}), 400, "invalid_argument")
}

func TestContractFS4_10_UploadsBelongToWhoBeganThem(t *testing.T) {
	f := newForest(t)
	id, links := f.begin("Authorization", asTeam)
	tag := f.upload(links[0], "x")
	foreign := must1(f.bucket.Create(t.Context(), "team/foreign", objstore.WriteOptions{}))
	all := edgetest.Object{"path": "/m/team/mp/big.bin", "fileName": "big.bin", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": tag}}, "partNumbers": []int{1}}
	listed := func(who, path string) int {
		return len(f.object(f.multipart("list-uploads", edgetest.Object{"path": path}, "Authorization", who))["uploads"].([]any))
	}
	if a, b, c := listed(asTeam, "/m/team"), listed(asMate, "/m/team"), listed(edgetest.AsAdmin, "/m"); a != 1 || b != 0 || c != 2 {
		t.Errorf("the key sees %d, another %d, the administrator %d", a, b, c)
	}
	for _, call := range []string{"complete", "list-parts", "refresh-urls"} {
		f.refused(call+" by another key", f.multipart(call, all, "Authorization", asMate), 404, "upload_not_found")
		other := edgetest.Object{"path": "/m/team/foreign", "fileName": "foreign", "uploadId": foreign, "parts": all["parts"], "partNumbers": []int{1}}
		f.refused(call+" of what was not begun here", f.multipart(call, other, "Authorization", asTeam), 404, "upload_not_found")
		moved := edgetest.Object{"path": "/m/team/elsewhere", "fileName": "elsewhere", "uploadId": id, "parts": all["parts"], "partNumbers": []int{1}}
		f.refused(call+" under another name", f.multipart(call, moved, "Authorization", asTeam), 404, "upload_not_found")
		unknown := edgetest.Object{"path": "/m/team/mp/big.bin", "fileName": "big.bin", "uploadId": "unknown", "parts": all["parts"], "partNumbers": []int{1}}
		f.refused(call+" of nothing", f.multipart(call, unknown, "Authorization", edgetest.AsAdmin), 404, "upload_not_found")
	}
	f.object(f.multipart("abort", all, "Authorization", asMate)) // it is unknown to them, and stays
	if listed(asTeam, "/m/team") != 1 {
		t.Error("another key gave the upload up")
	}
	for range 2 { // the second time it is unknown
		f.object(f.multipart("abort", all, "Authorization", asTeam))
	}
	if listed(asTeam, "/m/team") != 0 || listed(edgetest.AsAdmin, "/m") != 1 {
		t.Error("the upload was not given up")
	}
	f.object(f.multipart("abort", edgetest.Object{"path": "/m/team/foreign", "fileName": "foreign", "uploadId": foreign}))
	if listed(edgetest.AsAdmin, "/m") != 0 {
		t.Error("the administrator cannot give up what others began")
	}
}

func TestContractFS4_10_ListUploadsAtTheRootIsEmpty(t *testing.T) {
	f := newForest(t)
	f.begin()
	for _, who := range []string{edgetest.AsAdmin, asTeam} {
		for _, body := range []edgetest.Object{{}, {"path": ""}} {
			if got := f.object(f.multipart("list-uploads", body, "Authorization", who)); len(got["uploads"].([]any)) != 0 {
				t.Errorf("%s: %v", who, got)
			}
		}
	}
	f.refused("a key without the bit", f.multipart("list-uploads", edgetest.Object{}, "Authorization", asViewer), 403, "permission_denied")
}

// Objects on our own disk have no address.
func TestContractFS4_10_AFileInPartsAlwaysHasALocation(t *testing.T) {
	f := newForest(t)
	begun := f.object(f.multipart("init", edgetest.Object{"path": "/deep/small", "fileName": "c"}))
	id := begun["uploadId"].(string)
	p := must1(f.small.WritePart(t.Context(), "c", id, 1, strings.NewReader("x"), 1))
	done := f.object(f.multipart("complete", edgetest.Object{"path": "/deep/small", "fileName": "c", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": p.ETag}}}))
	if location, there := done["location"]; !there || location != done["s3Url"] {
		t.Errorf("got %v", done)
	}
}

// Some storages look at the parts of a Complete before they look for the upload.
func TestContractFS4_10_AnUnknownUploadIsMissingWhateverItsPartsAre(t *testing.T) {
	f := newForest(t)
	f.small.Fail = func(method, _ string) error {
		if method == "Complete" {
			return objstore.ErrBadPart
		}
		return nil
	}
	f.refused("complete", f.multipart("complete", edgetest.Object{"path": "/deep/small", "fileName": "c", "uploadId": "unknown",
		"parts": []edgetest.Object{{"PartNumber": 1, "ETag": "x"}}}), 404, "upload_not_found")
}

// The answer to a Complete may get lost when storage has done its work.
func TestContractFS4_10_ACompleteWhoseAnswerWasLostIsRepeated(t *testing.T) {
	f := newForest(t)
	id, links := f.begin()
	body := edgetest.Object{"path": "/m/team/mp/", "fileName": "big.bin", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": f.upload(links[0], "x")}}}
	part := objstore.Part{Number: 1, ETag: strings.Trim(body["parts"].([]edgetest.Object)[0]["ETag"].(string), `"`)}
	if _, err := f.bucket.Complete(t.Context(), "team/mp/big.bin", id, []objstore.Part{part}); err != nil {
		t.Fatal(err)
	}
	f.bucket.Fail = func(method, _ string) error {
		if method == "Complete" {
			return objstore.ErrNoUpload // as storages do that have forgotten it
		}
		return nil
	}
	if got := f.object(f.multipart("complete", body)); got["size"] != 1.0 {
		t.Errorf("got %v", got)
	}
}

// A client may give up waiting and ask again while its first request is at work.
func TestContractFS4_10_TwoCompletesAtOnceCountOnce(t *testing.T) {
	f := newForest(t)
	begun := f.object(f.multipart("init", edgetest.Object{"path": "/deep/small", "fileName": "c", "fileSize": 40}))
	id := begun["uploadId"].(string)
	p := must1(f.small.WritePart(t.Context(), "c", id, 1, strings.NewReader(strings.Repeat("z", 40)), 40))
	body := edgetest.Object{"path": "/deep/small", "fileName": "c", "uploadId": id, "parts": []edgetest.Object{{"PartNumber": 1, "ETag": p.ETag}}}
	f.small.Fail = func(method, _ string) error {
		if method == "Complete" {
			f.small.Fail = nil
			f.object(f.multipart("complete", body))
		}
		return nil
	}
	if got := f.object(f.multipart("complete", body)); got["size"] != 40.0 {
		t.Errorf("got %v", got)
	}
	if a, err := f.db.Ledger().Account(t.Context(), "small"); err != nil || a.Held != 40 || a.Reserved != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if used, err := f.db.Ledger().Uploads(t.Context(), f.clock.Now()); err != nil || used.BytesToday != 40 || used.FilesToday != 1 {
		t.Errorf("the day has %+v, %v", used, err)
	}
}

func TestContractFS4_10_StaleUploadsAreGivenUpAfterAWeek(t *testing.T) {
	f := newForest(t)
	old, _ := f.begin()
	f.clock.Add(time.Hour)
	young, _ := f.begin()
	f.clock.Add(upload.Kept - 30*time.Minute)
	n, err := f.uploads.Sweep(t.Context())
	if n != 1 || err != nil {
		t.Errorf("gave up %d, %v", n, err)
	}
	left := must1(f.bucket.ListUploads(t.Context(), ""))
	if len(left) != 1 || left[0].ID != young || young == old {
		t.Errorf("left %v", left)
	}
	f.clock.Add(2 * time.Hour)
	f.bucket.Fail = func(method, _ string) error {
		if method == "Abort" {
			return edgetest.ErrDown
		}
		return nil
	}
	if n, err := f.uploads.Sweep(t.Context()); n != 0 || err == nil {
		t.Errorf("a storage that is down: %d, %v", n, err)
	}
	f.bucket.Fail = nil
	if n, err := f.uploads.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("once it answers again: %d, %v", n, err)
	}
	if page := must1(f.db.Uploads().List(t.Context(), uploads.Filter{})); page.Total != 0 {
		t.Errorf("%d records are left", page.Total)
	}
}

func TestContractFS9_22_ACapacityHolds(t *testing.T) {
	f := newForest(t)
	sixty := strings.Repeat("x", 60)
	f.object(f.put("/deep/small/a", sixty))
	f.refused("a second one", f.put("/deep/small/b", sixty), 507, "quota_exceeded")
	f.object(f.put("/deep/small/a", strings.Repeat("y", 100))) // in place of the first
	f.refused("an update", f.as("POST", "/api/fs/update", `{"path":"/deep/small/c","content":"x"}`), 507, "quota_exceeded")
	f.refused("an announcement", f.multipart("init", edgetest.Object{"path": "/deep/small", "fileName": "c", "fileSize": 1}), 507, "quota_exceeded")
	if _, err := f.small.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	f.tree.StorageChanged(t.Context(), "small", nil, []string{"a"})
	begun := f.object(f.multipart("init", edgetest.Object{"path": "/deep/small", "fileName": "c"}))
	id := begun["uploadId"].(string)
	p := must1(f.small.WritePart(t.Context(), "c", id, 1, strings.NewReader(strings.Repeat("z", 101)), 101))
	sent := []edgetest.Object{{"PartNumber": 1, "ETag": p.ETag}}
	f.refused("parts that are too much", f.multipart("complete", edgetest.Object{"path": "/deep/small", "fileName": "c", "uploadId": id, "parts": sent}), 507, "quota_exceeded")
	link := f.object(f.as("POST", "/api/fs/presign", `{"path":"/deep/small","fileName":"d"}`))
	w := httptest.NewRecorder()
	f.small.ServeHTTP(w, httptest.NewRequest("PUT", link["presignedUrl"].(string), strings.NewReader(strings.Repeat("z", 101))))
	f.refused("a commit", f.as("POST", "/api/fs/presign/commit", `{"targetPath":"/deep/small/d","mountId":"id-small"}`), 507, "quota_exceeded")
	if keys := f.small.Keys(); len(keys) != 0 {
		t.Errorf("stored %v", keys)
	}
	f.object(f.put("/deep/small/e", sixty))
}

func TestACommitRemovesNothingThatNoUploadHasBrought(t *testing.T) {
	f := newForest(t)
	f.object(f.put("/deep/small/mine", strings.Repeat("x", 60)))
	commit := func() edgetest.Answer {
		return f.as("POST", "/api/fs/presign/commit", `{"targetPath":"/deep/small/mine","mountId":"id-small"}`)
	}
	f.object(commit())
	small := f.storages.configs["small"]
	small.Capacity = 50 // the operator has lowered it
	f.storages.configs["small"] = small
	f.tree.ForgetStorage("small")
	f.object(commit()) // this server's own links have counted it
	small.OwnDisk = false
	f.storages.configs["small"] = small
	f.tree.ForgetStorage("small")
	f.refused("a commit without an upload", commit(), 507, "quota_exceeded")
	if keys := f.small.Keys(); len(keys) != 1 {
		t.Errorf("a full storage: stored %v", keys)
	}
	small.Capacity = 100
	f.storages.configs["small"] = small
	f.tree.ForgetStorage("small")
	f.rules.limits = policy.Obligations{MaxSize: 3}
	f.refused("a commit of what is over the limit by now", commit(), 413, "too_large")
	if keys := f.small.Keys(); len(keys) != 1 {
		t.Errorf("a lower limit: stored %v", keys)
	}
	f.rules.limits = policy.Obligations{}
	link := f.object(f.as("POST", "/api/fs/presign", `{"path":"/deep/small","fileName":"mine"}`))
	f.rules.limits = policy.Obligations{MaxSize: 3}
	w := httptest.NewRecorder()
	f.small.ServeHTTP(w, httptest.NewRequest("PUT", link["presignedUrl"].(string), strings.NewReader("four")))
	f.refused("a commit of an upload over the limit", commit(), 413, "too_large")
	if keys := f.small.Keys(); len(keys) != 0 {
		t.Errorf("an upload over the limit: stored %v", keys)
	}
}
