package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/plugins/s3/s3test"
)

// bytesWorld is a site whose shares lie in the storage that a mount shows as
// /all, and what each slug must show.
type bytesWorld struct {
	t       *testing.T
	p       *program
	admin   client
	keys    []client
	storage string
	site    string            // whose files hold their own address
	want    map[string]string // content by slug
	pathOf  map[string]string // mount path of a share that was made from there
	n       int
}

// TestDecision67_BytesBehindASlugChangeOnlyByAnEditOfThatShare lets every door
// store files of one name, in turns that a seed chooses, and every door of the
// mounts write to where they lie.
func TestDecision67_BytesBehindASlugChangeOnlyByAnEditOfThatShare(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "same.txt", time.Date(2026, 11, 21, 0, 8, 12, 0, time.UTC), strings.NewReader("fetched from "+r.URL.Path))
	}))
	t.Cleanup(site.Close)
	service, err := s3test.StartGateway("us-east-1", "s3.localhost")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	p := start(t, t.TempDir(), "PASTEPORT_FETCH_ALLOW="+strings.TrimPrefix(site.URL, "http://"))
	admin := p.admin()
	keys := []client{admin}
	for _, name := range []string{"one", "other"} {
		key, _ := admin.key(name, 2|256|512|1024|2048|4096|65536|131072, "/")
		keys = append(keys, key)
	}
	for _, kind := range []string{"LOCAL", "S3"} {
		for _, naming := range []string{"random_suffix", "overwrite"} {
			t.Run(kind+" "+naming, func(t *testing.T) {
				name := strings.ToLower(kind) + "-" + strings.ReplaceAll(naming, "_", "-")
				config := map[string]any{"name": name, "driver": "local", "is_public": true, "options": map[string]any{"directory": t.TempDir()}}
				if kind == "S3" {
					if err := service.MakeBucket(t.Context(), name); err != nil {
						t.Fatal(err)
					}
					config = map[string]any{"name": name, "provider_type": "Other", "path_style": true, "is_public": true, "endpoint_url": "http://" + service.Addr,
						"bucket_name": name, "region": service.Region, "access_key_id": s3test.AccessKey, "secret_access_key": s3test.SecretKey}
				}
				w := &bytesWorld{t: t, p: p, admin: admin, keys: keys, storage: admin.configID(config), site: site.URL, want: map[string]string{}, pathOf: map[string]string{}}
				w.ok(admin.post("/api/admin/mounts", map[string]any{"name": name, "mount_path": "/" + name, "storage_type": kind, "storage_config_id": w.storage}))
				w.ok(admin.put("/api/admin/settings/group/1", map[string]any{"file_naming_strategy": naming}))
				w.run("/"+name, rand.New(rand.NewPCG(67, 2026)))
			})
		}
	}
}

func (w *bytesWorld) ok(a answer) map[string]any {
	w.t.Helper()
	if a.status/100 != 2 {
		w.t.Fatalf("%d %s", a.status, a.body)
	}
	o := a.object(w.t)
	if data, is := o["data"].(map[string]any); is {
		return data
	}
	return o
}

func (w *bytesWorld) run(mount string, chance *rand.Rand) {
	doors := w.doors(mount)
	names := make([]string, 0, len(doors))
	for name := range doors {
		names = append(names, name)
	}
	slices.Sort(names)
	order := slices.Concat(names, names)
	chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, door := range order {
		slug := fmt.Sprintf("%s-%d", strings.Trim(mount, "/"), i)
		w.want[slug] = doors[door](w.keys[chance.IntN(len(w.keys))], slug)
		w.check(door + " of " + slug)
	}
	w.attack(mount)
	w.endings(mount)
}

// check compares every slug with what was shared under it.
func (w *bytesWorld) check(after string) {
	w.t.Helper()
	for slug, want := range w.want {
		if a := w.p.visitor().get("/api/file-download/" + slug); a.status != http.StatusOK || string(a.body) != want {
			w.t.Errorf("after %s: %s shows %d %q, want %q", after, slug, a.status, a.body, want)
		}
	}
}

