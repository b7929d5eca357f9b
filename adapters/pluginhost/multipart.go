package pluginhost

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// remoteUploads are the multipart uploads of a bucket in a driver's process.
type remoteUploads struct{ *remoteBucket }

// Multipart implements objstore.Bucket.
func (b *remoteBucket) Multipart() objstore.Multipart {
	if !b.info.Features.Multipart {
		return nil
	}
	return remoteUploads{b}
}

// Create implements objstore.Multipart. Repeating it leaves at most an empty
// upload behind, which the storage's own rules or the janitor remove.
func (b remoteUploads) Create(ctx context.Context, key string, o objstore.WriteOptions) (id string, err error) {
	if err := objstore.CheckKey(key); err != nil {
		return "", err
	}
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		id, err = h.Create(ctx, key, o)
		return err
	})
	return id, err
}

// ListUploads implements objstore.Multipart.
func (b remoteUploads) ListUploads(ctx context.Context, prefix string) (uploads []objstore.Upload, err error) {
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		uploads, err = h.ListUploads(ctx, prefix)
		return err
	})
	return uploads, err
}

// ListParts implements objstore.Multipart.
func (b remoteUploads) ListParts(ctx context.Context, key, uploadID string) (parts []objstore.Part, err error) {
	err = b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) (err error) {
		parts, err = h.ListParts(ctx, key, uploadID)
		return err
	})
	return parts, err
}

// Complete implements objstore.Multipart.
func (b remoteUploads) Complete(ctx context.Context, key, uploadID string, parts []objstore.Part) (o objstore.Object, err error) {
	err = b.do(ctx, onceOnly, b.p.timing.LongCall, func(ctx context.Context, h *sdk.Handle) (err error) {
		o, err = h.Complete(ctx, key, uploadID, parts)
		return err
	})
	return o, err
}

// Abort implements objstore.Multipart.
func (b remoteUploads) Abort(ctx context.Context, key, uploadID string) error {
	return b.do(ctx, repeatable, b.p.timing.Call, func(ctx context.Context, h *sdk.Handle) error {
		return h.Abort(ctx, key, uploadID)
	})
}

// putAll stores full and the rest of body as one upload, in parts of size bytes.
// An upload that fails is aborted, also when the caller has gone away.
func (b remoteUploads) putAll(ctx context.Context, key string, full *bytes.Buffer, body io.Reader, size int64, o objstore.WriteOptions) (objstore.Object, error) {
	id, err := b.Create(ctx, key, o)
	if err != nil {
		return objstore.Object{}, err
	}
	parts, err := b.putParts(ctx, key, id, full, body, size)
	if err == nil {
		var object objstore.Object
		if object, err = b.Complete(ctx, key, id, parts); err == nil {
			return object, nil
		}
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.p.timing.Call)
	defer cancel()
	return objstore.Object{}, errors.Join(err, b.Abort(cleanup, key, id))
}

// putParts sends full and the rest of body part by part. While one part is
// sent the next one is read. It returns when no part is under way any more: an
// upload that is given up earlier keeps, at some storages, what comes after.
func (b remoteUploads) putParts(ctx context.Context, key, id string, full *bytes.Buffer, body io.Reader, size int64) (parts []objstore.Part, err error) {
	next := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	for more := true; full.Len() > 0; full, next = next, full {
		sent := make(chan sentPart, 1)
		go func() {
			part, err := b.putHeld(ctx, key, id, len(parts)+1, full.Bytes())
			sent <- sentPart{part, err}
		}()
		next.Reset()
		if more {
			more, err = fillPart(next, body, size)
		}
		part := <-sent
		if err != nil {
			return nil, err
		}
		if part.err != nil {
			return nil, part.err
		}
		parts = append(parts, part.Part)
	}
	return parts, nil
}

// sentPart is what became of a part.
type sentPart struct {
	objstore.Part
	err error
}

// putHeld stores a part that is held in memory, several times if need be. A try
// that has begun ends by itself, also when the caller goes away.
func (b remoteUploads) putHeld(ctx context.Context, key, id string, number int, data []byte) (objstore.Part, error) {
	for try := 1; ; try++ {
		body := &heldBody{r: bytes.NewReader(data)}
		part, err := b.putPart(context.WithoutCancel(ctx), key, id, number, body, int64(len(data)))
		body.end()
		if err == nil || !again(ctx, try, err) {
			return part, err
		}
	}
}

// heldBody is a body whose memory is used again: a connection that was given
// up reads no more of it after end.
type heldBody struct {
	mu sync.Mutex
	r  *bytes.Reader
}

func (h *heldBody) Read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.r == nil {
		return 0, io.ErrClosedPipe
	}
	return h.r.Read(p)
}

func (h *heldBody) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.r = nil
}

// WritePart implements objstore.Multipart.
func (b remoteUploads) WritePart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if err := objstore.CheckKey(key); err != nil {
		return objstore.Part{}, err
	}
	if number < 1 || number > objstore.MaxPart {
		return objstore.Part{}, objstore.ErrBadPart
	}
	if uploadID == "" {
		return objstore.Part{}, objstore.ErrNoUpload
	}
	body = objstore.Exactly(body, size)
	switch {
	case !b.info.Features.HTTPLinks:
		return b.streamPart(ctx, key, uploadID, number, body, size)
	case size <= heldWrite:
		data, err := io.ReadAll(body)
		if err != nil {
			return objstore.Part{}, err
		}
		return b.putHeld(ctx, key, uploadID, number, data)
	}
	return b.putPart(ctx, key, uploadID, number, body, size)
}

// putPart sends one part by a signed request, once.
func (b remoteUploads) putPart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	link, err := b.link(ctx, objstore.SignRequest{
		Verb: objstore.VerbPart, Key: key, Audience: objstore.Server, TTL: time.Hour, UploadID: uploadID, PartNumber: number, Size: size,
	})
	if err != nil {
		return objstore.Part{}, err
	}
	if link.Signed == nil {
		return objstore.Part{}, objstore.ErrUnsupported
	}
	etag, err := b.http.put(ctx, b.p.timing.Idle, link.Signed.URL, link.Signed.Header, body, size)
	if ports.Is(err, ports.NotFound) {
		err = objstore.ErrNoUpload.With(err)
	}
	if err == nil && etag == "" {
		err = errLink("the storage gave no ETag for a part")
	}
	return objstore.Part{Number: number, ETag: etag, Size: size}, err
}

func (b remoteUploads) streamPart(ctx context.Context, key, uploadID string, number int, body io.Reader, size int64) (objstore.Part, error) {
	if !b.info.Features.Stream {
		return objstore.Part{}, objstore.ErrUnsupported
	}
	ctx, idle := newIdler(ctx, b.p.timing.Idle)
	defer idle.cancel()
	h, in, err := b.handle(ctx)
	if err != nil {
		return objstore.Part{}, err
	}
	part, err := h.WritePart(ctx, key, uploadID, number, &sentBody{body, idle}, size)
	b.suspect(h, in, err)
	return part, timedOut(err)
}
