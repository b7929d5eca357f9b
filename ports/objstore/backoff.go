package objstore

import (
	"math/rand/v2"
	"time"
)

// Tries is how often a call that can be repeated is made before its failure is
// told.
const Tries = 3

// Waits between tries: doubling from the first, never longer than the longest.
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// Backoff is how long to wait after the given try, counted from 1: a random
// time, so that callers who failed together do not come back together.
func Backoff(try int) time.Duration {
	wait := min(firstWait<<min(max(try-1, 0), 16), longestWait)
	return wait/2 + rand.N(wait/2)
}
