package core

import (
	"bytes"
	"io"
	"os"
)

// spooled is a body that can be rewound.
type spooled interface {
	io.ReadSeeker
	io.Closer
}

// spool holds a body of size bytes in memory, or in a file when it is larger
// than a piece.
func spool(body io.Reader, size int64) (spooled, error) {
	if size <= piece {
		whole, err := io.ReadAll(body)
		return inMemory{bytes.NewReader(whole)}, err
	}
	f, err := os.CreateTemp("", "pasteport-part-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // it lives as long as it is open
	if _, err = io.Copy(f, body); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

type inMemory struct{ *bytes.Reader }

// Close implements io.Closer.
func (inMemory) Close() error { return nil }
