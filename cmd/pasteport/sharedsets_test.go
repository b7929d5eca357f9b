package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pasteport/ports/portstest"
)

// set shares files of an account by one link and returns the id of the share.
func (c client) set(fields map[string]any, contents map[string][]byte) string {
	c.p.t.Helper()
	var ids []string
	for name, content := range contents {
		a := c.send(http.MethodPut, "/api/upload-direct/"+name, bytes.NewReader(content))
		var made struct{ ID string }
		if a.status != http.StatusOK || json.Unmarshal(a.envelope(c.p.t).Data, &made) != nil || made.ID == "" {
			c.p.t.Fatalf("upload %s: %d %s", name, a.status, a.body)
		}
		ids = append(ids, made.ID)
	}
	fields["file_ids"] = ids
	a := c.post("/api/collections", fields)
	if a.status != http.StatusOK {
		c.p.t.Fatalf("share the files: %d %s", a.status, a.body)
	}
	var set struct{ ID string }
	a.into(c.p.t, &set)
	return set.ID
}

// openings adds up what the log of a share says of those who were let in: lines,
// how many openings they stand for, and the views these took.
func (c client) openings(kind, id string) (lines int, times, views int64) {
	c.p.t.Helper()
	a := c.get("/api/shares/" + kind + "/" + id + "/log?limit=100")
	for {
		if a.status != http.StatusOK {
			c.p.t.Fatalf("the log of %s: %d %s", id, a.status, a.body)
		}
		var page struct {
			Visits []struct {
				Verdict      string
				Times, Views int64
			}
			Next int64
		}
		a.into(c.p.t, &page)
		for _, v := range page.Visits {
			if v.Verdict == "opened" {
				lines, times, views = lines+1, times+v.Times, views+v.Views
			}
		}
		if page.Next == 0 {
			return lines, times, views
		}
		a = c.get(fmt.Sprintf("/api/shares/%s/%s/log?limit=100&before=%d", kind, id, page.Next))
	}
}

