package httpapi

import (
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"pasteport/adapters/httpapi/listen"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// finish ends an exchange: it turns a panic into an answer, counts, and writes
// the log line.
func (a *API) finish(x *exchange) {
	p := recover()
	abort := p == http.ErrAbortHandler
	if p != nil && !abort {
		a.metrics.panics.Inc()
		a.opts.Log.LogAttrs(x.ctx(), slog.LevelError, "panic", slog.String("request_id", x.id[0]),
			slog.String("op", x.opName()), slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
		if x.status == 0 {
			x.cause = &ports.Error{Code: ports.Internal, Cause: fmt.Errorf("panic: %v", p)}
			a.failQuietly(x)
		} else {
			abort = true // part of an answer has gone; the connection must end
		}
	}
	took := time.Since(x.start)
	a.metrics.inFlight.Add(-1)
	rt := x.route
	if rt == nil {
		rt = a.other
	}
	if x.status == http.StatusTooManyRequests || x.status == http.StatusServiceUnavailable {
		a.metrics.limited.Inc()
	}
	rt.metrics.observe(x, took.Seconds())
	a.checkAsked(x)
	a.log(x, took)
	if x.span != nil {
		x.endSpan()
	}
	if x.lingers && !abort {
		_ = http.NewResponseController(x.w).Flush()
		x.paced.Linger(listen.Stopping(x.ctx()))
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// failQuietly answers x.cause; the panic it may end in is for the caller.
func (a *API) failQuietly(x *exchange) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			x.status = http.StatusInternalServerError
		}
	}()
	a.fail(x, x.cause)
}

// checkAsked tells of an answer that no policy was asked for.
func (a *API) checkAsked(x *exchange) {
	if x.route == nil || x.status < 200 || x.status > 299 || x.route.op.Signed {
		return
	}
	asked, ok := x.askedOneOf(x.route.op.Actions)
	if ok {
		return
	}
	if a.opts.Undecided != nil {
		a.opts.Undecided(x.route.op.Name, asked)
		return
	}
	a.opts.Log.LogAttrs(x.ctx(), slog.LevelError, "answered without asking the policy", slog.String("request_id", x.id[0]), slog.String("op", x.route.op.Name))
}

// askedOneOf reports whether the policy was asked one of the actions, and if
// not, what it was asked.
func (x *exchange) askedOneOf(actions []policy.Action) (asked []policy.Action, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.asked[:min(x.askedN, len(x.asked))]
	for _, do := range list {
		if slices.Contains(actions, do) {
			return nil, true
		}
	}
	return slices.Clone(list), false
}

// LogTargets says how the log names what a request is about.
type LogTargets int

// The ways to name it. Who reads a slug in a log can open the share; a hash
// tells only which lines are about the same one.
const (
	NoTargets LogTargets = iota
	HashTargets
	PlainTargets
)

// target is the share or path that the request is about, as the log may name
// it; "" when there is none.
func (a *API) target(x *exchange) string {
	if a.opts.Targets == NoTargets {
		return ""
	}
	about := x.vars.get("slug")
	if about == "" {
		about = x.vars.get("path")
	}
	if x.route != nil && x.route.noun == "dav" {
		about = strings.TrimPrefix(x.r.URL.Path, a.base+davPath)
	}
	if about == "" && x.route != nil && x.route.noun == "fs" {
		about = x.r.URL.Query().Get("path")
	}
	if about == "" && x.route == nil {
		about = pageSlug(strings.TrimPrefix(x.r.URL.Path, a.base))
	}
	switch {
	case about == "":
		return ""
	case a.opts.Targets == HashTargets:
		return a.targets.of(about, a.opts.TargetHash)
	}
	const longest = 200
	return strings.ToValidUTF8(about[:min(len(about), longest)], "?")
}

// targetNames are the hashes by which the log named what it named lately: most
// requests are about what some before them were about.
type targetNames struct {
	seed  maphash.Seed
	slots [1 << 10]atomic.Pointer[targetName]
}

type targetName struct{ about, hash string }

// keptTarget is how long the text of a target may be, in bytes, whose hash is kept.
const keptTarget = 100

// of is the hash of what a request is about.
func (n *targetNames) of(about string, hash func(text string) string) string {
	slot := &n.slots[maphash.String(n.seed, about)%uint64(len(n.slots))]
	if known := slot.Load(); known != nil && known.about == about {
		return known.hash
	}
	name := hash(about)
	if len(about) <= keptTarget {
		slot.Store(&targetName{strings.Clone(about), name}) // the text is a part of a request
	}
	return name
}

// pageSlug is the slug in the address of a share's page.
func pageSlug(path string) string {
	for _, front := range []string{"/paste/", "/file/"} {
		if rest, ok := strings.CutPrefix(path, front); ok {
			slug, _, _ := strings.Cut(rest, "/")
			return slug
		}
	}
	return ""
}

// log writes one line. Query strings are named, never shown: they may carry
// passwords. What a request is about is named as Options.Targets says.
func (a *API) log(x *exchange, took time.Duration) {
	if x.cause != nil && x.status >= 500 && x.status != http.StatusServiceUnavailable {
		a.opts.Log.LogAttrs(x.ctx(), slog.LevelError, "request failed", slog.String("request_id", x.id[0]),
			slog.String("op", x.opName()), slog.Int("status", x.status), slog.String("cause", CauseText(x.cause)))
	}
	if a.opts.Access == nil || !a.opts.Access.Enabled(x.ctx(), slog.LevelInfo) {
		return
	}
	var attrs [12]slog.Attr
	line := append(attrs[:0],
		slog.String("request_id", x.id[0]),
		slog.Int64("took_us", took.Microseconds()),
		slog.Int64("bytes", x.bytes))
	if x.who.ID != "" {
		line = append(line, slog.String("principal_id", x.who.ID))
	}
	if x.client.text != "" {
		line = append(line, slog.String("client", x.client.text))
	}
	if x.route == nil {
		line = append(line, slog.String("path", shownPath(x.r.URL.Path)))
	}
	if about := a.target(x); about != "" {
		line = append(line, slog.String("target", about))
	}
	if x.r.URL.RawQuery != "" {
		line = append(line, slog.String("query", queryNames(x.r.URL.RawQuery)))
	}
	if id := foreignID(x.r.Header); id != "" {
		line = append(line, slog.String("client_request_id", id))
	}
	if x.cause != nil {
		line = append(line, slog.String("code", translate(nil, x.cause).key))
	}
	// Past the logger, which would look for the caller in the stack.
	record := slog.NewRecord(x.start.Add(took), slog.LevelInfo, "request", 0)
	record.AddAttrs(line...)
	_ = x.lines().Handle(x.ctx(), record) // a log that cannot be written stops no request
}

// lineFront is what many lines of one operation begin with, and the log in which
// that is written already.
type lineFront struct {
	method    string
	status    int
	principal policy.Kind
	log       slog.Handler
}

// lines is the access log with the front of the line of this request. The operations
// of the registry keep theirs: they are few, where elsewhere clients choose the method.
func (x *exchange) lines() slog.Handler {
	method, keeps := x.r.Method, x.route != nil && x.route.op.Path != ""
	var known []lineFront
	if keeps {
		if list := x.route.fronts.Load(); list != nil {
			known = *list
		}
		for i := range known {
			if f := &known[i]; f.status == x.status && f.method == method && f.principal == x.who.Kind {
				return f.log
			}
		}
	}
	log := x.api.opts.Access.Handler().WithAttrs([]slog.Attr{slog.String("op", x.opName()), slog.String("method", method),
		slog.Int("status", x.status), slog.String("principal", string(x.who.Kind))})
	if keeps {
		more := append(slices.Clone(known), lineFront{method, x.status, x.who.Kind, log})
		x.route.fronts.Store(&more) // what another request adds meanwhile is made anew
	}
	return log
}

// shownPath is the front of a path, without what may be the slug of a share.
func shownPath(p string) string {
	const segments, longest = 3, 100
	parts := strings.SplitN(p, "/", segments+1)
	switch {
	case len(parts) > 2 && (parts[1] == "paste" || parts[1] == "file"):
		p = "/" + parts[1] + "/..."
	case len(parts) > segments:
		p = strings.Join(parts[:segments], "/") + "/..."
	}
	return strings.ToValidUTF8(p[:min(len(p), longest)], "?")
}

func (x *exchange) opName() string {
	if x.route == nil {
		return "other"
	}
	return x.route.op.Name
}

// CauseText describes an error for the log without its chain of wrappers.
func CauseText(err error) string {
	const limit = 2000
	s := err.Error()
	return s[:min(len(s), limit)]
}

// queryNames lists the names of a query string.
func queryNames(raw string) string {
	values, _ := url.ParseQuery(raw)
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	s := strings.Join(names, ",")
	return s[:min(len(s), 200)]
}

// foreignID is the client's own request id, when it is harmless.
func foreignID(h http.Header) string {
	id := first(h["X-Request-Id"])
	if len(id) < 8 || len(id) > 64 {
		return ""
	}
	for _, c := range []byte(id) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.') {
			return ""
		}
	}
	return id
}

// newRequestID returns 16 hex digits. They name a log line and guard nothing.
func newRequestID() string {
	var raw [8]byte
	n := rand.Uint64()
	for i := range raw {
		raw[i] = byte(n >> (8 * i))
	}
	var text [16]byte
	hex.Encode(text[:], raw[:])
	return string(text[:])
}
