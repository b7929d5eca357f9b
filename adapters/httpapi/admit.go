package httpapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// admit runs what stands before every operation: who asks, may they ask so
// often, is the body acceptable, is there room. A JSON body is read before a
// place is taken, so that slow senders keep nobody else waiting. release gives
// the room back; it is nil when none was taken.
func (a *API) admit(x *exchange) (release func(), err error) {
	op := &x.route.op
	c, ok := credential(x.r.Header)
	if ok && c.Scheme == "basic" && op.Path != davPath+"/" && x.fromElsewhere() {
		if !op.Public || x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
			return nil, errForeignBasic
		}
		ok = false // a link that somebody followed: as everybody sees it
	}
	if ok {
		who, err := a.opts.Auth.Authenticate(x, c)
		switch {
		case err == nil:
			x.who = who
		case !op.Public || ports.Is(err, ports.Unavailable):
			return nil, err
		}
	}
	if !op.Public && !x.authenticated() {
		return nil, errCredentials // no policy opens these to visitors, so their bodies are not even read
	}
	if err := a.limits.admit(x); err != nil {
		return nil, err
	}
	if op.Confirm.always {
		if err := a.opts.Auth.Confirmed(x, x.who, first(x.r.Header["Authorization"])); err != nil {
			return nil, err
		}
	}
	if err := a.checkBody(x, op); err != nil {
		return nil, err
	}
	if x.paced == nil {
		return a.enter(x, op.Class)
	}
	if err := a.takeBody(x, op); err != nil {
		x.drop()
		return nil, err
	}
	leave, err := a.enter(x, op.Class)
	if err != nil || x.held == nil {
		x.drop()
		return leave, err
	}
	return func() { x.drop(); leave() }, nil
}

// fromElsewhere reports whether a page of another origin has sent the request.
// A browser that knows a name and password for this server adds them to such
// requests unasked. What is no browser says nothing of the kind.
func (x *exchange) fromElsewhere() bool {
	if site := first(x.r.Header["Sec-Fetch-Site"]); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := first(x.r.Header["Origin"])
	if origin == "" {
		return false
	}
	from, err := url.Parse(origin)
	own, ownErr := url.Parse(x.api.origin(x))
	return err != nil || ownErr != nil || from.Host == "" || !strings.EqualFold(from.Host, own.Host) && !strings.EqualFold(from.Host, x.r.Host)
}

// checkBody refuses encoded and oversized bodies, and those that say they are a
// part of a file: kept as the whole they would destroy it (RFC 9110 §14.4).
func (a *API) checkBody(x *exchange, op *Op) error {
	r := x.r
	if x.paced == nil {
		return nil
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return errEncoding
	}
	if op.Body == RawBody && r.Header.Get("Content-Range") != "" {
		return ports.InvalidInput("content_range", "Content-Range")
	}
	if op.streams() {
		if r.ContentLength > streamLimit {
			return errBigBody.WithParams(map[string]any{"limit": int64(streamLimit)})
		}
		r.Body = http.MaxBytesReader(x.w, r.Body, streamLimit)
	}
	return nil
}

// confirm refuses a decoded request that needs a fresh password and has none.
func (a *API) confirm(x *exchange, op *Op, request any) error {
	if op.Confirm.when == nil {
		return nil
	}
	stale := a.opts.Auth.Confirmed(x, x.who, first(x.r.Header["Authorization"]))
	if stale == nil {
		return nil
	}
	needed, err := op.Confirm.when(x, request)
	if err != nil || needed {
		return cmp.Or(err, stale)
	}
	return nil
}

// credential reads the headers of contract §2.1; ok is false when there are
// none. A header that has not the form of a known scheme word, one space and
// one value has the scheme "unknown", which fits nobody.
func credential(h http.Header) (c keys.Credential, ok bool) {
	line := first(h["Authorization"])
	c.CustomKey = first(h["X-Custom-Auth-Key"])
	if line == "" {
		return c, c.CustomKey != ""
	}
	c.Scheme = "unknown"
	scheme, value, _ := strings.Cut(line, " ")
	if value == "" || strings.Contains(value, " ") {
		return c, true
	}
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		c.Scheme, c.Token = "bearer", value
	case strings.EqualFold(scheme, "ApiKey"):
		c.Scheme, c.Token = "apikey", value
	case strings.EqualFold(scheme, "Basic"):
		plain, err := base64.StdEncoding.DecodeString(value)
		if user, password, found := strings.Cut(string(plain), ":"); err == nil && found {
			c.Scheme, c.Username, c.Password = "basic", user, password
		}
	}
	return c, true
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// Concurrency bounds how many calls of each class run at once; zero means the
// default in the comment.
type Concurrency struct {
	Interactive int // 256
	Streaming   int // 512
	Heavy       int // 16
	Fetching    int // 8
}

func (c Concurrency) gates() [classes]chan struct{} {
	or := func(n, fallback int) chan struct{} {
		if n <= 0 {
			n = fallback
		}
		return make(chan struct{}, n)
	}
	return [classes]chan struct{}{
		Interactive: or(c.Interactive, 256), Streaming: or(c.Streaming, 512), Heavy: or(c.Heavy, 16), Fetching: or(c.Fetching, 8),
	}
}

// admissionWait is how long a call waits for room before it is refused.
const admissionWait = 2 * time.Second

// enter takes a place of the class; of the heavy calls each caller has only
// some (security rule 4.5).
func (a *API) enter(x *exchange, class Class) (release func(), err error) {
	leaveOwn := func() {}
	if class == Heavy && a.limits.heavy != nil {
		own, forget := a.limits.heavy.of(x.caller())
		e := *errTraffic
		leave, err := takePlace(x, own, &e)
		if err != nil {
			forget()
			return nil, err
		}
		leaveOwn = func() { leave(); forget() }
	}
	e := *errOverload
	leave, err := takePlace(x, a.classes[class], &e)
	if err != nil {
		leaveOwn()
		return nil, err
	}
	return func() { leave(); leaveOwn() }, nil
}

// takePlace waits a little for a place; full is the answer when there is none.
func takePlace(ctx context.Context, gate chan struct{}, full *ports.Error) (release func(), err error) {
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	default:
	}
	timer := time.NewTimer(admissionWait)
	defer timer.Stop()
	select {
	case gate <- struct{}{}:
		return func() { <-gate }, nil
	case <-timer.C:
		full.RetryAfter = admissionWait
		return nil, full
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// EnterHeavy takes a place among the heavy calls for a call that has turned out
// to be one; ctx is the context of its request.
func (a *API) EnterHeavy(ctx context.Context) (release func(), err error) {
	return a.enter(exchangeFrom(ctx), Heavy)
}

// caller is who the exchange counts for.
func (x *exchange) caller() subject {
	if x.authenticated() {
		return subject{id: string(x.who.Kind) + ":" + x.who.ID}
	}
	return subject{addr: x.client.key()}
}

// ownGates are the gates of single callers, as long as somebody stands at them.
type ownGates struct {
	each int
	mu   sync.Mutex
	at   map[subject]*ownGate
}

type ownGate struct {
	places chan struct{}
	users  int
}

// of returns the gate of a caller, and what to call when it is not needed any
// more.
func (g *ownGates) of(who subject) (places chan struct{}, forget func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := g.at[who]
	if own == nil {
		own = &ownGate{places: make(chan struct{}, g.each)}
		g.at[who] = own
	}
	own.users++
	return own.places, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(g.at, who)
		}
	}
}

// authenticated reports whether the caller showed a credential that fits.
func (x *exchange) authenticated() bool {
	return x.who.Kind != policy.Anonymous && x.who.Kind != ""
}
