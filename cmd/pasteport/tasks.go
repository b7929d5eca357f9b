package main

import (
	"context"
	"fmt"
	"time"

	"pasteport/adapters/riverqueue"
	"pasteport/adapters/secrets"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/policy"
)

const (
	// recoverEvery is how often a node looks for the tasks of dead ones.
	recoverEvery = 15 * time.Second
	// tasksStopIn is how long workers may take to stop with the server.
	tasksStopIn = 20 * time.Second
)

// openTasks makes the work in the background. Modules register their kinds of
// tasks at a.tasks until runTasks.
func (a *app) openTasks(ctx context.Context, s *settings, decider policy.Decider) (err error) {
	a.queue, err = riverqueue.Open(ctx, riverqueue.Options{
		DB: a.store.SharedDB(), Tx: a.store.Tx, Work: a.store, SQLite: a.store.SQLite(), Workers: s.TaskWorkers, Logger: a.log, Periodic: (&upkeep{app: a, rescan: s.IndexRescan, check: s.StorageCheck}).periodic(),
	})
	if err != nil {
		return fmt.Errorf("open the task queue: %w", err)
	}
	a.tasks = tasks.New(tasks.Deps{
		Tasks: a.store.Tasks(), Runs: a.store.Tasks(), Queue: a.queue, Work: a.store, Decider: decider, Random: secrets.Random{}, Clock: ports.SystemClock,
		Report: a.report, Alone: a.store.SQLite(), Owners: taskOwners{a}, Around: a.traces.Work,
	})
	return nil
}

// taskOwners tells what the keys that own tasks may do now.
type taskOwners struct{ a *app }

func (o taskOwners) Now(ctx context.Context, owner policy.Principal) (policy.Principal, error) {
	return o.a.access.Now(ctx, owner)
}

// runTasks runs what waits until ctx ends; then it hands back what runs.
func (a *app) runTasks(ctx context.Context) {
	a.recoverTasks(ctx, false)
	if err := a.queue.Start(ctx, a.tasks); err != nil {
		a.report("run tasks", err)
		return
	}
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), tasksStopIn)
	defer cancel()
	if err := a.queue.Stop(ending); err != nil {
		a.report("stop tasks; they go on after the next start", err)
	}
}

// recoverTasks takes up the tasks that dead nodes have left.
func (a *app) recoverTasks(ctx context.Context, last bool) {
	if last {
		return
	}
	n, err := a.tasks.Recover(ctx)
	if err != nil && ctx.Err() == nil {
		a.report("recover tasks", err)
	}
	if n > 0 {
		a.log.Info("tasks were interrupted and go on", "count", n)
	}
}
