package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pasteport/ports/objstore"
)

// meta is what we know of a file beyond the file itself. It is kept in one
// extended attribute and holds only while size and time of the file are those
// it was written with: a file changed by hand loses it.
type meta struct {
	size        int64
	modTime     int64 // unix nanoseconds
	etag        string
	contentType string
}

// defaultType is the content type of files that came without one.
const defaultType = "application/octet-stream"

// maxType is the longest content type that is kept (RFC 6838 §4.2), in bytes.
const maxType = 255

// folderType is the content type of folder markers.
const folderType = "application/x-directory"

// emptyETag is the ETag of everything without content.
var emptyETag = etagOf(sha256.New().Sum(nil))

func etagOf(sum []byte) string { return hex.EncodeToString(sum[:16]) }

func (m meta) encode() []byte {
	return fmt.Appendf(nil, "1 %d %d %s %s", m.size, m.modTime, m.etag, m.contentType)
}

func decodeMeta(p []byte) (m meta, ok bool) {
	fields := strings.SplitN(string(p), " ", 5)
	if len(fields) != 5 || fields[0] != "1" {
		return m, false
	}
	size, err1 := strconv.ParseInt(fields[1], 10, 64)
	modTime, err2 := strconv.ParseInt(fields[2], 10, 64)
	return meta{size, modTime, fields[3], fields[4]}, err1 == nil && err2 == nil && fields[3] != ""
}

// fileInfo is what the file system says of an entry.
type fileInfo struct {
	size    int64
	modTime time.Time
	inode   uint64
	changed time.Time // of anything but the content; zero where nothing tells
}

// latest is when the entry last changed in any way.
func (fi fileInfo) latest() time.Time {
	if fi.changed.After(fi.modTime) {
		return fi.changed
	}
	return fi.modTime
}

// describe builds the object of a file. Without attributes that still hold,
// the ETag is made from size, time and inode, so that files put there by hand
// have one too. Its "t" tells it from a digest of the content, which is in hex.
func describe(key string, fi fileInfo, attribute []byte) objstore.Object {
	o := objstore.Object{Key: key, Size: fi.size, ModTime: fi.modTime.UTC(), ContentType: defaultType}
	m, ok := decodeMeta(attribute)
	if ok && m.size == fi.size && m.modTime == fi.modTime.UnixNano() {
		o.ETag = m.etag
	} else {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", fi.size, fi.modTime.UnixNano(), fi.inode))
		o.ETag = "t" + etagOf(sum[:])[1:]
	}
	if ok && m.contentType != "" {
		o.ContentType = m.contentType
	}
	return o
}

func folderObject(key string, modTime time.Time) objstore.Object {
	return objstore.Object{Key: key, ETag: emptyETag, ModTime: modTime.UTC(), ContentType: folderType}
}
