package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pasteport/ports/portstest"
)

// searched is an answer of GET /api/fs/search.
type searched struct {
	Results []struct {
		Path        string
		IsDirectory bool
		MountName   string `json:"mount_name"`
		S3Key       string `json:"s3_key"`
	}
	Total     int
	HasMore   bool
	IndexedAt *time.Time
	Partial   bool
}

// search searches for a text and returns the paths, sorted.
func (c client) search(t *testing.T, query string) (paths []string, all searched) {
	t.Helper()
	a := c.get("/api/fs/search?" + query)
	if a.status != http.StatusOK {
		t.Fatalf("search %s: %d %s", query, a.status, a.body)
	}
	a.into(t, &all)
	for _, r := range all.Results {
		paths = append(paths, r.Path)
	}
	slices.Sort(paths)
	return paths, all
}

// indexed waits until the mount at /local is indexed by a scan that began after
// the given time, and returns its id.
func (c client) indexed(t *testing.T, after time.Time) (mount string) {
	t.Helper()
	var list []struct{ ID string }
	c.get("/api/admin/mounts").into(t, &list)
	portstest.Eventually(t, func() bool {
		var state struct {
			IndexedAt *time.Time
			TaskID    string
		}
		c.get("/api/admin/mounts/"+list[0].ID+"/index").into(t, &state)
		return state.IndexedAt != nil && state.IndexedAt.After(after)
	}, "the mount is indexed")
	return list[0].ID
}

func TestContract4_15_SearchFollowsWhatIsStored(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) []string{
		"SQLite":     func(*testing.T) []string { return nil },
		"PostgreSQL": func(t *testing.T) []string { return []string{"PASTEPORT_DATABASE_URL=" + portstest.Postgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, dir, database(t)...)
			admin := p.admin()
			mount := admin.indexed(t, time.Time{})
			put := func(path, content string) {
				t.Helper()
				if a := admin.send(http.MethodPut, "/api/fs/upload?path="+path, strings.NewReader(content)); a.status != http.StatusOK {
					t.Fatalf("upload %s: %d %s", path, a.status, a.body)
				}
			}
			put("/local/team/a/Report.txt", "12345")
			put("/local/team/b/report.txt", "1234567")
			// A listing waits for sums, but not for long.
			type listed struct {
				Items []struct {
					Name       string
					Size       *int64
					SizeSource string `json:"size_source"`
				}
			}
			portstest.Eventually(t, func() bool {
				var list listed
				admin.get("/api/fs/list?path=/local").into(t, &list)
				if len(list.Items) != 1 {
					t.Fatalf("got %+v", list)
				}
				item := list.Items[0]
				return item.Size != nil && *item.Size == 12 && item.SizeSource == "index"
			})
			var size map[string]any
			admin.get("/api/fs/size?path=/local/team").into(t, &size)
			if size["size"] != 12.0 || size["files"] != 2.0 || size["size_source"] != "index" {
				t.Errorf("got %v", size)
			}
			paths, all := admin.search(t, "q=report")
			if want := []string{"/local/team/a/Report.txt", "/local/team/b/report.txt"}; !slices.Equal(paths, want) || all.IndexedAt == nil || all.Partial || all.Total != 2 {
				t.Errorf("got %v of %+v", paths, all)
			}
			member, _ := admin.key("member", mountView, "/local/team/b")
			if paths, all := member.search(t, "q=report"); !slices.Equal(paths, []string{"/local/team/b/report.txt"}) || all.Total != 1 {
				t.Errorf("a key finds %v", paths)
			}
			// What others put there is found by a scan.
			if err := os.WriteFile(filepath.Join(dir, localFolder, "team", "b", "会议 report.md"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := time.Now().Add(-time.Millisecond)
			a := admin.post("/api/admin/mounts/"+mount+"/index", map[string]any{})
			var task struct{ TaskID string }
			if a.into(t, &task); a.status != http.StatusOK || task.TaskID == "" {
				t.Fatalf("rebuild: %d %s", a.status, a.body)
			}
			admin.indexed(t, before)
			if paths, _ := member.search(t, "q=%E4%BC%9A%E8%AE%AE"); !slices.Equal(paths, []string{"/local/team/b/会议 report.md"}) {
				t.Errorf("a key finds %v", paths)
			}
			var done struct{ Status string }
			if admin.get("/api/fs/tasks/"+task.TaskID).into(t, &done); done.Status != "completed" && done.Status != "running" {
				t.Errorf("the task is %q", done.Status)
			}
			// What is deleted is found no more.
			admin.delete("/api/fs/batch-remove", map[string]any{"paths": []string{"/local/team/b/"}})
			admin.get("/api/fs/size?path=/local") // waits for the index
			if paths, _ := admin.search(t, "q=report"); !slices.Equal(paths, []string{"/local/team/a/Report.txt"}) {
				t.Errorf("after the deletion: %v", paths)
			}
			if paths, _ := admin.search(t, "q=team"); !slices.Equal(paths, []string{"/local/team/"}) {
				t.Errorf("folders: %v", paths)
			}
		})
	}
}

func TestContract4_15_ParametersAreReadLeniently(t *testing.T) {
	p := start(t, t.TempDir())
	admin := p.admin()
	for query, want := range map[string]any{
		"q=ab": 50.0, "q=ab&limit=500": 200.0, "q=ab&limit=x": 50.0, "q=ab&limit=7&offset=-3": 7.0, "q=ab&limit=0": 400, "q=ab&limit=-1": 400, "q=a": 400, "q=+a+": 400,
		"": 400, "query=ab": 400, "q=ab&scope=all": 400, "q=ab&scope=mount&mount_id=nobody": 403,
	} {
		a := admin.get("/api/fs/search?" + query)
		if status, ok := want.(int); ok {
			if a.status != status {
				t.Errorf("%q: got %d %s, want %d", query, a.status, a.body, status)
			}
			continue
		}
		var out struct {
			Results      json.RawMessage
			SearchParams map[string]any
		}
		a.into(t, &out)
		if out.SearchParams["limit"] != want || out.SearchParams["offset"] != 0.0 || out.SearchParams["scope"] != "global" || string(out.Results) != "[]" {
			t.Errorf("%q: got %s", query, a.body)
		}
	}
}
