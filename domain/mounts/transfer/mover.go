package transfer

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/jobs"
	"pasteport/ports/objstore"
)

// MoveRecord is the journal's record of a file or folder on its way from one place
// to another. It is written before the first object is copied and removed after
// the last original is deleted, so that whatever happens in between is undone
// or finished later (contract §4.7).
type MoveRecord struct {
	ID         string
	FromConfig string // id of the storage config
	FromKey    string // key of a file, or the prefix of a folder
	FromPath   string // canonical
	ToConfig   string
	ToKey      string
	ToPath     string
	ToType     string // storage type of the target
	Folder     bool
	// Replacing says that the target was there before and may hold what is not
	// a copy, so that undoing must leave it.
	Replacing bool
	Phase     Phase
	Worker    string // names who works on it; a new one with each that takes it over
	// Held says that a task owns the move and goes on with it by itself.
	Held      bool
	CreatedAt time.Time
	// BeatAt is when somebody last worked on it.
	BeatAt time.Time
}

// Phase is how far a move has come.
type Phase string

// The phases. While copying, the originals are whole, and the move can still
// go either way; once it is undoing or deleting it goes that way only.
const (
	Copying  Phase = "copying"
	Undoing  Phase = "undoing"
	Deleting Phase = "deleting"
)

// MoveFilter chooses moves that nobody works on, oldest first.
type MoveFilter struct {
	ports.Paging
	IdleSince time.Time // only those that nobody has worked on since
}

// Journal stores moves.
type Journal interface {
	ports.Repository[MoveRecord, MoveFilter]
}

// Times of the journal.
const (
	recordBeat = 15 * time.Second // how often a move says that it is worked on
	recordIdle = time.Minute      // when somebody else may take it over
	heldIdle   = time.Hour        // when it may be taken from a task that does not come back
	undoWithin = 30 * time.Second // how long a caller waits for the undoing
)

// skew is by how much the clocks of storages may differ from ours.
const skew = 5 * time.Minute

// restless is how often originals are looked at again that others write to.
const restless = 3

// errTakenOver ends work on a move that another node has taken over.
var errTakenOver = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "journey_taken"}

// mover moves objects by the journal.
type mover struct {
	t *Transfers
	copier
	record  *MoveRecord
	copied  *ledger // what has arrived in this run
	tried   *ledger // what may have
	resumed bool    // a run before may have copied some
	// tell hears of every object that has arrived; nil for nobody.
	tell func(o objstore.Object, err error) error

	mu  sync.Mutex
	put []objstore.Object // what arrived and was not announced yet
}

// newMover opens both ends of a move.
func (t *Transfers) newMover(ctx context.Context, j *MoveRecord) (*mover, error) {
	from, err := t.tree.Storages.Bucket(ctx, j.FromConfig)
	if err != nil {
		return nil, err
	}
	to, err := t.tree.Storages.Bucket(ctx, j.ToConfig)
	if err != nil {
		return nil, err
	}
	return &mover{t: t, record: j, copied: newLedger(), tried: newLedger(), copier: copier{
		from: from, to: to, src: j.FromKey, dst: j.ToKey, folder: j.Folder, same: j.FromConfig == j.ToConfig}}, nil
}

// newRecord makes the record of a move between two places.
func (t *Transfers) newRecord(from, to *mounts.Place, folder, replacing bool) *MoveRecord {
	now := t.tree.Clock.Now()
	j := &MoveRecord{ID: t.tree.Random.ID(), FromConfig: from.Storage.ID, FromKey: from.Key(), FromPath: from.Path, ToConfig: to.Storage.ID,
		ToKey: to.Key(), ToPath: to.Path, ToType: to.Storage.Type, Folder: folder, Replacing: replacing, Phase: Copying, Worker: t.tree.Random.ID(), CreatedAt: now, BeatAt: now}
	if folder {
		j.FromKey, j.ToKey = from.Prefix(), to.Prefix()
	}
	return j
}

