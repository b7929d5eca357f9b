//go:build !linux

package main

import "time"

// dropProgramPages does nothing where the system offers nothing like it.
func dropProgramPages() {}

// processUse knows nothing where the system offers nothing like /proc.
func processUse(int) (resident int64, cpu time.Duration, known bool) { return 0, 0, false }
