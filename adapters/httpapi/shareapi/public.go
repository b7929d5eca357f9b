package shareapi

import (
	"context"
	"errors"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares"
	digest "pasteport/domain/shares/checksum"
	"pasteport/ports"
	"pasteport/ports/filetype"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// publicFileOps registers the calls of contract §7 that visitors make.
func publicFileOps(a *httpapi.API, u UseCases) {
	c := fileCalls{u}
	errs := []string{"password_required", "password_wrong", "key_required", "expired", "used_up", "storage_unavailable", "storage_denied"}
	httpapi.Stream(a, httpapi.Op{Name: "file.view", Method: "GET", Path: "/api/file-view/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Fail: httpapi.FailText, Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: append([]string{"range_invalid", "precondition_failed"}, errs...),
		Also: httpapi.ContentStatuses, Summary: "The bytes of a file, to be shown."}, c.view)
	httpapi.Describe(a, "file.view", visitQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "file.download", Method: "GET", Path: "/api/file-download/{slug}", Public: true, Actions: []policy.Action{policy.ShareDownload},
		Fail: httpapi.FailText, Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: append([]string{"range_invalid", "precondition_failed"}, errs...),
		Also: httpapi.ContentStatuses, Summary: "The bytes of a file, to be saved."}, c.download)
	httpapi.Describe(a, "file.download", visitQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "file.info", Method: "GET", Path: "/api/public/files/{slug}", Public: true, Actions: []policy.Action{policy.ShareView},
		Answer: httpapi.Envelope, Rate: httpapi.ShareRead, Errors: errs, Type: "application/json", Summary: "Open a shared file: facts and links."}, c.info)
	httpapi.Describe(a, "file.info", visitQuery{}, publicFileAnswer{}, filePeek{})
	httpapi.Handle(a, httpapi.Op{Name: "file.verify", Method: "POST", Path: "/api/public/files/{slug}/verify", Public: true, Actions: []policy.Action{policy.ShareVerify},
		Body: httpapi.JSON, Rate: httpapi.ShareRead, Errors: errs, Summary: "Open a protected file with its password."}, c.verify)
	httpapi.Stream(a, httpapi.Op{Name: "file.office", Method: "GET", Path: "/api/office-preview/{slug}", Public: true, Actions: []policy.Action{policy.SharePreview},
		Answer: httpapi.Bare, Fail: httpapi.FailNamed, Rate: httpapi.ShareRead, Errors: errs, Summary: "A link to an office document for a foreign viewer."}, c.office)
	httpapi.Describe(a, "file.office", visitQuery{}, officeAnswer{})
}

// visitQuery is what the address of a shared file may carry.
type visitQuery struct {
	Slug     string    `path:"slug"`
	Password string    `query:"password"`
	Ticket   string    `query:"ticket"`
	Peek     wire.Flag `query:"peek,lenient"`
	Header   string    `header:"X-Share-Password" doc:"The password of the share; stronger than the query, which stands in logs and histories."`
}

// visitOf reads who comes with a link. The header is stronger than the query,
// which stays for links that were copied with a password.
func visitOf(r *http.Request) (v shares.Visit, peek bool) {
	v = shares.Visit{Slug: httpapi.ScopeOf(r.Context()).Var("slug"), Password: r.Header.Get("X-Share-Password"), Uncounted: r.Method == http.MethodHead}
	if r.URL.RawQuery == "" {
		return v, false
	}
	q := r.URL.Query()
	if v.Password == "" {
		v.Password = q.Get("password")
	}
	v.Ticket, v.Download = q.Get("ticket"), q.Get("download")
	var flag wire.Flag
	err := flag.FromText(q.Get("peek"))
	return v, err == nil && bool(flag)
}

// publicFile is what a visitor gets to know of a file (contract §7.11).
type publicFile struct {
	ID               string  `json:"id"`
	Slug             string  `json:"slug"`
	Filename         string  `json:"filename"`
	MimeType         string  `json:"mimetype"`
	Size             int64   `json:"size"`
	Remark           *string `json:"remark"`
	CreatedAt        string  `json:"created_at"`
	RequiresPassword bool    `json:"requires_password"`
	Views            int64   `json:"views"`
	MaxViews         *int64  `json:"max_views"`
	ExpiresAt        *string `json:"expires_at"`
	wire.SharePlace
}

