// Package ports holds the contracts that the domain needs from the outside and
// the few types that cross them. It imports nothing but the standard library.
package ports

import (
	"errors"
	"fmt"
	"time"
)

// Code says what kind of failure an Error is. Adapters turn it into the status
// of their protocol; nothing inside the domain knows those numbers.
type Code int

// The codes. Internal is the zero value: an error nobody classified.
const (
	Internal        Code = iota // a fault of ours; callers read a neutral sentence
	Invalid                     // the input breaks a rule
	Unauthenticated             // no credential, or a wrong one
	Forbidden                   // the caller is known and may not
	NotFound                    // no such thing, or not visible to the caller
	Conflict                    // the name is taken, or the thing is in use
	Gone                        // expired or used up
	Precondition                // If-Match or If-None-Match does not hold
	TooLarge                    // a body or content over its limit
	Unsupported                 // the media type or the operation is not supported
	Unprocessable               // an idempotency key was used with another body
	Range                       // the requested range cannot be satisfied
	RateLimited                 // too many tries; RetryAfter says when
	Quota                       // storage capacity is used up
	BadGateway                  // storage refused or answered wrongly
	Unavailable                 // a part that is needed does not answer
	NotImplemented              // the driver cannot do it
	Locked                      // somebody else holds a lock on it
)

// Error is the one error type of the domain and its ports.
type Error struct {
	Code Code
	// Key is the stable machine code that leaves with the answer, such as
	// "slug_taken". Empty means the general key of Code.
	Key string
	// Text names the message for people in the message catalogue of the edge.
	// Empty means Key.
	Text string
	// Params fill the placeholders of the message.
	Params map[string]any
	// RetryAfter is how long to wait before another try; zero means unknown.
	RetryAfter time.Duration
	// Reason is the policy's reason code or another detail for the client's
	// data.reason; usually empty.
	Reason string
	// Messages are what a storage driver itself says to the operator, by language
	// tag ("en", "zh"), in place of the catalogue's message. Others read that of
	// Text.
	Messages map[string]string
	// Cause is for the log, and for the operator who tests a storage. It never
	// leaves the server otherwise.
	Cause error
}

// Error describes the failure for the log.
func (e *Error) Error() string {
	s := e.Key
	if e.Text != "" {
		s += " (" + e.Text + ")"
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors of the same code, key and text equal for errors.Is, so that
// package-level errors can be compared after With added a cause.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Key == e.Key && t.Text == e.Text
}

// With returns a copy of e that carries cause.
func (e *Error) With(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// WithParams returns a copy of e whose message placeholders are filled.
func (e *Error) WithParams(params map[string]any) *Error {
	c := *e
	c.Params = params
	return &c
}

// Saying returns a copy of e with a driver's own words to the operator, by
// language tag: "en" at least.
func (e *Error) Saying(messages map[string]string) *Error {
	c := *e
	c.Messages = messages
	return &c
}

// InvalidInput is the error of an input that breaks a rule. text names the
// message; field is told to the client as a placeholder.
func InvalidInput(text, field string) *Error {
	return &Error{Code: Invalid, Key: "invalid_argument", Text: text, Params: map[string]any{"field": field}}
}

// CodeOf returns the code of the first Error in err's chain, Internal when
// there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries code. A nil error carries none.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// Common errors, compared with errors.Is.
var (
	ErrNotFound    = &Error{Code: NotFound, Key: "not_found"}
	ErrConflict    = &Error{Code: Conflict, Key: "already_exists"}
	ErrUnavailable = &Error{Code: Unavailable, Key: "storage_unavailable"}
)

// Wrap adds what was being done to err and keeps its code.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
