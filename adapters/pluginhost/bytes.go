package pluginhost

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"pasteport/plugins/sdk"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// Read implements objstore.Bucket: by a local file, else by a signed request,
// else through the driver.
func (b *remoteBucket) Read(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	if err := objstore.CheckKey(key); err != nil {
		return nil, err
	}
	f := b.info.Features
	if f.LocalLinks {
		body, err := b.readLocal(ctx, key, r)
		if !ports.Is(err, ports.NotImplemented) || !f.Stream {
			return body, err
		}
	} else if f.HTTPLinks {
		return b.readHTTP(ctx, key, r)
	}
	if !f.Stream {
		return nil, objstore.ErrUnsupported
	}
	return b.readStream(ctx, key, r)
}

// readLocal opens the file that the driver names. A file that was replaced
// between the answer and the opening is asked for again.
func (b *remoteBucket) readLocal(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	for range 3 {
		link, err := b.link(ctx, objstore.SignRequest{Verb: objstore.VerbGet, Key: key, Audience: objstore.Server, TTL: time.Minute})
		if err != nil {
			return nil, err
		}
		if link.Local == nil {
			return nil, errLink("no local file for %q", key)
		}
		body, err := b.openLocal(ctx, *link.Local, r)
		if !errors.Is(err, errChangedMeanwhile) {
			return body, err
		}
	}
	return nil, ports.ErrUnavailable.With(errChangedMeanwhile)
}

func (b *remoteBucket) openLocal(ctx context.Context, l sdk.LocalFile, r objstore.Range) (*objstore.Body, error) {
	if r.IfMatch != "" && r.IfMatch != l.Object.ETag {
		return nil, objstore.ErrChanged
	}
	offset, length, err := r.Resolve(l.Object.Size)
	if err != nil {
		return nil, err
	}
	root, err := b.localRoot(l.Root)
	if err != nil {
		return nil, ports.ErrUnavailable.With(err)
	}
	if fi, err := root.Lstat(l.Path); err != nil || !fi.Mode().IsRegular() {
		return nil, errors.Join(errChangedMeanwhile, err)
	}
	f, err := root.Open(l.Path)
	if err != nil {
		return nil, errors.Join(errChangedMeanwhile, err)
	}
	fi, err := f.Stat()
	if err != nil || fi.Size() != l.Object.Size || fi.ModTime().UnixMilli() != l.Object.ModTime.UnixMilli() {
		f.Close()
		return nil, errors.Join(errChangedMeanwhile, err)
	}
	body, err := objstore.NewFileBody(ctx, f, l.Object, offset, length)
	if err != nil {
		f.Close()
	}
	return body, err
}

func (b *remoteBucket) localRoot(dir string) (*os.Root, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.root == nil || b.root.Name() != dir {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		if b.root != nil {
			b.root.Close()
		}
		b.root = root
	}
	return b.root, nil
}

// readStream reads through the driver.
func (b *remoteBucket) readStream(ctx context.Context, key string, r objstore.Range) (*objstore.Body, error) {
	ctx, idle := newIdler(ctx, b.p.timing.Idle)
	for try := 0; ; try++ {
		body, err := b.startStream(ctx, idle, key, r)
		if err == nil {
			body.ReadCloser = &receivedBody{body.ReadCloser, idle}
			return body, nil
		}
		if !sdk.Lost(err) || try > 0 {
			idle.cancel()
			return nil, timedOut(err)
		}
	}
}

// startStream begins a stream. Its context must outlive the call, so it does
// not run inside do.
func (b *remoteBucket) startStream(ctx context.Context, idle *idler, key string, r objstore.Range) (*objstore.Body, error) {
	h, in, err := b.handle(ctx)
	if err != nil {
		return nil, err
	}
	idle.storageTurn()
	defer idle.otherTurn()
	body, err := h.Read(ctx, key, r)
	if sdk.Lost(err) {
		in.suspect.Store(true)
		b.forget(h)
	}
	return body, err
}

