package requestapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/requests"
	"pasteport/ports/policy"
)

// VisitHeader carries the secret of a visit: it tells one sender from another.
const VisitHeader = "X-Request-Visit"

type senderCalls struct{ senders *requests.Senders }

func senderOps(a *httpapi.API, c senderCalls) {
	view, send := []policy.Action{policy.RequestView}, []policy.Action{policy.RequestUpload}
	closed := []string{"expired", "request_closed"}
	refusals := append([]string{"password_required", "request_full", "request_type", "upload_not_found", "already_exists", "locked", "storage_denied", "quota_exceeded"}, closed...)
	const file = "/api/public/requests/{slug}/files/{id}"
	httpapi.Handle(a, httpapi.Op{Name: "request.form", Method: http.MethodGet, Path: "/api/public/requests/{slug}", Public: true, Actions: view, Rate: httpapi.ShareRead,
		Errors: closed, Summary: "What a request asks for; with the header X-Request-Visit also what this visit has sent."}, c.form)
	httpapi.Handle(a, httpapi.Op{Name: "request.enter", Method: http.MethodPost, Path: "/api/public/requests/{slug}/visits", Public: true, Actions: view, Body: httpapi.JSON, Rate: httpapi.ShareRead,
		Errors: append([]string{"password_required", "password_wrong"}, closed...), Summary: "Begin a visit, whose secret goes with every further call in the header X-Request-Visit."}, c.enter)
	httpapi.Handle(a, httpapi.Op{Name: "request.begin", Method: http.MethodPost, Path: "/api/public/requests/{slug}/files", Public: true, Actions: send, Body: httpapi.JSON, Rate: httpapi.RequestSend,
		Grows: httpapi.GrowsFiles, Errors: refusals, Summary: "Announce a file: with links it is sent in parts to those, without in one piece to its content."}, c.begin)
	httpapi.Stream(a, httpapi.Op{Name: "request.send", Method: http.MethodPut, Path: file + "/content", Public: true, Actions: send, Body: httpapi.RawBody, Answer: httpapi.Envelope,
		Rate: httpapi.RequestSend, Class: httpapi.Streaming, Grows: httpapi.GrowsFiles, Errors: refusals, Type: "application/json", Summary: "Send an announced file in one piece. It may be repeated."}, c.send)
	httpapi.Describe(a, "request.send", fileRequest{}, sentJSON{})
	httpapi.Handle(a, httpapi.Op{Name: "request.resume", Method: http.MethodGet, Path: file, Public: true, Actions: send, Rate: httpapi.ShareRead,
		Errors: refusals, Summary: "How far a file of this visit has come, and links for the parts that are missing."}, c.resume)
	httpapi.Handle(a, httpapi.Op{Name: "request.complete", Method: http.MethodPost, Path: file + "/complete", Public: true, Actions: send, Body: httpapi.JSON, Rate: httpapi.RequestSend,
		Grows: httpapi.GrowsFiles, Errors: refusals, Summary: "Join the parts of a file. It may be repeated."}, c.complete)
	httpapi.Handle(a, httpapi.Op{Name: "request.cancel", Method: http.MethodDelete, Path: file, Public: true, Actions: send, Rate: httpapi.ShareRead,
		Errors: refusals, Summary: "Give up a file of this visit that has not come whole."}, c.cancel)
}

// visitOf is the secret of the sender's visit; empty without one.
func visitOf(ctx context.Context) string {
	return httpapi.ScopeOf(ctx).Request().Header.Get(VisitHeader)
}

type formRequest struct {
	Slug string `path:"slug"`
}

// formJSON is a request as its senders see it. Of one with a password nothing
// else is told without a visit.
type formJSON struct {
	HasPassword bool   `json:"has_password"`
	Title       string `json:"title"`
	Message     string `json:"message"`
	rulesJSON
	ExpiresAt wire.Instant `json:"expires_at"`
	Visit     string       `json:"visit" doc:"secret; empty while the visit has not begun"`
	Files     []sentJSON   `json:"files" doc:"of this visit alone, newest first"`
}

