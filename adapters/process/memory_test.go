package process

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestTheHeapOfATunedProcessMayGrowBeforeItIsCollected(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for gogc, grows := range map[string]bool{"": true, "100": false} {
		t.Setenv("GOGC", gogc)
		if limit := memoryLimit(); limit > 0 && limit < unusedFitting {
			grows = false
		}
		debug.SetGCPercent(100)
		tuned := Tune()
		runtime.GC()
		goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
		metrics.Read(goal)
		runtime.KeepAlive(tuned)
		if got := goal[0].Value.Uint64(); (got >= 4*unusedSize) != grows {
			t.Errorf("GOGC %q: the heap may grow to %d bytes", gogc, got)
		}
	}
}
