package auditsink

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"

	"pasteport/domain/audit"
)

// FileOptions say how a file rotates.
type FileOptions struct {
	Path      string
	Megabytes int // of one file; 0 means 100
	Days      int // that old files are kept; 0 means for ever
	Count     int // old files that are kept; 0 means all
}

// File writes entries into a file, as JSON lines. Old files stand beside it, named
// after the time they were closed.
type File struct {
	out     *lumberjack.Logger
	whole   bool // the file ends in a whole line
	arrived int64
}

var _ audit.Sink = (*File)(nil)

// NewFile returns a sink that writes into a file, for its owner alone to read.
func NewFile(o FileOptions) *File {
	return &File{out: &lumberjack.Logger{Filename: o.Path, MaxSize: o.Megabytes, MaxAge: o.Days, MaxBackups: o.Count}}
}

// Name implements audit.Sink.
func (f *File) Name() string { return "file" }

// Send implements audit.Sink. What it has returned for is on the disk.
func (f *File) Send(_ context.Context, entries []audit.Entry) error {
	if !f.whole {
		if err := f.mend(); err != nil {
			return err
		}
	}
	for i := range entries {
		text, err := encode(&entries[i])
		if err != nil {
			return err
		}
		f.whole = false
		if _, err := f.out.Write(append(text, '\n')); err != nil {
			return err
		}
		f.whole = true
	}
	if err := f.sync(); err != nil {
		return err
	}
	f.arrived = entries[len(entries)-1].Seq
	return nil
}

// mend ends the line that a cut has left.
func (f *File) mend() error {
	file, err := os.Open(f.out.Filename)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	last := make([]byte, 1)
	if _, err := file.Seek(-1, io.SeekEnd); err != nil {
		return nil // it is empty
	}
	if _, err := io.ReadFull(file, last); err != nil || bytes.Equal(last, []byte{'\n'}) {
		return err
	}
	_, err = f.out.Write([]byte{'\n'})
	return err
}

// sync puts what was written on the disk, with the folder it stands in.
func (f *File) sync() error {
	for _, name := range []string{f.out.Filename, filepath.Dir(f.out.Filename)} {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		err = errors.Join(file.Sync(), file.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// Arrived implements audit.Sink.
func (f *File) Arrived() (int64, error) { return f.arrived, nil }

// Again implements audit.Sink.
func (f *File) Again() int64 { return 0 }

// Close implements audit.Sink.
func (f *File) Close() error {
	f.whole = false
	return f.out.Close()
}
