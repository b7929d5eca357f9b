package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"

	"pasteport/adapters/httpapi/content"

	"pasteport/adapters/httpapi/listen"

	"github.com/go-kit/kit/endpoint"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Options are what the edge needs. Zero fields mean what their comment says.
type Options struct {
	Auth        Authenticator     // required
	Idempotency ports.Idempotency // nil: keys are ignored
	Work        ports.UnitOfWork  // required with Idempotency
	Decider     policy.Decider    // Watched; required with Idempotency: repeated calls ask it
	Clock       ports.Clock       // nil: the system's
	Log         *slog.Logger      // errors; nil: none
	Access      *slog.Logger      // one line per request; nil: none
	// Targets says how those lines name the share or path of a request; the zero
	// value: not at all. Hashes are keyed with TargetHash.
	Targets    LogTargets
	TargetHash func(text string) string // required with HashTargets
	Metrics    *prometheus.Registry     // nil: an own one
	Tracer     trace.Tracer             // makes a span of each request; nil: none

	// PublicURL is scheme, host and base path for links, without a slash at
	// the end; empty: what the request says.
	PublicURL string
	// TrustedProxies are the peers whose forwarding headers count.
	TrustedProxies []netip.Prefix
	// CORSOrigins narrows who may call from other origins, as set at the
	// moment; nil or empty: everybody.
	CORSOrigins func() []string
	// Language is that of answers to who names none, "en" or "zh", as set at the
	// moment; nil or empty: "en".
	Language    func() string
	Limits      TrafficLimits
	Concurrency Concurrency

	// Pages are the web UI; nil: unknown paths answer 404.
	Pages Pages

	// Refused notes an answer 403 that no policy has given, and returns the id
	// under which it can be looked up; nil: such answers have none.
	Refused func(q policy.Query, code string) (id string)

	Audit AuditLog // nil: nothing is noted

	// Room refuses new content of size bytes (-1: unknown) with ErrDiskFull when
	// the disk has no room for it; nil: there is always room.
	Room func(ctx context.Context, kind Growth, size int64) error

	// Undecided is told of answers of 2xx for which none of the operation's
	// actions was asked. Tests fail in it; nil: the log is told. It works only
	// when the decider is wrapped in Watched.
	Undecided func(op string, asked []policy.Action)
}

// API is the public HTTP handler: the registry, the web UI and what lies
// beside them. Register all operations before it serves.
type API struct {
	opts    Options
	routers map[string]*mux.Router // by the head of their paths
	routes  []*route
	byRoute map[*mux.Route]formOf
	base    string // base path without a slash at the end, often empty
	cors    *corsRules
	limits  *limits
	claims  claims
	classes [classes]gate
	bodies  bodyPlaces
	streams *places // long answers on their way, by address
	bulky   *places // JSON answers over jsonLimit, by caller
	metrics *metrics
	targets targetNames
	other   *route     // what is counted for requests outside the registry
	dav     *davRoutes // nil: /dav is unknown
}

// formOf is a method and path of an operation.
type formOf struct {
	*route
	template template // nil when a variable has a pattern
}

// route is a registered operation.
type route struct {
	op       Op
	noun     string
	handler  http.Handler
	plan     endpoint.Endpoint // the first step of an operation of two; else nil
	metrics  *opMetrics
	req      reflect.Type   // nil for streams
	res      []reflect.Type // the shapes of an answer; none for streams
	decoders sync.Map       // of streams, by type
	fronts   atomic.Pointer[[]lineFront]
}

