// Package process is what a process of the program takes of its machine: memory
// that it gives back when it rests, and what other processes use. It also starts the
// program again in its own place.
package process

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// A process rests when it used less than restUse of processor time within
// restTick. The timers of an idle server take a fifth of it.
const (
	restTick = time.Second
	restUse  = restTick / 33
)

// Tuning is what Tune has set. It ends with Settle.
type Tuning struct{ unused []byte }

// What the collector takes for used from the start, in bytes, and the smallest
// limit of memory beside which it is little.
const (
	unusedSize    = 8 << 20
	unusedFitting = 512 << 20
)

// Tune trades some memory for less work of the collector: the heap of
// an idle server is small (see Settle). Where the system limits the memory of
// the process, the collector works harder before that is reached; a third is
// left to what it does not see: the database's caches, drivers, sockets. The
// operator's own GOGC and GOMEMLIMIT are obeyed.
//
// The heap grows by a multiple of what is used, and a server uses 5 MiB: a busy one
// would collect every 3,000 reads, and spend a tenth of its time on that. So there is
// a block that nobody writes to: it counts, and the system never gives memory for it.
// Call Tune first of all, since a block in memory that was used before is cleared.
func Tune() *Tuning {
	limit := memoryLimit()
	if limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit / 3 * 2)
	}
	t := &Tuning{}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
		if limit == 0 || limit >= unusedFitting {
			t.unused = make([]byte, unusedSize)
		}
	}
	return t
}

// Settle is the function Settle for a process that was tuned.
func (t *Tuning) Settle(ctx context.Context) {
	Settle(ctx)
	runtime.KeepAlive(t.unused)
}

// Settle gives memory back once the start is over, and again each time that
// the process comes to rest after work: hashing, uploads and searches leave
// memory behind that an idle process would hold for minutes. It ends with ctx.
func Settle(ctx context.Context) {
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
