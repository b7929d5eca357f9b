package admindb

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"pasteport/adapters/bunstore/internal/db"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
)

type taskRow struct {
	bun.BaseModel `bun:"table:tasks,alias:tasks"`
	ID            string `bun:",pk"`
	Kind          string
	Title         string
	Owner         string // principal as JSON
	CreatedBy     string
	Status        string
	Cancelling    bool
	Failure       string // JSON; empty for none
	Payload       []byte
	State         []byte

	PassedCompleted int64
	PassedSkipped   int64
	PassedFailed    int64
	PassedBytes     int64

	Items         int64
	Bytes         int64
	DoneCompleted int64
	DoneSkipped   int64
	DoneFailed    int64
	DoneBytes     int64
	Underway      string // items as JSON

	Run        int64
	Node       string
	BeatAt     int64
	CreatedAt  int64
	UpdatedAt  int64
	StartedAt  *int64
	FinishedAt *int64
}

func newTaskRow(t *tasks.Task) *taskRow {
	return &taskRow{
		ID: t.ID, Kind: t.Kind, Title: t.Title, Owner: asJSON(t.Owner), CreatedBy: t.CreatedBy, Status: string(t.Status), Cancelling: t.Cancelling,
		Failure: failureText(t.Failure), Payload: t.Payload, State: t.State,
		PassedCompleted: t.Passed.Completed, PassedSkipped: t.Passed.Skipped, PassedFailed: t.Passed.Failed, PassedBytes: t.Passed.Bytes,
		Items: t.Items, Bytes: t.Bytes,
		DoneCompleted: t.Done.Completed, DoneSkipped: t.Done.Skipped, DoneFailed: t.Done.Failed, DoneBytes: t.Done.Bytes,
		Underway: underway(t.Current), Run: t.Run, Node: t.Node, BeatAt: db.Millis(t.BeatAt), CreatedAt: db.Millis(t.CreatedAt), UpdatedAt: db.Millis(t.UpdatedAt),
		StartedAt: db.MillisPtr(t.StartedAt), FinishedAt: db.MillisPtr(t.FinishedAt),
	}
}

func (r *taskRow) task() *tasks.Task {
	t := &tasks.Task{
		ID: r.ID, Kind: r.Kind, Title: r.Title, CreatedBy: r.CreatedBy, Status: tasks.Status(r.Status), Cancelling: r.Cancelling,
		Failure: failureFrom(r.Failure), Payload: r.Payload, State: r.State,
		Passed: tasks.Counts{Completed: r.PassedCompleted, Skipped: r.PassedSkipped, Failed: r.PassedFailed, Bytes: r.PassedBytes},
		Progress: tasks.Progress{Items: r.Items, Bytes: r.Bytes,
			Done: tasks.Counts{Completed: r.DoneCompleted, Skipped: r.DoneSkipped, Failed: r.DoneFailed, Bytes: r.DoneBytes}},
		Run: r.Run, Node: r.Node, BeatAt: db.Time(r.BeatAt), CreatedAt: db.Time(r.CreatedAt), UpdatedAt: db.Time(r.UpdatedAt),
		StartedAt: db.TimePtr(r.StartedAt), FinishedAt: db.TimePtr(r.FinishedAt),
	}
	fromJSON(r.Owner, &t.Owner)
	if r.Underway != "" {
		fromJSON(r.Underway, &t.Current)
	}
	return t
}

// asJSON writes what this file has defined, which cannot fail.
func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// fromJSON reads what asJSON wrote. What a person has spoilt in the table by
// hand reads as the zero value, so that lists still work.
func fromJSON(text string, into any) { _ = json.Unmarshal([]byte(text), into) }

func failureText(f *tasks.Failure) string {
	if f == nil {
		return ""
	}
	return asJSON(f)
}

func failureFrom(text string) *tasks.Failure {
	if text == "" {
		return nil
	}
	f := new(tasks.Failure)
	fromJSON(text, f)
	return f
}

func underway(items []jobs.Item) string {
	if len(items) == 0 {
		return ""
	}
	return asJSON(items)
}

type taskItemRow struct {
	bun.BaseModel `bun:"table:task_items,alias:task_items"`
	TaskID        string
	Path          string
	Target        string
	Status        string
	Bytes         int64
	Failure       string
	Passed        bool
	ToldAt        int64
}

func (r *taskItemRow) item() tasks.Item {
	return tasks.Item{
		Item:    jobs.Item{Path: r.Path, Target: r.Target, Status: jobs.ItemStatus(r.Status), Bytes: r.Bytes},
		Failure: failureFrom(r.Failure), Passed: r.Passed, At: db.Time(r.ToldAt),
	}
}

