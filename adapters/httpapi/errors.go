package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"

	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/forms"
	"pasteport/adapters/httpapi/wire"
	"pasteport/adapters/httpapi/words"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// statuses is the one table from the domain's codes to HTTP, with the general
// machine code of each (contract §1.5 of the filesystem part).
var statuses = map[ports.Code]struct {
	status int
	key    string
}{
	ports.Internal:        {http.StatusInternalServerError, "internal"},
	ports.Invalid:         {http.StatusBadRequest, "invalid_argument"},
	ports.Unauthenticated: {http.StatusUnauthorized, "unauthenticated"},
	ports.Forbidden:       {http.StatusForbidden, "permission_denied"},
	ports.NotFound:        {http.StatusNotFound, "not_found"},
	ports.Conflict:        {http.StatusConflict, "already_exists"},
	ports.Gone:            {http.StatusGone, "expired"},
	ports.Precondition:    {http.StatusPreconditionFailed, "precondition_failed"},
	ports.TooLarge:        {http.StatusRequestEntityTooLarge, "too_large"},
	ports.Unsupported:     {http.StatusUnsupportedMediaType, "unsupported_media"},
	ports.Unprocessable:   {http.StatusUnprocessableEntity, "idempotency_reused"},
	ports.Range:           {http.StatusRequestedRangeNotSatisfiable, "range_invalid"},
	ports.RateLimited:     {http.StatusTooManyRequests, "rate_limited"},
	ports.Quota:           {http.StatusInsufficientStorage, "quota_exceeded"},
	ports.BadGateway:      {http.StatusBadGateway, "storage_denied"},
	ports.Unavailable:     {http.StatusServiceUnavailable, "storage_unavailable"},
	ports.NotImplemented:  {http.StatusNotImplemented, "not_supported"},
	ports.Locked:          {http.StatusLocked, "locked"},
}

// keyStatuses are the machine codes whose status is not that of their code.
var keyStatuses = map[string]int{
	"content_too_large": http.StatusBadRequest, // contract §6.1
	"uri_too_long":      http.StatusRequestURITooLong,
	"body_timeout":      http.StatusRequestTimeout,
}

// CommonErrors are the machine codes that any operation may answer.
var CommonErrors = []string{"invalid_argument", "unauthenticated", "permission_denied", "policy_denied", "policy_unavailable",
	"not_found", "too_large", "unsupported_media", "uri_too_long", "body_timeout", "rate_limited", "overloaded", "storage_unavailable", "internal"}

// ErrDiskFull refuses new content while the disk of the server is full.
var ErrDiskFull = &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "disk_full"}

// Errors of the chain that operations and pages answer as well.
var (
	// ErrNoRoute is the answer to an address that nothing answers.
	ErrNoRoute = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "route_unknown"}
	// ErrJSON refuses a body, or a value in it, that cannot be read.
	ErrJSON = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "json_invalid"}
	// ErrCredentials refuses a call that needs a credential and has none that fits.
	ErrCredentials = &ports.Error{Code: ports.Unauthenticated, Key: "unauthenticated"}
)

// Errors of the chain itself.
var (
	errPath         = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "path_unclean"}
	errLongURL      = &ports.Error{Code: ports.Invalid, Key: "uri_too_long"}
	errDeepJSON     = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "json_deep"}
	errEncoding     = &ports.Error{Code: ports.Unsupported, Key: "unsupported_media", Text: "content_encoding"}
	errBigBody      = &ports.Error{Code: ports.TooLarge, Key: "too_large", Text: "body_too_large"}
	errSlowBody     = &ports.Error{Code: ports.Invalid, Key: "body_timeout"}
	errForeignBasic = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "auth.basic_foreign"}
	errIdemKey      = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "idempotency_key_invalid"}
)

// failure is an error in the words of HTTP.
type failure struct {
	status int
	key    string
	err    *ports.Error
}

// StatusOf is the status with which an operation answers err; op may be nil.
func StatusOf(op *Op, err error) int { return translate(op, err).status }

// translate finds status and machine code of err for an operation; op may be
// nil.
func translate(op *Op, err error) failure {
	var e *ports.Error
	if !errors.As(err, &e) {
		e = classify(err)
	}
	row := statuses[e.Code]
	f := failure{status: row.status, key: e.Key, err: e}
	if f.key == "" {
		f.key = row.key
	}
	if status, ok := keyStatuses[f.key]; ok {
		f.status = status
	}
	if op != nil {
		if status, ok := op.Statuses[f.key]; ok {
			f.status = status
		}
	}
	var own interface{ HTTPStatus() int }
	if errors.As(err, &own) {
		f.status = own.HTTPStatus()
	}
	return f
}

