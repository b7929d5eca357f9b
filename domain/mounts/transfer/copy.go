package transfer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// CopyItem names what to copy or move, and to where.
type CopyItem struct {
	Source string `json:"source"` // a folder when it ends in "/", else what is there
	Target string `json:"target"` // a file's target that ends in "/" is the folder to put it in
}

// Conflict says what happens to an item whose target is taken.
type Conflict string

// The answers to a taken target. The zero value is the contract's own: files
// are skipped or overwritten as SkipExisting says, folders get another name.
const (
	ByDefault Conflict = ""
	Overwrite Conflict = "overwrite" // folders are merged
	Skip      Conflict = "skip"
	Other     Conflict = "rename" // name(1)
	Fail      Conflict = "fail"
)

// CopyRequest asks to copy or move items.
type CopyRequest struct {
	Items        []CopyItem `json:"items"`
	SkipExisting bool       `json:"skip_existing"`
	Conflict     Conflict   `json:"conflict"`
	// Task does it in the background.
	Task bool `json:"-"`
}

func (r CopyRequest) check() error {
	switch {
	case len(r.Items) == 0:
		return errNoItems
	case len(r.Items) > MaxBatch:
		return errBatch
	case !slices.Contains([]Conflict{ByDefault, Overwrite, Skip, Other, Fail}, r.Conflict):
		return ports.InvalidInput("field_type", "conflict")
	}
	return nil
}

// CopyResult is the outcome of a batch.
type CopyResult struct {
	Success int // files that were copied; an empty folder counts as one
	Skipped int // items that were left out because their target was taken
	Failed  []FailedCopy
	Details []CopyDetail // one for each item
	// Cross are the items that the caller is to carry itself, since they lead
	// from one storage to another.
	Cross  []CrossItem
	TaskID string // of the task that does it; nothing else is set then
}

// FailedCopy is an item, or a file of one, that was not copied.
type FailedCopy struct {
	Source, Target string
	Err            error
}

// CopyDetail tells what became of an item.
type CopyDetail struct {
	Source, Target string // Target is where it really went
	Status         jobs.ItemStatus
	Renamed        bool
	Err            error
}

// plan is what is to be done for one item.
type plan struct {
	item     CopyItem
	from, to *mounts.Place
	folder   bool
	skip     bool
	renamed  bool
	taken    bool    // the target was there before
	asked    string  // the target's path before it was renamed
	size     int64   // of a file
	overlap  overlap // how the target lies to the source
	inward   string  // where it lies in it: the target as the source's config names it
}

// source and target are the paths in the form of the API.
func (p *plan) source() string { return mounts.Slashed(p.from.Path, p.folder) }
func (p *plan) target() string { return mounts.Slashed(p.to.Path, p.folder) }

// planner makes the plans of one batch.
type planner struct {
	t        *Transfers
	who      policy.Principal
	mounts   *mounts.Snapshot
	request  CopyRequest
	moving   bool
	reserved map[string]bool // targets of plans that are carried out later
}

// enterItems begins a batch: it cleans all paths, asks the policy once and
// checks that the caller may use each of them.
func (t *Transfers) enterItems(ctx context.Context, c mounts.Caller, op mounts.Operation, r CopyRequest) (*planner, error) {
	var paths []string
	for _, item := range r.Items {
		if item.Source != "" && item.Target != "" {
			paths = append(paths, item.Source, item.Target)
			if final := item.final(); final != item.Target {
				paths = append(paths, final)
			}
		}
	}
	if len(paths) > 0 {
		if _, _, err := t.enterEach(ctx, c, op, paths...); err != nil {
			return nil, err
		}
	} else if _, err := t.tree.Ask(ctx, c, op, policy.Resource{Paths: []string{"/"}}); err != nil {
		return nil, err
	}
	return t.planner(ctx, c.Who, r, op == mounts.OpMove)
}

func (t *Transfers) planner(ctx context.Context, who policy.Principal, r CopyRequest, moving bool) (*planner, error) {
	s, err := t.tree.Snapshot(ctx)
	return &planner{t: t, who: who, mounts: s, request: r, moving: moving, reserved: map[string]bool{}}, err
}

// final is the target's path, with the name of a file that is put into a folder.
func (i CopyItem) final() string {
	if strings.HasSuffix(i.Target, "/") && !strings.HasSuffix(i.Source, "/") {
		if at := strings.LastIndexByte(i.Source, '/'); i.Source[at+1:] != "" {
			return i.Target + i.Source[at+1:]
		}
	}
	return i.Target
}

