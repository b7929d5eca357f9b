package transfer

import (
	"context"
	"errors"
	"maps"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// MaxBatch is how many paths or items one call may name (contract §1.7).
const MaxBatch = 10_000

// errBatch is the answer to calls that name more than MaxBatch, errNoItems and
// errNoPaths to those that name nothing.
var (
	errBatch   = ports.InvalidInput("batch_large", "items")
	errNoItems = ports.InvalidInput("required", "items")
	errNoPaths = ports.InvalidInput("required", "paths")
)

// Removed is the outcome of Remove.
type Removed struct {
	Done   int
	Failed []FailedPath
	TaskID string // of the task that does it; nothing else is set then
}

// The kinds of tasks.
const (
	CopyTask   = "copy"
	MoveTask   = "move"
	DeleteTask = "delete"
	RenameTask = "rename"
)

// Remove deletes files, and folders with all that is in them, one after the
// other; what is missing counts as deleted. With task it is done in the
// background. Asks mount.delete. Returns Invalid without paths, for more than
// MaxBatch and for an unclean one (contract §4.6).
func (t *Transfers) Remove(ctx context.Context, c mounts.Caller, paths []string, task bool) (Removed, error) {
	if len(paths) == 0 {
		return Removed{}, errNoPaths
	}
	if len(paths) > MaxBatch {
		return Removed{}, errBatch
	}
	targets, _, err := t.enterEach(ctx, c, mounts.OpDelete, paths...)
	if err != nil {
		return Removed{}, err
	}
	if task {
		id, err := t.tree.Tasks.Start(ctx, jobs.Start{Kind: DeleteTask, Title: paths[0], Owner: c.Who, Payload: deletePayload{Paths: paths}, Items: int64(len(paths))})
		return Removed{TaskID: id}, err
	}
	var done Removed
	r := t.remover(c)
	defer r.keepParents(ctx)
	for _, s := range targets {
		if err := r.remove(ctx, s); err != nil {
			done.Failed = append(done.Failed, FailedPath{Path: s.asked, Err: err})
			continue
		}
		done.Done++
	}
	return done, nil
}

// Deletion says how Delete deletes.
type Deletion struct {
	// Shallow refuses folders: only with all that is in them could they go.
	Shallow bool
}

// Delete deletes one file or folder. Asks webdav.write or mount.delete. Returns
// NotFound when there is none, ErrVirtual for a mount point, Invalid for a
// folder that is to go alone, and ErrLocked (contract §8.9).
func (t *Transfers) Delete(ctx context.Context, c mounts.Caller, path string, d Deletion) error {
	places, _, err := t.tree.Enter(ctx, c, mounts.OpDelete, path)
	if err != nil {
		return err
	}
	if places[0].Sub == "" {
		return mounts.ErrVirtual
	}
	entry, err := t.tree.Lookup(ctx, places[0])
	if err != nil {
		return err
	}
	if entry.Folder && d.Shallow {
		return ports.InvalidInput("depth_invalid", "Depth")
	}
	r := t.remover(c)
	defer r.keepParents(ctx)
	return r.remove(ctx, target{asked: path, Place: places[0]})
}

// remover deletes paths one after the other. Whoever uses it calls keepParents
// at the end: to look after the folder for each file of it would take its size
// times the number of files.
type remover struct {
	t       *Transfers
	c       mounts.Caller
	parents map[string]*mounts.Place // of what was removed, by storage and prefix
}

func (t *Transfers) remover(c mounts.Caller) *remover {
	return &remover{t, c, map[string]*mounts.Place{}}
}

// remove deletes what is at one path; what is missing is no error.
func (r *remover) remove(ctx context.Context, s target) error {
	t, c := r.t, r.c
	switch {
	case s.err != nil:
		return s.err
	case s.Sub == "":
		return mounts.ErrVirtual
	}
	p := s.Place
	if err := t.tree.Guard().Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path, Deep: true, Member: true}); err != nil {
		return err
	}
	release, err := t.tree.Met(ctx, c, p)
	if err != nil {
		return err
	}
	defer release()
	bucket, err := t.tree.Bucket(ctx, p)
	if err != nil {
		return err
	}
	key := p.Prefix()
	if !p.Folder {
		file, err := objects.Exists(ctx, bucket, p.Key())
		if err != nil {
			return err
		}
		if file {
			key = p.Key()
		}
	}
	if key == p.Prefix() {
		r.forget(p.Storage.ID, key)
		there, err := objects.AnyBelow(ctx, bucket, key)
		if err != nil || !there {
			return err
		}
	}
	defer t.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID, Gone: []string{key}})
	if err := objects.DeleteAll(ctx, bucket, key, key == p.Prefix()); err != nil {
		return err
	}
	t.tree.Guard().Vanished(ctx, p.Path)
	r.parents[p.Storage.ID+"\x00"+p.Parent().Prefix()] = p
	return nil
}

