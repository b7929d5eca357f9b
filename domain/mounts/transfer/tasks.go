package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Works are the tree's tasks, by kind.
func (t *Transfers) Works() map[string]mounts.Work {
	return map[string]mounts.Work{
		CopyTask:   {Run: t.copyWork, Allowed: t.mayItems(mounts.OpCopy)},
		MoveTask:   {Run: t.moveWork, Allowed: t.mayItems(mounts.OpMove)},
		DeleteTask: {Run: t.deleteWork, Allowed: t.mayDelete},
		RenameTask: {Run: t.renameWork, Allowed: t.mayRename},
	}
}

func (t *Transfers) mayItems(op mounts.Operation) func(context.Context, policy.Principal, json.RawMessage) error {
	return func(ctx context.Context, who policy.Principal, payload json.RawMessage) error {
		var r CopyRequest
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
		_, err := t.enterItems(ctx, mounts.Caller{Who: who}, op, r)
		return err
	}
}

func (t *Transfers) mayDelete(ctx context.Context, who policy.Principal, payload json.RawMessage) error {
	var r deletePayload
	if err := json.Unmarshal(payload, &r); err != nil {
		return err
	}
	_, _, err := t.enterEach(ctx, mounts.Caller{Who: who}, mounts.OpDelete, r.Paths...)
	return err
}

func (t *Transfers) mayRename(ctx context.Context, who policy.Principal, payload json.RawMessage) error {
	var r renamePayload
	if err := json.Unmarshal(payload, &r); err != nil {
		return err
	}
	_, _, err := t.tree.Enter(ctx, mounts.Caller{Who: who}, mounts.OpRename, r.From, r.To)
	return err
}

// deletePayload and renamePayload are what those tasks are told.
type deletePayload struct {
	Paths []string `json:"paths"`
}

type renamePayload struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Folder bool   `json:"folder"`
}

// progress is how far a task has come through its items.
type progress struct {
	Next int `json:"next"` // the item under way
	// Plan is that item's, as decided when it began; a resumed task must not
	// decide anew, since what it copied itself would be in the way.
	Plan  *planned `json:"plan,omitempty"`
	After string   `json:"after,omitempty"` // the last key of the item that is done
}

// planned is a plan as it is kept.
type planned struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Folder bool   `json:"folder"`
	Taken  bool   `json:"taken"`
	Record string `json:"journey,omitempty"` // id in the journal; stored tasks have it under this name
	Inward string `json:"inward,omitempty"`
}

func (p *plan) kept(record string) *planned {
	return &planned{From: p.from.Path, To: p.to.Path, Folder: p.folder, Taken: p.taken, Record: record, Inward: p.toward()}
}

// revive makes a plan of a kept one.
func (pl *planner) revive(k *planned, item CopyItem) (*plan, error) {
	from, err := pl.place(mounts.Slashed(k.From, k.Folder))
	if err != nil {
		return nil, err
	}
	to, err := pl.place(mounts.Slashed(k.To, k.Folder))
	if err != nil {
		return nil, err
	}
	return &plan{item: item, from: from, to: to, folder: k.Folder, taken: k.Taken, asked: to.Path, inward: k.Inward}, nil
}

// batch is one run of a task with items.
type batch struct {
	*planner
	run   jobs.Run
	state progress
	// one does what a plan says; it is called again with the same plan after a
	// restart. own is how far the plan has come; nil for what is done again, which
	// keeps no state: that of the batch is of the item under way.
	one func(ctx context.Context, p *plan, own *progress) error
}

// work goes through the items, those first that failed before.
func (b *batch) work(ctx context.Context) error {
	if err := b.again(ctx); err != nil {
		return err
	}
	for ; b.state.Next < len(b.request.Items); b.state = (progress{Next: b.state.Next + 1}) {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := b.run.Checkpoint(b.state); err != nil {
			return err
		}
		if err := b.item(ctx, b.request.Items[b.state.Next]); err != nil {
			return err
		}
	}
	return b.run.Checkpoint(b.state)
}

// item does one item. An error is one of the whole task.
func (b *batch) item(ctx context.Context, item CopyItem) error {
	p, err := b.planOf(ctx, item)
	if err != nil {
		return b.run.Item(jobs.Item{Path: item.Source, Target: item.Target, Status: jobs.Failed}, err)
	}
	if p.skip {
		return b.run.Item(jobs.Item{Path: p.source(), Target: p.target(), Status: jobs.Skipped}, nil)
	}
	return b.one(ctx, p, &b.state)
}