func publicOf(ctx context.Context, f *shares.File, views int64) publicFile {
	return publicFile{ID: f.ID, Slug: f.Slug, Filename: f.Filename, MimeType: f.MimeType, Size: f.Size, Remark: wire.TextOrNull(f.PublicRemark()),
		CreatedAt: wire.ISO(f.CreatedAt), RequiresPassword: f.Protected(), Views: views, MaxViews: wire.OrNull(f.MaxViews), ExpiresAt: wire.ISOTime(f.ExpiresAt),
		SharePlace: wire.FilePlace(httpapi.ScopeOf(ctx).Origin(), f.Slug)}
}

// fileLinks are the addresses of a file's bytes; direct ones are null when the
// file goes through this server, and when it has a password, an end or a view
// limit.
type fileLinks struct {
	PreviewURL       *string  `json:"previewUrl"`
	DownloadURL      *string  `json:"downloadUrl"`
	DirectPreview    *string  `json:"s3_direct_preview_url"`
	DirectDownload   *string  `json:"s3_direct_download_url"`
	ProxyPreviewURL  string   `json:"proxy_preview_url"`
	ProxyDownloadURL string   `json:"proxy_download_url"`
	UseProxy         wire.Bit `json:"use_proxy"`
}

// linksOf joins the links of a file; query stands behind those of this server.
func linksOf(ctx context.Context, f *shares.File, direct shares.Links, query string) fileLinks {
	l := fileLinks{DirectPreview: httpapi.ScopeOf(ctx).Absolute(direct.Preview), DirectDownload: httpapi.ScopeOf(ctx).Absolute(direct.Download),
		ProxyPreviewURL: wire.ViewURL(httpapi.ScopeOf(ctx).Origin(), f.Slug, query), ProxyDownloadURL: wire.DownloadURL(httpapi.ScopeOf(ctx).Origin(), f.Slug, query), UseProxy: wire.Bit(f.UseProxy)}
	l.PreviewURL, l.DownloadURL = l.DirectPreview, l.DirectDownload
	if f.UseProxy || f.Gated() {
		l.PreviewURL, l.DownloadURL = &l.ProxyPreviewURL, &l.ProxyDownloadURL
	}
	return l
}

type publicFileAnswer struct {
	publicFile
	*fileLinks           // absent while a password is missing
	CreatedBy  string    `json:"created_by"`
	Type       int       `json:"type"`
	TypeName   string    `json:"typeName"`
	Ticket     string    `json:"ticket,omitempty"`
	IsLastView bool      `json:"isLastView"`
	UseProxy   *wire.Bit `json:"use_proxy,omitempty"` // of a locked file
	Checksum   *checksum `json:"checksum,omitempty"`  // of an open file, when storage knows one
}

// checksum is a digest of a file's content.
type checksum struct {
	Algorithm string `json:"algorithm"` // "sha256-128" (its first half) or "etag"
	Value     string `json:"value"`
}

func (c fileCalls) answer(ctx context.Context, r shares.FileReading) publicFileAnswer {
	a := publicFileAnswer{publicFile: publicOf(ctx, r.File, r.Views), CreatedBy: r.CreatedBy, Ticket: r.Ticket, IsLastView: r.Last}
	a.RequiresPassword = r.Locked
	a.Type, a.TypeName = c.Files.TypeOf(r.Filename)
	proxied := wire.Bit(r.UseProxy)
	a.UseProxy = &proxied
	if r.Locked {
		a.Remark = nil // it may tell what the password hides
	} else {
		links := linksOf(ctx, r.File, r.Direct, "?ticket="+r.Ticket)
		a.fileLinks = &links
		if sum, known := digest.Of(r.File); known {
			a.Checksum = &checksum{sum.Algorithm, sum.Value}
		}
	}
	return a
}

// filePeek is what is told of a file before it is opened.
type filePeek struct {
	Slug             string  `json:"slug"`
	Peek             bool    `json:"peek"`
	RequiresPassword bool    `json:"requires_password"`
	IsLastView       bool    `json:"isLastView"`
	Filename         *string `json:"filename,omitempty"`
	MimeType         *string `json:"mimetype,omitempty"`
	Size             *int64  `json:"size,omitempty"`
	ExpiresAt        *string `json:"expires_at"`
	wire.SharePlace
}

func (c fileCalls) info(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, peek := visitOf(r)
	if peek {
		return c.peek(w, r, who, v.Slug)
	}
	reading, err := c.Visits.Info(r.Context(), who, v)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	return httpapi.Send(w, r, c.answer(r.Context(), reading))
}

