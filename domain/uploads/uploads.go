// Package uploads keeps the sessions of uploads in parts: one record, one way
// through storage, one sweep, whatever an upload is for. What it is for, a file
// share or a place in the tree, is a Destination; who may upload, and what
// becomes of the file, is theirs to say.
package uploads

import (
	"context"
	"errors"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/upload"
)

// retryFor is how long the sweep tries to drop parts that a storage keeps.
const retryFor = 7 * 24 * time.Hour

// Filter chooses sessions for a list, the oldest first.
type Filter struct {
	ports.Paging
	For             string    // empty means all
	StorageConfigID string    // empty means all
	Owner           string    // empty means all
	Unfinished      bool      // only those
	Finished        bool      // only those
	Before          time.Time // begun, or for Finished: completed, before it; zero means any
}

// Repository stores sessions.
type Repository interface {
	ports.Repository[upload.Session, Filter]
	// ByUpload finds a session by the storage's name for it; NotFound.
	ByUpload(ctx context.Context, storageConfigID, uploadID string) (*upload.Session, error)
}

// Destination is what uploads are for.
type Destination interface {
	// Dropped hears that the sweep has given a session up: what waits for its
	// file may go. When it fails, the session stays for another try.
	Dropped(ctx context.Context, s *upload.Session) error
}

// Ledger is what sessions need of the ledger of capacity.
type Ledger interface {
	// Release gives up a claim; an unknown one is no error.
	Release(ctx context.Context, id string) (stood bool, err error)
}

// Deps are what Sessions need.
type Deps struct {
	Sessions Repository
	Buckets  objstore.Opener
	Ledger   Ledger // nil bounds nothing
	Clock    ports.Clock
	// Report takes errors of work that nobody waits for. Nil means silence.
	Report func(doing string, err error)
}

// Sessions implements upload.Sessions. It is safe for concurrent use, on any
// number of nodes.
type Sessions struct {
	d            Deps
	destinations map[string]Destination
}

var _ upload.Sessions = (*Sessions)(nil)

// New returns the sessions of a repository.
func New(d Deps) *Sessions { return &Sessions{d: d, destinations: map[string]Destination{}} }

// Serve names who hears of sessions that are dropped, by their destination. It
// is for the start, before sessions are used.
func (u *Sessions) Serve(name string, d Destination) { u.destinations[name] = d }

// Begin implements upload.Sessions. When it fails, storage has forgotten the
// upload, or the parts stay until the storage drops them.
func (u *Sessions) Begin(ctx context.Context, b objstore.Bucket, s *upload.Session, contentType string) error {
	multipart, err := parts(b)
	if err != nil {
		return err
	}
	s.CreatedAt = u.d.Clock.Now()
	if s.UploadID, err = multipart.Create(ctx, s.Key, objstore.WriteOptions{Size: s.Size, ContentType: contentType}); err != nil {
		return err
	}
	if err = u.d.Sessions.Insert(ctx, s); err != nil {
		err = errors.Join(err, multipart.Abort(context.WithoutCancel(ctx), s.Key, s.UploadID))
	}
	return err
}

func parts(b objstore.Bucket) (objstore.Multipart, error) {
	if multipart := b.Multipart(); multipart != nil {
		return multipart, nil
	}
	return nil, objstore.ErrUnsupported
}

// Of implements upload.Sessions.
func (u *Sessions) Of(ctx context.Context, id string) (*upload.Session, error) {
	return u.d.Sessions.Get(ctx, id)
}

// Find implements upload.Sessions.
func (u *Sessions) Find(ctx context.Context, configID, uploadID string) (*upload.Session, error) {
	return u.d.Sessions.ByUpload(ctx, configID, uploadID)
}

// Open implements upload.Sessions.
func (u *Sessions) Open(ctx context.Context, destination, configID, owner string) (open []upload.Session, _ error) {
	f := Filter{For: destination, StorageConfigID: configID, Owner: owner, Unfinished: true}
	for {
		page, err := u.d.Sessions.List(ctx, f)
		if err != nil {
			return nil, err
		}
		open = append(open, page.Items...)
		if f.Offset += len(page.Items); len(page.Items) == 0 || f.Offset >= page.Total {
			return open, nil
		}
	}
}

