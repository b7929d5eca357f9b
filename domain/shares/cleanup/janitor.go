// Package cleanup erases the shares that nobody can open any more, with their
// objects, and what is left of uploads that nobody finished. It does nothing
// while the clock of the server is in doubt.
package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pasteport/domain/shares"
	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/upload"
	"pasteport/ports/yield"
)

// Ages after which the janitor acts.
const (
	usedUpFor  = shares.VisitLength  // a used-up share, for visits under way
	erasedFor  = 30 * 24 * time.Hour // a link that answers "gone"
	pendingFor = 24 * time.Hour      // an upload without commit
	retryFor   = 7 * 24 * time.Hour  // deleting an object that storage keeps
	longPast   = 100 * 365 * 24 * time.Hour
)

// Bounds of a sweep, small enough that writers hardly notice one.
const (
	pageOfShares  = 1000 // read at once
	recordsAtOnce = 25   // in one write
	objectsAtOnce = 100  // in one call of a storage
	storageCalls  = 8    // at the same time
	failuresShown = 5    // of a step, in its error
	sweepFor      = 50 * time.Second
)

// Janitor removes what nobody can reach any more: the content of used-up and
// expired shares, old records, and uploads that were never finished. A sweep
// may be repeated, cut short and run on two nodes at once.
type Janitor struct {
	d       shares.Deps
	records Records
	watch   clockWatch
	turn    sync.Mutex // held by who writes
}

// Records are what only a janitor needs of the database.
type Records struct {
	Pastes Remains[Seen]
	Files  Remains[shares.File] // and items of erased collections
	// Collections go before their items.
	Collections Remains[Seen]
	Sweeps      SweepTimes
	Revisions   []Revisions
}

// Revisions are earlier contents, of texts or of files.
type Revisions interface {
	// Forget removes those that were replaced before a time, and returns how
	// many; at most limit. It also removes what a crash left of deleted ones.
	Forget(ctx context.Context, before time.Time, limit int) (int, error)
}

// New returns a janitor of the shares of d.
func New(d shares.Deps, records Records) *Janitor { return &Janitor{d: d, records: records} }

// Swept counts what a sweep did.
type Swept struct {
	PastesErased      int
	CollectionsErased int
	FilesErased       int // items of collections, too
	Purged            int // records whose links are unknown from now on
	Uploads           int // unfinished uploads that were removed
	Revisions         int // earlier contents whose time was over
}

// Sweep does one round, for at most 50 s: what it has not come to, the next one
// does. It goes on with the next kind after an error and returns all errors.
// However many shares are due, they go: their owners have limited them. It
// returns ErrHeldBack while the time of this server cannot be trusted.
func (j *Janitor) Sweep(ctx context.Context) (Swept, error) {
	var s Swept
	if err := j.watchClock(ctx); err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, sweepFor)
	defer cancel()
	var errs []error
	for _, step := range []struct {
		name string
		run  func(context.Context) (int, error)
		n    *int
	}{
		{"erase pastes", j.erasePastes, &s.PastesErased},
		{"erase collections", j.eraseCollections, &s.CollectionsErased},
		{"erase files", j.eraseFiles, &s.FilesErased},
		{"remove unfinished uploads", j.uploads, &s.Uploads},
		{"purge records", j.purge, &s.Purged},
		{"forget revisions", j.forgetRevisions, &s.Revisions},
	} {
		n, err := step.run(ctx)
		*step.n = n
		if err != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			errs = append(errs, fmt.Errorf("%s: %w", step.name, err))
		}
	}
	return s, errors.Join(errs...)
}

// graceEnd is the time before which a share must have expired to be erased.
// Without a grace time expired shares are kept for ever.
func (j *Janitor) graceEnd(now time.Time) time.Time {
	grace := j.d.Settings.ExpiredGrace()
	if grace <= 0 {
		return now.Add(-longPast)
	}
	return now.Add(-grace)
}

func (j *Janitor) erasePastes(ctx context.Context) (int, error) {
	return j.eraseSeen(ctx, policy.KindPaste, j.records.Pastes)
}

