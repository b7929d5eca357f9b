package tasks

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"pasteport/ports/jobs"
)

// Stats is what this node has done of one kind of task since its start.
type Stats struct {
	Kind    string
	Running int // at the moment
	// Runs counts the runs that are over by how they ended; a task that is
	// handed back counts as Interrupted and ends another time.
	Runs    map[Status]int64
	Items   Counts // that were settled by runs that are over
	Seconds float64
}

// Stats tells what this node has done, by kind.
func (t *Tasks) Stats() []Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]Stats, 0, len(t.kinds))
	for kind := range t.kinds {
		s := Stats{Kind: kind, Runs: map[Status]int64{}}
		if known := t.stats[kind]; known != nil {
			s = *known
			s.Runs = maps.Clone(known.Runs)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}

// began counts a run; the function it returns counts its end.
func (t *Tasks) began(r *run) (ended func(err error)) {
	began := time.Now()
	before := r.task.Passed
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats[r.task.Kind]
	if s == nil {
		s = &Stats{Kind: r.task.Kind, Runs: map[Status]int64{}}
		t.stats[r.task.Kind] = s
	}
	s.Running++
	return func(err error) {
		r.mu.Lock()
		done, ended := r.shown, r.ended
		r.mu.Unlock()
		if errors.Is(err, jobs.ErrStopping) || ended == "" {
			ended = Interrupted
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		s.Running--
		s.Runs[ended]++
		s.Seconds += time.Since(began).Seconds()
		s.Items.Completed += max(0, done.Completed-before.Completed)
		s.Items.Skipped += max(0, done.Skipped-before.Skipped)
		s.Items.Failed += max(0, done.Failed-before.Failed)
		s.Items.Bytes += max(0, done.Bytes-before.Bytes)
	}
}

// Unfinished counts the tasks on all nodes that are not finished, by status. It
// is for the operator: nobody is asked.
func (t *Tasks) Unfinished(ctx context.Context) (map[Status]int, error) {
	found := map[Status]int{}
	for _, status := range []Status{Pending, Running, Interrupted} {
		f := Filter{Statuses: []Status{status}}
		f.Limit = 1
		page, err := t.d.Tasks.List(ctx, f)
		if err != nil {
			return nil, err
		}
		found[status] = page.Total
	}
	return found, nil
}
