package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/ports/portstest"
)

// box is a storage with a capacity, its mount, and the doors into it.
type box struct {
	t       *testing.T
	p       *program
	c       client
	id      string // of the storage config
	folder  string // where its files lie
	address string // of another site that has the content
	content []byte
	prefix  string // of the names that doors give
}

const boxConfig = "box"

func newBox(t *testing.T, capacity, size int, env ...string) *box {
	t.Helper()
	content := pattern(11, size)
	address, allowed := elsewhere(t, content)
	dir := t.TempDir()
	p := start(t, dir, append(env, "PASTEPORT_FETCH_ALLOW="+allowed)...)
	b := &box{t: t, p: p, c: p.admin(), folder: filepath.Join(dir, boxConfig), address: address, content: content}
	b.id = b.c.configID(map[string]any{"name": boxConfig, "driver": "local", "is_public": true, "total_storage_bytes": capacity, "options": map[string]any{"directory": boxConfig}})
	if a := b.c.post("/api/admin/mounts", map[string]any{"name": boxConfig, "mount_path": "/box", "storage_type": "LOCAL", "storage_config_id": b.id}); a.status != http.StatusOK {
		t.Fatalf("mount: %d %s", a.status, a.body)
	}
	if a := b.c.send(http.MethodPut, "/dav/local/source.bin", bytes.NewReader(content)); a.status != http.StatusCreated {
		t.Fatalf("source: %d %s", a.status, a.body)
	}
	return b
}

// stored are the bytes that really lie in the storage, parts of unfinished
// uploads included.
func (b *box) stored() (sum int64) {
	b.t.Helper()
	err := filepath.WalkDir(b.folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return sum
}

// empty deletes all files and shares, and gives up all uploads.
func (b *box) empty() {
	b.t.Helper()
	var files struct{ Files []struct{ ID string } }
	b.c.get("/api/files?limit=100").into(b.t, &files)
	for _, f := range files.Files {
		b.c.delete("/api/files/batch-delete", map[string]any{"ids": []string{f.ID}, "delete_mode": "both"})
	}
	var list struct{ Items []struct{ Path string } }
	b.c.get(fsURL("list", "/box")).into(b.t, &list)
	for _, e := range list.Items {
		if a := b.c.send(http.MethodDelete, "/dav"+e.Path, nil); a.status != http.StatusNoContent {
			b.t.Fatalf("delete %s: %d %s", e.Path, a.status, a.body)
		}
	}
}

// visitor is somebody without a name, who comes back as often as the caller.
func (b *box) visitor() client { return client{p: b.p, comesBack: b.c.comesBack} }

func (b *box) form(path string, fields map[string]string) answer {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = w.WriteField(name, value)
	}
	file, err := w.CreateFormFile("file", b.prefix+"form.bin")
	if err == nil {
		_, err = file.Write(b.content)
	}
	if err != nil || w.Close() != nil {
		b.t.Fatal(err)
	}
	return b.c.send(http.MethodPost, path, &body, "Content-Type", w.FormDataContentType())
}

// sent puts the content to a link, and goes on with next when it was taken.
func (b *box) sent(begun answer, link func(map[string]any) string, next func(map[string]any) answer) answer {
	b.t.Helper()
	if begun.status != http.StatusOK {
		return begun
	}
	var data map[string]any
	begun.into(b.t, &data)
	if a := b.visitor().send(http.MethodPut, strings.TrimPrefix(link(data), b.p.url), bytes.NewReader(b.content)); a.status != http.StatusOK {
		return a
	}
	return next(data)
}

// parts sends the content to the links of an upload in parts.
func (b *box) parts(begun answer, next func(data map[string]any, sent []map[string]any) answer) answer {
	b.t.Helper()
	if begun.status != http.StatusOK {
		return begun
	}
	var data map[string]any
	begun.into(b.t, &data)
	const size = 5 << 20
	var sent []map[string]any
	links, _ := data["presignedUrls"].([]any)
	if links == nil {
		links = data["presigned_urls"].([]any)
	}
	for i, one := range links {
		link, _ := one.(string)
		if fields, ok := one.(map[string]any); ok {
			link, _ = fields["url"].(string)
			if link == "" {
				link, _ = fields["presignedUrl"].(string)
			}
		}
		body := b.content[i*size : min((i+1)*size, len(b.content))]
		a := b.visitor().send(http.MethodPut, strings.TrimPrefix(link, b.p.url), bytes.NewReader(body))
		if a.status != http.StatusOK {
			b.t.Fatalf("part %d at %s: %d %s", i+1, link, a.status, a.body)
		}
		sent = append(sent, map[string]any{"partNumber": i + 1, "PartNumber": i + 1, "etag": a.header.Get("ETag"), "ETag": a.header.Get("ETag")})
	}
	return next(data, sent)
}

