package treeapi

import (
	"context"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/direct"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// uploadOps registers the uploads that clients send to storage themselves
// (filesystem contract §4.10 and §4.11).
func (c transferCalls) uploadOps(a *httpapi.API, writes []string) {
	upload := []policy.Action{policy.MountUpload}
	parts := append([]string{"upload_not_found", "not_supported"}, writes...)
	httpapi.Handle(a, httpapi.Op{Name: "fs.presign", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/presign", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: append([]string{"not_supported"}, writes...), Summary: "Announce a file and get the address to PUT it to."}, c.presign)
	httpapi.Handle(a, httpapi.Op{Name: "fs.commit", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/presign/commit", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: writes, Summary: "Confirm that an announced file has arrived."}, c.commit)
	httpapi.Handle(a, httpapi.Op{Name: "fs.begin", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/multipart/init", Actions: upload, Body: httpapi.JSON,
		Errors: parts, Summary: "Announce a file in parts and get the address of each."}, c.begin)
	httpapi.Handle(a, httpapi.Op{Name: "fs.complete", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/fs/multipart/complete", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Summary: "Join the parts of a file."}, c.complete)
	httpapi.Handle(a, httpapi.Op{Name: "fs.abort", Method: "POST", Path: "/api/fs/multipart/abort", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: parts, Summary: "Give up an upload in parts."}, c.abort)
	httpapi.Handle(a, httpapi.Op{Name: "fs.uploads", Method: "POST", Path: "/api/fs/multipart/list-uploads", Actions: upload, Body: httpapi.JSON,
		Errors: append([]string{"not_supported"}, fsErrors...), Summary: "The unfinished uploads below a folder."}, c.uploads)
	httpapi.Handle(a, httpapi.Op{Name: "fs.parts", Method: "POST", Path: "/api/fs/multipart/list-parts", Actions: upload, Body: httpapi.JSON,
		Errors: append([]string{"upload_not_found", "not_supported"}, fsErrors...), Summary: "The parts of an upload that have arrived."}, c.parts)
	httpapi.Handle(a, httpapi.Op{Name: "fs.refresh", Method: "POST", Path: "/api/fs/multipart/refresh-urls", Actions: upload, Body: httpapi.JSON,
		Errors: append([]string{"upload_not_found", "not_supported"}, fsErrors...), Summary: "New addresses for some parts of an upload."}, c.refresh)
}

// need is Invalid when a text that a call needs is missing. fields are names
// and values in turn.
func need(fields ...string) error {
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] == "" {
			return ports.InvalidInput("required", fields[i])
		}
	}
	return nil
}

// announcedFile is a file that a client names by its folder and its name, or whole.
type announcedFile struct {
	Path     string   `json:"path"`
	FileName string   `json:"fileName"`
	FileSize wire.Int `json:"fileSize"`
}

func (in announcedFile) target() (string, error) {
	if err := need("path", in.Path, "fileName", in.FileName); err != nil {
		return "", err
	}
	return direct.Target(in.Path, in.FileName)
}

type fsPresignRequest struct{ announcedFile }

type fsPresignAnswer struct {
	PresignedURL string `json:"presignedUrl"`
	FileID       string `json:"fileId"`
	S3Path       string `json:"s3Path"`
	S3URL        string `json:"s3Url"`
	MountID      string `json:"mountId"`
	S3ConfigID   string `json:"s3ConfigId"`
	TargetPath   string `json:"targetPath"`
	ContentType  string `json:"contentType"`
}

func (c transferCalls) presign(ctx context.Context, who policy.Principal, in fsPresignRequest) (fsPresignAnswer, error) {
	path, err := in.target()
	if err != nil {
		return fsPresignAnswer{}, err
	}
	p, err := c.Direct.Presign(ctx, explorer(who), path, int64(in.FileSize))
	if err != nil {
		return fsPresignAnswer{}, err
	}
	return fsPresignAnswer{PresignedURL: *httpapi.ScopeOf(ctx).Absolute(p.URL), FileID: p.ID, S3Path: p.Key, S3URL: p.ObjectURL, MountID: p.MountID,
		S3ConfigID: p.StorageConfigID, TargetPath: p.Path, ContentType: p.ContentType}, nil
}

// fsCommitRequest confirms a file. What else clients send is not believed.
type fsCommitRequest struct {
	TargetPath string             `json:"targetPath"`
	MountID    string             `json:"mountId"`
	FileSize   wire.Opt[wire.Int] `json:"fileSize"`
}

type fsCommitAnswer struct {
	FileName   string `json:"fileName"`
	TargetPath string `json:"targetPath"`
	FileSize   int64  `json:"fileSize"`
	Size       int64  `json:"size"`
	ETag       string `json:"etag,omitempty"`
}

func (c transferCalls) commit(ctx context.Context, who policy.Principal, in fsCommitRequest) (fsCommitAnswer, error) {
	if err := need("targetPath", in.TargetPath, "mountId", in.MountID); err != nil {
		return fsCommitAnswer{}, err
	}
	e, err := c.Direct.Commit(ctx, explorer(who), in.TargetPath, in.MountID, known(in.FileSize))
	if err != nil {
		return fsCommitAnswer{}, err
	}
	return fsCommitAnswer{FileName: e.Name, TargetPath: e.Path, FileSize: e.Size, Size: e.Size, ETag: e.ETag}, nil
}

// known is a size that the client may have left out: -1 then.
func known(size wire.Opt[wire.Int]) int64 {
	if !size.Set || size.Null || size.Value < 0 {
		return -1
	}
	return int64(size.Value)
}

type fsBeginRequest struct {
	announcedFile
	PartSize  wire.Int `json:"partSize"`
	PartCount wire.Int `json:"partCount"`
}

type fsBeginAnswer struct {
	UploadID      string          `json:"uploadId"`
	Bucket        string          `json:"bucket"`
	Key           string          `json:"key"`
	PartSize      int64           `json:"partSize"`
	PartCount     int             `json:"partCount"`
	PresignedURLs []wire.PartLink `json:"presignedUrls"`
	MountID       string          `json:"mount_id"`
	Path          string          `json:"path"`
	StorageType   string          `json:"storage_type"`
}

func (c transferCalls) begin(ctx context.Context, who policy.Principal, in fsBeginRequest) (fsBeginAnswer, error) {
	path, err := in.target()
	if err != nil {
		return fsBeginAnswer{}, err
	}
	begun, err := c.Direct.Begin(ctx, explorer(who), path, direct.NewUpload{Size: int64(in.FileSize), PartSize: int64(in.PartSize), PartCount: int64(in.PartCount)})
	if err != nil {
		return fsBeginAnswer{}, err
	}
	return answerBegun(ctx, begun), nil
}

// answerBegun tells of an upload in parts; its path is the folder's.
func answerBegun(ctx context.Context, b direct.Begun) fsBeginAnswer {
	return fsBeginAnswer{UploadID: b.UploadID, Bucket: b.BucketName, Key: b.Key, PartSize: b.PartSize, PartCount: b.PartCount,
		PresignedURLs: wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, b.Links), MountID: b.Mount.ID, Path: folderPath(mounts.Parent(b.Path)), StorageType: b.Mount.StorageType}
}

// sentRequest names an upload that was begun before.
type sentRequest struct {
	Path     string `json:"path"`
	FileName string `json:"fileName"`
	UploadID string `json:"uploadId"`
}

func (in sentRequest) sent() (direct.Sent, error) {
	return direct.Sent{Path: in.Path, Name: in.FileName, UploadID: in.UploadID}, need("path", in.Path, "uploadId", in.UploadID)
}

type fsCompleteRequest struct {
	sentRequest
	Parts    []fsSentPart       `json:"parts"`
	FileSize wire.Opt[wire.Int] `json:"fileSize"`
}

// fsSentPart is a part as clients write it, with names in either case.
type fsSentPart struct {
	PartNumber wire.Int `json:"PartNumber"` // encoding/json takes names in any case
	ETag       string   `json:"ETag"`
}

func (c transferCalls) complete(ctx context.Context, who policy.Principal, in fsCompleteRequest) (storedAnswer, error) {
	sent, err := in.sent()
	if err != nil {
		return storedAnswer{}, err
	}
	parts := make([]objstore.Part, len(in.Parts))
	for i, p := range in.Parts {
		parts[i] = objstore.Part{Number: int(p.PartNumber), ETag: p.ETag}
	}
	stored, err := c.Direct.Complete(ctx, explorer(who), sent, parts, known(in.FileSize))
	if err != nil {
		return storedAnswer{}, err
	}
	answer := answerStored(ctx, stored)
	answer.Location = &answer.S3URL
	return answer, nil
}

type fsDoneAnswer struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func (c transferCalls) abort(ctx context.Context, who policy.Principal, in sentRequest) (fsDoneAnswer, error) {
	sent, err := in.sent()
	if err == nil {
		err = need("fileName", in.FileName)
	}
	if err == nil {
		err = c.Direct.Abort(ctx, explorer(who), sent)
	}
	return fsDoneAnswer{Success: err == nil, Message: httpapi.ScopeOf(ctx).Say("upload_aborted", nil)}, err
}

type fsUploadsRequest struct {
	Path string `json:"path"`
}

type fsUploadsAnswer struct {
	Success     bool       `json:"success"`
	Bucket      string     `json:"bucket"`
	Prefix      string     `json:"prefix"`
	MaxUploads  int        `json:"maxUploads"`
	IsTruncated bool       `json:"isTruncated"`
	Uploads     []fsUpload `json:"uploads"`
}

type fsUpload struct {
	Key          string `json:"key"`
	UploadID     string `json:"uploadId"`
	Initiated    string `json:"initiated"`
	StorageClass string `json:"storageClass"`
}

func (c transferCalls) uploads(ctx context.Context, who policy.Principal, in fsUploadsRequest) (fsUploadsAnswer, error) {
	listed, err := c.Direct.ListUploads(ctx, explorer(who), in.Path)
	if err != nil {
		return fsUploadsAnswer{}, err
	}
	answer := fsUploadsAnswer{Success: true, Bucket: listed.BucketName, Prefix: listed.Prefix, MaxUploads: 1000, Uploads: []fsUpload{}}
	for _, u := range listed.Uploads {
		answer.Uploads = append(answer.Uploads, fsUpload{Key: u.Key, UploadID: u.ID, Initiated: wire.ISO(u.Initiated), StorageClass: "STANDARD"})
	}
	return answer, nil
}

type fsPartsAnswer struct {
	Success     bool          `json:"success"`
	Bucket      string        `json:"bucket"`
	Key         string        `json:"key"`
	UploadID    string        `json:"uploadId"`
	MaxParts    int           `json:"maxParts"`
	IsTruncated bool          `json:"isTruncated"`
	Parts       []wire.FsPart `json:"parts"`
}

func (c transferCalls) parts(ctx context.Context, who policy.Principal, in sentRequest) (fsPartsAnswer, error) {
	sent, err := in.sent()
	if err == nil {
		err = need("fileName", in.FileName)
	}
	if err != nil {
		return fsPartsAnswer{}, err
	}
	arrived, err := c.Direct.ListParts(ctx, explorer(who), sent)
	if err != nil {
		return fsPartsAnswer{}, err
	}
	return fsPartsAnswer{Success: true, Bucket: arrived.BucketName, Key: arrived.Key, UploadID: in.UploadID, MaxParts: 1000, Parts: wire.FsParts(arrived.Parts)}, nil
}

type fsRefreshRequest struct {
	sentRequest
	PartNumbers []wire.Int `json:"partNumbers"`
}

type fsRefreshAnswer struct {
	Success       bool            `json:"success"`
	UploadID      string          `json:"uploadId"`
	ExpiresIn     int64           `json:"expiresIn"` // seconds
	PresignedURLs []wire.PartLink `json:"presignedUrls"`
}

func (c transferCalls) refresh(ctx context.Context, who policy.Principal, in fsRefreshRequest) (fsRefreshAnswer, error) {
	sent, err := in.sent()
	if err != nil {
		return fsRefreshAnswer{}, err
	}
	numbers := make([]int, len(in.PartNumbers))
	for i, n := range in.PartNumbers {
		numbers[i] = int(n)
	}
	fresh, err := c.Direct.RefreshLinks(ctx, explorer(who), sent, numbers)
	if err != nil {
		return fsRefreshAnswer{}, err
	}
	return fsRefreshAnswer{Success: true, UploadID: in.UploadID, ExpiresIn: fresh.Seconds, PresignedURLs: wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, fresh.Links)}, nil
}