// forget leaves out the folders below a prefix, which go themselves.
func (r *remover) forget(storage, prefix string) {
	maps.DeleteFunc(r.parents, func(_ string, gone *mounts.Place) bool {
		return gone.Storage.ID == storage && objects.Holds(prefix, gone.Parent().Prefix())
	})
}

// keepParents writes the markers of the folders that would have vanished with
// what was removed (contract §4.6). What failed is only reported, since the rest
// is done.
func (r *remover) keepParents(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for _, p := range r.parents {
		bucket, err := r.t.tree.Bucket(ctx, p)
		if err == nil {
			err = r.t.tree.KeepParent(ctx, bucket, p)
		}
		if err != nil {
			r.t.tree.Report("keep the folder of what was removed", err)
		}
	}
}

// Rename gives a file or folder another path inside its mount; what is there
// never loses a byte, whatever fails. With task it is done in the background,
// and its id comes back. Asks mount.rename. Returns ErrCross for two mounts,
// NotFound for a missing file or folder, ErrIntoSelf for a path below it,
// Conflict when the new path is taken, ErrVirtual for mount points, ErrLocked
// (contract §4.7).
func (t *Transfers) Rename(ctx context.Context, c mounts.Caller, from, to string, task bool) (taskID string, err error) {
	if from == "" || to == "" {
		return "", ports.InvalidInput("required", "oldPath, newPath")
	}
	places, _, err := t.tree.Enter(ctx, c, mounts.OpRename, from, to)
	if errors.Is(err, mounts.ErrNoMount) && len(places) == 1 && places[0].Sub == "" { // whereto does not matter
		err = mounts.ErrVirtual
	}
	if err != nil {
		return "", err
	}
	p, target := places[0], places[1]
	folder, err := t.renamable(ctx, c, p, target)
	if err != nil || p.Path == target.Path {
		return "", err
	}
	if task {
		return t.tree.Tasks.Start(ctx, jobs.Start{Kind: RenameTask, Title: p.Path, Owner: c.Who, Payload: renamePayload{From: p.Path, To: target.Path, Folder: folder}})
	}
	return "", t.relocate(ctx, p, target, t.newRecord(p, target, folder, false), nil)
}

// renamable checks a rename and tells whether it is one of a folder.
func (t *Transfers) renamable(ctx context.Context, c mounts.Caller, p, target *mounts.Place) (folder bool, err error) {
	switch {
	case p.Mount.ID != target.Mount.ID:
		return false, mounts.ErrCross
	case p.Sub == "" || target.Sub == "":
		return false, mounts.ErrVirtual
	}
	entry, err := t.tree.Lookup(ctx, p)
	if err != nil {
		return false, err
	}
	if p.Path == target.Path {
		return entry.Folder, nil
	}
	if mounts.Within(p.Path, target.Path) {
		return false, mounts.ErrIntoSelf
	}
	if err := t.tree.Guard().Unlocked(ctx, c, mounts.LockedWrite{Path: p.Path, Deep: true, Member: true}, mounts.LockedWrite{Path: target.Path, Deep: true, Member: true}); err != nil {
		return false, err
	}
	if _, err := t.tree.StatAt(ctx, target, false); err == nil {
		return false, ports.ErrConflict
	} else if !ports.Is(err, ports.NotFound) {
		return false, err
	}
	return entry.Folder, nil
}

