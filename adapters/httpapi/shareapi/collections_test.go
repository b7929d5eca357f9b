package shareapi

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/ports"
)

// collection makes one of key A's with these files, and returns its answer.
func (s *site) collection(fields string, files ...string) edgetest.Object {
	s.T.Helper()
	var ids []string
	for _, name := range files {
		ids = append(ids, `"`+s.upload(name, "", "of "+name)["id"].(string)+`"`)
	}
	if fields != "" {
		fields += ","
	}
	a := s.Call("POST", "/api/collections", `{`+fields+`"file_ids":[`+strings.Join(ids, ",")+`]}`, "Authorization", asKeyA)
	return s.data(a)
}

// itemsOf are the items of an answer.
func itemsOf(o edgetest.Object) (items []edgetest.Object) {
	for _, item := range o["items"].([]any) {
		items = append(items, edgetest.Object(item.(map[string]any)))
	}
	return items
}

func TestACollectionIsMadeReadAndEnded(t *testing.T) {
	s := newSite(t)
	made := s.collection(`"slug":"trip","title":" Trip "`, "a.txt", "b.md")
	if made["title"] != "Trip" || made["url"] != "http://example.com/collection/trip" || made["created_by"] != "apikey:aaaa" || len(itemsOf(made)) != 2 {
		t.Errorf("made %v", made)
	}
	seen := s.data(s.Call("GET", "/api/public/collections/trip?peek=1", ""))
	if seen["peek"] != true || seen["requires_password"] != false || seen["items"] != nil {
		t.Errorf("peek %v", seen)
	}
	open := s.data(s.Call("GET", "/api/public/collections/trip", ""))
	items := itemsOf(open)
	if open["views"] != 1.0 || items[0]["filename"] != "a.txt" || items[1]["mimetype"] != "text/markdown" || items[0]["slug"] != nil {
		t.Errorf("open %v", open)
	}
	address := strings.TrimPrefix(items[0]["downloadUrl"].(string), "http://example.com")
	a := s.Call("GET", address, "")
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "of a.txt" || !strings.HasPrefix(a.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("an item: %d %q %v", a.ResponseRecorder.Code, a.Body, a.Header())
	}
	a = s.Call("GET", address, "", "Range", "bytes=3-4")
	if a.ResponseRecorder.Code != 206 || a.Body.String() != "a." {
		t.Errorf("a range of an item: %d %q", a.ResponseRecorder.Code, a.Body)
	}
	if slug := made["slug"]; slug != "trip" {
		t.Errorf("slug %v", slug)
	}
	list := s.data(s.Call("GET", "/api/collections", "", "Authorization", asKeyA))
	if got := list["collections"].([]any); len(got) != 1 {
		t.Errorf("list %v", list)
	}
	if got := s.data(s.Call("GET", "/api/collections", "", "Authorization", asKeyB))["collections"].([]any); len(got) != 0 {
		t.Errorf("another key's list %v", got)
	}
	s.wantError(s.Call("DELETE", "/api/collections/trip", "", "Authorization", asKeyB), 404, "not_found", "合集")
	if a := s.Call("DELETE", "/api/collections/trip", "", "Authorization", asKeyA); a.ResponseRecorder.Code != 200 {
		t.Errorf("deleting it: %d %s", a.ResponseRecorder.Code, a.Body)
	}
	s.wantError(s.Call("GET", "/api/public/collections/trip", ""), 404, "not_found", "合集")
	if files := s.data(s.Call("GET", "/api/files", "", "Authorization", asKeyA))["files"].([]any); len(files) != 0 {
		t.Errorf("the items are left: %v", files)
	}
}

func TestAProtectedCollectionTellsNothingBeforeItsPassword(t *testing.T) {
	s := newSite(t)
	made := s.collection(`"slug":"s","title":"Secret","password":"pw"`, "a.txt")
	locked := s.data(s.Call("GET", "/api/public/collections/s", ""))
	if locked["requires_password"] != true || locked["title"] != "" || len(itemsOf(locked)) != 0 || locked["ticket"] != nil {
		t.Errorf("locked %v", locked)
	}
	id := itemsOf(made)[0]["id"].(string)
	if a := s.Call("GET", "/api/collection-view/s/"+id, ""); a.ResponseRecorder.Code != 401 {
		t.Errorf("an item without the password: %d %q", a.ResponseRecorder.Code, a.Body)
	}
	s.wantError(s.Call("POST", "/api/public/collections/s/verify", `{"password":"no"}`), 401, "password_wrong", "密码")
	open := s.data(s.Call("POST", "/api/public/collections/s/verify", `{"password":"pw"}`))
	if open["title"] != "Secret" || len(itemsOf(open)) != 1 {
		t.Errorf("open %v", open)
	}
	if a := s.Call("GET", "/api/collection-view/s/"+id, "", "X-Share-Password", "pw"); a.ResponseRecorder.Code != 200 {
		t.Errorf("an item with the password: %d %q", a.ResponseRecorder.Code, a.Body)
	}
}

