package conformance

import (
	"context"
	"errors"
	"io"
	"strings"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Below is the part of a bucket whose keys begin with prefix, which ends in "/":
// an empty bucket inside one that holds something. Closing it leaves the bucket
// open.
func Below(b objstore.Bucket, prefix string) objstore.Bucket { return &below{b, prefix} }

type below struct {
	objstore.Bucket
	prefix string
}

func (b *below) Close() error { return nil }

// key checks a key before the prefix could make a good one of it.
func (b *below) key(key string) (string, error) { return b.prefix + key, objstore.CheckKey(key) }

func (b *below) object(o objstore.Object, err error) (objstore.Object, error) {
	o.Key = strings.TrimPrefix(o.Key, b.prefix)
	return o, err
}

func (b *below) Stat(ctx context.Context, key string) (objstore.Object, error) {
	key, err := b.key(key)
	if err != nil {
		return objstore.Object{}, err
	}
	return b.object(b.Bucket.Stat(ctx, key))
}

func (b *below) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	q.Prefix = b.prefix + q.Prefix
	page, err := b.Bucket.List(ctx, q)
	var objects []objstore.Object
	for _, o := range page.Objects {
		if o.Key != b.prefix { // the folder itself
			o, _ = b.object(o, nil)
			objects = append(objects, o)
		}
	}
	page.Objects = objects
	for i := range page.Prefixes {
		page.Prefixes[i] = strings.TrimPrefix(page.Prefixes[i], b.prefix)
	}
	return page, err
}

func (b *below) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	key, err := b.key(key)
	if err != nil {
		return nil, err
	}
	body, err := b.Bucket.Read(ctx, key, r)
	if err == nil {
		body.Object, _ = b.object(body.Object, nil)
	}
	return body, err
}

func (b *below) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	key, err := b.key(key)
	if err != nil {
		return objstore.Object{}, err
	}
	return b.object(b.Bucket.Write(ctx, key, body, o))
}

func (b *below) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	to, toErr := b.key(dst)
	from, fromErr := b.key(src)
	if err := errors.Join(toErr, fromErr); err != nil {
		return objstore.Object{}, err
	}
	return b.object(b.Bucket.Copy(ctx, to, from))
}

func (b *below) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	failed := map[string]error{}
	var good []string
	for _, key := range keys {
		whole, err := b.key(key)
		if err != nil {
			failed[key] = err
			continue
		}
		good = append(good, whole)
	}
	some, err := b.Bucket.Delete(ctx, good...)
	for key, why := range some {
		failed[strings.TrimPrefix(key, b.prefix)] = why
	}
	return failed, err
}

func (b *below) Sign(ctx context.Context, r objstore.SignRequest) (objstore.SignedRequest, error) {
	key, err := b.key(r.Key)
	if err != nil {
		return objstore.SignedRequest{}, err
	}
	r.Key = key
	return b.Bucket.Sign(ctx, r)
}

func (b *below) Multipart() objstore.Multipart {
	if m := b.Bucket.Multipart(); m != nil {
		return &partsBelow{b, m}
	}
	return nil
}

type partsBelow struct {
	*below
	parts objstore.Multipart
}

func (m *partsBelow) Create(ctx context.Context, key string, o objstore.WriteOptions) (string, error) {
	key, err := m.key(key)
	if err != nil {
		return "", err
	}
	return m.parts.Create(ctx, key, o)
}

func (m *partsBelow) WritePart(ctx context.Context, key, id string, number int, body io.Reader, size int64) (objstore.Part, error) {
	key, err := m.key(key)
	if err != nil {
		return objstore.Part{}, err
	}
	return m.parts.WritePart(ctx, key, id, number, body, size)
}

func (m *partsBelow) ListUploads(ctx context.Context, prefix string) ([]objstore.Upload, error) {
	uploads, err := m.parts.ListUploads(ctx, m.prefix+prefix)
	for i := range uploads {
		uploads[i].Key = strings.TrimPrefix(uploads[i].Key, m.prefix)
	}
	return uploads, err
}

func (m *partsBelow) ListParts(ctx context.Context, key, id string) ([]objstore.Part, error) {
	key, err := m.key(key)
	if err != nil {
		return nil, err
	}
	return m.parts.ListParts(ctx, key, id)
}

func (m *partsBelow) Complete(ctx context.Context, key, id string, parts []objstore.Part) (objstore.Object, error) {
	key, err := m.key(key)
	if err != nil {
		return objstore.Object{}, err
	}
	return m.object(m.parts.Complete(ctx, key, id, parts))
}

func (m *partsBelow) Abort(ctx context.Context, key, id string) error {
	key, err := m.key(key)
	if err != nil {
		return err
	}
	return m.parts.Abort(ctx, key, id)
}

// Find looks what an empty bucket is like where a driver does not say it: types,
// names, segments and markers.
func Find(ctx context.Context, b objstore.Bucket, w Want) (Want, error) {
	write := func(key string) error {
		_, err := b.Write(ctx, key, strings.NewReader("x"), objstore.WriteOptions{Size: 1, ContentType: "text/x-asked"})
		return err
	}
	if err := write("kind/file"); err != nil {
		return w, err
	}
	o, err := b.Stat(ctx, "kind/file")
	if err != nil {
		return w, err
	}
	page, err := b.List(ctx, objstore.ListQuery{})
	if err != nil {
		return w, err
	}
	w.Types = strings.HasPrefix(o.ContentType, "text/x-asked")
	w.Markers = len(page.Objects) > 1
	w.Names = ports.Is(write("kind"), ports.Conflict)
	if write(strings.Repeat("s", 300)) != nil {
		w.Segment = 255
	}
	return w, Empty(ctx, b)
}

// Empty deletes all that lies in a bucket.
func Empty(ctx context.Context, b objstore.Bucket) error {
	if m := b.Multipart(); m != nil {
		uploads, err := m.ListUploads(ctx, "")
		for _, u := range uploads {
			err = errors.Join(err, m.Abort(ctx, u.Key, u.ID))
		}
		if err != nil {
			return err
		}
	}
	for range 100 {
		page, err := b.List(ctx, objstore.ListQuery{})
		if err != nil || len(page.Objects) == 0 {
			return err
		}
		var keys []string
		for _, o := range page.Objects {
			keys = append(keys, o.Key)
		}
		failed, err := b.Delete(ctx, keys...)
		for _, why := range failed {
			err = errors.Join(err, why)
		}
		if err != nil {
			return err
		}
	}
	return errors.New("what was deleted is listed again and again")
}
