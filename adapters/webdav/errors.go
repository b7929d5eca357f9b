package webdav

import (
	"errors"
	"net/http"
	"strconv"

	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Failure is an error whose status WebDAV prescribes. The edge writes it like
// any other error.
type Failure struct {
	Status int
	Err    error
}

// Error describes the failure for the log.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap gives the error behind it.
func (f *Failure) Unwrap() error { return f.Err }

// HTTPStatus is the status of the answer.
func (f *Failure) HTTPStatus() int { return f.Status }

// Errors of addresses.
var (
	errLong    = &Failure{http.StatusRequestURITooLong, &ports.Error{Code: ports.Invalid, Key: "uri_too_long"}}
	errForeign = &Failure{http.StatusBadGateway, &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "destination_foreign"}}
)

// precondition is an error with an element that names the condition (RFC 4918
// §16). body is what stands in DAV:error.
type precondition struct {
	status int
	body   string
	cause  error
}

func (p *precondition) Error() string { return p.body }
func (p *precondition) Unwrap() error { return p.cause }

// finish answers errors that have an element of their own, and gives those of
// the tree their status.
func (x *exchange) finish(err error) error {
	if err == nil {
		return nil
	}
	var p *precondition
	if errors.As(err, &p) {
		return x.writeError(p)
	}
	if errors.Is(err, mounts.ErrLocked) {
		body := x.href(lockedPath(err), false)
		return x.writeError(&precondition{http.StatusLocked, "<D:lock-token-submitted>" + body + "</D:lock-token-submitted>", err})
	}
	var f *Failure
	if errors.As(err, &f) {
		return err
	}
	if status := x.status(err); status != 0 {
		return &Failure{Status: status, Err: err}
	}
	return err
}

// lockedPath is the path whose lock is in the way.
func lockedPath(err error) string {
	var e *ports.Error
	if errors.As(err, &e) {
		if path, ok := e.Params["path"].(string); ok {
			return path
		}
	}
	return "/"
}

// status is the status of an error of the tree where WebDAV wants another than
// its code has; 0 for all others.
func (x *exchange) status(err error) int {
	creates := x.r.Method == "PUT" || x.r.Method == "MKCOL" || x.r.Method == "LOCK"
	switch {
	case errors.Is(err, mounts.ErrNoMount), errors.Is(err, mounts.ErrForeign):
		if creates {
			return http.StatusForbidden // nobody makes files beside the mounts
		}
		return http.StatusNotFound
	case errors.Is(err, mounts.ErrNoParent):
		return http.StatusConflict
	case errors.Is(err, mounts.ErrRoot), errors.Is(err, mounts.ErrVirtual):
		if x.r.Method == "MKCOL" {
			return http.StatusMethodNotAllowed // it is there
		}
		return http.StatusForbidden
	case errors.Is(err, mounts.ErrType), errors.Is(err, objstore.ErrFolderInTheWay):
		return http.StatusMethodNotAllowed
	case errors.Is(err, objstore.ErrFileInTheWay):
		return http.StatusConflict
	case errors.Is(err, mounts.ErrIntoSelf):
		return http.StatusForbidden
	}
	return 0
}

// writeError answers with a DAV:error body.
func (x *exchange) writeError(p *precondition) error {
	body := xmlHead + `<D:error xmlns:D="DAV:">` + p.body + "</D:error>"
	h := x.Header()
	h["Content-Type"] = xmlType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.WriteHeader(p.status)
	_, err := x.Write([]byte(body))
	return err
}

var xmlType = []string{"application/xml; charset=utf-8"}

const xmlHead = `<?xml version="1.0" encoding="utf-8"?>` + "\n"
