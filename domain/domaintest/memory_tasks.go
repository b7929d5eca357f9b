package domaintest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
)

// taskItemRow is an item of a task; n is the order in which items were told.
type taskItemRow struct {
	taskID string
	n      int
	item   tasks.Item
}

type memTasks struct {
	*memTable[tasks.Task]
	items *memTable[taskItemRow]
	next  int
}

func newMemTasks(m *Memory) *memTasks {
	rows := newTable(m, func(t *tasks.Task) string { return t.ID }, cloneTask, nil)
	items := newTable(m, func(i *taskItemRow) string { return i.taskID + "\x00" + i.item.Path }, cloneTaskItem, nil)
	return &memTasks{memTable: &rows, items: &items}
}

func cloneTask(t tasks.Task) tasks.Task {
	t.Payload, t.State = bytes.Clone(t.Payload), bytes.Clone(t.State)
	t.Current = slices.Clone(t.Current)
	t.Failure = cloneFailure(t.Failure)
	t.BeatAt, t.CreatedAt, t.UpdatedAt = milli(t.BeatAt), milli(t.CreatedAt), milli(t.UpdatedAt)
	t.StartedAt, t.FinishedAt = milliPtr(t.StartedAt), milliPtr(t.FinishedAt)
	return t
}

func cloneTaskItem(i taskItemRow) taskItemRow {
	i.item.Failure = cloneFailure(i.item.Failure)
	i.item.At = milli(i.item.At)
	return i
}

func cloneFailure(f *tasks.Failure) *tasks.Failure {
	if f == nil {
		return nil
	}
	c := *f
	c.Params = maps.Clone(f.Params)
	return &c
}

func (r *memTasks) snapshot() (restore func()) {
	rows, items := r.memTable.snapshot(), r.items.snapshot()
	return func() { rows(); items() }
}

func (r *memTasks) Delete(ctx context.Context, ids ...string) (int, error) {
	if _, err := r.items.remove(ctx, func(i *taskItemRow) bool { return slices.Contains(ids, i.taskID) }); err != nil {
		return 0, err
	}
	return r.memTable.Delete(ctx, ids...)
}

func (r *memTasks) List(ctx context.Context, f tasks.Filter) (ports.Page[tasks.Task], error) {
	found, err := r.list(ctx, f.Paging, func(t *tasks.Task) bool {
		return (f.CreatedBy == "" || t.CreatedBy == f.CreatedBy) && (f.Kind == "" || t.Kind == f.Kind) &&
			(len(f.Statuses) == 0 || slices.Contains(f.Statuses, t.Status)) &&
			(f.Search == "" || strings.Contains(strings.ToLower(t.Title+"\n"+t.Kind), strings.ToLower(f.Search)))
	}, func(a, b tasks.Task) int {
		order := newest(a.CreatedAt, b.CreatedAt, a.ID, b.ID)
		by := 0
		switch f.Sort.By {
		case tasks.SortKind:
			by = strings.Compare(a.Kind, b.Kind)
		case tasks.SortTitle:
			by = strings.Compare(a.Title, b.Title)
		case tasks.SortStatus:
			by = strings.Compare(string(a.Status), string(b.Status))
		default:
			by, order = -order, 0
		}
		if !f.Sort.Ascending {
			by = -by
		}
		return cmp.Or(by, order)
	})
	for i := range found.Items {
		found.Items[i].Payload, found.Items[i].State = nil, nil
	}
	return found, err
}