// eraseCollections closes collections for good; eraseFiles, which comes after it,
// takes their items.
func (j *Janitor) eraseCollections(ctx context.Context) (int, error) {
	return j.eraseSeen(ctx, policy.KindCollection, j.records.Collections)
}

// eraseSeen erases the shares of a kind that are nothing but records.
func (j *Janitor) eraseSeen(ctx context.Context, kind string, of Remains[Seen]) (erased int, _ error) {
	now, after := j.d.Clock.Now(), ""
	for {
		found, next, err := of.Erasable(ctx, now.Add(-usedUpFor), j.graceEnd(now), after, pageOfShares)
		if err != nil {
			return erased, err
		}
		n, err := fewAtATime(ctx, j, found, func(ctx context.Context, some ...Seen) (int, error) {
			n, err := of.Erase(ctx, now, some...)
			if err == nil {
				for _, share := range some {
					j.d.Publish(ctx, kind, share.ID)
				}
			}
			return n, err
		})
		if erased += n; err != nil {
			return erased, err
		}
		if after = next; after == "" {
			return erased, nil
		}
	}
}

// fewAtATime writes to some records at a time, and lets others write in between. At
// most one write of a janitor is under way.
func fewAtATime[E any](ctx context.Context, j *Janitor, all []E, write func(ctx context.Context, some ...E) (int, error)) (written int, _ error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	for some := range slices.Chunk(all, recordsAtOnce) {
		began := time.Now()
		n, err := write(ctx, some...)
		if written += n; err != nil {
			return written, err
		}
		yield.Wait(ctx, time.Since(began)) // others have the database for half of the time
	}
	return written, nil
}

func (j *Janitor) eraseFiles(ctx context.Context) (int, error) {
	now := j.d.Clock.Now()
	end := j.graceEnd(now)
	return j.pages(ctx, func(after string) ([]shares.File, string, error) {
		return j.records.Files.Erasable(ctx, now.Add(-usedUpFor), end, after, pageOfShares)
	}, func(files []shares.File, failed *failures) int {
		gone := j.dropObjects(ctx, files, failed, func(f *shares.File) bool { return givenUp(f, now, end) })
		for i := range files { // what was to come, and was given up half-way
			if f := &files[i]; f.Pending && slices.ContainsFunc(gone, func(s Seen) bool { return s.ID == f.ID }) {
				j.d.Release(ctx, f.ID)
			}
		}
		n, err := fewAtATime(ctx, j, gone, func(ctx context.Context, some ...Seen) (int, error) {
			return j.records.Files.Erase(ctx, now, some...)
		})
		failed.add(err)
		for _, file := range gone {
			j.d.Publish(ctx, policy.KindFile, file.ID)
		}
		return n
	})
}

// givenUp reports whether deleting the object of a file was tried long enough.
func givenUp(file *shares.File, now, graceEnd time.Time) bool {
	if file.UsedUpAt != nil && now.Sub(*file.UsedUpAt) > retryFor {
		return true
	}
	return file.ExpiresAt != nil && graceEnd.Sub(*file.ExpiresAt) > retryFor
}

// uploads gives up the uploads in parts that nobody finished, into shares and
// elsewhere, and removes the files that were to come in one piece.
func (j *Janitor) uploads(ctx context.Context) (int, error) {
	parts, failed := j.d.Uploads.Sweep(ctx)
	files, err := j.dropUploads(ctx)
	return parts + files, errors.Join(failed, err)
}

