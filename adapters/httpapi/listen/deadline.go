package listen

import (
	"errors"
	"os"
	"sync"
	"time"
)

// readDeadline moves the read deadline of a connection lazily. net/http sets one
// before each request and each header and lifts it again, and each move costs a timer
// of the runtime. Here a deadline is put in force by the read that needs it: an
// earlier one stays until it ends a read too soon, which then reads again.
type readDeadline struct {
	mu      sync.Mutex
	reads   int       // under way
	wanted  time.Time // zero: none
	inForce time.Time // zero: none; while a read is under way never later than wanted, unless that is zero
}

// set asks for a deadline; move puts one in force when a read under way would miss it.
func (d *readDeadline) set(wanted time.Time, move func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = wanted
	if d.reads == 0 || !d.late() {
		return nil
	}
	return d.force(move)
}

// late reports whether the deadline in force comes after the one that is wanted.
func (d *readDeadline) late() bool {
	return !d.wanted.IsZero() && (d.inForce.IsZero() || d.wanted.Before(d.inForce))
}

// begun is before every deadline that somebody may wait for.
var begun = time.Now()

// begin notes a read. It puts the wanted deadline in force where that in force would
// end the read too late, or at once: net/http ends one, before the next request, by a
// deadline in 1970.
func (d *readDeadline) begin(move func(time.Time) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	if d.late() || d.inForce.Before(begun) && !d.inForce.Equal(d.wanted) && !d.inForce.IsZero() {
		_ = d.force(move) // the read fails as it would have
	}
}

// end notes that a read is over.
func (d *readDeadline) end() {
	d.mu.Lock()
	d.reads--
	d.mu.Unlock()
}

// early reports whether a read that ended with err may have done so before the
// deadline that is wanted, which was not in force and is now.
func (d *readDeadline) early(err error, move func(time.Time) error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.inForce.Equal(d.wanted) && d.force(move) == nil
}

func (d *readDeadline) force(move func(time.Time) error) error {
	err := move(d.wanted)
	if err == nil {
		d.inForce = d.wanted
	}
	return err
}
