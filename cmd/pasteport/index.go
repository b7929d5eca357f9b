package main

import (
	"context"
	"time"
)

// keepIndexEvery is how often somebody looks for storages that are to be scanned.
const keepIndexEvery = 15 * time.Second

// keepIndex begins the scans that are due of the storages behind mounts.
func (a *app) keepIndex(ctx context.Context, rescan time.Duration) {
	if err := a.index.Keep(ctx, rescan); err != nil && ctx.Err() == nil {
		a.report("begin to index mounts", err)
	}
}