// TestAHundredReadersShareExactlyTheViewsOfALinkForMany: whoever is let in opens
// every file and the whole as ZIP within the one view.
func TestAHundredReadersShareExactlyTheViewsOfALinkForMany(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	const limit = 37
	id := admin.set(map[string]any{"slug": "few", "max_views": limit}, map[string][]byte{"a.txt": []byte("one"), "b.txt": []byte("two"), "c.bin": pattern(4, 100_000)})
	type visit struct {
		IsLastView bool
		ArchiveURL string
		Items      []struct{ DownloadURL, PreviewURL string }
	}
	visits := make(chan visit, 100)
	var last, gone atomic.Int64
	var readers sync.WaitGroup
	for range 100 {
		readers.Go(func() {
			switch a := p.visitor().get("/api/public/collections/few"); a.status {
			case http.StatusOK:
				var v visit
				a.into(t, &v)
				if v.IsLastView {
					last.Add(1)
				}
				visits <- v
			case http.StatusGone:
				gone.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	readers.Wait()
	close(visits)
	opened := len(visits)
	for v := range visits {
		if len(v.Items) != 3 {
			t.Errorf("%d items", len(v.Items))
		}
		addresses := []string{v.ArchiveURL}
		for _, item := range v.Items {
			addresses = append(addresses, item.PreviewURL, item.DownloadURL)
		}
		for _, address := range addresses {
			if a := p.visitor().get(address); a.status != http.StatusOK {
				t.Errorf("%s of a visit: %d %s", address, a.status, a.body)
			}
		}
	}
	if opened != limit || last.Load() != 1 || gone.Load() != 100-limit {
		t.Errorf("%d were let in (%d by the last view), %d were not; want %d (1), %d", opened, last.Load(), gone.Load(), limit, 100-limit)
	}
	if _, _, views := admin.openings("collection", id); views != limit {
		t.Errorf("the log knows of %d views, want %d", views, limit)
	}
}

// TestTheZipOfALinkForManyGoesOnAnywhere: every rest of it, and every piece, is the
// same bytes as those of the whole, of files that were uploaded and of a folder.
func TestTheZipOfALinkForManyGoesOnAnywhere(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	admin := p.admin()
	files := map[string][]byte{"empty.txt": nil, "a.txt": bytes.Repeat([]byte("text "), 30_000), "b.bin": pattern(7, 1<<20), "报告.md": []byte("# 报告"), "c.png": pattern(8, 5000)}
	at := filepath.Join(dir, localFolder, "trip", "deep")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		for _, folder := range []string{at, filepath.Dir(at)} {
			if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	admin.set(map[string]any{"slug": "trip-files", "title": "files", "max_views": 2}, files)
	if a := admin.post("/api/collections", map[string]any{"slug": "trip-folder", "folder": "/local/trip", "max_views": 2}); a.status != http.StatusOK {
		t.Fatalf("share the folder: %d %s", a.status, a.body)
	}
	random := rand.New(rand.NewPCG(17, 4))
	for slug, entries := range map[string]int{"trip-files": len(files), "trip-folder": 2 * len(files)} {
		var page struct{ ArchiveURL string }
		p.visitor().get("/api/public/collections/"+slug).into(t, &page)
		whole := p.visitor().get(page.ArchiveURL)
		tag, size := whole.header.Get("ETag"), len(whole.body)
		if whole.status != http.StatusOK || whole.header.Get("Content-Length") != fmt.Sprint(size) || tag == "" {
			t.Fatalf("the ZIP of %s: %d %v", slug, whole.status, whole.header)
		}
		r, err := zip.NewReader(bytes.NewReader(whole.body), int64(size))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, f := range r.File {
			if f.FileInfo().IsDir() {
				continue
			}
			found++
			body, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if content, err := io.ReadAll(body); err != nil || !bytes.Equal(content, files[f.Name[strings.LastIndex(f.Name, "/")+1:]]) {
				t.Errorf("%s of %s: %d bytes, %v", f.Name, slug, len(content), err)
			}
		}
		if found != entries {
			t.Errorf("the ZIP of %s has %d files, want %d", slug, found, entries)
		}
		offsets := []int{0, 1, size - 1} // and those at random
		for range 40 {
			offsets = append(offsets, random.IntN(size))
		}
		for _, offset := range offsets {
			a := p.visitor().get(page.ArchiveURL, "Range", fmt.Sprintf("bytes=%d-", offset), "If-Range", tag)
			if a.status != http.StatusPartialContent || a.header.Get("ETag") != tag || !bytes.Equal(a.body, whole.body[offset:]) {
				t.Errorf("%s from %d on: %d, %d bytes of %d", slug, offset, a.status, len(a.body), size-offset)
			}
			end := offset + random.IntN(size-offset)
			a = p.visitor().get(page.ArchiveURL, "Range", fmt.Sprintf("bytes=%d-%d", offset, end))
			if a.status != http.StatusPartialContent || !bytes.Equal(a.body, whole.body[offset:end+1]) {
				t.Errorf("%s from %d to %d: %d, %d bytes", slug, offset, end, a.status, len(a.body))
			}
		}
		var now struct{ Views int }
		admin.get("/api/collections/"+slug).into(t, &now)
		if now.Views != 1 {
			t.Errorf("what went on took %d views of %s, want 1", now.Views, slug)
		}
	}
}

// TestKillLoopKeepsTheLogOfShares kills the server again and again under readers.
// The log of a limited share has exactly its views, whenever the server ended;
// that of another one keeps what was in it, and tells of no opening twice.
func TestKillLoopKeepsTheLogOfShares(t *testing.T) {
	rounds := 2
	if os.Getenv("PASTEPORT_TEST_LONG") != "" {
		rounds = 40
	}
	const limit = 30
	dir := t.TempDir()
	p := start(t, dir)
	for round := range rounds {
		admin, slug := p.admin(), fmt.Sprintf("r%d", round)
		text := func(name string, views int) string {
			a := admin.post("/api/paste", map[string]any{"content": "x", "slug": name, "maxViews": views})
			var made struct{ ID string }
			if err := json.Unmarshal(a.body, &made); err != nil || made.ID == "" {
				t.Fatalf("share %s: %d %s", name, a.status, a.body)
			}
			return made.ID
		}
		shared := []*loggedShare{
			{kind: "paste", id: text(slug, limit), link: "/api/paste/" + slug, limit: limit},
			{kind: "collection", id: admin.set(map[string]any{"slug": slug, "max_views": limit}, map[string][]byte{"a.txt": []byte("a"), "b.txt": []byte("b")}), link: "/api/public/collections/" + slug, limit: limit},
			{kind: "paste", id: text(slug+"any", 0), link: "/api/paste/" + slug + "any"},
		}
		unlimited := shared[2]
		for range 5 {
			unlimited.opens(p)
		}
		if !portstest.Happens(patience, func() bool { _, times, _ := admin.openings("paste", unlimited.id); return times == 5 }) {
			t.Fatal("five openings are not in the log")
		}
		unlimited.settled = 5
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for _, s := range shared {
			for range 4 {
				readers.Go(func() {
					for s.asked.Load() < 400 { // the log keeps the newest thousand
						select {
						case <-stop:
							return
						default:
							s.opens(p)
						}
					}
				})
			}
		}
		portstest.Eventually(t, func() bool {
			return shared[0].answered.Load() > int64(round%limit) && shared[1].answered.Load() > 3 && unlimited.answered.Load() > 10
		}, "readers are let in")
		p.kill()
		close(stop)
		readers.Wait()
		p = start(t, dir)
		admin = p.admin()
		for _, s := range shared {
			s.check(admin, "after the kill")
		}
		for _, s := range shared[:2] { // and the rest of the views is there, and no more
			for range limit + 5 {
				s.opens(p)
			}
			if _, _, views := admin.openings(s.kind, s.id); views != limit {
				t.Errorf("%s %s: the log has %d views at its end, want %d", s.kind, s.id, views, limit)
			}
			s.check(admin, "at its end")
		}
	}
}

// loggedShare is a share with what its readers know of it.
type loggedShare struct {
	kind, id, link  string
	limit           int64 // of views; 0 means any number
	settled         int64 // openings that were in its log
	asked, answered atomic.Int64
}

func (s *loggedShare) opens(p *program) {
	s.asked.Add(1)
	if a, err := p.visitor().try(http.MethodGet, s.link, nil); err == nil && a.status == http.StatusOK {
		s.answered.Add(1)
	}
}

func (s *loggedShare) check(admin client, when string) {
	t := admin.p.t
	t.Helper()
	lines, times, views := admin.openings(s.kind, s.id)
	asked, answered := s.asked.Load(), s.answered.Load()
	if int64(lines) > asked || times > asked || views > asked {
		t.Errorf("%s %s %s: the log has %d lines of %d openings with %d views, and %d asked", s.kind, s.id, when, lines, times, views, asked)
	}
	if times < s.settled || views < s.settled {
		t.Errorf("%s %s %s: the log has %d openings with %d views; it had %d", s.kind, s.id, when, times, views, s.settled)
	}
	if s.limit == 0 {
		return
	}
	var now struct{ Views int64 }
	path := "/api/pastes/" + s.id
	if s.kind == "collection" {
		path = "/api/collections/" + s.id
	}
	admin.get(path).into(t, &now)
	if now.Views != views || views < answered || views > s.limit {
		t.Errorf("%s %s %s: %d views are counted and %d logged, %d were let in, the limit is %d", s.kind, s.id, when, now.Views, views, answered, s.limit)
	}
}
