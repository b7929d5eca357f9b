package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// bucket keeps objects in memory, until the process ends.
type bucket struct {
	mu      sync.RWMutex
	objects map[string]stored
}

type stored struct {
	objstore.Object
	data []byte
}

func newBucket() *bucket { return &bucket{objects: map[string]stored{}} }

func (b *bucket) Close() error { return nil }

// What this storage cannot do, as its features say.
func (b *bucket) Multipart() objstore.Multipart { return nil }

func (b *bucket) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

func (b *bucket) Usage(context.Context) (objstore.Usage, error) {
	return objstore.Usage{}, objstore.ErrUnsupported
}

// find returns an object; NotFound when there is none.
func (b *bucket) find(ctx context.Context, key string) (stored, error) {
	if err := ctx.Err(); err != nil {
		return stored{}, err
	}
	if err := objstore.CheckKey(key); err != nil {
		return stored{}, err
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	o, ok := b.objects[key]
	if !ok {
		return stored{}, ports.ErrNotFound
	}
	return o, nil
}

// Stat implements objstore.Bucket.
func (b *bucket) Stat(ctx context.Context, key string) (objstore.Object, error) {
	o, err := b.find(ctx, key)
	return o.Object, err
}

// List implements objstore.Bucket.
func (b *bucket) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	pager, err := objstore.NewPager(q)
	if err != nil {
		return objstore.ListPage{}, err
	}
	if err := ctx.Err(); err != nil {
		return objstore.ListPage{}, err
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if !pager.Add(key, func() (objstore.Object, bool) { return b.objects[key].Object, true }) {
			break
		}
	}
	return pager.Page(), nil
}

// Read implements objstore.Bucket.
func (b *bucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	o, err := b.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if r.IfMatch != "" && r.IfMatch != o.ETag {
		return nil, objstore.ErrChanged
	}
	offset, length, err := r.Resolve(o.Size)
	if err != nil {
		return nil, err
	}
	data := bytes.NewReader(o.data[offset : offset+length])
	return &objstore.Body{ReadCloser: io.NopCloser(data), Object: o.Object, Offset: offset, Length: length}, nil
}

// Write implements objstore.Bucket: what is cut or of another length is dropped.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, w objstore.WriteOptions) (objstore.Object, error) {
	if err := objstore.CheckKey(key); err != nil {
		return objstore.Object{}, err
	}
	data, err := io.ReadAll(callersBody{ctx, body}) // a real storage takes it piece by piece
	if err != nil {
		return objstore.Object{}, err
	}
	if w.Size >= 0 && w.Size != int64(len(data)) {
		return objstore.Object{}, objstore.ErrLength
	}
	return b.put(ctx, key, w.ContentType, data, w.IfNoneMatch)
}

// callersBody ends when its caller has gone.
type callersBody struct {
	ctx context.Context
	io.Reader
}

func (b callersBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

// put stores an object, or returns Conflict when it must be new and is not.
func (b *bucket) put(ctx context.Context, key, contentType string, data []byte, mustBeNew bool) (objstore.Object, error) {
	if err := ctx.Err(); err != nil {
		return objstore.Object{}, err
	}
	o := objstore.Object{Key: key, Size: int64(len(data)), ETag: rand.Text(), ContentType: contentType, ModTime: time.Now().UTC()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, taken := b.objects[key]; taken && mustBeNew {
		return objstore.Object{}, objstore.ErrExists
	}
	b.objects[key] = stored{o, data}
	return o, nil
}

// Copy implements objstore.Bucket.
func (b *bucket) Copy(ctx context.Context, dst, src string) (objstore.Object, error) {
	if err := objstore.CheckKey(dst); err != nil {
		return objstore.Object{}, err
	}
	o, err := b.find(ctx, src)
	if err != nil {
		return objstore.Object{}, err
	}
	return b.put(ctx, dst, o.ContentType, o.data, false)
}

// Delete implements objstore.Bucket.
func (b *bucket) Delete(ctx context.Context, keys ...string) (map[string]error, error) {
	refused := map[string]error{}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range keys {
		if err := objstore.CheckKey(key); err != nil {
			refused[key] = err
		} else {
			delete(b.objects, key)
		}
	}
	return refused, ctx.Err()
}
