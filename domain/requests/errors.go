package requests

import (
	"errors"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Errors of requests, compared with errors.Is.
var (
	ErrUnknown = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "request.not_found"}
	// ErrFileUnknown is also the answer for a file of another sender.
	ErrFileUnknown = &ports.Error{Code: ports.NotFound, Key: "upload_not_found"}
	errClosed      = &ports.Error{Code: ports.Gone, Key: "request_closed"}
	errExpired     = &ports.Error{Code: ports.Gone, Key: "expired", Text: "request.expired"}
	errFull        = &ports.Error{Code: ports.Forbidden, Key: "request_full"}
	errRefused     = &ports.Error{Code: ports.Forbidden, Key: "policy_denied"}
	errVisit       = &ports.Error{Code: ports.Unauthenticated, Key: "password_required"}
	errWrong       = &ports.Error{Code: ports.Unauthenticated, Key: "password_wrong"}
	errBusy        = &ports.Error{Code: ports.RateLimited, Key: "rate_limited", Text: "request.under_way", RetryAfter: time.Minute}
	errJoining     = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "request.joining"}
	errType        = &ports.Error{Code: ports.Unsupported, Key: "request_type"}
)

// forSender hides what a sender must not learn: what the owner may do, and how
// full a storage is.
func forSender(err error) error {
	var e *ports.Error
	switch {
	case !errors.As(err, &e), errors.Is(err, errFull), errors.Is(err, errRefused), errors.Is(err, ErrFileUnknown):
		return err
	case errors.Is(err, objstore.ErrNoUpload):
		return ErrFileUnknown.With(err)
	case e.Code == ports.Forbidden, e.Code == ports.Unauthenticated, e.Code == ports.NotFound:
		return errClosed.With(err)
	case e.Code == ports.Quota:
		return errFull.With(err)
	}
	return err
}
