package treeapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/archive"
	"pasteport/domain/mounts/direct"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Transfers is what the calls need that move the bytes of the tree's files.
type Transfers struct {
	Tree     *mounts.Tree
	Direct   *direct.Uploads
	Archives *archive.Archives
	// SpoolDir is where files of forms wait whose path comes behind them.
	SpoolDir string
	// MaxUpload is the largest file that comes through this server, in bytes; 0
	// means no bound.
	MaxUpload func() int64
}

// transferOps registers the calls of the filesystem contract §4.3, §4.5, §4.8
// and §4.9; uploads that clients send to storage themselves, archives and the
// mount proxy have files of their own.
func transferOps(a *httpapi.API, t Transfers) {
	c := transferCalls{t}
	writes := append([]string{"already_exists", "in_use", "type_mismatch", "precondition_failed", "locked", "quota_exceeded"}, fsErrors...)
	read, upload, edit := []policy.Action{policy.MountRead}, []policy.Action{policy.MountUpload}, []policy.Action{policy.MountEdit}
	httpapi.Stream(a, httpapi.Op{Name: "fs.download", Method: "GET", Path: "/api/fs/download", Actions: read, Class: httpapi.Streaming, Also: httpapi.ContentStatuses,
		Errors: append([]string{"type_mismatch", "range_invalid", "precondition_failed"}, fsErrors...), Summary: "The bytes of a file."}, c.download)
	httpapi.Describe(a, "fs.download", downloadQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "fs.upload", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/upload", Actions: upload, Body: httpapi.FormBody, Class: httpapi.Streaming, Type: "application/json",
		Errors: append([]string{"not_supported"}, writes...), Summary: "Store a file by a form."}, c.uploadForm)
	httpapi.Describe(a, "fs.upload", nil, storedAnswer{}, fsBeginAnswer{})
	httpapi.Stream(a, httpapi.Op{Name: "fs.put", Grows: httpapi.GrowsFiles, Method: "PUT", Path: "/api/fs/upload", Actions: upload, Body: httpapi.RawBody, Class: httpapi.Streaming, Type: "application/json",
		Errors: writes, Summary: "Store a file whose content is the body."}, c.put)
	httpapi.Describe(a, "fs.put", putQuery{}, storedAnswer{})
	httpapi.Handle(a, httpapi.Op{Name: "fs.update", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/update", Actions: edit, Body: httpapi.BigJSON, Idem: httpapi.Afterwards,
		Errors: append([]string{"content_too_large"}, writes...), Summary: "Store a text."}, c.update)
	httpapi.Handle(a, httpapi.Op{Name: "fs.link", Method: "GET", Path: "/api/fs/file-link", Actions: read,
		Errors: append([]string{"type_mismatch", "not_supported"}, fsErrors...), Summary: "An address of a file that works without a credential for a while."}, c.link)
	c.uploadOps(a, writes)
	c.archiveOps(a)
	c.proxyOps(a)
}

// transferCalls answers the calls of transferOps.
type transferCalls struct{ Transfers }

type downloadQuery struct {
	Path   string    `query:"path"`
	Inline wire.Flag `query:"inline,lenient"`
}

func (c transferCalls) download(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	q, err := httpapi.Decode[downloadQuery](r)
	if err != nil {
		return err
	}
	if q.Path == "" {
		return ports.InvalidInput("required", "path")
	}
	how := content.Content{Attachment: !bool(q.Inline), Active: true, SignedIn: true, CacheControl: privateContent}
	return serveTree(w, r, how, func(*content.Content) (*mounts.File, error) { return c.Tree.File(r.Context(), explorer(who), q.Path) })
}

// privateContent lets browsers keep what needed a credential and ask each time.
const privateContent = "private, no-cache"

// serveTree serves the file that find gives, with what find adds to c. When it changes between the look
// at it and the read, it is looked at once more: nothing has been sent then.
func serveTree(w http.ResponseWriter, r *http.Request, c content.Content, find func(*content.Content) (*mounts.File, error)) error {
	for again := false; ; again = true {
		f, err := find(&c)
		if err != nil {
			return err
		}
		changed := false
		c.Name, c.Type, c.Size, c.ETag, c.ModTime = f.Name, f.StoredType, f.Size, f.ETag, time.Time{}
		if media := content.MediaType(c.Type); media == "" || media == content.Octets || media == "binary/octet-stream" {
			c.Type = f.ContentType
		}
		if f.ModTime != nil {
			c.ModTime = *f.ModTime
		}
		c.Open = func(ctx context.Context, part objstore.Range) (*objstore.Body, error) {
			body, err := f.Read(ctx, part)
			changed = ports.Is(err, ports.Precondition)
			return body, err
		}
		if err = content.Serve(w, r, c); !changed || again {
			return err
		}
	}
}

// storedAnswer tells what was stored (contract §4.5, §4.10).
type storedAnswer struct {
	Success     bool    `json:"success"`
	FileName    string  `json:"fileName"`
	Size        int64   `json:"size"`
	ContentType string  `json:"contentType"`
	S3Path      string  `json:"s3Path"`
	S3URL       string  `json:"s3Url"`
	ETag        string  `json:"etag,omitempty"`
	Location    *string `json:"location,omitempty"` // of a file that came in parts: its s3Url
	Message     string  `json:"message"`
}

