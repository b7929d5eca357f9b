package objstore

import (
	"context"
	"errors"
	"io"
	"os"
)

// Resolve turns r into the offset and length inside an object of size bytes.
// Returns Range when it starts past the end; the zero Range is always good.
func (r Range) Resolve(size int64) (offset, length int64, err error) {
	if r.Offset == 0 && r.Length == 0 {
		return 0, size, nil
	}
	offset = r.Offset
	if offset < 0 {
		offset = max(0, size+offset)
	}
	if offset >= size || r.Length < 0 {
		return 0, 0, ErrBadRange
	}
	length = size - offset
	if r.Length > 0 && r.Length < length {
		length = r.Length
	}
	return offset, length, nil
}

// Head returns the first bytes of an object, at most size of them.
func Head(ctx context.Context, b Bucket, key string, size int64) ([]byte, error) {
	body, err := b.Read(ctx, key, Range{})
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(body, size))
	return head, errors.Join(err, body.Close())
}

// NewFileBody returns length bytes of f from offset as the body of o. It closes
// f when it is closed, and ends early when ctx does. Copied to a network
// connection by io.Copy, the bytes stay in the kernel (sendfile).
func NewFileBody(ctx context.Context, f *os.File, o Object, offset, length int64) (*Body, error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return &Body{ReadCloser: &fileBody{ctx: ctx, f: f, left: length}, Object: o, Offset: offset, Length: length}, nil
}

type fileBody struct {
	ctx  context.Context
	f    *os.File
	left int64
}

func (b *fileBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.f.Read(p)
	b.left -= int64(n)
	if err == io.EOF && b.left > 0 {
		err = io.ErrUnexpectedEOF // cut while we read it
	}
	return n, err
}

// sendfileStep is how much is handed to the kernel before the context is asked
// again, in bytes.
const sendfileStep = 16 << 20

// WriteTo hands the file to w as an io.LimitedReader, the form in which the
// net package recognises a file.
func (b *fileBody) WriteTo(w io.Writer) (total int64, err error) {
	for b.left > 0 {
		if err := b.ctx.Err(); err != nil {
			return total, err
		}
		step := min(b.left, sendfileStep)
		n, err := io.Copy(w, &io.LimitedReader{R: b.f, N: step})
		total += n
		b.left -= n
		if err != nil {
			return total, err
		}
		if n < step {
			return total, io.ErrUnexpectedEOF
		}
	}
	return total, nil
}

func (b *fileBody) Close() error { return b.f.Close() }
