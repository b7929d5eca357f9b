package treeapi

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/history"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// historyOps registers the calls on earlier contents of files, which are for
// those who may read and edit the files.
func historyOps(a *httpapi.API, files *history.Files, names wire.KeyNames) {
	c := historyCalls{files, names}
	asked := []policy.Action{policy.MountEdit, policy.MountRead}
	kept := append([]string{"type_mismatch"}, fsErrors...)
	httpapi.Handle(a, httpapi.Op{Name: "fs.revisions", Method: http.MethodGet, Path: "/api/fs/revisions", Actions: asked,
		Errors: kept, Summary: "What is kept of the earlier contents of a file, newest first."}, c.history)
	httpapi.Stream(a, httpapi.Op{Name: "fs.revision", Method: http.MethodGet, Path: "/api/fs/revisions/{version}", Actions: asked, Class: httpapi.Streaming, Also: httpapi.ContentStatuses,
		Errors: append([]string{"range_invalid", "precondition_failed"}, kept...), Summary: "The bytes of an earlier content of a file."}, c.get)
	httpapi.Describe(a, "fs.revision", fileRevisionQuery{})
	httpapi.Handle(a, httpapi.Op{Name: "fs.keep", Method: http.MethodPut, Path: "/api/fs/revisions", Actions: asked, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: kept, Summary: "Say whether edits of a file keep what they replace; what is kept is removed when they do not."}, c.keep)
	httpapi.Handle(a, httpapi.Op{Name: "fs.restore", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/fs/revisions/{version}/restore", Actions: asked, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: append([]string{"in_use", "precondition_failed", "locked", "quota_exceeded"}, kept...), Summary: "Make an earlier content of a file its content again; what it replaces is kept."}, c.restore)
}

// historyCalls answers the calls of historyOps.
type historyCalls struct {
	files *history.Files
	names wire.KeyNames
}

// fileHistory is what is kept of a file.
type fileHistory struct {
	wire.History
	ETag  string `json:"etag,omitempty"`  // of the file as it is
	Large bool   `json:"large,omitempty"` // too large for the next edit to keep it
}

func (c historyCalls) history(ctx context.Context, who policy.Principal, in pathQuery) (fileHistory, error) {
	path, err := in.required()
	if err != nil {
		return fileHistory{}, err
	}
	h, err := c.files.History(ctx, explorer(who), path)
	if err != nil {
		return fileHistory{}, err
	}
	out := fileHistory{ETag: h.ETag, Large: h.Large}
	out.History, err = wire.HistoryOf(ctx, c.names, h.History)
	return out, err
}

type fileRevisionQuery struct {
	Version wire.Int `path:"version"`
	pathQuery
}

func (c historyCalls) get(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	q, err := httpapi.Decode[fileRevisionQuery](r)
	if err != nil {
		return err
	}
	path, err := q.required()
	if err != nil {
		return err
	}
	// It is held whole until the answer has gone.
	release, err := httpapi.ScopeOf(r.Context()).EnterHeavy()
	if err != nil {
		return err
	}
	defer release()
	old, err := c.files.Get(r.Context(), explorer(who), path, int64(q.Version))
	if err != nil {
		return err
	}
	name := mounts.Base(path)
	return content.Serve(w, r, content.Content{
		Name: name, Type: mounts.ContentTypeOf(name), Size: old.Size, ModTime: old.EditedAt, Attachment: true, SignedIn: true, CacheControl: privateContent,
		Open: func(_ context.Context, part objstore.Range) (*objstore.Body, error) {
			from, length, err := part.Resolve(old.Size)
			if err != nil {
				return nil, err
			}
			return &objstore.Body{ReadCloser: io.NopCloser(bytes.NewReader(old.Content[from : from+length])), Offset: from, Length: length}, nil
		},
	})
}

type keepFileRequest struct {
	Path string              `json:"path"`
	Keep wire.Opt[wire.Flag] `json:"keep"`
}

func (c historyCalls) keep(ctx context.Context, who policy.Principal, in keepFileRequest) (wire.Keeping, error) {
	switch {
	case in.Path == "":
		return wire.Keeping{}, ports.InvalidInput("required", "path")
	case !in.Keep.Set:
		return wire.Keeping{}, ports.InvalidInput("required", "keep")
	}
	keep := bool(in.Keep.Value)
	return wire.Keeping{Keep: keep}, c.files.Switch(ctx, explorer(who), in.Path, keep)
}

type restoreFileRequest struct {
	Version wire.Int `path:"version"`
	Path    string   `json:"path"`
	ETag    string   `json:"etag"`
}

func (c historyCalls) restore(ctx context.Context, who policy.Principal, in restoreFileRequest) (updatedText, error) {
	if in.Path == "" {
		return updatedText{}, ports.InvalidInput("required", "path")
	}
	stored, err := c.files.Restore(ctx, explorer(who), in.Path, int64(in.Version), matchOf(httpapi.ScopeOf(ctx).Request(), in.ETag))
	if err != nil {
		return updatedText{}, err
	}
	return answerUpdated(ctx, stored, false), nil
}
