package webdav

import (
	"context"
	"net/http"
	"strings"
	"time"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/transfer"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// Options are what a Handler needs.
type Options struct {
	Tree      *mounts.Tree
	Resources *dav.Resources // of the tree
	Transfers *transfer.Transfers
	Settings  Settings
	// Prefix is where the tree lies on this server: "/dav", with the base path
	// in front.
	Prefix string
	// Send answers GET and HEAD with a file: conditions, ranges, and a redirect
	// to where elsewhere says, unless that is empty. It must not call elsewhere
	// for HEAD or when a condition does not hold.
	Send func(w http.ResponseWriter, r *http.Request, f *mounts.File, elsewhere func(ctx context.Context) (string, error)) error
	// Heavy takes a place among the heavy calls for a request that has turned
	// out to be one; nil: there is always one.
	Heavy func(ctx context.Context) (release func(), err error)
	// Deleted hears of every path that DELETE has removed, before the answer;
	// nil: nobody does.
	Deleted func(ctx context.Context, path string) error
}

// Settings are the operator's choices about WebDAV, as they are at the moment.
type Settings interface {
	// WebDAVUploadMode is "direct" or "multipart".
	WebDAVUploadMode() string
	// WebDAVCreateParents says that PUT and MKCOL make missing folders.
	WebDAVCreateParents() bool
	// WebDAVIgnoreSystemFiles says that the files which file managers scatter
	// are not stored.
	WebDAVIgnoreSystemFiles() bool
	// WebDAVNoRedirectAgents are the parts of User-Agent headers of clients
	// that cannot follow a redirect.
	WebDAVNoRedirectAgents() []string
}

// Handler answers WebDAV requests. It is safe for concurrent use.
type Handler struct {
	Options
	started time.Time
}

// New returns a Handler.
func New(o Options) *Handler { return &Handler{Options: o, started: time.Now()} }

// Method is a row of the method table.
type Method struct {
	Name string // of the request
	// Actions are what its use cases ask the policy; one of them is asked
	// before an answer of 2xx.
	Actions []policy.Action
	// Body says that the request carries content, not a description.
	Body bool
	// Heavy says that one request may move a whole tree.
	Heavy bool
	// Grows says that it stores something new.
	Grows bool
	serve func(h *Handler, x *exchange) error
}

// Methods is the whole table, but for OPTIONS, which says nothing about
// anybody's files.
func Methods() []Method { return methods }

var methods = []Method{
	{Name: "PROPFIND", Actions: []policy.Action{policy.WebDAVList}, serve: (*Handler).propfind},
	{Name: "GET", Actions: []policy.Action{policy.WebDAVGet}, serve: (*Handler).get},
	{Name: "HEAD", Actions: []policy.Action{policy.WebDAVGet}, serve: (*Handler).get},
	{Name: "PUT", Actions: []policy.Action{policy.WebDAVWrite}, Body: true, Grows: true, serve: (*Handler).put},
	{Name: "DELETE", Actions: []policy.Action{policy.WebDAVWrite}, serve: (*Handler).remove},
	{Name: "MKCOL", Actions: []policy.Action{policy.WebDAVWrite}, Grows: true, serve: (*Handler).mkcol},
	{Name: "COPY", Actions: []policy.Action{policy.WebDAVWrite}, Heavy: true, Grows: true, serve: (*Handler).copy},
	{Name: "MOVE", Actions: []policy.Action{policy.WebDAVWrite}, Heavy: true, serve: (*Handler).move},
	{Name: "PROPPATCH", Actions: []policy.Action{policy.WebDAVWrite}, serve: (*Handler).proppatch},
	{Name: "LOCK", Actions: []policy.Action{policy.WebDAVWrite}, serve: (*Handler).lock},
	{Name: "UNLOCK", Actions: []policy.Action{policy.WebDAVWrite}, serve: (*Handler).unlock},
}

// allowed is the Allow header.
const allowed = "OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK"

// Challenge is the WWW-Authenticate header of answers without a credential. It
// offers Basic alone: a second scheme confuses clients (contract §8.2).
const Challenge = `Basic realm="WebDAV", charset="UTF-8"`

// Announce sets the headers that tell a client what is spoken here.
func Announce(h http.Header) {
	h["Dav"] = []string{"1, 2, 3"}
	h["Allow"] = []string{allowed}
	h["Ms-Author-Via"] = []string{"DAV"}
	h["Accept-Ranges"] = []string{"bytes"}
}

// ServeOptions answers OPTIONS, for everybody (contract §8.4).
func (h *Handler) ServeOptions(w http.ResponseWriter) {
	Announce(w.Header())
	w.Header()["Content-Length"] = []string{"0"}
	w.WriteHeader(http.StatusOK)
}

// exchange is one request and its answer.
type exchange struct {
	http.ResponseWriter
	r      *http.Request
	caller mounts.Caller
	path   string // decoded, below the prefix; "/" at the end means a folder
	asked  string // path as the client writes it: the same, or in another Unicode form
	prefix string
}

// Serve answers a request of a caller. An error that comes back was not
// answered yet; Status tells the status of the answer it deserves.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	x := &exchange{ResponseWriter: w, r: r, caller: mounts.Caller{Who: who, Door: mounts.WebDAV}, prefix: h.Prefix}
	for _, m := range methods {
		if m.Name == r.Method {
			if err := x.read(h); err != nil {
				return err
			}
			return x.finish(m.serve(h, x))
		}
	}
	return x.notAllowed()
}

// read takes from the request what every method needs.
func (x *exchange) read(h *Handler) (err error) {
	if x.asked, err = x.target(x.r.URL.Path, x.r.URL.EscapedPath()); err != nil {
		return err
	}
	x.path = h.Tree.Form(x.r.Context(), x.caller, x.asked, x.purpose())
	x.caller.Conditions = conditionsOf(x.r.Header)
	if header := x.r.Header["If"]; len(header) > 0 {
		x.caller.If, x.caller.Locks, err = x.parseIf(strings.Join(header, " "))
	}
	return err
}

// purpose is what the method wants of its path.
func (x *exchange) purpose() mounts.Purpose {
	switch x.r.Method {
	case "PROPFIND":
		return mounts.ToList
	case http.MethodGet, http.MethodHead:
		return mounts.ToRead
	}
	return mounts.ToWrite
}

// notAllowed is the error of a method that is not for this resource.
func (x *exchange) notAllowed() error {
	x.Header()["Allow"] = []string{allowed}
	return &Failure{Status: http.StatusMethodNotAllowed, Err: &ports.Error{Code: ports.NotImplemented, Key: "not_supported"}}
}

// respond answers without a body.
func (x *exchange) respond(status int) error {
	x.Header()["Content-Length"] = []string{"0"}
	x.WriteHeader(status)
	return nil
}
