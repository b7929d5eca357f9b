// Package checksum tells what storage knows of the content of a file, so that people
// can compare what they downloaded with what is stored.
package checksum

import (
	"regexp"

	"pasteport/domain/shares"
	"pasteport/ports/objstore"
)

// Sum is a digest of a content.
type Sum struct {
	// Algorithm is "sha256-128", the first half of SHA-256, or "etag": what the
	// storage calls the content, most often MD5.
	Algorithm string
	Value     string // lower-case hex
}

// plainDigest is an ETag that can be a digest of a whole object; those of
// multipart uploads hold a dash, and those of files put into a folder by hand
// no digest.
var plainDigest = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Of returns what storage knows of the content of a file; ok is false when that is
// no digest of it.
func Of(f *shares.File) (sum Sum, ok bool) {
	if f.Pending || !plainDigest.MatchString(f.ETag) {
		return Sum{}, false
	}
	if f.StorageType == objstore.OwnDisk {
		return Sum{Algorithm: "sha256-128", Value: f.ETag}, true
	}
	return Sum{Algorithm: "etag", Value: f.ETag}, true
}
