// Package held keeps objects that belong to file shares from being written by
// others than those.
package held

import (
	"context"
	"io"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Storages gives storage configs and their buckets.
type Storages interface {
	objstore.Opener
	Storage(ctx context.Context, id string) (objstore.Storage, error)
}

// Holder knows the objects of file shares.
type Holder interface {
	// Holds reports whether the object under a key belongs to a file share.
	Holds(ctx context.Context, storageID, key string) (bool, error)
}

// errShared is the refusal to write an object that belongs to a file share: its
// bytes change only by an edit of that share (decision 67). A share of a mounted
// file is another matter: it follows the file.
var errShared = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "object_of_share"}

// Leaving returns storages whose buckets leave the objects of shares alone: every
// call that writes one, or lets others write one, is Conflict.
func Leaving(s Storages, holder Holder) Storages { return keptStorages{s, holder} }

type keptStorages struct {
	Storages
	holder Holder
}

// Bucket implements objstore.Opener.
func (s keptStorages) Bucket(ctx context.Context, configID string) (objstore.Bucket, error) {
	bucket, err := s.Storages.Bucket(ctx, configID)
	if err != nil {
		return nil, err
	}
	return &keptBucket{bucket, s.holder, configID}, nil
}

type keptBucket struct {
	objstore.Bucket
	holder   Holder
	configID string
}

func (b *keptBucket) free(ctx context.Context, key string) error {
	held, err := b.holder.Holds(ctx, b.configID, key)
	if err == nil && held {
		return errShared
	}
	return err
}

// Write implements objstore.Bucket. A share that has come while the body came
// counts too.
func (b *keptBucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := b.free(ctx, key); err != nil {
		return objstore.Object{}, err
	}
	last := &lastLook{r: body, left: o.Size, look: func() error { return b.free(ctx, key) }}
	object, err := b.Bucket.Write(ctx, key, last, o)
	if last.refused != nil {
		return objstore.Object{}, last.refused
	}
	return object, err
}

// Copy implements objstore.Bucket.
func (b *keptBucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := b.free(ctx, dst); err != nil {
		return objstore.Object{}, err
	}
	return b.Bucket.Copy(ctx, dst, src)
}

// Sign implements objstore.Bucket.
func (b *keptBucket) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	if r.Verb == objstore.VerbPut || r.Verb == objstore.VerbPart {
		if err := b.free(ctx, r.Key); err != nil {
			return objstore.SignedRequest{}, err
		}
	}
	return b.Bucket.Sign(ctx, r)
}

// Multipart implements objstore.Bucket.
func (b *keptBucket) Multipart() objstore.Multipart {
	m := b.Bucket.Multipart()
	if m == nil {
		return nil
	}
	return &keptParts{m, b}
}

// keptParts are the uploads in parts of a keptBucket.
type keptParts struct {
	objstore.Multipart
	bucket *keptBucket
}

// Create implements objstore.Multipart.
func (m *keptParts) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	if err := m.bucket.free(ctx, key); err != nil {
		return "", err
	}
	return m.Multipart.Create(ctx, key, o)
}

// Complete implements objstore.Multipart.
func (m *keptParts) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (objstore.Object, error) {
	if err := m.bucket.free(ctx, key); err != nil {
		return objstore.Object{}, err
	}
	return m.Multipart.Complete(ctx, key, uploadID, parts)
}

// lastLook keeps the last bytes of a body back when look fails, so that nothing
// is stored.
type lastLook struct {
	r       io.Reader
	left    int64 // bytes to come; negative means unknown
	look    func() error
	looked  bool
	refused error
}

func (l *lastLook) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	last := err == io.EOF
	if l.left >= 0 {
		l.left = max(l.left-int64(n), 0)
		last = last || l.left == 0
	}
	if last && !l.looked {
		l.looked = true
		l.refused = l.look()
	}
	if l.refused != nil {
		return 0, l.refused
	}
	return n, err
}