// Write implements objstore.Bucket: by a signed request, else through the
// driver. What is small enough to be held in memory is sent again when the
// storage fails; of anything larger the caller hears Unavailable.
func (b *remoteBucket) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if err := errors.Join(ctx.Err(), objstore.CheckKey(key)); err != nil {
		return objstore.Object{}, err
	}
	if o.Size >= 0 {
		body = objstore.Exactly(body, o.Size)
	}
	switch {
	case b.info.Features.HTTPLinks && o.Size >= 0:
		return b.putKnown(ctx, key, body, o)
	case b.info.Features.HTTPLinks:
		return b.putUnknown(ctx, key, body, o)
	case b.info.Features.Stream:
		return b.writeStream(ctx, key, body, o)
	}
	return objstore.Object{}, objstore.ErrUnsupported
}

func (b *remoteBucket) writeStream(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	ctx, idle := newIdler(ctx, b.p.timing.Idle)
	defer idle.cancel()
	h, in, err := b.handle(ctx)
	if err != nil {
		return objstore.Object{}, err
	}
	object, err := h.Write(ctx, key, &sentBody{body, idle}, o)
	b.suspect(h, in, err)
	return object, timedOut(err)
}

// suspect takes note when a call that is not repeated lost the driver.
func (b *remoteBucket) suspect(h *sdk.Handle, in *instance, err error) {
	if sdk.Lost(err) {
		in.suspect.Store(true)
		b.forget(h)
	}
}

// heldWrite is how large a body may be, in bytes, that is held in memory so that
// it can be sent again.
const heldWrite = 1 << 20

// putKnown sends a body of known length: a small one several times if need be,
// a larger one as it comes, once.
func (b *remoteBucket) putKnown(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if o.Size > heldWrite {
		begun := time.Now()
		object, err := b.putOnce(ctx, key, body, o, nil)
		if o.IfNoneMatch && lost(err) {
			if there, missing := b.Stat(ctx, key); missing == nil && another(there, o.Size, begun) {
				err = objstore.ErrExists.With(err)
			}
		}
		return object, err
	}
	data := make([]byte, 0, o.Size+bytes.MinRead)
	buf := bytes.NewBuffer(data)
	if _, err := buf.ReadFrom(body); err != nil {
		return objstore.Object{}, err
	}
	return b.putAgain(ctx, key, buf.Bytes(), o)
}

// putAgain stores a body that is held in memory, several times if need be. A
// storage that refuses a body without reading it may reset the connection, and
// its refusal is lost each time: what stands there in the end tells it.
func (b *remoteBucket) putAgain(ctx context.Context, key string, data []byte, o objstore.WriteOptions) (objstore.Object, error) {
	begun, unclear := time.Now(), false
	for try := 1; ; try++ {
		body := &heldBody{r: bytes.NewReader(data)}
		object, err := b.putOnce(ctx, key, body, o, data)
		body.end()
		if unclear && ports.Is(err, ports.Conflict) || lost(err) && o.IfNoneMatch && try == objstore.Tries {
			return b.storedBefore(ctx, key, data, begun, err)
		}
		if err == nil || !again(ctx, try, err) {
			return object, err
		}
		unclear = unclear || lost(err)
	}
}

// clockSlack is how far the clocks of storage and server may be apart when an
// object's time is compared with ours.
const clockSlack = mostSkew

// lost reports whether the answer to a write never came: its bytes may be stored.
func lost(err error) bool { return ports.Is(err, ports.Unavailable) && !errors.Is(err, errTurnedAway) }

// another reports whether an object cannot be what a write of size bytes has stored
// since begun. It may be, where another writer stored as many bytes meanwhile.
func another(there objstore.Object, size int64, begun time.Time) bool {
	return there.Size != size || there.ModTime.Before(begun.Add(-clockSlack))
}

// storedBefore tells whether what now stands in the way of a conditional write is
// the write itself: a try whose answer was lost. Else it returns ErrExists, or the
// failure when nothing can be read there.
func (b *remoteBucket) storedBefore(ctx context.Context, key string, data []byte, begun time.Time, failure error) (objstore.Object, error) {
	body, err := b.Read(ctx, key, objstore.Range{})
	if err != nil {
		return objstore.Object{}, failure
	}
	defer body.Close()
	if another(body.Object, int64(len(data)), begun) {
		return objstore.Object{}, objstore.ErrExists.With(failure)
	}
	stored, err := io.ReadAll(io.LimitReader(body, int64(len(data))+1))
	switch {
	case err != nil:
		return objstore.Object{}, failure
	case !bytes.Equal(stored, data):
		return objstore.Object{}, objstore.ErrExists.With(failure)
	}
	return body.Object, nil
}

