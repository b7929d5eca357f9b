package shareapi

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/domain/storage"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// blobOps are the links to stored objects that this server answers in place
// of a storage that cannot be reached from outside. The token in the link is
// the authority; the policy was asked when it was made.
func blobOps(a *httpapi.API, blobs *storage.Blobs) {
	const path = "/api/blob/{token}/{name}"
	errs := []string{"permission_denied", "not_found", "too_large", "range_invalid", "precondition_failed", "already_exists", "upload_not_found", "storage_unavailable"}
	httpapi.Stream(a, httpapi.Op{Name: "blob.get", Method: http.MethodGet, Path: path, Public: true, Signed: true, Class: httpapi.Streaming,
		Actions: []policy.Action{policy.ShareDownload, policy.ShareView}, Errors: errs, Also: httpapi.ContentStatuses,
		Summary: "Read a stored object by a signed link."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error { return getBlob(w, r, blobs) })
	httpapi.Stream(a, httpapi.Op{Name: "blob.put", Grows: httpapi.GrowsFiles, Method: http.MethodPut, Path: path, Public: true, Signed: true, Class: httpapi.Streaming, Body: httpapi.RawBody, Answer: httpapi.Bare,
		Actions: []policy.Action{policy.FileUpload}, Errors: append([]string{"quota_exceeded"}, errs...),
		Summary: "Store an object, or with partNumber one part of it, by a signed link."},
		func(w http.ResponseWriter, r *http.Request, _ policy.Principal) error { return putBlob(w, r, blobs) })
	httpapi.Describe(a, "blob.put", nil, httpapi.None{})
}

func getBlob(w http.ResponseWriter, r *http.Request, blobs *storage.Blobs) error {
	verb := objstore.VerbGet
	if r.Method == http.MethodHead {
		verb = objstore.VerbHead
	}
	blob, err := blobs.Resolve(r.Context(), httpapi.ScopeOf(r.Context()).Var("token"), verb)
	if err != nil {
		return err
	}
	object, err := blob.Stat(r.Context())
	if err != nil {
		return err
	}
	c := content.Content{Name: httpapi.ScopeOf(r.Context()).Var("name"), Type: object.ContentType, Size: object.Size, ETag: object.ETag, ModTime: object.ModTime, Open: blob.Read}
	if t := blob.ContentType(); t != "" {
		c.Type = t
	}
	if d := blob.Disposition(); d != "" {
		c.Attachment = !strings.HasPrefix(d, "inline")
		if _, params, err := mime.ParseMediaType(d); err == nil && params["filename"] != "" {
			c.Name = params["filename"]
		}
	}
	return content.Serve(w, r, c)
}

func putBlob(w http.ResponseWriter, r *http.Request, blobs *storage.Blobs) error {
	in := storage.Upload{Body: r.Body, Size: r.ContentLength, ContentType: r.Header.Get("Content-Type"),
		IfNoneMatch: strings.TrimSpace(r.Header.Get("If-None-Match")) == "*"}
	if part := r.URL.Query().Get("partNumber"); part != "" {
		n, err := strconv.Atoi(part)
		if err != nil {
			return ports.InvalidInput("field_type", "partNumber")
		}
		in.PartNumber = n
	}
	etag, err := storeBlob(r.Context(), blobs, httpapi.ScopeOf(r.Context()).Var("token"), in)
	if in.IfNoneMatch && ports.Is(err, ports.Conflict) {
		return &ports.Error{Code: ports.Precondition, Key: "precondition_failed", Cause: err} // as S3 answers
	}
	if err != nil {
		return err
	}
	if etag != "" {
		w.Header()["Etag"] = []string{`"` + etag + `"`}
	}
	w.Header()["Content-Length"] = []string{"0"}
	w.WriteHeader(http.StatusOK)
	return nil
}

func storeBlob(ctx context.Context, blobs *storage.Blobs, token string, in storage.Upload) (string, error) {
	blob, err := blobs.Resolve(ctx, token, objstore.VerbPut)
	if err != nil {
		return "", err
	}
	return blob.Write(ctx, in)
}
