package reconcile

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// TaskKind is the kind of the tasks that reconcile.
const TaskKind = "reconcile"

const (
	// SafeAge is how old an object, a record or an upload must be to be told of.
	SafeAge = 7 * 24 * time.Hour
	// Shown is how many keys of each kind a check keeps.
	Shown = 50
	// ReportLife is how long after a check its findings may be acted on.
	ReportLife = 24 * time.Hour
	// Latest is how many runs List returns.
	Latest = 10

	// emptied is from how many records on a storage where all of them miss their
	// object is taken for another or a broken one.
	emptied = 10
)

// Choice says what is done with what was found.
type Choice string

// The choices. Adopt is for objects alone: each becomes a file share.
const (
	Keep   Choice = ""
	Adopt  Choice = "adopt"
	Delete Choice = "delete"
)

// Plan is what somebody asks for. Without any choice it is a check.
type Plan struct {
	StorageID string
	// Folder narrows the check to what lies below it; empty means the folder that
	// shares are written to. It must lie in that folder.
	Folder                    string
	Objects, Records, Uploads Choice
	// Report is the id of the check whose findings are acted on.
	Report string
}

// Check reports whether the plan changes nothing.
func (p Plan) Check() bool { return p.Objects == Keep && p.Records == Keep && p.Uploads == Keep }

// Reason says why objects and uploads in parts were not looked at.
type Reason string

// The reasons.
const (
	Mounted Reason = "mounted" // mounts show the place: what lies there is theirs
	Shared  Reason = "shared"  // another storage config leads to the same place
)

// Found is one thing that was found.
type Found struct {
	Key  string    `json:"key"`
	Size int64     `json:"size"` // bytes; 0 of uploads, whose parts nobody has counted
	At   time.Time `json:"at"`   // when it was made
}

// Finding is what was found of one kind.
type Finding struct {
	Count int64   `json:"count"`
	Bytes int64   `json:"bytes"`
	First []Found `json:"first"` // at most Shown, in the order of their keys
}

func (f *Finding) add(found Found) {
	f.Count++
	f.Bytes += found.Size
	if len(f.First) < Shown {
		f.First = append(f.First, found)
	}
}

// Report is what a run found, and did.
type Report struct {
	Prefix  string  `json:"prefix"`            // of the keys that were looked at
	Skipped Reason  `json:"skipped,omitempty"` // empty when objects and uploads were looked at
	Looked  int64   `json:"looked"`            // objects
	Records int64   `json:"records"`           // of shares whose object should be there
	Orphans Finding `json:"orphans"`           // objects that no record points at
	Missing Finding `json:"missing"`           // records without their object
	Uploads Finding `json:"uploads"`           // unfinished ones that no record knows
	Adopted int64   `json:"adopted"`
	Deleted int64   `json:"deleted"` // of all three kinds
	Freed   int64   `json:"freed"`   // bytes of the deleted objects
}

// Run is a task that checks or acts, as it is kept.
type Run struct {
	ID         string
	Status     string // of the task
	Payload    []byte
	State      []byte // nil before the first checkpoint
	CreatedAt  time.Time
	FinishedAt *time.Time
}

// Outcome is a run, read.
type Outcome struct {
	Run
	Plan   Plan
	Report Report
}

// Position is a place in the records of a storage, in the order of keys and ids.
type Position struct {
	Key string `json:"key"`
	ID  string `json:"id"`
}

// Records are the file shares of storages by their objects; erased ones are left
// out.
type Records interface {
	// ByKey lists the records behind a position in ascending order of the bytes of
	// their keys, and of their ids; at most limit.
	ByKey(ctx context.Context, configID string, after Position, limit int) ([]shares.File, error)
	// Held tells which of some keys a record points at.
	Held(ctx context.Context, configID string, keys []string) (map[string]bool, error)
}

// Uploads are the sessions of uploads in parts.
type Uploads interface {
	// Awaited tells which of some keys unfinished uploads lead to.
	Awaited(ctx context.Context, configID string, keys []string) (map[string]bool, error)
}

// Runs keeps what the tasks of TaskKind have told.
type Runs interface {
	// Read returns a run; NotFound for an unknown one and for other tasks.
	Read(ctx context.Context, who policy.Principal, id string) (Run, error)
	// Latest lists the newest runs.
	Latest(ctx context.Context, who policy.Principal, limit int) ([]Run, error)
}

