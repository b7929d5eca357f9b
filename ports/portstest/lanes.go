package portstest

import "testing"

// OnlyWithoutRaces leaves a test out of the race lane (go test -short): of what one
// goroutine does step by step, or other tests of that lane do as well, the race
// detector learns nothing. Its package runs without the detector, too.
func OnlyWithoutRaces(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing for the race detector")
	}
}
