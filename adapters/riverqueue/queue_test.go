package riverqueue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"pasteport/domain/tasks"
	"pasteport/ports/jobs"
	"pasteport/ports/portstest"
)

func TestMain(m *testing.M) { os.Exit(portstest.RunWithoutLeaks(m)) }

// base is an open database with units of work.
type base struct {
	*sql.DB
	sqlite bool
	open   func(t *testing.T) *sql.DB // the same once more
}

type txKey struct{}

func tx(ctx context.Context) *sql.Tx {
	tx, _ := ctx.Value(txKey{}).(*sql.Tx)
	return tx
}

func (b base) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	tx, err := b.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func onBoth(t *testing.T, test func(t *testing.T, b base)) {
	for name, sqlite := range map[string]bool{"sqlite": true, "postgres": false} {
		t.Run(name, func(t *testing.T) {
			driver, address := "pgx", ""
			if sqlite {
				driver, address = "sqlite", "file:"+filepath.Join(t.TempDir(), "q.db")+"?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)"
			} else {
				address = portstest.Postgres(t)
			}
			open := func(t *testing.T) *sql.DB {
				db, err := sql.Open(driver, address)
				if err != nil {
					t.Fatal(err)
				}
				if sqlite {
					db.SetMaxOpenConns(1)
				}
				t.Cleanup(func() { _ = db.Close() })
				return db
			}
			test(t, base{open(t), sqlite, open})
		})
	}
}

func (b base) queue(t *testing.T, workers int, periodic ...Periodic) *Queue {
	t.Helper()
	q, err := Open(t.Context(), Options{DB: b.DB, Tx: tx, Work: b, SQLite: b.sqlite, Workers: workers, Periodic: periodic, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// start runs q until the test ends.
func start(t *testing.T, q *Queue, r Runner) {
	t.Helper()
	if err := q.Start(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := q.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

// runner counts and does what a test says.
type runner struct {
	do func(ctx context.Context, id string) error

	mu     sync.Mutex
	ran    map[string]int
	now    int
	atOnce int
}

func (r *runner) Execute(ctx context.Context, id string) error {
	r.mu.Lock()
	if r.ran == nil {
		r.ran = map[string]int{}
	}
	r.ran[id]++
	r.now++
	r.atOnce = max(r.atOnce, r.now)
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now--
	}()
	if r.do == nil {
		return nil
	}
	return r.do(ctx, id)
}

func (r *runner) times(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ran[id]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b base) count(t *testing.T, where string) (n int) {
	t.Helper()
	must(t, b.QueryRow("SELECT COUNT(*) FROM river_job WHERE "+where).Scan(&n))
	return n
}

func TestTaskIsOfferedWhenItsUnitOfWorkIsCommitted(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 2)
		undone := errors.New("undone")
		err := b.Do(t.Context(), func(ctx context.Context) error {
			if err := q.Push(ctx, "never"); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		must(t, q.Push(t.Context(), "alone"))
		must(t, b.Do(t.Context(), func(ctx context.Context) error { return errors.Join(q.Push(ctx, "joined"), q.Push(ctx, "joined")) }))
		if n := b.count(t, "state = 'available'"); n != 2 {
			t.Errorf("%d jobs wait, want 2", n)
		}
		r := &runner{}
		start(t, q, r)
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 2 }, "both have run")
		if r.times("alone") != 1 || r.times("joined") != 1 || r.times("never") != 0 {
			t.Errorf("ran %v", r.ran)
		}
		must(t, q.Push(t.Context(), "joined"))
		portstest.Eventually(t, func() bool { return r.times("joined") == 2 }, "it runs again when it is offered again")
	})
}

func TestNoMoreTasksRunAtOnceThanAllowed(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 2)
		for i := range 12 {
			must(t, q.Push(t.Context(), fmt.Sprint(i)))
		}
		r := &runner{do: func(context.Context, string) error { <-time.After(20 * time.Millisecond); return nil }}
		start(t, q, r)
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 12 }, "all have run")
		if r.atOnce > 2 {
			t.Errorf("%d ran at once", r.atOnce)
		}
	})
}