// planOf is the plan that a run before has made, or a new one that is kept
// before anything is done by it.
func (b *batch) planOf(ctx context.Context, item CopyItem) (*plan, error) {
	if err := b.look(ctx); err != nil {
		return nil, err
	}
	if b.state.Plan != nil {
		return b.revive(b.state.Plan, item)
	}
	p, err := b.plan(ctx, item)
	if err == nil && !p.skip {
		err = b.t.tree.Guard().Unlocked(ctx, mounts.Caller{Who: b.who}, p.writes(b.moving)...)
	}
	if err != nil || p.skip {
		return p, err
	}
	b.state.Plan = p.kept(b.t.tree.Random.ID())
	if err := b.run.Checkpoint(b.state); err != nil {
		return nil, err
	}
	return p, b.run.Sync(ctx)
}

// look takes the mounts as they are now: a mount or a storage may have been
// closed to the owner of the task since it began.
func (b *batch) look(ctx context.Context) (err error) {
	b.mounts, err = b.t.tree.Snapshot(ctx)
	return err
}

// writes are what locks are asked for.
func (p *plan) writes(moving bool) []mounts.LockedWrite {
	if moving {
		return p.locks()
	}
	return []mounts.LockedWrite{{Path: p.to.Path, Deep: p.folder, Member: true}}
}

