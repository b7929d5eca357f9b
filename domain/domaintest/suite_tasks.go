package domaintest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

func newTask(n int) *tasks.Task {
	return &tasks.Task{
		ID: testID(n), Kind: "copy", Title: fmt.Sprintf("/团队/%d", n), CreatedBy: "apikey:k", Status: tasks.Pending,
		Owner:   policy.Principal{Kind: policy.APIKey, ID: "k", Name: "名", Permissions: policy.AllPermissions, BasicPath: "/团队", Guest: true},
		Failure: &tasks.Failure{Key: "not_found", Text: "file.not_found", Params: map[string]any{"path": "/a"}},
		Passed:  tasks.Counts{Completed: 1, Skipped: 2, Failed: 3, Bytes: 4},
		Progress: tasks.Progress{Items: 10, Bytes: 20, Done: tasks.Counts{Completed: 5, Skipped: 6, Failed: 7, Bytes: 8},
			Current: []jobs.Item{{Path: "/a", Target: "/b", Status: jobs.Downloading, Bytes: 9}}},
		Run: 2, Node: "node", Cancelling: true, BeatAt: minute(n), CreatedAt: minute(n), UpdatedAt: minute(n + 1), StartedAt: ptr(minute(n + 2)), FinishedAt: ptr(minute(n + 3)),
	}
}

// runningTask is stored and runs for the first time.
func runningTask(t *testing.T, r tasks.Repository, n int) *tasks.Task {
	t.Helper()
	task := newTask(n)
	task.Status, task.Run, task.Cancelling, task.FinishedAt = tasks.Running, 1, false, nil
	must(t, r.Insert(t.Context(), task))
	return task
}

func taskItem(path string, status jobs.ItemStatus, passed bool) tasks.Item {
	item := tasks.Item{Item: jobs.Item{Path: path, Target: "/to" + path, Status: status, Bytes: 3}, Passed: passed, At: minute(9)}
	if status == jobs.Failed {
		item.Failure = &tasks.Failure{Key: "not_found"}
	}
	return item
}

