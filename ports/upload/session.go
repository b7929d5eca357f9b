package upload

import (
	"context"
	"time"

	"pasteport/ports/objstore"
)

// Times of sessions.
const (
	Kept       = 7 * 24 * time.Hour // one that nobody finishes may be resumed for so long (decision 42)
	AnswerKept = 10 * time.Minute   // a repeated Complete gets the same answer for so long (contract FS §4.10)
)

// The destinations of uploads.
const (
	ForTree   = "tree"  // a place in the tree of mounts
	ForShares = "share" // a file share
)

// Session is an upload in parts that was begun here. It tells whose it is, so
// that nobody goes on with another's.
type Session struct {
	// ID names the session and the reservation of its room. That of a file share
	// is the share's.
	ID              string
	For             string // one of the destinations
	StorageConfigID string
	UploadID        string // the storage's name for it; unique in its config
	Path            string // canonical, in the tree; empty for others
	Key             string
	Owner           string // created_by of the caller
	Cut
	CreatedAt time.Time
	// CompletedAt is when it was joined; nil before. ETag and StoredSize are
	// those of the file then.
	CompletedAt *time.Time
	ETag        string
	StoredSize  int64
}

// Stored is the object that a completed session has become.
func (s *Session) Stored() objstore.Object {
	return objstore.Object{Key: s.Key, Size: s.StoredSize, ETag: s.ETag}
}

// Before reports whether an object was there before the session was begun;
// storages round to seconds.
func (s *Session) Before(o objstore.Object) bool {
	return o.ModTime.Before(s.CreatedAt.Truncate(time.Second))
}

// Bound is how exactly the requests of parts hold their sender to a length,
// where the storage can.
type Bound int

// The bounds.
const (
	AtMost  Bound = iota // a part may be shorter
	Exactly              // where its length is known
	ButLast              // all but the last one have the part size exactly
)

// Signing says how the requests of parts are signed.
type Signing struct {
	Life  time.Duration
	Bound Bound
	// Reserved says that there is room for PartCount parts of PartSize, also
	// where the size is unknown: nothing is claimed as it comes.
	Reserved bool
}

// Sessions keep uploads in parts: what begins one, goes on with it and ends it,
// whatever it is for. Who calls has asked the policy. domain/uploads implements
// it. A session without an ID, of an upload that was not begun here, can be
// listed, joined and given up.
type Sessions interface {
	// Begin begins the upload of a session in a bucket and notes it, with its
	// UploadID. Returns NotImplemented when the storage knows no uploads in parts.
	Begin(ctx context.Context, b objstore.Bucket, s *Session, contentType string) error
	// Of finds a session by its ID, Find by the storage's name; NotFound.
	Of(ctx context.Context, id string) (*Session, error)
	Find(ctx context.Context, configID, uploadID string) (*Session, error)
	// Open lists the unfinished sessions of an owner in a storage.
	Open(ctx context.Context, destination, configID, owner string) ([]Session, error)
	// Links signs the requests of some parts.
	Links(ctx context.Context, b objstore.Bucket, s *Session, numbers []int, how Signing) ([]Link, error)
	// Parts lists the parts that have arrived, in ascending order. Returns
	// objstore.ErrNoUpload when storage has forgotten the upload.
	Parts(ctx context.Context, b objstore.Bucket, s *Session) ([]objstore.Part, error)
	// Join makes one object of the parts. An upload that storage has forgotten
	// counts as joined when its object is there: the answer to an earlier try was
	// lost.
	Join(ctx context.Context, b objstore.Bucket, s *Session, parts []objstore.Part) (objstore.Object, error)
	// Done notes what a session has become, and reports whether nobody had before.
	Done(ctx context.Context, s *Session, o objstore.Object) (first bool, err error)
	// GiveUp drops the parts of a session, and then it and its reservation.
	GiveUp(ctx context.Context, b objstore.Bucket, s *Session) error
	// Sweep gives up the sessions that nobody finished for as long as Kept.
	Sweep(ctx context.Context) (int, error)
}
