package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"pasteport/adapters/httpapi/content"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// DAV is WebDAV as the edge sees it: methods of one path, which pass the same
// chain as every operation, and a handler that knows the rest.
type DAV struct {
	// Ops are the methods, but for OPTIONS. Path is the same for all.
	Ops []Op
	// Serve answers; the error it returns is answered by the edge. One that has
	// a method HTTPStatus() int names its status.
	Serve func(w http.ResponseWriter, r *http.Request, who policy.Principal) error
	// Options answers OPTIONS, which needs no credential.
	Options func(w http.ResponseWriter)
	// Announce sets the headers of answers to unknown methods.
	Announce func(h http.Header)
}

// davPath is where WebDAV lies, below the base path.
const davPath = "/dav"

// davRoutes are the registered methods.
type davRoutes struct {
	DAV
	methods map[string]*route
	unknown *route // is counted for other methods
}

// ServeDAV registers WebDAV. It panics when it is called twice.
func (a *API) ServeDAV(d DAV) {
	if a.dav != nil {
		panic("httpapi: WebDAV is registered twice")
	}
	a.dav = &davRoutes{DAV: d, methods: map[string]*route{}}
	a.dav.unknown = &route{op: Op{Name: "dav.unknown", Fail: FailText, Statuses: map[string]int{"not_supported": http.StatusMethodNotAllowed}}, noun: "dav", metrics: a.metrics.of("dav.unknown")}
	for _, op := range d.Ops {
		op.Path, op.Fail = davPath+"/", FailText
		a.dav.methods[op.Method] = &route{op: op, noun: "dav", metrics: a.metrics.of(op.Name)}
	}
}

// isDAV reports whether a path below the base path is WebDAV's.
func (a *API) isDAV(path string) bool {
	return a.dav != nil && (path == davPath || strings.HasPrefix(path, davPath+"/"))
}

// isDAVProbe reports whether a request asks the server itself whether it
// speaks WebDAV, as Windows does before it looks further (contract §8.4).
func (a *API) isDAVProbe(r *http.Request, path string) bool {
	if a.dav == nil || path != "" && path != "/" && r.URL.Path != "/" && r.URL.Path != "*" {
		return false
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut: // a page, or a door
		return false
	}
	return r.Method == http.MethodOptions || a.dav.methods[r.Method] != nil
}

// serveDAV passes a request through the chain to the handler. refused is why
// its address is refused, nil when it is not.
func (a *API) serveDAV(x *exchange, refused error) {
	r, h := x.r, x.w.Header()
	a.cors.apply(h, r)
	h["Cache-Control"] = content.NoStore
	h["X-Content-Type-Options"] = content.Nosniff
	// A challenge at an address with no slash below /dav, an escaped one being
	// none, would count for the whole server: browsers then send the password to
	// /api too (RFC 7617 §2.2). WebDAV clients ask the folder by other methods,
	// which no page of another site can send.
	within := strings.Count(r.URL.EscapedPath(), "/") > strings.Count(a.base+davPath, "/")
	if (r.Method == http.MethodGet || r.Method == http.MethodHead) && !within && refused == nil {
		x.attach(x.r.Context())
		folder := url.URL{Path: a.base + davPath + "/" + strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, a.base+davPath), "/")}
		h["Location"] = []string{folder.EscapedPath()}
		x.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	x.route = a.dav.methods[r.Method]
	if x.route == nil {
		x.route = a.dav.unknown
	}
	x.call = a.callOf(x, policy.WebDAV)
	x.attach(x.route.marked(x.r.Context()))
	switch {
	case refused != nil && len(r.URL.Path) > len(a.base)+len(davPath)+maxPath:
		a.fail(x, errLongURL)
	case refused != nil:
		a.fail(x, refused)
	case r.Method == http.MethodOptions:
		a.davOptions(x)
	case x.route == a.dav.unknown:
		a.refuseMethod(x)
	default:
		a.answerDAV(x)
	}
}

func (a *API) answerDAV(x *exchange) {
	defer x.release()
	err := a.admit(x)
	if err == nil {
		err = a.dav.Serve(x, x.r, x.who)
	}
	if err != nil {
		a.fail(x, err)
	}
}

// davOptions tells what is spoken here. A browser that asks before a call from
// another origin gets its own answer.
func (a *API) davOptions(x *exchange) {
	x.route = nil // nobody's files are touched
	if x.r.Header.Get("Origin") != "" && x.r.Header.Get("Access-Control-Request-Method") != "" {
		a.cors.preflight(x)
		return
	}
	a.dav.Options(x)
}

// serveDAVProbe answers at the root of the server.
func (a *API) serveDAVProbe(x *exchange) {
	x.attach(x.r.Context())
	if x.r.Method == http.MethodOptions {
		a.dav.Options(x)
		return
	}
	x.route = a.dav.unknown
	a.refuseMethod(x)
}

func (a *API) refuseMethod(x *exchange) {
	a.dav.Announce(x.Header())
	a.fail(x, errMethod)
}

// errMethod is 405 under /dav (decision 47).
var errMethod = &ports.Error{Code: ports.NotImplemented, Key: "not_supported"}
