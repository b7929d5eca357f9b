package treeapi

import (
	"context"
	"log/slog"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// fsChangeOps are the calls that change what is in mounts: contract §4.4, §4.6,
// §4.7 and §4.12 to §4.14 of the filesystem part, and the move of decision 52.
func fsChangeOps(a *httpapi.API, tree *mounts.Tree, transfers *transfer.Transfers) {
	c := changeCalls{tree, transfers}
	taken := append([]string{"already_exists", "locked", "in_use"}, fsErrors...)
	moved := append([]string{"cross_mount", "into_self", "quota_exceeded"}, taken...)

	httpapi.Handle(a, httpapi.Op{Name: "fs.mkdir", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/fs/mkdir", Actions: []policy.Action{policy.MountMkdir}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Errors: taken, Summary: "Makes a folder and those above it that are missing."}, c.mkdir)

	httpapi.Handle(a, httpapi.Op{Name: "fs.remove", Method: http.MethodDelete, Path: "/api/fs/batch-remove", Actions: []policy.Action{policy.MountDelete}, Body: httpapi.BigJSON,
		Idem: httpapi.Afterwards, Class: httpapi.Heavy, Errors: fsErrors, Summary: "Deletes files, and folders with all that is in them; each path fails by itself."}, c.remove)

	httpapi.Handle(a, httpapi.Op{Name: "fs.rename", Method: http.MethodPost, Path: "/api/fs/rename", Actions: []policy.Action{policy.MountRename}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Class: httpapi.Heavy, Errors: moved, Summary: "Gives a file or folder another path in its mount; when that fails, nothing has changed."}, c.rename)

	httpapi.Handle(a, httpapi.Op{Name: "fs.move", Method: http.MethodPost, Path: "/api/fs/move", Actions: []policy.Action{policy.MountMove}, Body: httpapi.BigJSON,
		Idem: httpapi.Afterwards, Class: httpapi.Heavy, Errors: moved, Summary: "Moves files and folders to other folders and mounts; each item fails by itself."}, c.move)

	httpapi.Handle(a, httpapi.Op{Name: "fs.copy", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/fs/batch-copy", Actions: []policy.Action{policy.MountCopy}, Body: httpapi.BigJSON,
		Idem: httpapi.Afterwards, Class: httpapi.Heavy, Errors: moved,
		Summary: "Copies files and folders. Between two storages the answer holds signed requests for the caller, unless mode is \"task\"."}, c.copy)

	httpapi.Handle(a, httpapi.Op{Name: "fs.copy_commit", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/fs/batch-copy-commit", Actions: []policy.Action{policy.MountCopy}, Body: httpapi.BigJSON,
		Idem: httpapi.Afterwards, Errors: fsErrors, Summary: "Ends a copy that the caller has carried from one storage to another."}, c.commit)

	httpapi.Handle(a, httpapi.Op{Name: "fs.share", Grows: httpapi.GrowsFiles, Method: http.MethodPost, Path: "/api/fs/create-share", Actions: []policy.Action{policy.MountShare}, Body: httpapi.JSON,
		Idem: httpapi.Afterwards, Rate: httpapi.ShareWrite, Errors: append([]string{"type_mismatch", "slug_invalid", "slug_reserved", "slug_taken"}, fsErrors...),
		Summary: "Makes a share link of a file that stays where it is."}, c.share)

	httpapi.Describe(a, "fs.rename", renameRequest{}, startedJSON{}, httpapi.None{})
	httpapi.Describe(a, "fs.move", copyRequest{}, copiedJSON{}, crossJSON{}, startedJSON{})
	httpapi.Describe(a, "fs.copy", copyRequest{}, copiedJSON{}, crossJSON{}, startedJSON{})
}

// changeCalls answers the calls of fsChangeOps.
type changeCalls struct {
	tree      *mounts.Tree
	transfers *transfer.Transfers
}

type mkdirRequest struct {
	Path string `json:"path"`
}

func (c changeCalls) mkdir(ctx context.Context, who policy.Principal, in mkdirRequest) (httpapi.None, error) {
	if in.Path == "" {
		return httpapi.None{}, ports.InvalidInput("required", "path")
	}
	return httpapi.None{}, c.tree.Mkdir(ctx, explorer(who), in.Path, mounts.NewFolder{})
}

// inBackground are the two ways to ask for a task.
type inBackground struct {
	Async wire.Flag        `json:"async"`
	Mode  wire.Opt[string] `json:"mode"` // "task"
}

// wanted reports whether a task is asked for; Invalid for an unknown mode.
func (b inBackground) wanted() (bool, error) {
	switch b.Mode.Value {
	case "":
		return bool(b.Async), nil
	case "task":
		return true, nil
	}
	return false, ports.InvalidInput("field_type", "mode")
}

type removeRequest struct {
	Paths []string `json:"paths"`
	inBackground
}

// removedJSON is the outcome of batch-remove (contract §4.6).
type removedJSON struct {
	Success int              `json:"success"`
	Failed  []failedPathJSON `json:"failed"`
	TaskID  string           `json:"taskId,omitempty"` // when it is done in the background
}

type failedPathJSON struct {
	Path  string `json:"path"`
	Error string `json:"error"`
	Code  string `json:"code"` // the machine code
}

func (c changeCalls) remove(ctx context.Context, who policy.Principal, in removeRequest) (removedJSON, error) {
	task, err := in.wanted()
	if err != nil {
		return removedJSON{}, err
	}
	done, err := c.transfers.Remove(ctx, explorer(who), in.Paths, task)
	if err != nil {
		return removedJSON{}, err
	}
	out := removedJSON{Success: done.Done, Failed: make([]failedPathJSON, len(done.Failed)), TaskID: done.TaskID}
	for i, f := range done.Failed {
		message, code := itemFailure(ctx, f.Err)
		out.Failed[i] = failedPathJSON{Path: f.Path, Error: message, Code: code}
	}
	return out, nil
}

// itemFailure is the failure of one item of a batch, for people and machines.
func itemFailure(ctx context.Context, err error) (message, code string) {
	scope := httpapi.ScopeOf(ctx)
	f := scope.Failure(err)
	if f.Status >= http.StatusInternalServerError {
		scope.Log().LogAttrs(ctx, slog.LevelError, "item failed", slog.String("request_id", scope.RequestID()), slog.String("op", scope.Op()),
			slog.String("code", f.Key), slog.String("cause", httpapi.CauseText(err)))
	}
	return f.Message, f.Key
}

type renameRequest struct {
	OldPath string `json:"oldPath"`
	NewPath string `json:"newPath"`
	inBackground
}

// startedJSON names the task that does what was asked for.
type startedJSON struct {
	TaskID string `json:"taskId"`
}

func (c changeCalls) rename(ctx context.Context, who policy.Principal, in renameRequest) (any, error) {
	task, err := in.wanted()
	if err != nil {
		return nil, err
	}
	id, err := c.transfers.Rename(ctx, explorer(who), in.OldPath, in.NewPath, task)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return httpapi.Answer[httpapi.None]{}, nil
	}
	return startedJSON{TaskID: id}, nil
}

type copyRequest struct {
	Items []struct {
		SourcePath string `json:"sourcePath"`
		TargetPath string `json:"targetPath"`
	} `json:"items"`
	SkipExisting wire.Opt[wire.Flag] `json:"skipExisting"` // absent means yes
	Conflict     wire.Opt[string]    `json:"conflict"`     // overwrite, skip, rename or fail; instead of skipExisting
	inBackground
}

func (in copyRequest) request() (transfer.CopyRequest, error) {
	task, err := in.wanted()
	r := transfer.CopyRequest{SkipExisting: !in.SkipExisting.Set || in.SkipExisting.Null || bool(in.SkipExisting.Value),
		Conflict: transfer.Conflict(in.Conflict.Value), Task: task}
	for _, item := range in.Items {
		r.Items = append(r.Items, transfer.CopyItem{Source: item.SourcePath, Target: item.TargetPath})
	}
	return r, err
}

// copiedJSON is the outcome of copies and moves that the server did itself.
type copiedJSON struct {
	CrossStorage bool             `json:"crossStorage"`
	Success      int              `json:"success"` // files
	Skipped      int              `json:"skipped"`
	Failed       int              `json:"failed"`
	FailedItems  []failedCopyJSON `json:"failedItems"`
	Details      []copyDetailJSON `json:"details"`
}

// crossJSON is the outcome when the caller has to carry some items itself.
type crossJSON struct {
	CrossStorage           bool             `json:"crossStorage"`
	RequiresClientSideCopy bool             `json:"requiresClientSideCopy"`
	StandardCopyResults    copyCountsJSON   `json:"standardCopyResults"`
	CrossStorageResults    []any            `json:"crossStorageResults"` // of files and of folders
	Failed                 []failedCopyJSON `json:"failed"`
	Details                []copyDetailJSON `json:"details"`
}

type copyCountsJSON struct {
	Success int `json:"success"`
	Skipped int `json:"skipped"`
	Failed  int `json:"failed"`
}

type failedCopyJSON struct {
	SourcePath string `json:"sourcePath"`
	TargetPath string `json:"targetPath"`
	Error      string `json:"error"`
	Code       string `json:"code"` // the machine code
}

type copyDetailJSON struct {
	Source  string `json:"source"`
	Target  string `json:"target"`
	Status  string `json:"status"` // success, skipped, failed, or pending for what the caller carries
	Renamed bool   `json:"renamed"`
	Message string `json:"message"`
}

// crossItemJSON are the fields that carried files and folders have in common.
type crossItemJSON struct {
	CrossStorage   bool   `json:"crossStorage"`
	IsDirectory    bool   `json:"isDirectory"`
	Source         string `json:"source"`
	Target         string `json:"target"`
	Status         string `json:"status"`
	SourceMount    string `json:"sourceMount"`
	TargetMount    string `json:"targetMount"`
	Renamed        bool   `json:"renamed"`
	OriginalTarget string `json:"originalTarget"`
	Message        string `json:"message"`
}

type crossFileJSON struct {
	crossItemJSON
	SourceS3Path string  `json:"sourceS3Path"`
	TargetS3Path string  `json:"targetS3Path"`
	FileName     string  `json:"fileName"`
	ContentType  string  `json:"contentType"`
	Size         int64   `json:"size"`
	DownloadURL  *string `json:"downloadUrl"`
	UploadURL    *string `json:"uploadUrl"`
}

type crossFolderJSON struct {
	crossItemJSON
	Items []crossPartJSON `json:"items"`
}

type crossPartJSON struct {
	SourceKey   string  `json:"sourceKey"`
	TargetKey   string  `json:"targetKey"`
	FileName    string  `json:"fileName"`
	RelativeDir string  `json:"relativeDir"`
	ContentType string  `json:"contentType"`
	Size        int64   `json:"size"`
	DownloadURL *string `json:"downloadUrl"`
	UploadURL   *string `json:"uploadUrl"`
}

func (c changeCalls) copy(ctx context.Context, who policy.Principal, in copyRequest) (any, error) {
	r, err := in.request()
	if err != nil {
		return nil, err
	}
	done, err := c.transfers.Copy(ctx, explorer(who), r)
	return answerCopies(ctx, done, err)
}

func (c changeCalls) move(ctx context.Context, who policy.Principal, in copyRequest) (any, error) {
	r, err := in.request()
	if err != nil {
		return nil, err
	}
	done, err := c.transfers.Move(ctx, explorer(who), r)
	return answerCopies(ctx, done, err)
}

// answerCopies chooses between the three shapes of contract §4.12.
func answerCopies(ctx context.Context, done transfer.CopyResult, err error) (any, error) {
	switch {
	case err != nil:
		return nil, err
	case done.TaskID != "":
		return startedJSON{TaskID: done.TaskID}, nil
	}
	failed := make([]failedCopyJSON, len(done.Failed))
	for i, f := range done.Failed {
		message, code := itemFailure(ctx, f.Err)
		failed[i] = failedCopyJSON{SourcePath: f.Source, TargetPath: f.Target, Error: message, Code: code}
	}
	details := make([]copyDetailJSON, len(done.Details))
	for i, d := range done.Details {
		details[i] = detailJSON(ctx, d)
	}
	if len(done.Cross) == 0 {
		return copiedJSON{Success: done.Success, Skipped: done.Skipped, Failed: len(failed), FailedItems: failed, Details: details}, nil
	}
	out := crossJSON{CrossStorage: true, RequiresClientSideCopy: true,
		StandardCopyResults: copyCountsJSON{done.Success, done.Skipped, len(failed)}, Failed: failed, Details: details}
	for _, item := range done.Cross {
		out.CrossStorageResults = append(out.CrossStorageResults, crossOf(ctx, item))
	}
	return out, nil
}

func detailJSON(ctx context.Context, d transfer.CopyDetail) copyDetailJSON {
	out := copyDetailJSON{Source: d.Source, Target: d.Target, Status: string(d.Status), Renamed: d.Renamed}
	switch {
	case d.Err != nil:
		out.Message, _ = itemFailure(ctx, d.Err)
	case out.Status == "completed":
		out.Status, out.Message = "success", httpapi.ScopeOf(ctx).Say("fs.copied", nil)
	case out.Status == "skipped":
		out.Message = httpapi.ScopeOf(ctx).Say("fs.skipped", nil)
	default:
		out.Message = httpapi.ScopeOf(ctx).Say("fs.to_carry", nil)
	}
	return out
}

func crossOf(ctx context.Context, item transfer.CrossItem) any {
	common := crossItemJSON{CrossStorage: true, IsDirectory: item.Folder, Source: item.Source, Target: item.Target, Status: "success",
		SourceMount: item.SourceMount, TargetMount: item.TargetMount, Renamed: item.Renamed, OriginalTarget: item.Asked, Message: httpapi.ScopeOf(ctx).Say("fs.to_carry", nil)}
	if !item.Folder {
		f := item.Files[0]
		return crossFileJSON{crossItemJSON: common, SourceS3Path: f.SourceKey, TargetS3Path: f.TargetKey, FileName: f.Name, ContentType: f.ContentType,
			Size: f.Size, DownloadURL: httpapi.ScopeOf(ctx).Absolute(f.Download), UploadURL: httpapi.ScopeOf(ctx).Absolute(f.Upload)}
	}
	out := crossFolderJSON{crossItemJSON: common, Items: make([]crossPartJSON, len(item.Files))}
	for i, f := range item.Files {
		out.Items[i] = crossPartJSON{SourceKey: f.SourceKey, TargetKey: f.TargetKey, FileName: f.Name, RelativeDir: f.Dir, ContentType: f.ContentType,
			Size: f.Size, DownloadURL: httpapi.ScopeOf(ctx).Absolute(f.Download), UploadURL: httpapi.ScopeOf(ctx).Absolute(f.Upload)}
	}
	return out
}

type copyCommitRequest struct {
	TargetMountID string `json:"targetMountId"`
	Files         []struct {
		TargetPath string   `json:"targetPath"`
		S3Path     string   `json:"s3Path"`
		FileSize   wire.Int `json:"fileSize"`
	} `json:"files"`
}

// committedJSON is the outcome of batch-copy-commit (contract §4.13).
type committedJSON struct {
	Success []committedFileJSON `json:"success"`
	Failed  []failedTargetJSON  `json:"failed"`
}

type committedFileJSON struct {
	TargetPath string `json:"targetPath"`
	FileName   string `json:"fileName"`
}

type failedTargetJSON struct {
	TargetPath string `json:"targetPath"`
	Error      string `json:"error"`
	Code       string `json:"code"` // the machine code
}

func (c changeCalls) commit(ctx context.Context, who policy.Principal, in copyCommitRequest) (httpapi.Answer[committedJSON], error) {
	files := make([]transfer.Carried, len(in.Files))
	for i, f := range in.Files {
		files[i] = transfer.Carried{Path: f.TargetPath, Key: f.S3Path, Size: int64(f.FileSize)}
	}
	done, err := c.transfers.CommitCopies(ctx, explorer(who), in.TargetMountID, files)
	if err != nil {
		return httpapi.Answer[committedJSON]{}, err
	}
	out := committedJSON{Success: make([]committedFileJSON, len(done.Done)), Failed: make([]failedTargetJSON, len(done.Failed))}
	for i, path := range done.Done {
		out.Success[i] = committedFileJSON{TargetPath: path, FileName: mounts.Base(path)}
	}
	for i, f := range done.Failed {
		message, code := itemFailure(ctx, f.Err)
		out.Failed[i] = failedTargetJSON{TargetPath: f.Path, Error: message, Code: code}
	}
	return httpapi.Answer[committedJSON]{Data: out, Partial: len(done.Done) == 0}, nil
}

type mountShareRequest struct {
	Path      string   `json:"path"`
	Slug      string   `json:"slug"`
	Password  string   `json:"password"`
	ExpiresIn wire.Int `json:"expires_in"` // hours; 0 means never
	MaxViews  wire.Int `json:"max_views"`  // 0 means no limit
	Remark    string   `json:"remark"`
	wire.Access
}

// mountShareJSON is a new share of a mounted file (contract §4.14).
type mountShareJSON struct {
	Success  bool   `json:"success"`
	FileID   string `json:"fileId"`
	Slug     string `json:"slug"`
	Filename string `json:"filename"`
	Size     int64  `json:"size"`
	Message  string `json:"message"`
	wire.SharePage
}

func (c changeCalls) share(ctx context.Context, who policy.Principal, in mountShareRequest) (mountShareJSON, error) {
	if in.Path == "" {
		return mountShareJSON{}, ports.InvalidInput("required", "path")
	}
	s, err := c.tree.CreateShare(ctx, explorer(who), in.Path, mounts.NewShare{
		Slug: in.Slug, Password: in.Password, ExpiresIn: int64(in.ExpiresIn), MaxViews: int64(in.MaxViews), Remark: in.Remark,
		KeyOnly: bool(in.KeyOnly), SlideBy: in.SlideBy(), SlideUntil: in.SlidingUntil.Time})
	if err != nil {
		return mountShareJSON{}, err
	}
	return mountShareJSON{Success: true, FileID: s.ID, Slug: s.Slug, Filename: s.Name, Size: s.Size, Message: httpapi.ScopeOf(ctx).Say("fs.shared", nil), SharePage: wire.FilePage(httpapi.ScopeOf(ctx).Origin(), s.Slug)}, nil
}
