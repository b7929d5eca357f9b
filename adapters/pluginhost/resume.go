package pluginhost

import (
	"context"
	"io"

	"pasteport/ports/bulk"
	"pasteport/ports/objstore"
)

// resumed is the body of a read by a signed request. When the storage cuts it,
// it goes on behind the last byte, as long as the object is the same. A body
// that ends early is seen as such, and no error tells the address.
type resumed struct {
	ctx    context.Context // of the whole read
	bucket *remoteBucket
	body   io.ReadCloser // of the answer that is read now
	object objstore.Object
	at     int64 // of the next byte, inside the object
	left   int64 // bytes that are still to come
	tries  int   // since the last bit of progress
	since  int64 // bytes since the last try
}

// progress is how many bytes must come before a body may be cut again, without
// that counting against it.
const progress = 1 << 20

// Read implements io.Reader.
func (r *resumed) Read(p []byte) (int, error) { return r.ReadInto(nil, p) }

// ReadInto implements bulk.Source.
func (r *resumed) ReadInto(p *bulk.Pipe, buffer []byte) (int, error) {
	for {
		n, err := bulk.ReadInto(r.body, p, buffer)
		r.at, r.left, r.since = r.at+int64(n), r.left-int64(n), r.since+int64(n)
		if r.since >= progress {
			r.tries = 0
		}
		switch {
		case err == nil || err == io.EOF && r.left <= 0:
			return n, err
		case n > 0:
			return n, nil // the error comes again
		case err == io.EOF:
			err = io.ErrUnexpectedEOF
		}
		if r.left <= 0 {
			return 0, io.EOF // all is there
		}
		if r.ctx.Err() != nil || r.object.ETag == "" || r.tries >= objstore.Tries-1 {
			return 0, sendError(r.ctx, err)
		}
		if err := r.resume(); err != nil {
			return 0, err
		}
	}
}

// resume asks for the rest. Returns Precondition when the object is another one.
func (r *resumed) resume() error {
	r.tries, r.since = r.tries+1, 0
	rest := objstore.Range{Offset: r.at, Length: r.left, IfMatch: r.object.ETag}
	body, err := r.bucket.fetch(r.ctx, r.object.Key, rest)
	if err != nil {
		return err
	}
	r.body.Close()
	r.body = body.ReadCloser
	if body.Object.ETag != r.object.ETag || body.Object.Size != r.object.Size {
		return objstore.ErrChanged
	}
	return nil
}

// Close implements io.Closer.
func (r *resumed) Close() error { return r.body.Close() }
