package webdav

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/portstest"
)

// The headers of RFC 9110 §13.1 are about the resource that the request names;
// for COPY and MOVE that is the source.
func TestEveryMethodObeysTheConditionsOfHTTP(t *testing.T) {
	const refused = -int(ports.Precondition)
	at := func(d time.Duration) string { return portstest.Start.Add(d).Format(http.TimeFormat) }
	type request struct {
		method, body string
		header       []string
		done         int
	}
	to := []string{"Destination", "/base/dav/m/to", "Depth", "infinity"}
	onFile := []request{
		{"PUT", "new", nil, 204},
		{"DELETE", "", nil, 204},
		{"COPY", "", to, 201},
		{"MOVE", "", to, 201},
		{"PROPPATCH", patchBody, nil, 207},
		{"PROPFIND", "", []string{"Depth", "0"}, 207},
		{"LOCK", lockBody, nil, 200},
	}
	onFolder := []request{
		{"DELETE", "", nil, 204},
		{"COPY", "", to, 201},
		{"MOVE", "", to, 201},
		{"PROPPATCH", patchBody, nil, 207},
		{"PROPFIND", "", []string{"Depth", "0"}, 207},
		{"LOCK", lockBody, nil, 200},
	}
	onNothing := []request{
		{"PUT", "new", nil, 201},
		{"MKCOL", "", nil, 201},
		{"LOCK", lockBody, nil, 201},
	}
	run := func(what, path string, requests []request, rows []struct {
		name   string
		header []string
		holds  bool
	}) {
		t.Helper()
		for _, r := range requests {
			for _, row := range rows {
				f := newFrame(t)
				f.bucket.Put("f", "content")
				f.bucket.Put("d/inside", "content")
				before := f.all()
				status, body := f.call(r.method, path, r.body, append(append([]string{}, r.header...), f.tagged(row.header)...)...)
				want := r.done
				if !row.holds {
					want = refused
				}
				if status != want {
					t.Errorf("%s of %s, %s: %d %s, want %d", r.method, what, row.name, status, body, want)
				}
				if !row.holds && f.all() != before {
					t.Errorf("%s of %s, %s: refused, and the storage holds %s", r.method, what, row.name, f.all())
				}
				if locked, _ := f.call("PUT", path, "x"); !row.holds && locked == 423 {
					t.Errorf("%s of %s, %s: refused, and there is a lock", r.method, what, row.name)
				}
			}
		}
	}
	type rows = []struct {
		name   string
		header []string
		holds  bool
	}
	run("a file", "/m/f", onFile, rows{
		{"If-Match", []string{"If-Match", "ETAG"}, true},
		{"If-Match among others", []string{"If-Match", `"x", ETAG`}, true},
		{"If-Match: *", []string{"If-Match", "*"}, true},
		{"If-Match of another", []string{"If-Match", `"x"`}, false},
		{"If-Match, weak", []string{"If-Match", "W/ETAG"}, false},
		{"If-None-Match", []string{"If-None-Match", "ETAG"}, false},
		{"If-None-Match, weak", []string{"If-None-Match", "W/ETAG"}, false},
		{"If-None-Match: *", []string{"If-None-Match", "*"}, false},
		{"If-None-Match of another", []string{"If-None-Match", `"x"`}, true},
		{"If-Unmodified-Since, later", []string{"If-Unmodified-Since", at(time.Hour)}, true},
		{"If-Unmodified-Since, then", []string{"If-Unmodified-Since", at(0)}, true},
		{"If-Unmodified-Since, before", []string{"If-Unmodified-Since", at(-time.Hour)}, false},
		{"If-Unmodified-Since, no date", []string{"If-Unmodified-Since", "yesterday"}, true},
		{"If-Match beside a date", []string{"If-Match", "ETAG", "If-Unmodified-Since", at(-time.Hour)}, true},
		{"If-Modified-Since, which is for GET", []string{"If-Modified-Since", at(time.Hour)}, true},
	})
	run("a folder", "/m/d/", onFolder, rows{
		{"If-Match", []string{"If-Match", `"x"`}, false},
		{"If-Match: *", []string{"If-Match", "*"}, true},
		{"If-None-Match: *", []string{"If-None-Match", "*"}, false},
		{"If-None-Match", []string{"If-None-Match", `"x"`}, true},
	})
	run("nothing", "/m/new", onNothing, rows{
		{"If-Match", []string{"If-Match", `"x"`}, false},
		{"If-Match: *", []string{"If-Match", "*"}, false},
		{"If-None-Match: *", []string{"If-None-Match", "*"}, true},
		{"If-None-Match", []string{"If-None-Match", `"x"`}, true},
		{"If-Unmodified-Since", []string{"If-Unmodified-Since", at(-time.Hour)}, true},
	})
}

