package zipped

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// Source has the bytes of the entries and what is known of them.
type Source interface {
	// Open gives the bytes of an entry from an offset on. The caller closes it.
	Open(ctx context.Context, entry int, from int64) (io.ReadCloser, error)
	// Sum tells the CRC-32 of an entry, where it is known.
	Sum(ctx context.Context, entry int) (sum uint32, known bool, err error)
	// Keep hears of the CRC-32 of an entry that was read as a whole.
	Keep(entry int, sum uint32)
}

// errGrown is an entry that holds more than was said.
var errGrown = errors.New("an entry is longer than it was")

// Read gives length bytes of the archive from an offset on. A checksum that
// nobody knows costs a reading of its entry. The reader keeps no more than one
// record in memory; it fails where an entry is shorter or longer than laid out.
// The caller closes it.
func (l *Layout) Read(ctx context.Context, source Source, offset, length int64) io.ReadCloser {
	return &reader{ctx: ctx, l: l, source: source, at: offset, end: min(offset+length, l.size)}
}

type reader struct {
	ctx     context.Context
	l       *Layout
	source  Source
	at, end int64

	head  []byte // of a record, what has not been read yet
	entry int
	body  io.ReadCloser // of an entry; nil between two
	left  int64         // of body
	sum   hash.Hash32   // of what was read of body; nil when that began later
}

func (r *reader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for r.at < r.end {
		if len(r.head) == 0 && r.body == nil {
			if err := r.open(); err != nil {
				return 0, err
			}
		}
		n, err := r.some(b[:min(int64(len(b)), r.end-r.at)])
		r.at += int64(n)
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.EOF
}

// some reads of what is open.
func (r *reader) some(b []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(b, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.left == 0 {
		return 0, r.ended()
	}
	n, err := r.body.Read(b[:min(int64(len(b)), r.left)])
	if r.sum != nil {
		r.sum.Write(b[:n])
	}
	if r.left -= int64(n); r.left > 0 && errors.Is(err, io.EOF) {
		return n, fmt.Errorf("entry %d: %w", r.entry, io.ErrUnexpectedEOF)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// ended closes an entry that was read to its end, and learns its checksum.
func (r *reader) ended() error {
	body := r.body
	r.body = nil
	if n, _ := body.Read(make([]byte, 1)); n > 0 {
		return errors.Join(errGrown, body.Close())
	}
	if r.sum != nil {
		r.source.Keep(r.entry, r.sum.Sum32())
	}
	return body.Close()
}

// open opens what stands at the offset.
func (r *reader) open() (err error) {
	l := r.l
	n := len(l.entries)
	switch {
	case r.at >= l.listings[n]:
		r.head = l.end()[r.at-l.listings[n]:]
		return nil
	case r.at >= l.starts[n]:
		i := l.listingAt(r.at)
		sum := uint32(0)
		if !l.folder(i) {
			if sum, err = r.sumOf(i); err != nil {
				return err
			}
		}
		r.head = l.central(i, sum)[r.at-l.listings[i]:]
		return nil
	}
	r.entry = l.entryAt(r.at)
	within := r.at - l.starts[r.entry]
	local := l.local(r.entry)
	if within < int64(len(local)) {
		r.head = local[within:]
		return nil
	}
	within -= int64(len(local))
	if size := l.entries[r.entry].Size; within >= size {
		sum, err := r.sumOf(r.entry)
		if err != nil {
			return err
		}
		r.head = l.descriptor(r.entry, sum)[within-size:]
		return nil
	}
	if r.body, err = r.source.Open(r.ctx, r.entry, within); err != nil {
		return err
	}
	r.left, r.sum = l.entries[r.entry].Size-within, nil
	if within == 0 {
		r.sum = crc32.NewIEEE()
	}
	return nil
}

// sumOf is the checksum of an entry, read for it when nobody knows it.
func (r *reader) sumOf(i int) (uint32, error) {
	size := r.l.entries[i].Size
	if size == 0 {
		return 0, nil
	}
	if sum, known, err := r.source.Sum(r.ctx, i); known || err != nil {
		return sum, err
	}
	body, err := r.source.Open(r.ctx, i, 0)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	sum := crc32.NewIEEE()
	switch n, err := io.Copy(sum, io.LimitReader(body, size+1)); {
	case err != nil:
		return 0, err
	case n < size:
		return 0, fmt.Errorf("entry %d: %w", i, io.ErrUnexpectedEOF)
	case n > size:
		return 0, errGrown
	}
	r.source.Keep(i, sum.Sum32())
	return sum.Sum32(), nil
}

// Close closes the entry that is open.
func (r *reader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}