// go all the way: begin, copy, check, delete. On an error before the first
// original is deleted, the originals are untouched and the copies are removed,
// now or, when storage does not answer, by Recover. On an error after that all
// copies are whole and Recover deletes the rest of the originals.
func (v *mover) do(ctx context.Context) error {
	if err := v.t.journal.Insert(ctx, v.record); err != nil {
		return ports.Wrap("note a move in the journal", err)
	}
	// Who began at the same moment, such as a move of the other folder into the
	// place of this one, is seen now that both are noted, if not before.
	if err := v.t.apart(ctx, v.record); err != nil {
		_, failed := v.t.journal.Delete(context.WithoutCancel(ctx), v.record.ID)
		return errors.Join(err, failed)
	}
	return v.resume(ctx)
}

// resume goes on with a move that is in the journal and ours.
func (v *mover) resume(ctx context.Context) error {
	defer v.report(ctx)
	ctx, done := v.beat(ctx)
	defer done()
	if v.record.Phase == Copying {
		err := v.copyAll(ctx)
		if err == nil {
			err = v.arrive(ctx)
		}
		if err != nil {
			return v.giveUp(ctx, err)
		}
	}
	if v.record.Phase == Undoing {
		return errors.Join(errTakenOver, v.undo(ctx))
	}
	if !v.record.Held {
		ctx = context.WithoutCancel(ctx) // going back would cost what going on costs
	}
	return v.finish(ctx)
}

// giveUp goes back after an error. A task that is only stopped goes on later,
// and one that is cancelled lets others clear up, so that it ends at once.
func (v *mover) giveUp(ctx context.Context, why error) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errTakenOver), errors.Is(cause, jobs.ErrStopping), errors.Is(cause, jobs.ErrLost):
		return why
	case errors.Is(cause, jobs.ErrCancelled):
		return v.handOver(ctx, why)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWithin)
	defer cancel()
	return errors.Join(why, v.undo(ctx))
}