// New makes the edge. It panics on options that cannot work.
func New(opts Options) *API {
	if opts.Auth == nil || (opts.Idempotency != nil && (opts.Work == nil || opts.Decider == nil)) {
		panic("httpapi: a dependency is missing")
	}
	if opts.Clock == nil {
		opts.Clock = ports.SystemClock
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Metrics == nil {
		opts.Metrics = prometheus.NewRegistry()
	}
	a := &API{
		opts:    opts,
		routers: map[string]*mux.Router{},
		byRoute: map[*mux.Route]formOf{},
		base:    basePath(opts.PublicURL),
		cors:    newCORS(opts.CORSOrigins),
		limits:  newLimits(opts.Limits, opts.Clock),
		metrics: newMetrics(opts.Metrics),
		targets: targetNames{seed: maphash.MakeSeed()},
	}
	a.classes, a.bodies, a.streams = opts.Concurrency.gates(), newBodyPlaces(), opts.Concurrency.streams()
	a.bulky = newPlaces(24, 4)
	a.other = &route{op: Op{Name: "other"}, metrics: a.metrics.of("other")}
	return a
}

// add registers an operation; its handler is set by the caller.
func (a *API) add(op Op, req, res reflect.Type) *route {
	noun, _, _ := strings.Cut(op.Name, ".")
	if op.Confirm.Wanted() {
		op.Errors = append(slices.Clone(op.Errors), "confirm_required")
	}
	if op.Grows != GrowsNothing && !slices.Contains(op.Errors, "quota_exceeded") {
		op.Errors = append(slices.Clone(op.Errors), "quota_exceeded")
	}
	rt := &route{op: op, noun: noun, req: req, metrics: a.metrics.of(op.Name)}
	if res != nil {
		rt.res = []reflect.Type{res}
	}
	for _, other := range a.routes {
		if other.op.Name == op.Name {
			panic(fmt.Sprintf("httpapi: %s is registered twice", op.Name))
		}
	}
	a.routes = append(a.routes, rt)
	for _, form := range append([]string{op.Method + " " + op.Path}, op.Aliases...) {
		method, path, _ := strings.Cut(form, " ")
		if strings.Count(path, "{") > maxPathVars {
			panic(fmt.Sprintf("httpapi: %s has too many variables", path))
		}
		methods := []string{method}
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		r, form := a.routerOf(path).NewRoute(), formOf{route: rt}
		if made, plain := templateOf(path); plain {
			r.MatcherFunc(made.matcher)
			form.template = made
		} else {
			r.Path(path)
		}
		a.byRoute[r.Methods(methods...)] = form
	}
	return rt
}

// headLength is how many segments of a path choose the router that looks at the
// whole, "/api/admin/policies": a router tries its routes one after the other.
const headLength = 3

// headOf is the front of a path that chooses its router.
func headOf(path string) string {
	at := 0
	for range headLength {
		next := strings.IndexByte(path[min(at+1, len(path)):], '/')
		if next < 0 {
			return path
		}
		at += 1 + next
	}
	return path[:at]
}

// routerOf returns the router for the paths of an operation.
func (a *API) routerOf(path string) *mux.Router {
	fixed, _, _ := strings.Cut(path, "/{")
	head := headOf(fixed)
	if a.routers[head] == nil {
		a.routers[head] = mux.NewRouter().SkipClean(true)
	}
	return a.routers[head]
}

// Ops lists the registered operations in the order of registration.
func (a *API) Ops() []Op {
	ops := make([]Op, len(a.routes))
	for i, rt := range a.routes {
		ops[i] = rt.op
	}
	return ops
}

// Route is a registered operation and what it reads and answers.
type Route struct {
	Op      Op
	Request reflect.Type   // nil: nothing that is described
	Answers []reflect.Type // the shapes of an answer, each the data or an Answer of it; none: bytes
	Audited bool           // calls are noted in the audit log
}

// Routes lists the registered operations with their types in the order of
// registration. The description of the API is made from it.
func (a *API) Routes() []Route {
	routes := make([]Route, len(a.routes))
	for i, rt := range a.routes {
		routes[i] = Route{Op: rt.op, Request: rt.req, Answers: rt.res, Audited: audited(&rt.op)}
	}
	return routes
}

// Base is the base path of this server, without a slash at the end; often empty.
func (a *API) Base() string { return a.base }

// ServeHTTP answers one request: every one gets an id, a log line, and a 500
// in place of a panic.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{api: a, w: w, r: r, who: policy.Nobody, start: time.Now()}
	x.id[0], x.client = newRequestID(), a.clientOf(r)
	if r.Body != nil && r.Body != http.NoBody {
		x.paced = listen.NewPacedBody(w, r.Body, r.ContentLength)
	}
	w.Header()["X-Request-Id"] = x.id[:1:1]
	a.metrics.inFlight.Add(1)
	if a.opts.Tracer != nil {
		x.startSpan(a.opts.Tracer)
	}
	defer a.finish(x)
	a.serve(x)
}

// serve refuses what is malformed, then finds who answers.
func (a *API) serve(x *exchange) {
	r, h := x.r, x.w.Header()
	path, ok := strings.CutPrefix(r.URL.Path, a.base)
	inAPI := ok && (path == "/api" || strings.HasPrefix(path, "/api/"))
	h["X-Content-Type-Options"] = content.Nosniff
	if inAPI {
		a.cors.apply(h, r)
		h["Cache-Control"] = content.NoStore
	}
	if a.isDAVProbe(r, path) {
		a.serveDAVProbe(x)
		return
	}
	err := checkTarget(r, path)
	if inAPI && err == nil {
		err = readableQuery(r.URL)
	}
	switch {
	case ok && a.isDAV(path):
		a.serveDAV(x, err)
	case err != nil:
		x.attach(x.r.Context())
		a.fail(x, err)
	case !ok:
		x.attach(x.r.Context())
		a.fail(x, ErrNoRoute)
	case inAPI && r.Method == http.MethodOptions:
		a.cors.preflight(x)
	case inAPI:
		a.serveAPI(x, path)
	case a.isDoor(x, path):
		h["Cache-Control"] = content.NoStore
		a.answer(x)
	default:
		x.call = a.callOf(x, policy.HTTP) // pages of shares tell who guesses links
		x.attach(x.r.Context())
		a.servePage(x, path)
	}
}

