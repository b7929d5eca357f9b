package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"
)

// A process rests when it used less than restUse of processor time within
// restTick. The timers of an idle server take a fifth of it.
const (
	restTick = time.Second
	restUse  = restTick / 33
)

// tuneMemory trades some memory for less work of the collector: the heap of
// an idle server is small (see settle). Where the system limits the memory of
// the process, the collector works harder before that is reached; a third is
// left to what it does not see: the database's caches, drivers, sockets. The
// operator's own GOGC and GOMEMLIMIT are obeyed.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	if limit := memoryLimit(); limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 3 * 2)
	}
}

// settle gives memory back once the start is over, and again each time that
// the process comes to rest after work: hashing, uploads and searches leave
// memory behind that an idle process would hold for minutes. It ends with ctx.
func settle(ctx context.Context) {
	ticker := time.NewTicker(restTick)
	defer ticker.Stop()
	last := processorTime()
	work, cost := last, time.Duration(0) // of the start; of giving back
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		now := processorTime()
		switch used := now - last; {
		case used >= restUse:
			work += used
		case work > 2*cost:
			debug.FreeOSMemory()
			dropProgramPages()
			work, cost = 0, processorTime()-now
			now += cost
		}
		last = now
	}
}
