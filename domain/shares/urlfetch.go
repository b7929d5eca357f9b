package shares

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// FetchTask is the kind of the tasks that fetch an address for a share.
const FetchTask = "fetch"

// fetchPayload is what the worker of a fetch needs.
type fetchPayload struct {
	FileID string `json:"file_id"`
	URL    string `json:"url"`
	Limit  int64  `json:"limit"` // bytes, of the policy; 0 means none
	// Quotas are the policy's for the owner.
	Quotas capacity.Limits `json:"quotas,omitzero"`
	// File is the share as it was reserved, for a retry; nil for a protected one,
	// whose password is kept nowhere else.
	File *File `json:"file,omitempty"`
}

// obligations are what of the policy's answer bounds the bytes of the fetch.
func (p *fetchPayload) obligations() policy.Obligations {
	return policy.Obligations{MaxSize: p.Limit, QuotaBytesDay: p.Quotas.BytesDay, QuotaFilesDay: p.Quotas.FilesDay, QuotaBytesStored: p.Quotas.BytesStored}
}

// failedOnce is the state of a fetch whose share is gone.
const failedOnce = "failed"

// errFetchAnew is the answer to the retry of a fetch whose share is gone and
// cannot be made again.
var errFetchAnew = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "fetch_anew"}

// Fetching is a share whose content this server brings from an address.
type Fetching struct {
	TaskID string
	File   *File // pending until the task is completed
}

// FetchLater reserves a file share and starts the task that brings its content
// from an address, so that the caller need not stay. It asks url.fetch and
// file.upload.
//
// Returns the errors of Presign, RateLimited when the caller has too many tasks,
// NotImplemented where there are no tasks.
func (u *URLs) FetchLater(ctx context.Context, who policy.Principal, in NewURLUpload) (*Fetching, error) {
	upload, _, err := u.upload(ctx, who, in)
	if err != nil {
		return nil, err
	}
	file, _, decision, err := u.uploads.reserve(ctx, who, upload)
	if err != nil {
		return nil, err
	}
	payload := fetchPayload{FileID: file.ID, URL: in.URL, Limit: decision.Obligations.MaxSize, Quotas: limitsOf(decision.Obligations)}
	if !file.Protected() {
		payload.File = file
	}
	id, err := "", error(objstore.ErrUnsupported)
	if u.d.Tasks != nil {
		id, err = u.d.Tasks.Start(ctx, jobs.Start{Kind: FetchTask, Title: file.Filename, Owner: who, Items: 1, Bytes: file.Size, Payload: payload})
	}
	if err != nil {
		u.uploads.undo(context.WithoutCancel(ctx), file, false)
		return nil, err
	}
	return &Fetching{TaskID: id, File: file}, nil
}

// FetchAllowed asks url.fetch and file.upload for whoever wants a fetch
// repeated. Returns Conflict when its share is gone and was protected.
func (u *URLs) FetchAllowed(ctx context.Context, who policy.Principal, payload json.RawMessage) error {
	var p fetchPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	if err := u.ask(ctx, who, NewURLUpload{URL: p.URL}); err != nil {
		return err
	}
	if p.File != nil {
		_, err := u.uploads.askUpload(ctx, who, NewUpload{Filename: p.File.Filename, Size: p.File.Size}, u.d.Clock.Now())
		return err
	}
	_, err := u.d.Files.Get(ctx, p.FileID)
	if ports.Is(err, ports.NotFound) {
		return errFetchAnew.With(err)
	}
	return err
}

// FetchDropped takes the share of a fetch back that is not begun any more.
func (u *URLs) FetchDropped(ctx context.Context, payload json.RawMessage) error {
	var p fetchPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	file, err := u.d.Files.Get(ctx, p.FileID)
	if err == nil && file.Pending {
		_, err = u.d.Files.Delete(ctx, file.ID)
		u.d.Release(ctx, file.ID)
	}
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	return err
}

// reserved is the share of a fetch. That of one that failed went with it and is
// made again; one that its owner has given up stays away.
func (u *URLs) reserved(ctx context.Context, run jobs.Run, p fetchPayload) (*File, error) {
	file, err := u.d.Files.Get(ctx, p.FileID)
	if !ports.Is(err, ports.NotFound) {
		return file, err
	}
	if p.File == nil || len(run.Failed()) == 0 {
		return nil, errFileUnknown.With(err)
	}
	storage, err := u.d.Storages.Storage(ctx, p.File.StorageConfigID)
	if err != nil {
		return nil, err
	}
	insert := func() error { return u.d.Files.Reserve(ctx, p.File, p.Quotas.BytesStored) }
	if err := u.uploads.claim(ctx, claim(p.File, storage, p.obligations()), insert); err != nil {
		return nil, quota(err, p.File.Size)
	}
	if err := u.uploads.apart(ctx, p.File); err != nil {
		u.uploads.undo(context.WithoutCancel(ctx), p.File, false)
		return nil, err
	}
	return p.File, nil
}

// FetchWork is the worker of FetchTask. A fetch that fails or is cancelled takes
// its share along; one that the server's end interrupts begins anew.
func (u *URLs) FetchWork(ctx context.Context, run jobs.Run) error {
	var p fetchPayload
	if err := run.Payload(&p); err != nil {
		return err
	}
	file, err := u.reserved(ctx, run, p)
	if err != nil || !file.Pending {
		return err
	}
	item := jobs.Item{Path: file.Filename, Target: "/file/" + file.Slug, Status: jobs.Downloading, Bytes: file.Size}
	if err := run.Item(item, nil); err != nil {
		return err
	}
	done, err := u.bring(ctx, run, file, p)
	if cause := context.Cause(ctx); err != nil && (errors.Is(cause, jobs.ErrStopping) || errors.Is(cause, jobs.ErrLost)) {
		return cause
	}
	if err != nil {
		u.uploads.undo(context.WithoutCancel(ctx), file, false)
		item.Status = jobs.Failed
		// The checkpoint keeps the failure for a retry.
		if told := cmp.Or(run.Item(item, err), run.Checkpoint(failedOnce)); told != nil {
			u.d.report("tell of a fetch that failed", told)
		}
		return err
	}
	item.Status, item.Bytes = jobs.Completed, done.Size
	return run.Item(item, nil)
}

// bring moves the content of an address to storage and commits its file. On an
// error storage holds what it held before.
func (u *URLs) bring(ctx context.Context, run jobs.Run, file *File, p fetchPayload) (*File, error) {
	storage, err := u.d.Storages.Storage(ctx, file.StorageConfigID)
	if err != nil {
		return nil, err
	}
	body, err := u.fetcher.Open(ctx, p.URL)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	limits := p.obligations()
	if err := u.d.limits(limits).Check(body.Size); err != nil {
		return nil, err
	}
	run.Expect(1, max(body.Size, 0))
	object, err := u.uploads.store(ctx, file, storage, limits, &moving{body, run}, body.Size)
	if err != nil {
		return nil, err
	}
	kept := context.WithoutCancel(ctx)
	done, err := u.d.Files.Commit(kept, file.ID, object.Size, object.ETag, p.Quotas.BytesStored, u.d.Clock.Now())
	if err == nil {
		err = u.d.settle(kept, claim(file, storage, limits), object.Size)
	}
	if err != nil {
		u.d.report("remove what was fetched in vain", u.d.DropObject(kept, file))
		return nil, quota(err, object.Size)
	}
	u.uploads.files.forget(kept, file.ID)
	u.d.tellStored(kept, file, object)
	return done, nil
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
