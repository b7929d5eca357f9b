package shareapi

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares/remote"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// urlOps registers the calls of contract §11, which make files of what other
// sites hold.
func urlOps(a *httpapi.API, u UseCases) {
	c := urlCalls{fileCalls{u}}
	refusals := []string{"slug_invalid", "slug_reserved", "slug_taken", "storage_forbidden", "quota_exceeded", "not_owner",
		"storage_unavailable", "storage_denied"}
	parts := append([]string{"upload_not_found", "not_supported"}, refusals...)
	statuses := map[string]int{"quota_exceeded": http.StatusBadRequest} // as contract §7.2 has it
	fetch, upload := []policy.Action{policy.URLFetch}, []policy.Action{policy.FileUpload}
	both := []policy.Action{policy.URLFetch, policy.FileUpload}
	httpapi.Handle(a, httpapi.Op{Name: "url.info", Method: "POST", Path: "/api/url/info", Actions: fetch, Body: httpapi.JSON, Rate: httpapi.URLFetch, Class: httpapi.Fetching,
		Summary: "What an address of another site holds; opens it to the proxy for an hour."}, c.info)
	httpapi.Stream(a, httpapi.Op{Name: "url.proxy", Method: "GET", Path: "/api/url/proxy", Actions: []policy.Action{policy.URLProxy}, Public: true, Answer: httpapi.Bytes,
		Rate: httpapi.ShareRead, Class: httpapi.Fetching, Summary: "Read an address that was announced by url.info within the hour."}, c.proxy)
	httpapi.Describe(a, "url.proxy", proxyQuery{})
	httpapi.Handle(a, httpapi.Op{Name: "url.presign", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/url/presign", Actions: both, Body: httpapi.JSON, Rate: httpapi.URLFetch, Class: httpapi.Fetching, Idem: httpapi.Afterwards,
		Errors: refusals, Statuses: statuses, Summary: "Announce a file that comes from an address and get where to PUT it to."}, c.presignURL)
	httpapi.Handle(a, httpapi.Op{Name: "url.commit", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/url/commit", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: refusals, Statuses: statuses, Summary: "Confirm that a file from an address has arrived."}, c.commit)
	httpapi.Handle(a, httpapi.Op{Name: "url.begin", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/url/multipart/init", Actions: both, Body: httpapi.JSON, Rate: httpapi.URLFetch, Class: httpapi.Fetching, Idem: httpapi.Afterwards,
		Errors: parts, Statuses: statuses, Summary: "Announce a file that comes from an address and goes to storage in parts."}, c.begin)
	httpapi.Handle(a, httpapi.Op{Name: "url.complete", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/url/multipart/complete", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Statuses: statuses, Summary: "Join the parts of a file."}, c.complete)
	httpapi.Handle(a, httpapi.Op{Name: "url.abort", Method: "POST", Path: "/api/url/multipart/abort", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Statuses: statuses, Summary: "Give up an upload in parts."}, c.abort)
	httpapi.Handle(a, httpapi.Op{Name: "url.fetch", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/url/fetch", Actions: both, Body: httpapi.JSON, Rate: httpapi.URLFetch, Class: httpapi.Fetching, Idem: httpapi.Afterwards,
		Errors: append([]string{"not_supported"}, refusals...), Statuses: statuses, Summary: "Start a task that brings a file from an address; nobody need stay."}, c.fetchLater)
	httpapi.Handle(a, httpapi.Op{Name: "url.cancel", Method: "POST", Path: "/api/url/cancel", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: refusals, Statuses: statuses, Summary: "Give up an upload from an address, whole or in parts."}, c.cancel)
}

// urlCalls answers the calls on addresses of other sites.
type urlCalls struct{ fileCalls }

type infoRequest struct {
	URL string `json:"url"`
}

// urlInfo is what is known of an address (contract §11.1).
type urlInfo struct {
	URL           string  `json:"url"`
	Filename      string  `json:"filename"`
	ContentType   string  `json:"contentType"`
	Size          *int64  `json:"size"`
	LastModified  *string `json:"lastModified"`
	Method        string  `json:"method"`
	CORSSupported bool    `json:"corsSupported"`
	Type          int     `json:"type"`
	TypeName      string  `json:"typeName"`
}

func (c urlCalls) info(ctx context.Context, who policy.Principal, in infoRequest) (urlInfo, error) {
	known, err := c.URLs.Info(ctx, who, in.URL)
	if err != nil {
		return urlInfo{}, err
	}
	info := urlInfo{URL: in.URL, Filename: known.Filename, ContentType: known.ContentType, LastModified: wire.TextOrNull(known.LastModified),
		Method: known.Method, CORSSupported: known.CORS}
	if info.ContentType == "" {
		info.ContentType = content.Octets
	}
	if known.Size >= 0 {
		info.Size = &known.Size
	}
	info.Type, info.TypeName = c.Files.TypeOf(known.Filename)
	return info, nil
}

type proxyQuery struct {
	URL string `query:"url"`
}

// proxy streams an address. Whatever the site calls its bytes, they leave as a
// download of unknown type.
func (c urlCalls) proxy(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := httpapi.Decode[proxyQuery](r)
	if err != nil {
		return err
	}
	body, err := c.URLs.Proxy(r.Context(), who, in.URL)
	if err != nil {
		return err
	}
	defer body.Close()
	h := w.Header()
	content.Safety(h, false)
	h["Content-Type"] = []string{content.Octets}
	h["Content-Disposition"] = []string{content.Disposition(false, body.Filename)}
	h["Cache-Control"] = content.NoStore
	if body.Size >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(body.Size, 10)}
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err = io.Copy(w, body)
	return err
}

// fromURLRequest announces a file that comes from an address (contract §11.3).
type fromURLRequest struct {
	presignRequest
	URL      string      `json:"url"`
	Metadata urlMetadata `json:"metadata"`
}

// urlMetadata is what the client knows of the address already.
type urlMetadata struct {
	Filename    string   `json:"filename"`
	ContentType string   `json:"contentType"`
	Size        wire.Int `json:"size"`
}

func (in fromURLRequest) upload() remote.Upload {
	known := remote.Known{Filename: in.Metadata.Filename, Type: content.MediaType(in.Metadata.ContentType), Size: int64(in.Metadata.Size)}
	if !content.HeaderSafe(known.Type) {
		known.Type = ""
	}
	return remote.Upload{NewUpload: in.presignRequest.upload(), URL: in.URL, Known: known}
}

type fromURLAnswer struct {
	presignAnswer
	SourceURL     string `json:"sourceUrl"`
	CORSSupported *bool  `json:"corsSupported,omitempty"`
}

func (c urlCalls) presignURL(ctx context.Context, who policy.Principal, in fromURLRequest) (fromURLAnswer, error) {
	p, source, err := c.URLs.Presign(ctx, who, in.upload())
	if err != nil {
		return fromURLAnswer{}, err
	}
	return fromURLAnswer{presignAnswer: presigned(ctx, p), SourceURL: in.URL, CORSSupported: corsOf(source)}, nil
}

// corsOf is null when the site was not asked.
func corsOf(source remote.Source) *bool {
	if !source.Asked {
		return nil
	}
	return &source.CORS
}

// beginRequest announces a file in parts (contract §11.5).
type beginRequest struct {
	fromURLRequest
	PartSize  wire.Int `json:"part_size"`
	TotalSize wire.Int `json:"total_size"`
	PartCount wire.Int `json:"part_count"`
}

type beginAnswer struct {
	FileID        string          `json:"file_id"`
	UploadID      string          `json:"upload_id"`
	Slug          string          `json:"slug"`
	StoragePath   string          `json:"storagePath"`
	PresignedURLs []wire.PartLink `json:"presigned_urls"`
	PartSize      int64           `json:"partSize"`
	TotalSize     int64           `json:"totalSize"`
	PartCount     int             `json:"partCount"`
	Filename      string          `json:"filename"`
	ContentType   string          `json:"contentType"`
	CORSSupported *bool           `json:"corsSupported,omitempty"`
	HasPassword   bool            `json:"hasPassword"`
	ExpiresAt     *string         `json:"expiresAt"`
	MaxViews      *int64          `json:"maxViews"`
	SourceURL     string          `json:"sourceUrl"`
	wire.SharePage
}

func (c urlCalls) begin(ctx context.Context, who policy.Principal, in beginRequest) (beginAnswer, error) {
	upload := in.upload()
	if in.TotalSize != 0 {
		upload.Size = int64(in.TotalSize)
	}
	p, source, err := c.URLs.Begin(ctx, who, remote.Parts{Upload: upload, PartSize: int64(in.PartSize), PartCount: int64(in.PartCount)})
	if err != nil {
		return beginAnswer{}, err
	}
	f := p.File
	answer := beginAnswer{FileID: f.ID, UploadID: p.UploadID, Slug: f.Slug, StoragePath: f.StoragePath, PartSize: p.PartSize, TotalSize: f.Size,
		PartCount: len(p.Links), Filename: f.Filename, ContentType: f.MimeType, CORSSupported: corsOf(source), HasPassword: f.Protected(),
		ExpiresAt: wire.ISOTime(f.ExpiresAt), MaxViews: wire.OrNull(f.MaxViews), SourceURL: in.URL,
		SharePage: wire.FilePage(httpapi.ScopeOf(ctx).Origin(), f.Slug)}
	answer.PresignedURLs = wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, p.Links)
	return answer, nil
}

// completeRequest names the parts of a file (contract §11.6).
type completeRequest struct {
	FileID   string     `json:"file_id"`
	UploadID string     `json:"upload_id"`
	Parts    []sentPart `json:"parts"`
}

type sentPart struct {
	PartNumber wire.Int `json:"PartNumber"`
	ETag       string   `json:"ETag"`
}

type completeAnswer struct {
	Success  bool    `json:"success"`
	FileID   string  `json:"fileId"`
	Slug     string  `json:"slug"`
	Filename string  `json:"filename"`
	Size     int64   `json:"size"`
	ETag     *string `json:"etag"`
	S3URL    string  `json:"s3Url"`
	Type     int     `json:"type"`
	TypeName string  `json:"typeName"`
	wire.SharePage
}

func (c urlCalls) complete(ctx context.Context, who policy.Principal, in completeRequest) (completeAnswer, error) {
	var sent []objstore.Part
	for _, p := range in.Parts {
		sent = append(sent, objstore.Part{Number: int(p.PartNumber), ETag: p.ETag})
	}
	f, storage, err := c.Uploads.CompleteSent(ctx, who, in.FileID, in.UploadID, sent)
	if err != nil {
		return completeAnswer{}, err
	}
	answer := completeAnswer{Success: true, FileID: f.ID, Slug: f.Slug, Filename: f.Filename, Size: f.Size, ETag: wire.TextOrNull(f.ETag),
		S3URL: storage.Address().Object(f.StoragePath), SharePage: wire.FilePage(httpapi.ScopeOf(ctx).Origin(), f.Slug)}
	answer.Type, answer.TypeName = c.Files.TypeOf(f.Filename)
	return answer, nil
}

type abortRequest struct {
	FileID   string `json:"file_id"`
	UploadID string `json:"upload_id"`
}

type abortAnswer struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	FileID  string `json:"fileId"`
}

func (c urlCalls) abort(ctx context.Context, who policy.Principal, in abortRequest) (abortAnswer, error) {
	if err := c.Uploads.CancelParts(ctx, who, in.FileID, in.UploadID); err != nil {
		return abortAnswer{}, err
	}
	return abortAnswer{Success: true, Message: httpapi.ScopeOf(ctx).Say("upload_aborted", nil), FileID: in.FileID}, nil
}

type fetchAnswer struct {
	TaskID   string `json:"task_id"` // of GET /api/fs/tasks/{id}
	FileID   string `json:"file_id"`
	Slug     string `json:"slug"`
	Filename string `json:"filename"`
	wire.SharePlace
}

func (c urlCalls) fetchLater(ctx context.Context, who policy.Principal, in fromURLRequest) (fetchAnswer, error) {
	f, err := c.URLs.Start(ctx, who, in.upload())
	if err != nil {
		return fetchAnswer{}, err
	}
	return fetchAnswer{TaskID: f.TaskID, FileID: f.File.ID, Slug: f.File.Slug, Filename: f.File.Filename, SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.File.Slug)}, nil
}

type cancelAnswer struct {
	FileID  string `json:"file_id"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

func (c urlCalls) cancel(ctx context.Context, who policy.Principal, in commitRequest) (cancelAnswer, error) {
	if err := c.Uploads.Cancel(ctx, who, in.FileID); err != nil {
		return cancelAnswer{}, err
	}
	return cancelAnswer{FileID: in.FileID, Status: "cancelled", Message: httpapi.ScopeOf(ctx).Say("upload_cancelled", nil)}, nil
}
