package treeapi

import (
	"bytes"
	"image"
	_ "image/jpeg"
	"image/png"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestThumbnailsAreSmallAndKnowTheirVersion(t *testing.T) {
	f := newForest(t)
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 900, 300))); err != nil {
		t.Fatal(err)
	}
	f.bucket.Put("team/图.png", file.String())
	target := "/api/fs/thumbnail?path=" + url.QueryEscape("/m/team/图.png")
	a := f.Call("GET", target+"&size=300", "", "Authorization", asTeam)
	m, kind, err := image.Decode(bytes.NewReader(a.Body.Bytes()))
	if err != nil || kind != "jpeg" || m.Bounds().Dx() != 320 || m.Bounds().Dy() != 106 {
		t.Fatalf("%v %s %v", err, kind, m)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := a.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	tag := a.Header().Get("Etag")
	reads := 0
	f.bucket.Fail = func(method, _ string) error {
		if method == "Read" {
			reads++
		}
		return nil
	}
	if again := f.Call("GET", target+"&size=320", "", "Authorization", asTeam, "If-None-Match", tag); again.ResponseRecorder.Code != 304 || again.Body.Len() != 0 {
		t.Errorf("the same version: %d", again.ResponseRecorder.Code)
	}
	if again := f.Call("GET", target+"&size=320", "", "Authorization", asTeam); again.ResponseRecorder.Code != 200 || reads != 0 {
		t.Errorf("made before: %d, %d reads", again.ResponseRecorder.Code, reads)
	}
	if other := f.Call("GET", target, "", "Authorization", asTeam); other.Header().Get("Etag") == tag || reads != 1 {
		t.Errorf("another size: %s, %d reads", other.Header().Get("Etag"), reads)
	}
	f.clock.Add(time.Minute)
	f.bucket.Put("team/图.png", file.String()+" ")
	if changed := f.Call("GET", target+"&size=300", "", "Authorization", asTeam, "If-None-Match", tag); changed.ResponseRecorder.Code != 200 || changed.Header().Get("Etag") == tag {
		t.Errorf("another version: %d %s", changed.ResponseRecorder.Code, changed.Header().Get("Etag"))
	}
}

func TestThumbnailsOfWhatIsNoPictureAreRefused(t *testing.T) {
	f := newForest(t)
	f.bucket.Put("team/a.png", "<script>")
	f.bucket.Put("team/a.svg", "<svg/>")
	f.bucket.Put("team/huge.jpg", strings.Repeat("x", 100))
	f.bucket.Put("b.png", "b")
	for name, c := range map[string]struct {
		query  string
		status int
		key    string
	}{
		"no picture inside": {"path=/m/team/a.png", 415, "unsupported_media"},
		"of another kind":   {"path=/m/team/a.svg", 415, "unsupported_media"},
		"broken":            {"path=/m/team/huge.jpg", 415, "unsupported_media"},
		"a folder":          {"path=/m/team/", 400, "type_mismatch"},
		"nothing":           {"path=/m/team/none.png", 404, "not_found"},
		"no path":           {"", 400, "invalid_argument"},
		"a bad size":        {"path=/m/team/a.png&size=-1", 400, "invalid_argument"},
		"beside the base":   {"path=/m/b.png", 403, "path_forbidden"},
	} {
		f.refused(name, f.as("GET", "/api/fs/thumbnail?"+c.query, "", "Authorization", asTeam), c.status, c.key)
	}
	f.refused("without the bit", f.as("GET", "/api/fs/thumbnail?path=/m/team/a.png", "", "Authorization", asSender), 403, "permission_denied")
}