// plan finds out what one item means by what is there now.
func (pl *planner) plan(ctx context.Context, item CopyItem) (*plan, error) {
	if item.Source == "" || item.Target == "" {
		return nil, ports.InvalidInput("required", "sourcePath, targetPath")
	}
	from, err := pl.place(item.Source)
	if err != nil {
		return nil, err
	}
	entry, err := pl.t.tree.Lookup(ctx, from)
	if err != nil {
		return nil, err
	}
	target := item.Target
	if !entry.Folder {
		target = item.final()
	}
	to, err := pl.place(target)
	if err != nil {
		return nil, err
	}
	p := &plan{item: item, from: from, to: to, folder: entry.Folder, asked: to.Path, size: max(entry.Size, 0)}
	switch {
	case to.Sub == "", pl.moving && from.Sub == "":
		return nil, mounts.ErrVirtual
	case pl.moving && p.overlapByName() == inside:
		return nil, mounts.ErrIntoSelf
	}
	return p, pl.settle(ctx, p)
}

func (pl *planner) place(path string) (*mounts.Place, error) {
	clean, folder, err := mounts.Clean(path)
	if err != nil {
		return nil, err
	}
	s := pl.t.target(pl.mounts, pl.who, clean, folder)
	return s.Place, s.err
}

// settle decides what a taken target means (contract §4.12).
func (pl *planner) settle(ctx context.Context, p *plan) error {
	there, err := pl.t.thereAt(ctx, p.to)
	if err != nil {
		return err
	}
	if err := pl.t.relate(ctx, p, there); err != nil {
		return err
	}
	if pl.moving && p.overlap == inside {
		return mounts.ErrIntoSelf
	}
	if there == nil && !pl.reserved[p.to.Path] {
		return nil
	}
	itself := p.overlap == same
	if there != nil && there.Folder != p.folder {
		if p.folder {
			return objstore.ErrFileInTheWay
		}
		return objstore.ErrFolderInTheWay
	}
	answer := pl.request.Conflict
	if answer == ByDefault {
		switch {
		case pl.moving && itself:
			answer = Skip
		case p.folder:
			answer = Other
		case pl.request.SkipExisting:
			answer = Skip
		case itself:
			answer = Other
		default:
			answer = Overwrite
		}
	}
	switch {
	case answer == Skip:
		p.skip = true
		return nil
	case answer == Fail:
		return ports.ErrConflict
	case answer == Other || itself:
		return pl.rename(ctx, p, func(n int) string { return mounts.Numbered(mounts.Base(p.asked), p.folder, n) })
	case pl.request.Conflict == ByDefault && pl.t.tree.Settings.RandomSuffix():
		return pl.rename(ctx, p, func(int) string { return mounts.Suffixed(mounts.Base(p.asked), pl.t.tree.Random.Text(6)) })
	}
	if p.folder && p.overlap == around {
		return mounts.ErrIntoSelf // its own files would be in its way
	}
	p.taken = true
	return nil
}

// thereAt describes what is at a place; nil when nothing is.
func (t *Transfers) thereAt(ctx context.Context, p *mounts.Place) (*mounts.Entry, error) {
	entry, err := t.tree.StatAt(ctx, p, false)
	if ports.Is(err, ports.NotFound) {
		return nil, nil
	}
	return &entry, err
}

// rename gives the target the first name that is free.
func (pl *planner) rename(ctx context.Context, p *plan, name func(n int) string) error {
	for n := 1; n <= MaxBatch; n++ {
		to, err := pl.place(mounts.Join(mounts.Parent(p.asked), name(n)))
		if err != nil {
			return err
		}
		_, err = pl.t.tree.StatAt(ctx, to, false)
		if ports.Is(err, ports.NotFound) && !pl.reserved[to.Path] && to.Sub != "" {
			p.to, p.renamed = to, true
			p.elsewhere()
			return nil
		}
		if err != nil && !ports.Is(err, ports.NotFound) {
			return err
		}
	}
	return ports.ErrConflict
}

