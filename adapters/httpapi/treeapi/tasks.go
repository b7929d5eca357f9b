package treeapi

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// taskOps are the calls about work in the background (decision 52).
func taskOps(a *httpapi.API, t *tasks.Tasks) {
	actions := []policy.Action{policy.TaskRead, policy.TasksRead}

	httpapi.Handle(a, httpapi.Op{Name: "task.list", Method: http.MethodGet, Path: "/api/fs/tasks", Actions: actions,
		Summary: "Lists tasks, the newest first unless sort says otherwise: all for the administrator, their own for keys."},
		func(ctx context.Context, who policy.Principal, in taskListRequest) (taskListJSON, error) {
			f, err := in.filter()
			if err != nil {
				return taskListJSON{}, err
			}
			found, paging, err := t.List(ctx, who, f)
			out := taskListJSON{Tasks: make([]taskJSON, len(found.Items)), Pagination: paginationIn(paging, found.Total)}
			for i := range found.Items {
				out.Tasks[i] = taskOf(ctx, &found.Items[i])
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "task.get", Method: http.MethodGet, Path: "/api/fs/tasks/{id}", Actions: actions, Errors: []string{"not_found"},
		Summary: "Reads a task with a page of its items: all that failed and the first 1000 of the others."},
		func(ctx context.Context, who policy.Principal, in taskRequest) (taskDetailsJSON, error) {
			status := jobs.ItemStatus(in.Status)
			if status != "" && !slices.Contains([]jobs.ItemStatus{jobs.Completed, jobs.Skipped, jobs.Failed}, status) {
				return taskDetailsJSON{}, ports.InvalidInput("task.status", "status")
			}
			task, items, paging, err := t.Get(ctx, who, in.ID, tasks.ItemFilter{Status: status, Paging: in.paging()})
			if err != nil {
				return taskDetailsJSON{}, err
			}
			out := taskDetailsJSON{taskJSON: taskOf(ctx, task), Results: make([]taskItemJSON, len(items.Items)), Pagination: paginationIn(paging, items.Total)}
			for i, item := range items.Items {
				out.Results[i] = taskItemOf(ctx, item.Item, item.Failure)
			}
			return out, nil
		})

	httpapi.Handle(a, httpapi.Op{Name: "task.cancel", Method: http.MethodPost, Path: "/api/fs/tasks/{id}/cancel", Actions: actions, Body: httpapi.JSON, Idem: httpapi.InTransaction,
		Errors: []string{"not_found", "in_use"}, Summary: "Ends a task; one that runs stops shortly after the answer."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (taskJSON, error) {
			return taskAnswer(ctx, who, in.ID, t.Cancel)
		})

	httpapi.Handle(a, httpapi.Op{Name: "task.retry", Method: http.MethodPost, Path: "/api/fs/tasks/{id}/retry", Actions: actions, Body: httpapi.JSON, Idem: httpapi.InTransaction,
		Errors: []string{"not_found", "in_use", "path_forbidden"}, Summary: "Runs a failed, partly done or cancelled task again, for what is left of it."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (taskJSON, error) {
			return taskAnswer(ctx, who, in.ID, t.Retry)
		})

	httpapi.Handle(a, httpapi.Op{Name: "task.delete", Method: http.MethodDelete, Path: "/api/fs/tasks/{id}", Actions: actions, Errors: []string{"not_found", "in_use"},
		Summary: "Forgets a task that has ended."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			return httpapi.None{}, t.Delete(ctx, who, in.ID)
		})
}

func taskAnswer(ctx context.Context, who policy.Principal, id string, do func(context.Context, policy.Principal, string) (*tasks.Task, error)) (taskJSON, error) {
	task, err := do(ctx, who, id)
	if err != nil {
		return taskJSON{}, err
	}
	return taskOf(ctx, task), nil
}

// taskListRequest is the query of the list of tasks.
type taskListRequest struct {
	Limit  wire.Int `query:"limit,lenient"`
	Offset wire.Int `query:"offset,lenient"`
	Status string   `query:"status"` // one or more, separated by commas
	Kind   string   `query:"type"`
	Search string   `query:"search"` // part of the title or the type
	Sort   string   `query:"sort"`   // created_at, type, title, status
	Order  string   `query:"order"`  // asc or desc
}

func (in taskListRequest) filter() (tasks.Filter, error) {
	f := tasks.Filter{Kind: in.Kind, Search: strings.TrimSpace(in.Search), Paging: taskPaging(in.Limit, in.Offset)}
	if slices.Contains(tasks.SortKeys, in.Sort) { // what a list does not know counts as absent
		f.Sort = tasks.Sort{By: in.Sort, Ascending: strings.EqualFold(in.Order, "asc")}
	}
	for name := range strings.SplitSeq(in.Status, ",") {
		if name == "" {
			continue
		}
		if !slices.Contains(tasks.Statuses, tasks.Status(name)) {
			return f, ports.InvalidInput("task.status", "status")
		}
		f.Statuses = append(f.Statuses, tasks.Status(name))
	}
	return f, nil
}

// taskRequest names a task and a page of its items.
type taskRequest struct {
	ID     string   `path:"id"`
	Limit  wire.Int `query:"limit,lenient"`
	Offset wire.Int `query:"offset,lenient"`
	Status string   `query:"status"` // of the items: completed, skipped or failed
}

func (in taskRequest) paging() ports.Paging { return taskPaging(in.Limit, in.Offset) }

func taskPaging(limit, offset wire.Int) ports.Paging {
	return ports.Paging{Limit: wire.ClampInt(int64(limit), 0, 1000), Offset: wire.ClampInt(int64(offset), 0, math.MaxInt32)}
}

func paginationIn(p ports.Paging, total int) wire.Pagination {
	return wire.PaginationOf(p, total, false)
}

type taskListJSON struct {
	Tasks      []taskJSON      `json:"tasks"`
	Pagination wire.Pagination `json:"pagination"`
}

// taskJSON is a task as it leaves.
type taskJSON struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Status     string         `json:"status"`     // pending, running, interrupted, completed, failed, cancelled, partial
	Cancelling bool           `json:"cancelling"` // it runs and is about to stop
	CreatedBy  string         `json:"created_by"`
	Progress   int            `json:"progress"` // 0 to 100
	Items      taskItemsJSON  `json:"items"`
	Bytes      taskBytesJSON  `json:"bytes"`
	Current    []taskItemJSON `json:"current"` // under way now
	Error      *taskErrorJSON `json:"error"`   // why it failed
	CreatedAt  string         `json:"created_at"`
	UpdatedAt  string         `json:"updated_at"`
	StartedAt  *string        `json:"started_at"`
	FinishedAt *string        `json:"finished_at"`
}

// taskItemsJSON counts files and folders.
type taskItemsJSON struct {
	Total     int64 `json:"total"` // 0 while unknown
	Completed int64 `json:"completed"`
	Skipped   int64 `json:"skipped"`
	Failed    int64 `json:"failed"`
}

type taskBytesJSON struct {
	Total int64 `json:"total"` // 0 while unknown
	Done  int64 `json:"done"`
}

type taskErrorJSON struct {
	Error   string `json:"error"` // machine code
	Message string `json:"message"`
}

type taskItemJSON struct {
	Path   string         `json:"path"`
	Target string         `json:"target,omitempty"`
	Status string         `json:"status"` // pending, preparing, downloading, completed, skipped, failed
	Size   int64          `json:"size"`
	Error  *taskErrorJSON `json:"error,omitempty"`
}

// taskDetailsJSON is a task with a page of its items.
type taskDetailsJSON struct {
	taskJSON
	Results    []taskItemJSON  `json:"results"`
	Pagination wire.Pagination `json:"pagination"`
}

func taskOf(ctx context.Context, t *tasks.Task) taskJSON {
	out := taskJSON{
		ID: t.ID, Type: t.Kind, Title: t.Title, Status: string(t.Status), Cancelling: t.Cancelling, CreatedBy: t.CreatedBy,
		Progress: taskProgress(t),
		Items:    taskItemsJSON{Total: t.Items, Completed: t.Done.Completed, Skipped: t.Done.Skipped, Failed: t.Done.Failed},
		Bytes:    taskBytesJSON{Total: t.Bytes, Done: t.Done.Bytes}, Current: make([]taskItemJSON, len(t.Current)),
		Error: taskErrorOf(ctx, t.Failure), CreatedAt: wire.ISO(t.CreatedAt), UpdatedAt: wire.ISO(t.UpdatedAt),
		StartedAt: wire.ISOTime(t.StartedAt), FinishedAt: wire.ISOTime(t.FinishedAt),
	}
	for i, item := range t.Current {
		out.Current[i] = taskItemOf(ctx, item, nil)
	}
	return out
}

// taskProgress goes by bytes where they are known, else by items; 100 means
// that the task has ended well.
func taskProgress(t *tasks.Task) int {
	switch {
	case t.Status == tasks.Completed || t.Status == tasks.Partial:
		return 100
	case t.Bytes > 0:
		return int(99 * float64(min(t.Done.Bytes, t.Bytes)) / float64(t.Bytes))
	case t.Items > 0:
		settled := t.Done.Completed + t.Done.Skipped + t.Done.Failed
		return int(99 * float64(min(settled, t.Items)) / float64(t.Items))
	}
	return 0
}

func taskItemOf(ctx context.Context, item jobs.Item, failure *tasks.Failure) taskItemJSON {
	return taskItemJSON{Path: item.Path, Target: item.Target, Status: string(item.Status), Size: item.Bytes, Error: taskErrorOf(ctx, failure)}
}

func taskErrorOf(ctx context.Context, f *tasks.Failure) *taskErrorJSON {
	if f == nil {
		return nil
	}
	name := f.Text
	if name == "" {
		name = f.Key
	}
	return &taskErrorJSON{Error: f.Key, Message: httpapi.ScopeOf(ctx).Say(name, f.Params)}
}
