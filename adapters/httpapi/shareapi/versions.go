package shareapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/domain/shares/versions"
	"pasteport/ports/policy"
	"pasteport/ports/revision"
)

// fileVersionOps registers the calls on the files that a share had before.
func fileVersionOps(a *httpapi.API, u UseCases) {
	c := fileVersionCalls{u.FileVersions, u.KeyNames}
	read, change := []policy.Action{policy.FileReadOwn}, []policy.Action{policy.FileUpdate}
	httpapi.Handle(a, httpapi.Op{Name: "file.revisions", Method: http.MethodGet, Path: "/api/files/{id}/revisions", Actions: read,
		Errors: []string{"not_owner"}, Summary: "The files that a share had before uploads replaced them, newest first."}, c.history)
	httpapi.Stream(a, httpapi.Op{Name: "file.revision", Method: http.MethodGet, Path: "/api/files/{id}/revisions/{version}", Actions: read, Class: httpapi.Streaming, Also: httpapi.ContentStatuses,
		Errors: []string{"not_owner", "range_invalid", "precondition_failed"}, Summary: "The bytes of a file that a share had before; takes no view."}, c.get)
	httpapi.Describe(a, "file.revision", revisionRequest{})
	httpapi.Handle(a, httpapi.Op{Name: "file.keep", Method: http.MethodPut, Path: "/api/files/{id}/revisions", Actions: change, Body: httpapi.JSON, Idem: httpapi.InTransaction,
		Errors: []string{"not_owner"}, Summary: "Say whether uploads keep the file of a share that they replace; what is kept is removed when they do not."}, c.keep)
	httpapi.Handle(a, httpapi.Op{Name: "file.restore", Method: http.MethodPost, Path: "/api/files/{id}/revisions/{version}/restore", Actions: change, Body: httpapi.JSON, Idem: httpapi.InTransaction,
		Errors: []string{"not_owner"}, Summary: "Make a file that a share had before its file again; the present one is kept."}, c.restore)
}

// fileVersionCalls answers the calls of fileVersionOps.
type fileVersionCalls struct {
	versions *versions.Versions
	names    wire.KeyNames
}

// fileVersion is a file that a share has or had.
type fileVersion struct {
	wire.Revision
	Filename string `json:"filename"`
}

// fileVersions is what is kept of a share.
type fileVersions struct {
	Keep      bool          `json:"keep"` // whether uploads keep what they replace
	Current   fileVersion   `json:"current"`
	Revisions []fileVersion `json:"revisions"` // newest first
}

func (c fileVersionCalls) history(ctx context.Context, who policy.Principal, in itemRequest) (fileVersions, error) {
	h, err := c.versions.History(ctx, who, in.ID)
	if err != nil {
		return fileVersions{}, err
	}
	all := append([]versions.Version{h.Current}, h.Earlier...)
	plain := make([]revision.Revision, len(all))
	for i := range all {
		plain[i] = all[i].Revision
	}
	rows, err := wire.Revisions(ctx, c.names, plain...)
	if err != nil {
		return fileVersions{}, err
	}
	named := make([]fileVersion, len(rows))
	for i := range rows {
		named[i] = fileVersion{rows[i], all[i].Filename}
	}
	return fileVersions{Keep: !h.Off, Current: named[0], Revisions: named[1:]}, nil
}

func (c fileVersionCalls) get(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := httpapi.Decode[revisionRequest](r)
	if err != nil {
		return err
	}
	v, err := c.versions.Open(r.Context(), who, in.ID, int64(in.Version))
	if err != nil {
		return err
	}
	return content.Serve(w, r, content.Content{
		Name: v.Filename, Type: v.MimeType, Size: v.Size, ETag: v.ETag, ModTime: v.CreatedAt, Attachment: true, SignedIn: true, Open: v.Read,
	})
}

func (c fileVersionCalls) keep(ctx context.Context, who policy.Principal, in keepRequest) (wire.Keeping, error) {
	keep := bool(in.Keep.Value)
	return wire.Keeping{Keep: keep}, c.versions.Switch(ctx, who, in.ID, shares.Field[bool]{Set: in.Keep.Set, Value: keep})
}

func (c fileVersionCalls) restore(ctx context.Context, who policy.Principal, in revisionRequest) (fileUpdated, error) {
	f, err := c.versions.Restore(ctx, who, in.ID, int64(in.Version))
	if err != nil {
		return fileUpdated{}, err
	}
	return fileUpdated{ID: f.ID, Slug: f.Slug, SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}, nil
}
