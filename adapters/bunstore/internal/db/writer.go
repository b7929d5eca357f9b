package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
	"modernc.org/sqlite"

	"pasteport/ports"
)

const (
	maxWaiting = 200 // jobs in the queue; more are answered Unavailable
	maxBatch   = 200 // jobs in one commit
)

// writer owns the one connection that writes to a SQLite file. Callers hand
// over work; one goroutine runs it, many jobs in one transaction, and answers
// each after the commit that made it durable. A caller who is alone runs its
// own work.
//
// A job that fails is undone alone, by a savepoint. When SQLite itself gives
// the transaction up (a full disk), the job that met it fails and the others of
// its batch run again. A full disk fails a job only after room was made for it.
type writer struct {
	pool  *Pool
	conn  *Conn
	raw   bun.Conn
	full  func() bool // makes room on a full disk
	queue chan *job
	ended chan struct{}

	mu     sync.RWMutex // guards closed against sends
	closed bool
	grown  chan struct{}               // told when the log has grown by a good deal
	lost   atomic.Pointer[ports.Error] // set when the disk refused to sync

	turn sync.Mutex // held by who runs jobs; guards conn and what follows
	told int        // pages that were in the log when the keeper was told last
	last int        // jobs in the batch before
}

type job struct {
	Work
	ctx   context.Context
	state atomic.Int32
	err   error
	done  chan struct{}
}

// The states of a job.
const (
	waiting int32 = iota
	running
	left // its caller has gone
)

func newWriter(p *Pool, full func() bool) (*writer, error) {
	w := &writer{pool: p, full: full, queue: make(chan *job, maxWaiting), grown: make(chan struct{}, 1), ended: make(chan struct{})}
	if err := w.connect(); err != nil {
		return nil, err
	}
	go w.run()
	return w, nil
}

func (w *writer) connect() error {
	raw, err := w.pool.bun.Conn(context.Background())
	if err != nil {
		return err
	}
	w.raw = raw
	w.conn = &Conn{SQLite: true, prepare: raw.PrepareContext, prepared: &sync.Map{}}
	return nil
}

// do hands w over and waits for its result. A caller whose context ends before
// its turn leaves, and the work is not done.
func (w *writer) do(ctx context.Context, what Work) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{Work: what, ctx: ctx, done: make(chan struct{})}
	if w.alone(j) {
		return j.err
	}
	if err := w.enqueue(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, left) {
			return ctx.Err()
		}
		<-j.done
	}
	return j.err
}

// alone runs a job on its caller's goroutine when nobody else is writing, which
// saves the way to the writer's goroutine and back. It reports false when the
// job belongs into a batch.
func (w *writer) alone(j *job) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed || len(w.queue) > 0 || !w.turn.TryLock() {
		return false
	}
	defer w.turn.Unlock()
	if w.last > 1 { // the others of that batch are about to come back
		return false
	}
	w.commit([]*job{j})
	w.tell()
	return true
}

func (w *writer) enqueue(j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- j:
		return nil
	default:
		return errBusy
	}
}

// broken returns the error that ended writing for good, nil while all is well.
func (w *writer) broken() error {
	if lost := w.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// close ends the writer after the jobs that were handed over.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	close(w.queue)
	w.mu.Unlock()
	<-w.ended
	w.conn.prepared.Range(func(_, stmt any) bool {
		_ = stmt.(*sql.Stmt).Close()
		return true
	})
	return errors.Join(w.raw.Close(), w.pool.Close())
}

func (w *writer) run() {
	defer close(w.ended)
	batch := make([]*job, 0, maxBatch)
	for first := range w.queue {
		w.turn.Lock()
		batch = w.gather(append(batch[:0], first))
		w.last = len(batch)
		w.commit(batch)
		w.tell()
		w.turn.Unlock()
		clear(batch)
	}
}

// loggedPages is how many pages of 4 KiB go into the log before the keeper is told: a
// quarter of those at which SQLite would have the writer itself move the log.
const loggedPages = 4000

// tell asks for a checkpoint now and then.
func (w *writer) tell() {
	written, err := w.written()
	if err != nil || written >= w.told && written < w.told+loggedPages {
		return
	}
	w.told = written
	select {
	case w.grown <- struct{}{}:
	default:
	}
}

// written is how many pages the connection has written to the log. On a new one it
// begins anew. Returns errors.ErrUnsupported where the driver does not count them: then
// nobody is told, and SQLite has the writer move the log.
func (w *writer) written() (pages int, err error) {
	err = w.raw.Raw(func(c any) error {
		if traced, ok := c.(interface{ Raw() driver.Conn }); ok {
			c = traced.Raw()
		}
		status, ok := c.(sqlite.DBStatus)
		if !ok {
			return errors.ErrUnsupported
		}
		pages, _, err = status.Status(sqlite.DBStatusCacheWrite, false)
		return err
	})
	return pages, err
}

