package apiclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"
)

// Entry is a file or a folder of the mounts.
type Entry struct {
	Name        string     `json:"name"`
	Path        string     `json:"path"`
	IsDirectory bool       `json:"isDirectory"`
	Size        *int64     `json:"size"`     // bytes; nil where nobody knows
	Modified    *time.Time `json:"modified"` // nil where nobody knows
}

// ListFolder gives the entries of a folder to each, folders first, in the order
// of their names, until each returns an error.
func (c *Client) ListFolder(ctx context.Context, folder string, each func(Entry) error) error {
	query := url.Values{"path": {folder}, "limit": {"1000"}}
	for {
		var page struct {
			Items      []Entry
			NextCursor *string
		}
		if _, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/fs/list", query: query, out: &page, looks: true}); err != nil {
			return err
		}
		for _, e := range page.Items {
			if err := each(e); err != nil {
				return err
			}
		}
		if page.NextCursor == nil || *page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// Stat describes an entry. Returns an Error with status 404 when there is none.
func (c *Client) Stat(ctx context.Context, at string) (Entry, error) {
	var e Entry
	_, err := c.call(ctx, exchange{method: http.MethodGet, path: "/api/fs/get", query: url.Values{"path": {at}}, out: &e, looks: true})
	return e, err
}

// WriteFile stores a file of size bytes, -1 when nobody knows. One that is there
// is replaced when overwrite is set; else the Error has the code already_exists.
func (c *Client) WriteFile(ctx context.Context, file string, body io.Reader, size int64, overwrite bool) error {
	answer, err := c.send(ctx, request{method: http.MethodPut, path: "/api/fs/upload", body: body, size: size,
		query: url.Values{"path": {file}, "overwrite": {strconv.FormatBool(overwrite)}}, header: http.Header{"Content-Type": {"application/octet-stream"}}})
	if err != nil {
		return err
	}
	return read(answer, nil, false)
}

// Carry names what CopyEntry and MoveEntry do.
type Carry struct {
	From      Entry
	To        string // path of what is made
	Overwrite bool
}

// CopyEntry copies a file, or a folder with all that is in it, on the server.
func (c *Client) CopyEntry(ctx context.Context, in Carry) error {
	return c.carry(ctx, "/api/fs/batch-copy", in)
}

// MoveEntry moves a file or a folder on the server.
func (c *Client) MoveEntry(ctx context.Context, in Carry) error {
	return c.carry(ctx, "/api/fs/move", in)
}

// carryPoll is how often a task is looked at.
const carryPoll = 300 * time.Millisecond

// carry has the server do it as a task, which goes on by itself, and waits for
// the end. The task is cancelled when ctx ends.
func (c *Client) carry(ctx context.Context, call string, in Carry) error {
	from, to, conflict := in.From.Path, in.To, "fail"
	if in.From.IsDirectory {
		from, to = path.Clean(from)+"/", path.Clean(to)+"/"
	}
	if in.Overwrite {
		conflict = "overwrite"
	}
	var started struct{ TaskID string }
	if _, err := c.call(ctx, exchange{method: http.MethodPost, path: call, in: map[string]any{"mode": "task", "conflict": conflict,
		"items": []map[string]string{{"sourcePath": from, "targetPath": to}}}, out: &started}); err != nil {
		return err
	}
	for {
		task, err := c.task(ctx, started.TaskID)
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), c.cancelTask(context.WithoutCancel(ctx), started.TaskID))
		}
		if err != nil || task.FinishedAt != nil {
			return errors.Join(err, task.failure())
		}
		select {
		case <-time.After(carryPoll):
		case <-ctx.Done():
		}
	}
}

// taskState is what is read of a task.
type taskState struct {
	Status     string
	FinishedAt *time.Time `json:"finished_at"`
	Error      *taskError
	Results    []struct {
		Path  string
		Error *taskError
	}
}

// taskError is an error without a status: no call was refused.
type taskError struct{ Error, Message string }

// failure is why a task did not do all it should; the first item says it.
func (t *taskState) failure() error {
	for _, item := range t.Results {
		if item.Error != nil {
			return &Error{Code: item.Error.Error, Message: item.Path + ": " + item.Error.Message}
		}
	}
	switch {
	case t.FinishedAt == nil || t.Status == "completed":
		return nil
	case t.Error != nil:
		return &Error{Code: t.Error.Error, Message: t.Error.Message}
	}
	return fmt.Errorf("the task has ended as %s", t.Status)
}

func (c *Client) task(ctx context.Context, id string) (t taskState, err error) {
	_, err = c.call(ctx, exchange{method: http.MethodGet, path: "/api/fs/tasks/" + url.PathEscape(id), out: &t, looks: true})
	return t, err
}

func (c *Client) cancelTask(ctx context.Context, id string) error {
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/fs/tasks/" + url.PathEscape(id) + "/cancel"})
	return err
}
