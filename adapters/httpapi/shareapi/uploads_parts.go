package shareapi

import (
	"context"
	"time"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
)

// partOps registers the uploads of files in parts. They stand beside presign
// and commit, and have the names of the calls for mounts.
func partOps(a *httpapi.API, c fileCalls, refusals []string, statuses map[string]int) {
	upload := []policy.Action{policy.FileUpload}
	parts := append([]string{"upload_not_found", "not_supported"}, refusals...)
	httpapi.Handle(a, httpapi.Op{Name: "file.begin", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/s3/multipart/init", Actions: upload, Body: httpapi.JSON, Rate: httpapi.ShareWrite, Idem: httpapi.Afterwards,
		Errors: parts, Statuses: statuses, Summary: "Announce a file in parts and get the address of each."}, c.begin)
	httpapi.Handle(a, httpapi.Op{Name: "file.parts", Method: "POST", Path: "/api/s3/multipart/list-parts", Actions: upload, Body: httpapi.JSON,
		Errors: parts, Summary: "The parts of an announced file that have arrived."}, c.parts)
	httpapi.Handle(a, httpapi.Op{Name: "file.refresh", Method: "POST", Path: "/api/s3/multipart/refresh-urls", Actions: upload, Body: httpapi.JSON,
		Errors: parts, Summary: "New addresses for some parts of an announced file."}, c.refresh)
	httpapi.Handle(a, httpapi.Op{Name: "file.complete", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/s3/multipart/complete", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Statuses: statuses, Summary: "Join the parts that storage has and confirm the file."}, c.complete)
	httpapi.Handle(a, httpapi.Op{Name: "file.abort", Method: "POST", Path: "/api/s3/multipart/abort", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Summary: "Give up an announced file with its parts."}, c.abort)
}

// fileBeginRequest announces a file in parts. part_size and part_count may be
// left out; when they are there, they must be what the server reckons with.
type fileBeginRequest struct {
	presignRequest
	PartSize  wire.Int `json:"part_size"`
	PartCount wire.Int `json:"part_count"`
}

type fileBeginAnswer struct {
	FileID        string          `json:"file_id"`
	UploadID      string          `json:"upload_id"`
	Slug          string          `json:"slug"`
	StoragePath   string          `json:"storage_path"`
	S3URL         string          `json:"s3_url"`
	ProviderType  string          `json:"provider_type"`
	ContentType   string          `json:"contentType"`
	Size          int64           `json:"size"`
	PartSize      int64           `json:"part_size"`
	PartCount     int             `json:"part_count"`
	PresignedURLs []wire.PartLink `json:"presigned_urls"`
	HasPassword   bool            `json:"hasPassword"`
	ExpiresAt     *string         `json:"expiresAt"`
	MaxViews      *int64          `json:"maxViews"`
	wire.SharePlace
}

func (c fileCalls) begin(ctx context.Context, who policy.Principal, in fileBeginRequest) (fileBeginAnswer, error) {
	b, err := c.Uploads.Begin(ctx, who, in.upload(), int64(in.PartSize), int64(in.PartCount))
	if err != nil {
		return fileBeginAnswer{}, err
	}
	f := b.File
	return fileBeginAnswer{FileID: f.ID, UploadID: b.UploadID, Slug: f.Slug, StoragePath: f.StoragePath, S3URL: b.Storage.Address().Object(f.StoragePath),
		ProviderType: b.Storage.ProviderType, ContentType: f.MimeType, Size: f.Size, PartSize: b.PartSize, PartCount: len(b.Links),
		PresignedURLs: wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, b.Links), HasPassword: f.Protected(), ExpiresAt: wire.ISOTime(f.ExpiresAt), MaxViews: wire.OrNull(f.MaxViews),
		SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}, nil
}

// begunRequest names an upload that was begun before.
type begunRequest struct {
	FileID   string `json:"file_id"`
	UploadID string `json:"upload_id"`
}

type filePartsAnswer struct {
	FileID   string        `json:"file_id"`
	UploadID string        `json:"upload_id"`
	Filename string        `json:"filename"`
	Slug     string        `json:"slug"`
	Size     int64         `json:"size"`
	PartSize int64         `json:"part_size"`
	Parts    []wire.FsPart `json:"parts"` // in ascending order, all of them
	wire.SharePlace
}

func (c fileCalls) parts(ctx context.Context, who policy.Principal, in begunRequest) (filePartsAnswer, error) {
	f, parts, err := c.Uploads.ListParts(ctx, who, in.FileID, in.UploadID)
	if err != nil {
		return filePartsAnswer{}, err
	}
	return filePartsAnswer{FileID: f.ID, UploadID: in.UploadID, Filename: f.Filename, Slug: f.Slug, Size: f.Size, PartSize: upload.PartSizeOf(f.Size),
		Parts: wire.FsParts(parts), SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}, nil
}

type fileRefreshRequest struct {
	begunRequest
	PartNumbers []wire.Int `json:"part_numbers"`
}

type fileRefreshAnswer struct {
	UploadID      string          `json:"upload_id"`
	ExpiresIn     int64           `json:"expires_in"` // seconds
	PresignedURLs []wire.PartLink `json:"presigned_urls"`
}

func (c fileCalls) refresh(ctx context.Context, who policy.Principal, in fileRefreshRequest) (fileRefreshAnswer, error) {
	numbers := make([]int, len(in.PartNumbers))
	for i, n := range in.PartNumbers {
		numbers[i] = int(n)
	}
	links, life, err := c.Uploads.RefreshParts(ctx, who, in.FileID, in.UploadID, numbers)
	if err != nil {
		return fileRefreshAnswer{}, err
	}
	return fileRefreshAnswer{UploadID: in.UploadID, ExpiresIn: int64(life / time.Second), PresignedURLs: wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, links)}, nil
}

func (c fileCalls) complete(ctx context.Context, who policy.Principal, in begunRequest) (fileBase, error) {
	f, err := c.Uploads.Complete(ctx, who, in.FileID, in.UploadID)
	if err != nil {
		return fileBase{}, err
	}
	return c.base(ctx, f), nil
}

func (c fileCalls) abort(ctx context.Context, who policy.Principal, in begunRequest) (abortAnswer, error) {
	if err := c.Uploads.Abort(ctx, who, in.FileID, in.UploadID); err != nil {
		return abortAnswer{}, err
	}
	return abortAnswer{Success: true, Message: httpapi.ScopeOf(ctx).Say("upload_aborted", nil), FileID: in.FileID}, nil
}