// Copy copies files and folders. Inside one storage config the storage does it;
// between two, with task or where a storage cannot sign, this server does, else
// Cross holds what the caller must carry itself. A folder that is copied below
// itself is copied as it was. Asks mount.copy. Returns Invalid without items,
// for too many and for unclean paths; an item that fails stands in Failed
// (contract §4.12).
func (t *Transfers) Copy(ctx context.Context, c mounts.Caller, r CopyRequest) (CopyResult, error) {
	if err := r.check(); err != nil {
		return CopyResult{}, err
	}
	pl, err := t.enterItems(ctx, c, mounts.OpCopy, r)
	if err != nil {
		return CopyResult{}, err
	}
	if r.Task {
		return t.startItems(ctx, c, CopyTask, r)
	}
	out := &outcome{}
	for _, item := range r.Items {
		p, err := pl.plan(ctx, item)
		if err == nil && !p.skip {
			err = t.tree.Guard().Unlocked(ctx, c, mounts.LockedWrite{Path: p.to.Path, Deep: p.folder, Member: true})
		}
		if err != nil {
			out.failed(item, err)
			continue
		}
		if p.skip {
			out.skipped(p)
			continue
		}
		if p.from.Storage.ID != p.to.Storage.ID {
			cross, err := t.signCross(ctx, p)
			if err == nil {
				pl.reserved[p.to.Path] = true
				out.cross(p, cross)
				continue
			}
			if !ports.Is(err, ports.NotImplemented) {
				out.failed(item, err)
				continue
			}
		}
		out.copied(p, t.copyPlan(ctx, p, out.tell(p)))
	}
	return out.CopyResult, nil
}

func (t *Transfers) startItems(ctx context.Context, c mounts.Caller, kind string, r CopyRequest) (CopyResult, error) {
	id, err := t.tree.Tasks.Start(ctx, jobs.Start{Kind: kind, Title: r.Items[0].Source, Owner: c.Who, Payload: r})
	return CopyResult{TaskID: id}, err
}

// outcome collects what becomes of the items of a batch.
type outcome struct {
	CopyResult
	mu     sync.Mutex
	files  int
	broken int // files of the present item that failed
}

func (o *outcome) failed(item CopyItem, err error) {
	o.Failed = append(o.Failed, FailedCopy{item.Source, item.Target, err})
	o.Details = append(o.Details, CopyDetail{Source: item.Source, Target: item.Target, Status: jobs.Failed, Err: err})
}

func (o *outcome) skipped(p *plan) {
	o.Skipped++
	o.Details = append(o.Details, CopyDetail{Source: p.source(), Target: p.target(), Status: jobs.Skipped})
}

func (o *outcome) cross(p *plan, item CrossItem) {
	o.Cross = append(o.Cross, item)
	o.Details = append(o.Details, CopyDetail{Source: p.source(), Target: p.target(), Status: jobs.Pending, Renamed: p.renamed})
}

// tell returns what counts the objects of an item.
func (o *outcome) tell(p *plan) func(objstore.Object, error) error {
	o.files, o.broken = 0, 0
	return func(object objstore.Object, err error) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case err != nil:
			o.broken++
			o.Failed = append(o.Failed, FailedCopy{p.from.PathOf(object.Key), p.to.PathOf(p.copier().target(object.Key)), err})
		case !strings.HasSuffix(object.Key, "/"):
			o.files++
		}
		return nil
	}
}

// copied closes an item; err is of the item as a whole.
func (o *outcome) copied(p *plan, err error) {
	o.Success += o.files
	detail := CopyDetail{Source: p.source(), Target: p.target(), Status: jobs.Completed, Renamed: p.renamed, Err: err}
	switch {
	case err != nil:
		detail.Status = jobs.Failed
		if o.broken == 0 {
			o.Failed = append(o.Failed, FailedCopy{p.item.Source, p.item.Target, err})
		}
	case o.files == 0:
		o.Success++
	}
	o.Details = append(o.Details, detail)
}

// copier copies the plan's objects once it has its buckets.
func (p *plan) copier() *copier {
	r := &copier{src: p.from.Key(), dst: p.to.Key(), folder: p.folder, same: p.from.Storage.ID == p.to.Storage.ID}
	if p.folder {
		r.src, r.dst = p.from.Prefix(), p.to.Prefix()
		r.inward = p.toward()
	}
	return r
}

// open opens the buckets of a plan's copier.
func (t *Transfers) open(ctx context.Context, p *plan) (*copier, error) {
	r := p.copier()
	var err error
	if r.from, err = t.tree.Bucket(ctx, p.from); err != nil {
		return nil, err
	}
	if r.to, err = t.tree.Bucket(ctx, p.to); err == nil {
		r.room = t.tree.RoomIn(p.to)
	}
	return r, err
}

// copyPlan copies what a plan names; tell hears of every object.
func (t *Transfers) copyPlan(ctx context.Context, p *plan, tell func(objstore.Object, error) error) error {
	r, err := t.open(ctx, p)
	if err != nil {
		return err
	}
	return t.newCopier(ctx, r, p, "", tell, nil)
}