func (j *Janitor) dropUploads(ctx context.Context) (int, error) {
	now := j.d.Clock.Now()
	return j.pages(ctx, func(after string) (files []shares.File, next string, err error) {
		files, err = j.d.FileObjects.Stale(ctx, now.Add(-pendingFor), after, pageOfShares)
		if len(files) == pageOfShares {
			next = files[len(files)-1].ID
		}
		return files, next, err
	}, func(files []shares.File, failed *failures) int {
		files = slices.DeleteFunc(files, func(f shares.File) bool {
			_, err := j.d.Uploads.Of(ctx, f.ID)
			if ports.Is(err, ports.NotFound) {
				return false
			}
			failed.add(err)
			return true // may still be resumed
		})
		files, n := j.withdraw(ctx, files, failed)
		gone := j.dropObjects(ctx, j.late(ctx, files, failed), failed, func(f *shares.File) bool { return now.Sub(f.CreatedAt) >= upload.Kept+retryFor })
		ids := make([]string, len(gone))
		for i, file := range gone {
			ids[i] = file.ID
			j.d.Release(ctx, file.ID)
		}
		more, err := fewAtATime(ctx, j, ids, j.d.Files.Delete)
		failed.add(err)
		return n + more
	})
}

// withdraw gives up those of files that were to replace others, and returns the rest.
// Their records go first: what comes at this moment is the content of a share.
func (j *Janitor) withdraw(ctx context.Context, files []shares.File, failed *failures) (rest []shares.File, n int) {
	for i := range files {
		if files[i].Replaces == "" {
			rest = append(rest, files[i])
			continue
		}
		switch err := j.d.Withdraw(ctx, &files[i], true); {
		case err == nil:
			n++
		case !ports.Is(err, ports.NotFound):
			failed.add(err)
		}
	}
	return rest, n
}

// late marks those of files that have not come, so that they can come no more, and
// returns them. Their objects may go then: nobody has been told that he shares one.
func (j *Janitor) late(ctx context.Context, files []shares.File, failed *failures) (late []shares.File) {
	now := j.d.Clock.Now()
	_, err := fewAtATime(ctx, j, files, func(ctx context.Context, some ...shares.File) (int, error) {
		var marked []shares.File
		err := j.d.Work.Do(ctx, func(ctx context.Context) error {
			marked = marked[:0]
			for i := range some {
				f, err := j.d.Files.Update(ctx, some[i].ID, func(f *shares.File) error {
					if !f.Pending {
						return ports.ErrNotFound // it has come
					}
					f.UsedUpAt = cmp.Or(f.UsedUpAt, &now)
					return nil
				})
				if err == nil {
					marked = append(marked, *f)
				} else if !ports.Is(err, ports.NotFound) {
					return err
				}
			}
			return nil
		})
		if err == nil {
			late = append(late, marked...)
		}
		return len(marked), err
	})
	failed.add(err)
	return late
}

// purge forgets records, a few at a time.
func (j *Janitor) purge(ctx context.Context) (purged int, _ error) {
	before := j.d.Clock.Now().Add(-erasedFor)
	for _, some := range []func(context.Context, time.Time, int) (int, error){j.records.Pastes.Purge, j.records.Files.Purge, j.records.Collections.Purge} {
		n, err := repeat(ctx, some, before)
		if purged += n; err != nil {
			return purged, err
		}
	}
	return purged, nil
}

