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

// Happens asks for a condition until it holds or a time is over, and reports whether
// it held. It asks every 5 ms at first and ever less often the longer it takes: what
// takes seconds is not asked for a thousand times, by processes that need the
// processor themselves.
func Happens(within time.Duration, holds func() bool) bool {
	began := time.Now()
	for !holds() {
		gone := time.Since(began)
		if gone >= within {
			return false
		}
		<-time.After(min(max(5*time.Millisecond, gone/8), 100*time.Millisecond, within-gone))
	}
	return true
}