// Place is a storage config as far as it matters whose the objects are.
type Place struct {
	objstore.Storage
	Mounted bool // some mount shows it
}

// Deps are what Reconciler stands on.
type Deps struct {
	Shares  shares.Deps
	Records Records
	Uploads Uploads
	// Places lists all storage configs.
	Places func(ctx context.Context) ([]Place, error)
	Runs   Runs
	Tasks  jobs.Tasks
}

// Reconciler compares storages with records. It is safe for concurrent use.
type Reconciler struct{ d Deps }

// New returns a reconciler over the ports of d.
func New(d Deps) *Reconciler { return &Reconciler{d} }

// The refusals.
var (
	errReport = &ports.Error{Code: ports.Conflict, Key: "reconcile_report"}
	errFolder = &ports.Error{Code: ports.Invalid, Key: "reconcile_folder"}
	errKept   = &ports.Error{Code: ports.Conflict, Key: "reconcile_kept"}
	errMore   = &ports.Error{Code: ports.Conflict, Key: "reconcile_more"}
	errEmpty  = &ports.Error{Code: ports.Conflict, Key: "reconcile_empty"}
)

// payload is what a task is told.
type payload struct {
	Plan Plan `json:"plan"`
	// Before is the time before which something must have been made to be told of.
	Before time.Time `json:"before"`
	// Orphans, Missing and Uploads are how many the check told of; a run that meets
	// more of a kind stops.
	Orphans int64 `json:"orphans"`
	Missing int64 `json:"missing"`
	Uploads int64 `json:"uploads"`
}

// Start begins a task and returns its id. It asks admin.storage.reconcile.
//
// Returns Invalid for a bad plan, NotFound for an unknown storage, and Conflict
// when the report is not that of a finished check of the same plan, or is older
// than ReportLife.
func (r *Reconciler) Start(ctx context.Context, who policy.Principal, p Plan) (id string, err error) {
	if err := r.ask(ctx, who); err != nil {
		return "", err
	}
	if err := p.valid(); err != nil {
		return "", err
	}
	area, err := r.area(ctx, p)
	if err != nil {
		return "", err
	}
	told := payload{Plan: p, Before: r.d.Shares.Clock.Now().Add(-SafeAge)}
	if !p.Check() {
		if err := r.confirmed(ctx, who, area, &told); err != nil {
			return "", err
		}
	}
	return r.d.Tasks.Start(ctx, jobs.Start{Kind: TaskKind, Title: area.storage.Name, Owner: who, Payload: told})
}

// valid refuses choices that there are not.
func (p Plan) valid() error {
	for field, choice := range map[string]Choice{"objects": p.Objects, "records": p.Records, "uploads": p.Uploads} {
		if choice != Keep && choice != Delete && (choice != Adopt || field != "objects") {
			return ports.InvalidInput("field_value", field)
		}
	}
	return nil
}

// confirmed takes over what a check has told.
func (r *Reconciler) confirmed(ctx context.Context, who policy.Principal, area area, told *payload) error {
	p := told.Plan
	check, err := r.read(ctx, who, p.Report)
	if ports.Is(err, ports.NotFound) {
		return errReport.With(err)
	}
	if err != nil {
		return err
	}
	same := check.Plan.StorageID == p.StorageID && check.Plan.Folder == p.Folder && check.Report.Prefix == area.prefix && check.Plan.Check()
	if !same || check.Status != "completed" || check.FinishedAt == nil || r.d.Shares.Clock.Now().Sub(*check.FinishedAt) > ReportLife {
		return errReport
	}
	if err := area.allows(p); err != nil {
		return err
	}
	told.Before = check.CreatedAt.Add(-SafeAge)
	told.Orphans, told.Missing, told.Uploads = check.Report.Orphans.Count, check.Report.Missing.Count, check.Report.Uploads.Count
	if p.Records != Keep && check.Report.Records >= emptied && told.Missing >= check.Report.Records {
		return errEmpty
	}
	return nil
}

// Get returns a run. It asks admin.storage.reconcile. Returns NotFound.
func (r *Reconciler) Get(ctx context.Context, who policy.Principal, id string) (Outcome, error) {
	if err := r.ask(ctx, who); err != nil {
		return Outcome{}, err
	}
	return r.read(ctx, who, id)
}