// beat tells the journal again and again that somebody is at work, until done
// is called. The context ends when another has taken the move over.
func (v *mover) beat(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(recordBeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := v.note(ctx, func(*MoveRecord) {}); errors.Is(err, errTakenOver) {
					cancel(errTakenOver)
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-stopped
	}
}

// note changes our move in the journal. Returns errTakenOver when it is ours
// no more.
func (v *mover) note(ctx context.Context, change func(j *MoveRecord)) error {
	changed, err := v.t.journal.Update(ctx, v.record.ID, func(j *MoveRecord) error {
		if j.Worker != v.record.Worker {
			return errTakenOver
		}
		j.BeatAt = v.t.tree.Clock.Now()
		change(j)
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		return errTakenOver
	}
	if err == nil {
		v.record = changed
	}
	return err
}

// copyAll copies every object that has no twin yet, then looks once more at
// both ends, so that count and sizes agree. Returns NotFound for a file that is gone.
func (v *mover) copyAll(ctx context.Context) error {
	// A task may have been stopped when all was done but the noting of it.
	mustBe := !v.folder && !v.resumed && !v.record.Held
	for range restless {
		copied := 0
		err := v.compare(ctx, func(page []pair) error {
			mustBe = false
			missing := unmatched(page)
			copied += len(missing)
			return objects.Each(ctx, len(missing), func(ctx context.Context, i int) error { return v.bring(ctx, missing[i].original) })
		})
		if err == nil && mustBe {
			return ports.ErrNotFound
		}
		if err != nil || copied == 0 {
			return err
		}
	}
	return errRestless
}

// errRestless is the end of a move whose originals are overwritten all the time.
var errRestless = &ports.Error{Code: ports.Conflict, Key: "in_use", Text: "folder_restless"}

// bring copies one object. One that has gone meanwhile needs no copy.
func (v *mover) bring(ctx context.Context, original objstore.Object) error {
	v.tried.note(original)
	done, err := v.carry(ctx, original)
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	if err == nil {
		v.copied.note(original)
		v.mu.Lock()
		v.put = append(v.put, done)
		v.mu.Unlock()
	}
	if v.tell != nil {
		if told := v.tell(original, err); told != nil {
			return told
		}
	}
	return err
}

// pair is an original and what lies where its copy belongs.
type pair struct {
	original objstore.Object
	matched  bool // its copy is there
}

func unmatched(pairs []pair) []pair {
	var missing []pair
	for _, p := range pairs {
		if !p.matched {
			missing = append(missing, p)
		}
	}
	return missing
}

// compare hands do all originals in pages, each with whether its twin is there.
func (v *mover) compare(ctx context.Context, do func(page []pair) error) error {
	if !v.folder {
		return v.compareFile(ctx, do)
	}
	copies := &objects.Cursor{Bucket: v.to, Prefix: v.dst}
	return objects.Walk(ctx, v.from, v.src, func(page []objstore.Object) error {
		if len(v.put) >= objstore.MaxList {
			v.announce(ctx)
		}
		pairs := make([]pair, len(page))
		for i, original := range page {
			copied, found, err := copies.To(ctx, v.target(original.Key))
			if err != nil {
				return err
			}
			pairs[i] = pair{original, found && v.twin(original, copied)}
		}
		return do(pairs)
	})
}

func (v *mover) compareFile(ctx context.Context, do func(page []pair) error) error {
	original, err := v.from.Stat(ctx, v.src)
	if ports.Is(err, ports.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	copied, err := v.to.Stat(ctx, v.dst)
	if err != nil && !ports.Is(err, ports.NotFound) {
		return err
	}
	return do([]pair{{original, err == nil && v.twin(original, copied)}})
}

// twin reports whether copied, found where the original goes, holds what the
// original holds: their tags agree, or we have copied it. Of what a run before
// has copied, between storages whose tags differ, only size and time can tell;
// where the target was there before, nothing can, and it is copied again.
func (v *mover) twin(original, copied objstore.Object) bool {
	switch {
	case original.Size != copied.Size:
		return false
	case strings.HasSuffix(original.Key, "/"), original.ETag != "" && original.ETag == copied.ETag, v.copied.knows(original):
		return true
	case v.record.Phase == Undoing && v.tried.knows(original):
		return true
	}
	return v.resumed && !v.record.Replacing && !original.ModTime.After(copied.ModTime) && copied.ModTime.After(v.record.CreatedAt.Add(-skew))
}

// arrive is the turning point: from now on the copy counts, also for the file
// shares that lead to it.
func (v *mover) arrive(ctx context.Context) error {
	j := v.record
	ctx = context.WithoutCancel(ctx)
	follow, err := v.t.tree.Sharer.Moved(ctx, mounts.Moved{FromConfig: j.FromConfig, FromKey: j.FromKey, ToConfig: j.ToConfig, ToKey: j.ToKey,
		FromPath: j.FromPath, ToPath: j.ToPath, ToType: j.ToType, Folder: j.Folder})
	if err != nil {
		return err
	}
	merges := j.Folder && j.Replacing
	err = v.t.tree.Work.Do(ctx, func(ctx context.Context) error {
		v.record = j // of a run that was undone
		if err := v.note(ctx, func(j *MoveRecord) { j.Phase = Deleting }); err != nil {
			return err
		}
		// Once, and not when a move is finished later: then nothing would come any more,
		// and what is there would go.
		if !merges {
			v.t.tree.Guard().Moved(ctx, j.FromPath, j.ToPath)
		}
		return follow(ctx)
	})
	if err != nil {
		v.record = j
		return err
	}
	if !merges {
		return nil
	}
	if err := v.merged(ctx); err != nil {
		v.t.tree.Report("move what is kept of files", err)
	}
	return nil
}

// merged lets what is known of files go along into a folder that was there; what is
// known of its other files stays.
func (v *mover) merged(ctx context.Context) error {
	j, guard := v.record, v.t.tree.Guard()
	err := objects.Walk(ctx, v.from, v.src, func(page []objstore.Object) error {
		for _, o := range page {
			if name := strings.TrimPrefix(o.Key, v.src); !strings.HasSuffix(o.Key, "/") {
				guard.Moved(ctx, mounts.Join(j.FromPath, name), mounts.Join(j.ToPath, name))
			}
		}
		return nil
	})
	if err == nil {
		guard.Vanished(ctx, j.FromPath) // that of folders
	}
	return err
}

// finish deletes the originals, each when its copy is there; one that was
// written meanwhile is copied first.
func (v *mover) finish(ctx context.Context) error {
	for range restless {
		left := 0
		err := v.compare(ctx, func(page []pair) error {
			left += len(page)
			missing := unmatched(page)
			if err := objects.Each(ctx, len(missing), func(ctx context.Context, i int) error { return v.bring(ctx, missing[i].original) }); err != nil {
				return err
			}
			keys := make([]string, len(page))
			for i := range page {
				keys[i] = page[i].original.Key
			}
			return objects.FirstError(objects.Delete(ctx, v.from, keys))
		})
		if err != nil {
			return v.handOver(ctx, err)
		}
		if left == 0 {
			break
		}
	}
	if _, err := v.t.journal.Delete(ctx, v.record.ID); err != nil {
		return v.handOver(ctx, err)
	}
	return nil
}

// undo removes the copies of originals that are still there, and forgets the
// move. What cannot be undone now is left to Recover.
func (v *mover) undo(ctx context.Context) error {
	if v.record.Phase == Copying {
		if err := v.note(ctx, func(j *MoveRecord) { j.Phase = Undoing }); err != nil {
			return err
		}
	}
	if !v.record.Replacing {
		err := v.compare(ctx, func(page []pair) error {
			var keys []string
			for _, p := range page {
				if p.matched {
					keys = append(keys, v.target(p.original.Key))
				}
			}
			return objects.FirstError(objects.Delete(ctx, v.to, keys))
		})
		v.t.tree.Freed(ctx, v.record.ToConfig)
		if err != nil {
			return v.handOver(ctx, err)
		}
	}
	_, err := v.t.journal.Delete(ctx, v.record.ID)
	return err
}

// handOver leaves the move to Recover and returns why.
func (v *mover) handOver(ctx context.Context, why error) error {
	return errors.Join(why, v.note(context.WithoutCancel(ctx), func(j *MoveRecord) { j.Held = false }))
}

// report tells everybody what has changed.
func (v *mover) report(ctx context.Context) {
	j := v.record
	v.announce(ctx)
	gone := mounts.Change{Storage: j.FromConfig}
	if j.Phase == Deleting {
		gone.Gone = []string{j.FromKey}
	}
	v.t.tree.Changed(ctx, gone)
}

// announce tells of what has arrived since the last time.
func (v *mover) announce(ctx context.Context) {
	v.t.tree.Changed(ctx, mounts.Change{Storage: v.record.ToConfig, Put: v.put})
	v.put = nil
}

// Recover finishes or undoes the moves that a crash, a lost storage or an
// impatient caller has left half done: those that nobody has worked on for a
// minute, or since the given time. A process that is alone with its database
// calls it at the start with the time of that, and then once a minute with the
// zero time.
func (t *Transfers) Recover(ctx context.Context, since time.Time) error {
	idle := t.tree.Clock.Now().Add(-recordIdle)
	if since.After(idle) {
		idle = since
	}
	page, err := t.journal.List(ctx, MoveFilter{IdleSince: idle})
	if err != nil {
		return err
	}
	var errs []error
	for i := range page.Items {
		errs = append(errs, t.recoverOne(ctx, page.Items[i].ID, idle))
	}
	return errors.Join(errs...)
}

// recoverOne takes a move over and brings it to an end.
func (t *Transfers) recoverOne(ctx context.Context, id string, idle time.Time) error {
	j, err := t.takeOver(ctx, id, idle, false)
	if errors.Is(err, errTakenOver) || ports.Is(err, ports.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v, err := t.newMover(ctx, j)
	if ports.Is(err, ports.NotFound) { // the storage config is gone, and what it showed with it
		_, err = t.journal.Delete(ctx, id)
		return err
	}
	if err != nil {
		return err
	}
	v.resumed = true
	defer v.report(ctx)
	ctx, done := v.beat(ctx)
	defer done()
	if j.Phase == Deleting {
		return v.finish(ctx)
	}
	return v.undo(ctx)
}

// takeOver makes a move ours that nobody has worked on since idle; what a
// task holds is left to it for longer, since it waits for its turn. Returns
// errTakenOver when somebody is at work.
func (t *Transfers) takeOver(ctx context.Context, id string, idle time.Time, task bool) (*MoveRecord, error) {
	worker := t.tree.Random.ID()
	return t.journal.Update(ctx, id, func(j *MoveRecord) error {
		switch {
		case task && j.Held: // it is ours: no task runs twice
		case j.BeatAt.After(idle), j.Held && j.BeatAt.After(t.tree.Clock.Now().Add(-heldIdle)):
			return errTakenOver
		}
		j.Worker, j.BeatAt, j.Held = worker, t.tree.Clock.Now(), task
		return nil
	})
}
