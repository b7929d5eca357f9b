package objstore_test

import (
	"testing"
	"time"

	"pasteport/ports/objstore"
)

func TestWaitsBetweenTriesDoubleUpToABound(t *testing.T) {
	for try, most := range map[int]time.Duration{
		0: 100 * time.Millisecond, 1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 3: 400 * time.Millisecond, 7: 5 * time.Second, 1000: 5 * time.Second,
	} {
		for range 100 {
			if wait := objstore.Backoff(try); wait < most/2 || wait >= most {
				t.Fatalf("after try %d: %v, want %v to %v", try, wait, most/2, most)
			}
		}
	}
}
