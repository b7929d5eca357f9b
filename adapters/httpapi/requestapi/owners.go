package requestapi

import (
	"context"
	"net/http"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/requests"
	"pasteport/ports/policy"
)

// UseCases are what the operations of this package call.
type UseCases struct {
	Requests *requests.Requests
	Senders  *requests.Senders
}

// Register adds the operations of this package.
func Register(a *httpapi.API, u UseCases) {
	ownerOps(a, ownerCalls{u.Requests})
	senderOps(a, senderCalls{u.Senders})
}

type ownerCalls struct{ requests *requests.Requests }

func ownerOps(a *httpapi.API, c ownerCalls) {
	fields := []string{"not_found", "mount_not_found", "path_forbidden", "mount_forbidden", "root_forbidden", "type_mismatch", "storage_forbidden", "too_large"}
	httpapi.Handle(a, httpapi.Op{Name: "request.create", Method: http.MethodPost, Path: "/api/requests", Actions: []policy.Action{policy.RequestCreate}, Body: httpapi.JSON,
		Answer: httpapi.Created, Rate: httpapi.ShareWrite, Idem: httpapi.Afterwards, Errors: fields, Summary: "Make a link through which others send files into a folder, or as file shares."}, c.create)
	httpapi.Handle(a, httpapi.Op{Name: "request.list", Method: http.MethodGet, Path: "/api/requests", Actions: []policy.Action{policy.RequestList},
		Summary: "Lists requests for files, newest first: to keys their own, to the administrator all."}, c.list)
	httpapi.Handle(a, httpapi.Op{Name: "request.get", Method: http.MethodGet, Path: "/api/requests/{id}", Actions: []policy.Action{policy.RequestReadOwn},
		Summary: "One request for files."}, c.get)
	httpapi.Handle(a, httpapi.Op{Name: "request.received", Method: http.MethodGet, Path: "/api/requests/{id}/files", Actions: []policy.Action{policy.RequestReadOwn},
		Summary: "What has come through a request, newest first."}, c.received)
	httpapi.Handle(a, httpapi.Op{Name: "request.update", Method: http.MethodPut, Path: "/api/requests/{id}", Actions: []policy.Action{policy.RequestUpdate}, Body: httpapi.JSON,
		Errors: []string{"precondition_failed"}, Summary: "Change a request; what is not named stays, and what has come too."}, c.update)
	httpapi.Handle(a, httpapi.Op{Name: "request.end", Method: http.MethodPost, Path: "/api/requests/{id}/end", Actions: []policy.Action{policy.RequestDelete}, Body: httpapi.JSON,
		Summary: "End a request at once; what has come stays."}, c.end)
	httpapi.Handle(a, httpapi.Op{Name: "request.delete", Method: http.MethodDelete, Path: "/api/requests/{id}", Actions: []policy.Action{policy.RequestDelete},
		Summary: "End a request and forget it with the list of what has come; the files stay."}, c.delete)
}

// rulesJSON are the rules of a request; 0 means no bound.
type rulesJSON struct {
	MaxFiles     int64    `json:"max_files" doc:"of all senders together"`
	MaxBytes     int64    `json:"max_bytes" doc:"of all senders together"`
	MaxFileBytes int64    `json:"max_file_bytes"`
	Types        []string `json:"types" doc:"media types of contents, such as image/* and application/pdf; empty means any"`
	AskName      string   `json:"ask_name" doc:"no, optional or required"`
	AskNote      string   `json:"ask_note" doc:"no, optional or required"`
}

func rulesOf(r requests.Rules) rulesJSON {
	types := r.Types
	if types == nil {
		types = []string{}
	}
	return rulesJSON{r.MaxFiles, r.MaxBytes, r.MaxFileBytes, types, string(r.Name), string(r.Note)}
}