const sameName = "same.txt"

func (w *bytesWorld) content() string { w.n++; return fmt.Sprintf("content %d", w.n) }

// form is a form with one file.
func (w *bytesWorld) form(c client, path, content string, fields map[string]string) answer {
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	for name, value := range fields {
		m.WriteField(name, value)
	}
	part, err := m.CreateFormFile("file", sameName)
	if err != nil {
		w.t.Fatal(err)
	}
	io.WriteString(part, content)
	m.Close()
	return c.send(http.MethodPost, path, &form, "Content-Type", m.FormDataContentType())
}

// link sends content to a signed address and tells the ETag.
func (w *bytesWorld) link(address any, content string) answer {
	return w.p.visitor().send(http.MethodPut, address.(string), strings.NewReader(content))
}

// doors make a file share called same.txt, each by one of the ways there are,
// and tell what it holds.
func (w *bytesWorld) doors(mount string) map[string]func(c client, slug string) string {
	put := func(kept string) func(client, string) string {
		return func(c client, slug string) string {
			content := w.content()
			w.ok(c.send(http.MethodPut, "/api/upload-direct/"+sameName+"?slug="+slug+"&s3_config_id="+w.storage+"&original_filename="+kept, strings.NewReader(content)))
			return content
		}
	}
	announce := func(path, slug, address, content string) map[string]any {
		return map[string]any{"s3_config_id": w.storage, "filename": sameName, "slug": slug, "size": len(content), "total_size": len(content), "url": address,
			"metadata": map[string]any{"filename": sameName, "contentType": "text/plain"}}
	}
	whole := func(presign, commit string) func(client, string) string {
		return func(c client, slug string) string {
			content := w.content()
			up := w.ok(c.post(presign, announce(presign, slug, w.site+"/x", content)))
			if a := w.link(up["upload_url"], content); a.status != http.StatusOK {
				w.t.Fatalf("PUT: %d %s", a.status, a.body)
			}
			w.ok(c.post(commit, map[string]any{"file_id": up["file_id"]}))
			return content
		}
	}
	parts := func(begin, complete string) func(client, string) string {
		return func(c client, slug string) string {
			content := w.content()
			up := w.ok(c.post(begin, announce(begin, slug, w.site+"/x", content)))
			a := w.link(up["presigned_urls"].([]any)[0].(map[string]any)["url"], content)
			if a.status != http.StatusOK {
				w.t.Fatalf("part: %d %s", a.status, a.body)
			}
			w.ok(c.post(complete, map[string]any{"file_id": up["file_id"], "upload_id": up["upload_id"],
				"parts": []map[string]any{{"PartNumber": 1, "ETag": a.header.Get("ETag")}}}))
			return content
		}
	}
	return map[string]func(client, string) string{
		"PUT, the name kept": put("true"),
		"PUT":                put("false"),
		"form": func(c client, slug string) string {
			content := w.content()
			w.ok(w.form(c, "/api/upload", content, map[string]string{"slug": slug, "s3_config_id": w.storage}))
			return content
		},
		"presign":             whole("/api/s3/presign", "/api/s3/commit"),
		"parts":               parts("/api/s3/multipart/init", "/api/s3/multipart/complete"),
		"an address":          whole("/api/url/presign", "/api/url/commit"),
		"an address in parts": parts("/api/url/multipart/init", "/api/url/multipart/complete"),
		"fetch": func(c client, slug string) string {
			up := w.ok(c.post("/api/url/fetch", announce("", slug, w.site+"/"+slug, "")))
			w.settle(c, up["task_id"])
			return "fetched from /" + slug
		},
		"a mounted file": func(c client, slug string) string {
			content, path := w.content(), fmt.Sprintf("%s/own-%d/%s", mount, w.n, sameName)
			w.ok(c.send(http.MethodPut, fsURL("upload", path), strings.NewReader(content)))
			w.ok(c.post("/api/fs/create-share", map[string]any{"path": path, "slug": slug}))
			w.pathOf[slug] = path
			return content
		},
		"a mounted file where shares lie": func(c client, slug string) string {
			content, path := w.content(), mount+"/"+sameName
			if a := c.send(http.MethodPut, fsURL("upload", path), strings.NewReader(content)); a.status == http.StatusConflict {
				return w.sharedAsItLies(c, path, slug) // a share holds it: it is shared as it is
			} else if a.status != http.StatusOK {
				w.t.Fatalf("%d %s", a.status, a.body)
			}
			for other, at := range w.pathOf {
				if at == path {
					w.want[other] = content // it follows the file
				}
			}
			w.ok(c.post("/api/fs/create-share", map[string]any{"path": path, "slug": slug}))
			w.pathOf[slug] = path
			return content
		},
	}
}

