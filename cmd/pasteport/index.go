package main

import (
	"context"
	"sync"
	"time"
)

// keepIndexEvery is how often a node looks for storages that are to be scanned.
const keepIndexEvery = 15 * time.Second

// runIndex keeps the index of mounted objects in step until ctx ends.
func (a *app) runIndex(ctx context.Context, rescan time.Duration, loops *sync.WaitGroup) {
	loops.Go(func() { a.index.Run(ctx) })
	scan := func(ctx context.Context, last bool) {
		if last {
			return
		}
		if err := a.index.Keep(ctx, rescan); err != nil && ctx.Err() == nil {
			a.report("begin to index mounts", err)
		}
	}
	loops.Go(func() {
		scan(ctx, false)
		every(ctx, keepIndexEvery, scan)
	})
}
