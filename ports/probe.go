package ports

import (
	"context"
	"net/http"
)

// Prober sends single requests the way a browser would, to find out whether
// browsers can use a storage. The addresses come from signed requests of
// drivers, so they may be private ones that the administrator has set.
//
// Nothing of the answer's body comes back: it is the storage's own text and
// must not reach anybody through us. Redirects are not followed.
type Prober interface {
	// Probe returns Unavailable when there is no answer.
	Probe(ctx context.Context, r Probe) (ProbeAnswer, error)
}

// Probe is one request.
type Probe struct {
	Method string
	URL    string // absolute, or a path of this server that starts with "/"
	Header http.Header
	Body   []byte
}

// ProbeAnswer is what came back.
type ProbeAnswer struct {
	Status int
	Header http.Header // to be treated as a stranger's words
}