func TestOwnersEditACollection(t *testing.T) {
	s := newSite(t)
	made := s.collection(`"slug":"c"`, "a.txt", "b.txt")
	first, second := itemsOf(made)[0]["id"].(string), itemsOf(made)[1]["id"].(string)
	late := s.upload("late.txt", "", "late")["id"].(string)
	now := s.data(s.Call("PUT", "/api/collections/c/items", `{"items":[{"id":"`+late+`","filename":"early.txt"},{"id":"`+second+`"}]}`, "Authorization", asKeyA))
	var names []string
	for _, item := range itemsOf(now) {
		names = append(names, item["filename"].(string))
	}
	if got := strings.Join(names, " "); got != "early.txt b.txt a.txt" {
		t.Errorf("arranged as %q", got)
	}
	gone := s.data(s.Call("DELETE", "/api/collections/c/items", `{"ids":["`+first+`","`+late+`x"]}`, "Authorization", asKeyA))
	if gone["success"] != 1.0 || len(gone["failed"].([]any)) != 1 {
		t.Errorf("removed %v", gone)
	}
	changed := s.data(s.Call("PUT", "/api/collections/c", `{"title":"New","slug":"d","max_views":3,"password":"pw"}`, "Authorization", asKeyA))
	if changed["title"] != "New" || changed["slug"] != "d" || changed["max_views"] != 3.0 || changed["has_password"] != true || len(itemsOf(changed)) != 2 {
		t.Errorf("changed %v", changed)
	}
	tag := s.Call("GET", "/api/collections/d", "", "Authorization", asKeyA).Header().Get("Etag")
	if a := s.Call("PUT", "/api/collections/d", `{"title":"Newer"}`, "Authorization", asKeyA, "If-Match", tag); a.ResponseRecorder.Code != 200 || a.Header().Get("Etag") == tag {
		t.Errorf("with the tag that was seen: %d, then %q", a.ResponseRecorder.Code, a.Header().Get("Etag"))
	}
	for _, path := range []string{"/api/collections/d", "/api/collections/d/items"} {
		s.wantError(s.Call("PUT", path, `{"title":"Old","items":[]}`, "Authorization", asKeyA, "If-Match", tag), 412, "precondition_failed", "")
	}
	s.wantError(s.Call("PUT", "/api/collections/d", `{"title":"x"}`, "Authorization", asKeyB), 404, "not_found", "")
	s.wantError(s.Call("PUT", "/api/files/"+second, `{"password":"x"}`, "Authorization", asKeyA), 409, "item_taken", "合集")
	s.wantError(s.Call("POST", "/api/collections", `{"file_ids":["`+second+`"]}`, "Authorization", asKeyA), 409, "item_taken", "合集")
}

func TestAZipOfACollectionComesInRangesAndTakesOneView(t *testing.T) {
	s := newSite(t)
	s.collection(`"slug":"trip","title":"Trip","max_views":2`, "a.txt", "b.md")
	open := s.data(s.Call("GET", "/api/public/collections/trip", ""))
	address := strings.TrimPrefix(open["archiveUrl"].(string), "http://example.com")
	whole := s.Call("GET", address, "")
	h := whole.Header()
	if whole.ResponseRecorder.Code != 200 || h.Get("Content-Type") != "application/zip" || !strings.Contains(h.Get("Content-Disposition"), `filename="Trip.zip"`) ||
		h.Get("Content-Length") != fmt.Sprint(whole.Body.Len()) || h.Get("Accept-Ranges") != "bytes" || h.Get("Etag") == "" {
		t.Errorf("the ZIP: %d %v", whole.ResponseRecorder.Code, h)
	}
	data := whole.Body.String()
	if head := s.Call("HEAD", address, ""); head.ResponseRecorder.Code != 200 || head.Header().Get("Content-Length") != h.Get("Content-Length") || head.Body.Len() != 0 {
		t.Errorf("its head: %d %v", head.ResponseRecorder.Code, head.Header())
	}
	s.clock.Add(time.Hour)
	part := s.Call("GET", address, "", "Range", "bytes=40-", "If-Range", h.Get("Etag"))
	if part.ResponseRecorder.Code != 206 || part.Body.String() != data[40:] {
		t.Errorf("the rest: %d %v", part.ResponseRecorder.Code, part.Header())
	}
	other := s.Call("GET", address, "", "Range", "bytes=40-", "If-Range", `"other"`)
	if other.ResponseRecorder.Code != 200 || other.Body.String() != data {
		t.Errorf("of another version all is sent: %d", other.ResponseRecorder.Code)
	}
	s.wantError(s.Call("GET", "/api/public/collections/trip", ""), 410, "used_up", "合集")
	if again := s.Call("GET", address, ""); again.ResponseRecorder.Code != 410 {
		t.Errorf("a third start: %d", again.ResponseRecorder.Code)
	}
}

