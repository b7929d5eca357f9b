// Package riverqueue offers waiting tasks to the nodes, by River: a job holds
// the id of a task and is inserted in the transaction that stores the task.
// What a task is, how far it came and who runs it stands in the task's own row;
// a job that comes twice, late or from a dead node does no harm.
package riverqueue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/jobs"
)

const (
	poll       = time.Second      // how often a node looks for waiting tasks
	rescue     = time.Minute      // silence after which a job counts as stuck
	heartbeat  = 15 * time.Second // how often a running job says that it is not
	comeBack   = 30 * time.Second // to a task that runs elsewhere
	maxWorkers = 16               // heavy work at once on one node
	kept       = time.Hour        // jobs that have ended; tasks are kept apart

	migrationLock = 0x7061737465707276 // of PostgreSQL: "pasteprv"
)

// Runner runs a task; domain/tasks is one.
type Runner interface {
	Execute(ctx context.Context, id string) error
}

// Options say where the queue is.
type Options struct {
	// DB is a pool for River's own statements; Tx gives the transaction of the
	// unit of work in ctx, nil without one.
	DB   *sql.DB
	Tx   func(ctx context.Context) *sql.Tx
	Work ports.UnitOfWork
	// SQLite says which of the two databases it is. There, this process is alone.
	SQLite bool
	// Workers is how many tasks run at once, 1 to 16. Zero means 2.
	Workers int
	// Periodic is work that one of the nodes does at intervals.
	Periodic []Periodic
	// Logger gets warnings and errors of River. Nil means the default.
	Logger *slog.Logger
}

// Queue is the queue of waiting tasks. It is safe for concurrent use.
type Queue struct {
	o      Options
	client *river.Client[*sql.Tx]
	runner Runner
	every  time.Duration // between heartbeats

	mu      sync.Mutex
	running map[int64]bool // jobs under way here
	stop    context.CancelFunc
	ended   chan struct{}
	soon    chan string // names of rounds that are to begin soon
}

var _ tasks.Queue = (*Queue)(nil)

// Open brings River's tables up to date. No task runs before Start.
func Open(ctx context.Context, o Options) (*Queue, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Logger = slog.New(quieter{o.Logger.Handler()})
	if o.Workers == 0 {
		o.Workers = 2
	}
	q := &Queue{o: o, every: heartbeat, running: map[int64]bool{}, soon: make(chan string, 1)}
	var driver riverdriver.Driver[*sql.Tx]
	if o.SQLite {
		driver = riversqlite.New(o.DB)
	} else {
		driver = riverdatabasesql.New(o.DB)
	}
	if err := q.migrate(ctx, driver); err != nil {
		return nil, fmt.Errorf("migrate the queue: %w", err)
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{q: q})
	river.AddWorker(workers, newPeriodicWorker(q, o.Periodic))
	client, err := river.NewClient(driver, &river.Config{
		Queues: map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: min(max(o.Workers, 1), maxWorkers)},
			periodicQueue:      {MaxWorkers: max(len(o.Periodic), 1), FetchPollInterval: periodicPoll},
		},
		Workers: workers, PeriodicJobs: periodicJobs(o.Periodic), Logger: o.Logger,
		JobTimeout: -1, RescueStuckJobsAfter: rescue, MaxAttempts: math.MaxInt16, FetchPollInterval: poll,
		CompletedJobRetentionPeriod: kept, CancelledJobRetentionPeriod: kept, DiscardedJobRetentionPeriod: kept,
		ReindexerSchedule: river.NeverSchedule(),
	})
	q.client = client
	return q, err
}

// migrate applies River's own migrations, on one node at a time.
func (q *Queue) migrate(ctx context.Context, driver riverdriver.Driver[*sql.Tx]) error {
	if !q.o.SQLite {
		lock, err := q.o.DB.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = lock.Close() }()
		// By asking again and again: no statement may take as long as the other node.
		for taken := false; !taken; {
			if err := lock.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", int64(migrationLock)).Scan(&taken); err != nil {
				return err
			}
			if !taken {
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		defer func() {
			_, _ = lock.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
		}()
	}
	m, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: q.o.Logger})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil || !q.o.SQLite {
		return err
	}
	// Jobs that a dead process left running would only be found stuck: the
	// tasks behind them are queued again by their own rows.
	_, err = q.o.DB.ExecContext(ctx, "DELETE FROM river_job WHERE state = 'running'")
	return err
}

// Push says that a task waits, in the unit of work of ctx or in one of its own.
// A task that is offered already is not offered twice.
func (q *Queue) Push(ctx context.Context, id string) error {
	tx := q.o.Tx(ctx)
	if tx == nil {
		return q.o.Work.Do(ctx, func(ctx context.Context) error { return q.Push(ctx, id) })
	}
	offered, err := q.offered(ctx, tx, id)
	if err != nil || offered {
		return err
	}
	_, err = q.client.InsertTx(ctx, tx, argsOf(ctx, id), nil)
	return err
}

