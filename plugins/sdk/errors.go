package sdk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"pasteport/plugins/sdk/proto/storagev1"
	"pasteport/ports"
)

// wireCodes pairs the codes that a driver may return with those of the wire.
var wireCodes = []struct {
	code ports.Code
	wire storagev1.Code
	key  string // of an error that came without one
}{
	{ports.Internal, storagev1.Code_INTERNAL, "internal"},
	{ports.Invalid, storagev1.Code_INVALID, "invalid_argument"},
	{ports.Invalid, storagev1.Code_INVALID_PART, "invalid_argument"},
	{ports.Forbidden, storagev1.Code_DENIED, "storage_denied"},
	{ports.NotFound, storagev1.Code_NOT_FOUND, "not_found"},
	{ports.Conflict, storagev1.Code_ALREADY_EXISTS, "already_exists"},
	{ports.Precondition, storagev1.Code_PRECONDITION, "precondition_failed"},
	{ports.TooLarge, storagev1.Code_TOO_LARGE, "too_large"},
	{ports.Quota, storagev1.Code_QUOTA, "quota_exceeded"},
	{ports.Range, storagev1.Code_RANGE_NOT_SATISFIABLE, "range_invalid"},
	{ports.RateLimited, storagev1.Code_RATE_LIMITED, "rate_limited"},
	{ports.BadGateway, storagev1.Code_BAD_GATEWAY, "storage_denied"},
	{ports.BadGateway, storagev1.Code_BAD_CREDENTIALS, "storage_denied"},
	{ports.BadGateway, storagev1.Code_WRONG_REGION, "storage_denied"},
	{ports.Unavailable, storagev1.Code_UNAVAILABLE, "storage_unavailable"},
	{ports.NotImplemented, storagev1.Code_UNSUPPORTED, "not_supported"},
}

// unknownHandle is the provider code of a call with a handle that this process
// never gave: the host must open its config again.
const unknownHandle = "unknown_handle"

func toStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, err.Error())
	}
	s, detailErr := status.New(codes.Unknown, "driver error").WithDetails(toWireError(err))
	if detailErr != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return s.Err()
}

func toWireError(err error) *storagev1.DriverError {
	wire := &storagev1.DriverError{Code: storagev1.Code_INTERNAL, Message: valid(cut(err.Error(), maxCause))}
	var e *ports.Error
	if !errors.As(err, &e) {
		return wire
	}
	for _, c := range wireCodes {
		if c.code == e.Code {
			wire.Code = c.wire
			break
		}
	}
	wire.Key, wire.Text, wire.RetryAfterMs = e.Key, e.Text, e.RetryAfter.Milliseconds()
	wire.Retryable = e.Code == ports.Unavailable || e.Code == ports.RateLimited
	wire.Field, _ = e.Params["field"].(string)
	wire.Field = valid(wire.Field)
	for language, text := range e.Messages {
		if wire.Messages == nil {
			wire.Messages = map[string]string{}
		}
		wire.Messages[valid(language)] = valid(text)
	}
	for name, value := range e.Params {
		if n, ok := value.(int64); ok {
			if wire.Params == nil {
				wire.Params = map[string]int64{}
			}
			wire.Params[name] = n
		}
	}
	return wire
}

func fromStatus(err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	for _, detail := range s.Details() {
		if wire, ok := detail.(*storagev1.DriverError); ok {
			return fromWireError(wire)
		}
	}
	switch s.Code() {
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		return ports.ErrUnavailable.With(context.DeadlineExceeded)
	case codes.Unavailable:
		return ports.ErrUnavailable.With(&lostError{err})
	case codes.Unimplemented:
		return &ports.Error{Code: ports.NotImplemented, Key: "not_supported", Cause: err}
	}
	return &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable", Cause: err}
}

// What a driver sends is input: the form of keys and texts, of fields and of
// language tags.
var (
	plainKey = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,63}$`)
	fieldKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	language = regexp.MustCompile(`^[a-z]{2}(-[A-Za-z]{2,8})?$`)
)

// Bounds of what a driver says, in bytes, and in how many languages.
const (
	maxCause     = 2000
	maxMessage   = 500
	maxLanguages = 8
)

// cut takes the end off a text that is too long, at a whole character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// plainText makes one line of what a driver says.
func plainText(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, valid(s))
	return cut(strings.Join(strings.Fields(s), " "), most)
}

func fromWireError(wire *storagev1.DriverError) error {
	e := &ports.Error{Code: ports.Internal, Key: "internal", Cause: errors.New("driver: " + cmp.Or(plainText(wire.GetMessage(), maxCause), wire.GetCode().String()))}
	for _, c := range wireCodes {
		if c.wire == wire.GetCode() {
			e.Code, e.Key = c.code, c.key
			break
		}
	}
	if plainKey.MatchString(wire.GetKey()) {
		e.Key = wire.GetKey()
	}
	if plainKey.MatchString(wire.GetText()) {
		e.Text = wire.GetText()
	}
	e.RetryAfter = max(0, time.Duration(wire.GetRetryAfterMs())*time.Millisecond)
	for name, n := range wire.GetParams() {
		if e.Params == nil {
			e.Params = map[string]any{}
		}
		e.Params[name] = n
	}
	if fieldKey.MatchString(wire.GetField()) {
		if e.Params == nil {
			e.Params = map[string]any{}
		}
		e.Params["field"] = wire.GetField()
	}
	for _, tag := range slices.Sorted(maps.Keys(wire.GetMessages())) {
		text := plainText(wire.GetMessages()[tag], maxMessage)
		if !language.MatchString(tag) || text == "" || len(e.Messages) == maxLanguages {
			continue
		}
		if e.Messages == nil {
			e.Messages = map[string]string{}
		}
		e.Messages[tag] = text
	}
	if wire.GetProviderCode() == unknownHandle {
		e.Cause = &lostError{e.Cause}
	}
	return e
}

// lostError is the cause of an error that came from losing the driver, not
// from the driver.
type lostError struct{ cause error }

func (e *lostError) Error() string { return "driver lost: " + e.cause.Error() }
func (e *lostError) Unwrap() error { return e.cause }

// Lost reports whether err came from losing the driver in the middle of a
// call: it may or may not have done what was asked.
func Lost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}
