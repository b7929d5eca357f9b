package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// Many callers rename, move and copy the folders of one tree at once, over the
// API and over WebDAV. Whatever is refused, no file is lost, and none is mixed
// up with another.
func TestReliability2_1_ChangesOfOneTreeByManyLoseNothing(t *testing.T) {
	for _, choice := range []davChoice{{"local", "sqlite", "direct", 1}, {"s3", "postgres", "direct", 1}} {
		t.Run(choice.String(), func(t *testing.T) {
			s := startDAV(t, choice)
			c := changes{t, s.admin}
			const root = "/dav-test/"
			want := map[string]bool{}
			for i := range 12 {
				content := fmt.Sprintf("file %d", i)
				c.store(fmt.Sprintf("%sd%d/e%d/f%d", root, i%4, i%2, i), content)
				want[content] = true
			}
			var crowd sync.WaitGroup
			var done atomic.Int64
			did := func(a answer) {
				if a.status/100 == 2 {
					done.Add(1)
				}
			}
			for worker := range 6 {
				crowd.Go(func() {
					r := rand.New(rand.NewPCG(7, uint64(worker)))
					place := func() string {
						at := fmt.Sprintf("d%d", r.IntN(6))
						if r.IntN(2) == 0 {
							at += fmt.Sprintf("/e%d", r.IntN(3))
						}
						return at
					}
					for range 25 {
						from, to := place(), place()
						switch r.IntN(5) {
						case 0:
							did(c.post("/api/fs/rename", map[string]any{"oldPath": root + from + "/", "newPath": root + to + "/"}))
						case 1:
							did(c.post("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": root + from + "/", "targetPath": root + to}}, "conflict": "fail"}))
						case 2:
							did(c.post("/api/fs/batch-copy", map[string]any{"items": []pair{{"sourcePath": root + from + "/", "targetPath": root + to}}}))
						case 3:
							did(c.send("MOVE", "/dav"+root+from, nil, "Destination", "/dav"+root+to, "Overwrite", "F"))
						case 4:
							did(c.post("/api/fs/move", map[string]any{"items": []pair{{"sourcePath": root + from + "/", "targetPath": root + to}}, "conflict": "rename"}))
						}
					}
				})
			}
			crowd.Wait()
			if done.Load() < 20 {
				t.Errorf("only %d changes were made", done.Load())
			}
			// What was handed over is finished or undone within minutes; it may
			// double a file until then, and must not hide one.
			var got map[string]int
			missing := ""
			if !portstest.Happens(5*time.Minute, func() bool {
				got, missing = contents(c, root), ""
				for content := range want {
					if got[content] == 0 {
						missing = content
					}
				}
				for content := range got {
					if !want[content] {
						t.Fatalf("a file holds %q", content)
					}
				}
				return missing == ""
			}) {
				t.Fatalf("%q is lost; what is left: %v", missing, got)
			}
		})
	}
}

// contents counts the contents of all files below a folder.
func contents(c changes, folder string) map[string]int {
	c.t.Helper()
	found := map[string]int{}
	a := c.get("/api/fs/list?refresh=true&path=" + folder)
	if a.status == http.StatusNotFound {
		return found
	}
	var list struct {
		Items []struct {
			Path        string
			IsDirectory bool
		}
	}
	a.into(c.t, &list)
	for _, item := range list.Items {
		if item.IsDirectory {
			for content, n := range contents(c, strings.TrimSuffix(item.Path, "/")+"/") {
				found[content] += n
			}
			continue
		}
		if a := c.get(fsURL("download", item.Path)); a.status == http.StatusOK {
			found[string(a.body)]++
		}
	}
	return found
}
