package shares

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Ages after which the janitor acts.
const (
	usedUpFor  = 10 * time.Minute    // a used-up share, for visits under way
	erasedFor  = 30 * 24 * time.Hour // a link that answers "gone"
	pendingFor = 24 * time.Hour      // an upload without commit
	partsFor   = 7 * 24 * time.Hour  // an upload in parts
	retryFor   = 7 * 24 * time.Hour  // deleting an object that storage keeps
	batch      = 1000                // shares one sweep touches
	guardFrom  = 100                 // a sweep this small is never held back
	guardShare = 5                   // ... and up to a fifth of all shares
	longPast   = 100 * 365 * 24 * time.Hour
)

// Janitor removes what nobody can reach any more: the content of used-up and
// expired shares, old records, and uploads that were never finished. A sweep
// may be repeated, cut short and run on two nodes at once.
type Janitor struct {
	d         Deps
	confirmed atomic.Bool
}

// NewJanitor returns a janitor over the repositories of d.
func NewJanitor(d Deps) *Janitor { return &Janitor{d: d} }

// Swept counts what a sweep did.
type Swept struct {
	PastesErased int
	FilesErased  int
	Purged       int // records whose links are unknown from now on
	Uploads      int // unfinished uploads that were removed
}

// Sweep does one round over at most 1000 shares of each kind. It goes on with
// the next kind after an error and returns all errors.
//
// A sweep that would erase more than a fifth of all pastes or files at once is
// held back until Confirm: it smells of a clock that jumped.
func (j *Janitor) Sweep(ctx context.Context) (Swept, error) {
	var s Swept
	var errs []error
	confirmed := j.confirmed.Swap(false)
	for _, step := range []struct {
		name string
		run  func(context.Context, bool) (int, error)
		n    *int
	}{
		{"erase pastes", j.erasePastes, &s.PastesErased},
		{"erase files", j.eraseFiles, &s.FilesErased},
		{"remove unfinished uploads", j.dropUploads, &s.Uploads},
		{"purge records", j.purge, &s.Purged},
	} {
		n, err := step.run(ctx, confirmed)
		*step.n = n
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", step.name, err))
		}
	}
	return s, errors.Join(errs...)
}

// Confirm lets the next sweep erase however much it finds.
func (j *Janitor) Confirm() { j.confirmed.Store(true) }

// ErrHeldBack is the error of a sweep that would have erased too much.
var ErrHeldBack = errors.New("held back: it would erase more than a fifth of all shares")

func (j *Janitor) erasePastes(ctx context.Context, confirmed bool) (int, error) {
	now := j.d.Clock.Now()
	ids, err := j.d.Pastes.Erasable(ctx, now.Add(-usedUpFor), j.graceEnd(now), batch)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	total, _, err := j.d.Pastes.CountByDay(ctx, now, 1)
	if err != nil {
		return 0, err
	}
	if !confirmed && tooMany(len(ids), total) {
		return 0, ErrHeldBack
	}
	n, err := j.d.Pastes.Erase(ctx, now, ids...)
	for _, id := range ids {
		j.d.publish(ctx, kindPaste, id)
	}
	return n, err
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

func tooMany(n, total int) bool { return n > guardFrom && n*guardShare > total }

func (j *Janitor) eraseFiles(ctx context.Context, confirmed bool) (int, error) {
	now := j.d.Clock.Now()
	files, err := j.d.Files.Erasable(ctx, now.Add(-usedUpFor), j.graceEnd(now), batch)
	if err != nil || len(files) == 0 {
		return 0, err
	}
	total, _, err := j.d.Files.CountByDay(ctx, now, 1)
	if err != nil {
		return 0, err
	}
	if !confirmed && tooMany(len(files), total) {
		return 0, ErrHeldBack
	}
	return j.each(ctx, files, func(file *File) (int, error) {
		if err := j.d.dropObject(ctx, j.d.Files, file); err != nil && !givenUp(file, now, j.graceEnd(now)) {
			return 0, err
		}
		n, err := j.d.Files.Erase(ctx, now, file.ID)
		j.d.publish(ctx, kindFile, file.ID)
		return n, err
	})
}

// givenUp reports whether deleting the object of a file was tried long enough.
func givenUp(file *File, now, graceEnd time.Time) bool {
	if file.UsedUpAt != nil && now.Sub(*file.UsedUpAt) > retryFor {
		return true
	}
	return file.ExpiresAt != nil && graceEnd.Sub(*file.ExpiresAt) > retryFor
}

// each does work for every file; an error of one does not stop the others.
func (j *Janitor) each(ctx context.Context, files []File, work func(*File) (int, error)) (int, error) {
	var errs []error
	done := 0
	for i := range files {
		if err := ctx.Err(); err != nil {
			return done, errors.Join(append(errs, err)...)
		}
		n, err := work(&files[i])
		done += n
		if err != nil {
			errs = append(errs, fmt.Errorf("file %s: %w", files[i].ID, err))
		}
	}
	return done, errors.Join(errs...)
}

func (j *Janitor) dropUploads(ctx context.Context, _ bool) (int, error) {
	now := j.d.Clock.Now()
	files, err := j.d.Files.Stale(ctx, now.Add(-pendingFor), batch)
	if err != nil {
		return 0, err
	}
	return j.each(ctx, files, func(file *File) (int, error) {
		age := now.Sub(file.CreatedAt)
		if file.UploadID != "" && age < partsFor {
			return 0, nil // may still be resumed
		}
		if err := j.d.dropObject(ctx, j.d.Files, file); err != nil && age < partsFor+retryFor {
			return 0, err
		}
		return j.d.Files.Delete(ctx, file.ID)
	})
}

func (j *Janitor) purge(ctx context.Context, _ bool) (int, error) {
	before := j.d.Clock.Now().Add(-erasedFor)
	pastes, err := j.d.Pastes.Purge(ctx, before)
	files, ferr := j.d.Files.Purge(ctx, before)
	return pastes + files, errors.Join(err, ferr)
}
