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
	"time"

	"pasteport/domain/shares"
)

// Repository finds the versions of files.
type Repository interface {
	// Versions lists those of a file, newest first.
	Versions(ctx context.Context, fileID string) ([]shares.File, error)
	// Replacing lists the files to come that are to replace a file, and keep nothing of
	// it; but those that can come no more.
	Replacing(ctx context.Context, fileID string) ([]shares.File, error)
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

// Forget lets versions go that were replaced before a time, for the janitor.
func (k *Keeper) Forget(ctx context.Context, before time.Time, limit int) (int, error) {
	return k.repo.LetOldGo(ctx, before, limit, k.d.Clock.Now())
}
