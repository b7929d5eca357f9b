package shareapi

import (
	"context"
	"net/http"
	"net/url"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/domain/shares"
	"pasteport/domain/shares/collections"
	"pasteport/ports/policy"
)

// publicCollectionOps registers the calls of those who come with the link of a
// collection.
func publicCollectionOps(a *httpapi.API, u UseCases) {
	c := collectionCalls{u}
	errs := []string{"password_required", "password_wrong", "key_required", "expired", "used_up"}
	bytes := append([]string{"changed_since", "range_invalid", "precondition_failed", "storage_unavailable", "storage_denied"}, errs...)
	saved := append([]string{"downloads_used_up"}, bytes...)
	httpapi.Stream(a, httpapi.Op{Name: "collection.info", Method: "GET", Path: "/api/public/collections/{slug}", Public: true, Actions: []policy.Action{policy.ShareList},
		Answer: httpapi.Envelope, Rate: httpapi.ShareRead, Errors: errs, Type: "application/json", Summary: "Open a collection: its items and their links. Takes one view for the whole visit."}, c.info)
	httpapi.Describe(a, "collection.info", folderQuery{}, publicCollection{}, collectionPeek{})
	httpapi.Handle(a, httpapi.Op{Name: "collection.verify", Method: "POST", Path: "/api/public/collections/{slug}/verify", Public: true, Actions: []policy.Action{policy.ShareVerify},
		Body: httpapi.JSON, Rate: httpapi.ShareRead, Errors: errs, Summary: "Open a protected collection with its password."}, c.verify)
	httpapi.Stream(a, httpapi.Op{Name: "collection.view", Method: "GET", Path: "/api/collection-view/{slug}/{item}", Public: true, Actions: []policy.Action{policy.ShareView},
		Fail: httpapi.FailText, Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: saved, Also: httpapi.ContentStatuses, Summary: "The bytes of an item, to be shown. Of a kind that no page shows it is a download."}, c.view)
	httpapi.Describe(a, "collection.view", savedQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "collection.download", Method: "GET", Path: "/api/collection-download/{slug}/{item}", Public: true, Actions: []policy.Action{policy.ShareDownload},
		Fail: httpapi.FailText, Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: saved, Also: httpapi.ContentStatuses, Summary: "The bytes of an item, to be saved."}, c.download)
	httpapi.Describe(a, "collection.download", savedQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "collection.thumbnail", Method: "GET", Path: "/api/collection-thumbnail/{slug}/{item}", Public: true, Actions: []policy.Action{policy.ShareView},
		Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: append([]string{"unsupported_media"}, bytes...), Also: []int{http.StatusNotModified}, Type: "image/*",
		Summary: "A small picture of an item that is a JPEG, PNG or GIF file. Takes one view, unless a ticket stands for it."}, c.thumbnail)
	httpapi.Describe(a, "collection.thumbnail", pictureQuery{})
	httpapi.Stream(a, httpapi.Op{Name: "collection.zip", Method: "GET", Path: "/api/collection-zip/{slug}", Public: true, Actions: []policy.Action{policy.ShareDownload},
		Fail: httpapi.FailText, Rate: httpapi.ShareRead, Class: httpapi.Streaming, Errors: saved, Also: httpapi.ContentStatuses, Type: "application/zip",
		Summary: "All of a collection as one ZIP file, which goes on at any offset. Takes one view, unless a ticket stands for it."}, c.zip)
	httpapi.Describe(a, "collection.zip", zipQuery{})
}

// itemQuery is what the address of an item may carry.
type itemQuery struct {
	visitQuery
	Item string `path:"item"`
}

// savedQuery is what the address of a download may carry.
type savedQuery struct {
	itemQuery
	Download string `query:"download"` // what the answer calls its downloads, so that each counts once
}

// pictureQuery is what the address of a small picture may carry.
type pictureQuery struct {
	itemQuery
	// Size is how long the longer side shall be, in pixels, as that of fs.thumbnail.
	Size wire.Int `query:"size"`
}

// folderQuery is what the address of a collection may carry.
type folderQuery struct {
	visitQuery
	Folder string   `query:"folder"` // id of a folder in a shared folder
	Offset wire.Int `query:"offset"` // entries to leave out; an answer holds 1,000 of a folder
}

// zipQuery is what the address of a ZIP file may carry.
type zipQuery struct {
	visitQuery
	Resume   string `query:"resume"`   // lets a download that was begun go on
	Download string `query:"download"` // what the answer calls its downloads, so that each counts once
	Folder   string `query:"folder"`   // id of a folder in a shared folder
}

