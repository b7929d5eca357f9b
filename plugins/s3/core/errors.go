package core

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/outbound"
)

// refused is a storage that will not serve us; it is never the visitor's fault.
func refused(text string) *ports.Error {
	return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: text}
}

// quotaFull is a provider that takes no more.
var quotaFull = &ports.Error{Code: ports.Quota, Key: "quota_exceeded", Text: "storage_cap_exceeded"}

// known are the errors by the codes that providers give.
var known = map[string]*ports.Error{
	"NoSuchKey":       ports.ErrNotFound,
	"NotFound":        ports.ErrNotFound,
	"NoSuchVersion":   ports.ErrNotFound,
	"NoSuchUpload":    objstore.ErrNoUpload,
	"InvalidUploadId": objstore.ErrNoUpload,

	"NoSuchBucket":                       refused("storage_bucket_missing"),
	"AccessDenied":                       refused("storage_access_denied"),
	"AllAccessDisabled":                  refused("storage_access_denied"),
	"AccountProblem":                     refused("storage_access_denied"),
	"UnauthorizedAccess":                 refused("storage_access_denied"),
	"Unauthorized":                       refused("storage_access_denied"),
	"InvalidAccessKeyId":                 refused("storage_key_unknown"),
	"MalformedAccessKeyId":               refused("storage_key_unknown"),
	"SignatureDoesNotMatch":              refused("storage_secret_wrong"),
	"ExpiredToken":                       refused("storage_credentials_expired"),
	"InvalidToken":                       refused("storage_credentials_expired"),
	"TokenRefreshRequired":               refused("storage_credentials_expired"),
	"RequestTimeTooSkewed":               refused("storage_clock_skew"),
	"RequestExpired":                     refused("storage_clock_skew"),
	"PermanentRedirect":                  refused("storage_region_wrong"),
	"AuthorizationHeaderMalformed":       refused("storage_region_wrong"),
	"IllegalLocationConstraintException": refused("storage_region_wrong"),
	"InvalidRegionName":                  refused("storage_region_wrong"),
	"InvalidLocationConstraint":          refused("storage_region_wrong"),
	"InvalidObjectState":                 refused("storage_object_archived"),

	"InvalidPart":       objstore.ErrBadPart,
	"InvalidPartOrder":  objstore.ErrBadPart,
	"InvalidPartNumber": objstore.ErrBadPart,
	"EntityTooSmall":    objstore.ErrBadPart,
	"InvalidRange":      objstore.ErrBadRange,
	"KeyTooLongError":   objstore.ErrBadKey,
	"KeyTooLong":        objstore.ErrBadKey,
	"IncompleteBody":    objstore.ErrLength,
	"BadDigest":         objstore.ErrLength,

	"PreconditionFailed":         objstore.ErrChanged,
	"ConditionalRequestConflict": objstore.ErrExists,
	"OperationAborted":           ports.ErrUnavailable,
	"EntityTooLarge":             {Code: ports.TooLarge, Key: "too_large"},
	"MaxMessageLengthExceeded":   {Code: ports.TooLarge, Key: "too_large"},

	"ServiceLimitExceeded": quotaFull,
	"QuotaExceeded":        quotaFull,
	"StorageCapExceeded":   quotaFull,
	"XMinioStorageFull":    quotaFull,
	"InsufficientStorage":  quotaFull,
	"UserQuotaExceeded":    quotaFull,

	"SlowDown":            ports.ErrUnavailable,
	"ServiceUnavailable":  ports.ErrUnavailable,
	"InternalError":       ports.ErrUnavailable,
	"RequestTimeout":      ports.ErrUnavailable,
	"TooManyRequests":     ports.ErrUnavailable,
	"ThrottlingException": ports.ErrUnavailable,
	"Throttling":          ports.ErrUnavailable,

	"NotImplemented":   objstore.ErrUnsupported,
	"MethodNotAllowed": objstore.ErrUnsupported,

	// A storage on top of a file system cannot hold a file and a folder of one
	// name.
	"ObjectParentIsFile":            objstore.ErrFileInTheWay,
	"ExistingObjectIsDirectory":     objstore.ErrFolderInTheWay,
	"ExistingObjectIsFile":          objstore.ErrFileInTheWay,
	"XMinioParentIsObject":          objstore.ErrFileInTheWay,
	"XMinioObjectExistsAsDirectory": objstore.ErrFolderInTheWay,
}