// Links implements upload.Sessions.
func (u *Sessions) Links(ctx context.Context, b objstore.Bucket, s *upload.Session, numbers []int, how upload.Signing) ([]upload.Link, error) {
	links := make([]upload.Link, len(numbers))
	for i, n := range numbers {
		r := objstore.SignRequest{Verb: objstore.VerbPart, Key: s.Key, Audience: objstore.Browser, TTL: how.Life, UploadID: s.UploadID, PartNumber: n,
			MaxSize: s.Length(n)}
		switch {
		case how.Bound == upload.Exactly:
			r.Size = r.MaxSize
		case how.Bound == upload.ButLast && n < s.PartCount:
			r.Size = s.PartSize
		}
		if r.MaxSize == 0 { // unknown
			if !how.Reserved {
				r.Claim = s.ID
			}
			if how.Reserved || s.PartCount > 1 {
				r.MaxSize = s.PartSize
			}
		}
		signed, err := b.Sign(ctx, r)
		if err != nil {
			return nil, err
		}
		links[i] = upload.Link{Number: n, URL: signed.URL}
	}
	return links, nil
}

// Parts implements upload.Sessions.
func (u *Sessions) Parts(ctx context.Context, b objstore.Bucket, s *upload.Session) ([]objstore.Part, error) {
	multipart, err := parts(b)
	if err != nil {
		return nil, err
	}
	return multipart.ListParts(ctx, s.Key, s.UploadID)
}

// Join implements upload.Sessions. Without parts it only looks whether they were
// joined before.
func (u *Sessions) Join(ctx context.Context, b objstore.Bucket, s *upload.Session, list []objstore.Part) (object objstore.Object, err error) {
	multipart, err := parts(b)
	if err != nil {
		return object, err
	}
	err = objstore.ErrNoUpload
	if len(list) > 0 {
		object, err = multipart.Complete(ctx, s.Key, s.UploadID, list)
	}
	if errors.Is(err, objstore.ErrNoUpload) && s.ID != "" {
		if there, missing := b.Stat(ctx, s.Key); missing == nil && !s.Before(there) {
			return there, nil
		}
	}
	return object, err
}

// Done implements upload.Sessions. One that is gone meanwhile is no error.
func (u *Sessions) Done(ctx context.Context, s *upload.Session, o objstore.Object) (first bool, err error) {
	if s.ID == "" {
		return true, nil
	}
	now := u.d.Clock.Now()
	first = true
	_, err = u.d.Sessions.Update(context.WithoutCancel(ctx), s.ID, func(s *upload.Session) error {
		if first = s.CompletedAt == nil; first {
			s.CompletedAt, s.ETag, s.StoredSize = &now, o.ETag, o.Size
		}
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		err = nil
	}
	return first && err == nil, err
}

// GiveUp implements upload.Sessions. When storage does not answer, the session
// stays for another try.
func (u *Sessions) GiveUp(ctx context.Context, b objstore.Bucket, s *upload.Session) error {
	if err := abort(ctx, b, s); err != nil {
		return err
	}
	return u.forget(ctx, s)
}

func abort(ctx context.Context, b objstore.Bucket, s *upload.Session) error {
	multipart := b.Multipart()
	if multipart == nil {
		return nil
	}
	if err := multipart.Abort(ctx, s.Key, s.UploadID); err != nil && !ports.Is(err, ports.NotFound) {
		return err
	}
	return nil
}

// forget drops a session, and gives back what is reserved for it.
func (u *Sessions) forget(ctx context.Context, s *upload.Session) error {
	if s.ID == "" {
		return nil
	}
	if _, err := u.d.Sessions.Delete(ctx, s.ID); err != nil || u.d.Ledger == nil {
		return err
	}
	if _, err := u.d.Ledger.Release(context.WithoutCancel(ctx), s.ID); err != nil && u.d.Report != nil {
		u.d.Report("give back reserved room", err) // it ends by itself
	}
	return nil
}