// newCopier copies a file, or the objects of a folder whose keys come after a
// given one. passed hears of the last key of every page that is done. Objects
// that fail are told, and the first of their errors comes back at the end.
func (t *Transfers) newCopier(ctx context.Context, r *copier, p *plan, after string, tell func(objstore.Object, error) error, passed func(key string) error) error {
	var mu sync.Mutex
	var put []objstore.Object
	var broken error
	flush := func() {
		t.tree.Changed(ctx, mounts.Change{Storage: p.to.Storage.ID, Put: put})
		put = nil
	}
	defer flush()
	merges := p.folder && p.taken // then what the target has besides keeps its properties
	one := func(ctx context.Context, o objstore.Object) error {
		done, err := r.carry(ctx, o)
		if err == nil && strings.HasSuffix(o.Key, "/") {
			done.Size = 0
		} else if err == nil && merges {
			t.tree.Guard().Copied(ctx, p.from.PathOf(o.Key), p.to.PathOf(r.target(o.Key)), true)
		}
		if ctx.Err() != nil && err != nil {
			return context.Cause(ctx)
		}
		mu.Lock()
		if err != nil {
			broken = cmpErr(broken, err)
		} else {
			put = append(put, done)
		}
		mu.Unlock()
		return tell(o, err)
	}
	err := r.objects(ctx, after, func(page []objstore.Object) error {
		if err := objects.Each(ctx, len(page), func(ctx context.Context, i int) error { return one(ctx, page[i]) }); err != nil {
			return err
		}
		if len(put) >= objstore.MaxList {
			flush()
		}
		if passed != nil {
			return passed(page[len(page)-1].Key)
		}
		return nil
	})
	if err == nil && !merges {
		t.tree.Guard().Copied(ctx, p.from.Path, p.to.Path, false)
	}
	if err == nil {
		t.tree.WriteMarkers(ctx, r.to, p.to)
	}
	return errors.Join(err, broken)
}

// cmpErr returns the first error.
func cmpErr(first, err error) error {
	if first != nil {
		return first
	}
	return err
}

// objects hands do what is to be copied in pages: all that was in the source
// before, without what the copying itself puts below it.
func (r *copier) objects(ctx context.Context, after string, do func(page []objstore.Object) error) error {
	if !r.folder {
		o, err := r.from.Stat(ctx, r.src)
		if err != nil {
			return err
		}
		return do([]objstore.Object{o})
	}
	return objects.Walk(ctx, r.from, r.src, func(page []objstore.Object) error {
		page = slices.DeleteFunc(page, func(o objstore.Object) bool {
			return o.Key <= after || r.inward != "" && strings.HasPrefix(o.Key, r.inward)
		})
		if len(page) == 0 {
			return nil
		}
		return do(page)
	})
}

// Move moves files and folders, by the journal of Rename, also from one storage
// to another. Items, conflicts and outcome are those of Copy; an item that is
// moved onto itself is skipped. Asks mount.move. Returns what Copy returns, and
// ErrIntoSelf and ErrVirtual stand in Failed.
func (t *Transfers) Move(ctx context.Context, c mounts.Caller, r CopyRequest) (CopyResult, error) {
	if err := r.check(); err != nil {
		return CopyResult{}, err
	}
	pl, err := t.enterItems(ctx, c, mounts.OpMove, r)
	if err != nil {
		return CopyResult{}, err
	}
	if r.Task {
		return t.startItems(ctx, c, MoveTask, r)
	}
	out := &outcome{}
	for _, item := range r.Items {
		p, err := pl.plan(ctx, item)
		if err == nil && !p.skip {
			err = t.tree.Guard().Unlocked(ctx, c, p.locks()...)
		}
		switch {
		case err != nil:
			out.failed(item, err)
		case p.skip:
			out.skipped(p)
		default:
			tell := out.tell(p)
			err := t.movePlan(ctx, p, t.newRecord(p.from, p.to, p.folder, p.taken), func(v *mover) {
				v.tell = func(o objstore.Object, err error) error {
					if err != nil {
						return nil // the item fails as a whole
					}
					return tell(o, nil)
				}
			})
			if err != nil {
				out.files = 0 // what was copied did not move
			}
			out.copied(p, err)
		}
	}
	return out.CopyResult, nil
}

// locks are the writes of moving what a plan names.
func (p *plan) locks() []mounts.LockedWrite {
	return []mounts.LockedWrite{{Path: p.from.Path, Deep: true, Member: true}, {Path: p.to.Path, Deep: p.folder, Member: true}}
}

func (t *Transfers) movePlan(ctx context.Context, p *plan, j *MoveRecord, prepare func(*mover)) error {
	return t.relocate(ctx, p.from, p.to, j, prepare)
}