// drawn makes a picture of what it reads, with its length.
type drawn struct{}

func (drawn) Draw(_ context.Context, from io.Reader, side int) (ports.Picture, error) {
	data, err := io.ReadAll(from)
	return ports.Picture{Type: "image/jpeg", Bytes: fmt.Appendf(nil, "%s at %d", data, side)}, err
}

// What no page shows can only be saved: its view is a download, and the same one as
// that of the answer that named both.
func TestTheViewOfWhatNoPageShowsIsADownload(t *testing.T) {
	s := newSite(t)
	s.collection(`"slug":"trip","max_downloads":1`, "a.zip", "b.txt", "c.html")
	address := func(item map[string]any, name string) string {
		return strings.TrimPrefix(item[name].(string), "http://example.com")
	}
	open := itemsOf(s.data(s.Call("GET", "/api/public/collections/trip", "")))
	for _, path := range []string{address(open[1], "previewUrl"), address(open[2], "previewUrl"), address(open[0], "previewUrl"), address(open[0], "downloadUrl"), address(open[0], "previewUrl")} {
		if a := s.Call("GET", path, ""); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s: %d %s", path, a.ResponseRecorder.Code, a.Body)
		}
	}
	open = itemsOf(s.data(s.Call("GET", "/api/public/collections/trip", "")))
	for _, name := range []string{"previewUrl", "downloadUrl"} {
		for _, part := range []string{"bytes=0-", "bytes=1-"} {
			if a := s.Call("GET", address(open[0], name), "", "Range", part); a.ResponseRecorder.Code != 410 {
				t.Errorf("%s %s: %d", name, part, a.ResponseRecorder.Code)
			}
		}
	}
	if a := s.Call("GET", address(open[1], "previewUrl"), ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("a text is shown: %d", a.ResponseRecorder.Code)
	}
}

func TestACollectionSaysWhatVisitorsSeeFirst(t *testing.T) {
	s := newSite(t)
	id := s.collection(`"slug":"trip","look":"gallery"`, "a.png", "b.txt")["id"].(string)
	seen := func() any { return s.data(s.Call("GET", "/api/public/collections/trip", ""))["look"] }
	change := func(body string) int {
		return s.Call("PUT", "/api/collections/"+id, body, "Authorization", asKeyA).ResponseRecorder.Code
	}
	if got := seen(); got != "gallery" {
		t.Errorf("%v", got)
	}
	if code := change(`{"look":"preview"}`); code != 200 || seen() != "preview" {
		t.Errorf("%d, %v", code, seen())
	}
	if code := change(`{"title":"t"}`); code != 200 || seen() != "preview" {
		t.Errorf("%d, %v after another change", code, seen())
	}
	if code := change(`{"look":""}`); code != 200 || seen() != nil {
		t.Errorf("%d, %v", code, seen())
	}
	if code := change(`{"look":"upside down"}`); code != 400 {
		t.Errorf("%d", code)
	}
}

func TestASmallPictureOfAnItemTakesTheViewOfItsVisit(t *testing.T) {
	s := newSite(t)
	made := s.collection(`"slug":"pics","max_views":2`, "a.jpg", "b.txt")
	picture, text := itemsOf(made)[0]["id"].(string), itemsOf(made)[1]["id"].(string)
	ticket := s.data(s.Call("GET", "/api/public/collections/pics", ""))["ticket"].(string)
	a := s.Call("GET", "/api/collection-thumbnail/pics/"+picture+"?size=200&ticket="+ticket, "")
	if a.ResponseRecorder.Code != 200 || a.Body.String() != "of a.jpg at 320" || a.Header().Get("Content-Type") != "image/jpeg" || a.Header().Get("X-Robots-Tag") == "" {
		t.Errorf("the picture: %d %q %v", a.ResponseRecorder.Code, a.Body, a.Header())
	}
	if again := s.Call("GET", "/api/collection-thumbnail/pics/"+picture+"?size=200&ticket="+ticket, "", "If-None-Match", a.Header().Get("Etag")); again.ResponseRecorder.Code != 304 {
		t.Errorf("the same picture: %d", again.ResponseRecorder.Code)
	}
	s.wantError(s.Call("GET", "/api/collection-thumbnail/pics/"+text+"?ticket="+ticket, ""), 415, "unsupported_media", "")
	if a := s.Call("GET", "/api/collection-thumbnail/pics/"+picture+"?size=200", ""); a.ResponseRecorder.Code != 200 {
		t.Errorf("without a ticket: %d", a.ResponseRecorder.Code)
	}
	if now := s.data(s.Call("GET", "/api/collections/pics", "", "Authorization", asKeyA)); now["views"] != 2.0 {
		t.Errorf("%v views; a picture that was kept shows as much as one that is made", now["views"])
	}
	s.wantError(s.Call("GET", "/api/collection-thumbnail/pics/"+picture, ""), 410, "used_up", "")
}
