package treeapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/enginetest"
	"pasteport/adapters/httpapi/words"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// ownTasks allows everything to everybody known; keys see what is theirs.
type ownTasks struct{}

func (ownTasks) Decide(_ context.Context, who policy.Principal, _ policy.Action, _ policy.Resource) (policy.Decision, error) {
	if who.Kind == policy.Admin {
		return policy.Decision{Allow: true, Scope: policy.All}, nil
	}
	return policy.Decision{Allow: who.Kind == policy.APIKey, Scope: policy.Own}, nil
}

type noQueue struct{}

func (noQueue) Push(context.Context, string) error { return nil }

// taskFrame is an API with tasks of the kind "copy": three items, of which the
// second fails while broken is true.
type taskFrame struct {
	*enginetest.Frame
	tasks  *tasks.Tasks
	broken bool
}

func newTaskFrame(t *testing.T) *taskFrame {
	f := &taskFrame{Frame: enginetest.New(t, nil), broken: true}
	f.tasks = tasks.New(tasks.Deps{Tasks: f.Memory.Tasks(), Runs: f.Memory.TaskRuns(), Queue: noQueue{}, Work: f.Memory, Decider: httpapi.Watched(ownTasks{}), Random: &portstest.Random{}, Clock: f.Clock})
	f.tasks.Register("copy", tasks.Kind{Run: func(_ context.Context, run jobs.Run) error {
		run.Expect(3, 30)
		for i, path := range []string{"/m/a", "/m/文", "/m/c"} {
			failure := error(nil)
			if i == 1 && f.broken {
				failure = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "file.not_found", Cause: errors.New("secret")}
			}
			if err := run.Item(jobs.Item{Path: path, Target: "/n" + path, Status: jobs.Completed, Bytes: 10}, failure); err != nil {
				return err
			}
		}
		return nil
	}})
	f.tasks.Register("stop", tasks.Kind{Run: func(context.Context, jobs.Run) error { return ports.ErrUnavailable }})
	taskOps(f.API, f.tasks)
	return f
}

func (f *taskFrame) start(kind, token string) string {
	f.T.Helper()
	id, err := f.tasks.Start(f.T.Context(), jobs.Start{Kind: kind, Title: "/m", Owner: edgetest.Tokens[token], Payload: kind})
	if err != nil {
		f.T.Fatal(err)
	}
	return id
}

func (f *taskFrame) run(id string) {
	f.T.Helper()
	if err := f.tasks.Execute(f.T.Context(), id); err != nil {
		f.T.Fatal(err)
	}
}

const ownerA, ownerB = "ApiKey key-a", "ApiKey key-b"

func TestTaskIsShownWithItsResults(t *testing.T) {
	f := newTaskFrame(t)
	id := f.start("copy", "key-a")
	f.run(id)
	a := f.Call("GET", "/api/fs/tasks/"+id, "", "Authorization", ownerA, "Accept-Language", "en")
	if a.Result().StatusCode != 200 {
		t.Fatalf("status %d: %s", a.Result().StatusCode, a.Body)
	}
	var got taskDetailsJSON
	if err := json.Unmarshal(a.Data, &got); err != nil {
		t.Fatal(err)
	}
	if got.ID != id || got.Type != "copy" || got.Title != "/m" || got.Status != "partial" || got.Progress != 100 || got.CreatedBy != "apikey:key-a-id" ||
		got.Items != (taskItemsJSON{Total: 3, Completed: 2, Failed: 1}) || got.Bytes != (taskBytesJSON{Total: 30, Done: 20}) || got.Error != nil ||
		got.StartedAt == nil || got.FinishedAt == nil || got.Pagination.Total != 3 {
		t.Errorf("task = %s", a.Data)
	}
	if len(got.Results) != 3 || got.Results[1].Path != "/m/文" || got.Results[1].Status != "failed" || got.Results[1].Error == nil || got.Results[0].Error != nil {
		t.Fatalf("results = %+v", got.Results)
	}
	if e := got.Results[1].Error; e.Error != "not_found" || e.Message != words.Catalogue["file.not_found"].EN {
		t.Errorf("error = %+v", e)
	}
	if strings.Contains(a.Body.String(), "secret") {
		t.Error("a cause left the server")
	}
	a = f.Call("GET", "/api/fs/tasks/"+id+"?status=failed&limit=1", "", "Authorization", ownerA)
	if err := json.Unmarshal(a.Data, &got); err != nil || len(got.Results) != 1 || got.Pagination.Total != 1 {
		t.Errorf("failed items: %s", a.Body)
	}
	if a = f.Call("GET", "/api/fs/tasks/"+id+"?status=odd", "", "Authorization", ownerA); a.Result().StatusCode != 400 {
		t.Errorf("an unknown status: %d", a.Result().StatusCode)
	}
}