// RunTasks checks the repository of tasks.
func RunTasks(t *testing.T, open OpenStores) {
	RunRepository(t, func(t *testing.T) ports.Repository[tasks.Task, tasks.Filter] { return open(t).Tasks },
		Subject[tasks.Task, tasks.Filter]{
			New: newTask,
			ID:  func(k *tasks.Task) string { return k.ID },
			Change: func(k *tasks.Task) {
				*k = tasks.Task{ID: k.ID, Kind: "move", Status: tasks.Failed, CreatedAt: minute(1), UpdatedAt: minute(2), BeatAt: minute(3)}
			},
			Page: func(p ports.Paging) tasks.Filter { return tasks.Filter{Paging: p} },
		})
	t.Run("payload and state come back, but not in lists", func(t *testing.T) {
		r, want := open(t).Tasks, newTask(1)
		want.Payload, want.State = []byte(`{"a":1}`), []byte(`[1]`)
		must(t, r.Insert(t.Context(), want))
		got, err := r.Get(t.Context(), want.ID)
		must(t, err)
		equal(t, got, want)
		page, err := r.List(t.Context(), tasks.Filter{})
		must(t, err)
		if len(page.Items) != 1 || page.Items[0].Payload != nil || page.Items[0].State != nil || page.Items[0].Title != want.Title {
			t.Errorf("list = %+v", page.Items)
		}
	})
	t.Run("a list is filtered by owner, kind and status", func(t *testing.T) {
		r := open(t).Tasks
		mine, others := newTask(1), newTask(2)
		others.CreatedBy, others.Kind, others.Status = "apikey:o", "move", tasks.Running
		must(t, r.Insert(t.Context(), mine))
		must(t, r.Insert(t.Context(), others))
		for name, c := range map[string]struct {
			f    tasks.Filter
			want []string
		}{
			"all":      {tasks.Filter{}, []string{others.ID, mine.ID}},
			"owner":    {tasks.Filter{CreatedBy: "apikey:k"}, []string{mine.ID}},
			"kind":     {tasks.Filter{Kind: "move"}, []string{others.ID}},
			"statuses": {tasks.Filter{Statuses: []tasks.Status{tasks.Failed, tasks.Pending}}, []string{mine.ID}},
			"nothing":  {tasks.Filter{CreatedBy: "apikey:k", Kind: "move"}, []string{}},
			"search":   {tasks.Filter{Search: "MOV"}, []string{others.ID}},
			"title":    {tasks.Filter{Search: mine.Title, Kind: mine.Kind}, []string{mine.ID}},
			"oldest":   {tasks.Filter{Sort: tasks.Sort{By: tasks.SortCreated, Ascending: true}}, []string{mine.ID, others.ID}},
			"by kind":  {tasks.Filter{Sort: tasks.Sort{By: tasks.SortKind, Ascending: true}}, []string{mine.ID, others.ID}},
			"by state": {tasks.Filter{Sort: tasks.Sort{By: tasks.SortStatus}}, []string{others.ID, mine.ID}},
		} {
			page, err := r.List(t.Context(), c.f)
			must(t, err)
			got := []string{}
			for _, k := range page.Items {
				got = append(got, k.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || page.Total != len(c.want) {
				t.Errorf("%s: got %v of %d, want %v", name, got, page.Total, c.want)
			}
		}
	})
	runTaskNotes(t, open)
	t.Run("unfinished tasks are counted by owner", func(t *testing.T) {
		r := open(t).Tasks
		for i, status := range tasks.Statuses {
			task := newTask(i)
			task.Status = status
			must(t, r.Insert(t.Context(), task))
		}
		n, err := r.Unfinished(t.Context(), "apikey:k")
		must(t, err)
		equal(t, n, 3)
		n, err = r.Unfinished(t.Context(), "apikey:o")
		must(t, err)
		equal(t, n, 0)
	})
	t.Run("who counts before adding one counts what others add meanwhile", func(t *testing.T) {
		s := open(t)
		for round := range 10 {
			owner := fmt.Sprint("apikey:", round)
			atOnce(6, func(n int) {
				must(t, s.Unit.Do(t.Context(), func(ctx context.Context) error {
					had, err := s.Tasks.Unfinished(ctx, owner)
					if err != nil || had >= 2 {
						return err
					}
					task := newTask(10*round + n)
					task.CreatedBy = owner
					return s.Tasks.Insert(ctx, task)
				}))
			})
			n, err := s.Tasks.Unfinished(t.Context(), owner)
			must(t, err)
			equal(t, n, 2)
		}
	})
	t.Run("silent and waiting tasks are found, oldest first", func(t *testing.T) {
		r := open(t).Tasks
		for i, status := range []tasks.Status{tasks.Running, tasks.Pending, tasks.Running, tasks.Interrupted, tasks.Completed} {
			task := newTask(i)
			task.Status, task.BeatAt = status, minute(20-i)
			must(t, r.Insert(t.Context(), task))
		}
		for _, c := range []struct {
			name string
			find func(limit int) ([]string, error)
			want []string
		}{
			{"orphans", func(n int) ([]string, error) { return r.Orphans(t.Context(), minute(20), n) }, []string{testID(2)}},
			{"waiting", func(n int) ([]string, error) { return r.Waiting(t.Context(), minute(20), n) }, []string{testID(3), testID(1)}},
			{"waiting, older", func(n int) ([]string, error) { return r.Waiting(t.Context(), minute(19), n) }, []string{testID(3)}},
		} {
			got, err := c.find(10)
			must(t, err)
			equal(t, got, c.want)
			got, err = c.find(1)
			must(t, err)
			equal(t, got, c.want[:1])
		}
	})
	t.Run("old finished tasks and those beyond a number are purged with their items", func(t *testing.T) {
		r := open(t).Tasks
		for i := range 6 {
			task := newTask(i)
			task.Status, task.FinishedAt = tasks.Completed, ptr(minute(i))
			if i == 0 {
				task.Status, task.FinishedAt = tasks.Pending, nil
			}
			must(t, r.Insert(t.Context(), task))
		}
		for _, c := range []struct{ before, keep, limit, want, left int }{
			{1, 10, 10, 0, 6}, {3, 10, 1, 1, 5}, {3, 10, 10, 1, 4}, {0, 2, 10, 1, 3}, {0, 0, 10, 2, 1},
		} {
			n, err := r.Purge(t.Context(), minute(c.before), c.keep, c.limit)
			must(t, err)
			equal(t, n, c.want)
			page, err := r.List(t.Context(), tasks.Filter{})
			must(t, err)
			equal(t, page.Total, c.left)
		}
	})
}

// runTaskNotes checks what a run stores about itself.
func runTaskNotes(t *testing.T, open OpenStores) {
	note := func(run int64, items ...tasks.Item) tasks.Note {
		return tasks.Note{TaskID: testID(1), Run: run, At: minute(30), Items: items,
			Progress: tasks.Progress{Items: 3, Bytes: 4, Done: tasks.Counts{Completed: 1, Bytes: 2}}}
	}
	t.Run("a note is stored and says whether the task is cancelled", func(t *testing.T) {
		s := open(t)
		r, runs := s.Tasks, s.TaskRuns
		want := runningTask(t, r, 1)
		n := note(1)
		n.Progress.Current = []jobs.Item{{Path: "/x", Status: jobs.Preparing}}
		n.Checkpoint = &tasks.Checkpoint{State: []byte(`{"at":1}`), Passed: tasks.Counts{Completed: 1}}
		cancelling, err := runs.Save(t.Context(), n)
		must(t, err)
		equal(t, cancelling, false)
		want.Progress, want.BeatAt, want.UpdatedAt, want.State, want.Passed = n.Progress, n.At, n.At, n.Checkpoint.State, n.Checkpoint.Passed
		got, err := r.Get(t.Context(), want.ID)
		must(t, err)
		equal(t, got, want)

		_, err = r.Update(t.Context(), want.ID, func(k *tasks.Task) error { k.Cancelling = true; return nil })
		must(t, err)
		cancelling, err = runs.Cancelling(t.Context(), want.ID, 1)
		must(t, err)
		equal(t, cancelling, true)
		cancelling, err = runs.Save(t.Context(), note(1))
		must(t, err)
		equal(t, cancelling, true)
		n = note(1)
		n.Checkpoint = &tasks.Checkpoint{Passed: tasks.Counts{Completed: 2}}
		_, err = runs.Save(t.Context(), n)
		must(t, err)
		got, err = r.Get(t.Context(), want.ID)
		must(t, err)
		if string(got.State) != `{"at":1}` || got.Passed.Completed != 2 {
			t.Errorf("state %s, passed %+v; a checkpoint without state keeps the old one", got.State, got.Passed)
		}
	})
	t.Run("a run that was replaced, has ended or never was stores nothing", func(t *testing.T) {
		s := open(t)
		r, runs := s.Tasks, s.TaskRuns
		task := runningTask(t, r, 1)
		refused := func(run int64) {
			t.Helper()
			if _, err := runs.Save(t.Context(), note(run, taskItem("/a", jobs.Completed, true))); !errors.Is(err, tasks.ErrTaken) {
				t.Errorf("save: %v", err)
			}
			if _, err := runs.Cancelling(t.Context(), task.ID, run); !errors.Is(err, tasks.ErrTaken) {
				t.Errorf("cancelling: %v", err)
			}
		}
		refused(2)
		_, err := r.Update(t.Context(), task.ID, func(k *tasks.Task) error { k.Status = tasks.Interrupted; return nil })
		must(t, err)
		refused(1)
		_, err = r.Delete(t.Context(), task.ID)
		must(t, err)
		refused(1)
		items, err := r.Items(t.Context(), task.ID, tasks.ItemFilter{})
		must(t, err)
		equal(t, items.Total, 0)
	})
	t.Run("items keep their order, are replaced by path, and are filtered", func(t *testing.T) {
		s := open(t)
		r, runs := s.Tasks, s.TaskRuns
		runningTask(t, r, 1)
		a, b, c := taskItem("/a", jobs.Completed, true), taskItem("/b/文件", jobs.Failed, true), taskItem("/c", jobs.Failed, false)
		b.Failure.Text, b.Failure.Params = "file.not_found", map[string]any{"name": "文件"}
		_, err := runs.Save(t.Context(), note(1, a, b, c))
		must(t, err)
		want := func(f tasks.ItemFilter, total int, want ...tasks.Item) {
			t.Helper()
			page, err := r.Items(t.Context(), testID(1), f)
			must(t, err)
			equal(t, page, ports.Page[tasks.Item]{Items: want, Total: total})
		}
		want(tasks.ItemFilter{}, 3, a, b, c)
		want(tasks.ItemFilter{Status: jobs.Failed}, 2, b, c)
		want(tasks.ItemFilter{Paging: ports.Paging{Limit: 1, Offset: 1}}, 3, b)
		failures, err := runs.Failures(t.Context(), testID(1))
		must(t, err)
		equal(t, failures, []jobs.Item{b.Item})

		b = taskItem("/b/文件", jobs.Completed, true)
		_, err = runs.Save(t.Context(), note(1, b))
		must(t, err)
		want(tasks.ItemFilter{}, 3, a, b, c)
		must(t, runs.DropAhead(t.Context(), testID(1)))
		want(tasks.ItemFilter{}, 2, a, b)
	})
	t.Run("a note joins its unit of work", func(t *testing.T) {
		s := open(t)
		task := runningTask(t, s.Tasks, 1)
		undone := errors.New("undone")
		err := s.Unit.Do(t.Context(), func(ctx context.Context) error {
			if _, err := s.TaskRuns.Save(ctx, note(1, taskItem("/a", jobs.Completed, true))); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		got, err := s.Tasks.Get(t.Context(), task.ID)
		must(t, err)
		equal(t, got, task)
		items, err := s.Tasks.Items(t.Context(), task.ID, tasks.ItemFilter{})
		must(t, err)
		equal(t, items.Total, 0)
	})
}