func (q *Queue) offered(ctx context.Context, tx *sql.Tx, id string) (yes bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM river_job WHERE state IN ('available', 'scheduled', 'retryable') AND args->>'task_id' = $1)"
	if q.o.SQLite {
		query = "SELECT EXISTS (SELECT 1 FROM river_job WHERE state IN ('available', 'scheduled', 'retryable') AND json_extract(args, '$.task_id') = $1)"
	}
	err = tx.QueryRowContext(ctx, query, id).Scan(&yes)
	return yes, err
}

// Start begins to run waiting tasks. The caller calls Stop.
func (q *Queue) Start(ctx context.Context, runner Runner) error {
	q.runner = runner
	if err := q.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the queue: %w", err)
	}
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	q.stop, q.ended = stop, make(chan struct{})
	var loops sync.WaitGroup
	loops.Go(func() { q.beat(beating) })
	loops.Go(func() { q.hurry(beating) })
	go func() { loops.Wait(); close(q.ended) }()
	return nil
}

// Stop ends the context of every running task and waits until all are handed
// back, or until ctx ends.
func (q *Queue) Stop(ctx context.Context) error {
	if q.stop == nil {
		return nil
	}
	err := q.client.StopAndCancel(ctx)
	q.stop()
	<-q.ended
	return err
}

// beat keeps running jobs from being taken for stuck ones.
func (q *Queue) beat(ctx context.Context) {
	ticker := time.NewTicker(q.every)
	defer ticker.Stop()
	query := "UPDATE river_job SET attempted_at = now() WHERE id = $1 AND state = 'running'"
	if q.o.SQLite {
		query = "UPDATE river_job SET attempted_at = datetime('now', 'subsec') WHERE id = $1 AND state = 'running'"
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, id := range q.here() {
			if _, err := q.o.DB.ExecContext(ctx, query, id); err != nil && ctx.Err() == nil {
				q.o.Logger.Warn("heartbeat of a job", "error", err)
			}
		}
	}
}

func (q *Queue) here() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	ids := make([]int64, 0, len(q.running))
	for id := range q.running {
		ids = append(ids, id)
	}
	return ids
}

// mark notes that a job runs here or no longer does.
func (q *Queue) mark(id int64, runs bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if runs {
		q.running[id] = true
	} else {
		delete(q.running, id)
	}
}

// taskArgs is what a job holds.
type taskArgs struct {
	TaskID string `json:"task_id"`
	// Traceparent names the trace in which the task was started (W3C Trace
	// Context); empty where none was recorded.
	Traceparent string `json:"traceparent,omitempty"`
}

// argsOf is the job of a task that is started in ctx.
func argsOf(ctx context.Context, taskID string) taskArgs {
	carrier := propagation.MapCarrier{}
	if trace.SpanFromContext(ctx).IsRecording() {
		propagation.TraceContext{}.Inject(ctx, carrier)
	}
	return taskArgs{TaskID: taskID, Traceparent: carrier["traceparent"]}
}

// within is ctx with the trace in which the task was started.
func (a taskArgs) within(ctx context.Context) context.Context {
	if a.Traceparent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": a.Traceparent})
}

// Kind is the name of the jobs.
func (taskArgs) Kind() string { return "task" }

// worker runs the task of a job.
type worker struct {
	river.WorkerDefaults[taskArgs]
	q *Queue
}

// Work runs the task. What becomes of it is in its row, so the job has
// succeeded whenever that is known.
func (w *worker) Work(ctx context.Context, job *river.Job[taskArgs]) error {
	w.q.mark(job.ID, true)
	defer w.q.mark(job.ID, false)
	err := w.q.runner.Execute(job.Args.within(ctx), job.Args.TaskID)
	switch {
	case errors.Is(err, tasks.ErrBusy):
		return river.JobSnooze(comeBack)
	case errors.Is(err, jobs.ErrStopping): // it was offered anew
		return nil
	}
	return err
}

// NextRetry is when a job comes again whose task could not be looked at.
func (w *worker) NextRetry(job *river.Job[taskArgs]) time.Time {
	return time.Now().Add(min(time.Duration(max(job.Attempt, 1))*time.Second, comeBack))
}

// quieter passes warnings and errors on: River tells its comings and goings at
// the level of ours.
type quieter struct{ slog.Handler }

// Enabled reports whether a line of this level is passed on.
func (h quieter) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle leaves out what could not be done because the server stops.
func (h quieter) Handle(ctx context.Context, r slog.Record) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the level.
func (h quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the level.
func (h quieter) WithGroup(name string) slog.Handler { return quieter{h.Handler.WithGroup(name)} }
