package filetype

import (
	"testing"

	"pasteport/ports"
)

// lists are settings that name some extensions.
type lists struct {
	ports.Settings
	of map[string][]string
}

func (l lists) PreviewTypes(kind string) []string { return l.of[kind] }

func TestContract1_3_ContentTypesComeFromOurOwnTable(t *testing.T) {
	for name, want := range map[string]string{
		"a.mp4": "video/mp4", "a.md": "text/markdown", "a.ts": "video/mp2t", "a.m3u8": "application/vnd.apple.mpegurl", "a.JS": "text/javascript",
		"a.b.txt": "text/plain", "none": OctetStream, "a.unknown": OctetStream, "a.": OctetStream, "": OctetStream,
	} {
		if got := ContentType(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestContract1_3_TheAdministratorsListsWin(t *testing.T) {
	settings := lists{of: map[string][]string{"video": {"ts", "go"}, "text": {"ts", "mp3"}}}
	kinds := KindsOf(settings)
	for name, want := range map[string]Kind{
		"a.ts": {2, "video"}, "a.go": {2, "video"}, "a.mp3": {4, "text"}, "a.MP4": {2, "video"}, "a.flac": {3, "audio"}, "a.png": {5, "image"},
		"a.docx": {6, "office"}, "a.pdf": {7, "document"}, "a.zip": {0, "unknown"}, "mp4": {0, "unknown"}, "": {0, "unknown"},
	} {
		if got := kinds.Of(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
		if code, kind := Of(settings, name); code != want.Code || kind != want.Name {
			t.Errorf("%q one by one: got %d %s, want %v", name, code, kind, want)
		}
	}
}

func TestGroupsHoldEachExtensionOnce(t *testing.T) {
	kinds := KindsOf(lists{of: map[string][]string{"video": {"go"}}})
	group := map[string]string{}
	for _, g := range Groups {
		for _, ext := range kinds.Extensions(g) {
			if other, twice := group[ext]; twice {
				t.Errorf("%s is in %s and in %s", ext, other, g)
			}
			group[ext] = g
		}
	}
	for ext, want := range map[string]string{
		"png": "image", "heic": "image", "mp4": "video", "go": "video", "mid": "audio", "txt": "text", "ts": "text", "css": "text", "yaml": "text",
		"docx": "document", "odt": "document", "pdf": "document", "epub": "document", "zip": "", "exe": "", "woff": "",
	} {
		if group[ext] != want {
			t.Errorf("%s: got %q, want %q", ext, group[ext], want)
		}
	}
}