// task waits for the end of a task; a failed one is answered as its error.
func (b *box) task(a answer, ids ...string) answer {
	b.t.Helper()
	if a.status >= 300 {
		return a
	}
	var data map[string]any
	a.into(b.t, &data)
	id := ""
	for _, name := range ids {
		if text, ok := data[name].(string); ok {
			id = text
		}
	}
	var ended answer
	portstest.Eventually(b.t, func() bool {
		var task struct{ Status string }
		state := b.c.get("/api/fs/tasks/" + id)
		state.into(b.t, &task)
		switch task.Status {
		case "completed":
			ended = answer{status: http.StatusOK}
		case "failed", "partial", "cancelled":
			ended = answer{status: http.StatusInsufficientStorage, body: state.body}
		}
		return ended.status != 0
	}, "the task ", id, " ends")
	return ended
}

// doors are all ways into the storage, each with 9 of its 10 MiB.
func (b *box) doors() map[string]func() answer {
	size, name := len(b.content), b.prefix+"a.bin"
	path := "/box/" + name
	commit := func(data map[string]any) answer {
		return b.c.post("/api/s3/commit", map[string]any{"file_id": data["file_id"]})
	}
	upload := func(data map[string]any) string { return data["upload_url"].(string) }
	mountCommit := func(data map[string]any) answer { return b.c.post("/api/fs/presign/commit", data) }
	share := func(more map[string]any) map[string]any {
		fields := map[string]any{"s3_config_id": b.id, "filename": b.prefix + "s.bin", "size": size}
		maps.Copy(fields, more)
		return fields
	}
	copied := func(call string, mode string) func() answer {
		return func() answer {
			from := "/local/source.bin"
			if call == "move" {
				from = "/local/moved.bin"
				if a := b.c.send("COPY", "/dav/local/source.bin", nil, "Destination", "/dav"+from); a.status >= 300 {
					b.t.Fatalf("copy: %d %s", a.status, a.body)
				}
			}
			return b.task(b.c.post("/api/fs/"+call, map[string]any{"mode": mode, "items": []pair{{"sourcePath": from, "targetPath": path}}}), "taskId", "task_id", "id")
		}
	}
	return map[string]func() answer{
		"share form": func() answer { return b.form("/api/upload", map[string]string{"s3_config_id": b.id}) },
		"raw upload": func() answer {
			return b.c.send(http.MethodPut, "/api/upload-direct/"+b.prefix+"r.bin?s3_config_id="+b.id, bytes.NewReader(b.content))
		},
		"raw upload of unknown length": func() answer {
			return b.c.send(http.MethodPut, "/api/upload-direct/"+b.prefix+"r.bin?s3_config_id="+b.id, stream{bytes.NewReader(b.content)})
		},
		"presigned share": func() answer { return b.sent(b.c.post("/api/s3/presign", share(nil)), upload, commit) },
		"presigned share of unknown size": func() answer {
			return b.sent(b.c.post("/api/s3/presign", share(map[string]any{"size": 0})), upload, commit)
		},
		"share in parts": func() answer {
			return b.parts(b.c.post("/api/s3/multipart/init", share(nil)), func(data map[string]any, _ []map[string]any) answer {
				return b.c.post("/api/s3/multipart/complete", map[string]any{"file_id": data["file_id"], "upload_id": data["upload_id"]})
			})
		},
		"address": func() answer {
			return b.task(b.c.post("/api/url/fetch", share(map[string]any{"url": b.address})), "task_id", "taskId")
		},
		"presigned address": func() answer {
			return b.sent(b.c.post("/api/url/presign", share(map[string]any{"url": b.address})), upload, commit)
		},
		"address in parts": func() answer {
			return b.parts(b.c.post("/api/url/multipart/init", share(map[string]any{"url": b.address})), func(data map[string]any, sent []map[string]any) answer {
				return b.c.post("/api/url/multipart/complete", map[string]any{"file_id": data["file_id"], "upload_id": data["upload_id"], "parts": sent})
			})
		},
		"mount form": func() answer { return b.form("/api/fs/upload", map[string]string{"path": "/box/"}) },
		"mount raw":  func() answer { return b.c.send(http.MethodPut, fsURL("upload", path), bytes.NewReader(b.content)) },
		"presigned mount": func() answer {
			return b.sent(b.c.post("/api/fs/presign", map[string]any{"path": "/box/", "fileName": name, "fileSize": size}),
				func(data map[string]any) string { return data["presignedUrl"].(string) }, mountCommit)
		},
		"presigned mount of unknown size": func() answer {
			return b.sent(b.c.post("/api/fs/presign", map[string]any{"path": "/box/", "fileName": name}),
				func(data map[string]any) string { return data["presignedUrl"].(string) }, func(data map[string]any) answer {
					data["fileSize"] = size
					return mountCommit(data)
				})
		},
		"mount in parts": func() answer {
			return b.parts(b.c.post("/api/fs/multipart/init", map[string]any{"path": "/box/", "fileName": name, "fileSize": size}), func(data map[string]any, sent []map[string]any) answer {
				return b.c.post("/api/fs/multipart/complete", map[string]any{"path": "/box/", "fileName": name, "uploadId": data["uploadId"], "parts": sent})
			})
		},
		"WebDAV": func() answer { return b.c.send(http.MethodPut, "/dav"+path, bytes.NewReader(b.content)) },
		"WebDAV of unknown length": func() answer {
			return b.c.send(http.MethodPut, "/dav"+path, stream{bytes.NewReader(b.content)})
		},
		"WebDAV copy": func() answer { return b.c.send("COPY", "/dav/local/source.bin", nil, "Destination", "/dav"+path) },
		"copy task":   copied("batch-copy", "task"),
		"move task":   copied("move", "task"),
	}
}