func TestTasksAreListed(t *testing.T) {
	f := newTaskFrame(t)
	first := f.start("copy", "key-a")
	f.run(first)
	f.Clock.Add(1e9)
	second := f.start("stop", "key-a")
	f.run(second)
	f.start("copy", "key-b")
	for _, c := range []struct {
		query, as string
		want      []string
		total     int
	}{
		{"", ownerA, []string{second, first}, 2},
		{"?limit=1", ownerA, []string{second}, 2},
		{"?limit=1&offset=1", ownerA, []string{first}, 2},
		{"?status=partial,pending", ownerA, []string{first}, 1},
		{"?type=stop", edgetest.AsAdmin, []string{second}, 1},
		{"?status=cancelled", edgetest.AsAdmin, nil, 0},
	} {
		a := f.Call("GET", "/api/fs/tasks"+c.query, "", "Authorization", c.as)
		var got taskListJSON
		if err := json.Unmarshal(a.Data, &got); err != nil {
			t.Fatalf("%s: %s", c.query, a.Body)
		}
		var ids []string
		for _, task := range got.Tasks {
			ids = append(ids, task.ID)
		}
		if strings.Join(ids, " ") != strings.Join(c.want, " ") || got.Pagination.Total != c.total {
			t.Errorf("%q: %v of %d, want %v of %d", c.query, ids, got.Pagination.Total, c.want, c.total)
		}
	}
	if a := f.Call("GET", "/api/fs/tasks?status=odd", "", "Authorization", ownerA); a.Result().StatusCode != 400 {
		t.Errorf("an unknown status: %d", a.Result().StatusCode)
	}
	if a := f.Call("GET", "/api/fs/tasks", ""); a.Result().StatusCode != 401 {
		t.Errorf("without a credential: %d", a.Result().StatusCode)
	}
	var failed taskListJSON
	if err := json.Unmarshal(f.Call("GET", "/api/fs/tasks?status=failed", "", "Authorization", ownerA).Data, &failed); err != nil {
		t.Fatal(err)
	}
	if len(failed.Tasks) != 1 || failed.Tasks[0].Error == nil || failed.Tasks[0].Error.Error != "storage_unavailable" {
		t.Errorf("failed = %+v", failed)
	}
}

func TestTaskIsCancelledRetriedAndForgotten(t *testing.T) {
	f := newTaskFrame(t)
	id := f.start("copy", "key-a")
	want := func(method, path, as string, status int, state string) {
		t.Helper()
		a := f.Call(method, "/api/fs/tasks/"+id+path, "", "Authorization", as)
		var got taskJSON
		_ = json.Unmarshal(a.Data, &got)
		if a.Result().StatusCode != status || got.Status != state {
			t.Errorf("%s %s: %d %q (%s), want %d %q", method, path, a.Result().StatusCode, got.Status, a.Body, status, state)
		}
	}
	want("DELETE", "", ownerA, 409, "")
	want("POST", "/retry", ownerA, 409, "")
	want("POST", "/cancel", ownerB, 404, "")
	want("POST", "/cancel", ownerA, 200, "cancelled")
	want("POST", "/cancel", ownerA, 200, "cancelled")
	want("POST", "/retry", ownerB, 404, "")
	want("POST", "/retry", edgetest.AsAdmin, 200, "pending")
	f.run(id)
	want("GET", "", ownerA, 200, "partial")
	want("POST", "/cancel", ownerA, 409, "")
	f.broken = false
	want("POST", "/retry", ownerA, 200, "pending")
	f.run(id)
	want("GET", "", ownerA, 200, "completed")
	want("POST", "/retry", ownerA, 409, "")
	want("DELETE", "", ownerB, 404, "")
	want("DELETE", "", ownerA, 200, "")
	want("GET", "", edgetest.AsAdmin, 404, "")
}

func TestProgressOfATask(t *testing.T) {
	for name, c := range map[string]struct {
		task tasks.Task
		want int
	}{
		"unknown":                {tasks.Task{}, 0},
		"by items":               {tasks.Task{Progress: tasks.Progress{Items: 4, Done: tasks.Counts{Completed: 1, Skipped: 1}}}, 49},
		"by bytes":               {tasks.Task{Progress: tasks.Progress{Items: 1000, Bytes: 10, Done: tasks.Counts{Bytes: 5}}}, 49},
		"more than was expected": {tasks.Task{Progress: tasks.Progress{Bytes: 10, Done: tasks.Counts{Bytes: 50}}}, 99},
		"huge":                   {tasks.Task{Progress: tasks.Progress{Bytes: 1 << 62, Done: tasks.Counts{Bytes: 1 << 61}}}, 49},
		"done":                   {tasks.Task{Status: tasks.Completed}, 100},
	} {
		if got := taskProgress(&c.task); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
