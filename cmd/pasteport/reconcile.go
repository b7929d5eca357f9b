package main

import (
	"context"
	"fmt"

	"pasteport/domain/audit"
	"pasteport/domain/doctor"
	"pasteport/domain/shares"
	"pasteport/domain/shares/reconcile"
	"pasteport/domain/storage"
	"pasteport/domain/tasks"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// openReconciler joins what compares storages with records to what it needs.
func (a *app) openReconciler(s *settings, deps shares.Deps) {
	a.strays = reconcile.New(reconcile.Deps{Shares: deps, Records: a.store.Files(), Uploads: a.store.Uploads(), Runs: reconcileRuns{a}, Tasks: a.tasks,
		Places: func(ctx context.Context) ([]reconcile.Place, error) {
			return a.places(ctx, mountStorages{a.opener, a.configs, s.DataDir})
		}})
	a.tasks.Register(reconcile.TaskKind, tasks.Kind{Run: a.strays.Work, Allowed: a.strays.Allowed})
	a.checks = reconcile.NewSchedule(reconcile.ScheduleDeps{Reconciler: a.strays, Notes: a.store.Secrets(), Told: checkNotes{a}.note})
}

// checkNotes tell what scheduled checks have found.
type checkNotes struct{ *app }

// note notes the end of a check in the audit log, and in the server's.
func (a checkNotes) note(ctx context.Context, c reconcile.Checked) error {
	entry := audit.Entry{Kind: policy.System, Name: "server", Action: audit.StorageChecked, Target: c.StorageID + " " + c.Name,
		Details: fmt.Sprintf(`{"orphans":%d,"missing":%d,"uploads":%d}`, c.Orphans, c.Missing, c.Uploads)}
	if c.Failed != "" {
		entry.Outcome, entry.Code = audit.Failed, "check_"+c.Failed
	} else if c.Astray() > 0 {
		a.log.Warn("a storage does not agree with the records of shares", "config", c.StorageID, "orphans", c.Orphans, "missing", c.Missing, "uploads", c.Uploads)
	}
	return a.audit.Add(ctx, entry)
}

// states are the checks that have ended.
func (a checkNotes) states(ctx context.Context) (out []doctor.CheckState, err error) {
	last, err := a.checks.Last(ctx)
	for _, c := range last {
		if !c.Ended.IsZero() {
			out = append(out, doctor.CheckState{Name: c.Name, Failed: c.Failed, Orphans: c.Orphans, Missing: c.Missing, Uploads: c.Uploads})
		}
	}
	return out, err
}

// places lists the storage configs with where they lead.
func (a *app) places(ctx context.Context, of mountStorages) ([]reconcile.Place, error) {
	configs, err := a.store.StorageConfigs().List(ctx, storage.ConfigFilter{})
	if err != nil {
		return nil, err
	}
	places := make([]reconcile.Place, len(configs.Items))
	for i, c := range configs.Items {
		n, err := a.mountsOf(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if places[i].Storage, err = of.Storage(ctx, c.ID); err != nil {
			return nil, err
		}
		places[i].Mounted = n > 0
	}
	return places, nil
}

// reconcileRuns are the tasks that compared storages with records.
type reconcileRuns struct{ *app }

var _ reconcile.Runs = reconcileRuns{}

// Read implements reconcile.Runs.
func (r reconcileRuns) Read(ctx context.Context, who policy.Principal, id string) (reconcile.Run, error) {
	var t *tasks.Task
	var err error
	if who.Kind == policy.System { // the schedule looks at what it has started
		t, err = r.store.Tasks().Get(ctx, id)
	} else {
		t, _, _, err = r.tasks.Get(ctx, who, id, tasks.ItemFilter{Paging: ports.Paging{Limit: 1}})
	}
	if err == nil && t.Kind != reconcile.TaskKind {
		err = ports.ErrNotFound
	}
	if err != nil {
		return reconcile.Run{}, err
	}
	return reconcile.Run{ID: t.ID, Status: string(t.Status), Payload: t.Payload, State: t.State, CreatedAt: t.CreatedAt, FinishedAt: t.FinishedAt}, nil
}

// Latest implements reconcile.Runs.
func (r reconcileRuns) Latest(ctx context.Context, who policy.Principal, limit int) ([]reconcile.Run, error) {
	page, _, err := r.tasks.List(ctx, who, tasks.Filter{Kind: reconcile.TaskKind, Paging: ports.Paging{Limit: limit}})
	if err != nil {
		return nil, err
	}
	runs := make([]reconcile.Run, 0, len(page.Items))
	for _, t := range page.Items {
		run, err := r.Read(ctx, who, t.ID)
		if ports.Is(err, ports.NotFound) { // forgotten in between
			continue
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}