// byStatus are the errors where the provider gives no code that says more.
var byStatus = map[int]*ports.Error{
	http.StatusMovedPermanently:             refused("storage_region_wrong"),
	http.StatusTemporaryRedirect:            refused("storage_region_wrong"),
	http.StatusUnauthorized:                 refused("storage_access_denied"),
	http.StatusForbidden:                    refused("storage_access_denied"),
	http.StatusNotFound:                     ports.ErrNotFound,
	http.StatusMethodNotAllowed:             objstore.ErrUnsupported,
	http.StatusConflict:                     objstore.ErrExists,
	http.StatusPreconditionFailed:           objstore.ErrChanged,
	http.StatusRequestEntityTooLarge:        {Code: ports.TooLarge, Key: "too_large"},
	http.StatusRequestedRangeNotSatisfiable: objstore.ErrBadRange,
	http.StatusTooManyRequests:              ports.ErrUnavailable,
	http.StatusNotImplemented:               objstore.ErrUnsupported,
	http.StatusInsufficientStorage:          quotaFull,
}

// failure translates an error of the SDK. It keeps errors of the caller's body
// and context, and never tells an address, which may hold a signature.
func (b *bucket) failure(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	var ours *ports.Error
	if errors.As(err, &ours) {
		return ours
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	code, message, answer := describe(err)
	e := classify(code, message, answer)
	cause := fmt.Errorf("%s: %s", doing, strings.TrimSpace(summary(code, answer, err)))
	e = e.With(cause)
	if e.Text == "storage_clock_skew" {
		e.Params = map[string]any{"seconds": int64(time.Duration(b.skew.Load()) / time.Second)}
	}
	if answer != nil && (e.Code == ports.Unavailable) {
		e.RetryAfter = outbound.RetryAfter(answer.Header, time.Now())
	}
	return e
}

// describe takes an error of the SDK apart. The answer is nil when there was
// none.
func describe(err error) (code, message string, answer *smithyhttp.Response) {
	var api smithy.APIError
	if errors.As(err, &api) {
		code, message = api.ErrorCode(), api.ErrorMessage()
	}
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) && response.Response != nil && response.HTTPStatusCode() > 0 {
		answer = response.Response
	}
	return code, message, answer
}

// summary is what the log is told: never an address.
func summary(code string, answer *smithyhttp.Response, err error) string {
	switch {
	case answer != nil:
		return fmt.Sprintf("storage answered %d %s", answer.StatusCode, plainCode(code))
	case code != "":
		return plainCode(code)
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// plainCode is a code that a storage gives, which the operator is shown; what
// does not look like one is left out.
func plainCode(code string) string {
	if len(code) > 64 || strings.ContainsFunc(code, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_' }) {
		return ""
	}
	return code
}

func classify(code, message string, answer *smithyhttp.Response) *ports.Error {
	if capped(code, message) {
		return quotaFull
	}
	if e := byCode(code); e != nil {
		if wrongRegion(answer) && e.Code == ports.BadGateway {
			return refused("storage_region_wrong")
		}
		return e
	}
	if answer == nil {
		return ports.ErrUnavailable
	}
	status := answer.StatusCode
	switch e := byStatus[status]; {
	case e != nil:
		return e
	case wrongRegion(answer):
		return refused("storage_region_wrong")
	case status/100 == 5:
		return ports.ErrUnavailable
	}
	return &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable"}
}

func byCode(code string) *ports.Error {
	if code == "BadRequest" || code == "Forbidden" {
		return nil // made from the status by the SDK; says no more than it
	}
	return known[code]
}

// capped recognises limits that an account has set for itself or its plan.
func capped(code, message string) bool {
	return strings.Contains(strings.ToLower(code), "cap_exceeded") || strings.Contains(message, "Caps & Alerts") ||
		strings.Contains(message, "cap exceeded")
}

// wrongRegion recognises an answer that names another region with a refusal.
func wrongRegion(answer *smithyhttp.Response) bool {
	if answer == nil || answer.Header.Get("X-Amz-Bucket-Region") == "" {
		return false
	}
	return answer.StatusCode == http.StatusMovedPermanently || answer.StatusCode == http.StatusBadRequest
}
