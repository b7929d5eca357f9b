package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"pasteport/adapters/httpapi/words"
	"pasteport/ports/policy"
)

// Scope is what an operation may know of its request, and say of the answer
// beside the data. It is one pointer, is found in the context of the request,
// and ends with it. It is safe for concurrent use but for the headers of the
// answer.
type Scope struct{ x *exchange }

// ScopeOf returns the scope of the request that ctx belongs to. Every handler
// runs inside one; elsewhere it is the zero Scope, of which only the methods
// that say so may be called.
func ScopeOf(ctx context.Context) Scope { return Scope{exchangeFrom(ctx)} }

// Who is asking.
func (s Scope) Who() policy.Principal { return s.x.who }

// Var returns a path variable of the request's operation, decoded; empty when
// it has none of this name.
func (s Scope) Var(name string) string { return s.x.vars.get(name) }

// Request is the request as it came, with its clean address.
func (s Scope) Request() *http.Request { return s.x.r }

// RequestID is the id of the request, 16 hex digits; empty for the zero Scope.
func (s Scope) RequestID() string {
	if s.x == nil {
		return ""
	}
	return s.x.id[0]
}

// Header holds the headers of the answer.
func (s Scope) Header() http.Header { return s.x.Header() }

// Origin returns scheme, host and base path of this server as the client sees
// it, without a slash at the end: the configured public URL, else what the
// request and trusted proxies say (contract §1.9). Empty for the zero Scope.
func (s Scope) Origin() string {
	if s.x == nil {
		return ""
	}
	return s.x.api.origin(s.x)
}

// Language returns "en" or "zh", by the request's Accept-Language, else what the
// site says, else "en", as for the zero Scope.
func (s Scope) Language() string {
	if s.x == nil {
		return "en"
	}
	return s.x.language()
}

// Text is the first of the messages that the catalogue has, in the language of
// the request; params fill its placeholders. One that is named after the noun of
// the operation, "paste." and the key, comes before the general one.
func (s Scope) Text(params map[string]any, keys ...string) string {
	return words.Render(s.x.find(keys...), s.x.language(), params)
}

// Say is the message of this key, without regard to the operation, in the
// language of the request; params fill its placeholders.
func (s Scope) Say(key string, params map[string]any) string {
	t, ok := words.Catalogue[key]
	if !ok {
		t = words.Catalogue["internal"]
	}
	return words.Render(t, s.Language(), params)
}

// Failure is what went wrong with one of many things.
type Failure struct {
	Status  int    // of HTTP, as if it were the whole answer
	Key     string // machine code
	Message string // for people, in the language of the request
}

// Failure puts an error into the words of the API, for answers about many things
// of which some failed.
func (s Scope) Failure(err error) Failure {
	f := translate(nil, err)
	return Failure{f.status, f.key, s.x.message(f)}
}

// Op is the name of the operation.
func (s Scope) Op() string { return s.x.opName() }

// Now is the time by the clock of the program.
func (s Scope) Now() time.Time { return s.x.api.opts.Clock.Now() }

// Log takes lines about what goes wrong in the request.
func (s Scope) Log() *slog.Logger { return s.x.api.opts.Log }

// EnterStream is for a handler whose answer turns out to be long: it takes a
// place among the streams, until the answer has gone. Call it before a view is
// taken. For the zero Scope it does nothing.
func (s Scope) EnterStream() error {
	if s.x == nil {
		return nil
	}
	return s.x.enterStream()
}

// EnterHeavy takes a place for a call that has turned out to be heavy and to
// have a long answer, which is written as it is made.
func (s Scope) EnterHeavy() (release func(), err error) {
	if err := s.x.enterStream(); err != nil {
		return nil, err
	}
	return s.x.api.enter(s.x, Packing)
}

// HoldBlock takes a place for a body that is kept whole in memory, until the
// answer has gone. What is not longer than SmallBody needs none.
func (s Scope) HoldBlock() error { return s.x.hold(s.x.api.bodies.blocks) }

// IfMatch returns the entity tag of If-Match; empty without one and for "*". A
// header that names no tag comes back as it is, which no version has.
func (s Scope) IfMatch() string {
	value := strings.TrimSpace(s.x.r.Header.Get("If-Match"))
	tag, _, _ := strings.Cut(strings.TrimLeft(value, ", \t"), ",")
	switch tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag {
	case "*":
		return ""
	case "":
		return value
	}
	return tag
}

// Absolute puts this server's address in front of a path; nil when there is no
// link.
func (s Scope) Absolute(link string) *string {
	if link == "" {
		return nil
	}
	if link[0] == '/' {
		link = s.Origin() + link
	}
	return &link
}

// Base is the base path of this server, without a slash at the end; often empty.
func (s Scope) Base() string { return s.x.api.base }

// PublicTLS reports whether the configured public URL is one of https.
func (s Scope) PublicTLS() bool { return strings.HasPrefix(s.x.api.opts.PublicURL, "https://") }

// Answer sends an answer whose bytes are all there; its headers are set, but for
// the length. HEAD gets the headers alone.
func (s Scope) Answer(status int, data []byte) { s.x.writeBody(status, data) }