func formOf(f *requests.Form) formJSON {
	out := formJSON{HasPassword: f.Protected, Title: f.Title, Message: f.Message, rulesJSON: rulesOf(f.Rules), ExpiresAt: wire.InstantOf(f.ExpiresAt), Visit: f.Visit,
		Files: make([]sentJSON, len(f.Files))}
	for i := range f.Files {
		out.Files[i] = sentOf(&f.Files[i])
	}
	return out
}

// sentJSON is a file as its sender sees it.
type sentJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Size      int64  `json:"size"`
	State     string `json:"state" doc:"sending, joining or stored"`
	PartSize  int64  `json:"part_size" doc:"0: it is sent in one piece"`
	PartCount int    `json:"part_count"`
}

func sentOf(f *requests.File) sentJSON {
	return sentJSON{f.ID, f.Name, f.Size, string(f.State), f.PartSize, f.PartCount}
}

func (c senderCalls) form(ctx context.Context, who policy.Principal, in formRequest) (formJSON, error) {
	f, err := c.senders.View(ctx, who, in.Slug, visitOf(ctx))
	if err != nil {
		return formJSON{}, err
	}
	return formOf(f), nil
}

type enterRequest struct {
	Slug     string `path:"slug"`
	Password string `json:"password"`
}

func (c senderCalls) enter(ctx context.Context, who policy.Principal, in enterRequest) (formJSON, error) {
	f, err := c.senders.Enter(ctx, who, in.Slug, in.Password)
	if err != nil {
		return formJSON{}, err
	}
	return formOf(f), nil
}

type beginRequest struct {
	Slug   string   `path:"slug"`
	Name   string   `json:"name"`
	Size   wire.Int `json:"size"`
	Sender string   `json:"sender"`
	Note   string   `json:"note"`
}

// announcedJSON is a file that its sender goes on with.
type announcedJSON struct {
	sentJSON
	Arrived []int           `json:"arrived" doc:"numbers of the parts that have come"`
	Links   []wire.PartLink `json:"links" doc:"where the other parts go, with PUT"`
}

func announcedOf(ctx context.Context, a *requests.Announced) announcedJSON {
	out := announcedJSON{sentJSON: sentOf(&a.File), Arrived: make([]int, len(a.Arrived)), Links: wire.PartLinks(httpapi.ScopeOf(ctx).Absolute, a.Links)}
	for i, p := range a.Arrived {
		out.Arrived[i] = p.Number
	}
	return out
}

func (c senderCalls) begin(ctx context.Context, who policy.Principal, in beginRequest) (announcedJSON, error) {
	a, err := c.senders.Begin(ctx, who, in.Slug, visitOf(ctx), requests.NewFile{Name: in.Name, Size: int64(in.Size), Sender: in.Sender, Note: in.Note})
	if err != nil {
		return announcedJSON{}, err
	}
	return announcedOf(ctx, a), nil
}

type fileRequest struct {
	Slug string `path:"slug"`
	ID   string `path:"id"`
}

func (c senderCalls) send(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	in, err := httpapi.Decode[fileRequest](r)
	if err != nil {
		return err
	}
	f, err := c.senders.Store(r.Context(), who, in.Slug, visitOf(r.Context()), in.ID, requests.Content{Body: r.Body, Size: r.ContentLength})
	if err != nil {
		return err
	}
	return httpapi.Send(w, r, sentOf(f))
}

func (c senderCalls) resume(ctx context.Context, who policy.Principal, in fileRequest) (announcedJSON, error) {
	a, err := c.senders.Resume(ctx, who, in.Slug, visitOf(ctx), in.ID)
	if err != nil {
		return announcedJSON{}, err
	}
	return announcedOf(ctx, a), nil
}

func (c senderCalls) complete(ctx context.Context, who policy.Principal, in fileRequest) (sentJSON, error) {
	f, err := c.senders.Complete(ctx, who, in.Slug, visitOf(ctx), in.ID)
	if err != nil {
		return sentJSON{}, err
	}
	return sentOf(f), nil
}

func (c senderCalls) cancel(ctx context.Context, who policy.Principal, in fileRequest) (httpapi.None, error) {
	return httpapi.None{}, c.senders.Cancel(ctx, who, in.Slug, visitOf(ctx), in.ID)
}
