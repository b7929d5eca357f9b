// Package checks is the command that compares storages with the records of shares:
// its flags, its output, its exit statuses. The work is done by a server.
package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"pasteport/adapters/httpapi/adminapi"
	"pasteport/adapters/httpapi/listen"
)

// Command compares storages with records.
type Command struct {
	Storages []string `arg:"" optional:"" name:"storage" help:"Names or ids of storages. Default: all."`
	Folder   string   `env:"-" help:"Only what lies below this folder." placeholder:"FOLDER"`
	Objects  string   `env:"-" help:"What is done with files without a share: adopt or delete." enum:",adopt,delete" default:""`
	Records  string   `env:"-" help:"What is done with shares without a file: delete." enum:",delete" default:""`
	Uploads  string   `env:"-" help:"What is done with unfinished uploads: delete." enum:",delete" default:""`
	DryRun   bool     `env:"-" help:"Only tell (the default); with --no-dry-run the choices are carried out on what was told of." default:"true" negatable:""`
	JSON     bool     `env:"-" help:"Print the reports as JSON, one a line."`
}

// Exit statuses of the command.
const (
	astray = 1 // something is left
	Fails  = 2
)

// report is what a comparison tells.
type report struct {
	ID         string
	Status     string
	FinishedAt *time.Time `json:"finished_at"`
	Skipped    string
	Orphans    finding
	Missing    finding
	Stale      finding `json:"stale_uploads"`
	Adopted    int64
	Deleted    int64
}

type finding struct {
	Count int64
	Bytes int64
	First []struct{ Key string }
}

func (r *report) found() int64 { return r.Orphans.Count + r.Missing.Count + r.Stale.Count }

// Server compares the storages of a data folder. The reports of Start and Get are
// those of the API.
type Server interface {
	Storages(ctx context.Context) (map[string]string, error)
	Start(ctx context.Context, in adminapi.StorageCheck) ([]byte, error)
	Get(ctx context.Context, id string) ([]byte, error)
}

// All checks one storage after the other and returns the exit status.
func (c *Command) All(ctx context.Context, by Server) (status int, err error) {
	names, err := by.Storages(ctx)
	if err != nil {
		return 0, err
	}
	wanted := c.Storages
	if len(wanted) == 0 {
		wanted = slices.Sorted(maps.Keys(names))
	}
	for _, name := range wanted {
		label := name
		if known := names[name]; known != "" {
			label = fmt.Sprintf("%s (%s)", known, name)
		}
		plan := adminapi.StorageCheck{Storage: name, Folder: c.Folder}
		made, err := c.run(ctx, by, plan, label)
		if err == nil && made.Status == "completed" && made.found() > 0 && !c.DryRun && c.Objects+c.Records+c.Uploads != "" {
			plan.Report, plan.Objects, plan.Records, plan.Uploads = made.ID, c.Objects, c.Records, c.Uploads
			made, err = c.run(ctx, by, plan, label)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", label, err)
		}
		switch {
		case made.Status != "completed":
			status = Fails
		case made.found() > made.Adopted+made.Deleted:
			status = max(status, astray)
		}
	}
	return status, nil
}

// run begins a comparison, waits for its end and prints it under label.
func (c *Command) run(ctx context.Context, by Server, plan adminapi.StorageCheck, label string) (r report, err error) {
	text, err := by.Start(ctx, plan)
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return r, err
		}
		if r.FinishedAt != nil {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r, ctx.Err()
		}
		text, err = by.Get(ctx, r.ID)
	}
	if c.JSON {
		_, err = fmt.Println(string(bytes.TrimSpace(text)))
		return r, err
	}
	r.print(os.Stdout, label)
	return r, nil
}

func (r *report) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s: %s", name, r.Status)
	if r.Skipped != "" {
		fmt.Fprintf(w, " (files and uploads were not looked at: the place is %s)", r.Skipped)
	}
	fmt.Fprintln(w)
	for _, one := range []struct {
		what string
		finding
	}{{"files without a share", r.Orphans}, {"shares without a file", r.Missing}, {"unfinished uploads", r.Stale}} {
		fmt.Fprintf(w, "  %-22s %d (%d bytes)\n", one.what, one.Count, one.Bytes)
		for _, found := range one.First {
			fmt.Fprintf(w, "    %q\n", found.Key)
		}
	}
	if r.Adopted+r.Deleted > 0 {
		fmt.Fprintf(w, "  adopted %d, deleted %d\n", r.Adopted, r.Deleted)
	}
}

// Running is the server that runs.
type Running struct {
	Address string // of its listener for probes
	Token   func() string
}

// ErrNobody is the error when no server answers.
var ErrNobody = errors.New("no server answers")

// Storages implements Server.
func (r Running) Storages(ctx context.Context) (all map[string]string, err error) {
	text, err := r.send(ctx, http.MethodGet, "", nil)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

// Start implements Server.
func (r Running) Start(ctx context.Context, in adminapi.StorageCheck) ([]byte, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return r.send(ctx, http.MethodPost, "", bytes.NewReader(body))
}

// Get implements Server.
func (r Running) Get(ctx context.Context, id string) ([]byte, error) {
	return r.send(ctx, http.MethodGet, id, nil)
}

func (r Running) send(ctx context.Context, method, id string, body io.Reader) ([]byte, error) {
	query := url.Values{"token": {r.Token()}, "id": {id}}
	answer, err := listen.Send(ctx, method, r.Address, "/storage-checks?"+query.Encode(), body)
	if err != nil {
		return nil, ErrNobody
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4<<20))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the server at %s: %s", r.Address, strings.TrimSpace(string(text)))
	}
	return text, err
}