// relocate moves what is at one place to another by the journal.
func (t *Transfers) relocate(ctx context.Context, p, target *mounts.Place, j *MoveRecord, prepare func(*mover)) error {
	if err := t.apart(ctx, j); err != nil {
		return err
	}
	v, err := t.newMover(ctx, j)
	if err != nil {
		return err
	}
	if !v.same {
		v.room = t.tree.RoomIn(target)
	}
	if prepare != nil {
		prepare(v)
	}
	if err := v.do(ctx); err != nil {
		return err
	}
	return t.arrived(ctx, v, p, target)
}

// arrived writes the markers that show the folders on both sides of a move.
func (t *Transfers) arrived(ctx context.Context, v *mover, p, target *mounts.Place) error {
	t.tree.WriteMarkers(ctx, v.to, target)
	defer t.tree.Changed(ctx, mounts.Change{Storage: p.Storage.ID})
	defer t.tree.Changed(ctx, mounts.Change{Storage: target.Storage.ID})
	if err := t.tree.KeepParent(ctx, v.from, p); err != nil {
		t.tree.Report("keep the folder of what was moved", err)
	}
	return nil
}

// apart refuses a move that meets another one that is under way.
func (t *Transfers) apart(ctx context.Context, j *MoveRecord) error {
	page, err := t.journal.List(ctx, MoveFilter{IdleSince: t.tree.Clock.Now().Add(recordIdle)})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 {
		return nil
	}
	mine, err := t.ends(ctx, j)
	if err != nil {
		return err
	}
	for i := range page.Items {
		other := &page.Items[i]
		if other.ID == j.ID {
			continue
		}
		theirs, err := t.ends(ctx, other)
		if err != nil {
			return err
		}
		if meet(mine, theirs) {
			return errTakenOver
		}
	}
	return nil
}

// meet reports whether two moves touch the same objects.
func meet(mine, theirs [2]string) bool {
	for _, x := range mine {
		for _, y := range theirs {
			if objects.Holds(x, y) || objects.Holds(y, x) {
				return true
			}
		}
	}
	return false
}

// enterEach is enter for batches: a path that leads nowhere, or to what may not
// be changed, fails alone. A path that the caller may not use refuses them all.
func (t *Transfers) enterEach(ctx context.Context, c mounts.Caller, op mounts.Operation, paths ...string) ([]target, policy.Decision, error) {
	asked, s, err := t.tree.AskFor(ctx, c, op, policy.Resource{}, paths)
	if err != nil {
		return nil, asked.Decision, err
	}
	targets := make([]target, len(paths))
	for i, p := range asked.Paths {
		targets[i] = t.target(s, c.Who, p, asked.Folders[i])
		targets[i].asked = paths[i]
		if err := targets[i].err; errors.Is(err, mounts.ErrForeign) || errors.Is(err, mounts.ErrOutside) {
			return nil, asked.Decision, err
		}
	}
	return targets, asked.Decision, nil
}

// target is one path of a batch: its place, or why it has none.
type target struct {
	asked string // as the caller wrote it
	*mounts.Place
	err error
}

// target leads to one canonical path that the policy was asked for.
func (t *Transfers) target(s *mounts.Snapshot, who policy.Principal, path string, folder bool) target {
	p, err := s.Resolve(who, path)
	if err != nil {
		if errors.Is(err, mounts.ErrNoMount) && len(s.Below(who, path)) > 0 {
			err = mounts.ErrVirtual
		}
		return target{asked: path, err: err}
	}
	p.Folder = folder
	if len(p.Key()) > objstore.MaxKey {
		return target{asked: path, err: ports.InvalidInput("path_too_long", "path")}
	}
	t.tree.Touch(p.Mount.ID)
	return target{asked: path, Place: p}
}

// FailedPath is a path of a batch that was not done.
type FailedPath struct {
	Path string // as the caller wrote it
	Err  error
}