func TestTwoNodesShareTheTasks(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		if b.sqlite {
			return // one process is all there is
		}
		r := &runner{}
		first, second := b.queue(t, 4), base{b.open(t), false, b.open}.queue(t, 4)
		for i := range 40 {
			must(t, first.Push(t.Context(), fmt.Sprint(i)))
		}
		start(t, first, r)
		start(t, second, r)
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 40 }, "all have run")
		for i := range 40 {
			if n := r.times(fmt.Sprint(i)); n != 1 {
				t.Errorf("task %d ran %d times", i, n)
			}
		}
	})
}

func TestWhatBecomesOfAJob(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 4)
		answers := map[string]error{"busy": tasks.ErrBusy, "stopping": jobs.ErrStopping, "done": nil}
		r := &runner{}
		r.do = func(_ context.Context, id string) error {
			if id == "broken" && r.times(id) < 2 {
				return errors.New("database is away")
			}
			return answers[id]
		}
		for _, id := range []string{"busy", "stopping", "done", "broken"} {
			must(t, q.Push(t.Context(), id))
		}
		start(t, q, r)
		portstest.Eventually(t, func() bool { return r.times("broken") >= 2 }, "the broken one was tried again")
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'completed'") == 3 }, "three are done")
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'scheduled'") == 1 }, "the busy one comes back later")
	})
}

func TestStopEndsWhatRuns(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 2)
		must(t, q.Push(t.Context(), "a"))
		begun := make(chan struct{})
		r := &runner{do: func(ctx context.Context, _ string) error {
			close(begun)
			<-ctx.Done()
			return jobs.ErrStopping
		}}
		must(t, q.Start(t.Context(), r))
		<-begun
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		must(t, q.Stop(ctx))
		if n := b.count(t, "state = 'completed'"); n != 1 {
			t.Errorf("%d jobs are over, want 1: its task was handed back by its own row", n)
		}
	})
}

// A stop that comes early is no error in the log.
func TestRiverSaysNothingOfWhatAStopCutShort(t *testing.T) {
	var said strings.Builder
	log := slog.New(quieter{slog.NewTextHandler(&said, nil)})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	log.ErrorContext(stopped, "cut short")
	log.InfoContext(t.Context(), "usual")
	log.ErrorContext(t.Context(), "broken")
	if got := said.String(); strings.Contains(got, "cut short") || strings.Contains(got, "usual") || !strings.Contains(got, "broken") {
		t.Errorf("said %s", got)
	}
}

func TestQueueThatNeverRanStops(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) { must(t, b.queue(t, 0).Stop(t.Context())) })
}

func TestJobsOfADeadProcessAreForgotten(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 1)
		must(t, q.Push(t.Context(), "a"))
		must(t, q.Push(t.Context(), "b"))
		_, err := b.Exec("UPDATE river_job SET state = 'running', attempted_at = created_at WHERE id = (SELECT MIN(id) FROM river_job)")
		must(t, err)
		must(t, q.Push(t.Context(), "a")) // as its row asks for
		b.queue(t, 1)
		wantRunning := 1 // another node may be alive
		if b.sqlite {
			wantRunning = 0
		}
		if running, waiting := b.count(t, "state = 'running'"), b.count(t, "state = 'available'"); running != wantRunning || waiting != 2 {
			t.Errorf("%d run and %d wait, want %d and 2", running, waiting, wantRunning)
		}
	})
}

func TestRunningJobIsKeptFromBeingTakenForStuck(t *testing.T) {
	onBoth(t, func(t *testing.T, b base) {
		q := b.queue(t, 1)
		q.every = 10 * time.Millisecond
		must(t, q.Push(t.Context(), "a"))
		release := make(chan struct{})
		start(t, q, &runner{do: func(context.Context, string) error { <-release; return nil }})
		defer close(release)
		portstest.Eventually(t, func() bool { return b.count(t, "state = 'running'") == 1 }, "it runs")
		// Not so long ago that River, which looks at some time after its start,
		// takes the job for stuck before the heartbeat.
		past, fresh := "now() - interval '40 seconds'", "attempted_at > now() - interval '20 seconds'"
		if b.sqlite {
			past, fresh = "datetime('now', '-40 seconds')", "attempted_at > datetime('now', '-20 seconds')"
		}
		_, err := b.Exec("UPDATE river_job SET attempted_at = " + past)
		must(t, err)
		portstest.Eventually(t, func() bool { return b.count(t, fresh) == 1 }, "the heartbeat is seen")
	})
}