// Pages answer whatever is neither a call nor WebDAV.
type Pages interface {
	// ServePage answers a request of any method; path lies below the base path
	// and begins with "/", or is empty. The error it returns is answered by the
	// edge.
	ServePage(w http.ResponseWriter, r *http.Request, path string) error
}

func (a *API) servePage(x *exchange, path string) {
	err := error(ErrNoRoute)
	if a.opts.Pages != nil {
		err = a.opts.Pages.ServePage(x, x.r, path)
	}
	if err != nil {
		a.fail(x, err)
	}
}

// queued are the writes that pages of the predecessor keep while offline and
// send later, where the browser has no background sync, with the prefix twice
// (contract §13, §15).
var queued = map[string]bool{"paste.create": true, "paste.update": true, "paste.delete": true, "paste.clear_expired": true,
	"setting.update": true, "cache.clear": true, "mount.clear_cache": true, "file.verify": true}

// serveAPI finds the operation and lets it answer.
func (a *API) serveAPI(x *exchange, path string) {
	doubled := strings.HasPrefix(path, "/api/api/")
	if doubled {
		path = strings.TrimPrefix(path, "/api")
	}
	if !a.find(x, path) || x.route.op.Door || doubled && !queued[x.route.op.Name] {
		x.route, x.vars = nil, pathVars{}
		x.attach(x.r.Context())
		a.fail(x, ErrNoRoute) // a wrong method is 404 too (contract §1.1)
		return
	}
	a.answer(x)
}

// isDoor finds the operation of a request beside the pages. Pages are only read.
func (a *API) isDoor(x *exchange, path string) bool {
	if x.r.Method != http.MethodPut && x.r.Method != http.MethodPost {
		return false
	}
	if !a.find(x, cmp.Or(path, "/")) || !x.route.op.Door {
		x.route, x.vars = nil, pathVars{}
		return false
	}
	return true
}

// find gives the exchange the operation of its method and path, which lies below
// the base path.
func (a *API) find(x *exchange, path string) bool {
	target, match := x.r, mux.RouteMatch{}
	if path != target.URL.Path {
		target = withPath(target, path)
	}
	for head := headOf(path); ; head = head[:max(0, strings.LastIndexByte(head, '/'))] {
		if router := a.routers[head]; router != nil && router.Match(target, &match) && match.MatchErr == nil {
			form := a.byRoute[match.Route]
			x.route, x.vars = form.route, pathVars{}
			form.template.match(target.URL.Path, &x.vars)
			for name, value := range match.Vars {
				x.vars.add(name, value)
			}
			return true
		}
		if head == "" {
			return false
		}
		match = mux.RouteMatch{}
	}
}

// answer lets the operation that was found answer.
func (a *API) answer(x *exchange) {
	x.call = a.callOf(x, policy.HTTP)
	x.attach(x.route.marked(x.r.Context()))
	defer x.release()
	if err := a.admit(x); err != nil {
		a.fail(x, err)
		return
	}
	x.route.handler.ServeHTTP(x, x.r)
}

// Flowing reports whether bodies are on their way that may take long.
func (a *API) Flowing() bool {
	return a.streams.busy() || a.bodies.uploads.busy()
}

// attach gives the request a context below ctx in which its exchange and its call
// are found, and guards the body. net/http keeps its own request, whose body it knows.
func (x *exchange) attach(ctx context.Context) {
	x.context = exchangeContext{ctx, x}
	x.r = x.r.WithContext(&x.context)
	if x.paced != nil {
		x.r.Body = x.paced
	}
}

// callOf is the circumstance of the request for policies.
func (a *API) callOf(x *exchange, protocol string) policy.Call {
	call := policy.Call{Time: a.opts.Clock.Now(), ClientIP: x.client.text, TLS: x.client.tls,
		Protocol: protocol, Method: x.r.Method, RequestID: x.id[0], UserAgent: x.r.UserAgent()}
	if x.route != nil {
		call.Route = x.route.op.Path
	}
	return call
}

func withPath(r *http.Request, path string) *http.Request {
	c, u := *r, *r.URL
	u.Path, u.RawPath = path, ""
	c.URL = &u
	return &c
}

// basePath is the path of the public URL, without a slash at the end.
func basePath(publicURL string) string {
	_, rest, ok := strings.Cut(publicURL, "://")
	if !ok {
		return ""
	}
	_, path, ok := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	if path = strings.Trim(path, "/"); path == "" {
		return ""
	}
	return "/" + path
}

// Authenticator finds out who is asking. It is asked only when the request
// carries a credential.
//
// Returns Unauthenticated for a credential that fits nobody, RateLimited when
// too many did not fit lately.
type Authenticator interface {
	Authenticate(ctx context.Context, c keys.Credential) (policy.Principal, error)
	// Confirmed returns Forbidden with the key confirm_required for an
	// administrator whose session, named by the Authorization header, has not
	// shown the password in the last hour.
	Confirmed(ctx context.Context, who policy.Principal, authorization string) error
}

var _ Authenticator = (*keys.Access)(nil)
