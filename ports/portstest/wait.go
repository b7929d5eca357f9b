package portstest

import (
	"testing"
	"time"
)

// Patience is how long tests wait for what should happen: longer than a machine
// needs that has many other things to do.
const Patience = 2 * time.Minute

// Eventually waits until a condition holds, for what cannot say by itself that it
// has happened: another process, a file, the end of a request elsewhere. The test
// ends when Patience does, with what did not happen.
func Eventually(t testing.TB, holds func() bool, what ...any) {
	t.Helper()
	if !Happens(Patience, holds) {
		t.Fatal(append([]any{"it did not happen in ", Patience, ": "}, what...)...)
	}
}

// Happens asks for a condition every 5 ms and reports whether it held within a
// time.
func Happens(within time.Duration, holds func() bool) bool {
	end := time.NewTimer(within)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end.C:
			return holds()
		}
	}
	return true
}