// again does what failed in the runs before: whole items, or single files of
// folders.
func (b *batch) again(ctx context.Context) error {
	for _, failed := range b.run.Failed() {
		item := CopyItem{Source: failed.Path, Target: failed.Target}
		if i := slices.IndexFunc(b.request.Items, func(i CopyItem) bool { return i.Source == failed.Path }); i >= 0 {
			item = b.request.Items[i]
		}
		if err := b.look(ctx); err != nil {
			return err
		}
		p, err := b.plan(ctx, item)
		if err == nil && item.Target == failed.Target && b.inFolder(item) {
			// Where a file of a folder goes was settled when the folder was.
			p.skip, p.taken = false, p.skip || p.taken
			p.to, err = b.place(failed.Target)
			p.renamed = false
		}
		switch {
		case err != nil:
			err = b.run.Item(failed, err)
		case p.skip:
			err = b.run.Item(jobs.Item{Path: failed.Path, Target: failed.Target, Status: jobs.Skipped}, nil)
		default:
			err = b.one(ctx, p, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inFolder reports whether a failed item is a file of a folder and not an item
// of the request.
func (b *batch) inFolder(item CopyItem) bool {
	return !slices.ContainsFunc(b.request.Items, func(i CopyItem) bool { return i.Source == item.Source })
}

// batchOf begins a run of a task with items.
func (t *Transfers) batchOf(ctx context.Context, run jobs.Run, moving bool) (*batch, error) {
	var r CopyRequest
	if err := run.Payload(&r); err != nil {
		return nil, err
	}
	pl, err := t.planner(ctx, run.Owner(), r, moving)
	if err != nil {
		return nil, err
	}
	b := &batch{planner: pl, run: run}
	_, err = run.State(&b.state)
	return b, err
}

// copyWork copies items (contract §4.12, mode task).
func (t *Transfers) copyWork(ctx context.Context, run jobs.Run) error {
	b, err := t.batchOf(ctx, run, false)
	if err != nil {
		return err
	}
	b.one = b.copy
	b.expect(ctx)
	return b.work(ctx)
}

// expect counts what is to be done, for people to see how far it is; what
// cannot be counted is not.
func (b *batch) expect(ctx context.Context) {
	var items, bytes int64
	for _, item := range b.request.Items {
		from, err := b.place(item.Source)
		if err != nil {
			continue
		}
		bucket, err := b.t.tree.Bucket(ctx, from)
		if err != nil {
			continue
		}
		if !from.Folder {
			if o, err := bucket.Stat(ctx, from.Key()); err == nil {
				items, bytes = items+1, bytes+o.Size
				continue
			}
		}
		_ = objects.Walk(ctx, bucket, from.Prefix(), func(page []objstore.Object) error {
			for _, o := range page {
				if !strings.HasSuffix(o.Key, "/") {
					items, bytes = items+1, bytes+o.Size
				}
			}
			return ctx.Err()
		}) // a wrong number only
	}
	b.run.Expect(items, bytes)
}

// copy copies what one plan names.
func (b *batch) copy(ctx context.Context, p *plan, own *progress) error {
	r, err := b.t.open(ctx, p)
	if err != nil {
		return b.run.Item(jobs.Item{Path: p.source(), Target: p.target(), Status: jobs.Failed}, err)
	}
	r.moved = b.run.Moved
	var told atomic.Int64
	after, passed := "", (func(string) error)(nil)
	if own != nil {
		after, passed = own.After, func(key string) error {
			own.After = key
			return b.run.Checkpoint(b.state)
		}
	}
	err = b.t.newCopier(ctx, r, p, after, func(o objstore.Object, err error) error {
		if strings.HasSuffix(o.Key, "/") && err == nil {
			return nil
		}
		told.Add(1)
		return b.run.Item(p.itemOf(o), err)
	}, passed)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case told.Load() > 0:
		return fatal(err)
	case err != nil:
		return b.run.Item(jobs.Item{Path: p.source(), Target: p.target(), Status: jobs.Failed}, err)
	}
	return b.run.Item(jobs.Item{Path: p.source(), Target: p.target(), Status: jobs.Completed}, nil)
}

// fatal is the error that ends a task: failures of objects are told already.
func fatal(err error) error {
	var e *ports.Error
	if errors.As(err, &e) && e.Key == "partial" {
		return err
	}
	return nil
}

// itemOf tells of one object of a plan.
func (p *plan) itemOf(o objstore.Object) jobs.Item {
	return jobs.Item{Path: p.from.PathOf(o.Key), Target: p.to.PathOf(p.copier().target(o.Key)), Status: jobs.Completed, Bytes: o.Size}
}

// moveWork moves items by the journal.
func (t *Transfers) moveWork(ctx context.Context, run jobs.Run) error {
	b, err := t.batchOf(ctx, run, true)
	if err != nil {
		return err
	}
	b.one = b.move
	b.expect(ctx)
	return b.work(ctx)
}

// move moves what one plan names.
func (b *batch) move(ctx context.Context, p *plan, own *progress) error {
	j := b.t.newRecord(p.from, p.to, p.folder, p.taken)
	if own != nil {
		j.ID = own.Plan.Record
	}
	told, err := b.t.moveTask(ctx, b.run, p, j)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || told == 0:
		return b.run.Item(jobs.Item{Path: p.source(), Target: p.target(), Status: jobs.Completed}, err)
	}
	return nil
}

// renameWork renames one file or folder in the background.
func (t *Transfers) renameWork(ctx context.Context, run jobs.Run) error {
	var r renamePayload
	if err := run.Payload(&r); err != nil {
		return err
	}
	pl, err := t.planner(ctx, run.Owner(), CopyRequest{}, true)
	if err != nil {
		return err
	}
	p, err := pl.revive(&planned{From: r.From, To: r.To, Folder: r.Folder}, CopyItem{Source: r.From, Target: r.To})
	if err != nil {
		return err
	}
	j := t.newRecord(p.from, p.to, p.folder, false)
	j.ID = run.TaskID()
	if _, err := t.journal.Get(ctx, j.ID); ports.Is(err, ports.NotFound) {
		if _, err := t.renamable(ctx, mounts.Caller{Who: run.Owner()}, p.from, p.to); err != nil {
			return err
		}
	}
	_, err = t.moveTask(ctx, run, p, j)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// moveTask carries out a move for a task: it begins it, or goes on with it after
// a restart. It tells how many files it has reported.
func (t *Transfers) moveTask(ctx context.Context, run jobs.Run, p *plan, j *MoveRecord) (told int, err error) {
	j.Held = true
	known, err := t.takeOver(ctx, j.ID, t.tree.Clock.Now().Add(-recordIdle), true)
	if err == nil {
		j = known
	} else if !ports.Is(err, ports.NotFound) {
		return 0, err
	} else if err := t.apart(ctx, j); err != nil {
		return 0, err
	}
	v, err := t.newMover(ctx, j)
	if err != nil {
		return 0, err
	}
	if !v.same {
		v.room = t.tree.RoomIn(p.to)
	}
	v.copier.moved = run.Moved
	v.tell = func(o objstore.Object, err error) error {
		if err != nil || strings.HasSuffix(o.Key, "/") {
			return nil // the item fails as a whole
		}
		v.mu.Lock()
		told++
		v.mu.Unlock()
		return run.Item(p.itemOf(o), nil)
	}
	if known != nil {
		v.resumed = true
		err = v.resume(ctx)
	} else {
		err = v.do(ctx)
	}
	if err != nil {
		return told, err
	}
	return told, t.arrived(ctx, v, p.from, p.to)
}

// deleteWork deletes paths (contract §4.6 in the background).
func (t *Transfers) deleteWork(ctx context.Context, run jobs.Run) error {
	var r deletePayload
	if err := run.Payload(&r); err != nil {
		return err
	}
	var state progress
	if _, err := run.State(&state); err != nil {
		return err
	}
	run.Expect(int64(len(r.Paths)), 0)
	remover := t.remover(mounts.Caller{Who: run.Owner()})
	defer remover.keepParents(ctx)
	one := func(path string) error {
		clean, folder, err := mounts.Clean(path)
		if err == nil {
			var s *mounts.Snapshot // of now: a storage may have been closed to the owner meanwhile
			if s, err = t.tree.Snapshot(ctx); err == nil {
				err = remover.remove(ctx, t.target(s, run.Owner(), clean, folder))
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return run.Item(jobs.Item{Path: path, Status: jobs.Completed}, err)
	}
	for _, failed := range run.Failed() {
		if err := one(failed.Path); err != nil {
			return err
		}
	}
	for ; state.Next < len(r.Paths); state.Next++ {
		if err := run.Checkpoint(state); err != nil {
			return err
		}
		if err := one(r.Paths[state.Next]); err != nil {
			return err
		}
	}
	return run.Checkpoint(state)
}
