package upload

import (
	"context"
	"errors"
	"io"

	"pasteport/ports"
	"pasteport/ports/capacity"
	"pasteport/ports/policy"
)

// Limits bound the size of one file, in bytes; 0 means no bound.
type Limits struct {
	Door  int64 // of the operator
	Rules int64 // by the policy
}

// LimitsOf are the bounds of an operator and of a decision.
func LimitsOf(door int64, o policy.Obligations) Limits { return Limits{Door: door, Rules: o.MaxSize} }

var errTooLarge = &ports.Error{Code: ports.TooLarge, Key: "too_large", Text: "file.too_large"}

// Check refuses a file of size bytes. Returns TooLarge with "limit" and the
// reason "max_size" for what the rules refuse, and with "limit" and "size" for
// what the operator does.
func (l Limits) Check(size int64) error { return l.check(size, true) }

// check is Check, also for a body of which size bytes have come so far and whole
// is false.
func (l Limits) check(size int64, whole bool) error {
	switch {
	case l.Rules > 0 && size > l.Rules && (l.Door <= 0 || l.Rules <= l.Door):
		return policy.Over("max_size", l.Rules)
	case l.Door <= 0 || size <= l.Door:
		return nil
	case !whole:
		return errTooLarge.WithParams(map[string]any{"limit": l.Door})
	}
	e := errTooLarge.WithParams(map[string]any{"limit": l.Door, "size": size})
	e.Text = "file.too_large_of"
	return e
}

var errCut = &ports.Error{Code: ports.Invalid, Key: "invalid_argument", Text: "upload_cut"}

// Meter counts a body while a storage reads it, and ends it past its bounds. A
// body of known size that ends early fails instead of looking complete. It
// belongs to one upload.
type Meter struct {
	ctx     context.Context // of the upload
	r       io.Reader
	n       int64
	size    int64 // -1 means unknown
	limits  Limits
	room    *capacity.Taker // nil where the size is claimed already
	refused error           // by us
	failed  error           // of the sender, not of storage
}

// NewMeter returns the meter of a body of size bytes, -1 for unknown. room is
// nil where its size is claimed already.
func NewMeter(ctx context.Context, r io.Reader, size int64, limits Limits, room *capacity.Taker) *Meter {
	return &Meter{ctx: ctx, r: r, size: size, limits: limits, room: room}
}

// Read implements io.Reader.
func (m *Meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n += int64(n)
	if m.refused = m.limits.check(m.n, false); m.refused == nil && m.room != nil {
		m.refused = m.room.Take(m.ctx, m.n)
	}
	if m.refused != nil {
		return 0, m.refused
	}
	if err == io.EOF && m.size >= 0 && m.n < m.size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		m.failed = err
	}
	return n, err
}

// Count is how many bytes have come.
func (m *Meter) Count() int64 { return m.n }

// Why is what to answer when a storage returned err for the body: why it was
// refused, TooLarge or Quota, or what was wrong with it, whatever the storage
// made of that.
func (m *Meter) Why(err error) error {
	var e *ports.Error
	switch {
	case m.refused != nil:
		return m.refused
	case m.failed == nil:
		return err
	case !errors.As(m.failed, &e) && errors.Is(m.failed, io.ErrUnexpectedEOF):
		return errCut.With(m.failed) // other errors of the sender keep their meaning for the edge
	}
	return m.failed
}
