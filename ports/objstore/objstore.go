// Package objstore is the storage contract: what a driver gives and what a
// bucket can do. A driver knows objects and keys; folders, renames, name
// conflicts and content types are the domain's.
package objstore

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Driver opens buckets of one kind. It is safe for concurrent use.
type Driver interface {
	// Info describes the driver. It does not change while the program runs.
	Info(ctx context.Context) (Info, error)
	// Open checks config and gives a bucket. The caller closes it. Returns
	// Invalid for a config the driver cannot use, Unavailable when the driver
	// does not answer.
	Open(ctx context.Context, config Config) (Bucket, error)
}

// Config is a storage config as a driver needs it.
type Config struct {
	ID      string            // id of the storage config
	Options map[string]string // by Field.Key, secrets included; never logged
}

// Bucket is an opened container of objects. It is safe for concurrent use.
//
// A key is an object's name: valid UTF-8, 1 to 1024 bytes, no "/" at the start,
// no empty, "." or ".." segment. A key that ends in "/" is a folder marker.
// Methods return an *ports.Error with code Invalid for a bad key, NotFound,
// Forbidden, Conflict, Precondition, TooLarge, Quota, Unavailable, BadGateway
// or NotImplemented.
type Bucket interface {
	// Stat describes one object.
	Stat(ctx context.Context, key string) (Object, error)

	// List gives one page of at most 1000 objects and common prefixes in
	// ascending byte order of their keys.
	List(ctx context.Context, q ListQuery) (ListPage, error)

	// Read opens an object. The caller closes the body. A body that implements
	// io.WriterTo is faster with io.Copy (it may use sendfile). Returns Range
	// when the range starts past the end, Precondition when r.IfMatch fails.
	Read(ctx context.Context, key string, r Range) (*Body, error)

	// Write stores body under key, replacing an older object only when all of
	// it has arrived: a cut body leaves the old object untouched.
	Write(ctx context.Context, key string, body io.Reader, o WriteOptions) (Object, error)

	// Copy copies inside the bucket without moving bytes through the caller.
	Copy(ctx context.Context, dst, src string) (Object, error)

	// Delete removes objects. A missing key is no error. Failures come back by
	// key; err is only for a call that could not be made at all.
	Delete(ctx context.Context, keys ...string) (failed map[string]error, err error)

	// Sign makes a request that somebody without credentials can send.
	Sign(ctx context.Context, r SignRequest) (SignedRequest, error)

	// Multipart gives the calls for uploads in parts; nil when the driver
	// lacks Features.Multipart.
	Multipart() Multipart

	// Usage tells bytes used and free where the storage knows.
	Usage(ctx context.Context) (Usage, error)

	Close() error
}

// LocalNamer is implemented by the buckets of drivers with Features.LocalLinks:
// their objects are files below one folder of this machine, which the server
// may then open itself.
type LocalNamer interface {
	// LocalFile describes the object and tells its file: root is the absolute
	// folder and name the path below it. Errors are those of Stat.
	LocalFile(ctx context.Context, key string) (root, name string, o Object, err error)
}

// CORSAdmin is implemented by the buckets of drivers with Features.CORSAdmin.
type CORSAdmin interface {
	// EnsureCORS lets web pages of the origins ("https://host", or "*") read
	// objects and send signed uploads. Rules that others made stay, and
	// repeating it is harmless. Returns NotImplemented where the storage has no
	// such rules after all.
	EnsureCORS(ctx context.Context, origins []string) error
}

// Multipart uploads an object in parts. Parts are signed with Bucket.Sign
// (VerbPart) or written here.
type Multipart interface {
	Create(ctx context.Context, key string, o WriteOptions) (uploadID string, err error)
	// WritePart stores one part; size is its length in bytes.
	WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (Part, error)
	ListUploads(ctx context.Context, prefix string) ([]Upload, error)
	ListParts(ctx context.Context, key, uploadID string) ([]Part, error)
	// Complete joins the parts in the order of their numbers. Repeating it
	// after a success returns the object again where the driver can tell.
	Complete(ctx context.Context, key, uploadID string, parts []Part) (Object, error)
	// Abort forgets the upload; an unknown upload is no error.
	Abort(ctx context.Context, key, uploadID string) error
}

// Object describes a stored object.
type Object struct {
	Key         string
	Size        int64  // bytes
	ETag        string // opaque, without quotes
	ContentType string
	ModTime     time.Time // UTC
}

// ListQuery chooses objects.
type ListQuery struct {
	Prefix    string // "" or the front of keys; usually ends in "/"
	Delimiter string // "/" folds deeper keys into Prefixes; "" lists all
	Token     string // Next of the page before
	Limit     int    // 1 to 1000; 0 means 1000
}

// ListPage is a page of a listing.
type ListPage struct {
	Objects  []Object
	Prefixes []string // end in the delimiter
	Next     string   // empty on the last page
}

// Range is the part of an object to read. The zero value means all of it.
type Range struct {
	Offset int64 // bytes; negative means the last -Offset bytes
	Length int64 // bytes; 0 means to the end
	// IfMatch is the ETag the object must still have; empty means any.
	IfMatch string
}