// forgetRevisions removes earlier contents whose time is over, and what a crash left
// of such as were deleted.
func (j *Janitor) forgetRevisions(ctx context.Context) (int, error) {
	var before time.Time // nothing was replaced before that
	if age := j.d.Settings.Revisions().Age; age > 0 {
		before = j.d.Clock.Now().Add(-age)
	}
	removed := 0
	for _, kind := range j.records.Revisions {
		n, err := repeat(ctx, kind.Forget, before)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// repeat removes a few at a time until fewer are left.
func repeat(ctx context.Context, some func(context.Context, time.Time, int) (int, error), before time.Time) (removed int, _ error) {
	for {
		began := time.Now()
		n, err := some(ctx, before, recordsAtOnce)
		if removed += n; err != nil || n < recordsAtOnce {
			return removed, err
		}
		yield.Wait(ctx, time.Since(began)) // others have the database for half of the time
	}
}

// pages does work for the files of every page, a few of one storage at a time
// and several such at once. An error of some does not stop the others.
func (j *Janitor) pages(ctx context.Context, page func(after string) ([]shares.File, string, error), work func([]shares.File, *failures) int) (int, error) {
	var done atomic.Int64
	var failed failures
	for after := ""; ; {
		files, next, err := page(after)
		if err != nil {
			return int(done.Load()), errors.Join(failed.err(), err)
		}
		var workers sync.WaitGroup
		places := make(chan struct{}, storageCalls)
		for _, some := range ofOneStorage(files) {
			places <- struct{}{}
			workers.Go(func() {
				defer func() { <-places }()
				done.Add(int64(work(some, &failed)))
			})
		}
		workers.Wait()
		if after = next; after == "" || ctx.Err() != nil {
			return int(done.Load()), errors.Join(failed.err(), ctx.Err())
		}
	}
}

// ofOneStorage cuts files up so that those of a piece lie in one storage. Files
// of one object come into one piece: who is its last user is known there only.
func ofOneStorage(files []shares.File) (pieces [][]shares.File) {
	slices.SortStableFunc(files, func(a, b shares.File) int {
		return cmp.Or(cmp.Compare(a.StorageConfigID, b.StorageConfigID), cmp.Compare(a.StoragePath, b.StoragePath))
	})
	start := 0
	for i := range files {
		next := i + 1
		last := next == len(files)
		other := last || files[next].StorageConfigID != files[i].StorageConfigID
		full := next-start >= objectsAtOnce && !last && files[next].StoragePath != files[i].StoragePath
		if other || full {
			pieces = append(pieces, files[start:next])
			start = next
		}
	}
	return pieces
}

// dropObjects deletes the objects of files of one storage, which nobody else
// uses, and returns those that need no object any more. tried reports
// whether deleting was tried long enough.
func (j *Janitor) dropObjects(ctx context.Context, files []shares.File, failed *failures, tried func(*shares.File) bool) (gone []Seen) {
	var keys []string
	drop := func(f *shares.File, err error) {
		if err != nil && !tried(f) {
			failed.add(fmt.Errorf("file %s: %w", f.ID, err))
			return
		}
		gone = append(gone, Saw(f.ID, f.Version, &f.Gate))
	}
	byKey := map[string][]*shares.File{}
	for i := range files {
		f := &files[i]
		if f.FilePath != "" || f.ErasedAt != nil || f.Pending {
			drop(f, j.d.DropObject(ctx, f))
			continue
		}
		if byKey[f.StoragePath] == nil {
			keys = append(keys, f.StoragePath)
		}
		byKey[f.StoragePath] = append(byKey[f.StoragePath], f)
	}
	unused := keys[:0:0]
	for _, key := range keys {
		users := byKey[key]
		others, err := j.d.FileObjects.ObjectUsers(ctx, users[0].StorageConfigID, key, users[0].ID)
		if err == nil && others < len(users) { // all of them are going
			unused = append(unused, key)
			continue
		}
		for _, f := range users {
			drop(f, err)
		}
	}
	if len(unused) == 0 {
		return gone
	}
	errOf, err := j.deleteObjects(ctx, files[0].StorageConfigID, unused)
	for _, key := range unused {
		for _, f := range byKey[key] {
			drop(f, errors.Join(err, errOf[key]))
		}
	}
	return gone
}

func (j *Janitor) deleteObjects(ctx context.Context, configID string, keys []string) (map[string]error, error) {
	bucket, err := j.d.Storages.Bucket(ctx, configID)
	if err != nil {
		return nil, err
	}
	failed, err := bucket.Delete(ctx, keys...)
	if j.d.Changed != nil {
		j.d.Changed(ctx, configID, nil, keys)
	}
	j.d.Freed(ctx, configID)
	return failed, err
}

// failures are the first few errors of many. It is safe for concurrent use.
type failures struct {
	mu    sync.Mutex
	shown []error
	more  int
}

func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err == nil:
	case len(f.shown) < failuresShown:
		f.shown = append(f.shown, err)
	default:
		f.more++
	}
}

func (f *failures) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.more == 0 {
		return errors.Join(f.shown...)
	}
	return errors.Join(append(slices.Clone(f.shown), fmt.Errorf("and %d more", f.more))...)
}
