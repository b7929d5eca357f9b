package objstore

import (
	"strings"
	"unicode/utf8"

	"pasteport/ports"
)

// MaxKey is the longest object key, in bytes (S3 API).
const MaxKey = 1024

// MaxList is the most entries of one page of a listing.
const MaxList = 1000

// MaxPart is the highest part number of a multipart upload (S3 API).
const MaxPart = 10000

// CheckKey returns Invalid when key is no object key: it must be valid UTF-8
// of 1 to 1024 bytes without NUL, must not start with "/", and must not hold
// an empty, "." or ".." segment. One "/" at the end is allowed: it names a
// folder marker.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKey || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return ErrBadKey
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(key, "/"), "/") {
		if segment == "" || segment == "." || segment == ".." {
			return ErrBadKey
		}
	}
	return nil
}

// Errors that every driver shares; compared with errors.Is.
var (
	ErrBadKey      = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "storage_key_invalid"}
	ErrBadList     = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "storage_list_invalid"}
	ErrBadRange    = &ports.Error{Code: ports.Range, Key: "range_invalid"}
	ErrBadPart     = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "part_invalid"}
	ErrNoUpload    = &ports.Error{Code: ports.NotFound, Key: "upload_not_found"}
	ErrExists      = &ports.Error{Code: ports.Conflict, Key: "already_exists"}
	ErrChanged     = &ports.Error{Code: ports.Precondition, Key: "precondition_failed"}
	ErrUnsupported = &ports.Error{Code: ports.NotImplemented, Key: "not_supported"}
	// ErrLength is the error of a body that is longer or shorter than announced.
	ErrLength = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "body_length"}
	// ErrFolderInTheWay and ErrFileInTheWay come from storages where a name is
	// either a folder or a file.
	ErrFolderInTheWay = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "folder_in_the_way"}
	ErrFileInTheWay   = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "file_in_the_way"}
)