var (
	_ tasks.Repository = (*Tasks)(nil)
	_ tasks.Runs       = (*Tasks)(nil)
)

// Tasks stores the work in the background.
type Tasks struct {
	db.Table[tasks.Task, taskRow]
}

// NewTasks returns the repository of tasks.
func NewTasks(d *db.DB) *Tasks {
	return &Tasks{db.NewTable(d, "tasks", newTaskRow, (*taskRow).task)}
}

// List returns a page of tasks without payload and state, the newest first.
func (r *Tasks) List(ctx context.Context, f tasks.Filter) (ports.Page[tasks.Task], error) {
	c := r.DB.Read(ctx)
	return r.Page(ctx, f.Paging, taskOrder(f.Sort), func(q *bun.SelectQuery) *bun.SelectQuery {
		if q.GetModel() != nil { // not when counting
			q = q.ExcludeColumn("payload", "state")
		}
		if f.CreatedBy != "" {
			q = q.Where("created_by = ?", f.CreatedBy)
		}
		if f.Kind != "" {
			q = q.Where("kind = ?", f.Kind)
		}
		if len(f.Statuses) > 0 {
			q = q.Where("status IN (?)", bun.List(f.Statuses))
		}
		if f.Search != "" {
			q = db.Contains(c, q, f.Search, "title", "kind")
		}
		return q
	})
}

// taskOrder is the ORDER BY of a list of tasks. Those that are equal come by
// their age, so that pages neither repeat nor miss one.
func taskOrder(s tasks.Sort) string {
	way := " DESC"
	if s.Ascending {
		way = " ASC"
	}
	by := map[string]string{tasks.SortKind: "kind", tasks.SortTitle: "title", tasks.SortStatus: "status"}[s.By]
	if by == "" {
		return "created_at" + way + ", id" + way
	}
	return by + way + ", created_at DESC, id DESC"
}

// Save stores what a run tells about itself, if it is still the task's run.
func (r *Tasks) Save(ctx context.Context, note tasks.Note) (cancelling bool, err error) {
	err = r.DB.Write(ctx, db.Work{Do: func(ctx context.Context, c *db.Conn) error {
		p := &note.Progress
		err := c.Row(ctx, `UPDATE tasks SET items = ?, bytes = ?, done_completed = ?, done_skipped = ?, done_failed = ?, done_bytes = ?, underway = ?,
			beat_at = ?, updated_at = ? WHERE id = ? AND run = ? AND status = 'running' RETURNING cancelling`,
			[]any{p.Items, p.Bytes, p.Done.Completed, p.Done.Skipped, p.Done.Failed, p.Done.Bytes, underway(p.Current), db.Millis(note.At), db.Millis(note.At), note.TaskID, note.Run},
			&cancelling)
		if err != nil {
			return replaced(err)
		}
		if err := r.checkpoint(ctx, c, note.TaskID, note.Checkpoint); err != nil {
			return err
		}
		return r.saveItems(ctx, c, note)
	}})
	return cancelling, err
}

func (r *Tasks) checkpoint(ctx context.Context, c *db.Conn, id string, point *tasks.Checkpoint) error {
	if point == nil {
		return nil
	}
	p := point.Passed
	_, err := c.Exec(ctx, "UPDATE tasks SET passed_completed = ?, passed_skipped = ?, passed_failed = ?, passed_bytes = ? WHERE id = ?",
		p.Completed, p.Skipped, p.Failed, p.Bytes, id)
	if err == nil && point.State != nil {
		_, err = c.Exec(ctx, "UPDATE tasks SET state = ? WHERE id = ?", point.State, id)
	}
	return err
}