// classify names the errors that reading a body or waiting can give.
func classify(err error) *ports.Error {
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return errBigBody.WithParams(map[string]any{"limit": tooBig.Limit})
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlowBody.With(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return forms.ErrCutBody.With(err)
	case errors.Is(err, context.DeadlineExceeded):
		return errOverload.With(err)
	}
	return &ports.Error{Code: ports.Internal, Cause: err}
}

// errorBody is the envelope of an error (contract §1.2, decision 48).
type errorBody struct {
	Code      int    `json:"code"`
	Message   string `json:"message"`
	Success   bool   `json:"success"`
	Data      any    `json:"data"`
	Error     string `json:"error"`
	RequestID string `json:"request_id"`
	Field     string `json:"field,omitempty"` // of the input that is wrong, for a form to mark
}

// fail answers err. After the header has gone it can only end the connection.
func (a *API) fail(x *exchange, err error) {
	x.cause = err
	if x.status != 0 {
		panic(http.ErrAbortHandler)
	}
	if x.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		x.status = statusClientGone // nobody reads an answer
		panic(http.ErrAbortHandler)
	}
	var op *Op
	if x.route != nil {
		op = &x.route.op
	}
	f := translate(op, err)
	h := x.Header()
	for _, name := range []string{"Content-Length", "Etag", "Last-Modified", "Content-Disposition", "Content-Encoding", "Accept-Ranges"} {
		delete(h, name)
	}
	h["Cache-Control"] = content.NoStore
	if wait := f.err.RetryAfter; wait > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64(math.Ceil(wait.Seconds())), 10))
	} else if f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "2")
	}
	if id := a.decisionID(x, f); id != "" {
		h.Set("X-Decision-Id", id)
	}
	if op != nil && op.Challenge != "" && f.status == http.StatusUnauthorized {
		h["Www-Authenticate"] = []string{op.Challenge}
	}
	message := x.message(f)
	if op != nil && (op.Fail == FailText || op.Door && x.wantsLink()) {
		h["Content-Type"] = content.PlainText
		h["Content-Security-Policy"] = content.Sandbox
		if op.Door { // read in a terminal
			message = words.ForTerminal(message) + "\n"
		}
		x.writeBody(f.status, []byte(message))
		return
	}
	body := errorBody{Code: f.status, Message: message, Error: f.key, RequestID: x.id[0]}
	if op != nil && op.Fail == FailNamed {
		body.Error = message
	}
	// Visitors learn no more than that they are not signed in.
	if f.err.Reason != "" && f.err.Code != ports.Unauthenticated {
		data := map[string]any{"reason": f.err.Reason}
		if limit, ok := f.err.Params["limit"]; ok { // that a rule has set
			data["limit"] = limit
		}
		body.Data = data
	}
	if f.err.Code == ports.Invalid {
		body.Field, _ = f.err.Params["field"].(string)
	}
	if limit, ok := f.err.Params["limit"].(int64); ok && f.err.Code == ports.Quota {
		body.Data = quotaJSON{Reason: f.err.Reason, Size: paramOf(f.err, "size"), Used: paramOf(f.err, "used"), Limit: limit}
	}
	if etag, ok := f.err.Params["etag"]; ok { // of what is there now, for those who want to merge
		body.Data = map[string]any{"etag": etag}
	}
	if report, ok := f.err.Params["report"].(policy.Report); ok { // of rules that are not good
		body.Data = wire.ReportOf(report)
	}
	data, err := json.Marshal(body)
	if err != nil { // all fields are plain text and numbers
		panic(err)
	}
	h["Content-Type"] = content.JSONHeader
	x.writeBody(f.status, data)
}

// quotaJSON are the numbers of a refusal for want of room: of what was asked,
// of what is taken, and of the bound, in bytes or files.
type quotaJSON struct {
	Reason string `json:"reason,omitempty"` // the quota; empty for a storage's capacity
	Size   int64  `json:"size"`
	Used   int64  `json:"used"`
	Limit  int64  `json:"limit"`
}

func paramOf(e *ports.Error, name string) int64 {
	n, _ := e.Params[name].(int64)
	return n
}

// decisionID is under which the decision log has a refusal. One that no rule
// made gets a line too, so that every 403, and what a limit
// has refused, can be looked up.
func (a *API) decisionID(x *exchange, f failure) string {
	if id, ok := f.err.Params["decision_id"].(string); ok && id != "" {
		return id
	}
	if f.status != http.StatusForbidden && f.err.Reason == "" || a.opts.Refused == nil || x.route == nil {
		return ""
	}
	return a.opts.Refused(policy.Query{Who: x.who, Do: x.route.op.Actions[0], Call: x.call}, cmp.Or(f.err.Reason, f.key))
}

// statusClientGone is logged when the client left before the answer.
const statusClientGone = 499

// TextError returns a copy of e with another message.
func TextError(e *ports.Error, text string, params map[string]any) *ports.Error {
	c := *e
	c.Text, c.Params = text, params
	return &c
}
