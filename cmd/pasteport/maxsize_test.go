package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A rule's max_size answers alike at every door: 413 with the limit, the reason
// and the id of a decision that can be looked up; and nothing is left behind,
// neither bytes nor records nor reserved room. The doors are those of the test of
// capacity, where the size is announced, and those where only the bytes tell it.
func TestARulesMaxSizeAnswersAlikeAtEveryDoor(t *testing.T) {
	const limit, size, capacity = 2000, 3000, 6 << 20
	b := newBox(t, capacity, size, "PASTEPORT_POLICY_DIR="+quotas(t, `limit contains {"name": "max_size", "value": 2000} if input.subject.type == "apikey"`))
	admin := b.c
	if a := admin.send(http.MethodPut, "/dav/box/old.txt", strings.NewReader("old")); a.status != http.StatusCreated {
		t.Fatalf("a file to edit: %d %s", a.status, a.body)
	}
	before := b.stored()
	b.c, _ = admin.key("sender", 1|2|256|512|1024|2048|4096|65536|131072, "/")
	key := b.c
	text := string(bytes.Repeat([]byte("x"), size))
	unsized := map[string]any{"s3_config_id": b.id, "url": b.address, "filename": "s.bin", "part_count": 1, "metadata": map[string]any{"filename": "s.bin", "contentType": "video/mp4"}}

	doors := b.doors()
	for _, copied := range []string{"WebDAV copy", "copy task", "move task"} { // what was let in is not measured again
		delete(doors, copied)
	}
	maps.Copy(doors, map[string]func() answer{
		"edit": func() answer {
			return key.post("/api/fs/update", map[string]any{"path": "/box/old.txt", "content": text})
		},
		"text":         func() answer { return key.post("/api/paste", map[string]any{"content": text, "slug": "large"}) },
		"changed text": func() answer { return key.put("/api/pastes/small", map[string]any{"content": text}) },
		"mount form in parts": func() answer {
			return b.form("/api/fs/upload", map[string]string{"path": "/box/", "use_multipart": "true"})
		},
		"mount raw of unknown length": func() answer {
			return key.send(http.MethodPut, fsURL("upload", "/box/a.bin"), stream{bytes.NewReader(b.content)})
		},
		"mount in parts of unknown size": func() answer {
			return b.parts(key.post("/api/fs/multipart/init", map[string]any{"path": "/box/", "fileName": "a.bin"}), func(data map[string]any, sent []map[string]any) answer {
				return key.post("/api/fs/multipart/complete", map[string]any{"path": "/box/", "fileName": "a.bin", "uploadId": data["uploadId"], "parts": sent})
			})
		},
		"presigned address of unknown size": func() answer {
			return b.sent(key.post("/api/url/presign", unsized), func(data map[string]any) string { return data["upload_url"].(string) }, func(data map[string]any) answer {
				return key.post("/api/s3/commit", map[string]any{"file_id": data["file_id"]})
			})
		},
		"address in parts of unknown size": func() answer {
			return b.parts(key.post("/api/url/multipart/init", unsized), func(data map[string]any, sent []map[string]any) answer {
				return key.post("/api/url/multipart/complete", map[string]any{"file_id": data["file_id"], "upload_id": data["upload_id"], "parts": sent})
			})
		},
	})
	if a := key.post("/api/paste", map[string]any{"content": "small", "slug": "small"}); a.status != http.StatusOK {
		t.Fatalf("a text to change: %d %s", a.status, a.body)
	}
	for _, name := range slices.Sorted(maps.Keys(doors)) {
		t.Run(name, func(t *testing.T) {
			b.t = t
			a := doors[name]()
			decision := a.header.Get("X-Decision-Id")
			if a.status != http.StatusRequestEntityTooLarge || decision == "" {
				t.Fatalf("%d, decision %q: %s", a.status, decision, a.body)
			}
			if strings.HasPrefix(name, "WebDAV") {
				if !strings.Contains(string(a.body), "1.95 KB") {
					t.Errorf("the limit is not told: %s", a.body)
				}
			} else {
				var told struct {
					Reason string
					Limit  int64
				}
				e := a.envelope(t)
				if err := json.Unmarshal(e.Data, &told); err != nil || e.Error != "too_large" || told.Reason != "max_size" || told.Limit != limit {
					t.Errorf("answered %s", a.body)
				}
			}
			if found := admin.get("/api/admin/decisions/" + decision); found.status != http.StatusOK || !strings.Contains(string(found.body), `"server:max_size"`) {
				t.Errorf("the decision: %d %s", found.status, found.body)
			}
			if more := b.stored() - before; more >= size/2 { // a storage may note that an upload has ended
				t.Errorf("%d bytes are left in the storage", more)
			}
			var files struct{ Files []map[string]any }
			var uploads struct{ Uploads []map[string]any }
			admin.get("/api/files?limit=100").into(t, &files)
			admin.post("/api/fs/multipart/list-uploads", map[string]any{"path": "/box/"}).into(t, &uploads)
			if len(files.Files) != 0 || len(uploads.Uploads) != 0 {
				t.Errorf("left behind: files %v, uploads %v", files.Files, uploads.Uploads)
			}
			// Where no room is held, all of it can be filled.
			rest := bytes.NewReader(make([]byte, capacity-before))
			if a := admin.send(http.MethodPut, "/dav/box/rest.bin", rest); a.status != http.StatusCreated {
				t.Errorf("room is held: %d %s", a.status, a.body)
			}
			admin.send(http.MethodDelete, "/dav/box/rest.bin", nil)
		})
	}
	if a := admin.send(http.MethodGet, "/dav/box/old.txt", nil); string(a.body) != "old" {
		t.Errorf("the edited file: %d %s", a.status, a.body)
	}
	if a := admin.get("/api/raw/small"); string(a.body) != "small" {
		t.Errorf("the changed text: %d %s", a.status, a.body)
	}
}
