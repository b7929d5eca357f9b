package adminapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/shares/reconcile"
	"pasteport/ports/policy"
)

// reconcileOps compare storages with the records of shares.
func reconcileOps(a *httpapi.API, r *reconcile.Reconciler) {
	actions := []policy.Action{policy.StorageReconcile}

	httpapi.Handle(a, httpapi.Op{Name: "reconcile.list", Method: http.MethodGet, Path: "/api/admin/reconciliations", Actions: actions,
		Summary: "Lists the latest comparisons of storages with the records of shares, with what each found."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]reconciliationJSON, error) {
			runs, err := r.List(ctx, who)
			out := make([]reconciliationJSON, len(runs))
			for i := range runs {
				out[i] = reconciliationOf(&runs[i])
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "reconcile.get", Method: http.MethodGet, Path: "/api/admin/reconciliations/{id}", Actions: actions, Errors: []string{"not_found"},
		Summary: "Reads a comparison: how far it is and what it found so far."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (reconciliationJSON, error) {
			run, err := r.Get(ctx, who, in.ID)
			return reconciliationOf(&run), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "reconcile.start", Method: http.MethodPost, Path: "/api/admin/reconciliations", Actions: actions, Body: httpapi.JSON, Answer: httpapi.Created,
		Idem: httpapi.InTransaction, Errors: []string{"not_found", "reconcile_report", "reconcile_folder", "reconcile_kept", "reconcile_empty"},
		Summary: "Starts a task that compares a storage with the records of shares. Without choices it only tells; with the id of a check that was finished within a day it adopts or deletes what that found."},
		func(ctx context.Context, who policy.Principal, in reconcileRequest) (checkStarted, error) {
			id, err := r.Start(ctx, who, reconcile.Plan{StorageID: in.StorageID, Folder: in.Folder, Report: in.Report,
				Objects: reconcile.Choice(in.Objects), Records: reconcile.Choice(in.Records), Uploads: reconcile.Choice(in.Uploads)})
			return checkStarted{id}, err
		})
}

// reconcileRequest says what is compared, and what is done with what is found.
type reconcileRequest struct {
	StorageID string `json:"storage_id"`
	Folder    string `json:"folder"`  // below that of the shares; empty for all of it
	Report    string `json:"report"`  // id of the check whose findings are acted on
	Objects   string `json:"objects"` // adopt or delete; empty to leave them
	Records   string `json:"records"` // delete, or empty
	Uploads   string `json:"uploads"` // delete, or empty
}

type checkStarted struct {
	ID string `json:"id"` // of the task
}

// reconciliationJSON is one comparison.
type reconciliationJSON struct {
	ID         string       `json:"id"` // of its task
	Status     string       `json:"status"`
	StorageID  string       `json:"storage_id"`
	Folder     string       `json:"folder"`
	Report     string       `json:"report"`  // the check that it acts on; empty of a check
	Objects    string       `json:"objects"` // what is done with them: adopt, delete or empty
	Records    string       `json:"records"`
	Uploads    string       `json:"uploads"`
	CreatedAt  wire.Instant `json:"created_at"`
	FinishedAt wire.Instant `json:"finished_at"`
	Prefix     string       `json:"prefix"`        // of the keys that are looked at
	Skipped    string       `json:"skipped"`       // why objects and uploads are not: mounted or shared
	Looked     int64        `json:"looked"`        // objects so far
	Seen       int64        `json:"seen"`          // records so far
	Orphans    findingJSON  `json:"orphans"`       // objects that no share knows
	Missing    findingJSON  `json:"missing"`       // shares whose object is gone
	Stale      findingJSON  `json:"stale_uploads"` // uploads in parts that nobody finished
	Adopted    int64        `json:"adopted"`
	Deleted    int64        `json:"deleted"`
	Freed      int64        `json:"freed"` // bytes
}

// findingJSON is what was found of one kind.
type findingJSON struct {
	Count int64         `json:"count"`
	Bytes int64         `json:"bytes"`
	First []foundObject `json:"first"` // at most 50
}

type foundObject struct {
	Key  string       `json:"key"`
	Size int64        `json:"size"` // bytes
	At   wire.Instant `json:"at"`
}

func reconciliationOf(o *reconcile.Outcome) reconciliationJSON {
	r := &o.Report
	return reconciliationJSON{ID: o.ID, Status: o.Status, StorageID: o.Plan.StorageID, Folder: o.Plan.Folder, Report: o.Plan.Report,
		Objects: string(o.Plan.Objects), Records: string(o.Plan.Records), Uploads: string(o.Plan.Uploads),
		CreatedAt: wire.Instant(o.CreatedAt), FinishedAt: wire.InstantOf(o.FinishedAt), Prefix: r.Prefix, Skipped: string(r.Skipped), Looked: r.Looked, Seen: r.Records,
		Orphans: findingOf(r.Orphans), Missing: findingOf(r.Missing), Stale: findingOf(r.Uploads), Adopted: r.Adopted, Deleted: r.Deleted, Freed: r.Freed}
}

func findingOf(f reconcile.Finding) findingJSON {
	out := findingJSON{Count: f.Count, Bytes: f.Bytes, First: make([]foundObject, len(f.First))}
	for i, found := range f.First {
		out.First[i] = foundObject{found.Key, found.Size, wire.Instant(found.At)}
	}
	return out
}
