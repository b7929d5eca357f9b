package portstest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// RunWithoutLeaks runs the tests of a package and returns the status to exit
// with: 1 when tests failed, or when goroutines that they started are still
// there a minute after the last one.
func RunWithoutLeaks(m *testing.M) int {
	if code := m.Run(); code != 0 {
		return code
	}
	var left error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if left = goleak.Find(); left == nil {
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, left)
	return 1
}