// What came by one door leaves no room for the others.
func TestAStorageHoldsNoMoreThanItMayByAnyDoor(t *testing.T) {
	b := newBox(t, 10<<20, 9<<20)
	doors := b.doors()
	for _, first := range slices.Sorted(maps.Keys(doors)) {
		if a := doors[first](); a.status != http.StatusOK && a.status != http.StatusCreated {
			t.Errorf("%s into an empty storage: %d %s", first, a.status, a.body)
			b.empty()
			continue
		}
		if stored := b.stored(); stored < 9<<20 || stored > 10<<20 {
			t.Fatalf("after %s there are %d bytes", first, stored)
		}
		others := slices.Sorted(maps.Keys(doors))
		if first != "WebDAV" && first != "share form" { // every pair of them would take minutes
			others = []string{"WebDAV of unknown length", "raw upload of unknown length", "presigned mount"}
		}
		for _, other := range others {
			if a := b.other(other); a.status != http.StatusInsufficientStorage && (a.status != http.StatusBadRequest || a.envelope(t).Error != "quota_exceeded") {
				t.Errorf("%s after %s: %d %s", other, first, a.status, a.body)
			}
			if stored := b.stored(); stored > 10<<20 {
				t.Fatalf("%s after %s: %d bytes in 10 MiB", other, first, stored)
			}
		}
		b.empty()
	}
}

// other is a door to another name.
func (b *box) other(name string) answer {
	c := *b
	door := c.doors()[name]
	if a := b.c.send("MOVE", "/dav/box/a.bin", nil, "Destination", "/dav/box/first.bin"); a.status != http.StatusCreated && a.status != http.StatusNotFound {
		b.t.Fatalf("make way: %d %s", a.status, a.body)
	}
	if a := b.c.send("MOVE", "/dav/box/form.bin", nil, "Destination", "/dav/box/first.bin"); a.status != http.StatusCreated && a.status != http.StatusNotFound {
		b.t.Fatalf("make way: %d %s", a.status, a.body)
	}
	return door()
}

// Forms do not say how long their files are.
func TestParallelFormsNeverStoreMoreThanTheCapacity(t *testing.T) {
	for name, form := range map[string]func(*box, int) answer{
		"mount": func(b *box, n int) answer {
			return b.form("/api/fs/upload", map[string]string{"path": fmt.Sprintf("/box/%d/", n)})
		},
		"share": func(b *box, n int) answer {
			return b.form("/api/upload", map[string]string{"s3_config_id": b.id, "path": fmt.Sprint(n)})
		},
		"both": func(b *box, n int) answer {
			if n%2 == 0 {
				return b.form("/api/fs/upload", map[string]string{"path": fmt.Sprintf("/box/%d/", n)})
			}
			return b.form("/api/upload", map[string]string{"s3_config_id": b.id, "path": fmt.Sprint(n)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, 1_000_000, 400_000)
			var mu sync.Mutex
			took := map[int]int{}
			var wait sync.WaitGroup
			for n := range 12 {
				wait.Go(func() {
					a := form(b, n)
					mu.Lock()
					defer mu.Unlock()
					took[a.status]++
				})
			}
			wait.Wait()
			if stored := b.stored(); stored > 1_000_000 || took[200] != int(stored)/400_000 || took[200]+took[400]+took[507] != 12 {
				t.Errorf("%d bytes stored in 1 MB, answers %v", stored, took)
			}
			if a := form(b, 99); took[200] == 2 && a.status == http.StatusOK {
				t.Errorf("one more was stored")
			}
		})
	}
}

