package listen

import (
	"errors"
	"os"
	"sync"
	"time"
)

// readDeadline moves the read deadline of a connection lazily. net/http sets one
// before each request and lifts it again, four calls that cost each a timer of the
// runtime. Here one that is in force stays when it is to be moved outwards or to be
// lifted; a read that it ends too early moves it then, and reads again.
type readDeadline struct {
	mu      sync.Mutex
	wanted  time.Time // zero: none
	inForce time.Time // zero: none; never later than wanted, unless that is zero
}

// set asks for a deadline; move puts one in force.
func (d *readDeadline) set(wanted time.Time, move func(time.Time) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = wanted
	if !d.inForce.IsZero() && (wanted.IsZero() || !wanted.Before(d.inForce)) {
		return nil
	}
	return d.force(move)
}

// begun is before every deadline that somebody may wait for.
var begun = time.Now()

// settle puts the wanted deadline in force where a read would end at once: net/http
// ends one, before the next request, by a deadline in 1970.
func (d *readDeadline) settle(move func(time.Time) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inForce.Before(begun) && !d.inForce.Equal(d.wanted) && !d.inForce.IsZero() {
		_ = d.force(move) // the read fails as it would have
	}
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
