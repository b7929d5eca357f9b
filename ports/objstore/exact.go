package objstore

import "io"

// Exactly returns a reader of exactly size bytes of r: it fails with ErrLength
// when there are fewer, and before it gives the last of them when there are
// more, so that a storage never sees the whole of a body that is not what was
// announced.
func Exactly(r io.Reader, size int64) io.Reader { return &exactReader{r: r, left: size} }

type exactReader struct {
	r    io.Reader
	left int64
	done bool
}

// Read implements io.Reader.
func (e *exactReader) Read(p []byte) (int, error) {
	if e.done {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if int64(len(p)) < e.left {
		n, err := e.r.Read(p)
		e.left -= int64(n)
		if err == io.EOF {
			err = ErrLength.With(io.ErrUnexpectedEOF)
		}
		return n, err
	}
	n, err := io.ReadFull(e.r, p[:e.left])
	if err == io.EOF && e.left > 0 || err == io.ErrUnexpectedEOF {
		return 0, ErrLength.With(io.ErrUnexpectedEOF)
	}
	if err != nil && err != io.EOF {
		return 0, err
	}
	var extra [1]byte
	if _, err := io.ReadFull(e.r, extra[:]); err == nil {
		return 0, ErrLength
	} else if err != io.EOF {
		return 0, err
	}
	e.left, e.done = 0, true
	return n, io.EOF
}
