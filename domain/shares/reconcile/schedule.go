package reconcile

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// recordName is where the schedule keeps what it did.
const recordName = "storage_checks"

// Notes keeps small values. Get returns NotFound for a name without one.
type Notes interface {
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, value []byte) error
}

// Checked is the latest scheduled check of a storage.
type Checked struct {
	StorageID string    `json:"storage_id"`
	Name      string    `json:"name"` // of the storage
	TaskID    string    `json:"task_id"`
	Began     time.Time `json:"began"`
	Ended     time.Time `json:"ended"`            // zero while it is under way
	Failed    string    `json:"failed,omitempty"` // how the task ended, when it did not come to its end
	Orphans   int64     `json:"orphans"`
	Missing   int64     `json:"missing"`
	Uploads   int64     `json:"uploads"`
}

// Astray is how much the check found.
func (c Checked) Astray() int64 { return c.Orphans + c.Missing + c.Uploads }

// ScheduleDeps are what a Schedule needs.
type ScheduleDeps struct {
	Reconciler *Reconciler
	Notes      Notes
	// Told hears of each check that has ended.
	Told func(ctx context.Context, c Checked) error
}

// Schedule checks storages again and again, and changes nothing in them. What it
// did is kept in the database, so that all nodes know it.
type Schedule struct{ d ScheduleDeps }

// NewSchedule returns a Schedule.
func NewSchedule(d ScheduleDeps) *Schedule { return &Schedule{d} }

// System is who the tasks of the schedule belong to.
var System = policy.Principal{Kind: policy.System, BasicPath: "/"}

// Last are the latest checks, in the order of the storages' names. It asks nobody:
// it is for metrics and those who have asked.
func (s *Schedule) Last(ctx context.Context) ([]Checked, error) {
	known, err := s.load(ctx)
	last := slices.Collect(maps.Values(known))
	slices.SortFunc(last, func(a, b Checked) int { return strings.Compare(a.Name+a.StorageID, b.Name+b.StorageID) })
	return last, err
}

func (s *Schedule) load(ctx context.Context) (known map[string]Checked, err error) {
	known = map[string]Checked{}
	text, err := s.d.Notes.Get(ctx, recordName)
	if ports.Is(err, ports.NotFound) {
		return known, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	return known, err
}

// Round takes over what checks have found that have ended, and begins those that
// are due: of storages that were checked longer than every ago, or never. A time of
// zero begins none. One node at a time may call it.
func (s *Schedule) Round(ctx context.Context, every time.Duration) error {
	known, err := s.load(ctx)
	if err != nil {
		return err
	}
	places, err := s.d.Reconciler.d.Places(ctx)
	if err != nil {
		return err
	}
	before, now := maps.Clone(known), s.d.Reconciler.d.Shares.Clock.Now()
	for _, c := range before {
		if !slices.ContainsFunc(places, func(p Place) bool { return p.ID == c.StorageID }) {
			delete(known, c.StorageID)
		}
	}
	for _, p := range places {
		c := known[p.ID]
		if c.TaskID != "" && c.Ended.IsZero() {
			if c, err = s.follow(ctx, c); err != nil {
				return err
			}
		} else if every > 0 && now.Sub(c.Began) >= every {
			c = Checked{StorageID: p.ID, Name: p.Name, Began: now, Orphans: c.Orphans, Missing: c.Missing, Uploads: c.Uploads}
			if c.TaskID, err = s.d.Reconciler.begin(ctx, p.ID); err != nil {
				return err
			}
		} else {
			continue
		}
		known[p.ID] = c
	}
	if maps.Equal(before, known) {
		return nil
	}
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return s.d.Notes.Put(ctx, recordName, text)
}

// follow looks whether a check has ended.
func (s *Schedule) follow(ctx context.Context, c Checked) (Checked, error) {
	out, err := s.d.Reconciler.read(ctx, System, c.TaskID)
	switch {
	case ports.Is(err, ports.NotFound):
		c.Ended, c.Failed = s.d.Reconciler.d.Shares.Clock.Now(), "forgotten"
	case err != nil:
		return c, err
	case out.FinishedAt == nil:
		return c, nil
	case out.Status != "completed":
		c.Ended, c.Failed = *out.FinishedAt, out.Status
	default:
		c.Ended, c.Orphans, c.Missing, c.Uploads = *out.FinishedAt, out.Report.Orphans.Count, out.Report.Missing.Count, out.Report.Uploads.Count
	}
	return c, s.d.Told(ctx, c)
}

// begin starts the check of a storage for nobody in particular.
func (r *Reconciler) begin(ctx context.Context, storageID string) (string, error) {
	p := Plan{StorageID: storageID}
	area, err := r.area(ctx, p)
	if err != nil {
		return "", err
	}
	return r.d.Tasks.Start(ctx, jobs.Start{Kind: TaskKind, Title: area.storage.Name, Owner: System, Payload: payload{Plan: p, Before: r.d.Shares.Clock.Now().Add(-SafeAge)}})
}
