// Package versions keeps the files that uploads with the same link replace, shows
// them to whoever owns the share, and brings one back.
//
// A version is a used-up file share that hangs on the file which took its slug.
// So storages, quotas, moves and whoever compares records with objects see a file
// like others, and no visitor and no list does. One that is let go is a used-up
// share and no more, which the janitor erases with its object.
package versions

import (
	"context"
	"errors"
	"time"

	"pasteport/domain/shares"
	"pasteport/domain/shares/internal/naming"
	"pasteport/ports"
)

// Repository finds the versions of files.
type Repository interface {
	// Versions lists those of a file, newest first.
	Versions(ctx context.Context, fileID string) ([]shares.File, error)
	// Pass makes the versions of a file those of another one.
	Pass(ctx context.Context, from, to string) error
	// Exchange has a file and one of its versions changed together. Returns NotFound
	// when one of them is not there.
	Exchange(ctx context.Context, fileID string, version int64, change func(present, former *shares.File) error) (present *shares.File, err error)
	// LetGo makes the versions of a file but the newest ones used-up shares as of now.
	LetGo(ctx context.Context, fileID string, keep int, now time.Time) error
	// LetOldGo does so with those that were replaced before a time, and returns how
	// many; at most limit.
	LetOldGo(ctx context.Context, before time.Time, limit int, now time.Time) (int, error)
}

// Keeper keeps what uploads replace.
type Keeper struct {
	d    shares.Deps
	repo Repository
}

// NewKeeper returns a keeper of the files of d.
func NewKeeper(d shares.Deps, repo Repository) *Keeper { return &Keeper{d, repo} }

var _ shares.Replaced = (*Keeper)(nil)

// Keeps implements shares.Replaced: what lies in a mount has its versions there,
// and an item of a collection no link of its own.
func (k *Keeper) Keeps(old *shares.File) bool {
	return k.d.Settings.Revisions().Kept > 0 && old.FilePath == "" && old.Collection == "" && !old.Pending && old.UsedUpAt == nil && old.ErasedAt == nil
}

// Keep implements shares.Replaced.
func (k *Keeper) Keep(ctx context.Context, old, next *shares.File, insert func(context.Context) error) error {
	return k.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := k.keep(ctx, old, next); err != nil {
			return err
		}
		return insert(ctx)
	})
}

// keep passes on that a share keeps none. Even then what is replaced stays until the
// next file has come.
func (k *Keeper) keep(ctx context.Context, old, next *shares.File) error {
	now, slug := k.d.Clock.Now(), k.slug()
	_, err := k.d.Files.Update(ctx, old.ID, func(e *shares.File) error {
		if e.Slug != old.Slug || e.Version != old.Version || !k.Keeps(e) { // somebody was faster
			return &ports.Error{Code: ports.Conflict, Key: "slug_taken"}
		}
		next.Version, next.KeepNone = e.Version+1, e.KeepNone
		if next.MaxViews == old.MaxViews && next.Views == old.Views {
			next.Views = e.Views // somebody may have come meanwhile
		}
		e.Slug, e.UsedUpAt, e.UpdatedAt, e.VersionOf = slug, &now, now, next.ID
		return nil
	})
	if err != nil {
		return err
	}
	return k.repo.Pass(ctx, old.ID, next.ID)
}

// Came implements shares.Replaced.
func (k *Keeper) Came(ctx context.Context, file *shares.File) error {
	most := k.d.Settings.Revisions().Kept
	if file.KeepNone {
		most = 0
	}
	return k.repo.LetGo(ctx, file.ID, most, k.d.Clock.Now())
}

// slug is one that nobody knows.
func (k *Keeper) slug() string { return k.d.Random.Text(naming.UnguessableSlug) }

// Ending implements shares.Replaced.
func (k *Keeper) Ending(ctx context.Context, file *shares.File) ([]shares.File, error) {
	versions, err := k.repo.Versions(ctx, file.ID)
	if err != nil || !file.Pending || len(versions) == 0 {
		return versions, err
	}
	err = k.d.Work.Do(ctx, func(ctx context.Context) error { return k.giveBack(ctx, file.ID, versions[0].ID) })
	if errors.Is(err, errFaster) || ports.Is(err, ports.NotFound) {
		err = nil
	}
	return nil, err
}

// errFaster says that the slug was given back meanwhile.
var errFaster = errors.New("somebody was faster")

// giveBack opens the newest version of a file that never came as the share it was.
func (k *Keeper) giveBack(ctx context.Context, pending, newest string) error {
	slug, now := "", k.d.Clock.Now()
	_, err := k.d.Files.Update(ctx, pending, func(e *shares.File) error {
		slug, e.Slug = e.Slug, k.slug()
		return nil
	})
	if err != nil {
		return err
	}
	_, err = k.d.Files.Update(ctx, newest, func(e *shares.File) error {
		if e.VersionOf != pending {
			return errFaster
		}
		e.Slug, e.VersionOf, e.UsedUpAt, e.UpdatedAt = slug, "", nil, now
		return nil
	})
	if err != nil {
		return err
	}
	return k.repo.Pass(ctx, pending, newest)
}

// Forget lets versions go that were replaced before a time, for the janitor.
func (k *Keeper) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	return k.repo.LetOldGo(ctx, before, limit, k.d.Clock.Now())
}
