package httpapi

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"pasteport/adapters/httpapi/listen"
	"pasteport/adapters/httpapi/words"
	"pasteport/ports/policy"

	"go.opentelemetry.io/otel/trace"
)

// exchange is one request and its answer. It is found in the context of the
// request, is the response writer that handlers see, and what the log line is
// made from.
type exchange struct {
	api   *API
	w     http.ResponseWriter
	r     *http.Request
	route *route // nil outside the registry
	vars  pathVars
	who   policy.Principal
	call  policy.Call // zero outside the registry and the pages

	context exchangeContext // of r, once it is attached
	start   time.Time
	id      [1]string // request id, in the form of a header value
	client  clientAddress
	span    trace.Span // nil when no traces are recorded

	paced *listen.PacedBody // the request's body; nil when there is none
	json  []byte            // its bytes, when it is JSON
	held  []hold            // what the exchange takes until its end
	leave func()            // gives back the place of the call; nil: none is taken
	flow  func()            // gives back the place of work that lasts as long as the answer
	flows bool              // it has a place among the streams

	status  int   // 0 until the header is written
	lingers bool  // a refusal leaves a rest of the body
	bytes   int64 // of the answer's body
	cause   error // of the error answer
	body    [32]byte

	mu      sync.Mutex       // of those below: a use case may ask from several goroutines
	asked   [4]policy.Action // what the policy was asked, the first few
	askedN  int
	allowed questions      // what it allowed a call that may be repeated
	notes   map[string]any // of what the audit log shall tell
	noted   string         // name of the record that the audit log tells of
	rated   bool           // the request was counted against the rate of a rule
}

type exchangeKey struct{}

// exchangeContext is the context of a request in which its exchange and its call
// are found: it lies in the exchange, and takes no memory of its own.
type exchangeContext struct {
	context.Context
	x *exchange
}

func (c *exchangeContext) Value(key any) any {
	switch key.(type) {
	case exchangeKey:
		return c.x
	case policy.CallKey:
		return &c.x.call
	}
	return c.Context.Value(key)
}

// exchangeFrom returns the exchange of a request's context. Every handler of
// this package runs inside one.
func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// ctx is the context of the request.
func (x *exchange) ctx() context.Context { return x.r.Context() }

func (x *exchange) language() string {
	fallback := "en"
	if x.api.opts.Language != nil && x.api.opts.Language() == "zh" {
		fallback = "zh"
	}
	return words.Language(x.r.Header["Accept-Language"], fallback)
}

// Header, Write and WriteHeader make the exchange an http.ResponseWriter that
// remembers status and size.
func (x *exchange) Header() http.Header { return x.w.Header() }

// WriteHeader passes the status on; informational ones are not remembered.
func (x *exchange) WriteHeader(status int) {
	if status >= 200 {
		x.begin(status)
	}
	x.w.WriteHeader(status)
}

// begin notes the status of an answer, once. When the body has not come whole,
// a refusal goes out at once and ends the connection, where net/http would wait
// for the body first; another answer waits for a short while.
func (x *exchange) begin(status int) {
	if x.status != 0 {
		return
	}
	x.status = status
	x.api.cors.expose(x.w.Header(), x.r)
	x.giveBack()
	if x.paced != nil && x.paced.Answer() && status >= 400 {
		x.w.Header()["Connection"] = closing
		x.lingers = true
	}
}

var closing = []string{"close"}

// Write passes bytes on.
func (x *exchange) Write(p []byte) (int, error) {
	x.begin(http.StatusOK)
	n, err := x.w.Write(p)
	x.bytes += int64(n)
	return n, err
}

// ReadFrom lets io.Copy reach the connection, so that the kernel may copy a
// file by itself.
func (x *exchange) ReadFrom(src io.Reader) (int64, error) {
	x.begin(http.StatusOK)
	n, err := io.Copy(x.w, src)
	x.bytes += n
	return n, err
}

// Flush sends what is buffered.
func (x *exchange) Flush() {
	x.begin(http.StatusOK)
	_ = http.NewResponseController(x.w).Flush()
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.w }

var (
	_ http.ResponseWriter = (*exchange)(nil)
	_ io.ReaderFrom       = (*exchange)(nil)
	_ http.Flusher        = (*exchange)(nil)
)

// Watched notes in each request what the policy was asked, so that the edge
// can tell an answer that nobody asked for, and keeps the rates that rules
// demand. Wire it around the decider.
func Watched(d policy.Decider) policy.Decider { return watched{d} }

type watched struct{ policy.Decider }

func (d watched) Decide(ctx context.Context, who policy.Principal, do policy.Action, on policy.Resource) (policy.Decision, error) {
	x := exchangeFrom(ctx)
	if x != nil {
		x.mu.Lock()
		if x.askedN < len(x.asked) {
			x.asked[x.askedN] = do
		}
		x.askedN++
		x.mu.Unlock()
	}
	decision, err := d.Decider.Decide(ctx, who, do, on)
	if x != nil && err == nil && decision.Allow && decision.Obligations.RatePerMinute > 0 {
		if err := x.rate(decision.Obligations.RatePerMinute); err != nil {
			return policy.Decision{}, err
		}
	}
	if x != nil && err == nil && decision.Allow && x.wantsBodyHash() {
		x.mu.Lock()
		if len(x.allowed) < maxQuestions {
			x.allowed = append(x.allowed, question{do, on})
		}
		x.mu.Unlock()
	}
	return decision, err
}