func (w *bytesWorld) sharedAsItLies(c client, path, slug string) string {
	w.ok(c.post("/api/fs/create-share", map[string]any{"path": path, "slug": slug}))
	return string(c.get(fsURL("download", path)).body)
}

// settle waits for the end of a task.
func (w *bytesWorld) settle(c client, id any) {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		task := w.ok(c.get(fmt.Sprint("/api/fs/tasks/", id)))
		switch task["status"] {
		case "completed":
			return
		case "failed", "cancelled":
			w.t.Fatalf("task: %v", task)
		}
	}
	w.t.Fatal("the task does not end")
}

// places are the mount paths of what slugs lead to, but for shares of mounted
// files, which follow those.
func (w *bytesWorld) places(mount string) map[string]string {
	var list struct {
		Files []struct {
			Slug        string
			StoragePath string  `json:"storage_path"`
			FilePath    *string `json:"file_path"`
			ConfigID    string  `json:"storage_config_id"`
		}
	}
	w.admin.get("/api/files?limit=1000").into(w.t, &list)
	places := map[string]string{}
	for _, f := range list.Files {
		if _, mine := w.want[f.Slug]; mine && f.FilePath == nil {
			places[f.Slug] = mount + "/" + f.StoragePath
		}
	}
	return places
}

// attack writes by every door of the mounts to where the objects of shares lie.
func (w *bytesWorld) attack(mount string) {
	c, other := w.keys[1], mount+"/other.txt"
	w.ok(c.send(http.MethodPut, fsURL("upload", other), strings.NewReader("other")))
	places := w.places(mount)
	if len(places) < 10 {
		w.t.Fatalf("only %d shares have objects of their own: %v", len(places), places)
	}
	dav := func(method, path, target string, body string) answer {
		header := []string{"Overwrite", "T"}
		if target != "" {
			header = append(header, "Destination", w.p.url+"/dav"+target)
		}
		return c.send(method, "/dav"+path, strings.NewReader(body), header...)
	}
	for slug, path := range places {
		folder, name := path[:strings.LastIndexByte(path, '/')], path[strings.LastIndexByte(path, '/')+1:]
		file := map[string]any{"path": folder, "fileName": name, "fileSize": 8, "targetPath": path}
		items := []pair{{"sourcePath": other, "targetPath": path}}
		for door, write := range map[string]func() answer{
			"upload":  func() answer { return c.send(http.MethodPut, fsURL("upload", path), strings.NewReader("attacked")) },
			"update":  func() answer { return c.post("/api/fs/update", map[string]any{"path": path, "content": "attacked"}) },
			"presign": func() answer { return c.post("/api/fs/presign", file) },
			"parts":   func() answer { return c.post("/api/fs/multipart/init", file) },
			"rename":  func() answer { return c.post("/api/fs/rename", pair{"oldPath": other, "newPath": path}) },
			"copy": func() answer {
				return c.post("/api/fs/batch-copy", map[string]any{"items": items, "conflict": "overwrite", "skipExisting": false})
			},
			"move": func() answer {
				return c.post("/api/fs/move", map[string]any{"items": items, "conflict": "overwrite", "skipExisting": false})
			},
			"WebDAV PUT":  func() answer { return dav("PUT", path, "", "attacked") },
			"WebDAV COPY": func() answer { return dav("COPY", other, path, "") },
			"WebDAV MOVE": func() answer { return dav("MOVE", other, path, "") },
		} {
			a := write()
			if a.status == http.StatusOK && door != "copy" && door != "move" || a.status == http.StatusCreated || a.status == http.StatusNoContent || a.status >= 500 {
				w.t.Errorf("%s onto %s: %d %s", door, slug, a.status, a.body)
			}
			if got := w.p.visitor().get("/api/file-download/" + slug); string(got.body) != w.want[slug] {
				w.t.Errorf("%s onto %s: it shows %q", door, slug, got.body)
			}
		}
		if a := c.get(fsURL("download", other)); string(a.body) != "other" {
			w.t.Fatalf("onto %s: what was refused has moved: %d %s", slug, a.status, a.body)
		}
	}
	w.check("the attacks")
}