// List returns the latest runs, the newest first. It asks
// admin.storage.reconcile.
func (r *Reconciler) List(ctx context.Context, who policy.Principal) ([]Outcome, error) {
	if err := r.ask(ctx, who); err != nil {
		return nil, err
	}
	runs, err := r.d.Runs.Latest(ctx, who, Latest)
	if err != nil {
		return nil, err
	}
	out := make([]Outcome, len(runs))
	for i, run := range runs {
		if out[i], err = outcome(run); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *Reconciler) read(ctx context.Context, who policy.Principal, id string) (Outcome, error) {
	run, err := r.d.Runs.Read(ctx, who, id)
	if err != nil {
		return Outcome{}, err
	}
	return outcome(run)
}

func outcome(run Run) (Outcome, error) {
	var told payload
	var at state
	if err := json.Unmarshal(run.Payload, &told); err != nil {
		return Outcome{}, ports.Wrap("read what a task was told", err)
	}
	if run.State != nil {
		if err := json.Unmarshal(run.State, &at); err != nil {
			return Outcome{}, ports.Wrap("read what a task has found", err)
		}
	}
	return Outcome{Run: run, Plan: told.Plan, Report: at.Report}, nil
}

func (r *Reconciler) ask(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, r.d.Shares.Decider, who, policy.StorageReconcile, policy.Resource{Kind: policy.KindStorage})
	return err
}

// Allowed asks admin.storage.reconcile for whoever wants a task repeated.
func (r *Reconciler) Allowed(ctx context.Context, who policy.Principal, _ json.RawMessage) error {
	return r.ask(ctx, who)
}

// area is what a run may look at.
type area struct {
	storage objstore.Storage
	prefix  string // of the keys; "" or ends in "/"
	skipped Reason
	mounts  string // prefix that mounts show; only where mounted
	mounted bool
}

// backups are kept below this prefix of a storage.
const backups = "pasteport-backups/"

// area finds out what may be looked at for a plan. Returns NotFound for an unknown
// storage, Invalid for a folder outside of that of the shares.
func (r *Reconciler) area(ctx context.Context, p Plan) (area, error) {
	places, err := r.d.Places(ctx)
	if err != nil {
		return area{}, err
	}
	var own *Place
	for i := range places {
		if places[i].ID == p.StorageID {
			own = &places[i]
		}
	}
	if own == nil {
		return area{}, ports.ErrNotFound
	}
	a := area{storage: own.Storage, prefix: asPrefix(own.DefaultFolder), mounted: own.Mounted, mounts: own.Prefix}
	if p.Folder != "" {
		folder := asPrefix(p.Folder)
		if folder == "" || objstore.CheckKey(folder) != nil || !strings.HasPrefix(folder, a.prefix) {
			return area{}, ports.InvalidInput("path_unclean", "folder")
		}
		a.prefix = folder
	}
	if a.mounted && strings.HasPrefix(a.prefix, a.mounts) {
		a.skipped = Mounted
	}
	for i := range places {
		if other := &places[i]; other.ID != own.ID && touches(own.Storage, other.Storage) {
			a.skipped = Shared
		}
	}
	return a, nil
}

func asPrefix(folder string) string {
	if folder = strings.Trim(folder, "/"); folder == "" {
		return ""
	}
	return folder + "/"
}

// touches reports whether two storage configs may lead to the same objects. Of
// places that nobody can tell apart it is taken to be so.
func touches(a, b objstore.Storage) bool {
	if a.Home == "" || b.Home == "" {
		return a.Home == b.Home && a.Type == b.Type
	}
	return strings.HasPrefix(a.Home, b.Home) || strings.HasPrefix(b.Home, a.Home)
}

// allows returns why a plan may not be done here.
func (a area) allows(p Plan) error {
	if p.Objects == Keep && p.Uploads == Keep {
		return nil
	}
	if a.skipped != "" {
		return errKept
	}
	if a.prefix == "" {
		return errFolder
	}
	return nil
}

// ours reports whether an object with this key can only be that of a share.
func (a area) ours(key string) bool {
	if !strings.HasPrefix(key, a.prefix) || strings.HasSuffix(key, "/") || strings.HasPrefix(key, backups) || objstore.CheckKey(key) != nil {
		return false
	}
	if a.mounted && strings.HasPrefix(key, a.mounts) {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(key, a.prefix), "/") {
		if segment[0] == '_' || segment[0] == '.' {
			return false
		}
	}
	return true
}
