package listen

import (
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Progress that a sender or reader must make: after pacedGrace at least
// pacedRate bytes a second.
const (
	PacedGrace = 30 * time.Second
	pacedRate  = 1000
)

// strictRate is how many bytes a second a body must bring, over each
// pacedGrace, while it takes room that others may wait for.
const strictRate = 16 << 10

// How long nothing may come of the rest of a body that nobody reads any more. Of what
// is refused the rest is taken in, so that its sender hears the answer: for lingerMost
// and lingerBytes at most.
const (
	lingerTime  = 2 * time.Second
	lingerMost  = 30 * time.Second
	lingerBytes = 256 << 20
)

// PacedBody ends a body that arrives too slowly. It moves the connection's
// read deadline as bytes come in; the first one is set when the request
// arrives, since net/http itself waits for a body that nobody reads.
type PacedBody struct {
	body    io.ReadCloser
	control *http.ResponseController
	start   time.Time
	length  int64 // as announced; -1 means unknown

	mu       sync.Mutex // of the rest: handlers read in other goroutines than they answer
	read     int64
	ended    bool      // nothing more can come
	answered bool      // nobody reads the rest any more
	set      time.Time // deadline in force
	strict   bool
	crowded  func() bool // others wait for the room that this body takes; nil: nobody does
	since    time.Time   // the window began in which the rate of a strict body is looked at
	inWindow int64       // bytes in it so far
}

// NewPacedBody wraps the body of a request whose length may be -1.
func NewPacedBody(w http.ResponseWriter, body io.ReadCloser, length int64) *PacedBody {
	b := &PacedBody{body: body, control: http.NewResponseController(w), start: time.Now(), length: length, ended: length == 0}
	b.since = b.start
	b.move(b.start.Add(PacedGrace))
	return b
}

// Read reads, and fails with os.ErrDeadlineExceeded when the sender is too slow.
func (b *PacedBody) Read(p []byte) (int, error) {
	b.allow()
	n, err := b.body.Read(p)
	return n, b.count(n, err)
}

// allow moves the deadline for the next bytes.
func (b *PacedBody) allow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || b.answered {
		return
	}
	deadline := b.start.Add(PacedGrace + time.Duration(b.read)*time.Second/pacedRate)
	// A fast sender would have hours of credit; it gets the grace from now on.
	if latest := time.Now().Add(PacedGrace); deadline.After(latest) {
		deadline = latest
	}
	if deadline.Sub(b.set) > time.Second || deadline.Before(b.set) {
		b.move(deadline)
	}
}

// count notes what came. At the end of the body it lifts the deadline: the
// connection may be used again, and the handler may take its time.
func (b *PacedBody) count(n int, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += int64(n)
	if err == io.EOF || b.length >= 0 && b.read >= b.length {
		if !b.ended {
			b.ended = true
			b.move(time.Time{})
		}
		return err
	}
	if b.inWindow += int64(n); err == nil {
		if took := time.Since(b.since); took >= PacedGrace {
			if b.inWindow < int64(took.Seconds()*strictRate) && (b.strict || b.crowded != nil && b.crowded()) {
				return os.ErrDeadlineExceeded
			}
			b.since, b.inWindow = b.since.Add(took), 0
		}
	}
	return err
}

// Hasten makes the body keep strictRate from now on.
func (b *PacedBody) Hasten() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strict, b.since, b.inWindow = true, time.Now(), 0
}

// YieldTo makes the body keep strictRate whenever crowded says that others wait
// for the room that it takes. A slow body may go on as long as there is room.
func (b *PacedBody) YieldTo(crowded func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.crowded = crowded
}

// Answer is called when an answer begins. It reports whether there may be a
// rest of the body; that gets lingerTime, and nobody should wait for it.
func (b *PacedBody) Answer() (rest bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || b.answered {
		return false
	}
	b.answered = true
	b.move(time.Now().Add(lingerTime))
	return true
}

// Linger takes in what is still coming after a refusal, so that a sender who
// reads only when all is sent finds the answer instead of a reset connection. Once
// stop is closed it gets no more than lingerTime; nil never is.
func (b *PacedBody) Linger(stop <-chan struct{}) {
	_, _ = io.CopyN(io.Discard, &lingering{b, time.Now().Add(lingerMost), stop}, lingerBytes)
}

// lingering is the rest of a refused body: who goes on sending may until end.
type lingering struct {
	b    *PacedBody
	end  time.Time
	stop <-chan struct{} // nil when it was seen
}

func (l *lingering) Read(p []byte) (int, error) {
	select {
	case <-l.stop:
		l.stop = nil
		if soon := time.Now().Add(lingerTime); soon.Before(l.end) {
			l.end = soon
		}
	default:
	}
	l.b.mu.Lock()
	deadline := time.Now().Add(lingerTime)
	if deadline.After(l.end) {
		deadline = l.end
	}
	if deadline.Sub(l.b.set) > lingerTime/4 {
		l.b.move(deadline)
	}
	l.b.mu.Unlock()
	return l.b.body.Read(p)
}

func (b *PacedBody) move(deadline time.Time) {
	if b.control.SetReadDeadline(deadline) == nil {
		b.set = deadline
	}
}

// Close implements io.Closer. The body is closed by net/http when the request
// ends.
func (b *PacedBody) Close() error { return nil }
