package shares

import (
	"regexp"

	"pasteport/ports/objstore"
)

// Checksum lets people compare what they downloaded with what is stored.
type Checksum struct {
	// Algorithm is "sha256-128", the first half of SHA-256, or "etag": what the
	// storage calls the content, most often MD5.
	Algorithm string
	Value     string // lower-case hex
}

// plainDigest is an ETag that can be a digest of a whole object; those of
// multipart uploads hold a dash, and those of files put into a folder by hand
// no digest.
var plainDigest = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Checksum returns what storage knows of the content; ok is false when that is
// no digest of it.
func (f *File) Checksum() (sum Checksum, ok bool) {
	if f.Pending || !plainDigest.MatchString(f.ETag) {
		return Checksum{}, false
	}
	if f.StorageType == objstore.OwnDisk {
		return Checksum{Algorithm: "sha256-128", Value: f.ETag}, true
	}
	return Checksum{Algorithm: "etag", Value: f.ETag}, true
}
