package httpapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"pasteport/domain/keys"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// admit runs what stands before every operation: who asks, may they ask so
// often, is the body acceptable, is there room. A JSON body is read before a
// place is taken, so that slow senders keep nobody else waiting. The caller
// calls x.release when the exchange is over, also after an error.
func (a *API) admit(x *exchange) error {
	op := &x.route.op
	c, ok := credential(x.r.Header)
	if ok && c.Scheme == "basic" && op.Path != davPath+"/" && x.fromElsewhere() {
		if !op.Public || x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
			return errForeignBasic
		}
		ok = false // a link that somebody followed: as everybody sees it
	}
	if c.Scheme == "basic" && c.Password == "" && op.Path != davPath+"/" {
		c = keys.Credential{Scheme: "apikey", Token: c.Username} // curl -u KEY: and https://KEY@host/
	}
	if ok {
		who, err := a.opts.Auth.Authenticate(x.ctx(), c)
		switch {
		case err == nil:
			x.who = who
		case !op.Public || ports.Is(err, ports.Unavailable):
			return err
		}
	}
	if !op.Public && !x.authenticated() {
		return ErrCredentials // no policy opens these to visitors, so their bodies are not even read
	}
	if err := a.limits.admit(x); err != nil {
		return err
	}
	if op.Confirm.Always {
		if err := a.opts.Auth.Confirmed(x.ctx(), x.who, first(x.r.Header["Authorization"])); err != nil {
			return err
		}
	}
	if op.Grows != GrowsNothing && a.opts.Room != nil {
		if err := a.opts.Room(x.ctx(), op.Grows, x.r.ContentLength); err != nil {
			return err
		}
	}
	if err := a.checkBody(x, op); err != nil {
		return err
	}
	if x.paced != nil {
		if err := a.takeBody(x, op); err != nil {
			return err
		}
	}
	return a.takeLane(x, op)
}

// marked is the context of a call, which says whether it stores new content.
func (rt *route) marked(ctx context.Context) context.Context {
	if rt.op.Grows != GrowsNothing {
		return ports.WithNewContent(ctx)
	}
	return ctx
}

// takeLane takes the place that the call needs while its answer is made.
func (a *API) takeLane(x *exchange, op *Op) (err error) {
	switch {
	case op.Class == Streaming && op.streams() && x.paced != nil:
		return nil // its body has a place
	case op.Class == Streaming && op.streams():
		x.leave, err = a.enter(x, Interactive)
	case op.Class == Streaming:
		return x.enterStream()
	case op.Class == Packing:
		if err := x.enterStream(); err != nil {
			return err
		}
		x.flow, err = a.enter(x, Packing)
	case op.Class == Fetching && op.Answer == Bytes:
		if err := x.enterStream(); err != nil {
			return err
		}
		x.leave, err = a.enter(x, Fetching)
	case op.Class == Interactive && x.who.Kind == policy.Admin:
		x.leave, err = a.enter(x, Panel)
	default:
		x.leave, err = a.enter(x, op.Class)
	}
	return err
}

// Streamed is how large an answer may be, in bytes, that leaves without a place
// among the streams: the kernel takes it in at once, whoever reads it.
const Streamed = 64 << 10

// enterStream takes a place among the streams, which the exchange keeps until
// its last byte has gone. The place of the call is given back first: who waits
// for a stream keeps no other call waiting. Repeating it is harmless.
//
// Returns RateLimited when the address has too many streams, Unavailable when
// there are too many in all.
func (x *exchange) enterStream() error {
	if x.flows {
		return nil
	}
	x.giveBack()
	if err := x.holdAs(x.api.streams, x.client.key().String()); err != nil {
		return err
	}
	x.flows = true
	return nil
}

// giveBack gives up the place that was needed to make the answer. It is called
// when the answer begins: whoever reads it slowly keeps nobody waiting.
func (x *exchange) giveBack() {
	if leave := x.leave; leave != nil {
		x.leave = nil
		leave()
	}
}

// release gives back all that the exchange has taken.
func (x *exchange) release() {
	x.giveBack()
	if x.flow != nil {
		x.flow()
		x.flow = nil
	}
	x.drop()
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
	stale := a.opts.Auth.Confirmed(x.ctx(), x.who, first(x.r.Header["Authorization"]))
	if stale == nil {
		return nil
	}
	needed, err := op.Confirm.when(x.ctx(), request)
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
	Heavy       int // 16
	Fetching    int // 8
	Packing     int // 64
	SignIn      int // 32
	Panel       int // 64
	Vital       int // 64

	Streams           int // long answers on their way, in all: 1024
	StreamsPerAddress int // of them to one address: 256; negative: no bound
}

func (c Concurrency) gates() [classes]gate {
	or := func(n, fallback int) gate {
		if n <= 0 {
			n = fallback
		}
		return newGate(n)
	}
	return [classes]gate{
		Interactive: or(c.Interactive, 256), Heavy: or(c.Heavy, 16), Fetching: or(c.Fetching, 8), Packing: or(c.Packing, 64),
		SignIn: or(c.SignIn, 32), Panel: or(c.Panel, 64), Vital: or(c.Vital, 64),
	}
}

// streams are the places of long answers.
func (c Concurrency) streams() *places {
	p := newPlaces(c.Streams, c.StreamsPerAddress)
	if p.all <= 0 {
		p.all = 1024
	}
	switch {
	case p.each == 0:
		p.each = 256
	case p.each < 0:
		p.each = p.all
	}
	return p
}

// enter takes a place of the class; of the heavy calls each caller has only
// some (security rule 4.5).
func (a *API) enter(x *exchange, class Class) (release func(), err error) {
	if class != Heavy && class != Packing || a.limits.heavy == nil {
		return a.classes[class].enter(x.ctx(), errOverload)
	}
	own, forget := a.limits.heavy.of(x.caller())
	leaveOwn, err := own.enter(x.ctx(), errTraffic)
	if err != nil {
		forget()
		return nil, err
	}
	leave, err := a.classes[class].enter(x.ctx(), errOverload)
	if err != nil {
		leaveOwn()
		forget()
		return nil, err
	}
	return func() { leave(); leaveOwn(); forget() }, nil
}

// caller is who the exchange counts for.
func (x *exchange) caller() subject {
	if x.authenticated() {
		return subject{id: string(x.who.Kind) + ":" + x.who.ID}
	}
	return subject{addr: x.client.key()}
}

// authenticated reports whether the caller showed a credential that fits.
func (x *exchange) authenticated() bool {
	return x.who.Kind != policy.Anonymous && x.who.Kind != ""
}
