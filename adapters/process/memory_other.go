//go:build !linux

package process

import "time"

// dropProgramPages does nothing where the system offers nothing like it.
func dropProgramPages() {}

// processorTime is the time since the start: where it is not known, nothing
// ever counts as rest.
func processorTime() time.Duration { return time.Since(started) }

var started = time.Now()

// Use knows nothing where the system offers nothing like /proc.
func Use(int) (resident int64, cpu time.Duration, known bool) { return 0, 0, false }

// memoryLimit is not known here.
func memoryLimit() int64 { return 0 }