// putOnce sends one PUT. held is the body where it is in memory, else nil.
func (b *remoteBucket) putOnce(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions, held []byte) (objstore.Object, error) {
	if o.IfNoneMatch && !b.info.Features.ConditionalWrite {
		if _, err := b.Stat(ctx, key); err == nil {
			return objstore.Object{}, objstore.ErrExists
		}
	}
	link, err := b.link(ctx, objstore.SignRequest{
		Verb: objstore.VerbPut, Key: key, Audience: objstore.Server, TTL: time.Hour, Size: o.Size, ContentType: o.ContentType,
	})
	if err != nil {
		return objstore.Object{}, err
	}
	if link.Signed == nil {
		return objstore.Object{}, objstore.ErrUnsupported
	}
	header := link.Signed.Header.Clone()
	if o.ContentType != "" {
		header.Set("Content-Type", o.ContentType)
	}
	if o.IfNoneMatch && b.info.Features.ConditionalWrite {
		header.Set("If-None-Match", "*")
	}
	etag, err := b.http.put(ctx, b.p.timing.Idle, link.Signed.URL, header, body, o.Size)
	if ports.Is(err, ports.Precondition) && o.IfNoneMatch {
		err = objstore.ErrExists
	}
	if err != nil {
		return objstore.Object{}, err
	}
	if held == nil || etag != md5Of(held) {
		return b.proved(ctx, key, etag, o)
	}
	return objstore.Object{Key: key, Size: o.Size, ETag: etag, ContentType: o.ContentType, ModTime: time.Now().UTC()}, nil
}

// md5Of is the ETag that S3 gives to the bytes of one PUT.
func md5Of(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

// proved looks at a stored object, since the answer to its PUT does not prove that
// it is whole. One that somebody else has replaced meanwhile is not looked at.
func (b *remoteBucket) proved(ctx context.Context, key, etag string, o objstore.WriteOptions) (objstore.Object, error) {
	object, err := b.Stat(ctx, key)
	if err != nil {
		return objstore.Object{}, err
	}
	if etag != "" && object.ETag != etag {
		return objstore.Object{Key: key, Size: o.Size, ETag: etag, ContentType: o.ContentType, ModTime: time.Now().UTC()}, nil
	}
	if object.Size != o.Size {
		return objstore.Object{}, &ports.Error{Code: ports.BadGateway, Key: "storage_unavailable",
			Cause: fmt.Errorf("the storage has kept %d of %d bytes", object.Size, o.Size)}
	}
	if object.ContentType == "" {
		object.ContentType = o.ContentType
	}
	return object, nil
}

// How much of a body of unknown length is held in memory, in bytes. What is no
// longer than firstPart becomes one PUT; else one part is sent while the next
// one is read.
const (
	firstRead = 256 << 10 // most bodies end before it
	firstPart = 8 << 20
)

func (b *remoteBucket) putUnknown(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	size := max(firstPart, b.info.Limits.MinPart)
	var buf bytes.Buffer
	more, err := fillPart(&buf, body, firstRead)
	if err == nil && more {
		buf.Grow(int(size) - buf.Len() + bytes.MinRead)
		more, err = fillPart(&buf, body, size-firstRead)
	}
	if err != nil {
		return objstore.Object{}, err
	}
	if !more {
		o.Size = int64(buf.Len())
		return b.putAgain(ctx, key, buf.Bytes(), o)
	}
	if b.Multipart() == nil {
		return objstore.Object{}, objstore.ErrUnsupported
	}
	return remoteUploads{b}.putAll(ctx, key, &buf, body, size, o)
}

// fillPart reads up to size bytes and reports whether the body may go on.
func fillPart(buf *bytes.Buffer, body io.Reader, size int64) (more bool, err error) {
	_, err = io.CopyN(buf, body, size)
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

func unquote(etag string) string {
	return strings.Trim(strings.TrimPrefix(etag, "W/"), `"`)
}

// headerOf returns the headers of a read.
func headerOf(signed http.Header, r objstore.Range) http.Header {
	h := signed.Clone()
	if h == nil {
		h = http.Header{}
	}
	if rng := rangeHeader(r); rng != "" {
		h.Set("Range", rng)
	}
	if r.IfMatch != "" {
		h.Set("If-Match", `"`+r.IfMatch+`"`)
	}
	return h
}