// publicCollection is what a visitor gets to know of a collection.
type publicCollection struct {
	Slug             string  `json:"slug"`
	RequiresPassword bool    `json:"requires_password"`
	Title            string  `json:"title"` // empty while a password is missing
	CreatedBy        string  `json:"created_by"`
	CreatedAt        string  `json:"created_at"`
	ExpiresAt        *string `json:"expires_at"`
	Views            int64   `json:"views"`
	MaxViews         *int64  `json:"max_views"`
	// MaxDownloads and Downloads are absent where downloads are not limited.
	MaxDownloads *int64       `json:"max_downloads,omitempty"`
	Downloads    *int64       `json:"downloads,omitempty"`
	Look         string       `json:"look,omitempty"` // what its owner wants seen first: list, grid, gallery or preview
	IsLastView   bool         `json:"isLastView"`
	Ticket       string       `json:"ticket,omitempty"`
	ArchiveURL   string       `json:"archiveUrl,omitempty"` // all of it as one ZIP file; absent when there is nothing
	Items        []publicItem `json:"items"`                // empty while a password is missing
	wire.SharePlace
	Live      bool         `json:"live,omitempty"`        // it is a folder, as it is now
	AsItStood bool         `json:"as_it_stood,omitempty"` // it is shown as it was when the link was made
	Lost      []lostFile   `json:"lost,omitempty"`        // of a folder as it stood: what is not handed out any more
	Folders   []pathFolder `json:"folders,omitempty"`     // of a folder, before its items
	Way       []pathFolder `json:"way,omitempty"`         // the folders from the shared one to the one shown
	Total     int          `json:"total,omitempty"`       // entries of the folder shown
}

// lostFile is a file that was changed or deleted after the link was made.
type lostFile struct {
	Name    string `json:"name"`
	Changed bool   `json:"changed"` // it is there, but is another one
}

// pathFolder is a folder in a shared folder.
type pathFolder struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func pathFolders(all []collections.Folder) (some []pathFolder) {
	for _, f := range all {
		some = append(some, pathFolder(f))
	}
	return some
}

// shownOf reads which part of a shared folder is looked at.
func shownOf(r *http.Request) collections.Shown {
	q := r.URL.Query()
	var from wire.Int
	_ = from.FromText(q.Get("offset")) // what is no number is the beginning
	return collections.Shown{Folder: q.Get("folder"), From: int(from)}
}

// publicItem is an item with the addresses of its bytes, which carry the ticket
// of the visit.
type publicItem struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	MimeType    string `json:"mimetype"`
	Size        int64  `json:"size"`
	Type        int    `json:"type"`
	TypeName    string `json:"typeName"`
	PreviewURL  string `json:"previewUrl"`
	DownloadURL string `json:"downloadUrl"`
	Modified    string `json:"modified,omitempty"` // of a file in a shared folder
}

// collectionPeek is what is told of a collection before it is opened.
type collectionPeek struct {
	Slug             string  `json:"slug"`
	Peek             bool    `json:"peek"`
	RequiresPassword bool    `json:"requires_password"`
	IsLastView       bool    `json:"isLastView"`
	ExpiresAt        *string `json:"expires_at"`
	wire.SharePlace
}

func (c collectionCalls) answer(ctx context.Context, r collections.Reading) publicCollection {
	origin := httpapi.ScopeOf(ctx).Origin()
	a := publicCollection{Slug: r.Slug, RequiresPassword: r.Locked, CreatedBy: r.CreatedBy, CreatedAt: wire.ISO(r.CreatedAt), ExpiresAt: wire.ISOTime(r.ExpiresAt),
		Views: r.Views, MaxViews: wire.OrNull(r.MaxViews), IsLastView: r.Last, Ticket: r.Ticket, Items: make([]publicItem, len(r.Items)), SharePlace: wire.CollectionPlace(origin, r.Slug)}
	if !r.Locked {
		a.Title, a.Look = r.Title, string(r.Look)
	}
	a.Folders, a.Way, a.Total, a.Live = pathFolders(r.Folders), pathFolders(r.Way), r.Total, r.Live() && !r.Locked
	a.AsItStood = r.Stood && !r.Locked
	for _, l := range r.Lost {
		a.Lost = append(a.Lost, lostFile(l))
	}
	named := ""
	if r.MaxDownloads > 0 {
		a.MaxDownloads, a.Downloads = &r.MaxDownloads, &r.Collection.Downloads
		named = "&download=" + r.Download
	}
	if len(r.Items)+len(r.Folders) > 0 {
		q := url.Values{"ticket": {r.Ticket}, "resume": {r.Resume}}
		if n := len(r.Way); n > 0 {
			q.Set("folder", r.Way[n-1].ID)
		}
		a.ArchiveURL = origin + "/api/collection-zip/" + r.Slug + "?" + q.Encode() + named
	}
	for i := range r.Items {
		f := &r.Items[i]
		rest := r.Slug + "/" + f.ID + "?ticket=" + url.QueryEscape(r.Ticket)
		a.Items[i] = publicItem{ID: f.ID, Filename: f.Filename, MimeType: f.MimeType, Size: f.Size, PreviewURL: origin + "/api/collection-view/" + rest + named, DownloadURL: origin + "/api/collection-download/" + rest + named}
		a.Items[i].Type, a.Items[i].TypeName = c.Files.TypeOf(f.Filename)
		if r.Live() && !f.CreatedAt.IsZero() {
			a.Items[i].Modified = wire.ISO(f.CreatedAt)
		}
	}
	return a
}