type requestJSON struct {
	ID      string `json:"id"`
	URL     string `json:"url" doc:"absolute address of the page for senders"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Folder  string `json:"folder" doc:"where files come; empty: each becomes a file share of the owner"`
	rulesJSON
	PerSender   bool         `json:"folder_per_sender"`
	HasPassword bool         `json:"has_password"`
	ExpiresAt   wire.Instant `json:"expires_at"`
	EndedAt     wire.Instant `json:"ended_at"`
	State       string       `json:"state" doc:"open, full, expired or ended"`
	Files       int64        `json:"files" doc:"that have come or are on their way"`
	Bytes       int64        `json:"bytes" doc:"likewise"`
	CreatedBy   string       `json:"created_by"`
	CreatedAt   wire.Instant `json:"created_at"`
	UpdatedAt   wire.Instant `json:"updated_at"`
	ETag        string       `json:"etag" doc:"for If-Match"`
}

func requestOf(ctx context.Context, r *requests.Request) requestJSON {
	scope := httpapi.ScopeOf(ctx)
	return requestJSON{ID: r.ID, URL: scope.Origin() + "/r/" + r.Slug, Title: r.Title, Message: r.Message, Folder: r.Folder, rulesJSON: rulesOf(r.Rules),
		PerSender: r.PerSender, HasPassword: r.Protected(), ExpiresAt: wire.InstantOf(r.ExpiresAt), EndedAt: wire.InstantOf(r.EndedAt), State: r.State(scope.Now()),
		Files: r.Files, Bytes: r.Bytes, CreatedBy: r.CreatedBy, CreatedAt: wire.Instant(r.CreatedAt), UpdatedAt: wire.Instant(r.UpdatedAt), ETag: r.Tag()}
}

// requestFields are what an owner says of a request.
type requestFields struct {
	Title        wire.Opt[string]    `json:"title"`
	Message      wire.Opt[string]    `json:"message"`
	MaxFiles     wire.Opt[wire.Int]  `json:"max_files" doc:"of all senders together; 0 means no bound"`
	MaxBytes     wire.Opt[wire.Int]  `json:"max_bytes" doc:"of all senders together; 0 means no bound"`
	MaxFileBytes wire.Opt[wire.Int]  `json:"max_file_bytes" doc:"0 means no bound"`
	Types        wire.Opt[[]string]  `json:"types" doc:"media types of contents, such as image/* and application/pdf; empty means any"`
	PerSender    wire.Opt[wire.Flag] `json:"folder_per_sender"`
	AskName      wire.Opt[string]    `json:"ask_name" doc:"no, optional or required"`
	AskNote      wire.Opt[string]    `json:"ask_note" doc:"no, optional or required"`
	Password     wire.Opt[string]    `json:"password" doc:"empty takes it away"`
	ExpiresAt    wire.Opt[wire.When] `json:"expires_at" doc:"null means never"`
}

func (in requestFields) change() requests.Change {
	name, note := wire.Optional(in.AskName), wire.Optional(in.AskNote)
	return requests.Change{Title: wire.Optional(in.Title), Message: wire.Optional(in.Message), MaxFiles: wire.AsPlain[int64](wire.Optional(in.MaxFiles)),
		MaxBytes: wire.AsPlain[int64](wire.Optional(in.MaxBytes)), MaxFileBytes: wire.AsPlain[int64](wire.Optional(in.MaxFileBytes)), Types: wire.Optional(in.Types),
		PerSender: wire.AsPlain[bool](wire.Optional(in.PerSender)), Name: (*requests.Ask)(name), Note: (*requests.Ask)(note), Password: wire.Optional(in.Password),
		SetExpiry: in.ExpiresAt.Set, ExpiresAt: in.ExpiresAt.Value.Time}
}

type createRequest struct {
	requestFields
	Folder string `json:"folder" doc:"path of a folder of a mount; empty: each file becomes a file share"`
}

func (c ownerCalls) create(ctx context.Context, who policy.Principal, in createRequest) (requestJSON, error) {
	ask := func(o wire.Opt[string]) requests.Ask {
		if o.Value == "" {
			return requests.No
		}
		return requests.Ask(o.Value)
	}
	r, err := c.requests.Create(ctx, who, requests.Draft{
		Title: in.Title.Value, Message: in.Message.Value, Folder: in.Folder, Password: in.Password.Value, ExpiresAt: in.ExpiresAt.Value.Time,
		Rules: requests.Rules{MaxFiles: int64(in.MaxFiles.Value), MaxBytes: int64(in.MaxBytes.Value), MaxFileBytes: int64(in.MaxFileBytes.Value), Types: in.Types.Value,
			PerSender: bool(in.PerSender.Value), Name: ask(in.AskName), Note: ask(in.AskNote)},
	})
	if err != nil {
		return requestJSON{}, err
	}
	return requestOf(ctx, r), nil
}

type listRequest struct {
	wire.PageRequest
	CreatedBy string    `query:"created_by"`
	Open      wire.Flag `query:"open,lenient" doc:"only those that take files"`
}

type requestList struct {
	Requests   []requestJSON   `json:"requests"`
	Pagination wire.Pagination `json:"pagination"`
}

// normalPage is how many rows a page has when the call names no number.
const normalPage = 50

func (c ownerCalls) list(ctx context.Context, who policy.Principal, in listRequest) (requestList, error) {
	f := requests.Filter{Paging: in.Paging(normalPage), CreatedBy: in.CreatedBy, Search: strings.TrimSpace(in.Search), Open: bool(in.Open)}
	if f.Limit == 0 {
		f.Limit = normalPage
	}
	page, paging, err := c.requests.List(ctx, who, f)
	if err != nil {
		return requestList{}, err
	}
	out := requestList{Requests: make([]requestJSON, len(page.Items)), Pagination: wire.PaginationOf(paging, page.Total, false)}
	for i := range page.Items {
		out.Requests[i] = requestOf(ctx, &page.Items[i])
	}
	return out, nil
}

func (c ownerCalls) get(ctx context.Context, who policy.Principal, in wire.IDRequest) (requestJSON, error) {
	r, err := c.requests.Get(ctx, who, in.ID)
	if err != nil {
		return requestJSON{}, err
	}
	return requestOf(ctx, r), nil
}

type receivedRequest struct {
	ID string `path:"id"`
	wire.PageRequest
}

type receivedJSON struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Place    string       `json:"place" doc:"path in the mounts, or id of the file share"`
	Size     int64        `json:"size"`
	Type     string       `json:"type" doc:"media type of the content"`
	Sender   string       `json:"sender"`
	Note     string       `json:"note"`
	StoredAt wire.Instant `json:"stored_at"`
}

type receivedList struct {
	Files      []receivedJSON  `json:"files"`
	Pagination wire.Pagination `json:"pagination"`
}

func (c ownerCalls) received(ctx context.Context, who policy.Principal, in receivedRequest) (receivedList, error) {
	paging := in.Paging(normalPage)
	if paging.Limit == 0 {
		paging.Limit = normalPage
	}
	page, err := c.requests.Received(ctx, who, in.ID, paging)
	if err != nil {
		return receivedList{}, err
	}
	out := receivedList{Files: make([]receivedJSON, len(page.Items)), Pagination: wire.PaginationOf(paging, page.Total, false)}
	for i, f := range page.Items {
		out.Files[i] = receivedJSON{f.ID, f.Name, f.Place, f.Size, f.Type, f.Sender, f.Note, wire.InstantOf(f.StoredAt)}
	}
	return out, nil
}

type updateRequest struct {
	ID string `path:"id"`
	requestFields
}

func (c ownerCalls) update(ctx context.Context, who policy.Principal, in updateRequest) (requestJSON, error) {
	change := in.change()
	change.IfMatch = httpapi.ScopeOf(ctx).IfMatch()
	done, err := c.requests.Update(ctx, who, in.ID, change)
	if err != nil {
		return requestJSON{}, err
	}
	httpapi.ScopeOf(ctx).NoteBefore(in, requestOf(ctx, &done.Before))
	return requestOf(ctx, &done.After), nil
}

func (c ownerCalls) end(ctx context.Context, who policy.Principal, in wire.IDRequest) (requestJSON, error) {
	r, err := c.requests.End(ctx, who, in.ID)
	if err != nil {
		return requestJSON{}, err
	}
	httpapi.ScopeOf(ctx).Note("title", r.Title)
	return requestOf(ctx, r), nil
}

func (c ownerCalls) delete(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
	r, err := c.requests.Delete(ctx, who, in.ID)
	if err == nil {
		httpapi.ScopeOf(ctx).NoteBefore(nil, requestOf(ctx, r))
	}
	return httpapi.None{}, err
}