// Body is an open object or a part of one.
type Body struct {
	io.ReadCloser
	Object Object
	Offset int64 // first byte of the body inside the object
	Length int64 // bytes that the body holds
}

// WriteTo copies the body to w by the fastest way the driver has.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	if wt, ok := b.ReadCloser.(io.WriterTo); ok {
		return wt.WriteTo(w)
	}
	return io.Copy(w, struct{ io.Reader }{b.ReadCloser})
}

// WriteOptions go with new objects.
type WriteOptions struct {
	Size        int64 // bytes; -1 means unknown
	ContentType string
	// IfNoneMatch true refuses to replace an existing object (Conflict).
	IfNoneMatch bool
}

// Verb is what a signed request does.
type Verb string

// The verbs of signed requests.
const (
	VerbGet  Verb = "GET"
	VerbHead Verb = "HEAD"
	VerbPut  Verb = "PUT"
	VerbPart Verb = "PART" // PUT of one part
)

// Audience is who sends the signed request.
type Audience string

// The audiences. A browser may need a public host and cross-origin rules.
const (
	Browser Audience = "browser"
	Server  Audience = "server"
)

// SignRequest asks for a signed request.
type SignRequest struct {
	Verb       Verb
	Key        string
	Audience   Audience
	TTL        time.Duration // at most 7 days
	UploadID   string        // with VerbPart
	PartNumber int           // with VerbPart, 1 to 10000
	// Size is the length the sender must send; 0 means not bound.
	Size int64
	// MaxSize is the most that the sender may send, in bytes, where the server
	// takes the bytes itself; other storages cannot be told. 0 means not bound.
	MaxSize int64
	// ContentType and Disposition are what the answer of a GET carries.
	ContentType string
	Disposition string
	// Awaited is the id of the upload that a VerbPut is for; empty means none.
	// The links of this server end with that upload; drivers cannot know it.
	Awaited string
	// Share and ShareVersion are the id and the version of the share that a
	// VerbGet shows; empty means none. The links of this server end when the
	// share has another version or is gone; drivers cannot know it.
	Share        string
	ShareVersion int64
	// Claim is the reservation that the bytes of a VerbPut or VerbPart count
	// against as they come; empty where their length is bound and reserved. With
	// Settles it is settled when they are stored. Both are for the links of this
	// server; drivers cannot know them.
	Claim   string
	Settles bool
}

// SignedRequest is a request anybody can send until it expires.
type SignedRequest struct {
	Method  string
	URL     string // absolute, or a path of this server that starts with "/"
	Header  http.Header
	Expires time.Time
}

// Upload is an unfinished multipart upload.
type Upload struct {
	Key       string
	ID        string
	Initiated time.Time
}

// Part is an uploaded part.
type Part struct {
	Number int // 1 to 10000
	ETag   string
	Size   int64 // bytes
	// ModTime is when it was stored, as ListParts tells; zero means unknown.
	ModTime time.Time
}

// Usage tells how full a storage is; -1 means unknown.
type Usage struct {
	Used  int64 // bytes
	Free  int64 // bytes
	Count int64 // objects
}

// Info describes a driver to the server, the panel and its users.
type Info struct {
	Name        string            // "local", "r2", ...
	Label       map[string]string // language tag to name
	StorageType string            // "S3", "LOCAL", ...: the mount's storage_type
	Version     string
	Fields      []Field
	Features    Features
	Limits      Limits
}

// Field is one option of a storage config, for the form that edits it.
type Field struct {
	Key      string
	Label    map[string]string
	Help     map[string]string
	Type     string // text, textarea (of several lines), password, number, bool, select, url
	Required bool
	Secret   bool // write-only, sealed at rest
	Options  []Option
	Default  string
}

// Option is a choice of a select field.
type Option struct {
	Value string
	Label map[string]string
}

// Features say what a driver can do. They are data because behind a plugin
// every method exists.
type Features struct {
	HTTPLinks        bool // signs URLs of its own
	LocalLinks       bool // names local files inside an approved root
	Stream           bool // carries bytes over the plugin boundary
	Multipart        bool
	ServerCopy       bool
	PartCopy         bool
	NativeMove       bool
	Range            bool
	Usage            bool
	VersionedDelete  bool
	CORSAdmin        bool
	BrowserUpload    bool // a browser can send a signed PUT to it
	ConditionalWrite bool
}

// Limits are the bounds of a driver; zero means none.
type Limits struct {
	MinPart        int64 // bytes, of every part but the last
	MaxPart        int64 // bytes
	MaxParts       int
	EqualParts     bool  // all parts but the last have the same size
	MaxPut         int64 // bytes in a single PUT
	MaxCopy        int64 // bytes in a single copy
	MaxKey         int   // bytes
	MaxDeleteBatch int   // keys
	MaxLink        time.Duration
}

// Opener gives the bucket of a storage config. It is implemented by
// domain/storage and used by the modules that keep objects.
type Opener interface {
	// Bucket returns the open bucket of a config; the caller does not close it.
	// Returns NotFound for an unknown config and Unavailable when its driver
	// does not answer.
	Bucket(ctx context.Context, configID string) (Bucket, error)
}
