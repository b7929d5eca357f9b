package forms

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Spool is a form's file that waits on disk for the fields behind it. It has no
// name, so that it is gone as soon as it is closed, or the process ends.
type Spool struct {
	*os.File
	Size int64 // bytes
}

// NewSpool keeps what body brings in the folder dir, at most one byte more than
// limit: enough to find it too large. 0 means no limit. The caller closes it.
func NewSpool(dir string, body io.Reader, limit int64) (*Spool, error) {
	file, err := os.CreateTemp(dir, "upload-*")
	if err != nil {
		return nil, fmt.Errorf("keep an upload: %w", err)
	}
	_ = os.Remove(file.Name()) // one that stays is swept
	if limit > 0 {
		body = io.LimitReader(body, limit+1)
	}
	size, err := io.Copy(file, body)
	if err != nil {
		_ = file.Close()
		var disk *fs.PathError
		if errors.As(err, &disk) {
			return nil, fmt.Errorf("keep an upload: %w", err)
		}
		return nil, Error(err)
	}
	return &Spool{file, size}, nil
}

// Rewind makes the file ready to be read from its start.
func (s *Spool) Rewind() error {
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("keep an upload: %w", err)
	}
	return nil
}