func (c fileCalls) peek(w http.ResponseWriter, r *http.Request, who policy.Principal, slug string) error {
	p, err := c.Visits.Peek(r.Context(), who, slug)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	answer := filePeek{Slug: p.Slug, Peek: true, RequiresPassword: p.Protected, IsLastView: p.Last, ExpiresAt: wire.ISOTime(p.ExpiresAt),
		SharePlace: wire.FilePlace(httpapi.ScopeOf(r.Context()).Origin(), p.Slug)}
	if !p.Protected {
		answer.Filename, answer.MimeType, answer.Size = &p.Filename, &p.MimeType, &p.Size
	}
	return httpapi.Send(w, r, answer)
}

func (c fileCalls) verify(ctx context.Context, who policy.Principal, in verifyRequest) (publicFileAnswer, error) {
	reading, err := c.Visits.Verify(ctx, who, shares.Visit{Slug: in.Slug, Password: in.Password})
	if err != nil {
		return publicFileAnswer{}, err
	}
	shareHeaders(httpapi.ScopeOf(ctx).Header())
	return c.answer(ctx, reading), nil
}

func (c fileCalls) view(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	return c.serve(w, r, who, policy.ShareView)
}

func (c fileCalls) download(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	return c.serve(w, r, who, policy.ShareDownload)
}

func (c fileCalls) serve(w http.ResponseWriter, r *http.Request, who policy.Principal, do policy.Action) error {
	v, _ := visitOf(r)
	opened, err := c.Visits.Open(r.Context(), who, do, v)
	if err != nil {
		return err
	}
	return serveShared(w, r, opened, do == policy.ShareDownload)
}

// serveShared streams the bytes of an opened file. When storage says that the
// object is not the one on record, the record is corrected and the request starts
// anew.
func serveShared(w http.ResponseWriter, r *http.Request, opened *shares.Opened, attachment bool) error {
	h := w.Header()
	h["Access-Control-Allow-Methods"], h["Access-Control-Allow-Headers"] = contentMethods, contentHeaders
	shareHeaders(h)
	changed, err := serveOpened(w, r, opened, attachment)
	if changed {
		if err = opened.Refresh(r.Context()); err == nil {
			_, err = serveOpened(w, r, opened, attachment)
		}
	}
	return err
}

// Header values of shared bytes (contract §7.14).
var (
	contentMethods = []string{"GET, HEAD, OPTIONS"}
	contentHeaders = []string{"Range, Content-Type"}
)

// serveOpened serves a file as its record says. changed means that storage has
// another object, and that nothing was sent.
func serveOpened(w http.ResponseWriter, r *http.Request, o *shares.Opened, attachment bool) (changed bool, err error) {
	f := o.File
	typ := f.MimeType
	if typ == filetype.OctetStream || typ == "" {
		typ = filetype.ContentType(f.Filename)
	}
	err = content.Serve(w, r, content.Content{Name: f.Filename, Type: typ, Size: f.Size, ETag: f.ETag, ModTime: f.UpdatedAt, Attachment: attachment,
		Open: func(ctx context.Context, part objstore.Range) (*objstore.Body, error) {
			body, err := o.Read(ctx, part)
			changed = ports.Is(err, ports.Precondition)
			if err == nil && body.Object.Size != f.Size {
				body.Close()
				changed, err = true, errChanged
			}
			return body, err
		}})
	return changed, err
}

var errChanged = errors.New("the object is not the one on record")

// officeAnswer is a link for a foreign viewer (contract §7.15).
type officeAnswer struct {
	URL         string `json:"url"`
	Filename    string `json:"filename"`
	MimeType    string `json:"mimetype"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	IsTemporary bool   `json:"is_temporary"`
}

func (c fileCalls) office(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, _ := visitOf(r)
	p, err := c.Visits.Office(r.Context(), who, v)
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	link := p.Link
	if link == "" {
		link = wire.ViewURL(httpapi.ScopeOf(r.Context()).Origin(), p.File.Slug, "?ticket="+p.Ticket)
	}
	return httpapi.Send(w, r, officeAnswer{URL: *httpapi.ScopeOf(r.Context()).Absolute(link), Filename: p.File.Filename, MimeType: p.File.MimeType,
		ExpiresIn: int64(p.Expires.Seconds()), IsTemporary: true})
}
