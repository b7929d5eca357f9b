package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// Task is the kind of the tasks that fetch an address for a share.
const Task = "fetch"

// payload is what the worker of a fetch needs.
type payload struct {
	FileID string `json:"file_id"`
	URL    string `json:"url"`
	Limit  int64  `json:"limit"` // bytes, of the policy; 0 means none
	// Quotas are the policy's for the owner.
	Quotas capacity.Limits `json:"quotas,omitzero"`
	// File is the share as it was reserved, for a retry; nil for a protected one,
	// whose password is kept nowhere else.
	File *shares.File `json:"file,omitempty"`
}

// obligations are what of the policy's answer bounds the bytes of the fetch.
func (p *payload) obligations() policy.Obligations {
	return policy.Obligations{MaxSize: p.Limit, Quotas: p.Quotas}
}

// failedOnce is the state of a fetch whose share is gone.
const failedOnce = "failed"

// errFetchAnew is the answer to the retry of a fetch whose share is gone and
// cannot be made again.
var errFetchAnew = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "fetch_anew"}

// Fetching is a share whose content this server brings from an address.
type Fetching struct {
	TaskID string
	File   *shares.File // pending until the task is completed
}

// Start reserves a file share and starts the task that brings its content
// from an address, so that the caller need not stay. It asks url.fetch and
// file.upload.
//
// Returns the errors of Presign, RateLimited when the caller has too many tasks,
// NotImplemented where there are no tasks.
func (u *URLs) Start(ctx context.Context, who policy.Principal, in Upload) (*Fetching, error) {
	upload, _, err := u.upload(ctx, who, in)
	if err != nil {
		return nil, err
	}
	r, err := u.uploads.Reserve(ctx, who, upload)
	if err != nil {
		return nil, err
	}
	work := payload{FileID: r.File.ID, URL: in.URL, Limit: r.Obligations.MaxSize, Quotas: r.Obligations.Quotas}
	if !r.File.Protected() {
		work.File = r.File
	}
	id, err := "", error(objstore.ErrUnsupported)
	if u.tasks != nil {
		id, err = u.tasks.Start(ctx, jobs.Start{Kind: Task, Title: r.File.Filename, Owner: who, Items: 1, Bytes: r.File.Size, Payload: work})
	}
	if err != nil {
		r.Undo(ctx, false)
		return nil, err
	}
	file, err := u.d.Announced(ctx, r.File)
	return &Fetching{TaskID: id, File: file}, err
}

// Allowed asks url.fetch and file.upload for whoever wants a fetch
// repeated. Returns Conflict when its share is gone and was protected.
func (u *URLs) Allowed(ctx context.Context, who policy.Principal, raw json.RawMessage) error {
	var p payload
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	if err := u.ask(ctx, who, Upload{URL: p.URL}); err != nil {
		return err
	}
	if p.File != nil {
		_, err := u.uploads.Ask(ctx, who, shares.NewUpload{Filename: p.File.Filename, Size: p.File.Size})
		return err
	}
	_, err := u.d.Files.Get(ctx, p.FileID)
	if ports.Is(err, ports.NotFound) {
		return errFetchAnew.With(err)
	}
	return err
}

// Dropped takes the share of a fetch back that is not begun any more.
func (u *URLs) Dropped(ctx context.Context, raw json.RawMessage) error {
	var p payload
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	file, err := u.d.Files.Get(ctx, p.FileID)
	if err == nil && file.Pending {
		u.uploads.Resume(file, policy.Obligations{}).Undo(ctx, false)
	}
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	return err
}

// reserved is the share of a fetch. That of one that failed went with it and is
// made again; one that its owner has given up stays away.
func (u *URLs) reserved(ctx context.Context, run jobs.Run, p payload) (*shares.File, error) {
	file, err := u.d.Files.Get(ctx, p.FileID)
	if err == nil && file.Late() {
		err = shares.ErrFileUnknown
	}
	if !ports.Is(err, ports.NotFound) {
		return file, err
	}
	if p.File == nil || len(run.Failed()) == 0 {
		return nil, shares.ErrFileUnknown.With(err)
	}
	r, err := u.uploads.Renew(ctx, p.File, p.obligations())
	if err != nil {
		return nil, err
	}
	return r.File, nil
}

// Work is the worker of Task. A fetch that fails or is cancelled takes
// its share along; one that the server's end interrupts begins anew.
func (u *URLs) Work(ctx context.Context, run jobs.Run) error {
	var p payload
	if err := run.Payload(&p); err != nil {
		return err
	}
	file, err := u.reserved(ctx, run, p)
	if err != nil || !file.Pending {
		return err
	}
	shown, err := u.d.Announced(ctx, file)
	if err != nil {
		return err
	}
	item := jobs.Item{Path: file.Filename, Target: "/file/" + shown.Slug, Status: jobs.Downloading, Bytes: file.Size}
	if err := run.Item(item, nil); err != nil {
		return err
	}
	r := u.uploads.Resume(file, p.obligations())
	done, err := u.bring(ctx, run, r, p.URL)
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, jobs.ErrStopping) || errors.Is(cause, jobs.ErrLost)) {
		return cause
	}
	if err != nil {
		r.Undo(ctx, true)
		item.Status = jobs.Failed
		// The checkpoint keeps the failure for a retry.
		if told := cmp.Or(run.Item(item, err), run.Checkpoint(failedOnce)); told != nil && u.d.Report != nil {
			u.d.Report("tell of a fetch that failed", told)
		}
		return err
	}
	item.Status, item.Bytes = jobs.Completed, done.Size
	return run.Item(item, nil)
}

// bring moves the content of an address to storage and commits its file. On an
// error storage holds what it held before.
func (u *URLs) bring(ctx context.Context, run jobs.Run, r *shares.Reservation, address string) (*shares.File, error) {
	body, err := u.fetcher.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if err := upload.LimitsOf(u.d.Settings.MaxUploadSize(), r.Obligations).Check(body.Size); err != nil {
		return nil, err
	}
	run.Expect(1, max(body.Size, 0))
	object, err := r.Store(ctx, &moving{body, run}, body.Size)
	if err != nil {
		return nil, err
	}
	return r.Settle(context.WithoutCancel(ctx), object)
}

// moving tells a task of what is read.
type moving struct {
	r   io.Reader
	run jobs.Run
}

func (m *moving) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.run.Moved(int64(n))
	return n, err
}