// What would be refused anyway is refused as it would be without conditions
// (RFC 9110 §13.2.1).
func TestConditionsAreAskedWhenNothingElseRefuses(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		header             []string
		want               int
	}{
		{"DELETE", "/m/none", "", nil, -int(ports.NotFound)},
		{"MOVE", "/m/none", "", []string{"Destination", "/base/dav/m/to"}, -int(ports.NotFound)},
		{"PROPPATCH", "/m/none", patchBody, nil, -int(ports.NotFound)},
		{"MKCOL", "/m/d/", "", nil, 405},
		{"DELETE", "/m/locked", "", nil, 423},
		{"PROPPATCH", "/m/locked", patchBody, nil, 423},
		{"LOCK", "/m/locked", lockBody, nil, 423},
		{"COPY", "/m/f", "", []string{"Destination", "/base/dav/m/none/to"}, 409},
	} {
		f := newFrame(t)
		f.bucket.Put("f", "content")
		f.bucket.Put("locked", "content")
		f.bucket.Put("d/inside", "content")
		if status, body := f.call("LOCK", "/m/locked", lockBody); status != 200 {
			t.Fatalf("lock: %d %s", status, body)
		}
		if status, body := f.call(c.method, c.path, c.body, append([]string{"If-Match", `"x"`}, c.header...)...); status != c.want {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, status, body, c.want)
		}
	}
}

func TestLocksAreProlongedAndRemovedOnConditions(t *testing.T) {
	f := newFrame(t)
	f.bucket.Put("f", "content")
	_, body := f.call("LOCK", "/m/f", lockBody)
	token := regexp.MustCompile(`urn:uuid:[^<]+`).FindString(body)
	for _, header := range [][]string{{"If-Match", `"x"`}, {"If-None-Match", "*"}} {
		if status, _ := f.call("LOCK", "/m/f", "", append(header, "If", "(<"+token+">)")...); status != -int(ports.Precondition) {
			t.Errorf("refresh with %v: %d", header, status)
		}
		if status, _ := f.call("UNLOCK", "/m/f", "", append(header, "Lock-Token", "<"+token+">")...); status != -int(ports.Precondition) {
			t.Errorf("unlock with %v: %d", header, status)
		}
	}
	if status, _ := f.call("LOCK", "/m/f", "", f.tagged([]string{"If-Match", "ETAG", "If", "(<" + token + ">)"})...); status != 200 {
		t.Errorf("refresh: %d", status)
	}
	if status, _ := f.call("UNLOCK", "/m/f", "", f.tagged([]string{"If-Match", "ETAG", "Lock-Token", "<" + token + ">"})...); status != 204 {
		t.Errorf("unlock: %d", status)
	}
}

// tagged puts the entity tag of the file /m/f in the place of ETAG.
func (f *frame) tagged(header []string) []string {
	f.t.Helper()
	object, err := f.bucket.Stat(f.t.Context(), "f")
	if err != nil {
		return header
	}
	out := make([]string, len(header))
	for i, value := range header {
		out[i] = strings.ReplaceAll(value, "ETAG", `"`+object.ETag+`"`)
	}
	return out
}

// all tells what the storage holds: keys and entity tags.
func (f *frame) all() string {
	f.t.Helper()
	page, err := f.bucket.List(f.t.Context(), objstore.ListQuery{})
	if err != nil {
		f.t.Fatal(err)
	}
	var b strings.Builder
	for _, o := range page.Objects {
		b.WriteString(o.Key + " " + o.ETag + "\n")
	}
	return b.String()
}