func (c collectionCalls) info(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, peek := visitOf(r)
	if peek {
		p, err := c.CollectionVisits.Peek(r.Context(), who, v.Slug)
		if err != nil {
			return err
		}
		shareHeaders(w.Header())
		return httpapi.Send(w, r, collectionPeek{Slug: p.Slug, Peek: true, RequiresPassword: p.Protected, IsLastView: p.Last, ExpiresAt: wire.ISOTime(p.ExpiresAt),
			SharePlace: wire.CollectionPlace(httpapi.ScopeOf(r.Context()).Origin(), p.Slug)})
	}
	reading, err := c.CollectionVisits.ReadFolder(r.Context(), who, v, shownOf(r))
	if err != nil {
		return err
	}
	shareHeaders(w.Header())
	return httpapi.Send(w, r, c.answer(r.Context(), reading))
}

type folderVerify struct {
	verifyRequest
	Folder string   `json:"folder"` // id of a folder in a shared folder
	Offset wire.Int `json:"offset"` // entries to leave out
}

func (c collectionCalls) verify(ctx context.Context, who policy.Principal, in folderVerify) (publicCollection, error) {
	reading, err := c.CollectionVisits.VerifyFolder(ctx, who, shares.Visit{Slug: in.Slug, Password: in.Password}, collections.Shown{Folder: in.Folder, From: int(in.Offset)})
	if err != nil {
		return publicCollection{}, err
	}
	shareHeaders(httpapi.ScopeOf(ctx).Header())
	return c.answer(ctx, reading), nil
}

func (c collectionCalls) view(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	return c.serve(w, r, who, policy.ShareView)
}

func (c collectionCalls) download(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	return c.serve(w, r, who, policy.ShareDownload)
}

func (c collectionCalls) serve(w http.ResponseWriter, r *http.Request, who policy.Principal, do policy.Action) error {
	v, _ := visitOf(r)
	opened, err := c.CollectionVisits.Open(r.Context(), who, do, v, httpapi.ScopeOf(r.Context()).Var("item"))
	if err != nil {
		return err
	}
	return serveShared(w, r, opened, do == policy.ShareDownload)
}

func (c collectionCalls) thumbnail(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := httpapi.Decode[pictureQuery](r)
	if err != nil {
		return err
	}
	v, _ := visitOf(r)
	opened, err := c.CollectionVisits.Open(r.Context(), who, policy.ShareView, v, in.Item)
	if err != nil {
		return err
	}
	f := opened.File
	picture, err := c.Thumbnails.Of(thumbnail.Source{Name: f.Filename, Storage: f.StorageConfigID, Key: f.StoragePath, ETag: f.ETag, Size: f.Size, Read: opened.Read},
		wire.ClampInt(int64(in.Size), -1, 1<<20))
	if err != nil {
		return err
	}
	// One that was made before needs no byte of the file, but its view all the same.
	if err := opened.Pay(r.Context()); err != nil {
		return err
	}
	shareHeaders(w.Header())
	return content.ServePicture(w, r, picture.Tag, picture.Make, "X-Share-Password")
}

func (c collectionCalls) zip(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	v, _ := visitOf(r)
	zip, err := c.CollectionVisits.Zip(r.Context(), who, v, r.URL.Query().Get("resume"), r.URL.Query().Get("folder"))
	if err != nil {
		return err
	}
	h := w.Header()
	h["Access-Control-Allow-Methods"], h["Access-Control-Allow-Headers"] = contentMethods, contentHeaders
	shareHeaders(h)
	return content.Serve(w, r, content.Content{Name: zip.Name, Type: "application/zip", Size: zip.Size, ETag: zip.ETag, Attachment: true, Open: zip.Read})
}