// gather takes what waits. The callers of the batch before are about to come
// back with their next job, so it lets them run for a moment rather than spend
// a commit on the first of them.
func (w *writer) gather(batch []*job) []*job {
	for tries := 0; len(batch) < maxBatch; {
		select {
		case j, ok := <-w.queue:
			if !ok {
				return batch
			}
			batch = append(batch, j)
		default:
			if len(batch) >= w.last || tries == 20 {
				return batch
			}
			tries++
			runtime.Gosched()
		}
	}
	return batch
}

// commit runs jobs until each has its result. A batch is tried again without
// the job that made SQLite give it up, so every round answers at least one.
func (w *writer) commit(jobs []*job) {
	jobs = w.present(jobs)
	tidied, asked := false, false
	for savepoints := len(jobs) > 1; len(jobs) > 0; savepoints = true {
		culprit, err := w.transaction(jobs, savepoints)
		if diskFull(err) {
			if !tidied {
				tidied = true
				w.tidy()
				continue
			}
			if culprit == nil {
				culprit = newContent(jobs)
			}
			if !asked && (culprit == nil || !ports.IsNewContent(culprit.ctx)) {
				asked = true
				if w.full() { // the log grows into it; moving the log could take it all
					continue
				}
			}
		}
		if culprit == nil {
			for _, j := range jobs {
				if j.err == nil {
					j.err = err
				}
				close(j.done)
			}
			return
		}
		culprit.finish(err)
		rest := jobs[:0]
		for _, j := range jobs {
			if j != culprit {
				rest = append(rest, j)
			}
		}
		jobs = rest
	}
}

// tidy moves the log into the database file as far as there is room, so that
// the next write begins the log anew and needs no more of the disk for it.
func (w *writer) tidy() {
	_, _ = w.raw.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
}

// newContent returns a job that stores new content, nil when there is none.
func newContent(jobs []*job) *job {
	for _, j := range jobs {
		if ports.IsNewContent(j.ctx) {
			return j
		}
	}
	return nil
}

// present drops the jobs whose callers have gone.
func (w *writer) present(jobs []*job) []*job {
	here := jobs[:0]
	for _, j := range jobs {
		switch {
		case !j.state.CompareAndSwap(waiting, running):
		case j.ctx.Err() != nil:
			j.finish(j.ctx.Err())
		default:
			here = append(here, j)
		}
	}
	return here
}

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}

// transaction runs jobs in one transaction and leaves the result of each in
// job.err. culprit is the job that spoilt it, with err, and nothing is stored.
// With no culprit, err is the commit's and fails the jobs that had succeeded.
func (w *writer) transaction(jobs []*job, savepoints bool) (culprit *job, err error) {
	if err := w.broken(); err != nil {
		return nil, err
	}
	tx, err := w.begin()
	if err != nil {
		return nil, Failure(err)
	}
	w.conn.IDB, w.conn.tx, w.conn.raw = tx, tx.Tx, tx.Tx
	for _, j := range jobs {
		j.err = w.runJob(j, savepoints)
		if j.err == nil {
			continue
		}
		undone := savepoints && !fatal(j.err) && (!j.Whole || rule(j.err))
		if !undone {
			_ = tx.Rollback()
			return j, j.err
		}
	}
	if err := tx.Commit(); err != nil {
		_, _ = w.raw.ExecContext(context.Background(), "ROLLBACK") // the driver has not
		if unsynced(err) {
			w.lost.Store(errAway.With(fmt.Errorf("disk refused to sync, writing has ended until restart: %w", err)))
		}
		return nil, Failure(err)
	}
	return nil, nil
}

// rule reports whether a job met a broken rule, not a fault.
func rule(err error) bool {
	switch ports.CodeOf(Failure(err)) {
	case ports.Conflict, ports.NotFound, ports.Gone, ports.Quota:
		return true
	}
	return false
}

// begin starts a transaction, on a new connection when the old one is lost.
func (w *writer) begin() (bun.Tx, error) {
	tx, err := w.raw.BeginTx(context.Background(), nil)
	if err == nil || !fatal(err) {
		return tx, err
	}
	_ = w.raw.Close()
	if err := w.connect(); err != nil {
		return bun.Tx{}, err
	}
	return w.raw.BeginTx(context.Background(), nil)
}

// runJob runs one job. Its context does not end inside it: an interrupted
// statement would take the whole batch with it.
func (w *writer) runJob(j *job, savepoints bool) error {
	ctx := context.WithoutCancel(j.ctx)
	if !savepoints || j.Whole {
		return protected(ctx, w.conn, j.Do)
	}
	return inSavepoint(ctx, w.conn, "job", func(ctx context.Context, c *Conn) error {
		return protected(ctx, c, j.Do)
	})
}
