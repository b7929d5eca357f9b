package ports

import "time"

// Clock tells the time, in UTC. It is a port so that tests can move it.
type Clock interface {
	Now() time.Time
}

// ClockFunc lets a function be a Clock.
type ClockFunc func() time.Time

// Now calls f.
func (f ClockFunc) Now() time.Time { return f() }

// SystemClock is the clock of the machine, in UTC.
var SystemClock Clock = ClockFunc(func() time.Time { return time.Now().UTC() })