// One link of a part let in as many parts as one liked.
func TestAPartLinkLetsInNoMoreThanItsPart(t *testing.T) {
	b := newBox(t, 20<<20, 9<<20)
	for name, begun := range map[string]answer{
		"mount": b.c.post("/api/fs/multipart/init", map[string]any{"path": "/box/", "fileName": "a.bin", "fileSize": 5 << 20}),
		"share": b.c.post("/api/s3/multipart/init", map[string]any{"s3_config_id": b.id, "filename": "s.bin", "size": 5 << 20}),
		"url":   b.c.post("/api/url/multipart/init", map[string]any{"s3_config_id": b.id, "filename": "u.bin", "size": 5 << 20, "url": b.address}),
	} {
		link := ""
		for _, field := range strings.FieldsFunc(string(begun.body), func(r rune) bool { return r == '"' }) {
			if strings.Contains(field, "/api/blob/") {
				link = strings.TrimPrefix(strings.ReplaceAll(field, `\u0026`, "&"), b.p.url)
			}
		}
		front, _, ok := strings.Cut(link, "?partNumber=")
		if !ok {
			t.Fatalf("%s: %d %s", name, begun.status, begun.body)
		}
		for n := 1; n <= 20; n++ {
			a := b.p.visitor().send(http.MethodPut, fmt.Sprintf("%s?partNumber=%d", front, n), bytes.NewReader(b.content[:5<<20]))
			if want := map[bool]int{true: 200, false: 403}[n == 1]; a.status != want {
				t.Errorf("%s: part %d by the link of part 1: %d %s", name, n, a.status, a.body)
			}
		}
		if a := b.p.visitor().send(http.MethodPut, link, bytes.NewReader(b.content[:5<<20+1])); a.status == http.StatusOK {
			t.Errorf("%s: more than the part was taken", name)
		}
	}
	if stored := b.stored(); stored > 16<<20 {
		t.Errorf("%d bytes were stored for three uploads of 5 MiB", stored)
	}
	// Their room is taken until they end.
	if a := b.c.send(http.MethodPut, "/dav/box/x.bin", bytes.NewReader(b.content)); a.status != http.StatusInsufficientStorage {
		t.Errorf("beside three unfinished uploads: %d %s", a.status, a.body)
	}
}

// Of many uploads at once by one door, whichever it is, no more are taken than
// there is room for; and the room is not lost to those that were refused.
func TestCapacityHoldsFor30UploadsAtOnceByEveryDoor(t *testing.T) { capacityHolds(t, 30) }

func TestLongCapacityHoldsFor100UploadsAtOnceByEveryDoor(t *testing.T) {
	if os.Getenv("PASTEPORT_TEST_LONG") == "" {
		t.Skip("4,000 uploads: PASTEPORT_TEST_LONG=1")
	}
	capacityHolds(t, 100)
}

func capacityHolds(t *testing.T, uploads int) {
	const size, fit = 10_000, 10
	for database, env := range map[string]string{"sqlite": onFile, "postgres": "PASTEPORT_DATABASE_URL=" + portstest.Postgres(t)} {
		t.Run(database, func(t *testing.T) {
			b := newBox(t, fit*size+size/2, size, env)
			b.c.comesBack = true // a hundred at once are more than one address may have under way
			doors := b.doors()
			delete(doors, "move task") // its source can go once only
			for _, door := range slices.Sorted(maps.Keys(doors)) {
				var taken, refused atomic.Int64
				var wait sync.WaitGroup
				for n := range uploads {
					wait.Go(func() {
						switch a := b.named(fmt.Sprint(n, "-")).doors()[door](); {
						case a.status == http.StatusOK, a.status == http.StatusCreated:
							taken.Add(1)
						case a.status == http.StatusInsufficientStorage, a.status == http.StatusBadRequest && strings.Contains(string(a.body), "quota_exceeded"):
							refused.Add(1)
						default:
							t.Errorf("%s: %d %s", door, a.status, a.body)
						}
					})
				}
				wait.Wait()
				// A storage notes the ends of uploads in parts, a few bytes for each.
				if lie := b.stored() / size; taken.Load()+refused.Load() != int64(uploads) || taken.Load() > fit || lie != taken.Load() || taken.Load() == 0 {
					t.Errorf("%s: %d of %d were taken and %d refused, %d lie there; there is room for %d", door, taken.Load(), uploads, refused.Load(), lie, fit)
				}
				// Some may have been refused for room that another took back. It is there.
				for n := taken.Load(); n <= fit; n++ {
					a := b.c.send(http.MethodPut, fmt.Sprintf("/dav/box/rest-%d.bin", n), bytes.NewReader(b.content))
					if fits := a.status == http.StatusCreated; fits != (n < fit) {
						t.Errorf("after %s, one more beside %d: %d %s", door, n, a.status, a.body)
					}
				}
				b.empty()
			}
		})
	}
}

// named is the box with other names for what comes.
func (b *box) named(prefix string) *box {
	c := *b
	c.prefix = prefix
	return &c
}