func answerStored(ctx context.Context, s mounts.Stored) storedAnswer {
	return storedAnswer{Success: true, FileName: s.Name, Size: s.Size, ContentType: s.ContentType, S3Path: s.Key, S3URL: s.ObjectURL, ETag: s.ETag,
		Message: httpapi.ScopeOf(ctx).Say("fs.stored", nil)}
}

type putQuery struct {
	Path      string              `query:"path"`
	Overwrite wire.Opt[wire.Flag] `query:"overwrite"` // absent means yes
}

// put stores a body as it comes (contract §4.5, raw variant).
func (c transferCalls) put(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	q, err := httpapi.Decode[putQuery](r)
	if err != nil {
		return err
	}
	if q.Path == "" {
		return ports.InvalidInput("required", "path")
	}
	stored, _, err := c.Tree.Write(r.Context(), explorer(who), q.Path, r.Body, mounts.Write{
		Size: r.ContentLength, Limit: c.MaxUpload(), Overwrite: !q.Overwrite.Set || bool(q.Overwrite.Value), MakeParents: true,
		Conditions: mounts.Conditions{IfMatch: conditionOf(r, "If-Match"), IfNoneMatch: conditionOf(r, "If-None-Match")},
	})
	if err != nil {
		return err
	}
	return httpapi.Send(w, r, answerStored(r.Context(), stored))
}

// conditionOf is a list of entity tags that may stand on several lines.
func conditionOf(r *http.Request, name string) string { return strings.Join(r.Header[name], ",") }

// matchOf is the condition that a file still has the tag of a request: by its
// header, else by its body.
func matchOf(r *http.Request, etag string) string {
	match := conditionOf(r, "If-Match")
	if match == "" && etag != "" {
		match = `"` + strings.Trim(etag, `"`) + `"`
	}
	return match
}

// maxText is the largest text that update takes, in bytes (spec §5).
const maxText = 10 << 20

type updateRequest struct {
	Path    string           `json:"path"`
	Content wire.Opt[string] `json:"content" nul:"keep"`
	ETag    string           `json:"etag"`
}

// updatedText is the answer to update; its path is the object key.
type updatedText struct {
	Success     bool   `json:"success"`
	Path        string `json:"path"`
	FSPath      string `json:"fsPath"`
	ETag        string `json:"etag"`
	ContentType string `json:"contentType"`
	Message     string `json:"message"`
	IsNewFile   bool   `json:"isNewFile"`
}

func (c transferCalls) update(ctx context.Context, who policy.Principal, in updateRequest) (updatedText, error) {
	content := in.Content.Value
	switch {
	case in.Path == "":
		return updatedText{}, ports.InvalidInput("required", "path")
	case !in.Content.Set || in.Content.Null:
		return updatedText{}, ports.InvalidInput("required", "content")
	case len(content) > maxText:
		return updatedText{}, &ports.Error{Code: ports.Invalid, Key: "content_too_large"}
	}
	r := httpapi.ScopeOf(ctx).Request()
	match := matchOf(r, in.ETag)
	stored, created, err := c.Tree.Write(ctx, explorer(who), in.Path, strings.NewReader(content), mounts.Write{
		Size: int64(len(content)), Overwrite: true, MakeParents: true, Edit: true, Conditions: mounts.Conditions{IfMatch: match, IfNoneMatch: conditionOf(r, "If-None-Match")},
	})
	if err != nil {
		return updatedText{}, err
	}
	return answerUpdated(ctx, stored, created), nil
}

func answerUpdated(ctx context.Context, s mounts.Stored, created bool) updatedText {
	return updatedText{Success: true, Path: s.Key, FSPath: s.Path, ETag: s.ETag, ContentType: s.ContentType,
		Message: httpapi.ScopeOf(ctx).Say("fs.stored", nil), IsNewFile: created}
}

type linkRequest struct {
	Path          string `query:"path"`
	ForceDownload string `query:"force_download"` // "true", or anything else for no
	ExpiresIn     string `query:"expires_in"`     // seconds; "", "null" for the default
}

type linkAnswer struct {
	Success       bool   `json:"success"`
	PresignedURL  string `json:"presignedUrl"`
	Name          string `json:"name"`
	ExpiresIn     int64  `json:"expiresIn"` // seconds
	ExpiresAt     string `json:"expiresAt"`
	ForceDownload bool   `json:"forceDownload"`
}

func (c transferCalls) link(ctx context.Context, who policy.Principal, in linkRequest) (linkAnswer, error) {
	if in.Path == "" {
		return linkAnswer{}, ports.InvalidInput("required", "path")
	}
	ask := mounts.NewLink{Download: in.ForceDownload == "true"}
	if text := strings.TrimSpace(in.ExpiresIn); text != "" && text != "null" && text != "undefined" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return linkAnswer{}, httpapi.TextError(httpapi.ErrJSON.With(err), "field_type", map[string]any{"field": "expires_in"})
		}
		ask.Seconds = max(seconds, 1)
	}
	link, err := c.Tree.Link(ctx, explorer(who), in.Path, ask)
	if err != nil {
		return linkAnswer{}, err
	}
	return linkAnswer{Success: true, PresignedURL: *httpapi.ScopeOf(ctx).Absolute(link.URL), Name: link.File.Name, ExpiresIn: link.Seconds,
		ExpiresAt: wire.ISO(link.Expires), ForceDownload: ask.Download}, nil
}