// endings deletes, replaces, moves and follows shares, and lets old links write.
func (w *bytesWorld) endings(mount string) {
	c := w.admin
	var list struct{ Files []struct{ ID, Slug string } }
	c.get("/api/files?limit=1000").into(w.t, &list)
	ids := map[string]string{}
	for _, f := range list.Files {
		ids[f.Slug] = f.ID
	}
	slugs := make([]string, 0, len(w.want))
	for slug := range w.want {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	for _, slug := range slugs[:len(slugs)/3] {
		w.ok(c.delete("/api/files/batch-delete", map[string]any{"ids": []string{ids[slug]}}))
		delete(w.want, slug)
		delete(w.pathOf, slug)
		w.check("the end of " + slug)
	}
	replaced := slugs[len(slugs)-1]
	w.want[replaced] = w.content()
	w.ok(c.post("/api/s3/commit", map[string]any{"file_id": func() any {
		up := w.ok(c.post("/api/s3/presign", map[string]any{"s3_config_id": w.storage, "filename": sameName, "slug": replaced, "override": true, "size": len(w.want[replaced])}))
		w.link(up["upload_url"], w.want[replaced])
		return up["file_id"]
	}()}))
	delete(w.pathOf, replaced)
	w.check("an override of " + replaced)

	places := w.places(mount)
	for i, slug := range slices.Sorted(maps.Keys(places)) {
		if slug == replaced {
			continue
		}
		path, moved := places[slug], fmt.Sprintf("%s/moved-%d.txt", mount, i)
		w.ok(c.post("/api/fs/rename", pair{"oldPath": path, "newPath": moved}))
		if a := c.send(http.MethodPut, fsURL("upload", moved), strings.NewReader("attacked")); a.status != http.StatusConflict {
			w.t.Errorf("onto the object of %s where it lies now: %d %s", slug, a.status, a.body)
		}
	}
	w.check("their moves")

	// Links that were given out before a share took the name, or for it.
	late := w.ok(c.post("/api/fs/presign", map[string]any{"path": mount, "fileName": "late.txt", "fileSize": 8}))
	given := w.ok(c.post("/api/s3/presign", map[string]any{"s3_config_id": w.storage, "filename": "late.txt", "size": 8}))
	w.ok(c.delete("/api/files/batch-delete", map[string]any{"ids": []any{given["file_id"]}}))
	taken := w.ok(c.send(http.MethodPut, "/api/upload-direct/late.txt?original_filename=true&s3_config_id="+w.storage, strings.NewReader("precious")))
	for _, address := range []any{late["presignedUrl"], given["upload_url"]} {
		w.link(address, "attacked")
		if a := w.p.visitor().get("/api/file-download/" + url.PathEscape(taken["slug"].(string))); a.status == http.StatusOK && string(a.body) != "precious" {
			w.t.Errorf("a late link changed what a share shows: %q", a.body)
		}
	}
	w.check("late links")
}
