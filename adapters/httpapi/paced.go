package httpapi

import (
	"io"
	"net/http"
	"time"
)

// Progress that a sender or reader must make: after pacedGrace at least
// pacedRate bytes a second.
const (
	pacedGrace = 30 * time.Second
	pacedRate  = 1000
)

// pacedBody ends a body that arrives too slowly. It moves the connection's
// read deadline as bytes come in.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	start   time.Time
	read    int64
	set     time.Time // deadline in force
}

func newPacedBody(w http.ResponseWriter, body io.ReadCloser) *pacedBody {
	return &pacedBody{ReadCloser: body, control: http.NewResponseController(w), start: time.Now()}
}

func (b *pacedBody) Read(p []byte) (int, error) {
	deadline := b.start.Add(pacedGrace + time.Duration(b.read)*time.Second/pacedRate)
	// A fast sender would have hours of credit; it gets the grace from now on.
	if latest := time.Now().Add(pacedGrace); deadline.After(latest) {
		deadline = latest
	}
	if deadline.Sub(b.set) > time.Second || deadline.Before(b.set) {
		if b.control.SetReadDeadline(deadline) == nil {
			b.set = deadline
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}

// Close lifts the deadline: the connection may be used again.
func (b *pacedBody) Close() error {
	if !b.set.IsZero() {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return b.ReadCloser.Close()
}
