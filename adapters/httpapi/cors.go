package httpapi

import (
	"net/http"
	"slices"

	"pasteport/adapters/httpapi/content"
)

// corsRules say which other origins may call the API. No cookie carries
// authority, so everybody may unless a list narrows it (decision 9).
type corsRules struct {
	origins func() []string // nil: everybody
}

func newCORS(origins func() []string) *corsRules { return &corsRules{origins: origins} }

var (
	anyOrigin = []string{"*"}
	exposed   = []string{"ETag, Content-Length, Content-Disposition, Content-Range, Accept-Ranges, Last-Modified, Location, DAV, Lock-Token, X-Request-Id, Idempotency-Replayed, Retry-After, X-Refresh, Age"}
	methods   = []string{"GET, POST, PUT, DELETE, OPTIONS, HEAD, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK"}
	dayAge    = []string{"86400"}
	varyOrig  = []string{"Origin"}
)

// defaultHeaders are allowed when a preflight names none.
const defaultHeaders = "Content-Type, Authorization, X-Custom-Auth-Key, X-Requested-With, Range, Idempotency-Key, X-Share-Password"

// apply marks an answer as readable from other origins.
func (c *corsRules) apply(h http.Header, r *http.Request) {
	var origins []string
	if c.origins != nil {
		origins = c.origins()
	}
	if len(origins) == 0 {
		h["Access-Control-Allow-Origin"] = anyOrigin
		return
	}
	h["Vary"] = varyOrig
	if origin := first(r.Header["Origin"]); origin != "" && slices.Contains(origins, origin) {
		h["Access-Control-Allow-Origin"] = []string{origin}
	}
}

// expose says, when the other headers of an answer are set, which of them pages of
// other origins may read. A request of theirs names the origin; without one the
// answer says so only when a cache may keep it for them.
func (c *corsRules) expose(h http.Header, r *http.Request) {
	if h["Access-Control-Allow-Origin"] == nil {
		return
	}
	if r.Header["Origin"] != nil || first(h["Cache-Control"]) != content.NoStore[0] {
		h["Access-Control-Expose-Headers"] = exposed
	}
}

// preflight answers OPTIONS: anything the browser asks for, for a day. The
// calls themselves decide.
func (c *corsRules) preflight(x *exchange) {
	h := x.Header()
	if h["Access-Control-Allow-Origin"] != nil {
		h["Access-Control-Allow-Methods"] = methods
		wanted := first(x.r.Header["Access-Control-Request-Headers"])
		if wanted == "" {
			wanted = defaultHeaders
		}
		h["Access-Control-Allow-Headers"] = []string{wanted}
		h["Access-Control-Max-Age"] = dayAge
	}
	x.WriteHeader(http.StatusNoContent)
}
