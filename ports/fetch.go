package ports

import (
	"context"
	"io"
)

// Fetcher reads addresses of the web that callers name. Because the caller is
// not trusted, an implementation connects to public hosts only, unless the
// operator allows more, sends no credentials, and gives up on sites that are
// slow or endless in time. It does not bound the size: callers do.
//
// Methods return Invalid for an address that is no http or https URL, for a
// site that may not or cannot be reached (with the same error for both, so that
// nobody learns which hosts and ports of our own network exist), and for one
// that answers with an error status (Params "status").
type Fetcher interface {
	// Look asks what an address holds, without reading it.
	Look(ctx context.Context, address string) (Remote, error)
	// Open begins to read what an address holds. The caller closes the body;
	// reading it fails when the site becomes too slow or ctx ends.
	Open(ctx context.Context, address string) (*RemoteBody, error)
}

// Remote is what a site says about an address. Nothing of it can be trusted.
type Remote struct {
	Method       string // HEAD or GET: which one the site answered
	Name         string // the file name it proposes; empty means none
	ContentType  string // media type in lower case, without parameters; empty means none
	Size         int64  // bytes; -1 means unknown
	LastModified string // in the form of HTTP; empty means unknown
	CORS         bool   // pages of any origin may read it
}

// RemoteBody is the content of an address, to be read once.
type RemoteBody struct {
	io.ReadCloser
	Remote
}