func (r *memTasks) Save(ctx context.Context, note tasks.Note) (bool, error) {
	end, err := r.m.begin(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	task, ok := r.rows[note.TaskID]
	if !ok || task.Status != tasks.Running || task.Run != note.Run {
		return false, tasks.ErrTaken
	}
	task.Progress, task.BeatAt, task.UpdatedAt = note.Progress, note.At, note.At
	if c := note.Checkpoint; c != nil {
		task.Passed = c.Passed
		if c.State != nil {
			task.State = c.State
		}
	}
	r.rows[task.ID] = cloneTask(task)
	for _, item := range note.Items {
		row := taskItemRow{taskID: note.TaskID, item: item}
		if old, ok := r.items.rows[r.items.id(&row)]; ok {
			row.n = old.n
		} else {
			r.next++
			row.n = r.next
		}
		r.items.rows[r.items.id(&row)] = cloneTaskItem(row)
	}
	return task.Cancelling, nil
}

func (r *memTasks) Cancelling(ctx context.Context, id string, run int64) (bool, error) {
	task, err := r.Get(ctx, id)
	if ports.Is(err, ports.NotFound) || err == nil && (task.Run != run || task.Status != tasks.Running) {
		return false, tasks.ErrTaken
	}
	if err != nil {
		return false, err
	}
	return task.Cancelling, nil
}

func (r *memTasks) Items(ctx context.Context, taskID string, f tasks.ItemFilter) (ports.Page[tasks.Item], error) {
	found, err := r.items.list(ctx, f.Paging, func(i *taskItemRow) bool {
		return i.taskID == taskID && (f.Status == "" || i.item.Status == f.Status)
	}, func(a, b taskItemRow) int { return cmp.Compare(a.n, b.n) })
	out := ports.Page[tasks.Item]{Items: make([]tasks.Item, len(found.Items)), Total: found.Total}
	for i := range found.Items {
		out.Items[i] = found.Items[i].item
	}
	return out, err
}

func (r *memTasks) Failures(ctx context.Context, taskID string) ([]jobs.Item, error) {
	found, err := r.items.all(ctx, func(i *taskItemRow) bool {
		return i.taskID == taskID && i.item.Status == jobs.Failed && i.item.Passed
	})
	slices.SortFunc(found, func(a, b taskItemRow) int { return cmp.Compare(a.n, b.n) })
	out := make([]jobs.Item, len(found))
	for i := range found {
		out[i] = found[i].item.Item
	}
	return out, err
}

func (r *memTasks) DropAhead(ctx context.Context, taskID string) error {
	_, err := r.items.remove(ctx, func(i *taskItemRow) bool { return i.taskID == taskID && !i.item.Passed })
	return err
}

func (r *memTasks) Unfinished(ctx context.Context, createdBy string) (int, error) {
	found, err := r.all(ctx, func(t *tasks.Task) bool { return t.CreatedBy == createdBy && !t.Status.Finished() })
	return len(found), err
}

func (r *memTasks) Orphans(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return r.silent(ctx, limit, func(t *tasks.Task) bool { return t.Status == tasks.Running && t.BeatAt.Before(before) })
}

func (r *memTasks) Waiting(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return r.silent(ctx, limit, func(t *tasks.Task) bool {
		return (t.Status == tasks.Pending || t.Status == tasks.Interrupted) && t.BeatAt.Before(before)
	})
}

func (r *memTasks) silent(ctx context.Context, limit int, fits func(*tasks.Task) bool) ([]string, error) {
	found, err := r.all(ctx, fits)
	slices.SortFunc(found, func(a, b tasks.Task) int {
		return cmp.Or(a.BeatAt.Compare(b.BeatAt), cmp.Compare(a.ID, b.ID))
	})
	ids := []string{}
	for _, t := range found[:min(limit, len(found))] {
		ids = append(ids, t.ID)
	}
	return ids, err
}

func (r *memTasks) Purge(ctx context.Context, before time.Time, keep, limit int) (int, error) {
	found, err := r.all(ctx, func(t *tasks.Task) bool { return t.FinishedAt != nil })
	if err != nil {
		return 0, err
	}
	slices.SortFunc(found, func(a, b tasks.Task) int { return newest(*a.FinishedAt, *b.FinishedAt, a.ID, b.ID) })
	var ids []string
	for i := len(found) - 1; i >= 0 && len(ids) < limit; i-- {
		if i >= keep || found[i].FinishedAt.Before(before) {
			ids = append(ids, found[i].ID)
		}
	}
	return r.Delete(ctx, ids...)
}
