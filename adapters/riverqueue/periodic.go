package riverqueue

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	periodicQueue = "periodic" // so that no long task keeps it waiting
	periodicPoll  = 5 * time.Second
)

// Periodic is work that one of the nodes does again and again, whichever comes
// to it first. Rounds of one name do not overlap.
type Periodic struct {
	Name  string // two or more letters and digits
	Every time.Duration
	// AtStart says that a round begins when a node takes the lead of all nodes,
	// and not only after Every: for what is done less often than servers start.
	AtStart bool
	// Do does a round and reports its failures itself; the next round comes in any
	// case. Its context ends when the server stops.
	Do func(ctx context.Context)
}

// periodicArgs is what a job of a round holds.
type periodicArgs struct {
	Name string `json:"name"`
}

// Kind is the name of the jobs.
func (periodicArgs) Kind() string { return "periodic" }

// InsertOpts keep a round from beginning while the one before is under way or
// waits, and from being repeated.
func (periodicArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: periodicQueue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

func periodicJobs(all []Periodic) (jobs []*river.PeriodicJob) {
	for _, p := range all {
		jobs = append(jobs, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
			func() (river.JobArgs, *river.InsertOpts) { return periodicArgs{p.Name}, nil }, &river.PeriodicJobOpts{ID: p.Name, RunOnStart: p.AtStart}))
	}
	return jobs
}

// How long Soon waits for what else comes, and until a round under way is asked for
// again.
const (
	gather = 100 * time.Millisecond
	retry  = time.Second
)

// Soon has a round of a name begin within a moment, on whichever node comes to it
// first, once more after one that is under way. It never waits, and may be called
// often, also inside a unit of work: the round begins after its commit, or finds
// nothing and comes again at its time.
func (q *Queue) Soon(name string) {
	select {
	case q.soon <- name:
	default: // somebody has just asked
	}
}

// hurry inserts the jobs of rounds that are wanted soon.
func (q *Queue) hurry(ctx context.Context) {
	for {
		var name string
		select {
		case <-ctx.Done():
			return
		case name = <-q.soon:
		}
		for wait := gather; ; wait = retry {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			inserted, err := q.insertRound(ctx, name)
			if err != nil && ctx.Err() == nil {
				q.o.Logger.Warn("ask for a round", "name", name, "error", err)
			}
			if inserted {
				break
			}
		}
	}
}

// insertRound inserts a job unless one waits or is under way.
func (q *Queue) insertRound(ctx context.Context, name string) (inserted bool, err error) {
	err = q.o.Work.Do(ctx, func(ctx context.Context) error {
		result, err := q.client.InsertTx(ctx, q.o.Tx(ctx), periodicArgs{name}, nil)
		inserted = err == nil && !result.UniqueSkippedAsDuplicate
		return err
	})
	return inserted, err
}

// periodicWorker does the rounds.
type periodicWorker struct {
	river.WorkerDefaults[periodicArgs]
	q    *Queue
	work map[string]func(ctx context.Context)
}

func newPeriodicWorker(q *Queue, all []Periodic) *periodicWorker {
	w := &periodicWorker{q: q, work: map[string]func(ctx context.Context){}}
	for _, p := range all {
		w.work[p.Name] = p.Do
	}
	return w
}

// Work does a round. What an older or newer version of the program does on
// another node is left to it.
func (w *periodicWorker) Work(ctx context.Context, job *river.Job[periodicArgs]) error {
	w.q.mark(job.ID, true)
	defer w.q.mark(job.ID, false)
	if do := w.work[job.Args.Name]; do != nil {
		do(ctx)
	}
	return nil
}