// saveItems stores items; of two with one path the last counts.
func (r *Tasks) saveItems(ctx context.Context, c *db.Conn, note tasks.Note) error {
	rows, place := []taskItemRow{}, map[string]int{}
	for _, item := range note.Items {
		row := taskItemRow{TaskID: note.TaskID, Path: item.Path, Target: item.Target, Status: string(item.Status), Bytes: item.Bytes,
			Failure: failureText(item.Failure), Passed: item.Passed, ToldAt: db.Millis(item.At)}
		if i, twice := place[item.Path]; twice {
			rows[i] = row
			continue
		}
		place[item.Path] = len(rows)
		rows = append(rows, row)
	}
	for len(rows) > 0 {
		some := rows[:min(db.Chunk, len(rows))]
		rows = rows[len(some):]
		_, err := c.NewInsert().Model(&some).On("CONFLICT (task_id, path) DO UPDATE").
			Set("target = EXCLUDED.target, status = EXCLUDED.status, bytes = EXCLUDED.bytes, failure = EXCLUDED.failure, passed = EXCLUDED.passed, told_at = EXCLUDED.told_at").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// replaced says that no row fits because the run is over.
func replaced(err error) error {
	if ports.CodeOf(db.Failure(err)) == ports.NotFound {
		return tasks.ErrTaken
	}
	return err
}

// Cancelling reports whether a run is to be cancelled.
func (r *Tasks) Cancelling(ctx context.Context, id string, run int64) (cancelling bool, err error) {
	c := r.DB.Read(ctx)
	err = c.Row(c.Brief(ctx), "SELECT cancelling FROM tasks WHERE id = ? AND run = ? AND status = 'running'", []any{id, run}, &cancelling)
	return cancelling, db.Failure(replaced(err))
}

// Items returns a page of a task's items, in the order in which they were told.
func (r *Tasks) Items(ctx context.Context, taskID string, f tasks.ItemFilter) (ports.Page[tasks.Item], error) {
	items := db.NewTable(r.DB, "task_items", nil, func(row *taskItemRow) *tasks.Item { item := row.item(); return &item })
	return items.Page(ctx, f.Paging, "n", func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("task_id = ?", taskID)
		if f.Status != "" {
			q = q.Where("status = ?", f.Status)
		}
		return q
	})
}

// Failures lists the failed items that a checkpoint has passed.
func (r *Tasks) Failures(ctx context.Context, taskID string) ([]jobs.Item, error) {
	out := []jobs.Item{}
	err := r.DB.Read(ctx).Rows(ctx, "SELECT path, target, bytes FROM task_items WHERE task_id = ? AND status = 'failed' AND passed ORDER BY n", []any{taskID},
		func(scan func(dest ...any) error) error {
			item := jobs.Item{Status: jobs.Failed}
			if err := scan(&item.Path, &item.Target, &item.Bytes); err != nil {
				return err
			}
			out = append(out, item)
			return nil
		})
	return out, db.Failure(err)
}

// DropAhead removes the items that no checkpoint has passed.
func (r *Tasks) DropAhead(ctx context.Context, taskID string) error {
	_, err := r.DB.Exec(ctx, "DELETE FROM task_items WHERE task_id = ? AND NOT passed", taskID)
	return err
}

// Unfinished counts the tasks of an owner that are not finished.
func (r *Tasks) Unfinished(ctx context.Context, createdBy string) (n int, err error) {
	c := r.DB.Read(ctx)
	if err := c.Alone(ctx, db.Named("tasks of "+createdBy)); err != nil {
		return 0, db.Failure(err)
	}
	err = c.Row(c.Brief(ctx), "SELECT COUNT(*) FROM tasks WHERE created_by = ? AND status IN ('pending', 'running', 'interrupted')", []any{createdBy}, &n)
	return n, db.Failure(err)
}

// Orphans lists running tasks without a heartbeat since before.
func (r *Tasks) Orphans(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return r.ids(ctx, "SELECT id FROM tasks WHERE status = 'running' AND beat_at < ? ORDER BY beat_at, id LIMIT ?", db.Millis(before), limit)
}

// Waiting lists waiting tasks that were not touched since before.
func (r *Tasks) Waiting(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return r.ids(ctx, "SELECT id FROM tasks WHERE status IN ('pending', 'interrupted') AND beat_at < ? ORDER BY beat_at, id LIMIT ?", db.Millis(before), limit)
}

func (r *Tasks) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	out := []string{}
	err := r.DB.Read(ctx).Rows(ctx, query, args, func(scan func(dest ...any) error) error {
		var id string
		if err := scan(&id); err != nil {
			return err
		}
		out = append(out, id)
		return nil
	})
	return out, db.Failure(err)
}

// Purge removes finished tasks by age and number, with their items.
func (r *Tasks) Purge(ctx context.Context, before time.Time, keep, limit int) (int, error) {
	return r.DB.Exec(ctx, `DELETE FROM tasks WHERE id IN (SELECT id FROM
		(SELECT id, finished_at, ROW_NUMBER() OVER (ORDER BY finished_at DESC, id DESC) AS place FROM tasks WHERE finished_at IS NOT NULL) AS ranked
		WHERE finished_at < ? OR place > ? ORDER BY finished_at, id LIMIT ?)`, db.Millis(before), keep, limit)
}
