package main

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// cutUpload is one upload that a client begins at one node, which is killed, and
// goes on with at another.
type cutUpload struct {
	door, step string
	name       string // of the file, without a folder
	data       map[string]any
	sent       map[int]string // ETags by part
	half       net.Conn       // a body that never ends
}

// sessionDoor is a door whose uploads take more than one request.
type sessionDoor struct {
	begin  func(c client, name string) answer
	parts  bool // else the content goes to one link
	ids    func(u *cutUpload) map[string]any
	list   string // call that lists the parts
	fresh  string // call that signs them anew
	finish string // call that ends it
	abort  string // empty where there is none
	read   func(c client, u *cutUpload) answer
}

const sessionPart = 5 << 20

// TestUploadSessionsGoOnAtAnotherNode cuts the uploads of every door into every
// destination at every step, by killing the node, and ends them at the other one.
func TestUploadSessionsGoOnAtAnotherNode(t *testing.T) {
	content := pattern(17, sessionPart+123)
	address, allowed := elsewhere(t, content)
	one, two, _ := twoNodes(t, "PASTEPORT_FETCH_ALLOW="+allowed, "PASTEPORT_RATE_LIMITS=off")
	admin := one.admin()
	config := admin.sharedMount(t, "/box")
	there := client{p: two, auth: admin.auth}
	piece := func(n int) []byte { return content[(n-1)*sessionPart : min(n*sessionPart, len(content))] }

	shared := func(c client, u *cutUpload) answer { return c.get("/api/file-download/" + u.name) }
	mounted := func(c client, u *cutUpload) answer { return c.get("/dav/box/" + u.name) }
	fileIDs := func(u *cutUpload) map[string]any {
		return map[string]any{"file_id": u.data["file_id"], "upload_id": u.data["upload_id"]}
	}
	pathIDs := func(u *cutUpload) map[string]any {
		return map[string]any{"path": "/box/", "fileName": u.name, "uploadId": u.data["uploadId"]}
	}
	share := func(name string) map[string]any {
		return map[string]any{"s3_config_id": config, "filename": name, "slug": name, "size": len(content), "url": address}
	}
	doors := map[string]sessionDoor{
		"share in parts": {begin: func(c client, name string) answer { return c.post("/api/s3/multipart/init", share(name)) }, parts: true, ids: fileIDs,
			list: "/api/s3/multipart/list-parts", fresh: "/api/s3/multipart/refresh-urls", finish: "/api/s3/multipart/complete", abort: "/api/s3/multipart/abort", read: shared},
		"address in parts": {begin: func(c client, name string) answer { return c.post("/api/url/multipart/init", share(name)) }, parts: true, ids: fileIDs,
			list: "/api/s3/multipart/list-parts", fresh: "/api/s3/multipart/refresh-urls", finish: "/api/url/multipart/complete", abort: "/api/url/multipart/abort", read: shared},
		"mount in parts": {begin: func(c client, name string) answer {
			return c.post("/api/fs/multipart/init", map[string]any{"path": "/box/", "fileName": name, "fileSize": len(content)})
		}, parts: true, ids: pathIDs,
			list: "/api/fs/multipart/list-parts", fresh: "/api/fs/multipart/refresh-urls", finish: "/api/fs/multipart/complete", abort: "/api/fs/multipart/abort", read: mounted},
		"presigned share":   {begin: func(c client, name string) answer { return c.post("/api/s3/presign", share(name)) }, ids: fileIDs, finish: "/api/s3/commit", abort: "/api/url/cancel", read: shared},
		"presigned address": {begin: func(c client, name string) answer { return c.post("/api/url/presign", share(name)) }, ids: fileIDs, finish: "/api/s3/commit", abort: "/api/url/cancel", read: shared},
		"presigned mount": {begin: func(c client, name string) answer {
			return c.post("/api/fs/presign", map[string]any{"path": "/box/", "fileName": name, "fileSize": len(content)})
		}, ids: func(u *cutUpload) map[string]any { return u.data }, finish: "/api/fs/presign/commit", read: mounted},
	}
	links := func(t *testing.T, data map[string]any) map[int]string {
		out := map[int]string{}
		for _, field := range []string{"presigned_urls", "presignedUrls"} {
			if list, ok := data[field]; ok {
				maps.Copy(out, partLinks(one, list))
			}
		}
		for _, field := range []string{"upload_url", "presignedUrl"} {
			if link, ok := data[field].(string); ok {
				out[0] = strings.TrimPrefix(link, one.url)
			}
		}
		if len(out) == 0 {
			t.Fatalf("no links in %v", data)
		}
		return out
	}
	put := func(t *testing.T, p *program, u *cutUpload, n int, link string) {
		t.Helper()
		body := content
		if n > 0 {
			body = piece(n)
		}
		a := p.visitor().send(http.MethodPut, strings.TrimPrefix(strings.TrimPrefix(link, one.url), two.url), bytes.NewReader(body))
		if a.status != http.StatusOK {
			t.Fatalf("%s, %s: part %d: %d %s", u.door, u.step, n, a.status, a.body)
		}
		u.sent[n] = strings.Trim(a.header.Get("ETag"), `"`)
	}
	with := func(fields map[string]any, more map[string]any) map[string]any {
		fields = maps.Clone(fields)
		maps.Copy(fields, more)
		return fields
	}
	finish := func(c client, u *cutUpload) answer {
		var sent []map[string]any
		for _, n := range slices.Sorted(maps.Keys(u.sent)) {
			sent = append(sent, map[string]any{"PartNumber": n, "ETag": u.sent[n]})
		}
		return c.post(doors[u.door].finish, with(doors[u.door].ids(u), map[string]any{"parts": sent}))
	}

	// At the node that is killed: all uploads, each as far as its step.
	var cuts []*cutUpload
	for _, door := range slices.Sorted(maps.Keys(doors)) {
		for i, step := range []string{"begun", "first part", "half a part", "sent", "joined", "given up"} {
			d := doors[door]
			if step == "first part" && !d.parts || step == "given up" && d.abort == "" {
				continue
			}
			u := &cutUpload{door: door, step: step, name: fmt.Sprintf("%s-%d", strings.ReplaceAll(door, " ", "-"), i), sent: map[int]string{}}
			d.begin(admin, u.name).into(t, &u.data)
			to := links(t, u.data)
			switch step {
			case "begun", "given up":
			case "first part":
				put(t, one, u, 1, to[1])
			case "half a part":
				n := slices.Max(slices.Collect(maps.Keys(to)))
				if d.parts {
					put(t, one, u, 1, to[1])
				}
				u.half = one.dial()
				defer u.half.Close()
				size := len(content)
				if n > 0 {
					size = len(piece(n))
				}
				fmt.Fprintf(u.half, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\nhalf", to[n], size)
			default:
				for _, n := range slices.Sorted(maps.Keys(to)) {
					put(t, one, u, n, to[n])
				}
			}
			if step == "joined" {
				if a := finish(admin, u); a.status != http.StatusOK {
					t.Fatalf("%s at the first node: %d %s", door, a.status, a.body)
				}
			}
			if step == "given up" {
				if a := admin.post(d.abort, d.ids(u)); a.status != http.StatusOK {
					t.Fatalf("%s is given up: %d %s", door, a.status, a.body)
				}
			}
			cuts = append(cuts, u)
		}
	}
	// Bodies that come in one request, cut in the middle.
	boundary := "cut"
	form := func(fields string) string {
		return "--" + boundary + "\r\n" + fields + "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"whole.bin\"\r\n\r\nhalf"
	}
	field := func(name, value string) string {
		return "Content-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	whole := map[string]string{
		"share form": fmt.Sprintf("POST /api/upload HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: 99999\r\n\r\n%s",
			admin.auth, boundary, form(field("s3_config_id", config))),
		"raw upload": fmt.Sprintf("PUT /api/upload-direct/raw.bin?s3_config_id=%s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 99999\r\n\r\nhalf", config, admin.auth),
		"mount form": fmt.Sprintf("POST /api/fs/upload HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: 99999\r\n\r\n%s",
			admin.auth, boundary, form(field("path", "/box/"))),
		"mount raw": fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 99999\r\n\r\nhalf", fsURL("upload", "/box/raw-whole.bin"), admin.auth),
		"WebDAV":    fmt.Sprintf("PUT /dav/box/dav-whole.bin HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 99999\r\n\r\nhalf", admin.auth),
	}
	for _, request := range whole {
		conn := one.dial()
		defer conn.Close()
		fmt.Fprint(conn, request)
	}
	one.kill()

	// At the other node: what was cut is ended, and what had ended stays so.
	for _, u := range cuts {
		t.Run(u.door+", "+u.step, func(t *testing.T) {
			d := doors[u.door]
			if u.step == "given up" {
				if a := finish(there, u); a.status == http.StatusOK {
					t.Errorf("an upload that was given up is ended: %s", a.body)
				}
				if a := d.read(there, u); a.status == http.StatusOK {
					t.Errorf("its file is there: %d bytes", len(a.body))
				}
				return
			}
			if u.step != "joined" {
				if a := d.read(there, u); a.status == http.StatusOK && (d.parts || u.step != "sent") {
					t.Fatalf("a part of a file is shown: %d bytes", len(a.body))
				}
			}
			switch {
			case u.step == "joined", u.step == "sent":
			case !d.parts:
				put(t, two, u, 0, links(t, u.data)[0])
			default:
				var arrived struct {
					Parts []struct{ PartNumber int }
				}
				there.post(d.list, d.ids(u)).into(t, &arrived)
				if len(arrived.Parts) != len(u.sent) {
					t.Fatalf("%d parts have arrived, %d were sent", len(arrived.Parts), len(u.sent))
				}
				missing := slices.DeleteFunc([]int{1, 2}, func(n int) bool { return u.sent[n] != "" })
				var fresh map[string]any
				there.post(d.fresh, with(d.ids(u), map[string]any{"part_numbers": missing, "partNumbers": missing})).into(t, &fresh)
				for n, link := range links(t, fresh) {
					put(t, two, u, n, link)
				}
			}
			for range 2 { // the answer may be lost
				if a := finish(there, u); a.status != http.StatusOK {
					t.Fatalf("end: %d %s", a.status, a.body)
				}
			}
			if a := d.read(there, u); a.status != http.StatusOK || hash(a.body) != hash(content) {
				t.Errorf("read: %d, %d bytes", a.status, len(a.body))
			}
		})
	}
	for door := range whole {
		var files struct{ Files []struct{ Filename string } }
		there.get("/api/files?limit=100").into(t, &files)
		for _, f := range files.Files {
			if f.Filename == "whole.bin" || f.Filename == "raw.bin" {
				t.Errorf("%s: half a file is listed as %s", door, f.Filename)
			}
		}
		if list := string(there.get(fsURL("list", "/box")).body); strings.Contains(list, "whole.bin") || strings.Contains(list, "raw.bin") {
			t.Errorf("%s: half a file lies in the mount", door)
		}
	}
	var left struct{ Uploads []map[string]any }
	there.post("/api/fs/multipart/list-uploads", map[string]any{"path": "/box/"}).into(t, &left)
	if len(left.Uploads) != 0 {
		t.Errorf("unfinished uploads are left: %v", left.Uploads)
	}
}
