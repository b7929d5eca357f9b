package shareapi

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/forms"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	"pasteport/ports/policy"
)

// uploadOps registers the calls of contract §7 that bring files in.
func uploadOps(a *httpapi.API, u UseCases) {
	c := fileCalls{u}
	refusals, statuses := uploadRefusals(), uploadStatuses()
	upload := []policy.Action{policy.FileUpload}
	httpapi.Handle(a, httpapi.Op{Name: "file.presign", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/s3/presign", Actions: upload, Body: httpapi.JSON, Rate: httpapi.ShareWrite, Idem: httpapi.Afterwards,
		Errors: refusals, Statuses: statuses, Summary: "Announce a file and get the address to PUT it to."}, c.presign)
	httpapi.Handle(a, httpapi.Op{Name: "file.commit", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/s3/commit", Actions: upload, Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Errors: refusals, Statuses: statuses, Summary: "Confirm that an announced file has arrived."}, c.commit)
	httpapi.Stream(a, httpapi.Op{Name: "file.upload", Grows: httpapi.GrowsFiles, Method: "PUT", Path: "/api/upload-direct/{filename}", Actions: upload, Body: httpapi.RawBody, Answer: httpapi.Envelope,
		Rate: httpapi.ShareWrite, Class: httpapi.Streaming, Errors: refusals, Statuses: statuses, Type: "application/json", Summary: "Upload a file in one request."}, c.uploadDirect)
	httpapi.Describe(a, "file.upload", directQuery{}, uploadedFile{})
	httpapi.Stream(a, httpapi.Op{Name: "file.form", Grows: httpapi.GrowsFiles, Method: "POST", Path: "/api/upload", Actions: upload, Body: httpapi.FormBody, Rate: httpapi.ShareWrite, Class: httpapi.Streaming,
		Errors: refusals, Statuses: statuses, Type: "application/json", Summary: "Upload a file by a form."}, c.uploadForm)
	httpapi.Describe(a, "file.form", nil, uploadedFile{})
	partOps(a, c, refusals, statuses)
}

// uploadRefusals are the codes of errors that belong to a new file.
func uploadRefusals() []string {
	return []string{"slug_invalid", "slug_reserved", "slug_taken", "storage_forbidden", "quota_exceeded", "not_owner", "storage_unavailable", "storage_denied"}
}

// uploadStatuses has a full storage answered as bad input (contract §7.2).
func uploadStatuses() map[string]int {
	return map[string]int{"quota_exceeded": http.StatusBadRequest}
}

// presignRequest announces a file (contract §7.2).
type presignRequest struct {
	StorageConfigID string              `json:"s3_config_id"`
	Filename        string              `json:"filename"`
	Size            wire.Int            `json:"size"`
	Path            string              `json:"path"`
	Slug            string              `json:"slug"`
	Unguessable     wire.Flag           `json:"unguessable"`
	Remark          string              `json:"remark"`
	Password        string              `json:"password"`
	ExpiresIn       wire.Int            `json:"expires_in"`
	MaxViews        wire.Int            `json:"max_views"`
	UseProxy        wire.Opt[wire.Flag] `json:"use_proxy"`
	Override        wire.Flag           `json:"override"`
	wire.Access
}

func (in presignRequest) upload() shares.NewUpload {
	return shares.NewUpload{
		StorageConfigID: in.StorageConfigID, Filename: in.Filename, Size: int64(in.Size), Path: in.Path, Slug: in.Slug,
		Unguessable: bool(in.Unguessable), Remark: in.Remark, Password: in.Password, ExpiresIn: int64(in.ExpiresIn), MaxViews: int64(in.MaxViews),
		UseProxy: shares.Field[bool]{Set: in.UseProxy.Set && !in.UseProxy.Null, Value: bool(in.UseProxy.Value)}, Override: bool(in.Override), Latch: latchOf(in.Access),
	}
}

type presignAnswer struct {
	FileID       string  `json:"file_id"`
	UploadURL    string  `json:"upload_url"`
	StoragePath  string  `json:"storage_path"`
	S3URL        string  `json:"s3_url"`
	Slug         string  `json:"slug"`
	ProviderType string  `json:"provider_type"`
	ContentType  string  `json:"contentType"`
	HasPassword  bool    `json:"hasPassword"`
	ExpiresAt    *string `json:"expiresAt"`
	MaxViews     *int64  `json:"maxViews"`
	wire.SharePlace
}

func (c fileCalls) presign(ctx context.Context, who policy.Principal, in presignRequest) (presignAnswer, error) {
	p, err := c.Uploads.Presign(ctx, who, in.upload())
	if err != nil {
		return presignAnswer{}, err
	}
	return presigned(ctx, p), nil
}

func presigned(ctx context.Context, p *shares.Presigned) presignAnswer {
	f := p.File
	return presignAnswer{FileID: f.ID, UploadURL: *httpapi.ScopeOf(ctx).Absolute(p.URL), StoragePath: f.StoragePath, S3URL: p.Storage.Address().Object(f.StoragePath),
		Slug: f.Slug, ProviderType: p.Storage.ProviderType, ContentType: f.MimeType, HasPassword: f.Protected(),
		ExpiresAt: wire.ISOTime(f.ExpiresAt), MaxViews: wire.OrNull(f.MaxViews), SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}
}

// commitRequest confirms a file (contract §7.4). What else clients send counted
// when the file was announced; size and ETag come from storage.
type commitRequest struct {
	FileID string `json:"file_id"`
}

func (c fileCalls) commit(ctx context.Context, who policy.Principal, in commitRequest) (fileBase, error) {
	f, err := c.Uploads.Commit(ctx, who, in.FileID)
	if err != nil {
		return fileBase{}, err
	}
	return c.base(ctx, f), nil
}

// directQuery are the choices of a one-step upload (contract §7.5).
type directQuery struct {
	Filename         string              `path:"filename"`
	StorageConfigID  string              `query:"s3_config_id"`
	Slug             string              `query:"slug"`
	Unguessable      wire.Flag           `query:"unguessable"`
	Path             string              `query:"path"`
	Remark           string              `query:"remark"`
	Password         string              `query:"password"`
	ExpiresIn        wire.Int            `query:"expires_in"`
	MaxViews         wire.Int            `query:"max_views"`
	UseProxy         wire.Opt[wire.Flag] `query:"use_proxy"` // absent means yes
	Override         wire.Flag           `query:"override"`
	OriginalFilename wire.Flag           `query:"original_filename"`
	wire.Access
}

// uploadedFile is the answer of a one-step upload.
type uploadedFile struct {
	publicFile
	fileLinks
	CreatedBy            string `json:"created_by"`
	UsedOriginalFilename bool   `json:"used_original_filename"`
}

func (c fileCalls) uploadDirect(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	q, err := httpapi.Decode[directQuery](r)
	if err != nil {
		return err
	}
	in := shares.NewUpload{
		StorageConfigID: q.StorageConfigID, Filename: q.Filename, Type: content.MediaType(r.Header.Get("Content-Type")), TrustType: true,
		Path: q.Path, Slug: q.Slug, Unguessable: bool(q.Unguessable), Remark: q.Remark, Password: q.Password,
		ExpiresIn: int64(q.ExpiresIn), MaxViews: int64(q.MaxViews), UseProxy: shares.To(!q.UseProxy.Set || bool(q.UseProxy.Value)), Override: bool(q.Override), Naming: shares.NameSuffixed, Latch: latchOf(q.Access),
	}
	if q.OriginalFilename {
		in.Naming = shares.NameKept
	}
	if !content.HeaderSafe(in.Type) {
		in.Type = ""
	}
	f, err := c.Uploads.Upload(r.Context(), who, in, r.Body, r.ContentLength)
	if err != nil {
		return err
	}
	return httpapi.Send(w, r, c.uploaded(r.Context(), f, q.Password, bool(q.OriginalFilename)))
}

func (c fileCalls) uploaded(ctx context.Context, f *shares.File, password string, original bool) uploadedFile {
	query := ""
	if password != "" {
		query = "?password=" + url.QueryEscape(password)
	}
	return uploadedFile{publicFile: publicOf(ctx, f, f.Views), fileLinks: linksOf(ctx, f, c.Files.Links(ctx, f), query), CreatedBy: f.CreatedBy, UsedOriginalFilename: original}
}

// uploadForm takes a form (contract §7.6).
func (c fileCalls) uploadForm(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	whole := forms.KeepFront(r)
	parts, err := r.MultipartReader()
	if err != nil {
		return forms.ErrForm.With(err)
	}
	if who.Kind == policy.Anonymous {
		return httpapi.ErrCredentials // before anything is kept for them
	}
	form := forms.Reader{Parts: parts, Fields: map[string]string{}}
	file, err := form.UntilFile()
	if err != nil {
		return err
	}
	settled := func() error { return nil } // these are the form's own fields
	done, err := c.uploadFrom(r, who, whole, &form, file, settled)
	if err != nil {
		return err
	}
	return httpapi.Send(w, r, c.uploaded(r.Context(), done, form.Fields["password"], false))
}

// uploadFrom stores the file of a form. Fields before the file steer an upload
// that streams straight to storage. When the file is the very first part, it
// waits in a temporary file until the fields behind it are known; a field that
// comes behind a file that is already on its way is refused, since the policy
// was asked without it. settle makes of the fields what uploadOf reads.
func (c fileCalls) uploadFrom(r *http.Request, who policy.Principal, whole *forms.Body, form *forms.Reader, file *multipart.Part, settle func() error) (*shares.File, error) {
	if form.Read == 1 {
		return c.uploadSpooled(r.Context(), who, form, file, settle)
	}
	if err := settle(); err != nil {
		return nil, err
	}
	in, err := uploadOf(form.Fields, fileName(form, file))
	if err != nil {
		return nil, err
	}
	body, size := c.formFile(r, whole, form, file)
	return c.Uploads.Upload(r.Context(), who, in, body, size)
}

// formFile is the file of a form as a stream, and its length or -1.
func (c fileCalls) formFile(r *http.Request, whole *forms.Body, form *forms.Reader, file *multipart.Part) (body io.Reader, size int64) {
	if last, length, ok := whole.Last(forms.BoundaryOf(r), form.Read, r.ContentLength); ok {
		return last, length
	}
	return &forms.LastPart{Form: form, Part: file}, -1
}

// fileName is the name of a form's file: that of a field, else its own. What curl
// reads from a pipe is called "-", which is a name that no shell can handle.
func fileName(form *forms.Reader, file *multipart.Part) string {
	own := forms.FileName(file)
	if own == "-" {
		own = "file.bin"
	}
	return cmp.Or(form.Fields["filename"], own)
}

// uploadSpooled keeps the file until the fields behind it are known.
func (c fileCalls) uploadSpooled(ctx context.Context, who policy.Principal, form *forms.Reader, file *multipart.Part, settle func() error) (*shares.File, error) {
	if err := c.Uploads.MayUpload(ctx, who, forms.FileName(file)); err != nil {
		return nil, err // before anything is kept for them
	}
	limit := c.Files.SizeLimit()
	kept, err := forms.NewSpool(c.SpoolDir, file, limit)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	size := kept.Size
	if limit > 0 && size > limit {
		size = -1 // the rest was not read
	} else {
		if next, err := form.UntilFile(); next != nil {
			return nil, forms.ErrForm
		} else if !errors.Is(err, forms.ErrFile) {
			return nil, err
		}
	}
	if err := settle(); err != nil {
		return nil, err
	}
	in, err := uploadOf(form.Fields, fileName(form, file))
	if err != nil {
		return nil, err
	}
	if err := kept.Rewind(); err != nil {
		return nil, err
	}
	return c.Uploads.Upload(ctx, who, in, kept, size)
}

// uploadOf makes the input of the use case from the fields known so far.
func uploadOf(fields map[string]string, name string) (shares.NewUpload, error) {
	in := shares.NewUpload{
		StorageConfigID: fields["s3_config_id"], Filename: name, Path: fields["path"], Slug: fields["slug"],
		Remark: fields["remark"], Password: fields["password"],
	}
	var expires, views wire.Int
	var long, proxy wire.Flag
	var access wire.Access
	for name, to := range map[string]wire.FromText{"expires_in": &expires, "max_views": &views, "unguessable": &long, "use_proxy": &proxy,
		"key_only": &access.KeyOnly, "sliding_days": &access.SlidingDays, "sliding_until": &access.SlidingUntil} {
		if err := to.FromText(fields[name]); err != nil {
			return in, httpapi.TextError(forms.ErrForm.With(err), "field_type", map[string]any{"field": name})
		}
	}
	in.ExpiresIn, in.MaxViews, in.Unguessable = int64(expires), int64(views), bool(long)
	in.Latch = latchOf(access)
	if strings.TrimSpace(fields["use_proxy"]) != "" {
		in.UseProxy = shares.To(bool(proxy))
	}
	return in, nil
}