// Placing says how CopyTo puts something at a path.
type Placing struct {
	Move bool
	// Overwrite replaces what is at the target; without it that is a Conflict.
	Overwrite bool
	// Alone leaves out what is in a folder.
	Alone bool
}

// CopyTo copies or moves one file or folder to exactly the path that is named,
// as WebDAV does; a folder that is replaced is removed first. It tells whether
// something was replaced. Asks webdav.write or mount.copy and mount.move.
// Returns NotFound for a missing source, ErrNoParent for a missing folder of the
// target, ErrIntoSelf, ErrVirtual for mount points and for a target beside the
// mounts, Conflict, ErrLocked
// (contract §8.10).
func (t *Transfers) CopyTo(ctx context.Context, c mounts.Caller, from, to string, o Placing) (replaced bool, err error) {
	op := mounts.OpCopy
	if o.Move {
		op = mounts.OpMove
	}
	places, _, err := t.tree.Enter(ctx, c, op, from, to)
	if len(places) == 1 && (errors.Is(err, mounts.ErrNoMount) || errors.Is(err, mounts.ErrForeign)) {
		return false, mounts.ErrVirtual // nobody makes files beside the mounts
	}
	if err != nil {
		return false, err
	}
	p := &plan{item: CopyItem{from, to}, from: places[0], to: places[1], asked: places[1].Path}
	if p.to.Sub == "" || o.Move && p.from.Sub == "" {
		return false, mounts.ErrVirtual
	}
	if p.from.Holds(p.to) || p.to.Holds(p.from) {
		return false, mounts.ErrIntoSelf
	}
	entry, err := t.tree.Lookup(ctx, p.from)
	if err != nil {
		return false, err
	}
	p.folder, p.size = entry.Folder, max(entry.Size, 0)
	writes := []mounts.LockedWrite{{Path: p.to.Path, Deep: true, Member: true}}
	if o.Move {
		writes = append(writes, mounts.LockedWrite{Path: p.from.Path, Deep: true, Member: true})
	}
	if err := t.tree.Guard().Unlocked(ctx, c, writes...); err != nil {
		return false, err
	}
	if err := t.tree.ParentExists(ctx, c, p.to); err != nil {
		return false, err
	}
	there, err := t.thereAt(ctx, p.to)
	if err != nil {
		return false, err
	}
	replaced = there != nil
	if replaced && !o.Overwrite {
		return false, ports.ErrConflict
	}
	if err := t.relate(ctx, p, there); err != nil {
		return false, err
	}
	if p.overlap != apart {
		return false, mounts.ErrIntoSelf
	}
	release, err := t.tree.Met(ctx, c, p.from)
	if err != nil {
		return false, err
	}
	defer release()
	makesWay := replaced && (there.Folder || p.folder)
	p.taken = replaced && !makesWay
	j := t.newRecord(p.from, p.to, p.folder, p.taken)
	if o.Move { // before anything makes way for what is refused then
		if err := t.apart(ctx, j); err != nil {
			return false, err
		}
	}
	if makesWay {
		if err := t.makeWay(ctx, p.to, there.Folder); err != nil {
			return false, err
		}
	}
	if o.Move {
		return replaced, t.movePlan(ctx, p, j, nil)
	}
	if o.Alone && p.folder {
		return replaced, t.copyAlone(ctx, p)
	}
	return replaced, t.copyPlan(ctx, p, func(objstore.Object, error) error { return nil })
}

// makeWay removes what is at the target of a copy.
func (t *Transfers) makeWay(ctx context.Context, p *mounts.Place, folder bool) error {
	bucket, err := t.tree.Bucket(ctx, p)
	if err != nil {
		return err
	}
	key := p.Key()
	if folder {
		key = p.Prefix()
	}
	defer t.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Gone: []string{key}})
	if err := objects.DeleteAll(ctx, bucket, key, folder); err != nil {
		return err
	}
	t.tree.Guard().Replaced(ctx, p.Path)
	return nil
}

// copyAlone makes the copy of a folder without what is in it.
func (t *Transfers) copyAlone(ctx context.Context, p *plan) error {
	bucket, err := t.tree.Bucket(ctx, p.to)
	if err != nil {
		return err
	}
	defer t.tree.Changed(ctx, mounts.Change{Storage: p.to.Storage.ID, Put: []objstore.Object{t.tree.Marker(p.to.Prefix())}})
	if err := mounts.WriteMarker(ctx, bucket, p.to.Prefix()); err != nil {
		return err
	}
	t.tree.Guard().Copied(ctx, p.from.Path, p.to.Path, true)
	return nil
}
